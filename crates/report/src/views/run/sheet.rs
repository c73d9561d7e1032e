//! The data sheet compared with the measured figures, as tables: data sheet value, measured value, verdict, likely
//! cause; and the rated endurance of the drive. Where none of them was measured, the data sheet alone.
//!
//! Every value is computed in `analysis`. Page, Markdown and terminal show these tables.

use drivelab_analysis::data_sheet::{Endurance, Sheet, SheetRow, sheet};
use drivelab_core::data_sheet::{DataSheet, PrintedFigure, SheetFigure};
use drivelab_core::drive_facts::Figures;

use crate::figure::cells::unit_text;
use crate::figure::format;
use crate::figure::input::ReportInput;
use crate::figure::table::{Cell, Column, Table};

/// The tables, with explanations.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SheetView {
    /// What the figures are.
    pub(crate) about: String,
    /// Whether it has figures of a known data sheet.
    pub(crate) states_figures: bool,
    /// Data sheet values and measured values.
    pub(crate) figures: Table,
    /// Details of the rows: the source of a figure, and why it was missed.
    pub(crate) notes: Vec<String>,
    /// Endurance; no rows if nothing is known about it.
    pub(crate) endurance: Table,
}

/// The view of a run: figures of a data sheet beside those that the methodology measures of them, or alone if it
/// measures none; `None` if nothing is known of the drive either.
pub(crate) fn of_run(input: &ReportInput<'_>) -> Option<SheetView> {
    let Some(sheet) = sheet(input.records, input.analysis) else {
        return input.records.environment.data_sheet.as_deref().filter(|sheet| !sheet.figures.is_empty()).map(alone);
    };
    Some(SheetView {
        about: about(&sheet),
        states_figures: sheet.title.is_some(),
        figures: figures(&sheet),
        notes: notes(&sheet),
        endurance: sheet.endurance.as_ref().map(endurance).unwrap_or_default(),
    })
}

/// The figures as the maker or a review states them.
fn alone(sheet: &DataSheet) -> SheetView {
    let whose = whose(sheet.named_by_user);
    let capacity = sheet.capacity.map_or_else(String::new, |size| format!(" for {}", format::short_bytes(size)));
    let columns = vec![Column::words("Figure"), Column::words("Stated"), Column::words("Note")];
    let row = |figure: &SheetFigure| {
        let label = Figures::label(&figure.key).map_or_else(|| figure.key.replace('_', " "), str::to_owned);
        [label, figure.text.clone(), figure.note.clone().unwrap_or_default()].map(Cell::text).to_vec()
    };
    let rows = sheet.figures.iter().map(row).collect();
    let figures = Table { caption: "Stated figures".to_owned(), columns, rows }.without_empty_columns();
    SheetView {
        about: format!(
            "Published figures of {}{capacity} (drive facts {}, {whose}). This methodology measures none of them in the \
             same way; `data-sheet` does.",
            sheet.title, sheet.facts
        ),
        states_figures: true,
        figures,
        notes: sheet
            .sources
            .iter()
            .map(|source| format!("Source: {}.", source.citation.trim_end_matches('.')))
            .collect(),
        endurance: Table::default(),
    }
}

/// How the drive facts were found.
const fn whose(named_by_user: bool) -> &'static str {
    if named_by_user { "named with --facts" } else { "matched by the drive's model string" }
}

fn about(sheet: &Sheet) -> String {
    let (Some(title), Some(facts)) = (&sheet.title, &sheet.facts) else {
        return "No data sheet is known for this drive: no drive facts match its model. `drivelab drives` lists the known models, \
                docs/guide/drives.md explains how to write a file of drive facts, and --facts names one for a run."
            .to_owned();
    };
    let whose = whose(sheet.named_by_user);
    let capacity = match sheet.capacity_tb {
        Some(capacity) => format!("the figures for {} TB apply", format::plain_number(capacity)),
        None => "they have none for this capacity, so only the figures for the whole model apply".to_owned(),
    };
    format!(
        "Data sheet figures of {title} (drive facts {facts}, {whose}; {capacity}). A figure counts as met if it is at most \
         5 % worse than the data sheet. Vendors state maximum values, under their own conditions."
    )
}

/// A value in the unit of a figure.
fn value(figure: PrintedFigure, value: f64) -> String {
    match figure {
        PrintedFigure::SequentialRead | PrintedFigure::SequentialWrite => format::mb_s(value),
        PrintedFigure::RandomRead | PrintedFigure::RandomWrite => format::iops(value),
        PrintedFigure::ReadLatency | PrintedFigure::WriteLatency => format::latency_us(value),
        PrintedFigure::SlcCache | PrintedFigure::PowerActive | PrintedFigure::PowerIdle => format::plain_number(value),
    }
}

