//! Curves over time and over bytes written, of a single step and of the whole run.
//!
//! Long records are thinned before they are drawn: neighbouring intervals become one point with their mean rate
//! (weighted by time), their highest percentiles and their largest backlog. Where an interval was much slower or faster
//! than that mean, the point has a line to it. Caption and column headings say so.

use drivelab_analysis::series::{self, TimePoint};
use drivelab_core::ids::StepKey;
use drivelab_core::load::OpKind;
use drivelab_core::plan::Step;

use crate::figure::chart::{Axis, Chart, Panel, Point, Series, Stretch, colour};
use crate::figure::input::ReportInput;
use crate::figure::marks::{self, Marks};
use crate::figure::op::Op;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{Figure, format};

/// Fewest intervals for a curve.
pub(crate) const LEAST_POINTS: usize = 3;
const GB: f64 = 1e9;

/// Share of a mean rate from which on a slower or faster interval within it is shown.
const NOTABLE: f64 = 0.1;

/// A point of a curve, and the rates of the slowest and the fastest interval in it where they are notable.
struct Thinned {
    point: TimePoint,
    read: Option<(f64, f64)>,
    write: Option<(f64, f64)>,
}

/// The points of curves, without the ends of their rates.
fn points(thinned: &[Thinned]) -> impl Iterator<Item = &TimePoint> + Clone {
    thinned.iter().map(|one| &one.point)
}

/// Merges neighbouring intervals.
fn thin(points: &[TimePoint], most: usize) -> (Vec<Thinned>, usize) {
    let each = points.len().div_ceil(most).max(1);
    (portions(points, each, |point| point.seconds).into_iter().filter_map(thinned).collect(), each)
}

/// Neighbouring intervals as one point.
fn thinned(points: &[TimePoint]) -> Option<Thinned> {
    let point = merge(points)?;
    let ends = |of: fn(&TimePoint) -> f64| {
        // A much shorter interval holds little more than what was in flight at an end.
        let longest = points.iter().map(|point| point.seconds).fold(0.0, f64::max);
        let rates = points.iter().filter(|point| point.seconds >= longest / 2.0).map(of);
        let (low, high) = rates.fold((f64::MAX, 0.0), |(low, high): (f64, f64), rate| (low.min(rate), high.max(rate)));
        let mean = of(&point);
        let notable = low < mean * (1.0 - NOTABLE) || high > mean * (1.0 + NOTABLE);
        (mean > 0.0 && notable).then_some((low, high))
    };
    let (read, write) = (ends(|point| point.read_mb_s), ends(|point| point.write_mb_s));
    Some(Thinned { point, read, write })
}

/// Portions of `each` neighbours. A last portion shorter than half of the previous one is joined to it: it holds little
/// more than the operations that were in flight at the end, and their rate would look like a spike.
fn portions<T>(points: &[T], each: usize, seconds: fn(&T) -> f64) -> Vec<&[T]> {
    let mut portions: Vec<&[T]> = points.chunks(each.max(1)).collect();
    let length = |portion: &[T]| portion.iter().map(seconds).sum::<f64>();
    if let [.., before, last] = portions.as_slice()
        && length(last) < length(before) / 2.0
    {
        let begin = points.len() - before.len() - last.len();
        portions.truncate(portions.len() - 2);
        portions.extend(points.get(begin..));
    }
    portions
}

fn merge(points: &[TimePoint]) -> Option<TimePoint> {
    let last = points.last()?;
    let seconds: f64 = points.iter().map(|point| point.seconds).sum();
    let mean = |of: fn(&TimePoint) -> f64| {
        let sum: f64 = points.iter().map(|point| of(point) * point.seconds).sum();
        if seconds > 0.0 { sum / seconds } else { 0.0 }
    };
    let highest = |of: fn(&TimePoint) -> Option<f64>| points.iter().filter_map(of).max_by(f64::total_cmp);
    Some(TimePoint {
        seconds,
        mb_s: mean(|point| point.mb_s),
        read_mb_s: mean(|point| point.read_mb_s),
        write_mb_s: mean(|point| point.write_mb_s),
        iops: mean(|point| point.iops),
        p50_us: highest(|point| point.p50_us),
        p99_us: highest(|point| point.p99_us),
        p999_us: highest(|point| point.p999_us),
        max_us: highest(|point| point.max_us),
        response_p50_us: highest(|point| point.response_p50_us),
        response_p99_us: highest(|point| point.response_p99_us),
        response_max_us: highest(|point| point.response_max_us),
        trim_iops: mean(|point| point.trim_iops),
        write_zeroes_iops: mean(|point| point.write_zeroes_iops),
        flush_iops: mean(|point| point.flush_iops),
        backlog: points.iter().filter_map(|point| point.backlog).max(),
        ..last.clone()
    })
}

