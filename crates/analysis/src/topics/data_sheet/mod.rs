//! What is printed of a drive against what was measured.

mod causes;
mod endurance;
mod row;
mod sheet;
mod words;

pub use endurance::{Endurance, dwpd, rated_bytes, tbw};
pub use row::{Cause, CauseKind, Sheet, SheetRow, Verdict};
pub use sheet::{judge, sheet};
pub(crate) use words::findings;
