//! Several runs side by side: the tables of those that may be compared, what differs between them, and why the rest may
//! not. What may be compared is decided in [`drivelab_analysis::side_by_side`]; here it gets its words.

use drivelab_analysis::digest::{Digest, StepDigest};
use drivelab_analysis::ratios::{Limits, ratios};
use drivelab_analysis::side_by_side::{
    Aligned, AlignedStep, Alike, Difference, Differing, Ground, LeftOut, Methodology, Refusal, Refused, Value, align,
    side_by_side,
};
use drivelab_core::environment::Environment;
use drivelab_core::group::letter;
use drivelab_core::plan::OWN_LOAD;

use crate::documents::compare::{self as document, GroupDoc};
use crate::figure::input::ReportInput;
use crate::figure::op::Op;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{cells, format, quantity, signs};
use crate::views::across::against::{self, AgainstView};
use crate::views::across::arms::{self, ArmsView};
use crate::views::across::published::PublishedSide;
use crate::words::{facts, run_facts};

/// What is set side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Sides {
    /// The runs of each side, by their places. Several runs of a side are of the same drive in the same state.
    pub runs: Vec<Vec<usize>>,
    /// Place of the side that the others are held against.
    pub base: usize,
    /// From which difference on one is worth a verdict.
    pub limits: Limits,
    /// All figures, and not only the headline figures.
    pub all: bool,
    /// Published figures, set beside them.
    pub published: Vec<PublishedSide>,
}

impl Sides {
    /// Every run by itself, against the first.
    #[must_use]
    pub fn alone(count: usize) -> Sides {
        let runs = (0..count).map(|run| vec![run]).collect();
        Sides { runs, base: 0, limits: Limits::default(), all: false, published: Vec::new() }
    }
}

/// Runs that may be compared with each other, as one table for each quantity.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    /// Methodology and form that they share.
    pub(crate) title: String,
    /// The headline figures against the base; absent if all runs are of one side.
    pub(crate) against: Option<AgainstView>,
    /// The same as a document.
    pub(crate) document: Option<GroupDoc>,
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
    name(index, &input.records.environment)
}

fn name(index: usize, environment: &Environment) -> String {
    format!("{}: {}", letter(index), title(environment))
}

/// The drive of a run, and what was set up on it.
pub(crate) fn title(environment: &Environment) -> String {
    format!("{}{}", facts::title(environment), environment.asked_condition().arm_behind())
}

