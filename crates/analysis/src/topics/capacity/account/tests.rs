//! Checks of a drive that claims 64 GiB, made by hand.

use std::collections::BTreeMap;

use drivelab_core::environment::TargetKind;
use drivelab_core::finding::Finding;
use drivelab_core::places::Places;
use drivelab_core::plan::{Action, Form};
use drivelab_core::record::IoError;
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Span;
use drivelab_samples::sample_verified_run;

use super::*;
use crate::analyse;
use crate::check::testing::figures;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const CLAIMED: u64 = 64 * GIB;

/// The sample run of writing and checking, on a block device, over these places; with what checking found.
fn run(places: Option<Places>, found: Verification) -> RunRecords {
    let mut run = sample_verified_run();
    run.environment.target.kind = TargetKind::BlockDevice;
    run.environment.target.length = Bytes::new(CLAIMED);
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        let Action::Io { workload, .. } = &mut step.action else { continue };
        workload.block_size = Bytes::new(MIB);
        workload.span = Span { offset: Bytes::new(0), length: Bytes::new(CLAIMED) };
        workload.places = places;
    }
    let check = run.steps.iter_mut().find(|record| record.verification.is_some()).expect("a check");
    check.read.errors = 0;
    check.verification = Some(found);
    run
}

fn finding(run: &RunRecords) -> Option<Finding> {
    analyse(run).findings.into_iter().find(|finding| finding.code.starts_with("capacity_"))
}

fn account(run: &RunRecords) -> Account {
    let (step, record) = (&run.plan.tests[0].steps[1], run.steps.iter().find(|one| one.verification.is_some()));
    Account::of(step.workload().expect("a load"), record.expect("a check")).expect("an account")
}

fn bad(offset: u64, fault: DataFault, belongs_at: Option<u64>) -> BadBlock {
    BadBlock { offset, fault, belongs_at }
}

const SAMPLE: Option<Places> = Some(Places { count: 1024, seed: 1 });

#[test]
fn what_holds_everywhere_is_there_as_far_as_a_sample_tells() {
    let good = Verification { checked: 1024, ..Verification::default() };
    let run = run(SAMPLE, good.clone());
    let told = finding(&run).expect("a finding");
    assert_eq!(told.code, "capacity_there");
    // 1 - (10^-6)^(1/1024) = 1 - e^(-13.8155 / 1024).
    assert!(
        (account(&run).share_found().expect("a share") - 1.340_1).abs() < 1e-3,
        "{:?}",
        account(&run).share_found()
    );
    let (claimed, blocks) = (6.872e10, Some(65_540.0));
    let places = [(claimed, None, "B"), (claimed, Some(claimed), "B"), (1024.0, blocks, "blocks")];
    assert_eq!(figures(&told)[..3], places);
    assert_eq!(figures(&told)[3..], [(0.0, Some(0.0), "blocks"), (1.34, None, "%")]);
    let all = self::run(None, Verification { checked: 65_536, ..good });
    assert_eq!(account(&all).share_found(), Some(0.0));
    let told = finding(&all).expect("a finding");
    assert_eq!((told.code.as_str(), figures(&told)[4]), ("capacity_there", (0.0, None, "%")), "nothing may be missing");
}

#[test]
fn addresses_that_come_round_tell_the_capacity() {
    let found = Verification {
        checked: 1024,
        faults: BTreeMap::from([(DataFault::Wrapped, 30)]),
        first: vec![bad(0, DataFault::Wrapped, Some(48 * GIB))],
        wraps_at: Some(Bytes::new(16 * GIB)),
        bad_by_part: Vec::new(),
    };
    let run = run(SAMPLE, found);
    let told = finding(&run).expect("a finding");
    assert_eq!((told.code.as_str(), account(&run).there()), ("capacity_missing", Some(16 * GIB)));
    assert_eq!(account(&run).example, Some(bad(0, DataFault::Wrapped, Some(48 * GIB))));
    assert_eq!(figures(&told)[1], (1.718e10, Some(6.872e10), "B"));
    let metric = analyse(&run).metric("verified/check:verified.capacity").and_then(|metric| metric.value);
    assert_eq!(metric, Some(17.179_869_184));
}

#[test]
fn a_single_misplaced_block_far_away_is_enough() {
    let found = Verification {
        checked: 1024,
        faults: BTreeMap::from([(DataFault::Misplaced, 1)]),
        first: vec![bad(3 * MIB, DataFault::Misplaced, Some(32 * GIB + 3 * MIB))],
        ..Verification::default()
    };
    assert_eq!(account(&run(SAMPLE, found.clone())).there(), Some(32 * GIB));
    let near = Verification { first: vec![bad(3 * MIB, DataFault::Misplaced, Some(3 * MIB + 4096))], ..found };
    assert!(!account(&run(SAMPLE, near)).lacks(), "two neighbours that are confused say nothing of the capacity");
}

