//! "At a glance": the pairs of read and write that reviewers usually print, and at most eight headline figures.
//!
//! Picks figures (the highest, the lowest) from the metrics and computes none.

use drivelab_analysis::{rate, series};
use drivelab_core::metric::Metric;
use drivelab_core::plan::{MOST_HEADLINES, OWN_LOAD, Step, TestPlan};
use drivelab_core::workload::Pattern;

use crate::figure::input::ReportInput;
use crate::figure::op::Op;
use crate::figure::pairs::{Pair, measured, pairs_of};
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{cells, format, marks, quantity, rates, signs};
use crate::views::test::{files, sweep};
use crate::words::rounds::reported_rounds;
use crate::words::run_facts;

/// A figure with a bar.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BarCell {
    /// The figure.
    pub(crate) cell: Cell,
    /// Length of the bar, in per cent of the longest one.
    pub(crate) bar: f64,
    /// Index into the palette.
    pub(crate) colour: u8,
}

/// A row of the table of pairs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PairRow {
    /// The load.
    pub(crate) label: String,
    /// Read, then write.
    pub(crate) cells: [BarCell; 2],
}

/// A headline figure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Tile {
    /// The test.
    pub(crate) title: String,
    /// The figure.
    pub(crate) value: String,
    /// Details about the figure.
    pub(crate) detail: String,
}

/// The content of "At a glance".
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Look {
    /// Title of the test of the pairs, with its rounds.
    pub(crate) pairs_title: String,
    /// The pairs; empty if no test has any.
    pub(crate) pairs: Vec<PairRow>,
    /// One headline figure for each of the most telling other tests, then temperature, power and figures of the run.
    pub(crate) tiles: Vec<Tile>,
    /// The meaning of the signs that occur, a sentence each.
    pub(crate) signs: Vec<&'static str>,
}

/// The test whose pairs come first: the first test that is not a sweep, has a read and a write of the same load, and
/// nothing else.
pub(crate) fn corner_test<'a>(input: &ReportInput<'a>) -> Option<&'a TestPlan> {
    let whole = |test: &&TestPlan| {
        let pairs = pairs_of(test);
        let paired = pairs.iter().flat_map(|pair| [pair.read, pair.write]).flatten().count();
        pairs.iter().any(|pair| pair.read.is_some() && pair.write.is_some()) && measured(test).count() == paired
    };
    input.records.plan.tests.iter().filter(whole).find(|test| sweep::of_test(input, test).is_none())
}

/// Chooses the figures at the top of a review.
pub(crate) fn look(input: &ReportInput<'_>) -> Look {
    let plan = &input.records.plan;
    let named = plan.headlines.iter().filter_map(|name| plan.tests.iter().find(|test| test.name == *name));
    let tests: Vec<&TestPlan> = if plan.headlines.is_empty() { plan.tests.iter().collect() } else { named.collect() };
    let room = MOST_HEADLINES - watched_tiles(input).len();
    let mut look = of_tests(input, &tests, room);
    look.tiles.truncate(MOST_HEADLINES);
    look.signs = signs(&look);
    look
}

/// The same with a headline figure of every test.
pub(crate) fn whole(input: &ReportInput<'_>) -> Look {
    let mut look = of_tests(input, &input.records.plan.tests.iter().collect::<Vec<_>>(), usize::MAX);
    look.signs = signs(&look);
    look
}

/// Everything but the signs, with headline figures of these tests, at most `room` of them.
fn of_tests(input: &ReportInput<'_>, tests: &[&TestPlan], room: usize) -> Look {
    let corners = corner_test(input);
    let mut look = Look::default();
    if let Some(test) = corners {
        let rounds = reported_rounds(input, test);
        look.pairs_title = if rounds.is_empty() { test.title.clone() } else { format!("{}, {rounds}", test.title) };
        look.pairs = pair_rows(input, test);
    }
    let others = tests.iter().filter(|test| corners.is_none_or(|corners| corners.name != test.name));
    let own = input.records.plan.methodology.name == OWN_LOAD;
    look.tiles = others
        .flat_map(|test| if own { own_tiles(input, test) } else { tile(input, test).into_iter().collect() })
        .take(room)
        .collect();
    look.tiles.extend(watched_tiles(input));
    look.tiles.extend(run_facts::run_figures(input).into_iter().map(|(title, value)| Tile {
        title,
        value,
        detail: String::new(),
    }));
    look
}

