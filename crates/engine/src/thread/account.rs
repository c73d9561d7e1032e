//! What one issuing thread records of its operations while it runs; both backends use it.

use drivelab_core::histogram::Histogram;
use drivelab_core::load::OpKind;
use drivelab_core::record::{IoError, StopReason};
use drivelab_core::units::Bytes;
use drivelab_core::workload::Span;

use crate::host::rusage::CpuTime;
use crate::host::selfcheck;
use crate::load::job::ThreadJob;
use crate::load::schedule::Timing;
use crate::load::sealing::Sealing;
use crate::replay::line::Line;
use crate::thread::faults::{Broken, Faults};
use crate::thread::feed::Feed;
use crate::thread::flight::{Flight, Issue, Origin};
use crate::thread::outcome::{Outcome, Touched, Work};
use crate::thread::shared::{Shared, Start};
use crate::thread::tally::Tally;
use crate::thread::trace::TraceEntry;
use crate::verify::findings::Findings;

/// The records of one issuing thread.
pub(crate) struct Account<'a, const PLAIN: bool> {
    pub(crate) shared: &'a Shared<'a>,
    pub(crate) job: &'a ThreadJob<'a>,
    pub(crate) timing: Timing,
    pub(crate) tally: Tally,
    pub(crate) work: Work,
    thread: usize,
    os_thread: usize,
    faults: Faults,
    findings: Option<Findings>,
    replay: Option<&'a Line>,
    lateness: Option<Box<Histogram>>,
    touched: Touched,
    traced: bool,
    arrived: u64,
    cpu: CpuTime,
    waited_for_cpu: u64,
    begun: u64,
    pinned: bool,
}

/// What a thread has when all threads begin.
pub(crate) struct Begun<'a, T, const PLAIN: bool> {
    pub(crate) setup: T,
    /// `None` if another thread could not be set up, so that none begins.
    pub(crate) account: Option<Account<'a, PLAIN>>,
}

