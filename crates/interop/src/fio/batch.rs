//! Which jobs run concurrently: those between two barriers become one test with groups.
//!
//! Must not know: what options mean for a load, when a test ends, what the target holds.

use super::State;
use super::barrier::batches;
use super::ending::ending;
use super::exit::say_of_exits;
use super::held::Held;
use super::job::Job;
use super::load::{Load, loads, no_load};
use super::one::One;
use super::place::{Span, Target, Wanted, lay_out, wanted};
use super::verify::{Verified, verify};
use crate::draft::{Draft, Group, Names, Origin, Test};
use crate::notes::Fate;
use crate::wrong::{Mistake, Place};

/// The last blocks that a job wrote with headers.
struct Headers {
    span: Option<String>,
    block: u64,
}

/// Adds tests, target and preparation to the draft; `exported` means that drivelab made the file from a plan.
pub(super) fn fill(draft: &mut Draft, jobs: &[Job], exported: bool, state: &mut State) {
    let mut reasons: Vec<String> = Vec::new();
    let mut is_kept: Vec<bool> = Vec::new();
    for job in jobs {
        let left_out = no_load(job, state);
        is_kept.push(left_out.is_none());
        if let Some(why) = left_out {
            job.leave_out(state, &why);
            reasons.push(why);
        }
    }
    let kept: Vec<&Job> = jobs.iter().zip(&is_kept).filter(|(_, kept)| **kept).map(|(job, _)| job).collect();
    let batches = batches(jobs, &is_kept, state);
    let mut places: Vec<(&Job, Wanted)> = Vec::new();
    let mut found: Vec<Load> = Vec::new();
    let mut sizes: Vec<usize> = Vec::new();
    for range in batches.iter().map(|batch| batch.jobs.clone()) {
        let alone = range.len() == 1;
        let before = found.len();
        for job in &kept[range] {
            for load in loads(job, alone, state) {
                places.push((job, wanted(job, &load, state)));
                found.push(load);
            }
        }
        sizes.push(found.len() - before);
    }
    if places.is_empty() {
        if state.mistakes.is_empty() {
            let place = jobs.first().map_or_else(|| Place::new(0, 0..0), |job| job.place.clone());
            let help = reasons.first().cloned().unwrap_or_default();
            let title = "no job of this file reads or writes a drive";
            state.mistakes.push(Mistake::new(&place, title, "nothing is left to import", help));
        }
        return;
    }
    let (target, spans) = lay_out(&places, state);
    let parts = places.into_iter().zip(found).zip(spans);
    let mut all: Vec<One<'_>> =
        parts.map(|(((job, wanted), load), span)| one(job, &wanted, load, span, state)).collect();
    target_size(draft, &all, &target);
    let mut names = Names::without(&["prepare", "main"]);
    let mut written: Option<Headers> = None;
    let mut held = Held::new(exported);
    let mut rest = &mut all[..];
    for size in sizes {
        let (batch, behind) = rest.split_at_mut(size);
        rest = behind;
        if let Some(prepare) = held.prepare(draft, batch, &target, state) {
            draft.prepare.push(prepare);
        } else if !batch.is_empty() {
            test(draft, batch, &mut names, (&mut written, &mut held), &target, state);
        }
    }
    say_of_exits(&kept, &batches, &all, state);
    held.content(draft, &all, &target);
    all.iter().for_each(|one| one.job.say_unknown(state));
}

fn one<'j>(job: &'j Job, wanted: &Wanted, mut load: Load, span: Span, state: &mut State) -> One<'j> {
    if let Some(toml) = &span.toml {
        load.table.set("span", toml.clone(), Origin::Stated);
    }
    let by_kind = load.table.get("streams").is_some();
    if by_kind && load.threads > 1 && wanted.apart {
        let why = "reads and writes of a sequential mix share one stream in each thread; in fio each has its own";
        job.say("rw", Fate::Changed, why, state);
        load.table.remove("streams");
    }
    if !by_kind && load.threads > 1 && !wanted.apart && !load.draws_freely() {
        load.table.set("streams", "\"overlapping\"", Origin::Default);
    }
    One { job, load, span }
}

