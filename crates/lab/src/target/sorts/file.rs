//! An existing file: the user's, or a scratch file that a killed run left.

use std::path::{Path, PathBuf};

use drivelab_core::environment::{BlockDeviceFacts, TargetFacts, TargetKind};
use drivelab_core::exit::ExitCode;
use drivelab_core::target::WritableTarget;
use drivelab_core::units::Bytes;
use drivelab_device::Named;
use drivelab_device::guard::{self, Destroy};
use drivelab_method::{MethodTarget, Methodology};

use crate::failure::{Failure, Result};
use crate::target::opened::{OpenedIo, Wanted};
use crate::target::place::{Looked, Place};
use crate::target::refusals::{no_folder, refuse_file};
use crate::target::scratch;
use crate::voice::Voice;

/// An existing file.
#[derive(Debug)]
pub(in crate::target) struct ExistingFile(pub(in crate::target) PathBuf);

impl Place for ExistingFile {
    fn path(&self) -> &Path {
        &self.0
    }

    fn makes_scratch(&self) -> Result<bool> {
        Ok(drivelab_device::is_scratch(&self.0)?)
    }

    fn length(&self) -> Result<Option<Bytes>> {
        Ok(Some(drivelab_device::open_file_to_read(&self.0)?.facts.length))
    }

    fn devices(&self) -> Result<Vec<BlockDeviceFacts>> {
        Ok(drivelab_device::devices_below(&Named::ExistingFile(self.0.clone()))?)
    }

    fn takes(&self, methodology: &Methodology) -> Result<()> {
        takes(&self.0, methodology)
    }

    fn refuse_new_file(&self) -> Result<()> {
        if self.makes_scratch()? {
            return Ok(());
        }
        Err(Failure::new(
            ExitCode::GuardRefused,
            format!(
                "{} exists already, and --new-file only creates new files: name another one. Nothing was touched",
                self.0.display()
            ),
        ))
    }

    fn look(&self, _: Bytes, destroy: Option<&Destroy>) -> Result<Looked> {
        let facts = match destroy {
            Some(destroy) => facts_of(&guard::authorise_file(&self.0, destroy.id.as_deref())?)?,
            None => drivelab_device::open_file_to_read(&self.0)?.facts,
        };
        Ok(Looked { facts, released: None })
    }

    fn check(&self, wanted: &Wanted<'_>) -> Result<()> {
        if self.makes_scratch()? {
            return scratch::asked(wanted).map(drop);
        }
        refuse_size(&self.0, wanted)?;
        if wanted.needs.changes() {
            guard::authorise_file(&self.0, wanted.destroy.id.as_deref())?;
        }
        Ok(())
    }

    fn open(&self, wanted: &Wanted<'_>, voice: &Voice) -> Result<OpenedIo> {
        if self.makes_scratch()? {
            return scratch::make(self.folder(), Some(&self.0), wanted, voice);
        }
        refuse_size(&self.0, wanted)?;
        if !wanted.needs.changes() {
            return Ok(OpenedIo::read_only(drivelab_device::open_file_to_read(&self.0)?));
        }
        let target = guard::authorise_file(&self.0, wanted.destroy.id.as_deref())?;
        let facts = facts_of(&target)?;
        Ok(OpenedIo::of(target, facts))
    }
}

/// Facts about a file that the guard released.
fn facts_of(target: &WritableTarget) -> Result<TargetFacts> {
    let mut facts = drivelab_device::target_facts(target.path(), TargetKind::NamedFile, target.length())?;
    facts.direct_io = target.direct_io().clone();
    Ok(facts)
}

/// Refuses a methodology that is not for files.
pub(super) fn takes(file: &Path, methodology: &Methodology) -> Result<()> {
    let kind = methodology.target();
    if kind.takes_files() {
        Ok(())
    } else if kind == MethodTarget::Directory {
        Err(no_folder(file, methodology))
    } else {
        Err(refuse_file(file, "a file", methodology))
    }
}

/// Refuses `--size`: it sets the size of what drivelab creates; an existing target has its own size.
pub(super) fn refuse_size(path: &Path, wanted: &Wanted<'_>) -> Result<()> {
    if wanted.size.is_none() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} has its own size: --size is for scratch files and targets that store nothing; to use a part of it, use --span",
        path.display()
    )))
}
