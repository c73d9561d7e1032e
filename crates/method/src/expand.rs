//! From a methodology to the plan for one target and form.
//!
//! Owns the walk over preparation and tests, rounds, the smoke form's bounds. What one step becomes is in
//! [`crate::step`]. Every error points back into the file.

use std::collections::BTreeSet;

use drivelab_core::drive_state::StateWish;
use drivelab_core::ids::StepId;
use drivelab_core::namespace::OtherNamespace;
use drivelab_core::plan::{
    AxisValue, Combine, Form, LeftOut, Order, Plan, PublishedUnit, RateSearch, Rounds, Step, StepRole, TestPlan,
    Tracked,
};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::Workload;

use crate::diagnose::{Diagnostic, Diagnostics};
use crate::errors::Errors;
use crate::estimate::SpeedGuess;
use crate::keys::axes;
use crate::layers::Layers;
use crate::load::SHARES;
use crate::means::{Means, unmet};
use crate::methodology::Methodology;
use crate::near::nearest;
use crate::repeats::repeats;
use crate::step::{Draft, io_step};
use crate::suite::{NOTHING, chosen, measures};
use crate::sweep::{MOST_STEPS, Pick, name_at, picks};
use crate::value::{Located, Table, Value};
use crate::written::fills;
use crate::{curve, files, leave, prepare, search, twin, verified};

/// The smoke form: size of its target, and most bytes of one of its steps.
pub(crate) const SMOKE_SIZE: Bytes = Bytes::new(8 << 20);

/// The smoke form: longest step where there are few.
pub(crate) const SMOKE_CAP: Nanos = Nanos::from_millis(500);

/// The smoke form: longest step however many there are; a shorter one would often end before its first completion.
const SMOKE_LEAST: Nanos = Nanos::from_millis(20);

/// The smoke form: time for all steps of all tests together, so that every methodology can be tried in seconds.
const SMOKE_TOTAL: Nanos = Nanos::from_secs(10);

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
    /// The smoke form's longest step.
    pub(crate) smoke_cap: Nanos,
    /// What groups on another namespace read.
    pub(crate) other: &'m OtherNamespace,
}

impl<'m> Scope<'m> {
    pub(crate) fn root(&self) -> &'m Table {
        self.method.root()
    }

    pub(crate) fn smoke(&self) -> bool {
        self.form == Form::Smoke
    }
}

/// Expands a methodology for one form and target, on which everything is taken to be there.
///
/// # Errors
/// [`Diagnostics`] that point into the methodology file: the form does not exist, the target is too small, a block
/// size is no multiple of the logical block, a span is larger than the target, a parameter is missing.
pub fn expand(methodology: &Methodology, form: Form, shape: &TargetShape) -> Result<Plan, Diagnostics> {
    expand_with(methodology, form, shape, &Means::default())
}

/// [`expand`] with what is known of target and host: tests whose needs are not met are left out.
///
/// # Errors
/// As there; and where the methodology's own needs are not met, or nothing is left to measure.
pub fn expand_with(
    methodology: &Methodology,
    form: Form,
    shape: &TargetShape,
    means: &Means,
) -> Result<Plan, Diagnostics> {
    attempt(methodology, form, shape, means).map_err(|errors| methodology.diagnostics(errors))
}

/// [`expand_with`] with the bare errors, never an empty list.
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
    Ok(Plan {
        scores: chosen.scores,
        methodology: method.identity().clone(),
        title: titled(method),
        profile: method.profile().to_owned(),
        summary: method.summary().to_owned(),
        good_for: method.good_for().trim().to_owned(),
        cannot_tell: method.cannot_tell().trim().to_owned(),
        form,
        capacity: shape.capacity,
        tests: chosen.tests,
        sources: chosen.sources,
        left_out: chosen.left_out,
        set: method.settings().to_vec(),
        drives: method.drives(form),
    })
}

