//! When a step ends, and what follows it: stop rule, its smoke form, rest.
//!
//! Owns their defaults and contradictions. Must not know: targets.

use drivelab_core::plan::{CoolDown, OnError, Rest, StopRule};
use drivelab_core::units::{Nanos, Percent};
use drivelab_core::workload::{Pattern, Streams, Workload};

use crate::scope::SMOKE_SIZE;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::values::Values;

/// `cap` of `cool_down` if the file states none.
pub(crate) const COOL_DOWN_CAP: Nanos = Nanos::from_secs(1800);

/// `cap` if the file states none.
const CAP: Nanos = Nanos::from_secs(3600);

/// `cap` of a replay if the file states none.
const REPLAY_CAP: Nanos = Nanos::from_secs(24 * 3600);

/// `rest_cap` if the file states none.
const REST_CAP: Nanos = Nanos::from_secs(600);

/// The stop rule as written, for these loads if they are known.
pub(crate) fn stop(values: &Values<'_, '_>, loads: &[&Workload], errors: &mut Errors) -> Option<StopRule> {
    let before = errors.len();
    let time = values.time("time");
    let replay = loads.first().and_then(|load| load.replay.as_ref());
    let least = if replay.is_some() { REPLAY_CAP } else { CAP };
    let longest = Nanos::new(time.unwrap_or_default().get().saturating_mul(2)).max(least);
    // A replay ends with its trace at the latest.
    let all = replay.map(|replay| replay.facts.issued(replay.trims));
    let operations = values.whole("operations").into_iter().chain(all).min();
    let stop = StopRule {
        time,
        volume: values.size("volume"),
        passes: values.whole("passes").and_then(|passes| u32::try_from(passes).ok()),
        at_least: values.time("at_least"),
        operations,
        coverage: values.whole("coverage").and_then(|share| Percent::new(share).ok()),
        errors: match values.word("errors") {
            "stop" => OnError::Stop,
            "keep" => OnError::Keep,
            _ => OnError::Tolerate,
        },
        cap: values.time("cap").unwrap_or(longest),
    };
    // Errors about the trace of a replay were reported before.
    if !stop.says_when() && values.get("trace").is_none() {
        let title = format!("'{}' does not say when its steps end", values.name);
        let label = "expected `time`, `volume`, `passes`, `operations` or `coverage`";
        errors.push(Diagnostic::new(values.name_at.clone(), title, label).about("time"));
    }
    passes(values, loads, errors);
    if let Some(key) = ["volume", "passes", "coverage"].into_iter().find(|key| values.get(key).is_some())
        && loads.iter().all(|load| load.other.flush_percent.get() == 100)
        && !loads.is_empty()
    {
        let title = format!("flushes move no bytes, so `{key}` is never reached");
        errors.push(Diagnostic::new(values.at(key), title, "expected `time` or `operations`"));
    }
    for (key, value) in [("time", stop.time), ("at_least", stop.at_least)] {
        if value.is_some_and(|value| value > stop.cap) {
            let title = format!("`{key}` is longer than `cap`, so it would always be cut off");
            errors.push(Diagnostic::new(values.at(key), title, format!("expected at most {}", stop.cap)));
        }
    }
    if stop.time.is_some_and(|time| time.get() == 0) || stop.cap.get() == 0 {
        let key = if stop.cap.get() == 0 { "cap" } else { "time" };
        errors.push(Diagnostic::new(values.at(key), "a step of 0 s measures nothing", "expected more than 0 s"));
    }
    (errors.len() == before).then_some(stop)
}

/// `passes` and `coverage` need an order in which each block comes exactly once.
fn passes(values: &Values<'_, '_>, loads: &[&Workload], errors: &mut Errors) {
    let Some(key) = ["passes", "coverage"].into_iter().find(|key| values.get(key).is_some()) else { return };
    let any = |of: fn(&Workload) -> bool| loads.iter().any(|load| of(load));
    let (title, label) = match () {
        () if any(|load| load.pattern == Pattern::Random) => (
            "random offsets have no passes: they repeat some blocks and miss others",
            "expected `volume` or `time` for a random pattern, or pattern = \"random_once\"",
        ),
        () if any(|load| !load.seek_percent.is_zero()) => (
            "offsets that jump have no passes: they repeat some blocks and miss others",
            "expected `volume` or `time` with `seek_percent`",
        ),
        () if any(|load| load.streams == Streams::ByKind) => (
            "streams by kind have no common passes: reads and writes each advance by themselves",
            "expected `volume` or `time` with streams = \"by_kind\"",
        ),
        () if any(|load| !load.block_size_mix.is_empty()) => (
            "blocks of several sizes have no passes that can be counted",
            "expected `volume` or `time` with `block_size_mix`",
        ),
        () if loads.len() > 1 => (
            "groups have no common passes: each goes over its own span at its own speed",
            "expected `volume` or `time` for a test with groups",
        ),
        () => return,
    };
    errors.push(Diagnostic::new(values.at(key), title, label));
}

/// The smoke form of a stop rule: at most 8 MiB and `cap`. It measures for four fifths of the cap, so that a step
/// ends by its own rule.
pub(crate) fn smoke(stop: &StopRule, cap: Nanos) -> StopRule {
    let most = Nanos::new(cap.get() / 5 * 4);
    let StopRule { time, volume, passes, at_least: _, operations, coverage, errors, cap: _ } = *stop;
    StopRule {
        time: Some(time.unwrap_or(most).min(most)),
        volume: Some(volume.unwrap_or(SMOKE_SIZE).min(SMOKE_SIZE)),
        passes,
        at_least: None,
        operations,
        coverage,
        errors,
        cap,
    }
}

/// The rest after the step.
pub(crate) fn rest(values: &Values<'_, '_>) -> Rest {
    let percent = values.whole("duty_cycle").and_then(|percent| Percent::new(percent).ok());
    match (percent, values.time("rest")) {
        (Some(percent), _) => Rest::DutyCycle { percent, cap: values.time("rest_cap").unwrap_or(REST_CAP) },
        (None, Some(time)) if time.get() > 0 => Rest::Fixed { time },
        (None, _) => Rest::None {},
    }
}

/// The condition under which the step starts.
pub(crate) fn start_below(values: &Values<'_, '_>) -> Option<CoolDown> {
    let below_c = values.whole("start_below").and_then(|celsius| u32::try_from(celsius).ok())?;
    Some(CoolDown { below_c, cap: values.time("start_below_cap").unwrap_or(COOL_DOWN_CAP) })
}
