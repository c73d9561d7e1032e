//! What `drivelab compare` sets side by side: from words and filters to sides of runs.

use drivelab_analysis::side_by_side::Kind;
use drivelab_core::event::RunState;
use drivelab_core::group::letter;
use drivelab_core::plan::Form;
use drivelab_lab::{Failure, Result};
use drivelab_store::{Filter, Found, KeptDrive, RunRow};

use super::likeness::likest;
use crate::args::{By, CompareArgs};
use crate::context::{Context, LAST, NO_MATCH, NO_RUNS, several_runs};

/// A side: its runs, as the catalog knows them.
pub(super) struct Side {
    /// The word that named it; empty if a filter chose it.
    pub(super) word: String,
    /// Whether the word is a selection, whose runs may be left out.
    pub(super) selection: bool,
    /// The runs.
    pub(super) rows: Vec<RunRow>,
}

/// What makes a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    /// Each word.
    Words,
    /// The drive where drives differ, else the run.
    DriveOrRun,
    /// What was asked for.
    By(By),
    /// Runs of one drive in one state.
    Alike,
}

/// What is compared, before anything is read.
pub(super) struct Chosen {
    /// The sides, each with at least one run.
    pub(super) sides: Vec<Side>,
    /// What makes a side.
    pub(super) by: Axis,
    /// Whether runs that a filter chose are left out if other drives were measured at the same time.
    pub(super) alone_only: bool,
}

/// The sides that `words` or the filters of the arguments name, among all runs, newest first. Beside published figures
/// one is enough.
///
/// # Errors
/// A word that names nothing, or several things; a run that is named twice; no run that matches.
pub(super) fn choose(
    context: &Context,
    all: &[RunRow],
    arguments: &CompareArgs,
    words: &[String],
    beside_published: bool,
) -> Result<Chosen> {
    let filter = Filter::from(&arguments.filter);
    let sides = match (words.is_empty(), filter.is_empty()) {
        (true, true) => {
            return Err(Failure::usage(
                "name two runs, drives or selections (one beside published figures), or a filter such as --method NAME",
            ));
        }
        (false, false) => {
            return Err(Failure::usage("name sides or give filters, not both: filters do not apply to named sides"));
        }
        (false, true) => named_with_base(context, all, words, arguments.base.as_deref())?,
        (true, false) => filtered(context, all, &filter, beside_published)?,
    };
    for (at, side) in sides.iter().enumerate() {
        for row in &side.rows {
            if let Some(other) = sides[..at].iter().find(|other| other.rows.iter().any(|one| one.id == row.id)) {
                let what =
                    format!("'{}' and '{}' both hold run {}; name different runs", other.word, side.word, row.id);
                return Err(Failure::usage(what));
            }
        }
    }
    let by = match arguments.by {
        Some(by) => Axis::By(by),
        None if words.is_empty() => Axis::DriveOrRun,
        None => Axis::Words,
    };
    if sides.iter().map(|side| side.rows.len()).sum::<usize>() < 2 && !beside_published {
        let only = sides.iter().flat_map(|side| &side.rows).map(|row| row.id.to_string()).collect::<String>();
        return Err(Failure::usage(format!("a comparison needs two sides; there is only one, with run {only}")));
    }
    let alone_only = words.is_empty() && !arguments.allow.contains(&Kind::Company);
    Ok(Chosen { sides, by, alone_only })
}

