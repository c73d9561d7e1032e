//! CPU time per CPU and kind (`/proc/stat`, proc_stat(5)) and the frequency of each CPU.

use std::path::PathBuf;

use drivelab_core::clock::RunClock;
use drivelab_core::group::CoreTime;
use drivelab_core::telemetry::{
    About, Disturbs, Quantity, Sample, SeriesDescription, SourceDescription, SourceId, SourceKind, TelemetrySource,
};
use drivelab_core::units::Nanos;
use drivelab_device::roots::read;
use drivelab_device::{Roots, cpu_times_in};

use crate::reading::{names, read_number, stamped, value};
use crate::text::cpuinfo_mhz;

/// CPU times since boot.
#[derive(Debug)]
pub(crate) struct CpuTimes {
    roots: Roots,
    /// CPUs at the start; one that comes online later is not watched.
    cpus: Vec<u32>,
    every: Nanos,
}

impl CpuTimes {
    /// Finds out which CPUs there are.
    pub(crate) fn open(roots: &Roots, every: Nanos) -> Result<Self, String> {
        let cpus: Vec<u32> = cpu_times_in(roots)?.iter().map(|core| core.cpu).collect();
        let source = CpuTimes { roots: roots.clone(), cpus, every };
        if source.cpus.is_empty() {
            return Err(format!("{}: it names no CPU", source.path().display()));
        }
        Ok(source)
    }

    fn path(&self) -> PathBuf {
        self.roots.proc.join("stat")
    }

    fn values(&self) -> Result<Vec<Option<f64>>, String> {
        let times = cpu_times_in(&self.roots)?;
        let of = |cpu: &u32| {
            let found = times.iter().find(|core| core.cpu == *cpu).map(CoreTime::kinds_ms);
            (0..CoreTime::KINDS.len()).map(move |kind| found.and_then(|times| times.get(kind).copied()))
        };
        Ok(self.cpus.iter().flat_map(of).map(|time| time.map(|ms| value(ms) / 1e3)).collect())
    }
}

impl TelemetrySource for CpuTimes {
    fn describe(&self) -> SourceDescription {
        let series = |cpu: &u32| {
            let cpu = *cpu;
            CoreTime::KINDS
                .iter()
                .map(move |kind| SeriesDescription::new(format!("cpu{cpu}.{kind}"), Quantity::CpuTime))
        };
        let tick_ms = 1000 / rustix::param::clock_ticks_per_second().max(1);
        SourceDescription {
            id: SourceId::new("cpu"),
            kind: SourceKind::Cpu,
            about: About::Host,
            origin: self.path().display().to_string(),
            accuracy: format!("counts in steps of {tick_ms} ms of one CPU"),
            disturbs: Disturbs::Host,
            every: self.every,
            cost: None,
            series: self.cpus.iter().flat_map(series).collect(),
        }
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        stamped(clock, || self.values())
    }
}

/// The source of frequencies.
#[derive(Debug)]
enum Frequencies {
    /// A file for each CPU, in kHz.
    Files(Vec<PathBuf>),
    /// Lines of one file, in MHz.
    Cpuinfo(PathBuf),
}

/// Frequency of each CPU.
#[derive(Debug)]
pub(crate) struct CpuFrequency {
    from: Frequencies,
    series: Vec<SeriesDescription>,
    every: Nanos,
}

