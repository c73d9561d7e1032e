//! Errors of a trace, with the line and what was expected in it.

use std::io;

/// Bytes of a broken line that a message shows.
const SHOWN: usize = 80;

/// A trace cannot be read to its end.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be opened or read.
    #[error("the trace '{file}' cannot be read: {source}")]
    File {
        /// The file.
        file: String,
        /// The kernel's answer.
        source: io::Error,
    },
    /// A line does not have the format.
    #[error("the trace '{file}', line {line}: {problem}; expected {expected}; the line is \"{found}\"")]
    Line {
        /// The file.
        file: String,
        /// Number of the line, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
        /// What the format requires.
        expected: String,
        /// The start of the line.
        found: String,
    },
    /// The start of the file matches no known format.
    #[error(
        "the trace '{file}' has no known format: its first line is \"{found}\"; the formats are {known}, and \
         `format` names one if it cannot be detected"
    )]
    Unknown {
        /// The file.
        file: String,
        /// Its first line.
        found: String,
        /// The formats.
        known: String,
    },
    /// The file is not text.
    #[error("the trace '{file}' is {what}: {advice}")]
    NoText {
        /// The file.
        file: String,
        /// Kind of the file.
        what: &'static str,
        /// How to make text of it.
        advice: &'static str,
    },
    /// The trace has no operation to replay.
    #[error("the trace '{file}' has no operation{of_device}: {advice}")]
    Empty {
        /// The file.
        file: String,
        /// The device, if one was given.
        of_device: String,
        /// What to do.
        advice: String,
    },
}

/// The start of a line, shortened for a message.
pub(crate) fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut short: String = text.chars().take(SHOWN).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    short
}

/// The error in one line, before its file and line number are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) problem: String,
    pub(crate) expected: String,
}

impl Wrong {
    pub(crate) fn new(problem: impl Into<String>, expected: impl Into<String>) -> Wrong {
        Wrong { problem: problem.into(), expected: expected.into() }
    }
}
