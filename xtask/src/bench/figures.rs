//! From a program's output to figures: drivelab's and fio's JSON, t/io_uring's lines.
//!
//! Must not know: how programs are started. A run that counted errors has an error instead of a figure.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::trace::{PERCENTILES, Trace};
use super::who::Who;

/// A figure that a row compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Figure {
    /// Completed operations per second.
    Iops,
    /// User time per operation in nanoseconds.
    UserNs,
    /// Standard deviation over mean of the gaps between scheduled arrivals, from a trace.
    ArrivalVariation,
    /// The same for submissions.
    SubmissionVariation,
    /// How far the worst reported percentile is from an exact sort, as a share of it, from a trace.
    PercentileError,
}

impl Figure {
    /// The word in the JSON result.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Figure::Iops => "iops",
            Figure::UserNs => "user_ns_per_io",
            Figure::ArrivalVariation => "variation_of_arrival_gaps",
            Figure::SubmissionVariation => "variation_of_submission_gaps",
            Figure::PercentileError => "percentile_error",
        }
    }
}

/// What one run reported about itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Reading {
    /// Completed operations per second.
    pub(crate) iops: f64,
    /// User time per operation in nanoseconds, if the program reports it.
    pub(crate) user_ns: Option<f64>,
    /// Operations per system call, if the program reports them.
    pub(crate) per_syscall: Option<f64>,
    /// Mean operations in flight, if the program reports them.
    pub(crate) depth: Option<f64>,
    /// What limited it, as drivelab reports.
    pub(crate) limited_by: Option<String>,
    /// Completed operations, if only one kind was issued.
    pub(crate) count: Option<u64>,
    /// Percentiles of the latency, in the order of `trace::PERCENTILES`, if only one kind was issued.
    pub(crate) percentiles: Option<Vec<f64>>,
    /// Facts from the trace, if there was one.
    pub(crate) traced: Option<Traced>,
}

/// Facts that only single operations show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Traced {
    arrivals: f64,
    submissions: f64,
    percentile_error: f64,
}

impl Reading {
    /// Reads a program's output.
    pub(crate) fn parse(who: Who, printed: &str) -> Result<Self> {
        let reading = match who {
            Who::Drivelab => drivelab(printed),
            Who::Fio => fio(printed),
            Who::TIoUring => t_io_uring(printed),
        }?;
        ensure!(reading.iops > 0.0, "the run completed no operation");
        Ok(reading)
    }

    /// The figure that a row asks for.
    pub(crate) fn figure(&self, figure: Figure) -> Result<f64> {
        match figure {
            Figure::Iops => Ok(self.iops),
            Figure::UserNs => self.user_ns.context("the run does not say its user time per operation"),
            Figure::ArrivalVariation => Ok(self.traced()?.arrivals),
            Figure::SubmissionVariation => Ok(self.traced()?.submissions),
            Figure::PercentileError => Ok(self.traced()?.percentile_error),
        }
    }

    fn traced(&self) -> Result<Traced> {
        self.traced.context("the run left no trace")
    }

    /// Adds the facts from the trace of the same run; an error if the two do not contain the same operations.
    pub(crate) fn with_trace(self, trace: &Trace) -> Result<Self> {
        let count = self.count.context("the run does not say how many operations there were")?;
        ensure!(trace.len() as u64 == count, "the trace has {} operations, the result {count}", trace.len());
        let reported = self.percentiles.as_ref().context("the run does not say its percentiles")?;
        let errors =
            PERCENTILES.iter().zip(reported).map(|((_, part), value)| trace.error_of_percentile(*part, *value));
        let traced = Traced {
            arrivals: trace.variation_of_arrivals(),
            submissions: trace.variation_of_submissions(),
            percentile_error: errors.fold(0.0, f64::max),
        };
        Ok(Reading { traced: Some(traced), ..self })
    }
}

