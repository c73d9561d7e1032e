//! Names of steps: the slug in the id, the short text for people, and the values on the axes.
//!
//! A value that differs from the usual one is always named; a usual value is named only if the test varies it.

use drivelab_core::load::{Arrivals, OpKind, OtherOps, Verify};
use drivelab_core::plan::RateSearch;
use drivelab_core::units::Percent;
use drivelab_core::workload::{Pattern, Streams, Workload};

use crate::load::workload::extent;
use crate::tree::locality::locality_text;
use crate::tree::value::Value;
use crate::values::Values;
use crate::vocabulary::load::axes;

/// The parts of a name, as written in the file.
#[derive(Debug, Clone)]
pub(crate) struct Naming {
    pattern: Pattern,
    sizes: String,
    /// The block sizes that are used instead, if the target is too small for the stated ones.
    instead: Option<String>,
    queue_depth: u32,
    threads: u32,
    /// The operations: for people, and for the slug.
    op: (String, String),
    /// What the rest does not show, and the case if it is needed.
    pub(crate) extra: Vec<String>,
    /// Groups that run at the same time.
    beside: Vec<String>,
    /// Trace and mode of a replay.
    replay: Option<(String, String)>,
}

impl Naming {
    /// Names a step's own load with these values, before it is fitted to a target.
    pub(crate) fn of(values: &Values<'_, '_>, workload: &Workload, search: Option<&RateSearch>) -> Naming {
        let picked = |key: &str| values.test.is_some_and(|(_, pick)| pick.values.iter().any(|(name, _)| *name == key));
        let details = details(values, workload).into_iter();
        let told = |detail: &Detail| {
            // A search sets the rate, whatever a general table states.
            (!detail.usual || picked(detail.key)) && !(detail.key == "rate" && search.is_some())
        };
        let searched = search.map(|search| format!("{} within {}", search.percentile_name(), search.bound));
        let extra = details.filter(told).map(|detail| detail.text).chain(searched).collect();
        Naming {
            pattern: workload.pattern,
            sizes: sizes(workload),
            instead: None,
            queue_depth: workload.queue_depth.get(),
            threads: workload.threads.get(),
            op: operations(workload),
            extra,
            beside: workload.beside.iter().map(beside).collect(),
            replay: workload.replay.as_ref().map(|replay| (replay.trace.clone(), replay.mode.words())),
        }
    }

    /// Adopts the load as it was fitted to its target: people read which block sizes are used. Ids stay as written.
    pub(crate) fn fitted(&mut self, workload: &Workload) {
        let fitted = sizes(workload);
        self.instead = (self.replay.is_none() && fitted != self.sizes).then_some(fitted);
    }

    /// `seq-1m-q8t1-read`
    pub(crate) fn slug(&self) -> String {
        let pattern = match self.pattern {
            Pattern::Sequential => "seq",
            Pattern::Reverse => "rev",
            Pattern::Random => "rnd",
            Pattern::RandomOnce => "once",
        };
        let sizes = compact(&self.sizes);
        let mut slug = match &self.replay {
            Some((trace, mode)) => format!("{trace}-q{}-{}", self.queue_depth, compact(mode)),
            None => format!("{pattern}-{sizes}-q{}t{}-{}", self.queue_depth, self.threads, self.op.1),
        };
        for extra in &self.extra {
            slug.push('-');
            slug.push_str(&compact(extra));
        }
        slug
    }

    /// `SEQ 1 MiB Q8T1 read`
    pub(crate) fn label(&self) -> String {
        let pattern = match self.pattern {
            Pattern::Sequential => "SEQ",
            Pattern::Reverse => "REV",
            Pattern::Random => "RND",
            Pattern::RandomOnce => "RND once",
        };
        let mut label = match &self.replay {
            Some((trace, mode)) => format!("Trace {trace} Q{}, {mode}", self.queue_depth),
            None => {
                let sizes = self
                    .instead
                    .as_ref()
                    .map_or_else(|| self.sizes.clone(), |instead| format!("{instead} (instead of {})", self.sizes));
                format!("{pattern} {sizes} Q{}T{} {}", self.queue_depth, self.threads, self.op.0)
            }
        };
        // A case that is named after its operations adds nothing.
        for extra in self.extra.iter().filter(|extra| **extra != self.op.0) {
            label.push_str(", ");
            label.push_str(extra);
        }
        if !self.beside.is_empty() {
            label.push_str(&format!("; beside it: {}", self.beside.join(", ")));
        }
        label
    }
}

