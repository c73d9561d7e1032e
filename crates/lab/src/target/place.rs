//! Targets by kind: each kind describes itself, knows what it refuses and how it is opened.
//!
//! A new kind is a file in `sorts/`, and its word in `sorts/mod.rs` or its kind of path in `naming.rs`. If results must
//! tell it from others, it is a [`TargetKind`] too, which holds all words about it.

use std::fmt::Debug;
use std::path::Path;

use drivelab_core::environment::{BlockDeviceFacts, TargetFacts, TargetKind};
use drivelab_core::target::WritableTarget;
use drivelab_core::units::Bytes;
use drivelab_device::BlockNode;
use drivelab_device::guard::Destroy;
use drivelab_method::Methodology;

use super::opened::{OpenedIo, Wanted};
use crate::failure::{Failure, Result};
use crate::voice::Voice;

/// The word for a target that is nothing: operations end in the ring.
pub const NOP: &str = TargetKind::Nop.name();
/// Size of a scratch file, and number of addresses of a target without a size, if `--size` is not given.
pub const DEFAULT_SIZE: Bytes = Bytes::GIB;

/// The result of inspecting a place, before it is opened for the run.
pub struct Looked {
    /// For the plan.
    pub facts: TargetFacts,
    /// The device that the guard released, held from here on.
    pub released: Option<WritableTarget>,
}

/// The target that the user named, resolved.
pub trait Place: Debug + Send + Sync {
    /// The path, or the word.
    fn path(&self) -> &Path;

    /// The folder itself, or the one that the file or device lies in.
    fn folder(&self) -> &Path {
        folder_of(self.path())
    }

    /// The block device, if the target is one.
    fn device(&self) -> Option<&BlockNode> {
        None
    }

    /// The folder, if the target is one.
    fn as_folder(&self) -> Option<&Path> {
        None
    }

    /// The file to be created, if the target is one.
    fn as_new_file(&self) -> Option<&Path> {
        None
    }

    /// Whether direct I/O is the default here: everywhere except on targets that store nothing and refuse it.
    fn direct_by_default(&self) -> bool {
        true
    }

    /// Whether a scratch file is created: in a folder, under a new name, or where a killed run left one.
    ///
    /// # Errors
    /// The folder cannot be inspected.
    fn makes_scratch(&self) -> Result<bool> {
        Ok(false)
    }

    /// Its size in bytes, if it has one of its own.
    ///
    /// # Errors
    /// Where it may not be opened.
    fn length(&self) -> Result<Option<Bytes>> {
        Ok(None)
    }

    /// The block devices below it, uppermost first.
    ///
    /// # Errors
    /// They cannot be found.
    fn devices(&self) -> Result<Vec<BlockDeviceFacts>>;

    /// Refuses a methodology that is for other kinds; not called for one that takes any kind.
    ///
    /// # Errors
    /// What the target is, and what the methodology runs on.
    fn takes(&self, methodology: &Methodology) -> Result<()>;

    /// Refuses to create a new file under this name, because it exists.
    ///
    /// # Errors
    /// What it is.
    fn refuse_new_file(&self) -> Result<()> {
        Err(Failure::usage(format!(
            "--new-file is for a file that does not exist yet, and {} is not a file: leave the flag out",
            self.path().display()
        )))
    }

    /// Inspects the target, with this many addresses if it has no size of its own. `destroy` is what the user said
    /// may be overwritten, if the target will be written: a refusal then comes before any other message about it.
    ///
    /// # Errors
    /// It does not exist or may not be opened, or the write guard refuses it.
    fn look(&self, addresses: Bytes, destroy: Option<&Destroy>) -> Result<Looked>;

    /// Checks what [`Place::open`] would refuse, without creating anything.
    ///
    /// # Errors
    /// As for [`Place::open`].
    fn check(&self, wanted: &Wanted<'_>) -> Result<()>;

    /// Opens the target as requested. If it is a folder or a new file, removes leftovers of killed runs there and
    /// creates a scratch file.
    ///
    /// # Errors
    /// Operations that have no meaning on this kind of target, `--size` or `--destroy` without a meaning, or a
    /// refusal of the write guard.
    fn open(&self, wanted: &Wanted<'_>, voice: &Voice) -> Result<OpenedIo>;
}

/// The folder that a file lies in.
pub(super) fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new("/"))
}
