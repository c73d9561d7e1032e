//! What parts a fill best: the end of a write cache, a slow decline, or nothing; and what is short beside it.
//!
//! Owns the rules by which a change of the rate gets its name. The change that parts the fill best is looked for over
//! the whole fill, so that nothing short at its start or in its middle hides it. Pure: from intervals to one answer.

use std::ops::Range;

use super::levels::{Contrast, Levels};
use super::place::{self, Track};
use super::{PARTS, stalls};

/// A rate has changed where it is below this share of what it was.
const SLOW: f64 = 0.8;
/// Least stretch before a change, and the longest that is only a burst: three per cent of the span.
const LEAST_BEFORE: usize = 6;
/// Least stretch behind a change: five per cent of the span.
const LEAST_BEHIND: usize = 10;
/// What goes fast at the start for less than this is a burst too, unless it is more than a tenth of the span.
const BURST_S: f64 = 0.5;
/// See [`BURST_S`].
const MOST_BURST: usize = 20;
/// By what factor a burst is faster than what follows.
const BURST_FACTOR: f64 = 1.25;
/// Recorded intervals that a level needs.
const LEAST_KNOWN: f64 = 2.0;
/// Recorded intervals that a dip needs: two may hold the ends of one stall.
const LEAST_IN_DIP: f64 = 4.0;
/// How many standard errors two levels must be apart: noise alone does not get there anywhere in a fill. Of few
/// intervals its size is itself a guess, so there it is more: half as much again for twenty.
const ERRORS: f64 = 6.0;
/// See [`ERRORS`].
const FEW_KNOWN: f64 = 10.0;
/// Share of what comes before the end of a cache that must be faster than the middle of both rates.
const MOST_BEFORE: f64 = 0.75;
/// Share of what follows that must be slower than it: most of it.
const MOST_BEHIND: f64 = 0.6;
/// The same of the last quarter of what follows: a rate that came back and stayed has recovered.
const AT_THE_END: f64 = 0.5;
/// Parts that are judged together there: two per cent of the span, so that a drive that works in bursts has one rate.
const TOGETHER: usize = 4;
/// Parts to each side of a change within which a step falls, and a decline hardly does.
const NEAR: usize = 10;
/// Share of the whole fall that a step does there.
const STEEP: f64 = 0.65;
/// From this share on it is a step whatever a line explains: two steps look like a line.
const VERY_STEEP: f64 = 0.85;
/// Recorded intervals to each side that tell a step: of fewer, what is served in slices says nothing.
const NEAR_KNOWN: f64 = 8.0;
/// An earlier step by this factor, before the one that parts the fill best, is where the cache ended: what follows it
/// is the drive's next slower way of writing.
const EARLIER_FACTOR: f64 = 1.5;
/// Parts in each piece by which a slow decline is judged: in a tenth of the span, what comes in slices is even.
const PIECE: usize = 20;
/// Recorded intervals that a decline needs.
const LEAST_IN_DECLINE: f64 = 40.0;
/// Share of the scatter of these pieces that a decline must explain.
const LINE_EXPLAINS: f64 = 0.6;

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

/// A short time in which next to nothing was written, with the same rate before and behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stall {
    /// Bytes written until then.
    pub bytes: f64,
    /// Seconds that were lost: those it took without those that its bytes take at the rate around it.
    pub lost_s: f64,
}

/// What a fill says of a write cache.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answer {
    /// A cache ended: before it steadily faster, behind it slower for good.
    Ended(Edge),
    /// The rate sank slowly, from the first to the second, bytes per second.
    Declined(f64, f64),
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

/// What a fill shows, from its intervals (bytes, seconds) and the seconds of each of its [`PARTS`] equal parts.
pub(super) fn judge(intervals: &[(f64, f64)], span: f64, seconds: &[f64]) -> Course {
    let track = Track::new(intervals, span);
    let part = span / seconds.len() as f64;
    let rates: Vec<f64> = seconds.iter().map(|seconds| part / seconds).collect();
    let known = (0..=seconds.len()).map(|at| track.intervals_at(at as f64 * part)).collect();
    let fill = Fill { levels: Levels::new(&rates, known), track, part, seconds };
    fill.course()
}

struct Fill<'a> {
    levels: Levels,
    track: Track<'a>,
    /// Bytes of a part.
    part: f64,
    /// Seconds of each part.
    seconds: &'a [f64],
}

