//! The arena: the memory that one issuing thread reads into and writes from.
//!
//! Anonymous and page-aligned, in huge pages if the kernel provides them: one 2 MiB page is one segment of a request,
//! and 1 MiB of scattered 4 KiB pages is 256 segments (research notes, engine, 4.1 and 5.1). Touched once before the
//! start, so that the loop never takes a page fault for it. Unsafe because it is mmap(2).
#![expect(unsafe_code, reason = "mmap(2), madvise(2) and slices of mapped memory")]

use std::io;
use std::ptr::NonNull;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use crate::host::errno;

/// Size of a huge page on x86-64 and on arm64 with 4 KiB pages.
const HUGE_PAGE: usize = 2 << 20;
/// Arenas from this size on are rounded up to whole huge pages. Below it the rounding would waste more than it gains,
/// except for pages reserved as huge ones, which cannot be shared anyway.
const HUGE_FROM: usize = 512 << 10;
/// mmap(2) aligns to at least this.
pub(crate) const PAGE: usize = 4096;

/// Zeroed memory of one thread.
#[derive(Debug)]
pub(crate) struct Arena {
    start: NonNull<u8>,
    length: usize,
    keep: bool,
}

// SAFETY: an Arena is the only owner of its mapping, and a mapping belongs to no thread.
unsafe impl Send for Arena {}

impl Arena {
    /// Maps and touches at least `wanted` bytes. Adds to `refused` what the kernel did not grant.
    pub(crate) fn map(wanted: usize, refused: &mut Vec<String>) -> io::Result<Self> {
        let huge = wanted >= HUGE_FROM;
        let in_huge_pages = wanted.max(1).next_multiple_of(HUGE_PAGE);
        match map(in_huge_pages, MapFlags::HUGETLB | MapFlags::HUGE_2MB) {
            Ok(start) => return Ok(Arena::touched(start, in_huge_pages)),
            Err(error) if huge => refused.push(format!("buffers in reserved huge pages ({})", errno::describe(&error))),
            // Small buffers do without: few hosts reserve such pages.
            Err(_) => {}
        }
        let length = if huge { in_huge_pages } else { wanted.max(1).next_multiple_of(PAGE) };
        let start = map(length, MapFlags::empty())?;
        if huge {
            // SAFETY: the range is the mapping made one line above; the advice changes no content.
            let advised = unsafe { madvise(start.as_ptr().cast(), length, Advice::LinuxHugepage) };
            if let Err(error) = advised {
                refused.push(format!("buffers in transparent huge pages ({})", errno::describe(&error.into())));
            }
        }
        Ok(Arena::touched(start, length))
    }

    fn touched(start: NonNull<u8>, length: usize) -> Self {
        let mut arena = Arena { start, length, keep: false };
        arena.slice_mut(0, length).chunks_mut(PAGE).for_each(|page| page.fill(0));
        arena
    }

    /// Bytes.
    pub(crate) const fn len(&self) -> usize {
        self.length
    }

    /// Address of byte `at`, for the kernel.
    ///
    /// # Panics
    /// If `at` and `length` do not lie inside: a bug of the caller.
    pub(crate) fn address(&self, at: usize, length: usize) -> *mut u8 {
        self.check(at, length);
        // SAFETY: checked to lie inside the one mapping.
        unsafe { self.start.as_ptr().add(at) }
    }

    /// A part of the arena. In the io_uring backend `uring::ring` is the caller, which hands out no part that is in
    /// flight.
    ///
    /// # Panics
    /// If `at` and `length` do not lie inside: a bug of the caller.
    pub(crate) fn slice_mut(&mut self, at: usize, length: usize) -> &mut [u8] {
        self.check(at, length);
        // SAFETY: checked to lie inside the mapping, which is readable, writable, initialised (zeroed by the kernel)
        // and owned by `self`, which stays borrowed for as long as the slice lives.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().add(at), length) }
    }

    /// Never unmaps it: for memory that the kernel may still use.
    pub(crate) const fn keep_for_ever(&mut self) {
        self.keep = true;
    }

    #[inline]
    fn check(&self, at: usize, length: usize) {
        let inside = at.checked_add(length).is_some_and(|end| end <= self.length);
        assert!(inside, "bytes {at} + {length} are outside an arena of {} bytes", self.length);
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if !self.keep {
            // SAFETY: the mapping was made by `map`, is unmapped once, and no slice of it outlives `self`.
            let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
        }
    }
}

fn map(length: usize, more: MapFlags) -> io::Result<NonNull<u8>> {
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new anonymous mapping at an address that the kernel chooses touches nothing that exists.
    let start = unsafe { mmap_anonymous(std::ptr::null_mut(), length, protection, MapFlags::PRIVATE | more) }?;
    NonNull::new(start.cast()).ok_or_else(|| io::Error::from_raw_os_error(libc::ENOMEM))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arena_is_aligned_zeroed_writable_and_bounded() {
        for wanted in [1, PAGE, HUGE_FROM - 1, HUGE_FROM, 3 * HUGE_PAGE + 1] {
            let mut arena = Arena::map(wanted, &mut Vec::new()).unwrap();
            assert!(arena.len() >= wanted);
            assert_eq!(arena.address(0, 1) as usize % PAGE, 0);
            let length = arena.len();
            let all = arena.slice_mut(0, length);
            assert!(all.iter().all(|byte| *byte == 0));
            all.fill(7);
            assert_eq!(arena.slice_mut(length - 1, 1), [7]);
        }
    }

    #[test]
    #[should_panic(expected = "outside an arena")]
    fn nothing_outside_an_arena_is_handed_out() {
        let mut arena = Arena::map(PAGE, &mut Vec::new()).unwrap();
        // Huge pages, where some are reserved, make it larger.
        let end = arena.length;
        arena.slice_mut(end, 1);
    }
}
