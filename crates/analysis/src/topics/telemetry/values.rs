//! The figures from telemetry of an execution: temperature and power of the drive, power and CPU of the host.
//!
//! The series used for the drive is the first of these: a meter or thermometer of the user, because it was named for
//! this run; the power that the drive was told to measure; its SMART log; the kernel's sensors. The energy of the
//! processor (RAPL) belongs to the host and never to the drive.

use drivelab_core::group::CoreTime;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::Action;
use drivelab_core::run::{IdleStretch, RunRecords};
use drivelab_core::telemetry::{About, Quantity, Recorded, RecordedSource, SourceKind};

use super::course::{Course, course, rate, rose};
use crate::values::{Execution, duration, total_iops, total_throughput};

/// Least CPU time for a figure per GB, ms. The kernel counts in ticks of mostly 10 ms for each CPU and kind, so below
/// this the count shows more about the ticks than about the work.
pub const LEAST_CPU_MS: u64 = 100;

/// Joules of a watt-hour.
const JOULES_OF_WH: f64 = 3600.0;

/// Sources of the drive in the order in which they are preferred.
const BELIEVED: [SourceKind; 4] = [SourceKind::Adapter, SourceKind::PowerLog, SourceKind::Smart, SourceKind::Hwmon];

/// The series used for a quantity of the drive: the first of its source.
pub(crate) fn of_drive(recorded: &Recorded, quantity: Quantity) -> Option<(&RecordedSource, usize)> {
    let speaks = |source: &&RecordedSource| matches!(source.description.about, About::Drive(_));
    BELIEVED.iter().find_map(|kind| {
        let of_kind = recorded.sources.iter().filter(speaks).filter(|source| source.description.kind == *kind);
        of_kind
            .filter(|source| !source.samples.is_empty())
            .find_map(|source| source.series_of(quantity).next().map(|series| (source, series)))
    })
}

/// The source of a kind that is about the host.
pub(crate) fn of_host(recorded: &Recorded, kind: SourceKind) -> Option<&RecordedSource> {
    recorded.sources.iter().find(|source| source.description.kind == kind && !source.samples.is_empty())
}

fn drive_course(execution: Execution<'_>, quantity: Quantity) -> Option<Course> {
    let (source, series) = of_drive(execution.watched?, quantity)?;
    course(source, series, execution.record.start_ns, execution.record.end_ns)
}

/// Lowest temperature of the drive, °C.
pub(crate) fn temperature_min(execution: Execution<'_>) -> Option<f64> {
    drive_course(execution, Quantity::Temperature).map(|course| course.min)
}

/// Mean temperature of the drive, °C.
pub(crate) fn temperature_mean(execution: Execution<'_>) -> Option<f64> {
    drive_course(execution, Quantity::Temperature).map(|course| course.mean)
}

/// Highest temperature of the drive, °C.
pub(crate) fn temperature_max(execution: Execution<'_>) -> Option<f64> {
    drive_course(execution, Quantity::Temperature).map(|course| course.max)
}

/// Average power of the drive, W.
pub(crate) fn power_mean(execution: Execution<'_>) -> Option<f64> {
    drive_course(execution, Quantity::Power).map(|course| course.mean)
}

/// Lowest power of the drive, W.
pub(crate) fn power_min(execution: Execution<'_>) -> Option<f64> {
    drive_course(execution, Quantity::Power).map(|course| course.min)
}

/// Highest power of the drive, W.
pub(crate) fn power_max(execution: Execution<'_>) -> Option<f64> {
    drive_course(execution, Quantity::Power).map(|course| course.max)
}

/// The stretches of idle steps (`action = "idle"`). Waiting until a drive has cooled is recorded with them, but is not
/// idle power.
pub(crate) fn idle_steps(records: &RunRecords) -> impl Iterator<Item = &IdleStretch> {
    let is_idle =
        |key: &StepKey| records.plan.step(&key.step).is_some_and(|step| matches!(step.action, Action::Idle { .. }));
    records.idle.iter().filter(move |idle| is_idle(&idle.key))
}

