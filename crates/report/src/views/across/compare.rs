//! Several runs beside each other: which may be compared, and the tables of those that may.
//!
//! Unlike runs (another method hash, another form, the smoke form, other conditions than arm and power state) are never
//! put in one table; the reason is said.

use drivelab_analysis::rate;
use drivelab_core::group::{GroupRole, letter};
use drivelab_core::plan::{Form, Step};

use crate::figure::input::ReportInput;
use crate::figure::op::Op;
use crate::figure::pairs::measured;
use crate::figure::table::{Column, Table};
use crate::figure::{cells, format, quantity, signs};
use crate::views::across::arms::{self, ArmsView};
use crate::words::{facts, run_facts};

/// What must be equal for two runs to stand in one table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CompareKey {
    hash: String,
    form: Form,
    ground: String,
}

fn key(input: &ReportInput<'_>) -> CompareKey {
    let plan = &input.records.plan;
    let series = input.records.environment.condition.as_ref().and_then(|facts| facts.series.as_ref());
    let device = if series.is_some_and(|series| series.loop_on_file) { ", on a loop device on a file" } else { "" };
    let ground = format!("{}{device}", condition(input).ground());
    CompareKey { hash: plan.methodology.hash.clone(), form: plan.form, ground }
}

/// What was set up around the target; nothing where that is not on record.
fn condition(input: &ReportInput<'_>) -> drivelab_core::condition::Condition {
    input.records.environment.condition.as_ref().map(|facts| facts.asked).unwrap_or_default()
}

/// Runs that may be compared with each other, as one table for rates and one for latency.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    /// Methodology and form that they share.
    pub(crate) title: String,
    /// What differs besides the drive, and must be kept in mind.
    pub(crate) differences: Vec<String>,
    /// One row a step and operation that any of the runs has, one column a run.
    pub(crate) tables: Vec<Table>,
    /// What the marks in the tables mean; empty where none has any.
    pub(crate) legend: String,
}

/// The comparison of several runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Comparison {
    /// Runs of one drive under several arms, set beside each other.
    pub(crate) arms: Vec<ArmsView>,
    /// Groups of two runs or more.
    pub(crate) groups: Vec<Group>,
    /// Why the rest is not comparable, a sentence each.
    pub(crate) refused: Vec<String>,
}

impl Comparison {
    /// Whether every run may be compared with every other.
    pub(crate) fn is_whole(&self) -> bool {
        self.refused.is_empty()
    }
}

/// Name of a run among several: letter, drive.
pub(crate) fn run_name(index: usize, input: &ReportInput<'_>) -> String {
    let condition = condition(input);
    let arm = if condition.is_any() { format!(", {}", condition.arm()) } else { String::new() };
    format!("{}: {}{arm}", letter(index), facts::title(&input.records.environment))
}

/// Sorts runs into groups that may be compared.
pub(crate) fn compare(inputs: &[ReportInput<'_>]) -> Comparison {
    let mut groups: Vec<(CompareKey, Vec<usize>)> = Vec::new();
    let mut comparison = Comparison::default();
    for (index, input) in inputs.iter().enumerate() {
        let key = key(input);
        if key.form == Form::Smoke {
            let name = run_name(index, input);
            comparison
                .refused
                .push(format!("{name} is in the smoke form, which is for tests only and unusable for comparison."));
            continue;
        }
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push(index),
            None => groups.push((key, vec![index])),
        }
    }
    comparison.refused.extend(unlike(inputs, &groups));
    for (_, members) in groups.iter().filter(|(_, members)| members.len() > 1) {
        let named = members.iter().filter_map(|index| Some((letter(*index), inputs.get(*index)?)));
        comparison.arms.extend(arms::views(&named.collect::<Vec<_>>()));
        comparison.groups.push(group(inputs, members));
    }
    comparison
}

