//! Findings about copies of sets of files.

use drivelab_core::files::{FileLoad, FilePlace, FileWork};
use drivelab_core::finding::{Finding, Severity};
use drivelab_core::run::RunRecords;

use super::files::{SOURCE_SHARE, Transfer, transfers};
use crate::evidence::{Words, evidence};

/// A copy to the drive that was as fast as its source can be read; `from_folder` if the source is a folder of the user.
pub(crate) fn source_limited(copy: &Transfer<'_>, read: &Transfer<'_>, share: f64, from_folder: bool) -> Finding {
    let (rate, limit) = (copy.rate / 1e6, share * read.rate / 1e6);
    let statement = format!(
        "The drive may be faster than '{}' shows: the source limited it. It reached {rate:.0} MB/s, and the source \
         alone is read at {:.0} MB/s.",
        copy.step.label,
        read.rate / 1e6
    );
    let (cause, action) = if from_folder {
        (
            "The folder that files were copied from is not faster than the drive.",
            "Name a folder on a faster drive with `--source`.",
        )
    } else {
        (
            "The content was generated in memory during the copy, and one CPU generates it at that rate.",
            "Copy with more threads, or from a folder on a fast drive (`--source`).",
        )
    };
    let words = Words { code: "source_limited", severity: Severity::Warning, statement, cause, action };
    words.finding(
        copy.keys.clone(),
        vec![evidence("copy (limit: 95 % of the source's read rate)", rate, Some(limit), "MB/s")],
    )
}

/// A copy on the drive that was faster than one to it, although it also reads from that drive.
pub(crate) fn copy_faster(on_drive: &Transfer<'_>, to_drive: &Transfer<'_>) -> Finding {
    let (fast, slow) = (on_drive.rate / 1e6, to_drive.rate / 1e6);
    let statement = format!(
        "'{}' was faster ({fast:.0} MB/s) than '{}' ({slow:.0} MB/s), although it reads from the drive that it writes \
         to.",
        on_drive.step.label, to_drive.step.label
    );
    let cause = "The source was slower than the drive, or the drive's own cache held what was read (the page cache \
                 was emptied before). drivelab copies by reading and writing, so the file system did not use \
                 reflinks.";
    let action =
        "Look at the rate of the source alone ('read the source'), and use a set that is larger than the caches.";
    let words = Words { code: "copy_faster_than_transfer", severity: Severity::Note, statement, cause, action };
    let keys = on_drive.keys.iter().chain(&to_drive.keys).cloned().collect();
    words.finding(keys, vec![evidence("copy on the drive (limit: copy to it)", fast, Some(slow), "MB/s")])
}

/// The findings about copies.
pub(crate) fn findings(records: &RunRecords) -> Vec<Finding> {
    let all = transfers(records);
    let of = |load: &FileLoad, work: FileWork, place: FilePlace| {
        all.iter().find(|one| one.load.set == load.set && one.load.work == work && one.load.of == place)
    };
    let mut findings = Vec::new();
    for copy in all.iter().filter(|one| one.load.work == FileWork::Copy && one.load.of == FilePlace::Source) {
        if let Some(read) = of(copy.load, FileWork::Read, FilePlace::Source)
            && copy.rate >= SOURCE_SHARE * read.rate
        {
            findings.push(source_limited(copy, read, SOURCE_SHARE, records.environment.source.is_some()));
        }
        if let Some(on_drive) = of(copy.load, FileWork::Copy, FilePlace::Original)
            && on_drive.rate > copy.rate
        {
            findings.push(copy_faster(on_drive, copy));
        }
    }
    findings
}

#[cfg(test)]
mod tests;
