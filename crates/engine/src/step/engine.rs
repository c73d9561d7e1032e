//! The engine as the session sees it: a backend on one target.

use std::fmt;

use drivelab_core::backend::{Backend, BackendError, StepRequest};
use drivelab_core::record::{IntervalRecord, StepRecord};
use drivelab_core::replay::TraceOpener;
use drivelab_core::target::{IoTarget, PlacementHandles, ReadOnlyTarget};
use drivelab_core::units::Nanos;

use crate::files::{self, Folders};
use crate::load::sealing::{Identity, Written};
use crate::load::targets::Targets;
use crate::step::manner::{Kind, Manner};
use crate::step::outlets::{Outlets, StuckSink};
use crate::step::run;
use crate::thread::trace::TraceSink;
use crate::uring;
use crate::uring::setup::Mode;

/// Which backend to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BackendChoice {
    /// io_uring if the kernel allows it, otherwise sync.
    #[default]
    Auto,
    /// Only io_uring.
    Uring,
    /// pread and pwrite, one thread for each operation in flight.
    Sync,
    /// io_uring with a kernel thread that submits (SQPOLL). Not yet tried on hardware.
    UringSqpoll,
    /// io_uring that polls for completions (IOPOLL), which needs a driver with poll queues. Not yet tried on hardware.
    UringPolled,
}

/// How an engine works, apart from what its steps ask for.
pub struct Options {
    /// Which backend.
    pub backend: BackendChoice,
    /// Operations in flight for longer than this are listed in the interval records. When a step should have ended
    /// this long ago, the operations still in flight are given up and counted as failed.
    pub watchdog: Nanos,
    /// Where every operation is reported, if a trace is wanted.
    pub trace: Option<TraceSink>,
    /// Number of the run in the headers of blocks; each run needs a different one.
    pub run: u64,
    /// What an earlier run wrote with headers, if a step is to check it. Each step that writes headers replaces it.
    pub written: Option<Written>,
    /// Called while operations do not come back, if set.
    pub stuck: Option<StuckSink>,
    /// Opens the traces that steps replay, if there are any.
    pub traces: Option<TraceOpener>,
    /// The run's own folders, if its steps work on sets of files.
    pub folders: Folders,
    /// The handles by which writes to the target can be placed, if a load names one.
    pub placement: Option<PlacementHandles>,
    /// The other namespace of the drive, if groups of the steps read one.
    pub other: Option<ReadOnlyTarget>,
}

impl Options {
    /// With a backend, the usual watchdog of 30 s and no trace.
    #[must_use]
    pub const fn new(backend: BackendChoice) -> Self {
        let watchdog = Nanos::from_secs(30);
        Options {
            backend,
            watchdog,
            trace: None,
            run: 0,
            written: None,
            stuck: None,
            traces: None,
            folders: Folders::new(None, None),
            placement: None,
            other: None,
        }
    }
}

impl From<BackendChoice> for Options {
    fn from(backend: BackendChoice) -> Self {
        Options::new(backend)
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Fields that are not shown have no useful text form.
        let Options { backend, watchdog, trace, .. } = self;
        let trace = trace.is_some();
        f.debug_struct("Options").field("backend", backend).field("watchdog", watchdog).field("trace", &trace).finish()
    }
}

/// The engine could not be made.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// io_uring was requested by name and is not available.
    #[error(
        "the io_uring backend was requested, but {refusal}: the usual cause is kernel.io_uring_disabled or a container's \
         seccomp filter; allow it there, or use the sync backend"
    )]
    UringRefused {
        /// What the kernel refused.
        refusal: String,
    },
}

/// Checks whether this choice is available, before a target is made. Asks the kernel in the same way as
/// [`Engine::open`].
///
/// # Errors
/// [`EngineError::UringRefused`] if io_uring was requested by name and the kernel refuses it.
pub fn check(choice: BackendChoice) -> Result<(), EngineError> {
    choose(choice).map(drop)
}

/// Why the sync backend runs a step whose writes are placed.
const BY_HANDLE: &str = "writes are placed by handle, which needs NVMe commands, sent one at a time by each thread";

/// Checks whether writes can be placed by handle with this choice, before a target is made.
///
/// # Errors
/// A sentence, if io_uring was requested by name.
pub fn check_placement(choice: BackendChoice) -> Result<(), String> {
    match choice {
        BackendChoice::Auto | BackendChoice::Sync => Ok(()),
        BackendChoice::Uring | BackendChoice::UringSqpoll | BackendChoice::UringPolled => {
            Err("writes cannot be placed by handle with the io_uring backend, which was requested: use the \
             sync backend, or leave the choice to drivelab"
                .to_owned())
        }
    }
}

