//! fio: job files become methodologies, plans become job files.
//!
//! Owns the sequence of the work. The grammar is in `lines`, units in `number`, the list of options in `options`, one
//! job's load in `load`, which jobs run concurrently in `batch`, which jobs end others in `exit`, what must be filled
//! first in `held`, the export in `write`.

mod barrier;
mod batch;
mod ending;
mod exit;
mod fields;
mod held;
mod job;
mod lines;
mod load;
mod number;
mod one;
mod options;
mod place;
mod verify;
mod write;

pub use options::CARRIED;
pub use write::target::Unnameable;
pub use write::{has_jobs, job_file};

use crate::draft::Draft;
use crate::{Imported, State, Surroundings, Wrong, method_name};

/// What messages and methodologies call fio's documentation of its defaults.
const DEFAULTS: &str = "fio HOWTO, defaults of options that a job file does not state (project axboe/fio)";

/// Converts a job file into a methodology.
///
/// # Errors
/// [`Wrong`]: lines that are not part of a job file, values that cannot be parsed, variables that are not set, or no
/// job that reads or writes storage.
pub fn import(file: &str, text: &str, around: &Surroundings<'_>) -> Result<Imported, Wrong> {
    let mut state = State::default();
    let sections = lines::read(file, text, around, &mut state);
    let jobs = job::jobs(sections, &mut state);
    let short = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let mut draft = Draft {
        name: method_name(file),
        title: format!("Imported from {short}"),
        what: "fio job file",
        file: short.to_owned(),
        defaults: DEFAULTS,
        ..Draft::default()
    };
    let exported = text.contains(write::MADE_BY);
    batch::fill(&mut draft, &jobs, exported, &mut state);
    state.end(&draft)
}
