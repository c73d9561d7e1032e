//! Zipf's law over any number of ranks, exactly and without a table of them: rejection-inversion.
//!
//! Hörmann and Derflinger: "Rejection-inversion to generate variates from monotone discrete distributions", ACM
//! TOMACS 6(3), 1996. The area under the density x^-s between the ranks is inverted; a rank is then accepted with the
//! share of its area that is its own. On average this takes few more draws than one.

use super::{GOLDEN, mix, unit_interval};

/// First ranks, whose acceptance is computed in advance: most draws go to them.
const HEAD: u64 = 256;

/// Ranks `1..=ranks`, rank k in proportion to k^-exponent.
#[derive(Debug, Clone)]
pub(crate) struct Zipf {
    exponent: f64,
    ranks: u64,
    /// 1 - exponent, and the inverse of that if it is not 0.
    power: f64,
    inverse: f64,
    /// Area up to the end of the last rank.
    end: f64,
    /// From there back to the start.
    back: f64,
    /// A draw that lies at most this far below its rank is accepted without a check.
    near: f64,
    /// Areas from which the first ranks are accepted.
    head: Box<[f64]>,
}

impl Zipf {
    /// `exponent` above 0, in whole thousandths: for values closer to 1, except 1 itself, the areas lose precision.
    /// `ranks` at least 1.
    pub(crate) fn new(exponent: f64, ranks: u64) -> Self {
        let power = 1.0 - exponent;
        // 1 - 0.999 is not exactly 0.001, but 1 - 1 is 0.
        let inverse = if power == 0.0 { 0.0 } else { power.recip() };
        let head = Box::default();
        let zipf = Zipf { exponent, ranks, power, inverse, end: 0.0, back: 0.0, near: 0.0, head };
        let end = zipf.area(ranks as f64 + 0.5);
        let back = zipf.area(1.5) - 1.0 - end;
        let near = 2.0 - zipf.place(zipf.area(2.5) - zipf.density(2.0));
        let head = (1..=ranks.min(HEAD)).map(|rank| zipf.accepted_from(rank)).collect();
        Zipf { end, back, near, head, ..zipf }
    }

    /// A rank from 64 random bits.
    pub(crate) fn rank(&self, random: u64) -> u64 {
        let mut random = random;
        loop {
            let area = self.end + unit_interval(random) * self.back;
            let place = self.place(area);
            let rank = ((place + 0.5) as u64).clamp(1, self.ranks);
            let accepted = rank as f64 - place <= self.near || {
                let known = self.head.get(rank as usize - 1).copied();
                area >= known.unwrap_or_else(|| self.accepted_from(rank))
            };
            if accepted {
                return rank;
            }
            random = mix(random.wrapping_add(GOLDEN));
        }
    }

    fn accepted_from(&self, rank: u64) -> f64 {
        self.area(rank as f64 + 0.5) - self.density(rank as f64)
    }

    fn density(&self, place: f64) -> f64 {
        (-self.exponent * place.ln()).exp()
    }

    /// Integral of the density from 1 on.
    fn area(&self, place: f64) -> f64 {
        let log = place.ln();
        if self.power == 0.0 { log } else { (self.power * log).exp_m1() * self.inverse }
    }

    /// Inverse of [`Zipf::area`].
    fn place(&self, area: f64) -> f64 {
        let log = if self.power == 0.0 { area } else { (self.power * area).max(-1.0).ln_1p() * self.inverse };
        log.exp()
    }
}

#[cfg(test)]
mod tests;
