//! Which jobs run at once: those between two barriers become one test with groups; and when it ends.
//!
//! Must not know: what options mean for a load.

use super::State;
use super::job::Job;
use super::load::{Load, load};
use super::place::{Span, Target, Wanted, lay_out, wanted};
use super::verify::{Verified, verify};
use crate::draft::{Draft, Names, Origin, Test, bytes, quoted, time};
use crate::notes::Fate;
use crate::wrong::{Mistake, Place};

/// A step that ends by its work never lasts longer: fio has no such limit, and a week is out of every drive's way.
const CAP: &str = "168 h";
/// Where nothing else says when loads that run at once end.
const SOME_TIME: u64 = 60_000_000_000;

/// Blocks with headers, as the last job that wrote some left them.
struct Headers {
    span: Option<String>,
    block: u64,
}

/// A job that is imported.
struct One<'j> {
    job: &'j Job,
    load: Load,
    span: Span,
}

/// Adds tests, target and preparation to the draft.
pub(super) fn fill(draft: &mut Draft, jobs: &[Job], state: &mut State) {
    let mut places: Vec<(&Job, Wanted)> = Vec::new();
    let mut loads: Vec<Load> = Vec::new();
    for job in jobs {
        match load(job, state) {
            Ok(load) => {
                places.push((job, wanted(job, load.threads, state)));
                loads.push(load);
            }
            Err(why) => job.leave_out(state, &why),
        }
    }
    if places.is_empty() {
        if state.mistakes.is_empty() {
            let place = jobs.first().map_or_else(|| Place::new(0, 0..0), |job| job.place.clone());
            let help = "drivelab measures drives: it has no load for networks, CPUs or object stores";
            let title = "no job of this file reads or writes a drive";
            state.mistakes.push(Mistake::new(&place, title, "nothing is left to import", help));
        }
        return;
    }
    let (target, spans) = lay_out(&places, state);
    let parts = places.into_iter().zip(loads).zip(spans);
    let mut all: Vec<One<'_>> = parts.map(|(((job, wanted), load), span)| one(job, &wanted, load, span)).collect();
    let mut names = Names::without(&["prepare", "main"]);
    let mut written: Option<Headers> = None;
    for batch in batches(&mut all, state) {
        test(draft, batch, &mut names, &mut written, &target, state);
    }
    finish(draft, &all, &target);
    all.iter().for_each(|one| one.job.say_unknown(state));
}

fn one<'j>(job: &'j Job, wanted: &Wanted, mut load: Load, span: Span) -> One<'j> {
    if let Some(toml) = &span.toml {
        load.table.set("span", toml.clone(), Origin::Stated);
    }
    let drawn = load.random && !load.once;
    if load.threads > 1 && !wanted.apart && !drawn {
        load.table.set("streams", "\"overlapping\"", Origin::Default);
    }
    One { job, load, span }
}

fn finish(draft: &mut Draft, all: &[One<'_>], target: &Target) {
    let reads = all.iter().any(|one| one.load.reads);
    let least = all.iter().map(|one| one.load.largest * one.load.threads).max().unwrap_or(4096);
    draft.size = (!target.whole).then_some(target.size);
    draft.minimum = if target.whole { least.next_multiple_of(1 << 20).max(8 << 20) } else { target.size };
    draft.as_found = reads && target.device;
    draft.fill = reads && !target.device;
}

/// The jobs between two barriers.
fn batches<'a, 'j>(all: &'a mut [One<'j>], state: &mut State) -> Vec<&'a mut [One<'j>]> {
    let mut starts = vec![0];
    for at in 1..all.len() {
        let begin = *starts.last().unwrap_or(&0);
        let waits = all[at].job.text("wait_for", state);
        let here = waits.as_ref().is_some_and(|name| all[begin..at].iter().any(|one| one.job.name == *name));
        if here && at - begin > 1 {
            let why = "it begins when all jobs before it have ended, not only the one it names";
            all[at].job.say("wait_for", Fate::Changed, why, state);
        }
        if all[at].job.stonewalled(state) || here {
            starts.push(at);
        }
    }
    all[0].job.stonewalled(state);
    let mut rest = all;
    let mut parts = Vec::new();
    let mut taken = 0;
    for next in starts.into_iter().skip(1) {
        let (part, behind) = rest.split_at_mut(next - taken);
        (taken, rest) = (next, behind);
        parts.push(part);
    }
    parts.push(rest);
    parts
}

