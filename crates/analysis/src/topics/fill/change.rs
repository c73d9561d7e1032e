//! The change that divides a fill best: the end of a write cache, a slow decline, or none; and short bursts and gaps.
//!
//! Owns the rules that name a change of the rate. The change that divides the fill best is searched over the whole
//! fill, so that nothing short at its start or in its middle hides it. Pure: from intervals to one answer.

use std::ops::Range;

use super::answer::{Answer, Course, Dip, Edge, End, LEAST_BEHIND, MOST_BEHIND, SLOW, STEEP, TOGETHER};
use super::levels::{Contrast, Levels};
use super::parts::{PARTS, first_behind, mean_rate};
use super::place::{self, Track};
use super::{stalls, step};

/// Least stretch before a change, and the longest that is only a burst: three per cent of the span.
const LEAST_BEFORE: usize = 6;
/// A fast start of less than this many seconds is a burst too, unless it is more than a tenth of the span.
const BURST_S: f64 = 0.5;
/// See [`BURST_S`].
const MOST_BURST: usize = 20;
/// Factor by which a burst is faster than what follows it.
const BURST_FACTOR: f64 = 1.25;
/// Recorded intervals that a level needs.
const LEAST_KNOWN: f64 = 2.0;
/// Recorded intervals that a dip needs: two may hold the ends of one stall.
const LEAST_IN_DIP: f64 = 4.0;
/// How many standard errors two levels must be apart: noise alone does not reach that anywhere in a fill. With few
/// intervals the size of the noise is itself uncertain, so more are needed: half as many again with twenty intervals.
const ERRORS: f64 = 6.0;
/// See [`ERRORS`].
const FEW_KNOWN: f64 = 10.0;
/// Share of these errors from which a fall may be an end: noise alone seldom reaches it.
const SUSPECT: f64 = 0.5;
/// Share of the fill before the end of a cache that must be faster than the middle of both rates.
const MOST_BEFORE: f64 = 0.75;
/// Share of the last quarter of what follows that must be slower: a rate that came back and stayed has recovered.
const AT_THE_END: f64 = 0.5;
/// Parts to each side of a change within which a step falls, and a decline hardly does.
const NEAR: usize = 10;
/// From this share it is a step even if a line explains a little more: two steps look like a line.
const VERY_STEEP: f64 = 0.85;
/// The squares that two levels may leave in that case, as a multiple of those of the line.
const NEARLY: f64 = 1.25;
/// By how much two levels must explain a fill better than a line: twice the logarithm of the odds, here e^10 to one.
/// Noise may turn a decline into a step at any of two hundred positions.
const ODDS: f64 = 20.0;
/// Standard errors between the rates right beside a change, from which it is a step in any case.
const ERRORS_BESIDE: f64 = 7.0;
/// Recorded intervals to each side that show a step: with fewer, a drive that works in slices has no clear rate.
const NEAR_KNOWN: f64 = 8.0;
/// If there is an earlier step by this factor before the one that divides the fill best, the cache ended there: what
/// follows is the drive's next slower way of writing.
const EARLIER_FACTOR: f64 = 1.5;
/// Parts in each piece by which a slow decline is judged: over a tenth of the span, work in slices is even.
const PIECE: usize = 20;
/// Recorded intervals that a decline needs.
const LEAST_IN_DECLINE: f64 = 40.0;
/// Share of the scatter of these pieces that a decline must explain.
const LINE_EXPLAINS: f64 = 0.6;

/// What a fill shows, from its intervals (bytes, seconds) and the seconds of each of its [`PARTS`] equal parts.
pub(super) fn judge(intervals: &[(f64, f64)], span: f64, seconds: &[f64]) -> Course {
    let track = Track::new(intervals, span);
    let part = span / seconds.len() as f64;
    let rates: Vec<f64> = seconds.iter().map(|seconds| part / seconds).collect();
    let known = (0..=seconds.len()).map(|at| track.intervals_at(at as f64 * part)).collect();
    let levels = Levels::new(&rates, known);
    let fill = Fill { calm: levels.calm(), levels, track, part, seconds };
    fill.course()
}

struct Fill<'a> {
    levels: Levels,
    /// The levels without what is far from everything around it.
    calm: Levels,
    track: Track<'a>,
    /// Bytes of a part.
    part: f64,
    /// Seconds of each part.
    seconds: &'a [f64],
}

/// A change that is the end of a cache: its part, and the middle of its levels in bytes per second.
#[derive(Clone, Copy)]
struct Found {
    at: usize,
    middle: f64,
}

