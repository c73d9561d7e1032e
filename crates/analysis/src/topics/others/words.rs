//! Findings about I/O of other programs, and about devices on which it was not watched.

use std::collections::BTreeSet;

use drivelab_core::finding::{Finding, Severity};

use crate::check::Seen;
use crate::evidence::{FindingDef, Words, executions};

/// The devices that were noted, each once.
pub(super) fn devices(seen: &[Seen]) -> String {
    let names: BTreeSet<&str> = seen.iter().flat_map(|one| &one.notes).map(String::as_str).collect();
    names.into_iter().collect::<Vec<&str>>().join(", ")
}

pub(crate) static USED_DISK: FindingDef = FindingDef::warning(
    "others_used_disk",
    |seen| {
        format!(
            "The figures of {} are marked as disturbed: other I/O used {}. The kernel counted more than drivelab \
             issued.",
            executions(seen),
            devices(seen)
        )
    },
    "The I/O came from another program, an array that resyncs, the file system's own work (journal, discards, \
     metadata), or writes that were still on their way to the disk when the step began.",
    "Stop what uses the disk (`iotop`, `lsof`) and measure again.",
);

pub(crate) static PERHAPS: FindingDef = FindingDef::warning(
    "others_perhaps",
    |seen| {
        format!(
            "The figures of {} may be disturbed: the kernel counted more bytes on {} than drivelab issued. Either a \
             layer in between moved them (page cache, file system, array), or other I/O used the disk.",
            executions(seen),
            devices(seen)
        )
    },
    "Another program used the disk. Or the page cache read ahead between nearby blocks, a copy-on-write file system \
     (btrfs, f2fs) moved old data, or an array with parity lacks a device.",
    "Check with `iotop` that nothing else uses the disk, and measure again. Direct I/O (`losetup --direct-io=on`, \
     `mount -o loop,direct-io`) or the device itself as target shows which it was.",
);

/// For loads on files, only the reads of other programs are judged.
pub(crate) static WRITES_NOT_JUDGED: FindingDef = FindingDef::note(
    "others_not_watched",
    |seen| {
        format!(
            "Other programs may have written to the disk unnoticed in {}: only their reads were checked, because their \
             writes cannot be told from those of the file system itself.",
            executions(seen)
        )
    },
    "",
    "Check that nothing else uses the disk during the run (`iotop`).",
);

/// Layers below which the I/O of other programs is not judged.
pub(super) fn layers_not_judged(names: &[&str]) -> Finding {
    let statement = format!(
        "Other I/O on the devices below {} was not checked, because it is unknown how much this layer itself reads and \
         writes there.",
        names.join(" and ")
    );
    let cause = "The layer is a thin pool, a snapshot, a cache, dm-integrity, an array that logs its writes, or a loop \
                 device whose file is on btrfs or ZFS.";
    let action = "Check with `iotop` that nothing else uses these devices, or measure on the device itself.";
    Words { code: "others_not_watched", severity: Severity::Note, statement, cause, action }.about_run(Vec::new())
}

/// Nothing is watched during a run, so the I/O of other programs on the disk is unknown.
#[must_use]
pub fn others_not_watched() -> Finding {
    not_watched("Other I/O on the disk was not watched, so no figure can show whether it was disturbed.")
}

/// A run was resumed without telemetry, so the I/O of other programs is unknown from then on.
#[must_use]
pub fn others_not_watched_any_more() -> Finding {
    not_watched(
        "After the run was resumed, other I/O on the disk was not watched. Steps measured since cannot show whether \
         they were disturbed.",
    )
}

/// Other I/O was not watched during the run, or during the part of it that the statement names.
fn not_watched(statement: &str) -> Finding {
    let words = Words {
        code: "others_not_watched",
        severity: Severity::Note,
        statement: statement.to_owned(),
        cause: "Telemetry was switched off.",
        action: "Leave out `--telemetry off`, or check that nothing else uses the disk during the run (`iotop`).",
    };
    words.about_run(Vec::new())
}

#[cfg(test)]
mod tests;
