//! Several runs side by side: the tables of those that may be compared, what differs between them, and why the rest may
//! not. What may be compared is decided in [`drivelab_analysis::side_by_side`]; here it gets its words.

use std::collections::{BTreeMap, BTreeSet};

use drivelab_analysis::digest::{Digest, RunFacts, StepDigest};
use drivelab_analysis::families::{SizedDrive, families};
use drivelab_analysis::price::one_currency;
use drivelab_analysis::ratios::ratios;
use drivelab_analysis::side_by_side::{
    Aligned, AlignedStep, Alike, Difference, Differing, Ground, Kind, LeftOut, Methodology, Refusal, Refused,
    SideBySide, Value, align, side_by_side,
};
use drivelab_analysis::together::capacity;
use drivelab_core::group::letter;
use drivelab_core::plan::{Form, OWN_LOAD};

use crate::figure::chart::Chart;
use crate::figure::input::ReportInput;
use crate::figure::op::Op;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{Figure, TestView, cells, format, quantity, signs};
use crate::views::across::against::{self, AgainstView};
use crate::views::across::arms::{self, ArmsView, Member};
use crate::views::across::bridges;
use crate::views::across::charts;
use crate::views::across::contrast::Contrast;
use crate::views::across::published::set_words;
use crate::views::across::published::unpaired::{Unpaired, UnpairedView};
use crate::views::across::sides::Sides;
use crate::words::run_facts;

/// Runs that may be compared with each other, as one table for each quantity.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    /// Methodology and form that they share.
    pub(crate) title: String,
    /// The headline figures against the base; absent if all runs are of one side.
    pub(crate) against: Option<AgainstView>,
    /// Charts of the sides, test by test.
    pub(crate) charts: Vec<TestView>,
    /// What differs besides the drive, and must be kept in mind.
    pub(crate) differences: Vec<String>,
    /// Whether all runs are of one drive.
    pub(crate) one_drive: bool,
    /// One row a step and operation that any of the runs has, one column a run.
    pub(crate) tables: Vec<Table>,
    /// What the marks in the tables mean; empty where none has any.
    pub(crate) legend: String,
    /// Tables of prices and of capacities; none where they stand beside charts.
    pub(crate) drives: Vec<Figure>,
}

impl Group {
    /// The heading of the differences.
    pub(crate) fn what_differs(&self) -> &'static str {
        if self.one_drive { "What differs" } else { "Differs besides the drive" }
    }
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
    /// Published figures without a matching figure in the runs.
    pub(crate) published: Option<UnpairedView>,
}

impl Comparison {
    /// Whether every run may be compared with every other.
    pub(crate) fn is_whole(&self) -> bool {
        self.refused.is_empty()
    }

    /// Leaves out the tables of the charts, and the figures that are no headlines unless they were `asked` for.
    pub(crate) fn leave_out_details(&mut self, asked: bool) {
        if !asked {
            let against = self.groups.iter_mut().filter_map(|group| group.against.as_mut());
            against.for_each(|against| against.rest = Table::default());
        }
        let alone = self.published.iter_mut().flat_map(|alone| &mut alone.charts);
        let views = self.groups.iter_mut().flat_map(|group| &mut group.charts).chain(alone);
        let figures = views.flat_map(|view| &mut view.figures).filter(|figure| figure.chart.is_some());
        figures.for_each(|figure| figure.table = Table::default());
    }

    /// Every chart.
    pub(crate) fn charts(&self) -> impl Iterator<Item = &Chart> {
        let alone = self.published.iter().flat_map(|alone| &alone.charts);
        let views = self.groups.iter().flat_map(|group| &group.charts).chain(alone);
        views.flat_map(|view| &view.figures).filter_map(|figure| figure.chart.as_ref())
    }
}

/// Name of a run among several, each by itself: letter, drive.
pub(crate) fn run_name(index: usize, input: &ReportInput<'_>) -> String {
    Sides::alone(index + 1).run_title(index, &input.records.environment)
}

