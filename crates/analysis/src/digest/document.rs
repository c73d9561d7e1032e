//! The stored form of a digest: metrics without what follows from their position and definition.
//!
//! Ids, units and codes are stored once in tables. An address follows from the step and the id, a spread from the
//! rounds, and the only round of a step is its value.

use drivelab_core::finding::Finding;
use drivelab_core::ids::StepId;
use drivelab_core::metric::{Interval95, Metric, Spread, Wrong};
use drivelab_core::plan::Combine;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::courses::Course;
use super::{Digest, RunFacts, StepDigest, StepFacts, TestDigest};
use crate::stats;
use crate::topics::limits::StepLimit;

/// The stored form.
#[derive(Serialize, Deserialize)]
struct Document {
    run: RunFacts,
    /// Id and unit of every metric that occurs.
    names: Vec<(String, String)>,
    /// Every code that voids or disturbs a metric.
    codes: Vec<String>,
    tests: Vec<Test>,
    metrics: Vec<Figure>,
    courses: Vec<Course>,
    findings: Vec<Finding>,
    limits: Vec<StepLimit>,
}

#[derive(Serialize, Deserialize)]
struct Test {
    name: String,
    title: String,
    combine: Combine,
    steps: Vec<Step>,
}

#[derive(Serialize, Deserialize)]
struct Step {
    facts: StepFacts,
    metrics: Vec<Figure>,
}

/// A metric. Its fields have short names, because there are thousands of metrics.
#[derive(Serialize, Deserialize, Default)]
struct Figure {
    /// Index of id and unit in the table.
    #[serde(rename = "m")]
    name: usize,
    #[serde(rename = "v", default, skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    /// Empty if the value is the only round.
    #[serde(rename = "r", default, skip_serializing_if = "Vec::is_empty")]
    rounds: Vec<f64>,
    #[serde(rename = "s", default, skip_serializing_if = "Vec::is_empty")]
    sets: Vec<f64>,
    /// Ends of the 95 % interval.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    confidence: Option<(f64, f64)>,
    /// Indexes of the codes that void it.
    #[serde(rename = "x", default, skip_serializing_if = "Vec::is_empty")]
    voided_by: Vec<usize>,
    /// Indexes of the codes that disturb it.
    #[serde(rename = "d", default, skip_serializing_if = "Vec::is_empty")]
    spoiled_by: Vec<usize>,
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    wrong: Option<Wrong>,
    #[serde(rename = "b", default, skip_serializing_if = "std::ops::Not::not")]
    lower_bound: bool,
    /// Present only if it does not follow from step and id.
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    address: Option<String>,
}

/// The tables while a document is made.
#[derive(Default)]
struct Tables {
    names: Vec<(String, String)>,
    codes: Vec<String>,
}

/// The index of an entry in a table, to which it is added if it is new.
fn place<T: PartialEq>(table: &mut Vec<T>, entry: T) -> usize {
    table.iter().position(|known| *known == entry).unwrap_or_else(|| {
        table.push(entry);
        table.len() - 1
    })
}

impl Tables {
    fn figure(&mut self, metric: Metric) -> Figure {
        let follows = address(metric.step.as_ref(), &metric.id);
        let only =
            metric.step.is_some() && metric.value.is_some() && metric.rounds.as_slice() == metric.value.as_slice();
        let mut codes = |all: Vec<String>| all.into_iter().map(|code| place(&mut self.codes, code)).collect();
        Figure {
            value: metric.value,
            rounds: if only { Vec::new() } else { metric.rounds },
            sets: metric.sets,
            confidence: metric.spread.and_then(|spread| spread.confidence).map(|ends| (ends.low, ends.high)),
            voided_by: codes(metric.voided_by),
            spoiled_by: codes(metric.spoiled_by),
            wrong: metric.wrong,
            lower_bound: metric.lower_bound,
            address: (metric.address != follows).then_some(metric.address),
            name: place(&mut self.names, (metric.id, metric.unit)),
        }
    }

    fn figures(&mut self, metrics: Vec<Metric>) -> Vec<Figure> {
        metrics.into_iter().map(|metric| self.figure(metric)).collect()
    }

    fn metric(&self, step: Option<&StepId>, figure: Figure) -> Metric {
        let (id, unit) = self.names.get(figure.name).cloned().unwrap_or_default();
        let codes = |places: Vec<usize>| places.into_iter().filter_map(|at| self.codes.get(at).cloned()).collect();
        let rounds = match figure.value {
            Some(value) if figure.rounds.is_empty() && step.is_some() => vec![value],
            _ => figure.rounds,
        };
        let told = if figure.sets.is_empty() { &rounds } else { &figure.sets };
        let confidence = figure.confidence.map(|(low, high)| Interval95 { low, high });
        Metric {
            address: figure.address.unwrap_or_else(|| address(step, &id)),
            id,
            step: step.cloned(),
            unit,
            value: figure.value,
            spread: stats::spread(told).map(|spread| Spread { confidence, ..spread }),
            rounds,
            sets: figure.sets,
            voided_by: codes(figure.voided_by),
            spoiled_by: codes(figure.spoiled_by),
            wrong: figure.wrong,
            lower_bound: figure.lower_bound,
        }
    }
}

fn address(step: Option<&StepId>, id: &str) -> String {
    step.map_or_else(|| format!("run:{id}"), |step| format!("{step}:{id}"))
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Document::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Document::deserialize(deserializer).map(Digest::from)
    }
}

impl From<Digest> for Document {
    fn from(digest: Digest) -> Document {
        let Digest { run, tests, metrics, courses, findings, limits } = digest;
        let mut tables = Tables::default();
        let mut step = |step: StepDigest| Step { facts: step.facts, metrics: tables.figures(step.metrics) };
        let mut test = |TestDigest { name, title, combine, steps }| Test {
            name,
            title,
            combine,
            steps: steps.into_iter().map(&mut step).collect(),
        };
        let tests = tests.into_iter().map(&mut test).collect();
        let metrics = tables.figures(metrics);
        Document { run, names: tables.names, codes: tables.codes, tests, metrics, courses, findings, limits }
    }
}

impl From<Document> for Digest {
    fn from(document: Document) -> Digest {
        let Document { run, names, codes, tests, metrics, courses, findings, limits } = document;
        let tables = Tables { names, codes };
        let step = |Step { facts, metrics }: Step| {
            let metric = |figure| tables.metric(Some(&facts.id), figure);
            StepDigest { metrics: metrics.into_iter().map(metric).collect(), facts }
        };
        let test = |Test { name, title, combine, steps }: Test| TestDigest {
            name,
            title,
            combine,
            steps: steps.into_iter().map(step).collect(),
        };
        let tests = tests.into_iter().map(test).collect();
        let metrics = metrics.into_iter().map(|figure| tables.metric(None, figure)).collect();
        Digest { run, tests, metrics, courses, findings, limits }
    }
}
