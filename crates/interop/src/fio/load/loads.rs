//! The loads of a job: one, or two if reads and writes differ in more than their share.

use super::super::State;
use super::super::fields::{READS, TRIMS, WRITES};
use super::super::job::Job;
use super::super::options::{Engine, foreign};
use super::data::{data, say_unused};
use super::shape::{flushes, shape};
use super::types::{Direction, Load};
use super::{mix, pace};
use crate::notes::Fate;

/// Why a job is not a load at all; `None` if it is one.
pub(in crate::fio) fn no_load(job: &Job, state: &mut State) -> Option<String> {
    let (engine, name) = job.engine(state);
    if engine == Engine::Foreign {
        return Some(format!("ioengine={name} {}", foreign(&name)));
    }
    if job.peek("read_iolog").is_some_and(|option| option.value.as_deref().is_some_and(|value| !value.is_empty())) {
        let why =
            "it replays a trace: name the file in [[traces]] of a methodology, or drivelab io TARGET --trace-in FILE";
        return Some(why.to_owned());
    }
    let zones = |key: &&&str| {
        let value = job.peek(key).and_then(|option| option.value.as_deref()).unwrap_or_default();
        value.strip_suffix('z').is_some_and(|number| number.parse::<u64>().is_ok())
    };
    let keys = ["size", "offset", "io_size", "offset_increment"];
    keys.iter()
        .find(zones)
        .map(|key| format!("its {key} is in zones of a zoned drive, which drivelab does not support"))
}

/// The loads of a job: one, or two if reads and writes differ in more than their share. `alone` states whether no
/// other job runs beside it.
pub(in crate::fio) fn loads(job: &Job, alone: bool, state: &mut State) -> Vec<Load> {
    let Some((mixed, direction)) = direction(job, state) else { return Vec::new() };
    let shares = shares(job, mixed, state);
    let found = if mixed && (1..100).contains(&shares.1) {
        mix::loads(job, &direction, shares, alone, state)
    } else {
        let kind = match (mixed, shares.1) {
            (true, 0) => Direction { op: "read", field: READS, ..direction },
            (true, _) => Direction { op: "write", field: WRITES, ..direction },
            _ => direction,
        };
        vec![single(job, &kind, state)]
    };
    if !found.iter().any(|load| load.writes) {
        say_unused(job, state);
    }
    found
}

/// A load of one kind of operation.
fn single(job: &Job, direction: &Direction, state: &mut State) -> Load {
    let mut load = shape(job, direction, state);
    pace::pace(job, direction, &mut load, state);
    flushes(job, &mut load, state);
    if load.writes {
        data(job, &mut load, state);
    }
    load
}

fn direction(job: &Job, state: &mut State) -> Option<(bool, Direction)> {
    let text = job.text("rw", state).unwrap_or_else(|| "read".to_owned());
    let (word, modifier) = text.split_once(':').map_or((text.as_str(), None), |(word, rest)| (word, Some(rest)));
    let (op, field, random, mixed) = match word {
        "read" | "r" => ("read", READS, false, false),
        "write" | "w" => ("write", WRITES, false, false),
        "trim" => ("trim", TRIMS, false, false),
        "randread" => ("read", READS, true, false),
        "randwrite" => ("write", WRITES, true, false),
        "randtrim" => ("trim", TRIMS, true, false),
        "rw" | "readwrite" => ("read", READS, false, true),
        "randrw" => ("read", READS, true, true),
        "trimwrite" | "randtrimwrite" => {
            let why = "fio trims each block and then writes it; drivelab draws trims and writes, half of each";
            job.say("rw", Fate::Changed, why, state);
            ("trimwrite", TRIMS, word == "randtrimwrite", false)
        }
        _ => {
            job.wrong("rw", "read, write, randread, randwrite, rw, randrw, trim or the like", state);
            return None;
        }
    };
    Some((mixed, Direction { op, field, random, modifier: modifier.map(str::to_owned) }))
}

/// Whether the job states the share of its kinds, and the share of its writes in per cent.
fn shares(job: &Job, mixed: bool, state: &mut State) -> (bool, u64) {
    if !mixed {
        for key in ["rwmixread", "rwmixwrite"] {
            if job.peek(key).is_some() {
                job.say(key, Fate::NoEffect, "the load is not a mix", state);
            }
        }
        return (false, 0);
    }
    let reads = share(job, "rwmixread", state);
    let writes = share(job, "rwmixwrite", state);
    let percent = match job.later("rwmixread", "rwmixwrite", state) {
        Some("rwmixwrite") => writes,
        _ => reads.map(|reads| 100 - reads),
    };
    (reads.or(writes).is_some(), percent.unwrap_or(50))
}

fn share(job: &Job, key: &str, state: &mut State) -> Option<u64> {
    let percent = job.whole(key, state)?;
    if percent > 100 {
        job.wrong(key, "0 to 100", state);
    }
    Some(percent.min(100))
}
