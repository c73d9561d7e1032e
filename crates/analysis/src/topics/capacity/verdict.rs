//! Findings of a check of a whole drive, and about slow regions.

use drivelab_core::environment::TargetKind;
use drivelab_core::finding::{Evidence, Finding};
use drivelab_core::ids::StepKey;
use drivelab_core::load::{OpKind, Verify};
use drivelab_core::plan::{Action, Form, StepRole};
use drivelab_core::run::RunRecords;

use super::account::Account;
use super::map::{MapPart, PartState, maps, regions};
use super::words as text;
use crate::evidence::evidence;
use crate::topics::telemetry;

/// The findings about a block device that was checked completely: its capacity, and its own counters.
fn of_capacity(records: &RunRecords) -> Vec<Finding> {
    let (found, asked) = verdict(records);
    let compared = asked.then(|| text::smart_compared(&telemetry::smart::before_and_after(records)));
    found.into_iter().chain(compared).collect()
}

/// The verdict, and whether the run requested one.
fn verdict(records: &RunRecords) -> (Option<Finding>, bool) {
    let target = &records.environment.target;
    if target.kind != TargetKind::BlockDevice {
        return (None, false);
    }
    let is_smoke = records.plan.form == Form::Smoke;
    let said = target.length.get();
    let (mut checks, mut parts) = (Vec::new(), Vec::new());
    let mut refused = None;
    for record in &records.steps {
        let Some(step) = records.plan.step(&record.key.step).filter(|step| step.role == StepRole::Measure) else {
            continue;
        };
        let Action::Io { workload, .. } = &step.action else { continue };
        if workload.verify == Verify::Headers {
            let failed = record.errors.iter().filter(|error| error.op == OpKind::Write);
            refused = refused.or(failed.map(|error| (record.key.clone(), error.offset)).min_by_key(|(_, at)| *at));
        }
        let whole = workload.span.end().saturating_add(workload.block_size.get()) > said;
        let Some(account) = Account::of(workload, record) else { continue };
        // A smoke run checks a small part as if it were the whole drive, which shows nothing about the capacity.
        if is_smoke || whole { &mut checks } else { &mut parts }.push((record.key.clone(), account));
    }
    let steps: Vec<StepKey> =
        checks.iter().map(|(key, _)| key.clone()).chain(refused.iter().map(|(key, _)| key.clone())).collect();
    let worst = checks.iter().map(|(_, account)| account).find(|account| account.lacks());
    let asked = refused.is_some() || !checks.is_empty();
    let scattered = checks.iter().map(|(_, account)| account).find(|account| account.bad + account.unreadable > 0);
    // A check that was completed shows more than any that was cut off.
    let best = checks.iter().map(|(_, account)| account).max_by_key(|one| (!one.is_cut, one.checked));
    let found = match (worst, refused, best) {
        (Some(account), ..) => Some(text::missing(said, account, evidence_of(said, account))),
        (None, Some((_, at)), _) => {
            let first = evidence("first write that failed, at byte", at as f64, None, "B");
            Some(text::refused(said, at, vec![first]))
        }
        (None, None, Some(best)) => Some(match scattered {
            Some(account) => text::scattered(said, account, evidence_of(said, account)),
            None if best.is_cut => text::cut_off(said, best, evidence_of(said, best)),
            None => text::there(said, best, evidence_of(said, best)),
        }),
        (None, None, None) => None,
    };
    let part = parts.first().or(checks.first().filter(|_| is_smoke));
    match part.filter(|_| is_smoke || found.is_none()) {
        Some((key, account)) => {
            let words = text::not_judged(said, account.span);
            (Some(Finding { steps: vec![key.clone()], ..words }), asked)
        }
        None => (found.map(|found| Finding { steps, ..found }), asked),
    }
}

fn evidence_of(said: u64, account: &Account) -> Vec<Evidence> {
    let mut found = vec![
        evidence("claimed capacity", said as f64, None, "B"),
        evidence(
            "blocks checked (limit: blocks of the span)",
            account.checked as f64,
            Some(account.blocks as f64),
            "blocks",
        ),
        evidence("blocks that did not hold what was written", account.bad as f64, Some(0.0), "blocks"),
    ];
    if let Some(there) = account.there() {
        found.insert(1, evidence("verified capacity", there as f64, Some(said as f64), "B"));
    }
    if account.unreadable > 0 {
        found.push(evidence("reads that failed", account.unreadable as f64, Some(0.0), "operations"));
    }
    if let Some((address, _)) = account.first_bad {
        found.push(evidence("lowest address with a fault", address as f64, None, "B"));
    }
    if let Some(share) = account.share_found() {
        found.push(evidence(
            "missing share that a sample of this size overlooks only once in a million",
            share,
            None,
            "%",
        ));
    }
    found
}

/// Regions that are slow; unreadable ones have findings of their own.
fn slow_regions(records: &RunRecords) -> Vec<Finding> {
    if records.plan.form == Form::Smoke {
        return Vec::new();
    }
    let all = records.plan.tests.iter().flat_map(|test| maps(records, test));
    let slow = all.filter_map(|map| {
        let slow: Vec<MapPart> = regions(&map).into_iter().filter(|region| region.state == PartState::Slow).collect();
        (!slow.is_empty()).then(|| text::slow_regions(records, &map, &slow))
    });
    slow.collect()
}

/// Findings about the capacity of a drive and its slow regions.
pub(crate) fn findings(records: &RunRecords) -> Vec<Finding> {
    let mut findings = of_capacity(records);
    findings.extend(slow_regions(records));
    findings
}
