//! Looks figures up: from a step and a metric's id to the cell and the point that show it.
//!
//! Computes nothing: values, spreads and reasons of voids come from `analysis`; this file knows only the ids of the
//! metrics it shows (docs/metrics.md defines them) and the codes of the findings that mark them.

use drivelab_analysis::Analysis;
use drivelab_analysis::rate::{self, BUSY_RATE};
use drivelab_core::finding::Finding;
use drivelab_core::ids::StepKey;
use drivelab_core::load::OpKind;
use drivelab_core::metric::{Better, Metric, Wrong};
use drivelab_core::plan::{Combine, PublishedUnit, Step, TestPlan};
use drivelab_core::record::{StepRecord, StopReason};

use crate::ReportInput;
use crate::chart::{Point, Series, colour};
use crate::format;
use crate::prose;
use crate::table::{Cell, Column};

/// Which operations a figure is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Trims.
    Trim,
    /// Write-zeroes operations.
    WriteZeroes,
    /// Flushes.
    Flush,
    /// Reads and writes together.
    Total,
}

impl Op {
    /// Those that move no data.
    pub(crate) const OTHERS: [Op; 3] = [Op::Trim, Op::WriteZeroes, Op::Flush];

    /// A kind of operation.
    pub(crate) const fn from_kind(kind: OpKind) -> Op {
        match kind {
            OpKind::Read => Op::Read,
            OpKind::Write => Op::Write,
            OpKind::Trim => Op::Trim,
            OpKind::WriteZeroes => Op::WriteZeroes,
            OpKind::Flush => Op::Flush,
        }
    }

    /// The one kind, or none for the total.
    pub(crate) const fn kind(self) -> Option<OpKind> {
        match self {
            Op::Read => Some(OpKind::Read),
            Op::Write => Some(OpKind::Write),
            Op::Trim => Some(OpKind::Trim),
            Op::WriteZeroes => Some(OpKind::WriteZeroes),
            Op::Flush => Some(OpKind::Flush),
            Op::Total => None,
        }
    }

    /// The first part of a metric's id.
    pub(crate) const fn prefix(self) -> &'static str {
        match self.kind() {
            Some(kind) => kind.name(),
            None => "total",
        }
    }

    /// For people, at the start of a title.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Op::Read => "Read",
            Op::Write => "Write",
            Op::Trim => "Trim",
            Op::WriteZeroes => "Write-zeroes",
            Op::Flush => "Flush",
            Op::Total => "Total",
        }
    }

    /// For people, in a sentence or behind a label.
    pub(crate) const fn plural(self) -> &'static str {
        match self {
            Op::Read => "reads",
            Op::Write => "writes",
            Op::Trim => "trims",
            Op::WriteZeroes => "write-zeroes",
            Op::Flush => "flushes",
            Op::Total => "reads and writes",
        }
    }

    /// Its colour in every chart.
    pub(crate) const fn colour(self) -> u8 {
        match self {
            Op::Read => colour::READ,
            Op::Write => colour::WRITE,
            Op::Trim => colour::TRIM,
            Op::WriteZeroes => colour::WRITE_ZEROES,
            Op::Flush => colour::FLUSH,
            Op::Total => colour::TOTAL,
        }
    }

    /// Every kind of operation that a step issues.
    pub(crate) fn all_of(step: &Step) -> Vec<Op> {
        let workload = step.workload();
        let issued = |kind: &OpKind| workload.is_some_and(|workload| workload.issues(*kind));
        OpKind::ALL.into_iter().filter(issued).map(Op::from_kind).collect()
    }

    /// What a step's main figures are about: the one kind of operation that it issues or that moves data, or the total
    /// where it reads and writes.
    pub(crate) fn of(step: &Step) -> Op {
        let all = Op::all_of(step);
        match (all.contains(&Op::Read), all.contains(&Op::Write)) {
            (true, true) => Op::Total,
            (false, true) => Op::Write,
            (true, false) => Op::Read,
            (false, false) => all.first().copied().unwrap_or(Op::Read),
        }
    }
}