/// Average power of the drive in the longest idle step, W.
pub(crate) fn power_idle(records: &RunRecords) -> Option<f64> {
    let (source, series) = of_drive(&records.telemetry, Quantity::Power)?;
    let longest = idle_steps(records).max_by_key(|idle| idle.to_ns.saturating_sub(idle.from_ns))?;
    course(source, series, longest.from_ns, longest.to_ns).map(|course| course.mean)
}

/// Energy that the drive used, J.
pub(crate) fn power_energy(execution: Execution<'_>) -> Option<f64> {
    Some(power_mean(execution)? * duration(execution)?)
}

/// Average power of the drive in the second half of the rest after the execution, W.
pub(crate) fn power_rest(execution: Execution<'_>) -> Option<f64> {
    let (from, to) = execution.rest()?;
    let (source, series) = of_drive(execution.watched?, Quantity::Power)?;
    course(source, series, from.midpoint(to), to).map(|course| course.mean)
}

/// Energy that the drive used for a replay, Wh.
pub(crate) fn replay_energy(execution: Execution<'_>) -> Option<f64> {
    execution.record.replay.as_ref()?;
    Some(power_energy(execution)? / JOULES_OF_WH)
}

/// Divides by the average power; none if there was none.
fn per_watt(amount: Option<f64>, execution: Execution<'_>) -> Option<f64> {
    let watts = power_mean(execution).filter(|watts| *watts > 0.0)?;
    Some(amount? / watts)
}

/// Reads and writes, MB/s for each watt.
pub(crate) fn throughput_per_watt(execution: Execution<'_>) -> Option<f64> {
    per_watt(total_throughput(execution), execution)
}

/// Reads and writes per second for each watt.
pub(crate) fn iops_per_watt(execution: Execution<'_>) -> Option<f64> {
    per_watt(total_iops(execution), execution)
}

/// Average power of the processor packages, W.
pub(crate) fn host_power_mean(execution: Execution<'_>) -> Option<f64> {
    let source = of_host(execution.watched?, SourceKind::Rapl)?;
    let (from, to) = (execution.record.start_ns, execution.record.end_ns);
    let package = |series: &usize| {
        // `package-0 (intel-rapl:0)`; packages that powercap lists twice (`intel-rapl-mmio`) are counted once.
        let name = source.description.series.get(*series).map_or("", |series| series.name.as_str());
        name.starts_with("package") && !name.contains("mmio")
    };
    let packages: Vec<usize> = source.series_of(Quantity::Energy).filter(package).collect();
    let watts = packages.iter().map(|series| rate(source, *series, from, to));
    watts.sum::<Option<f64>>().filter(|_| !packages.is_empty())
}

/// Seconds per second that all CPUs together spent on the kinds of time that `wanted` selects, and on all kinds.
fn cpu_rates(execution: Execution<'_>, wanted: fn(&str) -> bool) -> Option<(f64, f64)> {
    let source = of_host(execution.watched?, SourceKind::Cpu)?;
    let (from, to) = (execution.record.start_ns, execution.record.end_ns);
    let (mut picked, mut all) = (0.0, 0.0);
    for at in source.series_of(Quantity::CpuTime) {
        let name = source.description.series.get(at).map_or("", |series| series.name.as_str());
        let kind = name.split_once('.').map_or("", |(_, kind)| kind);
        // Idle and I/O-wait counters of the kernel may decrease a little (proc_stat(5)); such a CPU counts as idle.
        let per_second = rate(source, at, from, to).unwrap_or(0.0);
        all += per_second;
        picked += if wanted(kind) { per_second } else { 0.0 };
    }
    (all > 0.0).then_some((picked, all))
}

/// Share of the time of all CPUs in which they were busy, per cent.
pub(crate) fn host_cpu_busy(execution: Execution<'_>) -> Option<f64> {
    let (busy, all) = cpu_rates(execution, CoreTime::is_busy)?;
    Some(100.0 * busy / all)
}

