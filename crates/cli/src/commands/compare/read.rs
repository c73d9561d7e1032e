//! The sides of a comparison with the digests of their runs.

use std::collections::BTreeMap;

use drivelab_analysis::bridge::naming;
use drivelab_analysis::digest::{Digest, RunFacts};
use drivelab_analysis::side_by_side::are_one_method;
use drivelab_core::group::letter;
use drivelab_core::ids::RunId;
use drivelab_lab::{Failure, Result, digests};
use drivelab_report::ComparedRun;
use drivelab_store::{Catalog, DataDir, RunRow};

use super::sides::{Axis, Chosen, Side};
use crate::args::By;
use crate::context::Context;

/// Why runs are left out of a comparison of drives.
pub(super) const TOGETHER: &str = "other drives were measured at the same time (--allow company includes such runs)";

/// A run of a side.
pub(super) struct Run {
    pub(super) row: RunRow,
    pub(super) digest: Digest,
}

impl Run {
    /// As the report takes it.
    pub(super) fn compared(&self) -> ComparedRun<'_> {
        ComparedRun { digest: &self.digest, live: self.row.live, title: &self.row.label.title }
    }
}

/// The sides, each with at least one run.
pub(super) struct Read {
    pub(super) sides: Vec<Vec<Run>>,
    /// The words, with a run of each.
    pub(super) words: Vec<(String, RunId)>,
}

impl Read {
    /// Reads the digests of all runs. Of runs that a selection or a filter chose, those that cannot be read are left
    /// out, with a warning.
    ///
    /// # Errors
    /// A run that was named cannot be read; none of a side can; a side holds runs of different things; there are fewer
    /// than `least` sides.
    pub(super) fn new(
        context: &Context,
        data: &DataDir,
        catalog: &Catalog,
        chosen: Chosen,
        least: usize,
    ) -> Result<Read> {
        let (by, mut sides, mut words) = (chosen.by, Vec::new(), Vec::new());
        let mut together = 0;
        for Side { word, selection, rows } in chosen.sides {
            let mut runs = Vec::new();
            for row in rows {
                match digests::digest(data, catalog, &context.tool, row.id) {
                    Ok(digest) if chosen.alone_only && digest.run.drives_at_once() > 1 => together += 1,
                    Ok(digest) => runs.push(Run { row, digest }),
                    Err(why) if !selection => return Err(why),
                    Err(why) => context.settings.voice.warn(format!("run {} is left out: {}", row.id, why.message)),
                }
            }
            match runs.first() {
                Some(first) => words.push((word, first.row.id)),
                None if together > 0 => {
                    return Err(Failure::nothing(format!("none of these runs can be compared: {TOGETHER}")));
                }
                None if word.is_empty() => return Err(Failure::nothing("none of these runs can be read")),
                // Without the side, the letters of the others would mean other words.
                None => return Err(Failure::nothing(format!("no run of '{word}' can be read"))),
            }
            sides.push(runs);
        }
        if together > 0 {
            let runs = if together == 1 { "1 run is".to_owned() } else { format!("{together} runs are") };
            context.settings.voice.warn(format!("{runs} left out: {TOGETHER}"));
        }
        let alike = by == Axis::Alike;
        let by = match by {
            Axis::Words | Axis::Alike => None,
            Axis::By(by) => Some(by),
            Axis::DriveOrRun => Some(drive_or_run(sides.iter().flatten())),
        };
        if by == Some(By::Time) {
            let mut runs: Vec<Run> = sides.into_iter().flatten().collect();
            runs.sort_by_key(|run| run.row.id);
            sides = vec![runs];
        }
        if let Some(by) = by {
            let testbed = naming(sides.iter().flatten().map(|run| &run.digest.run));
            sides = grouped(|run| key(by, run, testbed), sides.into_iter().flatten());
        }
        if alike {
            let facts = |run: &Run| facts(run).map(|(_, value)| value).join(", ");
            sides = grouped(facts, sides.into_iter().flatten());
        }
        sides.iter().enumerate().try_for_each(|(at, runs)| of_one_thing(at, runs))?;
        match sides.as_slice() {
            few if few.len() < least => {
                let runs: Vec<String> = few.iter().flatten().map(|run| run.row.id.to_string()).collect();
                let what = format!("a comparison needs two sides; there is only one: {}", runs.join(", "));
                // Too few words are a mistake; a filter may happen to match too little.
                let named = words.iter().any(|(word, _)| !word.is_empty());
                Err(if named { Failure::usage(what) } else { Failure::nothing(what) })
            }
            _ => Ok(Read { sides, words }),
        }
    }

