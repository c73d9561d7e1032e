//! What a person or a program sees of a run in progress: a panel, plain lines, or one JSON object per line.
//!
//! Screens receive [`drivelab_core::event::Event`]s and nothing else, so a live run and `drivelab replay` look the
//! same. They own no results and may miss intervals; a lost screen does not affect the run. A screen that joins a run
//! in the middle (after `resume`) gets the earlier events first, so that it knows the plan. Must not know: session,
//! engine, store, SQL, HTML.

mod figures;
mod json_lines;
mod leave;
mod lines;
mod lost;
mod now;
mod panel;
mod plain;
mod progress;
mod style;

#[cfg(test)]
mod testing;

pub use json_lines::{JsonLines, Unwritten};
pub use leave::{is_kept, is_set_up, leave_at_once, leave_before_anything};
pub use panel::Panel;
pub use plain::Plain;
pub use progress::{Progress, TimeLeft};
pub use style::{Style, choose};