/// Quantities whose metrics begin with an [`Op`].
pub(crate) mod quantity {
    /// MB/s.
    pub(crate) const THROUGHPUT: &str = "throughput";
    /// Operations per second.
    pub(crate) const IOPS: &str = "iops";
    /// Mean latency.
    pub(crate) const MEAN: &str = "latency_mean";
    /// Median latency.
    pub(crate) const P50: &str = "latency_p50";
    /// 99th percentile.
    pub(crate) const P99: &str = "latency_p99";
    /// 99.9th percentile.
    pub(crate) const P999: &str = "latency_p999";
    /// Longest latency.
    pub(crate) const MAX: &str = "latency_max";
    /// Mean response time.
    pub(crate) const RESPONSE_MEAN: &str = "response_mean";
    /// Median response time.
    pub(crate) const RESPONSE_P50: &str = "response_p50";
    /// 99th percentile of the response time.
    pub(crate) const RESPONSE_P99: &str = "response_p99";
    /// 99.9th percentile of the response time.
    pub(crate) const RESPONSE_P999: &str = "response_p999";
    /// Longest response time.
    pub(crate) const RESPONSE_MAX: &str = "response_max";
}

/// A metric's id.
pub(crate) fn id(op: Op, quantity: &str) -> String {
    format!("{}.{quantity}", op.prefix())
}

/// Short name and unit of a quantity, for the heads of columns.
pub(crate) fn heading(quantity: &str) -> (&'static str, &'static str) {
    match quantity {
        quantity::THROUGHPUT => ("Throughput", "MB/s"),
        quantity::IOPS => ("Operations", "IOPS"),
        quantity::MEAN => ("Latency mean", "µs"),
        quantity::P50 => ("Latency p50", "µs"),
        quantity::P99 => ("Latency p99", "µs"),
        quantity::P999 => ("Latency p99.9", "µs"),
        quantity::RESPONSE_MEAN => ("Response mean", "µs"),
        quantity::RESPONSE_P50 => ("Response p50", "µs"),
        quantity::RESPONSE_P99 => ("Response p99", "µs"),
        quantity::RESPONSE_P999 => ("Response p99.9", "µs"),
        quantity::RESPONSE_MAX => ("Response max", "µs"),
        _ => ("Latency max", "µs"),
    }
}

/// The column of a quantity; `op` is named in its title where the table holds several.
pub(crate) fn column(op: Option<Op>, quantity: &str) -> Column {
    let (name, unit) = heading(quantity);
    let title = match op {
        Some(op) => format!("{} {}{}", op.title(), &name[..1].to_lowercase(), &name[1..]),
        None => name.to_owned(),
    };
    let metric = id(op.unwrap_or(Op::Read), quantity);
    Column { title, unit: unit.to_owned(), figures: true, metric }
}

/// The metric of a step.
pub(crate) fn metric<'a>(input: &ReportInput<'a>, step: &Step, op: Op, quantity: &str) -> Option<&'a Metric> {
    // Whole replays of a trace have one rate: the pauses of the trace say nothing about the drive.
    let of_replay = quantity == quantity::THROUGHPUT && rate::replays(step) && (op == Op::Total || op == Op::of(step));
    let id = rate::rate_metric(step).filter(|_| of_replay).map_or_else(|| id(op, quantity), str::to_owned);
    input.analysis.step_metric(&step.id, &id)
}

/// What is to be known of the rates of replays.
pub(crate) const BUSY: &str = "The throughput of a replay is over its busy time, which leaves out the pauses of the trace; operations \
                    per second contain them.";

/// The column of the rate in bytes of these steps: of replays that over busy time.
pub(crate) fn rate_column(op: Option<Op>, steps: &[&Step]) -> Column {
    if !steps.is_empty() && steps.iter().all(|step| rate::replays(step)) {
        return Column { metric: BUSY_RATE.to_owned(), ..Column::figures("Over busy time", "MB/s") };
    }
    column(op, quantity::THROUGHPUT)
}

