//! What the flags say, as keys and values of the methodology language, with the flag behind each.

use std::ffi::OsStr;
use std::path::Path;

use drivelab_core::units::Nanos;
use drivelab_lab::failure::input_code;
use drivelab_lab::{Failure, Result};
use drivelab_method::Takes;
use toml::Value;

use super::values;
use crate::args::{Flag, IoArgs, LoadArgs, flags};

/// What holds where no flag says otherwise.
pub(super) struct Defaults {
    /// Bytes of an operation.
    pub(super) block: String,
    /// Order of offsets.
    pub(super) pattern: &'static str,
    /// Operations in flight per thread.
    pub(super) queue_depth: u64,
    /// Part of the target, where it is not the whole.
    pub(super) span: Option<Value>,
    /// The span is touched once, instead of for a time.
    pub(super) one_pass: bool,
    /// Past the page cache; `None` leaves it to the language.
    pub(super) direct: Option<bool>,
    /// CPUs of the node that `--numa` names.
    pub(super) numa: Option<Vec<u32>>,
}

impl Default for Defaults {
    fn default() -> Self {
        Defaults {
            block: "4k".to_owned(),
            pattern: "random",
            queue_depth: 1,
            span: None,
            one_pass: false,
            direct: None,
            numa: None,
        }
    }
}

/// Time of a load that nothing else ends.
const TIME: &str = "10s";

/// The shares of operations that do not read, by their keys.
pub(super) const SHARES: [(&str, &str); 4] = [
    ("write_percent", "write"),
    ("trim_percent", "trim"),
    ("flush_percent", "flush"),
    ("write_zeroes_percent", "write zeroes"),
];

/// A flag as typed, with its key and value.
pub(super) struct Said {
    pub(super) key: &'static str,
    pub(super) value: Value,
    pub(super) flag: String,
}

impl Said {
    fn new(key: &'static str, flag: &str, typed: &str, value: Value) -> Said {
        Said { key, value, flag: format!("--{flag} {typed}") }
    }
}

/// A value that cannot be, with its flag.
pub(super) fn bad(flag: &str, typed: &str, why: &str) -> Failure {
    Failure::usage(format!("--{flag} {typed}: {why}"))
}

/// What the flags say, and what holds where they say nothing, in the order of the help.
pub(super) fn sayings(arguments: &IoArgs, defaults: &Defaults) -> Result<Vec<Said>> {
    duty_cycle(arguments)?;
    let mut said = Vec::new();
    for (flag, key) in flags() {
        said.extend(match arguments.load.raw(flag.key) {
            Some(raw) => typed(flag, &key.takes, raw, arguments)?,
            None => unsaid(flag, arguments, defaults),
        });
    }
    Ok(said)
}

/// What was typed for a flag, as its key and value; `None` for what another flag states, or a trace has.
fn typed(flag: &Flag, takes: &Takes, raw: &OsStr, arguments: &IoArgs) -> Result<Option<Said>> {
    let load = &arguments.load;
    let (name, typed) = (flag.name(), raw.to_string_lossy());
    let of_key = |value: Value| Ok((flag.key, value));
    let rounds = load.number("rounds");
    let parsed = match flag.key {
        "rounds" if is_repeated(load) => return Ok(None),
        "threads" if load.is_typed("trace") && typed == "1" => return Ok(None),
        // What is replayed has a name in the methodology, what is written is named by its path.
        "trace" => of_key("own".into()),
        "data_file" => of_key(data_file(&name, Path::new(raw))?),
        "op" => values::op(&typed),
        "block_size" => values::block(&typed),
        "locality" => values::locality(&typed, !arguments.beside.not_scattered).and_then(of_key),
        "span" => of_key(values::span(&typed)),
        "cpus" => values::cpu_numbers(&typed).and_then(|cpus| of_key(values::cpu_list(&cpus))),
        "rate" => values::rate(&typed).and_then(of_key),
        "bursts" => values::bursts(&typed).and_then(of_key),
        "find_rate" => {
            // A time that is none has an error of its own.
            let time = load.typed("time").unwrap_or(TIME).parse::<Nanos>().unwrap_or(Nanos::from_secs(10));
            values::search(&typed, rounds, time).and_then(of_key)
        }
        "steady" => of_key(values::steady(&typed, rounds)),
        _ => of_key(plain(takes, &typed)),
    };
    let (key, value) = parsed.map_err(|why| bad(&name, &typed, &why))?;
    Ok(Some(Said::new(key, &name, &typed, value)))
}

