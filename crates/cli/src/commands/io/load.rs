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

use super::flags::{Defaults, bad, sayings};
use super::values;
use crate::args::{IoArgs, TraceInArgs};

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
    /// Something that is there and has a size of its own.
    Existing {
        /// Its size.
        length: Bytes,
    },
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
    let groups = groups(&arguments.depth.group)?;
    let fills = match ground {
        Ground::Fresh => {
            arguments.safety.fill || reads(arguments) || groups.iter().any(|(group, _)| group_reads(group, arguments))
        }
        Ground::Existing { .. } | Ground::Nothing => arguments.safety.fill,
    };
    let size = size(arguments, ground)?;
    let new_and_unfilled = *ground == Ground::Fresh && !fills;
    let mut written = Written { text: String::new(), size, new_and_unfilled, places: Vec::new() };
    head(&mut written, &title, arguments, (ground, defaults));
    trace(&mut written, &arguments.trace)?;
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
fn trace(written: &mut Written, arguments: &TraceInArgs) -> Result<()> {
    let Some(file) = &arguments.trace_in else { return Ok(()) };
    let typed = file.display().to_string();
    let unread = |error: std::io::Error| Failure::new(input_code(&error), format!("--trace-in {typed}: {error}"));
    let path = std::fs::canonicalize(file).map_err(unread)?;
    let path = path.to_str().ok_or_else(|| bad("trace-in", &typed, "its path is not valid UTF-8"))?;
    written.say("\n[[traces]]\nname = \"own\"");
    written.key("file", &path.into(), format!("--trace-in {typed}"));
    for (key, flag, value) in
        [("format", "trace-format", &arguments.trace_format), ("device", "trace-device", &arguments.trace_device)]
    {
        if let Some(value) = value {
            written.key(key, &value.as_str().into(), format!("--{flag} {value}"));
        }
    }
    Ok(())
}

/// Everything before the test.
fn head(written: &mut Written, title: &Value, arguments: &IoArgs, (ground, defaults): (&Ground, &Defaults)) {
    let cannot_tell = match arguments.duration.steady {
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
    let block = arguments.what.block.as_ref().unwrap_or(&defaults.block);
    let least = Value::from(largest(block).map_or_else(|| "4 KiB".to_owned(), |size| size.to_string()));
    let typed = arguments.safety.size.as_deref().unwrap_or(SIZE);
    match ground {
        Ground::Fresh | Ground::Nothing => written.key("size", &typed.into(), format!("--size {typed}")),
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
    let size: Bytes = typed.parse().map_err(wrong)?;
    if *ground == Ground::Fresh && size < Bytes::MIB {
        return Err(bad("size", typed, "the size of a scratch file is a whole number of MiB, and at least 1 MiB"));
    }
    Ok(Some(size))
}

/// Whether any operation of the main load may read.
fn reads(arguments: &IoArgs) -> bool {
    if arguments.trace.trace_in.is_some() {
        return true;
    }
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

/// Whether a group may read; what it does not say is as in the main load.
fn group_reads(group: &Table, arguments: &IoArgs) -> bool {
    if !group.keys().any(|key| key == "op" || key.ends_with("_percent")) {
        return reads(arguments);
    }
    let shares = ["write_percent", "trim_percent", "write_zeroes_percent", "flush_percent"];
    let writes_only = shares.iter().filter_map(|key| group.get(*key)?.as_integer()).sum::<i64>() >= 100;
    let other_op = matches!(group.get("op").and_then(Value::as_str), Some("write" | "trim" | "write_zeroes" | "flush"));
    !(writes_only || other_op)
}

fn groups(typed: &[String]) -> Result<Vec<(Table, &str)>> {
    let one = |typed: &'_ String| values::group(typed).map_err(|why| bad("group", &format!("'{typed}'"), &why));
    typed.iter().map(|typed| Ok((one(typed)?, typed.as_str()))).collect()
}

/// A title for people: `Random read, 4k, 1 in flight`.
fn title(arguments: &IoArgs, defaults: &Defaults) -> String {
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
    let mut pattern = arguments.order.pattern.as_deref().unwrap_or(defaults.pattern).replace('-', " ");
    pattern.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
    let threads = if depth.threads == 1 { String::new() } else { format!(" x {} threads", depth.threads) };
    let beside = match depth.group.len() {
        0 => String::new(),
        count => format!(", {} beside", counted(count, "group")),
    };
    let block = what.block.as_ref().unwrap_or(&defaults.block);
    let queue_depth = depth.queue_depth.unwrap_or(defaults.queue_depth);
    if let Some(name) = arguments.trace.trace_in.as_deref().and_then(Path::file_name) {
        let mode = arguments.trace.replay.as_deref().unwrap_or("timed").replace('-', " ");
        return format!("Trace {}, {mode}, {queue_depth} in flight", name.display());
    }
    format!("{pattern} {op}, {block}, {queue_depth} in flight{threads}{beside}")
}
