//! Which parts of a suite are in a plan, by methodology.

use drivelab_core::plan::{Plan, StepRole, TestPlan};
use drivelab_core::units::Nanos;

use crate::methodology::{Entry, Methodology};

/// The tests of one of a suite's methodologies that are in a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Prefix of its tests' names; for the suite's own tests, the suite's name.
    pub name: String,
    /// Title of the methodology.
    pub title: String,
    /// Its measured tests, by their names in the methodology.
    pub tests: Vec<String>,
    /// Time that these tests and their preparation are expected to take.
    pub time: Nanos,
}

/// The parts of a suite's plan in order; empty for a methodology that is not a suite.
#[must_use]
pub fn parts(method: &Methodology, plan: &Plan) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    if method.entries().is_empty() {
        return parts;
    }
    for (at, test) in plan.tests.iter().enumerate() {
        let entry = entry_of(method, test);
        let name = entry.map_or(method.identity().name.as_str(), Entry::prefix);
        let place = parts.iter().position(|part| part.name == name).unwrap_or_else(|| {
            let title = entry.map_or(method.title(), |entry| entry.method.title()).to_owned();
            parts.push(Part { name: name.to_owned(), title, tests: Vec::new(), time: Nanos::new(0) });
            parts.len() - 1
        });
        let part = &mut parts[place];
        let time = test.estimated_time(at + 1 == plan.tests.len()).map_or(u64::MAX, Nanos::get);
        part.time = Nanos::new(part.time.get().saturating_add(time));
        if test.steps.iter().any(|step| step.role == StepRole::Measure) {
            let own = entry.and_then(|entry| test.name.strip_prefix(entry.prefix())?.strip_prefix('-'));
            part.tests.push(own.unwrap_or(&test.name).to_owned());
        }
    }
    parts
}

/// The suite entry that a test of the plan comes from; if two entries match, the one with the longer prefix.
fn entry_of<'m>(method: &'m Methodology, test: &TestPlan) -> Option<&'m Entry> {
    let begins = |entry: &&Entry| test.name.strip_prefix(entry.prefix()).is_some_and(|rest| rest.starts_with('-'));
    method.entries().iter().filter(begins).max_by_key(|entry| entry.prefix().len())
}
