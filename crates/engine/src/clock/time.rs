//! The clock of the I/O loop: nanoseconds of CLOCK_MONOTONIC_RAW, read from the CPU's counter if that is reliable.
//!
//! A `clock_gettime` costs some 45 ns, `rdtsc` less than 20 (research notes, engine, 3.4). The counter is used only
//! if the CPU states that it ticks at a constant rate through all power states (`constant_tsc`, `nonstop_tsc`) and
//! the kernel itself keeps time with it (clocksource `tsc`: the kernel has checked that all CPUs agree, and keeps
//! checking). It is calibrated against CLOCK_MONOTONIC_RAW at the start of each step, over the time since the process
//! started or the machine was last suspended. At the end it is compared with that clock again, and the difference is
//! in the result. While the machine is suspended that clock stops, but the counter goes on (suspend-to-idle) or
//! restarts (suspend to memory).

use std::sync::{Mutex, OnceLock, PoisonError};

use drivelab_core::clock::monotonic_raw_ns;

use crate::clock::tsc;
use crate::host::held;

/// Shortest time to calibrate over: with both ends known to some 20 ns, the rate is known to a few millionths.
const CALIBRATION_NS: u64 = 20_000_000;
/// The machine was suspended if the clocks that show it have moved apart by more than this. They are read one after
/// the other; if one such reading took longer, the only effect is that the calibration begins again.
const SUSPENDED_NS: u64 = 100_000;
/// Readings, of which the one with the shortest time around it is kept.
const TRIES: usize = 16;
/// Rates are multiplied in 32.32 fixed point.
const FRACTION_BITS: u32 = 32;

/// The counter and the kernel's clock at the same moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Moment {
    ticks: u64,
    raw_ns: u64,
    /// For how long the machine had been suspended right before.
    suspended_ns: u64,
}

impl Moment {
    /// Reads the kernel's clock between two readings of the counter, and keeps the tightest of several tries.
    fn now() -> Option<Moment> {
        let suspended_ns = held::suspended_ns();
        let one = || {
            let before = tsc::ticks()?;
            let raw_ns = monotonic_raw_ns();
            let after = tsc::ticks()?;
            let around = after.wrapping_sub(before);
            Some((around, Moment { ticks: before.wrapping_add(around / 2), raw_ns, suspended_ns }))
        };
        (0..TRIES).filter_map(|_| one()).min_by_key(|(around, _)| *around).map(|(_, moment)| moment)
    }
}

/// The clock of one step, common to all of its threads.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    source: Source,
    reason: String,
}

#[derive(Debug, Clone, Copy)]
enum Source {
    /// Nanoseconds are `base.raw_ns + (ticks - base.ticks) * rate`.
    Counter {
        base: Moment,
        rate: u64,
    },
    Kernel,
}

impl Clock {
    /// The clock for a step that begins soon.
    pub(crate) fn for_step() -> Clock {
        match first() {
            Err(reason) => Clock { source: Source::Kernel, reason: reason.clone() },
            Ok(first) => {
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                calibrate(&mut first, Moment::now).map_or_else(
                    || Clock { source: Source::Kernel, reason: "the time-stamp counter did not advance".to_owned() },
                    |source| Clock { source, reason: "constant_tsc, nonstop_tsc, clocksource tsc".to_owned() },
                )
            }
        }
    }

    /// Now, in nanoseconds of CLOCK_MONOTONIC_RAW.
    #[inline]
    pub(crate) fn now(&self) -> u64 {
        match self.source {
            Source::Counter { base, rate } => {
                let ticks = tsc::ticks().unwrap_or(base.ticks);
                // A thread on a CPU whose counter is a few ticks behind must not see a time far in the future.
                let since = ticks.saturating_sub(base.ticks);
                base.raw_ns + scaled(since, rate)
            }
            Source::Kernel => monotonic_raw_ns(),
        }
    }

    /// Its name in results: which clock, and why that one.
    pub(crate) fn describe(&self) -> String {
        match self.source {
            Source::Counter { .. } => format!("tsc ({})", self.reason),
            Source::Kernel => format!("CLOCK_MONOTONIC_RAW ({})", self.reason),
        }
    }

    /// Nanoseconds by which it is ahead of CLOCK_MONOTONIC_RAW now.
    pub(crate) fn error_ns(&self) -> i64 {
        match (self.source, Moment::now()) {
            (Source::Counter { base, rate }, Some(now)) => {
                let by_counter = base.raw_ns + scaled(now.ticks.saturating_sub(base.ticks), rate);
                by_counter.cast_signed().wrapping_sub(now.raw_ns.cast_signed())
            }
            _ => 0,
        }
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "584 years of nanoseconds fit into 64 bits")]
const fn scaled(ticks: u64, rate: u64) -> u64 {
    ((ticks as u128 * rate as u128) >> FRACTION_BITS) as u64
}

/// The first moment at which the counter was read since this process began or the machine was last suspended, or why
/// the counter is not used. Used only between steps.
fn first() -> &'static Result<Mutex<Moment>, String> {
    static FIRST: OnceLock<Result<Mutex<Moment>, String>> = OnceLock::new();
    FIRST.get_or_init(|| {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        fit_for_timing(
            &read("/proc/cpuinfo"),
            &read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        )?;
        Moment::now().map(Mutex::new).ok_or_else(|| "this CPU has no time-stamp counter".to_owned())
    })
}