/// `drivelab io … --json`: one document; operations of all kinds together.
fn drivelab(printed: &str) -> Result<Reading> {
    let document: Value = serde_json::from_str(printed).context("this is not the JSON of drivelab io")?;
    let operations = document["operations"].as_object().context("the document has no `operations`")?;
    let mut iops = 0.0;
    for (kind, counted) in operations {
        ensure!(is_none(&counted["errors"]), "{kind}: operations ended in errors: {}", counted["errors"]);
        iops += counted["iops"].as_f64().with_context(|| format!("{kind} has no `iops`"))?;
    }
    let only = if operations.len() == 1 { operations.values().next() } else { None };
    let percentile = |name: &str| only.and_then(|kind| kind["latency_ns"][name].as_f64());
    let engine = &document["engine"];
    let limited_by = match &document["limited_by"] {
        Value::Null => None,
        Value::String(said) => Some(said.clone()),
        other => Some(other.to_string()),
    };
    Ok(Reading {
        iops,
        user_ns: engine["user_ns_per_io"].as_f64(),
        per_syscall: engine["operations_per_syscall"].as_f64(),
        depth: engine["depth_mean"].as_f64(),
        limited_by,
        count: only.and_then(|kind| kind["count"].as_u64()),
        percentiles: PERCENTILES.iter().map(|(name, _)| percentile(name)).collect(),
        traced: None,
    })
}

