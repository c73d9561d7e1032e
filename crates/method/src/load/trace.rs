//! The load that replays a trace.
//!
//! Owns the meaning of `trace` and of the keys that belong to it. Must not know: formats, files.

use std::path::Path;

use drivelab_core::replay::{Replay, ReplayMode, SYNTHETIC_UNIT, TraceFit, TraceTrims};
use drivelab_core::units::{Bytes, QueueDepth};
use drivelab_core::workload::Workload;

use crate::load::{content, placement};
use crate::sources::traces::{Known, TraceDeclared};
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::near::nearest;
use crate::tree::value::{Table, Value};
use crate::values::Values;
use crate::vocabulary::load::SEED;

/// A trace has its own kinds of operations, sizes, places and times, so these keys do not apply.
pub(crate) const ITS_OWN: &[&str] = &[
    "op",
    "write_percent",
    "trim_percent",
    "write_zeroes_percent",
    "flush_percent",
    "sync_every",
    "block_size",
    "block_size_mix",
    "block_size_shares_of",
    "pattern",
    "locality",
    "stride",
    "places",
    "seek_percent",
    "streams",
    "threads",
    "rate",
    "arrivals",
    "bursts",
    "think_time",
    "weight",
    "verify",
    "passes",
    "coverage",
    "ramp",
    "at_least",
];

/// The keys that state how a trace is replayed.
const ABOUT: [&str; 5] = ["replay", "replay_scale", "idle_cap", "trace_fit", "trace_trims"];

/// The load that replays a trace, with an empty span.
pub(crate) fn workload(
    (root, known): (&Table, &Known),
    values: &Values<'_, '_>,
    folder: Option<&Path>,
    errors: &mut Errors,
) -> Option<Workload> {
    let before = errors.len();
    if values.own.is_some() {
        errors.push(Diagnostic::new(
            values.at("trace"),
            format!("the group '{}' replays a trace", values.name),
            "a trace is replayed by one thread, without other groups of threads",
        ));
        return None;
    }
    for key in ITS_OWN {
        values.holds(key, Some("the trace has its own operations, sizes, places and times"), errors);
    }
    let Some(Value::Text(name)) = values.get("trace") else { return None };
    let declared = known.declared(root, folder);
    let Some(TraceDeclared { source, .. }) = declared.iter().find(|trace| trace.name == *name) else {
        let title = format!("there is no trace '{name}'");
        let names: Vec<&str> = declared.iter().map(|trace| trace.name.as_str()).collect();
        let label = match names.is_empty() {
            true => "expected a [[traces]] table with this name".to_owned(),
            false => format!("the traces are: {}", names.join(", ")),
        };
        errors.push(Diagnostic::new(values.at("trace"), title, label).near(nearest(name, names)));
        return None;
    };
    let depth = values.whole("queue_depth");
    if depth.is_none() {
        errors.push(values.missing("queue_depth"));
    }
    let mode = mode(values, errors);
    // An empty slot has no steps; such steps are left out before this.
    let source = source.clone()?;
    let replay = Replay {
        trace: name.clone(),
        facts: known.facts(name, &source),
        source,
        mode: mode?,
        fit: if values.word("trace_fit") == "scale" { TraceFit::Scale } else { TraceFit::Wrap },
        trims: if values.word("trace_trims") == "send" { TraceTrims::Send } else { TraceTrims::Skip },
    };
    let (write_percent, other) = replay.shares();
    let queue_depth = QueueDepth::new(depth?).ok()?;
    let data = content::data(values);
    let workload = Workload {
        write_percent,
        other,
        block_size: Bytes::new(replay.facts.largest.get().max(1).next_multiple_of(SYNTHETIC_UNIT)),
        queue_depth,
        data,
        content: content::content(values, data, folder, errors),
        direct: !matches!(values.get("direct"), Some(Value::Flag(false))),
        placement: placement::placement(values, queue_depth, errors),
        placement_handle: placement::placement_handle(values, write_percent, errors),
        seed: values.whole("seed").unwrap_or(SEED),
        replay: Some(replay),
        ..Workload::default()
    };
    (errors.len() == before).then_some(workload)
}

fn mode(values: &Values<'_, '_>, errors: &mut Errors) -> Option<ReplayMode> {
    let word = values.word("replay");
    for (key, of) in [("replay_scale", "scaled"), ("idle_cap", "capped_idle")] {
        if word == of && values.get(key).is_none() {
            let title = format!("replay = \"{of}\" needs `{key}`");
            errors.push(Diagnostic::new(values.at("replay"), title, format!("expected `{key}` too")).about(key));
        }
        let why = format!("only replay = \"{of}\" uses it");
        values.holds(key, (word != of).then_some(why.as_str()), errors);
    }
    match word {
        "closed_loop" => Some(ReplayMode::ClosedLoop {}),
        "scaled" => {
            let percent = values.whole("replay_scale").and_then(|percent| u32::try_from(percent).ok())?;
            Some(ReplayMode::Scaled { percent })
        }
        "capped_idle" => values.time("idle_cap").map(|cap| ReplayMode::CappedIdle { cap }),
        _ => Some(ReplayMode::Timed {}),
    }
}

/// Adds an error for each replay key of a load that replays nothing.
pub(crate) fn without(values: &Values<'_, '_>, errors: &mut Errors) {
    for key in ABOUT {
        values.holds(key, Some("only a load with `trace` replays one"), errors);
    }
}
