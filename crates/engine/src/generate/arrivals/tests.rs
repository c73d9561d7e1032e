//! Schedules compared with the processes that they should follow, and bursts with a count by hand.

use drivelab_core::units::Nanos;
use proptest::prelude::*;

use super::*;
use crate::generate::testing::chi_square_deviation;

const ARRIVALS: usize = 1_000_000;
const RATES: [u64; 4] = [1_000, 10_000, 300_000, 500_000];

fn rate(iops: u64, arrivals: Arrivals) -> Rate {
    Rate { per_1000_s: iops * 1000, arrivals }
}

fn whole(iops: u64, arrivals: Arrivals) -> Schedule {
    Schedule::new(rate(iops, arrivals), None, 0, 1, 7)
}

fn positions(schedule: &Schedule) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(schedule.first()), |position| Some(schedule.next(*position)))
}

/// Gaps in nanoseconds, including fractions.
fn gaps(schedule: &Schedule) -> Vec<f64> {
    let positions: Vec<u64> = positions(schedule).take(ARRIVALS + 1).collect();
    positions.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1024.0).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Coefficient of variation: the standard deviation of the values divided by their mean.
fn variation(values: &[f64]) -> f64 {
    let mean = mean(values);
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt() / mean
}

/// The mean of a million exponential gaps has a standard deviation of 0.1 %, of uniform ones 0.06 %.
#[test]
fn the_mean_rate_is_the_one_that_was_asked() {
    for iops in RATES {
        for (arrivals, bound) in
            [(Arrivals::Constant, 1e-6), (Arrivals::Exponential, 0.003), (Arrivals::Uniform, 0.002)]
        {
            let schedule = whole(iops, arrivals);
            let asked = 1e9 / iops as f64;
            let error = mean(&gaps(&schedule)) / asked - 1.0;
            assert!(error.abs() < bound, "{iops} IOPS {}: {error} off", arrivals.name());
        }
    }
}

#[test]
fn exponential_gaps_have_the_shape_of_a_poisson_process() {
    for iops in RATES {
        let gaps = gaps(&whole(iops, Arrivals::Exponential));
        let variation = variation(&gaps);
        assert!((variation - 1.0).abs() < 0.01, "{iops} IOPS: coefficient of variation {variation}");
        // 200 equally likely bins.
        let mut counts = vec![0_u64; 200];
        for gap in &gaps {
            counts[(((-gap * iops as f64 / 1e9).exp() * 200.0) as usize).min(199)] += 1;
        }
        let deviation = chi_square_deviation(&counts, &vec![gaps.len() as f64 / 200.0; 200]);
        assert!(deviation.abs() < 4.0, "{iops} IOPS: chi-square {deviation} standard deviations off");
        let average = mean(&gaps);
        let correlation = gaps.windows(2).map(|pair| (pair[0] - average) * (pair[1] - average)).sum::<f64>()
            / gaps.len() as f64
            / average.powi(2);
        assert!(correlation.abs() < 0.005, "{iops} IOPS: lag-1 correlation {correlation}");
    }
}

#[test]
fn uniform_gaps_are_uniform_up_to_twice_the_mean() {
    for iops in RATES {
        let gaps = gaps(&whole(iops, Arrivals::Uniform));
        let mut counts = vec![0_u64; 100];
        for gap in &gaps {
            counts[((gap * iops as f64 / 2e9 * 100.0) as usize).min(99)] += 1;
        }
        let deviation = chi_square_deviation(&counts, &[gaps.len() as f64 / 100.0; 100]);
        assert!(deviation.abs() < 4.0, "{iops} IOPS: chi-square {deviation} standard deviations off");
    }
}

/// Three threads of 10,000 IOPS together: one arrival each 100 us, thread after thread.
#[test]
fn constant_arrivals_of_threads_are_staggered() {
    let mut all: Vec<(u64, u64)> = (0..3)
        .flat_map(|thread| {
            let schedule = Schedule::new(rate(10_000, Arrivals::Constant), None, thread, 3, 7);
            positions(&schedule).take(1000).map(|at| (schedule.at_ns(at), thread)).collect::<Vec<_>>()
        })
        .collect();
    all.sort_unstable();
    assert!(all.into_iter().eq((0..3000).map(|number| (number * 100_000, number % 3))));
}

