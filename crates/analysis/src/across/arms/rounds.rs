//! Several rounds of all arms: what each arm costs in the mean of the rounds, and how sure that is.
//!
//! In each round an arm is compared with the runs of `none` of the same round, so what drifts from round to round falls
//! out. Ratios have their mean and their interval on a logarithmic scale (research notes, methods section 11). The runs
//! of an arm within a round are averaged first. docs/guide/conditions.md defines the figures.

use drivelab_core::condition::Series;
use drivelab_core::ids::RunId;
use drivelab_core::metric::Wrong;

use super::table::{ArmOverRounds, Arms, PairedCost, StepOverRounds};
use crate::stats;

/// 100 · (1 − ratio) of pairs of an arm's rate and the rate without, with the 95 % interval of the geometric mean by
/// Student's t. `None` without a pair of rates above zero.
#[must_use]
pub fn paired_cost(pairs: &[(f64, f64)]) -> Option<PairedCost> {
    let sound = pairs.iter().filter(|(rate, base)| *rate > 0.0 && *base > 0.0);
    let logs: Vec<f64> = sound.map(|(rate, base)| (rate / base).ln()).collect();
    let mean = stats::mean(&logs)?;
    let cost = |log: f64| 100.0 * (1.0 - log.exp());
    let reach = stats::student_t_95(logs.len()).and_then(|t| {
        let n = logs.len() as f64;
        Some(t * stats::standard_deviation(&logs)? / n.sqrt())
    });
    Some(PairedCost {
        rounds_percent: logs.iter().copied().map(cost).collect(),
        percent: cost(mean),
        low_percent: reach.map(|reach| cost(mean + reach)),
        high_percent: reach.map(|reach| cost(mean - reach)),
        detectable_percent: reach.map(|reach| cost(-reach)),
        uncertain: false,
    })
}

/// A round of a series: the how-many-th series among the runs, from 0, and its round, from 1.
pub(super) type Round = (usize, u32);

/// The round of each run, from what orders the runs in time and the place of each in its series; `None` for a run
/// outside any series. The next series begins where the place does not rise, or the plan is another. Parts of two
/// series of one plan, the first ending before the second begins, look like one.
pub(super) fn rounds_of(runs: &[(RunId, Option<&Series>)]) -> Vec<Option<Round>> {
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by(|one, other| runs[*one].0.cmp(&runs[*other].0));
    let mut rounds = vec![None; runs.len()];
    let (mut series, mut last): (usize, Option<&Series>) = (0, None);
    let is_next = |last: &Series, place: &Series| {
        last.at < place.at && (last.of, last.rounds, last.order) == (place.of, place.rounds, place.order)
    };
    for run in order {
        let Some(place) = runs[run].1 else { continue };
        series += usize::from(last.is_some_and(|last| !is_next(last, place)));
        last = Some(place);
        rounds[run] = Some((series, place.round));
    }
    rounds
}

/// Every step over all rounds; empty where there is one round at most.
pub(super) fn over_rounds(arms: &Arms, rounds: &[Option<Round>], is_base: &[bool]) -> Vec<StepOverRounds> {
    let round = |run: usize| rounds.get(run).copied().flatten();
    let mut names: Vec<(&str, bool)> = Vec::new();
    for (column, base) in arms.arms.iter().zip(is_base) {
        if !names.iter().any(|(name, _)| *name == column.arm) {
            names.push((&column.arm, *base));
        }
    }
    let mut known: Vec<Round> = rounds.iter().copied().flatten().collect();
    known.sort_unstable();
    known.dedup();
    if known.len() <= 1 {
        return Vec::new();
    }
    let step = |row: &crate::across::arms::ArmRow| {
        let of = |wanted: &dyn Fn(usize) -> bool| -> Vec<(Option<Round>, f64)> {
            let runs = (0..row.cells.len()).filter(|run| wanted(*run));
            runs.filter_map(|run| Some((round(run), row.cells[run].throughput?))).collect()
        };
        let base = of(&|run| is_base[run]);
        let one = |(name, own_base): &(&str, bool)| {
            let own = of(&|run| arms.arms[run].arm == *name);
            let rates: Vec<f64> = own.iter().map(|(_, rate)| *rate).collect();
            let cpu = (0..row.cells.len()).filter(|run| arms.arms[*run].arm == *name);
            let cpu: Vec<f64> = cpu.filter_map(|run| row.cells[run].cpu_s_per_gb).collect();
            let cells = || (0..row.cells.len()).filter(|run| arms.arms[*run].arm == *name).map(|run| &row.cells[run]);
            let of_base = (0..row.cells.len()).filter(|run| is_base[*run]).map(|run| &row.cells[run]);
            let uncertain = cells().chain(of_base).any(|cell| cell.at_least || cell.wrong.is_some());
            let cost = if *own_base { None } else { paired_cost(&pairs(&own, &base)) };
            let mut spoiled_by: Vec<String> = cells().flat_map(|cell| cell.spoiled_by.clone()).collect();
            spoiled_by.sort();
            spoiled_by.dedup();
            ArmOverRounds {
                arm: (*name).to_owned(),
                runs: rates.len(),
                throughput: stats::mean(&rates),
                range: stats::range(&rates).filter(|_| rates.len() > 1),
                at_least: cells().any(|cell| cell.at_least),
                wrong: Wrong::together(cells().filter_map(|cell| cell.wrong)),
                spoiled_by,
                cost: cost.map(|cost| PairedCost { uncertain, ..cost }),
                cpu_s_per_gb: stats::mean(&cpu),
            }
        };
        StepOverRounds { label: row.label.clone(), arms: names.iter().map(one).collect() }
    };
    arms.rows.iter().map(step).collect()
}

