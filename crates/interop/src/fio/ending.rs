//! When a job ends: after a time, a volume, a count, or one pass over its place; and the end of the test that it
//! begins.
//!
//! Facts: fio's backend.c (do_io, keep_running) and what fio 3.33 was observed to issue. Must not know: what
//! operations are.

use super::State;
use super::job::Job;
use super::load::Load;
use super::number::{Amount, fraction};
use super::one::One;
use super::place::Target;
use crate::draft::{Origin, bytes, quoted, time};
use crate::notes::Fate;

/// Longest time of a step that ends by its work: fio has no such limit, and a week is enough for any drive.
const CAP: &str = "168 h";
/// Time of concurrent loads if nothing else decides when they end.
const SOME_TIME: u64 = 60_000_000_000;

/// Keys with their values and the origin of each.
type Said = Vec<(&'static str, String, Origin)>;

/// When the test ends: by the first job's rule, since groups end together. In fio each job has an end of its own, and
/// equal rules are the same moment only if they are times.
pub(super) fn ending(batch: &mut [One<'_>], target: &Target, state: &mut State) {
    let alone = batch.len() == 1;
    let mut said: Vec<Said> = Vec::new();
    for one in batch.iter() {
        said.push(stop(one, alone, target, state));
    }
    for (one, other) in batch.iter().zip(&said).skip(1) {
        // The other load of the same job also ends with it in fio.
        let at_once = by_time(other) && keys(other) == keys(&said[0]);
        if !at_once && one.job.place != batch[0].job.place {
            let fio = if one.job.ends_others {
                "with exitall fio ends all jobs when the first is done, whichever it is"
            } else {
                "in fio it continues to its own end"
            };
            let why = format!("it ends when [{}] does, however much it has done by then; {fio}", batch[0].job.name);
            one.job.say("", Fate::Changed, why, state);
        }
    }
    let Some((main, _)) = batch.split_first_mut() else { return };
    for (key, toml, origin) in said.swap_remove(0) {
        main.load.table.set(key, toml, origin);
    }
}

fn keys<'a>(said: &'a [(&'static str, String, Origin)]) -> Vec<(&'static str, &'a str)> {
    said.iter().map(|(key, toml, _)| (*key, toml.as_str())).collect()
}

/// Whether only a time ends it, and no amount of work.
fn by_time(said: &[(&'static str, String, Origin)]) -> bool {
    !said.iter().any(|(key, ..)| matches!(*key, "operations" | "passes" | "volume"))
}

/// The time after which a job ends at the latest, in nanoseconds, and whether it continues until then.
pub(super) fn runtime(job: &Job, state: &mut State) -> (Option<u64>, bool) {
    let runtime = job.time("runtime", 1_000_000_000, state).filter(|runtime| *runtime > 0);
    (runtime, job.flag("time_based", state).unwrap_or(false) && runtime.is_some())
}

/// When a job ends, as parameters.
pub(super) fn stop(one: &One<'_>, alone: bool, target: &Target, state: &mut State) -> Said {
    let job = one.job;
    let mut said: Said = Vec::new();
    let (runtime, timed) = runtime(job, state);
    if let Some(runtime) = runtime {
        said.push(("time", quoted(&time(runtime)), Origin::Stated));
    }
    job.ask("loops", state);
    if timed {
        for key in ["io_size", "number_ios"] {
            if job.peek(key).is_some() {
                job.say(key, Fate::NoEffect, "the job ends by its time", state);
            }
        }
    } else {
        said.extend(work(one, alone, runtime.is_some(), target, state));
    }
    if runtime.is_none() {
        let why = "fio sets no limit; a week is enough for any drive";
        said.push(("cap", quoted(CAP), Origin::Ours(why.to_owned())));
    }
    if let Some(ramp) = job.time("ramp_time", 1_000_000_000, state).filter(|ramp| *ramp > 0) {
        said.push(("ramp", quoted(&time(ramp)), Origin::Stated));
    }
    let keep = job.text("continue_on_error", state).filter(|word| !matches!(word.as_str(), "none" | "0"));
    let (word, origin) = if keep.is_some() { ("keep", Origin::Stated) } else { ("stop", Origin::Default) };
    said.push(("errors", quoted(word), origin));
    said
}

/// The end of a job by its work: bytes of all loops, or operations if they are fewer.
fn work(one: &One<'_>, alone: bool, limited: bool, target: &Target, state: &mut State) -> Said {
    let (job, load) = (one.job, &one.load);
    let loops = loops(job, load, state);
    // fio counts only the writes: each block is trimmed before it is written.
    let often = if load.twice { 2 } else { 1 };
    let count = job.whole("number_ios", state).filter(|count| *count > 0);
    let sweep = sweep(one, target, state);
    let pass = sweep.or(one.span.moves).or(one.span.each);
    let moved = of_one_loop(job, load, pass, state);
    let (total, by_chance) = of_all_loops(load, moved, pass, loops);
    if by_chance {
        job.say("io_size", Fate::Changed, "where a loop of this job ends in fio depends on chance", state);
    }
    let again = total.zip(pass).is_some_and(|(total, pass)| total > pass);
    say_of_checks(job, load, again || loops > 1 && moved.is_none(), state);
    let total = total.map(|total| total.saturating_mul(often));
    let operations = count.map(|count| count.saturating_mul(loops).saturating_mul(often));
    let block = (!load.several_sizes()).then_some(load.largest.max(1));
    let mut said = Said::new();
    let binds = match (operations, total, block) {
        (Some(operations), Some(total), Some(block)) => operations.saturating_mul(block) <= total,
        (operations, ..) => operations.is_some(),
    };
    if let Some(operations) = operations.filter(|_| binds) {
        let part = load.part.map_or(1.0, |part| part.operations);
        said.push(("operations", scaled(operations.saturating_mul(load.threads), part, 1).to_string(), Origin::Stated));
        if total.is_none() || block.is_some() {
            return said;
        }
    }
    let ragged = total.zip(block).is_some_and(|(total, block)| total % block != 0);
    // No stream of a sequential mix reaches the end of the file, so the last block is a whole one.
    let free = load.draws_freely() || moved.is_some() || load.mixed.is_some() && !load.random;
    if ragged && !free && !load.random && target.device && load.stride.is_none() {
        let why = "not a whole number of blocks: on a device fio's last operation goes beyond the size; drivelab leaves it out";
        job.say("size", Fate::Changed, why, state);
    }
    let whole = total.map(|total| match block {
        Some(block) if free => total.checked_next_multiple_of(block).unwrap_or(total),
        Some(block) => (total - total % block).max(block),
        None => total,
    });
    let in_passes = has_passes(load) && !(ragged && free);
    let by_passes = moved.is_none() && sweep.is_none() && one.span.moves.is_none() && said.is_empty();
    let origin = if moved.is_some() { Origin::Stated } else { Origin::of(job.peek("loops").is_some()) };
    let each = if load.table.get("streams").is_some() { load.threads } else { 1 };
    if by_passes && alone && in_passes && (each == 1 || one.span.length.is_none()) {
        said.push(("passes", loops.saturating_mul(often).to_string(), origin));
        return said;
    }
    let whole = whole.or_else(|| (!target.whole && load.table.get("span").is_none()).then_some(target.size));
    if let Some(each) = whole {
        let part = load.part.map_or(1.0, |part| part.bytes);
        let all = scaled(each.saturating_mul(load.threads), part, block.unwrap_or(1));
        said.push(("volume", quoted(&bytes(all)), origin));
        return said;
    }
    if limited {
        return said;
    }
    let why = "the size of the device is unknown, so the load cannot end by it: it runs for a minute instead";
    job.say("", Fate::Lost, why, state);
    said.push(("time", quoted(&time(SOME_TIME)), Origin::Ours(why.to_owned())));
    said
}

/// Bytes that a job asks to move in one loop; `None` if it moves its whole size.
fn of_one_loop(job: &Job, load: &Load, pass: Option<u64>, state: &mut State) -> Option<u64> {
    let mut asked =
        job.amount("io_size", state).filter(|size| !matches!(size, Amount::Bytes(0) | Amount::Percent(100)));
    if pass.is_none() && matches!(asked, Some(Amount::Percent(_))) {
        job.say("io_size", Fate::Lost, "a share of an unknown size; all of it is moved", state);
        asked = None;
    }
    match (asked, pass) {
        (Some(Amount::Bytes(size)), Some(pass)) if only_checks(load) => Some(size.min(pass)),
        (Some(Amount::Bytes(size)), _) => Some(size),
        (Some(Amount::Percent(share)), Some(pass)) => Some(fraction(pass, share, 100)),
        _ => None,
    }
}

/// How often a job does its work. fio reads its headers back once, however many loops and bytes are asked for.
fn loops(job: &Job, load: &Load, state: &mut State) -> u64 {
    let loops = job.whole("loops", state).unwrap_or(1).max(1);
    if loops == 1 || !only_checks(load) {
        return loops;
    }
    job.say("loops", Fate::NoEffect, "fio verifies written data only once", state);
    1
}

/// Whether a job only reads back what an earlier one wrote.
fn only_checks(load: &Load) -> bool {
    load.table.get("op") == Some("\"verify\"")
}

/// Bytes of all loops, from the bytes to move in one loop and the bytes of one pass (nothing if neither is known), and
/// whether fio ends the loops by chance.
fn of_all_loops(load: &Load, moved: Option<u64>, pass: Option<u64>, loops: u64) -> (Option<u64>, bool) {
    let (moved, pass) = match (moved, pass) {
        (None, pass) => return (pass.map(|pass| pass.saturating_mul(loops)), false),
        (Some(moved), None) => return (Some(moved.saturating_mul(loops)), false),
        (Some(moved), Some(pass)) => (moved, pass),
    };
    if moved > pass && load.table.get("verify").is_some() && !load.draws_freely() {
        return (Some(pass.saturating_mul(verified(load, moved, pass).max(loops))), false);
    }
    if loops == 1 {
        return (Some(moved), false);
    }
    // Each loop of fio ends at the end of the file, and there are as many as the bytes need, but never fewer than asked
    // for. Only a load that may draw a block again is not bound by the file.
    let by_chance = ends_by_chance(load);
    let bound = if by_chance { shared_out(load, pass) } else { Some(pass) };
    let total = match bound.filter(|bound| moved > *bound && !load.draws_freely()) {
        Some(bound) => bound.saturating_mul(moved.div_ceil(bound.max(1)).max(loops)),
        None => moved.saturating_mul(loops),
    };
    (Some(total), by_chance && moved > pass)
}

/// Whether fio ends a pass of a load over its file by chance: where one of two streams, or a run of blocks in order,
/// reaches the end.
fn ends_by_chance(load: &Load) -> bool {
    let jumps = load.stride.is_some() || load.table.get("seek_percent").is_some();
    load.two_streams() || jumps
}

/// Bytes of one loop that ends by chance. One of two streams ends where the kind with more bytes reaches the end of the
/// file; others hardly ever end there.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a share")]
fn shared_out(load: &Load, pass: u64) -> Option<u64> {
    load.two_streams().then(|| (pass as f64 / load.larger_share()) as u64)
}

/// Passes of a job with headers that moves more than its place holds: fio also counts what it reads back, and does not
/// start again if it reads nothing.
fn verified(load: &Load, moved: u64, pass: u64) -> u64 {
    let checks = load.table.get("op") == Some("[\"write\", \"verify\"]");
    let left = moved.saturating_sub(load.largest.saturating_sub(1));
    if checks { left.div_ceil(pass.saturating_mul(2).max(1)).max(1) } else { 1 }
}

/// Notes when a job of several passes is checked.
fn say_of_checks(job: &Job, load: &Load, several: bool, state: &mut State) {
    if several && load.table.get("op") == Some("[\"write\", \"verify\"]") {
        let why = "fio checks after each pass over its place, this test after the last pass";
        job.say("verify", Fate::Changed, why, state);
    }
}

/// Bytes of one pass of a load with gaps over its span, if fio ends after that pass: on a device, or in a file that
/// ends with the last block.
fn sweep(one: &One<'_>, target: &Target, state: &mut State) -> Option<u64> {
    let (load, stride) = (&one.load, one.load.stride?);
    let why = "at the end of its span fio begins at the same place again, drivelab one block further";
    let Some(length) = one.span.each.filter(|_| one.job.peek("io_size").is_none()) else {
        one.job.say("rw", Fate::Changed, why, state);
        return None;
    };
    let starts = length.div_ceil(stride);
    let ends_there = (starts - 1) * stride + load.largest == length;
    let once = starts * load.largest;
    if one.span.moves.is_some_and(|moves| moves <= once) {
        return None;
    }
    if !target.device && !ends_there {
        one.job.say("rw", Fate::Changed, why, state);
        return None;
    }
    Some(once)
}

/// Whether the language can count passes of this load.
fn has_passes(load: &Load) -> bool {
    let by_kind = load.table.get("streams") == Some("\"by_kind\"");
    !load.several_sizes() && load.table.get("seek_percent").is_none() && !load.draws_freely() && !by_kind
}

/// A share of a number in whole blocks, at least one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a share")]
fn scaled(all: u64, part: f64, block: u64) -> u64 {
    if part >= 1.0 {
        return all;
    }
    let blocks = (all as f64 * part / block as f64).round() as u64;
    blocks.max(1).saturating_mul(block)
}
