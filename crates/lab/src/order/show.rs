//! How the result of a run is shown.

use drivelab_analysis::buyer;
use drivelab_core::run::RunRecords;

/// How a result is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// Test by test.
    Review,
    /// One load in detail, as `drivelab io` does.
    Load,
    /// As a buyer's answer, as `drivelab check` does.
    Check,
    /// Not by itself: it is one of several, whose result is shown.
    Part,
}

impl Show {
    /// How the result of a stored run is shown when it goes on.
    #[must_use]
    pub fn of(records: &RunRecords) -> Show {
        if buyer::is_check(records) { Show::Check } else { Show::Review }
    }
}
