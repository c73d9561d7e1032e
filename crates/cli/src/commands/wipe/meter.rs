//! Progress of a wipe: on a terminal in one line that changes, otherwise a line for every tenth.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use drivelab_core::units::{Bytes, Nanos};
use drivelab_device::wipe::How;
use drivelab_lab::{Loudness, Voice};
use drivelab_report::format;

use crate::say;

/// The line.
pub(super) struct Meter<'a> {
    voice: &'a Voice,
    begun: Instant,
    shown: Option<Instant>,
    tenth: u64,
    terminal: bool,
}

impl<'a> Meter<'a> {
    /// Least time between two updates.
    const PAUSE: Duration = Duration::from_millis(500);

    pub(super) fn new(voice: &'a Voice) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Meter { voice, begun: Instant::now(), shown: None, tenth: 0, terminal }
    }

    /// How long it has taken so far.
    pub(super) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Shows `done` of `total`, and the rate where this way of wiping moves data.
    pub(super) fn bytes(&mut self, how: How, done: Bytes, total: Bytes) {
        let share = done.as_f64() / total.as_f64().max(1.0);
        let rate = rate(how, done, self.elapsed());
        self.share(share, &format!(" ({} of {}{rate})", format::bytes(done), format::bytes(total)));
    }

    /// Shows this part as done, from 0 to 1; `of` names the whole.
    pub(super) fn share(&mut self, share: f64, of: &str) {
        let tenth = (share * 10.0) as u64;
        let due = self.shown.is_none_or(|shown| shown.elapsed() >= Meter::PAUSE);
        if self.voice.loudness < Loudness::Normal || !(if self.terminal { due } else { tenth > self.tenth }) {
            return;
        }
        (self.tenth, self.shown) = (tenth, Some(Instant::now()));
        let line = line(share, of, self.elapsed());
        if self.terminal {
            let _ = write!(anstream::stderr(), "\r{line}\x1b[K");
        } else {
            say::line(&line);
        }
    }

    pub(super) fn end(&mut self) {
        if self.terminal && self.shown.is_some() {
            say::line("");
        }
    }
}

fn line(share: f64, of: &str, elapsed: Duration) -> String {
    let done = format!("{} %{of}", (share * 100.0).floor());
    // Before anything is done there is no rate to estimate from, and at the end nothing is left.
    if share <= 0.0 || share >= 1.0 {
        return done;
    }
    let seconds = elapsed.as_secs_f64();
    let left = format::duration(Nanos::from_secs((seconds / share - seconds).max(0.0).ceil() as u64));
    format!("{done}, about {left} left")
}

/// The mean rate so far, for the line; empty before any time has passed, and for a discard, which moves no data.
fn rate(how: How, done: Bytes, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    if how != How::Discard && seconds > 0.0 {
        format!(", {} MB/s", format::mb_s(done.as_f64() / seconds / 1e6))
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_follows_from_what_is_done() {
        let text = line(0.25, " (1 of 4)", Duration::from_secs(10));
        assert!(text.starts_with("25 % (1 of 4), about 30"), "{text}");
        assert_eq!(line(0.0, "", Duration::from_secs(10)), "0 %", "nothing is known yet");
        assert_eq!(line(1.0, "", Duration::from_secs(10)), "100 %");
        let rate_of = |how| rate(how, Bytes::new(5_000_000_000), Duration::from_secs(10));
        assert_eq!(rate_of(How::Overwrite), ", 500.0 MB/s");
        assert_eq!(rate_of(How::WriteZeroes), ", 500.0 MB/s");
        assert_eq!(rate_of(How::Discard), "", "it moves no data");
        assert_eq!(rate(How::Overwrite, Bytes::MIB, Duration::ZERO), "");
    }
}
