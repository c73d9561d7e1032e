//! Which tests of a methodology and its suite become part of a plan: those that fit target, rights and time.
//!
//! Owns the order by priority and the reasons for what is left out. What one methodology expands to is in
//! `expand::alone`, which whole methodologies do not fit in `fitting`, what fits the time in `taking`.

use std::collections::HashMap;

use drivelab_core::load::OtherOps;
use drivelab_core::plan::{Form, LeftOut, Source, StepRole, TestPlan};
use drivelab_core::score::Score;
use drivelab_core::units::Nanos;
use drivelab_core::workload::Workload;

use crate::expand::alone::{Expanded, one_methodology};
use crate::expand::scores;
use crate::methodology::{Entry, Methodology};
use crate::scope::TargetShape;
use crate::suite::names::{adopt, named, renamed, unique};
use crate::suite::unit::{Candidate, Out, Unit};
use crate::suite::{fitting, nothing, taking};
use crate::target::requires::{Means, unmet_of_test};
use crate::tree::errors::Errors;
use crate::tree::value::{Table, by_name};

/// The chosen tests of a methodology and its suite, and what is left out.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    pub(crate) tests: Vec<TestPlan>,
    pub(crate) sources: Vec<Source>,
    pub(crate) scores: Vec<Score>,
    pub(crate) left_out: Vec<LeftOut>,
}

