//! The distributions of latency and of response time of a test's steps as percentile curves, never both in one chart.

use drivelab_analysis::tails;
use drivelab_core::histogram::SparseHistogram;
use drivelab_core::ids::StepKey;
use drivelab_core::metric::Wrong;
use drivelab_core::plan::{Step, TestPlan};
use drivelab_core::record::OpRecord;

use crate::figure::chart::{Axis, Chart, Panel, Point, Series};
use crate::figure::input::ReportInput;
use crate::figure::op::Op;
use crate::figure::pairs::measured;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{Figure, cells, format, quantity, signs};

/// Percentiles of the curves.
const CURVE: [(f64, &str); 7] = [
    (50.0, "p50"),
    (90.0, "p90"),
    (95.0, "p95"),
    (99.0, "p99"),
    (99.9, "p99.9"),
    (99.99, "p99.99"),
    (99.999, "p99.999"),
];
/// The table also has the exact maximum.
const MAXIMUM: (f64, &str) = (100.0, "max");
/// Most curves that can be told apart.
const MOST_CURVES: usize = 16;

/// How the curves are made.
const READ_OFF: &str = "From the histograms of all rounds together (error at most 0.4 %; the maximum is \
                        exact). A percentile with fewer than 5 operations beyond it is left out.";

/// The times of one kind of operation of a step, and in which direction other programs disturbed them.
type Curve<'a> = (&'a Step, Op, SparseHistogram, Option<Wrong>);

/// The quantity of a distribution, in words and ids.
struct Timed {
    /// At the start of a title.
    title: &'static str,
    /// In ids and sentences.
    name: &'static str,
    /// The metric that is void if the distribution is.
    quantity: &'static str,
    /// The metric that every distribution has, even with few operations.
    longest: &'static str,
    /// The distribution in a record.
    of: fn(&OpRecord) -> Option<&SparseHistogram>,
}

const TIMES: [Timed; 2] = [
    Timed {
        title: "Latency",
        name: "latency",
        quantity: quantity::P50,
        longest: quantity::MAX,
        of: |op| Some(&op.histogram),
    },
    Timed {
        title: "Response time",
        name: "response time",
        quantity: quantity::RESPONSE_P50,
        longest: quantity::RESPONSE_MAX,
        of: |op| op.response.as_ref().map(|response| &response.histogram),
    },
];

/// The figures of a test; empty if no step has a distribution, or if there are too many to tell apart.
pub(crate) fn of_test(input: &ReportInput<'_>, test: &TestPlan, id: &str) -> Vec<Figure> {
    TIMES.iter().filter_map(|timed| of_times(input, test, id, timed)).collect()
}

fn of_times(input: &ReportInput<'_>, test: &TestPlan, id: &str, timed: &Timed) -> Option<Figure> {
    let steps: Vec<&Step> = measured(test).collect();
    let curves: Vec<Curve<'_>> = steps.iter().flat_map(|step| distributions(input, step, timed)).collect();
    if curves.is_empty() || curves.len() > MOST_CURVES {
        return None;
    }
    let name = timed.name;
    let suffix = if timed.quantity == quantity::P50 { "" } else { "-response" };
    let chart = Chart {
        id: format!("{id}-percentiles{suffix}"),
        description: format!("{}: {name} percentiles of each step.", test.title),
        x: Axis::named("Percentile", CURVE.iter().take(known(&curves)).map(|(_, title)| (*title).to_owned()).collect()),
        panels: panels(&curves, timed),
        stretches: Vec::new(),
    };
    let table = Table {
        caption: format!("{}: {name} distribution", test.title),
        columns: columns(),
        rows: curves.iter().map(row).collect(),
    };
    Some(Figure {
        title: format!("{} distribution", timed.title),
        caption: [READ_OFF, if curves.iter().any(|(.., wrong)| wrong.is_some()) { signs::DISTURBED } else { "" }]
            .join(" ")
            .trim_end()
            .to_owned(),
        chart: chart.drawable(),
        table: table.without_empty_columns(),
        long: false,
    })
}

/// How many of the percentiles any of the curves has: few operations have no far ones.
fn known(curves: &[Curve<'_>]) -> usize {
    let of_curve = |(_, _, histogram, _): &Curve<'_>| {
        CURVE.iter().rposition(|(per_cent, _)| percentile_us(histogram, *per_cent).is_some()).map_or(0, |at| at + 1)
    };
    curves.iter().map(of_curve).max().unwrap_or_default()
}

/// The curve's percentiles and the maximum.
fn shown() -> impl Iterator<Item = (f64, &'static str)> {
    CURVE.into_iter().chain([MAXIMUM])
}

fn columns() -> Vec<Column> {
    let mut columns = vec![Column::words("Step"), Column::figures("Operations", "")];
    columns.extend(shown().map(|(_, title)| Column::figures(title, "µs")));
    columns
}

fn row((step, op, histogram, wrong): &Curve<'_>) -> Vec<Cell> {
    let mut row =
        vec![cells::step_cell(step, name(step, *op)), Cell::text(format::value(count(histogram), "operations"))];
    row.extend(shown().map(|(per_cent, _)| {
        let text = percentile_us(histogram, per_cent).map_or_else(String::new, format::latency_us);
        Cell::text(text).wrong(*wrong)
    }));
    row
}

fn name(step: &Step, op: Op) -> String {
    if Op::all_of(step).len() > 1 { format!("{}: {}", step.label, op.plural()) } else { step.label.clone() }
}

