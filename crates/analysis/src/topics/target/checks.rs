//! Faults of the target in a step (errors, lost or wrong data, operations that do not complete), and the data that was
//! written to it. Voids nothing.

use std::collections::BTreeMap;

use drivelab_core::finding::Evidence;
use drivelab_core::load::{Content, Verify};
use drivelab_core::record::{BadBlock, DataFault, Effort, IoError, Stuck, Verification};
use drivelab_core::workload::{DataPattern, Workload};

use super::words as text;
use crate::check::{Check, Seen, Subject, Voids, told};
use crate::evidence::evidence;

/// Most addresses that are named for each kind of error or fault; the record holds more.
const MOST_ADDRESSES: usize = 4;

/// Checks of single executions.
pub(crate) static TARGET: &[Check] = &[
    Check { finding: &text::COUNTERFEIT_CAPACITY, rule: "", check: counterfeit },
    Check { finding: &text::DATA_FAULTS, rule: "", check: data_faults },
    Check { finding: &text::IO_ERRORS, rule: "", check: io_errors },
    Check { finding: &text::OPERATIONS_STUCK, rule: "", check: stuck },
    Check { finding: &text::SHORT_TRANSFERS, rule: "", check: short_transfers },
    Check { finding: &text::EAGAIN_RETRIES, rule: "", check: eagain_retries },
    Check { finding: &text::NOTHING_CHECKED, rule: "", check: nothing_checked },
    Check { finding: &text::WEAK_DATA, rule: "", check: weak_data },
];

/// The number of failed operations, and the first addresses for each error number.
fn io_errors(subject: &Subject<'_>) -> Vec<Seen> {
    let record = subject.execution.record;
    let count = record.error_count();
    let mut by_number: BTreeMap<i32, Vec<&IoError>> = BTreeMap::new();
    for error in &record.errors {
        by_number.entry(error.errno).or_default().push(error);
    }
    let of_number = |(number, errors): (i32, Vec<&IoError>)| {
        let place = |error: &&IoError| format!("{} of {} at byte {}", error.op.name(), error.length, error.offset);
        let first: Vec<String> = errors.iter().take(MOST_ADDRESSES).map(place).collect();
        let name = if number == 0 { "short transfer".to_owned() } else { format!("error number {number}") };
        let what = format!("listed errors with {name}, first: {}", first.join("; "));
        evidence(&what, errors.len() as f64, None, "operations")
    };
    let mut found = vec![evidence("failed operations", count as f64, Some(0.0), "operations")];
    found.extend(by_number.into_iter().map(of_number));
    told(subject, (count > 0).then_some(found))
}

fn short_transfers(subject: &Subject<'_>) -> Vec<Seen> {
    repeated(subject, "short transfers", |effort| effort.short_transfers)
}

fn eagain_retries(subject: &Subject<'_>) -> Vec<Seen> {
    repeated(subject, "operations issued again after EAGAIN", |effort| effort.eagain_retries)
}

/// Operations that were issued again; even one is reported.
fn repeated(subject: &Subject<'_>, what: &str, of: fn(&Effort) -> u64) -> Vec<Seen> {
    let count = subject.execution.record.engine.effort.as_ref().map_or(0, of);
    let found = || vec![evidence(what, count as f64, Some(0.0), "operations")];
    told(subject, (count > 0).then(found))
}

/// The longest wait of any interval.
fn stuck(subject: &Subject<'_>) -> Vec<Seen> {
    let all = subject.intervals.iter().filter_map(|interval| interval.stuck);
    let Some(worst) = all.max_by_key(|stuck| stuck.oldest) else { return Vec::new() };
    let Stuck { operations, oldest, offset, op } = worst;
    let found = vec![
        evidence("operations that did not complete", operations as f64, Some(0.0), "operations"),
        evidence(&format!("wait of the oldest, a {} at byte {offset}", op.name()), oldest.as_secs_f64(), None, "s"),
    ];
    told(subject, Some(found))
}

fn counterfeit(subject: &Subject<'_>) -> Vec<Seen> {
    faults(subject, |fault| fault == DataFault::Wrapped)
}

fn data_faults(subject: &Subject<'_>) -> Vec<Seen> {
    faults(subject, |fault| fault != DataFault::Wrapped)
}

/// Faults of these kinds, each with its count and first addresses.
fn faults(subject: &Subject<'_>, of: impl Fn(DataFault) -> bool) -> Vec<Seen> {
    let Some(Verification { checked, faults, first, wraps_at, bad_by_part: _ }) =
        &subject.execution.record.verification
    else {
        return Vec::new();
    };
    let place = |bad: &BadBlock| match bad.belongs_at {
        Some(belongs) => format!("{} (belongs at {belongs})", bad.offset),
        None => bad.offset.to_string(),
    };
    let of_kind = |(fault, count): (&DataFault, &u64)| {
        let places = first.iter().filter(|bad| bad.fault == *fault).take(MOST_ADDRESSES);
        let places: Vec<String> = places.map(place).collect();
        let at = if places.is_empty() { String::new() } else { format!(", first at byte {}", places.join("; ")) };
        evidence(
            &format!("{} blocks{at} (limit: blocks checked)", fault.name()),
            *count as f64,
            Some(*checked as f64),
            "blocks",
        )
    };
    let mut found: Vec<Evidence> =
        faults.iter().filter(|(fault, count)| of(**fault) && **count > 0).map(of_kind).collect();
    if let Some(capacity) = wraps_at.filter(|_| of(DataFault::Wrapped)) {
        found.push(evidence("bytes after which addresses wrap", capacity.as_f64(), None, "B"));
    }
    told(subject, (!found.is_empty()).then_some(found))
}

/// A check of headers was requested, but no block was checked.
fn nothing_checked(subject: &Subject<'_>) -> Vec<Seen> {
    let checks = |group: &Workload| matches!(group.verify, Verify::Check | Verify::AtOnce);
    let asked = subject.execution.workload.groups().any(checks);
    let checked = subject.execution.record.verification.as_ref().map_or(0, |verification| verification.checked);
    let found = || vec![evidence("blocks checked", 0.0, None, "blocks")];
    told(subject, (asked && checked == 0).then(found))
}

/// Data that a drive can store in less than its size.
fn weak_data(subject: &Subject<'_>) -> Vec<Seen> {
    let mut seen = Seen::new(subject, Voids::Nothing, Vec::new());
    for group in subject.execution.workload.groups().filter(|group| group.write_percent.get() > 0) {
        let Content { compress_percent, dedup_percent, pattern: _, file: _, window: _ } = &group.content;
        let what = match group.data {
            DataPattern::Zero => Some("zeros"),
            DataPattern::OneBlock => Some("one repeated block"),
            DataPattern::Pattern => Some("a repeated short pattern"),
            DataPattern::File => Some("the repeated bytes of a file"),
            DataPattern::Incompressible => None,
        };
        seen.notes.extend(what.map(str::to_owned));
        if !compress_percent.is_zero() {
            seen.notes.push(format!("blocks that are {compress_percent} % zeros"));
        }
        if !dedup_percent.is_zero() {
            seen.notes.push(format!("blocks, {dedup_percent} % of which repeat"));
        }
    }
    if seen.notes.is_empty() { Vec::new() } else { vec![seen] }
}
