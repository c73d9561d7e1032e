//! `[[prepare]]` becomes the first test of a plan, with steps of the role "prepare".

use drivelab_core::ids::StepId;
use drivelab_core::plan::{
    Action, Approximation, Combine, CoolDown, Order, Rest, Rounds, Step, StepRole, StopRule, TestPlan,
};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::{Pattern, Workload};

use crate::diagnose::Diagnostic;
use crate::estimate;
use crate::expand::{PREPARE, SMOKE_CAP, SMOKE_SIZE, Scope};
use crate::fit::{Needs, fitted};
use crate::load::{self, Preset, SEED, Shares};
use crate::step::derived_seed;
use crate::stop::smoke;
use crate::value::Table;
use crate::values::Values;

/// Block and depth of `fill`: as large as one kernel request usually is, deep enough to keep a drive busy.
const FILL: (Bytes, u64) = (Bytes::MIB, 8);
/// Block and depth of `overwrite_random`: the size that reviews of random writes use.
const OVERWRITE: (Bytes, u64) = (Bytes::new(4096), 32);
/// Block and depth of `discard`: large ranges one after the other, as formatting tools do it.
const DISCARD: (Bytes, u64) = (Bytes::new(64 << 20), 1);
/// `cap` where the file states none: filling a large slow drive takes most of a day.
const CAP: Nanos = Nanos::from_secs(24 * 3600);

/// `cap` of `cool_down` where the file states none.
pub(crate) const COOL_DOWN_CAP: Nanos = Nanos::from_secs(1800);

/// Whether preparation writes to the target.
pub(crate) fn writes(root: &Table) -> bool {
    root.tables("prepare").iter().any(|step| matches!(step.text("action"), "fill" | "overwrite_random"))
}

/// What an action does where its table states nothing else.
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
    }
}

fn block_of(step: &Table) -> Bytes {
    step.size("block_size").or(preset(step).block_size).unwrap_or(FILL.0)
}

/// Bytes that tests may touch: whole blocks of every preparation that fills, so that nothing unwritten is read.
pub(crate) fn usable(root: &Table, most: Bytes) -> Bytes {
    let fills = root.tables("prepare").iter().filter(|step| step.text("action") == "fill");
    let largest = fills.map(block_of).max().unwrap_or(Bytes::new(1));
    if largest > most { most } else { most.align_down(largest) }
}

/// The test, where there is preparation.
pub(crate) fn test(scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) -> Option<TestPlan> {
    let tables = scope.root().tables("prepare");
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
        match one(scope, table, &slug) {
            Ok(step) => steps.push(step),
            Err(found) => errors.extend(found),
        }
    }
    let mut sources: Vec<String> = Vec::new();
    for id in tables.iter().flat_map(|table| table.list("sources")) {
        let id = id.value.to_string();
        if !sources.contains(&id) {
            sources.push(id);
        }
    }
    (!steps.is_empty()).then(|| TestPlan {
        name: PREPARE.to_owned(),
        title: "Preparation".to_owned(),
        purpose: "Bring the target into the state that the tests ask for.".to_owned(),
        steps,
        rounds: Rounds::Fixed { count: 1 },
        order: Order::RoundByRound,
        combine: Combine::Mean,
        sources,
    })
}

fn one(scope: &Scope<'_>, table: &Table, slug: &str) -> Result<Step, Vec<Diagnostic>> {
    let marks = table.table("approximation");
    let marks = marks.iter().flat_map(|marks| &marks.entries);
    let mut approximations: Vec<Approximation> = marks
        .map(|(name, entry)| Approximation { parameter: name.clone(), reason: entry.value.value.to_string() })
        .collect();
    let (action, label) = match table.text("action") {
        "idle" => {
            let time = table.time("time").unwrap_or_default();
            let time = if scope.smoke() { time.min(SMOKE_CAP) } else { time };
            (Action::Idle { time }, format!("Idle for {time}"))
        }
        "cool_down" => {
            let cap = table.time("cap").unwrap_or(COOL_DOWN_CAP);
            let cap = if scope.smoke() { cap.min(SMOKE_CAP) } else { cap };
            let below_c = table.whole("below").and_then(|celsius| u32::try_from(celsius).ok()).unwrap_or_default();
            (Action::CoolDown(CoolDown { below_c, cap }), format!("Cool down below {below_c} °C"))
        }
        _ => writing(scope, table, slug, &mut approximations)?,
    };
    let rest = Rest::None {};
    let (estimated_time, estimated_written) = estimate::step(&action, rest, &scope.shape.guess);
    Ok(Step {
        id: StepId::new(PREPARE, slug),
        label,
        role: StepRole::Prepare,
        action,
        rest,
        start_below: None,
        axes: Vec::new(),
        approximations,
        seeds: Vec::new(),
        estimated_time,
        estimated_written,
    })
}

/// `fill`, `overwrite_random` and `discard`.
fn writing(
    scope: &Scope<'_>,
    table: &Table,
    slug: &str,
    approximations: &mut Vec<Approximation>,
) -> Result<(Action, String), Vec<Diagnostic>> {
    let at = table.get("action").map_or_else(|| table.at.clone(), |value| value.at.clone());
    let values = Values { name: table.text("action"), name_at: at, own: Some(table), test: None };
    let mut errors = Vec::new();
    let written = load::workload(&values, preset(table), scope.method.folder(), &mut errors);
    let Some(written) = written.filter(|_| errors.is_empty()) else { return Err(errors) };
    let seed = scope.root().table("defaults").and_then(|table| table.whole("seed")).unwrap_or(SEED);
    let workload = Workload { seed: derived_seed(seed, slug), ..written };
    let workload = fitted(scope, workload, &Needs::of(&values), approximations).map_err(|error| vec![error])?;
    let passes = table.whole("passes").and_then(|passes| u32::try_from(passes).ok()).unwrap_or(1);
    let volume = Bytes::new(workload.span.length.get().saturating_mul(u64::from(passes)));
    let repeats = workload.pattern == Pattern::Random;
    let stop = StopRule {
        volume: repeats.then_some(volume),
        passes: (!repeats).then_some(passes),
        ..StopRule::capped(table.time("cap").unwrap_or(CAP))
    };
    // A smoke run's fill ends by its volume: with a time rule a slow target would be left with holes more often.
    let stop = if scope.smoke() {
        StopRule { time: None, volume: Some(volume.min(SMOKE_SIZE)), ..smoke(&stop) }
    } else {
        stop
    };
    let what = match table.text("action") {
        "overwrite_random" => "Overwrite at random",
        "discard" => "Discard",
        _ => "Fill",
    };
    let label = format!("{what}: {} in {} blocks", workload.span.length, workload.block_size);
    Ok((Action::Io { workload, stop, ramp: Nanos::new(0) }, label))
}
