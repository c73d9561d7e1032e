//! How long a load takes until it is as fast again as it was before another load. docs/metrics.md states the rule.

use drivelab_core::finding::Finding;
use drivelab_core::finding::Severity;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::{Form, Step, StepRole, TestPlan};
use drivelab_core::record::{IntervalRecord, StepRecord};
use drivelab_core::run::RunRecords;

use crate::evidence::{Words, evidence, in_both_units};
use crate::topics::heat::throttle::Slice;
use crate::topics::rounds::used_rounds;

/// Rates are means over a minute.
const MINUTE_S: f64 = 60.0;
/// The least number of parts of a step: a short step has shorter parts.
const LEAST_PARTS: f64 = 10.0;

/// When the rate was first reached: the start of the first part that is as fast, in seconds since the start of the
/// first slice; `None` if no part is.
pub(crate) fn reached_after(slices: &[Slice], rate: f64) -> Option<f64> {
    let begin = slices.first()?.from_s;
    let total = slices.last().map(|last| last.from_s + last.seconds - begin)?;
    let part = (total / LEAST_PARTS).min(MINUTE_S);
    let number = |slice: &Slice| ((slice.from_s - begin) / part + 1e-9).floor();
    let as_fast = |part: &&[Slice]| {
        let seconds: f64 = part.iter().map(|slice| slice.seconds).sum();
        seconds > 0.0 && part.iter().map(|slice| slice.bytes).sum::<f64>() >= rate * seconds
    };
    let first = slices.chunk_by(|a, b| number(a) == number(b)).find(as_fast)?;
    first.first().map(|slice| slice.from_s - begin)
}

/// The finding of every test that has to recover to the rate of an earlier test.
pub(crate) fn findings(records: &RunRecords) -> Vec<Finding> {
    if records.plan.form == Form::Smoke {
        return Vec::new();
    }
    let tests = || records.plan.tests.iter();
    let pair = |test: &'_ TestPlan| {
        let before = test.recovers_to.as_ref()?;
        let before = tests().find(|other| other.name == *before)?;
        let (step, measure) = (measured(test)?, measured(before)?);
        let rate = mean_rate(used_rounds(records, before, measure).first()?)?;
        let record = *used_rounds(records, test, step).first()?;
        let slices: Vec<Slice> =
            records.intervals.iter().filter(|one| one.key == record.key && !one.ramp).map(slice).collect();
        slices.first()?;
        Some(recovered(&test.title, step, rate, reached_after(&slices, rate)))
    };
    tests().filter_map(pair).collect()
}

fn measured(test: &TestPlan) -> Option<&Step> {
    test.steps.iter().find(|step| step.role == StepRole::Measure)
}

/// Bytes per second of the measured part.
fn mean_rate(record: &StepRecord) -> Option<f64> {
    let seconds = record.elapsed().as_secs_f64();
    (seconds > 0.0).then(|| (record.read.bytes.as_f64() + record.write.bytes.as_f64()) / seconds)
}

fn slice(interval: &IntervalRecord) -> Slice {
    Slice {
        from_s: interval.start_ns as f64 / 1e9,
        seconds: interval.end_ns.saturating_sub(interval.start_ns) as f64 / 1e9,
        bytes: interval.read.bytes.as_f64() + interval.write.bytes.as_f64(),
    }
}

/// How long a load took until it was as fast as before another load: the step, the mean rate before in bytes per
/// second, and the seconds, `None` if it never was.
pub(super) fn recovered(title: &str, step: &Step, before: f64, seconds: Option<f64>) -> Finding {
    let statement = match seconds {
        Some(0.0) => format!("'{title}': '{}' recovered immediately, to {}.", step.label, in_both_units(before)),
        Some(seconds) => {
            let minutes = seconds / 60.0;
            format!("'{title}': '{}' recovered after {minutes:.1} min, to {}.", step.label, in_both_units(before))
        }
        None => {
            format!("'{title}': '{}' did not recover to its earlier rate of {}.", step.label, in_both_units(before))
        }
    };
    let words = Words {
        code: if seconds.is_some() { "load_recovered" } else { "load_not_recovered" },
        severity: Severity::Note,
        statement,
        cause: "The writes in between left the drive with work to do.",
        action: "",
    };
    let mut found = vec![evidence("mean rate before", before / 1e6, None, "MB/s")];
    found.extend(seconds.map(|seconds| evidence("time until it was reached again", seconds / 60.0, None, "min")));
    words.finding(vec![StepKey { step: step.id.clone(), round: 1 }], found)
}

#[cfg(test)]
mod tests {
    //! Courses computed by hand.

    use drivelab_samples::sample_run;

    use super::*;
    use crate::analyse;

    /// Seconds at these rates, from a time on that is not 0.
    fn course(parts: &[(usize, f64)]) -> Vec<Slice> {
        let rates = parts.iter().flat_map(|(seconds, rate)| std::iter::repeat_n(*rate, *seconds));
        rates.enumerate().map(|(at, rate)| Slice { from_s: 500.0 + at as f64, seconds: 1.0, bytes: rate }).collect()
    }

    #[test]
    fn a_load_has_recovered_with_the_first_minute_that_is_as_fast() {
        // Twenty minutes: the fifth has 30 s at 100 and 30 s at 50, the sixth is whole.
        let slow_then_fast = course(&[(270, 50.0), (930, 100.0)]);
        assert_eq!(reached_after(&slow_then_fast, 100.0), Some(300.0));
        assert_eq!(reached_after(&slow_then_fast, 75.0), Some(240.0), "a mean of the minute");
        assert_eq!(reached_after(&slow_then_fast, 50.0), Some(0.0));
        assert_eq!(reached_after(&slow_then_fast, 101.0), None);
    }

    #[test]
    fn a_short_step_is_cut_into_tenths() {
        assert_eq!(reached_after(&course(&[(13, 50.0), (7, 100.0)]), 100.0), Some(14.0));
        assert_eq!(reached_after(&[], 1.0), None);
    }

    #[test]
    fn a_test_that_names_an_earlier_one_says_whether_it_came_back() {
        let mut run = sample_run();
        let code = |run: &RunRecords| {
            let findings = analyse(run).findings.into_iter();
            findings.map(|one| one.code).find(|code| code.starts_with("load_"))
        };
        assert_eq!(code(&run), None);
        let name = |run: &mut RunRecords, before: &str| {
            let test = run.plan.tests.iter_mut().find(|test| test.name == "mixes").expect("the mixes");
            test.recovers_to = Some(before.to_owned());
        };
        // The first of the mixes reads 4 KiB blocks at random; the first of the corners reads 1 MiB blocks in sequence
        // and is faster.
        name(&mut run, "corners");
        assert_eq!(code(&run).as_deref(), Some("load_not_recovered"));
        // A ramp that is faster than all is in no figure.
        let mut ramped = run.clone();
        let first = ramped.intervals.iter().position(|one| one.key.step.as_str().starts_with("mixes/")).expect("one");
        let mut ramp = ramped.intervals[first].clone();
        (ramp.ramp, ramp.read.bytes) = (true, drivelab_core::units::Bytes::new(1 << 50));
        ramped.intervals.insert(first, ramp);
        assert_eq!(code(&ramped).as_deref(), Some("load_not_recovered"));
        name(&mut run, "mixes");
        assert_eq!(code(&run).as_deref(), Some("load_recovered"), "it is as fast as itself somewhere");
        run.plan.form = Form::Smoke;
        assert_eq!(code(&run), None, "moments say nothing");
    }
}
