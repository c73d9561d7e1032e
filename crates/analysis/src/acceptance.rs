//! Acceptance limits: conditions on figures under which a run fails, from the command line or the methodology.

use std::fmt;
use std::str::FromStr;

use drivelab_core::acceptance::{FigureLimit, SCORE};
use drivelab_core::event::RunState;
use drivelab_core::finding::{Evidence, Finding};
use drivelab_core::metric::{Metric, Wrong};
use drivelab_core::plan::Form;
use drivelab_core::run::RunRecords;

use crate::analysis::Analysis;
use crate::evidence::{note, warning};
use crate::metrics::metric_def;

/// A condition under which a run fails, on a figure that exists: `depths/rnd-4k-q1t1-read:read.latency_p99 > 1 ms`.
#[derive(Debug, Clone, PartialEq)]
pub struct AcceptanceLimit(FigureLimit);

impl fmt::Display for AcceptanceLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for AcceptanceLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let written: FigureLimit = text.parse()?;
        let id = written.figure();
        let Some(def) = metric_def(id) else {
            return Err(format!("there is no figure '{id}'; docs/metrics.md defines all of them"));
        };
        let is_score = |name: &str| name.split('/').next() == Some(SCORE);
        if is_score(written.step()) != is_score(&id.replace('.', "/")) {
            return Err(format!(
                "'{}' has no figure '{id}'; that of a score is score.sum or score.mean",
                written.step()
            ));
        }
        // A methodology names the units of its own scores.
        if !is_score(written.step()) {
            in_unit(written.number, &written.unit, def.unit)?;
        }
        Ok(AcceptanceLimit(written))
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

/// How a run stands to a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Holds,
    Broken,
    /// The figure is missing, void, or only a bound on the wrong side.
    NotShown,
}

/// A limit, judged.
struct Judged {
    standing: Standing,
    /// The limit, and why it does not hold.
    why: String,
    evidence: Option<Evidence>,
}

/// Where the true value lies, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    AtValue,
    AtLeast(&'static str),
    AtMost(&'static str),
    Unknown(&'static str),
}

const HOST: &str = "the host was the limit";
const OTHERS: &str = "other programs used the disk";

impl Truth {
    fn of(metric: &Metric, all: &[Metric]) -> Truth {
        let is_latency = metric_def(&metric.id).is_some_and(|def| def.meaning.class.is_time());
        let host_limited = |other: &Metric| other.lower_bound && other.step == metric.step;
        match (metric.wrong, metric.lower_bound) {
            (Some(Wrong::TooLow), _) => Truth::AtLeast(OTHERS),
            (Some(Wrong::TooHigh), false) => Truth::AtMost(OTHERS),
            (Some(_), _) => Truth::Unknown(OTHERS),
            (None, true) => Truth::AtLeast(HOST),
            // Its operations waited in the host too.
            (None, false) if is_latency && all.iter().any(host_limited) => Truth::AtMost(HOST),
            (None, false) => Truth::AtValue,
        }
    }
}

impl AcceptanceLimit {
    /// The condition as it was written.
    #[must_use]
    pub const fn written(&self) -> &FigureLimit {
        &self.0
    }

    /// Why a run fails; `None` if it does not. A run fails too if nothing shows that the limit holds: if it has no such
    /// figure, or if the figure is void or a bound on the wrong side.
    #[must_use]
    pub fn broken_by(&self, analysis: &Analysis) -> Option<String> {
        let judged = self.judge(&analysis.metrics);
        (judged.standing != Standing::Holds).then_some(judged.why)
    }

    fn judge(&self, metrics: &[Metric]) -> Judged {
        let fails = format!("{} (fails if {})", self.0.address, self.0.condition());
        let not_shown =
            |why: String| Judged { standing: Standing::NotShown, why: format!("{fails}: {why}"), evidence: None };
        let metric = match self.found(metrics) {
            Ok(metric) => metric,
            Err(why) => return not_shown(why),
        };
        let Some(value) = metric.value else {
            return not_shown(match metric.voided_by.as_slice() {
                [] if is_percentile(&metric.id) => "too few operations: a percentile needs 5 beyond it".to_owned(),
                [] => "the figure has no value".to_owned(),
                causes => format!("the figure is void ({})", causes.join(", ")),
            });
        };
        let limit = match in_unit(self.0.number, &self.0.unit, &metric.unit) {
            Ok(limit) => limit,
            Err(why) => return not_shown(why),
        };
        let (above, beyond, truth) = (self.0.above, self.0.is_broken(value, limit), Truth::of(metric, metrics));
        let standing = match truth {
            Truth::AtLeast(_) if above != beyond => Standing::NotShown,
            Truth::AtMost(_) if above == beyond => Standing::NotShown,
            Truth::Unknown(_) => Standing::NotShown,
            _ if beyond => Standing::Broken,
            _ => Standing::Holds,
        };
        let value_text = format!("{} {}", number_text(value), unit_text(&metric.unit));
        let is = match truth {
            Truth::AtValue => value_text,
            Truth::AtLeast(why) => format!("at least {value_text} ({why})"),
            Truth::AtMost(why) => format!("at most {value_text} ({why})"),
            Truth::Unknown(why) => format!("{value_text}, but may be too high or too low ({why})"),
        };
        let so = if standing == Standing::NotShown { ", so nothing shows that it passes" } else { "" };
        let (what, unit) = (metric.address.clone(), metric.unit.clone());
        let evidence = Some(Evidence { what, value, limit: Some(limit), unit });
        Judged { standing, why: format!("{fails} is {is}{so}"), evidence }
    }

    /// The figure that it is about.
    ///
    /// # Errors
    /// There is none, or there are several.
    fn found<'m>(&self, metrics: &'m [Metric]) -> Result<&'m Metric, String> {
        let is_it = |metric: &&Metric| match self.0.step() {
            "" => metric.id == self.0.figure() && metric.step.is_some() && !metric.address.starts_with(PREPARATION),
            _ => metric.address == self.0.address,
        };
        let mut found = metrics.iter().filter(is_it);
        match (found.next(), found.next()) {
            (Some(metric), None) => Ok(metric),
            (None, _) => Err("this run has no such figure".to_owned()),
            (Some(_), Some(other)) => {
                Err(format!("several steps have this figure; name one of them, such as {}", other.address))
            }
        }
    }
}

