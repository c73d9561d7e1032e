//! From a methodology to the plan for one target and form.
//!
//! Owns the walk over preparation and tests, rounds, the smoke form's bounds. What one step becomes is in
//! [`crate::step`]. Every error points back into the file.

use std::collections::BTreeSet;

use drivelab_core::ids::StepId;
use drivelab_core::plan::{AxisValue, Combine, Form, Order, Plan, RateSearch, Rounds, Step, TestPlan, Tracked};
use drivelab_core::units::{Bytes, Nanos};

use crate::diagnose::{Diagnostic, Diagnostics};
use crate::estimate::SpeedGuess;
use crate::keys::axes;
use crate::layers::Layers;
use crate::load::SHARES;
use crate::methodology::Methodology;
use crate::near::nearest;
use crate::step::{Draft, io_step};
use crate::sweep::{name_at, picks};
use crate::value::{Table, Value};
use crate::{meaning, prepare, search, verified};

/// The smoke form: size of its target, and most bytes of one of its steps.
pub(crate) const SMOKE_SIZE: Bytes = Bytes::new(8 << 20);

/// The smoke form: longest step.
pub(crate) const SMOKE_CAP: Nanos = Nanos::from_millis(500);

/// What must be known of a target to plan for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TargetShape {
    /// Bytes that may be used.
    pub capacity: Bytes,
    /// Alignment of offsets and lengths for direct I/O: the logical block.
    pub offset_align: Bytes,
    /// How fast it may be, for the estimate.
    pub guess: SpeedGuess,
}

/// What every step of an expansion needs to know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope<'m> {
    pub(crate) method: &'m Methodology,
    pub(crate) form: Form,
    /// The declared form whose values hold.
    pub(crate) base: Form,
    pub(crate) shape: TargetShape,
    /// Bytes that steps may touch: all of them are prepared.
    pub(crate) usable: Bytes,
}

impl<'m> Scope<'m> {
    pub(crate) fn root(&self) -> &'m Table {
        self.method.root()
    }

    pub(crate) fn smoke(&self) -> bool {
        self.form == Form::Smoke
    }
}

/// Expands a methodology for one form and target.
///
/// # Errors
/// [`Diagnostics`] that point into the methodology file: the form does not exist, the target is too small, a block
/// size is no multiple of the logical block, a span is larger than the target, a parameter is missing.
pub fn expand(methodology: &Methodology, form: Form, shape: &TargetShape) -> Result<Plan, Diagnostics> {
    attempt(methodology, form, shape).map_err(|errors| methodology.diagnostics(errors))
}

/// [`expand`] with the bare errors, never an empty list.
pub(crate) fn attempt(method: &Methodology, form: Form, shape: &TargetShape) -> Result<Plan, Vec<Diagnostic>> {
    let base = method.base_form(form).ok_or_else(|| vec![no_form(method, form)])?;
    large_enough(method, form, shape).map_err(|error| vec![error])?;
    let most = if form == Form::Smoke { shape.capacity.min(SMOKE_SIZE) } else { shape.capacity };
    let usable = prepare::usable(method.root(), most);
    let scope = Scope { method, form, base, shape: *shape, usable };
    let mut errors = Vec::new();
    let mut tests: Vec<TestPlan> = prepare::test(&scope, &mut errors).into_iter().collect();
    for test in method.root().tables("tests") {
        match one_test(&scope, test) {
            Ok(plan) => tests.push(plan),
            Err(found) => errors.extend(found),
        }
    }
    if errors.is_empty() {
        verified::check(&scope, &tests, &mut errors);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Plan {
        methodology: method.identity().clone(),
        title: method.title().to_owned(),
        summary: method.summary().to_owned(),
        good_for: method.good_for().trim().to_owned(),
        cannot_tell: method.cannot_tell().trim().to_owned(),
        form,
        capacity: shape.capacity,
        tests,
        sources: method.sources().to_vec(),
    })
}

