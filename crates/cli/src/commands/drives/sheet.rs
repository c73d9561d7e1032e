//! The facts about a drive for people: a table across its capacities, how long it lasts, and with -v the source of each
//! figure.

use std::fmt::Write as _;

use drivelab_analysis::data_sheet::years_of_writes;
use drivelab_analysis::suitability::printed;
use drivelab_core::data_sheet::DataSheet;
use drivelab_core::drive_facts::{CapacityFacts, DriveFacts, Figures};
use drivelab_core::units::Bytes;
use drivelab_core::verdict_rules::FactKind;
use drivelab_device::drive_facts::Known;
use drivelab_report::format;

/// Columns of a drive's own figures, and of a table, stand this far apart.
const APART: usize = 2;
/// Room for the longest label of a figure, and for most values, where each figure has a line.
const LABEL: usize = 20;
const VALUE: usize = 24;

/// The facts; `daily` is what the reader writes in a day, `sourced` asks for the source of each figure.
pub(super) fn text(known: &Known, daily: Option<Bytes>, (width, sourced): (usize, bool)) -> String {
    let facts = &known.facts;
    let mut text = format!("{} ({}), by {}\n", facts.title, facts.name, facts.maker);
    let _ = writeln!(text, "{}", known.origin.text());
    if let Some(note) = &facts.note {
        let _ = writeln!(text, "\n{}", note.trim());
    }
    if !facts.figures.rows().is_empty() {
        let _ = writeln!(text, "\nEvery capacity");
        for row in facts.figures.rows() {
            let _ = writeln!(text, "  {:<LABEL$}  {}", row.label, row.text);
        }
    }
    let rows = across(facts, daily);
    if !rows.is_empty() {
        text += &table(facts, &rows, width);
    }
    if daily.is_some_and(|daily| !rows.iter().any(|(label, _)| *label == at_rate(daily))) {
        text += "\n--daily has no effect: this drive's rated endurance is not known.\n";
    }
    if sourced {
        sources(&mut text, facts);
    } else {
        text += "\n-v lists the source and the certainty of each figure, and the model strings.\n";
    }
    text
}

/// A row of the table: its label, and a cell for each capacity.
type Row = (String, Vec<String>);

/// The figures that capacities have of their own, and what follows from their endurance.
fn across(facts: &DriveFacts, daily: Option<Bytes>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let count = facts.capacities.len();
    for (at, one) in facts.capacities.iter().enumerate() {
        for figure in one.figures.rows() {
            let known = rows.iter().position(|(label, _)| label == figure.label);
            let place = known.unwrap_or_else(|| {
                rows.push((figure.label.to_owned(), vec![String::new(); count]));
                rows.len() - 1
            });
            figure.text.clone_into(&mut rows[place].1[at]);
        }
    }
    let of_capacity = |one: &CapacityFacts| derived(facts, one.capacity.value, daily);
    let cells: Vec<[String; 3]> = facts.capacities.iter().map(of_capacity).collect();
    let at_rate = daily.map(at_rate).unwrap_or_default();
    let labels = ["Full drive writes".to_owned(), "Drive writes per day".to_owned(), at_rate];
    for (at, label) in labels.into_iter().enumerate() {
        let cells: Vec<String> = cells.iter().map(|cells| cells[at].clone()).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            rows.push((label, cells));
        }
    }
    rows
}

/// Label of the row for this many bytes a day.
fn at_rate(daily: Bytes) -> String {
    format!("At {daily} a day")
}

/// What follows from the figures of a capacity: full drive writes, drive writes per day, and how long it lasts with
/// these bytes a day; empty where it is not known.
fn derived(facts: &DriveFacts, capacity: Bytes, daily: Option<Bytes>) -> [String; 3] {
    let sheet = DataSheet::of(facts, Some(capacity), false);
    let known = |kind| printed(kind, &sheet, None).map(|fact| fact.value);
    let writes = known(FactKind::FullWrites);
    // As printed, it has a row already.
    let per_day = known(FactKind::DriveWritesPerDay).filter(|_| sheet.number("dwpd").is_none());
    let years = || years_of_writes(writes? * capacity.as_f64(), daily?.as_f64());
    [
        writes.map(|writes| format::plain_number(writes.round())).unwrap_or_default(),
        per_day.map(|per_day| format!("{per_day:.2}")).unwrap_or_default(),
        years()
            .map(|years| format!("{years:.*} years", usize::from(years < 100.0) + usize::from(years < 1.0)))
            .unwrap_or_default(),
    ]
}

