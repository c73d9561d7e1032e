//! Printed figures of a drive compared with measured ones: each figure with its twin, the verdict, the likely cause if
//! it was missed, and the endurance. docs/metrics.md states the rules.
//!
//! Measured values are copied from the metrics, so that voids and lower bounds apply here too. Must not know how a
//! table looks or where facts are kept: printed figures were recorded with the run.

use drivelab_core::data_sheet::{DataSheet, PrintedFigure};
use drivelab_core::metric::Metric;
use drivelab_core::plan::{Form, Step, StepRole, TestPlan};
use drivelab_core::run::RunRecords;

use super::row::{Sheet, SheetRow, TOLERANCE, Verdict, metric_of};
use super::{causes, endurance};
use crate::analysis::Analysis;
use crate::topics::telemetry::values as telemetry;

/// The table of a run whose methodology has twins; `None` for others.
#[must_use]
pub fn sheet(records: &RunRecords, analysis: &Analysis) -> Option<Sheet> {
    let twins: Vec<(&TestPlan, PrintedFigure)> =
        records.plan.tests.iter().filter_map(|test| Some((test, test.twin?))).collect();
    if twins.is_empty() {
        return None;
    }
    let printed = records.environment.data_sheet.as_deref();
    let mut rows = Vec::new();
    for figure in PrintedFigure::ALL {
        let of_figure = twins.iter().filter(|(_, twin)| *twin == figure);
        let before = rows.len();
        rows.extend(of_figure.map(|(test, _)| row(records, analysis, printed, figure, Some(test))));
        if rows.len() == before && printed.is_some_and(|sheet| sheet.figure(figure.name()).is_some()) {
            rows.push(row(records, analysis, printed, figure, None));
        }
    }
    let write = rows.iter().filter(|row| row.figure == PrintedFigure::SequentialWrite).find_map(|row| row.measured);
    Some(Sheet {
        facts: printed.map(|sheet| sheet.facts.clone()),
        title: printed.map(|sheet| sheet.title.clone()),
        named_by_user: printed.is_some_and(|sheet| sheet.named_by_user),
        capacity_tb: printed.and_then(|sheet| sheet.capacity).map(|capacity| capacity.as_f64() / 1e12),
        endurance: endurance::of_run(records, printed, write),
        rows,
    })
}

/// The step of a test whose figure is compared with the printed one: the highest rate, the shortest time, the highest
/// power. Steps without a value are not candidates.
fn best<'t, 'a>(
    analysis: &'a Analysis,
    test: &'t TestPlan,
    figure: PrintedFigure,
) -> Option<(&'t Step, &'a Metric, f64)> {
    let id = metric_of(figure)?;
    let steps = test.steps.iter().filter(|step| step.role == StepRole::Measure);
    let valued = steps.filter_map(|step| {
        let metric = analysis.step_metric(&step.id, id)?;
        Some((step, metric, metric.value?))
    });
    let shortest = matches!(figure, PrintedFigure::ReadLatency | PrintedFigure::WriteLatency);
    let sign = if shortest { -1.0 } else { 1.0 };
    valued.max_by(|left, right| (sign * left.2).total_cmp(&(sign * right.2)))
}

fn row(
    records: &RunRecords,
    analysis: &Analysis,
    printed: Option<&DataSheet>,
    figure: PrintedFigure,
    test: Option<&TestPlan>,
) -> SheetRow {
    let best = test.and_then(|test| best(analysis, test, figure));
    let known = printed.and_then(|sheet| sheet.figure(figure.name()));
    let idle = || (figure == PrintedFigure::PowerIdle).then(|| telemetry::power_idle(records)).flatten();
    let (step, measured) = (best.map(|(step, ..)| step), best.map(|(.., value)| value).or_else(idle));
    let limit = step.and_then(|step| analysis.limits.iter().find(|limit| limit.step == step.id));
    // Power is valid whatever the limit was.
    let limited_here = limit.is_some_and(|limit| limit.limit.lower_bound) && figure.op().is_some();
    let wrong = best.and_then(|(_, metric, _)| metric.wrong);
    let number = known.and_then(|figure| figure.number).map(|number| number / figure.base_units());
    let ratio =
        measured.zip(number).filter(|(_, printed)| *printed > 0.0).map(|(measured, printed)| measured / printed);
    let verdict = if records.plan.form == Form::Smoke {
        Verdict::NotJudged
    } else {
        judge(figure, number, measured, limited_here || wrong.is_some())
    };
    let mut row = SheetRow {
        figure,
        unit: figure.unit().to_owned(),
        test: test.map(|test| test.name.clone()),
        step: step.map(|step| step.id.clone()),
        step_label: step.map(|step| step.label.clone()),
        metric: best.map(|(_, metric, _)| metric.id.clone()),
        printed: number,
        printed_text: known.map(|figure| figure.text.clone()),
        printed_note: known.map(note),
        printed_in: known.and_then(|figure| printed?.citation(&figure.source)).map(str::to_owned),
        measured,
        limited_here,
        wrong,
        ratio,
        verdict,
        causes: Vec::new(),
    };
    if matches!(verdict, Verdict::Missed | Verdict::Undecided) {
        row.causes = causes::of(records, analysis, test, &row);
    }
    row
}

/// How certain a printed figure is, and its conditions.
fn note(figure: &drivelab_core::data_sheet::SheetFigure) -> String {
    let certainty = figure.certainty.name();
    figure.note.as_ref().map_or_else(|| certainty.to_owned(), |note| format!("{certainty}; {note}"))
}

/// How a measured figure compares with the printed one.
#[must_use]
pub fn judge(figure: PrintedFigure, printed: Option<f64>, measured: Option<f64>, limited_here: bool) -> Verdict {
    let (Some(measured), Some(printed)) = (measured, printed.filter(|printed| *printed > 0.0)) else {
        return if measured.is_none() { Verdict::NotMeasured } else { Verdict::NotPrinted };
    };
    let good = if figure.less_is_better() {
        measured <= (1.0 + TOLERANCE) * printed
    } else {
        measured >= (1.0 - TOLERANCE) * printed
    };
    match (good, limited_here) {
        (true, _) => Verdict::Met,
        (false, true) => Verdict::Undecided,
        (false, false) => Verdict::Missed,
    }
}

#[cfg(test)]
mod tests;
