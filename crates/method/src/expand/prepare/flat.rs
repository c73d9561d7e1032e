//! `until = "flat"`: a preparation that goes on, slice by slice, until its speed no longer changes.

use drivelab_core::plan::{Rounds, StopRule, TestPlan, Tracked};
use drivelab_core::units::Bytes;
use drivelab_core::workload::{Pattern, Workload};

use crate::scope::Scope;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::value::Table;

/// Passes over the span after which it gives up, if the file states none.
const AT_MOST: u64 = 10;

/// Share of the span that one round covers, in per cent, if the file states none.
const SLICE: u64 = 10;

/// Rounds that are judged together.
const WINDOW: u32 = 5;

/// The stop rule of one slice.
pub(crate) fn round(table: &Table, load: &Workload, whole: StopRule) -> StopRule {
    if load.pattern != Pattern::Random {
        return StopRule { passes: Some(1), volume: None, time: None, ..whole };
    }
    let part = u128::from(load.span.length.get()) * u128::from(slice(table)) / 100;
    let part = Bytes::new(u64::try_from(part).unwrap_or(u64::MAX)).align_down(load.block_size).max(load.block_size);
    StopRule { volume: Some(part), passes: None, time: None, ..whole }
}

/// The last step of a preparation as a test of its own, which is repeated until it is steady.
pub(crate) fn apart(scope: &Scope<'_>, table: &Table, mut plan: TestPlan) -> Vec<TestPlan> {
    let Some(step) = plan.steps.pop() else { return vec![plan] };
    let passes = table.whole("at_most").unwrap_or(AT_MOST);
    let in_slices = step.workload().is_some_and(|load| load.pattern == Pattern::Random);
    let rounds = if in_slices { (passes * 100).div_ceil(slice(table)) } else { passes };
    let max = u32::try_from(rounds).unwrap_or(u32::MAX).max(WINDOW);
    let rounds = if scope.smoke() {
        Rounds::Fixed { count: 1 }
    } else {
        Rounds::Steady { step: step.id.clone(), tracked: Tracked::Throughput, max, written: None, at_least: None }
    };
    let flat = TestPlan {
        name: format!("{}-flat", plan.name),
        title: format!("{}, until it is flat", plan.title),
        steps: vec![step],
        rounds,
        ..plan.clone()
    };
    if plan.steps.is_empty() { vec![flat] } else { vec![plan, flat] }
}

fn slice(table: &Table) -> u64 {
    table.whole("slice").unwrap_or(SLICE).max(1)
}

/// `slice` and `at_most` mean nothing without `until`. `until` decides when the step ends, and no step follows it.
pub(crate) fn check(root: &Table, step: &Table, errors: &mut Errors) {
    let Some(until) = step.entry("until") else {
        for name in ["slice", "at_most"] {
            if let Some(entry) = step.entry(name) {
                let title = format!("`{name}` without `until`");
                let label = "it is a detail of `until = \"flat\"`";
                errors
                    .push(Diagnostic::new(entry.key_at.clone(), title, label).help("state `until` too, or remove it"));
            }
        }
        return;
    };
    for name in ["passes", "time", "reuse", "verify"] {
        for entry in std::iter::once(step).chain(step.form_tables()).filter_map(|table| table.entry(name)) {
            let title = format!("`until` and `{name}` exclude each other");
            errors.push(Diagnostic::new(entry.key_at.clone(), title, "expected only one of them"));
        }
    }
    let block: Vec<&Table> =
        root.tables("prepare").iter().filter(|other| other.text("before") == step.text("before")).collect();
    let last = block.last().is_some_and(|last| last.at == step.at);
    if !last {
        let title = "`until` is in a step that another step follows";
        let label = "expected in the last step of this preparation";
        errors.push(Diagnostic::new(until.key_at.clone(), title, label));
    }
    if block.iter().any(|other| other.flag("reuse")) {
        let title = "`until` in a preparation that may be left out";
        let label = "the record does not show whether the speed was flat";
        errors.push(Diagnostic::new(until.key_at.clone(), title, label).help("remove `reuse` from its other steps"));
    }
}
