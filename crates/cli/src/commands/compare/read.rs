//! The sides of a comparison with the digests of their runs.

use drivelab_analysis::digest::Digest;
use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::group::{GroupRole, letter};
use drivelab_core::ids::RunId;
use drivelab_lab::{Failure, Result, digests};
use drivelab_store::{Catalog, DataDir, RunRow};

use super::sides::{Chosen, Side, key};
use crate::args::By;
use crate::context::Context;

/// A run of a side.
pub(super) struct Run {
    pub(super) row: RunRow,
    pub(super) digest: Digest,
}

/// The sides, each with at least one run.
pub(super) struct Read {
    pub(super) sides: Vec<Vec<Run>>,
    /// The words, with a run of each.
    words: Vec<(String, RunId)>,
}

impl Read {
    /// Reads the digests of all runs. Of runs that a selection or a filter chose, those that cannot be read are left
    /// out, with a warning.
    ///
    /// # Errors
    /// A run that was named cannot be read; none of the first side can; a side holds runs of different things; there
    /// are fewer than `least` sides.
    pub(super) fn new(
        context: &Context,
        data: &DataDir,
        catalog: &Catalog,
        chosen: Chosen,
        least: usize,
    ) -> Result<Read> {
        let (by, mut sides, mut words) = (chosen.by, Vec::new(), Vec::new());
        for Side { word, selection, rows } in chosen.sides {
            let mut runs = Vec::new();
            for row in rows {
                match digests::digest(data, catalog, &context.tool, row.id) {
                    Ok(digest) => runs.push(Run { row, digest }),
                    Err(why) if !selection => return Err(why),
                    Err(why) => context.settings.voice.warn(format!("run {} is left out: {}", row.id, why.message)),
                }
            }
            match runs.first() {
                Some(first) => words.push((word, first.row.id)),
                // Another side must not become the base unnoticed.
                None if sides.is_empty() => {
                    return Err(Failure::nothing(format!("no run of '{word}' can be read, and it is the base")));
                }
                None => {}
            }
            sides.push(runs);
        }
        sides.retain(|runs| !runs.is_empty());
        if let Some(by) = by {
            sides = grouped(by, sides.into_iter().flatten());
        }
        sides.iter().enumerate().try_for_each(|(at, runs)| of_one_thing(at, runs))?;
        match sides.as_slice() {
            [] => Err(Failure::nothing("none of these runs can be compared")),
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
            Failure::usage(format!("--base {word} is none of the sides; they are {}", all.join(", ")))
        })
    }
}

/// Runs with the same key are one side.
fn grouped(by: By, runs: impl Iterator<Item = Run>) -> Vec<Vec<Run>> {
    let mut sides: Vec<(String, Vec<Run>)> = Vec::new();
    for run in runs {
        let key = key(by, &run.row, &run.digest.condition().arm());
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
            let (one, run) = (&one.digest.run, &run.digest.run);
            (one.method.compared_by(), one.form) == (run.method.compared_by(), run.form)
        };
        let Some(first) = runs.iter().find(alike) else { continue };
        let unlike = facts(first).into_iter().zip(facts(run)).find(|(one, other)| one.1 != other.1);
        if let Some(((what, one), (_, other))) = unlike {
            return Err(Failure::usage(format!(
                "side {} holds runs that differ in their {what}: {one} (run {}) and {other} (run {}); a side is one drive \
                 in one state, so narrow it, or use --by",
                letter(at),
                first.row.id,
                run.row.id
            )));
        }
    }
    Ok(())
}

/// What must be the same in all runs of a side.
fn facts(run: &Run) -> [(&'static str, String); 5] {
    let digest = &run.digest;
    let target = &digest.run.environment.target;
    let name = |device: &BlockDeviceFacts| {
        let model = device.model.as_ref()?;
        Some(format!("{model} {}", device.serial.as_deref().unwrap_or_default()).trim_end().to_owned())
    };
    let names: Vec<String> = target.devices.iter().filter_map(name).collect();
    // A scratch file has another name in every run; the catalog has the folder.
    let drive = if names.is_empty() { run.row.target.clone() } else { names.join(" and ") };
    let firmware: Vec<&str> = target.devices.iter().filter_map(|device| device.firmware.as_deref()).collect();
    let together = match &digest.run.group {
        Some(group) if group.role == GroupRole::Together => format!("{} drives at once", group.drives()),
        _ => "alone".to_owned(),
    };
    [
        ("drive", drive),
        ("firmware", firmware.join(" and ")),
        ("arm", digest.condition().arm()),
        ("company", together),
        ("tested size", target.length.to_string()),
    ]
}
