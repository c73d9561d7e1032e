//! Dips in a sweep over block size, and how much faster a drive reads data that it need not fetch.
//!
//! Throughput at one block size should not be lower than at both a smaller and a larger size. If it is, the drive or
//! the driver handles that size in a special way. Pure arithmetic on the throughput of a test's steps.

use drivelab_core::finding::Finding;
use drivelab_core::finding::Severity;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::{AxisValue, Form, Step, StepRole, TestPlan, Tracked};
use drivelab_core::run::RunRecords;

use crate::evidence::{Words, evidence, in_both_units};
use crate::stats;
use crate::steady::tracked_value;
use crate::topics::rounds::used_rounds;

/// How far a point must lie below the best before it and the best after it, as a share of the lower of the two: twice
/// the usual difference between rounds of one load.
pub(crate) const DIP_SHARE: f64 = 0.10;
/// The axis that a sweep runs over.
const SIZE: &str = "block_size";
/// The data state that the others are compared with.
const INCOMPRESSIBLE: &str = "incompressible";
/// The states in which a drive need not fetch the requested data from its media.
const NOT_FETCHED: [&str; 3] = ["zero", "deallocated", "never-written"];

/// A point of a sweep that is lower than it should be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Dip {
    /// Its position, from 0.
    pub at: usize,
    /// The lower of the best before it and the best after it: the least that it would reach without the dip.
    pub expected: f64,
}

/// The dips of a sweep: points that lie more than [`DIP_SHARE`] below the best before them and below the best after
/// them. The first and the last point are never dips: a rate that falls towards the end shows a limit.
pub(crate) fn dips(rates: &[f64]) -> Vec<Dip> {
    let best = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
    let one = |at: usize| {
        let expected = best(rates.get(..at)?).min(best(rates.get(at + 1..)?));
        (*rates.get(at)? < (1.0 - DIP_SHARE) * expected).then_some(Dip { at, expected })
    };
    (0..rates.len()).filter_map(one).collect()
}

/// A step with its throughput in bytes per second: the mean of its rounds.
struct Point<'a> {
    step: &'a Step,
    rate: f64,
}

fn points<'a>(records: &'a RunRecords, test: &'a TestPlan) -> Vec<Point<'a>> {
    // The rate of a load with a requested rate shows nothing about the drive.
    let free = |step: &&Step| {
        step.relative.is_none()
            && step.workload().is_none_or(|load| load.groups().all(|group| group.pace.rate.is_none()))
    };
    let measured = test.steps.iter().filter(|step| step.role == StepRole::Measure).filter(free);
    let point = |step: &'a Step| {
        let rates: Vec<f64> =
            used_rounds(records, test, step).iter().map(|record| tracked_value(record, Tracked::Throughput)).collect();
        Some(Point { step, rate: stats::mean(&rates)? })
    };
    measured.filter_map(point).collect()
}

fn axis<'a>(step: &'a Step, name: &str) -> Option<&'a str> {
    step.axes.iter().find(|axis| axis.axis == name).map(|axis| axis.value.as_str())
}

/// The findings of a run: dips in its sweeps, and reads of data that need not be fetched.
pub(crate) fn findings(records: &RunRecords) -> Vec<Finding> {
    let mut found = Vec::new();
    if records.plan.form == Form::Smoke {
        return found;
    }
    for test in &records.plan.tests {
        let points = points(records, test);
        found.extend(swept(&points).iter().filter_map(|sweep| of_sweep(test, sweep)));
        found.extend(of_states(test, &points));
    }
    found
}

/// The points of a test, grouped by everything except the block size, each group by rising size.
fn swept<'a, 'p>(points: &'p [Point<'a>]) -> Vec<Vec<&'p Point<'a>>> {
    let others = |point: &Point<'a>| -> Vec<AxisValue> {
        point.step.axes.iter().filter(|axis| axis.axis != SIZE).cloned().collect()
    };
    let mut sweeps: Vec<Vec<&Point<'a>>> = Vec::new();
    for point in points.iter().filter(|point| axis(point.step, SIZE).is_some()) {
        match sweeps.iter_mut().find(|sweep| sweep.first().is_some_and(|first| others(first) == others(point))) {
            Some(sweep) => sweep.push(point),
            None => sweeps.push(vec![point]),
        }
    }
    for sweep in &mut sweeps {
        sweep.sort_by_key(|point| point.step.workload().map(|load| load.block_size));
    }
    sweeps
}

