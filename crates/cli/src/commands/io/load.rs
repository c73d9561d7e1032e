//! The flags as a methodology of one test: its text, and which flag each line came from.

use std::fmt::Write as _;
use std::ops::Range;

use drivelab_core::units::Bytes;
use drivelab_method::{Diagnostic, Methodology};
use toml::{Table, Value};

use super::{values, wrong};
use crate::args::IoArgs;
use crate::fail::{Failure, Result};

/// Time of a load that nothing else ends.
const TIME: &str = "10s";
/// Size of the scratch file, and addresses of a target that holds nothing.
const SIZE: &str = "1GiB";

/// What the load meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ground {
    /// A scratch file that drivelab makes: all holes.
    Fresh,
    /// Something that is there and has a size of its own.
    Existing {
        /// Its size.
        length: Bytes,
    },
    /// `/dev/null`, `/dev/zero` or `nop:`: addresses without anything behind them.
    Nothing {
        /// Whether direct I/O is the default there.
        direct: bool,
    },
}

/// A methodology as text, with the flag behind each line.
#[derive(Debug)]
pub(super) struct Written {
    /// The file.
    pub(super) text: String,
    /// Size of the scratch file, where there is to be one.
    pub(super) size: Option<Bytes>,
    /// Whether the load goes to a scratch file that nothing was written to.
    pub(super) new_and_unfilled: bool,
    places: Vec<Place>,
}

/// A line that a flag wrote.
#[derive(Debug)]
struct Place {
    at: Range<usize>,
    key: String,
    flag: String,
}

impl Written {
    /// What was typed for the line that an error is about.
    pub(super) fn flag_of(&self, error: &Diagnostic) -> Option<&str> {
        let named = error.key().and_then(|key| self.places.iter().find(|place| place.key == key));
        let here = || self.places.iter().find(|place| place.at.contains(&error.span().start));
        named.or_else(here).map(|place| place.flag.as_str())
    }

    /// The methodology, checked.
    pub(super) fn methodology(&self) -> Result<Methodology> {
        drivelab_method::parse("the flags", &self.text).map_err(|errors| wrong::flags(self, &errors))
    }

    fn say(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn key(&mut self, key: &str, value: &Value, flag: impl Into<String>) {
        let start = self.text.len();
        let _ = writeln!(self.text, "{key} = {value}");
        self.places.push(Place { at: start..self.text.len(), key: key.to_owned(), flag: flag.into() });
    }
}

/// A flag as typed, with its key and value.
struct Said {
    key: &'static str,
    value: Value,
    flag: String,
}

/// Collects what the flags say.
#[derive(Default)]
struct Sayings(Vec<Said>);

impl Sayings {
    fn add(&mut self, key: &'static str, flag: &str, typed: &str, value: Value) {
        self.0.push(Said { key, value, flag: format!("--{flag} {typed}") });
    }

    fn text(&mut self, key: &'static str, flag: &str, typed: Option<&String>) {
        if let Some(typed) = typed {
            self.add(key, flag, typed, values::text(typed));
        }
    }

    fn word(&mut self, key: &'static str, flag: &str, typed: Option<&String>) {
        if let Some(typed) = typed {
            self.add(key, flag, typed, values::word(typed));
        }
    }

    fn count(&mut self, key: &'static str, flag: &str, typed: Option<u64>) {
        if let Some(typed) = typed {
            self.add(key, flag, &typed.to_string(), values::count(typed));
        }
    }

