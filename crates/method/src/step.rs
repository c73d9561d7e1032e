//! One combination of a test becomes one step: workload, stop rule, rest, estimate.
//!
//! Owns the defaults of the language and what a target must offer to a workload. Must not know: rounds, ids.

use std::ops::Range;

use drivelab_core::ids::StepId;
use drivelab_core::plan::{Action, Approximation, Rest, Step, StepRole, StopRule};
use drivelab_core::units::{Bytes, Nanos, Percent, QueueDepth, Threads};
use drivelab_core::workload::{DataPattern, Pattern, Span, Streams, Workload};

use crate::diagnose::Diagnostic;
use crate::estimate;
use crate::expand::{SMOKE_CAP, SMOKE_SIZE, Scope};
use crate::label::Naming;
use crate::layers::Layers;
use crate::sweep::{Pick, name_at};
use crate::value::{Extent, Table, Value};

/// `cap` where the file states none.
const CAP: Nanos = Nanos::from_secs(3600);
/// `rest_cap` where the file states none.
const REST_CAP: Nanos = Nanos::from_secs(600);
/// `seed` where the file states none.
pub(crate) const SEED: u64 = 1;
/// The smoke form measures so long: less than its cap, so that a step ends by its own rule.
const SMOKE_TIME: Nanos = Nanos::from_millis(400);

/// A step without its final name and axes.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) step: Step,
    pub(crate) naming: Naming,
    pub(crate) case: Option<String>,
    /// Parameters that can be axes, as shown.
    pub(crate) shown: Vec<(&'static str, String)>,
    /// The share of writes was given as `write_percent`, not as `op`.
    pub(crate) by_percent: bool,
    pub(crate) reads: bool,
}

/// A workload's needs of its target, with the places that errors point to.
pub(crate) struct Needs {
    pub(crate) block_at: Range<usize>,
    pub(crate) span_at: Range<usize>,
    pub(crate) extent: Extent,
}

/// The values of one step, found in the layers.
struct Values<'a, 'm> {
    test: &'m Table,
    layers: Layers<'m>,
    pick: &'a Pick<'m>,
}

impl<'m> Values<'_, 'm> {
    fn get(&self, key: &str) -> Option<&'m Value> {
        self.pick.find(&self.layers, key).map(|found| &found.value)
    }

    /// Where the value stands, or the test's name where the value is the language's default.
    fn at(&self, key: &str) -> Range<usize> {
        self.pick.find(&self.layers, key).map_or_else(|| name_at(self.test), |found| found.at.clone())
    }

    fn time(&self, key: &str) -> Option<Nanos> {
        match self.get(key)? {
            Value::Time(time) => Some(*time),
            _ => None,
        }
    }

    fn whole(&self, key: &str) -> Option<u64> {
        match self.get(key)? {
            Value::Whole(whole) => Some(*whole),
            _ => None,
        }
    }

    fn size(&self, key: &str) -> Option<Bytes> {
        match self.get(key)? {
            Value::Size(size) => Some(*size),
            _ => None,
        }
    }

    fn is(&self, key: &str, word: &str) -> bool {
        matches!(self.get(key), Some(Value::Word(found)) if *found == word)
    }

    /// Nobody states this parameter and the language has no default for it.
    fn missing(&self, key: &str) -> Diagnostic {
        let title = format!("'{}' does not say `{key}`", self.test.text("name"));
        let label = format!("expected `{key}` in this test, in its cases or in [defaults]");
        Diagnostic::new(name_at(self.test), title, label)
    }
}

/// Makes the step of one combination.
pub(crate) fn io_step<'m>(scope: &Scope<'m>, test: &'m Table, pick: &Pick<'m>) -> Result<Draft, Vec<Diagnostic>> {
    let values = Values { test, layers: Layers::new(scope.root(), test, pick.case, scope.base), pick };
    let mut errors = Vec::new();
    let workload = workload(&values, &mut errors);
    let stop = stop(&values, &mut errors);
    let (Some((workload, needs)), Some(stop)) = (workload, stop) else { return Err(errors) };
    if !errors.is_empty() {
        return Err(errors);
    }
    let naming = naming(&values, &workload);
    let shown = shown(&values, &workload, &needs.extent);
    let mut approximations = values.layers.approximations();
    let seed_name =
        format!("{}/{}/{}", test.text("name"), naming.slug(), pick.case.map_or("", |case| case.text("name")));
    let workload = fitted(scope, workload, &needs, &mut approximations).map_err(|error| vec![error])?;
    let workload = Workload { seed: derived_seed(workload.seed, &seed_name), ..workload };
    let reads = workload.reads();
    let ramp = values.time("ramp").unwrap_or_default();
    let (stop, ramp, rest) =
        if scope.smoke() { (smoke(&stop), Nanos::new(0), Rest::None {}) } else { (stop, ramp, rest(&values)) };
    let action = Action::Io { workload, stop, ramp };
    let (estimated_time, estimated_written) = estimate::step(&action, rest, &scope.shape.guess);
    let step = Step {
        id: StepId::new("", ""),
        label: String::new(),
        role: StepRole::Measure,
        action,
        rest,
        axes: Vec::new(),
        approximations,
        estimated_time,
        estimated_written,
    };
    let by_percent = values.get("write_percent").is_some();
    let case = pick.case.map(|case| case.text("name").to_owned());
    Ok(Draft { step, naming, case, shown, by_percent, reads })
}