/// Whether a figure is a percentile: `read.latency_p99`.
fn is_percentile(id: &str) -> bool {
    let end = id.rsplit('_').next().unwrap_or_default();
    end.strip_prefix('p').is_some_and(|digits| digits.parse::<u32>().is_ok())
}

/// What the addresses of preparations begin with.
const PREPARATION: &str = "prepare/";

/// Code of the finding that figures are beyond the limits of the methodology, or not shown to be within.
pub const LIMITS_BROKEN: &str = "limits_broken";

/// Whether a run is within the limits of its methodology; `None` if it has none.
pub(crate) fn of_methodology(records: &RunRecords, metrics: &[Metric]) -> Option<Finding> {
    let limits = &records.plan.limits;
    if limits.is_empty() {
        return None;
    }
    let not_judged = |why: &str| {
        let statement = format!("The methodology's limits are not judged: {why}.");
        Some(note("limits_not_judged", statement, "", "").answer(Vec::new()))
    };
    if records.plan.form == Form::Smoke {
        return not_judged("figures of the smoke form are not usable");
    }
    if records.state != RunState::Complete {
        return not_judged("the run is not complete");
    }
    let judged = limits.iter().map(|text| match text.parse::<AcceptanceLimit>() {
        Ok(limit) => limit.judge(metrics),
        Err(why) => Judged { standing: Standing::NotShown, why: format!("{text}: {why}"), evidence: None },
    });
    let judged: Vec<Judged> = judged.collect();
    let failed: Vec<&str> =
        judged.iter().filter(|one| one.standing != Standing::Holds).map(|one| one.why.as_str()).collect();
    let evidence = judged.iter().filter_map(|one| one.evidence.clone()).collect();
    let words = match (failed.as_slice(), limits.len()) {
        ([], 1) => note("limits_held", "The methodology's limit holds.".to_owned(), "", ""),
        ([], 2) => note("limits_held", "Both limits of the methodology hold.".to_owned(), "", ""),
        ([], count) => note("limits_held", format!("All {count} limits of the methodology hold."), "", ""),
        (failed, count) => {
            let which = match count {
                1 => "The methodology's limit".to_owned(),
                _ => format!("{} of the methodology's {count} limits", failed.len()),
            };
            let is = |standing: Standing| judged.iter().any(|one| one.standing == standing);
            let how = match (is(Standing::Broken), is(Standing::NotShown), failed.len()) {
                (true, false, _) => "did not hold",
                (true, true, _) => "did not hold, or were not shown to",
                (false, _, 1) => "was not shown to hold",
                (false, _, _) => "were not shown to hold",
            };
            let action = "The limits are in `[limits]` of the methodology.";
            warning(LIMITS_BROKEN, format!("{which} {how}: {}.", failed.join("; ")), "", action)
        }
    };
    Some(words.answer(evidence))
}