/// For a step that several groups of threads run at the same time: its figures are their sums.
const ALL_GROUPS: &str = "all groups together";

/// For a replayed trace: its pauses say nothing about the drive.
const BUSY: &str = "over busy time";

/// The meaning of each sign that occurs in a figure at the top.
fn signs(look: &Look) -> Vec<&'static str> {
    let cells = look.pairs.iter().flat_map(|row| &row.cells).map(|one| one.cell.plain());
    let texts = cells.chain(look.tiles.iter().flat_map(|tile| [tile.value.clone(), tile.detail.clone()]));
    signs::explained(
        &texts.collect::<String>(),
        &[(&['≥'], signs::LOWER_BOUND), (&['≈'], signs::APPROXIMATED), (&['▲', '▼', '◆'], signs::DISTURBED)],
    )
}

/// A metric of a step that has a value.
fn known<'a>(input: &ReportInput<'a>, step: &Step, id: &str) -> Option<&'a Metric> {
    input.analysis.step_metric(&step.id, id).filter(|metric| metric.value.is_some())
}

/// The measured steps with the highest temperature and the highest power of the drive, if these were recorded.
fn watched_tiles(input: &ReportInput<'_>) -> Vec<Tile> {
    let shown = [
        ("Highest temperature", "temperature.max", "temperature.mean"),
        ("Highest mean power", "power.mean", "power.throughput_per_watt"),
    ];
    let steps: Vec<&Step> = input.records.plan.tests.iter().flat_map(measured).collect();
    let tile = |(title, id, beside): (&str, &str, &str)| {
        let values = steps.iter().filter_map(|step| Some((*step, known(input, step, id)?.value?)));
        let (step, _) = values.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let text = |id| {
            let metric = known(input, step, id)?;
            Some(format!("{} {}", cells::metric_cell(input, metric).plain(), cells::unit_text(&metric.unit)))
        };
        let name = match (beside, text(beside)) {
            ("temperature.mean", Some(text)) => format!(", mean {text}"),
            (_, Some(text)) => format!(", {text}"),
            _ => String::new(),
        };
        Some(Tile { title: title.to_owned(), value: text(id)?, detail: format!("{}{name}", step.label) })
    };
    shown.into_iter().filter_map(tile).collect()
}

fn pair_rows(input: &ReportInput<'_>, test: &TestPlan) -> Vec<PairRow> {
    let pairs = pairs_of(test);
    let rate = |step: Option<&Step>, op| step.and_then(|step| cells::value(input, step, op, quantity::THROUGHPUT));
    let longest = pairs
        .iter()
        .flat_map(|pair| [rate(pair.read, Op::Read), rate(pair.write, Op::Write)])
        .flatten()
        .fold(0.0, f64::max);
    let cell = |step: Option<&Step>, op, colour| {
        let value = rate(step, op).unwrap_or(0.0);
        let bar = if longest > 0.0 { value / longest * 100.0 } else { 0.0 };
        BarCell { cell: pair_cell(input, step, op), bar, colour }
    };
    let row = |pair: &Pair<'_>| PairRow {
        label: pair.label.clone(),
        cells: [cell(pair.read, Op::Read, 0), cell(pair.write, Op::Write, 1)],
    };
    pairs.iter().map(row).collect()
}

/// The pairs of read and write as a table; empty if no test has any.
pub(crate) fn pairs_table(input: &ReportInput<'_>) -> Table {
    let look = look(input);
    let columns = vec![Column::words("Load"), Column::figures("Read", "MB/s"), Column::figures("Write", "MB/s")];
    let row = |row: PairRow| std::iter::once(Cell::text(row.label)).chain(row.cells.map(|one| one.cell)).collect();
    Table { caption: look.pairs_title, columns, rows: look.pairs.into_iter().map(row).collect() }
}

