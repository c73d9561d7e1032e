//! The data sheet compared with the measured figures, as tables: data sheet value, measured value, verdict, likely
//! cause; and the rated endurance of the drive.
//!
//! Every value is computed in `analysis`. Page, Markdown and terminal show these tables.

use drivelab_analysis::data_sheet::{Endurance, Sheet, SheetRow, sheet};
use drivelab_core::data_sheet::PrintedFigure;

use crate::figure::cells::unit_text;
use crate::figure::format;
use crate::figure::input::ReportInput;
use crate::figure::table::{Cell, Column, Table};

/// The tables, with explanations.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SheetView {
    /// The source of the figures.
    pub(crate) about: String,
    /// Data sheet values and measured values.
    pub(crate) figures: Table,
    /// Details of the rows: the source of a figure, and why it was missed.
    pub(crate) notes: Vec<String>,
    /// Endurance; no rows if nothing is known about it.
    pub(crate) endurance: Table,
}

/// The view of a run whose methodology tests figures of a data sheet.
pub(crate) fn of_run(input: &ReportInput<'_>) -> Option<SheetView> {
    let sheet = sheet(input.records, input.analysis)?;
    Some(SheetView {
        about: about(&sheet),
        figures: figures(&sheet),
        notes: notes(&sheet),
        endurance: sheet.endurance.as_ref().map(endurance).unwrap_or_default(),
    })
}

fn about(sheet: &Sheet) -> String {
    let (Some(title), Some(facts)) = (&sheet.title, &sheet.facts) else {
        return "No data sheet is known for this drive: no drive facts match its model. `drivelab drives` lists the known models, \
                docs/guide/drives.md explains how to write a file of drive facts, and --facts names one for a run."
            .to_owned();
    };
    let whose = if sheet.named_by_user { "named with --facts" } else { "matched by the drive's model string" };
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
    Table { caption, columns, rows: sheet.rows.iter().map(row).collect() }.without_empty_columns()
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