/// Whether a count or list of errors is empty.
fn is_none(errors: &Value) -> bool {
    match errors {
        Value::Null => true,
        Value::Number(count) => count.as_f64() == Some(0.0),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// `fio --output-format=json` with one job; fio may print remarks before the document.
fn fio(printed: &str) -> Result<Reading> {
    let begin = printed.find('{').with_context(|| format!("fio printed no JSON: {}", printed.trim()))?;
    let document: Value = serde_json::from_str(&printed[begin..]).context("this is not fio's JSON")?;
    let job = &document["jobs"][0];
    ensure!(job["error"].as_i64() == Some(0), "fio's job ended with error {}", job["error"]);
    let number = |kind: &str, name: &str| job[kind][name].as_f64().unwrap_or(0.0);
    let kinds = ["read", "write"];
    let iops: f64 = kinds.iter().map(|kind| number(kind, "iops")).sum();
    let count: f64 = kinds.iter().map(|kind| number(kind, "total_ios")).sum();
    let ran_ms = kinds.iter().map(|kind| number(kind, "runtime")).fold(0.0, f64::max);
    let user_ns = job["usr_cpu"].as_f64().filter(|_| count > 0.0).map(|cpu| cpu / 100.0 * ran_ms * 1e6 / count);
    Ok(Reading { iops, user_ns, ..Reading::default() })
}

/// t/io_uring prints the operations of each second, at a precision of three or four digits; the mean is taken.
fn t_io_uring(printed: &str) -> Result<Reading> {
    if let Some(line) = printed.lines().find(|line| line.contains("unexpected ret") || line.contains("IO errors")) {
        bail!("t/io_uring says: {}", line.trim());
    }
    let seconds: Vec<f64> = printed.lines().filter_map(|line| line.strip_prefix("IOPS=").and_then(short)).collect();
    ensure!(!seconds.is_empty(), "t/io_uring printed no IOPS: {}", printed.trim());
    Ok(Reading { iops: seconds.iter().sum::<f64>() / seconds.len() as f64, ..Reading::default() })
}

/// `16.25M`, `812.50K` or `99999` at the beginning of a text, up to the first comma.
fn short(text: &str) -> Option<f64> {
    let word = text.split(',').next()?.trim();
    let (digits, factor) = match word.char_indices().next_back()? {
        (at, 'M') => (&word[..at], 1e6),
        (at, 'K') => (&word[..at], 1e3),
        _ => (word, 1.0),
    };
    Some(digits.parse::<f64>().ok()? * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRIVELAB: &str = r#"{
        "target": "nop:", "elapsed_ns": 3000000000,
        "operations": {
            "read": {"count": 30, "bytes": 0, "iops": 7000000.5, "errors": 0, "latency_ns": {"mean": 9.0}},
            "write": {"count": 10, "bytes": 0, "iops": 3000000.0, "errors": 0, "latency_ns": {"mean": 9.0}}
        },
        "engine": {"backend": "uring", "user_ns_per_io": 31.5, "operations_per_syscall": 32.0, "depth_mean": 127.5},
        "limited_by": "generator"
    }"#;

    #[test]
    fn drivelab_s_kinds_are_added_and_its_engine_is_read() {
        let reading = Reading::parse(Who::Drivelab, DRIVELAB).expect("a reading");
        assert_eq!(reading.figure(Figure::Iops).expect("iops"), 10_000_000.5);
        assert_eq!(reading.figure(Figure::UserNs).expect("user time"), 31.5);
        assert_eq!(reading.limited_by.as_deref(), Some("generator"));
        assert_eq!((reading.per_syscall, reading.depth), (Some(32.0), Some(127.5)));
    }

    #[test]
    fn a_trace_is_held_against_the_result_of_the_same_run() {
        let one_kind = r#"{"operations": {"write": {"count": 4, "iops": 1.0, "errors": 0,
            "latency_ns": {"p50": 200, "p90": 400, "p99": 404, "p999": 400}}}, "engine": {}}"#;
        let lines = "intended_ns\tsubmit_ns\tlatency_ns\n10\t11\t100\n20\t22\t300\n30\t37\t200\n40\t41\t400\n";
        let trace = |text: &str| Trace::parse(text.lines().map(|line| Ok(line.to_owned()))).expect("a trace");
        let parse = || Reading::parse(Who::Drivelab, one_kind).expect("a reading");
        let reading = parse().with_trace(&trace(lines)).expect("a reading");
        assert!((reading.figure(Figure::PercentileError).expect("an error") - 0.01).abs() < 1e-12);
        assert_eq!(reading.figure(Figure::ArrivalVariation).expect("a variation"), 0.0);
        let fewer = lines.replace("10\t11\t100\n", "");
        assert!(parse().with_trace(&trace(&fewer)).expect_err("fewer").to_string().contains("3 operations"));
        assert!(parse().figure(Figure::ArrivalVariation).is_err(), "without a trace");
    }

    #[test]
    fn a_run_with_errors_has_no_figure() {
        let failed = DRIVELAB.replace("\"errors\": 0", "\"errors\": 3");
        let error = Reading::parse(Who::Drivelab, &failed).expect_err("errors");
        assert!(error.to_string().contains("read: operations ended in errors: 3"), "{error}");
        assert!(Reading::parse(Who::Drivelab, "{}").is_err());
        assert!(Reading::parse(Who::Drivelab, r#"{"operations": {}}"#).is_err());
    }

    #[test]
    fn fio_is_read_behind_its_remarks() {
        let printed = r#"note: both iodepth >= 1 and synchronous I/O engine are selected
            {"jobs": [{"error": 0, "usr_cpu": 40.0,
              "read": {"iops": 0.0, "total_ios": 0, "runtime": 0},
              "write": {"iops": 1726448.5, "total_ios": 4000000, "runtime": 2000}}]}"#;
        let reading = Reading::parse(Who::Fio, printed).expect("a reading");
        assert_eq!(reading.iops, 1_726_448.5);
        assert_eq!(reading.user_ns, Some(200.0));
        let failed = printed.replace("\"error\": 0", "\"error\": 5");
        assert!(Reading::parse(Who::Fio, &failed).is_err());
        assert!(Reading::parse(Who::Fio, "fio: file not found").is_err());
    }

    #[test]
    fn t_io_uring_s_seconds_are_averaged() {
        let printed = "submitter=0, tid=1, file=f, nfiles=1, node=-1\nEngine=io_uring, sq_ring=128, cq_ring=128\n\
            IOPS=16.00M, IOS/call=32/32\nIOPS=999.00K, IOS/call=32/32\nIOPS=1000, IOS/call=32/32\n\
            Exiting on timeout\nMaximum IOPS=16.00M\n";
        let reading = Reading::parse(Who::TIoUring, printed).expect("a reading");
        assert_eq!(reading.iops, (16e6 + 999e3 + 1e3) / 3.0);
        assert!(reading.figure(Figure::UserNs).is_err());
        assert!(Reading::parse(Who::TIoUring, "io: unexpected ret=-22\nIOPS=1.00M, x\n").is_err());
        assert!(Reading::parse(Who::TIoUring, "No files specified\n").is_err());
    }
}
