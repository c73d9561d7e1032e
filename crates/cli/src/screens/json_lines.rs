//! One event per line, as JSON: the same objects as in the bundle, for `jq` and for programs.
//!
//! Only events are written here; docs/formats/bundle.md defines them. A closed pipe or a full disk ends this screen
//! but not the run; a full disk is an error of the command at its end, as for every other output.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use drivelab_core::event::Event;
use drivelab_core::listener::{Listener, ListenerError};

use super::lost::lost;
use crate::say;

/// Writes each event as one line of JSON, and flushes it.
pub struct JsonLines<W: Write + Send> {
    out: W,
    line: Vec<u8>,
    unwritten: Unwritten,
}

/// Why lines could not be written; clones share the reason. A reader that went away got what it wanted, so that is not
/// a reason.
#[derive(Debug, Clone, Default)]
pub struct Unwritten(Arc<Mutex<Option<String>>>);

impl Unwritten {
    /// The first reason, in the kernel's words.
    #[must_use]
    pub fn why(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, error: &std::io::Error) {
        if !say::reader_is_gone(error) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| error.to_string());
        }
    }
}

impl<W: Write + Send> JsonLines<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Self {
        JsonLines { out, line: Vec::new(), unwritten: Unwritten::default() }
    }

    /// Where it reports what could not be written.
    #[must_use]
    pub fn unwritten(&self) -> Unwritten {
        self.unwritten.clone()
    }
}

impl<W: Write + Send> Listener for JsonLines<W> {
    fn event(&mut self, event: &Event) -> Result<(), ListenerError> {
        // The whole line is prepared first: then only a write that fails half-way can cut a line.
        self.line.clear();
        serde_json::to_writer(&mut self.line, event).map_err(|error| lost(error.into()))?;
        self.line.push(b'\n');
        let written = self.out.write_all(&self.line).and_then(|()| self.out.flush());
        written.inspect_err(|error| self.unwritten.note(error)).map_err(lost)
    }

    fn finish(&mut self) -> Result<(), ListenerError> {
        self.out.flush().inspect_err(|error| self.unwritten.note(error)).map_err(lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screens::testing::short_run;

    #[test]
    fn every_line_is_one_event_and_reads_back_as_it_was() {
        let events = short_run();
        let mut bytes = Vec::new();
        let mut screen = JsonLines::new(&mut bytes);
        for event in &events {
            screen.event(event).expect("memory takes everything");
        }
        screen.finish().expect("memory takes everything");
        let text = String::from_utf8(bytes).expect("JSON is UTF-8");
        let back: Vec<Event> = text.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
        assert_eq!(back, events);
        assert!(text.ends_with('\n'));
    }

    #[test]
    fn a_closed_pipe_is_an_error_of_the_screen() {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut screen = JsonLines::new(writer);
        let error = screen.event(&short_run()[0]).expect_err("nobody reads");
        assert!(error.message.contains("the run continues"), "{}", error.message);
    }
}
