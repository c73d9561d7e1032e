//! Data-sheet figures of a drive as a run records them, and which of them a test can be compared with.
//!
//! Owns the list of figures that can be measured, what each of them requires of a load, and the form in which
//! published figures are recorded. Must not know: files of facts (`device`), measured results (`analysis`).

mod figure;
mod sheet;

pub use figure::PrintedFigure;
pub use sheet::{DataSheet, SheetFigure};
