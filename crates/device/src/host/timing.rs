//! Facts that decide how precisely a host can time and how fast it can issue I/O: clock, io_uring, memory limits,
//! huge pages, CPUs, and other running programs.
//!
//! From /proc/{cpuinfo,stat,PID/stat}, /proc/sys/kernel, sysfs and getrlimit(2). Never fails: missing facts are left
//! out. Must not know what any of them means for a result.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use drivelab_core::environment::{BusyProgram, HostFacts};
use drivelab_core::units::Bytes;
use rustix::process::{Resource, getrlimit};

use crate::proc_text::cpuinfo_value;
use crate::roots::{Roots, read, read_number, read_trim};

/// Number of programs that are named.
const NAMED: usize = 5;
/// A program with less than this share of one CPU is not named.
const LEAST_SHARE: f64 = 0.02;

/// Counters at one moment.
#[derive(Debug)]
pub(crate) struct Counters {
    at: Instant,
    interrupts: Option<u64>,
    /// CPU time of each process in ticks, and its name.
    programs: BTreeMap<u32, (String, u64)>,
}

impl Counters {
    /// Reads them.
    pub(crate) fn now(roots: &Roots) -> Self {
        let stat = read(&roots.proc.join("stat")).unwrap_or_default();
        Counters { at: Instant::now(), interrupts: interrupts(&stat), programs: programs(&roots.proc) }
    }
}

/// The facts, with the changes since `before` if there was an earlier sample.
pub(crate) fn facts(roots: &Roots, cpuinfo: &str, before: Option<Counters>) -> HostFacts {
    let flags = cpuinfo_value(cpuinfo, &["flags"]).unwrap_or_default();
    let promises = |flag: &str| flags.split_whitespace().any(|word| word == flag);
    let limit = getrlimit(Resource::Memlock).current;
    let mut facts = HostFacts {
        clock_source: read_trim(&roots.sys.join("devices/system/clocksource/clocksource0/current_clocksource")),
        constant_tsc: promises("constant_tsc") && promises("nonstop_tsc"),
        io_uring_disabled: read_number(&roots.proc.join("sys/kernel/io_uring_disabled")),
        io_uring_refused: None,
        memlock: limit.map(Bytes::new),
        may_lock_all: rustix::process::geteuid().is_root(),
        transparent_huge_pages: read_trim(&roots.sys.join("kernel/mm/transparent_hugepage/enabled"))
            .and_then(|text| crate::proc_text::bracketed(&text)),
        huge_pages_free: read_number(&roots.sys.join("kernel/mm/hugepages/hugepages-2048kB/free_hugepages")),
        cpus_allowed: std::thread::available_parallelism()
            .ok()
            .and_then(|count| u32::try_from(count.get()).ok())
            .unwrap_or(1),
        governors: governors(&roots.sys.join("devices/system/cpu")),
        interrupts_per_second: None,
        programs: Vec::new(),
    };
    if let Some(before) = before {
        let after = Counters::now(roots);
        let elapsed_s = after.at.duration_since(before.at).as_secs_f64();
        let moved = |(before, after): (u64, u64)| as_f64(after.saturating_sub(before)) / elapsed_s;
        facts.interrupts_per_second = before.interrupts.zip(after.interrupts).map(moved);
        facts.programs = busiest(&before, &after, elapsed_s, std::process::id());
    }
    facts
}

#[expect(clippy::cast_precision_loss, reason = "counts of half a second are small")]
const fn as_f64(value: u64) -> f64 {
    value as f64
}

/// Interrupts since boot: the first number of the line `intr` of /proc/stat (proc(5)).
fn interrupts(stat: &str) -> Option<u64> {
    stat.lines().find_map(|line| line.strip_prefix("intr "))?.split_whitespace().next()?.parse().ok()
}

