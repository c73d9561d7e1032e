//! Drives of one family that differ in their capacity, and what each doubling of it brings to their headline rates.

use drivelab_core::metric::Better;

use crate::across::ratios::{FigureRatios, SideFigure};
use crate::across::together::{Doubling, SizedRate, per_doubling};
use crate::stats;

/// Least ratio of the largest capacity of a family to the smallest: over less, errors of the rates look like scaling.
const LEAST_SPAN: f64 = 1.5;

/// A drive as its name and capacity show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizedDrive {
    /// Its name.
    pub name: String,
    /// What else distinguishes its side, such as an arm; such drives are a family of their own.
    pub apart: String,
    /// Its capacity, bytes.
    pub capacity: u64,
}

/// Drives that differ in their capacity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    /// What their names have in common.
    pub name: String,
    /// Their sides, each with the capacity of its drive in bytes; the smallest first.
    pub sides: Vec<(usize, u64)>,
}

/// The families of these sides; those whose capacities are within a factor of 1.5 are left out.
#[must_use]
pub fn families(drives: &[SizedDrive]) -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    for (side, SizedDrive { name, apart, capacity }) in drives.iter().enumerate() {
        let name = format!("{}{apart}", without_capacity(name));
        match families.iter_mut().find(|family| family.name == name) {
            Some(family) => family.sides.push((side, *capacity)),
            None => families.push(Family { name, sides: vec![(side, *capacity)] }),
        }
    }
    for family in &mut families {
        family.sides.sort_by_key(|(_, capacity)| *capacity);
    }
    families.retain(|family| {
        let [(_, least), .., (_, most)] = family.sides.as_slice() else { return false };
        *most as f64 >= LEAST_SPAN * *least as f64
    });
    families
}

/// A model without the capacity in it: `SSD 970 EVO 500GB` and `SSD 970 EVO 1 TB` are both `SSD 970 EVO`.
fn without_capacity(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_unit = |word: &str| ["GB", "TB", "GIB", "TIB"].contains(&word.to_uppercase().as_str());
    let is_number = |word: &str| !word.is_empty() && word.parse::<f64>().is_ok();
    let is_capacity = |at: usize| {
        let word = words[at];
        let number = word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let unit = &word[number.len()..];
        is_number(number) && (is_unit(unit) || ["G", "T"].contains(&unit))
            || is_number(word) && words.get(at + 1).is_some_and(|next| is_unit(next))
            || is_unit(word) && at > 0 && is_number(words[at - 1])
    };
    (0..words.len()).filter(|at| !is_capacity(*at)).map(|at| words[at]).collect::<Vec<_>>().join(" ")
}

/// Whether a figure is a headline rate: one in MB/s.
#[must_use]
pub fn is_rate(figure: &FigureRatios<'_>) -> bool {
    figure.judged && figure.better == Better::Higher && figure.metric.unit == "MB/s"
}

/// What a doubling brings to a figure of a family, under this label; `None` if fewer than two capacities have a rate,
/// or the figure is not of a step. There is no class if the sides differ in more than their drives (`alike` is false),
/// or if a run has no value.
#[must_use]
pub fn doubling(family: &Family, figure: &FigureRatios<'_>, label: String, alike: bool) -> Option<Doubling> {
    let step = figure.metric.step.clone()?;
    let rate = |(side, capacity): &(usize, u64)| {
        let cell = &figure.cells[*side];
        Some(SizedRate {
            capacity: *capacity as f64,
            mb_s: cell.value?,
            half_interval: half_interval(cell),
            at_least: cell.is_at_least(),
            spoiled: cell.is_spoiled(),
        })
    };
    let rates: Vec<SizedRate> = family.sides.iter().filter_map(rate).collect();
    per_doubling(&rates)?;
    let whole = family.sides.iter().all(|(side, _)| figure.cells[*side].is_whole());
    let found = Doubling::of(step, label, rates);
    Some(if alike && whole { found } else { Doubling { scaling: None, ..found } })
}

/// Half the 95 % interval of a rate: over the runs of a side with several, else over the rounds of its run.
fn half_interval(cell: &SideFigure<'_>) -> Option<f64> {
    let interval = match cell.metrics.as_slice() {
        [Some(only)] => only.spread.and_then(|spread| spread.confidence),
        several => stats::confidence_95(&several.iter().filter_map(|one| one.as_ref()?.value).collect::<Vec<f64>>()),
    };
    interval.map(|ends| (ends.high - ends.low) / 2.0)
}

#[cfg(test)]
mod tests {
    use drivelab_samples::slowed;

