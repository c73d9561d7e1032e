//! CPU time per CPU and kind (`/proc/stat`, proc_stat(5)) and the frequency of each CPU.

use std::path::PathBuf;

use drivelab_core::clock::RunClock;
use drivelab_core::telemetry::{
    About, Disturbs, Quantity, Sample, SeriesDescription, SourceDescription, SourceId, SourceKind, TelemetrySource,
};
use drivelab_core::units::Nanos;

use crate::places::{Places, names, read, read_number, stamped};
use crate::text::{CPU_KINDS, cpu_times, cpuinfo_mhz};

/// CPU times since boot.
#[derive(Debug)]
pub(crate) struct CpuTimes {
    path: PathBuf,
    /// CPUs that were there at the start; one that comes later is not watched.
    cpus: Vec<String>,
    /// Seconds of a tick; the kernel's USER_HZ.
    tick_s: f64,
    every: Nanos,
}

impl CpuTimes {
    /// Looks which CPUs there are.
    #[expect(clippy::cast_precision_loss, reason = "USER_HZ is 100 as a rule")]
    pub(crate) fn open(places: &Places, every: Nanos) -> Result<Self, String> {
        let path = places.proc.join("stat");
        let text = read(&path)?;
        let cpus: Vec<String> = cpu_times(&text).into_iter().map(|(name, _)| name.to_owned()).collect();
        if cpus.is_empty() {
            return Err(format!("{}: it names no CPU", path.display()));
        }
        let tick_s = 1.0 / rustix::param::clock_ticks_per_second() as f64;
        Ok(CpuTimes { path, cpus, tick_s, every })
    }

    fn values(&self) -> Result<Vec<Option<f64>>, String> {
        let text = read(&self.path)?;
        let times = cpu_times(&text);
        let of = |cpu: &String| {
            let found = times.iter().find(|(name, _)| name == cpu).map(|(_, times)| *times);
            (0..CPU_KINDS.len()).map(move |kind| {
                let ticks = found.and_then(|times| times.get(kind).copied());
                ticks.map(|ticks| (ticks * self.tick_s * 1e6).round() / 1e6)
            })
        };
        Ok(self.cpus.iter().flat_map(of).collect())
    }
}

impl TelemetrySource for CpuTimes {
    fn describe(&self) -> SourceDescription {
        let series = |cpu: &String| {
            let cpu = cpu.clone();
            CPU_KINDS.iter().map(move |kind| SeriesDescription::new(format!("{cpu}.{kind}"), Quantity::CpuTime))
        };
        SourceDescription {
            id: SourceId::new("cpu"),
            kind: SourceKind::Cpu,
            about: About::Host,
            origin: self.path.display().to_string(),
            accuracy: format!("counts in steps of {} ms of one CPU", (self.tick_s * 1e3).round()),
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

/// Where frequencies are read.
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
    /// Looks where they can be read.
    pub(crate) fn open(places: &Places, every: Nanos) -> Result<Self, String> {
        let folder = places.sys.join("devices/system/cpu");
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
        let path = places.proc.join("cpuinfo");
        let count = read(&path).map(|text| cpuinfo_mhz(&text).len())?;
        if count == 0 {
            return Err("there is no cpufreq in sysfs and no `cpu MHz` in /proc/cpuinfo".to_owned());
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
                "the driver's own notion: measured over the last moments on x86, the last request on others",
            ),
            Frequencies::Cpuinfo(path) => {
                (path.display().to_string(), "what the kernel prints; in a virtual machine often a constant")
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
