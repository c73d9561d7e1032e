//! What a target may do wrong, and how it is named.

use std::collections::BTreeMap;

use drivelab_core::load::{OpKind, Verify};
use drivelab_core::record::{BadBlock, DataFault, IoError, Stuck};
use drivelab_core::units::{Bytes, Nanos, Percent};
use drivelab_core::workload::{DataPattern, Workload};
use drivelab_samples::{sample_run, sample_verified_run};

use super::*;
use crate::check::testing;
use crate::topics::target::TARGET;

#[test]
fn errors_are_counted_and_the_first_of_each_number_are_named() {
    let error =
        |errno: i32, offset: u64| IoError { at_ns: 1, op: OpKind::Read, offset, length: Bytes::new(4096), errno };
    let mut run = with_step("corners/rnd-4k-q1t1-read", |record| {
        record.read.errors = 7;
        record.errors = (0..6).map(|block| error(5, block * 4096)).chain([error(0, 1 << 20)]).collect();
    });
    let key = run.steps.iter().find(|record| record.error_count() > 0).expect("errors").key.clone();
    run.intervals.iter_mut().find(|i| i.key == key).expect("an interval").read.errors = 7;
    let errors = finding(&run, "io_errors");
    assert_eq!(codes(&run), ["io_errors"]);
    assert_eq!(errors.steps, [key]);
    let of = |text: &str| errors.evidence.iter().find(|piece| piece.what.contains(text)).expect("evidence");
    assert_eq!(
        (of("failed operations").value, of("error number 5").value, of("short transfer").value),
        (7.0, 6.0, 1.0)
    );
    assert!(of("error number 5").what.contains("read of 4 KiB at byte 12288"));
    assert!(!of("error number 5").what.contains("byte 16384"), "four addresses are enough");
}

#[test]
fn short_transfers_are_told_beside_the_errors() {
    let run = with_step("mixes/w30", |record| record.engine.effort.as_mut().expect("an account").short_transfers = 3);
    assert_eq!(codes(&run), ["short_transfers"]);
    assert_eq!(finding(&run, "short_transfers").evidence[0].value, 3.0);
}

#[test]
fn what_ended_with_eagain_at_first_is_told_apart_from_short_transfers_with_advice_of_its_own() {
    let run = with_step("mixes/w30", |record| record.engine.effort.as_mut().expect("an account").eagain_retries = 5);
    assert_eq!(codes(&run), ["eagain_retries"]);
    let told = finding(&run, "eagain_retries");
    assert_eq!(told.evidence[0].value, 5.0);
    assert!(told.next_action.contains("--backend sync"), "{}", told.next_action);
    assert!(!told.next_action.contains("smaller blocks"), "{}", told.next_action);
}

#[test]
fn the_oldest_operation_that_did_not_come_back_is_named() {
    let mut run = sample_run();
    let stuck = |seconds: u64, offset: u64| {
        Some(Stuck { operations: 2, oldest: Nanos::from_secs(seconds), offset, op: OpKind::Write })
    };
    run.intervals[1].stuck = stuck(11, 4096);
    run.intervals[2].stuck = stuck(12, 8192);
    let told = finding(&run, "operations_stuck");
    assert_eq!(codes(&run), ["operations_stuck"]);
    assert_eq!(told.evidence[1].value, 12.0);
    assert!(told.evidence[1].what.contains("a write at byte 8192"));
}

/// The checking step found these.
fn with_faults(faults: &[(DataFault, u64)], first: Vec<BadBlock>) -> RunRecords {
    let mut run = sample_verified_run();
    let verification = run.steps[1].verification.as_mut().expect("a check");
    (verification.faults, verification.first) = (faults.iter().copied().collect::<BTreeMap<_, _>>(), first);
    run
}

