//! What the target is, and whether it may be written.
//!
//! Owns: what a path that the user named really is; facts about files, file systems, block devices and the testbed;
//! where their counters and sensors lie and what the kernel's text says ([`hwmon`], [`interrupts`], [`link`],
//! [`disk_counters`], [`cpu_times_in`]), for whoever samples them; the pages that a drive gives of itself, and who asks
//! for them in which order ([`probe`]); files of drive facts ([`drive_facts`]); samples of what a target holds
//! ([`sample_content`]); handles for placed writes ([`placement_handles`]); the write guard ([`guard`]), the only place
//! where a writable target is made; and wiping what it released ([`wipe`]).
//!
//! Must not know: workloads, results, terminals. Facts come from sysfs, procfs, DMI, statx(2), NVMe and ATA commands
//! that only read, and one probe file that has no name; what cannot be found is left out and said, never guessed.

mod block;
mod block_use;
mod counters;
mod cpu_time;
mod direct;
pub mod drive_facts;
mod error;
mod fstab;
pub mod guard;
mod host;
pub mod hwmon;
mod identify;
mod identity;
pub mod interrupts;
mod layers;
pub mod link;
mod mounts;
mod named;
mod namespaces;
mod nvme_node;
mod place;
mod placement;
pub mod probe;
mod proc_text;
mod readable;
pub mod roots;
mod samples;
mod size;
mod testbed;
pub mod wipe;

pub use block::{device_folder, paths_of, takes_discards};
pub use counters::{host_counters, this_boot};
pub use cpu_time::{cpu_times, cpu_times_in};
pub use error::{DeviceError, ErrorKind, forbidden_to_root};
pub use fstab::{NotMounted, not_mounted};
pub use guard::{
    FileIdentity, Leftover, LeftoverState, Scratch, ScratchClaim, is_scratch, leftover_scratches, remove_leftover,
};
pub use identity::identity_of;
pub use mounts::is_mount_point;
pub use named::{BlockNode, Named, classify};
pub use namespaces::{OpenedNamespace, open_other_namespace};
pub use nvme_node::controller_node;
pub use place::{FolderFacts, folder_facts, suggest_direct_folder, target_facts};
pub use placement::placement_handles;
pub use proc_text::{DiskCounters, disk_counters};
pub use readable::{
    OpenedToRead, device_facts, devices_below, facts_of_nothing, open_device_to_read, open_file_to_read,
    open_zero_to_read,
};
pub use roots::Roots;
pub use samples::sample_content;
pub use size::{NoSpace, own_scratch_size, scratch_size};
pub use testbed::{testbed_facts, testbed_facts_with_a_look, total_memory};
