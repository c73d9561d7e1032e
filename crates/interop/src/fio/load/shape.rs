//! Properties of a job's operations, whatever their kind: sizes, order, depth, flushes, the page cache.

use super::super::State;
use super::super::job::Job;
use super::super::options::{Engine, passes_cache};
use super::order::order;
use super::sizes;
use super::types::{Direction, Load};
use crate::bounds::{DEEPEST, TOO_DEEP};
use crate::draft::{Origin, bytes, quoted};
use crate::notes::Fate;

/// Most threads that the language accepts.
const MOST_THREADS: u64 = 1_024;

/// Kind, sizes, order, depth and threads: everything that does not depend on other kinds.
pub(super) fn shape(job: &Job, direction: &Direction, state: &mut State) -> Load {
    let (engine, name) = job.engine(state);
    let mut load = Load { random: direction.random, ..Load::default() };
    load.reads = direction.op == "read";
    load.writes = matches!(direction.op, "write" | "trimwrite");
    let origin = if job.peek("rw").is_some() { Origin::Stated } else { Origin::Default };
    load.twice = direction.op == "trimwrite";
    if load.twice {
        load.table.set("write_percent", "50", origin.clone());
        load.table.set("trim_percent", "50", origin);
    } else {
        load.table.set("op", quoted(direction.op), origin);
    }
    load.sizes = sizes::sizes(job, direction.field, state);
    load.largest = load.sizes.iter().map(|(size, _)| *size).max().unwrap_or(4096);
    write_sizes(job, &mut load);
    order(job, direction, &mut load, state);
    if load.several_sizes() && direction.random {
        say_of_sizes(job, &load, state);
    } else if load.once && sizes::smallest(job) < load.largest {
        let why = "fio's map counts blocks of the smallest size of any direction, so it skips blocks and may end early; \
                   drivelab touches each block once";
        job.say(size_key(job), Fate::Changed, why, state);
    }
    depth(job, engine, &name, &mut load, state);
    load
}

/// The sizes as parameters.
fn write_sizes(job: &Job, load: &mut Load) {
    let stated = ["bs", "bssplit", "bsrange"].iter().any(|key| job.peek(key).is_some());
    let origin = if stated { Origin::Stated } else { Origin::Default };
    if let [(size, _)] = load.sizes[..] {
        return load.table.set("block_size", quoted(&bytes(size)), origin);
    }
    load.table.set("block_size_mix", size_mix(&load.sizes), origin);
}

/// The option that states the sizes.
fn size_key(job: &Job) -> &'static str {
    ["bssplit", "bsrange", "bs"].into_iter().find(|key| job.peek(key).is_some()).unwrap_or("bs")
}

/// Sizes and shares as TOML.
pub(super) fn size_mix(sizes: &[(u64, u64)]) -> String {
    let shares: Vec<String> = sizes
        .iter()
        .map(|(size, share)| format!("{{ block_size = {}, share = {share} }}", quoted(&bytes(*size))))
        .collect();
    format!("[{}]", shares.join(", "))
}

/// Notes how several sizes at random places differ.
fn say_of_sizes(job: &Job, load: &Load, state: &mut State) {
    let key = if job.peek("bssplit").is_some() { "bssplit" } else { "bsrange" };
    let map = job.flag("norandommap", state) != Some(true) && load.table.get("locality").is_none();
    let also = if map { ", and its map of blocks cuts operations that would touch a block twice" } else { "" };
    let why = format!("each operation begins at a multiple of its own size; fio's at one of the smallest{also}");
    job.say(key, Fate::Changed, why, state);
}

/// Flushes among writes. In fio each option adds its own; here only those of the most frequent one are issued.
pub(super) fn flushes(job: &Job, load: &mut Load, state: &mut State) {
    let mut every = |key: &'static str| Some((key, job.whole(key, state).filter(|every| *every > 0)?));
    let asked: Vec<(&str, u64)> = ["fsync", "fdatasync"].into_iter().filter_map(&mut every).collect();
    let sync = job.text("sync", state).filter(|word| !matches!(word.as_str(), "0" | "none"));
    if !load.writes {
        for key in asked.into_iter().map(|(key, _)| key).chain(sync.map(|_| "sync")) {
            job.say(key, Fate::NoEffect, "the load writes nothing", state);
        }
        return;
    }
    if sync.is_some() {
        let why = "a flush follows every write, instead of writes that are durable themselves (O_SYNC, FUA)";
        job.say("sync", Fate::Changed, why, state);
        load.table.set("sync_every", "1", Origin::Ours(why.to_owned()));
        for (key, _) in asked {
            job.say(key, Fate::NoEffect, "sync already has a flush after every write", state);
        }
        return;
    }
    let Some((oftenest, every)) = asked.iter().min_by_key(|(_, every)| *every).copied() else { return };
    load.table.set("sync_every", every.to_string(), Origin::Stated);
    if oftenest == "fsync" {
        job.say(oftenest, Fate::Changed, "drivelab flushes with fdatasync", state);
    }
    if load.mixed.is_some() || load.part.is_some() {
        let why = "a flush follows writes only; in a mix fio also flushes after each read, until the next write";
        job.say(oftenest, Fate::Changed, why, state);
    }
    for (key, other) in asked.iter().filter(|(key, _)| *key != oftenest) {
        let (fate, why) = if other.is_multiple_of(every) {
            (Fate::NoEffect, format!("the flushes of {oftenest} include these"))
        } else {
            (Fate::Lost, format!("only the more frequent flushes of {oftenest} are issued"))
        };
        job.say(key, fate, why, state);
    }
}

