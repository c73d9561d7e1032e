//! Readings of a drive over time that cannot be true: a sensor that is stuck while others change, temperatures that
//! jump while nothing uses the drive, heat that is not flagged, counters that decrease or do not count. Found by hand
//! in seed 004; `sanity` of `drivelab-nvme` finds what a single reading shows.
//!
//! Pure functions of recorded series; voids nothing. A good drive must not be accused: a sensor that does not change is
//! trusted until something else shows that it must have changed, and if it is unknown whether the drive had work, it
//! counts as busy.

use drivelab_core::finding::{Evidence, Finding};
use drivelab_core::telemetry::{About, Quantity, Recorded, RecordedSource, SourceKind};

use super::words as text;
use crate::evidence::evidence;
use crate::topics::telemetry::values::of_drive;
use crate::topics::telemetry::{around, rose};

const SECOND_NS: u64 = 1_000_000_000;
/// A sensor must be constant over this many readings to count as stuck.
const STUCK_READINGS: usize = 3;
/// If another temperature of the same drive changed by this much, a real sensor changes too, K.
const OTHER_MOVED_K: f64 = 5.0;
/// But not immediately: flash warms after the controller beside it. After this long, or after [`SOON_NS`] if it changed
/// by twice [`OTHER_MOVED_K`].
const LATE_NS: u64 = 60 * SECOND_NS;
const SOON_NS: u64 = 20 * SECOND_NS;
/// Readings of another temperature that are older than this are not used.
const BESIDE_NS: u64 = 15 * SECOND_NS;
/// From this many readings, the change of a temperature is measured by medians of [`MEDIAN_OF`], so that a single
/// reading that jumps does not count.
const MANY_READINGS: usize = 10;
const MEDIAN_OF: usize = 5;
/// A drive that rested for this long and then worked for as long is warmer by more than a kelvin.
const LOAD_NS: u64 = 60 * SECOND_NS;
/// At most this many bytes per second is rest. At least `WORK_RATE` is work that costs flash several watts; no hard
/// disk is that fast, whose mass of metal warms slowly.
const REST_RATE: f64 = 1e6;
const WORK_RATE: f64 = 300e6;
/// Flash and controller weigh only grams, but their temperature does not change by this much between two readings at
/// most [`QUICK_NS`] apart while the drive idles. Seed 004's drive went from 61 °C to 66 °C between two.
const JUMP_K: f64 = 4.0;
const QUICK_NS: u64 = 5 * SECOND_NS;
/// For this long after its last work a drive may still cool by several kelvin between two readings.
const COOLS_NS: u64 = 60 * SECOND_NS;
/// Readings above the warning temperature before the drive must have flagged it: it may check the threshold seldom.
const HOT_READINGS: usize = 3;
/// No drive works above 150 °C: such a reading is not a temperature.
const HOTTEST_C: f64 = 150.0;
/// The bit of the critical warning for temperatures (NVMe Base Specification, SMART / health log, byte 0).
const TEMPERATURE_BIT: u64 = 0b10;
/// A counter of data must contain this much data moved over this long, even if the drive updates it only every few
/// minutes.
const COUNTED_B: f64 = 10e9;
const COUNTED_NS: u64 = 600 * SECOND_NS;
/// The quantities of a drive's SMART log that count over its life and never decrease.
const OF_A_LIFE: [Quantity; 5] =
    [Quantity::Volume, Quantity::Operations, Quantity::PowerOnTime, Quantity::PowerCycles, Quantity::Errors];

/// One series of a drive.
#[derive(Clone, Copy)]
struct Series<'a> {
    source: &'a RecordedSource,
    at: usize,
    disk: &'a str,
}

impl<'a> Series<'a> {
    /// `sensor 2 (smart:nvme0n1)`.
    fn name(&self) -> String {
        let name = self.source.description.series.get(self.at).map_or("", |series| series.name.as_str());
        format!("{name} ({})", self.source.description.id)
    }