/// The headline figure of a test: its lowest and highest rate with their steps; for a single step also its slowest
/// interval.
pub(crate) fn tile(input: &ReportInput<'_>, test: &TestPlan) -> Option<Tile> {
    let mut steps: Vec<_> = measured(test).collect();
    if files::are(&steps) {
        // Deleting moves no bytes, and the rate of the source says nothing about the drive.
        steps.retain(|step| {
            !files::reads_source(step) && cells::value(input, step, Op::of(step), quantity::THROUGHPUT) != Some(0.0)
        });
        // Copying and reading are different questions, and one range over both answers neither.
        if steps.iter().any(|step| files::copies(step)) {
            steps.retain(|step| files::copies(step));
        }
    }
    // If nothing reads or writes, the operations that the steps issue.
    let op = if steps.iter().any(|step| matches!(Op::of(step), Op::Read | Op::Write | Op::Total)) {
        Op::Total
    } else {
        steps.first().map_or(Op::Total, |step| Op::of(step))
    };
    if op.kind().is_none() && !steps.is_empty() && steps.iter().all(|step| is_one_at_a_time(step)) {
        return time_tile(input, test, &steps);
    }
    let rate =
        if op.kind().is_some() || counts_operations(test, &steps) { quantity::IOPS } else { quantity::THROUGHPUT };
    // Leaves out steps that are void or were not run.
    let valued = steps.iter().filter_map(|step| Some((*step, cells::value(input, step, op, rate)?)));
    let valued: Vec<(&Step, f64)> = valued.collect();
    let (best, _) = *valued.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (lowest, _) = *valued.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let unit = quantity::heading(rate).1;
    let text = |step| cells::cell(input, step, op, rate).plain();
    let of = if valued.len() == steps.len() { String::new() } else { format!("{} of ", valued.len()) };
    let count = format!("{of}{} steps", steps.len());
    let (value, detail) = match (steps.len(), valued.len()) {
        (1, _) => (text(best), lowest_interval(input, best).unwrap_or_default()),
        (_, 1) => (text(best), format!("the only one of {} steps with a figure: {}", steps.len(), best.label)),
        // A sweep has no single figure: its ends are the most useful ones.
        _ => (
            format!("{} – {}", text(lowest), text(best)),
            format!("lowest of {count}: {}; highest: {}", lowest.label, best.label),
        ),
    };
    let groups = if steps.iter().any(|step| cells::has_groups(step)) { ALL_GROUPS } else { "" };
    let busy = if steps.iter().any(|step| rate::replays(step)) { BUSY } else { "" };
    let parts = [busy, groups, &*detail].into_iter().filter(|part| !part.is_empty());
    let detail = parts.collect::<Vec<_>>().join("; ");
    Some(Tile { title: test.title.clone(), value: format!("{value} {unit}"), detail })
}

/// Largest blocks of which operations are counted rather than bytes.
const LARGEST_COUNTED: u64 = 64 << 10;

/// Whether the headline of these steps counts operations rather than bytes: they are small and random, and the source
/// of their test publishes no rates in bytes.
pub(crate) fn counts_operations(test: &TestPlan, steps: &[&Step]) -> bool {
    steps.iter().all(|step| is_small_and_random(step)) && !rates::is_published_in_bytes(test)
}

/// Whether a step issues small random operations without pauses: they are counted, their rate in bytes says little.
fn is_small_and_random(step: &Step) -> bool {
    step.workload().is_some_and(|load| {
        let plain = load.replay.is_none() && load.files.is_none() && !pauses(step);
        plain && load.pattern == Pattern::Random && load.block_size.get() <= LARGEST_COUNTED
    })
}