/// A metric of a step by its whole id, as a cell; empty where the step has none.
pub(crate) fn cell_of(input: &ReportInput<'_>, step: &Step, id: &str) -> Cell {
    let metric = input.analysis.step_metric(&step.id, id);
    metric.map_or_else(Cell::default, |metric| metric_cell(input, metric))
}

/// Whether a rate of any of these steps is a lower bound.
pub(crate) fn has_lower_bound(input: &ReportInput<'_>, steps: &[&Step]) -> bool {
    let of_these = |metric: &&Metric| steps.iter().any(|step| metric.step.as_ref() == Some(&step.id));
    input.analysis.metrics.iter().filter(of_these).any(|metric| metric.lower_bound)
}

/// What the sign of a lower bound says.
pub(crate) const LOWER_BOUND: &str = "≥ marks a lower bound: drivelab or the host's CPU was the limit, the target can do \
                                      at least this much, and the latencies contain waiting on this side.";

/// Whether something beside the test disturbed a figure of any of these steps.
pub(crate) fn has_disturbed(input: &ReportInput<'_>, steps: &[&Step]) -> bool {
    let of_these = |metric: &&Metric| steps.iter().any(|step| metric.step.as_ref() == Some(&step.id));
    input.analysis.metrics.iter().filter(of_these).any(|metric| metric.wrong.is_some())
}

/// What the marks of disturbed figures say.
pub(crate) const DISTURBED: &str = "▲ ▼ ◆ mark figures disturbed by other programs that used the same disk or one \
                                    below it: undisturbed, the figure would be higher (▲), lower (▼) or different (◆).";

/// What the signs in the figures of these steps say; empty where there is none.
pub(crate) fn legend(input: &ReportInput<'_>, steps: &[&Step]) -> String {
    let busy = steps.iter().any(|step| rate::replays(step));
    let known = [(busy, BUSY), (has_lower_bound(input, steps), LOWER_BOUND), (has_disturbed(input, steps), DISTURBED)];
    known.into_iter().filter_map(|(there, says)| there.then_some(says)).collect::<Vec<_>>().join(" ")
}

/// The signs of what one execution of a step did, for views that show its records and not the step's metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Marks {
    /// The step's rates are lower bounds.
    at_least: bool,
    /// In which direction something beside the test disturbed its rates.
    rates: Option<Wrong>,
    /// The same of its times.
    times: Option<Wrong>,
}

impl Marks {
    /// The cell of a rate; without a text it has no sign.
    pub(crate) fn rate(self, text: impl Into<String>) -> Cell {
        let cell = Cell::text(text);
        let cell = if self.at_least && !cell.text.is_empty() { Cell::at_least(cell.text) } else { cell };
        cell.wrong(self.rates)
    }

    /// The cell of a latency, a response time or a number of arrivals that wait.
    pub(crate) fn time(self, text: impl Into<String>) -> Cell {
        Cell::text(text).wrong(self.times)
    }

    /// Those of a figure that is made of this execution and of others.
    pub(crate) fn and(self, other: Marks) -> Marks {
        // Where one of them surely looks worse than it is, so does the whole.
        let surer = |one: Option<Wrong>, other: Option<Wrong>| match (one, other) {
            (Some(Wrong::EitherWay) | None, Some(_)) => other,
            _ => one,
        };
        Marks {
            at_least: self.at_least || other.at_least,
            rates: surer(self.rates, other.rates),
            times: surer(self.times, other.times),
        }
    }

    /// What the signs say, a space before each sentence; empty where there is none.
    pub(crate) fn says(self) -> String {
        let disturbed = self.rates.is_some() || self.times.is_some();
        let known = [(self.at_least, LOWER_BOUND), (disturbed, DISTURBED)];
        known.into_iter().filter(|(there, _)| *there).map(|(_, says)| format!(" {says}")).collect()
    }
}

