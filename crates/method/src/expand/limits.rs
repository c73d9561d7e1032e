//! `[limits]`: conditions on figures under which a run fails.
//!
//! Owns which conditions a plan has, and whether their steps and scores exist. `analysis` knows the figures and judges
//! them.

use drivelab_core::acceptance::{FigureLimit, SCORE};
use drivelab_core::plan::{Form, Plan, StepRole};

use crate::methodology::Methodology;
use crate::tree::diagnose::Diagnostics;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::near::nearest;
use crate::tree::value::{Located, Table, Value};

/// The conditions as written.
fn written(root: &Table) -> &[Located<Value>] {
    root.table("limits").map_or(&[], |limits| limits.list("fail_if"))
}

/// Adds an error for each text that is no condition.
pub(crate) fn check(root: &Table, errors: &mut Errors) {
    for one in written(root) {
        if let Err(why) = one.value.to_string().parse::<FigureLimit>() {
            errors.push(Diagnostic::new(one.at.clone(), why, "expected a condition on a figure"));
        }
    }
}

/// The conditions of a plan: those about tests of other profiles do not belong to it, and a smoke run has none, because
/// its figures are not usable.
pub(crate) fn of_plan(method: &Methodology, form: Form) -> Vec<String> {
    let texts = written(method.root()).iter().map(|one| one.value.to_string());
    texts.filter(|text| form != Form::Smoke && !is_of_other_profile(method, text)).collect()
}

fn is_of_other_profile(method: &Methodology, text: &str) -> bool {
    let Ok(limit) = text.parse::<FigureLimit>() else { return false };
    let named = |root: &Table| {
        let test = limit.step().split('/').next();
        root.tables("tests").iter().any(|table| Some(table.text("name")) == test)
    };
    named(method.whole()) && !named(method.root())
}

/// An error for each condition whose step or score is not in a plan that has all tests.
pub(crate) fn unknown(method: &Methodology, plan: &Plan) -> Errors {
    let mut errors = Errors::default();
    for one in written(method.root()) {
        let text = one.value.to_string();
        let Ok(limit) = text.parse::<FigureLimit>() else { continue };
        if let Some(unknown) = Unknown::of(plan, limit.step()).filter(|_| !is_of_other_profile(method, &text)) {
            let error = Diagnostic::new(one.at.clone(), unknown.title(), "expected STEP:METRIC").near(unknown.near);
            errors.push(error.help(unknown.there_are()));
        }
    }
    errors
}

/// A step or score that a plan does not have.
pub(crate) struct Unknown<'p> {
    kind: &'static str,
    name: &'p str,
    /// The nearest name that the plan has.
    pub(crate) near: Option<&'p str>,
    /// The steps of the same test, or all tests if there is no such test; for a score, all scores.
    known: Vec<&'p str>,
}

/// Most names that an error lists.
const MOST_LISTED: usize = 8;

impl<'p> Unknown<'p> {
    /// `None` if the plan has it.
    pub(crate) fn of(plan: &'p Plan, name: &'p str) -> Option<Unknown<'p>> {
        if let Some(score) = name.strip_prefix(SCORE).and_then(|rest| rest.strip_prefix('/')) {
            let known: Vec<&str> = plan.scores.iter().map(|score| score.name.as_str()).collect();
            let near = nearest(score, known.iter().copied());
            return (!known.contains(&score)).then_some(Unknown { kind: "score", name: score, near, known });
        }
        let measured = plan.steps().filter(|step| step.role == StepRole::Measure);
        let steps: Vec<&str> = measured.map(|step| step.id.as_str()).collect();
        if steps.contains(&name) {
            return None;
        }
        let near = nearest(name, steps.iter().copied());
        let test = name.split('/').next().unwrap_or_default();
        let of_test = |step: &&str| step.split('/').next() == Some(test);
        let mut known: Vec<&str> = steps.iter().copied().filter(of_test).collect();
        if known.is_empty() {
            known = steps.iter().filter_map(|step| step.split('/').next()).collect();
            known.dedup();
        }
        Some(Unknown { kind: "step", name, near, known })
    }

    /// What is missing.
    pub(crate) fn title(&self) -> String {
        format!("there is no {} '{}'", self.kind, self.name)
    }

    /// What there is instead.
    pub(crate) fn there_are(&self) -> String {
        let more = if self.known.len() > MOST_LISTED { ", …" } else { "" };
        let names: Vec<&str> = self.known.iter().copied().take(MOST_LISTED).collect();
        if names.is_empty() { "there are none".to_owned() } else { format!("there are: {}{more}", names.join(", ")) }
    }
}

impl Methodology {
    /// Checks the figures of its limits with `figure`, which knows all figures and their units, and returns why a
    /// condition cannot be judged.
    ///
    /// # Errors
    /// [`Diagnostics`] with one error for each condition that `figure` refuses.
    pub fn limits_checked(self, figure: impl Fn(&str) -> Result<(), String>) -> Result<Self, Diagnostics> {
        let mut errors = Errors::default();
        for one in written(self.root()) {
            if let Err(why) = figure(&one.value.to_string()) {
                errors.push(Diagnostic::new(one.at.clone(), why, "expected a figure of docs/metrics.md, in its unit"));
            }
        }
        if errors.is_empty() { Ok(self) } else { Err(self.diagnostics(errors)) }
    }
}