/// Expands everything and leaves out what does not fit.
pub(crate) fn chosen(
    method: &Methodology,
    form: Form,
    shape: &TargetShape,
    (means, smoke_cap): (&Means, Nanos),
) -> Result<Chosen, Errors> {
    let mut chosen = Chosen { sources: method.sources().to_vec(), ..Chosen::default() };
    let mut units = Vec::new();
    let mut files_taken = 0;
    let mut errors = Errors::default();
    let known = (smoke_cap, means.other_namespace.as_ref());
    match one_methodology(method, form, shape, known) {
        Ok(mut expanded) => {
            chosen.left_out.append(&mut expanded.left_out);
            units.push(own_unit(method, expanded, means));
        }
        Err(found) => errors.join(found),
    }
    for entry in method.entries() {
        let doubled = fitting::doubled(method, entry, form);
        if let Some(reason) = doubled.or_else(|| fitting::unfit(entry, form, shape, means)) {
            chosen.left_out.push(whole(entry, reason));
            continue;
        }
        let base = fitting::form_of(entry, form).unwrap_or(form);
        match one_methodology(&entry.method, base, &fitting::share_of(entry, base, shape, means), known) {
            Ok(mut expanded) => {
                let left_out: Vec<LeftOut> = expanded.left_out.drain(..).collect();
                if let Some(reason) = fitting::no_room((entry, &expanded), shape, means, &mut files_taken) {
                    chosen.left_out.push(whole(entry, reason));
                    continue;
                }
                chosen.left_out.extend(left_out.into_iter().filter_map(|out| renamed(entry, out)));
                let mut unit = entry_unit(entry, expanded, means, &mut chosen.sources);
                if form == Form::Smoke && keep_first(&mut unit) {
                    chosen.left_out.push(whole(entry, SMOKE.to_owned()));
                }
                units.push(unit);
            }
            // For example a target that is not a multiple of the block: the target is at fault, the suite is not.
            Err(found) => chosen.left_out.push(whole(entry, reason_of(&found))),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    taking::take(&mut units, means.time);
    if !method.entries().is_empty() && units.iter().flat_map(|unit| &unit.tests).all(|test| test.out.is_some()) {
        return Err(nothing::error(method, &units, &chosen.left_out).into());
    }
    for Unit { entry, prepare, tests, .. } in units {
        let (stays, mut out): (Vec<Candidate>, Vec<Candidate>) = tests.into_iter().partition(|test| test.out.is_none());
        out.retain(|test| test.asked);
        if !stays.is_empty() {
            chosen.tests.extend(prepare);
        }
        let nothing_stays = stays.is_empty();
        chosen
            .tests
            .extend(stays.into_iter().flat_map(|Candidate { before, test, .. }| before.into_iter().chain([test])));
        chosen.left_out.extend(left_out(entry.filter(|_| nothing_stays), out));
    }
    unique(method, &chosen.tests).map_err(Errors::from)?;
    scored(method, &mut chosen)?;
    Ok(chosen)
}

/// Adds the scores of the methodology and of its suite's methodologies, for tests that are in the plan.
fn scored(method: &Methodology, chosen: &mut Chosen) -> Result<(), Errors> {
    let mut all = scores::of_plan(method, "", &chosen.tests);
    for entry in method.entries() {
        let of_entry = scores::of_plan(&entry.method, &format!("{}-", entry.prefix()), &chosen.tests);
        let titled = |out: LeftOut| LeftOut { title: format!("{}: {}", entry.method.title(), out.title), ..out };
        all.left_out.extend(of_entry.left_out.into_iter().map(titled));
        all.scores.extend(of_entry.scores);
        all.errors.join(of_entry.errors);
    }
    if !all.errors.is_empty() {
        return Err(all.errors);
    }
    chosen.scores = all.scores;
    chosen.left_out.extend(all.left_out);
    Ok(())
}

/// Reason for leaving out the other tests of a methodology in a suite's smoke form, which would take minutes with all
/// tests.
const SMOKE: &str = "the smoke form of a suite has the first test of each methodology";

/// If at least this many tests of a methodology are left out and none stays, one line names the methodology instead.
const MANY: usize = 4;

/// What is left out, each with its reason. `entry` is a methodology of which nothing stays.
fn left_out(entry: Option<(String, String)>, out: Vec<Candidate>) -> Vec<LeftOut> {
    let one = |Candidate { test, out, .. }: Candidate| {
        Some(LeftOut { test: test.name, title: test.title, reason: out?.words().to_owned() })
    };
    let count = out.len();
    let mut all: Vec<LeftOut> = out.into_iter().filter_map(one).collect();
    if let (Some((test, title)), true, Some(first)) = (entry, count >= MANY, all.first()) {
        let reason = format!("none of its {count} tests can run; '{}': {}", first.test, first.reason);
        all = vec![LeftOut { test, title, reason }];
    }
    all
}

/// Keeps the first test that is asked for and can run, or the first that is asked for if none can; returns whether
/// there were others.
fn keep_first(unit: &mut Unit) -> bool {
    let asked: Vec<usize> = (0..unit.tests.len()).filter(|at| unit.tests[*at].asked).collect();
    let first = asked.iter().find(|at| taking::can_run(unit, **at)).or(asked.first()).copied();
    for at in asked.iter().filter(|at| Some(**at) != first) {
        unit.tests[*at].asked = false;
        unit.tests[*at].out = Some(Out::Unmet(SMOKE.to_owned()));
    }
    asked.len() > 1
}

fn whole(entry: &Entry, reason: String) -> LeftOut {
    LeftOut { test: entry.prefix().to_owned(), title: entry.method.title().to_owned(), reason }
}

fn reason_of(errors: &Errors) -> String {
    errors.first().map_or_else(String::new, |error| format!("it does not fit this target: {}", error.title()))
}

fn own_unit(method: &Methodology, Expanded { prepare, tests, .. }: Expanded, means: &Means) -> Unit {
    let candidates = candidates(method, (tests, &prepare), (0, &|_: &str| true), means);
    Unit::of(method, None, prepare, candidates)
}

fn entry_unit(entry: &Entry, expanded: Expanded, means: &Means, sources: &mut Vec<Source>) -> Unit {
    let (method, prefix) = (&entry.method, entry.prefix());
    let priority = entry.table.whole("priority").unwrap_or(0);
    let Expanded { mut prepare, tests, .. } = expanded;
    let mut candidates = candidates(method, (tests, &prepare), (priority, &|name: &str| entry.takes(name)), means);
    let renamed_sources = adopt(method, prefix, sources);
    let rename = |test: &mut TestPlan| {
        named(test, prefix);
        test.title = format!("{}: {}", method.title(), test.title);
        test.sources = test.sources.iter().map(|id| renamed_sources(id)).collect();
    };
    for Candidate { before, test, .. } in &mut candidates {
        before.iter_mut().chain([test]).for_each(&rename);
    }
    prepare.iter_mut().for_each(&rename);
    Unit::of(method, Some((prefix.to_owned(), method.title().to_owned())), prepare, candidates)
}

/// The tests, each with its priority and, if it cannot run, the reason.
fn candidates(
    method: &Methodology,
    (tests, prepare): (Vec<(Vec<TestPlan>, TestPlan)>, &[TestPlan]),
    (priority, is_asked): (u64, &dyn Fn(&str) -> bool),
    means: &Means,
) -> Vec<Candidate> {
    let tables: HashMap<&str, &Table> = by_name(method.root().tables("tests"));
    let candidate = |(before, test): (Vec<TestPlan>, TestPlan)| {
        let table = tables.get(test.name.as_str()).copied();
        let changes = changes(&test) || prepare.iter().chain(&before).any(changes);
        let read_only = means.read_only.as_ref().filter(|_| changes);
        let read_only = read_only.map(|why| Out::Writes(format!("it writes, and {why}")));
        let asked = is_asked(&test.name);
        let not_asked = (!asked).then(|| Out::Unmet("the suite does not include it".to_owned()));
        let out = not_asked.or(read_only).or_else(|| unmet_of_test(table?, means).map(Out::Unmet));
        let own = table.and_then(|table| table.whole("priority")).unwrap_or(0);
        Candidate { before, test, priority: priority + own, asked, out }
    };
    tests.into_iter().map(candidate).collect()
}

/// Whether a test changes what the target holds.
fn changes(test: &TestPlan) -> bool {
    let changes = |load: &Workload| {
        let OtherOps { trim_percent, write_zeroes_percent, .. } = load.other;
        [load.write_percent, trim_percent, write_zeroes_percent].iter().any(|share| !share.is_zero())
    };
    test.steps.iter().filter_map(|step| step.workload()).any(|load| load.groups().any(changes))
}

/// Whether anything is measured.
pub(crate) fn measures(tests: &[TestPlan]) -> bool {
    tests.iter().flat_map(|test| &test.steps).any(|step| step.role == StepRole::Measure)
}