/// The findings that other programs used the disk of an execution, and whether it surely looks worse for it.
const OTHERS: [(&str, bool); 2] = [("others_used_disk", true), ("others_perhaps", false)];

/// The signs of an execution. That of a lower bound is the whole step's. Which executions others disturbed the findings
/// say; where they name none of the step, the marks of its metrics are those of all.
pub(crate) fn marks(input: &ReportInput<'_>, key: &StepKey) -> Marks {
    let Analysis { metrics, findings, .. } = input.analysis;
    let of_step: Vec<&Metric> = metrics.iter().filter(|metric| metric.step.as_ref() == Some(&key.step)).collect();
    let is_rate = |metric: &Metric| metric.id.ends_with(".throughput") || metric.id.ends_with(".iops");
    let is_time = |metric: &Metric| metric.id.contains(".latency_") || metric.id.contains(".response_");
    let wrong_of = |is: &dyn Fn(&Metric) -> bool| of_step.iter().filter(|one| is(one)).find_map(|one| one.wrong);
    let (rates, times) = (wrong_of(&is_rate), wrong_of(&is_time));
    let at_least = of_step.iter().any(|metric| metric.lower_bound);
    let names = |code: &str, is: &dyn Fn(&StepKey) -> bool| {
        findings.iter().any(|finding| finding.code == code && finding.steps.iter().any(is))
    };
    if !OTHERS.iter().any(|(code, _)| names(code, &|one| one.step == key.step)) {
        return Marks { at_least, rates, times };
    }
    let Some((_, worse)) = OTHERS.iter().find(|(code, _)| names(code, &|one| one == key)) else {
        return Marks { at_least, ..Marks::default() };
    };
    let wrong = |better: Better| if *worse { better.when_spoiled() } else { Wrong::EitherWay };
    // The rate of a schedule that was kept is the one that was asked for, whoever used the disk.
    let as_asked = rates.is_none() && times.is_some() && of_step.iter().any(|one| is_rate(one) && one.value.is_some());
    Marks { at_least, rates: Some(wrong(Better::Higher)).filter(|_| !as_asked), times: Some(wrong(Better::Lower)) }
}

/// The metric's value; none where it is void or absent.
pub(crate) fn value(input: &ReportInput<'_>, step: &Step, op: Op, quantity: &str) -> Option<f64> {
    metric(input, step, op, quantity)?.value
}

/// Value as text, "void" with its reason, or an empty cell where there is no such figure.
pub(crate) fn cell(input: &ReportInput<'_>, step: &Step, op: Op, quantity: &str) -> Cell {
    metric(input, step, op, quantity).map_or_else(Cell::default, |metric| metric_cell(input, metric))
}

/// The cell of a metric.
pub(crate) fn metric_cell(input: &ReportInput<'_>, metric: &Metric) -> Cell {
    match metric.value {
        Some(value) if metric.lower_bound => Cell::at_least(format::value(value, &metric.unit)).wrong(metric.wrong),
        Some(value) => Cell::text(format::value(value, &metric.unit)).wrong(metric.wrong),
        None if metric.voided_by.is_empty() => Cell::default(),
        // At and above full speed a curve asks for it: the time grows with the length of the step.
        None if metric.voided_by == ["curve_overloaded"] => {
            Cell { text: "grows".to_owned(), ..Cell::void(void_reason(input, metric)) }
        }
        None => Cell::void(void_reason(input, metric)),
    }
}

/// The column of the rate in the unit in which a test's source published it; `None` where that is no other one.
pub(crate) fn published_column(test: &TestPlan) -> Option<Column> {
    other_unit(test).map(|unit| Column::figures("As published", unit.name))
}

/// The unit of bytes in which a test's source published rates, where that is not MB/s.
pub(crate) fn other_unit(test: &TestPlan) -> Option<OtherUnit> {
    let unit = test.published_unit.filter(|unit| *unit != PublishedUnit::MegabytesPerSecond)?;
    Some(OtherUnit { name: unit.name(), per_mb_s: unit.per_mb_s()? })
}

