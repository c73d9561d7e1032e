//! Selection of runs in the catalog.

use drivelab_core::event::RunState;
use drivelab_core::plan::{Form, OWN_LOAD};

use super::row::RunRow;

/// Conditions that a run must meet to be listed; absent ones are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// A part of the drive's model, serial number or firmware, ignoring case.
    pub drive: Option<String>,
    /// Name of the methodology.
    pub method: Option<String>,
    /// Its form.
    pub form: Option<Form>,
    /// State of the run. A run that is still being recorded matches no state.
    pub state: Option<RunState>,
    /// Tags; the run must have all of them.
    pub tags: Vec<String>,
    /// Earliest start, RFC 3339 in UTC, or a prefix of it.
    pub since: Option<String>,
}

impl Filter {
    /// Whether there is no condition.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Filter::default()
    }

    /// Whether a run meets all conditions.
    #[must_use]
    pub fn fits(&self, row: &RunRow) -> bool {
        let Filter { drive, method, form, state, tags, since } = self;
        let is_drive = |wanted: &String| {
            let wanted = wanted.to_lowercase();
            let names = [&row.drive, &row.serial, &row.firmware];
            names.into_iter().flatten().any(|name| name.to_lowercase().contains(&wanted))
        };
        drive.as_ref().is_none_or(is_drive)
            && method.as_ref().is_none_or(|method| row.method == *method)
            // A load of `drivelab io` has no form.
            && form.is_none_or(|form| row.form == form && row.method != OWN_LOAD)
            && state.is_none_or(|state| row.state == state && !row.live)
            && tags.iter().all(|tag| row.label.tags.contains(tag))
            && since.as_ref().is_none_or(|since| row.started.as_str() >= since.as_str())
    }
}