/// Why each group differs from the first.
fn unlike(inputs: &[ReportInput<'_>], groups: &[(CompareKey, Vec<usize>)]) -> Vec<String> {
    let Some((first, others)) = groups.split_first() else { return Vec::new() };
    let names = |members: &[usize]| {
        let names = members.iter().filter_map(|index| Some(run_name(*index, inputs.get(*index)?)));
        names.collect::<Vec<_>>().join(", ")
    };
    let reason = |(key, members): &(CompareKey, Vec<usize>)| {
        let mut reasons = Vec::new();
        if key.hash != first.0.hash {
            reasons.push("another methodology or another version of it (the content hash differs)".to_owned());
        }
        if key.form != first.0.form {
            reasons.push(format!("the {} form instead of the {} form", key.form.name(), first.0.form.name()));
        }
        if key.ground != first.0.ground {
            reasons.push(format!("other conditions ({} instead of {})", key.ground, first.0.ground));
        }
        format!("{} and {} are not comparable: {}.", names(members), names(&first.1), reasons.join(" and "))
    };
    others.iter().map(reason).collect()
}

fn group(inputs: &[ReportInput<'_>], members: &[usize]) -> Group {
    let runs: Vec<(usize, &ReportInput<'_>)> =
        members.iter().filter_map(|index| Some((*index, inputs.get(*index)?))).collect();
    let title = runs.first().map_or_else(String::new, |(_, input)| {
        let plan = &input.records.plan;
        format!("{} {}, {}", plan.title, plan.methodology.version, plan.form.words(&plan.methodology.name))
    });
    let tables = [quantity::THROUGHPUT, quantity::IOPS, quantity::P99].map(|quantity| table(&runs, quantity));
    let marked = |table: &Table| table.rows.iter().flatten().any(|cell| cell.wrong.is_some());
    let legend = if tables.iter().any(marked) { signs::DISTURBED.to_owned() } else { String::new() };
    Group { title, differences: differences(&runs), tables: tables.into(), legend }
}

fn table(runs: &[(usize, &ReportInput<'_>)], quantity: &str) -> Table {
    let (name, unit) = quantity::heading(quantity);
    let mut columns = vec![Column::words("Step")];
    columns.extend(runs.iter().map(|(index, input)| Column::figures(&run_name(*index, input), unit)));
    let mut rows = Vec::new();
    for step in union(runs).into_iter().flat_map(|one| one.steps) {
        let all = Op::all_of(step);
        let others = all.iter().copied().filter(|op| Op::OTHERS.contains(op));
        let ops: Vec<Op> = match Op::of(step) {
            Op::Total if quantity != quantity::P99 => [Op::Total].into_iter().chain(others).collect(),
            _ => all,
        };
        for op in &ops {
            let label = if ops.len() > 1 { format!("{}: {}", step.label, op.plural()) } else { step.label.clone() };
            let busy = quantity == quantity::THROUGHPUT && rate::replays(step);
            let label = if busy { format!("{label}, over busy time") } else { label };
            let mut row = vec![cells::step_cell(step, label)];
            row.extend(runs.iter().map(|(_, input)| cells::cell(input, step, *op, quantity)));
            rows.push(row);
        }
    }
    Table { caption: format!("{name} ({unit})"), columns, rows }
}

/// A test that at least one of several runs has, with the measured steps of all of them.
struct TestOfAny<'a> {
    name: &'a str,
    title: &'a str,
    steps: Vec<&'a Step>,
}

/// Every test of any run: the first run's order, then what only others have. A test's steps likewise.
fn union<'a>(runs: &[(usize, &ReportInput<'a>)]) -> Vec<TestOfAny<'a>> {
    let mut all: Vec<TestOfAny<'a>> = Vec::new();
    for test in runs.iter().flat_map(|(_, input)| &input.records.plan.tests) {
        let steps: Vec<&Step> = measured(test).collect();
        match all.iter_mut().find(|one| one.name == test.name) {
            Some(one) => {
                let new = |step: &&Step| one.steps.iter().all(|known| known.id != step.id);
                let new: Vec<&Step> = steps.into_iter().filter(new).collect();
                one.steps.extend(new);
            }
            None if steps.is_empty() => {}
            None => all.push(TestOfAny { name: &test.name, title: &test.title, steps }),
        }
    }
    all
}

/// Tests, whole or in part, that one run has and another lacks; none where all have the same.
fn left_out(runs: &[(usize, &ReportInput<'_>)]) -> Option<String> {
    let all = union(runs);
    let lacks = |input: &ReportInput<'_>| {
        let lack = |test: &TestOfAny<'_>| {
            let missing = test.steps.iter().filter(|step| input.records.plan.step(&step.id).is_none()).count();
            match missing {
                0 => None,
                some if some == test.steps.len() => Some(test.title.to_owned()),
                some => Some(format!("{some} of {} steps of {}", test.steps.len(), test.title)),
            }
        };
        all.iter().filter_map(lack).collect::<Vec<_>>().join(" and ")
    };
    let lacking: Vec<String> = runs.iter().map(|(_, input)| lacks(input)).collect();
    if lacking.iter().all(String::is_empty) {
        return None;
    }
    let said = |((index, _), lacking): (&(usize, &ReportInput<'_>), &String)| {
        format!("{} {}", letter(*index), if lacking.is_empty() { "none" } else { lacking })
    };
    Some(format!("tests left out: {}", runs.iter().zip(&lacking).map(said).collect::<Vec<_>>().join(", ")))
}

/// A condition's name and how it is read off a run.
type Condition = (&'static str, fn(&ReportInput<'_>) -> String);

/// Conditions that differ between runs of a group.
fn differences(runs: &[(usize, &ReportInput<'_>)]) -> Vec<String> {
    let look: [Condition; 9] = [
        ("arm", |input| condition(input).arm()),
        ("tested size", |input| format::bytes(input.records.environment.target.length)),
        ("drivelab version", |input| input.records.tool.version.clone()),
        ("kernel", |input| input.records.environment.testbed.kernel.clone()),
        ("CPU", |input| input.records.environment.testbed.cpu_model.clone().unwrap_or_else(|| "unknown".to_owned())),
        ("file system", |input| {
            let system = input.records.environment.target.file_system.as_ref();
            system.map_or_else(|| "none".to_owned(), |system| system.kind.clone())
        }),
        ("interruptions", |input| input.records.breaks.len().to_string()),
        ("company", |input| match &input.records.group {
            Some(group) if group.role == GroupRole::Together => format!("{} drives at once", group.drives()),
            _ => "alone".to_owned(),
        }),
        ("state of the run", |input| run_facts::state_word(input.records.state).to_owned()),
    ];
    let different = |(name, of): Condition| {
        let values: Vec<String> = runs.iter().map(|(_, input)| of(input)).collect();
        let unlike = values.iter().any(|value| Some(value) != values.first());
        let named = runs.iter().zip(&values).map(|((index, _), value)| format!("{} {value}", letter(*index)));
        unlike.then(|| format!("{name}: {}", named.collect::<Vec<_>>().join(", ")))
    };
    look.into_iter().filter_map(different).chain(left_out(runs)).collect()
}

#[cfg(test)]
mod tests;
