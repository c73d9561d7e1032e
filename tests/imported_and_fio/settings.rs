//! Properties that a job's operations do not show, compared between the plan and the meaning of the options:
//! operations in flight, pauses, the page cache, data, requested flushes, CPUs, whether there is a rate, and the seed.

use drivelab_core::workload::{DataPattern, Workload};

use super::compare::{Aspect, Pair};
use super::draw::Section;

/// The note of the import if reads and writes are two loads with a part each of the job's depth.
const SHARED_OUT: &str = "in fio either kind may fill the whole depth";

/// The seed that each test of a methodology states, in order.
pub fn seeds(toml: &str) -> Vec<Option<i64>> {
    let method: toml::Value = toml::from_str(toml).expect("a methodology");
    let tests = method["tests"].as_array().expect("tests");
    tests.iter().map(|test| test.get("seed").and_then(toml::Value::as_integer)).collect()
}

/// How the plan differs from the options.
pub fn differences(pair: &Pair<'_>, seed: Option<i64>, words: &str) -> Vec<(Aspect, String)> {
    let (main, _) = pair.load();
    let sections = pair.sections;
    let whose = |at: usize| sections.get(at).or(sections.first().filter(|_| sections.len() == 1));
    let mut found: Vec<String> = Vec::new();
    for (load, section) in main.groups().enumerate().filter_map(|(at, load)| Some((load, whose(at)?))) {
        let mut hold = |what: &str, asked: String, planned: String| {
            if asked != planned {
                found.push(format!("{what}: {asked} is asked, and the plan has {planned}"));
            }
        };
        if !words.contains(SHARED_OUT) {
            hold("operations in flight", depth(section).to_string(), load.queue_depth.get().to_string());
        }
        hold("a pause", pause(section, words), planned_pause(load));
        if sections.len() > 1 {
            hold("a rate of its own", has_rate(section).to_string(), load.pace.rate.is_some().to_string());
        }
        hold("direct", direct(section).to_string(), load.direct.to_string());
        hold("CPUs", format!("{:?}", cpus(section)), format!("{:?}", load.placement.cpus));
        if load.write_percent.get() > 0 && load.verify.is_off() {
            hold("data", data(section), planned_data(load));
        }
        if load.write_percent.get() > 0 && !words.contains("has no flushes among its writes") {
            hold("a flush after writes", flushes(section).to_string(), load.other.sync_every.to_string());
        }
    }
    if words.contains(SHARED_OUT) {
        // Each of the two has at least one.
        let (asked, planned) =
            (depth(&sections[0]).max(2), main.groups().map(|load| load.queue_depth.get()).sum::<u32>());
        if asked != planned {
            found.push(format!("operations in flight: {asked} are asked, and both loads of the plan have {planned}"));
        }
    }
    // Even on a machine that is too busy to hold the pace.
    let (asked, planned) = (sections.iter().any(has_rate), main.groups().any(|load| load.pace.rate.is_some()));
    if asked != planned {
        found.push(format!("a rate is asked: {asked}, the plan has one: {planned}"));
    }
    let asked = sections[0].get("randseed").map(|text| text.parse::<i64>().expect("a seed of the table"));
    if asked != seed {
        found.push(format!("the seed {asked:?} is asked, and the methodology has {seed:?}"));
    }
    found.into_iter().map(|why| (Aspect::Settings, why)).collect()
}

/// Operations in flight of each job: engines that submit and wait have one, whatever is asked.
fn depth(section: &Section) -> u32 {
    match section.get("ioengine") {
        Some("libaio" | "io_uring" | "posixaio") => {
            section.get("iodepth").map_or(1, |text| text.parse().expect("a depth of the table"))
        }
        _ => 1,
    }
}

/// Pauses of a job, in words; none if the import notes that it has none.
fn pause(section: &Section, words: &str) -> String {
    let pause = section.get("thinktime").map_or(0, |text| nanos(text, 1_000));
    let active = section.get("thinktime_iotime").map_or(0, |text| nanos(text, 1_000_000_000));
    let blocks = section.get("thinktime_blocks").map_or(1, |text| text.parse::<u32>().expect("a number of the table"));
    let lost = words.contains("drivelab pauses after every operation");
    match (pause, active, blocks) {
        (0, ..) => "none".to_owned(),
        (_, 0, 2..) if lost => "none".to_owned(),
        (pause, 0, blocks) => format!("{pause} ns after each {blocks}"),
        (pause, active, _) => format!("{pause} ns after {active} ns of work"),
    }
}

