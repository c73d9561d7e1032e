//! fio: job files become methodologies, plans become job files.
//!
//! Owns the order of the work. The grammar is in `lines`, units in `number`, the list of options in `options`,
//! one job's load in `load`, which jobs run at once in `batch`, which of them end others in `exit`, what must be filled
//! first in `held`, the way back in `write`.

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

/// What messages and methodologies call fio's own words on its defaults.
const DEFAULTS: &str = "fio HOWTO, defaults of options that a job file does not state (project axboe/fio)";

/// Makes a methodology of a job file.
///
/// # Errors
/// [`Wrong`]: lines that are no job file, values that cannot be read, variables that are not set, or no job that is
/// about storage.
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
