//! Is data that lay there for long still read fast? The speed of places over the whole target against the fastest one.
//!
//! Cells that lost charge are read again and again until they can be decoded: such data reads slower than fresh data of
//! the same drive (the well-known case is Samsung's 840 EVO of 2014). Places that hold nothing are read fast and do not
//! count.

use drivelab_core::content::PlaceSample;
use drivelab_core::plan::{Step, StepRole, TestPlan};
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Pattern;

use super::{Answer, Known, Notes, Question, Sureness};
use crate::Analysis;

/// A place is slow below this share of the fastest one. Regions of one flash drive differ by a fifth or so.
const SLOW: f64 = 0.5;
/// The same where it spins: the innermost track of a disk is half as long as the outermost.
const SLOW_SPINNING: f64 = 0.35;
/// Fewest places that say anything.
const LEAST_PLACES: usize = 4;
/// A shorter place is read before the drive has begun in earnest.
const LEAST_LENGTH: Bytes = Bytes::new(4 << 20);
/// Most slow places that are named one by one.
const NAMED: usize = 4;

/// A place that was read in order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Where it begins.
    pub offset: Bytes,
    /// Its length; not all of it may have been read.
    pub length: Bytes,
    /// `read.throughput` of its step, in 10^6 bytes per second.
    pub mb_s: f64,
}

/// Small reads of one step, in microseconds: its `read.latency_mean`, `read.latency_p99` and `read.latency_max`.
#[derive(Debug, Clone, PartialEq)]
pub struct SmallReads {
    /// What the step is called.
    pub label: String,
    /// Mean.
    pub mean_us: f64,
    /// 99 % took no longer; absent where too few reads tell it.
    pub p99_us: Option<f64>,
    /// The longest.
    pub longest_us: f64,
}

/// The places of the first test that reads one after the other in order, by their addresses.
pub(super) fn places(records: &RunRecords, analysis: &Analysis) -> Vec<Place> {
    let of_test = |test: &TestPlan| -> Vec<Place> {
        let of_step = |step: &Step| {
            let load =
                step.workload().filter(|load| load.pattern == Pattern::Sequential && load.read_percent() == 100)?;
            let metric = analysis.step_metric(&step.id, "read.throughput")?;
            let mb_s = metric.value.or_else(|| metric.rounds.iter().copied().reduce(f64::max))?;
            Some(Place { offset: load.span.offset, length: load.span.length, mb_s })
        };
        test.steps.iter().filter(|step| step.role == StepRole::Measure).filter_map(of_step).collect()
    };
    let mut tests = records.plan.tests.iter().map(of_test);
    let mut places = tests.find(|places| places.len() >= LEAST_PLACES).unwrap_or_default();
    places.sort_by_key(|place| place.offset);
    places
}

/// The fastest place of all, in MB/s: what was read through the link at most.
pub(super) fn fastest(known: &Known<'_>) -> Option<f64> {
    known.read?.places.iter().map(|place| place.mb_s).reduce(f64::max)
}

pub(super) fn answer(known: &Known<'_>) -> Answer {
    let mut notes = Notes::default();
    let Some(read) = known.read else {
        let (why, how) = known.not_read.map_or(("nothing was read", ""), |missing| (&missing.why, &missing.how));
        return notes.unknown(Question::OldData, why, how);
    };
    let all: Vec<Place> = read.places.iter().copied().filter(|place| place.length >= LEAST_LENGTH).collect();
    if all.len() < LEAST_PLACES {
        let why = format!("the target is too small: fewer than {LEAST_PLACES} places of {LEAST_LENGTH} could be read");
        return notes.unknown(Question::OldData, &why, "Name a larger file, or the device itself.");
    }
    let holds = |place: &Place| {
        let sample = known.content().and_then(|content| content.places.iter().find(|one| one.offset == place.offset));
        sample.is_none_or(PlaceSample::holds_data)
    };
    let (with, without): (Vec<Place>, Vec<Place>) = all.iter().partition(|place| holds(place));
    if !without.is_empty() {
        let (count, all) = (without.len(), all.len());
        notes.saw(format!("{count} of {all} places hold nothing and do not count: reads of nothing are fast"));
    }
    for small in &read.small {
        let SmallReads { label, mean_us, p99_us, longest_us } = small;
        let most = p99_us.map_or_else(String::new, |p99_us| format!("99 % within {p99_us:.0} µs, "));
        notes.saw(format!("{label}: mean {mean_us:.0} µs, {most}longest {longest_us:.0} µs"));
    }
    if with.len() < LEAST_PLACES {
        let why = format!("only {} of {} places hold data, too few to compare", with.len(), all.len());
        let how = "A drive that is empty, or was emptied for the sale, shows nothing of that kind.";
        return notes.unknown(Question::OldData, &why, how);
    }
    let spins = known.device().is_some_and(|device| device.rotational == Some(true));
    let limit = if spins { SLOW_SPINNING } else { SLOW };
    compare(&with, limit, &mut notes);
    let good = format!("No place that holds data is read at less than {:.0} % of the fastest.", limit * 100.0);
    let because = if known.content().is_some() {
        "measured twice each, the better one taken; how old the data is, nothing tells"
    } else {
        "nobody looked which places hold data, and reads of nothing are fast"
    };
    let action = "Ask how long the data lay there; writing it anew (a backup and a restore) mends faded data, a worn \
                  drive fades again.";
    notes.answer(Question::OldData, &good, (Sureness::Likely, because), action)
}

/// Holds each place against the fastest.
fn compare(places: &[Place], limit: f64, notes: &mut Notes) {
    let fastest = places.iter().map(|place| place.mb_s).fold(0.0, f64::max);
    let slowest = places.iter().map(|place| place.mb_s).fold(f64::INFINITY, f64::min);
    let share = if fastest > 0.0 { slowest / fastest * 100.0 } else { 0.0 };
    notes.figure("slowest place, of the fastest", share, Some(limit * 100.0), "%");
    notes.saw(format!("{} places: the fastest {fastest:.0} MB/s, the slowest {slowest:.0} MB/s", places.len()));
    let slow: Vec<&Place> = places.iter().filter(|place| place.mb_s < limit * fastest).collect();
    if slow.is_empty() {
        return;
    }
    let named: Vec<String> = slow
        .iter()
        .take(NAMED)
        .map(|place| format!("from {} on {:.0} MB/s", place.offset.about(), place.mb_s))
        .collect();
    let more = slow.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    notes.beware(format!(
        "{} of {} places are read at less than {:.0} % of the fastest ({fastest:.0} MB/s): {}{more}",
        slow.len(),
        places.len(),
        limit * 100.0,
        named.join(", ")
    ));
}

/// Small reads at random.
pub(super) fn small_reads(records: &RunRecords, analysis: &Analysis) -> Vec<SmallReads> {
    let of_step = |step: &Step| {
        step.workload().filter(|load| load.pattern == Pattern::Random && load.read_percent() == 100)?;
        let value = |id: &str| analysis.step_metric(&step.id, id).and_then(|metric| metric.value);
        let (mean_us, p99_us) = (value("read.latency_mean")?, value("read.latency_p99"));
        Some(SmallReads { label: step.label.clone(), mean_us, p99_us, longest_us: value("read.latency_max")? })
    };
    records.plan.steps().filter(|step| step.role == StepRole::Measure).filter_map(of_step).collect()
}
