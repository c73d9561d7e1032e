//! Acceptance limits: conditions on figures under which a run fails, for scripts.

use std::fmt;
use std::str::FromStr;

use drivelab_core::metric::Metric;

use crate::analysis::Analysis;
use crate::metrics::metric_def;

/// A condition under which a run fails: `depths/rnd-4k-q1t1-read:read.latency_p99 > 1 ms`.
#[derive(Debug, Clone, PartialEq)]
pub struct AcceptanceLimit {
    /// The condition as written.
    text: String,
    /// Address of the figure.
    address: String,
    /// Whether values above the limit fail; otherwise those below.
    above: bool,
    /// Whether the limit itself fails.
    or_equal: bool,
    /// The limit, in the unit of the figure.
    value: f64,
}

impl fmt::Display for AcceptanceLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl FromStr for AcceptanceLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "expected FIGURE OPERATOR VALUE, such as 'depths/rnd-4k-q1t1-read:read.latency_p99 > 1 ms'";
        let at = text.find(['<', '>']).ok_or_else(|| format!("there is no <, <=, > or >=; {expected}"))?;
        let (address, rest) = (text[..at].trim(), &text[at..]);
        let above = rest.starts_with('>');
        let or_equal = rest[1..].starts_with('=');
        let value = rest[1 + usize::from(or_equal)..].trim();
        let (_, id) = address.rsplit_once(':').ok_or_else(|| {
            format!("'{address}' is not the address of a figure (STEP:METRIC); `drivelab report --json` lists them")
        })?;
        let digits =
            value.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+'))).unwrap_or(value.len());
        let number: f64 = without_groups(&value[..digits])
            .and_then(|plain| plain.parse().ok())
            .ok_or_else(|| format!("'{value}' does not begin with a number such as 1.5 or 1,500; {expected}"))?;
        // A methodology names its own scores.
        let unit = match metric_def(id) {
            Some(def) => def.unit,
            None if address.starts_with("score/") => "",
            None => return Err(format!("there is no figure '{id}'; docs/metrics.md defines all of them")),
        };
        let value = in_unit(number, value[digits..].trim(), unit)?;
        Ok(AcceptanceLimit { text: text.trim().to_owned(), address: address.to_owned(), above, or_equal, value })
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

/// A value in the unit of a figure.
///
/// # Errors
/// The unit is of something else.
fn in_unit(number: f64, own: &str, unit: &str) -> Result<f64, String> {
    let factor = |name: &str| -> Option<f64> {
        Some(match (name, unit) {
            (same, _) if same == unit => 1.0,
            ("", _) => 1.0,
            ("ns", "us") => 1e-3,
            ("µs" | "μs", "us") => 1.0,
            ("ms", "us") => 1e3,
            ("s", "us") => 1e6,
            ("ms", "s") => 1e-3,
            ("min", "s") => 60.0,
            ("h", "s") => 3600.0,
            ("kB/s", "MB/s") => 1e-3,
            ("GB/s", "MB/s") => 1e3,
            ("KiB/s", "MB/s") => 1024.0 / 1e6,
            ("MiB/s", "MB/s") => 1_048_576.0 / 1e6,
            ("GiB/s", "MB/s") => 1_073_741_824.0 / 1e6,
            ("k" | "kIOPS", "IOPS") => 1e3,
            ("M" | "MIOPS", "IOPS") => 1e6,
            ("C", "°C") => 1.0,
            ("mW", "W") => 1e-3,
            _ => return None,
        })
    };
    let wrong = || format!("'{own}' is not a unit of this figure, which is in {unit}");
    factor(own).map(|factor| number * factor).ok_or_else(wrong)
}

impl AcceptanceLimit {
    /// Why a run fails; `None` if it does not. A run fails too if it has no such figure, or if the figure is void: then
    /// nothing shows that it holds.
    #[must_use]
    pub fn broken_by(&self, analysis: &Analysis) -> Option<String> {
        let Some(metric) = analysis.metrics.iter().find(|metric| metric.address == self.address) else {
            return Some(format!("{}: this run has no such figure", self.text));
        };
        let Some(value) = metric.value else {
            let why = metric.voided_by.join(", ");
            return Some(format!("{}: the figure is void ({why})", self.text));
        };
        let fails = if self.above { value > self.value } else { value < self.value };
        let fails = fails || self.or_equal && value == self.value;
        fails.then(|| format!("{}: it is {}{}", self.text, with_unit(metric, value), doubt(metric)))
    }
}

