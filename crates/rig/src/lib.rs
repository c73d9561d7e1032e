//! Things that tests set up on the machine, and that are undone when their value is dropped, even if the test fails:
//! loop devices, zram, file systems, mounts, limits of a block cgroup. And the rule for skipping a test where they
//! cannot be set up.
//!
//! Only tests use it, and it uses no other crate of drivelab. A helper that one test needs stays beside that test.

#![forbid(unsafe_code)]

mod loop_device;
mod mount;
mod skip;
mod throttle;
mod tool;
mod zram;

pub use loop_device::{DIRECT, LoopDevice, sparse_file};
pub use mount::{LoopFs, Mount, SETTLED};
pub use skip::{or_skip, root_or_skip, skip};
pub use throttle::Throttle;
pub use tool::{Undo, text, tool, tried};
pub use zram::Zram;
