//! Turns `[[prepare]]` into tests of a plan whose steps have the role "prepare": one before the first test, and one
//! before each test that a step names with `before`. A step that goes on until its speed is flat is in `flat`.

use std::collections::HashMap;

use drivelab_core::drive_state::StateWish;
use drivelab_core::ids::StepId;
use drivelab_core::plan::{
    Action, Approximation, Combine, CoolDown, Form, Order, Repeats, Rest, Rounds, Step, StepRole, StopRule, TestPlan,
};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::{Pattern, Workload};

use crate::expand::estimate;
use crate::expand::prepare::flat;
use crate::expand::prepare::form::in_form;
use crate::expand::stop::{COOL_DOWN_CAP, smoke};
use crate::load::fit::{Needs, fitted, fitted_to_the_end};
use crate::load::seed::derived_seed;
use crate::load::workload::{self, Preset, Shares};
use crate::scope::{SMOKE_CAP, SMOKE_SIZE, Scope};
use crate::tree::errors::Errors;
use crate::tree::value::Table;
use crate::values::Values;
use crate::vocabulary::load::SEED;

/// The name of the plan's test that contains the preparation.
pub(crate) const PREPARE: &str = "prepare";

/// Block size and depth of `fill`: as large as one kernel request usually is, deep enough to keep a drive busy.
const FILL: (Bytes, u64) = (Bytes::MIB, 8);

/// Block size and depth of `overwrite_random`: the size that reviews of random writes use.
const OVERWRITE: (Bytes, u64) = (Bytes::new(4096), 32);

/// Block size and depth of `discard`: large ranges one after the other, as formatting tools issue them.
const DISCARD: (Bytes, u64) = (Bytes::new(64 << 20), 1);

/// `cap` if the file states none: filling a large slow drive takes most of a day.
const CAP: Nanos = Nanos::from_secs(24 * 3600);

/// The index of the first test before which preparation writes to the target; preparation of all tests counts as
/// before the first.
pub(crate) fn first_written(root: &Table) -> Option<usize> {
    let tests = root.tables("tests").iter().enumerate();
    let places: HashMap<&str, usize> = tests.rev().map(|(at, test)| (test.text("name"), at)).collect();
    let place = |step: &Table| places.get(step.text("before")).copied().unwrap_or(0);
    root.tables("prepare").iter().filter(|step| writes(step)).map(place).min()
}

/// The preparation steps by the test that they run before; `None` for those before all tests.
pub(crate) fn tables(root: &Table) -> HashMap<Option<&str>, Vec<&Table>> {
    let mut all: HashMap<Option<&str>, Vec<&Table>> = HashMap::new();
    for step in root.tables("prepare") {
        all.entry(step.has("before").then(|| step.text("before"))).or_default().push(step);
    }
    all
}

/// Whether a step of the preparation writes data.
pub(crate) fn writes(step: &Table) -> bool {
    matches!(step.text("action"), "fill" | "overwrite_random")
}

/// What an action does if its table states nothing else.
fn preset(step: &Table) -> Preset {
    let ((block_size, depth), op, pattern) = match step.text("action") {
        "overwrite_random" => (OVERWRITE, "write", Pattern::Random),
        "discard" => (DISCARD, "trim", Pattern::Sequential),
        _ => (FILL, "write", Pattern::Sequential),
    };
    Preset {
        shares: Some(Shares::of(op)),
        block_size: Some(block_size),
        queue_depth: Some(depth),
        pattern: Some(pattern),
        searched: None,
        on_curve: false,
    }
}

/// The name of the preparation before a test.
pub(crate) fn block_name(test: &str) -> String {
    format!("{PREPARE}-{test}")
}

fn block_of(step: &Table) -> Bytes {
    step.size("block_size").or(preset(step).block_size).unwrap_or(FILL.0)
}

