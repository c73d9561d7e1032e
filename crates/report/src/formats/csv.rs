//! Every metric as CSV: one per line, numbers for programs, with the fields that decide about comparability.

use drivelab_core::metric::Wrong;

use crate::error::ReportError;
use crate::figure::escape;
use crate::figure::input::ReportInput;
use crate::words::{facts, run_facts};

/// Version of the columns; columns are only added at the end.
const VERSION: &str = "1";
const HEAD: [&str; 24] = [
    "drivelab_results_version",
    "run",
    "form",
    "method",
    "method_version",
    "method_hash",
    "drive",
    "firmware",
    "state",
    "test",
    "step",
    "label",
    "metric",
    "value",
    "unit",
    "void_because",
    "rounds",
    "round_min",
    "round_max",
    "interval_95_low",
    "interval_95_high",
    "lower_bound",
    "spoiled_by",
    "wrong",
];

/// All metrics of all runs.
pub(crate) fn csv(inputs: &[ReportInput<'_>]) -> Result<String, ReportError> {
    let mut writer = ::csv::WriterBuilder::new().terminator(::csv::Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(HEAD)?;
    for input in inputs {
        for metric in &input.analysis.metrics {
            writer.write_record(line(input, metric))?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| ::csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn line(input: &ReportInput<'_>, metric: &drivelab_core::metric::Metric) -> [String; HEAD.len()] {
    let plan = &input.records.plan;
    let drive = input.records.environment.drive();
    let step = metric.step.as_ref().and_then(|id| plan.step(id));
    let test = metric.step.as_ref().and_then(|id| plan.test_of(id));
    // A score belongs to no step; its address and title fill the columns of a step.
    let score = plan.scores.iter().find(|score| score.address() == metric.address);
    let place = metric.address.split(':').next().filter(|_| score.is_some());
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let words = |text: &str| escape::spreadsheet(text);
    [
        VERSION.to_owned(),
        input.records.run.to_string(),
        plan.form.name().to_owned(),
        words(&plan.methodology.name),
        words(&plan.methodology.version),
        words(&plan.methodology.hash),
        words(&facts::drive_name(&input.records.environment)),
        words(drive.and_then(|drive| drive.firmware.as_deref()).unwrap_or_default()),
        run_facts::state_word(input.records.state).to_owned(),
        words(test.map_or("", |test| &test.name)),
        words(step.map(|step| step.id.as_str()).or(place).unwrap_or_default()),
        words(step.map(|step| &step.label).or(score.map(|score| &score.title)).map_or("", |text| text)),
        words(&metric.id),
        number(metric.value),
        metric.unit.clone(),
        words(&metric.voided_by.join(" ")),
        metric.rounds.len().to_string(),
        number(metric.spread.map(|spread| spread.min)),
        number(metric.spread.map(|spread| spread.max)),
        number(metric.spread.and_then(|spread| spread.confidence).map(|ends| ends.low)),
        number(metric.spread.and_then(|spread| spread.confidence).map(|ends| ends.high)),
        if metric.lower_bound { "yes".to_owned() } else { String::new() },
        words(&metric.spoiled_by.join(" ")),
        match metric.wrong {
            None => String::new(),
            Some(Wrong::TooLow) => "too_low".to_owned(),
            Some(Wrong::TooHigh) => "too_high".to_owned(),
            Some(Wrong::EitherWay) => "either_way".to_owned(),
        },
    ]
}
