//! The cost of reading a source, measured on the thread that would read it: drivelab's account of its own effect.

use drivelab_core::clock::RunClock;
use drivelab_core::telemetry::{ReadingCost, TelemetrySource};
use drivelab_core::units::Nanos;
use rustix::time::{ClockId, clock_gettime};

/// CPU time of the calling thread in nanoseconds (CLOCK_THREAD_CPUTIME_ID, clock_gettime(2)).
#[must_use]
#[expect(clippy::cast_sign_loss, reason = "CPU time is never negative")]
pub fn thread_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Reads a source once as a warm-up and then `readings` times, and returns the cost of these; `None` if all of them
/// failed. The time that the drive's controller spends on an answer is not in any figure of the host.
pub fn cost(source: &mut dyn TelemetrySource, clock: &dyn RunClock, readings: u32) -> Option<ReadingCost> {
    let _ = source.read(clock);
    let (mut done, mut time, mut longest) = (0u32, 0u64, 0u64);
    let cpu_before = thread_cpu_ns();
    for _ in 0..readings {
        let began_ns = clock.now_ns();
        let worked = source.read(clock).is_ok();
        let took = clock.now_ns().saturating_sub(began_ns);
        if worked {
            done += 1;
            time += took;
            longest = longest.max(took);
        }
    }
    let cpu = thread_cpu_ns().saturating_sub(cpu_before);
    let each = u64::from(done.max(1));
    (done > 0).then(|| ReadingCost {
        readings: done,
        time_mean: Nanos::new(time / each),
        time_max: Nanos::new(longest),
        cpu_mean: Nanos::new(cpu / each),
    })
}

#[cfg(test)]
mod tests {
    use drivelab_core::clock::MonotonicClock;
    use drivelab_device::Roots;

    use super::*;
    use crate::cpu::CpuTimes;

    #[test]
    fn reading_the_cpu_times_costs_something() {
        let clock = MonotonicClock::starting_at(0);
        let mut source = CpuTimes::open(&Roots::default(), Nanos::from_secs(1)).unwrap();
        let cost = cost(&mut source, &clock, 20).unwrap();
        assert_eq!(cost.readings, 20);
        assert!(cost.time_mean.get() > 0 && cost.time_max >= cost.time_mean, "{cost:?}");
        assert!(cost.cpu_mean.get() > 0, "{cost:?}");
    }
}
