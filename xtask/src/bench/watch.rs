//! Watches a run from outside: whether other programs disturbed it, by the kernel's own counters.
//!
//! Two signs spoil a run, each a share of the elapsed time: how long an issuing thread waited for a CPU, and how much
//! the hypervisor took away. How busy the other CPUs were is recorded too: if they share a core with the measured one,
//! both sides of a row suffer, which is why sides are interleaved. Facts from proc(5): /proc/stat,
//! /proc/PID/task/TID/{schedstat,children}. Missing counters count as calm.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// How often a running program is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// If a run waits for a CPU, or loses it to the hypervisor, for more than this share of its time, it is spoiled:
/// limits are a few per cent apart.
const MOST_LOST: f64 = 0.02;
/// When all CPUs of a machine are less busy than this, the wait ends.
const MOST_FOREIGN: f64 = 0.15;

/// What other programs did to a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Disturbance {
    /// Share of the time in which an issuing thread of the run was ready and got no CPU.
    pub(crate) waited: f64,
    /// Share of the pinned CPUs' time that the hypervisor took.
    pub(crate) stolen: f64,
    /// How busy the busiest other CPU was.
    pub(crate) foreign: f64,
}

impl Disturbance {
    /// Whether the run's figure may be compared with another.
    pub(crate) fn is_calm(self) -> bool {
        self.waited <= MOST_LOST && self.stolen <= MOST_LOST
    }

    /// The worse of two in each respect.
    pub(crate) fn worse(self, other: Disturbance) -> Disturbance {
        Disturbance {
            waited: self.waited.max(other.waited),
            stolen: self.stolen.max(other.stolen),
            foreign: self.foreign.max(other.foreign),
        }
    }

    /// A number by which disturbed runs are ordered; 1 is just calm.
    pub(crate) fn degree(self) -> f64 {
        (self.waited / MOST_LOST).max(self.stolen / MOST_LOST)
    }
}

/// A finished run.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Its output on stdout.
    pub(crate) printed: String,
    /// What other programs did meanwhile.
    pub(crate) disturbance: Disturbance,
}

/// Runs a command to its end; an error if it cannot start, fails or exceeds `limit`. `cpus` are the CPUs that it is
/// pinned to.
pub(crate) fn run(mut command: Command, cpus: &[usize], limit: Duration) -> Result<Watched> {
    let before = Times::read();
    let begun = Instant::now();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let printed = collect(child.stdout.take());
    let complained = collect(child.stderr.take());
    let mut waited_ns = 0;
    let status = loop {
        if let Some(status) = child.try_wait().context("cannot wait for the run")? {
            break status;
        }
        if begun.elapsed() > limit {
            stop(&mut child)?;
            bail!("it ran past {} s and was stopped", limit.as_secs());
        }
        // The counters disappear with the process: the last look represents the whole run.
        waited_ns = waited_ns.max(waiting(child.id()));
        thread::sleep(LOOK);
    };
    let elapsed_ns = begun.elapsed().as_nanos() as f64;
    let printed = printed.join().unwrap_or_default();
    let complained = complained.join().unwrap_or_default();
    if !status.success() {
        let said = if complained.trim().is_empty() { printed } else { complained };
        bail!("{status}: {}", said.trim().lines().take(3).collect::<Vec<_>>().join(" / "));
    }
    let (stolen, foreign) = Times::read().since(&before, cpus);
    let disturbance = Disturbance { waited: waited_ns as f64 / elapsed_ns, stolen, foreign };
    Ok(Watched { printed, disturbance })
}

