//! Temperature, power and CPU over the run, the figures of each step, and the cost of watching.
//!
//! Values come from the recorded samples (curves) and from the metrics (the table); a gap in the samples is a gap in
//! the line. The axes start at zero on the run's time line, with the tests named, as in the figure of the whole run.

use drivelab_analysis::series;
use drivelab_core::group::CoreTime;
use drivelab_core::plan::StepRole;
use drivelab_core::telemetry::{About, Disturbs, GapCause, Quantity, RecordedSource, SourceKind};
use drivelab_core::units::Nanos;

use crate::figure::chart::{Axis, Chart, Panel, Point, Series, Stretch};
use crate::figure::input::ReportInput;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{Figure, cells, format};
use crate::views::time_line::stretches;
use crate::words::watching_cost;

/// Colours of the palette, apart from those of reads and writes.
const COLOURS: [u8; 6] = [3, 4, 5, 2, 6, 7];
/// Most lines of one panel; more could not be told apart.
const MOST_LINES: usize = 6;
/// Metrics of a step in the table, in this order.
const COLUMNS: [(&str, &str, &str); 14] = [
    ("temperature.min", "Lowest temp.", "°C"),
    ("temperature.mean", "Mean temp.", "°C"),
    ("temperature.max", "Highest temp.", "°C"),
    ("power.min", "Lowest power", "W"),
    ("power.mean", "Mean power", "W"),
    ("power.max", "Highest power", "W"),
    ("power.energy", "Energy", "J"),
    ("power.throughput_per_watt", "Per watt", "MB/s/W"),
    ("power.iops_per_watt", "Per watt", "IOPS/W"),
    ("media.write_amplification", "Write amplification", "times"),
    ("host_power.mean", "Host processor", "W"),
    ("host_cpu.busy", "Host CPU busy", "%"),
    ("host_cpu.per_gb", "Host CPU per GB", "s/GB"),
    ("host_cpu.steal", "Host CPU stolen", "%"),
];

/// The content of the section.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    /// Curves and the figures of each step.
    pub(crate) figures: Vec<Figure>,
    /// The cost of watching and other remarks, a sentence each.
    pub(crate) notes: Vec<String>,
    /// What could not be watched, and why, a phrase each.
    pub(crate) missing: Vec<String>,
    /// Every source.
    pub(crate) sources: Table,
}

/// The section; empty if nothing was watched.
pub(crate) fn watched(input: &ReportInput<'_>, prefix: &str, most: usize) -> Watched {
    let recorded = &input.records.telemetry;
    if recorded.is_empty() {
        return Watched::default();
    }
    // Panels start at different colours, so that each entry of the legend stands for one line of the figure.
    let of = |quantity: Quantity, drive: bool, first: usize| -> Vec<Series> {
        let sources =
            recorded.sources.iter().filter(|source| matches!(source.description.about, About::Drive(_)) == drive);
        let all = sources.flat_map(|source| source.series_of(quantity).map(move |at| (source, at)));
        let colours = COLOURS.into_iter().cycle().skip(first);
        all.take(MOST_LINES).zip(colours).map(|((source, at), colour)| curve(source, at, colour, most)).collect()
    };
    let cpu: Vec<Series> = recorded.sources.iter().filter_map(|source| cpu_curve(source, most)).collect();
    #[expect(clippy::cast_precision_loss, reason = "a run is shorter than 2^53 nanoseconds")]
    let end = input.records.last_at_ns as f64 / 1e9;
    let chart = Chart {
        id: format!("{prefix}telemetry"),
        description:
            "Temperature, power and write amplification of the drive, and CPU of the host, over the run, with the tests named."
                .to_owned(),
        x: Axis::linear("Run time (s)", end),
        panels: vec![
            Panel::lines("Temperature of the drive", "°C", of(Quantity::Temperature, true, 0)),
            Panel::lines("Power of the drive", "W", of(Quantity::Power, true, 2)),
            Panel::lines("Host CPU busy", "%", cpu),
            Panel::lines("Write amplification", "times", amplification(input, most)),
            Panel::lines("Other sensors of the host (not the drive)", "°C", of(Quantity::Temperature, false, 4)),
        ],
        stretches: named_tests(input),
    };
    let caption = "A gap in a line is a period without readings. The table has the figures of the measured part of each step; a cell is \
                   empty if there were too few readings.";
    let figure = Figure {
        title: String::new(),
        caption: caption.to_owned(),
        chart: chart.drawable(),
        table: by_step(input),
        long: false,
    };
    let missing = recorded.remarks.clone();
    Watched { figures: vec![figure], notes: notes(input), missing, sources: sources(input) }
}

