//! Laws of random places compared with their exact shares.

use proptest::prelude::*;

use super::*;
use crate::generate::number;
use crate::generate::testing::{chi_square_deviation, percent};

const DRAWS: u64 = 1_000_000;

fn counts(law: &Law, bins: u64) -> Vec<u64> {
    let mut counts = vec![0_u64; bins as usize];
    for position in 0..DRAWS {
        counts[(law.place(number(3, position), 1) * bins / law.units) as usize] += 1;
    }
    counts
}

fn check(law: &Law, shares: &[f64]) {
    let expected: Vec<f64> = shares.iter().map(|share| share * DRAWS as f64).collect();
    let deviation = chi_square_deviation(&counts(law, shares.len() as u64), &expected);
    assert!(deviation.abs() < 4.0, "{:?}: {deviation} standard deviations off", law.curve);
}

fn zone(accesses: u64, span: u64) -> Zone {
    Zone { accesses: percent(accesses), span: percent(span) }
}

/// JESD219's zones: the first 5 % get half of the accesses, the next 15 % get 30 %, the rest 20 %; in bins of 1 %.
fn jesd219() -> Locality {
    Locality::Zoned { zones: vec![zone(50, 5), zone(30, 15), zone(20, 80)] }
}

#[test]
fn zones_have_their_shares_and_are_uniform_inside() {
    let law = Law::new(&jesd219(), 1_000_000).unwrap();
    let share = |bin: u64| {
        if bin < 5 {
            0.1
        } else if bin < 20 {
            0.02
        } else {
            0.0025
        }
    };
    check(&law, &(0..100).map(share).collect::<Vec<f64>>());
}

/// 1,000 units have 333 places for operations of 3 units, all equally likely.
#[test]
fn uniform_places_of_larger_operations_are_uniform() {
    let law = Law::new(&Locality::Uniform, 1000).unwrap();
    let mut counts = vec![0_u64; 333];
    (0..DRAWS).for_each(|position| counts[(law.place(number(8, position), 3) / 3) as usize] += 1);
    let deviation = chi_square_deviation(&counts, &[DRAWS as f64 / 333.0; 333]);
    assert!(deviation.abs() < 4.0, "{deviation} standard deviations off");
}

/// A quarter of the accesses to a tenth of the span, the rest everywhere.
#[test]
fn a_hot_band_has_its_share_on_top() {
    let locality = Locality::HotBand { accesses: percent(25), from_percent: percent(40), to_percent: percent(50) };
    let law = Law::new(&locality, 1_000_000).unwrap();
    let share = |bin: u64| 0.0075 + if (40..50).contains(&bin) { 0.025 } else { 0.0 };
    check(&law, &(0..100).map(share).collect::<Vec<f64>>());
    let all = Locality::HotBand { accesses: percent(100), from_percent: percent(0), to_percent: percent(20) };
    let law = Law::new(&all, 1000).unwrap();
    assert!((0..10_000).all(|position| law.place(number(1, position), 1) < 200));
}

/// Of any first part, the first fifth gets four fifths; also the whole curve, (x / N)^(ln 0.8 / ln 0.2).
#[test]
fn pareto_is_self_similar() {
    let law = Law::new(&Locality::Pareto { h_thousandths: 200, scattered: false }, 1_000_000).unwrap();
    let below = |share: f64| share.powf(0.8_f64.ln() / 0.2_f64.ln());
    assert!((below(0.2) - 0.8).abs() < 1e-12 && (below(0.04) - 0.64).abs() < 1e-12);
    let shares: Vec<f64> =
        (0..100).map(|bin| below(f64::from(bin + 1) / 100.0) - below(f64::from(bin) / 100.0)).collect();
    check(&law, &shares);
    let counts = counts(&law, 25);
    let first_fifth: u64 = counts[..5].iter().sum();
    assert!((first_fifth as f64 / DRAWS as f64 - 0.8).abs() < 0.002);
    assert!((counts[0] as f64 / first_fifth as f64 - 0.8).abs() < 0.002);
}

