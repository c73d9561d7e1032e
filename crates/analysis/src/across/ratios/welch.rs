//! The difference of two means by Welch's t test. The samples are logarithms, so a difference is a ratio.
//!
//! Must not know: what was measured.

use statrs::distribution::{ChiSquared, ContinuousCDF, StudentsT};

use crate::stats::{mean, standard_deviation};

/// Level of the intervals: they hold the true ratio in 95 of 100 comparisons.
pub(super) const LEVEL: f64 = 0.05;

/// Probability with which the smallest detectable difference would have been shown, if the error were the true one.
const POWER: f64 = 0.95;

/// The observed error may be too small by chance: with this probability the true one is below what is used instead.
const SURE_OF_ERROR: f64 = 0.9;

/// A difference of two means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Difference {
    /// Mean of the second sample minus mean of the first.
    pub(super) log: f64,
    /// Its standard error.
    error: f64,
    /// Degrees of freedom of that error.
    freedom: f64,
}

impl Difference {
    /// The difference of the second sample from the first. If only one of them has several values, the other is taken
    /// to scatter as much. Of unequal numbers of values the smaller decides the degrees of freedom: Welch's own would
    /// show too much at the small levels of many comparisons. `None` if nothing shows how the values scatter, or a
    /// sample is empty.
    pub(super) fn of(base: &[f64], own: &[f64]) -> Option<Difference> {
        let log = mean(own)? - mean(base)?;
        let variance = |sample: &[f64]| standard_deviation(sample).map(|deviation| deviation * deviation);
        let count = |sample: &[f64]| sample.len() as f64;
        let (square, freedom) = match (variance(base), variance(own)) {
            (Some(of_base), Some(of_own)) => {
                let (of_base, of_own) = (of_base / count(base), of_own / count(own));
                let square = of_base + of_own;
                let parts = of_base * of_base / (count(base) - 1.0) + of_own * of_own / (count(own) - 1.0);
                let all = count(base) + count(own) - 2.0;
                let welch = if parts > 0.0 { square * square / parts } else { all };
                let fewer = count(base).min(count(own)) - 1.0;
                (square, if base.len() == own.len() { welch } else { fewer })
            }
            (Some(known), None) => (known * (1.0 / count(base) + 1.0), count(base) - 1.0),
            (None, Some(known)) => (known * (1.0 / count(own) + 1.0), count(own) - 1.0),
            (None, None) => return None,
        };
        Some(Difference { log, error: square.sqrt(), freedom })
    }

    /// The difference of two single values, whose scatter is that of other samples.
    pub(super) fn of_singles<'a>(log: f64, others: impl Iterator<Item = &'a [f64]>) -> Option<Difference> {
        let (mut squares, mut freedom) = (0.0, 0.0);
        for sample in others {
            if let Some(deviation) = standard_deviation(sample) {
                let own = sample.len() as f64 - 1.0;
                (squares, freedom) = (squares + own * deviation * deviation, freedom + own);
            }
        }
        (freedom > 0.0).then(|| Difference { log, error: (2.0 * squares / freedom).sqrt(), freedom })
    }

    /// With an error of at least this: values that are only known in steps do not scatter less.
    pub(super) fn with_error_of_at_least(self, least: f64) -> Difference {
        Difference { error: self.error.max(least), ..self }
    }

    /// Probability of a difference at least this large between two equal means.
    pub(super) fn p(&self) -> f64 {
        if self.error == 0.0 {
            return if self.log == 0.0 { 1.0 } else { 0.0 };
        }
        self.distribution().map_or(1.0, |t| 2.0 * (1.0 - t.cdf(self.log.abs() / self.error)))
    }

    /// Low and high end of the ratio's 95 % interval.
    pub(super) fn interval(&self) -> (f64, f64) {
        let reach = self.quantile(1.0 - LEVEL / 2.0) * self.error;
        ((self.log - reach).exp(), (self.log + reach).exp())
    }

    /// The smallest ratio above 1 that a test at this level would have shown with a probability of 95 %, if the true
    /// error is at most what nine of ten observed errors like this one suggest.
    pub(super) fn detectable(&self, level: f64) -> f64 {
        let smallest = ChiSquared::new(self.freedom).map_or(0.0, |chi| chi.inverse_cdf(1.0 - SURE_OF_ERROR));
        let error = self.error * (self.freedom / smallest).sqrt();
        ((self.quantile(1.0 - level / 2.0) + self.quantile(POWER)) * error).exp()
    }

    fn quantile(&self, probability: f64) -> f64 {
        self.distribution().map_or(f64::INFINITY, |t| t.inverse_cdf(probability))
    }

    fn distribution(&self) -> Option<StudentsT> {
        StudentsT::new(0.0, 1.0, self.freedom).ok()
    }
}

