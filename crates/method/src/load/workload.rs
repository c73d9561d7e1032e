//! The load as written: from the values of a test, a group or a preparation step to a [`Workload`] that is not yet
//! fitted to a target.
//!
//! Owns the defaults of the language and the contradictions inside one load. Must not know: targets, rounds, ids.

use std::path::Path;

use drivelab_core::load::{Arrivals, Content, Locality, OtherOps, Pace, Rate, Verify};
use drivelab_core::places::Places;
use drivelab_core::units::{Bytes, Percent, QueueDepth, Threads};
use drivelab_core::workload::{DataPattern, Pattern, Span, Streams, Workload};

use crate::load::bursts::bursts;
use crate::load::content::{content, data};
use crate::load::placement::{placement, placement_handle};
use crate::load::sizes::{Sizes, sizes};
use crate::load::{curve, trace};
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::rate::AskedRate;
use crate::tree::value::{Extent, Value};
use crate::values::Values;
use crate::vocabulary::load::SEED;

/// Smallest block that has room for a header.
const LEAST_VERIFIED: u64 = 512;

/// Values that apply if neither a table nor the language states them; for preparation, which states little.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Preset {
    pub(crate) shares: Option<Shares>,
    pub(crate) block_size: Option<Bytes>,
    pub(crate) queue_depth: Option<u64>,
    pub(crate) pattern: Option<Pattern>,
    /// The first rate of a search, which replaces `rate`.
    pub(crate) searched: Option<AskedRate>,
    /// The load is on a curve: its rates are shares of its full speed.
    pub(crate) on_curve: bool,
}

/// Shares of the kinds of operations.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Shares {
    pub(crate) write: Percent,
    pub(crate) trim: Percent,
    pub(crate) write_zeroes: Percent,
    pub(crate) flush: Percent,
    /// Reads check headers.
    pub(crate) check: bool,
}

/// All operations are of one kind.
const ALL: u64 = 100;

impl Shares {
    /// From the word of `op`.
    pub(crate) fn of(word: &str) -> Shares {
        let all = |one: &str| if one == word { Percent::new(ALL).unwrap_or_default() } else { Percent::ZERO };
        Shares {
            write: all("write"),
            trim: all("trim"),
            write_zeroes: all("write_zeroes"),
            flush: all("flush"),
            check: word == "verify",
        }
    }

    fn sum(self) -> u64 {
        [self.write, self.trim, self.write_zeroes, self.flush].iter().map(|share| u64::from(share.get())).sum()
    }

    /// Whether any operation changes blocks.
    fn changes(self) -> bool {
        [self.write, self.trim, self.write_zeroes].iter().any(|share| !share.is_zero())
    }

    /// Whether there are only flushes, which move nothing and have no offset.
    fn only_flushes(self) -> bool {
        u64::from(self.flush.get()) == ALL
    }
}

/// The keys of the shares, in the order in which messages name them.
pub(crate) const SHARES: [&str; 4] = ["write_percent", "trim_percent", "write_zeroes_percent", "flush_percent"];

/// The load of these values, with an empty span; relative paths of the file begin in `folder`.
pub(crate) fn workload(
    values: &Values<'_, '_>,
    preset: Preset,
    folder: Option<&Path>,
    errors: &mut Errors,
) -> Option<Workload> {
    trace::without(values, errors);
    let shares = shares(values, preset, errors);
    let flushes = shares.is_some_and(Shares::only_flushes);
    let preset = if flushes {
        Preset { block_size: Some(Bytes::new(4096)), pattern: Some(Pattern::Sequential), ..preset }
    } else {
        preset
    };
    let pattern = pattern(values, preset, errors);
    let sizes = sizes(values, preset.block_size, pattern, errors);
    let depth = values.whole("queue_depth").or(preset.queue_depth);
    if depth.is_none() {
        errors.push(values.missing("queue_depth"));
    }
    let (shares, sizes, pattern) = (shares?, sizes?, pattern?);
    let before = errors.len();
    let queue_depth = QueueDepth::new(depth?).ok()?;
    let threads = Threads::new(values.whole("threads").unwrap_or(1)).ok()?;
    let data = data(values);
    let streams = streams(values, &sizes, pattern, errors);
    let content = content(values, data, folder, errors);
    let workload = Workload {
        write_percent: shares.write,
        other: other(values, shares, errors),
        block_size: sizes.largest,
        pattern,
        locality: locality(values, pattern, errors),
        stride: stride(values, &sizes, pattern, errors),
        places: places(values, &sizes, pattern, errors),
        seek_percent: seek_percent(values, pattern, errors),
        streams,
        span: Span { offset: Bytes::new(0), length: Bytes::new(0) },
        on: None,
        queue_depth,
        threads,
        pace: pace(values, preset, shares, &sizes, errors),
        data,
        verify: verify(values, shares, &sizes, &content, (data, streams, threads), errors),
        content,
        direct: !matches!(values.get("direct"), Some(Value::Flag(false))),
        placement: placement(values, queue_depth, errors),
        placement_handle: placement_handle(values, shares.write, errors),
        seed: values.whole("seed").unwrap_or(SEED),
        name: String::new(),
        replay: None,
        beside: Vec::new(),
        files: None,
        block_size_mix: sizes.mix,
    };
    (errors.len() == before).then_some(workload)
}