/// Compared with the integral of the density by Simpson's rule, as a share of what lies inside the stretch.
#[test]
fn normal_is_cut_off_at_the_ends() {
    for deviation in [5, 10, 25, 100] {
        let law = Law::new(&Locality::Normal { deviation_percent: percent(deviation) }, 1_000_000).unwrap();
        let density = |place: f64| (-((place - 0.5) / (deviation as f64 / 100.0)).powi(2) / 2.0).exp();
        let areas: Vec<f64> = (0..100)
            .map(|bin| [0.0, 0.5, 1.0].map(|part| density((f64::from(bin) + part) / 100.0)))
            .map(|[first, middle, last]| first + 4.0 * middle + last)
            .collect();
        let sum: f64 = areas.iter().sum();
        // Bins with fewer than ten draws give no valid chi-square: they are merged.
        let (mut shares, mut rare) = (Vec::new(), 0.0);
        let counts = counts(&law, 100);
        let (mut seen, mut seen_rarely) = (Vec::new(), 0);
        for (area, count) in areas.iter().zip(counts) {
            if area / sum * DRAWS as f64 >= 10.0 {
                shares.push(area / sum * DRAWS as f64);
                seen.push(count);
            } else {
                rare += area / sum * DRAWS as f64;
                seen_rarely += count;
            }
        }
        let off = chi_square_deviation(&seen, &shares);
        assert!(off.abs() < 4.0, "{deviation} %: {off} standard deviations off");
        assert!((seen_rarely as f64 - rare).abs() <= 5.0 * rare.sqrt() + 1.0, "{seen_rarely} against {rare}");
    }
}

/// Scattering moves the ranks and changes no share: the hottest blocks are the images of the first ones, for any
/// seed.
#[test]
fn scattered_ranks_are_moved_and_keep_their_shares() {
    let units = 1000;
    for theta_thousandths in [900, 1200] {
        let law = |scattered| Law::new(&Locality::Zipf { theta_thousandths, scattered }, units).unwrap();
        let (together, scattered) = (counts(&law(false), units), counts(&law(true), units));
        let permutation = Feistel::new(units, SCATTER_KEY);
        let moved: Vec<u64> = (0..units).map(|rank| scattered[permutation.at(rank, 0) as usize]).collect();
        assert_eq!(moved, together);
        let hottest = (0..units).max_by_key(|block| scattered[*block as usize]).unwrap();
        assert!(hottest > 10, "the hottest block lies at {hottest}");
    }
}

#[test]
fn what_has_no_meaning_is_refused_with_a_way_out() {
    let hot =
        |from, to| Locality::HotBand { accesses: percent(50), from_percent: percent(from), to_percent: percent(to) };
    for (locality, said) in [
        (Locality::Zipf { theta_thousandths: 0, scattered: true }, "0.001 to 10"),
        (Locality::Zipf { theta_thousandths: 10_001, scattered: true }, "0.001 to 10"),
        (Locality::Pareto { h_thousandths: 1000, scattered: true }, "0.001 to 0.999"),
        (Locality::Normal { deviation_percent: percent(0) }, "1 % or more"),
        (Locality::Zoned { zones: vec![zone(60, 50), zone(30, 50)] }, "90 % of the accesses"),
        (Locality::Zoned { zones: vec![] }, "0 % of the accesses"),
        (Locality::Zoned { zones: vec![zone(50, 0), zone(50, 100)] }, "no block"),
        (hot(50, 50), "make the band wider"),
        (hot(60, 50), "make the band wider"),
    ] {
        let error = Law::new(&locality, 1000).unwrap_err();
        assert!(error.contains(said), "{error}");
    }
    // Half of the accesses to 1 % of 10 blocks.
    assert!(Law::new(&Locality::Zoned { zones: vec![zone(50, 1), zone(50, 99)] }, 10).is_err());
    assert!(Law::new(&Locality::Zoned { zones: vec![zone(0, 1), zone(100, 99)] }, 10).is_ok());
}

proptest! {
    /// Every law, any stretch, any size that fits: aligned to the size and inside.
    #[test]
    fn places_are_aligned_and_inside(units in 16_u64..1 << 40, size in 1_u64..17, random in any::<u64>()) {
        let localities = [
            Locality::Uniform,
            Locality::Zipf { theta_thousandths: 1000, scattered: true },
            Locality::Zipf { theta_thousandths: 500, scattered: false },
            Locality::Pareto { h_thousandths: 999, scattered: false },
            Locality::Normal { deviation_percent: percent(30) },
            Locality::Zoned { zones: vec![zone(20, 30), zone(80, 70)] },
            Locality::HotBand { accesses: percent(90), from_percent: percent(80), to_percent: percent(100) },
        ];
        for locality in localities {
            let law = Law::new(&locality, units).unwrap();
            for random in [0, random, u64::MAX] {
                let place = law.place(random, size);
                prop_assert!(place.is_multiple_of(size) && place + size <= units, "{locality:?}: {place}");
            }
        }
    }
}
