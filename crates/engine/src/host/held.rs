//! What held up the whole process: stops of the process, and a CPU quota. Never used in a loop that issues.
//!
//! A thread of its own sleeps for 25 ms at a time and reads the clock before and after. If a reading comes much later
//! than it should, and the thread neither ran meanwhile nor waited for a CPU, nothing of the process ran: it was
//! stopped (SIGSTOP), frozen (cgroup), or the machine was stopped. A suspended machine shows by the clock that goes
//! on meanwhile. The thread does nothing else, because a stop during other work cannot be told from that work.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A reading of the clock that is later than due by more than this, without the thread's CPU time and its wait for a
/// CPU, means that the process was stopped.
const LATE_NS: u64 = 50_000_000;
/// A stop longer than this is always reported, because it shows in the longest latencies. The two clocks that show a
/// suspend are read one after the other, so a shorter difference means nothing.
const LONG_NS: u64 = 200_000_000;
/// Shorter stops are reported if together they exceed this fraction (1/100) of the step.
const PARTS: u64 = 100;

/// How long the whole process was stopped in a step, in nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Still {
    long: u64,
    short: u64,
}

impl Still {
    /// Adds a stop of `still` nanoseconds.
    pub(crate) const fn add(&mut self, still: u64) {
        let sum = if still > LONG_NS { &mut self.long } else { &mut self.short };
        *sum = sum.saturating_add(still);
    }

    /// Nanoseconds to report for a step of this length: short stops count only if they add up.
    pub(crate) const fn of(self, step_ns: u64) -> u64 {
        let short = if self.short > step_ns / PARTS { self.short } else { 0 };
        self.long.saturating_add(short)
    }
}

/// Time between two readings.
const LOOK: Duration = Duration::from_millis(25);

/// The thread that watches for stops of the process.
#[derive(Debug)]
pub(crate) struct Watcher {
    over: Arc<AtomicBool>,
    /// `None` if the thread could not be started; stops are then not seen.
    thread: Option<JoinHandle<Still>>,
}