fn thinned_note(each: usize) -> String {
    if each == 1 {
        "One point per recorded interval; a short last interval is joined to the one before.".to_owned()
    } else {
        format!(
            "One point per {each} recorded intervals: mean rate and highest percentiles. Where an interval was more than \
             a tenth slower or faster than the mean, a line reaches from the slowest to the fastest."
        )
    }
}

/// Charts of a step's last recorded round over time and over data written, with at most `most` points.
pub(crate) fn of_step(input: &ReportInput<'_>, step: &Step, id: &str, most: usize) -> Vec<Figure> {
    let rounds = input.records.steps.iter().filter(|record| record.key.step == step.id);
    let Some(key) = rounds.map(|record| record.key.clone()).next_back() else { return Vec::new() };
    let all = series::time_line(input.records, &key);
    if all.len() < LEAST_POINTS {
        return Vec::new();
    }
    let (thinned, each) = thin(&all, most);
    let id = format!("{id}-{}", step.id.slug());
    let marks = marks::of(input, &key);
    let mut figures = vec![over_time(step, &key, &thinned, (each, marks), &id)];
    if step.workload().is_some_and(|workload| workload.issues(OpKind::Write)) {
        figures.extend(over_volume(step, &thinned, marks, &id));
    }
    figures
}

/// Position of a point on the x axis, and the heading of its tooltip.
type Place = (fn(&TimePoint) -> f64, fn(&TimePoint) -> String);

fn rate_points(thinned: &[Thinned], marks: Marks, (x, heading): Place) -> Vec<Series> {
    let mut read = Series::new("Read", colour::READ);
    let mut write = Series::new("Write", colour::WRITE);
    for Thinned { point, read: reads, write: writes } in thinned {
        for (series, rate, ends) in [(&mut read, point.read_mb_s, reads), (&mut write, point.write_mb_s, writes)] {
            let text = format!("{} MB/s", marks.rate(format::mb_s(rate)).plain());
            series.points.push(Point(x(point), Some(rate), text, Some(heading(point))));
            series.ranges.extend(ends.map(|(low, high)| (x(point), low, high)));
        }
    }
    [read, write].into_iter().filter(moves).collect()
}

/// Whether a series has any value above zero.
fn moves(series: &Series) -> bool {
    series.points.iter().any(|point| point.1.is_some_and(|y| y > 0.0))
}

/// One time per point, in microseconds.
fn time_points((name, of): Told, colour: u8, thinned: &[Thinned], marks: Marks, (x, heading): Place) -> Series {
    let place = |point: &TimePoint| {
        let text =
            of(point).map_or_else(String::new, |us| format!("{} µs", marks.time(format::latency_us(us)).plain()));
        Point(x(point), of(point), text, Some(heading(point)))
    };
    Series { points: points(thinned).map(place).collect(), ..Series::new(name, colour) }
}

/// A time figure of an interval, with its name.
type Told = (&'static str, fn(&TimePoint) -> Option<f64>);

/// What a curve of latencies may show, in order of preference.
const LATENCY: [Told; 3] = [
    ("Latency p99", |point| point.p99_us),
    ("Latency p50", |point| point.p50_us),
    ("Latency max", |point| point.max_us),
];

/// What a curve of response times may show, in order of preference.
const RESPONSE: [Told; 3] = [
    ("Response p99", |point| point.response_p99_us),
    ("Response p50", |point| point.response_p50_us),
    ("Response max", |point| point.response_max_us),
];

/// A curve needs a figure at this many of every ten points that have any.
const LEAST_TOLD: usize = 9;

/// The first choice that has a figure at nearly every point; otherwise the longest time.
fn told<'p>(of: [Told; 3], points: impl Iterator<Item = &'p TimePoint> + Clone) -> Told {
    let [.., longest] = of;
    let count = |one: Told| points.clone().filter(|point| one.1(point).is_some()).count();
    let enough = LEAST_TOLD * count(longest);
    of.into_iter().find(|one| 10 * count(*one) >= enough).unwrap_or(longest)
}

