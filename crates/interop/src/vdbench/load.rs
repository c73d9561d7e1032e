//! One workload definition as a load.
//!
//! Owns what the parameters of storage and workload definitions become. Must not know: runs and their loops.

use super::lines::{Entry, Param};
use super::value::{percent, rounded, size, thousandths};
use crate::State;
use crate::bounds::{DEEPEST, TOO_DEEP};
use crate::draft::{Origin, Table, bytes, quoted};
use crate::notes::Fate;
use crate::wrong::{Mistake, Place};

/// A workload as a load, and what it needs from the target.
#[derive(Debug, Clone, Default)]
pub(super) struct Load {
    pub(super) table: Table,
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) device: bool,
    /// Bytes of the target that the storage definition states.
    pub(super) size: Option<u64>,
    pub(super) largest: u64,
    /// Thousandths of a per cent.
    pub(super) skew: Option<u64>,
    /// Where keys of the methodology come from.
    pub(super) places: Vec<(&'static str, Place)>,
}

impl Load {
    /// It writes with these shares of its operations, in per cent, one after the other.
    pub(super) fn operate(&mut self, writes_percent: &[u64]) {
        self.reads = writes_percent.iter().any(|share| *share < 100);
        self.writes = writes_percent.iter().any(|share| *share > 0);
    }
}

/// Keys of the methodology, with the parameters that they come from; the first existing parameter counts.
const SOURCES: [(&str, &[&str]); 10] = [
    ("pattern", &["forseekpct", "seekpct"]),
    ("seek_percent", &["forseekpct", "seekpct"]),
    ("write_percent", &["forrdpct", "rdpct"]),
    ("block_size", &["forxfersize", "xfersize"]),
    ("block_size_mix", &["xfersize"]),
    ("queue_depth", &["forthreads", "threads"]),
    ("span", &["range", "size"]),
    ("rate", &["iorate"]),
    ("time", &["elapsed"]),
    ("volume", &["maxdata"]),
];

/// Where a parameter is looked for: the run overrides the workload, which overrides the first storage.
pub(super) struct Sources<'e> {
    pub(super) run: &'e Entry,
    pub(super) work: &'e Entry,
    pub(super) storage: Option<&'e Entry>,
    /// Parameters that a loop of the run overrides.
    pub(super) in_loops: &'e [&'static str],
}

impl<'e> Sources<'e> {
    /// Where the keys of the methodology were stated, as far as parameters state them.
    fn places(&self) -> Vec<(&'static str, Place)> {
        let all = || [self.run, self.work].into_iter().chain(self.storage);
        let find = |keys: &&[&str]| keys.iter().find_map(|key| all().find_map(|entry| entry.get(key)));
        SOURCES.iter().filter_map(|(key, keys)| Some((*key, find(keys)?.place.clone()))).collect()
    }

    /// The parameter that applies, noted as carried over. Parameters that it or a loop overrides are noted as
    /// overridden.
    fn ask(&self, key: &str, state: &mut State) -> Option<&'e Param> {
        let all = [self.run, self.work].into_iter().chain(self.storage);
        let mut found = None;
        for param in all.flat_map(|entry| entry.get(key)) {
            if self.in_loops.contains(&key) {
                state.notes.say_overridden(&param.place, &param.written, "a loop of the run overrides it");
            } else if found.is_some() {
                state.notes.say_overridden(&param.place, &param.written, "the run or the workload overrides it");
            } else {
                state.notes.say(&param.place, &param.written, Fate::Carried, "");
                found = Some(param);
            }
        }
        found
    }

    fn first(&self, key: &str, state: &mut State) -> Option<(String, &'e Param)> {
        let param = self.ask(key, state)?;
        Some((param.values.first().cloned().unwrap_or_default(), param))
    }
}

/// All of the operations, in thousandths of a per cent.
const ALL: u64 = 100_000;
/// How far the shares of sizes may differ from it: they have few decimals.
const SLACK: u64 = 1_000;
/// Most sizes of a mix.
const MOST_SIZES: u64 = 64;