/// The runs that match a filter, oldest first: those that have ended and can be read.
fn filtered(context: &Context, all: &[RunRow], filter: &Filter, beside_published: bool) -> Result<Vec<Side>> {
    if all.is_empty() {
        return Err(Failure::nothing(NO_RUNS));
    }
    let rows: Vec<RunRow> = all.iter().filter(|row| filter.fits(row)).rev().cloned().collect();
    if rows.is_empty() {
        return Err(Failure::nothing(NO_MATCH));
    }
    let usable = |row: &RunRow| {
        let why = if row.live {
            Some("it is still running")
        } else if row.state != RunState::Complete && filter.state.is_none() {
            // Its missing figures would make those of its whole side incomplete.
            Some("it is not complete (--state includes such runs)")
        } else {
            row.damaged.as_deref()
        };
        if let Some(why) = why {
            context.settings.voice.warn(format!("run {} is left out: {why}", row.id));
        }
        why.is_none()
    };
    let rows: Vec<RunRow> = rows.into_iter().filter(usable).collect();
    if rows.is_empty() || rows.len() < 2 && !beside_published {
        return Err(Failure::nothing(format!(
            "of the runs that match these filters {} can be compared; a comparison needs two",
            if rows.is_empty() { "none" } else { "only one" }
        )));
    }
    Ok(vec![Side { word: String::new(), selection: true, rows }])
}

/// What a word may be.
enum Word {
    /// A run.
    Run(Box<RunRow>),
    /// A selection of runs.
    Selection(Vec<RunRow>),
    /// The runs of a drive that can be compared, newest first.
    Drive(Vec<RunRow>),
}

/// A side for each word, and one for the base, first, if it is none of them.
fn named_with_base(context: &Context, all: &[RunRow], words: &[String], base: Option<&str>) -> Result<Vec<Side>> {
    let is_letter = |word: &str| word.len() == 1 || (0..words.len()).any(|at| letter(at).eq_ignore_ascii_case(word));
    let Some(base) = base.filter(|base| !is_letter(base) && !words.iter().any(|word| word == base)) else {
        return named(context, all, words);
    };
    let with_base: Vec<String> =
        std::iter::once(base).chain(words.iter().map(String::as_str)).map(str::to_owned).collect();
    let mut sides = named(context, all, &with_base)?;
    // The id of a run that another word names is no side of its own.
    let holds = |side: &Side, id| side.rows.iter().any(|row| row.id == id);
    if sides[0].rows.iter().all(|row| sides[1..].iter().any(|side| holds(side, row.id))) {
        sides.remove(0);
    }
    Ok(sides)
}

/// A side for each word.
fn named(context: &Context, all: &[RunRow], words: &[String]) -> Result<Vec<Side>> {
    let kept = context.kept_drives();
    let read: Vec<(&String, Word)> = words
        .iter()
        .map(|word| Ok((word, read(context, all, &kept, word).map_err(|why| why.about(word))?)))
        .collect::<Result<_>>()?;
    // Of a drive the newest run is taken that is like the other sides.
    let known = read.iter().find_map(|(_, word)| match word {
        Word::Run(row) => Some(row.as_ref()),
        Word::Selection(rows) => rows.first(),
        Word::Drive(_) => None,
    });
    let drives: Vec<&Vec<RunRow>> =
        read.iter().filter_map(|(_, word)| if let Word::Drive(rows) = word { Some(rows) } else { None }).collect();
    let wanted = likest(known, &drives);
    let side = |(word, read): &(&String, Word)| {
        let (selection, rows) = match read {
            Word::Run(row) => (false, vec![row.as_ref().clone()]),
            Word::Selection(rows) => (true, rows.clone()),
            Word::Drive(rows) => {
                let newest = rows.iter().find(|row| wanted.as_ref().is_none_or(|wanted| wanted.fits(row)));
                let newest = newest.or_else(|| rows.first()).cloned();
                (false, newest.into_iter().collect())
            }
        };
        Side { word: (*word).clone(), selection, rows }
    };
    Ok(read.iter().map(side).collect())
}

/// A run that has ended, is readable and is for comparisons.
pub(super) fn is_fit(row: &RunRow) -> bool {
    !row.live && row.damaged.is_none() && row.form != Form::Smoke && row.state == RunState::Complete
}

