//! Reads and writes of one job: one load that draws them, or two loads if they differ in more than the share.
//!
//! Owns when a mix is one load, and what happens to depth, rate and end if it is two. Must not know: other jobs.

use super::super::State;
use super::super::fields::{READS, WRITES};
use super::super::job::Job;
use super::data::data;
use super::pace::{self, Rate};
use super::shape::{flushes, shape, size_mix};
use super::sizes::mean;
use super::types::{Direction, Load, Part};
use crate::draft::Origin;
use crate::notes::Fate;

/// Keys that have one value for both kinds in a mix.
const SHAPE: [&str; 6] = ["block_size", "block_size_mix", "pattern", "locality", "seek_percent", "stride"];

/// The loads of a mix. `stated`: the job states the share of its writes. `alone`: no other job runs at the same time.
pub(super) fn loads(
    job: &Job,
    direction: &Direction,
    (stated, writes): (bool, u64),
    alone: bool,
    state: &mut State,
) -> Vec<Load> {
    let kind = |op, field| Direction { op, field, random: direction.random, modifier: direction.modifier.clone() };
    let reading = shape(job, &kind("read", READS), state);
    let writing = shape(job, &kind("write", WRITES), state);
    let rates = (pace::rate(job, READS, &reading, state), pace::rate(job, WRITES, &writing, state));
    let alike = SHAPE.iter().all(|key| reading.table.get(key) == writing.table.get(key));
    let share = Origin::of(stated);
    match rates {
        (None, None) if alike => vec![drawn(job, (reading, writing), (writes, share), None, state)],
        (None, None) if alone && job.peek("flow").is_none() => two(job, [reading, writing], writes, state),
        (None, None) => vec![merged(job, (reading, writing), (writes, share), state)],
        (Some(read), Some(write)) => match summed(read, write).filter(|_| alike) {
            Some((rate, percent)) => {
                let why = "reads and writes keep their rates, and their order is drawn; fio issues them in turn";
                say_rates(job, why, state);
                say_replaced(job, state);
                vec![drawn(job, (reading, writing), (percent, Origin::Stated), Some(rate), state)]
            }
            None => paced(job, [(reading, Some(read)), (writing, Some(write))], state),
        },
        (read, write) => paced(job, [(reading, read), (writing, write)], state),
    }
}

/// Both rates as one, with the share of the writes, if that is a whole number of per cent.
fn summed(read: Rate, write: Rate) -> Option<(Rate, u64)> {
    let (reads, writes) = (read.number(), write.number());
    let all = reads.checked_add(writes)?;
    let percent = writes.checked_mul(100).filter(|part| part.is_multiple_of(all))? / all;
    match (read, write) {
        (Rate::Operations(_), Rate::Operations(_)) => Some((Rate::Operations(all), percent)),
        (Rate::Bytes(_), Rate::Bytes(_)) => Some((Rate::Bytes(all), percent)),
        _ => None,
    }
}

fn say_rates(job: &Job, why: &str, state: &mut State) {
    for key in ["rate", "rate_iops"].into_iter().filter(|key| job.peek(key).is_some()) {
        job.say(key, Fate::Changed, why, state);
    }
}

/// Notes that a share which the job states has no effect, because the rates decide it.
fn say_replaced(job: &Job, state: &mut State) {
    for key in ["rwmixread", "rwmixwrite"].into_iter().filter(|key| job.peek(key).is_some()) {
        job.say(key, Fate::NoEffect, "the rates of reads and writes decide their share, as in fio", state);
    }
}

/// One load that draws the kind of each operation.
fn drawn(
    job: &Job,
    (reading, writing): (Load, Load),
    (percent, origin): (u64, Origin),
    rate: Option<Rate>,
    state: &mut State,
) -> Load {
    let mut load =
        Load { writes: true, mixed: Some(percent), largest: reading.largest.max(writing.largest), ..reading };
    load.table.remove("op");
    load.table.lead("write_percent", percent.to_string(), origin);
    let plain = !load.several_sizes() && ["seek_percent", "stride"].iter().all(|key| load.table.get(key).is_none());
    if !load.random && plain {
        load.table.set("streams", "\"by_kind\"", Origin::Default);
    } else if !load.random {
        let why = if load.several_sizes() {
            "reads and writes of a sequential mix share one stream; in fio each has its own; if a large block no \
             longer fits before the end of the span, small blocks fill the rest"
        } else {
            "reads and writes of a sequential mix share one stream; in fio each has its own"
        };
        job.say("rw", Fate::Changed, why, state);
    }
    if let Some(rate) = rate {
        pace::set(job, rate, &mut load, state);
    }
    pace::pauses(job, &mut load, state);
    flushes(job, &mut load, state);
    data(job, &mut load, state);
    load
}