/// Bytes that tests may touch: whole blocks of every preparation that fills, as the form states them, so that no
/// unwritten block is read.
pub(crate) fn usable(root: &Table, base: Form, most: Bytes) -> Bytes {
    let fills = root.tables("prepare").iter().filter(|step| step.text("action") == "fill");
    let largest = fills.map(|step| block_of(&in_form(step, base, false))).max().unwrap_or(Bytes::new(1));
    if largest > most { most } else { most.align_down(largest) }
}

/// The preparation before a test, or before the first test if none is named. A step that goes on until it is flat
/// becomes a test of its own, the last one.
pub(crate) fn block(
    scope: &Scope<'_>,
    before: Option<&str>,
    all: &HashMap<Option<&str>, Vec<&Table>>,
    errors: &mut Errors,
) -> Vec<TestPlan> {
    let name = before.map_or_else(|| PREPARE.to_owned(), block_name);
    let tables = all.get(&before).map_or(&[][..], Vec::as_slice);
    let mut steps: Vec<Step> = Vec::new();
    for table in tables {
        let action = table.text("action");
        let slug = action.replace('_', "-");
        let before = steps
            .iter()
            .filter(|step| step.id.slug().trim_end_matches(|c: char| c == '-' || c.is_ascii_digit()) == slug);
        let slug = match before.count() {
            0 => slug,
            count => format!("{slug}-{}", count + 1),
        };
        let shortened = scope.base == Form::Quick && scope.root().table("forms").is_some_and(|all| all.has("faithful"));
        match one(scope, &in_form(table, scope.base, shortened), (&name, &slug)) {
            Ok(more) => steps.extend(more),
            Err(found) => errors.join(found),
        }
    }
    let mut sources: Vec<String> = Vec::new();
    for id in tables.iter().flat_map(|table| table.list("sources")) {
        let id = id.value.to_string();
        if !sources.contains(&id) {
            sources.push(id);
        }
    }
    if steps.is_empty() {
        return Vec::new();
    }
    let plan = TestPlan {
        name,
        title: before.map_or_else(|| "Preparation".to_owned(), |test| format!("Preparation for '{test}'")),
        purpose: match before {
            None => "Bring the target into the state that the tests ask for.".to_owned(),
            Some(test) => format!("Bring the target into the state that '{test}' asks for."),
        },
        steps,
        rounds: Rounds::Fixed { count: 1 },
        repeats: Repeats::default(),
        order: Order::RoundByRound,
        combine: Combine::Mean,
        sources,
        state: StateWish { reuse: tables.iter().any(|table| table.flag("reuse")), needs: None },
        published_unit: None,
        recovers_to: None,
        twin: None,
    };
    match tables.last().filter(|table| table.has("until")) {
        Some(table) => flat::apart(scope, &in_form(table, scope.base, false), plan),
        None => vec![plan],
    }
}

/// A step, and a second one for the remainder if the last whole block of a discard ends before its span does.
fn one(scope: &Scope<'_>, table: &Table, (test, slug): (&str, &str)) -> Result<Vec<Step>, Errors> {
    let marks = table.table("approximation");
    let marks = marks.iter().flat_map(|marks| &marks.entries);
    let mut approximations: Vec<Approximation> = marks
        .map(|(name, entry)| Approximation { parameter: name.clone(), reason: entry.value.value.to_string() })
        .collect();
    let actions = match table.text("action") {
        "idle" => {
            let time = table.time("time").unwrap_or_default();
            let time = if scope.smoke() { time.min(scope.smoke_cap) } else { time };
            vec![(Action::Idle { time }, format!("Idle for {time}"))]
        }
        "cool_down" => {
            let cap = table.time("cap").unwrap_or(COOL_DOWN_CAP);
            let cap = if scope.smoke() { cap.min(scope.smoke_cap) } else { cap };
            let below_c = table.whole("below").and_then(|celsius| u32::try_from(celsius).ok()).unwrap_or_default();
            vec![(Action::CoolDown(CoolDown { below_c, cap }), format!("Cool down below {below_c} °C"))]
        }
        _ => writing(scope, table, (test, slug), &mut approximations)?,
    };
    let rest = Rest::None {};
    let step = |(at, (action, label)): (usize, (Action, String))| {
        let (estimated_time, estimated_written) = estimate::step(&action, rest, &scope.shape.guess);
        Step {
            id: StepId::new(test, &if at == 0 { slug.to_owned() } else { format!("{slug}-rest") }),
            label,
            role: StepRole::Prepare,
            action,
            rest,
            start_below: None,
            axes: Vec::new(),
            approximations: approximations.clone(),
            relative: None,
            seeds: Vec::new(),
            estimated_time,
            estimated_written,
        }
    };
    Ok(actions.into_iter().enumerate().map(step).collect())
}