/// A text as the language takes it.
fn plain(takes: &Takes, typed: &str) -> Value {
    match takes {
        Takes::Words(_) => values::word(typed),
        Takes::Whole => typed.parse().map_or_else(|_| values::text(typed), values::count),
        Takes::Switch => Value::Boolean(typed == "on"),
        Takes::Text | Takes::Table(_) | Takes::List => values::text(typed),
    }
}

/// The path of a file whose bytes are written.
fn data_file(flag: &str, file: &Path) -> Result<Value> {
    let typed = file.display().to_string();
    let unread = |error: std::io::Error| Failure::new(input_code(&error), format!("--{flag} {typed}: {error}"));
    // Before the run: whoever names a folder or a device hears it now.
    let facts = drivelab_core::input::open(file).and_then(|opened| opened.metadata()).map_err(unread)?;
    if facts.len() == 0 || facts.len() > drivelab_engine::DATA_FILE_MAX {
        let most = drivelab_core::units::Bytes::new(drivelab_engine::DATA_FILE_MAX);
        let why = format!("it has {} bytes, and must have at least one and at most {most}", facts.len());
        return Err(bad(flag, &typed, &why));
    }
    let path = std::fs::canonicalize(file).map_err(unread)?;
    path.to_str().map(Value::from).ok_or_else(|| bad(flag, &typed, "its path is not valid UTF-8"))
}

/// What holds for a key whose flag was not typed, where the language has no default or another flag implies it.
fn unsaid(flag: &Flag, arguments: &IoArgs, defaults: &Defaults) -> Option<Said> {
    let load = &arguments.load;
    let name = flag.name();
    let said = |typed: &str, value: Value| Some(Said::new(flag.key, &name, typed, value));
    // A trace has kinds, sizes, places, threads and an end of its own.
    let replays = load.is_typed("trace");
    match flag.key {
        "op" if !replays && !has_shares(load) => said("read", values::word("read")),
        "block_size" if !replays => {
            let (key, value) = values::block(&defaults.block).ok()?;
            Some(Said::new(key, &name, &defaults.block, value))
        }
        "pattern" if !replays => said(defaults.pattern, values::word(defaults.pattern)),
        "queue_depth" => said(&defaults.queue_depth.to_string(), values::count(defaults.queue_depth)),
        "threads" if !replays => said("1", values::count(1)),
        "seed" => said("1", values::count(1)),
        "span" => {
            let run = arguments.beside.of.as_deref().unwrap_or_default();
            defaults.span.clone().map(|span| Said::new(flag.key, "of", run, span))
        }
        "cpus" => {
            let (node, cpus) = arguments.beside.numa.zip(defaults.numa.as_ref())?;
            Some(Said::new(flag.key, "numa", &node.to_string(), values::cpu_list(cpus)))
        }
        "data" => {
            let kind = [("data_pattern", "pattern"), ("data_file", "file")];
            let (_, kind) = kind.into_iter().find(|(key, _)| load.is_typed(key))?;
            said(kind, values::word(kind))
        }
        "direct" => defaults.direct.and_then(|direct| said(if direct { "on" } else { "off" }, direct.into())),
        "time" if !ends(load) && !defaults.one_pass => said(TIME, values::text(TIME)),
        "passes" if !ends(load) && defaults.one_pass => said("1", values::count(1)),
        _ => None,
    }
}

/// Whether the load is stated in shares instead of one operation.
fn has_shares(load: &LoadArgs) -> bool {
    SHARES.iter().any(|(key, _)| load.is_typed(key))
}

/// Whether a flag says when the load ends.
fn ends(load: &LoadArgs) -> bool {
    const ENDS: [&str; 6] = ["time", "passes", "volume", "operations", "coverage", "trace"];
    ENDS.iter().any(|key| load.is_typed(key))
}

/// Whether the number of rounds belongs to a search or to a load that is to become steady.
fn is_repeated(load: &LoadArgs) -> bool {
    ["find_rate", "steady"].iter().any(|key| load.is_typed(key))
}

/// A duty cycle needs rounds.
fn duty_cycle(arguments: &IoArgs) -> Result<()> {
    let once = !is_repeated(&arguments.load) && arguments.load.number("rounds").unwrap_or(1) < 2;
    match arguments.load.typed("duty_cycle").filter(|_| once) {
        None => Ok(()),
        Some(percent) => Err(bad(
            "duty-cycle",
            percent,
            "it rests after each round, and there is only one; add --rounds, or use --bursts for pauses within a round",
        )),
    }
}
