//! One job's load: kinds of operations, sizes, order, depth, pace, data.
//!
//! Owns what each option of a job becomes as a parameter. Must not know: other jobs, when a job ends, verification.

mod order;

use order::order;

use super::State;
use super::job::Job;
use super::options::Engine;
use crate::draft::{Origin, Table, bytes, quoted, time};
use crate::notes::Fate;

/// A job as a load.
#[derive(Debug, Clone, Default)]
pub(super) struct Load {
    pub(super) table: Table,
    pub(super) threads: u64,
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) mixed: bool,
    pub(super) random: bool,
    /// Every block of the span comes once before any comes again.
    pub(super) once: bool,
    /// Sizes of several kinds, so that passes cannot be counted.
    pub(super) several_sizes: bool,
    pub(super) largest: u64,
}

/// What `rw=` says.
struct Direction {
    op: &'static str,
    random: bool,
    mixed: bool,
    /// Behind the colon.
    modifier: Option<String>,
}

/// The load of a job, or why the job is none.
pub(super) fn load(job: &Job, state: &mut State) -> Result<Load, String> {
    let (engine, name) = job.engine(state);
    if engine == Engine::Foreign {
        return Err(format!("ioengine={name} is about something other than reads and writes of a drive"));
    }
    let zones = |key: &&&str| {
        let value = job.peek(key).and_then(|option| option.value.as_deref()).unwrap_or_default();
        value.strip_suffix('z').is_some_and(|number| number.parse::<u64>().is_ok())
    };
    if let Some(key) = ["size", "offset", "io_size", "offset_increment"].iter().find(zones) {
        return Err(format!("its {key} is in zones of a zoned drive, which is not known here"));
    }
    let Some(direction) = direction(job, state) else { return Err("its kind of operation is not known".to_owned()) };
    let mut load = Load { random: direction.random, mixed: direction.mixed, ..Load::default() };
    load.reads = direction.mixed || direction.op == "read";
    load.writes = direction.mixed || direction.op == "write";
    operations(job, &direction, &mut load, state);
    sizes(job, &direction, &mut load, state);
    order(job, &direction, &mut load, state);
    depth(job, engine, &name, &mut load, state);
    pace(job, &direction, &mut load, state);
    if load.writes {
        data(job, &mut load, state);
    } else {
        say_unused(job, state);
    }
    Ok(load)
}

fn direction(job: &Job, state: &mut State) -> Option<Direction> {
    let text = job.text("rw", state).unwrap_or_else(|| "read".to_owned());
    let (word, modifier) = text.split_once(':').map_or((text.as_str(), None), |(word, rest)| (word, Some(rest)));
    let (op, random, mixed) = match word {
        "read" | "r" => ("read", false, false),
        "write" | "w" => ("write", false, false),
        "trim" => ("trim", false, false),
        "randread" => ("read", true, false),
        "randwrite" => ("write", true, false),
        "randtrim" => ("trim", true, false),
        "rw" | "readwrite" => ("mixed", false, true),
        "randrw" => ("mixed", true, true),
        "trimwrite" | "randtrimwrite" => {
            let why = "each block is trimmed and then written there; here trims and writes are drawn, half of each";
            job.say("rw", Fate::Changed, why, state);
            ("trimwrite", word == "randtrimwrite", false)
        }
        _ => {
            job.wrong("rw", "read, write, randread, randwrite, rw, randrw, trim or the like", state);
            return None;
        }
    };
    Some(Direction { op, random, mixed, modifier: modifier.map(str::to_owned) })
}

fn operations(job: &Job, direction: &Direction, load: &mut Load, state: &mut State) {
    let origin = if job.peek("rw").is_some() { Origin::Stated } else { Origin::Default };
    match direction.op {
        "mixed" => {
            let reads = share(job, "rwmixread", state);
            let writes = share(job, "rwmixwrite", state);
            let origin = if reads.or(writes).is_some() { Origin::Stated } else { Origin::Default };
            let percent = match job.later("rwmixread", "rwmixwrite", state) {
                Some("rwmixwrite") => writes,
                _ => reads.map(|reads| 100 - reads),
            };
            let percent = percent.unwrap_or(50);
            load.table.set("write_percent", percent.to_string(), origin);
            if !direction.random {
                let why = "reads and writes of a sequential mix follow one stream here, and one each in fio";
                job.say("rw", Fate::Changed, why, state);
            }
        }
        "trimwrite" => {
            load.writes = true;
            load.table.set("write_percent", "50", origin.clone());
            load.table.set("trim_percent", "50", origin);
        }
        op => load.table.set("op", quoted(op), origin),
    }
    if !direction.mixed {
        for key in ["rwmixread", "rwmixwrite"] {
            if job.peek(key).is_some() {
                job.say(key, Fate::NoEffect, "the load is no mix", state);
            }
        }
    }
    flushes(job, load, state);
}

