//! What one methodology expands to, without its suite: preparation, tests, and what does not fit the target.
//!
//! Owns the walk over preparation and tests. Every error points back into the file.

use drivelab_core::namespace::OtherNamespace;
use drivelab_core::plan::{Form, LeftOut, StepRole, TestPlan};
use drivelab_core::units::Nanos;

use crate::expand::one_test::one_test;
use crate::expand::prepare::block;
use crate::expand::smoke::replayed_once;
use crate::expand::written::fills;
use crate::expand::{leave, verified};
use crate::load::file_sets;
use crate::methodology::Methodology;
use crate::scope::{SMOKE_SIZE, Scope, TargetShape};
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;

/// What one methodology expands to, without its suite.
#[derive(Debug)]
pub(crate) struct Expanded {
    pub(crate) prepare: Vec<TestPlan>,
    /// Each test, with the preparation that runs before it alone.
    pub(crate) tests: Vec<(Vec<TestPlan>, TestPlan)>,
    /// What does not fit the target.
    pub(crate) left_out: Vec<LeftOut>,
}

/// Expands all tests of one methodology. If no other namespace of the drive is known, groups on another namespace are
/// planned as if it were like the target.
pub(crate) fn one_methodology(
    method: &Methodology,
    form: Form,
    shape: &TargetShape,
    (smoke_cap, other): (Nanos, Option<&OtherNamespace>),
) -> Result<Expanded, Errors> {
    let base = method.base_form(form).ok_or_else(|| no_form(method, form))?;
    large_enough(method, form, shape).map_err(Errors::from)?;
    let most = if form == Form::Smoke { shape.capacity.min(SMOKE_SIZE) } else { shape.capacity };
    let usable = block::usable(method.root(), base, most);
    let stand_in = OtherNamespace::like_target(shape.capacity, shape.offset_align);
    let other = other.unwrap_or(&stand_in);
    let scope = Scope { method, form, base, shape: *shape, usable, smoke_cap, other };
    let mut errors = Errors::default();
    file_sets::sets(&scope, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let blocks = block::tables(method.root());
    let mut tests: Vec<TestPlan> = block::block(&scope, None, &blocks, &mut errors);
    let prepared = tests.len();
    let mut left_out = Vec::new();
    let first_written = block::first_written(method.root());
    // Each test is looked at once, so that the work stays proportional to the number of tests.
    let (mut filled, mut seen) = (false, 0);
    for (at, test) in method.root().tables("tests").iter().enumerate() {
        if let Some(out) = leave::test(test, shape.offset_align) {
            left_out.push(out);
            continue;
        }
        tests.extend(block::block(&scope, Some(test.text("name")), &blocks, &mut errors));
        filled = filled || tests[seen..].iter().any(|plan| fills(plan, usable, scope.smoke()));
        seen = tests.len();
        let no_holes = filled || first_written.is_some_and(|first| first <= at);
        match one_test(&scope, test, no_holes, &mut left_out) {
            // All of its traces are slots that nobody has filled.
            Ok(plan) if plan.steps.is_empty() => {}
            Ok(plan) => tests.push(plan),
            Err(found) => errors.join(found),
        }
    }
    if errors.is_empty() {
        verified::check(&scope, &tests, &mut errors);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    if scope.smoke() {
        replayed_once(&mut tests);
    }
    let measured = tests.split_off(prepared);
    Ok(Expanded { prepare: tests, tests: with_preparation(measured), left_out })
}

/// Each test with the preparation before it.
fn with_preparation(tests: Vec<TestPlan>) -> Vec<(Vec<TestPlan>, TestPlan)> {
    let (mut pairs, mut before) = (Vec::new(), Vec::new());
    for test in tests {
        if test.steps.iter().any(|step| step.role == StepRole::Measure) {
            pairs.push((std::mem::take(&mut before), test));
        } else {
            before.push(test);
        }
    }
    pairs
}

/// The form does not exist in this methodology.
pub(crate) fn no_form(method: &Methodology, form: Form) -> Diagnostic {
    let at = method.root().entry("forms").map_or(0..0, |entry| entry.value.at.clone());
    let (title, forms) = method.lacks_form(form);
    Diagnostic::new(at, title, forms)
        .help(format!("choose one of these with --form, or declare [forms.{}]", form.name()))
}

fn large_enough(method: &Methodology, form: Form, shape: &TargetShape) -> Result<(), Diagnostic> {
    let least = method.minimum_size(form);
    if shape.capacity >= least {
        return Ok(());
    }
    let at = method.root().table("target").and_then(|target| target.get("minimum_size")).map(|value| value.at.clone());
    let title = format!("the target has {} and the {} form needs at least {least}", shape.capacity, form.name());
    let error = Diagnostic::new(at.unwrap_or(0..0), title, "the smallest useful size");
    let others = method.forms_that_fit(shape.capacity);
    let others: Vec<&str> = others.into_iter().filter(|form| *form != Form::Smoke).map(Form::name).collect();
    Err(match others.is_empty() {
        true => error.help("choose a larger target or a folder with more free space"),
        false => error.help(format!("choose a larger target, or a form that fits: {}", others.join(", "))),
    })
}
