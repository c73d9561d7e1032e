//! Runs a session with its recorder and screens, and shows how it ended.

use std::slice::from_ref;
use std::sync::Arc;

use drivelab_analysis::Analysis;
use drivelab_core::clock::{MonotonicClock, StopToken};
use drivelab_core::event::{Event, RunState};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::listener::Listener;
use drivelab_core::record::StepRecord;
use drivelab_core::run::RunRecords;
use drivelab_core::target::WritableTarget;
use drivelab_engine::{BackendChoice, Engine};
use drivelab_report::ReportInput;
use drivelab_session::{Fanout, Outcome, Screen, Session, Start};
use drivelab_store::{DataDir, Recorder};

use super::care::Care;
use super::pages::{OutputFile, Wish, format_of, redacted, render};
use crate::args::{BackendArg, PrintArgs};
use crate::context::Context;
use crate::fail::{Failure, Result};
use crate::say;
use crate::screens::{self, JsonLines, Panel, Plain, Style};

/// Events that may wait for a screen; JSON lines get so many that only a stopped reader misses some.
const SCREEN_CAPACITY: usize = 256;
const JSON_CAPACITY: usize = 1 << 16;

/// ENOSPC: a full file system is no error of the device.
const NO_SPACE: i32 = 28;

/// Everything a session needs, ready to go.
pub struct Ready {
    /// The run.
    pub run: RunId,
    /// Where its bundle lies.
    pub data: DataDir,
    /// New or resumed.
    pub start: Start,
    /// The recorder.
    pub recorder: Recorder,
    /// What is measured.
    pub target: WritableTarget,
    /// Who keeps it.
    pub care: Care,
    /// Engine.
    pub backend: BackendChoice,
    /// Page to write at the end.
    pub page: Option<Wish>,
    /// Tells everybody to stop.
    pub stop: StopToken,
    /// What was recorded before, for a run that goes on: screens that show a whole run hear it first.
    pub history: Vec<Event>,
}

/// Runs to the end or to a stop, and shows the result.
///
/// # Errors
/// What kept the session from running, and what kept the page from being written.
pub fn execute(context: &Context, print: &PrintArgs, ready: Ready) -> Result {
    let Ready { run, data, start, recorder, target, mut care, backend, page, stop, history } = ready;
    let voice = context.settings.voice;
    let mut engine = Engine::open(target, backend).map_err(engine_failure)?;
    voice.say(format!("Engine    {}", drivelab_core::backend::Backend::describe(&engine)));
    voice.detail(format!("Bundle    {}", data.bundle_path(run).display()));
    let clock = MonotonicClock::starting_at(match &start {
        Start::New(_) => 0,
        Start::Resumed { records, .. } => records.last_at_ns,
    });
    let screens = screens(context, print, &stop, View::Live { history: &history });
    let fanout = Fanout::start(Box::new(recorder), screens, stop.clone());
    let outcome = match Session::begin(start, &mut engine, &mut care, Arc::new(clock), stop, fanout) {
        Ok(session) => session.run(),
        Err(lost) => Outcome::RecorderLost { message: lost.0 },
    };
    drop(engine);
    if let Some(scratch) = care.scratch.take() {
        let path = scratch.path().to_owned();
        if let Err(error) = scratch.remove() {
            voice.warn(format!("the scratch file {} could not be removed: {error}", path.display()));
        }
    }
    show(context, print, run, outcome, page.as_ref())
}

/// The engine that the user wants, asked before anything is made: one that cannot be had here is refused at once.
///
/// # Errors
/// Exit 9 where the kernel refuses it.
pub fn engine(context: &Context, wanted: Option<BackendArg>) -> Result<BackendChoice> {
    let choice = wanted.unwrap_or(context.settings.backend.value).into();
    drivelab_engine::check(choice).map_err(engine_failure)?;
    Ok(choice)
}

fn engine_failure(error: drivelab_engine::EngineError) -> Failure {
    Failure::new(ExitCode::HostNotFit, error.to_string())
}

/// What the screens will show.
#[derive(Debug, Clone, Copy)]
pub enum View<'a> {
    /// A run that goes on now, after these events.
    Live {
        /// What was recorded before.
        history: &'a [Event],
    },
    /// A stored run.
    Replay,
}

