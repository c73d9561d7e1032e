//! The memory that a thread reads into and writes from, and which part of it each operation uses.

pub(crate) mod buffer;
pub(crate) mod look_back;
pub(crate) mod pool;
pub(crate) mod slots;
