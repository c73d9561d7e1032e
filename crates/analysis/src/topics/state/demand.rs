//! MAX, MID and MIN: the points of a table of threads by queue depth at which response times should be measured.
//!
//! Source of the rule: ADATA's fork of cloudharmony/block-storage (2018), BlockStorageTestDirth.php, after the SNIA
//! PTS.

use drivelab_core::finding::Finding;
use drivelab_core::finding::Severity;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::{Form, Grid, Step, TestPlan, Tracked};
use drivelab_core::run::RunRecords;

use crate::evidence::{Words, evidence};
use crate::stats;
use crate::steady::tracked_value;
use crate::topics::rounds::used_rounds;

/// The mean latency of MAX is below this, in nanoseconds.
pub(crate) const MAX_LATENCY_NS: f64 = 5e6;
/// The two parameters of the table.
const AXES: [&str; 2] = ["queue_depth", "threads"];

/// A cell of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    /// Operations per second.
    pub(crate) iops: f64,
    /// Mean latency in nanoseconds.
    pub(crate) latency_ns: f64,
    /// Operations in flight, of all threads.
    pub(crate) in_flight: u32,
}

/// Positions of MAX (the highest rate with a mean latency below [`MAX_LATENCY_NS`]), MID (the rate nearest to the mean
/// of the rates of MAX and MIN) and MIN (the fewest operations in flight); `None` if no cell has a low enough latency
/// for MAX.
pub(crate) fn points(cells: &[Point]) -> Option<[usize; 3]> {
    let places = || cells.iter().enumerate();
    let fast = places().filter(|(_, cell)| cell.latency_ns < MAX_LATENCY_NS && cell.iops > 0.0);
    let (max, highest) = fast.max_by(|(_, a), (_, b)| a.iops.total_cmp(&b.iops))?;
    let (min, lowest) = places().min_by_key(|(_, cell)| cell.in_flight)?;
    let middle = f64::midpoint(highest.iops, lowest.iops);
    let apart = |cell: &Point| (cell.iops - middle).abs();
    let (mid, _) = places().min_by(|(_, a), (_, b)| apart(a).total_cmp(&apart(b)))?;
    Some([max, mid, min])
}

/// The finding of every test with a table of threads by queue depth.
pub(crate) fn findings(records: &RunRecords) -> Vec<Finding> {
    if records.plan.form == Form::Smoke {
        return Vec::new();
    }
    records.plan.tests.iter().filter_map(|test| of_test(records, test)).collect()
}

fn of_test(records: &RunRecords, test: &TestPlan) -> Option<Finding> {
    let of_these = |grid: &Grid<'_>| AXES.contains(&grid.rows.0) && AXES.contains(&grid.columns.0);
    let grid = test.grid().filter(of_these)?;
    let steps: Vec<&Step> = grid.steps().collect();
    let cell = |step: &&Step| {
        let rounds = used_rounds(records, test, step);
        let mean = |tracked| stats::mean(&rounds.iter().map(|one| tracked_value(one, tracked)).collect::<Vec<_>>());
        let load = step.workload()?;
        Some(Point {
            iops: mean(Tracked::Iops)?,
            latency_ns: mean(Tracked::LatencyMean)?,
            in_flight: load.threads.get().saturating_mul(load.queue_depth.get()),
        })
    };
    // A cell that did not run could be any of the three.
    let cells = steps.iter().map(cell).collect::<Option<Vec<Point>>>()?;
    let named = points(&cells).map(|places| places.map(|at| (steps[at], cells[at])));
    Some(demand_points(&test.title, named))
}

/// Names the points MAX, MID and MIN of a table of threads by queue depth, given in this order; `None` if no cell has a
/// latency below [`MAX_LATENCY_NS`].
pub(super) fn demand_points(title: &str, points: Option<[(&Step, Point); 3]>) -> Finding {
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
        None => {
            format!("'{title}': the mean latency is never below {limit} ms, at any queue depth and number of threads.")
        }
    };
    let words = Words {
        code: "demand_points",
        severity: Severity::Note,
        statement,
        cause: "MAX is the highest rate with a mean latency below 5 ms. MIN has the fewest operations in flight. MID is \
                nearest to the mean of these two rates.",
        action: "If response times were measured at other points, set `threads` and `queue_depth` of those tests to \
                 these values in a methodology of your own (`drivelab methods new NAME --from METHOD`).",
    };
    let points: Vec<(&Step, Point)> = points.into_iter().flatten().collect();
    let key = |(step, _): &(&Step, Point)| StepKey { step: step.id.clone(), round: 1 };
    let latency = |(name, (_, point)): (&str, &(&Step, Point))| {
        evidence(&format!("{name}, mean latency"), point.latency_ns / 1e6, (name == "MAX").then_some(limit), "ms")
    };
    words.finding(points.iter().map(key).collect(), names.into_iter().zip(&points).map(latency).collect())
}

#[cfg(test)]
mod tests {
    //! Tables computed by hand.

    use drivelab_core::plan::{Action, AxisValue};
    use drivelab_core::units::{QueueDepth, Threads};
    use drivelab_samples::sample_run;

    use super::*;

    #[test]
    fn max_is_the_fastest_below_five_milliseconds_and_mid_the_nearest_to_the_middle() {
        let cell = |iops: f64, ms: f64, in_flight| Point { iops, latency_ns: ms * 1e6, in_flight };
        let cells =
            [cell(90e3, 6.0, 512), cell(80e3, 4.9, 256), cell(50e3, 1.0, 64), cell(44e3, 0.7, 32), cell(10e3, 0.1, 1)];
        // (80,000 + 10,000) / 2 = 45,000.
        assert_eq!(points(&cells), Some([1, 3, 4]));
        assert_eq!(points(&[cell(90e3, 5.0, 512), cell(1e3, 5.0, 1)]), None, "5 ms is not below 5 ms");
        assert_eq!(points(&[]), None);
    }

    #[test]
    fn a_test_with_a_cell_for_each_pair_names_them_and_others_do_not() {
        let mut run = sample_run();
        let found = |run: &RunRecords| findings(run).iter().map(|one| one.code.to_string()).collect::<Vec<String>>();
        assert_eq!(found(&run), Vec::<String>::new());
        let test = run.plan.tests.iter_mut().find(|test| test.name == "depths").expect("a test");
        let first = test.steps[0].clone();
        let record = run.steps.iter().find(|record| record.key.step == first.id).expect("it ran").clone();
        test.steps.clear();
        for (threads, depth) in (0..9).map(|at| (1 << (at / 3), 1 << (at % 3))) {
            let mut step = first.clone();
            step.id = drivelab_core::ids::StepId::new("depths", &format!("q{depth}t{threads}"));
            let value = |axis: &str, value: u32| AxisValue { axis: axis.to_owned(), value: value.to_string() };
            step.axes = vec![value("queue_depth", depth), value("threads", threads)];
            let Action::Io { workload, .. } = &mut step.action else { panic!("a load") };
            workload.threads = Threads::new(threads.into()).expect("threads");
            workload.queue_depth = QueueDepth::new(depth.into()).expect("a depth");
            let mut done = record.clone();
            done.key.step = step.id.clone();
            run.steps.push(done);
            test.steps.push(step);
        }
        assert_eq!(found(&run), ["demand_points"]);
        run.steps.pop();
        assert_eq!(found(&run), Vec::<String>::new(), "a cell that did not run could be any of them");
    }
}
