//! Whether a ring can do what a step asks of this target. The kernel is asked before the step if only a try can tell.

use std::io;

use drivelab_core::clock::monotonic_raw_ns;
use drivelab_core::load::OpKind;
use drivelab_core::workload::Workload;

use crate::generate::stream::Op;
use crate::load::job::Job;
use crate::memory::buffer::Arena;
use crate::uring::ring::{self, Driver, Ring, Whereto};
use crate::uring::setup::Mode;

/// Why a ring cannot run a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Misfit {
    pub(crate) why: &'static str,
    pub(crate) advice: &'static str,
}

const NO_TRIM: Misfit = Misfit {
    why: "the kernel does not trim this block device through io_uring (Linux 6.12 does, if the device can)",
    advice: "use the sync backend",
};
const NO_POLL: Misfit = Misfit {
    why: "completions cannot be polled for here: the target, or the driver below it, answered 'not supported'. Polling needs \
          direct I/O and a driver with poll queues (for NVMe: nvme.poll_queues=N on the kernel's command line)",
    advice: "use the uring backend",
};
/// Longest wait for the answer whether completions can be polled for.
const ANSWER_NS: u64 = 5_000_000_000;

/// Why a ring in this mode cannot run the step; `None` if it can.
pub(crate) fn misfit(job: &Job<'_>, workload: &Workload, mode: Mode) -> Option<Misfit> {
    let trims = workload.groups().any(|group| group.issues_or_reads_back(OpKind::Trim));
    let device = job.threads.iter().find_map(|thread| match thread.whereto {
        Whereto::BlockDevice(device) => Some(device),
        Whereto::File(_) | Whereto::Nop => None,
    });
    if trims && device.is_some_and(|device| !ring::can_discard(device)) {
        return Some(NO_TRIM);
    }
    let polled = mode == Mode::CompletionPolled && !job.is_nop;
    // If the test read itself fails, the step fails in the same way and reports why.
    (polled && matches!(can_poll(job, workload), Ok(false))).then_some(NO_POLL)
}

/// Reads one block with polling.
fn can_poll(job: &Job<'_>, workload: &Workload) -> io::Result<bool> {
    let Some(thread) = job.threads.first() else { return Ok(true) };
    let length = u32::try_from(workload.block_size.get()).unwrap_or(u32::MAX);
    let mut refused = Vec::new();
    let arena = Arena::map(length as usize, &mut refused)?;
    let mut ring = Ring::open(1, thread.whereto, arena, Mode::CompletionPolled, &mut refused)?;
    let op = Op { offset: workload.span.offset.get(), length, kind: OpKind::Read };
    let answer = first_answer(ring.drive(&mut refused), &op)?;
    if answer.is_none() {
        // A drive that does not answer: the ring is kept, because closing it would wait. The step's watchdog will
        // report the drive.
        std::mem::forget(ring);
    }
    Ok(answer != Some(-libc::EOPNOTSUPP))
}

/// The result of an operation; `None` if it did not end in time.
fn first_answer(mut driver: Driver<'_>, op: &Op) -> io::Result<Option<i32>> {
    driver.begin();
    driver.queue_again(0, op, 0);
    let asked = monotonic_raw_ns();
    while monotonic_raw_ns() - asked < ANSWER_NS {
        driver.enter(0, 0)?;
        driver.look();
        if let Some((_, result)) = driver.completed() {
            return Ok(Some(result));
        }
    }
    Ok(None)
}