    fn unit(&self) -> &'static str {
        self.source.description.series.get(self.at).map_or("", |series| series.quantity.unit())
    }

    fn readings(&self) -> Vec<(u64, f64)> {
        self.source.values(self.at).collect()
    }

    fn is(&self, other: &Series<'_>) -> bool {
        std::ptr::eq(self.source, other.source) && self.at == other.at
    }

    /// Whether the drive itself reports it, through SMART or the kernel's sensors, and not a meter of the user.
    fn by_the_drive(&self) -> bool {
        matches!(self.source.description.kind, SourceKind::Smart | SourceKind::Hwmon)
    }

    /// Whether it is the first temperature of its source, which is about the drive as a whole.
    fn is_composite(&self) -> bool {
        self.source.series_of(Quantity::Temperature).next() == Some(self.at)
    }
}

/// The series of a quantity that are about drives.
fn of_drives(recorded: &Recorded, quantity: Quantity) -> Vec<Series<'_>> {
    let mut all = Vec::new();
    for source in &recorded.sources {
        if let About::Drive(disk) = &source.description.about {
            all.extend(source.series_of(quantity).map(|at| Series { source, at, disk }));
        }
    }
    all
}

/// What the kernel counted of a disk.
fn kernels_counters<'a>(recorded: &'a Recorded, disk: &str) -> Option<&'a RecordedSource> {
    let of_disk = |source: &&RecordedSource| {
        source.description.kind == SourceKind::DiskStats && source.description.about == About::Drive(disk.to_owned())
    };
    recorded.sources.iter().find(of_disk)
}

/// All findings about series. `counted`: whether the kernel's counters saw all I/O; writes with a placement handle
/// bypass them.
pub(crate) fn of_series(recorded: &Recorded, counted: bool) -> Vec<Finding> {
    let jumps = if counted { jumps(recorded) } else { None };
    let findings = [stuck(recorded, counted), jumps, unflagged(recorded), went_back(recorded), still(recorded)];
    findings.into_iter().flatten().collect()
}

/// Evidence that a sensor must have changed.
type Shown = Vec<Evidence>;

fn stuck(recorded: &Recorded, counted: bool) -> Option<Finding> {
    let all = of_drives(recorded, Quantity::Temperature);
    let leading = of_drive(recorded, Quantity::Temperature);
    let (mut names, mut found, mut leads) = (Vec::new(), Vec::new(), false);
    for sensor in all.iter().filter(|sensor| sensor.by_the_drive()) {
        let readings = sensor.readings();
        let Some((_, value)) = readings.first().copied() else { continue };
        if readings.len() < STUCK_READINGS || readings.iter().any(|(_, other)| *other != value) {
            continue;
        }
        let others = all.iter().filter(|other| other.disk == sensor.disk && !other.is(sensor));
        let by_other = others.filter_map(|other| moved(*other, &readings)).next();
        let by_load = || if counted { load_changed(recorded, sensor.disk, &readings) } else { None };
        let Some(shown) = by_other.or_else(by_load) else { continue };
        leads |= leading.is_some_and(|(source, at)| sensor.is(&Series { source, at, disk: sensor.disk }));
        names.push(format!("{} at {value} °C", sensor.name()));
        found.push(evidence(&format!("{} in all {} readings", sensor.name(), readings.len()), value, None, "°C"));
        found.extend(shown);
    }
    (!names.is_empty()).then(|| text::stuck_sensor(&names, leads, found))
}

/// By how much another temperature changed at the times of these readings, if that is enough to change every sensor.
fn moved(other: Series<'_>, readings: &[(u64, f64)]) -> Option<Shown> {
    let values = other.readings();
    let beside = |(at, _): &(u64, f64)| {
        let (last_ns, value) = values.get(values.partition_point(|(other_ns, _)| other_ns <= at).checked_sub(1)?)?;
        (at - last_ns <= BESIDE_NS).then_some(*value)
    };
    let beside: Vec<f64> = readings.iter().filter_map(beside).collect();
    if beside.len() < STUCK_READINGS {
        return None;
    }
    let steady = if beside.len() < MANY_READINGS { beside } else { medians(&beside) };
    let low = steady.iter().copied().min_by(f64::total_cmp)?;
    let high = steady.iter().copied().max_by(f64::total_cmp)?;
    let span_ns = readings.last()?.0 - readings.first()?.0;
    let enough = match span_ns {
        LATE_NS.. => OTHER_MOVED_K,
        SOON_NS.. => 2.0 * OTHER_MOVED_K,
        _ => return None,
    };
    (high - low >= enough).then(|| {
        let name = other.name();
        vec![
            evidence(&format!("{name} in that time, lowest"), low, None, "°C"),
            evidence(&format!("{name} in that time, highest"), high, None, "°C"),
        ]
    })
}

