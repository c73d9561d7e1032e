//! The programs that a row compares.

/// Who runs a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    /// The release build of this tree.
    Drivelab,
    /// fio from the distribution.
    Fio,
    /// The tool in fio's source that only drives a ring; built by the person who runs the bench.
    TIoUring,
}
