//! The live panel: a few rows at the bottom of the terminal, below a growing table of finished steps.
//!
//! Redraws at most five times a second, on the screen's own thread. In raw mode Ctrl-C is a key like any other: the
//! panel turns it (and `q`) into the stop that a signal would have asked for; either again leaves at once. A
//! terminal that is too small, or does not answer, is an error of [`Panel::open`]: the caller then shows plain lines.

mod draw;
mod terminal;

use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use drivelab_core::clock::{StopCause, StopToken, monotonic_raw_ns};
use drivelab_core::event::{Event, EventBody};
use drivelab_core::listener::{Listener, ListenerError};
use jiff::{SignedDuration, Zoned};

use super::lines::{self, Tone};
use super::now::RunTime;
use super::progress::{Phase, Progress, TimeLeft};
use super::{leave_at_once, lost};
use draw::View;
use terminal::Screen;
pub(super) use terminal::give_back;

/// Least time between two pictures.
const REDRAW_NS: u64 = 200_000_000;

/// Draws a run on the terminal that stdout is.
pub struct Panel {
    screen: Screen,
    stop: StopToken,
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
            color,
            progress: Progress::default(),
            finding: None,
            time: RunTime::live(),
            drawn_raw_ns: 0,
        })
    }

    /// Shows a replay: no time passes between events, there is no time of day at which the run ends, and keys end the
    /// replay, which keeps and resumes nothing.
    #[must_use]
    pub const fn of_a_replay(mut self) -> Self {
        self.time.of_a_replay();
        self
    }

    /// Looks at every key that was pressed and at every change of size.
    fn input(&mut self) -> std::io::Result<()> {
        while crossterm::event::poll(std::time::Duration::ZERO)? {
            match crossterm::event::read()? {
                Input::Key(key) if key.kind != KeyEventKind::Release => self.key(key),
                Input::Resize(..) => self.screen.resized(),
                _ => {}
            }
        }
        Ok(())
    }

    /// Ctrl-C and `q` stop the run; where it is already told to stop, by whomever, they leave at once. A replay has
    /// nothing to bring to an end and needs no second way out.
    fn key(&self, key: KeyEvent) {
        let interrupt = key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
        if !interrupt && key.code != KeyCode::Char('q') {
            return;
        }
        if self.stop.is_stopped() && self.time.is_live() {
            leave_at_once();
        }
        self.stop.stop(StopCause::Person);
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
            stopping: self.stop.is_stopped(),
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
