//! Messages during a command, and how many of them are printed.

use std::fmt;
use std::sync::Arc;

/// How much is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loudness {
    /// Errors only.
    Quiet,
    /// Messages for the user.
    Normal,
    /// Details of how things are done, too.
    Verbose,
}

/// Prints messages, one line each; copies print to the same place.
#[derive(Clone)]
pub struct Voice {
    /// How much.
    pub loudness: Loudness,
    /// Whether lines may be coloured.
    pub color: bool,
    to: Arc<dyn Fn(&str) + Send + Sync>,
}

impl fmt::Debug for Voice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Voice { loudness, color, to: _ } = self;
        f.debug_struct("Voice").field("loudness", loudness).field("color", color).finish_non_exhaustive()
    }
}

impl Voice {
    /// A voice whose lines go to `to`.
    #[must_use]
    pub fn new(loudness: Loudness, color: bool, to: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Voice { loudness, color, to: Arc::new(to) }
    }

    /// Prints a message for the user.
    pub fn say(&self, text: impl AsRef<str>) {
        if self.loudness >= Loudness::Normal {
            (self.to)(text.as_ref());
        }
    }

    /// Prints a detail of how something is done; with `-v` only.
    pub fn detail(&self, text: impl AsRef<str>) {
        if self.loudness >= Loudness::Verbose {
            (self.to)(text.as_ref());
        }
    }

    /// Prints a warning about something that may have changed a figure; suppressed by `--quiet`.
    pub fn warn(&self, text: impl AsRef<str>) {
        self.say(format!("warning: {}", text.as_ref()));
    }
}
