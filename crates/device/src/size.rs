//! How large the scratch file may be.

use drivelab_core::units::Bytes;

use crate::error::ErrorKind;

/// The scratch file takes at most one part in this many of what is free.
const SHARE_OF_FREE: u64 = 10;

/// There is too little free space for the method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not enough free space: {} are free, drivelab takes at most a tenth of that ({}), and the method needs {}; free {} \
     more, or name a folder on a larger file system", free.about(), allowed.about(), needed.about(), missing.about()
)]
pub struct NoSpace {
    /// Free for an ordinary user.
    pub free: Bytes,
    /// The most that would have been taken.
    pub allowed: Bytes,
    /// The least the method can work with.
    pub needed: Bytes,
    /// How much more would have to be free.
    pub missing: Bytes,
}

impl NoSpace {
    /// Always [`ErrorKind::NoSpace`].
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        ErrorKind::NoSpace
    }
}

/// The size of a scratch file: what is wanted, but at most a tenth of `free`, in whole MiB.
///
/// `memory` limits it too where it is known (not zero): a machine with less memory than the file is a small one with
/// slow storage, and filling a file of several times its memory would take longer than the whole test.
///
/// # Errors
/// [`NoSpace`] where a tenth of the free space is less than `minimum`.
pub fn scratch_size(wanted: Bytes, minimum: Bytes, free: Bytes, memory: Bytes) -> Result<Bytes, NoSpace> {
    let allowed = Bytes::new(free.get() / SHARE_OF_FREE);
    let by_memory = if memory.get() == 0 { wanted } else { wanted.min(memory.max(minimum)) };
    let size = by_memory.min(allowed).align_down(Bytes::MIB);
    if size < minimum || size.get() == 0 {
        let needed = minimum.max(Bytes::MIB);
        let whole = needed.get().div_ceil(Bytes::MIB.get()).saturating_mul(Bytes::MIB.get());
        let missing = Bytes::new(whole.saturating_mul(SHARE_OF_FREE).saturating_sub(free.get()));
        return Err(NoSpace { free, allowed, needed, missing });
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn a_tenth_of_free_space_is_the_most() {
        let size = |free: u64| scratch_size(Bytes::new(4 * GIB), Bytes::new(GIB), Bytes::new(free), Bytes::new(0));
        assert_eq!(size(100 * GIB), Ok(Bytes::new(4 * GIB)));
        assert_eq!(size(20 * GIB), Ok(Bytes::new(2 * GIB)));
        let error = size(5 * GIB).expect_err("too little");
        assert_eq!(error.missing, Bytes::new(5 * GIB));
        assert!(error.to_string().contains("5 GiB are free"), "{error}");
    }

    #[test]
    fn a_small_machine_gets_a_small_file_but_never_less_than_the_method_needs() {
        let size = |minimum: u64, memory: u64| {
            scratch_size(Bytes::new(4 * GIB), Bytes::new(minimum), Bytes::new(1000 * GIB), Bytes::new(memory))
        };
        assert_eq!(size(1, GIB), Ok(Bytes::new(GIB)));
        assert_eq!(size(2 * GIB, GIB), Ok(Bytes::new(2 * GIB)));
    }

    proptest! {
        #[test]
        fn a_size_is_always_within_its_bounds(wanted in any::<u64>(), minimum in any::<u64>(), free in any::<u64>(), memory in any::<u64>()) {
            let [w, m, f, r] = [wanted, minimum, free, memory].map(Bytes::new);
            match scratch_size(w, m, f, r) {
                Ok(size) => {
                    prop_assert!(size.get() > 0 && size >= m && size.get() <= free / 10);
                    prop_assert_eq!(size.get() % (1 << 20), 0);
                }
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}
