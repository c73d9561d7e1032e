//! Acceptance limits: conditions on figures under which a run fails, from the command line or the methodology.

use std::fmt;
use std::str::FromStr;

use drivelab_core::acceptance::{FigureLimit, SCORE};
use drivelab_core::event::RunState;
use drivelab_core::finding::{Evidence, Finding};
use drivelab_core::metric::Metric;
use drivelab_core::run::RunRecords;

use crate::analysis::Analysis;
use crate::evidence::{note, plural, warning};
use crate::metrics::metric_def;

/// A condition under which a run fails, on a figure that exists: `depths/rnd-4k-q1t1-read:read.latency_p99 > 1 ms`.
#[derive(Debug, Clone, PartialEq)]
pub struct AcceptanceLimit {
    written: FigureLimit,
    /// The limit, in the unit of the figure.
    value: f64,
}

impl fmt::Display for AcceptanceLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.written.fmt(f)
    }
}

impl FromStr for AcceptanceLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let written: FigureLimit = text.parse()?;
        let id = written.figure();
        // A methodology names its own scores.
        let unit = match metric_def(id) {
            Some(def) => def.unit,
            None if written.step().split('/').next() == Some(SCORE) => "",
            None => return Err(format!("there is no figure '{id}'; docs/metrics.md defines all of them")),
        };
        let value = in_unit(written.number, &written.unit, unit)?;
        Ok(AcceptanceLimit { written, value })
    }
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
            ("min", "us") => 60e6,
            ("h", "us") => 3600e6,
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
    let wrong = || format!("'{own}' is not a unit of this figure, which is in {}", unit_text(unit));
    factor(own).map(|factor| number * factor).ok_or_else(wrong)
}

impl AcceptanceLimit {
    /// The step or score that it is about: `depths/rnd-4k-q1t1-read`, `score/rating`.
    #[must_use]
    pub fn step(&self) -> &str {
        self.written.step()
    }

    /// Why a run fails; `None` if it does not. A run fails too if it has no such figure, or if the figure is void: then
    /// nothing shows that it holds.
    #[must_use]
    pub fn broken_by(&self, analysis: &Analysis) -> Option<String> {
        self.broken(&analysis.metrics).map(|(why, _)| why)
    }

    /// The reason, and the figure if it has a value.
    fn broken<'m>(&self, metrics: &'m [Metric]) -> Option<(String, Option<&'m Metric>)> {
        let Some(metric) = metrics.iter().find(|metric| metric.address == self.written.address) else {
            return Some((format!("{self}: this run has no such figure"), None));
        };
        let Some(value) = metric.value else {
            return Some((format!("{self}: the figure is void ({})", metric.voided_by.join(", ")), None));
        };
        let fails = self.written.is_broken(value, self.value);
        fails.then(|| (format!("{self}: it is {}{}", with_unit(metric, value), doubt(metric)), Some(metric)))
    }
}

/// Code of the finding that figures are beyond the limits of the methodology.
pub const LIMITS_BROKEN: &str = "limits_broken";

/// Whether a complete run is within the limits of its methodology; `None` if it has none.
pub(crate) fn of_methodology(records: &RunRecords, metrics: &[Metric]) -> Option<Finding> {
    if records.plan.limits.is_empty() || records.state != RunState::Complete {
        return None;
    }
    let mut evidence = Vec::new();
    let broken: Vec<String> = records
        .plan
        .limits
        .iter()
        .filter_map(|text| {
            let limit = match text.parse::<AcceptanceLimit>() {
                Ok(limit) => limit,
                Err(why) => return Some(format!("{text}: {why}")),
            };
            let (why, metric) = limit.broken(metrics)?;
            evidence.extend(metric.and_then(|metric| {
                let (what, unit) = (metric.address.clone(), metric.unit.clone());
                Some(Evidence { what, value: metric.value?, limit: Some(limit.value), unit })
            }));
            Some(why)
        })
        .collect();
    let all = plural(records.plan.limits.len(), "limit");
    let statement = match broken.as_slice() {
        [] => format!("All figures are within the methodology's {all}."),
        _ => format!("{} of the methodology's {all} failed: {}.", broken.len(), broken.join("; ")),
    };
    let words = if broken.is_empty() {
        note("limits_held", statement, "", "")
    } else {
        warning(LIMITS_BROKEN, statement, "", "The limits are in `[limits]` of the methodology.")
    };
    Some(words.answer(evidence))
}

fn with_unit(metric: &Metric, value: f64) -> String {
    let sign = if metric.lower_bound { "at least " } else { "" };
    // Four digits at least, and no fractions of large values.
    let digits = if value.abs() < 10.0 {
        3
    } else if value.abs() < 1000.0 {
        1
    } else {
        0
    };
    format!("{sign}{value:.digits$} {}", unit_text(&metric.unit))
}

fn unit_text(unit: &str) -> &str {
    if unit == "us" { "µs" } else { unit }
}

/// What else may have caused it, or that it is not sure.
fn doubt(metric: &Metric) -> &'static str {
    if metric.wrong.is_some() {
        ", but other programs used the disk"
    } else if metric.lower_bound {
        ", and may be more: the host was the limit"
    } else {
        ""
    }
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
            ("a/b:read.latency_p99 > fast", "does not begin with a number"),
            ("a/b:read.latency_p99 > 1 MB/s", "which is in µs"),
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
