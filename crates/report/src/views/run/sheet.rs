//! The data sheet beside the measured figures, as tables: what is printed, what was measured, the verdict, the likely
//! cause; and what the drive is rated to bear.
//!
//! Every value is worked out in `analysis`; the pages, the Markdown and the terminal show these tables.

use drivelab_analysis::data_sheet::{Endurance, Sheet, SheetRow, sheet};
use drivelab_core::data_sheet::PrintedFigure;

use crate::figure::cells::unit_text;
use crate::figure::format;
use crate::figure::input::ReportInput;
use crate::figure::table::{Cell, Column, Table};

/// The tables and what to know when reading them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SheetView {
    /// Whose figures these are.
    pub(crate) about: String,
    /// Printed and measured.
    pub(crate) figures: Table,
    /// The longer words behind the rows: where a figure is printed, and why it was missed.
    pub(crate) notes: Vec<String>,
    /// Endurance; no rows where nothing is known of it.
    pub(crate) endurance: Table,
}

/// The view of a run whose methodology has twins of printed figures.
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
        return "Nothing printed is known of this drive: no drive facts fit its model. `drivelab drives` lists the known \
                ones, docs/guide/drives.md says how to write a file of your own, and --facts names one for a run."
            .to_owned();
    };
    let whose = if sheet.named_by_user { "named with --facts" } else { "by the drive's model string" };
    let capacity = match sheet.capacity_tb {
        Some(capacity) => format!("the figures of {} TB hold", format::plain_number(capacity)),
        None => "no capacity like the drive's is among them, so only the figures of the whole model hold".to_owned(),
    };
    format!(
        "Printed figures of {title} (drive facts {facts}, {whose}; {capacity}). A figure counts as met where it is at \
         most 5 % worse than printed; makers print the most that a drive does, under conditions of their own."
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
        Column::figures("Printed", ""),
        Column::figures("Measured", ""),
        Column::figures("Of printed", "%"),
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
    let caption = "Printed and measured".to_owned();
    Table { caption, columns, rows: sheet.rows.iter().map(row).collect() }.without_empty_columns()
}

fn notes(sheet: &Sheet) -> Vec<String> {
    let mut notes = Vec::new();
    for row in &sheet.rows {
        let name = row.figure.title();
        if let (Some(text), Some(note), Some(source)) = (&row.printed_text, &row.printed_note, &row.printed_in) {
            notes.push(format!("{name}: {text} is printed ({note}) in {source}."));
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
        ("Warranty, printed", warranty_years, "years"),
        ("Writes it is rated for, printed (TBW)", tbw_printed_tb, "TB"),
        ("The same from the printed DWPD", tbw_from_dwpd_tb, "TB"),
        ("Drive writes per day, printed (DWPD)", dwpd_printed, "DWPD"),
        ("The same from the printed TBW", dwpd_from_tbw, "DWPD"),
        ("Written by this run", Some(run_written_tb), "TB"),
        ("Its share of the rated writes", run_share_percent, "%"),
        ("Written in the drive's life before", life_written_tb, "TB"),
        ("Its share of the rated writes", life_share_percent, "%"),
        ("Endurance used by the drive's own count", used_percent, "%"),
        ("What it bears by that count", bears_by_own_count_tb, "TB"),
        ("Drive writes in a day at the measured sequential rate", drive_writes_a_day_at_full_rate, "a day"),
        ("Days at that rate until the rated writes are reached", days_at_full_rate, "days"),
    ];
    let row = |(name, value, unit): (&str, Option<f64>, &str)| {
        let value = value?;
        Some(vec![Cell::text(name), Cell::text(format::plain_number(value)), Cell::text(unit)])
    };
    let columns = vec![Column::words("Endurance"), Column::figures("Value", ""), Column::words("Unit")];
    let rows = known.into_iter().filter_map(row).collect();
    Table { caption: "Endurance: rated, used, and how long it lasts".to_owned(), columns, rows }
}

#[cfg(test)]
mod tests;
