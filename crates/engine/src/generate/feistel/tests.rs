//! Permutations: complete, in range, and as random as storage can detect.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::generate::testing::chi_square_deviation;

fn order(size: u64, key: u64, lap: u64) -> Vec<u64> {
    let permutation = Feistel::new(size, key);
    (0..size).map(|index| permutation.at(index, lap)).collect()
}

/// Halves change at sizes around powers of two.
#[test]
fn each_number_comes_once_whatever_the_size() {
    for size in (1..70).chain([127, 128, 129, 4095, 4096, 4097, 65_535, 65_536, 65_537, 100_003, 1_000_000]) {
        let mut numbers = order(size, size, 3);
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..size), "{size}");
    }
}

/// 2^40 blocks and more: too many to visit, but any hundred thousand of them are in range and distinct.
#[test]
fn a_large_permutation_stays_inside_and_repeats_nothing() {
    for size in [1 << 40, (1 << 40) + 1, 488_281_250, (1 << 50) - 1] {
        let permutation = Feistel::new(size, 5);
        let first = size - 100_000;
        let numbers: HashSet<u64> = (first..size).map(|index| permutation.at(index, 0)).collect();
        assert!(numbers.len() == 100_000 && numbers.iter().all(|number| *number < size), "{size}");
    }
}

/// Pairs of neighbours in 32 x 32 squares: this would show a structure that a drive's read-ahead or a chart could
/// see.
#[test]
fn neighbours_are_independent() {
    for (size, lap) in [(1_000_000, 0), (1_000_000, 1), (1 << 20, 0), (65_537 * 16, 0)] {
        let order = order(size, 9, lap);
        for distance in [1, 2, 3, 16, 1000, 1024, 65_536] {
            let mut counts = vec![0_u64; 1024];
            for (left, right) in order.iter().zip(&order[distance..]) {
                counts[(left * 32 / size * 32 + right * 32 / size) as usize] += 1;
            }
            let pairs = (order.len() - distance) as f64;
            let deviation = chi_square_deviation(&counts, &vec![pairs / 1024.0; 1024]);
            assert!(deviation < 4.0, "{size}, lap {lap}, distance {distance}: {deviation} standard deviations off");
        }
    }
}

/// Steps from one number to the next follow the triangular law of two independent uniform numbers.
#[test]
fn steps_have_the_law_of_random_ones() {
    let size = 1_000_003_u64;
    let order = order(size, 10, 0);
    let mut counts = vec![0_u64; 100];
    for pair in order.windows(2) {
        let share = (pair[1] as f64 - pair[0] as f64) / size as f64;
        let below = if share < 0.0 { (1.0 + share).powi(2) / 2.0 } else { 1.0 - (1.0 - share).powi(2) / 2.0 };
        counts[((below * 100.0) as usize).min(99)] += 1;
    }
    let deviation = chi_square_deviation(&counts, &[(size - 1) as f64 / 100.0; 100]);
    assert!(deviation.abs() < 4.0, "{deviation} standard deviations off");
}

/// Of a million numbers one keeps its place on average, and two laps agree about as often.
#[test]
fn laps_and_keys_give_unrelated_orders() {
    let agree = |left: &[u64], right: &[u64]| left.iter().zip(right).filter(|(left, right)| left == right).count();
    let plain: Vec<u64> = (0..1_000_000).collect();
    let orders = [order(1_000_000, 1, 0), order(1_000_000, 1, 1), order(1_000_000, 1, 2), order(1_000_000, 2, 0)];
    for (place, left) in orders.iter().enumerate() {
        assert!(agree(left, &plain) < 8);
        for right in &orders[place + 1..] {
            assert!(agree(left, right) < 8);
        }
    }
}

proptest! {
    #[test]
    fn any_size_key_and_lap_give_a_permutation(size in 1_u64..3000, key in any::<u64>(), lap in any::<u64>()) {
        let mut numbers = order(size, key, lap);
        numbers.sort_unstable();
        prop_assert!(numbers.into_iter().eq(0..size));
    }

    #[test]
    fn no_number_is_outside(size in 1_u64..1 << 50, key in any::<u64>(), lap in any::<u64>(), index in any::<u64>()) {
        prop_assert!(Feistel::new(size, key).at(index % size, lap) < size);
    }
}