impl Fill<'_> {
    fn course(&self) -> Course {
        let all = self.levels.count();
        let longest = self.longest_burst();
        let burst = self.burst(longest, (4 * longest).min(all));
        let cliff = self.cliff(burst.unwrap_or(0), burst.map_or(longest + 1, |_| LEAST_BEFORE));
        // Beside a larger fall the burst is seen only where that is known.
        let burst = burst.or_else(|| self.burst_before(longest, cliff?));
        let start = burst.unwrap_or(0);
        let cliff = cliff.map(|at| self.earlier(start, burst.map_or(longest + 1, |_| LEAST_BEFORE), at));
        let found_burst = burst.map(|at| self.edge(at, 0..at, at..cliff.unwrap_or((4 * at).min(all)).max(at + 1)));
        let (answer, edges, burst) = if let Some(at) = cliff {
            let edge = self.edge(at, start..at, at..all);
            (Answer::Ended(edge), vec![edge.bytes], found_burst)
        } else if let Some((from, to)) = self.decline(start.max(longest)..all) {
            (Answer::Declined(from, to), Vec::new(), None)
        } else {
            let dip = self.dip(start..all);
            let fell = dip.map(|dip| (dip.from / self.part) as usize);
            let burst = || {
                let fell = fell?;
                let at = self.burst_before(longest, fell)?;
                Some(self.edge(at, 0..at, at..fell))
            };
            let found_burst = found_burst.or_else(burst);
            (Answer::NotSeen(dip), dip.map(|dip| vec![dip.from, dip.to]).unwrap_or_default(), found_burst)
        };
        let begins = burst.or(found_burst).map_or(0.0, |edge| edge.bytes);
        let stalls = stalls::stalls(&self.track, self.seconds, self.part, begins, &edges);
        Course { answer, burst, stalls }
    }

    /// The most parts at the start that are a burst and no cache.
    fn longest_burst(&self) -> usize {
        let ends = |time: &mut f64, seconds: &f64| {
            *time += seconds;
            (*time <= BURST_S).then_some(())
        };
        let in_time = self.seconds.iter().scan(0.0, ends).count();
        in_time.clamp(LEAST_BEFORE, MOST_BURST)
    }

    /// Parts of the burst at the start, where what parts the first `until` parts best comes so early.
    fn burst(&self, longest: usize, until: usize) -> Option<usize> {
        let (at, contrast) = self.best_fall(0..until, 1, 2)?;
        (at <= longest && contrast.fall >= BURST_FACTOR.ln() && self.apart(contrast)).then_some(at)
    }

    /// The burst of a fill that falls further at this part, where that is far enough behind.
    fn burst_before(&self, longest: usize, fall: usize) -> Option<usize> {
        (fall > 2 * longest).then(|| self.burst(longest, fall))?
    }

    /// The fall that leaves the least squares of a stretch, with so many parts at least before and behind it.
    fn best_fall(&self, of: Range<usize>, before: usize, behind: usize) -> Option<(usize, Contrast)> {
        let at = (of.start + before)..=of.end.checked_sub(behind)?;
        let falls = at.map(|at| (at, self.levels.between(&(of.start..at), &(at..of.end))));
        falls.filter(|(_, found)| found.fall > 0.0).min_by(|(_, one), (_, other)| one.left.total_cmp(&other.left))
    }

    /// The part at which what parts the fill best is the end of a cache.
    fn cliff(&self, start: usize, least: usize) -> Option<usize> {
        let all = self.levels.count();
        let (at, contrast) = self.best_fall(start..all, least, LEAST_BEHIND)?;
        self.is_cliff(start..at, at..all, contrast).then_some(at)
    }

    /// The first of the large steps up to this one.
    fn earlier(&self, start: usize, least: usize, cliff: usize) -> usize {
        let mut at = cliff;
        while let Some((earlier, contrast)) = self.best_fall(start..at, 1, LEAST_BEHIND) {
            let large = earlier >= start + least && contrast.fall >= EARLIER_FACTOR.ln();
            let stays = || self.share_slow(earlier..at, self.middle(&(start..earlier), &(earlier..at))) >= 0.9;
            if !(large && self.is_cliff(start..earlier, earlier..at, contrast) && stays()) {
                break;
            }
            at = earlier;
        }
        at
    }

    fn is_cliff(&self, before: Range<usize>, behind: Range<usize>, contrast: Contrast) -> bool {
        let known = |of: &Range<usize>| self.levels.known(of) >= LEAST_KNOWN;
        let falls = contrast.fall >= -SLOW.ln() && self.rate(&behind) < SLOW * self.rate(&before);
        let sure = self.apart(contrast) && known(&before) && known(&behind);
        falls && sure && self.for_good(&before, &behind) && self.steep(&before, &behind, contrast)
    }

    fn apart(&self, contrast: Contrast) -> bool {
        contrast.errors >= ERRORS * (1.0 + FEW_KNOWN / self.levels.known(&(0..self.levels.count())).max(1.0))
    }

    /// Bytes per second of a stretch.
    fn rate(&self, of: &Range<usize>) -> f64 {
        super::mean_rate(self.part, &self.seconds[of.clone()])
    }

    /// Between the rates of two stretches, bytes per second: half of the way from one to the other by factors.
    fn middle(&self, before: &Range<usize>, behind: &Range<usize>) -> f64 {
        f64::midpoint(self.levels.mean(before), self.levels.mean(behind)).exp()
    }

    fn for_good(&self, before: &Range<usize>, behind: &Range<usize>) -> bool {
        let middle = self.middle(before, behind);
        let last = behind.end - behind.len() / 4..behind.end;
        1.0 - self.share_slow(before.clone(), middle) >= MOST_BEFORE
            && self.share_slow(behind.clone(), middle) >= MOST_BEHIND
            && self.share_slow(last, middle) >= AT_THE_END
    }

    /// Share of a stretch that is below a rate, by two per cent of the span each.
    fn share_slow(&self, of: Range<usize>, rate: f64) -> f64 {
        let pieces = self.seconds[of.clone()].chunks(TOGETHER);
        let slow = pieces.filter(|piece| super::mean_rate(self.part, piece) < rate).map(<[f64]>::len);
        slow.sum::<usize>() as f64 / of.len().max(1) as f64
    }

    /// Whether the fall is a step: done at its place and not on the whole way.
    fn steep(&self, before: &Range<usize>, behind: &Range<usize>, contrast: Contrast) -> bool {
        // The parts of the interval through which the edge may go belong to neither side.
        let width =
            |rate: f64| (self.track.interval_s(before.end as f64 * self.part) * rate / self.part).ceil() as usize;
        let first = before.end.saturating_sub(width(self.rate(before)).max(1)).max(before.start + 1);
        let second = (behind.start + width(self.rate(behind)).max(1)).min(behind.end - 1);
        let known = |of: &Range<usize>| of.len() >= NEAR && self.levels.known(of) >= NEAR_KNOWN;
        let near = (before.start..first).rev().map(|from| from..first).find(known).unwrap_or(before.start..first);
        let far = (second + 1..=behind.end).map(|to| second..to).find(known).unwrap_or(second..behind.end);
        let here = self.levels.mean(&near) - self.levels.mean(&far);
        let (line, _) = self.levels.line(&(before.start..behind.end));
        here >= VERY_STEEP * contrast.fall || (here >= STEEP * contrast.fall && contrast.left < line)
    }

    /// The rates at both ends of a slow decline, bytes per second.
    fn decline(&self, of: Range<usize>) -> Option<(f64, f64)> {
        let pieces = self.seconds[of.clone()].chunks(PIECE);
        let rates: Vec<f64> = pieces.map(|piece| super::mean_rate(self.part, piece)).collect();
        let pieces = Levels::new(&rates, (0..=rates.len()).map(|at| at as f64).collect());
        let (left, fall) = pieces.line(&(0..rates.len()));
        let explains = left <= (1.0 - LINE_EXPLAINS) * pieces.squares(&(0..rates.len()));
        let end = (2 * LEAST_BEFORE).min(of.len());
        let rates = (self.rate(&(of.start..of.start + end)), self.rate(&(of.end - end..of.end)));
        (explains && self.levels.known(&of) >= LEAST_IN_DECLINE && fall >= -SLOW.ln() && rates.1 < SLOW * rates.0)
            .then_some(rates)
    }

    /// The stretch that was slower than what lies before and behind it.
    fn dip(&self, of: Range<usize>) -> Option<Dip> {
        let mut best: Option<(Range<usize>, Contrast)> = None;
        for from in of.start + LEAST_BEFORE..of.end.saturating_sub(2 * LEAST_BEFORE) {
            for to in from + LEAST_BEFORE..=of.end - LEAST_BEFORE {
                let found = self.levels.around(&of, &(from..to));
                if found.fall > 0.0 && best.as_ref().is_none_or(|(_, best)| found.left < best.left) {
                    best = Some((from..to, found));
                }
            }
        }
        let (inside, contrast) = best?;
        let sides = [of.start..inside.start, inside.end..of.end];
        let within = self.rate(&inside);
        let slower = sides.iter().all(|side| within < SLOW * self.rate(side));
        let sure = self.apart(contrast) && self.levels.known(&inside) >= LEAST_IN_DIP;
        if !(sure && slower) {
            return None;
        }
        let fell = self.edge(inside.start, sides[0].clone(), inside.clone());
        let back = self.edge(inside.end, inside, sides[1].clone());
        let around = f64::midpoint(fell.before, back.behind);
        // Intervals that hold a stall are as slow, but hardly anything was written in it.
        let wide = back.bytes - fell.bytes >= LEAST_BEFORE as f64 * self.part;
        wide.then_some(Dip { from: fell.bytes, to: back.bytes, around, within })
    }

    /// The true byte of a change that lies at about this part.
    fn edge(&self, at: usize, before: Range<usize>, behind: Range<usize>) -> Edge {
        let about = Edge { bytes: at as f64 * self.part, before: self.rate(&before), behind: self.rate(&behind) };
        let bytes = |of: Range<usize>| of.start as f64 * self.part..of.end as f64 * self.part;
        place::edge(&self.track, about.bytes, self.part, bytes(before), bytes(behind)).unwrap_or(about)
    }
}

/// The number of parts is the one that all stretches above are counted in.
const _: () = assert!(PARTS == 200);