fn no_form(method: &Methodology, form: Form) -> Diagnostic {
    let at = method.root().entry("forms").map_or(0..0, |entry| entry.value.at.clone());
    let names: Vec<&str> = method.forms().into_iter().map(Form::name).collect();
    let title = format!("the methodology '{}' has no {} form", method.identity().name, form.name());
    Diagnostic::new(at, title, format!("its forms are: {}", names.join(", ")))
        .help(format!("choose one of these with --form, or declare [forms.{}]", form.name()))
}

fn large_enough(method: &Methodology, form: Form, shape: &TargetShape) -> Result<(), Diagnostic> {
    let least = method.minimum_size(form);
    if shape.capacity >= least {
        return Ok(());
    }
    let at = method.root().table("target").and_then(|target| target.get("minimum_size")).map(|value| value.at.clone());
    let title = format!("the target has {} and the {} form needs at least {least}", shape.capacity, form.name());
    Err(Diagnostic::new(at.unwrap_or(0..0), title, "the smallest useful size")
        .help("choose a larger target or a folder with more free space"))
}

fn one_test(scope: &Scope<'_>, test: &Table) -> Result<TestPlan, Vec<Diagnostic>> {
    let picks = picks(scope.root(), test, scope.base).map_err(|error| vec![error])?;
    let mut errors = Vec::new();
    let mut drafts = Vec::with_capacity(picks.len());
    for pick in &picks {
        match io_step(scope, test, pick) {
            Ok(draft) => drafts.push(draft),
            Err(found) => errors.extend(found),
        }
    }
    let from_holes = !prepare::writes(scope.root()) && !scope.method.reads_as_found();
    if errors.is_empty() && from_holes && drafts.iter().any(|draft| draft.reads) {
        let title = format!("'{}' reads, and nothing fills the target first", test.text("name"));
        let error = Diagnostic::new(name_at(test), title, "these reads would come from holes, not from the drive");
        errors.push(error.help(
            "add a [[prepare]] step with action = \"fill\", or content = \"as_found\" to [target] for a target that exists",
        ));
    }
    let steps = named(test, drafts).map_err(|error| errors.push(error)).unwrap_or_default();
    if !errors.is_empty() {
        return Err(errors);
    }
    let layers = Layers::new(scope.root(), test, None, scope.base);
    let rounds = rounds(scope, test, &layers, &steps).map_err(|error| vec![error])?;
    let ids = test.list("sources").iter().map(|id| id.value.to_string()).collect();
    Ok(TestPlan {
        name: test.text("name").to_owned(),
        title: test.text("title").to_owned(),
        purpose: test.text("purpose").to_owned(),
        steps,
        rounds,
        order: match word(&layers, "order") {
            Some("step_by_step") => Order::StepByStep,
            _ => Order::RoundByRound,
        },
        combine: match word(&layers, "combine") {
            Some("best") => Combine::Best,
            Some("median") => Combine::Median,
            _ => Combine::Mean,
        },
        sources: ids,
    })
}

fn word(layers: &Layers<'_>, key: &str) -> Option<&'static str> {
    match layers.find(key)?.value {
        Value::Word(word) => Some(word),
        _ => None,
    }
}

/// Steps with ids that are unique in the test and with the axes on which they differ.
fn named(test: &Table, drafts: Vec<Draft>) -> Result<Vec<Step>, Diagnostic> {
    let plain: BTreeSet<String> = drafts.iter().map(|draft| draft.naming.slug()).collect();
    let with_case = plain.len() < drafts.len();
    let axes = varying(test, &drafts);
    let mut taken = BTreeSet::new();
    let mut steps = Vec::with_capacity(drafts.len());
    for mut draft in drafts {
        if with_case {
            draft.naming.extra.extend(draft.case.clone());
        }
        let slug = draft.naming.slug();
        if !taken.insert(slug.clone()) {
            let title = format!("two steps of '{}' are the same: {slug}", test.text("name"));
            let error = Diagnostic::new(name_at(test), title, "every step of a test differs in an axis or a case");
            return Err(error.help("repetition is said with `rounds`"));
        }
        draft.step.id = StepId::new(test.text("name"), &slug);
        draft.step.label = draft.naming.label();
        let value_of = |axis: &&'static str| {
            let value = draft.shown.iter().find(|(name, _)| name == axis).map(|(_, value)| value.clone());
            value.map(|value| AxisValue { axis: (*axis).to_owned(), value })
        };
        draft.step.axes = axes.iter().filter_map(value_of).collect();
        steps.push(draft.step);
    }
    Ok(steps)
}

