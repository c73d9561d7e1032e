//! What a job writes: shares that compress or repeat, zeros, patterns.
//!
//! Must not know: where and when it writes.

use super::super::State;
use super::super::job::Job;
use super::types::Load;
use crate::draft::{Origin, quoted};
use crate::notes::Fate;

/// Sets the data of a load that writes.
pub(super) fn data(job: &Job, load: &mut Load, state: &mut State) {
    let compress = job.whole("buffer_compress_percentage", state).filter(|share| (1..=100).contains(share));
    let dedup = job.whole("dedupe_percentage", state).filter(|share| (1..=100).contains(share));
    if job.peek("buffer_compress_chunk").is_some() {
        let why = "the share that compresses applies to each block";
        job.say("buffer_compress_chunk", Fate::Changed, why, state);
    }
    let scrambled = job.flag("scramble_buffers", state);
    let refilled = job.flag("refill_buffers", state);
    let zeros = job.flag("zero_buffers", state) == Some(true);
    let pattern = job.text("buffer_pattern", state);
    if zeros && pattern.is_some() {
        job.say("zero_buffers", Fate::NoEffect, "buffer_pattern decides what is written, as in fio", state);
    }
    if let Some(pattern) = pattern {
        match hexadecimal(&pattern) {
            Some(hex) if compress.is_none() => {
                load.table.set("data", "\"pattern\"", Origin::Stated);
                load.table.set("data_pattern", quoted(&hex), Origin::Stated);
            }
            Some(_) => job.say("buffer_pattern", Fate::Lost, "a share that compresses is zero bytes here", state),
            None => job.say("buffer_pattern", Fate::Lost, "only 0x… and \"text\" patterns are carried over", state),
        }
    } else if zeros {
        load.table.set("data", "\"zero\"", Origin::Stated);
    } else if scrambled == Some(false) && refilled != Some(true) && compress.or(dedup).is_none() {
        load.table.set("data", "\"one_block\"", Origin::Stated);
    }
    if load.table.get("data").is_none() {
        for (key, share) in [("compress_percent", compress), ("dedup_percent", dedup)] {
            if let Some(share) = share {
                load.table.set(key, share.to_string(), Origin::Stated);
            }
        }
    } else if compress.or(dedup).is_some() {
        for key in ["buffer_compress_percentage", "dedupe_percentage"] {
            if job.peek(key).is_some() {
                job.say(key, Fate::Lost, "only data without a pattern can have such a share", state);
            }
        }
    }
}

/// The bytes of a pattern as digits, in the order in which fio writes them: `0xdeadbeef` is de ad be ef.
fn hexadecimal(pattern: &str) -> Option<String> {
    let text = pattern.trim();
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let whole = !digits.is_empty() && digits.chars().all(|sign| sign.is_ascii_hexdigit());
        let even = if digits.len().is_multiple_of(2) { digits.to_owned() } else { format!("0{digits}") };
        return whole.then(|| even.to_ascii_lowercase());
    }
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    (!inner.is_empty()).then(|| inner.bytes().map(|byte| format!("{byte:02x}")).collect())
}

/// For a load that writes nothing: options about data have no effect.
pub(super) fn say_unused(job: &Job, state: &mut State) {
    let keys = [
        "buffer_compress_percentage",
        "buffer_compress_chunk",
        "dedupe_percentage",
        "zero_buffers",
        "refill_buffers",
        "scramble_buffers",
        "buffer_pattern",
    ];
    for key in keys {
        if job.peek(key).is_some() {
            job.say(key, Fate::NoEffect, "the load writes nothing", state);
        }
    }
}
