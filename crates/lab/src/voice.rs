//! What is said while something is done, and how much of it.

use std::fmt;
use std::sync::Arc;

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loudness {
    /// Errors only.
    Quiet,
    /// What a person wants to know.
    Normal,
    /// Also how it was done.
    Verbose,
}

/// Says things, a line each; copies say them in the same place.
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
    /// A voice whose lines go there.
    #[must_use]
    pub fn new(loudness: Loudness, color: bool, to: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Voice { loudness, color, to: Arc::new(to) }
    }

    /// What a person wants to know.
    pub fn say(&self, text: impl AsRef<str>) {
        if self.loudness >= Loudness::Normal {
            (self.to)(text.as_ref());
        }
    }

    /// How it was done; with `-v`.
    pub fn detail(&self, text: impl AsRef<str>) {
        if self.loudness >= Loudness::Verbose {
            (self.to)(text.as_ref());
        }
    }

    /// Something that may have changed a figure; said unless `--quiet`.
    pub fn warn(&self, text: impl AsRef<str>) {
        self.say(format!("warning: {}", text.as_ref()));
    }
}
