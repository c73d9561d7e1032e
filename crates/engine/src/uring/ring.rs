//! One ring with its arena: the only place where the kernel gets access to our memory.
//!
//! Safe to use because the ring knows which slots are in flight: it submits a slot only when it is idle, hands out no
//! buffer of a slot that is in flight, and is dropped only with nothing in flight (otherwise the arena is never
//! unmapped). [`crate::memory::slots::Slots::write`] ensures that the buffers of two slots never overlap: every `at`
//! comes from there. [`super::setup`] says how rings are set up.
#![expect(unsafe_code, reason = "io_uring submissions carry pointers that the kernel reads and writes later")]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use drivelab_core::load::OpKind;
use io_uring::types::{Fd, Fixed, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{CompletionQueue, EnterFlags, IoUring, Probe, SubmissionQueue, Submitter, opcode, squeue};

use crate::clock::wait::LOOK_NS;
use crate::generate::stream::Op;
use crate::memory::buffer::Arena;
use crate::uring::setup::{self, Mode, note};

/// Bytes of an entry before the address (`sqe->addr`), and before the third address (`sqe->addr3`): `struct
/// io_uring_sqe`, include/uapi/linux/io_uring.h.
const ADDR_AT: usize = 16;
/// `BLOCK_URING_CMD_DISCARD`, `_IO(0x12, 0)`: include/uapi/linux/blkdev.h, Linux 6.12. Start in `addr`, length in
/// `addr3`, which is where the command bytes begin.
const BLOCK_URING_CMD_DISCARD: u32 = 0x1200;
/// `FALLOC_FL_KEEP_SIZE`, `FALLOC_FL_PUNCH_HOLE`, `FALLOC_FL_ZERO_RANGE`: fallocate(2).
const PUNCH: i32 = libc::FALLOC_FL_KEEP_SIZE | libc::FALLOC_FL_PUNCH_HOLE;
const ZERO: i32 = libc::FALLOC_FL_KEEP_SIZE | libc::FALLOC_FL_ZERO_RANGE;

/// The timer's completion carries this number; no slot has it.
const TIMER: u64 = u64::MAX;
/// A loop that waits for completions looks up after this time.
static LOOK: Timespec = Timespec::new().nsec(LOOK_NS as u32);

/// Where operations go.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Whereto<'a> {
    /// A file or character device.
    File(BorrowedFd<'a>),
    /// A block device: trims are discards.
    BlockDevice(BorrowedFd<'a>),
    /// Operations end in the ring.
    Nop,
}

/// A ring of one thread, made by that thread.
pub(crate) struct Ring {
    io: IoUring,
    arena: Arena,
    /// For each slot, whether the kernel has it.
    in_flight: Box<[bool]>,
    fixed_file: bool,
    fixed_buffers: bool,
    nop: bool,
    block_device: bool,
    file: Fd,
}

impl Ring {
    /// Makes a ring with room for `depth` operations. Features that the kernel refuses and the ring can do without
    /// are added to `refused`.
    pub(crate) fn open(
        depth: u32,
        whereto: Whereto<'_>,
        arena: Arena,
        mode: Mode,
        refused: &mut Vec<String>,
    ) -> io::Result<Self> {
        // One more place for the timer.
        let io = setup::build(depth.saturating_add(1), mode, refused)?;
        let (handle, block_device) = match whereto {
            Whereto::File(handle) => (Some(handle), false),
            Whereto::BlockDevice(handle) => (Some(handle), true),
            Whereto::Nop => (None, false),
        };
        let fixed_file = handle.is_some_and(|handle| {
            note(io.submitter().register_files(&[handle.as_raw_fd()]), "registered file", refused)
        });
        let whole = libc::iovec { iov_base: arena.address(0, arena.len()).cast(), iov_len: arena.len() };
        // SAFETY: the arena stays mapped until after the ring is closed: `Ring` declares `io` before `arena`, so the
        // ring is dropped first.
        let registered = unsafe { io.submitter().register_buffers(&[whole]) };
        let fixed_buffers = handle.is_some() && note(registered, "registered buffers", refused);
        let in_flight = vec![false; depth as usize].into_boxed_slice();
        let file = Fd(handle.map_or(-1, |handle| handle.as_raw_fd()));
        Ok(Ring { io, arena, in_flight, fixed_file, fixed_buffers, nop: handle.is_none(), block_device, file })
    }

    /// Whether any of its slots is still with the kernel.
    pub(crate) fn is_in_use(&self) -> bool {
        self.in_flight.contains(&true)
    }

    /// Its queues and memory, for the loop. The ring's own descriptor is registered if the kernel can (5.18), which
    /// saves its look-up in every system call.
    pub(crate) fn drive(&mut self, refused: &mut Vec<String>) -> Driver<'_> {
        let polled = self.io.params().is_setup_iopoll();
        let sqpoll = self.io.params().is_setup_sqpoll();
        let Ring { io, arena, in_flight, fixed_file, fixed_buffers, nop, block_device, file } = self;
        let (mut submitter, queue, completions) = io.split();
        note(submitter.register_ring_fd(), "registered ring", refused);
        let entries = Entries {
            fixed_file: *fixed_file,
            fixed_buffers: *fixed_buffers,
            nop: *nop,
            block_device: *block_device,
            file: *file,
        };
        let timer = if sqpoll || polled { Timer::None } else { Timer::Idle };
        Driver { submitter, queue, completions, arena, in_flight, entries, sqpoll, polled, timer }
    }
}

impl Drop for Ring {
    /// Closing a ring does not wait for operations in flight, so memory that the kernel may still fill is never
    /// reused.
    fn drop(&mut self) {
        if self.is_in_use() {
            self.arena.keep_for_ever();
        } else if self.fixed_file {
            // The kernel dismantles a closed ring some time later; until then it would keep the target open, and its
            // file system mounted.
            let _ = self.io.submitter().unregister_files();
        }
    }
}

/// A ring in use.
pub(crate) struct Driver<'r> {
    submitter: Submitter<'r>,
    queue: SubmissionQueue<'r>,
    completions: CompletionQueue<'r>,
    arena: &'r mut Arena,
    in_flight: &'r mut [bool],
    entries: Entries,
    sqpoll: bool,
    polled: bool,
    timer: Timer,
}

