//! Loads on sets of files: in words what is done, on how many files of which sizes, through what; and the table of a
//! test of such steps, in which an operation is a file.

use std::time::Duration;

use drivelab_core::files::{FileLoad, FilePlace, FileSet, FileSizes, FileSync, FileWork};
use drivelab_core::plan::Step;
use drivelab_core::units::Bytes;

use crate::figures::{self, Op, quantity};
use crate::load::LoadWords;
use crate::table::{Cell, Column, Table};
use crate::{ReportInput, format};

/// Whether every step works on files.
pub(crate) fn are(steps: &[&Step]) -> bool {
    !steps.is_empty() && steps.iter().all(|step| step.workload().is_some_and(|workload| workload.files.is_some()))
}

/// Whether a step reads the source of copies, which may lie anywhere.
pub(crate) fn reads_source(step: &Step) -> bool {
    let files = step.workload().and_then(|workload| workload.files.as_ref());
    files.is_some_and(|load| (load.work, load.of) == (FileWork::Read, FilePlace::Source))
}

/// One row a step: files a second, and what one file takes. A percentile of a few files says nothing.
pub(crate) fn table(input: &ReportInput<'_>, steps: &[&Step], first_column: &str) -> Table {
    let columns = vec![
        Column::words(first_column),
        figures::column(None, quantity::THROUGHPUT),
        Column { title: "Files".to_owned(), unit: "1/s".to_owned(), ..figures::column(None, quantity::IOPS) },
        Column { title: "A file, mean".to_owned(), unit: String::new(), ..figures::column(None, quantity::MEAN) },
        Column { title: "Longest".to_owned(), unit: String::new(), ..figures::column(None, quantity::MAX) },
        Column::figures("Median", "MB/s"),
        Column::figures("Rounds from – to", "MB/s"),
        Column::figures("95 % interval of the mean", "MB/s"),
    ];
    let time = |step: &Step, op: Op, quantity: &str| match figures::value(input, step, op, quantity) {
        Some(us) => Cell::text(format::duration(Duration::from_secs_f64(us / 1e6).into())),
        None => figures::cell(input, step, op, quantity),
    };
    let row = |step: &&Step| {
        let op = Op::of(step);
        let rate = |quantity| figures::cell(input, step, op, quantity);
        let moves = figures::value(input, step, op, quantity::THROUGHPUT).is_none_or(|rate| rate > 0.0);
        let mut row = vec![figures::measured_cell(input, step)];
        row.push(if moves { rate(quantity::THROUGHPUT) } else { Cell::default() });
        row.extend([rate(quantity::IOPS), time(step, op, quantity::MEAN), time(step, op, quantity::MAX)]);
        if moves {
            row.push(figures::median_cell(input, step, op, quantity::THROUGHPUT));
            row.extend(figures::spread_cells(input, step, op, quantity::THROUGHPUT));
        }
        row.resize(8, Cell::default());
        row
    };
    Table { caption: String::new(), columns, rows: steps.iter().map(row).collect() }.without_empty_columns()
}

/// The load in words.
pub(crate) fn words(load: &FileLoad, buffer: Bytes, threads: u32, direct: bool) -> LoadWords {
    let FileLoad { set, work, of, sync } = load;
    let what = match (work, of) {
        (FileWork::Create, _) => "files made",
        (FileWork::Copy, FilePlace::Source) => "files copied from the source",
        (FileWork::Copy, _) => "files copied on the drive",
        (FileWork::Read, FilePlace::Source) => "files of the source read",
        (FileWork::Read, _) => "files read",
        (FileWork::Verify, _) => "files read and checked",
        (FileWork::Delete, _) => "files deleted",
    };
    let synced = match sync {
        _ if work.reads() => "",
        FileSync::Each => ", each made durable before it counts",
        FileSync::End => ", all made durable at the end, inside the time",
        FileSync::Never => ", not made durable",
    };
    let plural = if threads == 1 { "" } else { "s" };
    let way = if direct { "direct I/O" } else { "without direct I/O" };
    let compress = set.compress_percent;
    LoadWords {
        load: format!(
            "{what}, one operation a file: {}, buffers of {buffer}, {threads} thread{plural}{synced}",
            law(set)
        ),
        data: format!("incompressible but for {compress} % of each 4 KiB, {way}"),
        span: format!("{} in all", set.bytes()),
        seed: set.seed.to_string(),
    }
}

/// Number and sizes.
fn law(set: &FileSet) -> String {
    let sizes = match set.sizes {
        FileSizes::Fixed { size } => format!("{size} each"),
        FileSizes::LogNormal { median, sigma_millionths } => {
            format!("log-normal sizes, median {median}, sigma {:.3}", f64::from(sigma_millionths) / 1e6)
        }
        FileSizes::LogUniform { smallest, largest } => format!("log-uniform sizes, {smallest} to {largest}"),
    };
    match set.total {
        Some(total) => format!("{} files, {sizes}, scaled to {total}", set.count),
        None => format!("{} files, {sizes}", set.count),
    }
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::{analyse, testing};
    use drivelab_core::plan::Action;
    use drivelab_core::units::Percent;

    use super::*;

    #[test]
    fn steps_on_files_are_told_by_the_file_and_not_by_percentiles_of_a_few() {
        let mut records = testing::sample_run();
        let test = records.plan.tests.last_mut().expect("a test");
        for step in &mut test.steps {
            let Action::Io { workload, .. } = &mut step.action else { continue };
            workload.files = Some(Box::new(FileLoad {
                set: FileSet {
                    name: "large".to_owned(),
                    count: 4,
                    sizes: FileSizes::Fixed { size: Bytes::GIB },
                    total: None,
                    seed: 1,
                    compress_percent: Percent::ZERO,
                },
                work: FileWork::Copy,
                of: FilePlace::Source,
                sync: FileSync::End,
            }));
        }
        let title = test.title.clone();
        let analysis = analyse(&records);
        let input = ReportInput { records: &records, analysis: &analysis };
        let text = crate::markdown(&[input]).unwrap();
        let section =
            text.split(&format!("\n## {title}\n")).nth(1).and_then(|rest| rest.split("\n### ").next()).unwrap();
        assert!(section.contains("| Step | Throughput (MB/s) | Files (1/s) | A file, mean | Longest |"), "{section}");
        assert!(section.contains(" ms |") && !section.contains("p99"), "{section}");
        assert!(text.contains("every file once"), "{text}");
        let terminal = crate::terminal_table(&input, 100);
        let section = terminal.split(&title).nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
        assert!(section.contains("Files") && !section.contains("p99"), "{section}");
    }
}
