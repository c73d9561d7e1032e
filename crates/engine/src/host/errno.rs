//! Names of the kernel's error numbers that the engine meets, for messages and reports.

use std::io;

/// `EPERM: Operation not permitted`, or only the kernel's sentence if the name is not listed.
pub(crate) fn describe(error: &io::Error) -> String {
    let name = match error.raw_os_error() {
        Some(libc::EPERM) => "EPERM",
        Some(libc::ENOSYS) => "ENOSYS",
        Some(libc::ENOMEM) => "ENOMEM",
        Some(libc::EINVAL) => "EINVAL",
        Some(libc::EAGAIN) => "EAGAIN",
        Some(libc::EMFILE) => "EMFILE",
        Some(libc::EOPNOTSUPP) => "EOPNOTSUPP",
        Some(libc::EFAULT) => "EFAULT",
        Some(libc::EACCES) => "EACCES",
        _ => return error.to_string(),
    };
    name.to_owned()
}
