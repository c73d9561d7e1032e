//! Many sides ranked by one figure. A side has a place of its own only if it is shown to be worse than the sides above.

use drivelab_core::metric::Better;

use crate::across::ratios::{FigureRatios, Limits, ratio_of};
use crate::across::side_by_side::Aligned;
use crate::digest::StepFacts;

/// Sides by one figure, the best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking<'d> {
    /// The step that the figure is of; absent for one of the whole run.
    pub step: Option<&'d StepFacts>,
    /// The figure, against the side with the best value.
    pub figure: FigureRatios<'d>,
    /// The sides that have a value, the best first.
    pub order: Vec<Placed>,
}

/// A side in a ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// The side.
    pub side: usize,
    /// Its place, from 1. Sides share a place if none of them is shown to be worse than the first of them.
    pub place: usize,
}

/// Ranks sides by the figure with this address; `None` if no side has it, or neither direction of it is better.
///
/// Each side is compared with the first side of the place above; if it is shown to be worse, a new place begins with
/// it. A side below the upper end of a ratio counts as worse, so a lower bound at the top places the others. A
/// disturbed or incomplete side has the place of its value and begins none.
#[must_use]
pub fn rank<'d>(aligned: &Aligned<'d>, sides: &[Vec<usize>], limits: Limits, address: &str) -> Option<Ranking<'d>> {
    let (_, any) = ratio_of(aligned, sides, 0, limits, address)?;
    let mut valued: Vec<(usize, f64)> =
        any.cells.iter().enumerate().filter_map(|(side, cell)| Some((side, cell.value?))).collect();
    match any.better {
        Better::Higher => valued.sort_by(|one, other| other.1.total_cmp(&one.1)),
        Better::Lower => valued.sort_by(|one, other| one.1.total_cmp(&other.1)),
        Better::Neutral => return None,
    }
    let best = valued.first()?.0;
    let (step, figure) = ratio_of(aligned, sides, best, limits, address)?;
    let (mut order, mut above, mut place) = (Vec::new(), figure.clone(), 1);
    let mut leader = best;
    let sound = |side: usize| figure.cells[side].is_whole() && !figure.cells[side].is_spoiled();
    for (at, (side, _)) in valued.iter().enumerate() {
        let behind = is_behind(&above, *side, limits);
        if behind || (!sound(leader) && sound(*side)) {
            place = if behind { at + 1 } else { place };
            leader = *side;
            above = ratio_of(aligned, sides, leader, limits, address)?.1;
        }
        order.push(Placed { side: *side, place });
    }
    Some(Ranking { step, figure, order })
}

/// Whether a side is shown to be worse than the base of a figure.
fn is_behind(figure: &FigureRatios<'_>, side: usize, limits: Limits) -> bool {
    figure.cells[side].against.is_some_and(|one| one.verdict.is_worse(one.ratio, figure.better, limits))
}

#[cfg(test)]
mod tests {
    use drivelab_core::metric::{Metric, Wrong};
    use drivelab_samples::slowed;

    use super::*;
    use crate::across::side_by_side::align;
    use crate::analyse;
    use crate::digest::Digest;

    fn digest(factor: f64) -> Digest {
        let records = slowed(factor);
        let mut digest = Digest::of(&records, &analyse(&records));
        let steps = digest.tests.iter_mut().flat_map(|test| &mut test.steps);
        steps.flat_map(|step| &mut step.metrics).for_each(|metric| metric.lower_bound = false);
        digest
    }

    #[test]
    fn sides_share_a_place_until_one_is_shown_to_be_worse() {
        // The fastest last; two are within 5 % of the second, which single runs cannot tell apart.
        let digests = [2.0, 2.03, 4.0, 2.06, 1.0].map(digest);
        let runs: Vec<&Digest> = digests.iter().collect();
        let sides: Vec<Vec<usize>> = (0..runs.len()).map(|run| vec![run]).collect();
        let aligned = align(&runs);
        let rate = aligned.steps().find_map(|step| step.facts.rate.as_ref().map(|rate| (step, rate.clone())));
        let (step, rate) = rate.expect("a rate");
        let address = format!("{}:{rate}", step.facts.id);
        let found = rank(&aligned, &sides, Limits::default(), &address).expect("a ranking");
        let places: Vec<(usize, usize)> = found.order.iter().map(|placed| (placed.side, placed.place)).collect();
        assert_eq!(places, [(4, 1), (0, 2), (1, 2), (3, 2), (2, 5)]);
        assert!(found.figure.cells[4].against.is_none(), "the best is the base");
        assert_eq!(found.step.expect("a step").id, step.facts.id);
    }

    #[test]
    fn a_lower_bound_at_the_top_places_the_others_and_a_disturbed_best_does_not_hide_them() {
        let places = |change: &dyn Fn(&mut Metric)| {
            let mut digests = [1.0, 2.0, 4.0].map(digest);
            let steps = digests[0].tests.iter_mut().flat_map(|test| &mut test.steps);
            steps.flat_map(|step| &mut step.metrics).for_each(change);
            let runs: Vec<&Digest> = digests.iter().collect();
            let aligned = align(&runs);
            let rated = aligned.steps().find(|step| step.facts.rate.is_some()).expect("a rate").facts;
            let address = format!("{}:{}", rated.id, rated.rate.as_deref().unwrap_or_default());
            let sides = [vec![0], vec![1], vec![2]];
            let found = rank(&aligned, &sides, Limits::default(), &address).expect("a ranking");
            found.order.iter().map(|placed| placed.place).collect::<Vec<_>>()
        };
        assert_eq!(places(&|metric| metric.lower_bound = true), [1, 2, 3]);
        assert_eq!(places(&|metric| metric.wrong = Some(Wrong::TooLow)), [1, 1, 3]);
    }

    #[test]
    fn what_has_no_better_direction_is_not_ranked() {
        let digests = [1.0, 1.0].map(digest);
        let runs: Vec<&Digest> = digests.iter().collect();
        let aligned = align(&runs);
        let step = &aligned.steps().next().expect("a step").facts.id;
        let ranked = |metric: &str| rank(&aligned, &[vec![0], vec![1]], Limits::default(), &format!("{step}:{metric}"));
        assert_eq!(ranked("duration").map(|found| found.order), None);
        assert_eq!(ranked("nothing"), None);
    }
}