/// The part of the target, as written.
pub(crate) fn extent(values: &Values<'_, '_>) -> Extent {
    match values.get("span") {
        Some(Value::Extent(extent)) => *extent,
        _ => Extent::WHOLE,
    }
}

fn shares(values: &Values<'_, '_>, preset: Preset, errors: &mut Errors) -> Option<Shares> {
    if let Some(Value::Word(op)) = values.get("op") {
        return Some(Shares::of(op));
    }
    let stated: Vec<&str> = SHARES.into_iter().filter(|key| values.get(key).is_some()).collect();
    let Some(last) = stated.last() else {
        if preset.shares.is_none() {
            errors.push(values.missing("op"));
        }
        return preset.shares;
    };
    let shares = Shares {
        write: values.percent("write_percent"),
        trim: values.percent("trim_percent"),
        write_zeroes: values.percent("write_zeroes_percent"),
        flush: values.percent("flush_percent"),
        check: false,
    };
    if shares.sum() > ALL {
        let title = format!("{} add up to {} %", stated.join(", "), shares.sum());
        errors.push(Diagnostic::new(values.at(last), title, "expected at most 100 % together; the rest are reads"));
        return None;
    }
    Some(shares)
}

fn other(values: &Values<'_, '_>, shares: Shares, errors: &mut Errors) -> OtherOps {
    let sync_every = values.whole("sync_every").and_then(|every| u32::try_from(every).ok()).unwrap_or(0);
    let misfit = shares.write.is_zero().then_some("it counts writes, but this load has none");
    let syncs = sync_every > 0 && values.holds("sync_every", misfit, errors);
    OtherOps {
        trim_percent: shares.trim,
        write_zeroes_percent: shares.write_zeroes,
        flush_percent: shares.flush,
        sync_every: if syncs { sync_every } else { 0 },
    }
}

fn pattern(values: &Values<'_, '_>, preset: Preset, errors: &mut Errors) -> Option<Pattern> {
    match values.word("pattern") {
        "sequential" => Some(Pattern::Sequential),
        "reverse" => Some(Pattern::Reverse),
        "random" => Some(Pattern::Random),
        "random_once" => Some(Pattern::RandomOnce),
        _ => {
            if preset.pattern.is_none() {
                errors.push(values.missing("pattern"));
            }
            preset.pattern
        }
    }
}

fn locality(values: &Values<'_, '_>, pattern: Pattern, errors: &mut Errors) -> Locality {
    let Some(Value::Locality(locality)) = values.get("locality") else { return Locality::Uniform };
    let misfit = (pattern != Pattern::Random).then_some("only pattern = \"random\" distributes its offsets");
    let holds = !locality.is_uniform() && values.holds("locality", misfit, errors);
    if holds { locality.clone() } else { Locality::Uniform }
}

fn stride(values: &Values<'_, '_>, sizes: &Sizes, pattern: Pattern, errors: &mut Errors) -> Option<Bytes> {
    let stride = values.size("stride")?;
    let misfit = match () {
        () if !pattern.is_sequential() => Some("a stride needs pattern = \"sequential\" or \"reverse\""),
        () if !sizes.mix.is_empty() => Some("a stride needs one block size"),
        () => None,
    };
    if !values.holds("stride", misfit, errors) {
        return None;
    }
    if !stride.get().is_multiple_of(sizes.largest.get()) {
        let title = format!("a stride of {stride} is not a multiple of the block size {}", sizes.largest);
        errors.push(Diagnostic::new(values.at("stride"), title, "expected whole blocks"));
    }
    (stride > sizes.largest).then_some(stride)
}

/// The places follow from the seed as written, not from the seed of the step, so that steps with the same places use
/// the same blocks.
fn places(values: &Values<'_, '_>, sizes: &Sizes, pattern: Pattern, errors: &mut Errors) -> Option<Places> {
    let count = values.whole("places").and_then(|count| u32::try_from(count).ok())?;
    let misfit = match () {
        () if !pattern.is_sequential() => Some("places need pattern = \"sequential\" or \"reverse\""),
        () if !sizes.mix.is_empty() => Some("places need one block size"),
        () if values.get("stride").is_some() => Some("places cannot have a stride"),
        () if !values.percent("seek_percent").is_zero() => Some("places cannot have jumps"),
        () => None,
    };
    let seed = values.whole("seed").unwrap_or(SEED);
    values.holds("places", misfit, errors).then_some(Places { count, seed })
}

fn seek_percent(values: &Values<'_, '_>, pattern: Pattern, errors: &mut Errors) -> Percent {
    let percent = values.percent("seek_percent");
    let misfit = (!pattern.is_sequential()).then_some("only pattern = \"sequential\" and \"reverse\" can jump");
    let holds = !percent.is_zero() && values.holds("seek_percent", misfit, errors);
    if holds { percent } else { Percent::ZERO }
}

