//! `[[scores]]`: weighted figures that a methodology derives from the figures of its steps.
//!
//! Owns what their names refer to: tests, steps, other scores. `analysis` computes their values. Must not know:
//! records, results.

use std::collections::{HashMap, HashSet};

use drivelab_core::ids::StepId;
use drivelab_core::metric::Better;
use drivelab_core::plan::{LeftOut, StepRole, TestPlan};
use drivelab_core::score::{Score, ScorePart, ScoreRates, ScoreRule, WEIGHT_ONE};

use crate::methodology::Methodology;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::marks::{cited, sources_of};
use crate::tree::near::nearest;
use crate::tree::value::{Located, Table, Value};

/// Unit of a score whose figures have different units.
const POINTS: &str = "points";

/// Adds an error for each name that refers to nothing.
pub(crate) fn check(root: &Table, sources: &[&str], errors: &mut Errors) {
    let tests: Vec<&str> = root.tables("tests").iter().map(|test| test.text("name")).collect();
    let known: HashSet<&str> = tests.iter().copied().collect();
    let scores = root.tables("scores");
    let mut before: HashSet<&str> = HashSet::new();
    for (index, score) in scores.iter().enumerate() {
        cited(score.list("sources"), sources, errors);
        sources_of(score, sources, errors);
        for part in score.tables("parts") {
            let Some(name) = part.get("test") else { continue };
            let wanted = part.text("test");
            if !known.contains(wanted) {
                let title = format!("there is no test '{wanted}'");
                let near = nearest(wanted, tests.iter().copied());
                errors.push(Diagnostic::new(name.at.clone(), title, "expected the name of a test").near(near));
            }
        }
        let wanted = score.text("over");
        if let Some(over) = score.get("over").filter(|_| !before.contains(wanted)) {
            let title = format!("there is no score '{wanted}' before this one");
            let near = nearest(wanted, scores[..index].iter().map(|other| other.text("name")));
            errors.push(Diagnostic::new(over.at.clone(), title, "expected the name of a score above").near(near));
        }
        before.insert(score.text("name"));
    }
}

/// What a plan contains of a methodology's scores.
#[derive(Debug, Default)]
pub(crate) struct Scores {
    pub(crate) scores: Vec<Score>,
    pub(crate) left_out: Vec<LeftOut>,
    /// Steps that do not exist, although nothing was set on the command line.
    pub(crate) errors: Errors,
}

/// The scores of a methodology whose tests are in a plan under names with this prefix (`as-ssd-`, or nothing). A
/// score of which every test is missing is not reported, because the missing tests are.
pub(crate) fn of_plan(method: &Methodology, prefix: &str, tests: &[TestPlan]) -> Scores {
    let mut all = Scores::default();
    let tests: HashMap<&str, &TestPlan> = tests.iter().rev().map(|test| (test.name.as_str(), test)).collect();
    let mut made: HashSet<String> = HashSet::new();
    for table in method.root().tables("scores") {
        let parts: Vec<Result<ScorePart, Lack>> =
            table.tables("parts").iter().map(|one| part(one, prefix, &tests)).collect();
        let missing = |part: &Result<ScorePart, Lack>| matches!(part, Err(Lack::Test(_)));
        if parts.iter().all(missing) {
            continue;
        }
        let (name, title) = (format!("{prefix}{}", table.text("name")), table.text("title").to_owned());
        let over = table.has("over").then(|| format!("{prefix}{}", table.text("over")));
        let divided = over.as_ref().is_none_or(|over| made.contains(over));
        match parts.into_iter().collect::<Result<Vec<ScorePart>, Lack>>() {
            Ok(parts) if divided => {
                made.insert(name.clone());
                all.scores.push(score(table, name, parts, over));
            }
            Ok(_) => {
                let reason = format!("it is divided by '{}', which is left out", over.unwrap_or_default());
                all.left_out.push(LeftOut { test: name, title, reason });
            }
            Err(Lack::Step(error)) if method.settings().is_empty() => all.errors.push(error),
            Err(Lack::Step(error)) => {
                all.left_out.push(LeftOut { test: name, title, reason: error.title().to_owned() })
            }
            Err(Lack::Test(test)) => {
                let reason = format!("it needs the test '{test}', which is not in the plan");
                all.left_out.push(LeftOut { test: name, title, reason });
            }
        }
    }
    all
}