/// The median of each [`MEDIAN_OF`] consecutive values.
fn medians(values: &[f64]) -> Vec<f64> {
    let median = |window: &[f64]| {
        let mut sorted = window.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted.get(MEDIAN_OF / 2).copied()
    };
    values.windows(MEDIAN_OF).filter_map(median).collect()
}

/// A minute of rest and a minute of heavy work of the disk, both with a reading of the sensor at their end.
fn load_changed(recorded: &Recorded, disk: &str, readings: &[(u64, f64)]) -> Option<Shown> {
    let counters = kernels_counters(recorded, disk)?;
    let minute = |(at_ns, _): &(u64, f64)| {
        let from_ns = at_ns.checked_sub(LOAD_NS)?;
        volume(counters, from_ns, *at_ns).map(|(bytes, seconds)| bytes / seconds)
    };
    let rates: Vec<f64> = readings.iter().filter_map(minute).collect();
    let low = rates.iter().copied().min_by(f64::total_cmp).filter(|low| *low <= REST_RATE)?;
    let high = rates.iter().copied().max_by(f64::total_cmp).filter(|high| *high >= WORK_RATE)?;
    Some(vec![
        evidence(&format!("load of {disk} in its calmest minute"), low / 1e6, None, "MB/s"),
        evidence(&format!("load of {disk} in its busiest minute"), high / 1e6, None, "MB/s"),
    ])
}

/// Bytes that were read and written between the readings around a stretch, and its seconds; `None` if these do not
/// cover all of it.
fn volume(counters: &RecordedSource, from_ns: u64, to_ns: u64) -> Option<(f64, f64)> {
    let mut bytes = 0.0;
    let mut span = None;
    for at in counters.series_of(Quantity::Volume).take(2) {
        let [(before_ns, before), (after_ns, after)] = around(counters, at, from_ns, to_ns)?;
        if before_ns > from_ns || after_ns < to_ns || after < before {
            return None;
        }
        bytes += after - before;
        span = Some((after_ns - before_ns) as f64 / 1e9);
    }
    Some((bytes, span.filter(|seconds| *seconds > 0.0)?))
}

/// Whether the kernel counted nothing at all on a disk in a stretch; false if that is unknown.
fn rested(recorded: &Recorded, disk: &str, from_ns: u64, to_ns: u64) -> bool {
    let Some(counters) = kernels_counters(recorded, disk) else { return false };
    let mut operations = counters.series_of(Quantity::Operations).peekable();
    let still = |at: usize| {
        let held = around(counters, at, from_ns, to_ns).filter(|pair| pair[0].0 <= from_ns && pair[1].0 >= to_ns);
        held.is_some_and(|[(_, before), (_, after)]| before == after)
    };
    operations.peek().is_some() && operations.all(still)
}

fn jumps(recorded: &Recorded) -> Option<Finding> {
    let (mut names, mut found) = (Vec::new(), Vec::new());
    let composites = of_drives(recorded, Quantity::Temperature).into_iter();
    for sensor in composites.filter(|sensor| sensor.by_the_drive() && sensor.is_composite()) {
        let readings = sensor.readings();
        let jump = |pair: &[(u64, f64)]| {
            let [(before_ns, before), (after_ns, after)] = *pair else { return None };
            let since_ns = if after > before { before_ns } else { before_ns.checked_sub(COOLS_NS)? };
            let quick = after_ns - before_ns <= QUICK_NS && (after - before).abs() >= JUMP_K;
            (quick && rested(recorded, sensor.disk, since_ns, after_ns)).then_some((
                before,
                after,
                after_ns - before_ns,
            ))
        };
        let largest = readings.windows(2).filter_map(jump);
        let Some((before, after, ns)) = largest.max_by(|(a, b, _), (c, d, _)| (a - b).abs().total_cmp(&(c - d).abs()))
        else {
            continue;
        };
        let name = sensor.name();
        found.push(evidence(&format!("{name} before"), before, None, "°C"));
        found.push(evidence(
            &format!("{name} {:.1} s later (limit: for an idle drive)", ns as f64 / 1e9),
            after,
            Some(before + JUMP_K.copysign(after - before)),
            "°C",
        ));
        names.push(name);
    }
    (!names.is_empty()).then(|| text::jumping_temperature(&names, found))
}