/// The size of the target.
fn target_size(draft: &mut Draft, all: &[One<'_>], target: &Target) {
    let blocks = all.iter().map(|one| one.load.largest.saturating_mul(one.load.threads)).max().unwrap_or(4096);
    let least = blocks.min(1 << 60).next_multiple_of(1 << 20).max(target.least).max(8 << 20);
    draft.size = (!target.whole).then_some(target.size);
    draft.minimum = if target.whole { least } else { target.size };
}

fn test(
    draft: &mut Draft,
    batch: &mut [One<'_>],
    names: &mut Names,
    (written, held): (&mut Option<Headers>, &mut Held),
    target: &Target,
    state: &mut State,
) {
    let alone = batch.len() == 1;
    for one in batch.iter_mut() {
        let here = Headers { span: one.span.toml.clone(), block: one.load.largest };
        let same = |other: &Headers| other.span == here.span && here.block.is_multiple_of(other.block.max(1));
        let known = written.as_ref().is_some_and(same);
        match verify(one.job, &mut one.load, alone, known, state) {
            Verified::Written | Verified::WrittenAndChecked => *written = Some(here),
            Verified::Checked => {}
            Verified::Off if one.load.writes => *written = None,
            Verified::Off => {}
        }
    }
    shares(batch, state);
    start_delay(draft.tests.is_empty(), batch, state);
    ending(batch, target, state);
    held.cap(batch);
    held.after(batch);
    let Some((main, others)) = batch.split_first() else { return };
    let mut titles: Vec<&str> = std::iter::once(main).chain(others.iter()).map(|one| one.job.name.as_str()).collect();
    titles.dedup();
    let alone = titles.len() == 1;
    let listed = titles.join(", ");
    let purpose = if alone {
        format!("What does the target give to the job {listed} of the job file?")
    } else {
        format!("What does the target give to the jobs {listed} of the job file when they run concurrently?")
    };
    let mut own = Names::without(&["main"]);
    let group = |one: &One<'_>| {
        let mut table = one.load.table.clone();
        table.stand_alone(&main.load.table);
        table.unpaced(&main.load.table);
        let name = one.load.part.map_or_else(|| one.job.name.clone(), |part| format!("{} {}", one.job.name, part.name));
        Group { name: own.give(&name), table, places: one.job.places() }
    };
    let beside = others.iter().map(group).collect();
    draft.tests.push(Test {
        name: names.give(&main.job.name),
        title: listed,
        purpose,
        main: main.load.table.clone(),
        beside,
        places: main.job.places(),
    });
}

/// Options that all groups of a test must have, or none.
fn shares(batch: &mut [One<'_>], state: &mut State) {
    let weighted = batch.iter().filter(|one| one.load.table.get("weight").is_some()).count();
    let paced = batch.iter().any(|one| one.load.table.get("rate").or(one.load.table.get("think_time")).is_some());
    if weighted > 0 && (weighted < batch.len() || paced || batch.len() == 1) {
        for one in batch.iter_mut().filter(|one| one.load.table.get("weight").is_some()) {
            let why = "proportions only work if every load has one, and none has a rate or a pause";
            one.job.say("flow", Fate::Lost, why, state);
            one.load.table.remove("weight");
        }
    }
    let pinned = batch.first().is_some_and(|one| one.load.table.get("cpus").is_some());
    for one in batch.iter().skip(1).filter(|one| pinned && one.load.table.get("cpus").is_none()) {
        let why = "it runs on the CPUs of the first job of its test, because groups take them over";
        one.job.say("", Fate::Changed, why, state);
    }
}

/// fio counts the delay from its own start, so after a barrier it has mostly passed.
fn start_delay(first: bool, batch: &[One<'_>], state: &mut State) {
    for one in batch {
        if one.job.longest("startdelay", 1_000_000_000, state).is_none_or(|delay| delay == 0) {
            continue;
        }
        let (fate, why) = if first {
            (Fate::Lost, "all loads of a test begin at the same moment, and the first test begins immediately")
        } else {
            (
                Fate::Changed,
                "fio counts it from its own start; in drivelab the test begins when the one before has ended",
            )
        };
        one.job.say("startdelay", fate, why, state);
    }
}