/// One load with the sizes of both kinds, for jobs in which two loads could not keep their proportion.
fn merged(job: &Job, (reading, writing): (Load, Load), (writes, share): (u64, Origin), state: &mut State) -> Load {
    let total = |load: &Load| load.sizes.iter().map(|(_, share)| *share).sum::<u64>().max(1);
    let (of_reads, of_writes) = (total(&reading), total(&writing));
    let mut sizes = reading.sizes.clone();
    sizes.iter_mut().for_each(|(_, share)| *share *= (100 - writes) * of_writes);
    for (size, share) in &writing.sizes {
        let share = share * writes * of_reads;
        match sizes.iter_mut().find(|(other, _)| other == size) {
            Some((_, sum)) => *sum += share,
            None => sizes.push((*size, share)),
        }
    }
    let most = sizes.iter().map(|(_, share)| *share).max().unwrap_or(1);
    let scale = most.div_ceil(1_000_000).max(1);
    sizes.iter_mut().for_each(|(_, share)| *share = (*share / scale).max(1));
    let why = "the shares of all sizes are kept, but each size is drawn for reads and writes alike: two loads keep a \
               proportion only if no other job runs beside them and the job has no flow";
    let keys = ["bssplit", "bsrange", "bs", "random_distribution", "percentage_random"];
    for key in keys.into_iter().filter(|key| job.peek(key).is_some()) {
        job.say(key, Fate::Lost, why, state);
    }
    let mut reading = reading;
    if let [_] = sizes[..] {
        return drawn(job, (reading, writing), (writes, share), None, state);
    }
    if reading.table.get("pattern") == Some("\"random_once\"") {
        reading.table.set("pattern", "\"random\"", Origin::Default);
    }
    reading.once = false;
    reading.table.remove("block_size");
    reading.table.set("block_size_mix", size_mix(&sizes), Origin::Stated);
    reading.sizes = sizes;
    drawn(job, (reading, writing), (writes, share), None, state)
}

/// Two loads that keep the proportion of their operations.
fn two(job: &Job, loads: [Load; 2], writes: u64, state: &mut State) -> Vec<Load> {
    let depth: u64 = loads[0].table.get("queue_depth").and_then(|text| text.parse().ok()).unwrap_or(1);
    let of_writes = ((depth * writes + 50) / 100).clamp(1, depth.saturating_sub(1).max(1));
    let of_reads = depth.saturating_sub(of_writes).max(1);
    let why = format!(
        "reads and writes are two loads in the proportion {} : {writes}, with {of_reads} and {of_writes} operations in \
         flight; in fio either kind may fill the whole depth of {depth}",
        100 - writes
    );
    say_split(job, &why, state);
    let shares = [100 - writes, writes];
    let moved = [0, 1].map(|at| shares[at] as f64 * mean(&loads[at].sizes));
    let parts = [0, 1].map(|at| (shares[at] as f64 / 100.0, moved[at] / (moved[0] + moved[1])));
    let mut loads = finished(job, loads, parts, state);
    for (at, load) in loads.iter_mut().enumerate() {
        load.table.set("queue_depth", [of_reads, of_writes][at].to_string(), Origin::Ours(why.clone()));
        load.table.set("weight", shares[at].to_string(), Origin::Stated);
    }
    loads
}

/// Two loads, each with its rate if it has one; the first decides when both end.
fn paced(job: &Job, loads: [(Load, Option<Rate>); 2], state: &mut State) -> Vec<Load> {
    let why = "reads and writes are two loads, each at its own rate and with the depth of the job";
    say_split(job, why, state);
    say_rates(job, why, state);
    say_replaced(job, state);
    let [(reading, read), (writing, write)] = loads;
    let per_second = |load: &Load, rate: Option<Rate>| match rate {
        None => (0.0, 0.0),
        Some(Rate::Operations(rate)) => (rate as f64, rate as f64 * mean(&load.sizes)),
        Some(Rate::Bytes(rate)) => (rate as f64 / mean(&load.sizes), rate as f64),
    };
    let (one, other) = (per_second(&reading, read), per_second(&writing, write));
    let both = read.is_some() && write.is_some();
    let share = |(operations, bytes): (f64, f64)| match both {
        true => (operations / (one.0 + other.0), bytes / (one.1 + other.1)),
        false => (1.0, 1.0),
    };
    let mut loads = finished(job, [reading, writing], [share(one), share(other)], state);
    for (load, rate) in loads.iter_mut().zip([read, write]) {
        if let Some(rate) = rate {
            pace::set(job, rate, load, state);
        }
    }
    if read.is_some() && write.is_none() {
        loads.reverse();
    }
    loads
}

fn say_split(job: &Job, why: &str, state: &mut State) {
    let keys = ["bssplit", "bsrange", "bs", "random_distribution", "percentage_random"];
    let mut said = false;
    for key in keys.into_iter().filter(|key| job.peek(key).is_some_and(|option| differs(option.value.as_deref()))) {
        job.say(key, Fate::Changed, why, state);
        said = true;
    }
    if !said {
        job.say("rw", Fate::Changed, why, state);
    }
}

fn differs(value: Option<&str>) -> bool {
    value.is_some_and(|value| value.contains(','))
}

/// Completes both loads, each with its part of the job.
fn finished(job: &Job, loads: [Load; 2], parts: [(f64, f64); 2], state: &mut State) -> Vec<Load> {
    let mut done = Vec::new();
    for ((mut load, name), (operations, bytes)) in loads.into_iter().zip(["reads", "writes"]).zip(parts) {
        load.part = Some(Part { name, operations, bytes });
        pace::pauses(job, &mut load, state);
        if load.writes {
            flushes(job, &mut load, state);
            data(job, &mut load, state);
        }
        if load.once {
            let why = "reads and writes each go over the span once; in fio a block is either read or written";
            job.say("rw", Fate::Changed, why, state);
        }
        done.push(load);
    }
    done
}