/// Whether a step has pauses of its own: it measures the rate of its bursts.
fn pauses(step: &Step) -> bool {
    step.workload().is_some_and(|load| load.pace.bursts.is_some() || load.pace.volume_bursts.is_some())
}

/// Whether a step issues random operations one at a time: it measures their latency.
fn is_one_at_a_time(step: &Step) -> bool {
    step.workload().is_some_and(|load| {
        let one = load.queue_depth.get() == 1 && load.threads.get() == 1 && load.beside.is_empty();
        let plain = load.replay.is_none() && load.files.is_none();
        let plain = plain && !pauses(step);
        one && plain && load.pattern == Pattern::Random
    })
}

/// The mean latency of steps that issue one operation at a time; of several the lowest and the highest.
fn time_tile(input: &ReportInput<'_>, test: &TestPlan, steps: &[&Step]) -> Option<Tile> {
    let text = |step: &Step, quantity| {
        let op = Op::of(step);
        cells::value(input, step, op, quantity).map(|_| cells::cell(input, step, op, quantity).plain())
    };
    let valued =
        steps.iter().filter_map(|step| Some((*step, cells::value(input, step, Op::of(step), quantity::MEAN)?)));
    let mut valued: Vec<(&Step, f64)> = valued.collect();
    valued.sort_by(|one, other| one.1.total_cmp(&other.1));
    let ((fastest, _), (slowest, _)) = (*valued.first()?, *valued.last()?);
    let (value, detail) = if valued.len() == 1 {
        let p99 = text(fastest, quantity::P99).map(|p99| format!("; p99 {p99} µs")).unwrap_or_default();
        (text(fastest, quantity::MEAN)?, format!("mean, one at a time{p99}"))
    } else {
        let ends = format!("{} – {}", text(fastest, quantity::MEAN)?, text(slowest, quantity::MEAN)?);
        (ends, format!("mean, one at a time; lowest: {}; highest: {}", fastest.label, slowest.label))
    };
    Some(Tile { title: test.title.clone(), value: format!("{value} µs"), detail })
}

/// For a load given by flags: one headline figure for each kind of operation, with the figures of most interest.
fn own_tiles(input: &ReportInput<'_>, test: &TestPlan) -> Vec<Tile> {
    let of_kind = |step: &Step, op: Op| {
        let text =
            |quantity| cells::value(input, step, op, quantity).map(|_| cells::cell(input, step, op, quantity).plain());
        let value = format!("{} IOPS", text(quantity::IOPS)?);
        // If operations arrive on a schedule, a user waits for the response time.
        let (name, p50, p99) = match text(quantity::RESPONSE_P99) {
            Some(_) => ("response time ", quantity::RESPONSE_P50, quantity::RESPONSE_P99),
            None => ("", quantity::P50, quantity::P99),
        };
        let parts = [
            cells::has_groups(step).then(|| ALL_GROUPS.to_owned()),
            text(quantity::THROUGHPUT).map(|rate| format!("{rate} MB/s")),
            text(p50).map(|p50| format!("{name}p50 {p50} µs")),
            text(p99).map(|p99| format!("p99 {p99} µs")),
        ];
        let detail = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        Some(Tile { title: op.title().to_owned(), value, detail })
    };
    if measured(test).any(rate::replays) {
        return tile(input, test).into_iter().collect();
    }
    measured(test).flat_map(|step| Op::all_of(step).into_iter().filter_map(move |op| of_kind(step, op))).collect()
}

