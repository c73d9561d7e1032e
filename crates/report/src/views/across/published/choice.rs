//! Which of two published drives to choose, case by case: a reader who encrypts needs another answer than one who does
//! not.

use drivelab_core::metric::Better;
use drivelab_core::published::PublishedFigure;

use super::PublishedSide;
use super::readings::Readings;
use super::row::Row;
use crate::figure::format::{capital, ratio_text};
use crate::figure::{cells, format};

/// Differences up to this share decide nothing: one run of each drive, and no spread is known.
const CLOSE: f64 = 0.03;

/// The choice in one case.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Choice {
    /// The case: the condition that both drives were measured under, or come nearest to.
    pub(crate) case: String,
    /// Title of the side to choose; `None` if neither is ahead more often.
    pub(crate) choose: Option<String>,
    /// Title of the other side, or of both.
    pub(crate) other: String,
    /// Figures in which the chosen one is ahead, in which the other is, and in which they are close.
    pub(crate) counts: [usize; 3],
    /// The smallest and the largest lead of the chosen one, as a ratio.
    pub(crate) lead: Option<(f64, f64)>,
    /// The same as a sentence.
    pub(crate) sentence: String,
}

/// How often the first of two sides leads.
struct Tally<'r, 'p> {
    /// Ratio of the first to the second, above one where it is better, with its row.
    ratios: Vec<(f64, &'r Row<'p>, [f64; 2])>,
}

impl<'r, 'p> Tally<'r, 'p> {
    fn of(rows: &'r [Row<'p>], one: usize, other: usize) -> Self {
        let ratio = |row: &'r Row<'p>| {
            // Bounds and doubtful figures do not count.
            let sound = |cell: &Readings<'_>| cell.figures.iter().all(|figure| figure.doubtful.is_none());
            let value = |side: usize| {
                let base = row.cells[side].as_ref().filter(|cell| sound(cell))?.as_base()?;
                base.bound.is_none().then_some(base.value)
            };
            let values = [value(one)?, value(other)?];
            let ratio = match row.better {
                Better::Higher => values[0] / values[1],
                Better::Lower => values[1] / values[0],
                Better::Neutral => return None,
            };
            Some((ratio, row, values))
        };
        Tally { ratios: rows.iter().filter_map(ratio).collect() }
    }

    /// Figures in which the first is ahead.
    fn ahead(&self) -> impl Iterator<Item = &(f64, &'r Row<'p>, [f64; 2])> {
        self.ratios.iter().filter(|(ratio, ..)| *ratio > 1.0 + CLOSE)
    }

    /// Figures in which the second is ahead.
    fn behind(&self) -> usize {
        self.ratios.iter().filter(|(ratio, ..)| *ratio < 1.0 / (1.0 + CLOSE)).count()
    }
}

/// A drive and its capacity.
type Drive = (String, Option<String>);

/// The choice between two drives for each condition; none unless there are exactly two drives.
pub(super) fn choices(sides: &[PublishedSide], rows: &[Row<'_>], label: &dyn Fn(&Row<'_>) -> String) -> Vec<Choice> {
    let known: Vec<Option<&PublishedFigure>> = sides.iter().map(|side| side.figures.first()).collect();
    // A drive in another capacity is another drive.
    let drive_of = |figure: &PublishedFigure| (figure.drive.clone(), figure.capacity.clone());
    let mut drives: Vec<Drive> = Vec::new();
    let mut cases: Vec<&Option<String>> = Vec::new();
    for figure in known.iter().flatten() {
        if !drives.contains(&drive_of(figure)) {
            drives.push(drive_of(figure));
        }
        if !cases.contains(&&figure.condition) {
            cases.push(&figure.condition);
        }
    }
    let [one, other] = drives.as_slice() else { return Vec::new() };
    let find = |drive: &Drive, fits: &dyn Fn(&PublishedFigure) -> bool| {
        known.iter().position(|side| side.is_some_and(|figure| drive_of(figure) == *drive && fits(figure)))
    };
    let under = |drive: &Drive, case: &str| {
        let own = find(drive, &|figure| figure.condition.as_deref().unwrap_or_default() == case);
        // A drive that cannot encrypt by itself is encrypted in software.
        let in_hardware = known
            .iter()
            .flatten()
            .any(|figure| figure.condition.as_deref().unwrap_or_default() == case && figure.is_encrypted_in_hardware());
        let software = || find(drive, &PublishedFigure::is_encrypted_in_software);
        own.or_else(|| in_hardware.then(software).flatten())
    };
    let choice = |case: &&Option<String>| {
        let case = case.as_deref().unwrap_or_default();
        let (one, other) = (under(one, case)?, under(other, case)?);
        let (forth, back) = (Tally::of(rows, one, other), Tally::of(rows, other, one));
        if forth.ratios.is_empty() {
            return None;
        }
        let back_leads = back.ahead().count() > forth.ahead().count();
        let (tally, ahead, behind) = if back_leads { (back, other, one) } else { (forth, one, other) };
        Some(of_case(case, &tally, (&sides[ahead], &sides[behind]), label))
    };
    cases.iter().filter_map(choice).collect()
}

