//! The kinds of targets, one file each.

pub(super) mod device;
pub(super) mod file;
pub(super) mod folder;
pub(super) mod memory;
pub(super) mod new_file;
pub(super) mod nop;

#[cfg(test)]
mod tests;
