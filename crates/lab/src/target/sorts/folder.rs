//! A folder: drivelab creates a scratch file in it, or the files and folders of a run.

use std::path::{Path, PathBuf};

use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::units::Bytes;
use drivelab_device::Named;
use drivelab_device::guard::Destroy;
use drivelab_method::{MethodTarget, Methodology};

use crate::failure::{Failure, Result};
use crate::target::opened::{OpenedIo, Wanted};
use crate::target::place::{Looked, Place};
use crate::target::refusals::refuse_file;
use crate::target::scratch;
use crate::voice::Voice;

/// An existing folder.
#[derive(Debug)]
pub(in crate::target) struct Folder(pub(in crate::target) PathBuf);

impl Place for Folder {
    fn path(&self) -> &Path {
        &self.0
    }

    fn folder(&self) -> &Path {
        &self.0
    }

    fn as_folder(&self) -> Option<&Path> {
        Some(&self.0)
    }

    fn makes_scratch(&self) -> Result<bool> {
        Ok(true)
    }

    fn devices(&self) -> Result<Vec<BlockDeviceFacts>> {
        Ok(drivelab_device::devices_below(&Named::Folder(self.0.clone()))?)
    }

    fn takes(&self, methodology: &Methodology) -> Result<()> {
        let kind = methodology.target();
        if kind == MethodTarget::Directory || kind.takes_files() {
            return Ok(());
        }
        Err(refuse_file(&self.0, "a folder", methodology))
    }

    fn refuse_new_file(&self) -> Result<()> {
        Err(Failure::usage(format!(
            "{} is an existing folder, and --new-file is for a file that does not exist yet: leave the flag out, and a \
             scratch file is created in the folder, or name the new file in it",
            self.0.display()
        )))
    }

    fn look(&self, _: Bytes, _: Option<&Destroy>) -> Result<Looked> {
        Ok(Looked { facts: drivelab_device::open_file_to_read(&self.0)?.facts, released: None })
    }

    fn check(&self, wanted: &Wanted<'_>) -> Result<()> {
        scratch::asked(wanted).map(drop)
    }

    fn open(&self, wanted: &Wanted<'_>, voice: &Voice) -> Result<OpenedIo> {
        scratch::make(&self.0, None, wanted, voice)
    }
}