/// Whether a test's source published its rates in bytes.
pub(crate) fn is_published_in_bytes(test: &TestPlan) -> bool {
    test.published_unit.is_some_and(|unit| unit.per_mb_s().is_some())
}

/// In what a chart shows rates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    pub(crate) title: &'static str,
    pub(crate) quantity: &'static str,
    pub(crate) unit: &'static str,
    /// The unit that figures in MB/s become.
    pub(crate) published: Option<OtherUnit>,
}

impl Rate {
    /// Bytes, in MB/s.
    pub(crate) const BYTES: Rate =
        Rate { title: "Throughput", quantity: quantity::THROUGHPUT, unit: "MB/s", published: None };
    /// Operations.
    pub(crate) const OPERATIONS: Rate =
        Rate { title: "Operations per second", quantity: quantity::IOPS, unit: "IOPS", published: None };

    /// In the unit in which a test's source published its rates; `None` where it says none.
    pub(crate) fn of_source(test: &TestPlan) -> Option<Rate> {
        let published = other_unit(test);
        test.published_unit?;
        Some(match published {
            _ if !is_published_in_bytes(test) => Rate::OPERATIONS,
            Some(unit) => Rate { unit: unit.name, published, ..Rate::BYTES },
            None => Rate::BYTES,
        })
    }

    /// Adds the point of a step's rate.
    pub(crate) fn push(
        self,
        series: &mut Series,
        input: &ReportInput<'_>,
        place: (f64, &str),
        (step, op): (&Step, Op),
    ) {
        match self.published {
            Some(unit) => push_rate(series, input, place, step, (op, unit)),
            None => push_point(series, input, place, step, (op, self.quantity)),
        }
    }
}

/// A unit of rates in bytes beside MB/s.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OtherUnit {
    pub(crate) name: &'static str,
    /// What 1 MB/s is in it.
    per_mb_s: f64,
}

/// The cell of that column: the throughput of an operation in the other unit.
pub(crate) fn published_cell(input: &ReportInput<'_>, test: &TestPlan, step: &Step, op: Op) -> Option<Cell> {
    let unit = other_unit(test)?;
    let metric = metric(input, step, op, quantity::THROUGHPUT);
    Some(metric.and_then(|metric| rate_cell(metric, unit)).unwrap_or_default())
}

/// The cell of a rate in MB/s in another unit; none where it has no value.
fn rate_cell(metric: &Metric, unit: OtherUnit) -> Option<Cell> {
    let text = format::value(metric.value? * unit.per_mb_s, unit.name);
    let cell = if metric.lower_bound { Cell::at_least(text) } else { Cell::text(text) };
    Some(cell.wrong(metric.wrong))
}

/// The statements that void a metric.
fn void_reason(input: &ReportInput<'_>, metric: &Metric) -> String {
    let about = |finding: &&Finding| {
        let step = metric.step.as_ref();
        metric.voided_by.contains(&finding.code)
            && (finding.steps.is_empty() || finding.steps.iter().any(|key| Some(&key.step) == step))
    };
    let statements: Vec<&str> =
        input.analysis.findings.iter().filter(about).map(|finding| finding.statement.as_str()).collect();
    // It stands in a tooltip, where nothing can be marked as code.
    if statements.is_empty() { metric.voided_by.join(", ") } else { prose::plain(&statements.join(" ")) }
}

/// Smallest to largest round, and the 95 % interval of the mean; empty cells where there was one round.
pub(crate) fn spread_cells(input: &ReportInput<'_>, step: &Step, op: Op, quantity: &str) -> [Cell; 2] {
    let metric = metric(input, step, op, quantity).filter(|metric| metric.value.is_some());
    let Some((metric, spread)) = metric.and_then(|metric| Some((metric, metric.spread?))) else {
        return [Cell::default(), Cell::default()];
    };
    let range = |low, high| format!("{} – {}", format::value(low, &metric.unit), format::value(high, &metric.unit));
    let interval = spread.confidence.map_or_else(Cell::default, |ends| Cell::text(range(ends.low, ends.high)));
    [Cell::text(range(spread.min, spread.max)).wrong(metric.wrong), interval.wrong(metric.wrong)]
}

