//! Conditions on figures under which a run fails, as they are written:
//! `depths/rnd-4k-q1t1-read:read.latency_p99 > 1 ms`.
//!
//! Must not know: which figures there are, and their units; `analysis` knows them.

use std::fmt;
use std::str::FromStr;

/// What a condition looks like, for errors.
pub const EXPECTED: &str = "expected FIGURE OPERATOR VALUE, such as 'depths/rnd-4k-q1t1-read:read.latency_p99 > 1 ms'";

/// In the place of a step: the whole run.
pub const WHOLE_RUN: &str = "run";

/// What the addresses of scores begin with, in the place of a test's name.
pub const SCORE: &str = "score";

/// A condition as written.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureLimit {
    /// All of it.
    text: String,
    /// Step and figure, `depths/rnd-4k-q1t1-read:read.latency_p99`; only the figure where there is only one step.
    pub address: String,
    /// Whether values above the limit fail; otherwise those below.
    pub above: bool,
    /// Whether the limit itself fails.
    pub or_equal: bool,
    /// The limit, in `unit`.
    pub number: f64,
    /// The unit as written; empty for the figure's own.
    pub unit: String,
}

impl FigureLimit {
    /// The step's id, `depths/rnd-4k-q1t1-read`; the name of a score, `score/rating`; `run` for a figure of the whole
    /// run; empty if only the figure is named.
    #[must_use]
    pub fn step(&self) -> &str {
        self.address.rsplit_once(':').map_or("", |(step, _)| step)
    }

    /// The figure's id, `read.latency_p99`.
    #[must_use]
    pub fn figure(&self) -> &str {
        self.address.rsplit_once(':').map_or(&*self.address, |(_, figure)| figure)
    }

    /// Operator, value and unit as written: `> 1 ms`.
    #[must_use]
    pub fn condition(&self) -> &str {
        self.text.strip_prefix(&self.address).unwrap_or(&self.text).trim_start()
    }

    /// Whether a value breaks it; `limit` is the limit in the value's unit.
    #[must_use]
    pub fn is_broken(&self, value: f64, limit: f64) -> bool {
        let beyond = if self.above { value > limit } else { value < limit };
        beyond || self.or_equal && value == limit
    }
}

impl fmt::Display for FigureLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl FromStr for FigureLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let at = text.find(['<', '>']).ok_or_else(|| format!("there is no <, <=, > or >=; {EXPECTED}"))?;
        let (address, rest) = (text[..at].trim(), &text[at..]);
        let above = rest.starts_with('>');
        let or_equal = rest[1..].starts_with('=');
        let value = rest[1 + usize::from(or_equal)..].trim();
        if address.is_empty() {
            return Err(format!("there is no figure before the operator; {EXPECTED}"));
        }
        let digits =
            value.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+'))).unwrap_or(value.len());
        let number = without_groups(&value[..digits])
            .and_then(|plain| plain.parse().ok())
            .ok_or_else(|| format!("'{value}' does not begin with a number such as 1.5 or 1,500; {EXPECTED}"))?;
        let unit = value[digits..].trim().to_owned();
        Ok(FigureLimit { text: text.trim().to_owned(), address: address.to_owned(), above, or_equal, number, unit })
    }
}

/// A number without the commas between its thousands; `None` if a comma stands elsewhere, as in `1,5`.
fn without_groups(number: &str) -> Option<String> {
    let whole = number.split('.').next().unwrap_or_default();
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let grouped = groups.clone().count() > 0;
    let good = groups.all(|group| group.len() == 3) && (!grouped || (1..=3).contains(&first.len()));
    (good && !number[whole.len()..].contains(',')).then(|| number.replace(',', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_has_a_step_a_figure_an_operator_and_a_value() {
        let read: FigureLimit = " depths/rnd-4k-q1t1-read:read.latency_p99 >= 1,500.5 µs".parse().expect("a condition");
        assert_eq!((read.step(), read.figure()), ("depths/rnd-4k-q1t1-read", "read.latency_p99"));
        assert_eq!((read.above, read.or_equal, read.number, read.unit.as_str()), (true, true, 1500.5, "µs"));
        assert_eq!(read.to_string(), "depths/rnd-4k-q1t1-read:read.latency_p99 >= 1,500.5 µs");
        assert_eq!(read.condition(), ">= 1,500.5 µs");
    }

    #[test]
    fn what_is_no_condition_says_why() {
        for (text, says) in [
            ("> 1 ms", "there is no figure"),
            ("a/b:read.latency_p99 = 1 ms", "there is no <"),
            ("a/b:read.latency_p99 > fast", "does not begin with a number"),
            ("a/b:read.latency_p99 > 1,5 ms", "does not begin with a number"),
            ("a/b:read.latency_p99 > 1.500,5 ms", "does not begin with a number"),
        ] {
            let why = text.parse::<FigureLimit>().expect_err(text);
            assert!(why.contains(says), "{text}: {why}");
        }
    }

    #[test]
    fn the_limit_itself_fails_only_if_it_is_said() {
        let broken = |operator: &str, value: f64| {
            let condition: FigureLimit = format!("a/b:read.iops {operator} 100").parse().expect("a condition");
            condition.is_broken(value, 100.0)
        };
        assert_eq!(["<", "<=", ">", ">="].map(|operator| broken(operator, 100.0)), [false, true, false, true]);
        assert_eq!(["<", "<=", ">", ">="].map(|operator| broken(operator, 99.0)), [true, true, false, false]);
        assert_eq!(["<", "<=", ">", ">="].map(|operator| broken(operator, 101.0)), [false, false, true, true]);
    }
}
