//! Zipf's law compared with the exact shares of its ranks.

use proptest::prelude::*;

use super::*;
use crate::generate::number;
use crate::generate::testing::{chi_square_deviation, is_share};

const DRAWS: u64 = 1_000_000;

fn counts(zipf: &Zipf, bin: impl Fn(u64) -> usize, bins: usize) -> Vec<u64> {
    let mut counts = vec![0_u64; bins];
    for position in 0..DRAWS {
        counts[bin(zipf.rank(number(5, position)))] += 1;
    }
    counts
}

/// Every one of 500 ranks, those of the head and those after it, with every kind of exponent.
#[test]
fn ranks_have_their_exact_shares() {
    for exponent in [0.001, 0.5, 0.999, 1.0, 1.001, 1.1, 2.0] {
        let weights: Vec<f64> = (1..=500).map(|rank| f64::from(rank).powf(-exponent)).collect();
        let sum: f64 = weights.iter().sum();
        let expected: Vec<f64> = weights.iter().map(|weight| weight / sum * DRAWS as f64).collect();
        let counts = counts(&Zipf::new(exponent, 500), |rank| rank as usize - 1, 500);
        let deviation = chi_square_deviation(&counts, &expected);
        assert!(deviation.abs() < 4.0, "{exponent}: {deviation} standard deviations off");
    }
}

/// 2^40 ranks, in bins of powers of two: fio's sum over at most 10 million ranks would be off here. The shares come
/// from sums up to 2^20 and the Euler-Maclaurin formula beyond.
#[test]
fn the_shares_are_exact_at_any_number_of_ranks() {
    for exponent in [0.9_f64, 1.0, 1.1] {
        let direct: Vec<f64> =
            (0..20).map(|bin| (1_u64 << bin..1 << (bin + 1)).map(|rank| (rank as f64).powf(-exponent)).sum()).collect();
        let curve = |place: f64| {
            if exponent == 1.0 { place.ln() } else { place.powf(1.0 - exponent) / (1.0 - exponent) }
        };
        // From 2^bin up to, not including, 2^(bin + 1).
        let beyond = (20..40).map(|bin| {
            let (first, end) = (2f64.powi(bin), 2f64.powi(bin + 1));
            curve(end) - curve(first) + (first.powf(-exponent) - end.powf(-exponent)) / 2.0
        });
        let mut weights: Vec<f64> = direct.into_iter().chain(beyond).collect();
        weights.push(2f64.powi(40).powf(-exponent));
        let sum: f64 = weights.iter().sum();
        // The last rank has a bin of its own, with too few draws for it.
        weights[39] += weights[40];
        let expected: Vec<f64> = weights[..40].iter().map(|weight| weight / sum * DRAWS as f64).collect();
        let counts = counts(&Zipf::new(exponent, 1 << 40), |rank| rank.ilog2().min(39) as usize, 40);
        let deviation = chi_square_deviation(&counts, &expected);
        assert!(deviation.abs() < 4.0, "{exponent}: {deviation} standard deviations off");
    }
}

#[test]
fn the_ends_of_what_is_allowed_stay_inside() {
    for exponent in [0.001, 1.0, 10.0] {
        for ranks in [1, 2, 3, HEAD, HEAD + 1, 1 << 40] {
            let zipf = Zipf::new(exponent, ranks);
            for position in 0..10_000 {
                assert!((1..=ranks).contains(&zipf.rank(number(1, position))));
            }
            assert!([0, u64::MAX].into_iter().all(|random| (1..=ranks).contains(&zipf.rank(random))));
        }
    }
}

proptest! {
    /// Whatever the law, the ranks and the bits: a rank is in range.
    #[test]
    fn a_rank_is_always_one_of_the_ranks(
        thousandths in 1_u32..=10_000, ranks in 1_u64..=1 << 52, randoms in prop::collection::vec(any::<u64>(), 20),
    ) {
        let zipf = Zipf::new(f64::from(thousandths) / 1000.0, ranks);
        for random in randoms {
            prop_assert!((1..=ranks).contains(&zipf.rank(random)));
        }
    }

    /// The first rank and the first tenth of them have their shares, for any law, number of ranks and seed.
    #[test]
    fn the_head_has_its_share(thousandths in 1_u32..=3000, ranks in 2_u64..=2000, key in any::<u64>()) {
        const FEW: u64 = 10_000;
        let exponent = f64::from(thousandths) / 1000.0;
        let zipf = Zipf::new(exponent, ranks);
        let drawn: Vec<u64> = (0..FEW).map(|position| zipf.rank(number(key, position))).collect();
        let weights: Vec<f64> = (1..=ranks).map(|rank| (rank as f64).powf(-exponent)).collect();
        let sum: f64 = weights.iter().sum();
        for head in [1, (ranks / 10).max(1)] {
            let share = weights[..head as usize].iter().sum::<f64>() / sum;
            let count = drawn.iter().filter(|rank| **rank <= head).count() as u64;
            prop_assert!(is_share(count, FEW, share), "{count} of {FEW} are among the first {head}, due {share}");
        }
    }
}