    fn parsed(
        &mut self,
        key: &'static str,
        flag: &str,
        typed: Option<&String>,
        parse: impl FnOnce(&str) -> values::Parsed,
    ) -> Result<()> {
        if let Some(typed) = typed {
            let value = parse(typed).map_err(|why| bad(flag, typed, &why))?;
            self.add(key, flag, typed, value);
        }
        Ok(())
    }
}

/// A value that cannot be, with its flag.
fn bad(flag: &str, typed: &str, why: &str) -> Failure {
    Failure::usage(format!("--{flag} {typed}: {why}"))
}

/// The methodology that the flags mean on such ground. `numa` are the CPUs of the node that `--numa` names.
pub(super) fn written(arguments: &IoArgs, ground: &Ground, numa: Option<Vec<u32>>) -> Result<Written> {
    let mut said = sayings(arguments, numa)?;
    if let (Ground::Nothing { direct: false }, None) = (ground, arguments.buffered.direct) {
        said.push(Said { key: "direct", value: false.into(), flag: "--direct off".to_owned() });
    }
    let groups = groups(&arguments.depth.group)?;
    let fills = match ground {
        Ground::Fresh => {
            arguments.safety.fill || reads(arguments) || groups.iter().any(|(group, _)| group_reads(group))
        }
        Ground::Existing { .. } | Ground::Nothing { .. } => arguments.safety.fill,
    };
    let size = size(arguments, ground)?;
    let new_and_unfilled = *ground == Ground::Fresh && !fills;
    let mut written = Written { text: String::new(), size, new_and_unfilled, places: Vec::new() };
    head(&mut written, arguments, ground);
    if fills {
        written.say("\n[[prepare]]\naction = \"fill\"");
        for one in said.iter().filter(|one| one.key == "direct" || (one.key == "data" && one.value == "zero".into())) {
            written.key(one.key, &one.value, &one.flag);
        }
    }
    let _ = write!(
        written.text,
        "\n[[tests]]\nname = \"load\"\ntitle = {}\npurpose = \"What one load gives.\"\nsources = [\"own\"]\n",
        Value::from(title(arguments))
    );
    for one in said {
        written.key(one.key, &one.value, one.flag);
    }
    for (group, typed) in groups {
        written.say("\n[[tests.groups]]");
        for (key, value) in group {
            written.key(&key, &value, format!("--group '{typed}'"));
        }
    }
    Ok(written)
}

/// Everything before the test.
fn head(written: &mut Written, arguments: &IoArgs, ground: &Ground) {
    let title = Value::from(title(arguments));
    written.say(&format!(
        "format = 1\nname = \"io\"\ntitle = {title}\nversion = \"1.0.0\"\n\
         summary = \"One load, from the command line of drivelab io.\"\n\
         good_for = \"One question about one load.\"\n\
         cannot_tell = \"Anything about other loads, nor whether the drive had come to its steady state.\"\n\n\
         [[sources]]\nid = \"own\"\ncitation = \"the flags of drivelab io\"\n\n[target]\nkind = \"any\""
    ));
    let block = arguments.what.block.as_str();
    let least = Value::from(largest(block).map_or_else(|| "4 KiB".to_owned(), |size| size.to_string()));
    let typed = arguments.safety.size.as_deref().unwrap_or(SIZE);
    match ground {
        Ground::Fresh | Ground::Nothing { .. } => written.key("size", &typed.into(), format!("--size {typed}")),
        Ground::Existing { length } => written.key("size", &length.to_string().into(), "the target"),
    }
    written.key("minimum_size", &least, format!("--block {block}"));
    if *ground != Ground::Fresh {
        written.say("content = \"as_found\"");
    }
    written.say("\n[forms.faithful]");
}

/// The largest size of a `--block`, as far as its sizes are sizes.
fn largest(block: &str) -> Option<Bytes> {
    values::block_sizes(block).into_iter().filter_map(|size| size.parse::<Bytes>().ok()).max()
}

/// The size that drivelab gives to the target, where it has none of its own.
fn size(arguments: &IoArgs, ground: &Ground) -> Result<Option<Bytes>> {
    let typed = arguments.safety.size.as_deref();
    if let Ground::Existing { .. } = ground {
        let why = "the target has a size of its own; --span says which part of it is touched";
        return typed.map_or(Ok(None), |typed| Err(bad("size", typed, why)));
    }
    let typed = typed.unwrap_or(SIZE);
    let wrong = |error: drivelab_core::units::UnitError| bad("size", typed, &error.to_string());
    typed.parse().map(Some).map_err(wrong)
}

/// Whether any operation of the main load may read.
fn reads(arguments: &IoArgs) -> bool {
    let what = &arguments.what;
    match what.op.as_deref() {
        Some("write" | "trim" | "write-zeroes" | "flush" | "mix=0") => false,
        Some(_) => true,
        None => {
            let shares = [what.write_percent, what.trim_percent, what.write_zeroes_percent, what.flush_percent];
            shares.into_iter().flatten().fold(0u64, u64::saturating_add) < 100
        }
    }
}

/// Whether a group may read; one that does not say so is taken to.
fn group_reads(group: &Table) -> bool {
    let writes_only = group.get("write_percent").and_then(Value::as_integer) == Some(100);
    let other_op = matches!(group.get("op").and_then(Value::as_str), Some("write" | "trim" | "write_zeroes" | "flush"));
    !(writes_only || other_op)
}

fn groups(typed: &[String]) -> Result<Vec<(Table, &str)>> {
    let one = |typed: &'_ String| values::group(typed).map_err(|why| bad("group", &format!("'{typed}'"), &why));
    typed.iter().map(|typed| Ok((one(typed)?, typed.as_str()))).collect()
}

/// A title for people: `Random read, 4k, 1 in flight`.
fn title(arguments: &IoArgs) -> String {
    let (what, depth) = (&arguments.what, &arguments.depth);
    let op = match what.op.as_deref().map(|op| (op, op.strip_prefix("mix="))) {
        Some((_, Some(reads))) => format!("{} % read", reads.trim_end_matches('%')),
        Some((op, None)) => op.replace('-', " "),
        None => {
            let shares = [(what.write_percent, "write"), (what.trim_percent, "trim"), (what.flush_percent, "flush")];
            let all = shares.into_iter().chain([(what.write_zeroes_percent, "write zeroes")]);
            let words: Vec<String> = all.filter_map(|(share, op)| Some(format!("{} % {op}", share?))).collect();
            if words.is_empty() { "read".to_owned() } else { words.join(", ") }
        }
    };
    let mut pattern = arguments.order.pattern.replace('-', " ");
    pattern.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
    let threads = if depth.threads == 1 { String::new() } else { format!(" x {} threads", depth.threads) };
    let beside = if depth.group.is_empty() { String::new() } else { format!(", {} groups beside", depth.group.len()) };
    format!("{pattern} {op}, {}, {} in flight{threads}{beside}", what.block, depth.queue_depth)
}

/// What the flags say, in the order of the headings.
fn sayings(arguments: &IoArgs, numa: Option<Vec<u32>>) -> Result<Vec<Said>> {
    let mut said = Sayings::default();
    what(&mut said, arguments)?;
    order(&mut said, arguments)?;
    depth(&mut said, arguments, numa)?;
    let rate = &arguments.rate;
    said.parsed("rate", "rate", rate.rate.as_ref(), values::rate)?;
    said.word("arrivals", "arrivals", rate.arrivals.as_ref());
    said.parsed("bursts", "bursts", rate.bursts.as_ref(), values::bursts)?;
    said.text("think_time", "think-time", rate.think_time.as_ref());
    data(&mut said, arguments)?;
    said.word("verify", "verify", arguments.verify.verify.as_ref());
    if let Some(direct) = arguments.buffered.direct {
        said.add("direct", "direct", if direct.is_on() { "on" } else { "off" }, direct.is_on().into());
    }
    duration(&mut said, arguments);
    said.word("errors", "errors", arguments.engine.errors.as_ref());
    said.count("seed", "seed", Some(arguments.engine.seed));
    Ok(said.0)
}

fn what(said: &mut Sayings, arguments: &IoArgs) -> Result<()> {
    let what = &arguments.what;
    let shares = [what.write_percent, what.trim_percent, what.write_zeroes_percent, what.flush_percent];
    if what.op.is_some() || shares.iter().all(Option::is_none) {
        let typed = what.op.as_deref().unwrap_or("read");
        let (key, value) = values::op(typed).map_err(|why| bad("op", typed, &why))?;
        said.add(key, "op", typed, value);
    }
    said.count("write_percent", "write-percent", what.write_percent);
    said.count("trim_percent", "trim-percent", what.trim_percent);
    said.count("write_zeroes_percent", "write-zeroes-percent", what.write_zeroes_percent);
    said.count("flush_percent", "flush-percent", what.flush_percent);
    said.count("sync_every", "sync-every", what.sync_every);
    let (key, value) = values::block(&what.block).map_err(|why| bad("block", &what.block, &why))?;
    said.add(key, "block", &what.block, value);
    said.word("block_size_shares_of", "block-shares-of", what.block_shares_of.as_ref());
    Ok(())
}

fn order(said: &mut Sayings, arguments: &IoArgs) -> Result<()> {
    let order = &arguments.order;
    said.word("pattern", "pattern", Some(&order.pattern));
    said.text("stride", "stride", order.stride.as_ref());
    said.count("seek_percent", "seek-percent", order.seek_percent);
    let scattered = !order.not_scattered;
    said.parsed("locality", "locality", order.locality.as_ref(), |spread| values::locality(spread, scattered))?;
    said.word("streams", "streams", order.streams.as_ref());
    said.parsed("span", "span", order.span.as_ref(), |span| Ok(values::span(span)))
}

fn depth(said: &mut Sayings, arguments: &IoArgs, numa: Option<Vec<u32>>) -> Result<()> {
    let depth = &arguments.depth;
    said.count("queue_depth", "qd", Some(depth.queue_depth));
    said.count("threads", "threads", Some(depth.threads));
    said.parsed("cpus", "cpus", depth.cpus.as_ref(), |list| Ok(values::cpu_list(&values::cpu_numbers(list)?)))?;
    if let (Some(node), Some(cpus)) = (depth.numa, numa) {
        said.add("cpus", "numa", &node.to_string(), values::cpu_list(&cpus));
    }
    said.count("batch", "batch", depth.batch);
    Ok(())
}

fn data(said: &mut Sayings, arguments: &IoArgs) -> Result<()> {
    let data = &arguments.data;
    let meant = match (&data.data_kind, &data.data_pattern, &data.data_file) {
        (Some(kind), ..) => Some(kind.clone()),
        (None, Some(_), _) => Some("pattern".to_owned()),
        (None, None, Some(_)) => Some("file".to_owned()),
        (None, None, None) => None,
    };
    said.word("data", "data-kind", meant.as_ref());
    said.count("compress_percent", "compress-percent", data.compress_percent);
    said.count("dedup_percent", "dedup-percent", data.dedup_percent);
    said.text("data_pattern", "data-pattern", data.data_pattern.as_ref());
    if let Some(file) = &data.data_file {
        let typed = file.display().to_string();
        let file = std::fs::canonicalize(file).map_err(|error| bad("data-file", &typed, &error.to_string()))?;
        let file = file.to_str().ok_or_else(|| bad("data-file", &typed, "its path is not valid UTF-8"))?;
        said.add("data_file", "data-file", &typed, file.into());
    }
    Ok(())
}

fn duration(said: &mut Sayings, arguments: &IoArgs) {
    let duration = &arguments.duration;
    let ends = duration.bytes.is_some()
        || duration.operations.is_some()
        || duration.passes.is_some()
        || duration.coverage.is_some();
    let time = duration.time.clone().or_else(|| (!ends).then(|| TIME.to_owned()));
    said.text("time", "time", time.as_ref());
    said.text("ramp", "ramp", duration.ramp.as_ref());
    said.text("volume", "bytes", duration.bytes.as_ref());
    said.count("operations", "operations", duration.operations);
    said.count("passes", "passes", duration.passes);
    said.text("coverage", "coverage", duration.coverage.as_ref());
    said.text("cap", "cap", duration.cap.as_ref());
    said.count("rounds", "rounds", duration.rounds);
}