/// The parameters in which the steps differ, in the order of the test's axes.
fn varying(test: &Table, drafts: &[Draft]) -> Vec<&'static str> {
    let written = test.list("axes").iter().filter_map(|axis| match axis.value {
        Value::Word(word) => Some(word),
        _ => None,
    });
    let mut names: Vec<&'static str> = written.collect();
    names.extend(axes().filter(|axis| !test.list("axes").iter().any(|name| name.value == Value::Word(axis))));
    let by_share = drafts.iter().any(|draft| draft.by_share);
    let differs = |axis: &&'static str| {
        let of = |draft: &Draft| draft.shown.iter().find(|(name, _)| name == axis).map(|(_, value)| value.clone());
        let values: BTreeSet<Option<String>> = drafts.iter().map(of).collect();
        let said_otherwise = if by_share { *axis == "op" } else { SHARES.contains(axis) };
        values.len() > 1 && !said_otherwise
    };
    names.into_iter().filter(differs).collect()
}

fn rounds(scope: &Scope<'_>, test: &Table, layers: &Layers<'_>, steps: &[Step]) -> Result<Rounds, Diagnostic> {
    if scope.smoke() {
        return Ok(Rounds::Fixed { count: 1 });
    }
    let fixed = match layers.find("rounds").map(|found| &found.value) {
        Some(Value::Whole(count)) => u32::try_from(*count).unwrap_or(1),
        _ => 1,
    };
    if let Some(search) = search::of(test) {
        let max = if layers.stated_by_form("rounds") { fixed.max(3) } else { search.max };
        return Ok(Rounds::FindRate(RateSearch { max, ..search }));
    }
    let Some(steady) = test.table("steady").filter(|_| !layers.stated_by_form("rounds")) else {
        return Ok(Rounds::Fixed { count: fixed });
    };
    if let (Some("step_by_step"), Some(order)) = (word(layers, "order"), layers.find("order")) {
        let title = "`steady` and order = \"step_by_step\" exclude each other";
        let label = "steadiness is judged after each round of all steps";
        let error = Diagnostic::new(order.at.clone(), title, label);
        return Err(error.help("remove `order`, or say the number of rounds with `rounds` instead of `steady`"));
    }
    let step = match (steady.get("step"), steps) {
        (None, [only]) => only.id.clone(),
        (None, _) => {
            let title = "`steady` does not say which step is watched";
            let slugs: Vec<&str> = steps.iter().take(8).map(|step| step.id.slug()).collect();
            let error =
                Diagnostic::new(steady.at.clone(), title, "expected `step` with the second part of a step's id");
            return Err(error.help(format!("steps of the test: {}", slugs.join(", "))));
        }
        (Some(name), _) => {
            let wanted = steady.text("step");
            let found = steps.iter().find(|step| step.id.slug() == wanted);
            found.map(|step| step.id.clone()).ok_or_else(|| {
                let near = nearest(wanted, steps.iter().map(|step| step.id.slug()));
                let title = format!("'{}' has no step '{wanted}'", test.text("name"));
                Diagnostic::new(name.at.clone(), title, "expected the second part of a step's id").near(near)
            })?
        }
    };
    let tracked = match steady.text("tracked") {
        "throughput" => Tracked::Throughput,
        "latency_mean" => Tracked::LatencyMean,
        _ => Tracked::Iops,
    };
    let max = steady.whole("max_rounds").and_then(|max| u32::try_from(max).ok()).unwrap_or(25);
    Ok(Rounds::Steady { step, tracked, max })
}

/// The reserved first test's name, for the modules that make steps of it.
pub(crate) const PREPARE: &str = meaning::PREPARE;
