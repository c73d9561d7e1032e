//! The machine that a bench ran on: what a reader needs to know before comparing ratios with another machine.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Serialize;

use super::cpus::online_cpus;
use super::programs::Programs;

/// Facts about the host, read at the beginning and completed at the end.
#[derive(Debug, Serialize)]
pub(crate) struct Host {
    /// The processor, as the kernel names it.
    cpu: String,
    /// Its family and model, and the size of its second-level cache: names of virtual processors reveal little.
    kind: String,
    /// Online CPUs.
    cpus: usize,
    /// Whether this is a virtual machine, by the processor's flag.
    virtual_machine: bool,
    /// The kernel's release.
    kernel: String,
    /// The kernel's clock source.
    clock_source: String,
    /// The governor of the pinned CPU's frequency; "not shown" in most virtual machines.
    governor: String,
    /// fio's version, if it is installed.
    fio: Option<String>,
    /// Whether t/io_uring was given.
    t_io_uring: bool,
    /// The compiler that built drivelab, if it was built here.
    rustc: String,
    /// What drivelab reports about itself.
    drivelab: String,
    /// The commit of this tree; `+` if files differ from it.
    commit: String,
    /// Beginning, in UTC.
    date: String,
    /// Whether runs had a raised priority (root), the same on both sides.
    raised_priority: bool,
    /// Load averages at the beginning.
    load_before: String,
    /// Load averages at the end.
    load_after: String,
}

impl Host {
    /// Looks at the machine; what cannot be read is reported as unknown.
    pub(crate) fn read(root: &Path, programs: &Programs, cpu: usize) -> Self {
        let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let governor = format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor");
        let clock = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        Host {
            cpu: field(&processor, "model name").unwrap_or_else(|| "unknown".to_owned()),
            kind: kind(&processor, cpu),
            cpus: online_cpus().len(),
            virtual_machine: field(&processor, "flags").is_some_and(|all| all.split(' ').any(|f| f == "hypervisor")),
            kernel: line("/proc/sys/kernel/osrelease").unwrap_or_else(|| "unknown".to_owned()),
            clock_source: line(clock).unwrap_or_else(|| "unknown".to_owned()),
            governor: line(&governor).unwrap_or_else(|| "not shown".to_owned()),
            fio: said(Command::new("fio").arg("--version")),
            t_io_uring: programs.has_t_io_uring(),
            rustc: said(Command::new("rustc").arg("--version")).unwrap_or_else(|| "unknown".to_owned()),
            drivelab: said(Command::new(programs.drivelab()).arg("--version")).unwrap_or_else(|| "unknown".to_owned()),
            commit: commit(root),
            date: said(Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%SZ"])).unwrap_or_default(),
            raised_priority: programs.favoured(),
            load_before: load(),
            load_after: String::new(),
        }
    }

    /// The processor, short enough for a table's cell.
    pub(crate) fn processor(&self) -> String {
        format!("{}, {}", self.cpu.replace("(R)", "").replace("(TM)", ""), self.kind)
    }

    /// Adds what is only known at the end.
    pub(crate) fn at_the_end(self) -> Self {
        Host { load_after: load(), ..self }
    }

    /// The most important facts in one sentence.
    pub(crate) fn sentence(&self) -> String {
        let machine = if self.virtual_machine { "virtual machine, " } else { "" };
        let fio = self.fio.as_deref().unwrap_or("no fio");
        let Host { cpu, kind, cpus, kernel, clock_source, governor, commit, .. } = self;
        format!(
            "{cpu} ({kind}), {cpus} CPUs ({machine}governor {governor}), Linux {kernel}, clock {clock_source}, {fio}, \
             drivelab at {commit}"
        )
    }
}

/// Family, model and second-level cache of a CPU.
fn kind(processor: &str, cpu: usize) -> String {
    let known = |name| field(processor, name).unwrap_or_else(|| "?".to_owned());
    let cache = line(&format!("/sys/devices/system/cpu/cpu{cpu}/cache/index2/size"));
    let cache = cache.map_or_else(|| "L2 unknown".to_owned(), |size| format!("L2 {size}iB"));
    format!("family {} model {}, {cache}", known("cpu family"), known("model"))
}

/// The value of the first line `name : value`.
fn field(text: &str, name: &str) -> Option<String> {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.filter(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned()).next()
}

fn line(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

fn load() -> String {
    let whole = line("/proc/loadavg").unwrap_or_default();
    whole.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

/// The output of a command, if it succeeds.
fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn commit(root: &Path) -> String {
    let git = |arguments: &[&str]| said(Command::new("git").arg("-C").arg(root).args(arguments));
    let changed = git(&["status", "--porcelain"]).is_some_and(|files| !files.is_empty());
    git(&["rev-parse", "--short", "HEAD"])
        .map_or_else(|| "unknown".to_owned(), |commit| if changed { format!("{commit}+") } else { commit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_named_once() {
        let text = "processor\t: 0\nmodel name\t: A Processor\nflags\t\t: fpu hypervisor\nmodel name\t: Another\n";
        assert_eq!(field(text, "model name").as_deref(), Some("A Processor"));
        assert_eq!(field(text, "vendor_id"), None);
    }
}