/// The note on shares with decimals.
pub(super) const WHOLE_PER_CENT: &str = "shares are whole per cent: the value is rounded";

/// Notes what became of a parameter.
pub(super) fn say(param: &Param, fate: Fate, why: &str, state: &mut State) {
    state.notes.say(&param.place, &param.written, fate, why);
}

/// A value that cannot be parsed.
pub(super) fn wrong(param: &Param, expected: &str, state: &mut State) {
    let title = format!("'{}' is not a valid value of {}", param.values.join(","), param.key);
    let help = "see the Vdbench Users Guide";
    state.mistakes.push(Mistake::new(&param.place, title, format!("expected {expected}"), help));
}

/// Makes the load.
pub(super) fn load(from: &Sources<'_>, state: &mut State) -> Load {
    let mut load = Load { largest: 4096, places: from.places(), ..Load::default() };
    storage(from, &mut load, state);
    operations(from, &mut load, state);
    sizes(from, &mut load, state);
    order(from, &mut load, state);
    depth(from, &mut load, state);
    load.skew = from.first("skew", state).and_then(|(text, param)| {
        let skew = percent(&text);
        if skew.is_none() {
            wrong(param, "a share of 0 to 100 per cent", state);
        }
        skew.filter(|skew| *skew > 0)
    });
    for (key, why) in [
        ("rhpct", "cache hits are not controlled: every block of the span is equally likely"),
        ("whpct", "cache hits are not controlled: every block of the span is equally likely"),
        ("priority", "loads have weights, but no priorities"),
        ("streams", "a load follows one stream per thread"),
        ("stride", "drivelab does not support strides of random length; the blocks follow each other"),
    ] {
        if let Some((text, param)) = from.first(key, state)
            && text != "0"
        {
            say(param, Fate::Lost, why, state);
        }
    }
    load
}

fn storage(from: &Sources<'_>, load: &mut Load, state: &mut State) {
    let lun = from.first("lun", state);
    if let Some((_, param)) = &lun {
        say(param, Fate::NoEffect, "the target is named when the methodology is run", state);
    }
    load.device = lun.as_ref().is_none_or(|(lun, _)| lun.starts_with("/dev/") || lun.starts_with("\\\\"));
    load.size = from.first("size", state).and_then(|(text, param)| {
        let found = size(&text).filter(|size| *size > 0);
        if found.is_none() {
            say(param, Fate::Lost, "drivelab supports only sizes in bytes here: all of the target is used", state);
        }
        found
    });
    if let Some((text, param)) = from.first("offset", state)
        && text != "0"
    {
        say(param, Fate::Lost, "the load begins at the start of the target; use span = { offset, length }", state);
    }
    let flags = from.ask("openflags", state);
    let direct = flags.is_some_and(|flags| flags.values.iter().any(|flag| flag == "o_direct" || flag == "directio"));
    if let Some(flags) = flags {
        let other = flags.values.iter().any(|flag| flag != "o_direct" && flag != "directio");
        if other {
            say(flags, Fate::Lost, "of the open flags, drivelab supports only o_direct and directio", state);
        }
    }
    let origin = if flags.is_some() { Origin::Stated } else { Origin::Default };
    load.table.set("direct", (direct || load.device).to_string(), origin);
}

fn operations(from: &Sources<'_>, load: &mut Load, state: &mut State) {
    let reads = from.first("rdpct", state);
    let writes = from.first("writepct", state);
    let (share, origin) = match (&reads, &writes) {
        (Some((text, _)), _) => (percent(text).map(|reads| 100_000 - reads), Origin::Stated),
        (None, Some((text, _))) => (percent(text), Origin::Stated),
        (None, None) => (Some(0), Origin::Default),
    };
    let Some(share) = share else {
        if let Some((_, param)) = reads.or(writes) {
            wrong(param, "0 to 100", state);
        }
        return;
    };
    if !share.is_multiple_of(1000)
        && let Some((_, param)) = &reads.or(writes)
    {
        say(param, Fate::Changed, WHOLE_PER_CENT, state);
    }
    let share = rounded(share);
    load.operate(&[share]);
    load.table.set("write_percent", share.to_string(), origin);
}

