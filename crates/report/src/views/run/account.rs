//! Measurement overhead: what the engine reports about every step, as a table.

use drivelab_core::plan::Step;
use drivelab_core::record::{Effort, EngineReport, StepRecord};

use crate::figure::input::ReportInput;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{cells, format};

/// Metrics of the table, with short names.
const SHOWN: [(&str, &str); 9] = [
    ("cpu_user_per_io", "User CPU per operation"),
    ("engine.user_share", "User CPU"),
    ("engine.kernel_share", "Kernel CPU"),
    ("engine.operations_per_syscall", "Operations per system call"),
    ("engine.depth_kept", "Depth reached"),
    ("engine.reap_gap_mean", "Reap gap mean"),
    ("engine.reap_gap_max", "Reap gap max"),
    ("engine.short_transfers", "Short transfers"),
    ("engine.eagain_retries", "EAGAIN retries"),
];

/// One row for every executed step. Columns with the same value for all steps are returned as title and value instead.
pub(crate) fn account(input: &ReportInput<'_>) -> (Table, Vec<(String, String)>) {
    let mut columns = vec![Column::words("Step")];
    columns.extend(SHOWN.map(|(id, title)| {
        let unit = drivelab_analysis::metric_def(id).map_or("", |def| cells::unit_text(def.unit));
        Column { metric: id.to_owned(), ..Column::figures(title, unit) }
    }));
    let words =
        ["Reason for backend", "Refused", "Clock", "Pinned to CPUs", "Page cache before", "Random data repeats after"];
    columns.extend(words.map(Column::words));
    let executed = |step: &&Step| input.records.steps.iter().any(|record| record.key.step == step.id);
    let steps = input.records.plan.steps().filter(|step| step.workload().is_some()).filter(executed);
    let rows = steps.map(|step| row(input, step)).collect();
    let table = Table { caption: "Measurement overhead".to_owned(), columns, rows };
    table.without_empty_columns().hoist()
}

fn row(input: &ReportInput<'_>, step: &Step) -> Vec<Cell> {
    let mut row = vec![cells::step_cell(step, step.label.clone())];
    row.extend(SHOWN.map(|(id, _)| cells::cell_of(input, step, id)));
    let records: Vec<&StepRecord> = input.records.steps.iter().filter(|record| record.key.step == step.id).collect();
    let joined = |of: fn(&EngineReport) -> String| {
        let mut texts: Vec<String> = records.iter().map(|record| of(&record.engine)).collect();
        texts.sort();
        texts.dedup();
        texts.retain(|text| !text.is_empty());
        Cell::text(texts.join(", "))
    };
    row.push(joined(|engine| engine.reason.clone()));
    row.push(joined(refused));
    row.push(joined(|engine| engine.effort.as_ref().map_or_else(String::new, clock)));
    row.push(joined(|engine| engine.effort.as_ref().map_or_else(String::new, cpus)));
    row.push(joined(|engine| engine.effort.as_ref().and_then(|effort| effort.page_cache.clone()).unwrap_or_default()));
    row.push(joined(|engine| engine.effort.as_ref().map_or_else(String::new, window)));
    row
}

fn refused(engine: &EngineReport) -> String {
    let workers = engine.punted.then(|| "inline submission (io-wq workers)".to_owned());
    engine.refused.iter().cloned().chain(workers).collect::<Vec<_>>().join(", ")
}

/// Name and reason, and the deviation if it is at least 1 µs.
fn clock(effort: &Effort) -> String {
    let apart = effort.clock_error_ns.unsigned_abs();
    if apart < 1_000 {
        return effort.clock.clone();
    }
    #[expect(clippy::cast_precision_loss, reason = "drift stays far below 2^53 ns")]
    let apart_us = apart as f64 / 1e3;
    format!("{}, off by {} µs at the end", effort.clock, format::latency_us(apart_us))
}

fn window(effort: &Effort) -> String {
    effort.data_window.map_or_else(String::new, |window| window.to_string())
}

fn cpus(effort: &Effort) -> String {
    effort.cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}