/// Governors with the number of CPUs of each, if they differ.
fn governors(folder: &Path) -> Vec<String> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if let Some(governor) = read_trim(&entry.path().join("cpufreq/scaling_governor")) {
            *counts.entry(governor).or_default() += 1;
        }
    }
    if counts.len() < 2 {
        return Vec::new();
    }
    counts.into_iter().map(|(governor, cpus)| format!("{governor} on {cpus} CPUs")).collect()
}

/// Name and CPU time of every visible process.
fn programs(proc: &Path) -> BTreeMap<u32, (String, u64)> {
    let one = |name: &str| {
        let pid: u32 = name.parse().ok()?;
        let stat = fs::read(proc.join(name).join("stat")).ok()?;
        Some((pid, program(&String::from_utf8_lossy(&stat))?))
    };
    let entries = fs::read_dir(proc).into_iter().flatten().flatten();
    entries.filter_map(|entry| one(entry.file_name().to_str()?)).collect()
}

/// Name and CPU time (user and system, in ticks) of a line of /proc/PID/stat. The name is in brackets and may contain
/// any character, including brackets and blanks: it ends at the last bracket.
fn program(stat: &str) -> Option<(String, u64)> {
    let (head, tail) = stat.rsplit_once(')')?;
    let (_, name) = head.split_once('(')?;
    let mut fields = tail.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    let (user, system) = (ticks()?, ticks()?);
    Some((name.to_owned(), user.saturating_add(system)))
}

/// The programs that used the most CPU time, without this one.
fn busiest(before: &Counters, after: &Counters, elapsed_s: f64, own: u32) -> Vec<BusyProgram> {
    let ticks_per_second = as_f64(rustix::param::clock_ticks_per_second());
    let used = |(pid, (name, ticks)): (&u32, &(String, u64))| {
        let (_, earlier) = before.programs.get(pid)?;
        let cpus = as_f64(ticks.saturating_sub(*earlier)) / ticks_per_second / elapsed_s;
        (*pid != own && cpus >= LEAST_SHARE).then(|| BusyProgram { name: name.clone(), pid: *pid, cpus })
    };
    let mut programs: Vec<BusyProgram> = after.programs.iter().filter_map(used).collect();
    programs.sort_by(|a, b| b.cpus.total_cmp(&a.cpus));
    programs.truncate(NAMED);
    programs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks_does_not_shift_the_fields() {
        let line = "42 (a) b (c) S 1 42 42 0 -1 4194560 10 0 0 0 700 50 0 0 20 0 1 0 100 0 0";
        assert_eq!(program(line), Some(("a) b (c".to_owned(), 750)));
        assert_eq!(program("42 (cut off"), None);
        assert_eq!(program("42 (short) S 1 2"), None);
    }

    #[test]
    fn the_busiest_come_first_and_drivelab_itself_is_left_out() {
        let counters = |ticks: [u64; 4]| Counters {
            at: Instant::now(),
            interrupts: None,
            programs: (1..).zip(ticks).map(|(pid, ticks)| (pid, (format!("p{pid}"), ticks))).collect(),
        };
        let ticks = rustix::param::clock_ticks_per_second();
        let after = counters([ticks, ticks / 2, 1, ticks]);
        let named: Vec<u32> = busiest(&counters([0; 4]), &after, 1.0, 4).iter().map(|program| program.pid).collect();
        assert_eq!(named, [1, 2]);
    }

    #[test]
    fn interrupts_are_the_first_number_of_their_line() {
        assert_eq!(interrupts("cpu 1 2\nintr 1234 5 6\nctxt 9\n"), Some(1234));
        assert_eq!(interrupts("cpu 1 2\n"), None);
    }

    #[test]
    fn this_host_is_described_and_a_look_names_a_busy_program() {
        let roots = Roots::default();
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").expect("a Linux host");
        let facts = facts(&roots, &cpuinfo, Some(Counters::now(&roots)));
        assert!(facts.clock_source.is_some() && facts.cpus_allowed >= 1);
        assert!(facts.interrupts_per_second.is_some());
    }
}
