//! Load curves: response time over the rate that was asked for, and its knee.

mod points;
mod words;

pub use points::{Curve, CurvePoint, Knee, LeftOut, curves, is_on_one, knee};
pub(crate) use words::findings;