fn planned_pause(load: &Workload) -> String {
    let pace = load.pace;
    match pace.bursts {
        Some(bursts) => format!("{} ns after {} ns of work", bursts.off.get(), bursts.on.get()),
        None if pace.think_time.is_zero() => "none".to_owned(),
        None => format!("{} ns after each 1", pace.think_time.get()),
    }
}

/// A time of the table; a number without a unit is in `bare` nanoseconds.
fn nanos(text: &str, bare: u64) -> u64 {
    let (number, unit) = text.strip_suffix("ms").map_or((text, bare), |number| (number, 1_000_000));
    number.parse::<u64>().expect("a time of the table") * unit
}

/// Direct I/O: the later of the two options counts.
fn direct(section: &Section) -> bool {
    let said = |option: &&String| option.starts_with("direct=") || option.starts_with("buffered=");
    let last = section.options.iter().rev().find(said);
    last.is_some_and(|option| option == "direct=1" || option == "buffered=0")
}

/// Whether a rate in operations or bytes per second is set for a kind that the job has. A single value is for every
/// kind; of several values the first is for reads, the second for writes, the third for trims, and an empty one sets
/// no limit.
fn has_rate(section: &Section) -> bool {
    let direction = section.get("rw").map_or("read", |text| text.split(':').next().unwrap_or(text));
    let has = |field: usize| match direction {
        "rw" | "readwrite" | "randrw" => field < 2,
        "trimwrite" | "randtrimwrite" => field > 0,
        "write" | "randwrite" => field == 1,
        "trim" | "randtrim" => field == 2,
        _ => field == 0,
    };
    ["rate", "rate_iops"].iter().filter_map(|key| section.get(key)).any(|text| {
        let fields: Vec<&str> = text.split(',').collect();
        let limits = |field: usize| fields.get(field).is_some_and(|value| !matches!(*value, "" | "0"));
        if fields.len() == 1 { limits(0) } else { (0..3).any(|field| has(field) && limits(field)) }
    })
}

fn cpus(section: &Section) -> Vec<u32> {
    let number = |text: &str| text.parse::<u32>().expect("a CPU of the table");
    match section.get("cpus_allowed").map(|text| text.split_once('-').unwrap_or((text, text))) {
        Some((first, last)) => (number(first)..=number(last)).collect(),
        None => Vec::new(),
    }
}

/// A switch that is on without a value or with a number.
fn on(section: &Section, key: &str) -> bool {
    section.get(key).is_some_and(|value| value != "0")
}

fn share(section: &Section, key: &str) -> u8 {
    section.get(key).map_or(0, |text| text.parse().expect("a share of the table"))
}

/// The data that are written, in words.
fn data(section: &Section) -> String {
    let (compress, dedup) = (share(section, "buffer_compress_percentage"), share(section, "dedupe_percentage"));
    if let Some(pattern) = section.get("buffer_pattern") {
        let bytes = match pattern.strip_prefix("0x") {
            Some(digits) => digits.to_owned(),
            None => pattern.trim_matches('"').bytes().map(|byte| format!("{byte:02x}")).collect(),
        };
        return format!("the bytes {bytes}");
    }
    if on(section, "zero_buffers") {
        return "zeros".to_owned();
    }
    let same = section.get("scramble_buffers") == Some("0") && !on(section, "refill_buffers");
    if same && compress + dedup == 0 {
        return "one block".to_owned();
    }
    format!("random bytes, {compress} % compress, {dedup} % repeat")
}

fn planned_data(load: &Workload) -> String {
    let content = &load.content;
    match load.data {
        DataPattern::Zero => "zeros".to_owned(),
        DataPattern::OneBlock => "one block".to_owned(),
        DataPattern::Pattern => {
            format!("the bytes {}", content.pattern.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        }
        DataPattern::Incompressible => {
            format!(
                "random bytes, {} % compress, {} % repeat",
                content.compress_percent.get(),
                content.dedup_percent.get()
            )
        }
        DataPattern::File => "a file".to_owned(),
    }
}

/// Writes after which a flush is requested; in drivelab, writes that are durable by themselves are each followed by a
/// flush.
fn flushes(section: &Section) -> u32 {
    let every = |key: &str| section.get(key).map_or(0_u32, |text| text.parse().expect("a number of the table"));
    if section.get("sync").is_some_and(|word| !matches!(word, "0" | "none")) {
        return 1;
    }
    [every("fsync"), every("fdatasync")].into_iter().filter(|every| *every > 0).min().unwrap_or(0)
}