#[test]
fn faults_are_told_by_kind_with_their_first_addresses_and_a_wrapped_address_by_itself() {
    let bad = |fault, offset, belongs_at| BadBlock { offset, fault, belongs_at };
    let first = vec![
        bad(DataFault::Stale, 4096, None),
        bad(DataFault::Misplaced, 8192, Some(12_288)),
        bad(DataFault::Stale, 16_384, None),
    ];
    let run = with_faults(&[(DataFault::Stale, 7), (DataFault::Misplaced, 1)], first);
    assert_eq!(codes(&run), ["data_faults"]);
    let told = finding(&run, "data_faults");
    assert_eq!((told.evidence[0].value, told.evidence.len()), (7.0, 2));
    assert!(told.evidence[0].what.starts_with("stale blocks, first at byte 4096; 16384"));
    assert!(told.evidence[1].what.contains("8192 (belongs at 12288)"));
    assert_eq!(told.evidence[0].limit, run.steps[1].verification.as_ref().map(|found| found.checked as f64));
    let wrapped = with_faults(&[(DataFault::Wrapped, 3)], vec![bad(DataFault::Wrapped, 4096, Some(1 << 34))]);
    assert_eq!(codes(&wrapped), ["counterfeit_capacity"]);
    let mut known = wrapped;
    known.steps[1].verification.as_mut().expect("a check").wraps_at = Some(Bytes::new(8 << 30));
    let told = finding(&known, "counterfeit_capacity");
    let distance = told.evidence.iter().find(|piece| piece.what.contains("addresses wrap"));
    assert_eq!(distance.map(|piece| piece.value), Some((8u64 << 30) as f64));
    let both = with_faults(&[(DataFault::Wrapped, 3), (DataFault::Zero, 3)], Vec::new());
    assert_eq!(codes(&both), ["counterfeit_capacity", "data_faults"]);
    assert!(codes(&with_faults(&[(DataFault::Corrupt, 0)], Vec::new())).is_empty(), "none is no fault");
}

#[test]
fn a_check_of_nothing_is_no_check() {
    let mut run = sample_verified_run();
    run.steps[1].verification = None;
    assert_eq!(codes(&run), ["nothing_checked"]);
    let all = run.plan.tests.iter_mut().flat_map(|test| &mut test.steps);
    for step in all {
        if let Action::Io { workload, .. } = &mut step.action {
            workload.verify = Verify::Off;
        }
    }
    assert!(codes(&run).is_empty());
}

#[test]
fn data_that_compresses_or_repeats_is_noted_where_it_is_written() {
    let of = |change: fn(&mut Workload)| {
        let mut run = sample_run();
        for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
            if let Action::Io { workload, .. } = &mut step.action {
                change(workload);
            }
        }
        run
    };
    let ten = || Percent::new(10).expect("a per cent");
    assert_eq!(codes(&of(|load| load.data = DataPattern::Zero)), ["weak_data"]);
    assert_eq!(codes(&of(|load| load.data = DataPattern::OneBlock)), ["weak_data"]);
    let noted = |run: &RunRecords| testing::noted(TARGET, run, "weak_data");
    assert_eq!(noted(&of(|load| load.data = DataPattern::Zero)), ["zeros"]);
    let repeating = of(|load| load.content.dedup_percent = Percent::new(10).expect("a per cent"));
    assert_eq!(noted(&repeating), ["blocks, 10 % of which repeat"]);
    let told = finding(&repeating, "weak_data");
    let writing = sample_run().plan.steps().filter(|step| step.workload().is_some_and(Workload::writes)).count();
    let told_of: std::collections::BTreeSet<_> = told.steps.iter().map(|key| &key.step).collect();
    assert_eq!(told_of.len(), writing, "what only reads writes no data");
    let mut compressing = sample_run();
    compressing.plan.tests.iter_mut().flat_map(|test| &mut test.steps).for_each(|step| {
        if let Action::Io { workload, .. } = &mut step.action {
            workload.content.compress_percent = ten();
        }
    });
    assert_eq!(noted(&compressing), ["blocks that are 10 % zeros"]);
}
