//! Findings about the state of the target: what others wrote to it, and what a test needs and does not find.

use drivelab_core::drive_state::HostCounters;
use drivelab_core::event::Steadiness;
use drivelab_core::finding::{Finding, Severity};
use drivelab_core::ids::StepKey;
use drivelab_core::plan::Step;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Span;

use super::{Words, evidence};
use crate::demand::{MAX_LATENCY_NS, Point};
use crate::steady::{MAX_RANGE_PERCENT, MAX_SLOPE_PERCENT};

/// Somebody else wrote to the target: while the run went on, or before it, since the run that is named.
#[must_use]
pub fn foreign_writes(foreign: HostCounters, since: Option<&str>) -> Finding {
    let when = since.map_or_else(|| "while this run went on".to_owned(), |run| format!("since run {run} left it"));
    let words = Words {
        code: "foreign_writes",
        severity: if since.is_some() { Severity::Note } else { Severity::Warning },
        statement: format!(
            "Something other than drivelab wrote to the target {when}: {} written and {} discarded by the kernel's \
             counters. What was known of its state does not hold any more.",
            foreign.written, foreign.discarded
        ),
        cause: "Another program had the device open, or a file system on it was mounted.",
        action: if since.is_some() {
            "Nothing, where the methodology prepares the target itself; preparation is not left out."
        } else {
            "Find the other program (`lsof`, `fuser`), and measure again."
        },
    };
    words.about_run(vec![
        evidence("written by others", foreign.written.as_f64(), Some(0.0), "B"),
        evidence("discarded by others", foreign.discarded.as_f64(), Some(0.0), "B"),
    ])
}

/// A test begins on a target that is not in the state that it asks for.
#[must_use]
pub fn state_unmet(title: &str, first: StepKey, unmet: &[String]) -> Finding {
    let words = Words {
        code: "state_unmet",
        severity: Severity::Warning,
        statement: format!("'{title}' began on a target in another state than it asks for: {}.", unmet.join("; ")),
        cause: "The preparation leaves another state, what was done to the target before is not on record, or nothing \
                here watches what the test needs.",
        action: "Prepare the target as the methodology says (`drivelab wipe`, then the preparation), let what is missing \
                 be watched, and measure again.",
    };
    words.finding(vec![first], Vec::new())
}

/// Code of [`not_emptied`].
pub(crate) const NOT_EMPTIED: &str = "not_emptied";

/// Steps of a resumed run that meet what the step left that was cut off, since nothing empties the target before them.
#[must_use]
pub fn not_emptied(cut_off: &str, keys: Vec<StepKey>) -> Finding {
    let words = Words {
        code: NOT_EMPTIED,
        severity: Severity::Void,
        statement: format!(
            "The steps after the interruption found what '{cut_off}' had already written to the target. In an \
             uninterrupted run they would not, so their rates and latencies are void."
        ),
        cause: "The methodology neither discards nor fills the whole target before these steps, so drivelab could not \
                restore its state.",
        action: "Discard the target (`drivelab wipe`) and start a new run.",
    };
    words.finding(keys, Vec::new())
}

/// Codes of [`prepared_flat`]: whether it was.
const FLAT: &str = "prepared_flat";
const NOT_FLAT: &str = "not_prepared_flat";

/// Whether both findings judge the same preparation, which was repeated then.
pub(crate) fn judge_one_preparation(one: &Finding, other: &Finding) -> bool {
    let judges = |finding: &Finding| finding.code == FLAT || finding.code == NOT_FLAT;
    let step = |finding: &Finding| finding.steps.first().map(|key| key.step.clone());
    judges(one) && judges(other) && step(one) == step(other)
}

