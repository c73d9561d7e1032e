//! `nop:`, which is nothing: operations end in the ring.

use std::path::Path;

use drivelab_core::environment::{BlockDeviceFacts, TargetKind};
use drivelab_core::target::IoTarget;
use drivelab_core::units::Bytes;
use drivelab_device::guard::Destroy;
use drivelab_method::Methodology;

use crate::failure::Result;
use crate::target::opened::{OpenedIo, Wanted};
use crate::target::place::{DEFAULT_SIZE, Looked, NOP, Place};
use crate::target::refusals::refuse_nothing;
use crate::voice::Voice;

/// Nothing.
#[derive(Debug)]
pub(in crate::target) struct Nop;

impl Place for Nop {
    fn path(&self) -> &Path {
        Path::new(NOP)
    }

    fn direct_by_default(&self) -> bool {
        false
    }

    fn devices(&self) -> Result<Vec<BlockDeviceFacts>> {
        Ok(Vec::new())
    }

    fn takes(&self, _: &Methodology) -> Result<()> {
        Err(refuse_nothing(self.path()))
    }

    fn look(&self, addresses: Bytes, _: Option<&Destroy>) -> Result<Looked> {
        let facts = drivelab_device::facts_of_nothing(TargetKind::Nop, self.path(), addresses);
        Ok(Looked { facts, released: None })
    }

    fn check(&self, _: &Wanted<'_>) -> Result<()> {
        Ok(())
    }

    fn open(&self, wanted: &Wanted<'_>, _: &Voice) -> Result<OpenedIo> {
        let length = wanted.size.unwrap_or(DEFAULT_SIZE);
        let facts = drivelab_device::facts_of_nothing(TargetKind::Nop, self.path(), length);
        Ok(OpenedIo::of(IoTarget::Nop { length }, facts))
    }
}
