//! /dev/null and /dev/zero, which store nothing.

use std::path::{Path, PathBuf};

use drivelab_core::environment::{BlockDeviceFacts, TargetKind};
use drivelab_core::units::Bytes;
use drivelab_device::Named;
use drivelab_device::guard::{self, Destroy};
use drivelab_method::Methodology;

use crate::failure::{Failure, Result};
use crate::target::opened::{Needs, OpenedIo, Wanted};
use crate::target::place::{DEFAULT_SIZE, Looked, Place};
use crate::target::refusals::refuse_nothing;
use crate::voice::Voice;

/// /dev/null or /dev/zero.
#[derive(Debug)]
pub(in crate::target) struct MemoryDevice {
    path: PathBuf,
    /// Whether it provides reads, as /dev/zero does; /dev/null accepts writes.
    gives_reads: bool,
}

impl MemoryDevice {
    pub(in crate::target) fn null(path: PathBuf) -> Self {
        MemoryDevice { path, gives_reads: false }
    }

    pub(in crate::target) fn zero(path: PathBuf) -> Self {
        MemoryDevice { path, gives_reads: true }
    }
}

impl Place for MemoryDevice {
    fn path(&self) -> &Path {
        &self.path
    }

    fn direct_by_default(&self) -> bool {
        false
    }

    fn devices(&self) -> Result<Vec<BlockDeviceFacts>> {
        let named = if self.gives_reads { Named::ZeroDevice } else { Named::NullDevice };
        Ok(drivelab_device::devices_below(&named(self.path.clone()))?)
    }

    fn takes(&self, _: &Methodology) -> Result<()> {
        Err(refuse_nothing(&self.path))
    }

    fn look(&self, addresses: Bytes, _: Option<&Destroy>) -> Result<Looked> {
        let kind = if self.gives_reads { TargetKind::ZeroDevice } else { TargetKind::NullDevice };
        let facts = drivelab_device::facts_of_nothing(kind, &self.path, addresses);
        Ok(Looked { facts, released: None })
    }

    fn check(&self, wanted: &Wanted<'_>) -> Result<()> {
        let path = self.path.display();
        let needs = wanted.needs;
        if self.gives_reads && needs.writes {
            return Err(Failure::unusable(format!(
                "{path} is a target for reads; write to /dev/null or nop:, which store nothing either"
            )));
        }
        if !self.gives_reads && needs.reads {
            return Err(Failure::unusable(format!(
                "reads from {path} return no bytes, so no data is moved; read from /dev/zero or nop:"
            )));
        }
        refuse_storage_only(&self.path, needs)
    }

    fn open(&self, wanted: &Wanted<'_>, _: &Voice) -> Result<OpenedIo> {
        self.check(wanted)?;
        let length = wanted.size.unwrap_or(DEFAULT_SIZE);
        if self.gives_reads {
            return Ok(OpenedIo::read_only(drivelab_device::open_zero_to_read(&self.path, length)?));
        }
        let target = guard::authorise_null(&self.path, length)?;
        let facts = drivelab_device::facts_of_nothing(TargetKind::NullDevice, target.path(), length);
        Ok(OpenedIo::of(target, facts))
    }
}

/// The memory devices support neither trims nor flushes.
fn refuse_storage_only(path: &Path, needs: Needs) -> Result<()> {
    let what = match needs {
        Needs { deallocates: true, .. } => "trimmed or zeroed",
        Needs { flushes: true, .. } => "flushed",
        _ => return Ok(()),
    };
    Err(Failure::unusable(format!(
        "{} stores nothing that could be {what}; name nop:, a folder, a file or a block device",
        path.display()
    )))
}
