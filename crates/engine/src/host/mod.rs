//! What the kernel reports about this process and its machine, and requests to it other than I/O.

pub(crate) mod errno;
pub(crate) mod held;
pub(crate) mod own_files;
pub(crate) mod page_cache;
pub(crate) mod rusage;
pub(crate) mod selfcheck;
