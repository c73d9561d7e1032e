//! A run as lines of text: for logs, pipes and terminals that cannot draw.
//!
//! A line when a step starts and ends, about every 10 s in long ones, and for rests, findings and breaks. Each begins
//! with the time on the run clock.

use std::io::Write;

use drivelab_core::clock::monotonic_raw_ns;
use drivelab_core::event::{Event, EventBody};
use drivelab_core::listener::{Listener, ListenerError};

use super::figures::{clean, length, run_time};
use super::lines::{self, Tone};
use super::lost;
use super::progress::{Phase, Progress};

/// Time between lines that only say that the run goes on.
const EVERY_NS: u64 = 10_000_000_000;

/// Writes lines.
pub struct Plain<W: Write + Send> {
    out: W,
    color: bool,
    progress: Progress,
    /// Run time of the last line.
    said_ns: u64,
    /// CLOCK_MONOTONIC_RAW when the last event came.
    heard_raw_ns: u64,
}

impl<W: Write + Send> Plain<W> {
    /// Writes to `out`; with `color`, warnings and failures stand out.
    pub fn new(out: W, color: bool) -> Self {
        Plain { out, color, progress: Progress::default(), said_ns: 0, heard_raw_ns: monotonic_raw_ns() }
    }

    fn line(&mut self, at_ns: u64, tone: Tone, text: &str) -> Result<(), ListenerError> {
        let (on, off) = match (self.color, tone) {
            (false, _) | (true, Tone::Plain) => ("", ""),
            (true, Tone::Warning) => ("\x1b[33m", "\x1b[0m"),
            (true, Tone::Bad) => ("\x1b[31m", "\x1b[0m"),
        };
        self.said_ns = at_ns;
        let line = format!("[{:>7}] {on}{text}{off}\n", run_time(at_ns));
        self.out.write_all(line.as_bytes()).and_then(|()| self.out.flush()).map_err(lost)
    }

    /// What is said before the fold has taken the event: it still knows the step that ends.
    fn before(&mut self, event: &Event) -> Result<(), ListenerError> {
        match lines::of(&event.event, &self.progress) {
            Some((tone, text)) => self.line(event.at_ns, tone, &text),
            None => Ok(()),
        }
    }

    /// What is said after it: it knows the step that begins.
    fn after(&mut self, event: &Event) -> Result<(), ListenerError> {
        match &event.event {
            EventBody::RunStarted(start) => {
                let plan = &start.plan;
                let left = self.progress.left(event.at_ns).map_or_else(String::new, |left| left.text());
                let target = clean(&start.environment.target.path.to_string_lossy());
                let text = format!(
                    "{} ({} form) on {target}, {}: {} steps, {left}",
                    clean(&plan.title),
                    plan.form.name(),
                    start.environment.target.length,
                    self.progress.total(),
                );
                self.line(event.at_ns, Tone::Plain, &text)
            }
            EventBody::StepStarted { .. } => match lines::running(&self.progress) {
                Some(text) => self.line(event.at_ns, Tone::Plain, &text),
                None => Ok(()),
            },
            EventBody::RestStarted { until_ns, .. } => {
                let text = format!("rest of {}", length(until_ns.saturating_sub(event.at_ns)));
                self.line(event.at_ns, Tone::Plain, &text)
            }
            _ => self.go_on(event.at_ns),
        }
    }

    /// Says how it stands where nothing was said for a while.
    fn go_on(&mut self, now_ns: u64) -> Result<(), ListenerError> {
        let due = now_ns.saturating_sub(self.said_ns) >= EVERY_NS && self.progress.phase() == Phase::Going;
        if !due {
            return Ok(());
        }
        let doing = match (self.progress.resting(), self.progress.running()) {
            (Some(_), _) => "resting".to_owned(),
            (None, Some(running)) => {
                let label = self.progress.label(&running.key);
                running.latest.as_ref().map_or(label, lines::live)
            }
            (None, None) => "between steps".to_owned(),
        };
        let here = lines::left_here(&self.progress, now_ns);
        let here = if here.is_empty() { here } else { format!("; {here} of it left") };
        let whole = self.progress.left(now_ns).map_or_else(String::new, |left| format!("; whole run {}", left.text()));
        self.line(now_ns, Tone::Plain, &format!("  {doing}{here}{whole}"))
    }
}

impl<W: Write + Send> Listener for Plain<W> {
    fn event(&mut self, event: &Event) -> Result<(), ListenerError> {
        self.heard_raw_ns = monotonic_raw_ns();
        self.before(event)?;
        self.progress.event(event);
        self.after(event)
    }

    fn idle(&mut self) -> Result<(), ListenerError> {
        let since = monotonic_raw_ns().saturating_sub(self.heard_raw_ns);
        self.go_on(self.progress.at_ns().saturating_add(since))
    }

    fn finish(&mut self) -> Result<(), ListenerError> {
        self.out.flush().map_err(lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screens::testing::{broken_run, short_run};

    fn text_of(events: &[Event], color: bool) -> String {
        let mut bytes = Vec::new();
        let mut screen = Plain::new(&mut bytes, color);
        for event in events {
            screen.event(event).expect("memory takes everything");
        }
        screen.finish().expect("memory takes everything");
        String::from_utf8(bytes).expect("UTF-8")
    }

    #[test]
    fn a_run_as_lines() {
        insta::assert_snapshot!(text_of(&short_run(), false));
    }

    #[test]
    fn a_run_that_breaks_and_goes_on_as_lines() {
        insta::assert_snapshot!(text_of(&broken_run(), false));
    }

    #[test]
    fn colour_is_the_only_escape_sequence_and_only_on_request() {
        let (plain, colored) = (text_of(&broken_run(), false), text_of(&broken_run(), true));
        assert!(!plain.contains('\x1b'));
        assert!(colored.contains("\x1b[31m"), "a failure stands out");
        assert_eq!(colored.replace("\x1b[33m", "").replace("\x1b[31m", "").replace("\x1b[0m", ""), plain);
    }

    #[test]
    fn a_long_step_says_that_it_goes_on() {
        let lines = text_of(&short_run(), false);
        let live = lines.lines().filter(|line| line.contains("; whole run ")).count();
        assert!(live >= 2, "{lines}");
    }
}
