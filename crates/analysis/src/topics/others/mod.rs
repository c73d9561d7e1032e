//! I/O of other programs on the target's devices while it was measured.

mod checks;
mod live;
mod passed;
mod words;

pub(crate) use checks::{not_judged_below, others, perhaps_others, writes_not_judged};
pub use live::{Disturbed, LiveOthers};
pub(crate) use words::{PERHAPS, USED_DISK, WRITES_NOT_JUDGED};
pub use words::{others_not_watched, others_not_watched_any_more};