fn of_sweep(test: &TestPlan, sweep: &[&Point<'_>]) -> Option<Finding> {
    let rates: Vec<f64> = sweep.iter().map(|point| point.rate).collect();
    let found = dips(&rates);
    let named: Vec<(&Step, f64, f64)> =
        found.iter().filter_map(|dip| sweep.get(dip.at).map(|point| (point.step, point.rate, dip.expected))).collect();
    (!named.is_empty()).then(|| said_of_dips(&test.title, &named))
}

fn of_states(test: &TestPlan, points: &[Point<'_>]) -> Option<Finding> {
    let of = |case: &str| points.iter().find(|point| axis(point.step, "case") == Some(case));
    let fetched = of(INCOMPRESSIBLE).filter(|point| point.rate > 0.0)?;
    let others: Vec<(&str, &Step, f64)> = NOT_FETCHED
        .iter()
        .filter_map(|case| of(case).map(|point| (*case, point.step, point.rate / fetched.rate)))
        .collect();
    (!others.is_empty()).then(|| said_of_states(&test.title, fetched.step, fetched.rate, &others))
}

/// Block sizes at which a sweep is slower than at smaller and at larger ones. Each has the step, its rate and the rate
/// that it would reach without the dip, in bytes per second.
pub(super) fn said_of_dips(title: &str, dips: &[(&Step, f64, f64)]) -> Finding {
    let named = dips.iter().map(|(step, found, expected)| {
        format!("'{}' reached {} instead of at least {}", step.label, in_both_units(*found), in_both_units(*expected))
    });
    let words = Words {
        code: "sweep_dip",
        severity: Severity::Note,
        statement: format!(
            "'{title}' has {}: the rate is lower than with smaller and with larger blocks. {}.",
            crate::evidence::plural(dips.len(), "dip"),
            named.collect::<Vec<String>>().join("; ")
        ),
        cause: "The drive or the kernel splits or maps operations of this size differently.",
        action: "Measure this size again, and compare it with another drive on the same host.",
    };
    let key = |step: &Step| StepKey { step: step.id.clone(), round: 1 };
    let evidence = dips.iter().map(|(step, found, expected)| {
        evidence(&format!("{} (limit: without the dip)", step.label), found / 1e6, Some(expected / 1e6), "MB/s")
    });
    words.finding(dips.iter().map(|(step, ..)| key(step)).collect(), evidence.collect())
}

/// How much faster reads are that need not be fetched, compared with those of incompressible data at `fetched` bytes a
/// second.
pub(super) fn said_of_states(title: &str, of: &Step, fetched: f64, others: &[(&str, &Step, f64)]) -> Finding {
    let faster = others.iter().map(|(case, _, ratio)| format!("{case} at {ratio:.2} times that rate"));
    let words = Words {
        code: "data_states",
        severity: Severity::Note,
        statement: format!(
            "'{title}': incompressible data is read at {}, {}.",
            in_both_units(fetched),
            faster.collect::<Vec<String>>().join(", ")
        ),
        cause: "If a rate is higher, the drive answers such reads from its tables, or compresses what it stores.",
        action: "Compare reads of this drive with those of other drives only on incompressible data.",
    };
    let key = |step: &Step| StepKey { step: step.id.clone(), round: 1 };
    let keys = std::iter::once(of).chain(others.iter().map(|(_, step, _)| *step)).map(key).collect();
    let ratios =
        others.iter().map(|(case, _, ratio)| evidence(&format!("{case} / incompressible"), *ratio, None, "times"));
    words.finding(keys, ratios.collect())
}

#[cfg(test)]
mod tests {
    use drivelab_core::load::Rate;
    use drivelab_core::plan::Action;
    use drivelab_core::units::Bytes;
    use drivelab_samples::sample_run;

    use super::*;

    /// Four block sizes, the third of which is slower than its neighbours.
    fn sweep(rate: Option<Rate>) -> Vec<Finding> {
        let mut run = sample_run();
        let test = run.plan.tests.iter_mut().find(|test| test.name == "depths").expect("a test");
        test.steps.truncate(4);
        for (at, step) in test.steps.iter_mut().enumerate() {
            step.axes = vec![AxisValue { axis: SIZE.to_owned(), value: format!("{} KiB", 4 << at) }];
            let Action::Io { workload, .. } = &mut step.action else { continue };
            workload.block_size = Bytes::new(4096 << at);
            workload.pace.rate = rate;
            for record in run.steps.iter_mut().filter(|record| record.key.step == step.id) {
                let bytes = if at == 2 { 1e6 } else { (at + 2) as f64 * 1e6 };
                record.read.bytes = Bytes::new((bytes * record.elapsed().as_secs_f64()) as u64);
                record.write.bytes = Bytes::new(0);
            }
        }
        findings(&run)
    }

    #[test]
    fn a_load_at_a_rate_that_was_asked_for_has_no_dips() {
        assert_eq!(sweep(None).len(), 1);
        assert_eq!(sweep(Some(Rate { per_1000_s: 1, arrivals: Default::default() })), []);
    }

    fn at(rates: &[f64]) -> Vec<usize> {
        dips(rates).iter().map(|dip| dip.at).collect()
    }

    #[test]
    fn a_point_below_both_sides_is_a_dip_and_a_limit_is_none() {
        // 90 is not more than a tenth below 100; 89 is.
        assert_eq!(at(&[50.0, 100.0, 90.0, 200.0]), Vec::<usize>::new());
        assert_eq!(dips(&[50.0, 100.0, 89.0, 200.0]), [Dip { at: 2, expected: 100.0 }]);
        // Two sizes in a row, and the lower side counts.
        assert_eq!(dips(&[100.0, 60.0, 70.0, 90.0]).len(), 2);
        assert_eq!(dips(&[100.0, 60.0, 70.0, 90.0])[0].expected, 90.0);
        // A rate that falls to the end, one that only rises, and one without sides.
        assert_eq!(at(&[100.0, 90.0, 40.0, 30.0]), Vec::<usize>::new());
        assert_eq!(at(&[1.0, 2.0, 3.0]), Vec::<usize>::new());
        assert_eq!((at(&[]), at(&[1.0])), (Vec::new(), Vec::new()));
    }
}
