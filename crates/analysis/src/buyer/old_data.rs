//! Is data that was stored for long still read fast? The speed of places over the whole target against the fastest one.
//!
//! Cells that lost charge are read repeatedly until they can be decoded, so such data is read slower than fresh data
//! on the same drive (the well-known case is Samsung's 840 EVO of 2014). Places that hold no data are read fast and
//! do not count. Neither do rounds in which other programs used the disk, nor figures that the host held back: they
//! say nothing against the drive.

use drivelab_core::metric::Metric;
use drivelab_core::plan::{Combine, Step, StepRole, TestPlan};
use drivelab_core::record::StepRecord;
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;
use drivelab_core::workload::{Pattern, Workload};

use super::answer::{Answer, Notes, Question, Sureness, beside};
use super::known::{Known, Place, SmallReads};
use crate::analysis::Analysis;
use crate::evidence::plural;
use crate::stats;
use crate::topics::limits::{self, LimitKind};
use crate::topics::rounds::used_rounds;
use crate::values::{Execution, read_throughput};

/// A place is slow below this share of the fastest one. Regions of one flash drive differ by about a fifth.
const SLOW: f64 = 0.5;
/// The same share for a hard disk, whose innermost track is half as long as the outermost.
const SLOW_SPINNING: f64 = 0.35;
/// Least time that a slow place must take longer than the fastest one would, in seconds. On a fast target a place of a
/// few MiB takes some milliseconds, as long as other programs may hold up a thread.
const LEAST_LOSS_S: f64 = 0.02;
/// Fewest places that can be compared.
const LEAST_PLACES: usize = 4;
/// A shorter place is read before the drive reaches its full speed.
const LEAST_LENGTH: Bytes = Bytes::new(4 << 20);
/// The most slow places that are named one by one.
const NAMED: usize = 4;
/// Why the speed of places is not known, and what helps.
const OTHERS: &str = "other programs used the disk; measure again when nothing else uses it";
const OTHERS_ACTION: &str = "Find what uses the disk (`iotop`, `lsof`), stop it and check again.";
/// What to do if the host held reads back.
const HELD_BACK_ACTION: &str = "Find what uses or limits the CPU (`top`), stop it and check again.";

impl Place {
    /// Whether its figure shows how slow it is: a lower bound does not.
    const fn is_judged(&self) -> bool {
        self.wrong.is_none() && self.held_back.is_none()
    }
}

/// The places of the first test that reads place after place sequentially, by their addresses.
pub(super) fn places(records: &RunRecords, analysis: &Analysis) -> Vec<Place> {
    let of_test = |test: &TestPlan| -> Vec<Place> {
        let of_step = |step: &Step| place(records, analysis, (test, step));
        test.steps.iter().filter(|step| step.role == StepRole::Measure).filter_map(of_step).collect()
    };
    let mut tests = records.plan.tests.iter().map(of_test);
    let mut places = tests.find(|places| places.len() >= LEAST_PLACES).unwrap_or_default();
    places.sort_by_key(|place| place.offset);
    places
}

/// The place of a step that reads sequentially.
fn place(records: &RunRecords, analysis: &Analysis, (test, step): (&TestPlan, &Step)) -> Option<Place> {
    let load = step.workload().filter(|load| load.pattern == Pattern::Sequential && load.read_percent() == 100)?;
    let metric = analysis.step_metric(&step.id, "read.throughput")?;
    let mb_s = metric.value.or_else(|| metric.rounds.iter().copied().reduce(f64::max))?;
    let (offset, length, combine, rounds) = (load.span.offset, load.span.length, test.combine, metric.rounds.len());
    let used = used_rounds(records, test, step);
    let (wrong, held_back) = (metric.wrong, what_held_back(&used, load));
    let all = Place { offset, length, mb_s, rounds, combine, left_out: 0, wrong, held_back };
    if wrong.is_none() {
        return Some(all);
    }
    let counted = undisturbed(&used, analysis, metric);
    let rate = |record: &StepRecord| read_throughput(Execution::new(step, record)?.within(records));
    let rates: Vec<f64> = counted.iter().filter_map(|record| rate(record)).collect();
    let mb_s = match combine {
        Combine::Mean => stats::mean(&rates),
        Combine::Median => stats::median(&rates),
        Combine::Best => rates.iter().copied().reduce(f64::max),
    };
    let left_out = rounds.saturating_sub(rates.len());
    let rounds = rates.len();
    let held_back = what_held_back(&counted, load);
    Some(mb_s.map_or(all, |mb_s| Place { mb_s, rounds, left_out, wrong: None, held_back, ..all }))
}

