//! The smoke form as a whole: how long its steps may be, and which of them add nothing new.
//!
//! What it does to a single step is in the code that makes the step.

use std::collections::BTreeSet;

use drivelab_core::plan::{Form, Step, TestPlan};
use drivelab_core::units::Nanos;

use crate::expand::sweep::picks;
use crate::layers::Layers;
use crate::load::curve;
use crate::methodology::Methodology;
use crate::scope::SMOKE_CAP;
use crate::tree::value::{Located, Table, Value};

/// The smoke form: longest step, however many steps there are; a shorter one would often end before its first
/// completion.
const SMOKE_LEAST: Nanos = Nanos::from_millis(20);

/// The smoke form: time for all steps of all tests together, so that every methodology can be tried within seconds.
const SMOKE_TOTAL: Nanos = Nanos::from_secs(10);

/// The smoke form's longest step: the total time, divided among the steps. A test whose axes are wrong has an error
/// of its own.
pub(crate) fn smoke_cap(method: &Methodology, base: Form) -> Nanos {
    let of_root = |root: &Table, wanted: &[Located<Value>]| -> usize {
        let steps_of = |test: &Table| {
            let places = curve::smoke_points(test, &Layers::new(root, test, None, base));
            let loads = picks(root, test, base).map_or(0, |picks| picks.len()) * places.max(1);
            loads.max(test.tables("files").len())
        };
        let is_wanted =
            |test: &&Table| wanted.is_empty() || wanted.iter().any(|name| name.value.to_string() == test.text("name"));
        root.tables("tests").iter().filter(is_wanted).map(steps_of).sum()
    };
    let suite = method.entries().iter().map(|entry| of_root(entry.method.root(), entry.table.list("tests")));
    let steps = of_root(method.root(), &[]) + suite.sum::<usize>();
    let share = SMOKE_TOTAL.get() / (steps as u64).max(1);
    Nanos::new(share).clamp(SMOKE_LEAST, SMOKE_CAP)
}

/// The smoke form replays a trace once in each way: if a test replays what earlier tests did, only its first step
/// stays.
pub(crate) fn replayed_once(tests: &mut [TestPlan]) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for test in tests {
        let replays = |step: &Step| step.workload().and_then(|load| load.replay.as_ref()).map(|it| format!("{it:?}"));
        let all: Option<Vec<String>> = test.steps.iter().map(replays).collect();
        let Some(all) = all else { continue };
        if all.iter().all(|replay| seen.contains(replay)) {
            test.steps.truncate(1);
        }
        seen.extend(all);
    }
}
