//! The step within a slow decline: a rate that falls at one position by more than the slopes before and after it
//! explain.
//!
//! Owns the fit of two lines with a gap between them. Pure: from levels to a position. Must not know what it means.

use std::ops::Range;

use super::answer::{LEAST_BEHIND, SLOW, STEEP};
use super::levels::Levels;

/// Parts to each side through which the lines go: over more, a decline that is not straight looks like a step.
const SIDE: usize = 60;
/// Degrees of freedom that two lines use.
const OF_LINES: f64 = 4.0;

/// A step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// The part after it.
    pub at: usize,
    /// Logarithm of the middle between the rates right before and right after it.
    pub middle: f64,
    /// How many standard errors high it is.
    pub errors: f64,
}

/// The step that the two lines beside it explain best, with at least this many parts before it; `None` if none falls by
/// a fifth. `beside` gives the stretches right before and after a position, without the interval that may contain the
/// step itself: most of the fall must happen between them.
pub(super) fn steepest(
    levels: &Levels,
    of: Range<usize>,
    least: usize,
    beside: impl Fn(usize) -> (Range<usize>, Range<usize>),
) -> Option<Step> {
    let places = of.start + least.max(LEAST_BEHIND)..=of.end.checked_sub(LEAST_BEHIND)?;
    let fits = places.map(|at| (at, levels.straight(&(of.start..at)), levels.straight(&(at..of.end))));
    let (at, ..) = fits.min_by(|one, other| (one.1.2 + one.2.2).total_cmp(&(other.1.2 + other.2.2)))?;
    let sides = (at.saturating_sub(SIDE).max(of.start)..at, at..(at + SIDE).min(of.end));
    let (first, second) = (levels.straight(&sides.0), levels.straight(&sides.1));
    let before = first.0 + first.1 * sides.0.len() as f64 / 2.0;
    let behind = second.0 - second.1 * sides.1.len() as f64 / 2.0;
    let fall = before - behind;
    let (near, far) = beside(at);
    let centre = |of: &Range<usize>| f64::midpoint(of.start as f64, of.end as f64);
    let slopes = first.1 * (at as f64 - centre(&near)) + second.1 * (centre(&far) - at as f64);
    let here = levels.mean(&near) - levels.mean(&far) + slopes;
    let known = (levels.known(&sides.0).max(1.0), levels.known(&sides.1).max(1.0));
    let parts = (sides.0.len() + sides.1.len()) as f64;
    let scatter = (first.2 + second.2) / parts * (known.0 + known.1) / (known.0 + known.1 - OF_LINES).max(1.0);
    // The end of a line is four times as uncertain, squared, as its middle.
    let error = (scatter * (4.0 / known.0 + 4.0 / known.1)).sqrt();
    let step = Step { at, middle: f64::midpoint(before, behind), errors: fall / error.max(1e-6) };
    (fall >= -SLOW.ln() && here >= STEEP * fall).then_some(step)
}