#[test]
fn a_drive_ends_where_everything_behind_is_lost_and_not_at_a_single_bad_block() {
    let places =
        SAMPLE.expect("places").blocks(Span { offset: Bytes::new(0), length: Bytes::new(CLAIMED) }, Bytes::new(MIB));
    let from = places.partition_point(|block| block * MIB < 40 * GIB);
    let behind = (places.len() - from) as u64;
    let lost = |count: u64| Verification {
        checked: 1024,
        faults: BTreeMap::from([(DataFault::Zero, count)]),
        first: vec![bad(places[from] * MIB, DataFault::Zero, None)],
        ..Verification::default()
    };
    let all = run(SAMPLE, lost(behind));
    assert_eq!(account(&all).there(), Some((places[from - 1] + 1) * MIB), "the end of the last block that held");
    assert_eq!(finding(&all).map(|finding| finding.code), Some("capacity_missing".to_owned()));
    let one = run(SAMPLE, lost(1));
    assert_eq!(account(&one).there(), Some(CLAIMED));
    let doubtful = finding(&one).expect("an answer");
    assert_eq!((doubtful.code.as_str(), doubtful.answers), ("capacity_doubtful", true));
    let of = |what: &str| doubtful.evidence.iter().find(|one| one.what.starts_with(what)).expect("evidence").value;
    assert_eq!((of("blocks checked"), of("blocks that did not hold")), (1024.0, 1.0));
    assert_eq!(of("lowest address"), (places[from] * MIB) as f64);
    // The same if they cannot be read.
    let mut unread = run(SAMPLE, Verification { checked: 1024 - behind, ..Verification::default() });
    let check = unread.steps.iter_mut().find(|record| record.verification.is_some()).expect("a check");
    check.read.errors = behind;
    check.errors =
        vec![IoError { at_ns: 0, op: OpKind::Read, offset: places[from] * MIB, length: Bytes::new(MIB), errno: 5 }];
    assert_eq!(account(&unread).there(), Some((places[from - 1] + 1) * MIB));
}

/// The first blocks of an ascending check, which was then stopped.
fn cut(mut run: RunRecords, reason: StopReason) -> RunRecords {
    run.steps.iter_mut().find(|record| record.verification.is_some()).expect("a check").stop_reason = reason;
    run
}

#[test]
fn a_check_that_was_cut_off_says_nothing_of_the_capacity() {
    for reason in [StopReason::Stopped, StopReason::Time, StopReason::Cap] {
        let good = Verification { checked: 655, ..Verification::default() };
        let run = cut(run(None, good), reason);
        let told = finding(&run).expect("that nothing is said");
        assert_eq!(told.code, "capacity_not_judged", "{reason:?}");
        let checked = &told.evidence[1];
        assert_eq!((checked.value, checked.limit, checked.unit.as_str()), (655.0, Some(65_536.0), "blocks"));
        assert_eq!((account(&run).there(), account(&run).share_found()), (None, None));
        let metric = |name: &str| analyse(&run).metric(&format!("verified/check:{name}")).and_then(|one| one.value);
        assert_eq!((metric("verified.capacity"), metric("verified.share_found")), (None, None));
    }
}

#[test]
fn a_drive_that_ends_is_found_by_a_check_that_was_cut_off_behind_its_end() {
    // 40,960 blocks are intact, the 2,000 after them are not, and there it was stopped.
    let found = Verification {
        checked: 42_960,
        faults: BTreeMap::from([(DataFault::Zero, 2000)]),
        first: vec![bad(40 * GIB, DataFault::Zero, None)],
        ..Verification::default()
    };
    let stopped = cut(run(None, found.clone()), StopReason::Stopped);
    assert_eq!(finding(&stopped).map(|told| told.code), Some("capacity_missing".to_owned()));
    assert_eq!(account(&stopped).there(), Some(40 * GIB));
    // The same faults among 20,000 intact blocks are single ones, of a drive whose rest is unknown.
    let few = Verification { checked: 62_960, ..found };
    let few = cut(run(None, few), StopReason::Stopped);
    let told = finding(&few).expect("an answer");
    assert_eq!((told.code.as_str(), account(&few).is_cut), ("capacity_doubtful", true));
    let verified = told.evidence.iter().find(|one| one.what == "verified capacity");
    assert_eq!(verified, None, "its capacity was not judged");
}

#[test]
fn the_last_block_alone_has_nothing_behind_it_that_held() {
    let last = Verification {
        checked: 65_536,
        faults: BTreeMap::from([(DataFault::Zero, 1)]),
        first: vec![bad(CLAIMED - MIB, DataFault::Zero, None)],
        ..Verification::default()
    };
    let last = run(None, last);
    let account = account(&last);
    assert_eq!((account.held_behind(), account.ends_there), (0, false), "too few to say that it ends there");
    assert_eq!(finding(&last).expect("an answer").code, "capacity_doubtful");
}

#[test]
fn a_write_that_fails_ends_what_is_known() {
    let mut run = run(SAMPLE, Verification { checked: 100, ..Verification::default() });
    let write = run.steps.iter_mut().find(|record| record.verification.is_none()).expect("a write");
    write.errors = vec![IoError { at_ns: 0, op: OpKind::Write, offset: 8 * GIB, length: Bytes::new(MIB), errno: 5 }];
    let told = finding(&run).expect("a finding");
    assert_eq!(told.code, "capacity_refused");
    assert_eq!((told.evidence[0].value, told.evidence.len()), ((8 * GIB) as f64, 1));
}

#[test]
fn a_file_or_a_part_of_a_device_says_nothing_of_its_capacity() {
    let good = Verification { checked: 1024, ..Verification::default() };
    let mut file = run(SAMPLE, good.clone());
    file.environment.target.kind = TargetKind::ScratchFile;
    assert_eq!(finding(&file), None);
    let not_judged = |run: &RunRecords| {
        let told = finding(run).expect("said that nothing is said");
        assert_eq!(told.code, "capacity_not_judged");
        let claimed = run.environment.target.length.as_f64();
        assert_eq!((told.evidence[0].value, told.evidence[0].limit), (CLAIMED as f64, Some(claimed)));
    };
    let mut larger = run(SAMPLE, good.clone());
    larger.environment.target.length = Bytes::new(2 * CLAIMED);
    not_judged(&larger);
    let mut moment = run(SAMPLE, good);
    moment.plan.form = Form::Smoke;
    not_judged(&moment);
}
