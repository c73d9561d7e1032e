//! What was published of one quantity: a figure, several readings of it, or the ends of a range.

use drivelab_core::published::{Bound, PublishedFigure};

use crate::figure::format::{self, ratio_text};
use crate::figure::table::Cell;

/// A value to divide by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Base {
    /// The value, above zero.
    pub(crate) value: f64,
    /// Whether it is only a bound.
    pub(crate) bound: Option<Bound>,
}

/// Published figures of one quantity of one drive, with values in one unit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Readings<'p> {
    /// The figures; at least one.
    pub(crate) figures: Vec<&'p PublishedFigure>,
    values: Vec<f64>,
    unit: &'p str,
}

impl<'p> Readings<'p> {
    /// These figures, as far as they are of the quantity of this unit; `None` if none is.
    pub(crate) fn of(figures: impl Iterator<Item = &'p PublishedFigure>, unit: &'p str) -> Option<Readings<'p>> {
        let valued = figures.filter_map(|figure| Some((figure, figure.value_in(unit)?)));
        let (figures, values): (Vec<_>, Vec<f64>) = valued.unzip();
        (!figures.is_empty()).then_some(Readings { figures, values, unit })
    }

    /// Whether they are the ends of a range, which has no mean.
    fn is_range(&self) -> bool {
        self.figures.iter().any(|figure| figure.end.is_some())
    }

    /// Whether they are of different things: cold and throttled.
    fn are_unlike(&self) -> bool {
        self.figures.iter().any(|figure| figure.which != self.figures[0].which)
    }

    /// The value: the mean of several readings. `None` for a range, and for figures of different things.
    pub(crate) fn value(&self) -> Option<f64> {
        let mean = || self.values.iter().sum::<f64>() / self.values.len() as f64;
        (!self.is_range() && !self.are_unlike()).then(mean)
    }

    /// Whether the value is only a bound: all readings are.
    fn bound(&self) -> Option<Bound> {
        let first = self.figures[0].bound;
        first.filter(|_| self.figures.iter().all(|figure| figure.bound == first))
    }

    /// The value as a base; `None` for a range.
    pub(crate) fn as_base(&self) -> Option<Base> {
        Some(Base { value: self.value().filter(|value| *value > 0.0)?, bound: self.bound() })
    }

    /// The lowest and the highest; `None` for a single figure.
    pub(crate) fn ends(&self) -> Option<(f64, f64)> {
        let (low, high) =
            self.values.iter().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
        (self.values.len() > 1).then_some((low, high))
    }

    /// Where it is drawn: the value, or the middle of a range.
    pub(crate) fn drawn(&self) -> f64 {
        let middle = || self.ends().map_or(self.values[0], |(low, high)| f64::midpoint(low, high));
        self.value().unwrap_or_else(middle)
    }

    /// The sign before the value: of a bound, or of a rounded figure.
    fn sign(&self) -> &'static str {
        match self.bound() {
            Some(Bound::AtLeast) => "≥ ",
            Some(Bound::AtMost) => "≤ ",
            None if self.figures.iter().any(|figure| figure.about) => "~",
            None => "",
        }
    }

    /// The value, the range, or the figures of different things, with what the source says of it.
    pub(crate) fn cell(&self) -> Cell {
        let number = |value: f64| format::value(value, self.unit);
        let doubtful = self.figures.iter().any(|figure| figure.doubtful.is_some()).then(|| "doubtful".to_owned());
        let said = |what: Option<String>| what.into_iter().chain(doubtful.clone()).collect::<Vec<_>>().join(", ");
        match (self.value(), self.ends()) {
            (Some(mean), Some(_)) => {
                let of = format!("mean of {}", self.figures.len());
                Cell { detail: said(Some(of)), ..Cell::text(format!("{}{}", self.sign(), number(mean))) }
            }
            (Some(value), None) => {
                let which = self.figures[0].which.clone();
                Cell { detail: said(which), ..Cell::text(format!("{}{}", self.sign(), number(value))) }
            }
            (None, Some((low, high))) if self.is_range() => {
                Cell { detail: said(None), ..Cell::text(format!("{} – {}", number(low), number(high))) }
            }
            (None, _) => {
                let one = |(figure, value): (&&PublishedFigure, &f64)| match &figure.which {
                    Some(which) => format!("{} {which}", number(*value)),
                    None => number(*value),
                };
                let all: Vec<String> = self.figures.iter().zip(&self.values).map(one).collect();
                Cell { detail: said(None), ..Cell::text(all.join("; ")) }
            }
        }
    }

    /// Its ratio to a base, or those of the ends of a range. Empty for figures of different things, and if nothing
    /// bounds the ratio.
    pub(crate) fn ratio(&self, base: Base) -> Cell {
        let of = |value: f64| ratio_text(value / base.value);
        // A larger base makes the ratio smaller.
        let sign = match (self.bound(), base.bound) {
            (None, None) => "",
            (Some(Bound::AtLeast), None | Some(Bound::AtMost)) | (None, Some(Bound::AtMost)) => "≥ ",
            (Some(Bound::AtMost), None | Some(Bound::AtLeast)) | (None, Some(Bound::AtLeast)) => "≤ ",
            (Some(_), Some(_)) => return Cell::default(),
        };
        match (self.value(), self.ends()) {
            (Some(value), _) => Cell::text(format!("{sign}{}", of(value))),
            (None, Some((low, high))) if self.is_range() && base.bound.is_none() => {
                Cell::text(format!("{} – {}", of(low), of(high)))
            }
            (None, _) => Cell::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(value: f64, more: &serde_json::Value) -> PublishedFigure {
        let mut figure = serde_json::json!({
            "drive": "D", "test": "t", "metric": "read.throughput", "value": value, "unit": "GB/s", "place": "p",
        });
        let all = figure.as_object_mut().expect("an object");
        all.extend(more.as_object().cloned().unwrap_or_default());
        serde_json::from_value(figure).expect("a figure")
    }

    fn read<T>(figures: &[PublishedFigure], look: impl FnOnce(&Readings<'_>) -> T) -> T {
        look(&Readings::of(figures.iter(), "MB/s").expect("of this unit"))
    }

    const EXACT: Base = Base { value: 1000.0, bound: None };

    #[test]
    fn several_readings_have_a_mean_and_neither_a_range_nor_different_things_have_one() {
        let all = |figures: &[PublishedFigure]| {
            read(figures, |one| (one.value(), one.cell().plain(), one.ratio(EXACT).text, one.drawn()))
        };
        let plain = serde_json::json!({});
        let alike = [figure(1.0, &plain), figure(2.0, &serde_json::json!({ "about": true }))];
        assert_eq!(all(&alike), (Some(1500.0), "~1,500 (mean of 2)".to_owned(), "1.50".to_owned(), 1500.0));
        let end = |value, end: &str| figure(value, &serde_json::json!({ "end": end }));
        let ends = [end(1.8, "high"), end(1.2, "low")];
        assert_eq!(all(&ends), (None, "1,200 – 1,800".to_owned(), "1.20 – 1.80".to_owned(), 1500.0));
        let which = |value, which: &str| figure(value, &serde_json::json!({ "which": which }));
        let unlike = [which(1.8, "cold"), which(1.2, "throttled")];
        assert_eq!(all(&unlike), (None, "1,800 cold; 1,200 throttled".to_owned(), String::new(), 1500.0));
        assert_eq!(all(&unlike[..1]).1, "1,800 (cold)");
        assert!(Readings::of(alike.iter(), "IOPS").is_none());
    }

    #[test]
    fn a_ratio_of_bounds_is_a_bound_or_nothing() {
        let bound = |bound: Option<&str>| figure(2.0, &serde_json::json!({ "bound": bound }));
        let ratio = |own: Option<&str>, base: Option<Bound>| {
            read(&[bound(own)], |one| one.ratio(Base { value: 1000.0, bound: base }).text)
        };
        let (least, most) = (Some(Bound::AtLeast), Some(Bound::AtMost));
        assert_eq!([ratio(None, None), ratio(None, least), ratio(None, most)], ["2.00", "≤ 2.00", "≥ 2.00"]);
        let at_least = Some("at_least");
        assert_eq!([ratio(at_least, None), ratio(at_least, least), ratio(at_least, most)], ["≥ 2.00", "", "≥ 2.00"]);
        assert_eq!([ratio(Some("at_most"), None), ratio(Some("at_most"), most)], ["≤ 2.00", ""]);
        assert_eq!(read(&[bound(at_least)], |one| one.as_base()), Some(Base { value: 2000.0, bound: least }));
    }
}