/// Counts in windows of one mean gap: 1,000,000 windows with Poisson counts (mean 1).
#[test]
fn poisson_processes_of_threads_add_up_to_one() {
    let windows = 500_000_usize;
    let mut counts = vec![0_u8; windows];
    for thread in 0..4 {
        let schedule = Schedule::new(rate(100_000, Arrivals::Exponential), None, thread, 4, 7);
        for window in positions(&schedule).map(|at| schedule.at_ns(at) as usize / 10_000).take_while(|at| *at < windows)
        {
            counts[window] += 1;
        }
    }
    let seen: Vec<u64> = (0..6).map(|k| counts.iter().filter(|count| (**count).min(5) == k).count() as u64).collect();
    let mut expected = [1.0, 1.0, 0.5, 1.0 / 6.0, 1.0 / 24.0, 0.0].map(|share| share / std::f64::consts::E);
    expected[5] = 1.0 - expected.iter().sum::<f64>();
    let deviation = chi_square_deviation(&seen, &expected.map(|share| share * windows as f64));
    assert!(deviation.abs() < 4.0, "{seen:?} against {expected:?}");
}

/// One arrival each 10 us, 25 us on, 100 us off.
#[test]
fn bursts_stretch_active_time() {
    let bursts = Bursts { on: Nanos::new(25_000), off: Nanos::new(100_000) };
    let schedule = Schedule::new(rate(100_000, Arrivals::Constant), Some(bursts), 0, 1, 7);
    let times: Vec<u64> = positions(&schedule).take(8).map(|at| schedule.at_ns(at)).collect();
    assert_eq!(times, [0, 10_000, 20_000, 130_000, 140_000, 250_000, 260_000, 270_000]);
}

#[test]
fn the_slowest_and_the_fastest_rate_go_on() {
    for per_1000_s in [0, 1, u64::MAX] {
        for arrivals in [Arrivals::Constant, Arrivals::Exponential, Arrivals::Uniform] {
            let schedule = Schedule::new(Rate { per_1000_s, arrivals }, None, 1023, 1024, 1);
            let first = schedule.first();
            assert!(schedule.next(first) > first, "{per_1000_s} {}", arrivals.name());
        }
    }
}

proptest! {
    /// Whatever the process: positions increase, times never decrease, and none lies in a pause.
    #[test]
    fn schedules_go_forward_and_keep_out_of_pauses(
        iops in 1_u64..2_000_000, key in any::<u64>(), thread in 0_u64..8, on in 1_u64..1 << 30, off in 0_u64..1 << 30,
        kind in 0_usize..3,
    ) {
        let arrivals = [Arrivals::Constant, Arrivals::Exponential, Arrivals::Uniform][kind];
        let bursts = Bursts { on: Nanos::new(on), off: Nanos::new(off) };
        let schedule = Schedule::new(rate(iops, arrivals), Some(bursts), thread, 8, key);
        let positions: Vec<u64> = positions(&schedule).take(100).collect();
        prop_assert!(positions.windows(2).all(|pair| pair[0] < pair[1]));
        let times: Vec<u64> = positions.iter().map(|at| schedule.at_ns(*at)).collect();
        prop_assert!(times.windows(2).all(|pair| pair[0] <= pair[1]));
        prop_assert!(times.iter().all(|at| at % (on + off) < on));
        let again = Schedule::new(rate(iops, arrivals), Some(bursts), thread, 8, key);
        prop_assert!(positions.iter().all(|at| again.next(*at) == schedule.next(*at)));
    }
}

proptest! {
    /// Counting by halving (even gaps) or one by one gives the same as going through the schedule, also with pauses.
    #[test]
    fn arrivals_are_counted_as_they_come(
        spacing in 0_usize..3, per_1000_s in 1_000_000_u64..10_000_000_000, thread in 0_u64..4, key in any::<u64>(),
        pauses in any::<bool>(), mut times in prop::collection::vec(0_u64..20_000_000, 1..20),
    ) {
        let arrivals = [Arrivals::Constant, Arrivals::Exponential, Arrivals::Uniform][spacing];
        let bursts = pauses.then(|| Bursts { on: Nanos::new(1_000_000), off: Nanos::new(700_000) });
        let schedule = Schedule::new(Rate { per_1000_s, arrivals }, bursts, thread, 4, key);
        let mut counter = Counter::new(&schedule);
        // Also right at an arrival, and right before it.
        let positions = std::iter::successors(Some(schedule.first()), |position| Some(schedule.next(*position)));
        let at: Vec<u64> = positions.take(5).map(|position| schedule.at_ns(position)).collect();
        times.extend(at.iter().flat_map(|at| [at.saturating_sub(1), *at]));
        times.sort_unstable();
        for until in times {
            let come = |position: &u64| schedule.at_ns(*position) <= until;
            let all = std::iter::successors(Some(schedule.first()), |position| Some(schedule.next(*position)));
            prop_assert_eq!(counter.up_to(until), all.take_while(come).count() as u64, "until {}", until);
        }
    }
}
