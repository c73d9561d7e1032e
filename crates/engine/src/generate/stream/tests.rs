//! The streams against what they promise: uniform, exact in the long run, repeatable, complete.

use proptest::prelude::*;

use super::*;
use crate::generate::derive;

fn percent(value: u64) -> Percent {
    Percent::new(value).unwrap()
}

/// 1,000 bins, 1,000,000 draws: chi-square has 999 degrees of freedom, mean 999 and standard deviation 44.7; five of
/// those either way is a chance of about one in a million, and the seeds are fixed.
#[test]
fn random_offsets_are_uniform_and_aligned() {
    for seed in [1, 2, 77] {
        let (bins, draws) = (1000_usize, 1_000_000_u64);
        let stream = Stream::new(Pattern::Random, derive(seed, 0), 8192, bins as u64, 4096, percent(0));
        let mut counts = vec![0_u64; bins];
        for index in 0..draws {
            let offset = stream.op(index).offset;
            assert_eq!(offset % 4096, 0);
            counts[usize::try_from((offset - 8192) / 4096).unwrap()] += 1;
        }
        let expected = draws as f64 / bins as f64;
        let chi_square: f64 = counts.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum();
        assert!((chi_square - 999.0).abs() < 5.0 * 44.7, "seed {seed}: chi-square {chi_square}");
    }
}

/// The lag-1 correlation of independent draws has a standard deviation of 1/sqrt(n) = 0.001.
#[test]
fn consecutive_random_offsets_are_independent() {
    let stream = Stream::new(Pattern::Random, derive(3, 0), 0, 1 << 20, 1, percent(0));
    let draws: Vec<f64> = (0..1_000_000).map(|i| stream.op(i).offset as f64 / f64::from(1 << 20) - 0.5).collect();
    let correlation = draws.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / draws.len() as f64 * 12.0;
    assert!(correlation.abs() < 0.005, "lag-1 correlation {correlation}");
}

/// The share of writes is within five standard deviations of what was asked, and exact at both ends.
#[test]
fn the_mix_has_the_ratio_that_was_asked() {
    let draws = 1_000_000_u64;
    for asked in [0, 1, 30, 50, 70, 99, 100] {
        let stream = Stream::new(Pattern::Random, derive(9, asked), 0, 1000, 4096, percent(asked));
        let writes = (0..draws).filter(|index| stream.op(*index).write).count() as f64;
        let share = asked as f64 / 100.0;
        let deviation = (draws as f64 * share * (1.0 - share)).sqrt();
        assert!((writes - draws as f64 * share).abs() <= 5.0 * deviation, "{asked} %: {writes} writes");
    }
}

#[test]
fn the_kind_of_an_operation_says_nothing_about_its_place() {
    let stream = Stream::new(Pattern::Random, derive(5, 0), 0, 1 << 20, 1, percent(50));
    let (mut sum, mut writes) = (0.0, 0.0);
    for op in (0..400_000).map(|index| stream.op(index)).filter(|op| op.write) {
        sum += op.offset as f64 / f64::from(1 << 20);
        writes += 1.0;
    }
    assert!((sum / writes - 0.5_f64).abs() < 0.005, "mean place of writes {}", sum / writes);
}

proptest! {
    #[test]
    fn the_same_key_gives_the_same_sequence_and_another_key_another(key in any::<u64>(), blocks in 64_u64..1 << 40) {
        let make = |key| Stream::new(Pattern::Random, key, 0, blocks, 4096, percent(50));
        let sequence = |stream: Stream| (0..64).map(|index| stream.op(index)).collect::<Vec<_>>();
        prop_assert_eq!(sequence(make(key)), sequence(make(key)));
        prop_assert_ne!(sequence(make(derive(key, 0))), sequence(make(derive(key, 1))));
    }

    #[test]
    fn every_pass_of_a_sequential_stream_touches_each_block_once(
        blocks in 1_u64..500, passes in 1_u64..4, start in 0_u64..1 << 30, write in 0_u64..=100,
    ) {
        let stream = Stream::new(Pattern::Sequential, 1, start * 512, blocks, 512, percent(write));
        let mut touched = vec![0_u64; usize::try_from(blocks).unwrap()];
        for index in 0..blocks * passes {
            touched[usize::try_from((stream.op(index).offset - start * 512) / 512).unwrap()] += 1;
        }
        prop_assert!(touched.iter().all(|count| *count == passes));
    }

    #[test]
    fn no_operation_leaves_the_stretch(key in any::<u64>(), index in any::<u64>(), blocks in 1_u64..1 << 50) {
        for pattern in [Pattern::Random, Pattern::Sequential] {
            let op = Stream::new(pattern, key, 512, blocks, 512, percent(50)).op(index);
            prop_assert!(op.offset >= 512 && op.offset <= 512 * blocks);
        }
    }
}