/// The workload as written: span and streams are not yet held against the target.
fn workload(values: &Values<'_, '_>, errors: &mut Vec<Diagnostic>) -> Option<(Workload, Needs)> {
    let write_percent = match (values.get("op"), values.whole("write_percent")) {
        (Some(Value::Word("read")), _) => Some(0),
        (Some(_), _) => Some(100),
        (None, percent) => percent,
    };
    let depth = values.whole("queue_depth");
    let block = values.size("block_size");
    let pattern = values.get("pattern");
    let present = [
        ("op", write_percent.is_some()),
        ("block_size", block.is_some()),
        ("queue_depth", depth.is_some()),
        ("pattern", pattern.is_some()),
    ];
    errors.extend(present.iter().filter(|(_, there)| !there).map(|(key, _)| values.missing(key)));
    let extent = match values.get("span") {
        Some(Value::Extent(extent)) => *extent,
        _ => Extent::WHOLE,
    };
    let needs = Needs { block_at: values.at("block_size"), span_at: values.at("span"), extent };
    let workload = Workload {
        write_percent: Percent::new(write_percent?).ok()?,
        block_size: block?,
        pattern: if values.is("pattern", "random") { Pattern::Random } else { pattern.map(|_| Pattern::Sequential)? },
        streams: if values.is("streams", "overlapping") { Streams::Overlapping } else { Streams::Disjoint },
        span: Span { offset: Bytes::new(0), length: Bytes::new(0) },
        queue_depth: QueueDepth::new(depth?).ok()?,
        threads: Threads::new(values.whole("threads").unwrap_or(1)).ok()?,
        data: if values.is("data", "zero") { DataPattern::Zero } else { DataPattern::Incompressible },
        direct: !matches!(values.get("direct"), Some(Value::Flag(false))),
        seed: values.whole("seed").unwrap_or(SEED),
        ..Workload::default()
    };
    Some((workload, needs))
}

/// The stop rule as written.
fn stop(values: &Values<'_, '_>, errors: &mut Vec<Diagnostic>) -> Option<StopRule> {
    let before = errors.len();
    let time = values.time("time");
    let longest = Nanos::new(time.unwrap_or_default().get().saturating_mul(2)).max(CAP);
    let stop = StopRule {
        time,
        volume: values.size("volume"),
        passes: values.whole("passes").and_then(|passes| u32::try_from(passes).ok()),
        at_least: values.time("at_least"),
        ..StopRule::capped(values.time("cap").unwrap_or(longest))
    };
    if stop.time.is_none() && stop.volume.is_none() && stop.passes.is_none() {
        let title = format!("'{}' does not say when its steps end", values.test.text("name"));
        errors.push(Diagnostic::new(name_at(values.test), title, "expected `time`, `volume` or `passes`"));
    }
    if stop.passes.is_some() && values.is("pattern", "random") {
        let title = "random offsets have no passes: they repeat some blocks and miss others";
        errors.push(Diagnostic::new(values.at("passes"), title, "expected `volume` or `time` for a random pattern"));
    }
    for (key, value) in [("time", stop.time), ("at_least", stop.at_least)] {
        if value.is_some_and(|value| value > stop.cap) {
            let title = format!("`{key}` is longer than `cap`, so it would always be cut off");
            errors.push(Diagnostic::new(values.at(key), title, format!("expected at most {}", stop.cap)));
        }
    }
    if stop.time.is_some_and(|time| time.get() == 0) || stop.cap.get() == 0 {
        let key = if stop.cap.get() == 0 { "cap" } else { "time" };
        errors.push(Diagnostic::new(values.at(key), "a step of no time measures nothing", "expected more than 0 s"));
    }
    (errors.len() == before).then_some(stop)
}

/// The smoke form of a stop rule: at most 0.5 s and 8 MiB.
pub(crate) fn smoke(stop: &StopRule) -> StopRule {
    StopRule {
        time: Some(stop.time.unwrap_or(SMOKE_TIME).min(SMOKE_TIME)),
        volume: Some(stop.volume.unwrap_or(SMOKE_SIZE).min(SMOKE_SIZE)),
        passes: stop.passes,
        ..StopRule::capped(SMOKE_CAP)
    }
}

fn rest(values: &Values<'_, '_>) -> Rest {
    let percent = values.whole("duty_cycle").and_then(|percent| Percent::new(percent).ok());
    match (percent, values.time("rest")) {
        (Some(percent), _) => Rest::DutyCycle { percent, cap: values.time("rest_cap").unwrap_or(REST_CAP) },
        (None, Some(time)) if time.get() > 0 => Rest::Fixed { time },
        (None, _) => Rest::None {},
    }
}

