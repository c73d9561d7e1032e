//! What of a suite runs, in words.

use drivelab_core::plan::Plan;
use drivelab_method::{Methodology, parts};
use drivelab_report::format;

/// A line for each methodology of a suite that is in its plan; none of a methodology that is no suite.
#[must_use]
pub(crate) fn included(methodology: &Methodology, plan: &Plan) -> Vec<String> {
    let line = |part: &drivelab_method::Part| {
        let (tests, time) = (format::counted(part.tests.len(), "test"), format::duration(part.time));
        format!("runs {} ({}): {tests} in about {time}: {}", part.name, part.title, part.tests.join(", "))
    };
    parts(methodology, plan).iter().map(line).collect()
}
