//! A comparison as CSV: a row for each figure of each side and of each published drive.

use csv::Writer;
use serde_json::json;

use super::published::{PublishedDoc, PublishedRowDoc};
use super::{CompareDoc, FigureDoc, GroupDoc, PublishedCellDoc, VERSION};
use crate::figure::escape;

/// Headings; columns are only added at the end.
const COLUMNS: [&str; 28] = [
    "drivelab_compare_version",
    "group",
    "side",
    "title",
    "runs",
    "base",
    "allowed",
    "test",
    "step",
    "label",
    "metric",
    "address",
    "unit",
    "better",
    "headline",
    "value",
    "lower_bound",
    "wrong",
    "ratio",
    "low",
    "high",
    "basis",
    "bound",
    "verdict",
    "best",
    "published_in",
    "spoiled_by",
    "voided_by",
];

/// What stands in front of every row of a group.
struct Rows<'d> {
    document: &'d CompareDoc,
    /// Number of the group, from 1.
    number: usize,
    group: &'d GroupDoc,
}

/// Name, id and label: of a test, a step and a step; empty for figures of whole runs.
type Place<'d> = [&'d str; 3];

impl CompareDoc {
    /// One row for each figure of each side, with a heading, as CSV.
    ///
    /// # Errors
    /// The rows cannot be written to memory.
    pub(crate) fn csv(&self) -> Result<String, csv::Error> {
        let mut out = Writer::from_writer(Vec::new());
        out.write_record(COLUMNS)?;
        for (at, group) in self.groups.iter().enumerate() {
            let rows = Rows { document: self, number: at + 1, group };
            for (place, figure) in group.figures() {
                let place = place.map_or([""; 3], |(test, step)| [&test.name, step.id.as_str(), &step.label]);
                for side in 0..group.sides.len() {
                    out.write_record(rows.of_side(place, figure, side))?;
                }
                for cell in &figure.published {
                    out.write_record(rows.of_published(place, figure, cell))?;
                }
            }
        }
        for (row, cell) in self.published.iter().flat_map(PublishedDoc::figures) {
            out.write_record(self.unpaired(row, cell))?;
        }
        let bytes = out.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl CompareDoc {
    /// A published figure without a matching figure in the runs: it is in no group.
    fn unpaired(&self, row: &PublishedRowDoc, cell: &PublishedCellDoc) -> Vec<String> {
        let published = self.published.as_ref();
        let base = published.and_then(|all| all.base.clone()).unwrap_or_default();
        let side = published.and_then(|all| all.sides.iter().find(|side| side.name == cell.side));
        let title = side.map_or("", |side| side.title.as_str());
        let test = [Some(&row.test), cell.which.as_ref()].into_iter().flatten().map(String::as_str);
        let test = escape::spreadsheet(&test.collect::<Vec<_>>().join(", "));
        let empty = String::new;
        let mut all = vec![VERSION.to_string(), empty(), cell.side.clone(), escape::spreadsheet(title), empty(), base];
        all.extend([empty(), test, empty(), empty(), row.metric.clone(), empty(), row.unit.clone(), empty()]);
        all.push("false".to_owned());
        all.extend(published_columns(cell));
        all
    }
}

/// The columns from the value on: a published figure has no interval, no verdict, and is never the best.
fn published_columns(cell: &PublishedCellDoc) -> Vec<String> {
    let empty = String::new;
    let mut row = vec![number(Some(cell.value)), (cell.bound == Some("at_least")).to_string(), empty()];
    row.extend([number(cell.ratio), empty(), empty(), empty()]);
    row.extend([cell.bound.unwrap_or_default().to_owned(), "published".to_owned(), "false".to_owned()]);
    row.extend([escape::spreadsheet(&cell.place), empty(), empty()]);
    row
}

impl Rows<'_> {
    fn of_side(&self, place: Place<'_>, figure: &FigureDoc, at: usize) -> Vec<String> {
        let (cell, side) = (&figure.cells[at], &self.group.sides[at]);
        let of_side = self.document.sides.iter().find(|one| one.name == *side);
        let runs: Vec<String> = self.group.runs[at].iter().map(ToString::to_string).collect();
        let title = of_side.map_or("", |one| one.title.as_str());
        let mut row = self.begin(place, figure, [side, title, &runs.join(" ")]);
        row.extend([
            number(cell.value),
            cell.lower_bound.to_string(),
            word(&json!(cell.wrong)),
            number(cell.ratio),
            number(cell.low),
            number(cell.high),
            word(&json!(cell.basis)),
            word(&json!(cell.bound)),
            word(&json!(cell.verdict)),
            (figure.best.as_ref() == Some(side)).to_string(),
            String::new(),
            cell.spoiled_by.join(" "),
            cell.voided_by.join(" "),
        ]);
        row
    }

    fn of_published(&self, place: Place<'_>, figure: &FigureDoc, cell: &PublishedCellDoc) -> Vec<String> {
        let of_side = self.group.published.iter().find(|one| one.name == cell.side);
        let title = of_side.map_or("", |one| one.title.as_str());
        let mut row = self.begin(place, figure, [&cell.side, title, ""]);
        row.extend(published_columns(cell));
        row
    }

    /// The columns up to the value: the group, the side with its title and runs, and the figure.
    fn begin(&self, place: Place<'_>, figure: &FigureDoc, [side, title, runs]: [&str; 3]) -> Vec<String> {
        let Rows { number, group, .. } = self;
        let [test, step, label] = place.map(escape::spreadsheet);
        vec![
            VERSION.to_string(),
            number.to_string(),
            side.to_owned(),
            escape::spreadsheet(title),
            runs.to_owned(),
            group.base.clone(),
            group.allowed.join(" "),
            test,
            step,
            label,
            figure.metric.clone(),
            figure.address.clone(),
            figure.unit.clone(),
            word(&json!(figure.better)),
            figure.headline.to_string(),
        ]
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// A word as JSON has it; empty for none.
fn word(value: &serde_json::Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
