//! The table of a test whose steps work on sets of files, where one operation is one file.

use std::time::Duration;

use drivelab_core::files::{FilePlace, FileWork};
use drivelab_core::plan::Step;

use crate::figure::input::ReportInput;
use crate::figure::op::Op;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{cells, format, quantity};

/// Whether every step works on files.
pub(crate) fn are(steps: &[&Step]) -> bool {
    !steps.is_empty() && steps.iter().all(|step| step.workload().is_some_and(|workload| workload.files.is_some()))
}

/// Whether a step reads the source of copies, which may be on any device.
pub(crate) fn reads_source(step: &Step) -> bool {
    let files = step.workload().and_then(|workload| workload.files.as_ref());
    files.is_some_and(|load| (load.work, load.of) == (FileWork::Read, FilePlace::Source))
}

/// Whether a step copies files: from the source to the drive, or on the drive.
pub(crate) fn copies(step: &Step) -> bool {
    let files = step.workload().and_then(|workload| workload.files.as_ref());
    files.is_some_and(|load| load.work == FileWork::Copy)
}

/// One row per step: files per second, and the time of one file. Percentiles of few files would say nothing.
pub(crate) fn table(input: &ReportInput<'_>, steps: &[&Step], first_column: &str) -> Table {
    let columns = vec![
        Column::words(first_column),
        quantity::column(None, quantity::THROUGHPUT),
        Column { title: "Files".to_owned(), unit: "1/s".to_owned(), ..quantity::column(None, quantity::IOPS) },
        Column { title: "Mean per file".to_owned(), unit: String::new(), ..quantity::column(None, quantity::MEAN) },
        Column { title: "Longest file".to_owned(), unit: String::new(), ..quantity::column(None, quantity::MAX) },
        Column::figures("Median", "MB/s"),
        Column::figures("Range of rounds", "MB/s"),
        Column::figures("95 % interval of the mean", "MB/s"),
    ];
    let time = |step: &Step, op: Op, quantity: &str| match cells::value(input, step, op, quantity) {
        Some(us) => Cell::text(format::duration(Duration::from_secs_f64(us / 1e6).into())),
        None => cells::cell(input, step, op, quantity),
    };
    let row = |step: &&Step| {
        let op = Op::of(step);
        let rate = |quantity| cells::cell(input, step, op, quantity);
        let moves = cells::value(input, step, op, quantity::THROUGHPUT).is_none_or(|rate| rate > 0.0);
        let mut row = vec![cells::measured_cell(input, step)];
        row.push(if moves { rate(quantity::THROUGHPUT) } else { Cell::default() });
        row.extend([rate(quantity::IOPS), time(step, op, quantity::MEAN), time(step, op, quantity::MAX)]);
        if moves {
            row.push(cells::median_cell(input, step, op, quantity::THROUGHPUT));
            row.extend(cells::spread_cells(input, step, op, quantity::THROUGHPUT));
        }
        row.resize(8, Cell::default());
        row
    };
    Table { caption: String::new(), columns, rows: steps.iter().map(row).collect() }.without_empty_columns()
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::analyse;
    use drivelab_core::plan::Action;
    use drivelab_samples as testing;

    use super::*;

    #[test]
    fn steps_on_files_are_told_by_the_file_and_not_by_percentiles_of_a_few() {
        let mut records = testing::sample_run();
        let test = records.plan.tests.last_mut().expect("a test");
        for step in &mut test.steps {
            let Action::Io { workload, .. } = &mut step.action else { continue };
            testing::on_files(workload, FileWork::Copy, FilePlace::Source);
        }
        let title = test.title.clone();
        let analysis = analyse(&records);
        let input = ReportInput { records: &records, analysis: &analysis };
        let text = crate::markdown(&[input]).unwrap();
        let section =
            text.split(&format!("\n## {title}\n")).nth(1).and_then(|rest| rest.split("\n### ").next()).unwrap();
        assert!(
            section.contains("| Step | Throughput (MB/s) | Files (1/s) | Mean per file | Longest file |"),
            "{section}"
        );
        assert!(section.contains(" ms |") && !section.contains("p99"), "{section}");
        // Ten files a second that take 80 ms each are no contradiction.
        assert!(
            text.contains("include the time between files and the final sync; the mean per file does not"),
            "{text}"
        );
        assert!(text.contains("every file once"), "{text}");
        let terminal = crate::terminal_table(&input, 100);
        let section = terminal.split(&title).nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
        assert!(section.contains("Files") && !section.contains("p99"), "{section}");
    }
}
