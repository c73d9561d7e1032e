//! What was published of one quantity: a figure, several readings of it, or the ends of a range.

use drivelab_core::published::{Bound, PublishedFigure};

use crate::figure::format::{self, ratio_text};
use crate::figure::table::Cell;

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
        self.figures.iter().any(|figure| figure.which != self.figures[0].which)
    }

    /// The value: the mean of several readings. `None` for a range.
    pub(crate) fn value(&self) -> Option<f64> {
        (!self.is_range()).then(|| self.values.iter().sum::<f64>() / self.values.len() as f64)
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

    /// The value, or the range, with what the source says of it.
    pub(crate) fn cell(&self) -> Cell {
        let number = |value: f64| format::value(value, self.unit);
        let doubtful = self.figures.iter().any(|figure| figure.doubtful.is_some());
        let said = |what: Option<String>| {
            let doubtful = doubtful.then(|| "doubtful".to_owned());
            what.into_iter().chain(doubtful).collect::<Vec<_>>().join(", ")
        };
        match (self.value(), self.ends(), self.figures.as_slice()) {
            (None, Some((low, high)), _) => {
                Cell { detail: said(None), ..Cell::text(format!("{} – {}", number(low), number(high))) }
            }
            (Some(mean), Some(_), all) => {
                Cell { detail: said(Some(format!("mean of {}", all.len()))), ..Cell::text(number(mean)) }
            }
            (_, _, all) => {
                let text = format!("{}{}", sign(all[0]), number(self.values[0]));
                Cell { detail: said(all[0].which.clone()), ..Cell::text(text) }
            }
        }
    }

    /// Its ratio to a base, or those of the ends of a range.
    pub(crate) fn ratio(&self, base: f64) -> Cell {
        Cell::text(match (self.value(), self.ends()) {
            (Some(value), _) => ratio_text(value / base),
            (None, Some((low, high))) => format!("{} – {}", ratio_text(low / base), ratio_text(high / base)),
            (None, None) => String::new(),
        })
    }
}

/// What stands before a value: a bound, or that the source rounds.
fn sign(figure: &PublishedFigure) -> &'static str {
    match figure.bound {
        Some(Bound::AtLeast) => "≥ ",
        Some(Bound::AtMost) => "≤ ",
        None if figure.about => "~",
        None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(value: f64, which: Option<&str>) -> PublishedFigure {
        let figure = serde_json::json!({
            "drive": "D", "test": "t", "metric": "read.throughput", "value": value, "unit": "GB/s", "place": "p",
            "which": which,
        });
        serde_json::from_value(figure).expect("a figure")
    }

    #[test]
    fn several_readings_have_a_mean_and_a_range_has_none() {
        let read = |figures: &[PublishedFigure]| {
            let readings = Readings::of(figures.iter(), "MB/s").expect("of this unit");
            (readings.value(), readings.cell().plain(), readings.ratio(1000.0).text, readings.drawn())
        };
        let alike = [figure(1.0, None), figure(2.0, None)];
        assert_eq!(read(&alike), (Some(1500.0), "1,500 (mean of 2)".to_owned(), "1.50".to_owned(), 1500.0));
        let ends = [figure(1.8, Some("upper end")), figure(1.2, Some("lower end"))];
        assert_eq!(read(&ends), (None, "1,200 – 1,800".to_owned(), "1.20 – 1.80".to_owned(), 1500.0));
        assert_eq!(read(&ends[..1]).1, "1,800 (upper end)");
        assert!(Readings::of(alike.iter(), "IOPS").is_none());
    }
}
