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
    /// As the answer for a buyer, as `drivelab check` does.
    Check,
    /// Not on its own: the result is part of a larger one.
    Part,
}

impl Show {
    /// How the result of a stored run is shown after a resume.
    #[must_use]
    pub fn of(records: &RunRecords) -> Show {
        if buyer::is_check(records) { Show::Check } else { Show::Review }
    }
}