/// A group by its name, and that it reads another namespace if it does.
fn beside(group: &Workload) -> String {
    // Without the namespace's name: a step has one name on every drive.
    if group.on.is_some() { format!("{} (on another namespace)", group.name) } else { group.name.clone() }
}

/// The block size, or the smallest and the largest.
fn sizes(workload: &Workload) -> String {
    let smallest = workload.block_size_mix.iter().map(|size| size.block_size).min();
    smallest
        .map_or_else(|| workload.block_size.to_string(), |smallest| format!("{smallest} to {}", workload.block_size))
}

/// What the operations do, for people and for the slug: `read`, `30 % write`, `w30`.
fn operations(workload: &Workload) -> (String, String) {
    if workload.verify == Verify::Check {
        return ("verify".to_owned(), "verify".to_owned());
    }
    let OtherOps { trim_percent, write_zeroes_percent, flush_percent, sync_every: _ } = workload.other;
    let shares = [
        (workload.write_percent, OpKind::Write, "w"),
        (trim_percent, OpKind::Trim, "trim"),
        (write_zeroes_percent, OpKind::WriteZeroes, "zeroes"),
        (flush_percent, OpKind::Flush, "flush"),
    ];
    let words = |kind: OpKind| kind.name().replace('_', " ");
    if let Some((_, kind, _)) = shares.iter().find(|(share, ..)| share.get() == 100) {
        return (words(*kind), compact(&words(*kind)));
    }
    let some: Vec<&(Percent, OpKind, &str)> = shares.iter().filter(|(share, ..)| !share.is_zero()).collect();
    if some.is_empty() {
        return (words(OpKind::Read), words(OpKind::Read));
    }
    let long: Vec<String> = some.iter().map(|(share, kind, _)| format!("{share} % {}", words(*kind))).collect();
    let short: Vec<String> = some.iter().map(|(share, _, letter)| format!("{letter}{share}")).collect();
    (long.join(" "), short.join("-"))
}

/// A property of a load that pattern, sizes, queue depth and operations do not show.
struct Detail {
    key: &'static str,
    text: String,
    usual: bool,
}

fn details(values: &Values<'_, '_>, workload: &Workload) -> Vec<Detail> {
    let detail = |key, text: String, usual| Detail { key, text, usual };
    let pace = &workload.pace;
    let content = &workload.content;
    let batch = workload.placement.batch.max(1);
    let mut details = vec![
        detail("locality", locality_text(&workload.locality), workload.locality.is_uniform()),
        detail("seek_percent", format!("seek {} %", workload.seek_percent), workload.seek_percent.is_zero()),
        detail("streams", format!("{} streams", streams(workload.streams)), true),
        detail("sync_every", format!("sync every {}", workload.other.sync_every), workload.other.sync_every == 0),
        detail("data", workload.data.name().replace('_', " "), true),
        detail(
            "compress_percent",
            format!("compress {} %", content.compress_percent),
            content.compress_percent.is_zero(),
        ),
        detail("dedup_percent", format!("dedup {} %", content.dedup_percent), content.dedup_percent.is_zero()),
        detail("span", format!("span {}", extent(values)), true),
        detail("think_time", format!("think {}", pace.think_time), pace.think_time.is_zero()),
        detail("verify", verified(workload.verify).to_owned(), matches!(workload.verify, Verify::Off | Verify::Check)),
        detail("direct", if workload.direct { "direct" } else { "buffered" }.to_owned(), workload.direct),
        detail("batch", format!("batch {batch}"), batch == 1),
    ];
    if let Some(handle) = workload.placement_handle {
        details.push(detail("placement_handle", format!("handle {handle}"), false));
    }
    if let Some(stride) = workload.stride {
        details.push(detail("stride", format!("stride {stride}"), false));
    }
    if let Some(places) = workload.places {
        details.push(detail("places", format!("places {}", places.count), false));
    }
    if let Some(rate) = pace.rate {
        details.extend(values.rate("rate").map(|asked| detail("rate", format!("rate {asked}"), false)));
        let usual = rate.arrivals == Arrivals::Constant;
        details.push(detail("arrivals", format!("{} arrivals", rate.arrivals.name()), usual));
    }
    if let Some(bursts) = pace.bursts {
        details.push(detail("bursts", format!("bursts {} on {} off", bursts.on, bursts.off), false));
    }
    if let Some(bursts) = pace.volume_bursts {
        let most = bursts.on_at_most.map_or_else(String::new, |most| format!(" {most} at most"));
        details.push(detail("bursts", format!("bursts {}{most} duty {} %", bursts.volume, bursts.duty_percent), false));
    }
    details
}

