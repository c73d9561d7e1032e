//! The size limit of a scratch file.

use drivelab_core::units::Bytes;

use crate::error::ErrorKind;

/// A scratch file takes at most one part in this many of the free space.
const SHARE_OF_FREE: u64 = 10;
/// Largest share of the free space, in tenths, on a file system that was created for the run. Nothing else needs room
/// there, but the last blocks of a file system are its slowest.
const TENTHS_OF_OWN: u64 = 9;

/// There is too little free space for the method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not enough free space: {} are free, drivelab takes at most {share} of that ({}), and the method needs {}; free {} \
     more, or name a folder on a larger file system", free.about(), allowed.about(), needed.about(), missing.about()
)]
pub struct NoSpace {
    /// Free for an ordinary user.
    pub free: Bytes,
    /// Size that would have been allowed.
    pub allowed: Bytes,
    /// Size that the method needs at least.
    pub needed: Bytes,
    /// Additional free space that would be needed.
    pub missing: Bytes,
    /// The allowed share of the free space, as text.
    pub share: &'static str,
}

impl NoSpace {
    /// Always [`ErrorKind::NoSpace`].
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        ErrorKind::NoSpace
    }
}

/// The size of a scratch file: the wanted size, but at most a tenth of `free`, in whole MiB.
///
/// `memory` limits it too if it is known (not zero): a machine with less memory than the file is a small one with
/// slow storage, and filling a file of several times its memory would take longer than the whole test.
///
/// # Errors
/// [`NoSpace`] if a tenth of the free space is less than `minimum`.
pub fn scratch_size(wanted: Bytes, minimum: Bytes, free: Bytes, memory: Bytes) -> Result<Bytes, NoSpace> {
    of_free((wanted, minimum), free, memory, (1, SHARE_OF_FREE, "a tenth"))
}

/// As [`scratch_size`], on a file system that was created for the run: at most nine tenths of `free`.
///
/// # Errors
/// [`NoSpace`] if that is less than `minimum`.
pub fn own_scratch_size(wanted: Bytes, minimum: Bytes, free: Bytes, memory: Bytes) -> Result<Bytes, NoSpace> {
    of_free((wanted, minimum), free, memory, (TENTHS_OF_OWN, 10, "nine tenths"))
}

/// At most `part` of `parts` of the free space, a share whose name is `words`.
fn of_free(
    (wanted, minimum): (Bytes, Bytes),
    free: Bytes,
    memory: Bytes,
    (part, parts, share): (u64, u64, &'static str),
) -> Result<Bytes, NoSpace> {
    let of_all = |bytes: u64, by: u64, of: u64| {
        u64::try_from(u128::from(bytes) * u128::from(by) / u128::from(of)).unwrap_or(u64::MAX)
    };
    let allowed = Bytes::new(of_all(free.get(), part, parts));
    let by_memory = if memory.get() == 0 { wanted } else { wanted.min(memory.max(minimum)) };
    let size = by_memory.min(allowed).align_down(Bytes::MIB);
    if size < minimum || size.get() == 0 {
        let needed = minimum.max(Bytes::MIB);
        let whole = needed.get().div_ceil(Bytes::MIB.get()).saturating_mul(Bytes::MIB.get());
        let missing = Bytes::new(of_all(whole, parts, part).saturating_sub(free.get()));
        return Err(NoSpace { free, allowed, needed, missing, share });
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

    #[test]
    fn a_file_system_of_its_own_is_used_but_for_a_tenth() {
        let size = |free: u64| own_scratch_size(Bytes::new(4 * GIB), Bytes::new(GIB), Bytes::new(free), Bytes::new(0));
        assert_eq!(size(100 * GIB), Ok(Bytes::new(4 * GIB)));
        assert_eq!(size(2 * GIB), Ok(Bytes::new(2 * GIB * 9 / 10).align_down(Bytes::MIB)));
        let error = size(GIB / 2).expect_err("too little");
        assert!(error.to_string().contains("nine tenths"), "{error}");
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
