//! Zipf's law over any number of ranks, exactly and without a table: rejection-inversion.
//!
//! Hörmann and Derflinger: "Rejection-inversion to generate variates from monotone discrete distributions", ACM TOMACS
//! 6(3), 1996. The area under the density k^-s, continued between the ranks, is inverted; a rank is then accepted with
//! the share of its area that is its own, on average after fewer than 1.1 draws.

use super::{GOLDEN, mix, unit_interval};

/// Ranks `1..=ranks`, rank k in proportion to k^-exponent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Zipf {
    exponent: f64,
    ranks: u64,
    /// Area up to the end of the last rank.
    end: f64,
    /// From there back to the start.
    back: f64,
    /// Closer to its rank than this, a draw is accepted unseen.
    near: f64,
}

impl Zipf {
    /// `exponent` above 0; `ranks` at least 1.
    pub(crate) fn new(exponent: f64, ranks: u64) -> Self {
        let zipf = Zipf { exponent, ranks, end: 0.0, back: 0.0, near: 0.0 };
        let end = zipf.area(ranks as f64 + 0.5);
        let start = zipf.area(1.5) - 1.0;
        let near = 2.0 - zipf.place(zipf.area(2.5) - zipf.density(2.0));
        Zipf { end, back: start - end, near, ..zipf }
    }

    /// A rank from 64 random bits.
    pub(crate) fn rank(&self, random: u64) -> u64 {
        let mut random = random;
        loop {
            let area = self.end + unit_interval(random) * self.back;
            let place = self.place(area);
            let rank = (place + 0.5) as u64;
            let rank = rank.clamp(1, self.ranks);
            let center = rank as f64;
            if center - place <= self.near || area >= self.area(center + 0.5) - self.density(center) {
                return rank;
            }
            random = mix(random.wrapping_add(GOLDEN));
        }
    }

    fn density(&self, place: f64) -> f64 {
        (-self.exponent * place.ln()).exp()
    }

    /// Integral of the density from 1 on: (x^(1-s) - 1) / (1-s), and ln x where s is 1.
    fn area(&self, place: f64) -> f64 {
        let log = place.ln();
        let power = (1.0 - self.exponent) * log;
        if power.abs() > 1e-8 { power.exp_m1() / power * log } else { (1.0 + power / 2.0) * log }
    }

    /// Inverse of [`Zipf::area`].
    fn place(&self, area: f64) -> f64 {
        let power = ((1.0 - self.exponent) * area).max(-1.0);
        let log = if power.abs() > 1e-8 { power.ln_1p() / power * area } else { (1.0 - power / 2.0) * area };
        log.exp()
    }
}

#[cfg(test)]
mod tests;