/// The remark on a curve that shows something other than the 99th percentile.
fn told_note(latency: Told) -> String {
    let [(p99, _), (p50, _), _] = LATENCY;
    match latency.0 {
        name if name == p99 => String::new(),
        name if name == p50 => {
            " The curve shows medians: a 99th percentile needs 500 operations per interval.".to_owned()
        }
        _ => " The curve shows the longest latencies: a median needs 10 operations per interval.".to_owned(),
    }
}

fn latency_points(thinned: &[Thinned], marks: Marks, place: Place) -> Series {
    time_points(told(LATENCY, points(thinned)), colour::TOTAL, thinned, marks, place)
}

/// Rates of operations that move no data; only kinds that occur.
fn other_points(thinned: &[Thinned], marks: Marks) -> Vec<Series> {
    let series = |op: Op, of: fn(&TimePoint) -> f64| {
        let place = |point: &TimePoint| {
            let text = format!("{} IOPS", marks.rate(format::iops(of(point))).plain());
            Point(point.t_s, Some(of(point)), text, Some(at_second(point)))
        };
        Series { points: points(thinned).map(place).collect(), ..Series::new(op.title(), op.colour()) }
    };
    let all = [
        series(Op::Trim, |point| point.trim_iops),
        series(Op::WriteZeroes, |point| point.write_zeroes_iops),
        series(Op::Flush, |point| point.flush_iops),
    ];
    all.into_iter().filter(moves).collect()
}

/// Waiting arrivals; empty unless the loop is open.
#[expect(clippy::cast_precision_loss, reason = "a backlog stays below 2^53 operations")]
fn backlog_points(thinned: &[Thinned], marks: Marks) -> Series {
    let place = |point: &TimePoint| {
        let waiting = point.backlog.map(|waiting| waiting as f64);
        let shown = |waiting: f64| format!("{} operations", marks.time(format::iops(waiting)).plain());
        let text = waiting.map_or_else(String::new, shown);
        Point(point.t_s, waiting, text, Some(at_second(point)))
    };
    Series { points: points(thinned).map(place).collect(), ..Series::new("Backlog", colour::BACKLOG) }
}

fn at_second(point: &TimePoint) -> String {
    format!("at {:.1} s", point.t_s)
}

#[expect(clippy::cast_precision_loss, reason = "volumes stay below 2^53 bytes")]
fn written_gb(point: &TimePoint) -> f64 {
    point.written_bytes as f64 / GB
}

fn after_volume(point: &TimePoint) -> String {
    format!("after {} GB written", format::mb_s(written_gb(point)))
}

fn over_time(step: &Step, key: &StepKey, thinned: &[Thinned], (each, marks): (usize, Marks), id: &str) -> Figure {
    let place: Place = (|point| point.t_s, at_second);
    let responses = time_points(told(RESPONSE, points(thinned)), colour::READ_TAIL, thinned, marks, place);
    let latency = told(LATENCY, points(thinned));
    let backlog = points(thinned).any(|point| point.backlog.is_some());
    let chart = Chart {
        id: format!("{id}-time"),
        description: format!(
            "{} over time: throughput and {} of each interval{}.",
            step.label,
            latency.0.to_lowercase(),
            if backlog { ", response time and backlog" } else { "" }
        ),
        x: Axis::linear("Time since the start of the step (s)", thinned.last().map_or(0.0, |last| last.point.t_s)),
        panels: vec![
            Panel::lines("Throughput", "MB/s", rate_points(thinned, marks, place)),
            Panel::lines("Operations that move no data", "IOPS", other_points(thinned, marks)),
            Panel::log_lines("Latency", "µs", vec![latency_points(thinned, marks, place)]),
            Panel::log_lines("Response time", "µs", vec![responses]),
            Panel::lines("Backlog", "operations", vec![backlog_points(thinned, marks)]),
        ],
        stretches: Vec::new(),
    };
    let round = if key.round > 1 { format!(" Round {}.", key.round) } else { String::new() };
    Figure {
        title: "Over time".to_owned(),
        caption: format!("{}{round}{}{}", thinned_note(each), told_note(latency), marks.says()),
        chart: chart.drawable(),
        table: time_table(step, thinned, (each, marks)),
        long: true,
    }
}