impl Fill<'_> {
    fn course(&self) -> Course {
        let all = self.levels.count();
        let longest = self.longest_burst();
        let burst = self.burst(longest, (4 * longest).min(all));
        let from = |burst: Option<usize>| (burst.unwrap_or(0), burst.map_or(longest + 1, |_| LEAST_BEFORE));
        let (start, least) = from(burst);
        let decline = self.decline(start.max(longest)..all);
        let step = decline.and_then(|_| self.step(start, least));
        let sure_step = || step.filter(|(_, errors)| *errors >= self.errors_needed()).map(|(step, _)| step);
        let cliff = self.cliff(start, least).or_else(sure_step);
        // A larger fall hides the burst unless its position is known.
        let burst = burst.or_else(|| self.burst_before(longest, cliff?.at));
        let (start, least) = from(burst);
        let end = cliff.and_then(|cliff| self.end(start, least, cliff));
        let slow = end.map(|(at, _)| at);
        let found_burst = burst.map(|at| self.edge(at, 0..at, at..slow.unwrap_or((4 * at).min(all)).max(at + 1)));
        let suspect = || self.suspect(start, least, decline.is_some(), step);
        let (answer, edges, burst) = if let Some((_, end)) = end {
            (Answer::Ended(end), vec![end.edge.bytes], found_burst)
        } else if let Some((from, to)) = decline {
            (suspect().map_or(Answer::Declined(from, to), Answer::TooLittle), Vec::new(), None)
        } else {
            let dip = self.dip(start..all);
            let fell = dip.map(|dip| (dip.from / self.part) as usize);
            let burst = || {
                let fell = fell?;
                let at = self.burst_before(longest, fell)?;
                Some(self.edge(at, 0..at, at..fell))
            };
            let found_burst = found_burst.or_else(burst);
            let suspect = if dip.is_none() { suspect() } else { None };
            let answer = suspect.map_or(Answer::NotSeen(dip), Answer::TooLittle);
            (answer, dip.map(|dip| vec![dip.from, dip.to]).unwrap_or_default(), found_burst)
        };
        let begins = burst.or(found_burst).map_or(0.0, |edge| edge.bytes);
        let stalls = stalls::stalls(&self.track, self.seconds, self.part, begins, &edges);
        Course { answer, burst, stalls }
    }

    /// The most parts at the start that count as a burst, not a cache.
    fn longest_burst(&self) -> usize {
        let ends = |time: &mut f64, seconds: &f64| {
            *time += seconds;
            (*time <= BURST_S).then_some(())
        };
        let in_time = self.seconds.iter().scan(0.0, ends).count();
        in_time.clamp(LEAST_BEFORE, MOST_BURST)
    }

    /// Parts of the burst at the start, if the change that divides the first `until` parts best comes that early.
    fn burst(&self, longest: usize, until: usize) -> Option<usize> {
        let (at, contrast) = self.levels.best_fall(0..until, 1, 2)?;
        (at <= longest && contrast.fall >= BURST_FACTOR.ln() && self.apart(contrast)).then_some(at)
    }

    /// The burst of a fill that falls further at this part, with a least stretch between the two.
    fn burst_before(&self, longest: usize, fall: usize) -> Option<usize> {
        // The interval through which that fall goes would be one more.
        let holds = self.track.before[self.track.holding(fall as f64 * self.part)].0;
        self.burst(longest.min(fall.saturating_sub(LEAST_BEFORE)), (holds / self.part) as usize)
    }

    /// The change that divides the fill best, if it is the end of a cache, even one hidden by short gaps and bursts.
    fn cliff(&self, start: usize, least: usize) -> Option<Found> {
        [&self.levels, &self.calm].into_iter().find_map(|levels| {
            let (before, behind, contrast) = self.best(levels, start, least)?;
            let sure = self.apart(contrast) && self.steep(levels, &before, &behind, contrast);
            let middle = levels.middle(&before, &behind);
            (sure && self.falls(&before, &behind, contrast, middle)).then_some(Found { at: behind.start, middle })
        })
    }

    /// The change that divides the fill best: the stretches before and after it.
    fn best(&self, levels: &Levels, start: usize, least: usize) -> Option<(Range<usize>, Range<usize>, Contrast)> {
        let all = levels.count();
        let (at, contrast) = levels.best_fall(start..all, least, LEAST_BEHIND)?;
        Some((start..at, at..all, contrast))
    }

    /// The first of the large steps up to this one.
    fn earlier(&self, start: usize, least: usize, cliff: Found) -> Found {
        let (mut found, all) = (cliff, self.levels.count());
        while let Some((at, contrast)) = self.levels.best_fall(start..found.at, 1, LEAST_BEHIND) {
            let (before, behind) = (start..at, at..found.at);
            let middle = self.levels.middle(&before, &behind);
            let large = at >= start + least && contrast.fall >= EARLIER_FACTOR.ln() && self.apart(contrast);
            let step = large && self.steep(&self.levels, &before, &behind, contrast);
            let stays = || self.share_slow(behind.clone(), middle) >= 0.9 && self.for_good(&before, &(at..all), middle);
            if !(step && self.falls(&before, &behind, contrast, middle) && stays()) {
                break;
            }
            found = Found { at, middle };
        }
        found
    }

    /// The end of the cache at this change or at a large one before it; `None` if what follows that byte is not
    /// permanently slower.
    fn end(&self, start: usize, least: usize, cliff: Found) -> Option<(usize, End)> {
        let all = self.levels.count();
        [self.earlier(start, least, cliff), cliff].into_iter().find_map(|Found { at, middle }| {
            let edge = self.edge(at, start..at, at..all);
            let behind = first_behind(edge.bytes, self.part)..all;
            self.for_good(&(start..at), &behind, middle).then_some((at, End { edge, middle }))
        })
    }

    /// The step that a fill took within a slow decline, and by how many standard errors.
    fn step(&self, start: usize, least: usize) -> Option<(Found, f64)> {
        let (all, levels) = (self.levels.count(), &self.calm);
        let step = step::steepest(levels, start..all, least, |at| self.beside(levels, &(start..at), &(at..all)))?;
        let (before, behind) = (start..step.at, step.at..all);
        let middle = step.middle.exp();
        let is_end = self.known(&before, &behind) && self.for_good(&before, &behind, middle);
        is_end.then_some((Found { at: step.at, middle }, step.errors))
    }

    /// A change that may be the end of a cache, but not far enough from noise. In a slow decline it is this step, or a
    /// fall that explains the fill better than a line.
    fn suspect(&self, start: usize, least: usize, declines: bool, step: Option<(Found, f64)>) -> Option<Edge> {
        let suspect = SUSPECT * self.errors_needed();
        let may_be = |levels: &Levels| {
            let (before, behind, contrast) = self.best(levels, start, least)?;
            let falls = self.falls(&before, &behind, contrast, levels.middle(&before, &behind));
            let likely = !declines || contrast.left < levels.line(&(start..behind.end)).0;
            (falls && likely && contrast.errors >= suspect).then_some(behind.start)
        };
        let step = step.filter(|(_, errors)| *errors >= suspect).map(|(step, _)| step.at);
        let at = step.or_else(|| may_be(&self.levels)).or_else(|| may_be(&self.calm))?;
        let (before, behind) = (self.rate(&(start..at)), self.rate(&(at..self.levels.count())));
        Some(Edge { bytes: at as f64 * self.part, before, behind })
    }

    /// Whether the rate fell by enough and permanently, by enough recorded intervals.
    fn falls(&self, before: &Range<usize>, behind: &Range<usize>, contrast: Contrast, middle: f64) -> bool {
        let falls = contrast.fall >= -SLOW.ln() && self.rate(behind) < SLOW * self.rate(before);
        falls && self.known(before, behind) && self.for_good(before, behind, middle)
    }

    fn known(&self, before: &Range<usize>, behind: &Range<usize>) -> bool {
        [before, behind].iter().all(|of| self.levels.known(of) >= LEAST_KNOWN)
    }

    fn apart(&self, contrast: Contrast) -> bool {
        contrast.errors >= self.errors_needed()
    }

    /// How many standard errors two levels of this fill must be apart.
    fn errors_needed(&self) -> f64 {
        ERRORS * (1.0 + FEW_KNOWN / self.levels.known(&(0..self.levels.count())).max(1.0))
    }

    /// Bytes per second of a stretch.
    fn rate(&self, of: &Range<usize>) -> f64 {
        mean_rate(self.part, &self.seconds[of.clone()])
    }

    /// Whether most of what comes before is faster than the middle, and most of what follows slower.
    fn for_good(&self, before: &Range<usize>, behind: &Range<usize>, middle: f64) -> bool {
        let last = behind.end - behind.len() / 4..behind.end;
        1.0 - self.share_slow(before.clone(), middle) >= MOST_BEFORE
            && self.share_slow(behind.clone(), middle) >= MOST_BEHIND
            && self.share_slow(last, middle) >= AT_THE_END
    }

    /// Share of a stretch that is below a rate, in pieces of two per cent of the span.
    fn share_slow(&self, of: Range<usize>, rate: f64) -> f64 {
        let pieces = self.seconds[of.clone()].chunks(TOGETHER);
        let slow = pieces.filter(|piece| mean_rate(self.part, piece) < rate).map(<[f64]>::len);
        slow.sum::<usize>() as f64 / of.len().max(1) as f64
    }

    /// Whether the fall is a step: it happens at one position and not over the whole length.
    fn steep(&self, levels: &Levels, before: &Range<usize>, behind: &Range<usize>, contrast: Contrast) -> bool {
        let (near, far) = self.beside(levels, before, behind);
        let here = levels.mean(&near) - levels.mean(&far);
        let (line, _) = levels.line(&(before.start..behind.end));
        let very_steep = here >= VERY_STEEP * contrast.fall && contrast.left < NEARLY * line;
        let is_step = very_steep || (here >= STEEP * contrast.fall && contrast.left < line);
        is_step && (levels.between(&near, &far).errors >= ERRORS_BESIDE || self.beats_line(levels, before, behind))
    }

    /// Whether two levels explain the fill better than a line, by more than noise in a slow decline can cause: without
    /// gaps and bursts by that much, and with them no worse.
    fn beats_line(&self, levels: &Levels, before: &Range<usize>, behind: &Range<usize>) -> bool {
        let whole = before.start..behind.end;
        let odds = |levels: &Levels| {
            let (steps, line) = (levels.between(before, behind).left, levels.line(&whole).0);
            levels.known(&whole) * (line / steps.max(f64::MIN_POSITIVE) - 1.0)
        };
        odds(levels) >= ODDS && odds(&self.levels) >= 0.0
    }

    /// The stretches right before and after a change, without the interval that may contain it.
    fn beside(&self, levels: &Levels, before: &Range<usize>, behind: &Range<usize>) -> (Range<usize>, Range<usize>) {
        // The parts of the interval that may contain the edge belong to neither side.
        let width =
            |rate: f64| (self.track.interval_s(before.end as f64 * self.part) * rate / self.part).ceil() as usize;
        let first = before.end.saturating_sub(width(self.rate(before)).max(1)).max(before.start + 1);
        let second = (behind.start + width(self.rate(behind)).max(1)).min(behind.end - 1);
        let known = |of: &Range<usize>| of.len() >= NEAR && levels.known(of) >= NEAR_KNOWN;
        let near = (before.start..first).rev().map(|from| from..first).find(known).unwrap_or(before.start..first);
        let far = (second + 1..=behind.end).map(|to| second..to).find(known).unwrap_or(second..behind.end);
        (near, far)
    }

    /// The rates at both ends of a slow decline, bytes per second.
    fn decline(&self, of: Range<usize>) -> Option<(f64, f64)> {
        let pieces = self.seconds[of.clone()].chunks(PIECE);
        let rates: Vec<f64> = pieces.map(|piece| mean_rate(self.part, piece)).collect();
        let pieces = Levels::new(&rates, (0..=rates.len()).map(|at| at as f64).collect());
        let (left, fall) = pieces.line(&(0..rates.len()));
        let explains = left <= (1.0 - LINE_EXPLAINS) * pieces.squares(&(0..rates.len()));
        let end = (2 * LEAST_BEFORE).min(of.len());
        let rates = (self.rate(&(of.start..of.start + end)), self.rate(&(of.end - end..of.end)));
        (explains && self.levels.known(&of) >= LEAST_IN_DECLINE && fall >= -SLOW.ln() && rates.1 < SLOW * rates.0)
            .then_some(rates)
    }

    /// The stretch that was slower than the fill before and after it.
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
        // Intervals with a stall are as slow, but hardly anything was written in them.
        let wide = back.bytes - fell.bytes >= LEAST_BEFORE as f64 * self.part;
        wide.then_some(Dip { from: fell.bytes, to: back.bytes, around, within })
    }

    /// The exact byte of a change at about this part.
    fn edge(&self, at: usize, before: Range<usize>, behind: Range<usize>) -> Edge {
        let about = Edge { bytes: at as f64 * self.part, before: self.rate(&before), behind: self.rate(&behind) };
        let bytes = |of: Range<usize>| of.start as f64 * self.part..of.end as f64 * self.part;
        place::edge(&self.track, about.bytes, self.part, bytes(before), bytes(behind)).unwrap_or(about)
    }
}

/// All stretches above are counted in this number of parts.
const _: () = assert!(PARTS == 200);
