//! What published drives are good for, by the rules: a table of drives and uses, and the reasons.

use drivelab_analysis::suitability::{Outcome, UseVerdict};

use crate::figure::table::{Cell, Column, Table};
use crate::views::across::sides::DriveVerdict;
use crate::views::run::short;

/// Whether a use has a verdict.
fn is_judged(one: &UseVerdict) -> bool {
    one.outcome != Outcome::Unknown
}

/// A row for each drive, a column for each use for which any drive has a verdict.
pub(super) fn table(verdicts: &[DriveVerdict]) -> Table {
    let uses = |verdict: &DriveVerdict| -> Vec<(String, String)> {
        let all = verdict.suitability.uses.iter();
        all.filter(|one| is_judged(one)).map(|one| (one.id.clone(), one.title.clone())).collect()
    };
    let mut shown: Vec<(String, String)> = Vec::new();
    for one in verdicts.iter().flat_map(uses) {
        if !shown.contains(&one) {
            shown.push(one);
        }
    }
    let columns = std::iter::once(Column::words("Drive")).chain(shown.iter().map(|(_, title)| Column::words(title)));
    let row = |verdict: &DriveVerdict| {
        let of_use = |id: &String| {
            let found = verdict.suitability.uses.iter().find(|one| one.id == *id);
            found.map_or_else(Cell::default, |one| Cell::text(one.outcome.words()))
        };
        std::iter::once(Cell::text(&*verdict.drive)).chain(shown.iter().map(|(id, _)| of_use(id))).collect()
    };
    // Of a drive without any verdict there is nothing to say.
    let rows = verdicts.iter().filter(|verdict| !uses(verdict).is_empty()).map(row).collect();
    Table { caption: "What each drive is good for, by the rules".to_owned(), columns: columns.collect(), rows }
}

/// Why a drive is not simply recommended, a sentence or more for each drive: each reason once, with the uses that it is
/// about.
pub(super) fn reasons(verdicts: &[DriveVerdict]) -> Vec<String> {
    let of_drive = |verdict: &DriveVerdict| {
        let mut all: Vec<(String, Vec<&str>)> = Vec::new();
        for one in verdict.suitability.uses.iter().filter(|one| is_judged(one)) {
            // What stands in brackets explains the use, and the table has it.
            let title = one.title.split(" (").next().unwrap_or_default();
            for why in one.reasons.iter().map(short::reason) {
                match all.iter_mut().find(|(known, _)| *known == why) {
                    Some((_, uses)) => uses.push(title),
                    None => all.push((why, vec![title])),
                }
            }
        }
        let words: Vec<String> = all.into_iter().map(|(why, uses)| format!("{why} ({})", uses.join(", "))).collect();
        (!words.is_empty()).then(|| format!("{}: {}", verdict.drive, words.join(" ")))
    };
    verdicts.iter().filter_map(of_drive).collect()
}