fn share(job: &Job, key: &str, state: &mut State) -> Option<u64> {
    let percent = job.whole(key, state)?;
    if percent > 100 {
        job.wrong(key, "0 to 100", state);
    }
    Some(percent.min(100))
}

fn flushes(job: &Job, load: &mut Load, state: &mut State) {
    for key in ["fsync", "fdatasync"] {
        let Some(every) = job.whole(key, state).filter(|every| *every > 0) else { continue };
        if !load.writes {
            job.say(key, Fate::NoEffect, "the load writes nothing", state);
            continue;
        }
        if key == "fsync" {
            job.say(key, Fate::Changed, "a flush is an fdatasync here", state);
        }
        load.table.set("sync_every", every.to_string(), Origin::Stated);
    }
    let sync = job.text("sync", state).filter(|word| !matches!(word.as_str(), "0" | "none"));
    if sync.is_some() && load.writes && load.table.get("sync_every").is_none() {
        let why = "a flush follows every write, instead of writes that are durable by themselves (O_SYNC, FUA)";
        job.say("sync", Fate::Changed, why, state);
        load.table.set("sync_every", "1", Origin::Ours(why.to_owned()));
    }
}

/// The value of one direction in `bs=4k,8k,16k` and the like: an absent one repeats the one before.
fn of_direction<'v>(value: &'v str, direction: &Direction) -> (&'v str, bool) {
    let parts: Vec<&str> = value.split(',').collect();
    let at = match direction.op {
        "write" => 1,
        "trim" => 2,
        _ => 0,
    };
    let pick = |at: usize| parts.iter().take(at + 1).rev().find(|part| !part.is_empty()).copied().unwrap_or("");
    (pick(at), direction.mixed && pick(0) != pick(1))
}

fn sizes(job: &Job, direction: &Direction, load: &mut Load, state: &mut State) {
    let found = split_sizes(job, direction, state).or_else(|| range(job, direction, state));
    if let Some(sizes) = found {
        load.largest = sizes.iter().map(|(size, _)| *size).max().unwrap_or(4096);
        if let [(size, _)] = sizes[..] {
            load.table.set("block_size", quoted(&bytes(size)), Origin::Stated);
            return;
        }
        let shares: Vec<String> = sizes
            .iter()
            .map(|(size, share)| format!("{{ block_size = {}, share = {share} }}", quoted(&bytes(*size))))
            .collect();
        load.several_sizes = true;
        load.table.set("block_size_mix", format!("[{}]", shares.join(", ")), Origin::Stated);
        if job.peek("bs").is_some() {
            job.say("bs", Fate::NoEffect, "the distribution of sizes stands in its place", state);
        }
        return;
    }
    let stated = job.text("bs", state);
    let size = stated.as_deref().map_or(Some(4096), |value| {
        let (own, differs) = of_direction(value, direction);
        if differs {
            job.say("bs", Fate::Lost, "reads and writes of a mix have one size here: that of the reads", state);
        }
        job.part(own).filter(|size| *size > 0)
    });
    match size {
        Some(size) => {
            load.largest = size;
            let origin = if stated.is_some() { Origin::Stated } else { Origin::Default };
            load.table.set("block_size", quoted(&bytes(size)), origin);
        }
        None => job.wrong("bs", "sizes such as 4k or 4k,64k", state),
    }
}

/// `bssplit=4k/60:64k/40`; sizes without a share have what is left.
fn split_sizes(job: &Job, direction: &Direction, state: &mut State) -> Option<Vec<(u64, u64)>> {
    let value = job.text("bssplit", state)?;
    let (own, differs) = of_direction(&value, direction);
    if differs {
        job.say(
            "bssplit",
            Fate::Lost,
            "reads and writes of a mix have one distribution here: that of the reads",
            state,
        );
    }
    let mut sizes: Vec<(u64, Option<u64>)> = Vec::new();
    for part in own.split(':').filter(|part| !part.is_empty()) {
        let (size, share) = part.split_once('/').unwrap_or((part, ""));
        let share = share.trim();
        let (size, share) = (job.part(size), if share.is_empty() { Some(None) } else { share.parse().ok().map(Some) });
        let (Some(size), Some(share)) = (size.filter(|size| *size > 0), share) else {
            job.wrong("bssplit", "sizes with shares, such as 4k/60:64k/40", state);
            return Some(vec![(4096, 100)]);
        };
        sizes.push((size, share));
    }
    let stated: u64 = sizes.iter().filter_map(|(_, share)| *share).sum();
    let open = sizes.iter().filter(|(_, share)| share.is_none()).count() as u64;
    let rest = 100_u64.saturating_sub(stated) / open.max(1);
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (size, share) in sizes {
        let share = share.unwrap_or(rest);
        match merged.iter_mut().find(|(other, _)| *other == size) {
            Some((_, sum)) => *sum += share,
            None => merged.push((size, share)),
        }
    }
    merged.retain(|(_, share)| *share > 0);
    Some(if merged.is_empty() { vec![(4096, 100)] } else { merged })
}