/// Four digits at least, and no fractions of large values.
fn number_text(value: f64) -> String {
    let digits = if value.abs() < 10.0 {
        3
    } else if value.abs() < 1000.0 {
        1
    } else {
        0
    };
    let text = format!("{value:.digits$}");
    let whole = text.trim_start_matches('-').split('.').next().map_or(0, str::len);
    let is_thousand = |at: usize| at > 0 && at < whole && (whole - at).is_multiple_of(3);
    let (sign, plain) = if value < 0.0 { ("-", &text[1..]) } else { ("", &*text) };
    let grouped: String =
        plain.char_indices().flat_map(|(at, c)| is_thousand(at).then_some(',').into_iter().chain([c])).collect();
    format!("{sign}{grouped}")
}

fn unit_text(unit: &str) -> &str {
    if unit == "us" { "µs" } else { unit }
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
        let value = |text: &str| {
            let FigureLimit { number, unit, .. } = &limit(text).0;
            let def = metric_def(limit(text).0.figure()).expect("a figure");
            in_unit(*number, unit, def.unit).expect("a unit")
        };
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
            ("score/rating:read.iops < 1", "has no figure 'read.iops'"),
            ("a/b:score.sum < 1", "has no figure 'score.sum'"),
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
        assert!(why.contains("MB/s") && why.starts_with(&format!("{address} (fails if < ")), "{why}");
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
        (metric.value, metric.lower_bound) = (Some(100.0), false);
        let address = metric.address.clone();
        let broken = |operator: &str| limit(&format!("{address} {operator} 100")).broken_by(&analysis).is_some();
        assert_eq!(["<", "<=", ">", ">="].map(broken), [false, true, false, true]);
    }

    #[test]
    fn a_bound_shows_only_what_lies_on_its_side() {
        let mut analysis = analyse(&sample_run());
        let at = analysis.metrics.iter().position(|metric| metric.id == "read.throughput").expect("a rate");
        let address = analysis.metrics[at].address.clone();
        let mut standings = |wrong: Option<Wrong>, lower_bound: bool| {
            let metric = &mut analysis.metrics[at];
            (metric.value, metric.wrong, metric.lower_bound) = (Some(100.0), wrong, lower_bound);
            ["< 50", "< 200", "> 50", "> 200"]
                .map(|rest| limit(&format!("{address} {rest}")).judge(&analysis.metrics).standing)
        };
        use Standing::{Broken, Holds, NotShown};
        assert_eq!(standings(None, false), [Holds, Broken, Broken, Holds]);
        assert_eq!(standings(None, true), [Holds, NotShown, Broken, NotShown]);
        assert_eq!(standings(Some(Wrong::TooLow), false), [Holds, NotShown, Broken, NotShown]);
        assert_eq!(standings(Some(Wrong::TooHigh), false), [NotShown, Broken, NotShown, Holds]);
        assert_eq!(standings(Some(Wrong::EitherWay), false), [NotShown; 4]);
        // Where the host is the limit, latencies include waiting in it.
        standings(None, true);
        let step = analysis.metrics[at].step.clone();
        let latency = |metric: &&mut Metric| metric.id == "read.latency_p99" && metric.step == step;
        let latency = analysis.metrics.iter_mut().find(latency).expect("a latency");
        latency.value = Some(100.0);
        let address = latency.address.clone();
        let standing = |rest: &str| limit(&format!("{address} {rest}")).judge(&analysis.metrics);
        assert_eq!([standing("> 50").standing, standing("> 200").standing], [NotShown, Holds]);
        assert!(standing("> 50").why.contains("at most 100.0 µs (the host was the limit), so nothing shows"));
        // So do response times.
        let (id, step) = ("read.response_p99", step.expect("a step"));
        let like = analysis.metrics[at].clone();
        let (address, id, unit) = (format!("{step}:{id}"), id.to_owned(), "us".to_owned());
        analysis.metrics.push(Metric { id, unit, address: address.clone(), lower_bound: false, ..like });
        let response = limit(&format!("{address} > 50")).judge(&analysis.metrics);
        assert_eq!(response.standing, NotShown, "{}", response.why);
    }

    #[test]
    fn only_one_step_needs_no_name() {
        let mut analysis = analyse(&sample_run());
        let why = limit("read.throughput < 1").broken_by(&analysis).expect("several steps");
        assert!(why.contains("several steps have this figure; name one of them, such as "), "{why}");
        let mut steps = 0..;
        analysis.metrics.retain(|metric| metric.id == "read.throughput" && steps.next() == Some(0));
        assert_eq!(limit("read.throughput < 1").broken_by(&analysis), None);
        assert!(limit("run:run.duration > 1").broken_by(&analysis).expect("none").contains("no such figure"));
    }

    #[test]
    fn values_are_grouped_by_thousands() {
        let texts = [0.5014, 99.96, 1_234.5, 678_561.0, -1_234_567.0].map(number_text);
        assert_eq!(texts, ["0.501", "100.0", "1,234", "678,561", "-1,234,567"]);
    }
}
