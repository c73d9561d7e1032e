//! What a fill of the whole span shows about a write cache.

mod answer;
mod change;
mod checks;
mod levels;
mod parts;
mod place;
pub mod segments;
mod shape;
mod stalls;
mod step;
mod values;
mod words;

pub use answer::{Answer, Course, Dip, Edge, End, Stall};
pub(crate) use checks::{FILLED, answering};
pub(crate) use shape::course;
pub use shape::{FillShape, is_fill, shape};
pub(crate) use values::{
    fill_cache_share, fill_cache_size, fill_last_16_gb, fill_late_decline, fill_peak, fill_recoveries,
    fill_recovery_share, fill_sustained,
};
