//! CPU time of each CPU of the host since boot: /proc/stat (proc_stat(5)), in milliseconds by kind.
//!
//! Owns the order of its columns, for all callers that sample them. Must not know: what the difference of two samples
//! is compared with; what counts as busy is [`CoreTime::busy_ms`].

use drivelab_core::group::CoreTime;

use crate::roots::{Roots, read};

/// Time of each CPU since boot; empty if /proc/stat cannot be read.
#[must_use]
pub fn cpu_times() -> Vec<CoreTime> {
    cpu_times_in(&Roots::default()).unwrap_or_default()
}

/// Time of each CPU since boot.
///
/// # Errors
/// Why /proc/stat cannot be read.
pub fn cpu_times_in(roots: &Roots) -> Result<Vec<CoreTime>, String> {
    Ok(parse(&read(&roots.proc.join("stat"))?, rustix::param::clock_ticks_per_second()))
}

/// Sum over all CPUs of the time between two samples; CPUs that are in only one of them are left out.
pub(crate) fn between(before: &[CoreTime], after: &[CoreTime]) -> CoreTime {
    let spent = |now: &CoreTime| before.iter().find(|core| core.cpu == now.cpu).map(|core| now.since(core));
    after.iter().filter_map(spent).fold(CoreTime::default(), |sum, core| sum.plus(&core))
}

/// One entry for each line `cpuN user nice system idle iowait irq softirq steal …`, in ticks. Guest time is part of
/// user.
fn parse(text: &str, ticks_per_second: u64) -> Vec<CoreTime> {
    let tick = |column: Option<&u64>| {
        let ticks = u128::from(column.copied().unwrap_or(0));
        u64::try_from(ticks * 1000 / u128::from(ticks_per_second.max(1))).unwrap_or(u64::MAX)
    };
    let core = |line: &str| {
        let mut words = line.split_whitespace();
        let cpu: u32 = words.next()?.strip_prefix("cpu")?.parse().ok()?;
        let columns: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
        (columns.len() >= 4).then(|| CoreTime {
            cpu,
            user_ms: tick(columns.first()).saturating_add(tick(columns.get(1))),
            system_ms: tick(columns.get(2)),
            idle_ms: tick(columns.get(3)),
            wait_ms: tick(columns.get(4)),
            interrupt_ms: tick(columns.get(5)).saturating_add(tick(columns.get(6))),
            steal_ms: tick(columns.get(7)),
        })
    };
    text.lines().filter_map(core).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_cpu_is_read_and_the_sum_of_all_is_left_out() {
        let text =
            "cpu  10 0 10 10 0 0 0 0 0 0\ncpu0 100 20 30 400 50 6 7 8 90 0\ncpu3 1 2 3 4\nintr 5 6\ncpux 1 2 3 4\n";
        let cores = parse(text, 100);
        assert_eq!(cores.len(), 2);
        let first = cores[0];
        assert_eq!((first.user_ms, first.system_ms, first.idle_ms, first.wait_ms), (1200, 300, 4000, 500));
        assert_eq!((first.interrupt_ms, first.steal_ms), (130, 80));
        assert_eq!((cores[1].cpu, cores[1].user_ms, cores[1].wait_ms), (3, 30, 0));
    }

    #[test]
    fn this_machine_has_cpus_whose_time_goes_on() {
        let before = cpu_times();
        assert!(!before.is_empty());
        let after = cpu_times();
        assert!(before.iter().zip(&after).all(|(before, after)| after.idle_ms >= before.idle_ms));
    }

    #[test]
    fn two_looks_give_what_all_cpus_did_meanwhile() {
        let before = parse("cpu0 100 0 50 800 50 0 0 0 0 0\ncpu1 9 0 0 0\n", 100);
        let after = parse("cpu0 120 0 60 840 70 0 0 10 0 0\ncpu2 9 0 0 0\n", 100);
        let both = between(&before, &after);
        assert_eq!((both.busy_ms(), both.steal_ms, both.all_ms()), (300, 100, 1000), "30 and 10 of 100 ticks");
        assert_eq!(between(&[], &after).all_ms(), 0);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,80}", number in any::<u64>(), hertz in any::<u64>()) {
            parse(&text, hertz);
            parse(&format!("cpu1 {number} {number} {number} {number} {number}"), hertz);
        }
    }
}