fn depth(job: &Job, engine: Engine, name: &str, load: &mut Load, state: &mut State) {
    let asked = job.whole("iodepth", state);
    let depth = match engine {
        Engine::Asynchronous => asked.unwrap_or(1),
        _ => 1,
    };
    if engine != Engine::Asynchronous && asked.is_some_and(|asked| asked > 1) {
        let why = format!("ioengine={name} has one operation in flight per job, whatever iodepth is; so has this load");
        job.say("iodepth", Fate::Changed, why, state);
    }
    if name == "null" {
        job.say("ioengine", Fate::Changed, "ioengine=null moves no data; for that, run it on nop:", state);
    } else if name == "mmap" {
        let why = "fio copies to and from mapped memory, and page faults reach the drive; in drivelab each operation is a \
                   system call, and with direct=1 it bypasses the page cache, which a mapping never does";
        job.say("ioengine", Fate::Changed, why, state);
    } else if job.peek("ioengine").is_some() {
        let why = "which interface issues the operations belongs to the run: --backend";
        job.say("ioengine", Fate::NoEffect, why, state);
    }
    let origin = if asked.is_some() { Origin::Stated } else { Origin::Default };
    if asked == Some(0) {
        job.wrong("iodepth", "1 or more", state);
    }
    if depth > DEEPEST {
        job.say("iodepth", Fate::Changed, TOO_DEEP, state);
    }
    load.table.set("queue_depth", depth.clamp(1, DEEPEST).to_string(), origin);
    load.threads = job.whole("numjobs", state).unwrap_or(1);
    if !(1..=MOST_THREADS).contains(&load.threads) {
        job.wrong("numjobs", "1 to 1,024, which become threads", state);
        load.threads = load.threads.clamp(1, MOST_THREADS);
    }
    if load.threads > 1 {
        load.table.set("threads", load.threads.to_string(), Origin::Stated);
    }
    let (direct, buffered) = (job.flag("direct", state), job.flag("buffered", state));
    let direct = match job.later("direct", "buffered", state) {
        Some("buffered") => buffered.map(|on| !on),
        _ => direct,
    };
    let (direct, origin) = if passes_cache(name) {
        let why = format!("ioengine={name} bypasses the page cache, whatever direct is, and so does this load");
        job.say("ioengine", Fate::Changed, why.clone(), state);
        (true, Origin::Ours(why))
    } else {
        (direct.unwrap_or(false), if direct.is_some() { Origin::Stated } else { Origin::Default })
    };
    load.table.set("direct", direct.to_string(), origin);
    cached(job, direct, state);
    if let Some((odd, _)) = load.sizes.iter().find(|(size, _)| direct && !size.is_multiple_of(512)) {
        let expected = format!("multiples of 512 bytes, because direct I/O cannot move {odd} bytes");
        job.wrong(size_key(job), &expected, state);
    }
    cpus(job, load, state);
    if let Some(seed) = job.whole("randseed", state) {
        let why = "the seed makes runs repeatable; its offsets differ from fio's";
        job.say("randseed", Fate::Changed, why, state);
        load.table.set("seed", (seed & 0x7fff_ffff).to_string(), Origin::Stated);
    }
}

/// `invalidate` and `pre_read`: what the page cache holds when the load begins.
fn cached(job: &Job, direct: bool, state: &mut State) {
    for (key, is_warm, fio) in [
        ("invalidate", false, "fio measures what the page cache holds from before as well"),
        ("pre_read", true, "fio reads its files into the page cache first, and then measures that"),
    ] {
        if job.flag(key, state) != Some(is_warm) {
            continue;
        }
        if direct {
            job.say(key, Fate::NoEffect, "the load bypasses the page cache", state);
        } else {
            let why = format!("{fio}; drivelab writes the cache back and drops it before each step");
            job.say(key, Fate::Lost, why, state);
        }
    }
}

/// `cpus_allowed=0-3,5`.
fn cpus(job: &Job, load: &mut Load, state: &mut State) {
    let Some(value) = job.text("cpus_allowed", state) else { return };
    let mut list: Vec<u64> = Vec::new();
    for part in value.split([',', ':']).map(str::trim).filter(|part| !part.is_empty()) {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        match (low.trim().parse::<u64>(), high.trim().parse::<u64>()) {
            (Ok(low), Ok(high)) if low <= high && high < 4096 => list.extend(low..=high),
            _ => return job.wrong("cpus_allowed", "CPUs, such as 0-3,5", state),
        }
    }
    list.sort_unstable();
    list.dedup();
    let split = job.text("cpus_allowed_policy", state).is_some_and(|word| word == "split");
    if list.len() > 1 && !split {
        let why = "each thread gets one of these CPUs, in turn; in fio each may run on any of them";
        job.say("cpus_allowed", Fate::Changed, why, state);
    }
    let words: Vec<String> = list.iter().map(u64::to_string).collect();
    load.table.set("cpus", format!("[{}]", words.join(", ")), Origin::Stated);
}
