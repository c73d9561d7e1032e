//! One ring with its arena: the only place where the kernel is given our memory.
//!
//! Safe to use because the ring knows which slots are in flight: it submits a slot only when it is idle, hands out no
//! buffer of a slot that is in flight, and is dropped only with nothing in flight (else the arena is kept for ever).
#![expect(unsafe_code, reason = "io_uring submissions carry pointers that the kernel reads and writes later")]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use drivelab_core::load::OpKind;
use io_uring::types::{Fd, Fixed, SubmitArgs, Timespec};
use io_uring::{Builder, IoUring, opcode, squeue};

use crate::buffer::Arena;
use crate::errno;
use crate::generate::stream::Op;

/// Longest wait for a completion, so that stop requests and interval borders are seen when a drive stalls.
const WAIT: Timespec = Timespec::new().nsec(50_000_000);

/// Name of a set-up flag, and how it is set.
type Flag = (&'static str, fn(&mut Builder));

/// Set-up flags, the one to drop first last: what each needs and gives is in io_uring_setup(2).
const FLAGS: [Flag; 5] = [
    ("IORING_SETUP_SUBMIT_ALL", |builder| {
        builder.setup_submit_all();
    }),
    ("IORING_SETUP_COOP_TASKRUN", |builder| {
        builder.setup_coop_taskrun();
    }),
    ("IORING_SETUP_SINGLE_ISSUER", |builder| {
        builder.setup_single_issuer();
    }),
    ("IORING_SETUP_DEFER_TASKRUN", |builder| {
        builder.setup_defer_taskrun();
    }),
    ("IORING_SETUP_NO_SQARRAY", |builder| {
        builder.setup_no_sqarray();
    }),
];

/// A ring of one thread, made by that thread.
pub(crate) struct Ring {
    io: IoUring,
    arena: Arena,
    block: u32,
    /// For each slot, whether the kernel has it.
    in_flight: Box<[bool]>,
    fixed_file: bool,
    fixed_buffers: bool,
    file: Fd,
}

impl Ring {
    /// Makes a ring with room for `depth` operations of `block` bytes. What the kernel refuses but the ring can do
    /// without is noted in `refused`.
    pub(crate) fn open(
        depth: u32,
        handle: BorrowedFd<'_>,
        arena: Arena,
        block: u32,
        refused: &mut Vec<String>,
    ) -> io::Result<Self> {
        let io = build(depth, refused)?;
        let fixed_file = note(io.submitter().register_files(&[handle.as_raw_fd()]), "registered file", refused);
        let whole = libc::iovec { iov_base: arena.address(0, arena.len()).cast(), iov_len: arena.len() };
        // SAFETY: the arena stays mapped until after the ring is closed: `Ring` declares `io` before `arena`, so the
        // ring is dropped first.
        let registered = unsafe { io.submitter().register_buffers(&[whole]) };
        let fixed_buffers = note(registered, "registered buffers", refused);
        let in_flight = vec![false; depth as usize].into_boxed_slice();
        Ok(Ring { io, arena, block, in_flight, fixed_file, fixed_buffers, file: Fd(handle.as_raw_fd()) })
    }

    /// The buffer of `slot` at byte `at` of the arena, to fill it before a write.
    ///
    /// # Panics
    /// Where the slot is in flight: a bug of the caller.
    #[inline]
    pub(crate) fn buffer_mut(&mut self, slot: usize, at: usize) -> &mut [u8] {
        assert!(!self.in_flight[slot], "slot {slot} is in flight");
        self.arena.slice_mut(at, self.block as usize)
    }

    /// Queues an operation of `slot` with its buffer at byte `at` of the arena. [`Ring::enter`] submits it.
    ///
    /// # Panics
    /// Where the slot is in flight or the ring is full, which a ring with a place per slot cannot be.
    #[inline]
    pub(crate) fn queue(&mut self, slot: usize, op: Op, at: usize) {
        assert!(!self.in_flight[slot], "slot {slot} is in flight");
        let address = self.arena.address(at, self.block as usize);
        let entry = self.entry(op, address).user_data(slot as u64);
        // `submission()` reads the kernel's head afresh each time; a queue kept over an enter would look full for ever
        // when the depth equals the size of the ring (research/engine.md, 4.1 "crate trap").
        let mut queue = self.io.submission();
        // SAFETY: the buffer lies inside the arena (checked by `address`), which outlives the operation: it is
        // unmapped only with nothing in flight (see `drop`). The slot's buffers are neither read nor written by us
        // until its completion clears `in_flight`. The file stays open: the handle is borrowed for the whole step.
        let pushed = unsafe { queue.push(&entry) };
        assert!(pushed.is_ok(), "the ring has fewer places than slots");
        drop(queue);
        self.in_flight[slot] = true;
    }

    #[inline]
    fn entry(&self, op: Op, address: *mut u8) -> squeue::Entry {
        let (length, offset) = (self.block, op.offset);
        match (op.kind == OpKind::Write, self.fixed_buffers, self.fixed_file) {
            (false, true, true) => opcode::ReadFixed::new(Fixed(0), address, length, 0).offset(offset).build(),
            (false, true, false) => opcode::ReadFixed::new(self.file, address, length, 0).offset(offset).build(),
            (false, false, true) => opcode::Read::new(Fixed(0), address, length).offset(offset).build(),
            (false, false, false) => opcode::Read::new(self.file, address, length).offset(offset).build(),
            (true, true, true) => opcode::WriteFixed::new(Fixed(0), address, length, 0).offset(offset).build(),
            (true, true, false) => opcode::WriteFixed::new(self.file, address, length, 0).offset(offset).build(),
            (true, false, true) => opcode::Write::new(Fixed(0), address, length).offset(offset).build(),
            (true, false, false) => opcode::Write::new(self.file, address, length).offset(offset).build(),
        }
    }

    /// Submits what is queued and waits for one completion, at most 50 ms.
    #[inline]
    pub(crate) fn enter(&self) -> io::Result<()> {
        match self.io.submitter().submit_with_args(1, &SubmitArgs::new().timespec(&WAIT)) {
            Ok(_) => Ok(()),
            // Nothing completed in time, a signal, or the kernel is short of memory or room for a moment: what is
            // queued stays queued.
            Err(error) => match error.raw_os_error() {
                Some(libc::ETIME | libc::EINTR | libc::EAGAIN | libc::EBUSY) => Ok(()),
                _ => Err(error),
            },
        }
    }

    /// Hands each completion to `done`: slot and result as io_uring gives it (bytes, or minus the error number).
    #[inline]
    pub(crate) fn reap(&mut self, mut done: impl FnMut(usize, i32)) {
        for completion in self.io.completion() {
            let Ok(slot) = usize::try_from(completion.user_data()) else { continue };
            if let Some(in_flight) = self.in_flight.get_mut(slot) {
                *in_flight = false;
                done(slot, completion.result());
            }
        }
    }
}

impl Drop for Ring {
    /// Closing a ring does not wait for what is in flight, so memory that the kernel may still fill is never reused.
    fn drop(&mut self) {
        if self.in_flight.contains(&true) {
            self.arena.keep_for_ever();
        }
    }
}

/// Makes the ring, dropping one flag after another where the kernel says EINVAL.
fn build(depth: u32, refused: &mut Vec<String>) -> io::Result<IoUring> {
    for keep in (0..=FLAGS.len()).rev() {
        let mut builder = IoUring::builder();
        builder.dontfork().setup_cqsize(depth.next_power_of_two().saturating_mul(2));
        FLAGS.iter().take(keep).for_each(|(_, set)| set(&mut builder));
        match builder.build(depth) {
            Ok(io) => return Ok(io),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) && keep > 0 => {
                refused.push(format!("{} (EINVAL)", FLAGS[keep - 1].0));
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::from_raw_os_error(libc::EINVAL))
}

/// Whether it worked; if not, notes it.
fn note(result: io::Result<()>, what: &str, refused: &mut Vec<String>) -> bool {
    match result {
        Ok(()) => true,
        Err(error) => {
            refused.push(format!("{what} ({})", errno::describe(&error)));
            false
        }
    }
}
