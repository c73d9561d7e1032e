//! The parts of a suite that run, as text.

use drivelab_core::plan::Plan;
use drivelab_method::{Methodology, parts};
use drivelab_report::format;

/// One line for each methodology of a suite that is in its plan; empty if the methodology is not a suite.
#[must_use]
pub(crate) fn included(methodology: &Methodology, plan: &Plan) -> Vec<String> {
    let line = |part: &drivelab_method::Part| {
        let (tests, time) = (format::counted(part.tests.len(), "test"), format::duration(part.time));
        format!("runs {} ({}): {tests} in about {time}: {}", part.name, part.title, part.tests.join(", "))
    };
    parts(methodology, plan).iter().map(line).collect()
}
