//! What is said while something is done, and how much of it.

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

/// Says things, a line each.
#[derive(Debug, Clone, Copy)]
pub struct Voice {
    /// How much.
    pub loudness: Loudness,
    /// Where a line goes.
    pub to: fn(&str),
}

impl Voice {
    /// What a person wants to know.
    pub fn say(self, text: impl AsRef<str>) {
        if self.loudness >= Loudness::Normal {
            (self.to)(text.as_ref());
        }
    }

    /// How it was done; with `-v`.
    pub fn detail(self, text: impl AsRef<str>) {
        if self.loudness >= Loudness::Verbose {
            (self.to)(text.as_ref());
        }
    }

    /// Something that may have changed a figure; said unless `--quiet`.
    pub fn warn(self, text: impl AsRef<str>) {
        self.say(format!("warning: {}", text.as_ref()));
    }
}
