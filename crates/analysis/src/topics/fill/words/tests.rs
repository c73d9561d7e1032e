//! The words of each finding.

use drivelab_core::finding::{Evidence, Finding};

use super::*;
use crate::check::testing::{assert_all_covered, in_words, rounds, seen};
use crate::evidence::evidence;
use crate::topics::fill::FILLED;

fn rates(value: f64, limit: f64) -> Evidence {
    evidence("rate (limit: another)", value, Some(limit), "MB/s")
}

fn piece(value: f64, unit: &str) -> Evidence {
    evidence("made up", value, None, unit)
}

/// One fill, the same in three rounds, and one beside other programs.
fn in_each_way(def: &FindingDef, pieces: Vec<Evidence>) -> Vec<Finding> {
    let one = seen(pieces);
    vec![def.about(&rounds(&one, 1)), def.about(&rounds(&one, 3)), def.about(&[one.noting("others")])]
}

/// The end of a write cache: GB written until then, their share of the span, and what was added.
fn ended(gb: f64, percent: f64, added: &[Evidence]) -> Vec<Evidence> {
    [&[rates(86.0, 344.0), piece(gb, "GB"), piece(percent, "%")], added].concat()
}

fn of_caches() -> Vec<Finding> {
    let mut all = in_each_way(&CACHE_ENDED, ended(6.87, 20.0, &[]));
    let recovered = |count: f64| ended(6.87, 20.0, &[piece(count, ""), piece(4.2, "%")]);
    let others = [ended(0.0419, 10.0, &[]), recovered(1.0), recovered(3.0)];
    all.extend(others.map(|pieces| CACHE_ENDED.about(&[seen(pieces)])));
    all.extend(in_each_way(&RAMP, vec![rates(175.0, 326.0)]));
    all
}

fn of_no_end() -> Vec<Finding> {
    let mut all = in_each_way(&NOT_SEEN, vec![piece(34.36, "GB"), piece(344.0, "MB/s")]);
    let dipped = |written: f64, from: f64, to: f64| {
        let pieces =
            vec![piece(written, "GB"), piece(344.0, "MB/s"), piece(from, "GB"), piece(to, "GB"), rates(86.0, 344.0)];
        NOT_SEEN.about(&[seen(pieces)])
    };
    all.extend([dipped(34.36, 10.3, 17.2), dipped(0.419, 0.126, 0.21), dipped(4.29, 0.429, 1.72)]);
    let little = |gb: f64, percent: f64, intervals: f64| {
        vec![piece(gb, "GB"), piece(percent, "%"), evidence("recorded intervals", intervals, Some(20.0), "intervals")]
    };
    let short = little(17.18, 50.0, 15.0);
    all.extend([1, 3].map(|count| TOO_LITTLE.about(&rounds(&seen(short.clone()), count))));
    all.push(TOO_LITTLE.about(&[seen(little(0.00419, 0.01, 1.0))]));
    let uneven = [little(34.36, 100.0, 100.0), vec![rates(243.0, 331.0), piece(20.96, "GB")]].concat();
    all.push(TOO_LITTLE.about(&[seen(uneven)]));
    all
}

fn of_bursts_and_gaps() -> Vec<Finding> {
    let burst = |gb: f64, percent: f64| vec![rates(344.0, 86.0), piece(gb, "GB"), piece(percent, "%")];
    let mut all = in_each_way(&BURST, burst(0.687, 2.0));
    all.extend([BURST.about(&[seen(burst(0.00839, 2.0))]), BURST.about(&[seen(burst(1.718, 0.5))])]);
    let gaps = |count: f64, gb: f64, behind: f64, before: f64| {
        seen(vec![piece(8.0, "s"), piece(count, "gaps"), piece(gb, "GB"), rates(behind, before)])
    };
    all.extend([1, 3].map(|count| STALLED.about(&rounds(&gaps(1.0, 13.74, 344.0, 344.0), count))));
    let others = [gaps(4.0, 0.168, 340.0, 344.0), gaps(1.0, 20.62, 86.0, 344.0), gaps(1.0, 20.62, 344.0, 86.0)];
    all.extend(others.map(|gap| STALLED.about(&[gap])));
    all
}

#[test]
fn each_finding_in_its_words() {
    let all = [of_caches(), of_no_end(), of_bursts_and_gaps()].concat();
    assert_all_covered(FILLED, &all);
    insta::assert_snapshot!(in_words(&all));
}