/// Reads a pipe to its end during the run, so that it never fills up.
fn collect(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What could be read before an error is still worth showing.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn stop(child: &mut Child) -> Result<()> {
    child.kill().context("cannot stop the run")?;
    child.wait().context("cannot wait for the stopped run")?;
    Ok(())
}

/// Waits until all CPUs are nearly idle, at most as long as `patience` lasts; the used time is subtracted from it.
pub(crate) fn wait_for_calm(patience: &mut Duration) {
    let begun = Instant::now();
    loop {
        let before = Times::read();
        thread::sleep(3 * LOOK);
        let (_, busiest) = Times::read().since(&before, &[]);
        if busiest <= MOST_FOREIGN || begun.elapsed() >= *patience {
            *patience = patience.saturating_sub(begun.elapsed());
            return;
        }
    }
}

/// The longest time that an issuing thread of the process or its children was ready but not running. Threads that only
/// watch other threads run little and wait for those, which does not count.
fn waiting(process: u32) -> u64 {
    let mut threads = Vec::new();
    schedule_of(process, &mut threads);
    let most = threads.iter().map(|(ran, _)| *ran).max().unwrap_or(0);
    threads.iter().filter(|(ran, _)| *ran >= most / 2).map(|(_, waited)| *waited).max().unwrap_or(0)
}

/// Times that each thread ran and waited for a CPU, in nanoseconds.
fn schedule_of(process: u32, threads: &mut Vec<(u64, u64)>) {
    let Ok(folders) = fs::read_dir(format!("/proc/{process}/task")) else { return };
    for folder in folders.flatten().map(|entry| entry.path()) {
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
        let times: Vec<u64> = read("schedstat").split_whitespace().filter_map(|word| word.parse().ok()).collect();
        if let [ran, waited, ..] = times[..] {
            threads.push((ran, waited));
        }
        read("children").split_whitespace().filter_map(|id| id.parse().ok()).for_each(|id| schedule_of(id, threads));
    }
}

/// Counters of each CPU, in ticks.
#[derive(Debug, Default)]
struct Times {
    cpus: Vec<(usize, Ticks)>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Ticks {
    busy: u64,
    idle: u64,
    stolen: u64,
}

impl Times {
    fn read() -> Self {
        Times::parse(&fs::read_to_string("/proc/stat").unwrap_or_default())
    }

    /// Lines `cpuN user nice system idle iowait irq softirq steal …`.
    fn parse(text: &str) -> Self {
        let cpus = text.lines().filter_map(|line| {
            let (name, rest) = line.split_once(' ')?;
            let number = name.strip_prefix("cpu")?.parse().ok()?;
            let ticks: Vec<u64> = rest.split_whitespace().map_while(|word| word.parse().ok()).collect();
            let at = |index: usize| ticks.get(index).copied().unwrap_or(0);
            let busy = at(0) + at(1) + at(2) + at(5) + at(6);
            Some((number, Ticks { busy, idle: at(3) + at(4), stolen: at(7) }))
        });
        Times { cpus: cpus.collect() }
    }

    /// The largest stolen share among `pinned`, and the largest busy share (including stolen time) among the others.
    fn since(&self, before: &Times, pinned: &[usize]) -> (f64, f64) {
        let (mut stolen, mut foreign) = (0.0_f64, 0.0_f64);
        for ((number, now), (_, then)) in self.cpus.iter().zip(&before.cpus) {
            let robbed = now.stolen.saturating_sub(then.stolen);
            let busy = now.busy.saturating_sub(then.busy) + robbed;
            let whole = (busy + now.idle.saturating_sub(then.idle)).max(1) as f64;
            if pinned.contains(number) {
                stolen = stolen.max(robbed as f64 / whole);
            } else {
                foreign = foreign.max(busy as f64 / whole);
            }
        }
        (stolen, foreign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_taken_from_the_pinned_cpu_and_work_on_the_others_are_seen() {
        let before = Times::parse("cpu  9 9 9 9\ncpu0 100 0 100 800 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\nintr 1\n");
        let after = Times::parse("cpu  9 9 9 9\ncpu0 110 5 105 880 0 0 0 0 0 0\ncpu1 60 0 30 5 0 0 0 5 0 0\nintr 1\n");
        assert_eq!(after.since(&before, &[1]), (0.05, 0.2));
        assert_eq!(after.since(&before, &[]), (0.0, 0.95));
        assert_eq!(after.since(&before, &[0, 1]), (0.05, 0.0));
    }

    #[test]
    fn each_sign_alone_spoils_a_run() {
        assert!(Disturbance { waited: 0.01, stolen: 0.01, foreign: 0.9 }.is_calm());
        for spoilt in [
            Disturbance { waited: 0.03, ..Disturbance::default() },
            Disturbance { stolen: 0.03, ..Disturbance::default() },
        ] {
            assert!(!spoilt.is_calm() && spoilt.degree() > 1.0, "{spoilt:?}");
        }
    }

    #[test]
    fn a_failed_or_endless_run_is_an_error_that_says_so() {
        let shell = |line: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", line]);
            command
        };
        let printed = run(shell("echo 12; echo no >&2"), &[0], Duration::from_secs(60)).expect("a run").printed;
        assert_eq!(printed, "12\n");
        let failed = run(shell("echo the reason >&2; exit 3"), &[0], Duration::from_secs(60)).expect_err("failed");
        assert!(failed.to_string().contains("the reason") && failed.to_string().contains('3'), "{failed}");
        let endless = run(shell("exec sleep 600"), &[0], Duration::ZERO).expect_err("endless");
        assert!(endless.to_string().contains("stopped"), "{endless}");
    }
}
