//! A run as lines of text: for logs, pipes and terminals that cannot draw.
//!
//! Prints a line when a step starts and ends, about every 10 s in long ones, and for rests, findings and
//! interruptions. Each line begins with the time on the run clock.

use std::io::Write;

use drivelab_core::event::{Event, EventBody, RunStarted};
use drivelab_core::listener::{Listener, ListenerError};
use drivelab_core::plan::Rounds;
use drivelab_core::units::Nanos;
use drivelab_report::format;

use super::figures::{clean, run_time};
use super::lines::{self, Tone};
use super::lost::lost;
use super::now::RunTime;
use super::progress::{Phase, Progress};

/// Time between lines that only show that the run continues.
const EVERY_NS: u64 = 10_000_000_000;

/// Writes lines.
pub struct Plain<W: Write + Send> {
    out: W,
    color: bool,
    progress: Progress,
    /// Run time of the last line.
    said_ns: u64,
    time: RunTime,
    /// The name of the drive, if several are measured.
    letter: Option<String>,
}

impl<W: Write + Send> Plain<W> {
    /// Writes to `out`; with `color`, warnings and failures stand out.
    pub fn new(out: W, color: bool) -> Self {
        Plain { out, color, progress: Progress::default(), said_ns: 0, time: RunTime::live(), letter: None }
    }

    /// Lets no time pass between events: this is a replay, which has its own speed.
    #[must_use]
    pub fn of_a_replay(mut self) -> Self {
        self.time.of_a_replay();
        self
    }

    /// Lets no time pass between events: the run is in virtual time.
    #[must_use]
    pub fn in_virtual_time(mut self) -> Self {
        self.time.in_virtual_time();
        self
    }

    /// Names the drive in each line, because lines of several runs are mixed.
    #[must_use]
    pub fn of_a_part(mut self, letter: String) -> Self {
        self.letter = Some(letter);
        self
    }

    fn line(&mut self, at_ns: u64, tone: Tone, text: &str) -> Result<(), ListenerError> {
        let (on, off) = match (self.color, tone) {
            (false, _) | (true, Tone::Plain) => ("", ""),
            (true, Tone::Warning) => ("\x1b[33m", "\x1b[0m"),
            (true, Tone::Bad) => ("\x1b[31m", "\x1b[0m"),
        };
        self.said_ns = at_ns;
        let letter = self.letter.as_ref().map_or_else(String::new, |letter| format!("{letter} "));
        let line = format!("{letter}[{:>7}] {on}{text}{off}\n", run_time(at_ns));
        self.out.write_all(line.as_bytes()).and_then(|()| self.out.flush()).map_err(lost)
    }

    /// Prints the text for the event; `progress` has already processed it.
    fn say(&mut self, event: &Event) -> Result<(), ListenerError> {
        let line = match &event.event {
            EventBody::RunStarted(start) => Some((Tone::Plain, self.opening(start))),
            EventBody::StepStarted { .. } => lines::running(&self.progress).map(|text| (Tone::Plain, text)),
            EventBody::RestStarted { until_ns, .. } => {
                let time = Nanos::new(until_ns.saturating_sub(event.at_ns));
                Some((Tone::Plain, format!("rest of {}", format::duration(time))))
            }
            EventBody::CoolingDown { celsius, .. } => {
                Some((Tone::Plain, format!("  cooling down: {} °C", lines::degrees(*celsius))))
            }
            body => lines::of(body, &self.progress),
        };
        let disturbed = lines::disturbed(&self.progress);
        if line.is_none() && disturbed.is_empty() {
            return self.go_on(event.at_ns);
        }
        line.into_iter().chain(disturbed).try_for_each(|(tone, text)| self.line(event.at_ns, tone, &text))
    }

    /// What is measured on what, and how long it will take.
    fn opening(&self, start: &RunStarted) -> String {
        let (plan, target) = (&start.plan, &start.environment.target);
        let open_end = plan.tests.iter().any(|test| !matches!(test.rounds, Rounds::Fixed { .. }));
        let most = if open_end { "at most " } else { "" };
        let left = self.progress.left(self.progress.at_ns()).map_or_else(String::new, |left| left.text());
        format!(
            "{} ({}) on {}, {}: {most}{}, {left}",
            clean(&plan.title),
            plan.form.words(&plan.methodology.name),
            clean(&target.path.to_string_lossy()),
            target.length.about(),
            format::counted(self.progress.total(), "step"),
        )
    }

    /// Prints the progress if nothing was printed for a while.
    fn go_on(&mut self, now_ns: u64) -> Result<(), ListenerError> {
        let due = now_ns.saturating_sub(self.said_ns) >= EVERY_NS && self.progress.phase() == Phase::Going;
        if !due {
            return Ok(());
        }
        let doing = match (self.progress.resting(), self.progress.running()) {
            (Some(_), _) => "resting".to_owned(),
            (None, Some(running)) => {
                let label = self.progress.label(&running.key);
                let has_pauses = self.progress.has_pauses();
                running.latest.as_ref().map_or(label, |latest| lines::live(latest, has_pauses))
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
        self.time.heard();
        self.progress.event(event);
        self.say(event)
    }

    fn idle(&mut self) -> Result<(), ListenerError> {
        self.go_on(self.time.now_ns(&self.progress))
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
    fn a_disturbed_step_is_named_after_its_row() {
        let events = drivelab_samples::events_beside_others(|key| key.step.as_str() == "mixes/w30");
        let lines = text_of(&events, false);
        let named = lines.lines().position(|line| line.contains("disturbed: ")).expect("a line");
        let line = lines.lines().nth(named).and_then(|line| line.split("disturbed: ").nth(1)).expect("its text");
        let label = line.strip_suffix(": other I/O used nvme0n1").expect(line);
        let row = lines.lines().position(|line| line.contains(label) && line.contains(" IOPS ")).expect("a row");
        assert!(row < named && lines.matches("disturbed: ").count() == 1, "{lines}");
    }

    #[test]
    fn a_long_step_says_that_it_goes_on() {
        let lines = text_of(&short_run(), false);
        let live = lines.lines().filter(|line| line.contains("; whole run ")).count();
        assert!(live >= 2, "{lines}");
    }
}
