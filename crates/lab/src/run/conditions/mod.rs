//! Runs under conditions: set up on a drive or a loop device, measured in turn, torn down, compared.

pub mod on_drive;
pub(crate) mod on_file;
pub mod series;
pub mod undone;
