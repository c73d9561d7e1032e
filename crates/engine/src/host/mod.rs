//! What the kernel says of this process and its machine, and what is asked of it beside I/O.

pub(crate) mod errno;
pub(crate) mod held;
pub(crate) mod own_files;
pub(crate) mod page_cache;
pub(crate) mod rusage;
pub(crate) mod selfcheck;
