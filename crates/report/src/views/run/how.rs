//! How a run was measured, as tables: every step with its parameters and its end, and what limited it.

use drivelab_core::plan::{Action, Rest, Step, StepRole};
use drivelab_core::record::{StepRecord, StopReason};

use crate::figure::input::ReportInput;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{cells, format};
use crate::words::load::load_words;
use crate::words::load_parts::LoadWords;
use crate::words::rounds::rounds_text;
use crate::words::run_facts;

fn stop_reason(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Time => "time elapsed",
        StopReason::Volume => "volume moved",
        StopReason::Passes => "span completed",
        StopReason::Operations => "number of operations completed",
        StopReason::Cap => "time limit reached",
        StopReason::Stopped => "stopped early",
        StopReason::Errors => "stopped by errors",
    }
}

fn rest_text(rest: Rest) -> String {
    match rest {
        Rest::None {} => String::new(),
        Rest::Fixed { time } => format::duration(time),
        Rest::DutyCycle { percent, cap } => format!("{percent} % active, at most {}", format::duration(cap)),
    }
}

/// Every step with its parameters and its end. Columns with the same value for all steps are returned as title and
/// value instead.
pub(crate) fn how_measured(input: &ReportInput<'_>) -> (Table, Vec<(String, String)>) {
    let titles = [
        "Step",
        "Load",
        "Data",
        "Span",
        "Stop rule",
        "Ramp",
        "Rest",
        "Rounds",
        "Seed",
        "End",
        "Measured time",
        "Engine",
    ];
    let columns = titles.map(Column::words).into();
    let mut rows = Vec::new();
    for test in &input.records.plan.tests {
        for step in &test.steps {
            let rounds = rounds_text(test);
            rows.push(how_row(input, step, if rounds.is_empty() { "1".to_owned() } else { rounds }));
        }
    }
    Table { caption: "Parameters of every step".to_owned(), columns, rows }.without_empty_columns().hoist()
}

fn how_row(input: &ReportInput<'_>, step: &Step, rounds: String) -> Vec<Cell> {
    let role = if step.role == StepRole::Prepare { " (preparation)" } else { "" };
    let mut row = vec![cells::step_cell(step, format!("{}{role}", step.label))];
    let texts: [String; 7] = match &step.action {
        Action::Idle { time } => {
            let text = format!("idle for {}", format::duration(*time));
            [text, String::new(), String::new(), String::new(), String::new(), rest_text(step.rest), rounds]
        }
        Action::CoolDown(wait) => {
            let text = format!("wait until below {} °C, at most {}", wait.below_c, format::duration(wait.cap));
            [text, String::new(), String::new(), String::new(), String::new(), rest_text(step.rest), rounds]
        }
        Action::Io { workload, stop, ramp } => {
            let ramp = if ramp.get() == 0 { String::new() } else { format::duration(*ramp) };
            let LoadWords { load, data, span, seed: _ } = load_words(workload);
            [load, data, span, run_facts::stop_text(workload, stop), ramp, rest_text(step.rest), rounds]
        }
    };
    row.extend(texts.map(Cell::text));
    row.push(Cell::text(step.workload().map_or_else(String::new, |workload| load_words(workload).seed)));
    let records: Vec<&StepRecord> = input.records.steps.iter().filter(|record| record.key.step == step.id).collect();
    let joined = |of: &dyn Fn(&StepRecord) -> String| {
        let mut texts: Vec<String> = records.iter().map(|record| of(record)).collect();
        texts.dedup();
        texts.join(", ")
    };
    let ended = joined(&|record| stop_reason(record.stop_reason).to_owned());
    row.push(Cell::text(if records.is_empty() { "not executed".to_owned() } else { ended }));
    row.push(Cell::text(joined(&|record| format::duration(record.elapsed()))));
    row.push(Cell::text(joined(&|record| engine_text(record))));
    row
}

fn engine_text(record: &StepRecord) -> String {
    let direct = if record.engine.direct_verified { ", direct I/O verified" } else { "" };
    format!("{}{direct}", record.engine.backend)
}

/// What limited each step.
pub(crate) fn limits(input: &ReportInput<'_>) -> Table {
    let columns = ["Step", "Limited by", "Reason"].map(Column::words).into();
    let row = |limit: &drivelab_analysis::StepLimit| {
        let step = input.records.plan.step(&limit.step);
        let label = step.map_or_else(|| limit.step.to_string(), |step| step.label.clone());
        vec![Cell::text(label), Cell::text(limit.limit.limited_by.title()), Cell::text(limit.limit.reason.clone())]
    };
    Table {
        caption: "What limited each step".to_owned(),
        columns,
        rows: input.analysis.limits.iter().map(row).collect(),
    }
}