/// A preparation that was to go on until its speed was flat: how far it went, and whether it was. `share` of the span
/// holds data after it, where that is known. `key` is its last execution, which tells it from other preparations.
#[must_use]
pub fn prepared_flat(key: StepKey, verdict: &Steadiness, written: Bytes, span: Span, share: Option<f64>) -> Finding {
    let Steadiness { test, reached, last_round, range_percent, slope_percent, .. } = verdict;
    let passes = if span.length.get() == 0 { 0.0 } else { written.as_f64() / span.length.as_f64() };
    let far = format!("{last_round} slices ({written}, {passes:.1} times its span of {})", span.length);
    let words = Words {
        code: if *reached { FLAT } else { NOT_FLAT },
        severity: if *reached { Severity::Note } else { Severity::Warning },
        statement: if *reached {
            format!("The speed of '{test}' was flat after {far}.")
        } else {
            format!("The speed of '{test}' was not flat after {far}, and it was given up.")
        },
        cause: if *reached { "" } else { "The drive was still changing, or something else used it." },
        action: if *reached {
            ""
        } else {
            "Allow more with `at_most`, or read the figures as those of a drive that still changes."
        },
    };
    let mut found = vec![
        evidence("range / mean of the last five slices", *range_percent, Some(MAX_RANGE_PERCENT), "%"),
        evidence("slope / mean of the last five slices", *slope_percent, Some(MAX_SLOPE_PERCENT), "%"),
        evidence("written", written.as_f64(), None, "B"),
    ];
    found.extend(share.map(|share| evidence("part of the span that holds data, at least", 100.0 * share, None, "%")));
    words.finding(vec![key], found)
}

/// A rate in bytes per second, in both units: as this program shows it and as other programs call it too.
fn rate(bytes_per_second: f64) -> String {
    format!("{:.1} MB/s ({:.1} MiB/s)", bytes_per_second / 1e6, bytes_per_second / 1_048_576.0)
}

/// Block sizes at which a sweep is slower than at smaller and at larger ones; with the step, its rate and what it would
/// reach without the dip, in bytes per second.
pub(crate) fn dips(title: &str, dips: &[(&Step, f64, f64)]) -> Finding {
    let named = dips.iter().map(|(step, found, expected)| {
        format!("'{}' with {} instead of at least {}", step.label, rate(*found), rate(*expected))
    });
    let words = Words {
        code: "sweep_dip",
        severity: Severity::Note,
        statement: format!(
            "'{title}' has {}: slower than a smaller and a larger block. {}.",
            super::plural(dips.len(), "dip"),
            named.collect::<Vec<String>>().join("; ")
        ),
        cause: "The drive or the kernel splits or maps operations of this size in another way.",
        action: "Measure this size again, and compare it with another drive on the same host.",
    };
    let key = |step: &Step| StepKey { step: step.id.clone(), round: 1 };
    let evidence = dips.iter().map(|(step, found, expected)| {
        evidence(&format!("{} (limit: without the dip)", step.label), found / 1e6, Some(expected / 1e6), "MB/s")
    });
    words.finding(dips.iter().map(|(step, ..)| key(step)).collect(), evidence.collect())
}

/// How long a load took until it was as fast as before another one: the step, the mean rate before in bytes per second,
/// and seconds, `None` where it never was.
pub(crate) fn recovered(title: &str, step: &Step, before: f64, seconds: Option<f64>) -> Finding {
    let statement = match seconds {
        Some(0.0) => format!("'{title}': '{}' was as fast as before at once ({}).", step.label, rate(before)),
        Some(seconds) => {
            let minutes = seconds / 60.0;
            format!("'{title}': '{}' was as fast as before ({}) after {minutes:.1} min.", step.label, rate(before))
        }
        None => format!("'{title}': '{}' was not as fast as before ({}) to its end.", step.label, rate(before)),
    };
    let words = Words {
        code: if seconds.is_some() { "load_recovered" } else { "load_not_recovered" },
        severity: Severity::Note,
        statement,
        cause: "What was written in between has left the drive with work to do.",
        action: "",
    };
    let mut found = vec![evidence("mean rate before", before / 1e6, None, "MB/s")];
    found.extend(seconds.map(|seconds| evidence("time until it was reached again", seconds / 60.0, None, "min")));
    words.finding(vec![StepKey { step: step.id.clone(), round: 1 }], found)
}

