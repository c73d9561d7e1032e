//! A name that does not exist, in an existing folder: a scratch file is created there.

use std::path::{Path, PathBuf};

use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::units::Bytes;
use drivelab_device::Named;
use drivelab_device::guard::Destroy;
use drivelab_method::Methodology;

use super::file::takes;
use crate::failure::Result;
use crate::target::opened::{OpenedIo, Wanted};
use crate::target::place::{Looked, Place};
use crate::target::scratch;
use crate::voice::Voice;

/// A file that does not exist yet.
#[derive(Debug)]
pub(in crate::target) struct NewFile(pub(in crate::target) PathBuf);

impl Place for NewFile {
    fn path(&self) -> &Path {
        &self.0
    }

    fn as_new_file(&self) -> Option<&Path> {
        Some(&self.0)
    }

    fn makes_scratch(&self) -> Result<bool> {
        Ok(true)
    }

    fn devices(&self) -> Result<Vec<BlockDeviceFacts>> {
        Ok(drivelab_device::devices_below(&Named::NewFile(self.0.clone()))?)
    }

    fn takes(&self, methodology: &Methodology) -> Result<()> {
        takes(&self.0, methodology)
    }

    fn refuse_new_file(&self) -> Result<()> {
        Ok(())
    }

    fn look(&self, _: Bytes, _: Option<&Destroy>) -> Result<Looked> {
        Ok(Looked { facts: drivelab_device::open_file_to_read(&self.0)?.facts, released: None })
    }

    fn check(&self, wanted: &Wanted<'_>) -> Result<()> {
        scratch::asked(wanted).map(drop)
    }

    fn open(&self, wanted: &Wanted<'_>, voice: &Voice) -> Result<OpenedIo> {
        scratch::make(self.folder(), Some(&self.0), wanted, voice)
    }
}