/// The backend for a choice, and the reason for it.
fn choose(choice: BackendChoice) -> Result<(Kind, String), EngineError> {
    let by_name = |mode: Mode| match uring::probe() {
        Ok(()) => Ok((Kind::Uring(mode), "asked for".to_owned())),
        Err(refusal) => Err(EngineError::UringRefused { refusal }),
    };
    match choice {
        BackendChoice::Sync => Ok((Kind::Sync, "asked for".to_owned())),
        BackendChoice::Uring => by_name(Mode::Plain),
        BackendChoice::UringSqpoll => by_name(Mode::SubmissionPolled),
        BackendChoice::UringPolled => by_name(Mode::CompletionPolled),
        BackendChoice::Auto => match uring::probe() {
            Ok(()) => Ok((Kind::Uring(Mode::Plain), "the kernel allows it".to_owned())),
            Err(refusal) => Ok((Kind::Sync, refusal)),
        },
    }
}

/// Issues I/O on one target.
pub struct Engine {
    target: IoTarget,
    /// The target of groups that read another namespace.
    other: Option<IoTarget>,
    options: Options,
    kind: Kind,
    reason: String,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("target", &self.target.path()).field("backend", &self.describe()).finish()
    }
}

impl Engine {
    /// Chooses the backend, and asks the kernel once if io_uring is wanted.
    ///
    /// # Errors
    /// [`EngineError::UringRefused`] if io_uring was requested by name and the kernel refuses it.
    pub fn open(target: impl Into<IoTarget>, options: impl Into<Options>) -> Result<Engine, EngineError> {
        let mut options = options.into();
        let other = options.other.take().map(IoTarget::from);
        let (kind, reason) = choose(options.backend)?;
        Ok(Engine { target: target.into(), other, options, kind, reason })
    }

    /// The target.
    #[must_use]
    pub const fn target(&self) -> &IoTarget {
        &self.target
    }
}

impl Backend for Engine {
    fn describe(&self) -> String {
        match self.kind {
            Kind::Uring(_) => self.kind.name().to_owned(),
            Kind::Sync => format!("{}: {}", self.kind.name(), self.reason),
        }
    }

    fn run_step(
        &mut self,
        request: StepRequest<'_>,
        interval: &mut dyn FnMut(IntervalRecord),
    ) -> Result<StepRecord, BackendError> {
        if let Some(load) = &request.workload.files {
            return files::run(&mut self.options.folders, &request, load, interval);
        }
        // Rings need memory and file descriptors, and an administrator may withdraw the permission during a run. If
        // drivelab made the choice, a step that gets no ring uses the sync backend.
        let may_fall_back = self.options.backend == BackendChoice::Auto;
        let places = !request.workload.placement_handles().is_empty();
        let (kind, reason) = if places {
            check_placement(self.options.backend).map_err(BackendError::Unfit)?;
            (Kind::Sync, BY_HANDLE)
        } else {
            (self.kind, self.reason.as_str())
        };
        let manner = Manner {
            kind,
            reason,
            may_fall_back,
            fell_back: may_fall_back && kind == Kind::Sync && !places,
            watchdog: self.options.watchdog,
            placement: self.options.placement.as_ref(),
        };
        let mut outlets = Outlets {
            interval,
            trace: self.options.trace.as_mut(),
            stuck: self.options.stuck.as_mut(),
            traces: self.options.traces.as_mut(),
        };
        let identity = Identity {
            run: self.options.run,
            round: request.key.round,
            seed: request.workload.seed,
            written: self.options.written.as_ref(),
        };
        let targets = Targets { target: &self.target, other: self.other.as_ref() };
        let record = run::run(targets, &manner, &request, identity, &mut outlets)?;
        if let Some(written) = Written::by(self.options.run, request.workload, &record) {
            self.options.written = Some(written);
        }
        Ok(record)
    }

    /// `fdatasync` on the handle; one is enough, since both handles refer to the same file.
    fn sync(&mut self) -> Result<(), BackendError> {
        if self.target.read_only_because().is_some() {
            return Ok(());
        }
        let handle = self.target.handle(true).or_else(|| self.target.handle(false));
        handle.map_or(Ok(()), rustix::fs::fdatasync).map_err(|error| BackendError::System {
            what: format!("making '{}' durable (fdatasync)", self.target.path().display()),
            source: error.into(),
        })
    }
}
