//! `[limits]`: conditions on figures under which a run fails.
//!
//! Owns which conditions a plan has, and whether their steps and scores exist. `analysis` knows the figures and judges
//! them.

use drivelab_core::acceptance::{FigureLimit, SCORE, WHOLE_RUN};
use drivelab_core::load::OpKind;
use drivelab_core::plan::{Plan, StepRole};

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

/// The conditions of a plan. Those on steps that it does not have belong to another profile or to other parameters; but
/// if a test is left out, nothing shows that its limits hold.
pub(crate) fn of_plan(method: &Methodology, plan: &Plan) -> Vec<String> {
    let is_left_out = |step: &str| {
        let mut parts = step.split('/');
        let name = parts.next().map(|test| if test == SCORE { parts.next().unwrap_or_default() } else { test });
        plan.left_out.iter().any(|out| Some(out.test.as_str()) == name)
    };
    let belongs = |text: &String| {
        let Ok(limit) = text.parse::<FigureLimit>() else { return true };
        Unknown::of(plan, limit.step()).is_none() || is_left_out(limit.step())
    };
    written(method.root()).iter().map(|one| one.value.to_string()).filter(belongs).collect()
}

/// An error for each condition whose step, score or kind of operation is in none of these plans, which have all tests
/// of all profiles and forms.
pub(crate) fn unknown(method: &Methodology, plans: &[Plan]) -> Errors {
    let mut errors = Errors::default();
    for one in written(method.root()) {
        let text = one.value.to_string();
        let Ok(limit) = text.parse::<FigureLimit>() else { continue };
        let unknown: Option<Vec<Unknown<'_>>> = plans.iter().map(|plan| Unknown::of(plan, limit.step())).collect();
        if let Some(unknown) = unknown.as_ref().and_then(|unknown| unknown.first()) {
            let error = Diagnostic::new(one.at.clone(), unknown.title(), "expected STEP:METRIC").near(unknown.near);
            errors.push(error.help(unknown.there_are()));
            continue;
        }
        let with_step = plans.iter().filter(|plan| Unknown::of(plan, limit.step()).is_none());
        let without: Option<Vec<String>> = with_step.map(|plan| without_kind(plan, &limit)).collect();
        if let Some(why) = without.as_ref().and_then(|all| all.first()) {
            errors.push(Diagnostic::new(one.at.clone(), why, "expected a figure that this step has"));
        }
    }
    errors
}

/// Why no run of this plan can have the figure of a limit: there is no such step or score, or the step has no
/// operations of that kind. `None` if it can.
#[must_use]
pub fn lacks_figure(plan: &Plan, limit: &FigureLimit) -> Option<String> {
    let Some(unknown) = Unknown::of(plan, limit.step()) else { return without_kind(plan, limit) };
    let near = unknown.near.map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
    Some(format!("{} in '{}'{near} ({})", unknown.title(), plan.methodology.name, unknown.there_are()))
}

/// Why the step of a limit has no figure about operations of that kind. `None` if it can have it, or if it has no load.
fn without_kind(plan: &Plan, limit: &FigureLimit) -> Option<String> {
    let kind = limit.figure().split('.').next()?;
    let kind = OpKind::ALL.into_iter().find(|one| one.name() == kind)?;
    let mut measured = plan.steps().filter(|step| step.role == StepRole::Measure);
    let step = measured.find(|step| limit.step().is_empty() || step.id.as_str() == limit.step())?;
    let load = step.workload().filter(|load| load.files.is_none())?;
    let issues = load.groups().any(|group| group.issues_or_reads_back(kind));
    let figure = limit.figure();
    (!issues).then(|| format!("'{}' issues no {} operations, so it has no figure '{figure}'", step.id, kind.name()))
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
    /// `None` if the plan has it. Without a name there must be only one step.
    pub(crate) fn of(plan: &'p Plan, name: &'p str) -> Option<Unknown<'p>> {
        if name == WHOLE_RUN {
            return None;
        }
        if let Some(score) = name.strip_prefix(SCORE).and_then(|rest| rest.strip_prefix('/')) {
            let known: Vec<&str> = plan.scores.iter().map(|score| score.name.as_str()).collect();
            let near = nearest(score, known.iter().copied());
            return (!known.contains(&score)).then_some(Unknown { kind: "score", name: score, near, known });
        }
        let measured = plan.steps().filter(|step| step.role == StepRole::Measure);
        let steps: Vec<&str> = measured.map(|step| step.id.as_str()).collect();
        if steps.contains(&name) || name.is_empty() && steps.len() == 1 {
            return None;
        }
        let near = nearest(name, steps.iter().copied());
        let test = name.split('/').next().unwrap_or_default();
        let of_test = |step: &&str| step.split('/').next() == Some(test);
        let mut known: Vec<&str> = steps.iter().copied().filter(of_test).collect();
        if name.is_empty() {
            known = steps;
        } else if known.is_empty() {
            known = steps.iter().filter_map(|step| step.split('/').next()).collect();
            known.dedup();
        }
        Some(Unknown { kind: "step", name, near, known })
    }

    /// What is missing.
    pub(crate) fn title(&self) -> String {
        match self.name {
            "" => "several steps may have this figure; name one of them, STEP:METRIC".to_owned(),
            name => format!("there is no {} '{name}'", self.kind),
        }
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