/// The median of the rounds (or sets), where the figure is the best one of them: what it would be without the choice.
pub(crate) fn median_cell(input: &ReportInput<'_>, step: &Step, op: Op, quantity: &str) -> Cell {
    let best = input.records.plan.test_of(&step.id).is_some_and(|test| test.combine == Combine::Best);
    let metric = metric(input, step, op, quantity).filter(|metric| best && metric.value.is_some());
    let cell = |metric: &Metric| {
        let text = format::value(metric.spread?.median, &metric.unit);
        Some(Cell::text(text).wrong(metric.wrong))
    };
    metric.and_then(cell).unwrap_or_default()
}

/// Adds the point of a metric at x: its value and text as in the tables, and its rounds as a range.
pub(crate) fn push_point(
    series: &mut Series,
    input: &ReportInput<'_>,
    (x, label): (f64, &str),
    step: &Step,
    (op, quantity): (Op, &str),
) {
    let Some(metric) = metric(input, step, op, quantity) else { return };
    push(series, (x, label), metric, (metric_cell(input, metric), unit_text(&metric.unit), &|value| value));
}

/// The same of a rate in bytes, in another unit than MB/s.
pub(crate) fn push_rate(
    series: &mut Series,
    input: &ReportInput<'_>,
    (x, label): (f64, &str),
    step: &Step,
    (op, unit): (Op, OtherUnit),
) {
    let Some(metric) = metric(input, step, op, quantity::THROUGHPUT) else { return };
    let cell = rate_cell(metric, unit).unwrap_or_else(|| metric_cell(input, metric));
    push(series, (x, label), metric, (cell, unit.name, &|value| value * unit.per_mb_s));
}

/// A metric with its cell, the unit of that, and what a value becomes in it.
fn push(
    series: &mut Series,
    (x, label): (f64, &str),
    metric: &Metric,
    (cell, unit, scaled): (Cell, &str, &dyn Fn(f64) -> f64),
) {
    let is_figure = !cell.is_void() && !cell.text.is_empty();
    let text = if is_figure { format!("{} {unit}", cell.plain()) } else { cell.text };
    series.points.push(Point(x, metric.value.map(scaled), text, Some(label.to_owned())));
    if let (Some(_), Some(spread)) = (metric.value, metric.spread) {
        series.ranges.push((x, scaled(spread.min), scaled(spread.max)));
    }
}

/// `us` as people write it.
pub(crate) fn unit_text(unit: &str) -> &str {
    if unit == "us" { "µs" } else { unit }
}

/// Why parameters of a step are approximations; empty where none is.
pub(crate) fn approximation(step: &Step) -> String {
    let reasons = step.approximations.iter().map(|one| format!("{}: {}", one.parameter, one.reason));
    reasons.collect::<Vec<_>>().join("; ")
}

/// The heading cell of a step's row.
pub(crate) fn step_cell(step: &Step, text: impl Into<String>) -> Cell {
    Cell { approximation: approximation(step), ..Cell::text(text) }
}

/// Whether several groups of threads do a step at once: its figures are their sums.
pub(crate) fn has_groups(step: &Step) -> bool {
    step.workload().is_some_and(|workload| !workload.beside.is_empty())
}

/// The heading cell of a row that holds a step's figures: also says where a round of it did not go to its end.
pub(crate) fn measured_cell(input: &ReportInput<'_>, step: &Step) -> Cell {
    let stopped = |record: &StepRecord| record.key.step == step.id && record.stop_reason == StopReason::Stopped;
    let detail = if input.records.steps.iter().any(stopped) { "stopped early" } else { "" };
    Cell { detail: detail.to_owned(), ..step_cell(step, step.label.clone()) }
}