/// The slowest interval of the last round of a step; `None` if it is not below the mean of the step.
fn lowest_interval(input: &ReportInput<'_>, step: &Step) -> Option<String> {
    // An interval in a pause moves nothing, but the drive is not slow then.
    if pauses(step) || rate::replays(step) {
        return None;
    }
    let key = input.records.steps.iter().rfind(|record| record.key.step == step.id)?.key.clone();
    let line = series::time_line(input.records, &key);
    // The last interval is shorter than the others and may hold only the tail of the step. The mean includes it: if it
    // was slow, all others may be above the mean.
    let mean = cells::value(input, step, Op::Total, quantity::THROUGHPUT)?;
    let whole = line.get(..line.len().checked_sub(1)?)?.iter().filter(|point| !point.ramp);
    let lowest = whole.min_by(|a, b| a.mb_s.total_cmp(&b.mb_s)).filter(|lowest| lowest.mb_s < mean)?;
    let rate = marks::of(input, &key).rate(format::mb_s(lowest.mb_s)).plain();
    Some(format!("mean; slowest interval {rate} MB/s, at {} s", format::at_second(lowest.t_s)))
}

/// A cell of the table of pairs: throughput, with IOPS and mean latency below.
pub(crate) fn pair_cell(input: &ReportInput<'_>, step: Option<&Step>, op: Op) -> Cell {
    let Some(step) = step else { return Cell::default() };
    let main = cells::cell(input, step, op, quantity::THROUGHPUT);
    if main.is_void() {
        return main;
    }
    let part = |quantity: &str, unit: &str| {
        let cell = cells::cell(input, step, op, quantity);
        if cell.text.is_empty() || cell.is_void() { String::new() } else { format!("{} {unit}", cell.plain()) }
    };
    let parts = [part(quantity::IOPS, "IOPS"), part(quantity::MEAN, "µs mean")];
    let detail = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
    Cell { detail, approximation: cells::approximation(&step.approximations), ..main }
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::analyse;
    use drivelab_core::files::{FilePlace, FileWork};
    use drivelab_core::load::Bursts;
    use drivelab_core::plan::Action;
    use drivelab_core::run::RunRecords;
    use drivelab_core::units::{Nanos, QueueDepth};
    use drivelab_core::workload::Workload;
    use drivelab_samples as testing;

    use super::*;

    fn tile_of(records: &RunRecords, test: &str) -> Tile {
        let analysis = analyse(records);
        let look = look(&ReportInput { records, analysis: &analysis });
        let title = &records.plan.tests.iter().find(|one| one.name == test).expect("the sample has it").title;
        look.tiles.into_iter().find(|tile| tile.title == *title).expect("a headline")
    }

    fn with(test: &str, change: impl Fn(&mut Workload)) -> RunRecords {
        let mut records = testing::sample_run();
        let steps = records.plan.tests.iter_mut().filter(|one| one.name == test).flat_map(|one| &mut one.steps);
        for step in steps {
            if let Action::Io { workload, .. } = &mut step.action {
                change(workload);
            }
        }
        records
    }

    #[test]
    fn a_sweep_of_random_loads_shows_operations_and_one_in_order_bytes() {
        assert!(tile_of(&testing::sample_run(), "depths").value.ends_with("IOPS"));
        let in_order = with("depths", |load| load.pattern = Pattern::Sequential);
        assert!(tile_of(&in_order, "depths").value.ends_with("MB/s"));
    }

    #[test]
    fn a_step_that_does_one_operation_at_a_time_shows_its_time() {
        let mut records = testing::sample_run();
        let depths = records.plan.tests.iter_mut().find(|one| one.name == "depths").expect("the sample has it");
        let at = |step: &Step| step.workload().is_some_and(|load| load.queue_depth.get() == 1);
        depths.steps.retain(at);
        assert_eq!(depths.steps.len(), 1, "the sweep begins with one in flight");
        let tile = tile_of(&records, "depths");
        assert!(tile.value.ends_with(" µs") && tile.detail.contains("p99"), "{tile:?}");
        // Of several such steps it shows the shortest and the longest time.
        let several = with("depths", |load| load.queue_depth = QueueDepth::ONE);
        let depths = several.plan.tests.iter().find(|one| one.name == "depths").expect("the sample has it");
        // The figures of the run as it was: with one in flight, those times would be too long for the rates.
        let analysis = analyse(&testing::sample_run());
        let range = super::tile(&ReportInput { records: &several, analysis: &analysis }, depths).expect("a headline");
        assert!(range.value.ends_with(" µs") && range.value.contains(" – "), "{range:?}");
        let bursts = Bursts { on: Nanos::from_millis(10), off: Nanos::from_millis(10) };
        for step in records.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
            if let Action::Io { workload, .. } = &mut step.action {
                workload.pace.bursts = Some(bursts);
            }
        }
        assert!(tile_of(&records, "depths").value.ends_with("B/s"), "of bursts their rate");
    }

    #[test]
    fn steps_without_a_figure_have_no_place_in_a_range_and_leave_it_one() {
        let records = testing::sample_run();
        let mut analysis = analyse(&records);
        let depths = records.plan.tests.iter().find(|one| one.name == "depths").expect("the sample has it");
        let tile_of = |analysis: &drivelab_analysis::Analysis| {
            let tiles = look(&ReportInput { records: &records, analysis }).tiles;
            tiles.into_iter().find(|tile| tile.title == depths.title).expect("a headline")
        };
        let whole = tile_of(&analysis);
        let mut void = |steps: &[Step]| {
            for metric in &mut analysis.metrics {
                if steps.iter().any(|step| metric.step.as_ref() == Some(&step.id)) {
                    (metric.value, metric.spread, metric.voided_by) = (None, None, vec!["made_up".to_owned()]);
                }
            }
            tile_of(&analysis)
        };
        let one_void = void(&depths.steps[..1]);
        let (second, last) = (&depths.steps[1].label, &depths.steps[6].label);
        assert_eq!(one_void.detail, format!("lowest of 6 of 7 steps: {second}; highest: {last}"));
        let ends = |tile: &Tile| tile.value.split(" – ").map(str::to_owned).collect::<Vec<_>>();
        assert_eq!((ends(&one_void).len(), &ends(&one_void)[1]), (2, &ends(&whole)[1]), "{one_void:?}");
        let one_left = void(&depths.steps[..6]);
        assert_eq!(one_left.value, ends(&whole)[1]);
        assert_eq!(one_left.detail, format!("the only one of 7 steps with a figure: {last}"));
    }

    #[test]
    fn of_copies_and_other_work_on_files_the_copies_are_the_headline() {
        let mut records = testing::sample_run();
        let depths = records.plan.tests.iter_mut().find(|one| one.name == "depths").expect("the sample has it");
        let works = [FileWork::Read, FileWork::Copy, FileWork::Copy];
        for (step, work) in depths.steps.iter_mut().zip(works.iter().cycle()) {
            if let Action::Io { workload, .. } = &mut step.action {
                testing::on_files(workload, *work, FilePlace::Original);
            }
        }
        let copies = depths.steps.iter().filter(|step| files::copies(step));
        let copied: Vec<String> = copies.map(|step| step.label.clone()).collect();
        let tile = tile_of(&records, "depths");
        assert!(tile.detail.starts_with(&format!("lowest of {} steps: ", copied.len())), "{tile:?}");
        let named = |part: &str| copied.iter().any(|label| part.ends_with(&format!(": {label}")));
        assert!(tile.detail.split("; ").all(named), "{tile:?}: {copied:?}");
    }

    #[test]
    fn a_figure_of_several_groups_is_said_to_be_of_all() {
        let records = testing::sample_mixed_run();
        assert!(tile_of(&records, "groups").detail.starts_with("all groups together"));
        assert!(!tile_of(&records, "mixed").detail.contains("groups"));
    }

    #[test]
    fn the_headline_of_a_timed_replay_is_its_rate_over_busy_time() {
        let records = testing::replayed(testing::sample_run(), "sustained");
        let analysis = analyse(&records);
        let input = ReportInput { records: &records, analysis: &analysis };
        let test = records.plan.tests.iter().find(|one| one.name == "sustained").expect("the sample has it");
        let value = |id: &str| analysis.step_metric(&test.steps[0].id, id).and_then(|one| one.value).expect("a value");
        let (busy, whole) = (format::mb_s(value("replay.busy_throughput")), format::mb_s(value("write.throughput")));
        assert_ne!(busy, whole);
        let tile = tile_of(&records, "sustained");
        assert_eq!((tile.value.as_str(), tile.detail.as_str()), (format!("{busy} MB/s").as_str(), BUSY));
        let table = crate::views::test::steps::table_of(&input, test, "Step");
        assert_eq!((table.columns[1].title.as_str(), table.rows[0][1].plain()), ("Over busy time", busy.clone()));
        for (name, text) in [
            ("brief", crate::brief(&input)),
            ("Markdown", crate::markdown(&[input]).expect("a text")),
            ("terminal", crate::terminal_table(&input, 200)),
        ] {
            assert!(text.contains(&busy), "{name} lacks {busy}");
        }
    }

    #[test]
    fn the_slowest_interval_is_below_the_mean_or_is_not_named() {
        let records = testing::sample_run();
        let mut analysis = analyse(&records);
        let test = records.plan.tests.iter().find(|one| one.name == "sustained").expect("the sample has it");
        let detail = |analysis: &drivelab_analysis::Analysis| {
            tile(&ReportInput { records: &records, analysis }, test).expect("a headline").detail
        };
        let named = detail(&analysis);
        let slowest = named.split("slowest interval ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a rate");
        let slowest: f64 = slowest.replace(',', "").parse().expect("a number");
        // The last interval, which is not looked at, was so slow that the mean is below all others.
        let mut with_mean = |mean: f64| {
            let rates = analysis.metrics.iter_mut().filter(|one| one.address.starts_with(test.steps[0].id.as_str()));
            rates.filter(|one| one.id == "total.throughput").for_each(|one| one.value = Some(mean));
            detail(&analysis)
        };
        assert_eq!(with_mean(slowest * 1.1), named);
        assert_eq!(with_mean(slowest * 0.9), "");
    }

    #[test]
    fn a_pause_is_no_slow_interval() {
        let plain = tile_of(&testing::sample_run(), "sustained");
        assert!(plain.detail.contains("slowest interval"), "{plain:?}");
        let bursts = Bursts { on: Nanos::from_millis(10), off: Nanos::from_millis(10) };
        let paused = tile_of(&with("sustained", |load| load.pace.bursts = Some(bursts)), "sustained");
        assert_eq!(paused.detail, "");
    }

    #[test]
    fn at_most_eight_headlines_are_shown_and_those_that_the_methodology_names() {
        let mut records = testing::sample_run();
        let again: Vec<TestPlan> = (0..5).flat_map(|_| records.plan.tests.clone()).collect();
        records.plan.tests.extend(again);
        let analysis = analyse(&records);
        let tiles = |records: &RunRecords| look(&ReportInput { records, analysis: &analysis }).tiles;
        assert_eq!(tiles(&records).len(), MOST_HEADLINES);
        assert!(whole(&ReportInput { records: &records, analysis: &analysis }).tiles.len() > MOST_HEADLINES);
        records.plan.headlines = vec!["sustained".to_owned(), "depths".to_owned()];
        let title = |name: &str| records.plan.tests.iter().find(|test| test.name == name).expect("it").title.clone();
        let named: Vec<String> = tiles(&records).into_iter().take(2).map(|tile| tile.title).collect();
        assert_eq!(named, [title("sustained"), title("depths")]);
        assert!(!tiles(&records).iter().any(|tile| tile.title == title("mixes")));
    }

    #[test]
    fn temperature_and_power_keep_their_places_among_the_eight() {
        let mut records = testing::sample_watched_run();
        let again: Vec<TestPlan> = (0..5).flat_map(|_| records.plan.tests.clone()).collect();
        records.plan.tests.extend(again);
        let analysis = analyse(&records);
        let tiles = look(&ReportInput { records: &records, analysis: &analysis }).tiles;
        assert_eq!(tiles.len(), MOST_HEADLINES);
        assert!(tiles.iter().any(|tile| tile.title == "Highest temperature"), "{tiles:?}");
    }
}
