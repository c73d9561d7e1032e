//! The document of a ranking, which `drivelab rank --json` prints, and its schema.

use drivelab_analysis::ratios::{RatioBound, Verdict};
use drivelab_core::ids::StepId;
use drivelab_core::metric::Better;
use schemars::JsonSchema;
use serde::Serialize;

use crate::documents::schema;
use crate::figure::escape;
use crate::marker;
use crate::views::across::rank::RankInput;

/// Version of the document.
const VERSION: u32 = 1;
/// The columns of the CSV form.
const COLUMNS: [&str; 16] = [
    "drivelab_rank_version",
    "place",
    "drive",
    "value",
    "lower_bound",
    "disturbed",
    "unit",
    "ratio",
    "low",
    "high",
    "verdict",
    "runs",
    "address",
    "price",
    "currency",
    "value_per_currency",
];

/// Drives ranked by one figure, as docs/formats/rank.schema.json describes them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RankDoc {
    /// Always `drivelab.rank`.
    pub(crate) schema: &'static str,
    /// Version of this document, 1. Raised when readers of the previous version would misread the new one.
    pub(crate) schema_version: u32,
    /// Name of the methodology.
    pub(crate) method: String,
    /// Its version.
    pub(crate) method_version: String,
    /// Its form.
    pub(crate) form: String,
    /// Address of the figure: `STEP:METRIC`, or that of a score.
    pub(crate) address: String,
    /// The step; absent for a figure of the whole run.
    pub(crate) step: Option<StepId>,
    /// The figure in words.
    pub(crate) title: String,
    /// Its unit.
    pub(crate) unit: String,
    /// Which direction is better.
    pub(crate) better: Better,
    /// The drives, the best first.
    pub(crate) rows: Vec<RankRowDoc>,
    /// Published figures; they have no place.
    pub(crate) published: Vec<RankPublishedDoc>,
    /// What the places rest on, a sentence each.
    pub(crate) notes: Vec<String>,
}

/// A drive in a ranking.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct RankRowDoc {
    /// Its place, from 1. A new place begins with a drive that is shown to be worse than the first drive of the
    /// place before; drives that share a place may still differ. `null` if it is the only ranked drive.
    pub(crate) place: Option<usize>,
    /// The drive.
    pub(crate) drive: String,
    /// Geometric mean of its runs.
    pub(crate) value: Option<f64>,
    /// The value is a lower bound.
    pub(crate) lower_bound: bool,
    /// Something outside the test changed it.
    pub(crate) disturbed: bool,
    /// Its ratio to the first; `null` for the first.
    pub(crate) ratio: Option<f64>,
    /// Low end of the ratio's 95 % interval; `null` if nothing shows how the values scatter.
    pub(crate) low: Option<f64>,
    /// High end.
    pub(crate) high: Option<f64>,
    /// Whether the ratio is only a bound; `null` if it is not.
    pub(crate) bound: Option<RatioBound>,
    /// It is shown to be better than every other.
    pub(crate) best: bool,
    /// What the comparison with the first says; `null` for the first.
    pub(crate) verdict: Option<Verdict>,
    /// Number of its runs.
    pub(crate) runs: usize,
    /// Price of the drive; absent if it is not known, or if prices are in several currencies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) price: Option<f64>,
    /// Currency of the price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) currency: Option<String>,
    /// The value per unit of currency; absent without a price, or if less is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value_per_currency: Option<f64>,
}

/// A published figure beside a ranking.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct RankPublishedDoc {
    /// The drive.
    pub(crate) drive: String,
    /// The value, in the unit of the ranking: the mean of several readings, or the middle of a range.
    pub(crate) value: f64,
    /// The lowest of several; absent for a single figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) low: Option<f64>,
    /// The highest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) high: Option<f64>,
    /// Who published it.
    pub(crate) source: String,
}

/// The document of a ranking.
pub(crate) fn document(input: &RankInput<'_>) -> RankDoc {
    let (ranking, run) = (&input.ranking, &input.method.run);
    let figure = &ranking.figure;
    let row = |placed: &drivelab_analysis::rank::Placed| {
        let cell = &figure.cells[placed.side];
        let against = cell.against;
        RankRowDoc {
            place: input.has_places().then_some(placed.place),
            drive: input.names[placed.side].clone(),
            value: cell.value,
            lower_bound: cell.is_at_least(),
            disturbed: cell.is_spoiled(),
            ratio: against.and_then(|one| one.ratio),
            low: against.and_then(|one| one.interval).map(|ends| ends.0),
            high: against.and_then(|one| one.interval).map(|ends| ends.1),
            bound: against.and_then(|one| one.bound),
            best: input.is_best(placed.side),
            verdict: against.map(|one| one.verdict),
            runs: cell.metrics.len(),
            price: input.price(placed.side).map(|price| price.amount),
            currency: input.price(placed.side).map(|price| price.currency.clone()),
            value_per_currency: input.for_money(placed.side),
        }
    };
    let published = input.beside().map(|(side, readings)| RankPublishedDoc {
        drive: side.title.clone(),
        value: readings.drawn(),
        low: readings.ends().map(|ends| ends.0),
        high: readings.ends().map(|ends| ends.1),
        source: side.source.clone(),
    });
    RankDoc {
        schema: marker::RANK,
        schema_version: VERSION,
        method: run.method.name.clone(),
        method_version: run.method.version.clone(),
        form: run.form.name().to_owned(),
        address: figure.metric.address.clone(),
        step: figure.metric.step.clone(),
        title: input.what(),
        unit: figure.metric.unit.clone(),
        better: figure.better,
        rows: ranking.order.iter().map(row).collect(),
        published: published.collect(),
        notes: input.notes(),
    }
}

impl RankDoc {
    /// One row for each place, with a heading, as CSV.
    ///
    /// # Errors
    /// The rows cannot be written to memory.
    pub(crate) fn csv(&self) -> Result<String, csv::Error> {
        let mut rows = csv::Writer::from_writer(Vec::new());
        rows.write_record(COLUMNS)?;
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        for row in &self.rows {
            let verdict = serde_json::to_value(row.verdict).ok();
            let verdict = verdict.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
            rows.write_record([
                VERSION.to_string(),
                row.place.map_or_else(String::new, |place| place.to_string()),
                escape::spreadsheet(&row.drive),
                number(row.value),
                row.lower_bound.to_string(),
                row.disturbed.to_string(),
                self.unit.clone(),
                number(row.ratio),
                number(row.low),
                number(row.high),
                verdict,
                row.runs.to_string(),
                self.address.clone(),
                number(row.price),
                row.currency.clone().unwrap_or_default(),
                number(row.value_per_currency),
            ])?;
        }
        let bytes = rows.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// JSON Schema of [`RankDoc`].
pub(crate) fn rank_schema() -> serde_json::Value {
    schema::of::<RankDoc>("drivelab, drives ranked by one figure", "drivelab.rank.v1")
}