/// The screens that the user wants and the terminal can show.
pub fn screens(context: &Context, print: &PrintArgs, stop: &StopToken, view: View<'_>) -> Vec<Screen> {
    let settings = &context.settings;
    let quiet = settings.voice.loudness == say::Loudness::Quiet;
    let color = anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
    let tty = std::io::IsTerminal::is_terminal(&std::io::stdout());
    let term = std::env::var("TERM").ok();
    // A JSON document on stdout has stdout for itself.
    let plain = settings.plain.value || print.json;
    let plain_lines = || -> Box<dyn Listener> {
        let plain = Plain::new(std::io::stderr(), color);
        Box::new(if matches!(view, View::Replay) { plain.of_a_replay() } else { plain })
    };
    let mut listener = match screens::choose(print.events.is_some(), quiet, plain, tty, term.as_deref()) {
        Style::Quiet => return Vec::new(),
        // A reader of events has had those of the first process: it gets only what is new.
        Style::JsonLines => {
            let listener = Box::new(JsonLines::new(std::io::stdout()));
            return vec![Screen { listener, capacity: JSON_CAPACITY }];
        }
        Style::Plain => plain_lines(),
        Style::Panel => match (Panel::open(stop.clone(), color), view) {
            (Ok(panel), View::Live { .. }) => Box::new(panel),
            (Ok(panel), View::Replay) => Box::new(panel.of_a_replay()),
            (Err(_), _) => plain_lines(),
        },
    };
    if let View::Live { history } = view {
        let _ = history.iter().try_for_each(|event| listener.event(event));
    }
    vec![Screen { listener, capacity: SCREEN_CAPACITY }]
}

/// Shows a run that had ended before this process began.
///
/// # Errors
/// As for [`execute`].
pub fn ended(context: &Context, print: &PrintArgs, run: RunId, page: Option<&Wish>) -> Result {
    let (records, _) = context.load(run)?;
    let device_errors = records.steps.iter().map(StepRecord::error_count).sum();
    let outcome = match records.state {
        RunState::Failed => Outcome::Failed { message: records.message, device_errors },
        _ => Outcome::Complete { device_errors },
    };
    show(context, print, run, outcome, page)
}

/// The page, the result on stdout, the last words, the exit code.
fn show(context: &Context, print: &PrintArgs, run: RunId, outcome: Outcome, page: Option<&Wish>) -> Result {
    let loaded = match (context.load(run), &outcome) {
        (Ok(loaded), _) => loaded,
        // The disk that holds the results is the trouble: its own words come first.
        (Err(_), Outcome::RecorderLost { message }) => return Err(recording_failed(message, run)),
        (Err(failure), _) => return Err(failure),
    };
    let (records, analysis) = &loaded;
    let input = ReportInput { records, analysis };
    let complete = matches!(outcome, Outcome::Complete { .. });
    let page = page.filter(|_| complete);
    let written = page.map(|page| write_page(page, &loaded));
    if print.json {
        say::json(&drivelab_report::json(&[input])?)?;
    } else if print.events.is_none() && !records.steps.is_empty() {
        say::data(&drivelab_report::terminal_table(&input, terminal_width()))?;
    }
    if let (Some(written), Some(page)) = (written, page) {
        written?;
        context.settings.voice.say(format!("The page: {}", page.path.display()));
    }
    last_words(context, run, records, outcome)
}

fn write_page(page: &Wish, run: &(RunRecords, Analysis)) -> Result<()> {
    let format = format_of(&page.path)?;
    let text = if page.redact { render(format, &[redacted(run.0.clone())]) } else { render(format, from_ref(run)) };
    OutputFile::check(&page.path)?.write(&text?)
}

fn recording_failed(message: &str, run: RunId) -> Failure {
    Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "the recording failed: {message}; what is recorded up to then is kept, go on with: drivelab resume {run}"
        ),
    )
}

/// What the user should know, and the exit code.
fn last_words(context: &Context, run: RunId, records: &RunRecords, outcome: Outcome) -> Result {
    match outcome {
        Outcome::Complete { device_errors: 0 } => {
            let short = format!("Run {run} is complete; `drivelab report {run}` makes reports of it");
            context.settings.voice.say(short);
            Ok(ExitCode::Ok)
        }
        Outcome::Complete { device_errors } => Err(Failure::new(
            ExitCode::DeviceErrors,
            format!(
                "{device_errors} operations ended in errors of the target; the report names them. Look at the kernel log \
                 and at the drive's health (run {run})"
            ),
        )),
        Outcome::Interrupted => Err(Failure::new(
            ExitCode::Interrupted,
            format!(
                "stopped by the user: {} of {} steps are finished and kept; go on with: drivelab resume {run}",
                records.finished_count(),
                records.plan.schedule().len()
            ),
        )),
        Outcome::Failed { message, device_errors } => {
            let full = records.steps.iter().flat_map(|step| &step.errors).any(|error| error.errno == NO_SPACE);
            let code = if device_errors > 0 && !full { ExitCode::DeviceErrors } else { ExitCode::TargetUnusable };
            Err(Failure::new(code, format!("the run failed: {message}; what was measured is kept in run {run}")))
        }
        Outcome::RecorderLost { message } => Err(recording_failed(&message, run)),
    }
}

/// Columns of the terminal, or 100 where there is none.
#[must_use]
pub fn terminal_width() -> usize {
    crossterm::terminal::size().map_or(100, |(columns, _)| usize::from(columns))
}