fn with_unit(metric: &Metric, value: f64) -> String {
    let sign = if metric.lower_bound { "at least " } else { "" };
    let unit = if metric.unit == "us" { "µs" } else { &metric.unit };
    format!("{sign}{} {unit}", (value * 1e3).round() / 1e3)
}

/// What else may have caused it.
fn doubt(metric: &Metric) -> &'static str {
    if metric.wrong.is_some() { ", but other programs used the disk" } else { "" }
}

#[cfg(test)]
mod tests {
    use drivelab_samples::sample_run;

    use super::*;
    use crate::analyse;

    fn limit(text: &str) -> AcceptanceLimit {
        text.parse().unwrap_or_else(|why| panic!("{text}: {why}"))
    }

    #[test]
    fn units_are_those_of_the_figure() {
        let value = |text: &str| limit(text).value;
        assert!((value("a/b:read.latency_p99 > 1.5 ms") - 1500.0).abs() < 1e-9);
        assert!((value("a/b:read.latency_p99>2 s") - 2e6).abs() < 1e-6);
        assert!((value("a/b:read.throughput < 1 GiB/s") - 1_073.741_824).abs() < 1e-9);
        assert!((value("a/b:read.iops <= 12k") - 12_000.0).abs() < 1e-9);
        assert!((value("a/b:read.throughput < 1,200") - 1200.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_condition_says_why() {
        for (text, says) in [
            ("read.latency_p99 > 1 ms", "is not the address"),
            ("a/b:read.latency_p99 = 1 ms", "there is no <"),
            ("a/b:read.latency_p99 > fast", "does not begin with a number"),
            ("a/b:read.latency_p99 > 1,5 ms", "does not begin with a number"),
            ("a/b:read.latency_p99 > 1.500,5 ms", "does not begin with a number"),
            ("a/b:read.latency_p99 > 1 MB/s", "which is in us"),
            ("a/b:read.speed > 1", "there is no figure 'read.speed'"),
        ] {
            let why = text.parse::<AcceptanceLimit>().expect_err(text);
            assert!(why.contains(says), "{text}: {why}");
        }
    }

    #[test]
    fn a_run_fails_beyond_the_limit_and_without_the_figure() {
        let analysis = analyse(&sample_run());
        let valued = analysis.metrics.iter().find(|metric| metric.id == "read.throughput" && metric.value.is_some());
        let (address, value) =
            valued.map(|metric| (&metric.address, metric.value.unwrap_or_default())).expect("a rate");
        let broken = |text: String| limit(&text).broken_by(&analysis);
        assert_eq!(broken(format!("{address} < {}", value / 2.0)), None);
        let why = broken(format!("{address} < {}", value * 2.0)).expect("it is slower");
        assert!(why.contains("MB/s") && why.starts_with(address.as_str()), "{why}");
        assert!(broken(format!("{address} > {}", value / 2.0)).is_some());
        assert!(broken("no/step:read.throughput < 1".to_owned()).expect("no figure").contains("no such figure"));
        let mut void = analysis.clone();
        for metric in &mut void.metrics {
            (metric.value, metric.voided_by) = (None, vec!["clock".to_owned()]);
        }
        assert!(limit(&format!("{address} < 1")).broken_by(&void).expect("void").contains("void (clock)"));
    }

    #[test]
    fn the_limit_itself_fails_only_if_it_is_said() {
        let mut analysis = analyse(&sample_run());
        let metric = analysis.metrics.iter_mut().find(|metric| metric.id == "read.throughput").expect("a rate");
        metric.value = Some(100.0);
        let address = metric.address.clone();
        let broken = |operator: &str| limit(&format!("{address} {operator} 100")).broken_by(&analysis).is_some();
        assert_eq!(["<", "<=", ">", ">="].map(broken), [false, true, false, true]);
    }
}
