//! The live panel: a few rows at the bottom of the terminal, below a growing table of finished steps.
//!
//! Redraws at most five times a second, on the screen's own thread. In raw mode Ctrl-C is a key like any other: the
//! panel turns it (and `q`) into the stop that a signal would have asked for; either again leaves at once. In a run
//! that has gone on for a while the first of them only asks, and the measurement goes on meanwhile. A terminal that is
//! too small, or does not answer, is an error of [`Panel::open`]: the caller then shows plain lines.

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

/// Draws a run on the terminal that stdout is.
pub struct Panel {
    screen: Screen,
    stop: StopToken,
    /// From this time on the run clock on, a first key asks before it stops; `None` where none ever does.
    asks_from_ns: Option<u64>,
    /// Whether that question stands.
    asking: bool,
    color: bool,
    progress: Progress,
    /// The newest finding.
    finding: Option<(Tone, String)>,
    time: RunTime,
    /// CLOCK_MONOTONIC_RAW of the last picture.
    drawn_raw_ns: u64,
}

impl Panel {
    /// Takes the terminal over. `stop` is set when the person asks for it by key; without `color` the panel uses
    /// none.
    ///
    /// # Errors
    /// Where stdout is no terminal, is too small (60 columns, 15 rows) or does not answer; it is left as it was.
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

    /// Asks before a key stops a run that has gone on for so long, in nanoseconds on the run clock; without, it stops
    /// at once.
    #[must_use]
    pub const fn asking_from(mut self, asks_from_ns: Option<u64>) -> Self {
        self.asks_from_ns = asks_from_ns;
        self
    }

    /// Shows a replay: no time passes between events, there is no time of day at which the run ends, and keys end the
    /// replay, which keeps and resumes nothing.
    #[must_use]
    pub const fn of_a_replay(mut self) -> Self {
        self.time.of_a_replay();
        self
    }

    /// Looks at every key that was pressed; a terminal that has gone is an error, and the run goes on without it.
    fn input(&mut self) -> std::io::Result<()> {
        for key in self.screen.keys.typed()? {
            self.key(key);
        }
        Ok(())
    }

    /// Ctrl-C and `q` stop the run, or ask first; where it is already told to stop, by whomever, they leave at once. A
    /// replay has nothing to bring to an end and needs no second way out.
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

    /// Between two steps, in a rest say, there is none to wait for.
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
            ends: self.time.is_live().then(|| self.ends(now_ns)).flatten(),
            finding: self.finding.as_ref(),
            live: self.time.is_live(),
            stopping: Stopping::of(&self.stop, self.asking),
            color: self.color,
        };
        self.screen.draw(|frame| draw::draw(frame, &view))
    }

    /// The time of day at which the run ends, where there is one estimate.
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
        if matches!(self.progress.phase(), Phase::Ended(_) | Phase::Interrupted) {
            // The last picture is up to date, whenever the one before was.
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
