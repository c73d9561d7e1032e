//! The words of each finding.

use super::*;
use crate::check::testing::in_words;

/// A finding about the first of these names and about both.
fn both(names: [&str; 2], finding: impl Fn(&[String]) -> Finding) -> [Finding; 2] {
    let names = names.map(str::to_owned);
    [finding(&names[..1]), finding(&names)]
}

#[test]
fn each_finding_in_its_words() {
    let stuck = ["sensor 2 (smart:nvme0n1) at 105 °C", "composite (smart:nvme0n1) at 50 °C"];
    let composites = ["composite (smart:nvme0n1)", "composite (smart:nvme1n1)"];
    let counters = ["power-on time (smart:nvme0n1)", "data written (smart:nvme0n1)"];
    let read = ["data read (smart:nvme0n1)", "data written (smart:nvme0n1)"];
    let all = [
        both(stuck, |names| stuck_sensor(names, names.len() > 1, Vec::new())),
        both(composites, |names| jumping_temperature(names, Vec::new())),
        both(["nvme0n1", "nvme1n1"], |names| hot_not_flagged(names, Vec::new())),
        both(counters, |names| counter_went_back(names, Vec::new())),
        both(read, |names| counter_stands_still(names, Vec::new())),
    ];
    insta::assert_snapshot!(in_words(&all.concat()));
}
