//! Events during an execution: throttling, heat, a changed link, PCIe errors, media errors, memory pressure, stolen CPU
//! time, a suspended machine. Voids nothing; other I/O on the disks is in [`crate::topics::others`].

use drivelab_core::finding::{Evidence, Finding};
use drivelab_core::telemetry::{About, GapCause, Quantity, Recorded, RecordedSource, SourceKind};

use super::course::{around, course, readings, rose};
use super::values::of_drive;
use super::words as text;
use crate::check::{Check, Seen, Subject, told};
use crate::evidence::evidence;
use crate::topics::others;
use crate::values;

/// Share of the time in which some task waited for memory, from which a finding reports it.
const PRESSURE_SHARE: f64 = 0.05;
/// Share of the CPU time that may be stolen from a virtual machine, per cent.
const STEAL_PERCENT: f64 = 5.0;
/// Suspends last seconds; less is the distance between two clock readings.
const SUSPENDED_S: f64 = 0.1;

/// Readings of a step below which a mean, a highest and a lowest value are hardly more than the reading itself.
const FEW_READINGS: usize = 3;

/// Checks of single executions.
pub(crate) static WATCHED: &[Check] = &[
    Check { finding: &text::DRIVE_THROTTLED, rule: "", check: throttled },
    Check { finding: &text::DRIVE_HOT, rule: "", check: hot },
    Check { finding: &others::USED_DISK, rule: "", check: others::others },
    Check { finding: &others::PERHAPS, rule: "", check: others::perhaps_others },
    Check { finding: &others::WRITES_NOT_JUDGED, rule: "", check: others::writes_not_judged },
    Check { finding: &text::LINK_CHANGED, rule: "", check: link_changed },
    Check { finding: &text::PCIE_ERRORS, rule: "", check: pcie_errors },
    Check { finding: &text::MEDIA_ERRORS, rule: "", check: media_errors },
    Check { finding: &text::MEMORY_PRESSURE, rule: "", check: memory_pressure },
    Check { finding: &text::CPU_STOLEN, rule: "", check: cpu_stolen },
    Check { finding: &text::MACHINE_SUSPENDED, rule: "", check: suspended },
    Check { finding: &text::FEW_READINGS, rule: "", check: few_readings },
];

/// The user's meters without any reading, each with its first error: an invalid line, or its end.
pub(crate) fn silent_meters(recorded: &Recorded) -> Option<Finding> {
    let silent = of_kind(recorded, SourceKind::Adapter).filter(|source| source.samples.is_empty());
    let names: Vec<String> = silent
        .map(|source| {
            let why = source.gaps.iter().find_map(|gap| match &gap.cause {
                GapCause::Failed(why) => Some(format!(" ({why})")),
                GapCause::Quiet | GapCause::Late | GapCause::Lost | GapCause::Interrupted => None,
            });
            format!("{}{}", source.description.id, why.unwrap_or_default())
        })
        .collect();
    (!names.is_empty()).then(|| text::silent_meters(&names))
}

/// The telemetry, and the run times of the execution with its ramp.
fn watched<'a>(subject: &Subject<'a>) -> Option<(&'a Recorded, u64, u64)> {
    let record = subject.execution.record;
    let begin = subject.intervals.first().map_or(record.start_ns, |first| first.start_ns.min(record.start_ns));
    Some((subject.execution.watched?, begin, record.end_ns))
}

fn of_kind(recorded: &Recorded, kind: SourceKind) -> impl Iterator<Item = &RecordedSource> {
    recorded.sources.iter().filter(move |source| source.description.kind == kind)
}

/// The series of a quantity that rose during the execution: source, name and by how much.
fn risen(subject: &Subject<'_>, quantity: Quantity, least: f64) -> Vec<(String, f64)> {
    risen_of(subject, None, quantity, least)
}

/// [`risen`] for sources of one kind.
fn risen_of(subject: &Subject<'_>, kind: Option<SourceKind>, quantity: Quantity, least: f64) -> Vec<(String, f64)> {
    let Some((recorded, from, to)) = watched(subject) else { return Vec::new() };
    let wanted = recorded.sources.iter().filter(|source| kind.is_none_or(|kind| source.description.kind == kind));
    let series = wanted.flat_map(|source| source.series_of(quantity).map(move |at| (source, at)));
    let by = |(source, at): (&RecordedSource, usize)| {
        let name = source.description.series.get(at).map_or("", |series| series.name.as_str());
        let by = rose(source, at, from, to).filter(|by| *by >= least)?;
        Some((format!("{} ({})", name, source.description.id), by))
    };
    series.filter_map(by).collect()
}

fn counted(risen: Vec<(String, f64)>, unit: &str) -> Vec<Evidence> {
    risen.into_iter().map(|(what, by)| evidence(&what, by, Some(0.0), unit)).collect()
}

/// The drive's own counters of throttling rose.
fn throttled(subject: &Subject<'_>) -> Vec<Seen> {
    let mut found = counted(risen(subject, Quantity::ThrottleTransitions, 1.0), "transitions");
    found.extend(counted(risen(subject, Quantity::ThrottleTime, 1.0), "s"));
    found.extend(counted(risen(subject, Quantity::LimitMinutes, 1.0), "min"));
    told(subject, (!found.is_empty()).then_some(found))
}

