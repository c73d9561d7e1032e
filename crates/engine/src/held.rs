//! What held the whole process up: that it stood still, and a CPU quota. On the session's thread, never in a loop.
//!
//! The thread that collects sleeps most of the time, for a tenth of a second at most. Where it wakes much later, and
//! was not waiting for a CPU meanwhile, nothing of the process ran: it was stopped (SIGSTOP), frozen (cgroup), or the
//! machine stood still. A machine that was suspended shows by the clock that goes on meanwhile.

use std::fs;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::selfcheck::waited_for_cpu_ns;

/// So much later than it should have a thread wakes only where something held it up; a busy machine wakes it some
/// milliseconds late.
const LATE_NS: u64 = 200_000_000;

/// Sleeps of one thread, and how much longer they were than they should have been.
#[derive(Debug)]
pub(crate) struct Sleep {
    began: u64,
    /// How far the clock that goes on while the machine is suspended was ahead.
    ahead: u64,
    waited_for_cpu: u64,
}

impl Sleep {
    /// Of the calling thread, from now on.
    pub(crate) fn of_this_thread() -> Sleep {
        let (began, ahead) = clocks();
        Sleep { began, ahead, waited_for_cpu: waited_for_cpu_ns() }
    }

    /// Right before a sleep.
    pub(crate) fn before(&mut self) {
        (self.began, self.ahead) = clocks();
    }

    /// Right behind a sleep of at most `most`: nanoseconds in which the process stood still.
    pub(crate) fn after(&mut self, most: Duration) -> u64 {
        let (now, ahead) = clocks();
        let late = now.saturating_sub(self.began).saturating_sub(nanos(most));
        let suspended = ahead.saturating_sub(self.ahead);
        if late.max(suspended) <= LATE_NS {
            return 0;
        }
        let waited = waited_for_cpu_ns();
        let for_a_cpu = waited.saturating_sub(std::mem::replace(&mut self.waited_for_cpu, waited));
        stood_still(late, for_a_cpu, suspended)
    }
}

/// Nanoseconds in which a process stood still whose sleeping thread woke `late`, waited so long `for_a_cpu`, and whose
/// machine was `suspended` for so long.
const fn stood_still(late: u64, for_a_cpu: u64, suspended: u64) -> u64 {
    let still = late.saturating_sub(for_a_cpu);
    let still = if still > LATE_NS { still } else { 0 };
    let suspended = if suspended > LATE_NS { suspended } else { 0 };
    still.saturating_add(suspended)
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

/// Nanoseconds in which quotas of this process's cgroups, and of those that they lie in, kept it from a CPU, summed
/// over CPUs; 0 where nothing counts it.
pub(crate) fn kept_by_quota_ns() -> u64 {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let Some((roots, path)) = cpu_group(&groups) else { return 0 };
    let text = |root: &str, path: &str| fs::read_to_string(format!("{root}{path}/cpu.stat")).ok();
    // In a container the path may be that of the host, and its own group the root.
    let of_root = |root: &&str| text(root, &path).or_else(|| text(root, "")).is_some();
    let Some(root) = roots.into_iter().find(of_root) else { return 0 };
    let mut levels: Vec<&str> = path.match_indices('/').map(|(at, _)| path.get(..at).unwrap_or_default()).collect();
    levels.push(&path);
    levels.sort_unstable();
    levels.dedup();
    // The root of all has no quota; where the root is this container's own, it has.
    levels.retain(|level| *level != "/");
    levels.iter().filter_map(|level| text(root, level)).map(|stat| throttled_ns(&stat)).sum()
}

/// Where the group that shares CPU time out may be found, and its path: of version 1, or of version 2.
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

/// Of a `cpu.stat`: `throttled_time` in nanoseconds (version 1) or `throttled_usec` (version 2).
fn throttled_ns(stat: &str) -> u64 {
    let of = |name: &str| stat.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    of("throttled_time ").or_else(|| of("throttled_usec ").map(|time| time.saturating_mul(1000))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waited_for_a_cpu_did_not_stand_still() {
        assert_eq!(stood_still(2_000_000_000, 0, 0), 2_000_000_000);
        assert_eq!(stood_still(2_000_000_000, 1_900_000_000, 0), 0);
        assert_eq!(stood_still(LATE_NS, 0, 0), 0);
        assert_eq!(stood_still(0, 0, 60_000_000_000), 60_000_000_000, "suspended");
    }

    #[test]
    fn a_sleep_of_its_length_is_none_of_it() {
        let mut sleep = Sleep::of_this_thread();
        sleep.before();
        std::thread::sleep(Duration::from_millis(20));
        // However busy the machine is: what it waits for a CPU is told apart.
        assert_eq!(sleep.after(Duration::from_millis(100)), 0);
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
