//! Runs a session with its recorder and screens, and hands over how it ended.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use drivelab_core::clock::{MonotonicClock, RunClock, StopToken};
use drivelab_core::exit::ExitCode;
use drivelab_core::group::letter;
use drivelab_core::ids::RunId;
use drivelab_core::listener::Listener;
use drivelab_core::record::Stuck;
use drivelab_core::target::IoTarget;
use drivelab_engine::{Engine, Options};
use drivelab_report::format;
use drivelab_session::{Fanout, Outcome, Screen, Session, Start};
use drivelab_store::{Bundle, DataDir, Recorder};

use super::care::Care;
use super::files;
use super::memory::Memory;
use super::outcome::{self, Ended, Kept, Show};
use super::pages::Wish;
use super::traces;
use super::watching::Watching;
use crate::args::{BackendArg, PrintArgs};
use crate::context::Context;
use crate::fail::{Failure, Result};
use crate::say;
use crate::screens::{self, JsonLines, Panel, Plain, Style, Unwritten};

/// Events that may wait for a screen; JSON lines get so many that only a stopped reader misses some.
const SCREEN_CAPACITY: usize = 256;
const JSON_CAPACITY: usize = 1 << 16;
/// How long the end of a run waits for a terminal: it may have been closed, or hold what is printed there (Ctrl-S).
const TERMINAL_PATIENCE: Duration = Duration::from_secs(5);

/// Where what is measured stays.
#[expect(clippy::large_enum_variant, reason = "there is one per process")]
pub enum Keep {
    /// In a bundle in the data folder.
    Bundle {
        /// The data folder.
        data: DataDir,
        /// The bundle's recorder.
        recorder: Recorder,
    },
    /// In memory, until the result was shown.
    Memory,
}

/// Everything a session needs, ready to go.
pub struct Ready {
    /// The run.
    pub run: RunId,
    /// Where what is measured stays.
    pub keep: Keep,
    /// New or resumed.
    pub start: Start,
    /// What is measured.
    pub target: IoTarget,
    /// Who keeps it.
    pub care: Care,
    /// Engine.
    pub engine: Options,
    /// What is watched beside it.
    pub watching: Watching,
    /// Page to write at the end.
    pub page: Option<Wish>,
    /// How the result is shown.
    pub show: Show,
    /// Tells everybody to stop.
    pub stop: StopToken,
    /// What was recorded before, for a run that goes on: screens that show a whole run hear it first.
    pub history: Option<Bundle>,
    /// Whether the panel may ask before a key stops the run.
    pub asks: bool,
    /// The clock that runs of a group share; otherwise the run has its own.
    pub clock: Option<MonotonicClock>,
}

/// Runs to the end or to a stop, and shows the result.
///
/// # Errors
/// What kept the session from running, and what kept the page from being written.
pub fn execute(context: &Context, print: &PrintArgs, ready: Ready) -> Result {
    let Ready { run, keep, start, target, mut care, mut engine, watching, page, show, stop, history, asks, clock } =
        ready;
    engine.run = run.number();
    engine.traces = Some(traces::opener());
    let voice = context.settings.voice;
    let mut engine = Engine::open(target, engine).map_err(engine_failure)?;
    voice.say(format!("Engine    {}", drivelab_core::backend::Backend::describe(&engine)));
    let (recorder, kept): (Box<dyn Listener>, Kept) = match keep {
        Keep::Bundle { data, recorder } => {
            voice.detail(format!("Bundle    {}", data.bundle_path(run).display()));
            (Box::new(recorder), Kept::Bundle)
        }
        Keep::Memory => {
            let memory = Memory::default();
            (Box::new(memory.clone()), Kept::Memory(memory))
        }
    };
    let clock = clock.unwrap_or_else(|| {
        MonotonicClock::starting_at(match &start {
            Start::New(_) => 0,
            Start::Resumed { records, .. } => records.last_at_ns,
        })
    });
    let clock: Arc<dyn RunClock> = Arc::new(clock);
    let view = match &care.group {
        Some(group) => View::Part { letter: letter(group.drive as usize) },
        None => View::Live { history: history.as_ref(), asks },
    };
    let mut watched = watching.start(Arc::clone(&clock), stop.clone());
    watched.remarks.iter().for_each(|remark| voice.warn(remark));
    let (screens, unwritten) = screens(context, print, &stop, view);
    let fanout = Fanout::start(recorder, screens, stop.clone());
    let outcome = match Session::begin(start, &mut engine, &mut care, clock, stop, fanout) {
        Ok(session) => session.observed(watched.observer.take()).run(),
        Err(lost) => Outcome::RecorderLost { message: lost.0 },
    };
    drop(engine);
    if let Some(slept) = watched.end() {
        voice.warn(slept);
    }
    // From here on this run holds up no other.
    drop(care.company.take());
    files::remove(std::mem::take(&mut care.folders), voice);
    if let Some(scratch) = care.scratch.take() {
        let path = scratch.path().to_owned();
        if let Err(error) = scratch.remove() {
            voice.warn(format!("the scratch file {} could not be removed: {error}", path.display()));
        }
    }
    let code = outcome::show(context, print, Ended { run, outcome, kept, show, page })?;
    events_written(&unwritten).map(|()| code)
}

