//! Runs side by side: which may be compared, what differs between them, and which steps of one stand beside which of
//! another. All of it from digests, so hundreds of runs are compared without reading their records.

mod align;
mod differences;
mod groups;

pub use align::{Aligned, AlignedStep, AlignedTest, LeftOut, align};
pub use differences::{Difference, Differing, Kind, Value};
pub use groups::{Alike, Ground, Methodology, Refusal, Refused, SideBySide, are_one_method, side_by_side};

#[cfg(test)]
mod tests;