/// A row for each point of [`over_time`].
fn time_table(step: &Step, thinned: &[Thinned], (each, marks): (usize, Marks)) -> Table {
    let columns = vec![
        Column::figures("Time", "s"),
        Column::figures("Written", "GB"),
        Column::figures("Read", "MB/s"),
        Column::figures("Write", "MB/s"),
        percentile_column("Latency p50", each),
        percentile_column("Latency p99", each),
        Column::figures("Latency max", "µs"),
        percentile_column("Response p50", each),
        percentile_column("Response p99", each),
        Column::figures("Backlog", "operations"),
        Column::figures("Trims", "IOPS"),
        Column::figures("Write-zeroes", "IOPS"),
        Column::figures("Flushes", "IOPS"),
    ];
    let time = |value: Option<f64>| value.map_or_else(Cell::default, |us| marks.time(format::latency_us(us)));
    let rate = |value: f64| if value > 0.0 { marks.rate(format::mb_s(value)) } else { Cell::default() };
    let other = |value: f64| if value > 0.0 { marks.rate(format::iops(value)) } else { Cell::default() };
    #[expect(clippy::cast_precision_loss, reason = "a backlog stays below 2^53 operations")]
    let waiting = |value: Option<u64>| value.map_or_else(Cell::default, |one| marks.time(format::iops(one as f64)));
    let row = |point: &TimePoint| {
        let ramp = if point.ramp { " (ramp)" } else { "" };
        vec![
            Cell::text(format!("{:.1}{ramp}", point.t_s)),
            Cell::text(format::mb_s(written_gb(point))),
            rate(point.read_mb_s),
            rate(point.write_mb_s),
            time(point.p50_us),
            time(point.p99_us),
            time(point.max_us),
            time(point.response_p50_us),
            time(point.response_p99_us),
            waiting(point.backlog),
            other(point.trim_iops),
            other(point.write_zeroes_iops),
            other(point.flush_iops),
        ]
    };
    let table =
        Table { caption: format!("{} over time", step.label), columns, rows: points(thinned).map(row).collect() };
    table.without_empty_columns()
}

/// The percentile of one interval; for several, the highest, because percentiles cannot be averaged.
fn percentile_column(title: &str, each: usize) -> Column {
    match each {
        1 => Column::figures(title, "µs"),
        _ => Column::figures(&format!("{title}, highest"), "µs"),
    }
}

/// The same points over the data written; `None` if nothing was written.
fn over_volume(step: &Step, thinned: &[Thinned], marks: Marks, id: &str) -> Option<Figure> {
    let last = &thinned.last()?.point;
    if last.written_bytes == 0 {
        return None;
    }
    let chart = Chart {
        id: format!("{id}-volume"),
        description: format!("{}: throughput over the bytes written.", step.label),
        x: Axis::linear("Written since the start of the step (GB)", written_gb(last)),
        panels: vec![
            Panel::lines("Throughput", "MB/s", rate_points(thinned, marks, (written_gb, after_volume))),
            Panel::log_lines("Latency", "µs", vec![latency_points(thinned, marks, (written_gb, after_volume))]),
        ],
        stretches: Vec::new(),
    };
    Some(Figure {
        title: "Over the data written".to_owned(),
        caption:
            "The same points over the data written since the start of the step; a write that is longer than the file \
                  wraps to its start. The rate falls where a write cache ends. The table above has the figures."
                .to_owned(),
        chart: chart.drawable(),
        table: Table::default(),
        long: true,
    })
}

/// The whole run: every interval of every step, with the tests named; `None` if nothing was recorded. Has at most about
/// `most` points: each execution keeps at least one.
pub(crate) fn of_run(input: &ReportInput<'_>, prefix: &str, most: usize) -> Option<Figure> {
    let line = series::run_time_line(input.records);
    let by_step: Vec<&[series::RunPoint]> = line.points.chunk_by(|a, b| a.key == b.key).collect();
    let each = line.points.len().div_ceil(most).max(1);
    let mut drawn = Drawn::new();
    for points in &by_step {
        drawn.step(input, points, each);
    }
    let chart = Chart {
        id: format!("{prefix}whole-run"),
        description: "The whole run over time: throughput and latency of every interval, with the tests named."
            .to_owned(),
        x: Axis::linear("Run time (s)", line.points.last().map_or(0.0, |last| last.t_s)),
        panels: vec![
            Panel::lines("Throughput", "MB/s", vec![drawn.read, drawn.write]),
            Panel::log_lines("Latency", "µs", drawn.latencies.into()),
        ],
        stretches: stretches(input, &by_step),
    };
    let columns = vec![
        Column::figures("Run time", "s"),
        Column::words("Step"),
        Column::figures("Read", "MB/s"),
        Column::figures("Write", "MB/s"),
        percentile_column("Latency p99", each),
        percentile_column("Latency p50", each),
        Column::figures("Latency max", "µs"),
    ];
    let table = Table { caption: "The whole run over time".to_owned(), columns, rows: drawn.rows };
    let table = table.without_empty_columns();
    let breaks = line
        .breaks_s
        .iter()
        .map(|at| format!(" The run was interrupted at {at:.1} s; the pause is not shown."))
        .collect::<String>();
    chart.drawable().map(|chart| Figure {
        title: String::new(),
        caption: format!("{} Preparation and ramps are included.{breaks}{}", thinned_note(each), drawn.marks.says()),
        chart: Some(chart),
        table,
        long: true,
    })
}