/// The table, in as many blocks as the width asks for.
fn table(facts: &DriveFacts, rows: &[Row], width: usize) -> String {
    let label = rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    let heads: Vec<&str> = facts.capacities.iter().map(|one| one.capacity.text.as_str()).collect();
    let room = |at: usize| {
        let cells = rows.iter().map(|(_, cells)| cells[at].chars().count());
        cells.chain([heads[at].chars().count()]).max().unwrap_or(0) + APART
    };
    let mut text = String::new();
    let mut from = 0;
    while from < heads.len() {
        let (mut to, mut used) = (from, label);
        while to < heads.len() && (to == from || used + room(to) <= width) {
            used += room(to);
            to += 1;
        }
        let line = |first: &str, cells: &dyn Fn(usize) -> String| {
            let cells: String = (from..to).map(|at| format!("{:>width$}", cells(at), width = room(at))).collect();
            format!("{first:<label$}{cells}").trim_end().to_owned() + "\n"
        };
        text.push('\n');
        text += &line("", &|at| heads[at].to_owned());
        let full = rows.iter().filter(|(_, cells)| cells[from..to].iter().any(|cell| !cell.is_empty()));
        full.for_each(|(name, cells)| text += &line(name, &|at| cells[at].clone()));
        from = to;
    }
    text
}

/// Each figure with its certainty, its source and its note; the model strings; the sources.
fn sources(text: &mut String, facts: &DriveFacts) {
    let _ = writeln!(text, "\nModel strings (* any text, # a number)");
    for model in &facts.models {
        let _ = writeln!(text, "  {}  ({}, {})", model.pattern, model.certainty.name(), model.source);
    }
    if !facts.figures.rows().is_empty() {
        let _ = writeln!(text, "\nEvery capacity");
        text.push_str(&figures(&facts.figures));
    }
    for one in &facts.capacities {
        let known = one.certainty.zip(one.source.as_deref());
        let whence = known
            .map(|(certainty, source)| format!("  ({}, {source}{})", certainty.name(), noted(one.note.as_deref())));
        let _ = writeln!(text, "\n{}{}", one.capacity.text, whence.unwrap_or_default());
        match one.figures.rows().is_empty() {
            true => text.push_str("  no other figures\n"),
            false => text.push_str(&figures(&one.figures)),
        }
    }
    let _ = writeln!(text, "\nSources");
    for source in &facts.sources {
        let _ = writeln!(text, "  {}: {}", source.id, source.citation);
    }
}

fn figures(figures: &Figures) -> String {
    let row = |row: drivelab_core::drive_facts::Row<'_>| {
        let (certainty, note) = (row.certainty.name(), noted(row.note));
        format!("  {:<LABEL$}  {:<VALUE$}  {certainty}, {}{note}\n", row.label, row.text, row.source)
    };
    figures.rows().into_iter().map(row).collect()
}

/// A note after a source.
fn noted(note: Option<&str>) -> String {
    note.map(|note| format!("; {note}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use drivelab_device::drive_facts::DriveLibrary;

    use super::*;

    #[test]
    fn a_drive_is_a_table_across_its_capacities_with_what_follows_from_its_endurance() {
        let library = DriveLibrary::built_in();
        let known = library.named("samsung-980-pro").expect("built in");
        let wide = text(known, Some(Bytes::new(50_000_000_000)), (120, false));
        let cells = |label: &str| -> Vec<String> {
            let line = wide.lines().find(|line| line.starts_with(label)).unwrap_or_else(|| panic!("{label}: {wide}"));
            line[label.len()..].split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
        };
        assert_eq!(cells("Endurance (TBW)"), ["150 TB", "300 TB", "600 TB", "1200 TB"]);
        assert_eq!(cells("Full drive writes"), ["600", "600", "600", "600"]);
        assert_eq!(cells("Drive writes per day"), ["0.33", "0.33", "0.33", "0.33"]);
        // 150 TB / 50 GB / 365
        assert_eq!(cells("At 50 GB a day"), ["8.2 years", "16.4 years", "32.9 years", "65.8 years"]);
        assert!(wide.contains("  Warranty              5 years\n") && !wide.contains("Sources\n"), "{wide}");
        let narrow = text(known, None, (60, true));
        let table = narrow.split("Model strings").next().unwrap_or_default();
        assert!(table.lines().all(|line| line.chars().count() <= 60 || line.contains("power figures")), "{narrow}");
        assert_eq!(table.matches("Endurance (TBW)").count(), 2, "two blocks: {narrow}");
        assert!(narrow.contains("Sources\n") && narrow.contains("stated, anandtech"), "{narrow}");
    }
}
