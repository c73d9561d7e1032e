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

/// /dev/null, which takes writes.
#[derive(Debug)]
pub(in crate::target) struct NullDevice(pub(in crate::target) PathBuf);

/// /dev/zero, which gives reads.
#[derive(Debug)]
pub(in crate::target) struct ZeroDevice(pub(in crate::target) PathBuf);

impl Place for NullDevice {
    fn path(&self) -> &Path {
        &self.0
    }

    fn direct_by_default(&self) -> bool {
        false
    }

    fn devices(&self) -> Result<Vec<BlockDeviceFacts>> {
        Ok(drivelab_device::devices_below(&Named::NullDevice(self.0.clone()))?)
    }

    fn takes(&self, _: &Methodology) -> Result<()> {
        Err(refuse_nothing(&self.0))
    }

    fn look(&self, addresses: Bytes, _: Option<&Destroy>) -> Result<Looked> {
        Ok(looked(&self.0, addresses))
    }

    fn check(&self, wanted: &Wanted<'_>) -> Result<()> {
        if wanted.needs.reads {
            let path = self.0.display();
            return Err(Failure::unusable(format!(
                "reads from {path} give no bytes, so nothing is moved; read from /dev/zero or nop:"
            )));
        }
        refuse_storage_only(&self.0, wanted.needs)
    }

    fn open(&self, wanted: &Wanted<'_>, _: &Voice) -> Result<OpenedIo> {
        self.check(wanted)?;
        let length = wanted.size.unwrap_or(DEFAULT_SIZE);
        let target = guard::authorise_null(&self.0, length)?;
        let facts = drivelab_device::facts_of_nothing(TargetKind::NullDevice, target.path(), length);
        Ok(OpenedIo { target: target.into(), scratch: None, facts, remarks: Vec::new() })
    }
}

impl Place for ZeroDevice {
    fn path(&self) -> &Path {
        &self.0
    }

    fn direct_by_default(&self) -> bool {
        false
    }

    fn devices(&self) -> Result<Vec<BlockDeviceFacts>> {
        Ok(drivelab_device::devices_below(&Named::ZeroDevice(self.0.clone()))?)
    }

    fn takes(&self, _: &Methodology) -> Result<()> {
        Err(refuse_nothing(&self.0))
    }

    fn look(&self, addresses: Bytes, _: Option<&Destroy>) -> Result<Looked> {
        Ok(looked(&self.0, addresses))
    }

    fn check(&self, wanted: &Wanted<'_>) -> Result<()> {
        if wanted.needs.writes {
            let path = self.0.display();
            return Err(Failure::unusable(format!(
                "{path} is a target for reads; write to /dev/null or nop:, which keep nothing either"
            )));
        }
        refuse_storage_only(&self.0, wanted.needs)
    }

    fn open(&self, wanted: &Wanted<'_>, _: &Voice) -> Result<OpenedIo> {
        self.check(wanted)?;
        let length = wanted.size.unwrap_or(DEFAULT_SIZE);
        Ok(OpenedIo::read_only(drivelab_device::open_zero_to_read(&self.0, length)?))
    }
}

fn looked(path: &Path, addresses: Bytes) -> Looked {
    Looked { facts: drivelab_device::facts_of_nothing(TargetKind::NullDevice, path, addresses), released: None }
}

/// The memory devices know neither trims nor flushes.
fn refuse_storage_only(path: &Path, needs: Needs) -> Result<()> {
    let what = match needs {
        Needs { deallocates: true, .. } => "trimmed or zeroed",
        Needs { flushes: true, .. } => "flushed",
        _ => return Ok(()),
    };
    Err(Failure::unusable(format!(
        "{} stores nothing that could be {what}: name nop:, a folder, a file or a block device",
        path.display()
    )))
}
