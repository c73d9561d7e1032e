//! Loops of a run: the values of each loop, and how they change the loads of that run.
//!
//! Must not know: how a loop becomes an axis of a test.

use std::collections::BTreeSet;

use super::lines::{Entry, Param};
use super::load::{Load, WHOLE_PER_CENT, say, seeks, within_depth, wrong};
use super::value::{list, percent, rounded, size};
use crate::State;
use crate::draft::{bytes, quoted};
use crate::notes::Fate;

/// A key of the methodology with its values.
pub(super) struct Loop {
    pub(super) key: &'static str,
    /// As TOML.
    pub(super) words: Vec<String>,
    /// In the unit of the key; empty if the values are words.
    numbers: Vec<u64>,
}

impl Loop {
    /// The parameters that it overrides.
    pub(super) fn overrides(&self) -> &'static [&'static str] {
        match self.key {
            "block_size" => &["xfersize"],
            "queue_depth" => &["threads"],
            "write_percent" => &["rdpct", "writepct"],
            _ => &["seekpct"],
        }
    }

    /// Makes a load valid for all steps of the loop, replacing what the load itself states.
    pub(super) fn apply(&self, load: &mut Load) {
        match self.key {
            "write_percent" => load.operate(&self.numbers),
            "block_size" => load.largest = self.numbers.iter().copied().max().unwrap_or(load.largest),
            _ => {}
        }
    }
}

/// Loops of a run, in order. Notes what becomes of every parameter about them.
pub(super) fn of(run: &Entry, state: &mut State) -> Vec<Loop> {
    let params = run.params.iter().filter(|param| !run.replaces(param));
    params.filter_map(|param| one(param, state)).collect()
}

/// The loop of a parameter; `None` if it is about something else, or cannot become a loop.
fn one(param: &Param, state: &mut State) -> Option<Loop> {
    let whole = |text: &str| text.parse::<u64>().ok();
    let (key, values) = match param.key.as_str() {
        "forxfersize" => ("block_size", list(&param.values, &|text| size(text).filter(|size| *size > 0))),
        "forthreads" => ("queue_depth", list(&param.values, &|text| whole(text).filter(|depth| *depth > 0))),
        "forrdpct" => ("write_percent", list(&param.values, &percent)),
        "forseekpct" => return patterns(param, state),
        key if key.starts_with("for") && key != "format" => {
            say(param, Fate::Lost, "drivelab has no such loop", state);
            return None;
        }
        _ => return None,
    };
    say(param, Fate::Carried, "", state);
    let Some(values) = values else {
        wrong(param, "values such as (1,2,4), (1k-64k,d) or (10-50,10)", state);
        return None;
    };
    if key == "write_percent" && values.iter().any(|share| !share.is_multiple_of(1000)) {
        say(param, Fate::Changed, WHOLE_PER_CENT, state);
    }
    let mut known = BTreeSet::new();
    let numbers = values.into_iter().map(|value| match key {
        "write_percent" => rounded(100_000 - value),
        "queue_depth" => within_depth(value, param, state),
        _ => value,
    });
    let numbers: Vec<u64> = numbers.filter(|number| known.insert(*number)).collect();
    let word = |number: &u64| if key == "block_size" { quoted(&bytes(*number)) } else { number.to_string() };
    Some(Loop { key, words: numbers.iter().map(word).collect(), numbers })
}

/// A loop over shares of jumps of 0 and 100, as a loop over patterns.
fn patterns(param: &Param, state: &mut State) -> Option<Loop> {
    let patterns: Vec<Option<(&str, u64)>> = param.values.iter().map(|text| seeks(text)).collect();
    say(param, Fate::Carried, "", state);
    if patterns.iter().any(|one| one.is_none_or(|(_, jumps)| jumps > 0)) {
        let why = "drivelab needs several tests for a loop over shares of jumps other than 0 and 100; none is made";
        say(param, Fate::Lost, why, state);
        return None;
    }
    let words = patterns.into_iter().flatten().map(|(pattern, _)| quoted(pattern)).collect();
    Some(Loop { key: "pattern", words, numbers: Vec::new() })
}
