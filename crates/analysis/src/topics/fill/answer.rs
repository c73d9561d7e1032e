//! What a fill can show, and the limits that more than one of its judges keeps.

/// A rate has changed where it is below this share of what it was.
pub(super) const SLOW: f64 = 0.8;
/// Least stretch behind a change: five per cent of the span.
pub(super) const LEAST_BEHIND: usize = 10;
/// Share of the whole fall that a step does there.
pub(super) const STEEP: f64 = 0.65;
/// Share of what follows that must be slower than it: most of it.
pub(super) const MOST_BEHIND: f64 = 0.6;
/// Parts that are judged together there: two per cent of the span, so that a drive that works in bursts has one rate.
pub(super) const TOGETHER: usize = 4;

/// Two rates in bytes per second, and the byte at which one becomes the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Bytes written until then.
    pub bytes: f64,
    /// Bytes per second before it.
    pub before: f64,
    /// Bytes per second behind it.
    pub behind: f64,
}

/// The end of a cache.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct End {
    /// Where it is, and the rates beside it.
    pub edge: Edge,
    /// The middle of the levels before and behind it, bytes per second: what is above it is fast, what is below slow.
    pub middle: f64,
}

/// A stretch of the fill that was slower than what lies around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dip {
    /// Bytes written when the rate fell.
    pub from: f64,
    /// Bytes written when it was back.
    pub to: f64,
    /// Bytes per second around it.
    pub around: f64,
    /// Bytes per second within it.
    pub within: f64,
}

/// A short time in which next to nothing was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stall {
    /// Bytes written until then.
    pub bytes: f64,
    /// Seconds that were lost: those it took without those that its bytes take at the rate around it.
    pub lost_s: f64,
    /// Bytes per second before it.
    pub before: f64,
    /// Bytes per second behind it.
    pub behind: f64,
}

/// What a fill says of a write cache.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answer {
    /// A cache ended: before it steadily faster, behind it slower for good.
    Ended(End),
    /// The rate sank slowly, from the first to the second, bytes per second.
    Declined(f64, f64),
    /// It may have ended here, but the rate varies too much for what was written to tell.
    TooLittle(Edge),
    /// Nothing parts the fill; the rate may have fallen and come back.
    NotSeen(Option<Dip>),
}

/// Everything that a fill shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Of a write cache.
    pub answer: Answer,
    /// A fast start that is too short for a cache; none beside a decline.
    pub burst: Option<Edge>,
    /// Short gaps, in order.
    pub stalls: Vec<Stall>,
}