/// What a word names.
fn read(context: &Context, all: &[RunRow], kept: &[KeptDrive], word: &str) -> Result<Word> {
    if word.contains('=') {
        return selection(context, all, word).map(Word::Selection);
    }
    if word == LAST {
        return context.find_among(all, word).map(|row| Word::Run(Box::new(row)));
    }
    let is_named = |row: &RunRow| contains(&KeptDrive::name_of(kept, row), word);
    let is_it = |row: &&RunRow| is_fit(row) && (is_drive(row, word) || is_named(row));
    let of_drive: Vec<RunRow> = all.iter().filter(is_it).cloned().collect();
    let mut drives: Vec<String> = of_drive.iter().map(drive).collect();
    drives.sort();
    drives.dedup();
    match (Found::among(all, word), drives.as_slice()) {
        (Found::One(row), []) => Ok(Word::Run(row)),
        (Found::Several(ids), []) => Err(Failure::nothing(several_runs(word, &ids))),
        (Found::None, []) => Err(Failure::nothing(format!(
            "no run, and no drive with a complete run, is called '{word}'; `drivelab results list` lists the runs (data folder: {})",
            context.settings.data.value.display()
        ))),
        (Found::None, [_]) => Ok(Word::Drive(of_drive)),
        (found, drives) => {
            let mut all: Vec<String> = drives.iter().map(|drive| format!("the drive {}", drive.trim())).collect();
            all.extend(match found {
                Found::One(row) => vec![format!("run {}", row.id)],
                Found::Several(ids) => ids.iter().map(|id| format!("run {id}")).collect(),
                Found::None => Vec::new(),
            });
            let what = format!("'{word}' may be {}; use more of its name, or model=…", all.join(", or "));
            Err(Failure::usage(what))
        }
    }
}

/// Model and serial number of a run's drive; the place of one without a model.
fn drive(row: &RunRow) -> String {
    let serial = row.drive.as_ref().and(row.serial.as_deref());
    let parts = [Some(row.drive_or_place()), serial].into_iter().flatten();
    parts.collect::<Vec<_>>().join(" ")
}

/// Whether a word is a part of the model of a run's drive, its serial number, or the place of a drive without a model.
fn is_drive(row: &RunRow, word: &str) -> bool {
    let is_place = || row.target == word || row.target.strip_prefix("/dev/") == Some(word);
    row.drive.as_ref().map_or_else(is_place, |model| contains(model, word)) || row.has_serial(word)
}

/// Whether a name has a word in it, in letters of any case.
fn contains(name: &str, word: &str) -> bool {
    name.to_lowercase().contains(&word.to_lowercase())
}

/// The runs of a selection such as `model=970,method=quick`, oldest first.
fn selection(context: &Context, all: &[RunRow], word: &str) -> Result<Vec<RunRow>> {
    let conditions: Vec<(&str, &str)> = word
        .split(',')
        .map(|part| {
            part.split_once('=').map(|(key, value)| (key.trim(), value.trim())).filter(|(key, value)| {
                ["model", "serial", "firmware", "method", "profile", "tag"].contains(key) && !value.is_empty()
            })
        })
        .collect::<Option<_>>()
        .ok_or_else(|| {
            Failure::usage(format!(
                "'{word}' is not a selection; expected model=, serial=, firmware=, method=, profile= or tag=, joined by commas"
            ))
        })?;
    let holds = |text: &Option<String>, value: &str| text.as_ref().is_some_and(|text| contains(text, value));
    let matches = |row: &&RunRow| {
        conditions.iter().all(|(key, value)| match *key {
            "model" => holds(&row.drive, value),
            "serial" => row.has_serial(value),
            "firmware" => row.firmware.as_deref() == Some(*value),
            "method" => row.method == *value,
            "profile" => row.profile == *value,
            _ => row.label.tags.iter().any(|tag| tag == value),
        })
    };
    for row in all.iter().filter(matches) {
        if let Some(why) = &row.damaged {
            context.settings.voice.warn(format!("run {} is left out: {why}", row.id));
        }
    }
    let rows: Vec<RunRow> = all.iter().filter(matches).filter(|row| is_fit(row)).rev().cloned().collect();
    if rows.is_empty() {
        return Err(Failure::nothing(format!(
            "no complete run of the faithful or quick form matches '{word}'; `drivelab results list` lists all runs"
        )));
    }
    Ok(rows)
}