/// A temperature of the drive reached its own warning limit.
fn hot(subject: &Subject<'_>) -> Vec<Seen> {
    let Some((recorded, from, to)) = watched(subject) else { return Vec::new() };
    let of_drive = recorded.sources.iter().filter(|source| matches!(source.description.about, About::Drive(_)));
    let mut found = Vec::new();
    for source in of_drive {
        for at in source.series_of(Quantity::Temperature) {
            let Some(series) = source.description.series.get(at) else { continue };
            let inside = source.values(at).filter(|(ns, _)| (from..=to).contains(ns)).map(|(_, celsius)| celsius);
            let highest = inside.max_by(f64::total_cmp);
            if let (Some(highest), Some(limit)) = (highest, series.warning)
                && highest >= limit
            {
                found.push(evidence(
                    &format!("{} ({})", series.name, source.description.id),
                    highest,
                    Some(limit),
                    "°C",
                ));
            }
        }
    }
    told(subject, (!found.is_empty()).then_some(found))
}

fn name_of(source: &RecordedSource) -> &str {
    match &source.description.about {
        About::Drive(name) => name,
        About::Host => "the host",
    }
}

/// The speed or the width of the link changed.
fn link_changed(subject: &Subject<'_>) -> Vec<Seen> {
    let Some((recorded, from, to)) = watched(subject) else { return Vec::new() };
    let mut found = Vec::new();
    for source in of_kind(recorded, SourceKind::Link) {
        for (at, series) in source.description.series.iter().enumerate() {
            let Some([(first, _), (last, _)]) = around(source, at, from, to) else { continue };
            let values = || source.values(at).filter(|(ns, _)| (first..=last).contains(ns)).map(|(_, value)| value);
            let (low, high) = (values().min_by(f64::total_cmp), values().max_by(f64::total_cmp));
            if let (Some(low), Some(high)) = (low, high)
                && low < high
            {
                let what = format!("lowest {} of the link of {} (limit: highest)", series.name, name_of(source));
                found.push(evidence(&what, low, Some(high), series.quantity.unit()));
            }
        }
    }
    told(subject, (!found.is_empty()).then_some(found))
}

fn pcie_errors(subject: &Subject<'_>) -> Vec<Seen> {
    let found = counted(risen_of(subject, Some(SourceKind::PcieErrors), Quantity::Errors, 1.0), "errors");
    told(subject, (!found.is_empty()).then_some(found))
}

/// The drive's own count of data that it could not read or store.
fn media_errors(subject: &Subject<'_>) -> Vec<Seen> {
    let found = counted(risen_of(subject, Some(SourceKind::Smart), Quantity::Errors, 1.0), "errors");
    told(subject, (!found.is_empty()).then_some(found))
}

/// Share of the time in which some task waited for memory.
fn memory_pressure(subject: &Subject<'_>) -> Vec<Seen> {
    let Some((recorded, from, to)) = watched(subject) else { return Vec::new() };
    let Some(source) = of_kind(recorded, SourceKind::MemoryPressure).next() else { return Vec::new() };
    let share = |series: usize| {
        let [(before, some), (after, more)] = around(source, series, from, to)?;
        Some((more - some) / ((after - before) as f64 / 1e9))
    };
    let found = share(0).filter(|share| *share > PRESSURE_SHARE).map(|some| {
        let mut found = vec![evidence(
            "time in which some task waited for memory",
            100.0 * some,
            Some(100.0 * PRESSURE_SHARE),
            "%",
        )];
        found.extend(share(1).map(|full| evidence("time in which all of them did", 100.0 * full, None, "%")));
        found
    });
    told(subject, found)
}

fn cpu_stolen(subject: &Subject<'_>) -> Vec<Seen> {
    let stolen = values::host_cpu_steal(subject.execution).filter(|stolen| *stolen > STEAL_PERCENT);
    told(subject, stolen.map(|stolen| vec![evidence("stolen CPU time", stolen, Some(STEAL_PERCENT), "%")]))
}

/// The clock that runs during a suspend advanced further than the one that does not.
fn suspended(subject: &Subject<'_>) -> Vec<Seen> {
    let found = counted(risen(subject, Quantity::SuspendedTime, SUSPENDED_S), "s");
    told(subject, (!found.is_empty()).then_some(found))
}

/// Temperature or power of the drive is a figure of the step, but from too few readings to show its course.
fn few_readings(subject: &Subject<'_>) -> Vec<Seen> {
    let record = subject.execution.record;
    let Some(recorded) = subject.execution.watched else { return Vec::new() };
    let few = |(quantity, what): (Quantity, &str)| {
        let (source, series) = of_drive(recorded, quantity)?;
        course(source, series, record.start_ns, record.end_ns)?;
        let count = readings(source, series, record.start_ns, record.end_ns);
        let (count, limit) = (count < FEW_READINGS).then_some((count as f64, FEW_READINGS as f64))?;
        Some(evidence(&format!("readings of the {what}"), count, Some(limit), ""))
    };
    let found: Vec<Evidence> =
        [(Quantity::Temperature, "temperature"), (Quantity::Power, "power")].into_iter().filter_map(few).collect();
    told(subject, (!found.is_empty()).then_some(found))
}

#[cfg(test)]
mod tests;