/// The run's curves and rows while they are built.
struct Drawn {
    read: Series,
    write: Series,
    /// One series for each choice of [`LATENCY`]; a step is in one of them.
    latencies: [Series; 3],
    rows: Vec<Vec<Cell>>,
    /// Every sign in them.
    marks: Marks,
}

impl Drawn {
    fn new() -> Self {
        Drawn {
            read: Series::new("Read", colour::READ),
            write: Series::new("Write", colour::WRITE),
            latencies: LATENCY.map(|(name, _)| Series::new(name, colour::TOTAL)),
            rows: Vec::new(),
            marks: Marks::default(),
        }
    }

    /// Adds one execution, and a gap after it so that no line joins two steps.
    fn step(&mut self, input: &ReportInput<'_>, points: &[series::RunPoint], each: usize) {
        let label = points.first().and_then(|point| input.records.plan.step(&point.key.step));
        let label = label.map_or_else(String::new, |step| step.label.clone());
        let begin = points.first().map_or(0.0, |first| first.t_s - first.point.seconds);
        let portions = portions(points, each, |point| point.point.seconds);
        let merged = portions.into_iter().filter_map(|chunk| {
            let own: Vec<TimePoint> = chunk.iter().map(|point| point.point.clone()).collect();
            Some((chunk.last()?.t_s, thinned(&own)?))
        });
        let merged: Vec<(f64, Thinned)> = merged.collect();
        let latency = told(LATENCY, merged.iter().map(|(_, one)| &one.point));
        let marks = points.first().map(|point| marks::of(input, &point.key)).unwrap_or_default();
        self.marks = self.marks.and(marks);
        for (t_s, thinned) in &merged {
            self.point((*t_s, thinned), &label, latency, marks);
        }
        let end = points.last().map_or(begin, |last| last.t_s);
        for series in [&mut self.read, &mut self.write].into_iter().chain(&mut self.latencies) {
            series.points.push(Point(end, None, String::new(), None));
        }
    }

    fn point(&mut self, (t_s, thinned): (f64, &Thinned), label: &str, (told, of): Told, marks: Marks) {
        let Thinned { point, read, write } = thinned;
        let heading = format!("{label}, at {t_s:.1} s");
        let rate = |value: f64| (value > 0.0).then(|| marks.rate(format::mb_s(value)));
        for (series, value, ends) in
            [(&mut self.read, point.read_mb_s, read), (&mut self.write, point.write_mb_s, write)]
        {
            series.ranges.extend(ends.map(|(low, high)| (t_s, low, high)));
            let text = rate(value).map_or_else(|| "–".to_owned(), |cell| format!("{} MB/s", cell.plain()));
            series.points.push(Point(t_s, rate(value).map(|_| value), text, Some(heading.clone())));
        }
        let time = of(point).map(|us| marks.time(format::latency_us(us)));
        let text = time.as_ref().map_or_else(|| "–".to_owned(), |cell| format!("{} µs", cell.plain()));
        let mut row = vec![
            Cell::text(format!("{t_s:.1}")),
            Cell::text(label),
            rate(point.read_mb_s).unwrap_or_default(),
            rate(point.write_mb_s).unwrap_or_default(),
        ];
        for series in &mut self.latencies {
            let own = series.name == told;
            if own {
                series.points.push(Point(t_s, of(point), text.clone(), Some(heading.clone())));
            }
            row.push(time.clone().filter(|_| own).unwrap_or_default());
        }
        self.rows.push(row);
    }
}