fn test(
    draft: &mut Draft,
    batch: &mut [One<'_>],
    names: &mut Names,
    written: &mut Option<Headers>,
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
    let Some((main, others)) = batch.split_first() else { return };
    let titles: Vec<&str> = std::iter::once(main).chain(others.iter()).map(|one| one.job.name.as_str()).collect();
    let listed = titles.join(", ");
    let purpose = if alone {
        format!("What does the target give to the job {listed} of the job file?")
    } else {
        format!("What does the target give to the jobs {listed} of the job file, all at once?")
    };
    let mut own = Names::without(&["main"]);
    let group = |one: &One<'_>| {
        let mut table = one.load.table.clone();
        table.stand_alone(&main.load.table);
        table.unpaced(&main.load.table);
        (own.give(&one.job.name), table)
    };
    let beside = others.iter().map(group).collect();
    draft.tests.push(Test {
        name: names.give(&main.job.name),
        title: listed,
        purpose,
        main: main.load.table.clone(),
        beside,
    });
}

/// What groups of a test must have all or none of.
fn shares(batch: &mut [One<'_>], state: &mut State) {
    let weighted = batch.iter().filter(|one| one.load.table.get("weight").is_some()).count();
    let paced = batch.iter().any(|one| one.load.table.get("rate").or(one.load.table.get("think_time")).is_some());
    if weighted > 0 && (weighted < batch.len() || paced || batch.len() == 1) {
        for one in batch.iter_mut().filter(|one| one.load.table.get("weight").is_some()) {
            let why = "proportions hold between loads of which each has one, and none a rate or a pause";
            one.job.say("flow", Fate::Lost, why, state);
            one.load.table.remove("weight");
        }
    }
    let pinned = batch.first().is_some_and(|one| one.load.table.get("cpus").is_some());
    for one in batch.iter().skip(1).filter(|one| pinned && one.load.table.get("cpus").is_none()) {
        let why = "it runs on the CPUs of the first job of its test, since groups take them over";
        one.job.say("", Fate::Changed, why, state);
    }
}

/// fio counts the delay from its own start, so that behind a barrier it is mostly over.
fn start_delay(first: bool, batch: &[One<'_>], state: &mut State) {
    for one in batch {
        if one.job.time("startdelay", 1_000_000_000, state).is_none_or(|delay| delay == 0) {
            continue;
        }
        let (fate, why) = if first {
            (Fate::Lost, "all loads of a test begin at the same moment, the first test at once")
        } else {
            (Fate::Changed, "fio counts it from its own start; here the test begins when the one before has ended")
        };
        one.job.say("startdelay", fate, why, state);
    }
}

/// When the test ends: by what the first job says, since groups end together.
fn ending(batch: &mut [One<'_>], target: &Target, state: &mut State) {
    let alone = batch.len() == 1;
    let mut said: Vec<Vec<(&'static str, String, Origin)>> = Vec::new();
    for one in batch.iter() {
        said.push(stop(one, alone, target, state));
    }
    let differs = said.iter().any(|other| keys(other) != keys(&said[0]));
    if differs {
        for one in batch.iter().skip(1) {
            let why = format!("it ends when [{}] does: loads that run at once end together", batch[0].job.name);
            one.job.say("", Fate::Changed, why, state);
        }
    }
    let Some((main, _)) = batch.split_first_mut() else { return };
    for (key, toml, origin) in said.swap_remove(0) {
        main.load.table.set(key, toml, origin);
    }
}

fn keys<'a>(said: &'a [(&'static str, String, Origin)]) -> Vec<(&'static str, &'a str)> {
    said.iter().map(|(key, toml, _)| (*key, toml.as_str())).collect()
}

fn stop(one: &One<'_>, alone: bool, target: &Target, state: &mut State) -> Vec<(&'static str, String, Origin)> {
    let (job, load) = (one.job, &one.load);
    let mut said: Vec<(&'static str, String, Origin)> = Vec::new();
    let runtime = job.time("runtime", 1_000_000_000, state).filter(|runtime| *runtime > 0);
    let timed = job.flag("time_based", state).unwrap_or(false) && runtime.is_some();
    let loops = job.whole("loops", state).unwrap_or(1).max(1);
    if let Some(runtime) = runtime {
        said.push(("time", quoted(&time(runtime)), Origin::Stated));
    }
    let count = job.whole("number_ios", state).filter(|count| *count > 0);
    let moved = job.amount("io_size", state).and_then(|size| match size {
        super::number::Amount::Bytes(size) => Some(size).filter(|size| *size > 0),
        super::number::Amount::Percent(_) => {
            job.say("io_size", Fate::Lost, "a volume is stated in bytes here", state);
            None
        }
    });
    if !timed {
        let threads = load.threads;
        if let Some(count) = count {
            said.push(("operations", count.saturating_mul(threads).to_string(), Origin::Stated));
        }
        if let Some(size) = moved {
            let all = size.saturating_mul(threads).saturating_mul(loops);
            said.push(("volume", quoted(&bytes(all)), Origin::Stated));
        } else if count.is_none() {
            said.extend(once_through(one, alone, loops, target, state));
        }
    } else if moved.or(count).is_some() {
        for key in ["io_size", "number_ios"] {
            if job.peek(key).is_some() {
                job.say(key, Fate::NoEffect, "the job ends by its time", state);
            }
        }
    }
    if runtime.is_none() {
        let why = "fio sets no limit; a week is out of every drive's way";
        said.push(("cap", quoted(CAP), Origin::Ours(why.to_owned())));
    }
    if let Some(ramp) = job.time("ramp_time", 1_000_000_000, state).filter(|ramp| *ramp > 0) {
        said.push(("ramp", quoted(&time(ramp)), Origin::Stated));
    }
    let keep = job.text("continue_on_error", state).filter(|word| !matches!(word.as_str(), "none" | "0"));
    let (word, origin) = if keep.is_some() { ("keep", Origin::Stated) } else { ("stop", Origin::Default) };
    said.push(("errors", quoted(word), origin));
    said
}

/// The end of a job that goes once over its file.
fn once_through(
    one: &One<'_>,
    alone: bool,
    loops: u64,
    target: &Target,
    state: &mut State,
) -> Option<(&'static str, String, Origin)> {
    let load = &one.load;
    let origin = if one.job.peek("loops").is_some() { Origin::Stated } else { Origin::Default };
    let passes = !load.several_sizes && load.table.get("seek_percent").is_none() && (!load.random || load.once);
    let each = if load.table.get("streams").is_some() { load.threads } else { 1 };
    if passes && alone && (each == 1 || one.span.length.is_none()) {
        return Some(("passes", loops.to_string(), origin));
    }
    let stated = one.span.length.or_else(|| (!target.whole && load.table.get("span").is_none()).then_some(target.size));
    if let Some(length) = stated {
        let threads = if load.table.get("streams").is_some() || drawn_by_each(load) { load.threads } else { 1 };
        let all = length.saturating_mul(threads).saturating_mul(loops);
        return Some(("volume", quoted(&bytes(all)), origin));
    }
    if one.job.peek("runtime").is_some() {
        return None;
    }
    let why = "the size of the device is not known here, so the end by its size is not either: a minute instead";
    one.job.say("", Fate::Lost, why, state);
    Some(("time", quoted(&time(SOME_TIME)), Origin::Ours(why.to_owned())))
}

/// Threads that draw from one file move the size of it each.
fn drawn_by_each(load: &Load) -> bool {
    load.random && !load.once && load.threads > 1
}
