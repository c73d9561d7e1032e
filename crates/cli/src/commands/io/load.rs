//! The flags as a methodology of one test: its text, and which flag each line came from.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use drivelab_core::units::Bytes;
use drivelab_lab::failure::input_code;
use drivelab_lab::{Failure, Result};
use drivelab_method::Diagnostic;
use drivelab_report::format::counted;
use toml::{Table, Value};

use super::flags::{Defaults, SHARES, bad, sayings};
use super::values;
use crate::args::IoArgs;

/// Size of the scratch file, and addresses of a target that holds nothing.
const SIZE: &str = "1GiB";

/// Keys that hold for the fill too.
const OF_THE_FILL: [&str; 7] =
    ["direct", "data", "compress_percent", "dedup_percent", "data_window", "data_pattern", "data_file"];

/// What the load meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ground {
    /// A scratch file that drivelab makes: all holes.
    Fresh,
    /// A file that is there.
    File {
        /// Its size.
        length: Bytes,
    },
    /// A block device.
    Device,
    /// `/dev/null`, `/dev/zero` or `nop:`: addresses without anything behind them.
    Nothing,
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

/// The methodology that the flags mean on such ground.
pub(super) fn written(arguments: &IoArgs, ground: &Ground, defaults: &Defaults) -> Result<Written> {
    let said = sayings(arguments, defaults)?;
    let title = Value::from(title(arguments, defaults));
    let groups = groups(&arguments.beside.group)?;
    let fills = match ground {
        Ground::Fresh => {
            arguments.safety.fill || reads(arguments) || groups.iter().any(|(group, _)| group_reads(group, arguments))
        }
        Ground::File { .. } | Ground::Device | Ground::Nothing => arguments.safety.fill,
    };
    let size = size(arguments, ground)?;
    let new_and_unfilled = *ground == Ground::Fresh && !fills;
    let mut written = Written { text: String::new(), size, new_and_unfilled, places: Vec::new() };
    head(&mut written, &title, arguments, (ground, defaults));
    trace(&mut written, arguments)?;
    if fills {
        written.say("\n[[prepare]]\naction = \"fill\"");
        // What is read is then of the kind that was asked for.
        for one in said.iter().filter(|one| OF_THE_FILL.contains(&one.key)) {
            written.key(one.key, &one.value, &one.flag);
        }
    }
    let _ = write!(
        written.text,
        "\n[[tests]]\nname = \"load\"\ntitle = {title}\npurpose = \"One load, as it was typed.\"\nsources = [\"own\"]\n",
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

/// The trace that the load replays.
fn trace(written: &mut Written, arguments: &IoArgs) -> Result<()> {
    let Some(file) = arguments.load.path("trace") else { return Ok(()) };
    let part = &arguments.trace;
    let typed = file.display().to_string();
    let unread = |error: std::io::Error| Failure::new(input_code(&error), format!("--trace-in {typed}: {error}"));
    let path = std::fs::canonicalize(file).map_err(unread)?;
    let path = path.to_str().ok_or_else(|| bad("trace-in", &typed, "its path is not valid UTF-8"))?;
    written.say("\n[[traces]]\nname = \"own\"");
    written.key("file", &path.into(), format!("--trace-in {typed}"));
    for (key, flag, value) in
        [("format", "trace-format", &part.trace_format), ("device", "trace-device", &part.trace_device)]
    {
        if let Some(value) = value {
            written.key(key, &value.as_str().into(), format!("--{flag} {value}"));
        }
    }
    Ok(())
}

/// Everything before the test.
fn head(written: &mut Written, title: &Value, arguments: &IoArgs, (ground, defaults): (&Ground, &Defaults)) {
    let cannot_tell = match arguments.load.typed("steady") {
        Some(_) => "Anything about other loads.",
        None => "Anything about other loads, nor whether the drive had come to its steady state.",
    };
    written.say(&format!(
        "format = 1\nname = \"io\"\ntitle = {title}\nversion = \"1.0.0\"\n\
         summary = \"One load, from the command line of drivelab io.\"\n\
         good_for = \"One question about one load.\"\n\
         cannot_tell = \"{cannot_tell}\"\n\n\
         [[sources]]\nid = \"own\"\ncitation = \"the flags of drivelab io\"\n\n[target]\nkind = \"any\""
    ));
    let block = arguments.load.typed("block_size").unwrap_or(&defaults.block);
    let least = Value::from(largest(block).map_or_else(|| "4 KiB".to_owned(), |size| size.to_string()));
    let typed = arguments.safety.size.as_deref().unwrap_or(SIZE);
    match ground {
        Ground::Fresh | Ground::Nothing => written.key("size", &typed.into(), format!("--size {typed}")),
        Ground::File { length } => written.key("size", &length.to_string().into(), "the target"),
        // Not its size in bytes: one load on two drives is one load.
        Ground::Device => {
            written.key("size", &"100 %".into(), "the target");
            written.key("file_size", &SIZE.into(), "the size of a scratch file");
        }
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
    if matches!(ground, Ground::File { .. } | Ground::Device) {
        let why = "the target has its own size; --span sets which part of it is touched";
        return typed.map_or(Ok(None), |typed| Err(bad("size", typed, why)));
    }
    let typed = typed.unwrap_or(SIZE);
    let wrong = |error: drivelab_core::units::UnitError| bad("size", typed, &error.to_string());
    let size: Bytes = typed.parse().map_err(wrong)?;
    if *ground == Ground::Fresh && size < Bytes::MIB {
        return Err(bad("size", typed, "the size of a scratch file is a whole number of MiB, and at least 1 MiB"));
    }
    Ok(Some(size))
}

/// Whether any operation of the main load may read.
fn reads(arguments: &IoArgs) -> bool {
    let load = &arguments.load;
    if load.is_typed("trace") {
        return true;
    }
    match load.typed("op") {
        Some("write" | "trim" | "write-zeroes" | "flush" | "mix=0") => false,
        Some(_) => true,
        None => SHARES.iter().filter_map(|(key, _)| load.number(key)).fold(0u64, u64::saturating_add) < 100,
    }
}

/// Whether a group may read; what it does not say is as in the main load.
fn group_reads(group: &Table, arguments: &IoArgs) -> bool {
    if !group.keys().any(|key| key == "op" || key.ends_with("_percent")) {
        return reads(arguments);
    }
    let writes_only = SHARES.iter().filter_map(|(key, _)| group.get(*key)?.as_integer()).sum::<i64>() >= 100;
    let other_op = matches!(group.get("op").and_then(Value::as_str), Some("write" | "trim" | "write_zeroes" | "flush"));
    !(writes_only || other_op)
}

fn groups(typed: &[String]) -> Result<Vec<(Table, &str)>> {
    let one = |typed: &'_ String| values::group(typed).map_err(|why| bad("group", &format!("'{typed}'"), &why));
    typed.iter().map(|typed| Ok((one(typed)?, typed.as_str()))).collect()
}

/// A title for people: `Random read, 4k, 1 in flight`.
fn title(arguments: &IoArgs, defaults: &Defaults) -> String {
    let load = &arguments.load;
    let op = match load.typed("op").map(|op| (op, op.strip_prefix("mix="))) {
        Some((_, Some(reads))) => format!("{} % read", reads.trim_end_matches('%')),
        Some((op, None)) => op.replace('-', " "),
        None => {
            let shares = SHARES.iter().filter_map(|(key, op)| Some(format!("{} % {op}", load.number(key)?)));
            let words: Vec<String> = shares.collect();
            if words.is_empty() { "read".to_owned() } else { words.join(", ") }
        }
    };
    let mut pattern = load.typed("pattern").unwrap_or(defaults.pattern).replace('-', " ");
    pattern.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
    let threads = match load.number("threads").unwrap_or(1) {
        1 => String::new(),
        threads => format!(" x {threads} threads"),
    };
    let beside = match arguments.beside.group.len() {
        0 => String::new(),
        count => format!(", {} beside", counted(count, "group")),
    };
    let block = load.typed("block_size").unwrap_or(&defaults.block);
    let queue_depth = load.number("queue_depth").unwrap_or(defaults.queue_depth);
    if let Some(name) = load.path("trace").and_then(Path::file_name) {
        let mode = load.typed("replay").unwrap_or("timed").replace('-', " ");
        return format!("Trace {}, {mode}, {queue_depth} in flight", name.display());
    }
    format!("{pattern} {op}, {block}, {queue_depth} in flight{threads}{beside}")
}