/// What limited these rounds other than the target; `None` if their figure is not a lower bound.
fn what_held_back(used: &[&StepRecord], load: &Workload) -> Option<LimitKind> {
    let limit = limits::of_rounds(used, load);
    limit.lower_bound.then_some(limit.limited_by)
}

/// The undisturbed rounds.
fn undisturbed<'r>(used: &[&'r StepRecord], analysis: &Analysis, metric: &Metric) -> Vec<&'r StepRecord> {
    let spoils = |record: &StepRecord| {
        let mut findings = analysis.findings.iter().filter(|finding| metric.spoiled_by.contains(&finding.code));
        findings.any(|finding| finding.steps.contains(&record.key))
    };
    used.iter().copied().filter(|record| !spoils(record)).collect()
}

/// The fastest place of all: the highest rate through the link.
pub(super) fn fastest<'a>(known: &Known<'a>) -> Option<&'a Place> {
    known.read?.places.iter().max_by(|one, other| one.mb_s.total_cmp(&other.mb_s))
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
    let holds = |place: &Place| known.content().and_then(|content| content.holds_data_at(place.offset)) != Some(false);
    let (with, without): (Vec<Place>, Vec<Place>) = all.iter().partition(|place| holds(place));
    if !without.is_empty() {
        let (count, all) = (without.len(), all.len());
        notes.saw(format!("{count} of {all} places hold no data and do not count: such reads are fast"));
    }
    for small in &read.small {
        let SmallReads { label, mean_us, p99_us, longest_us, wrong } = small;
        let most = p99_us.map_or_else(String::new, |p99_us| format!("99 % within {p99_us:.0} µs, "));
        notes.saw(format!("{label}: mean {mean_us:.0} µs, {most}longest {longest_us:.0} µs{}", beside(*wrong)));
    }
    if with.len() < LEAST_PLACES {
        let why = format!("only {} of {} places hold data, too few to compare", with.len(), all.len());
        let how = "A drive that is empty, or was emptied for the sale, cannot show this.";
        return notes.unknown(Question::OldData, &why, how);
    }
    let spins = known.device().is_some_and(|device| device.rotational == Some(true));
    let limit = if spins { SLOW_SPINNING } else { SLOW };
    if spins {
        let [share, flash] = [SLOW_SPINNING, SLOW].map(|share| 100.0 * share);
        notes.saw(format!(
            "the kernel reports a hard disk, so places below {share:.0} % of the fastest count as slow (flash: {flash:.0} %)"
        ));
    }
    let open = compare(&with, limit, &mut notes);
    if let Some((why, how)) = open.filter(|_| notes.beware.is_empty()) {
        return notes.unknown(Question::OldData, &why, how);
    }
    let good = format!("No place that holds data is read at less than {:.0} % of the fastest.", limit * 100.0);
    let because = if known.content().is_some() {
        format!("{}; the age of the data is not known", how_often(&with))
    } else {
        "which places hold data was not checked, and places without data are read fast".to_owned()
    };
    let action = "Ask how long the data was stored. Writing it again (backup and restore) restores its speed, but on \
                  a worn drive not for long.";
    notes.answer(Question::OldData, &good, (Sureness::Likely, because.as_str()), action)
}

/// How often places were measured, and how the results were combined.
fn how_often(places: &[Place]) -> String {
    let rounds = || places.iter().map(|place| place.rounds);
    let (least, most) = (rounds().min().unwrap_or_default(), rounds().max().unwrap_or_default());
    let times = match (least, most) {
        (1, 1) => return "measured once each".to_owned(),
        (2, 2) => "twice".to_owned(),
        _ if least == most => format!("{most} times"),
        _ => format!("{least} to {most} times"),
    };
    let taken = match places.first().map(|place| place.combine) {
        Some(Combine::Mean) => "their mean",
        Some(Combine::Median) => "their median",
        Some(Combine::Best) | None if most == 2 => "the better one",
        Some(Combine::Best) | None => "the best one",
    };
    format!("measured {times} each, {taken} taken")
}

