//! The live panel: a few rows at the bottom of the terminal, below a growing table of finished steps.
//!
//! Redraws at most five times a second, on the screen's own thread. In raw mode Ctrl-C is a key like any other: the
//! panel turns it (and `q`) into the stop that a signal would request; a second one leaves immediately. If the run has
//! gone on for a while, the first one only asks, and the measurement continues meanwhile. A terminal that is too small
//! or does not answer is an error of [`Panel::open`]: the caller then shows plain lines.

mod backend;
mod draw;
mod keys;
pub(super) mod terminal;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use drivelab_core::clock::{StopCause, StopToken, monotonic_raw_ns};
use drivelab_core::event::{Event, EventBody};
use drivelab_core::listener::{Listener, ListenerError};
use jiff::{SignedDuration, Zoned};

use super::leave::leave_at_once;
use super::lines::{self, Tone};
use super::lost::lost;
use super::now::RunTime;
use super::progress::{Phase, Progress, TimeLeft};
use draw::{Stopping, View};
use terminal::Screen;

/// Least time between two pictures.
const REDRAW_NS: u64 = 200_000_000;

/// Draws a run on the terminal behind stdout.
pub struct Panel {
    screen: Screen,
    stop: StopToken,
    /// From this time on the run clock, a first key asks before it stops; `None` if a key never asks.
    asks_from_ns: Option<u64>,
    /// Whether that question is open.
    asking: bool,
    color: bool,
    progress: Progress,
    /// The newest finding.
    finding: Option<(Tone, String)>,
    time: RunTime,
    /// CLOCK_MONOTONIC_RAW at the last picture.
    drawn_raw_ns: u64,
}

impl Panel {
    /// Takes over the terminal. `stop` is set when the person asks for it by key; without `color` the panel uses no
    /// colours.
    ///
    /// # Errors
    /// Stdout is not a terminal, or is too small (60 columns, 15 rows), or does not answer; it is left as it was.
    pub fn open(stop: StopToken, color: bool) -> Result<Panel, std::io::Error> {
        Ok(Panel {
            screen: Screen::open()?,
            stop,
            asks_from_ns: None,
            asking: false,
            color,
            progress: Progress::default(),
            finding: None,
            time: RunTime::live(),
            drawn_raw_ns: 0,
        })
    }

    /// Makes a key ask before it stops a run that has gone on for this long, in nanoseconds on the run clock;
    /// otherwise a key stops the run immediately.
    #[must_use]
    pub const fn asking_from(mut self, asks_from_ns: Option<u64>) -> Self {
        self.asks_from_ns = asks_from_ns;
        self
    }

    /// Shows a replay: no time passes between events, the run has no time of day at which it ends, and keys end the
    /// replay, of which nothing is kept or resumed.
    #[must_use]
    pub const fn of_a_replay(mut self) -> Self {
        self.time.of_a_replay();
        self
    }

    /// Shows a run in virtual time: none passes between events, and the run has no time of day at which it ends.
    #[must_use]
    pub const fn in_virtual_time(mut self) -> Self {
        self.time.in_virtual_time();
        self
    }

    /// Handles every key that was pressed. A terminal that disappeared is an error, and the run continues without it.
    fn input(&mut self) -> std::io::Result<()> {
        for key in self.screen.keys.typed()? {
            self.key(key);
        }
        Ok(())
    }

    /// Ctrl-C and `q` stop the run, or ask first; if it is already being stopped, by whatever cause, they leave
    /// immediately. A replay has nothing to finish and needs no second key.
    fn key(&mut self, key: KeyEvent) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let quit = key.code == KeyCode::Char('q') || (key.code == KeyCode::Char('c') && control);
        let waits = self.asking || self.stop.stops_after_step();
        match key.code {
            _ if quit && self.stop.is_stopped() && self.time.is_live() => leave_at_once(),
            _ if quit && !waits && self.asks_now() => self.asking = true,
            _ if quit => self.stop_now(),
            _ if self.stop.is_stopped() => {}
            KeyCode::Char('s') if self.asking && !control => self.stop_after_step(),
            KeyCode::Char('n') if self.asking && !control => self.stop_now(),
            KeyCode::Char('g') | KeyCode::Esc if waits && !control => {
                self.asking = false;
                self.stop.stop_after_step(false);
            }
            _ => {}
        }
    }

    /// Whether the run has gone on for so long that a key asks.
    fn asks_now(&self) -> bool {
        self.time.is_live() && self.asks_from_ns.is_some_and(|from_ns| self.time.now_ns(&self.progress) >= from_ns)
    }

    fn stop_now(&mut self) {
        self.asking = false;
        self.stop.stop(StopCause::Person);
    }

    /// Between two steps, for example in a rest, there is no step to wait for.
    fn stop_after_step(&mut self) {
        self.asking = false;
        if self.progress.running().is_none() || self.progress.resting().is_some() {
            self.stop_now();
        } else {
            self.stop.stop_after_step(true);
        }
    }

    fn redraw_when_due(&mut self) -> std::io::Result<()> {
        self.input()?;
        let raw_ns = monotonic_raw_ns();
        if raw_ns.saturating_sub(self.drawn_raw_ns) < REDRAW_NS {
            return Ok(());
        }
        self.drawn_raw_ns = raw_ns;
        let now_ns = self.time.now_ns(&self.progress);
        let view = View {
            progress: &self.progress,
            now_ns,
            ends: self.time.follows_the_machine().then(|| self.ends(now_ns)).flatten(),
            finding: self.finding.as_ref(),
            live: self.time.is_live(),
            stopping: Stopping::of(&self.stop, self.asking),
            color: self.color,
        };
        self.screen.draw(|frame| draw::draw(frame, &view))
    }

    /// The time of day at which the run ends, if there is a single estimate.
    fn ends(&self, now_ns: u64) -> Option<String> {
        let one = |left: &TimeLeft| left.at_least == left.at_most && left.at_most.get() > 0;
        let left = self.progress.left(now_ns).filter(one)?.at_most;
        let left = SignedDuration::from_nanos(i64::try_from(left.get()).ok()?);
        let end = Zoned::now().checked_add(left).ok()?;
        let format = if left < SignedDuration::from_hours(20) { "%H:%M" } else { "%A %H:%M" };
        Some(end.strftime(format).to_string())
    }

    fn take(&mut self, event: &Event) -> std::io::Result<()> {
        self.time.heard();
        self.progress.event(event);
        if let Some((tone, text)) = lines::of(&event.event, &self.progress) {
            if matches!(event.event, EventBody::Finding(_)) {
                self.finding = Some((tone, text.clone()));
            }
            self.screen.keep(draw::style(tone, self.color), text);
        }
        for (tone, text) in lines::disturbed(&self.progress) {
            self.screen.keep(draw::style(tone, self.color), text);
        }
        if matches!(self.progress.phase(), Phase::Ended(_) | Phase::Interrupted) {
            // The last picture is drawn in any case, so that it is up to date.
            self.drawn_raw_ns = 0;
        }
        self.redraw_when_due()
    }
}

impl Listener for Panel {
    fn event(&mut self, event: &Event) -> Result<(), ListenerError> {
        self.take(event).map_err(lost)
    }

    fn idle(&mut self) -> Result<(), ListenerError> {
        self.redraw_when_due().map_err(lost)
    }

    fn finish(&mut self) -> Result<(), ListenerError> {
        self.screen.close().map_err(lost)
    }
}

#[cfg(test)]
mod tests;
