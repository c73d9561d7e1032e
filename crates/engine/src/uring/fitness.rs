//! Whether a ring can do what a step asks of this target: asked of the kernel before the step, where only trying tells.

use std::io;

use drivelab_core::load::OpKind;
use drivelab_core::workload::Workload;

use crate::buffer::Arena;
use crate::fit::Job;
use crate::generate::stream::Op;
use crate::meter::issues;
use crate::uring::ring::{self, Ring, Whereto};
use crate::uring::setup::Mode;
use crate::wait::LOOK_NS;

/// Why a step with trims is not done by a ring.
const NO_TRIM: &str = "the kernel does not trim this block device through io_uring (Linux 6.12 does, where the device \
                       can): take the sync backend";
/// Why completions are not polled for.
const NO_POLL: &str = "completions cannot be polled for here: the target, or the driver below it, answered 'not \
                       supported'. It takes direct I/O and a driver with poll queues (an NVMe drive has them with \
                       nvme.poll_queues=N on the kernel's command line): take the uring backend";

/// Why a ring in this mode cannot do the step; `None` where it can.
pub(crate) fn misfit(job: &Job<'_>, workload: &Workload, mode: Mode) -> Option<&'static str> {
    let trims = workload.groups().any(|group| issues(group, OpKind::Trim));
    let device = job.threads.iter().find_map(|thread| match thread.whereto {
        Whereto::BlockDevice(device) => Some(device),
        Whereto::File(_) | Whereto::Nop => None,
    });
    if trims && device.is_some_and(|device| !ring::can_discard(device)) {
        return Some(NO_TRIM);
    }
    let polled = mode == Mode::CompletionPolled && !job.is_nop;
    // Where the question itself fails, the step fails in the same way and says why.
    (polled && matches!(can_poll(job, workload), Ok(false))).then_some(NO_POLL)
}

/// Reads one block with polling.
fn can_poll(job: &Job<'_>, workload: &Workload) -> io::Result<bool> {
    let Some(thread) = job.threads.first() else { return Ok(true) };
    let length = u32::try_from(workload.block_size.get()).unwrap_or(u32::MAX);
    let mut refused = Vec::new();
    let arena = Arena::map(length as usize, &mut refused)?;
    let mut ring = Ring::open(1, thread.whereto, arena, Mode::CompletionPolled, &mut refused)?;
    let mut driver = ring.drive(&mut refused);
    driver.begin();
    driver.queue(0, &Op { offset: workload.span.offset.get(), length, kind: OpKind::Read }, 0);
    loop {
        driver.enter(1, LOOK_NS)?;
        driver.look();
        if let Some((_, result)) = driver.completed() {
            return Ok(result != -libc::EOPNOTSUPP);
        }
    }
}