fn named_tests(input: &ReportInput<'_>) -> Vec<Stretch> {
    let line = series::run_time_line(input.records);
    let by_step: Vec<&[series::RunPoint]> = line.points.chunk_by(|a, b| a.key == b.key).collect();
    stretches(input, &by_step)
}

#[expect(clippy::cast_precision_loss, reason = "run times are below 2^53 nanoseconds")]
fn seconds(at_ns: u64) -> f64 {
    at_ns as f64 / 1e9
}

/// The points of a series, at most about `most`, with a break at each gap.
fn curve(source: &RecordedSource, at: usize, colour: u8, most: usize) -> Series {
    let name = source.description.series.get(at).map_or("", |series| series.name.as_str());
    let unit = source.description.series.get(at).map_or("", |series| series.quantity.unit());
    let values: Vec<(u64, f64)> = source.values(at).collect();
    drawn(&format!("{name} ({})", source.description.id), colour, unit, &values, source, most)
}

/// Averages neighbouring values if there are too many.
fn drawn(name: &str, colour: u8, unit: &str, values: &[(u64, f64)], source: &RecordedSource, most: usize) -> Series {
    let mut series = Series::new(name, colour);
    let each = values.len().div_ceil(most.max(1)).max(1);
    let mut last_ns = None;
    for chunk in values.chunks(each) {
        let (Some((first_ns, _)), Some((at_ns, _))) = (chunk.first(), chunk.last()) else { continue };
        let broken = |last: u64| source.gaps.iter().any(|gap| gap.from_ns < *first_ns && gap.to_ns > last);
        if last_ns.is_some_and(broken) {
            series.points.push(Point(seconds(*first_ns), None, String::new(), None));
        }
        #[expect(clippy::cast_precision_loss, reason = "a chunk has few values")]
        let mean = chunk.iter().map(|(_, value)| value).sum::<f64>() / chunk.len() as f64;
        let text = format!("{} {unit}", format::value(mean, unit));
        series.points.push(Point(seconds(*at_ns), Some(mean), text, Some(format!("at {:.1} s", seconds(*at_ns)))));
        last_ns = Some(*at_ns);
    }
    series
}

/// Bytes written to the media for each byte written by hosts, over the run.
fn amplification(input: &ReportInput<'_>, most: usize) -> Vec<Series> {
    let source = input.records.telemetry.sources.iter().find(|one| one.description.kind == SourceKind::MediaWrites);
    let course = series::write_amplification(input.records);
    source.map(|source| drawn("Media / host", COLOURS[0], "times", &course, source, most)).into_iter().collect()
}

/// How busy all CPUs together were between two readings.
fn cpu_curve(source: &RecordedSource, most: usize) -> Option<Series> {
    if source.description.kind != SourceKind::Cpu {
        return None;
    }
    let is_busy = |name: &str| name.split_once('.').is_some_and(|(_, kind)| CoreTime::is_busy(kind));
    let busy_kinds: Vec<bool> = source.description.series.iter().map(|series| is_busy(&series.name)).collect();
    let between = |pair: &[&drivelab_core::telemetry::Sample]| {
        let [before, after] = pair else { return None };
        let (mut busy, mut all) = (0.0, 0.0);
        for ((before, after), is_busy) in before.values.iter().zip(&after.values).zip(&busy_kinds) {
            let by = after.zip(*before).map_or(0.0, |(after, before)| (after - before).max(0.0));
            all += by;
            busy += if *is_busy { by } else { 0.0 };
        }
        (all > 0.0).then(|| (after.at_ns, 100.0 * busy / all))
    };
    // Counters move in steps of 10 ms: readings that are too close together would only show those steps.
    let apart = |a: &drivelab_core::telemetry::Sample, b: &drivelab_core::telemetry::Sample| {
        b.at_ns.saturating_sub(a.at_ns) >= source.description.every.get() / 2
    };
    let mut kept: Vec<&drivelab_core::telemetry::Sample> = Vec::new();
    for sample in &source.samples {
        if kept.last().is_none_or(|last| apart(last, sample)) {
            kept.push(sample);
        }
    }
    let values: Vec<(u64, f64)> = kept.windows(2).filter_map(between).collect();
    Some(drawn("All CPUs", COLOURS[4], "%", &values, source, most))
}

/// The figures of every step that has any.
fn by_step(input: &ReportInput<'_>) -> Table {
    let mut columns = vec![Column::words("Step")];
    columns.extend(COLUMNS.map(|(id, title, unit)| Column { metric: id.to_owned(), ..Column::figures(title, unit) }));
    let row = |step: &drivelab_core::plan::Step| {
        let cells: Vec<Cell> = COLUMNS.iter().map(|(id, ..)| cells::cell_of(input, step, id)).collect();
        let any = cells.iter().any(|cell| !cell.plain().is_empty());
        let role = if step.role == StepRole::Prepare { " (preparation)" } else { "" };
        any.then(|| {
            let mut row = vec![cells::step_cell(step, format!("{}{role}", step.label))];
            row.extend(cells);
            row
        })
    };
    let rows = input.records.plan.steps().filter_map(row).collect();
    Table { caption: "Temperature, power and CPU of every step".to_owned(), columns, rows }.without_empty_columns()
}

