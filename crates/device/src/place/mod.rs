//! From a path to the file system that it lies on.

pub(crate) mod direct;
pub(crate) mod fstab;
pub(crate) mod mounts;
pub(crate) mod size;
pub(crate) mod target;