/// The means of both in each round in which both were measured.
fn pairs(own: &[(Option<Round>, f64)], base: &[(Option<Round>, f64)]) -> Vec<(f64, f64)> {
    let mut rounds: Vec<Round> = own.iter().filter_map(|(round, _)| *round).collect();
    rounds.sort_unstable();
    rounds.dedup();
    let mean = |of: &[(Option<Round>, f64)], wanted: Round| {
        let rates: Vec<f64> = of.iter().filter(|(round, _)| *round == Some(wanted)).map(|(_, rate)| *rate).collect();
        stats::mean(&rates)
    };
    rounds.into_iter().filter_map(|round| Some((mean(own, round)?, mean(base, round)?))).collect()
}

#[cfg(test)]
mod tests {
    use drivelab_core::ids::{RunId, StepId};

    use super::*;
    use crate::across::arms::{ArmCell, ArmColumn, ArmRow};

    fn near(value: f64, wanted: f64) -> bool {
        (value - wanted).abs() < 1e-6
    }

    #[test]
    fn the_cost_is_of_the_geometric_mean_and_its_interval_is_student_s() {
        // Ratios 0.5, 0.5, 0.5: 50 % in every round, and nothing to doubt.
        let same = paired_cost(&[(50.0, 100.0), (100.0, 200.0), (1.0, 2.0)]).expect("a cost");
        assert!(near(same.percent, 50.0) && near(same.low_percent.expect("three"), 50.0), "{same:?}");
        assert_eq!(same.no_difference_shown(), Some(false));
        // Ratios 1, 1/2, 1/4: the logarithms are 0, -ln 2, -2 ln 2, so the mean is ln (1/2) and the deviation ln 2.
        // Half the interval is 4.303 ln 2 / sqrt 3 = 1.72200, and e^1.722 = 5.59569: ratios 0.5 / 5.59569 = 0.0893545
        // to 0.5 · 5.59569 = 2.79785.
        let apart = paired_cost(&[(8.0, 8.0), (4.0, 8.0), (2.0, 8.0)]).expect("a cost");
        assert!(near(apart.percent, 50.0), "{apart:?}");
        let (low, high) = (apart.low_percent.expect("an end"), apart.high_percent.expect("an end"));
        assert!((low + 179.785).abs() < 0.01 && (high - 91.0645).abs() < 0.01, "{apart:?}");
        assert_eq!(apart.no_difference_shown(), Some(true));
        assert!((apart.detectable_percent.expect("an end") - 82.129).abs() < 0.01, "{apart:?}");
        let rounds: Vec<f64> = apart.rounds_percent.iter().map(|cost| cost.round()).collect();
        assert_eq!(rounds, [0.0, 50.0, 75.0]);
        // Two rounds have a mean and no interval; no pair, no cost.
        let two = paired_cost(&[(9.0, 10.0), (9.0, 10.0)]).expect("a cost");
        assert!(near(two.percent, 10.0) && two.low_percent.is_none() && two.no_difference_shown().is_none());
        assert_eq!(paired_cost(&[]), None);
        assert_eq!(paired_cost(&[(0.0, 5.0), (5.0, 0.0)]), None);
    }

    /// A run of `arm` in `round` with this rate.
    fn run((arm, round, rate): (&str, u32, f64)) -> (ArmColumn, Option<Round>, ArmCell) {
        let column = ArmColumn { run: RunId::now(), arm: arm.to_owned(), idle_watts: None, cpu_s_per_gb: None };
        let cell = ArmCell { throughput: Some(rate), cpu_s_per_gb: Some(rate / 100.0), ..ArmCell::default() };
        (column, Some((0, round)), cell)
    }

    fn of(runs: &[(&str, u32, f64)]) -> Vec<StepOverRounds> {
        let (mut columns, mut places, mut cells) = (Vec::new(), Vec::new(), Vec::new());
        for (column, place, cell) in runs.iter().map(|one| run(*one)) {
            columns.push(column);
            places.push(place);
            cells.push(cell);
        }
        let base: Vec<bool> = columns.iter().map(|column| column.arm == "none").collect();
        let row = ArmRow { step: StepId::new("t", "s"), label: "S".to_owned(), cells };
        over_rounds(&Arms { arms: columns, rows: vec![row], over_rounds: Vec::new() }, &places, &base)
    }

