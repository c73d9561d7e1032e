//! What connects the lab with a terminal or a pipe.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use drivelab_analysis::Analysis;
use drivelab_analysis::arms::arms;
use drivelab_analysis::digest::Digest;
use drivelab_core::clock::StopToken;
use drivelab_core::environment::Environment;
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::listener::Listener;
use drivelab_core::plan::Plan;
use drivelab_core::run::RunRecords;
use drivelab_lab::run::ended::Ended;
use drivelab_lab::{Failure, Front, Loudness, Result, Show, View};
use drivelab_report::{DryRun, dry_run_text};
use drivelab_session::Screen;
use drivelab_store::KeptDrive;

use super::width::terminal_width;
use super::{found, group_pages, outcome, question, signals};
use crate::args::PrintArgs;
use crate::context::Context;
use crate::say;
use crate::screens::{self, JsonLines, Panel, Plain, Style, Unwritten};

/// A command that measures, and how it shows and asks.
pub struct Terminal<'a> {
    context: &'a Context,
    print: &'a PrintArgs,
    /// Receives the reason if requested events could not be written.
    unwritten: Mutex<Unwritten>,
}

impl<'a> Terminal<'a> {
    /// For a command that prints as this argument states.
    #[must_use]
    pub fn new(context: &'a Context, print: &'a PrintArgs) -> Self {
        Terminal { context, print, unwritten: Mutex::new(Unwritten::default()) }
    }
}

impl Front for Terminal<'_> {
    fn watch(&self, stops: Vec<StopToken>) {
        signals::watch_all(stops);
    }

    fn is_kept(&self, run: RunId) {
        screens::is_kept(run);
    }

    fn is_set_up(&self, run: Option<RunId>) {
        screens::is_set_up(run);
    }

    fn can_ask(&self) -> bool {
        question::can_ask()
    }

    fn ask(&self, question: &str) -> Result<String> {
        question::ask(question)
    }

    fn shows_a_document(&self) -> bool {
        self.print.json
    }

    fn found(&self, environment: &Environment, plan: &Plan, show: Show) {
        found::say(&self.context.settings.voice, environment, plan, show);
    }

    fn screens(&self, stop: &StopToken, view: View<'_>) -> Vec<Screen> {
        let (screens, unwritten) = screens(self.context, self.print, stop, view);
        *self.unwritten.lock().unwrap_or_else(PoisonError::into_inner) = unwritten;
        screens
    }

    fn ended(&self, ended: Ended) -> Result {
        let code = outcome::show(self.context, self.print, ended)?;
        let unwritten = self.unwritten.lock().unwrap_or_else(PoisonError::into_inner);
        events_written(&unwritten).map(|()| code)
    }

    fn arms(&self, runs: &[(RunRecords, Analysis)]) -> Result<()> {
        let digests: Vec<Digest> = runs.iter().map(|(records, analysis)| Digest::of(records, analysis)).collect();
        let arms = arms(&digests.iter().collect::<Vec<_>>());
        if self.print.json {
            say::json(&drivelab_report::arms_json(arms))
        } else if self.print.events.is_none() {
            say::data(&drivelab_report::arms_table(&arms, terminal_width()))
        } else {
            Ok(())
        }
    }

    fn group(&self, runs: &[(RunRecords, Analysis)], kept: &[KeptDrive]) -> Result<()> {
        group_pages::show(self.print, runs, kept)
    }

    fn failed(&self, text: &str) {
        say::cut(text);
    }

    fn show_dry_run(&self, run: &DryRun) -> Result<()> {
        if self.print.json { say::json(run) } else { say::data(&dry_run_text(run)) }
    }
}

/// Events that may wait for a screen; JSON lines get enough that only a stopped reader misses any.
const SCREEN_CAPACITY: usize = 256;

const JSON_CAPACITY: usize = 1 << 16;

/// How long the end of a run waits for a terminal, which may be closed or paused (Ctrl-S).
const TERMINAL_PATIENCE: Duration = Duration::from_secs(5);

/// Whether all requested events were written.
///
/// # Errors
/// Exit 6 if the disk behind stdout was full.
pub fn events_written(unwritten: &Unwritten) -> Result<()> {
    let Some(why) = unwritten.why() else { return Ok(()) };
    let message = format!("events are missing from standard output: {why}; free some space, or write elsewhere");
    Err(Failure::new(ExitCode::TargetUnusable, message))
}

/// The screens that the user wants and the terminal can show, and where they report what could not be written.
pub fn screens(context: &Context, print: &PrintArgs, stop: &StopToken, view: View<'_>) -> (Vec<Screen>, Unwritten) {
    let settings = &context.settings;
    let quiet = settings.voice.loudness == Loudness::Quiet;
    let color = anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
    let tty = std::io::stdout().is_terminal();
    let term = std::env::var("TERM").ok();
    // A JSON document on stdout has stdout for itself.
    let plain = settings.plain.value || print.json || matches!(view, View::Part { .. });
    let plain_lines = || -> Box<dyn Listener> {
        let plain = Plain::new(std::io::stderr(), color);
        Box::new(match &view {
            View::Live { virtual_time: true, .. } => plain.in_virtual_time(),
            View::Live { .. } => plain,
            View::Part { letter } => plain.of_a_part(letter.clone()),
            View::Replay => plain.of_a_replay(),
        })
    };
    let mut listener = match screens::choose(print.events.is_some(), quiet, plain, tty, term.as_deref()) {
        Style::Quiet => return (Vec::new(), Unwritten::default()),
        // A reader of events had those of the first process, so it gets only the new ones.
        Style::JsonLines => {
            let listener = JsonLines::new(std::io::stdout());
            let unwritten = listener.unwritten();
            let screen = Screen { listener: Box::new(listener), capacity: JSON_CAPACITY, patience: None };
            return (vec![screen], unwritten);
        }
        Style::Plain => plain_lines(),
        Style::Panel => match Panel::open(stop.clone(), color) {
            Ok(panel) => Box::new(match &view {
                View::Live { asks, virtual_time, .. } => {
                    let panel = if *virtual_time { panel.in_virtual_time() } else { panel };
                    // Without a keyboard nobody answers.
                    let asks = *asks && std::io::stdin().is_terminal();
                    panel.asking_from(asks.then(|| settings.stop_ask_after.value.get()))
                }
                View::Part { .. } => panel,
                View::Replay => panel.of_a_replay(),
            }),
            Err(_) => plain_lines(),
        },
    };
    if let View::Live { history: Some(history), .. } = view {
        // A screen that misses earlier events is no reason to stop; unreadable records are reported elsewhere.
        let _ = history.each_event(|event| match listener.event(&event) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        });
    }
    let terminal = std::io::stderr().is_terminal();
    let patience = (tty && terminal).then_some(TERMINAL_PATIENCE);
    (vec![Screen { listener, capacity: SCREEN_CAPACITY, patience }], Unwritten::default())
}
