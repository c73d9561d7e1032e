//! A bridge between testbeds: how one drive that was measured on both compares, for judging other drives.

use drivelab_core::metric::Better;
use schemars::JsonSchema;
use serde::Serialize;

use crate::across::ratios::{FigureRatios, Limits, ratios};
use crate::across::side_by_side::{Alike, Kind, side_by_side};
use crate::digest::{Digest, RunFacts};
use crate::stats;

/// A drive's headline rates on one testbed against those on another.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Bridge {
    /// Model of the drive.
    pub drive: String,
    /// Profile, arm and data state of the runs, as far as they are set: `full, luks2`. Empty if none is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// The testbed of the base.
    pub from: String,
    /// The other testbed.
    pub to: String,
    /// Number of runs on each of the two.
    pub runs: [usize; 2],
    /// Number of rates compared: the headline figures of which more is better.
    pub rates: usize,
    /// Geometric mean of their ratios, the other testbed to that of the base.
    pub ratio: f64,
    /// The smallest ratio.
    pub least: f64,
    /// The largest ratio.
    pub most: f64,
}

/// Name of a run's testbed: the user's, else its CPU and board.
fn testbed(run: &RunFacts) -> String {
    run.environment.testbed.tag.clone().unwrap_or_else(|| hardware(run))
}

/// How the testbeds of these runs are named: by the user's names if these differ, else by CPU and board, so that a
/// testbed stays the same when it gets a name.
pub fn naming<'r>(runs: impl Iterator<Item = &'r RunFacts>) -> fn(&RunFacts) -> String {
    let mut tags = runs.filter_map(|run| run.environment.testbed.tag.as_ref());
    let first = tags.next();
    if tags.any(|tag| Some(tag) != first) { testbed } else { hardware }
}

/// CPU and board of a run's testbed.
fn hardware(run: &RunFacts) -> String {
    let facts = &run.environment.testbed;
    let known = [&facts.cpu_model, &facts.board].into_iter().flatten();
    known.map(|name| name.trim()).collect::<Vec<_>>().join(", ")
}

/// The bridges from one testbed to the others: one for each drive with a serial number, in each of its states, that has
/// runs on both. Runs that differ in more than the testbed are no bridge. `name` names the testbed of a run.
#[must_use]
pub fn bridges(runs: &[&Digest], (from, to): (&str, &[String]), name: fn(&RunFacts) -> String) -> Vec<Bridge> {
    let mut drives: Vec<(Drive, Vec<&Digest>)> = Vec::new();
    for run in runs {
        let Some(drive) = Drive::of(run) else { continue };
        match drives.iter_mut().find(|(known, _)| *known == drive) {
            Some((_, runs)) => runs.push(run),
            None => drives.push((drive, vec![run])),
        }
    }
    let mut found: Vec<Bridge> = Vec::new();
    for to in to {
        for (drive, runs) in &drives {
            found.extend(bridge(drive, runs, [from, to], name));
        }
    }
    found
}

/// A drive in one of its states.
#[derive(PartialEq)]
struct Drive {
    model: String,
    serial: String,
    state: String,
}

impl Drive {
    /// `None` without a serial number: another drive may have the same model.
    fn of(run: &Digest) -> Option<Drive> {
        let (model, serial) = run.run.environment.model_and_serial()?;
        let (profile, behind) = (&run.run.profile, run.condition().behind());
        let state = format!("{profile}{behind}").trim_start_matches(", ").to_owned();
        Some(Drive { model, serial: serial?, state })
    }
}

fn bridge(drive: &Drive, runs: &[&Digest], [from, to]: [&str; 2], name: fn(&RunFacts) -> String) -> Option<Bridge> {
    let both: Vec<&Digest> = runs.iter().copied().filter(|run| [from, to].contains(&name(&run.run).as_str())).collect();
    let only_testbed =
        |alike: &Alike<'_>| alike.differences.iter().all(|one| matches!(one.what.kind(), None | Some(Kind::Testbed)));
    side_by_side(&both).groups.iter().filter(|alike| only_testbed(alike)).find_map(|alike| {
        let on = |wanted: &str| -> Vec<usize> {
            (0..alike.places.len()).filter(|at| name(&alike.aligned.runs[*at].run) == wanted).collect()
        };
        let sides = [on(from), on(to)];
        if sides.iter().any(Vec::is_empty) {
            return None;
        }
        let found = ratios(&alike.aligned, &sides, 0, Limits::default());
        let logarithms: Vec<f64> = found.of_steps().filter_map(ratio).map(f64::ln).collect();
        let ((least, most), mean) = (stats::range(&logarithms)?, stats::mean(&logarithms)?);
        let [own, others] = sides.map(|side| side.len());
        let (state, drive, from, to) = (drive.state.clone(), drive.model.clone(), from.to_owned(), to.to_owned());
        let (ratio, least, most) = (mean.exp(), least.exp(), most.exp());
        Some(Bridge { drive, state, from, to, runs: [own, others], rates: logarithms.len(), ratio, least, most })
    })
}