/// The points MAX, MID and MIN of a table of threads by queue depth, in this order; `None` where no cell is below the
/// latency that MAX stays below.
pub(crate) fn demand_points(title: &str, points: Option<[(&Step, Point); 3]>) -> Finding {
    let names = ["MAX", "MID", "MIN"];
    let limit = MAX_LATENCY_NS / 1e6;
    let statement = match &points {
        Some(points) => {
            let one = |(name, (step, point)): (&str, &(&Step, Point))| {
                format!("{name} is '{}' ({:.0} IOPS, {:.2} ms)", step.label, point.iops, point.latency_ns / 1e6)
            };
            let all: Vec<String> = names.into_iter().zip(points).map(one).collect();
            format!("'{title}': {}.", all.join(", "))
        }
        None => format!("'{title}': no number of threads and queue depth has a mean latency below {limit} ms."),
    };
    let words = Words {
        code: "demand_points",
        severity: Severity::Note,
        statement,
        cause: "MAX is the highest rate with a mean latency below 5 ms, MIN has the fewest operations in flight, MID is \
                nearest to the middle of both rates.",
        action: "Where response times were taken at other points, set `threads` and `queue_depth` of those tests to these \
                 in a methodology of your own (`drivelab methods new NAME --from METHOD`).",
    };
    let points: Vec<(&Step, Point)> = points.into_iter().flatten().collect();
    let key = |(step, _): &(&Step, Point)| StepKey { step: step.id.clone(), round: 1 };
    let latency = |(name, (_, point)): (&str, &(&Step, Point))| {
        evidence(&format!("{name}, mean latency"), point.latency_ns / 1e6, (name == "MAX").then_some(limit), "ms")
    };
    words.finding(points.iter().map(key).collect(), names.into_iter().zip(&points).map(latency).collect())
}

/// How much faster what need not be fetched is read than incompressible data; those are read at `fetched` bytes a
/// second.
pub(crate) fn data_states(title: &str, of: &Step, fetched: f64, others: &[(&str, &Step, f64)]) -> Finding {
    let faster = others.iter().map(|(case, _, ratio)| format!("{case} {ratio:.2} times"));
    let words = Words {
        code: "data_states",
        severity: Severity::Note,
        statement: format!(
            "'{title}': incompressible data are read at {}, and by comparison {}.",
            rate(fetched),
            faster.collect::<Vec<String>>().join(", ")
        ),
        cause: "Where it is more than once, the drive answers such reads from its tables, or compresses what it stores.",
        action: "Compare reads of this drive with others only on incompressible data.",
    };
    let key = |step: &Step| StepKey { step: step.id.clone(), round: 1 };
    let keys = std::iter::once(of).chain(others.iter().map(|(_, step, _)| *step)).map(key).collect();
    let ratios =
        others.iter().map(|(case, _, ratio)| evidence(&format!("{case} / incompressible"), *ratio, None, "times"));
    words.finding(keys, ratios.collect())
}

#[cfg(test)]
mod tests {
    use drivelab_core::ids::StepId;
    use drivelab_core::units::Bytes;

    use super::*;

    #[test]
    fn writes_of_others_are_graver_in_a_run_than_before_it() {
        let foreign = HostCounters { written: Bytes::new(4096), discarded: Bytes::new(0) };
        let (during, before) = (foreign_writes(foreign, None), foreign_writes(foreign, Some("r-1")));
        assert_eq!((during.severity, before.severity), (Severity::Warning, Severity::Note));
        assert!(before.statement.contains("since run r-1") && during.statement.contains("4 KiB written"));
        let key = StepKey { step: StepId::new("sweep", "x"), round: 1 };
        let unmet = state_unmet("Sweep", key.clone(), &["one thing".to_owned(), "another".to_owned()]);
        assert!(unmet.statement.contains("asks for: one thing; another."), "{}", unmet.statement);
        assert_eq!(unmet.steps, [key]);
    }
}
