//! Vdbench: parameter files become methodologies.
//!
//! Owns the sequence of the work. The grammar is in `lines`, which definitions a name means in `defined`, values in
//! `value`, one workload in `load`, runs in `runs`, their loops in `loops`, their rates in `rates`. Facts: Vdbench
//! Users Guide 5.04.07 and its parser (project itfanr/vdbench, Vdb_scan, SD/WD/RD_entry).

mod defined;
mod lines;
mod load;
mod loops;
mod rates;
mod runs;
mod value;

use crate::draft::Draft;
use crate::{Imported, State, Surroundings, Wrong, method_name};

/// What messages and methodologies call Vdbench's documentation of its defaults.
const DEFAULTS: &str = "Vdbench Users Guide 5.04.07, defaults of parameters that a file does not state";

/// Converts a parameter file into a methodology.
///
/// # Errors
/// [`Wrong`]: lines that are not parameters, values that cannot be parsed, names without a definition, or no run on
/// raw devices or files.
pub fn import(file: &str, text: &str, around: &Surroundings<'_>) -> Result<Imported, Wrong> {
    let mut state = State::default();
    let entries = lines::read(file, text, around, &mut state);
    let short = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let mut draft = Draft {
        name: method_name(file),
        title: format!("Imported from {short}"),
        what: "Vdbench parameter file",
        file: short.to_owned(),
        defaults: DEFAULTS,
        ..Draft::default()
    };
    runs::fill(&mut draft, &entries, &mut state);
    state.end(&draft)
}
