//! Speed by position: the rate of each part of a scan as a chart, and regions of one state as a table.

use drivelab_analysis::map::{MapPart, PartState, SpeedMap, maps, regions};
use drivelab_core::plan::TestPlan;

use crate::figure::chart::{Axis, Chart, Panel, Point, Series, colour};
use crate::figure::input::ReportInput;
use crate::figure::marks::{self, Marks};
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{Figure, format};

const GB: f64 = 1e9;

/// Every map of a test.
pub(crate) fn of_test(input: &ReportInput<'_>, test: &TestPlan) -> Vec<SpeedMap> {
    maps(input.records, test)
}

/// One figure for each map.
pub(crate) fn figures(input: &ReportInput<'_>, test: &TestPlan, id: &str) -> Vec<Figure> {
    let figure = |(at, map): (usize, &SpeedMap)| {
        let marks = marks(input, map);
        Figure {
            title: "Speed map".to_owned(),
            caption: format!("{}{}", caption(map), marks.says()),
            chart: chart(map, marks, &format!("{id}-map-{at}")).drawable(),
            table: table(map, marks),
            long: false,
        }
    };
    of_test(input, test).iter().enumerate().map(figure).collect()
}

/// The signs of the execution that a map shows: the last one.
fn marks(input: &ReportInput<'_>, map: &SpeedMap) -> Marks {
    let last = input.records.steps.iter().rfind(|record| record.key.step == map.step);
    last.map(|record| marks::of(input, &record.key)).unwrap_or_default()
}

fn caption(map: &SpeedMap) -> String {
    let count = |state: PartState| map.parts.iter().filter(|part| part.state == state).count();
    let sample = if map.sampled { " Only samples of each part were read." } else { "" };
    format!(
        "{}: of {} equal parts {} are ok, {} slow (below 40 % of the median), {} bad (failed reads, or blocks with data \
         that differs from what was written) and {} not read.{sample} The table joins neighbouring parts of the same state.",
        map.label,
        map.parts.len(),
        count(PartState::Ok),
        count(PartState::Slow),
        count(PartState::Bad),
        count(PartState::NotRead)
    )
}

#[expect(clippy::cast_precision_loss, reason = "addresses stay below 2^53 bytes")]
fn gb(bytes: u64) -> f64 {
    bytes as f64 / GB
}

fn place(part: &MapPart) -> String {
    format!("{} to {} GB", format::mb_s(gb(part.from)), format::mb_s(gb(part.to)))
}

fn chart(map: &SpeedMap, marks: Marks, id: &str) -> Chart {
    let mut read = Series::new("Read", colour::READ);
    for part in &map.parts {
        let shown = |rate: f64| format!("{} MB/s", marks.rate(format::mb_s(rate)).plain());
        let text = part.mb_s.map_or_else(|| part.state.word().to_owned(), shown);
        read.points.push(Point(f64::midpoint(gb(part.from), gb(part.to)), part.mb_s, text, Some(place(part))));
    }
    Chart {
        id: id.to_owned(),
        description: format!("{}: rate over position.", map.label),
        x: Axis::linear("Position (GB)", map.parts.last().map_or(0.0, |last| gb(last.to))),
        panels: vec![Panel::lines("Throughput", "MB/s", vec![read])],
        stretches: Vec::new(),
    }
}

fn table(map: &SpeedMap, marks: Marks) -> Table {
    let columns = vec![
        Column::words("Region"),
        Column::words("State"),
        Column::figures("Read", "MB/s"),
        Column::figures("Operations", ""),
        Column::figures("Failed reads", ""),
        Column::figures("Bad blocks", ""),
    ];
    let some = |count: u64| if count > 0 { Cell::text(format::count(count)) } else { Cell::default() };
    let row = |region: &MapPart| {
        vec![
            Cell::text(place(region)),
            Cell::text(region.state.word()),
            region.mb_s.map_or_else(Cell::default, |rate| marks.rate(format::mb_s(rate))),
            Cell::text(format::count(region.operations)),
            some(region.errors),
            some(region.bad_blocks),
        ]
    };
    let rows = regions(map).iter().map(row).collect();
    Table { caption: format!("{}: regions", map.label), columns, rows }.without_empty_columns()
}
