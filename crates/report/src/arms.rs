//! Runs under several arms beside each other, as a table for a terminal and as one JSON document.

use drivelab_analysis::arms::{ArmColumn, Arms};
use schemars::JsonSchema;
use serde::Serialize;

use crate::format;
use crate::table::{Cell, Column, Table};
use crate::terminal::{LEAST_WIDTH, plain, wrapped};

/// The document of several arms.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArmsDoc {
    /// `drivelab.arms`.
    pub schema: &'static str,
    /// Raised when readers of the version before would misread it.
    pub schema_version: u32,
    /// The comparison.
    #[serde(flatten)]
    pub arms: Arms,
}

/// The comparison as a document.
#[must_use]
pub fn arms_json(arms: Arms) -> ArmsDoc {
    ArmsDoc { schema: "drivelab.arms", schema_version: 1, arms }
}

/// The comparison in at most `width` columns: a line for each arm of each step.
#[must_use]
pub fn arms_table(arms: &Arms, width: usize) -> String {
    let figures = |title: &str, unit: &str| Column { metric: String::new(), ..Column::figures(title, unit) };
    let columns = vec![
        Column::words("Step"),
        Column::words("arm"),
        figures("rate", "MB/s"),
        figures("rate", "IOPS"),
        figures("cost", "%"),
        figures("CPU", "s/GB"),
    ];
    let shown =
        |value: Option<f64>, text: &dyn Fn(f64) -> String| Cell::text(value.map_or_else(|| "–".to_owned(), text));
    let rows = arms.rows.iter().flat_map(|row| {
        row.cells.iter().zip(&arms.arms).enumerate().map(|(at, (cell, arm))| {
            vec![
                Cell::text(if at == 0 { row.label.clone() } else { String::new() }),
                Cell::text(arm.arm.clone()),
                shown(cell.throughput, &format::mb_s),
                shown(cell.iops, &format::iops),
                shown(cell.cost_percent, &|cost| format!("{cost:.1}")),
                shown(cell.cpu_s_per_gb, &|cpu| format!("{cpu:.3}")),
            ]
        })
    });
    let table = Table { caption: "Arms beside each other".to_owned(), columns, rows: rows.collect() };
    let width = width.max(LEAST_WIDTH);
    let mut lines = plain(&table.without_empty_columns(), width);
    lines.push(String::new());
    lines.extend(arms.arms.iter().map(whole));
    lines.extend(wrapped(
        "cost: loss of MB/s against the mean of the runs of the arm none (of those themselves: how far they are apart); CPU: \
         seconds of all CPUs, whoever used them, for each GB moved",
        width,
    ));
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn whole(arm: &ArmColumn) -> String {
    let cpu = arm.cpu_s_per_gb.map_or_else(|| "CPU not measured".to_owned(), |cpu| format!("{cpu:.3} CPU s/GB in all"));
    format!("{}: {cpu}, run {}", arm.arm, arm.run)
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::arms::{ArmCell, ArmRow};
    use drivelab_core::ids::{RunId, StepId};

    use super::*;

    #[test]
    fn each_arm_has_a_line_in_each_step() {
        let arm = |arm: &str| ArmColumn { run: RunId::now(), arm: arm.to_owned(), cpu_s_per_gb: Some(0.25) };
        let cell = |rate: f64, cost: f64| ArmCell {
            throughput: Some(rate),
            iops: None,
            cost_percent: Some(cost),
            cpu_s_per_gb: None,
        };
        let row = ArmRow {
            step: StepId::new("t", "a"),
            label: "SEQ read".into(),
            cells: vec![cell(1000.0, 0.0), cell(750.0, 25.0)],
        };
        let text = arms_table(&Arms { arms: vec![arm("none"), arm("luks2")], rows: vec![row] }, 100);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert!(lines.contains(&vec!["SEQ", "read", "none", "1,000", "–", "0.0", "–"]), "{text}");
        assert!(lines.contains(&vec!["luks2", "750.0", "–", "25.0", "–"]), "{text}");
        assert!(text.contains("luks2: 0.250 CPU s/GB in all, run "), "{text}");
    }
}
