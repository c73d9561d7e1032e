//! `twin`: the data sheet figure that a test is compared with, and what it demands of the test's loads.
//!
//! Must not know: what is printed, how they compare.

use drivelab_core::data_sheet::PrintedFigure;
use drivelab_core::plan::Step;

use crate::tree::diagnostic::Diagnostic;
use crate::tree::value::{Table, Value};
use crate::vocabulary::twin::TWIN;

/// The figure that a test is compared with, if it states one.
pub(crate) fn of(test: &Table) -> Option<PrintedFigure> {
    match test.get(TWIN.name)?.value {
        Value::Word(word) => PrintedFigure::named(word),
        _ => None,
    }
}

/// The error if a step's load cannot show the figure.
pub(crate) fn check(test: &Table, steps: &[Step]) -> Result<(), Diagnostic> {
    let (Some(figure), Some(entry)) = (of(test), test.get(TWIN.name)) else { return Ok(()) };
    let lacking = steps.iter().find_map(|step| Some((step, figure.lacks(step.workload()?)?)));
    let Some((step, why)) = lacking else { return Ok(()) };
    let title = format!("'{}' cannot show `{}`: {why}", step.label, figure.name());
    let error = Diagnostic::new(entry.at.clone(), title, "every step of the test must be able to show it");
    Err(error.help("give the steps that can show it a test of their own, or leave `twin` out"))
}
