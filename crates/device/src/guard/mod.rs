//! The write guard: the only place that makes a writable target, and so the only way to write for a run.
//!
//! There are four ways to a writable target. drivelab creates a scratch file of its own ([`make_scratch`],
//! [`reopen_scratch`]), and for sets of files a folder of its own ([`make_folder`]). The user released a regular file
//! by naming it twice ([`authorise_file`]). The user released a block device by its serial number
//! ([`authorise_device`], or [`release_device`] for a disk that is partitioned or encrypted first). Or it is the null
//! device, which stores nothing ([`authorise_null`]). Refusal is the default. docs/safety.md lists what is promised
//! and which test checks it. Must not know workloads, plans or how figures are computed.

mod block_device;
mod claim;
mod content;
mod destroy;
mod drive;
mod error;
mod existing;
mod fit;
mod folder;
mod hold;
mod in_use;
mod leftover;
mod loop_file;
mod null;
mod open;
pub(crate) mod read_at;
mod released;
pub(crate) mod sampling;
mod scratch;
mod signature;
mod system_disk;

pub use block_device::{
    Preview, authorise_device, known_content, look_again, nobody_has_it_open, outlook, preview_device, release_device,
    still_planned,
};
pub use claim::{FileIdentity, ScratchClaim};
pub use destroy::{Destroy, flag_of, id_of};
pub use drive::{Reach, may_destroy, permit_to_destroy};
pub use error::GuardError;
pub use existing::authorise_file;
pub use folder::{RunFolder, clear_folders, make_folder};
pub use leftover::{Leftover, LeftoverState, is_scratch, leftover_scratches, remove_leftover};
pub use null::authorise_null;
pub use released::Released;
pub use scratch::{Scratch, Whole, make_scratch, reopen_scratch};