/// What one methodology expands to, without its suite.
#[derive(Debug)]
pub(crate) struct Expanded {
    pub(crate) prepare: Vec<TestPlan>,
    /// Each test, with the preparation that it alone asks for.
    pub(crate) tests: Vec<(Vec<TestPlan>, TestPlan)>,
    /// What does not fit the target.
    pub(crate) left_out: Vec<LeftOut>,
}

/// Expands one methodology's own tests, all of them. Where no other namespace of the drive is known, groups on one are
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
    let usable = prepare::usable(method.root(), base, most);
    let stand_in = OtherNamespace::like_target(shape.capacity, shape.offset_align);
    let other = other.unwrap_or(&stand_in);
    let scope = Scope { method, form, base, shape: *shape, usable, smoke_cap, other };
    let mut errors = Errors::default();
    files::sets(&scope, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut tests: Vec<TestPlan> = prepare::block(&scope, None, &mut errors);
    let prepared = tests.len();
    let mut left_out = Vec::new();
    for test in method.root().tables("tests") {
        if let Some(out) = leave::test(test, shape.offset_align) {
            left_out.push(out);
            continue;
        }
        tests.extend(prepare::block(&scope, Some(test.text("name")), &mut errors));
        let filled = tests.iter().any(|plan| fills(plan, usable, scope.smoke()));
        match one_test(&scope, test, filled, &mut left_out) {
            // Every trace of it is a slot that nobody has filled.
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

/// The smoke form replays a trace once in each way: of a test that replays what earlier ones did, the first step stays.
fn replayed_once(tests: &mut [TestPlan]) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for test in tests {
        let replays = |step: &Step| step.workload().and_then(|load| load.replay.as_ref()).map(|it| format!("{it:?}"));
        let all: Option<Vec<String>> = test.steps.iter().map(replays).collect();
        let Some(all) = all else { continue };
        if all.iter().all(|replay| seen.contains(replay)) {
            test.steps.truncate(1);
        }
        seen.extend(all);
    }
}

/// Each test with the preparation that stands before it.
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

/// Every test is left out.
fn nothing_left(method: &Methodology, left_out: &[LeftOut]) -> Diagnostic {
    let at = method.root().entry("tests").or_else(|| method.root().entry("suite")).map(|entry| entry.key_at.clone());
    let title = format!("nothing of '{}' can run here", method.identity().name);
    let error = Diagnostic::new(at.unwrap_or(0..0), title, NOTHING);
    left_out.iter().fold(error, |error, out| error.help(format!("{}: {}", out.test, out.reason)))
}

/// The smoke form's longest step: the time for all, shared out. A test whose axes are wrong has an error of its own.
fn smoke_cap(method: &Methodology, base: Form) -> Nanos {
    let of_root = |root: &Table, wanted: &[Located<Value>]| -> usize {
        let steps_of = |test: &Table| {
            let places = curve::smoke_points(test, &Layers::new(root, test, None, base));
            let loads = picks(root, test, base).map_or(0, |picks| picks.len()) * places.max(1);
            loads.max(test.tables("files").len())
        };
        let is_wanted =
            |test: &&Table| wanted.is_empty() || wanted.iter().any(|name| name.value.to_string() == test.text("name"));
        root.tables("tests").iter().filter(is_wanted).map(steps_of).sum()
    };
    let suite = method.entries().iter().map(|entry| of_root(entry.method.root(), entry.table.list("tests")));
    let steps = of_root(method.root(), &[]) + suite.sum::<usize>();
    let share = SMOKE_TOTAL.get() / (steps as u64).max(1);
    Nanos::new(share).clamp(SMOKE_LEAST, SMOKE_CAP)
}

/// The title, with the profile where there are several.
fn titled(method: &Methodology) -> String {
    match method.profile() {
        "" => method.title().to_owned(),
        profile => format!("{}, profile {profile}", method.title()),
    }
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
    let error = Diagnostic::new(at.unwrap_or(0..0), title, "the smallest useful size");
    let others = method.forms_that_fit(shape.capacity);
    let others: Vec<&str> = others.into_iter().filter(|form| *form != Form::Smoke).map(Form::name).collect();
    Err(match others.is_empty() {
        true => error.help("choose a larger target or a folder with more free space"),
        false => error.help(format!("choose a larger target, or a form that fits: {}", others.join(", "))),
    })
}

fn one_test(scope: &Scope<'_>, test: &Table, filled: bool, left_out: &mut Vec<LeftOut>) -> Result<TestPlan, Errors> {
    if test.has("files") {
        return of_steps(scope, test, files::steps(scope, test)?);
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
        // One mistake in a load is told once, not at every point.
        let places = if points.is_empty() { vec![None] } else { points.iter().copied().map(Some).collect() };
        let steps: Result<Vec<Draft>, _> = places.into_iter().map(|point| io_step(scope, test, pick, point)).collect();
        match steps {
            Ok(steps) => drafts.extend(steps),
            Err(found) => errors.join(found),
        }
    }
    let from_holes = !filled && !prepare::writes_before(scope.root(), test) && !scope.method.reads_as_found();
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
        state: StateWish { reuse: false, needs: crate::needs::of(test) },
        published_unit: published_unit(test).or_else(|| published_unit(scope.root())),
        recovers_to: test.has("recovers_to").then(|| test.text("recovers_to").to_owned()),
        twin: twin::of(test),
    })
}

