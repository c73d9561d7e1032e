//! Which runs of the catalog are meant.

use drivelab_core::event::RunState;
use drivelab_core::plan::Form;

use super::row::RunRow;

/// What a run must be to be listed; what is absent does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// A part of the drive's model, serial number or firmware, whatever the case.
    pub drive: Option<String>,
    /// Name of the methodology.
    pub method: Option<String>,
    /// Its form.
    pub form: Option<Form>,
    /// How the run stands; a run that goes on now stands nowhere yet.
    pub state: Option<RunState>,
    /// Tags that it must all have.
    pub tags: Vec<String>,
    /// When it began at the earliest, RFC 3339 in UTC, or the beginning of that.
    pub since: Option<String>,
}

impl Filter {
    /// Whether it asks for anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Filter::default()
    }

    /// Whether a run is one of those that are meant.
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
            && form.is_none_or(|form| row.form == form)
            && state.is_none_or(|state| row.state == state && !row.live)
            && tags.iter().all(|tag| row.tags.contains(tag))
            && since.as_ref().is_none_or(|since| row.started.as_str() >= since.as_str())
    }
}
