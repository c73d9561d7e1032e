//! What a drive is good for: facts about it, from a run or from a publication, and the verdict of rules over them.
//!
//! Owns which figure of a run is which fact, and how rules become a verdict. Must not know where the rules are kept and
//! how a verdict is worded: docs/guide/verdicts.md.

mod fact;
mod judge;
mod measured;
mod published;
mod sheet;
mod types;

pub use fact::{Fact, Facts};
pub use judge::judge;
pub use measured::{of_run, unjudged};
pub use published::of_published;
pub use sheet::printed;
pub use types::{Outcome, Reason, Suitability, UseVerdict};