const fn streams(streams: Streams) -> &'static str {
    match streams {
        Streams::Disjoint => "disjoint",
        Streams::Overlapping => "overlapping",
        Streams::Shared => "shared",
        Streams::ByKind => "by kind",
    }
}

const fn verified(verify: Verify) -> &'static str {
    match verify {
        Verify::Off => "without headers",
        Verify::Headers => "headers",
        Verify::AtOnce => "verified at once",
        Verify::Check => "checked",
    }
}

/// Every parameter that can be an axis, as charts show it.
pub(crate) fn shown(values: &Values<'_, '_>, workload: &Workload) -> Vec<(&'static str, String)> {
    let of = |axis: &'static str| {
        let stated = || values.get(axis).map(Value::to_string);
        match axis {
            "write_percent" => workload.write_percent.to_string(),
            "trim_percent" => workload.other.trim_percent.to_string(),
            "write_zeroes_percent" => workload.other.write_zeroes_percent.to_string(),
            "flush_percent" => workload.other.flush_percent.to_string(),
            "sync_every" => workload.other.sync_every.to_string(),
            "block_size" => workload.block_size.to_string(),
            "threads" => workload.threads.to_string(),
            "locality" => locality_text(&workload.locality),
            "stride" => workload.stride.map_or_else(|| "none".to_owned(), |stride| stride.to_string()),
            "seek_percent" => workload.seek_percent.to_string(),
            "streams" => streams(workload.streams).to_owned(),
            "data" => workload.data.name().to_owned(),
            "compress_percent" => workload.content.compress_percent.to_string(),
            "dedup_percent" => workload.content.dedup_percent.to_string(),
            "span" => extent(values).to_string(),
            "rate" => stated().unwrap_or_else(|| "none".to_owned()),
            "arrivals" => stated().unwrap_or_else(|| Arrivals::Constant.name().to_owned()),
            "think_time" => workload.pace.think_time.to_string(),
            "verify" => workload.verify.name().to_owned(),
            "direct" => workload.direct.to_string(),
            "batch" => workload.placement.batch.max(1).to_string(),
            _ => stated().unwrap_or_default(),
        }
    };
    axes().map(|axis| (axis, of(axis))).collect()
}

/// "4 KiB" -> `4k`, "25 % at 10 %" -> `25pct-at-10pct`: only characters that a step id may contain, with a different
/// text for each value.
fn compact(text: &str) -> String {
    const UNITS: [(&str, &str); 15] = [
        ("TiB", "t"),
        ("GiB", "g"),
        ("MiB", "m"),
        ("KiB", "k"),
        ("B", "b"),
        ("TB", "tb"),
        ("GB", "gb"),
        ("MB", "mb"),
        ("kB", "kb"),
        ("%", "pct"),
        ("h", "h"),
        ("s", "s"),
        ("ms", "ms"),
        ("us", "us"),
        ("ns", "ns"),
    ];
    let mut compact = String::with_capacity(text.len());
    for word in text.split(' ') {
        let unit = UNITS.iter().find(|(unit, _)| *unit == word).map(|(_, letters)| *letters);
        if unit.is_none() && !compact.is_empty() {
            compact.push('-');
        }
        compact.push_str(unit.unwrap_or(word));
    }
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' };
    compact.chars().map(plain).collect()
}
