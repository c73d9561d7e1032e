//! Load curves: response time over the requested rate, and their knees.

mod points;
mod words;

pub use points::{Curve, CurvePoint, Knee, LeftOut, curves, is_on_one, knee};
pub(crate) use words::findings;