/// The cost of watching, and other remarks.
fn notes(input: &ReportInput<'_>) -> Vec<String> {
    let recorded = &input.records.telemetry;
    let readings: usize = recorded.sources.iter().map(|source| source.samples.len()).sum();
    let longest = recorded.sources.iter().flat_map(|source| &source.samples).map(|sample| sample.read_ns).max();
    let share = input.analysis.metric("run:run.telemetry_cpu").and_then(|metric| metric.value);
    let mut notes = vec![format!(
        "Watching cost {} of CPU time for {} readings, {} % of one CPU over the run; the longest reading took {}.",
        format::duration(recorded.cpu),
        format::count(u64::try_from(readings).unwrap_or(u64::MAX)),
        format::value(share.unwrap_or(0.0), "%"),
        format::duration(Nanos::new(longest.unwrap_or(0))),
    )];
    notes.extend(watching_cost::stated(input.records));
    notes.push(if recorded.always {
        "Watching continued in idle and latency-critical steps, as requested. This may have kept the drive awake and delayed \
         operations."
            .to_owned()
    } else {
        "Watching was paused where it could disturb the measurement: sources that send commands to the drive in idle steps, \
         and all sources except the user's own meters in steps with one operation in flight."
            .to_owned()
    });
    if recorded.sources.iter().any(|source| source.description.kind == SourceKind::Rapl) {
        notes.push("The power of the host processor does not include the drive.".to_owned());
    }
    if let Some(limit) = &recorded.abort_above {
        notes.push(format!("The run would have ended above {} °C ({}).", limit.celsius, limit.because));
    }
    notes
}

/// Every source: origin, accuracy, sampling interval, cost, and missing periods.
fn sources(input: &ReportInput<'_>) -> Table {
    let columns = vec![
        Column::words("Source"),
        Column::words("Origin"),
        Column::words("Accuracy"),
        Column::figures("Interval", "s"),
        Column::figures("Samples", ""),
        Column::figures("Mean reading time", "µs"),
        Column::figures("CPU per reading", "µs"),
        Column::figures("Longest reading in the run", "µs"),
        Column::words("Paused or missing"),
    ];
    let microseconds = |nanos: u64| format::latency_us(Nanos::new(nanos).as_secs_f64() * 1e6);
    let row = |source: &RecordedSource| {
        let described = &source.description;
        let cost = described.cost;
        let longest = source.samples.iter().map(|sample| sample.read_ns).max();
        let adapter = described.disturbs == Disturbs::Nothing;
        let every = if adapter { String::new() } else { format::value(described.every.as_secs_f64(), "s") };
        vec![
            Cell::text(described.id.to_string()),
            Cell::text(described.origin.clone()),
            Cell::text(described.accuracy.clone()),
            Cell::text(every),
            Cell::text(format::count(source.samples.len() as u64)),
            Cell::text(cost.map_or_else(String::new, |cost| microseconds(cost.time_mean.get()))),
            Cell::text(cost.map_or_else(String::new, |cost| microseconds(cost.cpu_mean.get()))),
            Cell::text(longest.map_or_else(String::new, microseconds)),
            Cell::text(gaps(source)),
        ]
    };
    let rows = input.records.telemetry.sources.iter().map(row).collect();
    Table { caption: "Sources".to_owned(), columns, rows }.without_empty_columns()
}

/// Total time without samples of a source, by cause.
fn gaps(source: &RecordedSource) -> String {
    let mut causes: Vec<(String, u64)> = Vec::new();
    for gap in &source.gaps {
        let cause = match &gap.cause {
            GapCause::Quiet => "paused for quiet steps".to_owned(),
            GapCause::Failed(why) => why.clone(),
            GapCause::Late => "read too late".to_owned(),
            GapCause::Interrupted => "the run was interrupted".to_owned(),
            GapCause::Lost => "not collected in time".to_owned(),
        };
        let length = gap.to_ns.saturating_sub(gap.from_ns);
        match causes.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, sum)) => *sum += length,
            None => causes.push((cause, length)),
        }
    }
    let text = |(cause, length): &(String, u64)| format!("{cause}: {}", format::duration(Nanos::new(*length)));
    causes.iter().map(text).collect::<Vec<_>>().join("; ")
}