    #[test]
    fn a_drift_between_rounds_costs_nothing_since_pairs_are_of_one_round() {
        // Each round is twice as fast as the one before; luks2 always has three quarters of the mean of both none.
        let runs = [
            ("none", 1, 90.0),
            ("luks2", 1, 75.0),
            ("none", 1, 110.0),
            ("none", 2, 180.0),
            ("luks2", 2, 150.0),
            ("none", 2, 220.0),
        ];
        let found = of(&runs);
        let [none, luks] = found[0].arms.as_slice() else { panic!("two arms: {found:?}") };
        assert_eq!((none.arm.as_str(), none.runs, &none.cost), ("none", 4, &None));
        assert_eq!((none.throughput, none.range), (Some(150.0), Some((90.0, 220.0))));
        assert_eq!((luks.runs, luks.throughput), (2, Some(112.5)));
        let cost = luks.cost.as_ref().expect("a cost");
        assert!(near(cost.percent, 25.0) && cost.rounds_percent.iter().all(|cost| near(*cost, 25.0)), "{cost:?}");
        assert_eq!(luks.cpu_s_per_gb, Some(1.125));
        assert!(of(&runs[..3]).is_empty(), "one round is shown run by run already");
        let alone = of(&[("none", 1, 90.0), ("luks2", 2, 75.0)]);
        assert_eq!(alone[0].arms[1].cost, None, "no run without in its round");
    }

    #[test]
    fn runs_of_two_series_are_never_of_one_round() {
        let place = |at, round| Series { at, of: 3, round, ..Series::default() };
        let other = |at, round| Series { at, of: 4, round, ..Series::default() };
        let places = [place(1, 1), place(2, 1), place(3, 2), place(1, 1), other(2, 1)];
        // Ids of runs sort by the time at which the runs began.
        let id = |minute: u32| -> RunId {
            format!("019800{minute:02}-0000-7000-8000-000000000000").parse().expect("an id of a run")
        };
        let runs = [
            (id(30), Some(&places[3])),
            (id(10), Some(&places[0])),
            (id(12), Some(&places[2])),
            (id(11), Some(&places[1])),
            (id(20), None),
            (id(40), Some(&places[4])),
        ];
        let found = rounds_of(&runs);
        // The last run is of another plan, so it does not go on with the series before it.
        assert_eq!(found, [Some((1, 1)), Some((0, 1)), Some((0, 2)), Some((0, 1)), None, Some((2, 1))]);
        assert_eq!(pairs(&[(Some((0, 1)), 75.0), (None, 1.0)], &[(Some((1, 1)), 100.0), (None, 2.0)]), Vec::new());
    }

    #[test]
    fn what_is_wrong_with_a_rate_is_said_over_all_rounds_and_nothing_is_shown_then() {
        let column =
            |arm: &str| ArmColumn { run: RunId::now(), arm: arm.to_owned(), idle_watts: None, cpu_s_per_gb: None };
        let cell = |rate: f64| ArmCell { throughput: Some(rate), ..ArmCell::default() };
        let names = ["none", "luks2"].repeat(3);
        let made = |change: &dyn Fn(&mut ArmCell)| {
            let mut cells: Vec<ArmCell> =
                (0..6).map(|run| cell(if run % 2 == 0 { 100.0 } else { 50.0 + f64::from(run) })).collect();
            change(&mut cells[1]);
            let row = ArmRow { step: StepId::new("a", "b"), label: String::new(), cells };
            let arms = Arms {
                arms: names.iter().map(|name| column(name)).collect(),
                rows: vec![row],
                over_rounds: Vec::new(),
            };
            let rounds: Vec<Option<Round>> = (0..6).map(|run| Some((0, run / 2 + 1))).collect();
            let bases: Vec<bool> = names.iter().map(|name| *name == "none").collect();
            over_rounds(&arms, &rounds, &bases).remove(0).arms.remove(1)
        };
        let plain = made(&|_| {});
        assert_eq!((plain.at_least, plain.wrong), (false, None));
        assert_eq!(plain.cost.expect("pairs").no_difference_shown(), Some(false));
        let bound = made(&|cell| cell.at_least = true);
        assert!(bound.at_least && bound.cost.expect("pairs").no_difference_shown().is_none());
        let disturbed = made(&|cell| {
            cell.wrong = Some(Wrong::TooLow);
            cell.spoiled_by = vec!["others_used_disk".to_owned()];
        });
        assert_eq!((disturbed.wrong, disturbed.spoiled_by.len()), (Some(Wrong::TooLow), 1));
        assert!(disturbed.cost.expect("pairs").uncertain);
    }
}