/// The comparison of runs whose records are at hand, each by itself.
pub(crate) fn compare(inputs: &[ReportInput<'_>]) -> Comparison {
    compare_sides(inputs, &Sides::alone(inputs.len()))
}

/// The comparison of sides whose records are at hand.
pub(crate) fn compare_sides(inputs: &[ReportInput<'_>], sides: &Sides) -> Comparison {
    let digests: Vec<Digest> = inputs.iter().map(|input| Digest::of(input.records, input.analysis)).collect();
    of_digests(&digests.iter().collect::<Vec<_>>(), sides)
}

/// The comparison of sides by the digests of their runs.
pub(crate) fn of_digests(digests: &[&Digest], sides: &Sides) -> Comparison {
    let found = side_by_side(digests);
    let refused = found.refused.iter().map(|refused| refused_words(refused, digests)).collect();
    let mut comparison = Comparison { refused, ..Comparison::default() };
    // A run alone has no group; beside published figures it is one.
    let alone = || match digests {
        [only] if !sides.published.is_empty() => {
            Some(Alike { places: vec![0], aligned: align(&[*only]), differences: Vec::new() })
        }
        _ => None,
    };
    for alike in found.groups.iter().chain(&alone()) {
        let named = alike.places.iter().zip(&alike.aligned.runs).map(|(place, digest)| (letter(*place), *digest));
        comparison.arms.extend(arms::views(&named.collect::<Vec<_>>()));
        comparison.groups.push(group(alike, sides));
    }
    comparison
}

/// Why runs are not compared.
fn refused_words(refused: &Refused, digests: &[&Digest]) -> String {
    let names = |places: &[usize]| {
        let names = places.iter().filter_map(|place| Some(name(*place, &digests.get(*place)?.run.environment)));
        names.collect::<Vec<_>>().join(", ")
    };
    match refused {
        Refused::Smoke(place) => {
            format!("{} is in the smoke form, which is for tests only and cannot be compared.", names(&[*place]))
        }
        Refused::Unlike { runs, than, because } => {
            let reasons: Vec<String> = because.iter().map(refusal_words).collect();
            format!("{} cannot be compared with {}: {}.", names(runs), names(than), reasons.join(" and "))
        }
    }
}

fn refusal_words(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Method(methods) => method_words(&methods[0], &methods[1]),
        Refusal::Form(own, other) => format!("the {} form instead of the {} form", own.name(), other.name()),
        Refusal::Conditions(grounds) => {
            let [own, other] = [&grounds[0], &grounds[1]].map(ground_words);
            format!("other conditions ({own} instead of {other})")
        }
        Refusal::Simulated(true) => "figures of a virtual drive instead of measured ones".to_owned(),
        Refusal::Simulated(false) => "measured figures instead of those of a virtual drive".to_owned(),
    }
}

fn ground_words(ground: &Ground) -> String {
    let device = if ground.on_file { ", on a loop device on a file" } else { "" };
    format!("{}{device}", ground.condition.ground())
}

/// In what a methodology is another than the first.
fn method_words(own: &Methodology, other: &Methodology) -> String {
    let names = (own.identity.name.as_str(), other.identity.name.as_str());
    let set = |of: &Methodology| if of.set.is_empty() { "none".to_owned() } else { of.set.join(", ") };
    let profile = |of: &Methodology| if of.profile.is_empty() { "none".to_owned() } else { of.profile.clone() };
    match () {
        () if names == (OWN_LOAD, OWN_LOAD) && own.title != other.title => {
            format!("another load ('{}' instead of '{}')", own.title, other.title)
        }
        () if names == (OWN_LOAD, OWN_LOAD) => "another load (a flag such as --time or --size differs)".to_owned(),
        () if names.0 != names.1 => format!("another methodology ({} instead of {})", names.0, names.1),
        () if own.profile != other.profile => {
            format!("another profile ({} instead of {})", profile(own), profile(other))
        }
        () if own.set != other.set => format!("other parameters (--set {} instead of {})", set(own), set(other)),
        () if own.identity.version != other.identity.version => {
            format!("version {} instead of {}", own.identity.version, other.identity.version)
        }
        () => "the same name and version, but other tests or other values".to_owned(),
    }
}

fn group(alike: &Alike<'_>, sides: &Sides) -> Group {
    let title = alike.aligned.runs.first().map_or_else(String::new, |digest| {
        let run = &digest.run;
        // A load of its user's own has no version that says anything.
        let version = if run.method.name == OWN_LOAD { "" } else { run.method.version.as_str() };
        format!("{}, {}", format!("{} {version}", run.title).trim_end(), run.form.words(&run.method.name))
    });
    let tables = [quantity::THROUGHPUT, quantity::IOPS, quantity::P99].map(|quantity| table(alike, quantity));
    let marked = |table: &Table| table.rows.iter().flatten().any(|cell| cell.wrong.is_some());
    let legend = if tables.iter().any(marked) { signs::DISTURBED.to_owned() } else { String::new() };
    let mut differences: Vec<String> =
        alike.differences.iter().map(|one| difference_words(one, &alike.places)).collect();
    differences.extend(left_out_words(&alike.aligned, &alike.places));
    let (mut against, mut document) = (None, None);
    if let Some(GroupSides { letters, runs, base }) = sides_of(alike, sides) {
        let (has_base, base) = (base.is_some(), base.unwrap_or(0));
        let found = ratios(&alike.aligned, &runs, base, sides.limits);
        against = Some(against::view(&found, &letters, sides.limits, sides.all, &sides.published));
        document =
            Some(document::group(title.clone(), differences.clone(), letters, &found, has_base, &sides.published));
    }
    Group { title, against, document, differences, tables: tables.into(), legend }
}

/// The sides of which a group has runs.
struct GroupSides {
    /// Their letters.
    letters: Vec<String>,
    /// The places of their runs in the group.
    runs: Vec<Vec<usize>>,
    /// The base among them; absent if the group has no run of it.
    base: Option<usize>,
}

/// The sides of a group; `None` if there is nothing to compare.
fn sides_of(alike: &Alike<'_>, sides: &Sides) -> Option<GroupSides> {
    let place_of = |run: &usize| alike.places.iter().position(|place| place == run);
    let of_side = |(side, runs): (usize, &Vec<usize>)| {
        let runs: Vec<usize> = runs.iter().filter_map(place_of).collect();
        (!runs.is_empty()).then_some((side, runs))
    };
    let there: Vec<(usize, Vec<usize>)> = sides.runs.iter().enumerate().filter_map(of_side).collect();
    let enough = if sides.published.is_empty() { 2 } else { 1 };
    (there.len() >= enough).then(|| GroupSides {
        base: there.iter().position(|(side, _)| *side == sides.base),
        letters: there.iter().map(|(side, _)| letter(*side)).collect(),
        runs: there.into_iter().map(|(_, runs)| runs).collect(),
    })
}

fn table(alike: &Alike<'_>, quantity: &str) -> Table {
    let Aligned { runs, tests } = &alike.aligned;
    let (title, unit) = quantity::heading(quantity);
    let mut columns = vec![Column::words("Step")];
    columns.extend(
        alike
            .places
            .iter()
            .zip(runs)
            .map(|(place, digest)| Column::figures(&name(*place, &digest.run.environment), unit)),
    );
    let mut rows = Vec::new();
    for test in tests {
        // Steps of different tests may have one name.
        if tests.len() > 1 {
            let heading = Cell::text(format!("{}:", test.title));
            rows.push([heading].into_iter().chain(runs.iter().map(|_| Cell::default())).collect());
        }
        rows.extend(test.steps.iter().flat_map(|step| step_rows(step, runs, quantity)));
    }
    Table { caption: format!("{title} ({unit})"), columns, rows }
}

/// A row for each kind of operation of a step.
fn step_rows(step: &AlignedStep<'_>, runs: &[&Digest], quantity: &str) -> Vec<Vec<Cell>> {
    let ops = shown(step, quantity);
    let row = |op: &Op| {
        let label = &step.facts.label;
        let label = if ops.len() > 1 { format!("{label}: {}", op.plural()) } else { label.clone() };
        let busy = cells::is_over_busy_time(step.facts, *op, quantity);
        let label = if busy { format!("{label}, over busy time") } else { label };
        let first = Cell { approximation: cells::approximation(&step.facts.approximations), ..Cell::text(label) };
        let cell = |(digest, step): (&&Digest, &Option<&StepDigest>)| {
            step.map_or_else(Cell::default, |step| cells::digest_cell(digest, step, *op, quantity))
        };
        [first].into_iter().chain(runs.iter().zip(&step.of).map(cell)).collect()
    };
    ops.iter().map(row).collect()
}

/// Which operations of a step have a row.
fn shown(step: &AlignedStep<'_>, quantity: &str) -> Vec<Op> {
    let all: Vec<Op> = step.facts.ops.iter().copied().map(Op::from_kind).collect();
    let others = all.iter().copied().filter(|op| Op::OTHERS.contains(op));
    match Op::among(&all) {
        Op::Total if quantity != quantity::P99 => [Op::Total].into_iter().chain(others).collect(),
        _ => all,
    }
}

/// `kernel: A 6.1, B 6.18`.
fn difference_words(difference: &Difference, places: &[usize]) -> String {
    let named =
        places.iter().zip(&difference.values).map(|(at, value)| format!("{} {}", letter(*at), value_words(value)));
    format!("{}: {}", differing_words(difference.what), named.collect::<Vec<_>>().join(", "))
}

const fn differing_words(what: Differing) -> &'static str {
    match what {
        Differing::Arm => "arm",
        Differing::TargetKind => "target",
        Differing::TestedSize => "tested size",
        Differing::Firmware => "firmware",
        Differing::MethodVersion => "version of the methodology",
        Differing::ToolVersion => "drivelab version",
        Differing::Backend => "engine",
        Differing::Kernel => "kernel",
        Differing::Cpu => "CPU",
        Differing::Board => "board",
        Differing::FileSystem => "file system",
        Differing::Traces => "traces",
        Differing::Source => "source of files",
        Differing::Interruptions => "interruptions",
        Differing::Company => "company",
        Differing::State => "state of the run",
    }
}

