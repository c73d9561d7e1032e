//! What all threads of a step read: whether the step continues, what they share, what is in flight, the common start.
//!
//! Workers wait for the session's thread only at the gate, before the start; afterwards everything here is an atomic.

use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, PoisonError};

use drivelab_core::backend::StepRequest;
use drivelab_core::clock::StopToken;
use drivelab_core::load::OpKind;
use drivelab_core::record::{StopReason, Stuck};
use drivelab_core::units::Nanos;

use crate::clock::time::Clock;
use crate::load::job::{Job, ThreadJob};
use crate::load::schedule::Timing;
use crate::replay::line::Line;
use crate::step::manner::{Kind, Manner};
use crate::thread::bursts::Book;
use crate::thread::faults::{Broken, ErrorPolicy};
use crate::thread::flight::Flight;
use crate::thread::place::{Padded, Place};
use crate::thread::tally::{LaneEnd, Tally};

/// Where one OS thread publishes which of its operations have been in flight and since when; it has its own cache
/// lines.
#[derive(Debug, Default)]
#[repr(align(128))]
struct UnderWay {
    /// How many; 0 if none.
    operations: AtomicU64,
    /// When the oldest of them was submitted.
    submitted: AtomicU64,
    offset: AtomicU64,
    kind: AtomicU8,
}

/// Nothing has ended the step.
const GOING_ON: u8 = 0;
/// The step's own group has done its share.
const DONE: u8 = 1;
/// Errors ended the step.
const ABORTED: u8 = 2;

/// What all threads of a step read.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    pub(crate) job: &'a Job<'a>,
    pub(crate) policy: ErrorPolicy,
    pub(crate) clock: Clock,
    pub(crate) places: Box<[Place]>,
    /// Operations drawn by each group that has a weight.
    pub(crate) group_issued: Box<[Padded]>,
    /// Bursts by volume, if the load has any.
    pub(crate) bursts: Option<Book>,
    pub(crate) traced: bool,
    /// Operations of a trace, read ahead; absent if none is replayed.
    pub(crate) replay: Option<&'a Line>,
    pub(crate) watchdog_ns: u64,
    under_way: Box<[UnderWay]>,
    stop: &'a StopToken,
    verdict: AtomicU8,
    /// OS threads of the step's own group that have not done their share.
    own_left: AtomicUsize,
    /// `None` until the start is decided; then the times, or `None` if the step does not start.
    gate: Mutex<Option<Option<Timing>>>,
    opened: Condvar,
}

impl<'a> Shared<'a> {
    /// Before the start: nothing in flight, nothing counted.
    pub(crate) fn new(
        job: &'a Job<'a>,
        manner: &Manner<'_>,
        request: &StepRequest<'a>,
        traced: bool,
        replay: Option<&'a Line>,
    ) -> Self {
        let places = job.threads.iter().map(|thread| Place::beginning(thread.schedule.as_ref())).collect();
        let own = job.threads.iter().take(job.own_threads());
        let os_threads = |thread: &ThreadJob<'_>| if manner.kind == Kind::Sync { thread.depth as usize } else { 1 };
        let os_threads_all: usize = job.threads.iter().map(os_threads).sum();
        Shared {
            job,
            policy: ErrorPolicy::of(request.stop_rule.errors),
            clock: Clock::for_step(),
            places,
            group_issued: job.groups.iter().map(|_| Padded::default()).collect(),
            bursts: Book::of(request.workload),
            traced,
            replay,
            watchdog_ns: manner.watchdog.get(),
            under_way: (0..os_threads_all).map(|_| UnderWay::default()).collect(),
            stop: request.stop,
            verdict: AtomicU8::new(GOING_ON),
            own_left: AtomicUsize::new(own.map(os_threads).sum()),
            gate: Mutex::new(None),
            opened: Condvar::new(),
        }
    }

    /// Whether the load of this thread, issued by `sharers` OS threads, has only a stream of its own.
    pub(crate) fn is_plain(&self, thread: usize, sharers: u32) -> bool {
        let job = &self.job.threads[thread];
        let own_stream = sharers == 1 && job.cursor_at == thread && !job.shares_cursor;
        own_stream && job.is_plain() && self.bursts.is_none() && self.replay.is_none() && !self.traced
    }

