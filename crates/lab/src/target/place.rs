//! What is measured, by its sort: each says for itself what it is, what it refuses and how it is opened.
//!
//! A new sort is a file in `sorts/` and a line in `naming.rs`.

use std::fmt::Debug;
use std::path::Path;

use drivelab_core::environment::{BlockDeviceFacts, TargetFacts};
use drivelab_core::target::WritableTarget;
use drivelab_core::units::Bytes;
use drivelab_device::BlockNode;
use drivelab_device::guard::Destroy;
use drivelab_method::Methodology;

use super::opened::{OpenedIo, Wanted};
use crate::failure::{Failure, Result};
use crate::voice::Voice;

/// The word for a target that is nothing: operations end in the ring.
pub const NOP: &str = "nop:";
/// Size of a scratch file, and addresses of a target without a size, where `--size` does not say.
pub const DEFAULT_SIZE: Bytes = Bytes::GIB;

/// What is found at a place before it is opened for good.
pub struct Looked {
    /// For the plan.
    pub facts: TargetFacts,
    /// The device that the guard let through, held from here on.
    pub released: Option<WritableTarget>,
}

/// What the user named, resolved.
pub trait Place: Debug + Send + Sync {
    /// The path, or the word.
    fn path(&self) -> &Path;

    /// The folder itself, or the one that the file or device lies in.
    fn folder(&self) -> &Path {
        folder_of(self.path())
    }

    /// The block device, where it is one.
    fn device(&self) -> Option<&BlockNode> {
        None
    }

    /// The folder, where it is one.
    fn as_folder(&self) -> Option<&Path> {
        None
    }

    /// The file that is yet to be made, where it is one.
    fn as_new_file(&self) -> Option<&Path> {
        None
    }

    /// Whether direct I/O is the default here: everywhere but on what stores nothing and refuses it.
    fn direct_by_default(&self) -> bool {
        true
    }

    /// Whether a scratch file is made: in a folder, under a new name, or where a killed run left one behind.
    ///
    /// # Errors
    /// Where the folder cannot be looked at.
    fn makes_scratch(&self) -> Result<bool> {
        Ok(false)
    }

    /// Bytes that it holds, where it has a size of its own.
    ///
    /// # Errors
    /// Where it may not be opened.
    fn length(&self) -> Result<Option<Bytes>> {
        Ok(None)
    }

    /// The block devices below it, from it downwards.
    ///
    /// # Errors
    /// Where they cannot be found.
    fn devices(&self) -> Result<Vec<BlockDeviceFacts>>;

    /// Refuses a methodology that is for other sorts; one that takes any is not asked about.
    ///
    /// # Errors
    /// What it is, and what the methodology runs on.
    fn takes(&self, methodology: &Methodology) -> Result<()>;

    /// Refuses to make a new file under this name, where it is something that is there.
    ///
    /// # Errors
    /// What it is.
    fn refuse_new_file(&self) -> Result<()> {
        Err(Failure::usage(format!(
            "--new-file is for a file that is not there yet, and {} is no file: leave the flag out",
            self.path().display()
        )))
    }

    /// Looks at what is there, with so many addresses where it has no size of its own. `destroy` is what the user said
    /// may be overwritten, where it will be written: a refusal then comes before anything else is said about it.
    ///
    /// # Errors
    /// What is not there or may not be opened; what the write guard refuses.
    fn look(&self, addresses: Bytes, destroy: Option<&Destroy>) -> Result<Looked>;

    /// What [`Place::open`] would refuse, without making anything.
    ///
    /// # Errors
    /// As there.
    fn check(&self, wanted: &Wanted<'_>) -> Result<()>;

    /// Opens it for what is wanted; makes a scratch file where it is a folder or a new file, after removing what killed
    /// runs left there.
    ///
    /// # Errors
    /// Operations that mean nothing there, `--size` or `--destroy` where they mean nothing, and whatever the write
    /// guard refuses.
    fn open(&self, wanted: &Wanted<'_>, voice: &Voice) -> Result<OpenedIo>;
}

/// The folder that a file lies in.
pub(super) fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new("/"))
}