fn depth(from: &Sources<'_>, load: &mut Load, state: &mut State) {
    /// The threads if neither storage nor workload nor run states any.
    const THREADS: u64 = 8;
    let Some((text, param)) = from.first("threads", state) else {
        return load.table.set("queue_depth", THREADS.to_string(), Origin::Default);
    };
    let Some(threads) = text.parse::<u64>().ok().filter(|threads| *threads > 0) else {
        return wrong(param, "a number of threads", state);
    };
    load.table.set("queue_depth", within_depth(threads, param, state).to_string(), Origin::Stated);
}

/// Threads as operations in flight; notes if they are fewer.
pub(super) fn within_depth(threads: u64, param: &Param, state: &mut State) -> u64 {
    if threads > DEEPEST {
        say(param, Fate::Changed, TOO_DEEP, state);
    }
    threads.min(DEEPEST)
}

fn sizes(from: &Sources<'_>, load: &mut Load, state: &mut State) {
    let Some(param) = from.ask("xfersize", state) else {
        load.table.set("block_size", quoted(&bytes(4096)), Origin::Default);
        return;
    };
    let values = &param.values;
    if let [one] = &values[..] {
        match size(one).filter(|size| *size > 0) {
            Some(size) => {
                load.largest = size;
                load.table.set("block_size", quoted(&bytes(size)), Origin::Stated);
            }
            None => wrong(param, "a size such as 4k, or (4k,60,64k,40)", state),
        }
        return;
    }
    if let [low, high, unit] = &values[..]
        && let (Some(low), Some(high), Some(unit)) = (size(low), size(high), size(unit).filter(|unit| *unit > 0))
        && low <= high
        && low > 0
    {
        return between((low, high, unit), param, load, state);
    }
    match pairs(values).filter(|pairs| pairs.iter().map(|(_, share)| share).sum::<u64>().abs_diff(ALL) <= SLACK) {
        Some(pairs) => {
            if values.iter().skip(1).step_by(2).any(|text| is_tiny(text)) {
                let why = "shares below 0.001 % are raised to 0.001 %";
                say(param, Fate::Changed, why, state);
            }
            mix(load, &pairs);
        }
        None => wrong(param, "sizes with shares that sum to 100, such as (4k,60,64k,40)", state),
    }
}

/// Sizes with their shares in thousandths of a per cent.
fn pairs(values: &[String]) -> Option<Vec<(u64, u64)>> {
    let one = |pair: &[String]| {
        let [text, share] = pair else { return None };
        let share = if is_tiny(share) { 1 } else { percent(share)? };
        Some((size(text).filter(|size| *size > 0)?, share))
    };
    values.chunks(2).map(one).collect()
}

/// A share above zero and below 0.001 %.
fn is_tiny(share: &str) -> bool {
    thousandths(share) == Some(0) && share.contains(|sign: char| matches!(sign, '1'..='9'))
}

/// Sizes from one end by steps to the other, all equally likely; if there are many, a selection that is spread evenly.
fn between((low, high, unit): (u64, u64, u64), param: &Param, load: &mut Load, state: &mut State) {
    let last = (high - low) / unit;
    let steps = last.min(MOST_SIZES - 1);
    if steps < last {
        let count = u128::from(last) + 1;
        let why = format!("{count} sizes become {MOST_SIZES}, spread evenly over the range");
        say(param, Fate::Changed, &why, state);
    }
    // No product exceeds the last step.
    let spread = |at: u64| last / steps.max(1) * at + last % steps.max(1) * at / steps.max(1);
    let sizes: Vec<(u64, u64)> = (0..=steps).map(|at| (low + spread(at) * unit, 1)).collect();
    mix(load, &sizes);
}