/// The ratio of a headline rate that nothing disturbed or bounded.
fn ratio(figure: &FigureRatios<'_>) -> Option<f64> {
    let is_rate = figure.judged && figure.better == Better::Higher;
    let sound = figure.cells.iter().all(|cell| !cell.is_spoiled() && !cell.is_at_least());
    figure.cells.get(1)?.against?.ratio.filter(|_| is_rate && sound)
}

#[cfg(test)]
mod tests {
    use drivelab_core::run::RunRecords;
    use drivelab_samples::slowed;

    use super::*;
    use crate::analyse;

    /// A run of a drive on a testbed, slower by this factor than the fastest.
    fn run(serial: Option<&str>, testbed: &str, factor: f64) -> RunRecords {
        let mut records = slowed(factor);
        records.environment.testbed.tag = Some(testbed.to_owned());
        let device = records.environment.target.devices.last_mut().expect("a device");
        (device.model, device.serial) = (Some("X 1TB".to_owned()), serial.map(str::to_owned));
        records
    }

    fn found(records: &[RunRecords]) -> Vec<Bridge> {
        let mut digests: Vec<Digest> = records.iter().map(|records| Digest::of(records, &analyse(records))).collect();
        for metric in digests.iter_mut().flat_map(|digest| &mut digest.tests).flat_map(|test| &mut test.steps) {
            metric.metrics.iter_mut().for_each(|metric| metric.lower_bound = false);
        }
        let to = ["v2".to_owned(), "v3".to_owned()];
        bridges(&digests.iter().collect::<Vec<_>>(), ("v1", &to), testbed)
    }

    #[test]
    fn a_drive_on_two_testbeds_is_a_bridge_with_the_ratio_of_its_rates() {
        let all = found(&[run(Some("1"), "v1", 1.0), run(Some("1"), "v2", 2.0), run(Some("2"), "v2", 4.0)]);
        let [one] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((one.drive.as_str(), one.from.as_str(), one.to.as_str(), one.runs), ("X 1TB", "v1", "v2", [1, 1]));
        assert!((one.ratio / 0.5 - 1.0).abs() < 0.02 && one.rates > 1, "{one:?}");
        assert!(one.least <= one.ratio && one.ratio <= one.most);
    }

    #[test]
    fn runs_of_another_profile_do_not_spoil_the_bridge() {
        let mut full = run(Some("1"), "v1", 4.0);
        full.plan.profile = "full".to_owned();
        let mut full_too = full.clone();
        full_too.environment.testbed.tag = Some("v3".to_owned());
        let all = found(&[run(Some("1"), "v1", 1.0), full, run(Some("1"), "v3", 2.0), full_too]);
        let [empty, full] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((empty.to.as_str(), empty.state.as_str(), full.state.as_str()), ("v3", "", "full"));
        assert!((empty.ratio / 0.5 - 1.0).abs() < 0.02 && (full.ratio - 1.0).abs() < 0.02, "{all:?}");
    }

    #[test]
    fn drives_without_a_serial_number_and_runs_that_differ_in_more_are_no_bridge() {
        assert_eq!(found(&[run(None, "v1", 1.0), run(None, "v2", 2.0)]), []);
        assert_eq!(found(&[run(Some("1"), "v1", 1.0), run(Some("2"), "v2", 2.0)]), [], "two drives of one model");
        let mut other = run(Some("1"), "v2", 2.0);
        other.environment.target.devices.last_mut().expect("a device").firmware = Some("NEW".to_owned());
        assert_eq!(found(&[run(Some("1"), "v1", 1.0), other]), []);
    }

    #[test]
    fn a_testbed_is_called_as_the_user_calls_it_or_by_its_hardware() {
        let records = run(Some("1"), "Bench 2", 1.0);
        let mut digest = Digest::of(&records, &analyse(&records));
        assert_eq!(testbed(&digest.run), "Bench 2");
        let facts = &mut digest.run.environment.testbed;
        (facts.tag, facts.cpu_model, facts.board) = (None, Some("EPYC ".to_owned()), Some("X570".to_owned()));
        assert_eq!(testbed(&digest.run), "EPYC, X570");
    }
}
