//! What a maker prints about a drive, as a run keeps it, and which of these figures a test can be held against.
//!
//! Owns the list of figures that can be measured, with what each asks of a load, and the printed figures in the form in
//! which they are recorded. Must not know: files of facts (`device`), what was measured (`analysis`).

mod figure;
mod sheet;

pub use figure::PrintedFigure;
pub use sheet::{DataSheet, SheetFigure};