fn value_words(value: &Value) -> String {
    match value {
        Value::Name(name) => name.clone(),
        Value::Unknown => "unknown".to_owned(),
        Value::None => "none".to_owned(),
        Value::Size(size) => format::bytes(*size),
        Value::Count(count) => count.to_string(),
        Value::Drives(1) => "alone".to_owned(),
        Value::Drives(drives) => format!("{drives} drives at once"),
        Value::State(state) => run_facts::state_word(*state).to_owned(),
        Value::Target(kind) => kind.name().to_owned(),
    }
}

/// Tests, whole or in part, that one run has and another lacks; none where all have the same.
fn left_out_words(aligned: &Aligned<'_>, places: &[usize]) -> Option<String> {
    let lacking = aligned.left_out();
    let lack = |out: &LeftOut<'_>| match out.missing {
        some if some == out.of => out.test.to_owned(),
        some => format!("{some} of {} steps of {}", out.of, out.test),
    };
    let said = |(place, lacking): (&usize, &Vec<LeftOut<'_>>)| {
        let all = lacking.iter().map(lack).collect::<Vec<_>>().join(" and ");
        format!("{} {}", letter(*place), if all.is_empty() { "none" } else { &all })
    };
    let said: Vec<String> = places.iter().zip(&lacking).map(said).collect();
    (!said.is_empty()).then(|| format!("tests left out: {}", said.join(", ")))
}

#[cfg(test)]
mod tests;
