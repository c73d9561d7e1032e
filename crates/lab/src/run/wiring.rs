//! The one place that turns a run, new or resumed, into what a session needs: backend, clock, observer, keeper of the
//! target, recorder.

use std::path::PathBuf;
use std::sync::Arc;

use drivelab_core::backend::Backend;
use drivelab_core::clock::{RunClock, StopToken};
use drivelab_core::finding::Finding;
use drivelab_core::group::Group;
use drivelab_core::ids::RunId;
use drivelab_core::record::Stuck;
use drivelab_engine::{BackendChoice, Options};
use drivelab_report::format;
use drivelab_session::Start;
use drivelab_store::{Bundle, DataDir, Recorder};

use crate::failure::Result;
use crate::lab::Lab;
use crate::order::show::Show;
use crate::output::pages::Wish;
use crate::plan::traces;
use crate::run::care::Care;
use crate::run::company::Company;
use crate::run::drive_state::Book;
use crate::run::trace_file::TraceFile;
use crate::set_up::files::Made;
use crate::set_up::watching::Watching;
use crate::target::opened::OpenedIo;
use crate::target::storage::engine_failure;

/// Where the results are stored.
#[expect(clippy::large_enum_variant, reason = "there is one for each run")]
pub enum Keep {
    /// In a bundle in the data folder.
    Bundle {
        /// The data folder.
        data: DataDir,
        /// The bundle's recorder.
        recorder: Recorder,
    },
    /// In memory, until the result is shown.
    Memory,
}

/// A recorded run whose target is open.
pub struct Wiring {
    /// The run.
    pub run: RunId,
    /// Where the results are stored.
    pub keep: Keep,
    /// New or resumed.
    pub start: Start,
    /// The target, open.
    pub opened: OpenedIo,
    /// The run's own folders, if it works on sets of files.
    pub made: Made,
    /// Engine options.
    pub engine: Options,
    /// What is watched during the I/O.
    pub watching: Watching,
    /// The clock that the runs of a group share; otherwise the run has its own.
    pub clock: Option<Arc<dyn RunClock>>,
    /// The account of the target's state; `None` for a target that stores nothing.
    pub book: Option<Book>,
    /// The group that the run is measured in.
    pub group: Option<Group>,
    /// What the run does around each step.
    pub company: Option<Company>,
    /// The trace of the measured operations, if one is wanted.
    pub trace: Option<TraceFile>,
    /// Known differences from the order, from the start.
    pub opening: Vec<Finding>,
    /// Page to write at the end.
    pub page: Option<Wish>,
    /// How the result is shown.
    pub show: Show,
    /// Stops all parts of the run.
    pub stop: StopToken,
    /// The events recorded before, for a resumed run.
    pub history: Option<Bundle>,
    /// Whether the panel may ask for confirmation before a key stops the run.
    pub asks: bool,
}

impl Wiring {
    /// The folder of the bundle, if it lies on the target's device.
    fn bundle_on_target(&self) -> Option<PathBuf> {
        let environment = match &self.start {
            Start::New(started) => &started.environment,
            Start::Resumed { resumed, .. } => &resumed.environment,
        };
        match &self.keep {
            Keep::Bundle { data, .. } if environment.bundle_on_same_device => Some(data.bundle_path(self.run)),
            Keep::Bundle { .. } | Keep::Memory => None,
        }
    }

    /// Lets the target open its backend, and separates what the session needs.
    ///
    /// # Errors
    /// Exit 9 if the kernel refuses the engine.
    pub(super) fn ready(self, lab: &Lab<'_>) -> Result<Ready> {
        let bundle_on_target = self.bundle_on_target();
        let Wiring {
            run,
            keep,
            start,
            opened: OpenedIo { target, scratch, .. },
            made,
            mut engine,
            watching,
            clock,
            book,
            group,
            company,
            trace,
            opening,
            page,
            show,
            stop,
            history,
            asks,
        } = self;
        (engine.run, engine.traces, engine.folders) = (run.number(), Some(traces::opener()), made.folders);
        let clock = clock.unwrap_or_else(|| {
            target.clock(match &start {
                Start::New(_) => 0,
                Start::Resumed { records, .. } => records.last_at_ns,
            })
        });
        let backend = target.backend(engine)?;
        lab.voice.say(format!("Engine    {}", backend.describe()));
        let folders = made.owners;
        let care = Care { scratch, folders, bundle_on_target, trace, opening, group, company, book };
        Ok(Ready { run, keep, start, backend, care, watching, clock, page, show, stop, history, asks })
    }
}

/// What a session needs.
pub(super) struct Ready {
    pub(super) run: RunId,
    pub(super) keep: Keep,
    pub(super) start: Start,
    pub(super) backend: Box<dyn Backend>,
    pub(super) care: Care,
    pub(super) watching: Watching,
    pub(super) clock: Arc<dyn RunClock>,
    pub(super) page: Option<Wish>,
    pub(super) show: Show,
    pub(super) stop: StopToken,
    pub(super) history: Option<Bundle>,
    pub(super) asks: bool,
}

/// The requested engine, checked before anything is created: one that is not available here is refused immediately.
///
/// # Errors
/// Exit 9 if the kernel refuses it.
pub fn engine(lab: &Lab<'_>, wanted: Option<BackendChoice>) -> Result<Options> {
    let choice = wanted.unwrap_or(lab.defaults.backend);
    drivelab_engine::check(choice).map_err(engine_failure)?;
    let mut options = Options::new(choice);
    let voice = lab.voice.clone();
    options.stuck = Some(Box::new(move |stuck| voice.warn(stuck_text(&stuck))));
    Ok(options)
}

/// Reports stuck operations while they are in flight: no interval can report them if the threads hang too.
fn stuck_text(stuck: &Stuck) -> String {
    let Stuck { operations, oldest, offset, op } = stuck;
    format!(
        "{operations} operations do not complete; the oldest, a {} at byte {offset}, has been in flight for {}. Check the \
         kernel log; Ctrl-C twice ends drivelab immediately, three times if the first one asks",
        op.name().replace('_', " "),
        format::duration(*oldest)
    )
}