    /// All runs as the report takes them.
    pub(super) fn compared(&self) -> Vec<ComparedRun<'_>> {
        self.runs().map(Run::compared).collect()
    }

    /// The conditions that the user states of each run.
    pub(super) fn stated(&self) -> Vec<BTreeMap<String, String>> {
        self.runs().map(|run| run.row.label.conditions.clone()).collect()
    }

    /// Whether all runs are of one drive.
    pub(super) fn is_of_one_drive(&self) -> bool {
        are_of_one_drive(self.runs())
    }

    /// All runs, side by side.
    pub(super) fn runs(&self) -> impl Iterator<Item = &Run> {
        self.sides.iter().flatten()
    }

    /// The places of the runs of each side, counted over all sides.
    pub(super) fn places(&self) -> Vec<Vec<usize>> {
        let mut next = 0..;
        self.sides.iter().map(|runs| next.by_ref().take(runs.len()).collect()).collect()
    }

    /// The place of the side that the user calls the base; the first without a word.
    ///
    /// # Errors
    /// There is no such side.
    pub(super) fn base(&self, word: Option<&str>) -> Result<usize> {
        let Some(word) = word else { return Ok(0) };
        let holds = |wanted: &dyn Fn(&RunId) -> bool| {
            self.sides.iter().position(|runs| runs.iter().any(|run| wanted(&run.row.id)))
        };
        let named = self.words.iter().find(|(known, _)| known == word && !known.is_empty());
        let place = named.and_then(|(_, run)| holds(&|id| id == run));
        let place = place.or_else(|| (0..self.sides.len()).find(|at| letter(*at).eq_ignore_ascii_case(word)));
        // A single letter is a side, and not the last digit of an id.
        let by_id = || if word.len() < 4 { None } else { holds(&|id| id.is_called(word)) };
        place.or_else(by_id).ok_or_else(|| {
            let letters: Vec<String> = (0..self.sides.len()).map(letter).collect();
            let words = self.words.iter().map(|(word, _)| word.clone()).filter(|word| !word.is_empty());
            let all: Vec<String> = letters.into_iter().chain(words).collect();
            Failure::usage(format!("--base {word} matches no side; the sides are {}", all.join(", "))).about(word)
        })
    }
}

/// The drive where drives differ, else the run.
fn drive_or_run<'r>(runs: impl Iterator<Item = &'r Run>) -> By {
    if are_of_one_drive(runs) { By::Run } else { By::Drive }
}

fn are_of_one_drive<'r>(runs: impl Iterator<Item = &'r Run>) -> bool {
    let mut drives = runs.map(drive);
    let first = drives.next();
    drives.all(|drive| Some(&drive) == first.as_ref())
}

/// By what a run belongs to a side. A drive alone and with others is two sides.
fn key(by: By, run: &Run, testbed: fn(&RunFacts) -> String) -> String {
    let own = own_key(by, run, testbed);
    match run.digest.run.drives_at_once() {
        1 => own,
        drives => format!("{own}, {drives} drives at once"),
    }
}

fn own_key(by: By, run: &Run, testbed: fn(&RunFacts) -> String) -> String {
    match by {
        By::Run | By::Time => run.row.id.to_string(),
        By::Drive => drive(run),
        By::Capacity => format!("{} {}", drive(run), run.digest.run.tested),
        By::Profile => format!("{} {}", drive(run), run.digest.run.profile),
        By::State => format!("{} {}", drive(run), run.digest.condition().data_state),
        By::Firmware => format!("{} {}", drive(run), firmware(run)),
        By::Testbed => format!("{} {}", drive(run), testbed(&run.digest.run)),
        By::Arm => format!("{} {}", drive(run), run.digest.condition().arm()),
    }
}

fn drive(run: &Run) -> String {
    run.digest.run.environment.drives()
}

fn firmware(run: &Run) -> String {
    let devices = &run.digest.run.environment.target.devices;
    devices.iter().filter_map(|device| device.firmware.as_deref()).collect::<Vec<_>>().join(" and ")
}

/// Runs with the same key are one side.
fn grouped(key: impl Fn(&Run) -> String, runs: impl Iterator<Item = Run>) -> Vec<Vec<Run>> {
    let mut sides: Vec<(String, Vec<Run>)> = Vec::new();
    for run in runs {
        let key = key(&run);
        match sides.iter_mut().find(|(known, _)| *known == key) {
            Some((_, side)) => side.push(run),
            None => sides.push((key, vec![run])),
        }
    }
    sides.into_iter().map(|(_, side)| side).collect()
}