    use super::*;
    use crate::across::ratios::{Limits, ratios};
    use crate::across::side_by_side::align;
    use crate::across::together::Scaling;
    use crate::analyse;
    use crate::digest::Digest;

    /// Looks at the doubling of the first rate that has an interval, from the drive of the first side, which has twice the
    /// capacity, and that of the second, which is slower by these factors.
    fn with_doubling(sides: [&[f64]; 2], alike: bool, without_value: bool, look: impl FnOnce(Doubling)) {
        let mut digests: Vec<Digest> = sides
            .concat()
            .iter()
            .map(|factor| slowed(*factor))
            .map(|records| Digest::of(&records, &analyse(&records)))
            .collect();
        for digest in &mut digests {
            let steps = digest.tests.iter_mut().flat_map(|test| &mut test.steps);
            steps.flat_map(|step| &mut step.metrics).for_each(|metric| metric.lower_bound = false);
        }
        let runs: Vec<&Digest> = digests.iter().collect();
        let places = [(0..sides[0].len()).collect(), (sides[0].len()..runs.len()).collect()];
        let aligned = align(&runs);
        let found = ratios(&aligned, &places, 0, Limits::default());
        let has_interval = |figure: &&FigureRatios<'_>| is_rate(figure) && half_interval(&figure.cells[0]).is_some();
        let mut figure = found.of_steps().find(has_interval).expect("a rate of several rounds").clone();
        if without_value {
            figure.cells[1].metrics.push(None);
        }
        let family = Family { name: "X".to_owned(), sides: vec![(1, 500_000_000_000), (0, 1_000_000_000_000)] };
        look(doubling(&family, &figure, "label".to_owned(), alike).expect("two capacities"));
    }

    #[test]
    fn a_class_needs_all_runs_and_drives_that_differ_in_nothing_else() {
        let sides: [&[f64]; 2] = [&[1.0, 1.01, 1.02], &[2.0, 2.02, 2.04]];
        with_doubling(sides, true, false, |found| {
            let ratio = found.ratio.expect("a ratio");
            assert!((ratio.value - 2.0).abs() < 0.02 && ratio.low.is_some(), "{ratio:?}");
            assert_eq!(found.scaling, Some(Scaling::Linear));
        });
        with_doubling(sides, false, false, |found| assert_eq!(found.scaling, None));
        with_doubling(sides, true, true, |found| assert_eq!(found.scaling, None));
    }

    #[test]
    fn the_interval_of_several_runs_is_that_between_them() {
        let half = |of: &[f64]| {
            let mut half = 0.0;
            with_doubling([of, &[2.0, 2.02]], true, false, |found| {
                half = found.rates[1].half_interval.expect("an interval")
            });
            half
        };
        let (near, far) = (half(&[1.0, 1.01, 1.02]), half(&[1.0, 1.1, 1.2]));
        // Standard deviations of 1, 1/1.1, 1/1.2 and of 1, 1/1.01, 1/1.02.
        assert!((far / near / (0.0836 / 0.0098) - 1.0).abs() < 0.1, "{far} / {near}");
    }

    fn drive(name: &str, apart: &str, gigabytes: u64) -> SizedDrive {
        SizedDrive { name: name.to_owned(), apart: apart.to_owned(), capacity: gigabytes * 1_000_000_000 }
    }

    #[test]
    fn drives_of_a_family_have_one_name_without_their_capacity() {
        for name in ["SSD 970 EVO 500GB", "SSD 970 EVO 1TB", "SSD 970 EVO 1.92 TB", "SSD 970 EVO 512G"] {
            assert_eq!(without_capacity(name), "SSD 970 EVO");
        }
        for name in ["MZVKW512HMJP", "WD Ultrastar DC SN861", "Intel 760p", "TB 1"] {
            assert_eq!(without_capacity(name), name);
        }
    }

    #[test]
    fn a_family_spans_capacities_and_an_arm_is_a_family_of_its_own() {
        let drives = [
            drive("X 1TB", "", 1000),
            drive("X 500GB", "", 500),
            drive("X 500GB", ", luks2", 500),
            drive("X 1TB", ", luks2", 1000),
            drive("Y 480GB", "", 480),
            drive("Y 500GB", "", 500),
            drive("Z 1TB", "", 1000),
        ];
        let found: Vec<(String, Vec<usize>)> = families(&drives)
            .into_iter()
            .map(|family| (family.name, family.sides.iter().map(|(side, _)| *side).collect()))
            .collect();
        // 480 and 500 GB are too near to each other, and of Z there is only one.
        assert_eq!(found, [("X".to_owned(), vec![1, 0]), ("X, luks2".to_owned(), vec![2, 3])]);
    }
}