/// The comparison of runs whose records are at hand, each by itself, without charts.
pub(crate) fn compare(inputs: &[ReportInput<'_>]) -> Comparison {
    let digests = digests(inputs);
    of_digests(&digests.iter().collect::<Vec<_>>(), &each_alone(inputs))
}

/// Each run as a side.
pub(crate) fn each_alone(inputs: &[ReportInput<'_>]) -> Sides {
    let stated = inputs.iter().map(|input| input.records.label.conditions.clone()).collect();
    Sides { stated, ..Sides::alone(inputs.len()) }
}

/// The comparison of sides by the digests of their runs, with charts.
pub(crate) fn with_charts(digests: &[&Digest], sides: &Sides) -> Comparison {
    comparison(digests, sides, true)
}

/// The digest of each run.
pub(crate) fn digests(inputs: &[ReportInput<'_>]) -> Vec<Digest> {
    inputs.iter().map(|input| Digest::of(input.records, input.analysis)).collect()
}

/// The comparison of sides by the digests of their runs, without charts.
pub(crate) fn of_digests(digests: &[&Digest], sides: &Sides) -> Comparison {
    comparison(digests, sides, false)
}

fn comparison<'d>(digests: &[&'d Digest], sides: &Sides, charts: bool) -> Comparison {
    let (found, names) = (side_by_side(digests), sides.run_names());
    let refused = refusals(&found, digests, sides);
    let published = Unpaired::of(sides, digests).map(|alone| {
        let drawn = if charts && alone.base.is_some() { charts::published::views(&alone) } else { Vec::new() };
        alone.view(drawn, &sides.verdicts)
    });
    let mut comparison = Comparison { refused, published, ..Comparison::default() };
    for alike in groups(found, digests, sides) {
        let member = |(place, digest): (&usize, &&'d Digest)| Member {
            letter: names[*place].clone(),
            drive: sides.drive(sides.side_of(*place), &digest.run.environment),
            digest,
        };
        let members = alike.places.iter().zip(&alike.aligned.runs).map(member);
        comparison.arms.extend(arms::views(&members.collect::<Vec<_>>()));
        let id = charts.then(|| format!("comparison-{}", comparison.groups.len()));
        comparison.groups.push(group(&alike, &beside(sides, &alike), &names, id.as_deref()));
    }
    comparison
}

/// The sides of each group against the base, without words but for the title and the differences.
pub(crate) fn contrasts<'d>(digests: &[&'d Digest], sides: &Sides) -> Vec<Contrast<'d>> {
    let names = sides.run_names();
    let groups = groups(side_by_side(digests), digests, sides);
    groups.iter().filter_map(|alike| contrast(alike, sides, &names)).collect()
}