/// A request of the ring that ends after [`LOOK`]. With it, waiting needs no time limit of its own. Such a limit
/// would cost a twentieth of an operation at a depth of 1, and more when the drive is really waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Timer {
    /// This ring has no timer.
    None,
    Idle,
    Running,
}

impl Driver<'_> {
    /// A buffer of `slot`: `length` bytes at byte `at` of the arena, to be filled before a write or checked after a
    /// read.
    ///
    /// # Panics
    /// If the slot is in flight: a bug of the caller.
    #[inline]
    pub(crate) fn buffer_mut(&mut self, slot: usize, at: usize, length: usize) -> &mut [u8] {
        assert!(!self.in_flight[slot], "slot {slot} is in flight");
        self.arena.slice_mut(at, length)
    }

    /// Whether this slot is with the kernel.
    pub(crate) fn is_in_flight(&self, slot: usize) -> bool {
        self.in_flight[slot]
    }

    /// Updates which entries the kernel has taken. Call it once before a batch is queued: the queue keeps a copy of
    /// the kernel's head, and a stale copy makes a ring look full for ever when its size equals the depth (research
    /// notes, engine, 4.1 "crate trap").
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.queue.sync();
    }

    /// Queues an operation of `slot` with its buffer at byte `at` of the arena. [`Driver::enter`] submits it.
    ///
    /// # Panics
    /// If the slot is in flight, or if the ring is full, which cannot happen with a place per slot.
    // With a second caller the compiler would not inline all of it, at a cost of 10 of 70 ns for each NOP. Rare
    // callers use `queue_again`.
    #[inline(always)]
    pub(crate) fn queue(&mut self, slot: usize, op: &Op, at: usize) {
        self.queue_with(slot, op, at, squeue::Flags::empty());
    }

    #[inline(always)]
    fn queue_with(&mut self, slot: usize, op: &Op, at: usize, flags: squeue::Flags) {
        assert!(!self.in_flight[slot], "slot {slot} is in flight");
        let moves = matches!(op.kind, OpKind::Read | OpKind::Write);
        let address = if moves { self.arena.address(at, op.length as usize) } else { std::ptr::null_mut() };
        let entry = self.entries.entry(op, address).flags(flags).user_data(slot as u64);
        // SAFETY: the buffer lies inside the arena (checked by `address`), which outlives the operation: it is
        // unmapped only with nothing in flight (see `drop`). The slot's buffers are neither read nor written by us
        // until its completion clears `in_flight`, and no other slot's lie there (`Slots::read`, `Slots::write`). The
        // file stays open: the handle is borrowed for the whole step.
        let pushed = unsafe { self.queue.push(&entry) };
        assert!(pushed.is_ok(), "the ring has fewer places than slots");
        self.in_flight[slot] = true;
    }

    /// [`Driver::queue`] for rare callers.
    #[cold]
    #[inline(never)]
    pub(crate) fn queue_again(&mut self, slot: usize, op: &Op, at: usize) {
        self.queue(slot, op, at);
    }

    /// [`Driver::queue_again`] on a thread of the kernel that may wait, because the kernel would not wait for it
    /// here.
    #[cold]
    #[inline(never)]
    pub(crate) fn queue_to_wait(&mut self, slot: usize, op: &Op, at: usize) {
        self.queue_with(slot, op, at, squeue::Flags::ASYNC);
    }

    /// Submits what is queued and waits until `completions` have arrived, or until the next periodic check.
    #[inline]
    pub(crate) fn enter_until_look(&mut self, completions: u32) -> io::Result<()> {
        match self.timer {
            Timer::None => return self.enter(completions, LOOK_NS),
            Timer::Idle => self.start_timer(),
            Timer::Running => {}
        }
        self.queue.sync();
        let queued = u32::try_from(self.queue.len()).unwrap_or(u32::MAX);
        // SAFETY: no argument is passed; the entries were made by `queue` and `start_timer`.
        let entered =
            unsafe { self.submitter.enter::<libc::sigset_t>(queued, completions, EnterFlags::GETEVENTS.bits(), None) };
        later(entered)
    }

    #[cold]
    fn start_timer(&mut self) {
        let entry = opcode::Timeout::new(&raw const LOOK).build().user_data(TIMER);
        // SAFETY: the time is a constant, which the kernel reads when it takes the entry.
        let pushed = unsafe { self.queue.push(&entry) };
        assert!(pushed.is_ok(), "the ring has a place for the timer");
        self.timer = Timer::Running;
    }

    /// Submits what is queued and waits until `completions` have arrived, at most `wait_ns`. With 0 completions it
    /// only collects those that are ready.
    #[inline]
    pub(crate) fn enter(&mut self, completions: u32, wait_ns: u64) -> io::Result<()> {
        self.queue.sync();
        let queued = u32::try_from(self.queue.len()).unwrap_or(u32::MAX);
        let mut flags = EnterFlags::GETEVENTS;
        if self.sqpoll && self.queue.need_wakeup() {
            flags.insert(EnterFlags::SQ_WAKEUP);
        }
        // Polling in the kernel has no time limit: it would wait for a lost completion for ever.
        let entered = if completions == 0 || self.polled {
            // SAFETY: no argument is passed; the entries were made by `queue`.
            unsafe { self.submitter.enter::<libc::sigset_t>(queued, 0, flags.bits(), None) }
        } else {
            flags.insert(EnterFlags::EXT_ARG);
            let wait = Timespec::new().sec(wait_ns / 1_000_000_000).nsec((wait_ns % 1_000_000_000) as u32);
            let arguments = SubmitArgs::new().timespec(&wait);
            // SAFETY: the argument is of the type that EXT_ARG says and lives through the call; the entries were made
            // by `queue`.
            unsafe { self.submitter.enter(queued, completions, flags.bits(), Some(&arguments)) }
        };
        later(entered)
    }

    /// The next completion, if there is one: slot and result as io_uring returns it (bytes, or minus the error
    /// number). Call [`Driver::look`] before the first one of a pass.
    #[inline]
    pub(crate) fn completed(&mut self) -> Option<(usize, i32)> {
        let mut completion = self.completions.next()?;
        if completion.user_data() == TIMER {
            // If the kernel has no such request, each call sets its own limit.
            self.timer = if completion.result() == -libc::ETIME { Timer::Idle } else { Timer::None };
            completion = self.completions.next()?;
        }
        let slot = usize::try_from(completion.user_data()).ok()?;
        *self.in_flight.get_mut(slot)? = false;
        Some((slot, completion.result()))
    }

    /// Updates which completions are available, and gives back the places of those that were taken.
    #[inline]
    pub(crate) fn look(&mut self) {
        self.completions.sync();
    }
}