/// `fill`, `overwrite_random` and `discard`.
fn writing(
    scope: &Scope<'_>,
    table: &Table,
    (test, slug): (&str, &str),
    approximations: &mut Vec<Approximation>,
) -> Result<Vec<(Action, String)>, Errors> {
    let at = table.get("action").map_or_else(|| table.at.clone(), |value| value.at.clone());
    let values = Values { name: table.text("action"), name_at: at, own: Some(table), test: None };
    let mut errors = Errors::default();
    let written = workload::workload(&values, preset(table), scope.method.folder(), &mut errors);
    let Some(written) = written.filter(|_| errors.is_empty()) else { return Err(errors) };
    let seed = scope.root().table("defaults").and_then(|table| table.whole("seed")).unwrap_or(SEED);
    // The seeds of the preparation before all tests stay as they were before other preparations existed.
    let seed_name = if test == PREPARE { slug.to_owned() } else { format!("{test}/{slug}") };
    let workload = Workload { seed: derived_seed(seed, &seed_name), ..written };
    let needs = Needs::of(&values);
    // A test that asks for an empty drive would find data in what a discard leaves out.
    let (workload, behind) = if table.text("action") == "discard" {
        fitted_to_the_end(scope, workload, &needs, approximations).map_err(Errors::from)?
    } else {
        (fitted(scope, workload, &needs, approximations).map_err(Errors::from)?, None)
    };
    let passes = table.whole("passes").and_then(|passes| u32::try_from(passes).ok()).unwrap_or(1);
    let volume = Bytes::new(workload.span.length.get().saturating_mul(u64::from(passes)));
    let repeats = workload.pattern == Pattern::Random;
    let time = table.time("time");
    let cap = table.time("cap").unwrap_or(CAP.max(time.unwrap_or_default()));
    let stop = match time {
        Some(time) => StopRule { time: Some(time), ..StopRule::capped(cap.max(time)) },
        None => StopRule {
            volume: repeats.then_some(volume),
            passes: (!repeats).then_some(passes),
            ..StopRule::capped(cap)
        },
    };
    let stop = if table.has("until") { flat::round(table, &workload, stop) } else { stop };
    // A smoke run's fill ends by its volume: with a time rule, a slow target would more often be left with holes.
    let stop = if scope.smoke() {
        StopRule { time: None, volume: Some(volume.min(SMOKE_SIZE)), ..smoke(&stop, SMOKE_CAP) }
    } else {
        stop
    };
    let what = match table.text("action") {
        "overwrite_random" => "Overwrite at random",
        "discard" => "Discard",
        _ => "Fill",
    };
    let label = format!("{what}: {} in {} blocks", workload.span.length, workload.block_size);
    let ramp = Nanos::new(0);
    let behind = behind.map(|workload| {
        let label = format!("{what}: the last {}", workload.span.length);
        (Action::Io { workload, stop: stop.clone(), ramp }, label)
    });
    Ok(std::iter::once((Action::Io { workload, stop, ramp }, label)).chain(behind).collect())
}