#[cfg(test)]
mod tests {
    //! Data and answers from published examples, or computed by hand.

    use super::*;

    fn near(value: f64, wanted: f64, within: f64) -> bool {
        (value - wanted).abs() <= within
    }

    #[test]
    fn it_is_welch_s_test() {
        // Means 20 and 25; variances 10 and 2.5, five values each: error sqrt(2.5), 5.882 degrees of freedom.
        let (base, own) = ([16.0, 18.0, 20.0, 22.0, 24.0], [23.0, 24.0, 25.0, 26.0, 27.0]);
        let difference = Difference::of(&base, &own).expect("a difference");
        assert!(near(difference.log, 5.0, 1e-12) && near(difference.error, 2.5_f64.sqrt(), 1e-12), "{difference:?}");
        assert!(near(difference.freedom, 5.882_352_941, 1e-6), "{difference:?}");
        // t = 3.1623 with 5.88 degrees of freedom; a table of t gives 0.02 for 3.143 and 0.01 for 3.707 with 6.
        assert!(difference.p() > 0.018 && difference.p() < 0.021, "{}", difference.p());
        let (low, high) = difference.interval();
        let reach = 2.459 * 2.5_f64.sqrt();
        assert!(near(low.ln(), 5.0 - reach, 0.01) && near(high.ln(), 5.0 + reach, 0.01), "{low} {high}");
    }

    #[test]
    fn one_value_is_taken_to_scatter_like_the_others() {
        let difference = Difference::of(&[0.0, 1.0, 2.0], &[4.0]).expect("a difference");
        // Variance 1: 1/3 for the mean of three and 1 for the single one.
        assert!(near(difference.error, (4.0_f64 / 3.0).sqrt(), 1e-12) && near(difference.freedom, 2.0, 1e-12));
        let turned = Difference::of(&[4.0], &[0.0, 1.0, 2.0]).expect("a difference");
        assert_eq!((turned.log, turned.error), (-difference.log, difference.error));
        assert_eq!(Difference::of(&[1.0], &[2.0]), None);
        assert_eq!(Difference::of(&[], &[2.0, 3.0]), None);
    }

    #[test]
    fn of_unequal_numbers_the_smaller_decides() {
        let difference = Difference::of(&[0.0, 1.0], &[0.0, 1.0, 0.0, 1.0, 0.0, 1.0]).expect("a difference");
        assert_eq!(difference.freedom, 1.0);
    }

    #[test]
    fn single_values_scatter_as_the_others_do() {
        let others: [&[f64]; 3] = [&[0.0, 2.0], &[5.0], &[1.0, 2.0, 3.0]];
        // Squares 2 and 2 with 1 and 2 degrees of freedom: variance 4/3, twice.
        let difference = Difference::of_singles(3.0, others.into_iter()).expect("a difference");
        assert_eq!((difference.log, difference.freedom), (3.0, 3.0));
        assert!(near(difference.error, (8.0_f64 / 3.0).sqrt(), 1e-12));
        assert_eq!(Difference::of_singles(3.0, others[1..2].iter().copied()), None);
        assert_eq!(difference.with_error_of_at_least(9.0).error, 9.0);
    }

    #[test]
    fn equal_values_leave_no_doubt() {
        let same = Difference::of(&[1.0, 1.0], &[1.0, 1.0]).expect("a difference");
        let other = Difference::of(&[1.0, 1.0], &[2.0, 2.0]).expect("a difference");
        assert_eq!((same.p(), other.p()), (1.0, 0.0));
        assert_eq!(other.interval(), (1.0_f64.exp(), 1.0_f64.exp()));
    }

    #[test]
    fn what_is_detectable_falls_with_the_scatter_and_rises_with_the_level_asked() {
        let wide = Difference::of(&[0.0, 0.1, 0.2], &[0.0, 0.1, 0.2]).expect("a difference");
        let narrow = Difference::of(&[0.0, 0.01, 0.02], &[0.0, 0.01, 0.02]).expect("a difference");
        assert!(wide.detectable(LEVEL) > narrow.detectable(LEVEL));
        assert!(narrow.detectable(LEVEL / 10.0) > narrow.detectable(LEVEL));
        // (2.776 + 2.132) standard errors of sqrt(2 · 0.0001 / 3), which with 4 degrees of freedom may be larger by
        // sqrt(4 / 1.0636).
        let wanted = 4.908 * (0.0002_f64 / 3.0).sqrt() * (4.0_f64 / 1.0636).sqrt();
        assert!(near(narrow.detectable(LEVEL).ln(), wanted, 1e-4));
    }
}