/// A drive and, if it was measured under another condition than that of the case, its condition.
fn called(side: &PublishedSide, case: &str) -> String {
    let Some(figure) = side.figures.first() else { return side.title.clone() };
    let drive = [Some(&figure.drive), figure.capacity.as_ref()];
    let drive = drive.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ");
    match figure.condition.as_deref().filter(|condition| *condition != case) {
        Some(condition) => format!("{drive} ({condition})"),
        None => drive,
    }
}

fn of_case(
    case: &str,
    tally: &Tally<'_, '_>,
    (ahead, behind): (&PublishedSide, &PublishedSide),
    label: &dyn Fn(&Row<'_>) -> String,
) -> Choice {
    let leads: Vec<f64> = tally.ahead().map(|(ratio, ..)| *ratio).collect();
    let counts = [leads.len(), tally.behind(), tally.ratios.len() - leads.len() - tally.behind()];
    let all = tally.ratios.len();
    let name = match case {
        "" => "As published".to_owned(),
        case => capital(case),
    };
    let low = leads.iter().copied().min_by(f64::total_cmp);
    let lead = low.zip(leads.iter().copied().max_by(f64::total_cmp));
    let close = match counts[2] {
        0 => String::new(),
        1 => format!(", and 1 differs by less than {:.0} %", CLOSE * 100.0),
        some => format!(", and {some} differ by less than {:.0} %", CLOSE * 100.0),
    };
    let (first, second) = (called(ahead, case), called(behind, case));
    let Some((low, high)) = lead.filter(|_| counts[0] > counts[1]) else {
        let counted = format!("{first} is ahead in {} of {all} figures, {second} in {}{close}", counts[0], counts[1]);
        let sentence = format!("{name}: no clear choice. {counted}.");
        let both = format!("{} and {}", ahead.title, behind.title);
        return Choice { case: name, choose: None, other: both, counts, lead: None, sentence };
    };
    let most = tally.ahead().max_by(|(one, ..), (other, ..)| one.total_cmp(other));
    let most = most.map_or_else(String::new, |(ratio, row, [own, theirs])| {
        let value = |value: f64| format::value(value, row.unit);
        format!(
            " Largest lead: {}, {} against {} {} ({} times).",
            label(row),
            value(*own),
            value(*theirs),
            cells::unit_text(row.unit),
            ratio_text(*ratio)
        )
    });
    let range = if counts[0] == 1 {
        format!("{} times", ratio_text(high))
    } else {
        format!("{} to {} times", ratio_text(low), ratio_text(high))
    };
    let sentence = format!(
        "{name}: {first}. It is ahead in {} of {all} figures ({range}), {second} in {}{close}.{most}",
        counts[0],
        if counts[1] == 0 { "none".to_owned() } else { counts[1].to_string() }
    );
    Choice { case: name, choose: Some(ahead.title.clone()), other: behind.title.clone(), counts, lead, sentence }
}