    /// The reason to submit nothing more, if any. Two relaxed loads and two comparisons.
    #[inline]
    pub(crate) fn ended(&self, timing: &Timing, now: u64) -> Option<StopReason> {
        match self.verdict.load(Ordering::Relaxed) {
            GOING_ON => {}
            DONE => return Some(self.job.reason),
            _ => return Some(StopReason::Errors),
        }
        if self.stop.is_stopped() {
            return Some(StopReason::Stopped);
        }
        timing.ended(now)
    }

    /// Whether a stop was requested.
    pub(crate) fn is_told_to_stop(&self) -> bool {
        self.stop.is_stopped()
    }

    /// Ends the step on all threads because of errors.
    pub(crate) fn abort(&self) {
        self.verdict.store(ABORTED, Ordering::Relaxed);
    }

    /// Whether errors ended the step.
    pub(crate) fn is_aborted(&self) -> bool {
        self.verdict.load(Ordering::Relaxed) == ABORTED
    }

    /// An OS thread has done its share. If it was the last of the step's own group, the groups beside it end too.
    pub(crate) fn own_share_done(&self, job: &ThreadJob<'_>) -> StopReason {
        if job.group == 0 && self.own_left.fetch_sub(1, Ordering::Relaxed) == 1 {
            let _ = self.verdict.compare_exchange(GOING_ON, DONE, Ordering::Relaxed, Ordering::Relaxed);
        }
        self.job.reason
    }

    /// An OS thread has `operations` in flight that are worth watching; `oldest` was submitted first.
    #[inline]
    pub(crate) fn note_under_way(&self, os_thread: usize, operations: u64, oldest: Option<&Flight>) {
        let place = &self.under_way[os_thread];
        if let Some(oldest) = oldest {
            place.submitted.store(oldest.submitted, Ordering::Relaxed);
            place.offset.store(oldest.offset, Ordering::Relaxed);
            place.kind.store(oldest.kind as u8, Ordering::Relaxed);
        }
        place.operations.store(operations, Ordering::Relaxed);
    }

    /// What the threads report about operations that have been in flight for longer than the watchdog allows.
    pub(crate) fn stuck(&self, now: u64) -> Option<Stuck> {
        let late = |place: &&UnderWay| {
            let since = now.saturating_sub(place.submitted.load(Ordering::Relaxed));
            place.operations.load(Ordering::Relaxed) > 0 && since > self.watchdog_ns
        };
        let all: Vec<&UnderWay> = self.under_way.iter().filter(late).collect();
        let operations = all.iter().map(|place| place.operations.load(Ordering::Relaxed)).sum();
        let oldest = all.iter().min_by_key(|place| place.submitted.load(Ordering::Relaxed))?;
        let kind = usize::from(oldest.kind.load(Ordering::Relaxed));
        Some(Stuck {
            operations,
            oldest: Nanos::new(now.saturating_sub(oldest.submitted.load(Ordering::Relaxed))),
            offset: oldest.offset.load(Ordering::Relaxed),
            op: OpKind::ALL.get(kind).copied().unwrap_or_default(),
        })
    }

    /// Releases the threads, with the times of the step, or without a start.
    pub(crate) fn open_gate(&self, timing: Option<Timing>) {
        *self.gate.lock().unwrap_or_else(PoisonError::into_inner) = Some(timing);
        self.opened.notify_all();
    }

    fn pass_gate(&self) -> Option<Timing> {
        let mut gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(decided) = *gate {
                return decided;
            }
            gate = self.opened.wait(gate).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A thread's part in the common start.
pub(crate) struct Start<'a> {
    pub(crate) shared: &'a Shared<'a>,
    pub(crate) ready: Sender<bool>,
    pub(crate) lane: LaneEnd,
    /// Number of the OS thread in the step.
    pub(crate) os_thread: usize,
}

impl Start<'_> {
    /// Reports the set-up, waits for the others, and returns the set-up with the times of the step, or without times
    /// if another thread could not be set up.
    pub(crate) fn ready<T>(self, setup: Result<T, Broken>) -> Result<(T, Option<(Timing, Tally)>), Broken> {
        let _ = self.ready.send(setup.is_ok());
        drop(self.ready);
        let timing = self.shared.pass_gate();
        Ok((setup?, timing.map(|timing| (timing, Tally::new(self.lane, timing)))))
    }
}
