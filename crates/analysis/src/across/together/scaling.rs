//! By how much a rate rises for a doubling of the capacity: the least-squares line through the logarithms (to the base
//! of 2) of rates over those of capacities; its slope s gives the ratio 2^s.
//!
//! Its error bar comes from those of the rates (half their 95 % interval over the rounds): errors of a logarithm are
//! relative ones, and those of the drives add as squares, each by its weight in the slope. A ratio of 1 means that the
//! capacity changes nothing, 2 that the rate doubles with it.

use drivelab_core::environment::TargetFacts;
use drivelab_core::ids::StepId;
use drivelab_core::units::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use super::signs::Signs;

/// A drive this near to the middle of all capacities does not move the slope.
const NO_WEIGHT: f64 = 1e-9;

/// A drive's rate with its capacity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct SizedRate {
    /// Capacity of the drive, bytes.
    pub capacity: f64,
    /// Its rate, MB/s.
    pub mb_s: f64,
    /// Half the 95 % interval of the rate, MB/s: over its rounds, or over the runs of a drive with several. `null`
    /// below three of them.
    pub half_interval: Option<f64>,
    /// The rate is a lower bound: the host, not the drive, was the limit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// Something beside the test disturbed it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub spoiled: bool,
}

/// What a doubling of the capacity brings in one step.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Doubling {
    /// The step.
    pub step: StepId,
    /// Its label.
    pub label: String,
    /// The drives' rates; those without a figure are left out.
    pub rates: Vec<SizedRate>,
    /// The ratio; `null` if all capacities are equal, or a rate is not above zero.
    pub ratio: Option<Ratio>,
    /// How the rate follows the capacity; absent if that is not clear, or if there is no ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaling: Option<Scaling>,
}

impl Doubling {
    /// What a doubling brings, by these rates.
    #[must_use]
    pub fn of(step: StepId, label: String, rates: Vec<SizedRate>) -> Doubling {
        let ratio = per_doubling(&rates);
        Doubling { step, label, rates, scaling: ratio.as_ref().and_then(Ratio::class), ratio }
    }
}

/// A ratio with its error bar.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Ratio {
    /// For each doubling.
    pub value: f64,
    /// Low end of the error bar; `null` where a drive has no interval.
    pub low: Option<f64>,
    /// High end.
    pub high: Option<f64>,
    /// Those of all three: the ratio rises with the rates of large drives and falls with those of small ones.
    #[serde(flatten)]
    pub signs: Signs,
}

/// How a rate follows the capacity: by the exponent s of the ratio for each doubling, 2^s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scaling {
    /// It falls: s below -0.1.
    Falls,
    /// It stays: s from -0.1 to 0.1, a ratio of 0.93 to 1.07.
    None,
    /// It rises less than the capacity: s from 0.1 to 0.9.
    SubLinear,
    /// It rises with the capacity: s from 0.9 to 1.1, a ratio of 1.87 to 2.14.
    Linear,
    /// It rises more than the capacity: s above 1.1.
    SuperLinear,
}

impl Scaling {
    /// The class of a ratio for each doubling of the capacity, as if it had no error.
    #[must_use]
    pub fn of(ratio: f64) -> Scaling {
        match ratio.log2() {
            s if s < -0.1 => Scaling::Falls,
            s if s <= 0.1 => Scaling::None,
            s if s < 0.9 => Scaling::SubLinear,
            s if s <= 1.1 => Scaling::Linear,
            _ => Scaling::SuperLinear,
        }
    }
}

impl Ratio {
    /// The class; `None` where there is no error bar or it spans several classes, and for a ratio that is a bound or
    /// disturbed.
    fn class(&self) -> Option<Scaling> {
        let (low, high) = (Scaling::of(self.low?), Scaling::of(self.high?));
        let known = !self.signs.at_least && !self.signs.at_most && !self.signs.spoiled;
        (known && low == high).then_some(low)
    }
}

/// The capacity of the drive below partitions and encryption; of a target without a drive its length.
#[must_use]
pub fn capacity(target: &TargetFacts) -> Bytes {
    let below = target.devices.iter().find(|device| device.transport != "device-mapper");
    below.or(target.devices.last()).map_or(target.length, |device| device.capacity)
}