/// The meaning of an enter that did not submit everything or saw no completion: nothing completed in time, a signal,
/// or the kernel is short of memory or room for a moment. What is queued stays queued.
#[inline]
fn later(entered: io::Result<usize>) -> io::Result<()> {
    match entered {
        Ok(_) => Ok(()),
        Err(error) => match error.raw_os_error() {
            Some(libc::ETIME | libc::EINTR | libc::EAGAIN | libc::EBUSY) => Ok(()),
            _ => Err(error),
        },
    }
}

/// Whether the kernel takes discards of this block device through a ring (Linux 6.12 does, if the device can
/// discard). Asked with a range that has no length and begins inside a block, so that it cannot have any effect: a
/// kernel that knows the command answers EINVAL, another EOPNOTSUPP.
pub(crate) fn can_discard(device: BorrowedFd<'_>) -> bool {
    empty_discard(device).is_ok_and(|answer| answer == -libc::EINVAL)
}

fn empty_discard(device: BorrowedFd<'_>) -> io::Result<i32> {
    let mut ring = IoUring::new(2)?;
    let mut known = Probe::new();
    ring.submitter().register_probe(&mut known)?;
    if !known.is_supported(opcode::UringCmd16::CODE) {
        return Ok(-libc::EOPNOTSUPP);
    }
    let file = Fd(device.as_raw_fd());
    let entries = Entries { fixed_file: false, fixed_buffers: false, nop: false, block_device: true, file };
    let entry = entries.discard(&Op { offset: 1, length: 0, kind: OpKind::Trim });
    // SAFETY: the entry points to no memory, and its handle is open until it has ended, which is waited for.
    unsafe { ring.submission().push(&entry) }.map_err(|_| io::Error::from(io::ErrorKind::StorageFull))?;
    ring.submit_and_wait(1)?;
    let answer = ring.completion().next();
    answer.map(|ended| ended.result()).ok_or_else(|| io::Error::from(io::ErrorKind::TimedOut))
}