fn unflagged(recorded: &Recorded) -> Option<Finding> {
    let (mut names, mut found) = (Vec::new(), Vec::new());
    let composites = of_drives(recorded, Quantity::Temperature).into_iter();
    for sensor in composites.filter(|sensor| sensor.is_composite()) {
        let (source, at) = (sensor.source, sensor.at);
        let limit = source.description.series.get(at).and_then(|series| series.warning);
        let (Some(limit), Some(bits)) = (limit, source.series_of(Quantity::WarningBits).next()) else { continue };
        let silent = |sample: &drivelab_core::telemetry::Sample| {
            let of = |series: usize| sample.values.get(series).copied().flatten();
            let celsius = of(at).filter(|celsius| *celsius > limit && *celsius <= HOTTEST_C)?;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "eight bits")]
            let flags = of(bits)? as u64;
            (flags & TEMPERATURE_BIT == 0).then_some(celsius)
        };
        let hot: Vec<f64> = source.samples.iter().filter_map(silent).collect();
        let Some(highest) = hot.iter().copied().max_by(f64::total_cmp).filter(|_| hot.len() >= HOT_READINGS) else {
            continue;
        };
        names.push(sensor.disk.to_owned());
        let what = format!("{} in one of {} readings without the warning", sensor.name(), hot.len());
        found.push(evidence(&what, highest, Some(limit), "°C"));
    }
    (!names.is_empty()).then(|| text::hot_not_flagged(&names, found))
}

/// The lifetime counters of a drive.
fn counters_of_a_life(recorded: &Recorded) -> impl Iterator<Item = Series<'_>> {
    let all = OF_A_LIFE.into_iter().flat_map(|quantity| of_drives(recorded, quantity));
    all.filter(|series| series.source.description.kind == SourceKind::Smart)
}

fn went_back(recorded: &Recorded) -> Option<Finding> {
    let (mut names, mut found) = (Vec::new(), Vec::new());
    for counter in counters_of_a_life(recorded) {
        let readings = counter.readings();
        let back = |pair: &&[(u64, f64)]| pair.first().zip(pair.last()).is_some_and(|(a, b)| b.1 < a.1);
        let Some([(_, before), (_, after)]) = readings.windows(2).find(back) else { continue };
        names.push(counter.name());
        let what = format!("{} (limit: the previous reading)", counter.name());
        found.push(evidence(&what, *after, Some(*before), counter.unit()));
    }
    (!names.is_empty()).then(|| text::counter_went_back(&names, found))
}

/// The drive's own counters of data against the kernel's.
fn still(recorded: &Recorded) -> Option<Finding> {
    let (mut names, mut found) = (Vec::new(), Vec::new());
    for counter in of_drives(recorded, Quantity::Volume) {
        if counter.source.description.kind != SourceKind::Smart {
            continue;
        }
        let Some(counters) = kernels_counters(recorded, counter.disk) else { continue };
        // `data read` and `data written` have the order of `read_bytes` and `write_bytes`.
        let place = counter.source.series_of(Quantity::Volume).position(|at| at == counter.at);
        let Some(kernels) = place.and_then(|place| counters.series_of(Quantity::Volume).nth(place)) else { continue };
        let readings = counter.readings();
        let (Some((from_ns, first)), Some((to_ns, last))) = (readings.first(), readings.last()) else { continue };
        let moved = rose(counters, kernels, *from_ns, *to_ns).filter(|moved| *moved >= COUNTED_B);
        if let Some(moved) = moved.filter(|_| first == last && to_ns - from_ns >= COUNTED_NS) {
            found.push(evidence(
                &format!("rise of {} (limit: the kernel's count)", counter.name()),
                0.0,
                Some(moved),
                "B",
            ));
            names.push(counter.name());
        }
    }
    (!names.is_empty()).then(|| text::counter_stands_still(&names, found))
}

#[cfg(test)]
mod tests;
