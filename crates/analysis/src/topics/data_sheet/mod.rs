//! Printed figures of a drive compared with measured ones.

mod causes;
mod endurance;
mod row;
mod sheet;
mod words;

pub use endurance::{Endurance, capacity_of, dwpd, rated_bytes, tbw, years_of_writes};
pub use row::{Cause, CauseKind, Sheet, SheetRow, Verdict};
pub use sheet::{judge, sheet};
pub(crate) use words::findings;