/// The ratio for each doubling of the capacity; `None` below two capacities, and with a rate that is not above zero.
#[must_use]
pub fn per_doubling(rates: &[SizedRate]) -> Option<Ratio> {
    if rates.iter().any(|rate| rate.mb_s <= 0.0 || rate.capacity <= 0.0) {
        return None;
    }
    let n = rates.len() as f64;
    let sizes: Vec<f64> = rates.iter().map(|rate| rate.capacity.log2()).collect();
    let middle = sizes.iter().sum::<f64>() / n;
    let squares: f64 = sizes.iter().map(|size| (size - middle).powi(2)).sum();
    if rates.len() < 2 || squares < 1e-9 {
        return None;
    }
    let weights = sizes.iter().map(|size| (size - middle) / squares);
    let of_one = |(weight, rate): (f64, &SizedRate)| Signs {
        at_least: rate.at_least && weight > NO_WEIGHT,
        at_most: rate.at_least && weight < -NO_WEIGHT,
        spoiled: rate.spoiled && weight.abs() > NO_WEIGHT,
    };
    let signs = weights.clone().zip(rates).map(of_one).fold(Signs::default(), Signs::and);
    let slope: f64 = weights.clone().zip(rates).map(|(weight, rate)| weight * rate.mb_s.log2()).sum();
    let off = weights.zip(rates).map(|(weight, rate)| {
        let relative = rate.half_interval? / rate.mb_s / std::f64::consts::LN_2;
        Some((weight * relative).powi(2))
    });
    let off = off.sum::<Option<f64>>().map(f64::sqrt);
    Some(Ratio {
        value: slope.exp2(),
        low: off.map(|off| (slope - off).exp2()),
        high: off.map(|off| (slope + off).exp2()),
        signs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(capacity: f64, mb_s: f64, half: f64) -> SizedRate {
        SizedRate { capacity, mb_s, half_interval: Some(half), at_least: false, spoiled: false }
    }

    fn near(value: f64, wanted: f64) -> bool {
        (value - wanted).abs() < 1e-6 * wanted.abs().max(1.0)
    }

    #[test]
    fn two_drives_give_the_ratio_for_one_doubling() {
        // 250 to 1,000 GB are two doublings; the rate goes from 500 to 2,000: twice for each.
        let found = per_doubling(&[rate(250e9, 500.0, 0.0), rate(1000e9, 2000.0, 0.0)]).expect("a ratio");
        assert!(near(found.value, 2.0) && near(found.low.expect("a bar"), 2.0), "{found:?}");
        // From 500 to 1,000 GB, 400 to 600: 1.5.
        let found = per_doubling(&[rate(500e9, 400.0, 0.0), rate(1000e9, 600.0, 0.0)]).expect("a ratio");
        assert!(near(found.value, 1.5), "{found:?}");
    }

    #[test]
    fn a_ratio_has_a_class_unless_its_error_bar_spans_two_or_it_is_a_bound() {
        let ratio = |value: f64, low: f64, high: f64| Ratio {
            value,
            low: Some(low),
            high: Some(high),
            signs: Signs::default(),
        };
        assert_eq!(ratio(2.0, 1.95, 2.05).class(), Some(Scaling::Linear));
        assert_eq!(ratio(1.5, 1.4, 1.6).class(), Some(Scaling::SubLinear));
        assert_eq!(ratio(1.0, 0.99, 1.01).class(), Some(Scaling::None));
        assert_eq!(ratio(2.5, 2.4, 2.6).class(), Some(Scaling::SuperLinear));
        assert_eq!(ratio(0.8, 0.7, 0.9).class(), Some(Scaling::Falls));
        assert_eq!(ratio(1.8, 1.7, 1.95).class(), None);
        assert_eq!(Ratio { low: None, high: None, ..ratio(2.0, 0.0, 0.0) }.class(), None);
        let bound = Signs { at_least: true, ..Signs::default() };
        assert_eq!(Ratio { signs: bound, ..ratio(2.0, 1.95, 2.05) }.class(), None);
    }

    #[test]
    fn the_error_bar_is_that_of_the_rates() {
        // One doubling: weights -1 and 1. Each rate is off by 3 % and 4 % of itself, together 5 %: 2^(0.05 / ln 2) = e^0.05.
        let found = per_doubling(&[rate(1e12, 100.0, 3.0), rate(2e12, 200.0, 8.0)]).expect("a ratio");
        let (low, high) = (found.low.expect("a bar"), found.high.expect("a bar"));
        assert!(near(low, 2.0 * (-0.05_f64).exp()) && near(high, 2.0 * 0.05_f64.exp()), "{found:?}");
        let unknown = SizedRate { half_interval: None, ..rate(2e12, 200.0, 0.0) };
        let found = per_doubling(&[rate(1e12, 100.0, 3.0), unknown]).expect("a ratio");
        assert_eq!((found.low, found.high), (None, None));
    }

    /// Three sizes, of which the middle one does not move the slope.
    #[test]
    fn a_ratio_has_the_signs_of_the_rates_that_move_it() {
        let signs = |limited: [bool; 3], spoiled: [bool; 3]| {
            let one = |at: usize, capacity: f64| SizedRate {
                at_least: limited[at],
                spoiled: spoiled[at],
                ..rate(capacity, 100.0, 1.0)
            };
            let signs = per_doubling(&[one(0, 1e12), one(1, 2e12), one(2, 4e12)]).expect("a ratio").signs;
            [signs.at_least, signs.at_most, signs.spoiled]
        };
        let none = [false; 3];
        assert_eq!(signs(none, none), [false, false, false]);
        assert_eq!(signs([true, false, false], none), [false, true, false], "the small one may do more");
        assert_eq!(signs([false, false, true], none), [true, false, false], "the large one may do more");
        assert_eq!(signs([false, true, false], [false, true, false]), [false, false, false]);
        assert_eq!(signs([true, true, true], [true, false, false]), [true, true, true]);
    }

    #[test]
    fn three_drives_lie_on_a_line_and_one_capacity_on_none() {
        // log2 of capacities 0, 1, 2 (of the smallest), of rates 0, 2, 2: slope (0·-1 + 2·0 + 2·1) / 2 = 1.
        let found = per_doubling(&[rate(1e12, 1.0, 0.0), rate(2e12, 4.0, 0.0), rate(4e12, 4.0, 0.0)]).expect("a ratio");
        assert!(near(found.value, 2.0), "{found:?}");
        assert_eq!(per_doubling(&[rate(1e12, 1.0, 0.0), rate(1e12, 2.0, 0.0)]), None);
        assert_eq!(per_doubling(&[rate(1e12, 1.0, 0.0)]), None);
        assert_eq!(per_doubling(&[rate(1e12, 0.0, 0.0), rate(2e12, 2.0, 0.0)]), None);
    }
}