/// The section of each test, from its first to its last interval.
pub(crate) fn stretches(input: &ReportInput<'_>, by_step: &[&[series::RunPoint]]) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for points in by_step {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { continue };
        let label = input.records.plan.test_of(&first.key.step).map_or_else(String::new, |test| test.title.clone());
        match stretches.last_mut() {
            Some(open) if open.label == label => open.to = last.t_s,
            _ => stretches.push(Stretch { from: first.t_s - first.point.seconds, to: last.t_s, label }),
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_median_of_several_intervals_is_not_called_their_median() {
        let records = drivelab_samples::sample_run();
        let analysis = drivelab_analysis::analyse(&records);
        let input = ReportInput { records: &records, analysis: &analysis };
        let step =
            records.plan.tests.iter().flat_map(|test| &test.steps).find(|step| step.id.slug() == "whole-file-write");
        let step = step.expect("the sample has it");
        let titles = |most: usize| {
            let figure = of_step(&input, step, "x", most).remove(0);
            figure.table.columns.into_iter().map(|column| column.title).collect::<Vec<_>>()
        };
        assert!(titles(400).iter().any(|title| title == "Latency p50"));
        let thinned = titles(3);
        assert!(thinned.iter().any(|title| title == "Latency p50, highest"), "{thinned:?}");
        assert!(!thinned.iter().any(|title| title == "Latency p50" || title == "Latency p99"), "{thinned:?}");
    }

    #[test]
    fn a_second_of_a_long_fill_that_was_slow_or_fast_is_seen_although_it_is_thinned() {
        let second = |rate: f64| TimePoint { write_mb_s: rate, seconds: 1.0, ..TimePoint::default() };
        let course = |at: usize, rate: f64| -> Vec<TimePoint> {
            (0..1_000).map(|one| second(if one == at { rate } else { 500.0 })).collect()
        };
        let ends = |points: &[TimePoint]| -> Vec<(f64, f64)> {
            let (thinned, each) = thin(points, 100);
            assert_eq!((thinned.len(), each), (100, 10));
            thinned.iter().filter_map(|one| one.write).collect()
        };
        assert_eq!(ends(&course(123, 20.0)), [(20.0, 500.0)]);
        assert_eq!(ends(&course(999, 900.0)), [(500.0, 900.0)]);
        assert_eq!(ends(&course(500, 480.0)), [], "about as fast as its neighbours");
    }

    #[test]
    fn a_curve_of_few_operations_an_interval_shows_what_they_tell_and_says_so() {
        let mut records = drivelab_samples::sample_run();
        let key =
            records.steps.iter().map(|record| record.key.clone()).find(|key| key.step.slug() == "whole-file-write");
        let key = key.expect("the sample has it");
        let mut drawn = |count: u64| {
            for interval in records.intervals.iter_mut().filter(|interval| interval.key == key) {
                let mut histogram = drivelab_core::histogram::Histogram::default();
                histogram.record_many(100_000, count);
                let (bytes, time) =
                    (drivelab_core::units::Bytes::new(count << 20), interval.end_ns - interval.start_ns);
                let time = drivelab_core::units::Nanos::new(time);
                interval.write = drivelab_core::record::OpRecord::new(count, bytes, 0, histogram.sparse(), time);
            }
            let analysis = drivelab_analysis::analyse(&records);
            let input = ReportInput { records: &records, analysis: &analysis };
            let step = records.plan.step(&key.step).expect("a step");
            let figure = of_step(&input, step, "x", 400).remove(0);
            let panel =
                figure.chart.expect("a chart").panels.into_iter().find(|panel| panel.title == "Latency, logarithmic");
            (panel.expect("latencies").series[0].name.clone(), figure.caption)
        };
        assert_eq!(drawn(500).0, "Latency p99");
        let (name, caption) = drawn(499);
        assert!(name == "Latency p50" && caption.contains("shows medians"), "{name}: {caption}");
        let (name, caption) = drawn(9);
        assert!(name == "Latency max" && caption.contains("the longest latencies"), "{name}: {caption}");
    }

    #[test]
    fn a_short_last_interval_makes_no_spike() {
        let lengths = |seconds: &[f64], each| -> Vec<usize> {
            portions(seconds, each, |one| *one).iter().map(|portion| portion.len()).collect()
        };
        assert_eq!(lengths(&[0.1, 0.1, 0.1, 0.004], 1), [1, 1, 2], "4 ms at the end");
        assert_eq!(lengths(&[0.1, 0.1, 0.1, 0.06], 1), [1, 1, 1, 1], "more than half is a point of its own");
        assert_eq!(lengths(&[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.04], 3), [3, 4]);
        assert_eq!((lengths(&[0.1], 3), lengths(&[], 1)), (vec![1], vec![]));
    }
}
