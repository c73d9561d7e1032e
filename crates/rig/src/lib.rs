//! What tests make of the machine and leave as it was, also where they fail: loop devices, zram, file systems, mounts,
//! limits of a block cgroup; and the one rule of skipping where the machine or its user cannot make it.
//!
//! Each is undone with its value. Must not be used by the program itself, only by tests, and knows no room. What looks
//! the same elsewhere and is not stays beside its test: drives that lie, partitions, conditions.

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
