//! Findings about the data sheet: figures that were not reached, and drives without a known data sheet.

use drivelab_core::environment::Environment;
use drivelab_core::finding::{Finding, Severity};
use drivelab_core::ids::StepKey;
use drivelab_core::run::RunRecords;

use super::row::{SheetRow, Verdict};
use super::sheet::sheet;
use crate::analysis::Analysis;
use crate::evidence::{Words, evidence};

/// No data sheet of the drive is known.
pub(crate) fn no_facts(environment: &Environment) -> Finding {
    let model = environment.target.devices.iter().rev().find_map(|device| device.model.as_deref());
    let statement = match model {
        Some(model) => format!("Figures are not compared with a data sheet, because none is known for '{model}'."),
        None => "Figures are not compared with a data sheet, because the target reports no model.".to_owned(),
    };
    let words = Words {
        code: "data_sheet_unknown",
        severity: Severity::Note,
        statement,
        cause: "No drive facts match its model.",
        action: "`drivelab drives` lists the known drives. docs/guide/drives.md describes how to write a file of your \
                 own, and `--facts NAME` or `--facts FILE` names one for a run.",
    };
    words.about_run(Vec::new())
}

/// A figure that was missed, or that something other than the drive held back; `None` for others.
pub(crate) fn fell_short(row: &SheetRow) -> Option<Finding> {
    let (measured, printed) = (row.measured?, row.printed?);
    let name = row.figure.title();
    let share = format!("{:.0} % of the printed {}", 100.0 * measured / printed, row.printed_text.as_deref()?);
    let (code, statement) = match row.verdict {
        Verdict::Missed => ("data_sheet_missed", format!("{name} is {share}.")),
        Verdict::Undecided => {
            let bound = if row.figure.less_is_better() { "at most" } else { "at least" };
            (
                "data_sheet_undecided",
                format!("{name} is {bound} {share}: the host, drivelab or other programs held it back."),
            )
        }
        _ => return None,
    };
    let unit = if row.unit == "us" { "µs" } else { &row.unit };
    let mut found = vec![evidence(&format!("{name} (limit: printed)"), measured, Some(printed), unit)];
    found.extend(row.causes.iter().flat_map(|cause| cause.evidence.clone()));
    let cause = likely(row);
    let action = match &row.printed_note {
        Some(note) => {
            format!("Compare the conditions of the test with those printed ({note}) before you judge the drive.")
        }
        None => String::new(),
    };
    let words = Words { code, severity: Severity::Note, statement, cause: &cause, action: &action };
    let keys = row.step.iter().map(|step| StepKey { step: step.clone(), round: 1 }).collect();
    Some(words.finding(keys, found))
}

/// The causes in one sentence, or that the records show none.
pub(crate) fn likely(row: &SheetRow) -> String {
    if row.causes.is_empty() {
        return "The records show no cause: link, host, heat and state of the drive are as they should be, as far as \
                they were observed."
            .to_owned();
    }
    let causes: Vec<String> = row.causes.iter().map(|cause| format!("{}: {}", cause.kind.title(), cause.why)).collect();
    format!("{}.", causes.join("; "))
}

/// The findings of a run about the data sheet: that none is known, or each figure that was missed or is undecided.
pub(crate) fn findings(records: &RunRecords, analysis: &Analysis) -> Vec<Finding> {
    let Some(sheet) = sheet(records, analysis) else { return Vec::new() };
    if sheet.facts.is_none() {
        return vec![no_facts(&records.environment)];
    }
    let short = sheet.rows.iter().filter(|row| matches!(row.verdict, Verdict::Missed | Verdict::Undecided));
    short.filter_map(fell_short).collect()
}

#[cfg(test)]
mod tests;