impl<'a, const PLAIN: bool> Account<'a, PLAIN> {
    /// Reports the set-up, waits for the other threads and opens the records. Everything that allocates or asks the
    /// kernel comes before that wait: the step's time runs from then on.
    pub(crate) fn begin<T>(
        shared: &'a Shared<'a>,
        thread: usize,
        start: Start<'a>,
        pinned: bool,
        setup: Result<T, Broken>,
    ) -> Result<Begun<'a, T, PLAIN>, Broken> {
        let job = &shared.job.threads[thread];
        let os_thread = start.os_thread;
        let (faults, findings) = (Faults::new(shared.policy), findings(&job.sealing));
        let lateness = job.timed.then(|| Box::new(Histogram::default()));
        let (waited_for_cpu, cpu) = (selfcheck::waited_for_cpu_ns(), CpuTime::of_this_thread());
        let (setup, started) = start.ready(setup)?;
        let account = started.map(|(timing, tally)| Account {
            shared,
            job,
            timing,
            tally,
            work: Work::default(),
            thread,
            os_thread,
            faults,
            findings,
            replay: shared.replay,
            lateness,
            touched: Touched::default(),
            traced: shared.traced,
            arrived: 0,
            cpu,
            waited_for_cpu,
            begun: shared.clock.now(),
            pinned,
        });
        Ok(Begun { setup, account })
    }

    /// For the watchdog: this OS thread has `operations` in flight, and `oldest` was submitted first.
    #[inline]
    pub(crate) fn note_under_way(&self, operations: u64, oldest: Option<&Flight>) {
        self.shared.note_under_way(self.os_thread, operations, oldest);
    }

    /// The flight of an operation whose buffer starts at byte `at` of the arena.
    #[inline]
    pub(crate) fn flight(&mut self, issue: &Issue, at: usize) -> Flight {
        let op = issue.op;
        let end = op.offset + u64::from(op.length);
        // A flush touches nothing.
        self.touched.lowest = self.touched.lowest.min(if op.length > 0 { op.offset } else { u64::MAX });
        self.touched.highest_end = self.touched.highest_end.max(end);
        let moves = matches!(op.kind, OpKind::Read | OpKind::Write) && !self.shared.job.is_nop;
        #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^16 classes")]
        Flight {
            submitted: 0,
            intended: issue.intended,
            offset: op.offset,
            cursor: issue.cursor,
            at,
            length: op.length,
            expected: if moves { op.length } else { 0 },
            class: self.job.layout.class_of(op.kind, op.length) as u16,
            kind: op.kind,
            number: 0,
            origin: Origin::Drawn,
        }
    }

    /// `operations` go to the kernel at `now`.
    #[inline]
    pub(crate) fn submitting(&mut self, operations: u64, now: u64) {
        self.tally.advance(now);
        self.tally.submitted(operations, now);
        self.work.operations += operations;
        if let Some(line) = self.replay.filter(|_| !PLAIN) {
            line.busy.enter(operations, now.saturating_sub(self.timing.start));
        }
    }

    /// An operation of a trace that was due at `intended` was submitted at `submitted`.
    #[inline]
    pub(crate) fn was_late(&mut self, intended: u64, submitted: u64) {
        if let Some(lateness) = self.lateness.as_mut().filter(|_| !PLAIN) {
            lateness.record(submitted.saturating_sub(intended));
        }
    }

    /// An operation ended at `now`; `result` is what io_uring returns: bytes, or minus the error number. Returns
    /// whether it succeeded.
    #[inline(always)]
    pub(crate) fn ended(&mut self, flight: &Flight, result: i32, now: u64) -> bool {
        let latency_ns = now.saturating_sub(flight.submitted);
        let class = usize::from(flight.class);
        let good = result == flight.expected.cast_signed();
        if let Some(line) = self.replay.filter(|_| !PLAIN) {
            line.busy.leave(now.saturating_sub(self.timing.start));
            if good {
                self.tally.moved(class, u64::from(flight.length));
            }
        }
        if good {
            self.tally.completed(class, latency_ns, now);
            self.faults.succeeded();
            if !PLAIN && flight.intended > 0 {
                self.responded(flight, now);
            }
        } else {
            self.failed(flight, result, now);
        }
        if !PLAIN && self.traced {
            self.trace(flight, latency_ns, if good { 0 } else { result });
        }
        good
    }

    /// Checks a block that was read, if this thread checks blocks.
    #[inline]
    pub(crate) fn check(&mut self, flight: &Flight, buffer: &[u8]) {
        let Some(findings) = &mut self.findings else { return };
        match &self.job.sealing {
            Sealing::Check { checker, history, .. } if flight.kind == OpKind::Read => {
                findings.check(checker, buffer, flight.offset, history);
            }
            Sealing::Seal { checker, at_once: true, .. } if flight.origin == Origin::ReadsBack => {
                findings.check_at_once(checker, buffer, flight.offset, flight.cursor + 1, &self.job.stream);
            }
            _ => {}
        }
    }

    #[inline]
    fn responded(&mut self, flight: &Flight, now: u64) {
        self.tally.responded(usize::from(flight.class), now.saturating_sub(flight.intended));
        if flight.intended >= self.timing.ramp_end {
            self.arrived += 1;
        }
    }

    #[cold]
    fn failed(&mut self, flight: &Flight, result: i32, now: u64) {
        self.tally.failed(usize::from(flight.class), now);
        if flight.intended >= self.timing.ramp_end && flight.intended > 0 {
            self.arrived += 1;
        }
        let (op, errno) = (flight.kind, (-result).max(0));
        let length = Bytes::new(u64::from(flight.length));
        if self.faults.failed(IoError { at_ns: now, op, offset: flight.offset, length, errno }) {
            self.shared.abort();
        }
    }

    #[cold]
    fn trace(&mut self, flight: &Flight, latency_ns: u64, result: i32) {
        let since = |time: u64| time.saturating_sub(self.timing.start);
        let intended = if flight.intended > 0 { flight.intended } else { flight.submitted };
        let entry = TraceEntry {
            thread: u32::try_from(self.thread).unwrap_or(u32::MAX),
            index: flight.cursor,
            op: flight.kind,
            offset: flight.offset,
            length: flight.length,
            intended_ns: since(intended),
            submit_ns: since(flight.submitted),
            latency_ns,
            errno: if result > 0 { -1 } else { -result },
            placement_handle: self.job.placed.filter(|_| flight.kind == OpKind::Write).map(|placed| placed.handle()),
        };
        self.tally.trace(entry);
    }

    /// Closes the records.
    pub(crate) fn close(self, reason: StopReason, now: u64, feed: &Feed<'_, PLAIN>) -> Outcome {
        let cpu = CpuTime::of_this_thread().since(self.cpu);
        let (errors, errors_by_number) = self.faults.into_kept();
        let first_submission = self.tally.finish(now);
        Outcome {
            thread: self.thread,
            reason,
            first_submission,
            errors,
            errors_by_number,
            touched: self.touched,
            cpu,
            thread_ns: now.saturating_sub(self.begun),
            waited_for_cpu_ns: selfcheck::waited_for_cpu_ns().saturating_sub(self.waited_for_cpu),
            work: self.work,
            refused: Vec::new(),
            punted: false,
            pinned: self.pinned,
            cursor: feed.cursor(),
            arrived: self.arrived,
            findings: self.findings,
            replay: feed.replay_counts(),
            lateness: self.lateness,
        }
    }
}

/// Room for the findings of checks, if anything is checked.
fn findings(sealing: &Sealing) -> Option<Findings> {
    match sealing {
        Sealing::Check { span, .. } => Some(Findings::new(*span)),
        Sealing::Seal { at_once: true, .. } => {
            Some(Findings::new(Span { offset: Bytes::new(0), length: Bytes::new(0) }))
        }
        Sealing::Seal { .. } | Sealing::None => None,
    }
}

/// Binds the calling thread to the CPU of its job, if it has one. Returns whether it did and the kernel allowed it.
/// Comes first, so that memory is allocated on the node of that CPU.
pub(crate) fn pin(job: &ThreadJob<'_>) -> bool {
    job.cpu.is_some_and(pin_to)
}

fn pin_to(cpu: u32) -> bool {
    let mut set = rustix::thread::CpuSet::new();
    let index = cpu as usize;
    if index >= rustix::thread::CpuSet::MAX_CPU {
        return false;
    }
    set.set(index);
    rustix::thread::sched_setaffinity(None, &set).is_ok()
}