/// The runs that may be compared. A run alone has no group; beside published figures it is one.
fn groups<'d>(found: SideBySide<'d>, digests: &[&'d Digest], sides: &Sides) -> Vec<Alike<'d>> {
    let mut groups = found.groups;
    if !sides.published.is_empty() {
        let is_left = |place: &usize| !groups.iter().any(|group| group.places.contains(place));
        let left: Vec<usize> = (0..digests.len()).filter(is_left).collect();
        let left = left.into_iter().filter(|place| digests[*place].run.form != Form::Smoke);
        groups.extend(left.map(|place| Alike {
            places: vec![place],
            aligned: align(&[digests[place]]),
            differences: Vec::new(),
        }));
    }
    groups
}

/// The sides, with the published figures that match the methodology of a group.
fn beside(sides: &Sides, alike: &Alike<'_>) -> Sides {
    let method = alike.aligned.runs.first().map_or("", |digest| digest.run.method.name.as_str());
    Sides { published: sides.published.iter().map(|side| side.beside(method)).collect(), ..sides.clone() }
}

/// Why runs are not compared.
fn refused_words(refused: &Refused, digests: &[&Digest], sides: &Sides) -> String {
    let names = |places: &[usize]| {
        let all =
            places.iter().filter_map(|place| Some(sides.run_title(*place, &digests.get(*place)?.run.environment)));
        all.collect::<Vec<_>>().join(", ")
    };
    match refused {
        Refused::Smoke(place) => {
            format!("{} is in the smoke form, which is for tests only and cannot be compared.", names(&[*place]))
        }
        Refused::Unlike { runs, than, because } => {
            let reasons: Vec<String> = because.iter().map(|one| refusal_words(one, sides.redact)).collect();
            format!("{} cannot be compared with {}: {}.", names(runs), names(than), reasons.join(" and "))
        }
    }
}

fn refusal_words(refusal: &Refusal, redact: bool) -> String {
    match refusal {
        Refusal::Method(methods) => method_words(&methods[0], &methods[1], redact),
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
fn method_words(own: &Methodology, other: &Methodology, redact: bool) -> String {
    let names = (own.identity.name.as_str(), other.identity.name.as_str());
    let set = |of: &Methodology| if of.set.is_empty() { "none".to_owned() } else { set_words(&of.set, redact) };
    match () {
        () if names == (OWN_LOAD, OWN_LOAD) && own.title != other.title => {
            format!("another load ('{}' instead of '{}')", own.title, other.title)
        }
        () if names == (OWN_LOAD, OWN_LOAD) => {
            "another load (a flag such as --time or --size differs, or an older drivelab made one of the runs)"
                .to_owned()
        }
        () if names.0 != names.1 => format!("another methodology ({} instead of {})", names.0, names.1),
        () if own.set != other.set => format!("other parameters (--set {} instead of {})", set(own), set(other)),
        () if own.identity.version != other.identity.version => {
            format!("version {} instead of {}", own.identity.version, other.identity.version)
        }
        () => "the same name and version, but other tests or other values".to_owned(),
    }
}

/// Methodology and form of a group.
fn group_title(alike: &Alike<'_>) -> String {
    alike.aligned.runs.first().map_or_else(String::new, |digest| method_title(&digest.run))
}

/// Methodology and form of a run: `Quick 1.2.0, quick form`. The version of a load given by flags means nothing.
pub(crate) fn method_title(run: &RunFacts) -> String {
    let version = if run.method.name == OWN_LOAD { "" } else { run.method.version.as_str() };
    format!("{}, {}", format!("{} {version}", run.title).trim_end(), run.form.words(&run.method.name))
}

/// What differs between the runs of a group besides the drive.
fn differences(alike: &Alike<'_>, sides: &Sides, names: &[String]) -> Vec<String> {
    let besides = alike.differences.iter().filter(|one| one.what != Differing::Drive);
    let known = besides.map(|one| difference_words(one, alike, (sides, names)));
    let stated = stated_words(&alike.places, (sides, names));
    known.chain(stated).chain(left_out_words(alike, (sides, names))).collect()
}

/// The differences that a comparison refuses unless asked, of all groups in which sides are compared.
pub(crate) fn refused_unasked(digests: &[&Digest], sides: &Sides) -> Vec<(Kind, String)> {
    let names = sides.run_names();
    let compared = groups(side_by_side(digests), digests, sides);
    let compared = compared.iter().filter(|alike| sides_of(alike, sides).is_some());
    let mut found: Vec<(Kind, String)> = Vec::new();
    for one in compared.flat_map(|alike| kinds(alike, sides, &names)) {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// Why runs are not comparable, a sentence each.
pub(crate) fn refusals(found: &SideBySide<'_>, digests: &[&Digest], sides: &Sides) -> Vec<String> {
    found.refused.iter().map(|refused| refused_words(refused, digests, sides)).collect()
}

/// The differences of a group that a comparison refuses unless asked, with their names.
fn asked_for<'a>(alike: &'a Alike<'_>, sides: &Sides) -> impl Iterator<Item = (Kind, &'a Difference)> {
    // Drives of several capacities are what a comparison by capacity is about.
    let not_drives = sides.asked.is_some_and(|asked| asked != Kind::Size);
    let listed = alike.differences.iter().filter(move |one| one.what != Differing::Drive || not_drives);
    listed.filter_map(|one| Some((one.what.kind()?, one)))
}

/// The same in words.
fn kinds(alike: &Alike<'_>, sides: &Sides, names: &[String]) -> Vec<(Kind, String)> {
    asked_for(alike, sides).map(|(kind, one)| (kind, difference_words(one, alike, (sides, names)))).collect()
}

/// Whether each side differs from the base in something that was allowed.
fn touched_sides(alike: &Alike<'_>, sides: &Sides, runs: &[Vec<usize>], base: usize) -> Vec<bool> {
    let allowed: Vec<&Difference> =
        asked_for(alike, sides).filter(|(kind, _)| sides.allowed.contains(kind)).map(|(_, one)| one).collect();
    let differs = |own: &Vec<usize>| {
        let unlike = |one: &&Difference| {
            own.iter().any(|run| runs[base].iter().any(|other| one.values[*run] != one.values[*other]))
        };
        allowed.iter().any(unlike)
    };
    runs.iter().map(differs).collect()
}

/// Names of the differences that were allowed, each once.
pub(crate) fn touched(kinds: &[(Kind, String)], sides: &Sides) -> Vec<&'static str> {
    let mut touched: Vec<&str> = Vec::new();
    for name in kinds.iter().filter(|(kind, _)| sides.allowed.contains(kind)).map(|(kind, _)| kind.name()) {
        if !touched.contains(&name) {
            touched.push(name);
        }
    }
    touched
}

fn contrast<'d>(alike: &Alike<'d>, sides: &Sides, names: &[String]) -> Option<Contrast<'d>> {
    let GroupSides { places, letters, runs, base } = sides_of(alike, sides)?;
    let first: Vec<&Digest> = runs.iter().map(|runs| alike.aligned.runs[runs[0]]).collect();
    let drives = || places.iter().zip(&first).map(|(side, first)| (*side, &first.run));
    let titles: Vec<String> = drives().map(|(side, run)| sides.title(side, &run.environment)).collect();
    let profiles = first.windows(2).any(|two| two[0].run.profile != two[1].run.profile);
    let sized = |(side, run): (usize, &RunFacts)| SizedDrive {
        name: sides.drive(side, &run.environment),
        apart: match run.environment.asked_condition().behind() {
            behind if profiles => format!("{behind}, {}", run.profile),
            behind => behind,
        },
        capacity: capacity(&run.environment.target).get(),
    };
    Some(Contrast {
        names: letters.iter().zip(&titles).map(|(letter, title)| format!("{letter}: {title}")).collect(),
        prices: places.iter().map(|side| sides.price(*side)).collect(),
        families: families(&drives().map(sized).collect::<Vec<_>>()),
        touched: touched(&kinds(alike, sides, names), sides),
        touched_sides: touched_sides(alike, sides, &runs, base.unwrap_or(0)),
        runs: runs.iter().map(|of| of.iter().map(|run| alike.aligned.runs[*run].run.id).collect()).collect(),
        first,
        title: group_title(alike),
        differences: differences(alike, sides, names),
        letters,
        ratios: ratios(&alike.aligned, &runs, base.unwrap_or(0), sides.limits),
        has_base: base.is_some(),
    })
}

fn group(alike: &Alike<'_>, sides: &Sides, names: &[String], charts_id: Option<&str>) -> Group {
    let tables = [quantity::THROUGHPUT, quantity::IOPS, quantity::P99].map(|quantity| table(alike, quantity, sides));
    let contrast = contrast(alike, sides, names);
    let against = contrast.as_ref().map(|one| {
        let mut view = against::view(one, sides, charts_id.is_some());
        let prices = || one.prices.iter().flatten();
        if prices().count() > 1 && one_currency(prices()).is_none() {
            view.notes.push(
                "Prices are in several currencies and are not compared; set them in one with `drivelab drives price`."
                    .to_owned(),
            );
        }
        if kinds(alike, sides, names).iter().any(|(kind, _)| *kind == Kind::Testbed) {
            view.notes.extend(sides.bridges.as_deref().map(bridges::notes).unwrap_or_default());
        }
        view
    });
    let shown = tables.iter().chain(against.iter().flat_map(|against| [&against.table, &against.rest]));
    let cells: Vec<&Cell> = shown.flat_map(|table| table.rows.iter().flatten()).collect();
    let legend = signs::of_cells(&cells).join(" ");
    Group {
        title: group_title(alike),
        legend,
        against,
        drives: match (&contrast, charts_id) {
            (Some(contrast), None) => charts::of_drives(contrast),
            _ => Vec::new(),
        },
        charts: contrast.zip(charts_id).map(|(one, id)| charts::views(&one, &sides.published, id)).unwrap_or_default(),
        differences: differences(alike, sides, names),
        one_drive: !alike.differences.iter().any(|one| one.what == Differing::Drive),
        tables: tables.into(),
    }
}

/// The sides of which a group has runs.
struct GroupSides {
    /// Their places among all sides.
    places: Vec<usize>,
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
        places: there.iter().map(|(side, _)| *side).collect(),
        runs: there.into_iter().map(|(_, runs)| runs).collect(),
    })
}

