//! The facts about a target, and whether it may be written.
//!
//! Owns: what kind of target a path is; facts about files, file systems, block devices and the testbed; where their
//! counters and sensors are and how the kernel's text is parsed ([`hwmon`], [`interrupts`], [`link`],
//! [`disk_counters`], [`cpu_times_in`]), for all callers that sample them; the pages that a drive provides about
//! itself, and the order in which they are read ([`probe`]); files of drive facts ([`drive_facts`]); samples of a
//! target's content ([`sample_content`]); handles for placed writes ([`placement_handles`]); the write guard
//! ([`guard`]), the only place that makes a writable target; and wiping a released device ([`wipe`]).
//!
//! Must not know: workloads, results, terminals. Facts come from sysfs, procfs, DMI, statx(2), NVMe and ATA commands
//! that only read, and one probe file without a name; missing facts are left out and reported, never guessed.

mod block;
pub mod drive_facts;
mod error;
pub mod guard;
mod host;
mod place;
pub mod probe;
mod proc_text;
pub mod roots;
pub mod wipe;

pub use block::counters::{host_counters, this_boot};
pub use block::folders::{device_folder, paths_of, takes_discards};
pub use block::identity::identity_of;
pub use block::link;
pub use block::named::{Named, classify};
pub use block::namespaces::{OpenedNamespace, open_other_namespace};
pub use block::node::BlockNode;
pub use block::nvme_node::controller_node;
pub use block::placement::placement_handles;
pub use block::readable::{
    OpenedToRead, device_facts, devices_below, facts_of_nothing, open_device_to_read, open_file_to_read,
    open_zero_to_read,
};
pub use block::samples::sample_content;
pub use error::{DeviceError, ErrorKind, forbidden_to_root};
pub use guard::{
    FileIdentity, Leftover, LeftoverState, Scratch, ScratchClaim, is_scratch, leftover_scratches, remove_leftover,
};
pub use host::cpu_time::{cpu_times, cpu_times_in};
pub use host::testbed::{testbed_facts, testbed_facts_with_a_look, total_memory};
pub use host::{hwmon, interrupts};
pub use place::fstab::{NotMounted, not_mounted};
pub use place::mounts::is_mount_point;
pub use place::size::{NoSpace, own_scratch_size, scratch_size};
pub use place::target::{FolderFacts, folder_facts, suggest_direct_folder, target_facts};
pub use proc_text::{DiskCounters, disk_counters};
pub use roots::Roots;
