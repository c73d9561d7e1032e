//! What a shell and `man` read of drivelab, made from the definition of the command line.

pub mod completions;
pub mod man;
