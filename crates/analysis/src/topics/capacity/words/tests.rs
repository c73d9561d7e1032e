//! The words of each finding.

use drivelab_core::ids::StepId;
use drivelab_core::record::{BadBlock, DataFault};
use drivelab_samples::sample_run;

use super::*;
use crate::check::testing::in_words;
use crate::topics::capacity::map::PartState;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const CLAIMED: u64 = 64 * GIB;

/// A check of 1,024 of 65,536 blocks of 1 MiB, all of which held their data.
fn account() -> Account {
    Account {
        blocks: 65_536,
        checked: 1024,
        bad: 0,
        unreadable: 0,
        first_bad: None,
        behind: 0,
        ends_there: false,
        planned: 1024,
        is_cut: false,
        comes_round: None,
        example: None,
        span: CLAIMED,
    }
}

fn of_whole() -> Vec<Finding> {
    let all = Account { checked: 65_536, planned: 65_536, ..account() };
    let cut = |checked: u64| Account { checked, is_cut: true, ..all.clone() };
    vec![
        there(CLAIMED, &account(), Vec::new()),
        there(CLAIMED, &all, Vec::new()),
        there(2_000_398_934_016, &Account { span: 2_000_398_934_016, ..all.clone() }, Vec::new()),
        not_judged(CLAIMED, 512 * MIB),
        cut_off(CLAIMED, &cut(0), Vec::new()),
        cut_off(CLAIMED, &cut(655), Vec::new()),
        refused(CLAIMED, 8 * GIB, Vec::new()),
    ]
}

fn of_missing() -> Vec<Finding> {
    let round = Account { bad: 30, comes_round: Some(16 * GIB), first_bad: Some((0, 0)), ..account() };
    let example = BadBlock { offset: 0, fault: DataFault::Wrapped, belongs_at: Some(48 * GIB) };
    let ends = Account { bad: 380, unreadable: 4, first_bad: Some((40 * GIB, 40 * GIB - 31 * MIB)), ..account() };
    let ends = Account { behind: 384, ends_there: true, ..ends };
    vec![
        missing(CLAIMED, &round, Vec::new()),
        missing(CLAIMED, &Account { example: Some(example), ..round.clone() }, Vec::new()),
        missing(CLAIMED, &ends, Vec::new()),
    ]
}

fn of_bad_blocks() -> Vec<Finding> {
    let one = Account { bad: 1, first_bad: Some((40 * GIB, 40 * GIB - 31 * MIB)), behind: 384, ..account() };
    let both = Account { unreadable: 2, ..one.clone() };
    let last = Account { behind: 1, first_bad: Some((CLAIMED - MIB, CLAIMED - 90 * MIB)), ..one.clone() };
    let all = [
        one.clone(),
        Account { bad: 0, ..both.clone() },
        both.clone(),
        Account { is_cut: true, ..both },
        last,
        Account { first_bad: None, behind: 0, ..one },
    ];
    all.iter().map(|account| scattered(CLAIMED, account, Vec::new())).collect()
}

fn of_counters() -> Vec<Finding> {
    let counter = |name: &str, before: f64, after: f64, is_fault: bool| Counter {
        source: "smart:nvme0n1".to_owned(),
        name: name.to_owned(),
        unit: "errors".to_owned(),
        before,
        after,
        is_fault,
    };
    let written = counter("data written", 5e9, 9e9, false);
    let errors = [counter("media errors", 2.0, 9.0, true), counter("CRC errors", 0.0, 1.0, true)];
    let still = counter("media errors", 2.0, 2.0, true);
    let [first, second] = errors;
    vec![
        smart_compared(&[]),
        smart_compared(&[still, written.clone()]),
        smart_compared(&[first.clone(), written.clone()]),
        smart_compared(&[first, second, written]),
    ]
}

fn of_regions() -> Vec<Finding> {
    let records = sample_run();
    let (test, label) = ("surface".to_owned(), "Read the whole drive".to_owned());
    let step = StepId::new("surface", "scan");
    let map = SpeedMap { test, step, label, sampled: false, median_mb_s: Some(500.0), parts: Vec::new() };
    let part = |at: u64| MapPart {
        from: at * GIB,
        to: (at + 1) * GIB,
        operations: 1024,
        mb_s: Some(90.0),
        errors: 0,
        bad_blocks: 0,
        state: PartState::Slow,
    };
    let parts: Vec<MapPart> = (0..9).map(|at| part(5 + 2 * at)).collect();
    [1, 2, 9].map(|count| slow_regions(&records, &map, &parts[..count])).into()
}

#[test]
fn each_finding_in_its_words() {
    let all = [of_whole(), of_missing(), of_bad_blocks(), of_counters(), of_regions()];
    insta::assert_snapshot!(in_words(&all.concat()));
}