impl CpuFrequency {
    /// Finds the source of frequencies.
    pub(crate) fn open(roots: &Roots, every: Nanos) -> Result<Self, String> {
        let folder = roots.sys.join("devices/system/cpu");
        let is_cpu = |name: &String| name.strip_prefix("cpu").is_some_and(|rest| rest.parse::<u32>().is_ok());
        let mut cpus: Vec<String> = names(&folder).into_iter().filter(is_cpu).collect();
        cpus.sort_by_key(|name| name[3..].parse::<u32>().unwrap_or(u32::MAX));
        let file = |name: &String| folder.join(name).join("cpufreq/scaling_cur_freq");
        cpus.retain(|name| file(name).exists());
        let series = |name: String| SeriesDescription::new(name, Quantity::Frequency);
        if !cpus.is_empty() {
            let from = Frequencies::Files(cpus.iter().map(file).collect());
            return Ok(CpuFrequency { from, series: cpus.into_iter().map(series).collect(), every });
        }
        let path = roots.proc.join("cpuinfo");
        let count = read(&path).map(|text| cpuinfo_mhz(&text).len())?;
        if count == 0 {
            return Err("no cpufreq in sysfs and no `cpu MHz` in /proc/cpuinfo".to_owned());
        }
        let series = (0..count).map(|cpu| series(format!("cpu{cpu}"))).collect();
        Ok(CpuFrequency { from: Frequencies::Cpuinfo(path), series, every })
    }

    fn values(&self) -> Result<Vec<Option<f64>>, String> {
        match &self.from {
            Frequencies::Files(files) => {
                Ok(files.iter().map(|file| read_number(file).ok().map(|khz| khz / 1e3)).collect())
            }
            Frequencies::Cpuinfo(path) => {
                let mhz = cpuinfo_mhz(&read(path)?);
                Ok((0..self.series.len()).map(|cpu| mhz.get(cpu).copied()).collect())
            }
        }
    }
}

impl TelemetrySource for CpuFrequency {
    fn describe(&self) -> SourceDescription {
        let (origin, accuracy) = match &self.from {
            Frequencies::Files(_) => (
                "cpufreq/scaling_cur_freq of each CPU".to_owned(),
                "the driver's own value: measured over a short time on x86, the last request on other platforms",
            ),
            Frequencies::Cpuinfo(path) => {
                (path.display().to_string(), "as the kernel prints it; in a virtual machine often a constant")
            }
        };
        SourceDescription {
            id: SourceId::new("cpu_frequency"),
            kind: SourceKind::CpuFrequency,
            about: About::Host,
            origin,
            accuracy: accuracy.to_owned(),
            disturbs: Disturbs::Host,
            every: self.every,
            cost: None,
            series: self.series.clone(),
        }
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        stamped(clock, || self.values())
    }
}

#[cfg(test)]
mod tests {
    use drivelab_core::clock::MonotonicClock;

    use super::*;

    #[test]
    fn cpu_times_are_seconds_by_cpu_and_kind_and_a_cpu_that_goes_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let roots = Roots { sys: folder.path().join("sys"), proc: folder.path().to_owned() };
        let stat = |text: &str| std::fs::write(folder.path().join("stat"), text).unwrap();
        stat("cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 10 1 20 300 4 5 6 7 3 0\ncpu1 1 0 2 3\nintr 5 6\ncpufreq 1 2 3 4\n");
        let mut source = CpuTimes::open(&roots, Nanos::from_secs(1)).unwrap();
        let names: Vec<String> = source.describe().series.into_iter().map(|series| series.name).collect();
        let expected = ["user", "system", "interrupts", "iowait", "steal", "idle"];
        assert_eq!(names[..6], expected.map(|kind| format!("cpu0.{kind}")));
        assert_eq!((names.len(), names[6].as_str()), (12, "cpu1.user"));
        let clock = MonotonicClock::starting_at(0);
        let tick_s = 1.0 / value(rustix::param::clock_ticks_per_second());
        let seconds = |ticks: [f64; 6]| ticks.map(|ticks| Some((ticks * tick_s * 1e3).round() / 1e3));
        let values = source.read(&clock).unwrap().remove(0).values;
        assert_eq!(values[..6], seconds([11.0, 20.0, 11.0, 4.0, 7.0, 300.0]));
        assert_eq!(values[6..], seconds([1.0, 2.0, 0.0, 0.0, 0.0, 3.0]));
        stat("cpu0 10 1 20 300 4 5 6 7 3 0\n");
        assert_eq!(source.read(&clock).unwrap().remove(0).values[6..], [None; 6]);
        stat("intr 5 6\n");
        assert!(CpuTimes::open(&roots, Nanos::from_secs(1)).unwrap_err().contains("names no CPU"));
    }
}
