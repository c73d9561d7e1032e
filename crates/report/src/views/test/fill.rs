//! What the fills of a test show about the write cache, as a table.

use drivelab_analysis::fill::{is_fill, segments};
use drivelab_core::plan::{Step, TestPlan};

use crate::figure::cells::{self, unit_text};
use crate::figure::input::ReportInput;
use crate::figure::op::Op;
use crate::figure::pairs::measured;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{Figure, format, marks, quantity};

/// The figures, in the order of the columns.
const COLUMNS: [(&str, &str); 8] = [
    ("fill.peak", "Before cache end"),
    ("fill.cache_size", "Cache size"),
    ("fill.cache_share", "Share of span"),
    ("fill.sustained", "After cache end"),
    ("fill.last_16_gb", "Last 16 GB"),
    ("fill.recoveries", "Recoveries"),
    ("fill.recovery_share", "Written in recoveries"),
    ("fill.late_decline", "Late decline"),
];

/// The table of a test's fills. A fill with too few intervals to show a cache end has its rate and its time.
pub(crate) fn of_test(input: &ReportInput<'_>, test: &TestPlan) -> Option<Figure> {
    let of = |step: &Step, id: &str| input.analysis.step_metric(&step.id, id).is_some();
    let fills: Vec<_> = measured(test).filter(|step| is_fill(step) && of(step, "duration")).collect();
    fills.first()?;
    let has_course = fills.iter().any(|step| of(step, "fill.peak"));
    let mut columns = vec![Column::words("Fill"), quantity::column(Some(Op::Write), quantity::THROUGHPUT)];
    columns.extend(COLUMNS.iter().map(|(id, title)| {
        let unit = drivelab_analysis::metric_def(id).map_or("", |def| def.unit);
        Column { metric: (*id).to_owned(), ..Column::figures(title, unit_text(unit)) }
    }));
    columns.push(Column { metric: "duration".to_owned(), ..Column::figures("Time", "s") });
    let row = |step: &&Step| {
        let mut row = vec![cells::measured_cell(input, step)];
        row.push(cells::cell(input, step, Op::Write, quantity::THROUGHPUT));
        row.extend(COLUMNS.iter().map(|(id, _)| cells::cell_of(input, step, id)));
        row.push(cells::cell_of(input, step, "duration"));
        row
    };
    let rows = fills.iter().map(row).collect();
    let (title, caption) = if has_course {
        let meaning = "The first figure is the mean rate. The cache ends at the change that divides the fill best, if it is \
                       a permanent step down: steadily faster before it, mostly slower after it. If there is no such \
                       end, the rate before it is that of the whole fill, and the findings say what was seen instead \
                       (a burst, a gap, a slow decline).";
        ("The write cache", meaning)
    } else {
        ("Fills", "There are too few recorded intervals to see whether a write cache ended.")
    };
    let table = Table { caption: format!("{}: {}", test.title, title.to_lowercase()), columns, rows };
    Some(Figure {
        title: title.to_owned(),
        caption: caption.to_owned(),
        chart: None,
        table: table.without_empty_columns(),
        long: false,
    })
}

/// Most rows of [`by_position`]; on a drive with more GB, each row covers several.
const MOST_ROWS: usize = 512;

/// The rate of each GB of the fills of a test, one table per fill.
pub(crate) fn by_position(input: &ReportInput<'_>, test: &TestPlan) -> Vec<Figure> {
    let figure = |step: &Step| {
        let cut = segments::of_step(input.records, step, MOST_ROWS)?;
        let last = input.records.steps.iter().rfind(|record| record.key.step == step.id)?;
        let marks = marks::of(input, &last.key);
        let gb = cut.size / 1e9;
        let row = |(from, rate): (f64, f64)| {
            vec![Cell::text(format!("{:.0}", from / 1e9)), marks.rate(format::mb_s(rate / 1e6))]
        };
        Some(Figure {
            title: "By position".to_owned(),
            caption: format!(
                "The rate of each section of {gb:.0} GB, lowest address first. The rate within a recorded interval is assumed \
                 to be constant.{}",
                marks.says()
            ),
            chart: None,
            table: Table {
                caption: format!("{} by position", step.label),
                columns: vec![Column::figures("From", "GB"), Column::figures("Write", "MB/s")],
                rows: cut.places().map(row).collect(),
            },
            long: true,
        })
    };
    measured(test).filter_map(figure).collect()
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::analyse;
    use drivelab_samples::sample_run;

    use super::*;

    #[test]
    fn a_fill_of_a_few_intervals_has_its_rate_and_its_time() {
        let mut records = sample_run();
        let is_of_fills = |test: &&TestPlan| measured(test).any(is_fill);
        let test = records.plan.tests.iter().find(is_of_fills).expect("the sample has a fill").clone();
        let of_test = |records: &drivelab_core::run::RunRecords| {
            let figure = super::of_test(&ReportInput { records, analysis: &analyse(records) }, &test).expect("a table");
            let value = |title: &str| {
                let column = figure.table.columns.iter().position(|column| column.title == title)?;
                Some(figure.table.rows[0][column].plain())
            };
            (figure.title.clone(), value("After cache end"), value("Time"))
        };
        let (title, _, time) = of_test(&records);
        assert_eq!(title, "The write cache");
        records.intervals.retain(|interval| !test.steps.iter().any(|step| step.id == interval.key.step));
        assert_eq!(of_test(&records), ("Fills".to_owned(), None, time.clone()));
        assert!(time.is_some_and(|time| !time.is_empty()));
    }
}
