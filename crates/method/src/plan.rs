//! From a methodology to the plan for one target and form.
//!
//! Owns the public functions for expansion. What one methodology expands to is in `expand::alone`, what stays of a
//! suite in `suite`. Every error points back into the file.

use drivelab_core::plan::{Form, LeftOut, Plan};

use crate::expand::alone::no_form;
use crate::expand::smoke::smoke_cap;
use crate::expand::{headlines, limits};
use crate::methodology::Methodology;
use crate::scope::TargetShape;
use crate::suite::choose::{chosen, measures};
use crate::suite::nothing::NOTHING;
use crate::target::requires::{Means, unmet};
use crate::tree::diagnose::Diagnostics;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;

/// Expands a methodology for one form and target, and assumes that the target has everything that is needed.
///
/// # Errors
/// [`Diagnostics`] that point into the methodology file: the form does not exist, the target is too small, a block
/// size is not a multiple of the logical block, a span is larger than the target, a parameter is missing.
pub fn expand(methodology: &Methodology, form: Form, shape: &TargetShape) -> Result<Plan, Diagnostics> {
    expand_with(methodology, form, shape, &Means::default())
}

/// Like [`expand`], with what is known of target and host: tests whose needs are not met are left out.
///
/// # Errors
/// As for [`expand`]; also if the methodology's own needs are not met, or if nothing is left to measure.
pub fn expand_with(
    methodology: &Methodology,
    form: Form,
    shape: &TargetShape,
    means: &Means,
) -> Result<Plan, Diagnostics> {
    attempt(methodology, form, shape, means).map_err(|errors| methodology.diagnostics(errors))
}

/// Like [`expand_with`], with the bare errors; the list is never empty.
pub(crate) fn attempt(method: &Methodology, form: Form, shape: &TargetShape, means: &Means) -> Result<Plan, Errors> {
    let base = method.base_form(form).ok_or_else(|| no_form(method, form))?;
    let limits = method.limits();
    let means = &Means {
        time: means.time.or(limits.time),
        read_only: means.read_only.clone().or_else(|| limits.read_only.clone()),
        logical_block: Some(shape.offset_align),
        ..means.clone()
    };
    if let Some((reason, at)) = unmet(method.root().table("requires"), means) {
        let title = format!("'{}' cannot run here: {reason}", method.identity().name);
        return Err(Diagnostic::new(at, title, "what the methodology needs").into());
    }
    let chosen = chosen(method, form, shape, (means, smoke_cap(method, base)))?;
    if !measures(&chosen.tests) {
        return Err(nothing_left(method, &chosen.left_out).into());
    }
    let mut plan = Plan {
        scores: chosen.scores,
        methodology: method.identity().clone(),
        title: titled(method),
        profile: method.profile().to_owned(),
        summary: method.summary().to_owned(),
        good_for: method.good_for().trim().to_owned(),
        cannot_tell: method.cannot_tell().trim().to_owned(),
        form,
        longest_form: method.is_longest(form),
        capacity: shape.capacity,
        tests: chosen.tests,
        sources: chosen.sources,
        left_out: chosen.left_out,
        limits: Vec::new(),
        headlines: Vec::new(),
        set: method.settings().to_vec(),
        drives: method.drives(form),
    };
    plan.limits = limits::of_plan(method, &plan);
    plan.headlines = headlines::of_plan(method, &plan);
    Ok(plan)
}

/// The error that every test is left out.
fn nothing_left(method: &Methodology, left_out: &[LeftOut]) -> Diagnostic {
    let at = method.root().entry("tests").or_else(|| method.root().entry("suite")).map(|entry| entry.key_at.clone());
    let title = format!("nothing of '{}' can run here", method.identity().name);
    let error = Diagnostic::new(at.unwrap_or(0..0), title, NOTHING);
    left_out.iter().fold(error, |error, out| error.help(format!("{}: {}", out.test, out.reason)))
}

/// The title, with the profile if there are several.
fn titled(method: &Methodology) -> String {
    match method.profile() {
        "" => method.title().to_owned(),
        profile => format!("{}, profile {profile}", method.title()),
    }
}
