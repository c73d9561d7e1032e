//! What a fill can show, and the limits that several of its checks share.

/// A rate has changed if it is below this share of the earlier rate.
pub(super) const SLOW: f64 = 0.8;
/// Least stretch after a change: five per cent of the span.
pub(super) const LEAST_BEHIND: usize = 10;
/// Share of the whole fall that happens at a step itself.
pub(super) const STEEP: f64 = 0.65;
/// Share of what follows a change that must be slower than the middle of both rates.
pub(super) const MOST_BEHIND: f64 = 0.6;
/// Parts that are judged together for that: two per cent of the span, so that a drive that works in bursts has one
/// rate.
pub(super) const TOGETHER: usize = 4;

/// Two rates in bytes per second, and the byte at which one becomes the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Bytes written before it.
    pub bytes: f64,
    /// Bytes per second before it.
    pub before: f64,
    /// Bytes per second after it.
    pub behind: f64,
}

/// The end of a cache.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct End {
    /// Its position, and the rates on both sides.
    pub edge: Edge,
    /// The middle of the levels before and after it, bytes per second: rates above it are fast, rates below it slow.
    pub middle: f64,
}

/// A stretch of the fill that was slower than the fill around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dip {
    /// Bytes written when the rate fell.
    pub from: f64,
    /// Bytes written when it had recovered.
    pub to: f64,
    /// Bytes per second around it.
    pub around: f64,
    /// Bytes per second within it.
    pub within: f64,
}

/// A short time in which next to nothing was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stall {
    /// Bytes written before it.
    pub bytes: f64,
    /// Seconds that were lost: its length less the time that its bytes take at the rate around it.
    pub lost_s: f64,
    /// Bytes per second before it.
    pub before: f64,
    /// Bytes per second after it.
    pub behind: f64,
}

/// What a fill shows about a write cache.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answer {
    /// A cache ended: the rate was steadily faster before that and permanently slower after it.
    Ended(End),
    /// The rate sank slowly, from the first to the second value, bytes per second.
    Declined(f64, f64),
    /// It may have ended here, but the rate varies too much and too little was written to tell.
    TooLittle(Edge),
    /// No end was seen; the rate may have fallen and recovered.
    NotSeen(Option<Dip>),
}

/// Everything that a fill shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// About a write cache.
    pub answer: Answer,
    /// A fast start that is too short for a cache; none together with a decline.
    pub burst: Option<Edge>,
    /// Short gaps, in order.
    pub stalls: Vec<Stall>,
}