/// What a part of a score refers to and the plan does not have.
enum Lack {
    Test(String),
    Step(Diagnostic),
}

fn part(table: &Table, prefix: &str, tests: &HashMap<&str, &TestPlan>) -> Result<ScorePart, Lack> {
    let name = format!("{prefix}{}", table.text("test"));
    let Some(test) = tests.get(name.as_str()) else { return Err(Lack::Test(name)) };
    let measured = || test.steps.iter().filter(|step| step.role == StepRole::Measure).map(|step| &step.id);
    let found = |wanted: &Located<Value>| {
        let slug = wanted.value.to_string();
        measured().find(|id| id.slug() == slug).cloned().ok_or_else(|| {
            let near = nearest(&slug, measured().map(StepId::slug));
            let title = format!("'{name}' has no step '{slug}'");
            let error = Diagnostic::new(wanted.at.clone(), title, "expected the second part of a step's id").near(near);
            let slugs: Vec<&str> = measured().take(8).map(StepId::slug).collect();
            Lack::Step(error.help(format!("steps of the test: {}", slugs.join(", "))))
        })
    };
    let steps: Vec<StepId> = match table.list("steps") {
        [] => measured().cloned().collect(),
        listed => listed.iter().map(found).collect::<Result<_, _>>()?,
    };
    let weight = match table.get("weight").map(|found| &found.value) {
        Some(Value::Decimal(thousandths)) => *thousandths,
        _ => WEIGHT_ONE,
    };
    Ok(ScorePart { steps, metric: figure(table).to_owned(), weight_thousandths: weight })
}

pub(crate) fn figure(part: &Table) -> &'static str {
    word(part, "figure").unwrap_or("total.throughput")
}

fn word(table: &Table, key: &str) -> Option<&'static str> {
    match table.get(key)?.value {
        Value::Word(word) => Some(word),
        _ => None,
    }
}

fn score(table: &Table, name: String, parts: Vec<ScorePart>, over: Option<String>) -> Score {
    let rates = if word(table, "rates_in") == Some("MiB/s") { ScoreRates::Binary } else { ScoreRates::Decimal };
    let units: Vec<&str> = parts.iter().map(|part| unit(&part.metric, rates)).collect();
    let same = over.is_none() && units.windows(2).all(|pair| pair[0] == pair[1]);
    let common = units.first().copied().filter(|_| same).unwrap_or(POINTS);
    let all = |units: &[&str]| parts.iter().all(|part| units.contains(&unit(&part.metric, rates)));
    let better = match over {
        _ if all(&["us", "s", "W"]) => Better::Lower,
        // An amount of data says nothing about a drive, unless it is divided by a time.
        None if all(&["MB"]) => Better::Neutral,
        _ => Better::Higher,
    };
    let reasons = table.table("approximation").into_iter().flat_map(|marks| &marks.entries);
    let reasons: Vec<String> = reasons.map(|(key, entry)| format!("{key}: {}", entry.value.value)).collect();
    Score {
        name,
        title: table.text("title").to_owned(),
        unit: if table.has("unit") { table.text("unit").to_owned() } else { common.to_owned() },
        rule: if word(table, "rule") == Some("mean") { ScoreRule::Mean } else { ScoreRule::Sum },
        better,
        rates,
        parts,
        over,
        sources: table.list("sources").iter().map(|id| id.value.to_string()).collect(),
        approximation: reasons.join("; "),
    }
}

/// Unit of a figure, from the end of its name.
fn unit(figure: &str, rates: ScoreRates) -> &'static str {
    match figure.rsplit('.').next() {
        Some("throughput") if rates == ScoreRates::Binary => "MiB/s",
        Some("throughput") => "MB/s",
        Some("iops") => "IOPS",
        Some("mean") => "W",
        Some("bytes") => "MB",
        Some("busy_time") => "s",
        _ => "us",
    }
}