impl Watcher {
    /// Watches from now on.
    pub(crate) fn begin() -> Watcher {
        let over = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&over);
        let thread = thread::Builder::new().name("stops".to_owned()).spawn(move || watched(&until)).ok();
        Watcher { over, thread }
    }

    /// Ends the thread. Returns the stops since its beginning.
    pub(crate) fn end(mut self) -> Still {
        self.wake_to_end();
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }

    fn wake_to_end(&self) {
        self.over.store(true, Ordering::Release);
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for Watcher {
    /// Ends the thread also if a callback panics and the stops are never asked for.
    fn drop(&mut self) {
        self.wake_to_end();
    }
}

/// Adds up the stops of the process until `over` is set.
fn watched(over: &AtomicBool) -> Still {
    let (mut watch, mut still) = (Watch::of_this_thread(), Still::default());
    while !over.load(Ordering::Acquire) {
        still.add(watch.look(Duration::ZERO));
        thread::park_timeout(LOOK);
        still.add(watch.look(LOOK));
    }
    still
}

/// Finds out how long the process was stopped, from one thread's readings of the clock and its CPU time.
#[derive(Debug)]
struct Watch {
    /// Time of the last reading.
    looked: u64,
    /// How far the clock that goes on during a suspension was ahead.
    ahead: u64,
    /// Time the thread had run or waited for a CPU until then.
    busy: u64,
    /// The kernel's statistics of the thread.
    schedstat: Option<File>,
}

impl Watch {
    /// Of the calling thread, from now on.
    fn of_this_thread() -> Watch {
        let schedstat = File::open("/proc/thread-self/schedstat").ok();
        let mut watch = Watch { looked: 0, ahead: 0, busy: 0, schedstat };
        watch.busy = watch.busy_so_far();
        (watch.looked, watch.ahead) = clocks();
        watch
    }

    /// Takes a reading that is due at most `most` after the last one. Returns for how many nanoseconds the process was
    /// stopped in between.
    fn look(&mut self, most: Duration) -> u64 {
        let busy = self.busy_so_far();
        let (now, ahead) = clocks();
        let late = now.saturating_sub(self.looked).saturating_sub(nanos(most));
        let suspended = ahead.saturating_sub(self.ahead);
        // Read again after the clock: a wait for a CPU between the two reads then counts on both sides.
        let still = if late.max(suspended) > LATE_NS {
            stood_still(late, self.busy_so_far().saturating_sub(self.busy), suspended)
        } else {
            0
        };
        (self.looked, self.ahead, self.busy) = (now, ahead, busy);
        still
    }

    /// Nanoseconds that the thread has run or waited for a CPU so far; 0 if the kernel keeps no such statistics.
    fn busy_so_far(&self) -> u64 {
        let mut text = [0; 96];
        let read = self.schedstat.as_ref().and_then(|file| file.read_at(&mut text, 0).ok()).unwrap_or(0);
        busy_in(std::str::from_utf8(&text[..read]).unwrap_or_default())
    }
}

/// Run time and wait for a CPU together, in nanoseconds: the first two numbers of a thread's schedstat
/// (Documentation/scheduler/sched-stats.rst).
fn busy_in(schedstat: &str) -> u64 {
    schedstat.split_whitespace().take(2).filter_map(|number| number.parse::<u64>().ok()).sum()
}

/// For how many nanoseconds a process was stopped: how `late` its thread read the clock, less the time that the
/// thread ran or waited for a CPU (`busy`), plus the time for which the machine was `suspended`.
const fn stood_still(late: u64, busy: u64, suspended: u64) -> u64 {
    let still = late.saturating_sub(busy);
    let still = if still > LATE_NS { still } else { 0 };
    let suspended = if suspended > LONG_NS { suspended } else { 0 };
    still.saturating_add(suspended)
}

/// Nanoseconds for which the machine has been suspended so far, from a fixed origin.
pub(crate) fn suspended_ns() -> u64 {
    clocks().1
}

/// Nanoseconds by CLOCK_MONOTONIC, and how far CLOCK_BOOTTIME is ahead of it.
fn clocks() -> (u64, u64) {
    let read = |clock| {
        let time = clock_gettime(clock);
        let (seconds, rest) = (u64::try_from(time.tv_sec), u64::try_from(time.tv_nsec));
        seconds.unwrap_or(0).saturating_mul(1_000_000_000).saturating_add(rest.unwrap_or(0))
    };
    let (ahead, now) = (read(ClockId::Boottime), read(ClockId::Monotonic));
    (now, ahead.saturating_sub(now))
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Nanoseconds in which quotas of this process's cgroups and their parents kept it from a CPU, summed over CPUs; 0 if
/// nothing counts it.
pub(crate) fn kept_by_quota_ns() -> u64 {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let Some((roots, path)) = cpu_group(&groups) else { return 0 };
    let text = |root: &str, path: &str| fs::read_to_string(format!("{root}{path}/cpu.stat")).ok();
    // In a container the path may be the host's, with the process's own group mounted as the root.
    let of_root = |root: &&str| text(root, &path).or_else(|| text(root, "")).is_some();
    let Some(root) = roots.into_iter().find(of_root) else { return 0 };
    let mut levels: Vec<&str> = path.match_indices('/').map(|(at, _)| path.get(..at).unwrap_or_default()).collect();
    levels.push(&path);
    levels.sort_unstable();
    levels.dedup();
    // The root of the whole tree has no quota; a root that is this container's own group has one.
    levels.retain(|level| *level != "/");
    levels.iter().filter_map(|level| text(root, level)).map(|stat| throttled_ns(&stat)).sum()
}

/// Where the group that controls CPU time may be found, and its path: of version 1, or of version 2.
fn cpu_group(groups: &str) -> Option<(Vec<&'static str>, String)> {
    let lines = || groups.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
    let v1 = lines().find(|(controllers, _)| controllers.split(',').any(|one| one == "cpu"));
    if let Some((_, path)) = v1 {
        let roots = vec!["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpuacct,cpu"];
        return Some((roots, path.to_owned()));
    }
    let (_, path) = lines().find(|(controllers, _)| controllers.is_empty())?;
    Some((vec!["/sys/fs/cgroup", "/sys/fs/cgroup/unified"], path.to_owned()))
}

/// From a `cpu.stat`: `throttled_time` in nanoseconds (version 1) or `throttled_usec` (version 2).
fn throttled_ns(stat: &str) -> u64 {
    let of = |name: &str| stat.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    of("throttled_time ").or_else(|| of("throttled_usec ").map(|time| time.saturating_mul(1000))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_ran_or_waited_for_a_cpu_did_not_stand_still() {
        assert_eq!(busy_in("1500 200 7"), 1700);
        assert_eq!(stood_still(2_000_000_000, 0, 0), 2_000_000_000);
        assert_eq!(stood_still(2_000_000_000, 1_960_000_000, 0), 0);
        assert_eq!(stood_still(LATE_NS, 0, 0), 0);
        assert_eq!(stood_still(0, 0, 60_000_000_000), 60_000_000_000, "suspended");
    }

    #[test]
    fn short_stops_are_told_where_they_are_a_hundredth_together_and_long_ones_always() {
        let of = |stops: &[u64], step_ms: u64| {
            let mut still = Still::default();
            stops.iter().for_each(|ms| still.add(ms * 1_000_000));
            still.of(step_ms * 1_000_000) / 1_000_000
        };
        assert_eq!(of(&[100; 10], 3_000), 1_000);
        assert_eq!(of(&[25], 3_000), 0, "a hundredth of the step is 30 ms");
        assert_eq!(of(&[25, 6], 3_000), 31);
        assert_eq!(of(&[250, 25], 600_000), 250);
    }

    #[test]
    fn a_sleep_of_its_length_is_none_of_it() {
        // However busy the machine is, waiting for a CPU is told apart. A hypervisor that stops the machine for that
        // long really stops the process, but not every time.
        let stood_still = || {
            let mut watch = Watch::of_this_thread();
            thread::sleep(Duration::from_millis(20));
            watch.look(Duration::from_millis(100))
        };
        assert!((0..8).any(|_| stood_still() == 0));
    }

    #[test]
    fn quotas_of_both_versions_are_read() {
        assert_eq!(throttled_ns("nr_periods 3\nnr_throttled 2\nthrottled_time 1500\n"), 1500);
        assert_eq!(throttled_ns("usage_usec 9\nnr_throttled 2\nthrottled_usec 15\n"), 15_000);
        assert_eq!(throttled_ns(""), 0);
        let v1 = cpu_group("2:cpuacct:/\n1:cpu:/a/b\n0::/\n").expect("a group");
        assert_eq!((v1.0[0], v1.1.as_str()), ("/sys/fs/cgroup/cpu", "/a/b"));
        let v2 = cpu_group("0::/user.slice/x\n").expect("a group");
        assert_eq!((v2.0[0], v2.1.as_str()), ("/sys/fs/cgroup", "/user.slice/x"));
    }
}