fn figures(sheet: &Sheet) -> Table {
    let columns = vec![
        Column::words("Figure"),
        Column::figures("Data sheet", ""),
        Column::figures("Measured", ""),
        Column::figures("Ratio", "%"),
        Column::words("Verdict"),
        Column::words("Likely cause"),
        Column::words("Measured with"),
    ];
    let row = |row: &SheetRow| {
        let unit = unit_text(&row.unit);
        let shown = |number: f64| format!("{} {unit}", value(row.figure, number));
        let measured = row.measured.map_or_else(Cell::default, |number| {
            let is_rate = !row.figure.less_is_better();
            let cell =
                if row.limited_here && is_rate { Cell::at_least(shown(number)) } else { Cell::text(shown(number)) };
            cell.wrong(row.wrong)
        });
        let causes: Vec<&str> = row.causes.iter().map(|cause| cause.kind.title()).collect();
        let fell_short = matches!(
            row.verdict,
            drivelab_analysis::data_sheet::Verdict::Missed | drivelab_analysis::data_sheet::Verdict::Undecided
        );
        let cause = if causes.is_empty() && fell_short { "none found".to_owned() } else { causes.join(", ") };
        vec![
            Cell::text(row.figure.title()),
            row.printed.map_or_else(Cell::default, |number| Cell::text(shown(number))),
            measured,
            row.ratio.map_or_else(Cell::default, |ratio| Cell::text(format!("{:.1}", 100.0 * ratio))),
            Cell::text(row.verdict.title()),
            Cell::text(cause),
            Cell::text(row.step_label.clone().unwrap_or_default()),
        ]
    };
    let caption = "Data sheet and measured figures".to_owned();
    let known = sheet.rows.iter().filter(|row| row.printed.is_some() || row.measured.is_some());
    Table { caption, columns, rows: known.map(row).collect() }.without_empty_columns()
}

fn notes(sheet: &Sheet) -> Vec<String> {
    let mut notes = Vec::new();
    for row in &sheet.rows {
        let name = row.figure.title();
        if let (Some(text), Some(note), Some(source)) = (&row.printed_text, &row.printed_note, &row.printed_in) {
            notes.push(format!("{name}: {text} ({note}), source: {source}."));
        }
        for cause in &row.causes {
            notes.push(format!("{name}, {}: {}.", cause.kind.title(), cause.why));
        }
    }
    notes
}

fn endurance(endurance: &Endurance) -> Table {
    let Endurance {
        capacity_tb,
        warranty_years,
        tbw_printed_tb,
        tbw_from_dwpd_tb,
        dwpd_printed,
        dwpd_from_tbw,
        run_written_tb,
        run_share_percent,
        life_written_tb,
        life_share_percent,
        used_percent,
        bears_by_own_count_tb,
        drive_writes_a_day_at_full_rate,
        days_at_full_rate,
    } = *endurance;
    let used_percent = used_percent.map(f64::from);
    let known = [
        ("Capacity", capacity_tb, "TB"),
        ("Warranty", warranty_years, "years"),
        ("Rated endurance (TBW)", tbw_printed_tb, "TB"),
        ("Rated endurance, from DWPD", tbw_from_dwpd_tb, "TB"),
        ("Rated drive writes per day (DWPD)", dwpd_printed, "DWPD"),
        ("Rated drive writes per day, from TBW", dwpd_from_tbw, "DWPD"),
        ("Written by this run", Some(run_written_tb), "TB"),
        ("Share of the rated endurance written by this run", run_share_percent, "%"),
        ("Written before this run", life_written_tb, "TB"),
        ("Share of the rated endurance written before this run", life_share_percent, "%"),
        ("Endurance used, as the drive reports", used_percent, "%"),
        ("Total endurance estimated from these counts", bears_by_own_count_tb, "TB"),
        ("Drive writes at the measured sequential rate", drive_writes_a_day_at_full_rate, "per day"),
        ("Time at that rate until the rated endurance is reached", days_at_full_rate, "days"),
    ];
    let row = |(name, value, unit): (&str, Option<f64>, &str)| {
        let value = value?;
        Some(vec![Cell::text(name), Cell::text(format::plain_number(value)), Cell::text(unit)])
    };
    let columns = vec![Column::words("Endurance"), Column::figures("Value", ""), Column::words("Unit")];
    let rows = known.into_iter().filter_map(row).collect();
    Table { caption: "Endurance: rated, used and remaining".to_owned(), columns, rows }
}

#[cfg(test)]
mod tests;
