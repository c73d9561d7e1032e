//! The names that tests, steps and sources of a methodology get in a suite.

use std::collections::HashSet;

use drivelab_core::ids::StepId;
use drivelab_core::plan::{Action, LeftOut, Rounds, Source, TestPlan};

use crate::methodology::{Entry, Methodology};
use crate::tree::diagnostic::Diagnostic;

/// What is left out of a test that the suite takes over, under its name in the suite.
pub(crate) fn renamed(entry: &Entry, out: LeftOut) -> Option<LeftOut> {
    let is_wanted = entry.takes(&out.test);
    let title = format!("{}: {}", entry.method.title(), out.title);
    is_wanted.then(|| LeftOut { test: format!("{}-{}", entry.prefix(), out.test), title, ..out })
}

/// Gives a test and its steps a name with a prefix.
pub(crate) fn named(test: &mut TestPlan, prefix: &str) {
    test.name = format!("{prefix}-{}", test.name);
    test.recovers_to = test.recovers_to.take().map(|other| format!("{prefix}-{other}"));
    let own = |id: &StepId| StepId::new(&test.name, id.slug());
    if let Rounds::Steady { step, .. } = &mut test.rounds {
        *step = own(step);
    }
    for step in &mut test.steps {
        step.id = StepId::new(&test.name, step.id.slug());
        // The step whose rate it takes a share of belongs to the same test.
        if let Some(relative) = &mut step.relative {
            relative.of = StepId::new(&test.name, relative.of.slug());
        }
        // Two methodologies may have different file sets of the same name, and all sets are in one folder.
        if let Action::Io { workload, .. } = &mut step.action
            && let Some(files) = &mut workload.files
        {
            files.set.name = format!("{prefix}-{}", files.set.name);
        }
    }
}

/// Takes over what a methodology cites, under another id if another source has the same id.
pub(crate) fn adopt<'m>(
    method: &'m Methodology,
    prefix: &str,
    sources: &mut Vec<Source>,
) -> impl Fn(&str) -> String + use<'m> {
    let mut ids: Vec<(&'m str, String)> = Vec::new();
    for source in method.sources() {
        let other = sources.iter().find(|other| other.id == source.id);
        let same = other.is_some_and(|other| other.citation == source.citation);
        let id = if other.is_some() && !same { format!("{prefix}-{}", source.id) } else { source.id.clone() };
        if !same {
            sources.push(Source { id: id.clone(), citation: source.citation.clone() });
        }
        ids.push((&source.id, id));
    }
    move |id| ids.iter().find(|(own, _)| *own == id).map_or_else(|| id.to_owned(), |(_, new)| new.clone())
}

/// Two tests with the same name would share their steps' ids.
pub(crate) fn unique(method: &Methodology, tests: &[TestPlan]) -> Result<(), Diagnostic> {
    let mut before: HashSet<&str> = HashSet::with_capacity(tests.len());
    let Some(test) = tests.iter().find(|test| !before.insert(&test.name)) else { return Ok(()) };
    let entry = method.entries().iter().rev().find(|entry| test.name.starts_with(entry.prefix()));
    let at = entry.map_or(0..0, |entry| entry.table.at.clone());
    let title = format!("two tests of the suite are called '{}'", test.name);
    Err(Diagnostic::new(at, title, "expected another `prefix`"))
}
