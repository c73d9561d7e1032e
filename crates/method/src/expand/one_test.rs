//! Turns one test of the file into one of the plan: every combination of its axes, with names that distinguish them.
//!
//! How one combination becomes a step is in `step`. Must not know: other tests, suites.

use std::collections::BTreeSet;

use drivelab_core::drive_state::StateWish;
use drivelab_core::ids::StepId;
use drivelab_core::plan::{AxisValue, Combine, LeftOut, Order, PublishedUnit, Step, TestPlan};

use crate::expand::repeats::repeats;
use crate::expand::rounds::rounds;
use crate::expand::step::{Draft, io_step};
use crate::expand::sweep::{MOST_STEPS, picks};
use crate::expand::verified;
use crate::expand::{file_steps, leave, twin};
use crate::layers::Layers;
use crate::load::curve;
use crate::load::workload::SHARES;
use crate::scope::Scope;
use crate::target::needs;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::value::{Table, Value, name_at};
use crate::values::Pick;
use crate::vocabulary::load::axes;

/// The plan's test. `filled` means that data lie everywhere because of what runs before it, or that preparation
/// writes some.
pub(crate) fn one_test(
    scope: &Scope<'_>,
    test: &Table,
    filled: bool,
    left_out: &mut Vec<LeftOut>,
) -> Result<TestPlan, Errors> {
    if test.has("files") {
        return of_steps(scope, test, file_steps::steps(scope, test)?);
    }
    let mut picks = picks(scope.root(), test, scope.base).map_err(Errors::from)?;
    picks.retain(|pick| !replays_nothing(scope, test, pick));
    left_out.extend(leave::values(scope, test, &mut picks));
    let mut errors = Errors::default();
    let mut drafts = Vec::with_capacity(picks.len());
    let points = curve::points(scope, test, &Layers::new(scope.root(), test, None, scope.base));
    if picks.len().saturating_mul(points.len().max(1)) > MOST_STEPS {
        let title = format!("the points of '{}' make more than {MOST_STEPS} steps", test.text("name"));
        return Err(Diagnostic::new(name_at(test), title, "expected shorter lists").into());
    }
    for pick in &picks {
        // A mistake in a load is reported once, not at every point.
        let places = if points.is_empty() { vec![None] } else { points.iter().copied().map(Some).collect() };
        let steps: Result<Vec<Draft>, _> = places.into_iter().map(|point| io_step(scope, test, pick, point)).collect();
        match steps {
            Ok(steps) => drafts.extend(steps),
            Err(found) => errors.join(found),
        }
    }
    let from_holes = !filled && !scope.method.reads_as_found();
    if errors.is_empty() && from_holes && drafts.iter().any(|draft| draft.reads) {
        let title = format!("'{}' reads, and nothing fills the target first", test.text("name"));
        let error = Diagnostic::new(name_at(test), title, "these reads would come from holes, not from the drive");
        errors.push(error.help(
            "add a [[prepare]] step with action = \"fill\", or content = \"as_found\" to [target] for a target that exists",
        ));
    }
    let mut steps = named(test, drafts).map_err(|error| errors.push(error)).unwrap_or_default();
    verified::read_back(&mut steps);
    if !errors.is_empty() {
        return Err(errors);
    }
    of_steps(scope, test, steps)
}

/// The test with these steps.
fn of_steps(scope: &Scope<'_>, test: &Table, steps: Vec<Step>) -> Result<TestPlan, Errors> {
    let layers = Layers::new(scope.root(), test, None, scope.base);
    let rounds = rounds(scope, test, &layers, &steps).map_err(Errors::from)?;
    let repeats = repeats(scope, test, &layers, &rounds).map_err(Errors::from)?;
    twin::check(test, &steps).map_err(Errors::from)?;
    let ids = test.list("sources").iter().map(|id| id.value.to_string()).collect();
    Ok(TestPlan {
        name: test.text("name").to_owned(),
        title: test.text("title").to_owned(),
        purpose: test.text("purpose").to_owned(),
        steps,
        rounds,
        repeats,
        order: match layers.word("order") {
            Some("step_by_step") => Order::StepByStep,
            _ => Order::RoundByRound,
        },
        combine: match layers.word("combine") {
            Some("best") => Combine::Best,
            Some("median") => Combine::Median,
            _ => Combine::Mean,
        },
        sources: ids,
        state: StateWish { reuse: false, needs: needs::of(test) },
        published_unit: published_unit(test).or_else(|| published_unit(scope.root())),
        recovers_to: test.has("recovers_to").then(|| test.text("recovers_to").to_owned()),
        twin: twin::of(test),
    })
}

/// The unit in which the source published the rates of a test or of a whole methodology, if the file states it.
fn published_unit(table: &Table) -> Option<PublishedUnit> {
    PublishedUnit::ALL.into_iter().find(|unit| unit.name() == table.text("published_unit"))
}

/// Whether a step would replay a trace that is an empty slot.
fn replays_nothing(scope: &Scope<'_>, test: &Table, pick: &Pick<'_>) -> bool {
    let layers = Layers::new(scope.root(), test, pick.case, scope.base);
    let Some(Value::Text(name)) = pick.find(&layers, "trace").map(|found| &found.value) else { return false };
    scope.method.traces_known().is_empty_slot(scope.root(), name)
}

/// Steps with ids that are unique in the test, and with the axes on which they differ.
fn named(test: &Table, drafts: Vec<Draft>) -> Result<Vec<Step>, Diagnostic> {
    let plain: BTreeSet<String> = drafts.iter().map(|draft| draft.naming.slug()).collect();
    // Curves are identified by their case, which is the load that they belong to.
    let with_case = plain.len() < drafts.len() || drafts.iter().any(|draft| draft.step.relative.is_some());
    let axes = varying(test, &drafts);
    let mut taken = BTreeSet::new();
    let mut steps: Vec<Step> = Vec::with_capacity(drafts.len());
    for mut draft in drafts {
        if with_case {
            let at = draft.naming.extra.len() - usize::from(draft.on_curve);
            draft.naming.extra.splice(at..at, draft.case.clone());
        }
        let slug = draft.naming.slug();
        if !taken.insert(slug.clone()) {
            let title = format!("two steps of '{}' are the same: {slug}", test.text("name"));
            let error = Diagnostic::new(name_at(test), title, "every step of a test differs in an axis or a case");
            return Err(error.help("to repeat a step, use `rounds`"));
        }
        draft.step.id = StepId::new(test.text("name"), &slug);
        draft.step.label = draft.naming.label();
        // The points of a curve follow their base.
        if let (Some(relative), Some(base)) =
            (&mut draft.step.relative, steps.iter().rfind(|step| step.relative.is_none()))
        {
            relative.of = base.id.clone();
        }
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
    names.push(curve::CURVE);
    names.into_iter().filter(differs).collect()
}
