//! Which tests of a suite stay: by priority, as many as fit the time, each with what it needs.
//!
//! A test brings its preparation and the tests that write what it needs. If one of these cannot stay, the test cannot
//! stay either. Must not know: why a test could not run by itself.

use drivelab_core::plan::TestPlan;
use drivelab_core::units::Nanos;

use crate::expand::written::Part;
use crate::suite::unit::{Candidate, Out, Unit};
use crate::target::requires::about;

/// Time of a test if others follow, and if it is the last of all.
#[derive(Debug, Clone, Copy)]
struct Cost {
    amid: u64,
    last: u64,
}

/// Time of each plan of each unit, in the order of the whole plan.
struct Costs(Vec<UnitCosts>);

struct UnitCosts {
    shared: Vec<Cost>,
    tests: Vec<Vec<Cost>>,
}

/// Leaves out what cannot stay: tests are taken by priority, and in their order if the priority is equal.
pub(crate) fn take(units: &mut [Unit], time: Option<Nanos>) {
    let chosen = units.iter().enumerate().filter(|(_, unit)| time.is_some() || has_choice(unit));
    let mut order: Vec<(usize, usize)> =
        chosen.flat_map(|(unit, it)| (0..it.tests.len()).map(move |test| (unit, test))).collect();
    order.sort_by_key(|(unit, test)| std::cmp::Reverse(units[*unit].tests[*test].priority));
    let costs = time.map(|_| Costs::of(units));
    let mut stays: Vec<Vec<bool>> = units.iter().map(|unit| vec![false; unit.tests.len()]).collect();
    for (at, index) in order {
        if stays[at][index] || units[at].tests[index].out.is_some() {
            continue;
        }
        let taken = with_needed(&units[at], &stays[at], index).and_then(|with| {
            let mut all = stays.clone();
            all[at] = with;
            let late = costs.as_ref().zip(time).and_then(|(costs, time)| {
                let (before, after) = (costs.of_all(&stays), costs.of_all(&all));
                let behind = || brought(&units[at], &stays[at], &all[at], index);
                (after > time.get()).then(|| {
                    let alone = Nanos::new(after.saturating_sub(before));
                    Out::Late(too_long((before, after), time, &behind()), alone)
                })
            });
            late.map_or(Ok(all), Err)
        });
        match taken {
            Ok(all) => stays = all,
            Err(reason) => units[at].tests[index].out = Some(reason),
        }
    }
}

/// Whether a missing writer may keep a test of the unit from staying. If all writing tests can run, each test brings
/// those that it needs, so a large methodology need not be searched for each of its tests.
fn has_choice(unit: &Unit) -> bool {
    unit.sequence.writers().any(|at| unit.tests[at].out.is_some())
}

/// Whether a test can run without regard to time.
pub(crate) fn can_run(unit: &Unit, index: usize) -> bool {
    unit.tests[index].out.is_none() && with_needed(unit, &vec![false; unit.tests.len()], index).is_ok()
}

fn too_long((before, after): (u64, u64), time: Nanos, behind: &str) -> String {
    let (needed, left) = (Nanos::new(after.saturating_sub(before)), Nanos::new(time.get().saturating_sub(before)));
    format!("it would take about {}{behind}, and {} of {} are left", about(needed), about(left), about(time))
}

/// Which tests of a unit stay if this test does too: with it stay the tests that write what it or a test after it
/// needs.
fn with_needed(unit: &Unit, stays: &[bool], index: usize) -> Result<Vec<bool>, Out> {
    let mut with = stays.to_vec();
    with[index] = true;
    while let Some(lack) = unit.sequence.lacking(&with) {
        let Part { at, before } = lack.of;
        if unit.tests[at].out.is_some() {
            let preparation = if before { "the preparation of " } else { "" };
            let needs = format!("needs what {preparation}'{}' writes", unit.tests[at].test.name);
            return Err(Out::Lacks(match lack.test == index {
                true => format!("it {needs}"),
                false => format!("'{}', which would run with it, {needs}", unit.tests[lack.test].test.name),
            }));
        }
        with[at] = true;
    }
    Ok(with)
}

/// What a test would bring with it, in words.
fn brought(unit: &Unit, stays: &[bool], with: &[bool], index: usize) -> String {
    let new = |at: &usize| with[*at] && !stays[*at];
    let first = !unit.prepare.is_empty() && !stays.contains(&true);
    let prepared = first || (0..with.len()).filter(new).any(|at| !unit.tests[at].before.is_empty());
    let others: Vec<String> = (0..with.len())
        .filter(|at| new(at) && *at != index)
        .map(|at| format!("'{}'", unit.tests[at].test.name))
        .collect();
    match (prepared, others.is_empty()) {
        (false, true) => String::new(),
        (true, true) => " with its preparation".to_owned(),
        (false, false) => format!(" with {}, whose data it needs", others.join(", ")),
        (true, false) => format!(" with its preparation and {}, whose data it needs", others.join(", ")),
    }
}

impl Costs {
    fn of(units: &[Unit]) -> Costs {
        let of_test = |Candidate { before, test, .. }: &Candidate| before.iter().chain([test]).map(cost).collect();
        let of_unit = |unit: &Unit| UnitCosts {
            shared: unit.prepare.iter().map(cost).collect(),
            tests: unit.tests.iter().map(of_test).collect(),
        };
        Costs(units.iter().map(of_unit).collect())
    }

    /// The estimate of a plan with these tests.
    fn of_all(&self, stays: &[Vec<bool>]) -> u64 {
        let (mut sum, mut last): (u64, Option<Cost>) = (0, None);
        let units = self.0.iter().zip(stays).filter(|(_, stays)| stays.contains(&true));
        for (unit, stays) in units {
            let tests = unit.tests.iter().zip(stays).filter(|(_, stays)| **stays).flat_map(|(costs, _)| costs);
            for cost in unit.shared.iter().chain(tests) {
                sum = sum.saturating_add(last.replace(*cost).map_or(0, |before| before.amid));
            }
        }
        sum.saturating_add(last.map_or(0, |last| last.last))
    }
}

/// The plan's own estimate for a test.
fn cost(test: &TestPlan) -> Cost {
    let of = |last| test.estimated_time(last).map_or(u64::MAX, Nanos::get);
    Cost { amid: of(false), last: of(true) }
}
