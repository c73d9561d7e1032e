//! Replaying a trace: a thread reads the trace ahead into a queue of bounded length (the line), and the loops take
//! operations from it.
//!
//! Owns what happens between the trace and the loops. The reader's thread may wait for a disk and allocate. The line
//! is made before the start, and taking from it needs no lock and no memory. If the trace is read too slowly, the
//! loops count the time that they waited. Must not know: formats, files.

mod busy;
pub(crate) mod line;
mod map;
pub(crate) mod take;

use std::thread::{self, Builder};
use std::time::Duration;

use drivelab_core::backend::{BackendError, StepRequest};
use drivelab_core::replay::{Replay, TraceStream};
use drivelab_core::target::IoTarget;
use drivelab_core::workload::Workload;

use line::Line;
use map::Mapper;

/// Longest sleep of the reader while the line is full, and of the thread that waits for the line to fill at the
/// start.
const LOOK: Duration = Duration::from_millis(1);

/// Least alignment of operations in bytes, for targets that ask for less: the traditional sector size.
const LEAST_UNIT: u64 = 512;

/// Checks whether a load can be replayed on a target. The span, kinds and handles are checked elsewhere.
pub(crate) fn check(target: &IoTarget, workload: &Workload, beside: bool) -> Result<(), BackendError> {
    let unfit = |message: &str| Err(BackendError::Unfit(message.to_owned()));
    let one_thread = workload.threads.get() == 1 && !beside && workload.beside.is_empty();
    if !one_thread {
        return unfit(
            "a trace has one order of operations: replay it with one thread and without other groups of threads",
        );
    }
    if !workload.verify.is_off() || workload.pace.rate.is_some() || workload.pace.bursts.is_some() {
        return unfit("a trace has its own operations and times: headers, rates and bursts cannot be combined with it");
    }
    let span = workload.span;
    let unit = unit(target, workload);
    if span.length.get() < unit || !span.length.get().is_multiple_of(unit) || !span.offset.get().is_multiple_of(unit) {
        return Err(BackendError::Unfit(format!(
            "the span of {} bytes from byte {} is not aligned to this target's blocks of {unit} bytes",
            span.length.get(),
            span.offset.get()
        )));
    }
    if span.offset.get().checked_add(span.length.get()).is_none_or(|end| end > target.length().get()) {
        return Err(BackendError::Unfit(format!(
            "the span of {} bytes from byte {} ends outside the target, which has {} bytes",
            span.length.get(),
            span.offset.get(),
            target.length().get()
        )));
    }
    Ok(())
}

/// Places and lengths of operations are multiples of this many bytes: the target's logical block.
fn unit(target: &IoTarget, workload: &Workload) -> u64 {
    let needs = target.direct_io().filter(|_| workload.direct);
    needs.map_or(LEAST_UNIT, |needs| needs.offset_align.get().max(LEAST_UNIT))
}

/// Runs a step with its trace read ahead. The loops begin when the line is full or the trace has ended.
///
/// # Errors
/// The trace cannot be read. Operations may have been issued before that.
pub(crate) fn with_trace<R>(
    target: &IoTarget,
    request: &StepRequest<'_>,
    replay: &Replay,
    mut stream: Box<dyn TraceStream>,
    step: impl FnOnce(&Line) -> R,
) -> Result<R, BackendError> {
    let line = Line::new();
    let workload = request.workload;
    let mut mapper = Mapper::new(workload, replay, unit(target, workload));
    thread::scope(|scope| {
        let read = || read_ahead(&line, stream.as_mut(), &mut mapper);
        let reader = Builder::new().name("trace".to_owned()).spawn_scoped(scope, read);
        let reader = reader.map_err(|source| BackendError::System { what: "starting a thread".to_owned(), source })?;
        while !line.is_ready() && !request.stop.is_stopped() && !reader.is_finished() {
            thread::park_timeout(LOOK);
        }
        let done = step(&line);
        line.close();
        reader.thread().unpark();
        match reader.join() {
            Ok(Ok(())) => Ok(done),
            Ok(Err(message)) => Err(BackendError::Unfit(message)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The body of the reader's thread: reads until the trace ends or the step is over.
fn read_ahead(line: &Line, stream: &mut dyn TraceStream, mapper: &mut Mapper) -> Result<(), String> {
    // Whatever happens, the loops must not wait for more operations.
    let end = EndOnDrop(line);
    while let Some(op) = stream.next_op()? {
        let Some(item) = mapper.map(op)? else { continue };
        while !line.push(&item) {
            if line.is_closed() {
                return Ok(());
            }
            thread::park_timeout(LOOK);
        }
    }
    line.note_skipped_at_end(mapper.skipped());
    drop(end);
    Ok(())
}

struct EndOnDrop<'l>(&'l Line);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests;