/// One panel for each order and block size, so that large blocks do not flatten the curves of small ones.
fn panels(curves: &[Curve<'_>], timed: &Timed) -> Vec<Panel> {
    let mut panels: Vec<Panel> = Vec::new();
    for (index, (step, op, histogram, wrong)) in curves.iter().enumerate() {
        let Some(workload) = step.workload() else { continue };
        let order = if workload.pattern.is_sequential() { "sequential" } else { "random" };
        let mixed = !workload.block_size_mix.is_empty() || !workload.beside.is_empty();
        let size = if mixed { "mixed".to_owned() } else { workload.block_size.to_string() };
        let title = match op {
            Op::Flush => format!("{}, flushes", timed.title),
            _ => format!("{}, {size} {order}", timed.title),
        };
        let colour = u8::try_from(index % 8).unwrap_or_default();
        let points = CURVE.iter().take(known(curves)).enumerate().map(|(place, (per_cent, title))| {
            let value = percentile_us(histogram, *per_cent);
            let cell = Cell::text(value.map_or_else(String::new, format::latency_us)).wrong(*wrong);
            let text = value.map_or_else(String::new, |_| format!("{} µs", cell.plain()));
            Point(place as f64, value, text, Some((*title).to_owned()))
        });
        let curve = Series { dashed: index >= 8, points: points.collect(), ..Series::new(&name(step, *op), colour) };
        let panel = Panel::log_lines(&title, "µs", vec![curve]);
        match panels.iter_mut().find(|known| known.title == panel.title) {
            Some(known) => known.series.extend(panel.series),
            None => panels.push(panel),
        }
    }
    panels
}

/// The merged histograms of a step's rounds, for each kind of operation whose figures are not void.
fn distributions<'a>(input: &ReportInput<'_>, step: &'a Step, timed: &Timed) -> Vec<Curve<'a>> {
    // Few operations have no median, but they have a maximum.
    let valid =
        |op: &Op| cells::metric(input, step, *op, timed.quantity).is_some_and(|metric| metric.voided_by.is_empty());
    let merged = |op: Op| {
        let mut all = SparseHistogram::default();
        let counts = |key: &StepKey| key.step == step.id && !input.records.plan.is_warm_up(key);
        for record in input.records.steps.iter().filter(|record| counts(&record.key)) {
            let of_kind = op.kind().and_then(|kind| record.op(kind));
            of_kind.and_then(timed.of).into_iter().for_each(|histogram| all.merge(histogram));
        }
        let wrong = cells::metric(input, step, op, timed.longest).and_then(|metric| metric.wrong);
        (step, op, all, wrong)
    };
    Op::all_of(step).into_iter().filter(valid).map(merged).filter(|(_, _, all, _)| all.count > 0).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
fn count(histogram: &SparseHistogram) -> f64 {
    histogram.count as f64
}

#[expect(clippy::cast_precision_loss, reason = "latencies stay below 2^53 ns")]
fn percentile_us(histogram: &SparseHistogram, per_cent: f64) -> Option<f64> {
    tails::percentile(histogram, per_cent).map(|value| value.get() as f64 / 1e3)
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::analyse;
    use drivelab_core::histogram;
    use drivelab_samples::sample_run;

    use super::*;

    #[test]
    fn a_percentile_that_no_step_has_is_no_category_and_the_axis_is_logarithmic() {
        let records = sample_run();
        let analysis = analyse(&records);
        let input = ReportInput { records: &records, analysis: &analysis };
        let chart = |name: &str| {
            let test = records.plan.tests.iter().find(|test| test.name == name).expect("the sample has it");
            of_test(&input, test, name).remove(0).chart.expect("a chart")
        };
        let (many, few) = (chart("corners"), chart("sustained"));
        assert!(few.x.labels.len() < many.x.labels.len(), "{:?} and {:?}", few.x.labels, many.x.labels);
        for chart in [many, few] {
            assert!(chart.panels.iter().all(|panel| panel.log));
            let last = chart.x.labels.len() - 1;
            let all = || chart.panels.iter().flat_map(|panel| &panel.series);
            assert!(all().any(|series| series.points[last].1.is_some()), "{:?}", chart.x.labels);
            assert!(all().all(|series| series.points.len() == chart.x.labels.len()));
        }
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "a ratio needs no more")]
    fn the_stated_error_of_a_latency_is_that_of_the_buckets_everywhere() {
        let off = |value: u64, bucket: usize| value.abs_diff(histogram::bucket_middle(bucket)) as f64 / value as f64;
        // The lowest bucket is exactly 0 ns, the last one has no upper end.
        let worst = (1..histogram::BUCKETS - 1).map(|bucket| {
            let (low, high) = (histogram::bucket_low(bucket), histogram::bucket_low(bucket + 1) - 1);
            off(low, bucket).max(off(high, bucket))
        });
        let worst_per_cent = worst.fold(0.0, f64::max) * 100.0;
        assert!((0.385..=0.395).contains(&worst_per_cent), "{worst_per_cent}");
        assert!(READ_OFF.contains("error at most 0.4 %"), "{READ_OFF}");
        let readme = include_str!("../../../../../README.md");
        assert!(readme.contains("error of at most 0.4 %"), "the README states another error");
        let metric = drivelab_analysis::metrics_markdown();
        assert!(metric.contains("off by at most 0.39 %"), "docs/metrics.md states another error");
    }
}