/// Whether all events that were asked for went out.
///
/// # Errors
/// Exit 6 where the disk behind stdout took no more of them.
pub fn events_written(unwritten: &Unwritten) -> Result<()> {
    let Some(why) = unwritten.why() else { return Ok(()) };
    let message = format!("events are missing from standard output: {why}; free some space, or write elsewhere");
    Err(Failure::new(ExitCode::TargetUnusable, message))
}

/// The engine that the user wants, asked before anything is made: one that cannot be had here is refused at once.
///
/// # Errors
/// Exit 9 where the kernel refuses it.
pub fn engine(context: &Context, wanted: Option<BackendArg>) -> Result<Options> {
    let choice = wanted.unwrap_or(context.settings.backend.value).into();
    drivelab_engine::check(choice).map_err(engine_failure)?;
    let mut options = Options::new(choice);
    let voice = context.settings.voice;
    options.stuck = Some(Box::new(move |stuck| voice.warn(stuck_text(&stuck))));
    Ok(options)
}

/// Operations that do not come back, said while they are under way: no interval can, when the threads hang too.
fn stuck_text(stuck: &Stuck) -> String {
    let Stuck { operations, oldest, offset, op } = stuck;
    format!(
        "{operations} operations do not come back; the oldest, a {} at byte {offset}, has been under way for {}. Look at the \
         kernel log; Ctrl-C twice leaves at once, three times where the first one asks",
        op.name().replace('_', " "),
        format::duration(*oldest)
    )
}

fn engine_failure(error: drivelab_engine::EngineError) -> Failure {
    Failure::new(ExitCode::HostNotFit, error.to_string())
}

/// What the screens will show.
#[derive(Debug, Clone)]
pub enum View<'a> {
    /// A run that goes on now, after these events.
    Live {
        /// What was recorded before.
        history: Option<&'a Bundle>,
        /// Whether the panel may ask before a key stops the run.
        asks: bool,
    },
    /// One of several runs that go on now.
    Part {
        /// The name of its drive.
        letter: String,
    },
    /// A stored run.
    Replay,
}

/// The screens that the user wants and the terminal can show, and where they say what could not be written.
pub fn screens(context: &Context, print: &PrintArgs, stop: &StopToken, view: View<'_>) -> (Vec<Screen>, Unwritten) {
    let settings = &context.settings;
    let quiet = settings.voice.loudness == say::Loudness::Quiet;
    let color = anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
    let tty = std::io::IsTerminal::is_terminal(&std::io::stdout());
    let term = std::env::var("TERM").ok();
    // A JSON document on stdout has stdout for itself.
    let plain = settings.plain.value || print.json || matches!(view, View::Part { .. });
    let plain_lines = || -> Box<dyn Listener> {
        let plain = Plain::new(std::io::stderr(), color);
        Box::new(match &view {
            View::Live { .. } => plain,
            View::Part { letter } => plain.of_a_part(letter.clone()),
            View::Replay => plain.of_a_replay(),
        })
    };
    let mut listener = match screens::choose(print.events.is_some(), quiet, plain, tty, term.as_deref()) {
        Style::Quiet => return (Vec::new(), Unwritten::default()),
        // A reader of events has had those of the first process: it gets only what is new.
        Style::JsonLines => {
            let listener = JsonLines::new(std::io::stdout());
            let unwritten = listener.unwritten();
            let screen = Screen { listener: Box::new(listener), capacity: JSON_CAPACITY, patience: None };
            return (vec![screen], unwritten);
        }
        Style::Plain => plain_lines(),
        Style::Panel => match (Panel::open(stop.clone(), color), &view) {
            (Ok(panel), View::Live { asks: true, .. }) => {
                Box::new(panel.asking_from(Some(settings.stop_ask_after.value.get())))
            }
            (Ok(panel), View::Live { .. } | View::Part { .. }) => Box::new(panel),
            (Ok(panel), View::Replay) => Box::new(panel.of_a_replay()),
            (Err(_), _) => plain_lines(),
        },
    };
    if let View::Live { history: Some(history), .. } = view {
        // A screen that misses what was before is no reason to stop; what cannot be read was said elsewhere.
        let _ = history.each_event(|event| match listener.event(&event) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        });
    }
    let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let patience = (tty && terminal).then_some(TERMINAL_PATIENCE);
    (vec![Screen { listener, capacity: SCREEN_CAPACITY, patience }], Unwritten::default())
}