fn naming(values: &Values<'_, '_>, workload: &Workload) -> Naming {
    let picked = |key: &str| values.pick.values.iter().find(|(name, _)| *name == key).map(|(_, value)| &value.value);
    let data = picked("data").map(ToString::to_string);
    let span = picked("span").map(|span| format!("span {span}"));
    Naming {
        pattern: workload.pattern,
        block_size: workload.block_size,
        queue_depth: workload.queue_depth.get(),
        threads: workload.threads.get(),
        write_percent: workload.write_percent.get(),
        extra: data.into_iter().chain(span).collect(),
    }
}

/// Every parameter that can be an axis, as charts show it.
fn shown(values: &Values<'_, '_>, workload: &Workload, extent: &Extent) -> Vec<(&'static str, String)> {
    let word = |key, default: &str| match values.get(key) {
        Some(Value::Word(word)) => (*word).to_owned(),
        _ => default.to_owned(),
    };
    vec![
        ("op", word("op", "")),
        ("write_percent", workload.write_percent.to_string()),
        ("block_size", workload.block_size.to_string()),
        ("queue_depth", workload.queue_depth.to_string()),
        ("threads", workload.threads.to_string()),
        ("pattern", word("pattern", "")),
        ("data", word("data", "incompressible")),
        ("span", extent.to_string()),
    ]
}

/// The workload with its span in bytes, held against the target.
pub(crate) fn fitted(
    scope: &Scope<'_>,
    mut workload: Workload,
    needs: &Needs,
    approximations: &mut Vec<Approximation>,
) -> Result<Workload, Diagnostic> {
    let align = scope.shape.offset_align.get().max(1);
    if workload.direct && !workload.block_size.get().is_multiple_of(align) {
        let title = format!("{} is not a multiple of the target's logical block, {align} bytes", workload.block_size);
        return Err(Diagnostic::new(needs.block_at.clone(), title, format!("expected a multiple of {align} bytes"))
            .help("direct I/O moves whole logical blocks; choose another size, or direct = false"));
    }
    let mut note = |parameter: &str, reason: &str| {
        approximations.push(Approximation { parameter: parameter.to_owned(), reason: reason.to_owned() });
    };
    if scope.smoke() && workload.block_size > scope.usable {
        workload.block_size = scope.usable.align_down(Bytes::new(align));
        note("block_size", "the smoke form's target is smaller than one block");
    }
    let block = workload.block_size;
    workload.span = span(scope, needs, block)?;
    let streams = block.get().saturating_mul(u64::from(workload.threads.get()));
    let shared = workload.pattern == Pattern::Sequential && workload.streams == Streams::Disjoint;
    if shared && workload.span.length.get() < streams {
        if !scope.smoke() {
            let title = format!(
                "the span of {} is too small for {} streams of {block} blocks",
                workload.span.length, workload.threads
            );
            return Err(Diagnostic::new(
                needs.span_at.clone(),
                title,
                format!("expected at least {}", Bytes::new(streams)),
            )
            .help("choose fewer threads, a larger span, or streams = \"overlapping\""));
        }
        workload.streams = Streams::Overlapping;
        note("streams", "the smoke form's target is too small for streams of their own");
    }
    Ok(workload)
}

/// The extent in bytes, its ends multiples of the block.
fn span(scope: &Scope<'_>, needs: &Needs, block: Bytes) -> Result<Span, Diagnostic> {
    let usable = scope.usable.get();
    let (mut offset, mut length) = (needs.extent.offset.of(scope.usable), needs.extent.length.of(scope.usable));
    if scope.smoke() {
        // The smoke form keeps the order of things, not their size.
        length = length.max(block.get()).min(usable);
        offset = offset.min(usable - length);
    }
    if offset.saturating_add(length) > usable {
        let title = format!("the span {} is larger than the target, {}", needs.extent, scope.usable);
        return Err(Diagnostic::new(needs.span_at.clone(), title, "expected a part of the target")
            .help("a share such as \"50 %\" fits every target"));
    }
    let (offset, length) = (Bytes::new(offset).align_down(block), Bytes::new(length).align_down(block));
    if length.get() == 0 {
        let title = format!("the span {} of a target of {} holds no block of {block}", needs.extent, scope.usable);
        return Err(Diagnostic::new(needs.span_at.clone(), title, "expected room for at least one block"));
    }
    Ok(Span { offset, length })
}

/// A seed for one step, so that two steps do not visit the same offsets in the same order; below 2^53, so that every
/// reader of JSON keeps it exactly.
pub(crate) fn derived_seed(seed: u64, name: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(name.as_bytes());
    let mut bytes = [0u8; 8];
    hasher.finalize_xof().fill(&mut bytes);
    u64::from_le_bytes(bytes) >> 11
}