/// `bsrange=4k-64k`: multiples of the smallest up to the largest, each as likely, as fio rounds what it draws.
fn range(job: &Job, direction: &Direction, state: &mut State) -> Option<Vec<(u64, u64)>> {
    /// A mix has not more sizes than this.
    const MOST: u64 = 64;
    let value = job.text("bsrange", state)?;
    let (own, differs) = of_direction(&value, direction);
    if differs {
        job.say(
            "bsrange",
            Fate::Lost,
            "reads and writes of a mix have one distribution here: that of the reads",
            state,
        );
    }
    let ends = own.split_once('-').and_then(|(low, high)| {
        let (low, high) = (job.part(low)?, job.part(high)?);
        Some((low.min(high), low.max(high))).filter(|(low, _)| *low > 0)
    });
    let Some((low, high)) = ends else {
        job.wrong("bsrange", "two sizes, such as 4k-64k", state);
        return Some(vec![(4096, 1)]);
    };
    let count = high / low;
    if count > MOST {
        let why = format!("{count} sizes become {MOST}, spread evenly over the range");
        job.say("bsrange", Fate::Changed, why, state);
    }
    let step = count.div_ceil(MOST).max(1);
    Some((1..=count / step).map(|number| (number * step * low, 1)).collect())
}

fn depth(job: &Job, engine: Engine, name: &str, load: &mut Load, state: &mut State) {
    let asked = job.whole("iodepth", state);
    let depth = match engine {
        Engine::Asynchronous => asked.unwrap_or(1),
        _ => 1,
    };
    if engine != Engine::Asynchronous && asked.is_some_and(|asked| asked > 1) {
        let why =
            format!("ioengine={name} has one operation in flight per job, whatever iodepth says; so has this load");
        job.say("iodepth", Fate::Changed, why, state);
    }
    if job.peek("ioengine").is_some() {
        let why = "which interface issues the operations belongs to the run: --backend";
        job.say("ioengine", Fate::NoEffect, why, state);
    }
    let origin = if asked.is_some() { Origin::Stated } else { Origin::Default };
    load.table.set("queue_depth", depth.clamp(1, 65_535).to_string(), origin);
    load.threads = job.whole("numjobs", state).unwrap_or(1).clamp(1, 1024);
    if load.threads > 1 {
        load.table.set("threads", load.threads.to_string(), Origin::Stated);
    }
    let (direct, buffered) = (job.flag("direct", state), job.flag("buffered", state));
    let direct = match job.later("direct", "buffered", state) {
        Some("buffered") => buffered.map(|on| !on),
        _ => direct,
    };
    let origin = if direct.is_some() { Origin::Stated } else { Origin::Default };
    load.table.set("direct", direct.unwrap_or(false).to_string(), origin);
    cpus(job, load, state);
    if let Some(seed) = job.whole("randseed", state) {
        let why = "the seed makes runs repeat; its offsets are not those of fio";
        job.say("randseed", Fate::Changed, why, state);
        load.table.set("seed", (seed & 0x7fff_ffff).to_string(), Origin::Stated);
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
    list.dedup();
    let words: Vec<String> = list.iter().map(u64::to_string).collect();
    load.table.set("cpus", format!("[{}]", words.join(", ")), Origin::Stated);
}

fn pace(job: &Job, direction: &Direction, load: &mut Load, state: &mut State) {
    rate(job, direction, load, state);
    let think = job.time("thinktime", 1_000, state).filter(|think| *think > 0);
    let active = job.time("thinktime_iotime", 1_000_000_000, state).filter(|active| *active > 0);
    let blocks = job.text("thinktime_blocks", state).and_then(|text| text.parse::<u64>().ok()).unwrap_or(1);
    job.ask("thinktime_blocks_type", state);
    match (think, active) {
        (Some(think), Some(active)) => {
            let table = format!("{{ on = {}, off = {} }}", quoted(&time(active)), quoted(&time(think)));
            load.table.set("bursts", table, Origin::Stated);
        }
        (Some(think), None) if blocks <= 1 && load.table.get("rate").is_none() => {
            if load.table.get("queue_depth") != Some("1") {
                let why = "each place in the queue thinks by itself; fio's job stands still as a whole";
                job.say("thinktime", Fate::Changed, why, state);
            }
            load.table.set("think_time", quoted(&time(think)), Origin::Stated);
        }
        (Some(_), None) => {
            let why = "thinking comes after every operation of a closed loop here; `bursts` pauses by time";
            job.say("thinktime", Fate::Lost, why, state);
            job.say("thinktime_blocks", Fate::Lost, why, state);
        }
        (None, _) => {}
    }
    if let Some(weight) = job.whole("flow", state).filter(|weight| *weight > 0) {
        let why = "the proportion holds for operations, at every moment";
        job.say("flow", Fate::Changed, why, state);
        load.table.set("weight", weight.to_string(), Origin::Stated);
    }
}

fn rate(job: &Job, direction: &Direction, load: &mut Load, state: &mut State) {
    for key in ["rate_iops", "rate"] {
        let Some(value) = job.text(key, state) else { continue };
        let (own, differs) = of_direction(&value, direction);
        let both: Option<Vec<u64>> = value.split(',').take(2).map(|part| job.part(part)).collect();
        let per_job = match (direction.mixed, both.as_deref()) {
            (false, _) => job.part(own),
            (true, Some([reads, writes])) if differs => Some(reads + writes),
            _ => None,
        };
        let Some(rate) = per_job else {
            if direction.mixed {
                let why = "fio limits reads and writes of a mix each by itself; a rate here is that of all operations";
                job.say(key, Fate::Lost, why, state);
            } else {
                job.wrong(key, "operations or bytes per second, such as 1000 or 10m", state);
            }
            continue;
        };
        if rate == 0 {
            continue;
        }
        let all = rate.saturating_mul(load.threads.max(1));
        let text = if key == "rate" { format!("{all} B/s") } else { format!("{all} IOPS") };
        let why = "operations arrive at this rate whatever the target does; fio's job waits when its queue is full";
        job.say(key, Fate::Changed, why, state);
        load.table.set("rate", quoted(&text), Origin::Stated);
    }
    match job.text("rate_process", state).as_deref() {
        Some("poisson") if load.table.get("rate").is_some() => {
            load.table.set("arrivals", "\"exponential\"", Origin::Stated);
        }
        _ => {}
    }
}

fn data(job: &Job, load: &mut Load, state: &mut State) {
    let compress = job.whole("buffer_compress_percentage", state).filter(|share| (1..=100).contains(share));
    let dedup = job.whole("dedupe_percentage", state).filter(|share| (1..=100).contains(share));
    if job.peek("buffer_compress_chunk").is_some() {
        let why = "the share that compresses is of each block";
        job.say("buffer_compress_chunk", Fate::Changed, why, state);
    }
    let scrambled = job.flag("scramble_buffers", state);
    let refilled = job.flag("refill_buffers", state);
    if job.flag("zero_buffers", state) == Some(true) {
        load.table.set("data", "\"zero\"", Origin::Stated);
    } else if let Some(pattern) = job.text("buffer_pattern", state) {
        match hexadecimal(&pattern) {
            Some(hex) if compress.is_none() => {
                load.table.set("data", "\"pattern\"", Origin::Stated);
                load.table.set("data_pattern", quoted(&hex), Origin::Stated);
            }
            Some(_) => job.say("buffer_pattern", Fate::Lost, "a share that compresses is zero bytes here", state),
            None => job.say("buffer_pattern", Fate::Lost, "only 0x… and \"text\" patterns are carried over", state),
        }
    } else if scrambled == Some(false) && refilled != Some(true) && compress.or(dedup).is_none() {
        load.table.set("data", "\"one_block\"", Origin::Stated);
    }
    if load.table.get("data").is_none() {
        for (key, share) in [("compress_percent", compress), ("dedup_percent", dedup)] {
            if let Some(share) = share {
                load.table.set(key, share.to_string(), Origin::Stated);
            }
        }
    } else if compress.or(dedup).is_some() {
        for key in ["buffer_compress_percentage", "dedupe_percentage"] {
            if job.peek(key).is_some() {
                job.say(key, Fate::Lost, "only data without a pattern has such a share", state);
            }
        }
    }
}

/// The bytes of a pattern as digits, in the order in which fio writes them: `0xdeadbeef` is de ad be ef.
fn hexadecimal(pattern: &str) -> Option<String> {
    let text = pattern.trim();
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let whole = !digits.is_empty() && digits.chars().all(|sign| sign.is_ascii_hexdigit());
        let even = if digits.len().is_multiple_of(2) { digits.to_owned() } else { format!("0{digits}") };
        return whole.then(|| even.to_ascii_lowercase());
    }
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    (!inner.is_empty()).then(|| inner.bytes().map(|byte| format!("{byte:02x}")).collect())
}

fn say_unused(job: &Job, state: &mut State) {
    let keys = [
        "buffer_compress_percentage",
        "buffer_compress_chunk",
        "dedupe_percentage",
        "zero_buffers",
        "refill_buffers",
        "scramble_buffers",
        "buffer_pattern",
    ];
    for key in keys {
        if job.peek(key).is_some() {
            job.say(key, Fate::NoEffect, "the load writes nothing", state);
        }
    }
}
