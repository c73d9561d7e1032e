//! What follows from the differences: which are shown, which side is best.
//!
//! Every verdict that is sought raises the chance of a false one, so they are corrected together by Holm's method: in
//! all of them at least one difference that does not exist is shown in some 5 of 100 comparisons.

use drivelab_core::metric::Better;

use super::figure::Compared;
use super::types::{Against, Basis, Limits, RatioBound, Verdict};
use super::welch::{Difference, LEVEL};

/// Two sides of a figure that are tested against each other.
struct Pair {
    figure: usize,
    from: usize,
    side: usize,
    difference: Difference,
    /// Whether Holm's method shows it.
    shown: bool,
    /// The level at which it was tested.
    level: f64,
}

/// Fills in ratios and verdicts; returns how many differences were tested.
pub(super) fn judge(all: &mut [&mut Compared<'_>], base: usize, limits: Limits) -> usize {
    let mut pairs = Vec::new();
    for (at, compared) in all.iter().enumerate() {
        pairs_of(at, compared, base, &mut pairs);
    }
    holm(&mut pairs);
    // They are in the order of the figures.
    let mut rest = pairs.as_slice();
    for (at, compared) in all.iter_mut().enumerate() {
        let (of_figure, later) = rest.split_at(rest.iter().take_while(|pair| pair.figure == at).count());
        rest = later;
        let of_figure: Vec<&Pair> = of_figure.iter().collect();
        for side in (0..compared.figure.cells.len()).filter(|side| *side != base) {
            against(compared, base, side, &of_figure, limits);
        }
        compared.figure.best = best(compared, &of_figure, limits);
    }
    pairs.len()
}

/// What is tested of a figure: every side against the base, and the best of them against every other.
fn pairs_of(figure: usize, compared: &Compared<'_>, base: usize, pairs: &mut Vec<Pair>) {
    if !compared.figure.judged {
        return;
    }
    let sides = compared.figure.cells.len();
    let mut wanted: Vec<(usize, usize)> = (0..sides).filter(|side| *side != base).map(|side| (base, side)).collect();
    if let Some(first) = candidate(compared).filter(|first| *first != base) {
        wanted.extend((0..sides).filter(|side| *side != base && *side != first).map(|side| (first, side)));
    }
    for (from, side) in wanted {
        if let (true, (Some(difference), _)) = (sound(compared, from, side), compared.difference(from, side)) {
            pairs.push(Pair { figure, from, side, difference, shown: false, level: LEVEL });
        }
    }
}

/// Holm's method: the smallest p is compared with the level divided by the number of tests, the next with the level
/// divided by one less, until one is not shown; then none of the rest is.
fn holm(pairs: &mut [Pair]) {
    let count = pairs.len();
    let mut order: Vec<(usize, f64)> = pairs.iter().enumerate().map(|(at, pair)| (at, pair.difference.p())).collect();
    order.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut shown = true;
    let mut level = LEVEL;
    for (rank, (at, p)) in order.into_iter().enumerate() {
        if shown {
            level = LEVEL / (count - rank) as f64;
            shown = p <= level;
        }
        (pairs[at].shown, pairs[at].level) = (shown, level);
    }
}

/// The side with the best value.
fn candidate(compared: &Compared<'_>) -> Option<usize> {
    let values = compared.figure.cells.iter().enumerate().filter_map(|(side, cell)| Some((side, cell.value?)));
    match compared.figure.better {
        Better::Higher => values.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(side, _)| side),
        Better::Lower => values.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(side, _)| side),
        Better::Neutral => None,
    }
}

/// Whether both figures are of all runs, were measured undisturbed, and are no bounds.
fn sound(compared: &Compared<'_>, from: usize, side: usize) -> bool {
    let cells = &compared.figure.cells;
    [from, side].into_iter().all(|at| cells[at].is_whole() && !cells[at].is_spoiled() && !cells[at].is_at_least())
}

/// Ratio, interval and verdict of a side against the base.
fn against(compared: &mut Compared<'_>, base: usize, side: usize, pairs: &[&Pair], limits: Limits) {
    let (difference, basis) = compared.difference(base, side);
    let log = difference.map(|one| one.log).or_else(|| compared.log(base, side));
    let cells = &compared.figure.cells;
    let (from, own) = (&cells[base], &cells[side]);
    let bounds = (from.is_at_least(), own.is_at_least());
    let spoiled = from.is_spoiled() || own.is_spoiled();
    let pair = pairs.iter().find(|pair| (pair.from, pair.side) == (base, side)).copied();
    let verdict = match (log, bounds) {
        (None, _) => Verdict::NoFigure,
        (Some(_), (true, true)) => Verdict::BothBounds,
        _ if !(from.is_whole() && own.is_whole()) => Verdict::Incomplete,
        _ if spoiled => Verdict::Spoiled,
        (Some(_), (false, true)) => Verdict::AtLeast,
        (Some(_), (true, false)) => Verdict::AtMost,
        _ if !compared.figure.judged => Verdict::NotSought,
        (Some(log), _) => verdict(log, compared.figure.better, basis, pair, limits),
    };
    let bound = match bounds {
        (false, true) => Some(RatioBound::AtLeast),
        (true, false) => Some(RatioBound::AtMost),
        _ => None,
    };
    let ratio = log.filter(|_| bounds != (true, true)).map(f64::exp);
    let interval = difference.filter(|_| bounds == (false, false) && !spoiled).map(|one| one.interval());
    // What single runs cannot show is not detectable either.
    let least = if basis == Some(Basis::Runs) { 1.0 } else { 1.0 + limits.one_run };
    let detectable = pair.map(|pair| pair.difference.detectable(pair.level).max(least)).filter(|one| one.is_finite());
    if let Some(against) = &mut compared.figure.cells[side].against {
        *against = Against { ratio, interval, basis, verdict, bound, detectable };
    }
}

/// What a difference of two sound figures says.
fn verdict(log: f64, better: Better, basis: Option<Basis>, pair: Option<&Pair>, limits: Limits) -> Verdict {
    let part = (log.exp() - 1.0).abs();
    match pair {
        Some(pair) if !pair.shown => Verdict::NotShown,
        _ if basis != Some(Basis::Runs) && part <= limits.one_run => Verdict::WithinRuns,
        _ if part < limits.relevant => Verdict::Negligible,
        _ if (log > 0.0) == (better == Better::Higher) => Verdict::Better,
        _ => Verdict::Worse,
    }
}

/// The side that is shown to be better than every other that has a figure.
fn best(compared: &Compared<'_>, pairs: &[&Pair], limits: Limits) -> Option<usize> {
    if !compared.figure.judged {
        return None;
    }
    let first = candidate(compared)?;
    let others = (0..compared.figure.cells.len()).filter(|side| *side != first);
    let mut valued = others.filter(|side| compared.figure.cells[*side].value.is_some()).peekable();
    valued.peek()?;
    let beaten = |side: usize| {
        let pair = pairs.iter().find(|pair| [(pair.from, pair.side), (pair.side, pair.from)].contains(&(first, side)));
        let (difference, basis) = compared.difference(side, first);
        let Some(log) = difference.map(|one| one.log).or_else(|| compared.log(side, first)) else { return false };
        let verdict = verdict(log, compared.figure.better, basis, pair.copied(), limits);
        sound(compared, side, first) && verdict == Verdict::Better
    };
    valued.all(beaten).then_some(first)
}