fn mix(load: &mut Load, sizes: &[(u64, u64)]) {
    load.largest = sizes.iter().map(|(size, _)| *size).max().unwrap_or(4096);
    if let [(size, _)] = sizes {
        load.table.set("block_size", quoted(&bytes(*size)), Origin::Stated);
        return;
    }
    let shares: Vec<String> = sizes
        .iter()
        .filter(|(_, share)| *share > 0)
        .map(|(size, share)| format!("{{ block_size = {}, share = {share} }}", quoted(&bytes(*size))))
        .collect();
    load.table.set("block_size_mix", format!("[{}]", shares.join(", ")), Origin::Stated);
}

/// Pattern and share of jumps that `seekpct` asks for; `None` if it is not a valid value. Vdbench accepts any
/// abbreviation of its two words.
pub(super) fn seeks(text: &str) -> Option<(&'static str, u64)> {
    match text {
        "" => None,
        "100" => Some(("random", 0)),
        "0" | "seqnz" | "eof" | "-1" => Some(("sequential", 0)),
        word if "random".starts_with(word) => Some(("random", 0)),
        word if "sequential".starts_with(word) => Some(("sequential", 0)),
        other => match percent(other)? {
            0 => Some(("sequential", 0)),
            100_000 => Some(("random", 0)),
            share => Some(("sequential", rounded(share).clamp(1, 99))),
        },
    }
}

fn order(from: &Sources<'_>, load: &mut Load, state: &mut State) {
    let stated = from.first("seekpct", state);
    let origin = if stated.is_some() { Origin::Stated } else { Origin::Default };
    match (stated.as_ref().map_or(Some(("random", 0)), |(text, _)| seeks(text)), &stated) {
        (Some((pattern, jumps)), _) => {
            load.table.set("pattern", quoted(pattern), origin);
            if jumps > 0 {
                load.table.set("seek_percent", jumps.to_string(), Origin::Stated);
            }
        }
        (None, Some((_, param))) => wrong(param, "random, seq or 0 to 100", state),
        (None, None) => {}
    }
    if let Some((text, param)) = &stated
        && percent(text).is_some_and(|share| !share.is_multiple_of(1000))
    {
        say(param, Fate::Changed, WHOLE_PER_CENT, state);
    }
    if let Some((text, param)) = &stated
        && matches!(text.as_str(), "seqnz" | "eof" | "-1")
    {
        say(param, Fate::Changed, "the stream begins at the start of the span and wraps at its end", state);
    }
    for key in ["range", "hotband"] {
        let Some(param) = from.ask(key, state) else { continue };
        if key == "hotband" {
            say(param, Fate::Changed, "all of the band is equally likely; Vdbench favours its low addresses", state);
        }
        match &param.values[..] {
            [low, high] => span(low, high, param, load, state),
            _ => wrong(param, "two ends, such as (0,25)", state),
        }
    }
}

/// Ends above 200 are bytes.
fn span(low: &str, high: &str, param: &Param, load: &mut Load, state: &mut State) {
    let (Some(low), Some(high)) = (size(low), size(high)) else {
        return wrong(param, "two ends, such as (0,25)", state);
    };
    if low >= high {
        return wrong(param, "a start before the end", state);
    }
    if high > 200 {
        let table = format!("{{ offset = {}, length = {} }}", quoted(&bytes(low)), quoted(&bytes(high - low)));
        load.size = load.size.or(Some(high));
        load.table.set("span", table, Origin::Stated);
    } else if high > 100 {
        say(
            param,
            Fate::Lost,
            "drivelab does not support a range that continues at the start of the target: all of it is used",
            state,
        );
    } else if (low, high) != (0, 100) {
        let table = format!("{{ offset = \"{low} %\", length = \"{} %\" }}", high - low);
        load.table.set("span", table, Origin::Stated);
    }
}