/// Checks that the runs of a side that measured the same are of one drive in one state: their mean would be of nothing.
fn of_one_thing(at: usize, runs: &[Run]) -> Result<()> {
    for run in runs {
        let alike = |one: &&Run| {
            one.digest.run.form == run.digest.run.form
                && (one.row.id == run.row.id || are_one_method(&one.digest, &run.digest))
        };
        let Some(first) = runs.iter().find(alike) else { continue };
        let unlike = facts(first).into_iter().zip(facts(run)).find(|(one, other)| one.1 != other.1);
        if let Some(((what, one), (_, other))) = unlike {
            return Err(Failure::usage(format!(
                "side {} holds runs that differ in their {what}: {one} (run {}) and {other} (run {}); a side is one drive \
                 in one state, so {}",
                letter(at),
                first.row.id,
                run.row.id,
                remedy(what)
            )));
        }
    }
    Ok(())
}

/// What to do about a side of unlike runs.
fn remedy(what: &str) -> &'static str {
    match what {
        "drive" => "use --by drive, or narrow it (model=, serial=)",
        "firmware" => "use --by firmware, or narrow it (firmware=)",
        "arm" => "use --by arm",
        "profile" => "use --by profile, or narrow it (profile=)",
        "data state" => "use --by state",
        "tested size" => "use --by capacity",
        _ => "name the runs one by one",
    }
}

/// What must be the same in all runs of a side.
fn facts(run: &Run) -> [(&'static str, String); 7] {
    let digest = &run.digest;
    let together = match digest.run.drives_at_once() {
        1 => "alone".to_owned(),
        drives => format!("{drives} drives at once"),
    };
    [
        ("drive", drive(run)),
        ("firmware", firmware(run)),
        ("arm", digest.condition().arm()),
        ("profile", digest.run.profile.clone()),
        ("data state", digest.condition().data_state.to_string()),
        ("drives at once", together),
        ("tested size", digest.run.tested.to_string()),
    ]
}

#[cfg(test)]
pub(super) mod tests {
    use drivelab_analysis::analyse;
    use drivelab_core::condition::{Arm, Luks2};
    use drivelab_core::plan::Form;
    use drivelab_core::wall::{HostTime, WallClock};
    use drivelab_samples::{sample_run, under_arm};

    use super::*;

    /// A run of the sample under an arm.
    pub(in super::super) fn run(arm: Arm) -> Run {
        let records = under_arm(sample_run(), arm);
        let mut digest = Digest::of(&records, &analyse(&records));
        digest.run.id = HostTime.run_id();
        let row = RunRow {
            id: digest.run.id,
            state: records.state,
            live: false,
            started: records.started.clone(),
            method: "sample".to_owned(),
            method_version: "1.0.0".to_owned(),
            method_hash: String::new(),
            form: Form::Quick,
            title: String::new(),
            target: "/dev/x".to_owned(),
            drive: Some("Example".to_owned()),
            serial: None,
            firmware: None,
            capacity: None,
            testbed: String::new(),
            profile: String::new(),
            length_ms: 0,
            label: drivelab_core::label::Label::default(),
            steps_done: 0,
            steps_total: 0,
            damaged: None,
        };
        Run { row, digest }
    }

    /// No, encrypted, no, no, encrypted.
    fn mixed() -> Vec<Run> {
        let luks = || Arm::Luks2(Luks2::default());
        [Arm::None, luks(), Arm::None, Arm::None, luks()].map(run).into()
    }

    #[test]
    fn runs_of_mixed_arms_come_to_the_side_of_their_arm_with_their_digests() {
        let runs = mixed();
        let words = vec![("all".to_owned(), runs[0].row.id), ("other".to_owned(), runs[4].row.id)];
        let read = Read { sides: grouped(|run| key(By::Arm, run, |_| String::new()), runs.into_iter()), words };
        let arms: Vec<String> = read.runs().map(|run| run.digest.condition().arm()).collect();
        assert_eq!(arms, ["none", "none", "none", "luks2", "luks2"]);
        assert_eq!(read.places(), [vec![0, 1, 2], vec![3, 4]]);
        assert!(read.runs().all(|run| run.row.id == run.digest.run.id));
        assert!(read.sides.iter().enumerate().all(|(at, runs)| of_one_thing(at, runs).is_ok()));
        let base = |word: Option<&str>| read.base(word).ok();
        assert_eq!(
            (base(None), base(Some("other")), base(Some("a")), base(Some("C"))),
            (Some(0), Some(1), Some(0), None)
        );
    }

    #[test]
    fn a_side_of_several_arms_is_refused() {
        let error = of_one_thing(1, &mixed()).expect_err("two arms").message;
        assert!(error.starts_with("side B holds runs that differ in their arm: none (run "), "{error}");
    }
}