pub(crate) fn word(layers: &Layers<'_>, key: &str) -> Option<&'static str> {
    match layers.find(key)?.value {
        Value::Word(word) => Some(word),
        _ => None,
    }
}

/// The unit in which the rates of a test, or of a whole methodology, were published, where it says so.
fn published_unit(table: &Table) -> Option<PublishedUnit> {
    PublishedUnit::ALL.into_iter().find(|unit| unit.name() == table.text("published_unit"))
}

/// Whether a step would replay a trace that is an empty slot.
fn replays_nothing(scope: &Scope<'_>, test: &Table, pick: &Pick<'_>) -> bool {
    let layers = Layers::new(scope.root(), test, pick.case, scope.base);
    let Some(Value::Text(name)) = pick.find(&layers, "trace").map(|found| &found.value) else { return false };
    scope.method.traces_known().is_empty_slot(scope.root(), name)
}

/// Steps with ids that are unique in the test and with the axes on which they differ.
fn named(test: &Table, drafts: Vec<Draft>) -> Result<Vec<Step>, Diagnostic> {
    let plain: BTreeSet<String> = drafts.iter().map(|draft| draft.naming.slug()).collect();
    // Curves are known by their case: it is the load that they are of.
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
            return Err(error.help("repetition is said with `rounds`"));
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
    let (least, most) = (steady.whole("min_passes"), steady.whole("max_passes"));
    if let (Some(low), Some(high), Some(entry)) = (least, most, steady.get("min_passes"))
        && low > high
    {
        let title = format!("`min_passes` of {low} is more than `max_passes` of {high}");
        return Err(Diagnostic::new(entry.at.clone(), title, format!("expected {high} or fewer")));
    }
    let passes = |count: u64| Bytes::new(written_to(steps).get().saturating_mul(count));
    Ok(Rounds::Steady { step, tracked, max, written: most.map(passes), at_least: least.map(passes) })
}

/// Bytes of the target that these steps write to, whichever of their threads does: places that several write to count
/// once.
fn written_to(steps: &[Step]) -> Bytes {
    let writers = steps.iter().filter_map(Step::workload).flat_map(Workload::groups).filter(|load| load.writes());
    let mut spans: Vec<(u64, u64)> = writers.map(|load| (load.span.offset.get(), load.span.end())).collect();
    spans.sort_unstable();
    let (mut length, mut done) = (0u64, 0u64);
    for (from, to) in spans {
        length = length.saturating_add(to.saturating_sub(from.max(done)));
        done = done.max(to);
    }
    Bytes::new(length)
}