/// Turns operations into entries.
#[derive(Debug, Clone, Copy)]
struct Entries {
    fixed_file: bool,
    fixed_buffers: bool,
    nop: bool,
    block_device: bool,
    file: Fd,
}

impl Entries {
    #[inline(always)]
    fn entry(self, op: &Op, address: *mut u8) -> squeue::Entry {
        if self.nop {
            return opcode::Nop::new().build();
        }
        let (length, offset) = (op.length, op.offset);
        match (op.kind, self.fixed_buffers, self.fixed_file) {
            (OpKind::Read, true, true) => opcode::ReadFixed::new(Fixed(0), address, length, 0).offset(offset).build(),
            (OpKind::Read, true, false) => opcode::ReadFixed::new(self.file, address, length, 0).offset(offset).build(),
            (OpKind::Read, false, true) => opcode::Read::new(Fixed(0), address, length).offset(offset).build(),
            (OpKind::Read, false, false) => opcode::Read::new(self.file, address, length).offset(offset).build(),
            (OpKind::Write, true, true) => opcode::WriteFixed::new(Fixed(0), address, length, 0).offset(offset).build(),
            (OpKind::Write, true, false) => {
                opcode::WriteFixed::new(self.file, address, length, 0).offset(offset).build()
            }
            (OpKind::Write, false, true) => opcode::Write::new(Fixed(0), address, length).offset(offset).build(),
            (OpKind::Write, false, false) => opcode::Write::new(self.file, address, length).offset(offset).build(),
            (OpKind::Trim | OpKind::WriteZeroes | OpKind::Flush, ..) => self.rare(op),
        }
    }

    #[cold]
    fn rare(self, op: &Op) -> squeue::Entry {
        let length = u64::from(op.length);
        match op.kind {
            OpKind::Trim if self.block_device => self.discard(op),
            OpKind::Trim => opcode::Fallocate::new(self.file, length).offset(op.offset).mode(PUNCH).build(),
            OpKind::WriteZeroes => opcode::Fallocate::new(self.file, length).offset(op.offset).mode(ZERO).build(),
            _ => opcode::Fsync::new(self.file).flags(FsyncFlags::DATASYNC).build(),
        }
    }

    /// The crate has no opcode for it: a plain command entry carries the length in its command bytes, and the start
    /// is written where the kernel looks for it.
    fn discard(self, op: &Op) -> squeue::Entry {
        let mut command = [0_u8; 16];
        command[..8].copy_from_slice(&u64::from(op.length).to_ne_bytes());
        let entry = opcode::UringCmd16::new(self.file, BLOCK_URING_CMD_DISCARD).cmd(command).build();
        // SAFETY: `Entry` is `repr(C)` around the kernel's 64-byte `io_uring_sqe`, which is plain integers: any bytes
        // are a valid value of it, and of an array of bytes.
        let mut bytes = unsafe { std::mem::transmute::<squeue::Entry, [u8; 64]>(entry) };
        bytes[ADDR_AT..ADDR_AT + 8].copy_from_slice(&op.offset.to_ne_bytes());
        // SAFETY: as above.
        unsafe { std::mem::transmute::<[u8; 64], squeue::Entry>(bytes) }
    }
}
