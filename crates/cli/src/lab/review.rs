//! What is said of a suite, such as a review with a time: what of it runs, or why nothing of it can.

use drivelab_core::exit::ExitCode;
use drivelab_core::plan::Plan;
use drivelab_device::guard;
use drivelab_device::{BlockNode, identity_of};
use drivelab_method::{Diagnostic, Diagnostics, Methodology, nothing_left, parts};
use drivelab_report::format;

use super::method;
use crate::fail::Failure;

/// A line for each methodology of a suite that is in its plan; none of a methodology that is no suite.
#[must_use]
pub fn included(methodology: &Methodology, plan: &Plan) -> Vec<String> {
    let line = |part: &drivelab_method::Part| {
        let (tests, time) = (format::counted(part.tests.len(), "test"), format::duration(part.time));
        format!("runs {} ({}): {tests} in about {time}: {}", part.name, part.title, part.tests.join(", "))
    };
    parts(methodology, plan).iter().map(line).collect()
}

/// That everything is left out, in words: first why and what to do, then each reason with what is left out for it.
#[must_use]
pub fn nothing(error: &Diagnostic, what_to_do: &str) -> String {
    let lines: Vec<String> = error.advice().iter().map(|line| format!("  {line}")).collect();
    format!("{}{what_to_do}\nLeft out:\n{}", error.title(), lines.join("\n"))
}

/// Why a review cannot be done; `unnamed` is the block device that nobody released, and nothing may be written to.
#[must_use]
pub fn wrong(errors: &Diagnostics, unnamed: Option<&BlockNode>) -> Failure {
    let Some(error) = nothing_left(errors) else { return method::wrong(errors) };
    match unnamed {
        Some(node) => {
            let flag = guard::flag_of(&identity_of(node));
            let what_to_do = format!(
                ". Nothing was touched. To overwrite what is on {}, add `{flag}`; a folder on a mounted drive needs no \
                 such word",
                node.path.display()
            );
            Failure::new(ExitCode::GuardRefused, nothing(error, &what_to_do))
        }
        None => Failure::usage(nothing(error, "; more time is given with --time, another target with PATH")),
    }
}
