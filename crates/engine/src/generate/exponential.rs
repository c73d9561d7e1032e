//! Exponential numbers by the ziggurat method: one table look-up and one product for 99 of 100.
//!
//! Marsaglia and Tsang: "The ziggurat method for generating random variables", Journal of Statistical Software 5(8),
//! 2000. The area under e^-x is cut into 256 layers of equal area; a point of a layer nearly always lies in the part
//! that is entirely under the curve. Exact except for the 2^-53 steps of the numbers.

use super::{GOLDEN, mix, unit_interval};

const LAYERS: usize = 256;
/// Where the tail begins, and the area of each layer, for 256 layers (same paper).
const TAIL: f64 = 7.697_117_470_131_05;
const AREA: f64 = 0.003_949_659_822_581_557;
/// Steps in the unit interval.
const STEPS: f64 = (1_u64 << 53) as f64;

/// Exponential numbers with a mean.
#[derive(Debug, Clone)]
pub(crate) struct Exponential {
    mean: f64,
    /// For each layer, its width divided by the steps of the unit interval, times the mean.
    step: [f64; LAYERS],
    /// Steps of each layer that lie under the curve with their full height.
    under: [u64; LAYERS],
}

impl Exponential {
    /// With this mean, above 0.
    pub(crate) fn new(mean: f64) -> Self {
        let widths = widths();
        let step = std::array::from_fn(|layer| widths[layer] / STEPS * mean);
        let under = std::array::from_fn(|layer| (widths[layer + 1] / widths[layer] * STEPS) as u64);
        Exponential { mean, step, under }
    }

    /// A number from 64 random bits.
    #[inline]
    pub(crate) fn draw(&self, random: u64) -> f64 {
        // The layer is in the lowest bits, the step in the highest ones.
        let (layer, step) = ((random & 0xFF) as usize, random >> 11);
        if step < self.under[layer] { step as f64 * self.step[layer] } else { self.at_the_edge(random) }
    }

    /// The layer's part that crosses the curve; below the lowest layer, the tail, which has the same shape as the
    /// whole.
    #[cold]
    fn at_the_edge(&self, random: u64) -> f64 {
        let width = |layer: usize| self.step.get(layer).map_or(0.0, |step| step * STEPS / self.mean);
        let (mut random, mut behind) = (random, 0.0);
        loop {
            let (layer, step) = ((random & 0xFF) as usize, random >> 11);
            let place = step as f64 / STEPS * width(layer);
            if step < self.under[layer] {
                return (behind + place) * self.mean;
            }
            random = mix(random.wrapping_add(GOLDEN));
            if layer == 0 {
                behind += TAIL;
                continue;
            }
            let (low, high) = ((-width(layer)).exp(), (-width(layer + 1)).exp());
            if low + unit_interval(random) * (high - low) < (-place).exp() {
                return (behind + place) * self.mean;
            }
            random = mix(random.wrapping_add(GOLDEN));
        }
    }
}

/// Right ends of the layers, from the lowest up, and 0. The width of the lowest one is such that its area including
/// the tail equals that of the others.
fn widths() -> [f64; LAYERS + 1] {
    let mut widths = [0.0; LAYERS + 1];
    widths[0] = AREA * TAIL.exp();
    widths[1] = TAIL;
    for layer in 2..LAYERS {
        let below: f64 = widths[layer - 1];
        widths[layer] = -(AREA / below + (-below).exp()).ln();
    }
    widths
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::generate::number;
    use crate::generate::testing::{chi_square_deviation, is_share};

    /// The topmost layer completes the area: its height is what is left below 1.
    #[test]
    fn the_layers_have_equal_areas() {
        let widths = widths();
        for layer in 1..LAYERS {
            let area = widths[layer] * ((-widths[layer + 1]).exp() - (-widths[layer]).exp());
            assert!((area - AREA).abs() < 1e-10, "layer {layer} has {area}");
        }
        let lowest = TAIL * (-TAIL).exp() + (-TAIL).exp();
        assert!((lowest - AREA).abs() < 1e-10, "the lowest has {lowest}");
    }

    /// Ten million draws in 1,000 bins of equal likelihood, and in 20 beyond the lowest layer's width (one draw in
    /// 2,200).
    #[test]
    fn draws_are_exponential_up_to_the_tail() {
        let exponential = Exponential::new(3.0);
        let (mut counts, mut tail) = ([0_u64; 1000], [0_u64; 20]);
        for position in 0..10_000_000 {
            let unit = (-exponential.draw(number(11, position)) / 3.0).exp();
            counts[((unit * 1000.0) as usize).min(999)] += 1;
            let below = unit * TAIL.exp();
            if below < 1.0 {
                tail[((below * 20.0) as usize).min(19)] += 1;
            }
        }
        let deviation = chi_square_deviation(&counts, &[1e4; 1000]);
        assert!(deviation.abs() < 4.0, "chi-square {deviation} standard deviations off");
        let deviation = chi_square_deviation(&tail, &[1e7 / TAIL.exp() / 20.0; 20]);
        assert!(deviation.abs() < 4.0, "tail: {tail:?}, chi-square {deviation} standard deviations off");
    }

    proptest! {
        /// Whatever the bits: the number is not below zero, and the mean only scales it.
        #[test]
        fn a_draw_is_finite_and_scales_with_the_mean(mean in 1e-3..1e12_f64, random in any::<u64>()) {
            let (draw, unit) = (Exponential::new(mean).draw(random), Exponential::new(1.0).draw(random));
            prop_assert!(draw.is_finite() && draw >= 0.0, "{draw}");
            prop_assert!((draw - mean * unit).abs() <= 1e-9 * draw, "{draw} is not {mean} times {unit}");
        }

        /// With any seed, half are below the median and a hundredth above the 99th percentile.
        #[test]
        fn percentiles_are_where_the_law_has_them(mean in 1e-3..1e12_f64, key in any::<u64>()) {
            const FEW: u64 = 10_000;
            let exponential = Exponential::new(mean);
            let above = |share: f64| {
                let limit = -mean * share.ln();
                (0..FEW).filter(|position| exponential.draw(number(key, *position)) > limit).count() as u64
            };
            prop_assert!(is_share(above(0.5), FEW, 0.5) && is_share(above(0.01), FEW, 0.01));
        }
    }
}