fn streams(values: &Values<'_, '_>, sizes: &Sizes, pattern: Pattern, errors: &mut Errors) -> Streams {
    let misfit = match () {
        () if !pattern.is_sequential() => Some("streams by kind need pattern = \"sequential\" or \"reverse\""),
        () if !sizes.mix.is_empty() => Some("streams by kind need one block size"),
        () if values.get("stride").is_some() => Some("streams by kind cannot have a stride"),
        () if values.get("places").is_some() => Some("streams by kind cannot have places"),
        () if !values.percent("seek_percent").is_zero() => Some("streams by kind cannot have jumps"),
        () => None,
    };
    match values.word("streams") {
        "overlapping" => Streams::Overlapping,
        "shared" => Streams::Shared,
        "by_kind" if values.holds("streams", misfit, errors) => Streams::ByKind,
        "by_kind" => Streams::Overlapping,
        _ => Streams::Disjoint,
    }
}

/// The rate of a group is not split here: `groups` knows the other loads.
fn pace(
    values: &Values<'_, '_>,
    Preset { searched, on_curve, .. }: Preset,
    shares: Shares,
    sizes: &Sizes,
    errors: &mut Errors,
) -> Pace {
    if on_curve && curve::scales(values) {
        curve::check_pace(values, errors);
        return Pace::default();
    }
    let arrivals = curve::arrivals(values);
    for key in ["rate", "think_time"].into_iter().filter(|key| values.get(key).is_some()) {
        values.holds(key, searched.map(|_| "`find_rate` sets the rate of each round"), errors);
    }
    let asked = searched.or_else(|| values.rate("rate"));
    let syncs = other(values, shares, &mut Errors::default()).sync_every;
    let rate = asked.and_then(|asked| rate(values, asked, arrivals, (shares, syncs), sizes, errors));
    if asked.is_none() {
        values.holds("arrivals", Some("arrivals are scheduled only with `rate`, `find_rate` or `curve`"), errors);
    }
    let (bursts, volume_bursts) = bursts(values, asked.is_some(), errors);
    let think_time = values.time("think_time").filter(|_| searched.is_none()).unwrap_or_default();
    Pace { rate, bursts, volume_bursts, think_time, weight: 0 }
}

/// Arrivals per second; a rate in bytes is divided by the mean bytes of an operation.
fn rate(
    values: &Values<'_, '_>,
    asked: AskedRate,
    arrivals: Arrivals,
    (shares, sync_every): (Shares, u32),
    sizes: &Sizes,
    errors: &mut Errors,
) -> Option<Rate> {
    // Flushes arrive like every other operation and move nothing: those that are drawn, and those after every N
    // writes.
    let synced = if sync_every > 0 { f64::from(shares.write.get()) / 100.0 / f64::from(sync_every) } else { 0.0 };
    let moving = f64::from(100 - shares.flush.get()) / 100.0 / (1.0 + synced);
    let per_1000_s = asked.per_1000_s(sizes.mean() * moving);
    if per_1000_s.is_none() {
        let title = format!("{asked} is not a rate of operations that this load can have");
        let label = "expected between one operation in 1000 s and 1G IOPS";
        errors.push(Diagnostic::new(values.at("rate"), title, label));
    }
    per_1000_s.map(|per_1000_s| Rate { per_1000_s, arrivals })
}

fn verify(
    values: &Values<'_, '_>,
    shares: Shares,
    sizes: &Sizes,
    content: &Content,
    (data, streams, threads): (DataPattern, Streams, Threads),
    errors: &mut Errors,
) -> Verify {
    let stated = match values.word("verify") {
        "headers" => Verify::Headers,
        "at_once" => Verify::AtOnce,
        "check" => Verify::Check,
        _ => Verify::Off,
    };
    let verify = if shares.check { Verify::Check } else { stated };
    if verify.is_off() {
        return verify;
    }
    let plain = data == DataPattern::Incompressible && content.is_plain();
    let misfit = match () {
        () if verify == Verify::Check && shares.changes() => {
            Some("a load that checks what an earlier step wrote must not write, trim or zero")
        }
        () if verify != Verify::Check && shares.write.is_zero() => {
            Some("only writes carry headers, but this load has none; op = \"verify\" checks them")
        }
        () if shares.only_flushes() => Some("flushes move no blocks"),
        () if sizes.smallest.get() < LEAST_VERIFIED => Some("a header needs blocks of at least 512 bytes"),
        () if verify != Verify::Check && !plain => {
            Some("blocks with headers are data = \"incompressible\" without other shares")
        }
        () if streams == Streams::ByKind => Some("with streams by kind, the last write of a block is unknown"),
        () if threads.get() > 1 && streams != Streams::Disjoint => {
            Some("several threads write the same blocks, so the last write is unknown; expected streams = \"disjoint\"")
        }
        () => None,
    };
    let key = if shares.check { "op" } else { "verify" };
    if values.refuses(key, "cannot have headers checked", misfit, errors) { Verify::Off } else { verify }
}