/// CPU time of the whole host, whatever used it, for each 10^9 bytes read or written, s/GB. `None` below
/// [`LEAST_CPU_MS`].
pub(crate) fn host_cpu_per_gb(execution: Execution<'_>) -> Option<f64> {
    let (busy, _) = cpu_rates(execution, CoreTime::is_busy)?;
    let mb_s = total_throughput(execution).filter(|mb_s| *mb_s > 0.0)?;
    let is_enough = busy * duration(execution)? * 1e3 >= LEAST_CPU_MS as f64;
    is_enough.then(|| busy / (mb_s / 1e3))
}

/// Share of the time of all CPUs that the hypervisor gave to other machines, per cent.
pub(crate) fn host_cpu_steal(execution: Execution<'_>) -> Option<f64> {
    let (stolen, all) = cpu_rates(execution, |kind| kind == "steal")?;
    Some(100.0 * stolen / all)
}

/// CPU time of the reading thread over the time of the run, per cent of one CPU.
pub(crate) fn run_telemetry_cpu(records: &RunRecords) -> Option<f64> {
    let watched = !records.telemetry.is_empty();
    (watched && records.last_at_ns > 0).then(|| 100.0 * records.telemetry.cpu.get() as f64 / records.last_at_ns as f64)
}

/// Least bytes that hosts must have written between two readings for a meaningful write amplification: a thousand data
/// units of the SMART log, in which drives count.
const LEAST_HOST_WRITES: f64 = 1_000.0 * 512_000.0;
/// The same as a share of the target: less may still be in the drive's buffers.
const LEAST_SHARE_OF_TARGET: f64 = 0.01;

/// The source in which the drive counts its media writes, and its series of host and of media writes.
pub(crate) fn media_writes(recorded: &Recorded) -> Option<(&RecordedSource, usize, usize)> {
    let mut of_kind = recorded.sources.iter().filter(|source| source.description.kind == SourceKind::MediaWrites);
    let source = of_kind.find(|source| !source.samples.is_empty())?;
    let mut series = source.series_of(Quantity::Volume);
    Some((source, series.next()?, series.next()?))
}

/// Write amplification over the run's time: at the end of each stretch in which hosts wrote at least
/// [`LEAST_HOST_WRITES`], the bytes written to the media for each byte of the hosts. A stretch ends there and the next
/// one begins. If a counter decreased or readings are missing, it begins anew.
pub(crate) fn write_amplification_over_time(recorded: &Recorded) -> Vec<(u64, f64)> {
    let Some((source, host, media)) = media_writes(recorded) else { return Vec::new() };
    let mut course = Vec::new();
    // The start of the stretch: its time and both counters.
    let mut began: Option<(u64, f64, f64)> = None;
    for sample in &source.samples {
        let value = |series: usize| sample.values.get(series).copied().flatten();
        let (Some(host), Some(media)) = (value(host), value(media)) else { continue };
        let broken = |(since, ..): &(u64, f64, f64)| {
            source.gaps.iter().any(|gap| gap.from_ns < sample.at_ns && gap.to_ns > *since)
        };
        match began.filter(|begin| !broken(begin) && host >= begin.1 && media >= begin.2) {
            None => began = Some((sample.at_ns, host, media)),
            Some((_, host_before, media_before)) if host - host_before >= LEAST_HOST_WRITES => {
                course.push((sample.at_ns, (media - media_before) / (host - host_before)));
                began = Some((sample.at_ns, host, media));
            }
            Some(_) => {}
        }
    }
    course
}

/// Bytes that the drive wrote to its media for each byte that hosts wrote to it, between the readings around the step.
pub(crate) fn write_amplification(execution: Execution<'_>) -> Option<f64> {
    let (source, host, media) = media_writes(execution.watched?)?;
    let (from, to) = (execution.record.start_ns, execution.record.end_ns);
    let (host, media) = (rose(source, host, from, to)?, rose(source, media, from, to)?);
    let least = LEAST_HOST_WRITES.max(LEAST_SHARE_OF_TARGET * execution.target?.as_f64());
    (host >= least && media >= 0.0).then(|| media / host)
}
