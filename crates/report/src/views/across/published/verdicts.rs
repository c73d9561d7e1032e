//! What published drives are good for, by the rules: a table of drives and uses, and the reasons.

use drivelab_analysis::suitability::{Outcome, UseVerdict};
use drivelab_core::verdict_rules::FactKind;

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

/// Why there is no verdict on any drive; `None` if there is one.
pub(super) fn none_because(verdicts: &[DriveVerdict]) -> Option<&str> {
    verdicts.iter().find_map(|one| one.suitability.none_because.as_deref())
}

/// Why a drive is not simply recommended, and what is not known of it, a sentence or more for each drive: each reason
/// once, with the uses that it is about.
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
        let mut words: Vec<String> =
            all.into_iter().map(|(why, uses)| format!("{why} ({})", uses.join(", "))).collect();
        let judged = || verdict.suitability.uses.iter().filter(|one| is_judged(one));
        let unknown = FactKind::ALL.into_iter().filter(|kind| judged().any(|one| one.unknown.contains(kind)));
        words.extend(short::not_known(&unknown.collect::<Vec<_>>()));
        let shown = |one: &&UseVerdict| {
            verdicts
                .iter()
                .any(|other| other.suitability.uses.iter().any(|known| known.id == one.id && is_judged(known)))
        };
        let open = || verdict.suitability.uses.iter().filter(|one| !is_judged(one)).filter(shown);
        let lacks = |kind: &FactKind| open().any(|one| one.missing.contains(kind) || one.undecided.contains(kind));
        let lacking: Vec<&str> = FactKind::ALL.into_iter().filter(lacks).map(FactKind::title).collect();
        if !lacking.is_empty() {
            words.push(format!("Other verdicts need: {}.", lacking.join(", ")));
        }
        (!words.is_empty()).then(|| format!("{}: {}", verdict.drive, words.join(" ")))
    };
    verdicts.iter().filter_map(of_drive).collect()
}
