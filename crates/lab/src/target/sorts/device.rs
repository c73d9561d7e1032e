//! A block device.

use std::path::Path;

use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::units::Bytes;
use drivelab_device::guard::{self, Destroy};
use drivelab_device::{BlockNode, Named};
use drivelab_method::Methodology;

use super::file::refuse_size;
use crate::failure::Result;
use crate::target::opened::{OpenedIo, Wanted};
use crate::target::place::{Looked, Place};
use crate::target::refusals::refuse_block_device;
use crate::target::released::released_device;
use crate::voice::Voice;

/// An existing block device.
#[derive(Debug)]
pub(in crate::target) struct Device(pub(in crate::target) BlockNode);

impl Place for Device {
    fn path(&self) -> &Path {
        &self.0.path
    }

    fn device(&self) -> Option<&BlockNode> {
        Some(&self.0)
    }

    fn length(&self) -> Result<Option<Bytes>> {
        // A user who may not open the device gets the guard's message first.
        if self.0.size().get() > 0 {
            return Ok(Some(self.0.size()));
        }
        Ok(Some(drivelab_device::open_device_to_read(&self.0)?.facts.length))
    }

    fn devices(&self) -> Result<Vec<BlockDeviceFacts>> {
        Ok(drivelab_device::devices_below(&Named::BlockDevice(self.0.clone()))?)
    }

    fn takes(&self, methodology: &Methodology) -> Result<()> {
        if methodology.target().takes_block_devices() {
            return Ok(());
        }
        Err(refuse_block_device(&self.0.path, methodology))
    }

    fn look(&self, _: Bytes, destroy: Option<&Destroy>) -> Result<Looked> {
        let Some(destroy) = destroy else {
            return Ok(Looked { facts: drivelab_device::open_device_to_read(&self.0)?.facts, released: None });
        };
        let target = guard::authorise_device(&self.0, destroy)?;
        let facts = drivelab_device::device_facts(&self.0, target.length(), target.direct_io().clone());
        Ok(Looked { facts, released: Some(target) })
    }

    fn check(&self, wanted: &Wanted<'_>) -> Result<()> {
        refuse_size(&self.0.path, wanted)?;
        if wanted.needs.changes() {
            guard::authorise_device(&self.0, wanted.destroy)?;
        }
        Ok(())
    }

    fn open(&self, wanted: &Wanted<'_>, _: &Voice) -> Result<OpenedIo> {
        refuse_size(&self.0.path, wanted)?;
        if !wanted.needs.changes() {
            return Ok(OpenedIo::read_only(drivelab_device::open_device_to_read(&self.0)?));
        }
        Ok(released_device(&self.0, guard::authorise_device(&self.0, wanted.destroy)?))
    }
}