fn table(alike: &Alike<'_>, quantity: &str, sides: &Sides) -> Table {
    let Aligned { runs, tests } = &alike.aligned;
    let (title, unit) = quantity::heading(quantity);
    let mut columns = vec![Column::words("Step")];
    columns.extend(
        alike
            .places
            .iter()
            .zip(runs)
            .map(|(place, digest)| Column::figures(&sides.run_title(*place, &digest.run.environment), unit)),
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
fn difference_words(difference: &Difference, alike: &Alike<'_>, (sides, names): (&Sides, &[String])) -> String {
    let runs = &alike.aligned.runs;
    let values: Vec<String> = match difference.what {
        Differing::Drive => {
            let drives = alike.places.iter().zip(runs);
            drives.map(|(place, run)| sides.drive(sides.side_of(*place), &run.run.environment)).collect()
        }
        what if sides.redact => {
            let redacted: Vec<Digest> = runs.iter().map(|run| run.redacted()).collect();
            what.values(&redacted.iter().collect::<Vec<_>>()).iter().map(value_words).collect()
        }
        _ => difference.values.iter().map(value_words).collect(),
    };
    format!("{}: {}", differing_words(difference.what), by_side(&alike.places, &values, (sides, names)))
}

/// `A 6.1, B1 6.1, B2 6.18`: the value of a side, or of each of its runs where they differ.
fn by_side(places: &[usize], values: &[String], (sides, names): (&Sides, &[String])) -> String {
    let all: Vec<(usize, usize, &String)> =
        places.iter().zip(values).map(|(place, value)| (sides.side_of(*place), *place, value)).collect();
    let named = all.iter().enumerate().filter_map(|(at, (side, place, value))| {
        let is_alike = all.iter().all(|(other, _, its)| other != side || its == value);
        let is_first = all[..at].iter().all(|(other, ..)| other != side);
        match (is_alike, is_first) {
            (true, true) => Some(format!("{} {value}", letter(*side))),
            (true, false) => None,
            (false, _) => Some(format!("{} {value}", names[*place])),
        }
    });
    named.collect::<Vec<_>>().join(", ")
}

/// Stated conditions that differ. They are listed and never refused: the user knows them.
fn stated_words(places: &[usize], (sides, names): (&Sides, &[String])) -> Vec<String> {
    let of = |place: &usize| sides.stated.get(*place);
    let conditions: BTreeSet<&String> = places.iter().filter_map(of).flat_map(BTreeMap::keys).collect();
    let words = |condition: &&String| {
        let value = |place| of(place).and_then(|stated| stated.get(*condition)).map_or("not stated", String::as_str);
        let values: Vec<String> = places.iter().map(|place| value(place).to_owned()).collect();
        let differ = values.windows(2).any(|two| two[0] != two[1]);
        differ.then(|| format!("{condition} (stated): {}", by_side(places, &values, (sides, names))))
    };
    conditions.iter().filter_map(words).collect()
}

const fn differing_words(what: Differing) -> &'static str {
    match what {
        Differing::Drive => "drive",
        Differing::Arm => "arm",
        Differing::TargetKind => "target",
        Differing::Profile => "profile",
        Differing::DataState => "data before the tests",
        Differing::TestedSize => "tested size",
        Differing::SameShare => "tested size (the same share of each drive)",
        Differing::Firmware => "firmware",
        Differing::Statistic => "statistic over the rounds",
        Differing::MethodVersion => "version of the methodology",
        Differing::ToolVersion => "drivelab version",
        Differing::Backend => "engine",
        Differing::Kernel => "kernel",
        Differing::Testbed => "testbed",
        Differing::Cpu => "CPU",
        Differing::Board => "board",
        Differing::FileSystem => "file system",
        Differing::Traces => "traces",
        Differing::Source => "source of files",
        Differing::Interruptions => "interruptions",
        Differing::Company => "drives",
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
fn left_out_words(alike: &Alike<'_>, (sides, names): (&Sides, &[String])) -> Option<String> {
    let lacking = alike.aligned.left_out();
    let lack = |out: &LeftOut<'_>| match out.missing {
        some if some == out.of => out.test.to_owned(),
        some => format!("{some} of {} steps of {}", out.of, out.test),
    };
    let said = |lacking: &Vec<LeftOut<'_>>| {
        let all = lacking.iter().map(lack).collect::<Vec<_>>().join(" and ");
        if all.is_empty() { "none".to_owned() } else { all }
    };
    let said: Vec<String> = lacking.iter().map(said).collect();
    let words = || format!("tests left out: {}", by_side(&alike.places, &said, (sides, names)));
    (!said.is_empty()).then(words)
}

#[cfg(test)]
mod tests;
