//! The io_uring backend: a safe interface to one ring (`ring`), its set-up (`setup`), whether it can do what a step
//! asks for (`fitness`), the loop of one thread (`worker`), and which writes must wait (`keeper`).

pub(crate) mod fitness;
pub(crate) mod keeper;
pub(crate) mod ring;
pub(crate) mod setup;
pub(crate) mod worker;

use crate::host::errno;

/// Makes a small ring to find out whether the kernel lets this process use io_uring.
///
/// # Errors
/// What was refused, as text for the report: EPERM by sysctl `kernel.io_uring_disabled` or a seccomp filter, ENOSYS by
/// an old kernel or filter, ENOMEM by a memory limit.
pub(crate) fn probe() -> Result<(), String> {
    let ring = io_uring::IoUring::new(2)
        .map_err(|error| format!("io_uring_setup was refused ({})", errno::describe(&error)))?;
    if ring.params().is_feature_ext_arg() {
        Ok(())
    } else {
        Err("this kernel's io_uring cannot wait with a time limit (Linux 5.11 can)".to_owned())
    }
}