/// Compares each place that is judged with the fastest of all; a disturbed or limited place would not be slower without
/// that. If the question stays open, gives why and what helps: a place that is not judged seems slow, or too few are
/// judged.
fn compare(places: &[Place], limit: f64, notes: &mut Notes) -> Option<(String, &'static str)> {
    let (judged, open): (Vec<Place>, Vec<Place>) = places.iter().partition(|place| place.is_judged());
    let (disturbed, held): (Vec<Place>, Vec<Place>) = open.iter().partition(|place| place.wrong.is_some());
    others(places, &disturbed, notes);
    tell_held(places.len(), &held, notes);
    let fastest = places.iter().map(|place| place.mb_s).fold(0.0, f64::max);
    let at_least = if judged.iter().all(|place| place.mb_s < fastest) { "at least " } else { "" };
    if let Some(slowest) = judged.iter().map(|place| place.mb_s).reduce(f64::min) {
        let share = if fastest > 0.0 { slowest / fastest * 100.0 } else { 0.0 };
        notes.figure("slowest place, of the fastest", share, Some(limit * 100.0), "%");
        let of = match (disturbed.is_empty(), held.is_empty()) {
            (true, true) => "",
            (false, true) => " of those not disturbed",
            (_, false) => " of those not held back",
        };
        let count = places.len();
        notes
            .saw(format!("{count} places: the fastest {at_least}{fastest:.0} MB/s, the slowest{of} {slowest:.0} MB/s"));
    }
    let seconds = |place: &Place, mb_s: f64| place.length.as_f64() / 1e6 / mb_s.max(f64::MIN_POSITIVE);
    let is_slow = |place: &&Place| {
        let lost_s = seconds(place, place.mb_s) - seconds(place, fastest);
        place.mb_s < limit * fastest && lost_s >= LEAST_LOSS_S
    };
    let slow: Vec<&Place> = judged.iter().filter(is_slow).collect();
    name_slow(&slow, &format!("{at_least}{fastest:.0} MB/s"), (places.len(), limit), notes);
    let leaves_open =
        |of: &[Place]| !of.is_empty() && (judged.len() < LEAST_PLACES || of.iter().any(|place| is_slow(&place)));
    if leaves_open(&disturbed) {
        return Some((OTHERS.to_owned(), OTHERS_ACTION));
    }
    leaves_open(&held).then(|| (held_why(&held), HELD_BACK_ACTION))
}

/// Why places that the host held back are not judged.
fn held_why(held: &[Place]) -> String {
    format!("reads were limited by {}, not by the drive, so places may be faster than measured", limited_by(held))
}

/// What limited them, each once.
fn limited_by(held: &[Place]) -> String {
    let mut titles: Vec<&str> = held.iter().filter_map(|place| place.held_back).map(LimitKind::title).collect();
    titles.sort_unstable();
    titles.dedup();
    titles.join(" and ")
}

/// Notes what the host did to the figures.
fn tell_held(count: usize, held: &[Place], notes: &mut Notes) {
    let rates: Vec<f64> = held.iter().map(|place| place.mb_s).collect();
    if let Some((low, high)) = stats::range(&rates) {
        notes.saw(format!(
            "{} of {count} places were limited by {}, so these are lower bounds: {low:.0} to {high:.0} MB/s",
            held.len(),
            limited_by(held)
        ));
    }
}

/// Notes what other programs did to the figures.
fn others(places: &[Place], disturbed: &[Place], notes: &mut Notes) {
    let left_out: usize = places.iter().map(|place| place.left_out).sum();
    if left_out > 0 {
        let rounds = plural(left_out, "round");
        notes.saw(format!("{rounds} left out because other programs used the disk"));
    }
    let rates: Vec<f64> = disturbed.iter().map(|place| place.mb_s).collect();
    if let Some((low, high)) = stats::range(&rates) {
        notes.saw(format!(
            "{} of {} places were read only while other programs used the disk: {low:.0} to {high:.0} MB/s, perhaps \
             faster without them",
            disturbed.len(),
            places.len()
        ));
    }
}

/// Notes which places are slow.
fn name_slow(slow: &[&Place], fastest: &str, (count, limit): (usize, f64), notes: &mut Notes) {
    if slow.is_empty() {
        return;
    }
    let named: Vec<String> = slow
        .iter()
        .take(NAMED)
        .map(|place| format!("{:.0} MB/s from {} on", place.mb_s, place.offset.about()))
        .collect();
    let more = slow.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    notes.beware(format!(
        "{} of {count} places are read at less than {:.0} % of the fastest ({fastest}): {}{more}",
        slow.len(),
        limit * 100.0,
        named.join(", ")
    ));
}

/// Small random reads.
pub(super) fn small_reads(records: &RunRecords, analysis: &Analysis) -> Vec<SmallReads> {
    let of_step = |step: &Step| {
        step.workload().filter(|load| load.pattern == Pattern::Random && load.read_percent() == 100)?;
        let value = |id: &str| analysis.step_metric(&step.id, id).and_then(|metric| metric.value);
        let mean = analysis.step_metric(&step.id, "read.latency_mean")?;
        let (label, mean_us, p99_us) = (step.label.clone(), mean.value?, value("read.latency_p99"));
        Some(SmallReads { label, mean_us, p99_us, longest_us: value("read.latency_max")?, wrong: mean.wrong })
    };
    records.plan.steps().filter(|step| step.role == StepRole::Measure).filter_map(of_step).collect()
}
