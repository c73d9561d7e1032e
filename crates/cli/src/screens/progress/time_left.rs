//! The remaining time, and its text.

use drivelab_core::units::Nanos;

use crate::screens::figures::rough;

/// An estimate of the remaining time. Both ends are the same unless a steady test lies ahead, which may end early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLeft {
    /// If every steady test becomes steady as early as possible.
    pub at_least: Nanos,
    /// If every steady test needs its most rounds.
    pub at_most: Nanos,
}

impl TimeLeft {
    /// In words: `about 2 min 20 s`, `less than 5 s`, `at least 3 min, at most 12 min`; `nothing` at the end.
    #[must_use]
    pub fn text(&self) -> String {
        if self.at_most.get() == 0 {
            return "nothing".to_owned();
        }
        let (low, high) = (rough(self.at_least.get()), rough(self.at_most.get()));
        match (low == high, low.starts_with("less")) {
            (true, true) => high,
            (true, false) => format!("about {high}"),
            (false, true) => format!("at most {high}"),
            (false, false) => format!("at least {low}, at most {high}"),
        }
    }
}
