//! What the flags say, as keys and values of the methodology language, with the flag behind each.

use drivelab_core::units::Nanos;
use drivelab_lab::failure::input_code;
use drivelab_lab::{Failure, Result};
use toml::Value;

use super::values;
use crate::args::{IoArgs, OnOff};

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

/// A flag as typed, with its key and value.
pub(super) struct Said {
    pub(super) key: &'static str,
    pub(super) value: Value,
    pub(super) flag: String,
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
pub(super) fn bad(flag: &str, typed: &str, why: &str) -> Failure {
    Failure::usage(format!("--{flag} {typed}: {why}"))
}

/// What the flags say, in the order of the headings.
pub(super) fn sayings(arguments: &IoArgs, defaults: &Defaults) -> Result<Vec<Said>> {
    let mut said = Sayings::default();
    if arguments.trace.trace_in.is_some() {
        replay(&mut said, arguments)?;
    } else {
        what(&mut said, arguments, defaults)?;
        order(&mut said, arguments, defaults)?;
    }
    depth(&mut said, arguments, defaults)?;
    let rate = &arguments.rate;
    said.parsed("rate", "rate", rate.rate.as_ref(), values::rate)?;
    said.word("arrivals", "arrivals", rate.arrivals.as_ref());
    said.parsed("bursts", "bursts", rate.bursts.as_ref(), values::bursts)?;
    said.text("think_time", "think-time", rate.think_time.as_ref());
    data(&mut said, arguments)?;
    said.word("verify", "verify", arguments.verify.verify.as_ref());
    if let Some(direct) = arguments.buffered.direct.map(OnOff::is_on).or(defaults.direct) {
        said.add("direct", "direct", if direct { "on" } else { "off" }, direct.into());
    }
    duration(&mut said, arguments, defaults)?;
    said.word("errors", "errors", arguments.engine.errors.as_ref());
    said.count("seed", "seed", Some(arguments.engine.seed));
    Ok(said.0)
}

fn what(said: &mut Sayings, arguments: &IoArgs, defaults: &Defaults) -> Result<()> {
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
    let block = what.block.as_ref().unwrap_or(&defaults.block);
    let (key, value) = values::block(block).map_err(|why| bad("block", block, &why))?;
    said.add(key, "block", block, value);
    said.word("block_size_shares_of", "block-shares-of", what.block_shares_of.as_ref());
    Ok(())
}

/// A trace instead of kinds, sizes and places.
fn replay(said: &mut Sayings, arguments: &IoArgs) -> Result<()> {
    let trace = &arguments.trace;
    let file = trace.trace_in.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
    said.add("trace", "trace-in", &file, "own".into());
    said.word("replay", "replay", trace.replay.as_ref());
    said.count("replay_scale", "replay-scale", trace.replay_scale);
    said.text("idle_cap", "idle-cap", trace.idle_cap.as_ref());
    said.word("trace_fit", "trace-fit", trace.trace_fit.as_ref());
    said.word("trace_trims", "trace-trims", trace.trace_trims.as_ref());
    said.parsed("span", "span", arguments.order.span.as_ref(), |span| Ok(values::span(span)))
}

fn order(said: &mut Sayings, arguments: &IoArgs, defaults: &Defaults) -> Result<()> {
    let order = &arguments.order;
    let pattern = order.pattern.as_deref().unwrap_or(defaults.pattern);
    said.add("pattern", "pattern", pattern, values::word(pattern));
    said.text("stride", "stride", order.stride.as_ref());
    said.count("places", "places", order.places);
    said.count("seek_percent", "seek-percent", order.seek_percent);
    let scattered = !order.not_scattered;
    said.parsed("locality", "locality", order.locality.as_ref(), |spread| values::locality(spread, scattered))?;
    said.word("streams", "streams", order.streams.as_ref());
    match (&order.span, &defaults.span) {
        (None, Some(span)) => said.add("span", "of", arguments.verify.of.as_deref().unwrap_or_default(), span.clone()),
        (span, _) => said.parsed("span", "span", span.as_ref(), |span| Ok(values::span(span)))?,
    }
    Ok(())
}

fn depth(said: &mut Sayings, arguments: &IoArgs, defaults: &Defaults) -> Result<()> {
    let depth = &arguments.depth;
    said.count("queue_depth", "qd", Some(depth.queue_depth.unwrap_or(defaults.queue_depth)));
    if arguments.trace.trace_in.is_none() || depth.threads > 1 {
        said.count("threads", "threads", Some(depth.threads));
    }
    said.parsed("cpus", "cpus", depth.cpus.as_ref(), |list| Ok(values::cpu_list(&values::cpu_numbers(list)?)))?;
    if let (Some(node), Some(cpus)) = (depth.numa, &defaults.numa) {
        said.add("cpus", "numa", &node.to_string(), values::cpu_list(cpus));
    }
    said.count("batch", "batch", depth.batch);
    said.count("placement_handle", "placement-handle", depth.placement_handle);
    said.count("weight", "weight", depth.weight);
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
    said.text("data_window", "data-window", data.data_window.as_ref());
    said.text("data_pattern", "data-pattern", data.data_pattern.as_ref());
    if let Some(file) = &data.data_file {
        let typed = file.display().to_string();
        let unread = |error: std::io::Error| Failure::new(input_code(&error), format!("--data-file {typed}: {error}"));
        // Before the run: whoever names a folder or a device hears it now.
        let facts = drivelab_core::input::open(file).and_then(|opened| opened.metadata()).map_err(unread)?;
        if facts.len() == 0 || facts.len() > drivelab_engine::DATA_FILE_MAX {
            let most = drivelab_core::units::Bytes::new(drivelab_engine::DATA_FILE_MAX);
            let why = format!("it has {} bytes, and must have at least one and at most {most}", facts.len());
            return Err(bad("data-file", &typed, &why));
        }
        let file = std::fs::canonicalize(file).map_err(unread)?;
        let file = file.to_str().ok_or_else(|| bad("data-file", &typed, "its path is not valid UTF-8"))?;
        said.add("data_file", "data-file", &typed, file.into());
    }
    Ok(())
}

fn duration(said: &mut Sayings, arguments: &IoArgs, defaults: &Defaults) -> Result<()> {
    let duration = &arguments.duration;
    let mut passes = duration.passes;
    let mut time = duration.time.clone();
    let ends = time.is_some()
        || passes.is_some()
        || duration.bytes.is_some()
        || duration.operations.is_some()
        || duration.coverage.is_some()
        // A trace ends by itself.
        || arguments.trace.trace_in.is_some();
    match (ends, defaults.one_pass) {
        (true, _) => {}
        (false, true) => passes = Some(1),
        (false, false) => time = Some(TIME.to_owned()),
    }
    said.text("time", "time", time.as_ref());
    said.text("ramp", "ramp", duration.ramp.as_ref());
    said.text("volume", "bytes", duration.bytes.as_ref());
    said.count("operations", "operations", duration.operations);
    said.count("passes", "passes", passes);
    said.text("coverage", "coverage", duration.coverage.as_ref());
    said.text("cap", "cap", duration.cap.as_ref());
    let rounds = duration.rounds;
    match (&arguments.rate.find_rate, &duration.steady) {
        (Some(search), _) => {
            // A time that is none has an error of its own.
            let time = time.and_then(|time| time.parse::<Nanos>().ok()).unwrap_or(Nanos::from_secs(10));
            let value = values::search(search, rounds, time).map_err(|why| bad("find-rate", search, &why))?;
            said.add("find_rate", "find-rate", search, value);
        }
        (None, Some(tracked)) => said.add("steady", "steady", tracked, values::steady(tracked, rounds)),
        (None, None) => said.count("rounds", "rounds", rounds),
    }
    let once = arguments.rate.find_rate.is_none() && duration.steady.is_none() && rounds.unwrap_or(1) < 2;
    if let Some(percent) = duration.duty_cycle.filter(|_| once) {
        let why =
            "it rests after each round, and there is only one; say --rounds too, or --bursts for pauses within a round";
        return Err(bad("duty-cycle", &percent.to_string(), why));
    }
    said.count("duty_cycle", "duty-cycle", duration.duty_cycle);
    Ok(())
}
