//! Copies of sets of files: whether the source limited a copy, and whether a copy on the drive was faster than one to
//! it.

use drivelab_core::files::FileLoad;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::{Step, TestPlan};
use drivelab_core::run::RunRecords;

use crate::topics::rounds::used_rounds;

/// Share of the source's own read rate from which a copy counts as limited by the source: no copy can be faster, and a
/// pipeline that keeps the source busy loses a few per cent at its ends.
pub(super) const SOURCE_SHARE: f64 = 0.95;

/// A step on files over its rounds.
pub(crate) struct Transfer<'r> {
    /// The step.
    pub(crate) step: &'r Step,
    /// Its load.
    pub(crate) load: &'r FileLoad,
    /// Bytes of all rounds by their time together, in bytes per second.
    pub(crate) rate: f64,
    /// The executions.
    pub(crate) keys: Vec<StepKey>,
}

/// Every measured step on files that moved anything.
pub(super) fn transfers(records: &RunRecords) -> Vec<Transfer<'_>> {
    records.plan.tests.iter().flat_map(|test| steps(records, test)).collect()
}

fn steps<'r>(records: &'r RunRecords, test: &'r TestPlan) -> Vec<Transfer<'r>> {
    test.steps.iter().filter_map(|step| transfer(records, test, step)).collect()
}

fn transfer<'r>(records: &'r RunRecords, test: &TestPlan, step: &'r Step) -> Option<Transfer<'r>> {
    let load = step.workload()?.files.as_deref()?;
    let used = used_rounds(records, test, step);
    let seconds: f64 = used.iter().map(|record| record.elapsed().as_secs_f64()).sum();
    let bytes: f64 = used.iter().map(|record| record.read.bytes.as_f64() + record.write.bytes.as_f64()).sum();
    let keys = used.iter().map(|record| record.key.clone()).collect();
    (seconds > 0.0 && bytes > 0.0).then(|| Transfer { step, load, rate: bytes / seconds, keys })
}

/// Whether every load of the run works on files: its target file then contains nothing that is measured.
pub(crate) fn only_files(records: &RunRecords) -> bool {
    let mut loads = records.plan.steps().filter_map(Step::workload).peekable();
    loads.peek().is_some() && loads.all(|load| load.files.is_some())
}

#[cfg(test)]
mod tests {
    //! Rates by hand.

    use drivelab_core::files::{FilePlace, FileSet, FileSizes, FileSync, FileWork};
    use drivelab_core::plan::Action;
    use drivelab_core::units::{Bytes, Percent};
    use drivelab_samples::sample_run;

    use super::*;
    use crate::topics::transfers::findings;

    /// The first three steps of the corners read the source, copy it to the drive and copy on the drive, at these MB/s.
    fn run(rates: [u64; 3]) -> RunRecords {
        let mut records = sample_run();
        let sizes = FileSizes::Fixed { size: Bytes::new(4096) };
        let compress_percent = Percent::ZERO;
        let set = FileSet { name: "large".into(), count: 1, sizes, total: None, seed: 1, compress_percent };
        let works = [
            (FileWork::Read, FilePlace::Source),
            (FileWork::Copy, FilePlace::Source),
            (FileWork::Copy, FilePlace::Original),
        ];
        for ((index, (work, of)), rate) in works.into_iter().enumerate().zip(rates) {
            let step = &mut records.plan.tests[1].steps[index];
            if let Action::Io { workload, .. } = &mut step.action {
                workload.files = Some(Box::new(FileLoad { set: set.clone(), work, of, sync: FileSync::End }));
            }
            for record in records.steps.iter_mut().filter(|record| record.key.step == step.id) {
                // Two seconds each.
                record.end_ns = record.start_ns + 2_000_000_000;
                record.read.bytes = Bytes::new(0);
                record.write.bytes = Bytes::new(2 * rate * 1_000_000);
            }
        }
        records
    }

    fn codes(rates: [u64; 3]) -> Vec<String> {
        findings(&run(rates)).into_iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn a_copy_at_the_sources_speed_is_limited_by_it() {
        assert_eq!(codes([750, 712, 500]), [""; 0], "712 is 94.9 % of 750");
        assert_eq!(codes([750, 713, 500]), ["source_limited"], "713 is 95.1 % of 750");
        let found = &findings(&run([750, 713, 500]))[0];
        assert_eq!((found.evidence[0].value, found.evidence[0].limit), (713.0, Some(712.5)));
    }

    #[test]
    fn a_copy_on_the_drive_that_is_faster_than_one_to_it_is_told() {
        assert_eq!(codes([2000, 700, 700]), [""; 0]);
        assert_eq!(codes([2000, 700, 701]), ["copy_faster_than_transfer"]);
    }
}