/// Whether the counter may be trusted, from the contents of /proc/cpuinfo and of the kernel's clock source.
fn fit_for_timing(cpuinfo: &str, clocksource: &str) -> Result<(), String> {
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
    let lacks = ["constant_tsc", "nonstop_tsc"].into_iter().find(|flag| !flags.split_whitespace().any(|f| f == *flag));
    match (lacks, clocksource.trim()) {
        (Some(flag), _) => Err(format!("the CPU does not guarantee {flag}")),
        (None, "tsc") => Ok(()),
        (None, other) => Err(format!("the kernel keeps time with '{other}' instead of the time-stamp counter")),
    }
}

/// The rate over the whole time since the first moment, after waiting until that is long enough. If the machine has
/// been suspended since, a new first moment is taken: over a suspension the two clocks have no common rate.
fn calibrate(first: &mut Moment, mut next: impl FnMut() -> Option<Moment>) -> Option<Source> {
    let now = loop {
        let now = next()?;
        if now.suspended_ns > first.suspended_ns.saturating_add(SUSPENDED_NS) {
            *first = now;
        }
        if now.raw_ns.saturating_sub(first.raw_ns) >= CALIBRATION_NS {
            break now;
        }
        std::hint::spin_loop();
    };
    let (ticks, nanoseconds) = (now.ticks.checked_sub(first.ticks)?, now.raw_ns - first.raw_ns);
    let rate = (u128::from(nanoseconds) << FRACTION_BITS).checked_div(u128::from(ticks))?;
    Some(Source::Counter { base: now, rate: u64::try_from(rate).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "processor : 0\nflags : fpu tsc constant_tsc nonstop_tsc\n";

    #[test]
    fn the_counter_is_used_only_where_cpu_and_kernel_vouch_for_it() {
        assert_eq!(fit_for_timing(GOOD, "tsc\n"), Ok(()));
        assert!(fit_for_timing(GOOD, "hpet\n").unwrap_err().contains("hpet"));
        assert!(fit_for_timing(GOOD, "").is_err());
        assert!(fit_for_timing("flags : fpu tsc constant_tsc\n", "tsc").unwrap_err().contains("nonstop_tsc"));
        assert!(fit_for_timing("", "tsc").is_err());
    }

    /// Agreement, not speed: the two clocks are compared at the same moments.
    #[test]
    fn the_clock_agrees_with_the_kernels_and_never_goes_back() {
        let clock = Clock::for_step();
        let mut last = 0;
        for _ in 0..10_000 {
            let now = clock.now();
            assert!(now >= last, "{now} after {last}");
            last = now;
        }
        let begun = monotonic_raw_ns();
        while monotonic_raw_ns() - begun < 50_000_000 {
            std::hint::spin_loop();
        }
        // 100 millionths of the 50 ms, and the possible error of a reading. A reading that was delayed in its middle,
        // here or during calibration, is off by more; a counter that runs at another rate is off in each of them.
        let error = || [clock.error_ns(), Clock::for_step().error_ns()].into_iter().map(i64::abs).min();
        let least = (0..8).filter_map(|_| error()).min();
        assert!(least.is_some_and(|error| error < 25_000), "{least:?} ns off: {}", clock.describe());
    }

    /// Half a nanosecond for each tick.
    const HALF: u64 = 1 << (FRACTION_BITS - 1);

    /// Milliseconds for which the counter has run, for which the machine has run, and for which it was suspended.
    fn moment(counted_ms: u64, ran_ms: u64, suspended_ms: u64) -> Moment {
        let ns = |ms: u64| ms * 1_000_000;
        Moment { ticks: 2 * ns(counted_ms), raw_ns: ns(ran_ms), suspended_ns: ns(suspended_ms) }
    }

    /// A step at each of these times: one while the machine has not been suspended, one after an hour in which the
    /// counter went on, one after another hour in which it stopped and restarted.
    #[test]
    fn a_suspend_between_steps_does_not_change_the_rate() {
        let mut first = moment(1_000, 1_000, 0);
        for moments in [
            vec![moment(61_000, 61_000, 0)],
            vec![moment(3_671_000, 71_000, 3_600_000), moment(3_671_019, 71_019, 3_600_000)],
            vec![moment(5, 81_000, 7_200_000)],
        ] {
            let suspended = moments[0].suspended_ns > first.suspended_ns;
            let (begun, last) = (moments[0], moments[moments.len() - 1]);
            // A new first moment is too close: the rate is taken over a period after it.
            let later = |ms: u64| {
                let ns = ms * 1_000_000;
                Moment { ticks: last.ticks + 2 * ns, raw_ns: last.raw_ns + ns, ..last }
            };
            let mut told = moments.into_iter().chain([later(20), later(40)]);
            let Some(Source::Counter { base, rate }) = calibrate(&mut first, || told.next()) else { panic!("no rate") };
            assert_eq!(rate, HALF);
            assert_eq!(base, if suspended { later(20) } else { last });
            assert_eq!(first, if suspended { begun } else { moment(1_000, 1_000, 0) });
        }
    }

    #[test]
    fn a_known_rate_gives_known_times() {
        let base = Moment { raw_ns: 500, ..moment(0, 0, 0) };
        let clock = Clock { source: Source::Counter { base, rate: HALF }, reason: String::new() };
        let before = tsc::ticks().map_or(0, |ticks| 500 + ticks / 2);
        assert!(clock.now() >= before);
        assert_eq!(scaled(7, HALF), 3);
        assert_eq!(scaled(u64::MAX, 1 << FRACTION_BITS), u64::MAX);
    }
}
