//! The flags of `drivelab io` that state keys of the methodology language: one table.
//!
//! The language says what a key means and which words it takes. A row here adds the place of its flag in the help, and
//! what differs on the command line. A new key of a load needs one row.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, ValueHint, value_parser};
use drivelab_method::{Takes, TestKey, test_keys};

/// The flag of one key.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// The key of a test that it states.
    pub key: &'static str,
    /// A second key that the same flag states if its value has another shape.
    pub also: Option<&'static str>,
    named: Option<&'static str>,
    alias: Option<&'static str>,
    heading: &'static str,
    value_name: &'static str,
    help: Option<&'static str>,
    default: Option<&'static str>,
    reads: Reads,
    conflicts: &'static [&'static str],
    requires: Option<&'static str>,
}

/// How the text behind a flag is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// As the language takes the key's value.
    AsTheKey,
    /// As `AsTheKey`, but without this word, which only another flag states.
    WordsBut(&'static str),
    /// One of the words of this key of the table that the language has there.
    WordsOf(&'static str),
    /// As text in a form of the command line's own, which `commands::io` parses.
    OwnText,
    /// The path of a file.
    File,
}

/// The flag of `key`, under this heading, with this name for its value in the help.
const fn flag(heading: &'static str, key: &'static str, value_name: &'static str) -> Flag {
    Flag {
        key,
        also: None,
        named: None,
        alias: None,
        heading,
        value_name,
        help: None,
        default: None,
        reads: Reads::AsTheKey,
        conflicts: &[],
        requires: None,
    }
}

impl Flag {
    /// Another name than the key's.
    const fn named(self, name: &'static str) -> Flag {
        Flag { named: Some(name), ..self }
    }

    const fn alias(self, alias: &'static str) -> Flag {
        Flag { alias: Some(alias), ..self }
    }

    /// Help for a flag that is written in another way than the key, or does more.
    const fn help(self, help: &'static str) -> Flag {
        Flag { help: Some(help), ..self }
    }

    /// The default that the help shows if the language has none.
    const fn default(self, default: &'static str) -> Flag {
        Flag { default: Some(default), ..self }
    }

    const fn reads(self, reads: Reads) -> Flag {
        Flag { reads, ..self }
    }

    /// Keys whose flags cannot be typed together with this one, besides those that a trace has.
    const fn conflicts(self, keys: &'static [&'static str]) -> Flag {
        Flag { conflicts: keys, ..self }
    }

    const fn requires(self, id: &'static str) -> Flag {
        Flag { requires: Some(id), ..self }
    }
}

const WHAT: &str = "What";
const ORDER: &str = "Order";
const DEPTH: &str = "Depth and placement";
const RATE: &str = "Rate";
const TRACE: &str = "Trace";
const DATA: &str = "Data";
const VERIFY: &str = "Verify";
const BUFFERED: &str = "Page cache";
const DURATION: &str = "Duration";
const BACKEND: &str = "Backend";

/// All flags, in the order of the help; the keys of a printed methodology stand in the same order.
static FLAGS: &[Flag] = &[
    flag(WHAT, "op", "OP")
        .help("read, write, trim, write-zeroes, flush, verify, or mix=70 for 70 % reads and 30 % writes [default: read]")
        .reads(Reads::OwnText)
        .conflicts(&["write_percent"]),
    flag(WHAT, "write_percent", "PERCENT"),
    flag(WHAT, "trim_percent", "PERCENT"),
    flag(WHAT, "write_zeroes_percent", "PERCENT"),
    flag(WHAT, "flush_percent", "PERCENT"),
    flag(WHAT, "sync_every", "WRITES"),
    Flag { also: Some("block_size_mix"), ..flag(WHAT, "block_size", "SIZE") }
        .named("block")
        .alias("block-size")
        .help("Bytes of one operation (k is binary), or sizes with their shares: 4k:60,64k:40 [default: 4k]")
        .reads(Reads::OwnText),
    flag(WHAT, "block_size_shares_of", "WHAT").named("block-shares-of"),
    flag(ORDER, "pattern", "ORDER")
        .help("Order of offsets; random may repeat blocks, random-once touches each once before any again [default: random]"),
    flag(ORDER, "stride", "SIZE")
        .help("Distance between the starts of sequential operations, such as 64k [default: no gap]"),
    flag(ORDER, "places", "N"),
    flag(ORDER, "seek_percent", "PERCENT"),
    flag(ORDER, "locality", "SPREAD")
        .help(
            "Where random operations go: uniform, zipf:1.1, pareto:0.2, normal:10 (deviation in per cent of the span), \
             zones:50/5,30/15,20/80 (accesses/span), hot-band:70/0-20 (accesses/from-to)",
        )
        .reads(Reads::OwnText),
    flag(ORDER, "streams", "HOW").help(
        "How threads share the span. disjoint: a part each. overlapping: the whole span each. shared: one stream for \
         all. by-kind: as overlapping, but reads have their own position, and all other operations another \
         [default: disjoint]",
    ),
    flag(ORDER, "span", "PART")
        .help("Part of the target that is touched: a size, a share such as 50%, or OFFSET+LENGTH such as 10%+1GiB")
        .reads(Reads::OwnText),
    flag(DEPTH, "queue_depth", "COUNT").named("qd").alias("queue-depth").default("1"),
    flag(DEPTH, "threads", "COUNT"),
    flag(DEPTH, "cpus", "LIST")
        .help("CPUs that threads are pinned to in turn, such as 0,2-3")
        .reads(Reads::OwnText)
        .conflicts(&["numa"]),
    flag(DEPTH, "batch", "COUNT"),
    flag(DEPTH, "placement_handle", "HANDLE"),
    flag(DEPTH, "weight", "COUNT")
        .help(
            "Weight of the main load; that of a group is weight= in --group. --rate is divided by the weights; without \
             --rate, the numbers of operations are kept in this proportion",
        )
        .requires("group"),
    flag(RATE, "rate", "RATE")
        .help("Open loop: this many operations or bytes per second over all threads, whatever the target does: 10k, 50MB/s")
        .reads(Reads::OwnText),
    flag(RATE, "arrivals", "SPACING"),
    flag(RATE, "find_rate", "PERCENTILE=TIME")
        .help(
            "Find the highest rate at which a percentile of the response time stays within a bound: p99=1ms; between \
             two rates: p99.9=5ms,1k..200k. Each round (12 at most, or --rounds) tries another rate for --time",
        )
        .reads(Reads::OwnText)
        .conflicts(&["rate", "trace"]),
    flag(RATE, "bursts", "ON/OFF")
        .help(
            "Active and idle in turn: by time, such as 1s/2s, or by volume with pauses for a duty cycle, such as \
             32MB/20%. (For a duty cycle of whole rounds: --duty-cycle)",
        )
        .reads(Reads::OwnText),
    flag(RATE, "think_time", "TIME"),
    flag(TRACE, "trace", "FILE")
        .named("trace-in")
        .conflicts(&["group"])
        .help("Replay this recorded trace, with its operations, sizes, addresses and times (see `drivelab trace check`)")
        .reads(Reads::File),
    flag(TRACE, "replay", "MODE").requires("trace"),
    flag(TRACE, "replay_scale", "PERCENT").requires("trace"),
    flag(TRACE, "idle_cap", "TIME").requires("trace"),
    flag(TRACE, "trace_fit", "HOW").requires("trace"),
    flag(TRACE, "trace_trims", "HOW").requires("trace"),
    flag(DATA, "data", "KIND").named("data-kind").help(
        "What is written; one-block repeats one random block per thread [default: incompressible]. (--data is another \
         flag: the folder for results)",
    ),
    flag(DATA, "compress_percent", "PERCENT"),
    flag(DATA, "dedup_percent", "PERCENT"),
    flag(DATA, "data_window", "SIZE"),
    flag(DATA, "data_pattern", "HEX")
        .help("Bytes that are repeated, in hexadecimal: deadbeef. Means --data-kind pattern"),
    flag(DATA, "data_file", "FILE")
        .help("File whose bytes are written again and again. Means --data-kind file")
        .reads(Reads::File)
        .conflicts(&["data_pattern"]),
    flag(VERIFY, "verify", "HOW")
        .help(
            "headers: each written block carries a header, which --op verify --of RUN checks later. at-once: each block \
             is also read back and checked as soon as it was written [default: off]",
        )
        .reads(Reads::WordsBut("check")),
    flag(BUFFERED, "direct", "ON/OFF")
        .help(
            "on: direct I/O, past the page cache. off: through the page cache, which is dropped first; the result is \
             marked [default: on; off for /dev/null and /dev/zero]",
        ),
    flag(DURATION, "time", "TIME")
        .help("Measured time; the ramp is not counted [default: 10s, unless something else ends the load]"),
    flag(DURATION, "ramp", "TIME"),
    flag(DURATION, "volume", "SIZE").named("bytes").alias("volume"),
    flag(DURATION, "operations", "COUNT"),
    flag(DURATION, "passes", "COUNT"),
    flag(DURATION, "coverage", "PERCENT")
        .help("Stop when this share of the span was touched, such as 50%; not with --pattern random"),
    flag(DURATION, "cap", "TIME"),
    Flag { also: Some("max_rounds"), ..flag(DURATION, "rounds", "COUNT") }
        .help("Number of rounds; with --find-rate or --steady, at most this many [default: 1; 12 with --find-rate, 25 with --steady]"),
    flag(DURATION, "steady", "FIGURE")
        .help(
            "Repeat until this figure is steady: in five consecutive rounds it stays within 20 % of its mean and its \
             trend within 10 % (SNIA). The result is that of these five. Each round lasts for --time; --rounds limits \
             their number",
        )
        .reads(Reads::WordsOf("tracked"))
        .conflicts(&["find_rate"]),
    flag(DURATION, "duty_cycle", "PERCENT")
        .help(
            "Active share of the time, per cent: a rest of the matching length follows each round, 10 min \
             at most. For pauses within a round: --bursts",
        ),
    flag(BACKEND, "errors", "WHAT"),
    flag(BACKEND, "seed", "NUMBER"),
];

impl Flag {
    /// Its name, without the hyphens before it.
    #[must_use]
    pub fn name(&self) -> String {
        self.named.map_or_else(|| self.key.replace('_', "-"), str::to_owned)
    }

    fn arg(&self, language: &TestKey) -> Arg {
        let help = self.help.map_or_else(|| help_of(language.meaning, self.default), str::to_owned);
        let arg =
            Arg::new(self.name()).long(self.name()).value_name(self.value_name).help(help).help_heading(self.heading);
        let arg = arg.visible_aliases(self.alias);
        let arg = match (self.reads, self.words(language)) {
            (Reads::File, _) => arg.value_parser(value_parser!(std::path::PathBuf)).value_hint(ValueHint::FilePath),
            (_, Some(words)) => arg.value_parser(PossibleValuesParser::new(words)),
            (Reads::AsTheKey, None) if language.takes == Takes::Whole => arg.value_parser(value_parser!(u64)),
            (_, None) => arg.value_parser(value_parser!(String)),
        };
        let arg = arg.conflicts_with_all(self.conflicts.iter().map(|other| id_of(other)));
        // One thread is what a trace has, so stating it does no harm; more are refused by the language.
        let arg = if language.traces_have && self.key != "threads" { arg.conflicts_with(id_of("trace")) } else { arg };
        match self.requires {
            Some(other) => arg.requires(id_of(other)),
            None => arg,
        }
    }

    /// The words it takes, as they are typed; `None` if it takes something else.
    fn words(&self, language: &TestKey) -> Option<Vec<String>> {
        let words = match (self.reads, &language.takes) {
            (Reads::WordsOf(key), Takes::Table(keys)) => match &keys.iter().find(|one| one.name == key)?.takes {
                Takes::Words(words) => words.as_slice(),
                _ => return None,
            },
            (Reads::AsTheKey | Reads::WordsBut(_), Takes::Words(words)) => words.as_slice(),
            (Reads::AsTheKey, Takes::Switch) => &["on", "off"],
            _ => return None,
        };
        let but = if let Reads::WordsBut(word) = self.reads { word } else { "" };
        Some(words.iter().filter(|word| **word != but).map(|word| word.replace('_', "-")).collect())
    }
}

/// The id of the flag of this key; of what is no key, the id itself. Ids are names of flags, since keys would collide
/// with other flags: `--data` is the folder for results.
fn id_of(key: &str) -> String {
    FLAGS.iter().find(|flag| flag.key == key).map_or_else(|| key.to_owned(), Flag::name)
}

/// Every flag with its key in the language.
pub fn flags() -> impl Iterator<Item = (&'static Flag, TestKey)> {
    let keys: BTreeMap<&str, TestKey> = test_keys().map(|key| (key.name, key)).collect();
    FLAGS.iter().filter_map(move |flag| Some((flag, keys.get(flag.key)?.clone())))
}

/// The words of `--data-kind`, to recognise one that was typed after another flag.
#[must_use]
pub fn data_kinds() -> Vec<String> {
    flags().filter(|(flag, _)| flag.key == "data").filter_map(|(flag, key)| flag.words(&key)).flatten().collect()
}

/// A sentence of the language as help: without its last stop, its default in brackets, flags for keys.
fn help_of(meaning: &str, default: Option<&str>) -> String {
    let sentence = meaning.trim_end_matches('.');
    let sentence = sentence.strip_suffix(". No default").unwrap_or(sentence);
    let (sentence, stated) = match sentence.split_once(". Default") {
        Some((sentence, stated)) => (sentence, Some(stated.trim_start_matches(':').trim_start())),
        None => (sentence, None),
    };
    let help = match stated.or(default) {
        Some(default) => format!("{sentence} [default: {default}]"),
        None => sentence.to_owned(),
    };
    in_flags(&help)
}

/// The text with flags for keys: "`cap`" becomes "--cap", "direct = false" becomes "--direct off".
#[must_use]
pub fn in_flags(text: &str) -> String {
    // Help is made at every start of the program, and most of it names no key.
    if !text.contains(['`', '=']) {
        return text.to_owned();
    }
    let keys =
        FLAGS.iter().flat_map(|flag| [Some(flag.key), flag.also].into_iter().flatten().map(|key| (key, flag.name())));
    // The size of the scratch file is a key of the target, not of a test.
    keys.chain([("size", "size".to_owned())]).fold(text.to_owned(), |text, (key, flag)| {
        let text = text.replace(&format!("`{key}`"), &format!("--{flag}"));
        assignments(&text, key, &format!("--{flag}"))
    })
}

/// `key = "word"` and `key = false` as they are typed.
fn assignments(text: &str, key: &str, flag: &str) -> String {
    let sign = format!("{key} = ");
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(&sign) {
        let (before, found) = rest.split_at(at);
        let value = &found[sign.len()..];
        let whole_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        out.push_str(before);
        let quoted = value.strip_prefix('"').and_then(|value| value.split_once('"'));
        let bare = || value.split_at(value.find(|c: char| !c.is_alphanumeric()).unwrap_or(value.len()));
        let (value, behind) = quoted.unwrap_or_else(bare);
        if whole_word {
            let value = match value {
                "true" => "on".to_owned(),
                "false" => "off".to_owned(),
                word => word.replace('_', "-"),
            };
            out.push_str(&format!("{flag} {value}"));
        } else {
            out.push_str(&found[..found.len() - behind.len()]);
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// What was typed of these flags, by key.
#[derive(Debug, Clone, Default)]
pub struct LoadArgs(BTreeMap<&'static str, OsString>);

impl LoadArgs {
    /// The text typed for the flag of this key; `None` if it was not typed, or is a path that is not UTF-8.
    ///
    /// # Panics
    /// In debug builds, if no flag states this key.
    #[must_use]
    pub fn typed(&self, key: &str) -> Option<&str> {
        self.raw(key).and_then(OsStr::to_str)
    }

    /// The number typed for the flag of this key.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<u64> {
        self.typed(key)?.parse().ok()
    }

    /// The path typed for the flag of this key.
    #[must_use]
    pub fn path(&self, key: &str) -> Option<&Path> {
        self.raw(key).map(Path::new)
    }

    /// Whether the flag of this key was typed.
    #[must_use]
    pub fn is_typed(&self, key: &str) -> bool {
        self.raw(key).is_some()
    }

    /// What was typed for the flag of this key.
    #[must_use]
    pub fn raw(&self, key: &str) -> Option<&OsStr> {
        debug_assert!(FLAGS.iter().any(|flag| flag.key == key), "no flag states {key}");
        self.0.get(key).map(OsString::as_os_str)
    }
}

impl Args for LoadArgs {
    fn augment_args(command: Command) -> Command {
        flags().fold(command, |command, (flag, key)| command.arg(flag.arg(&key)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LoadArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut typed = LoadArgs::default();
        typed.update_from_arg_matches(matches)?;
        Ok(typed)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for flag in FLAGS {
            if let Some(text) = matches.get_raw(&flag.name()).and_then(Iterator::last) {
                self.0.insert(flag.key, text.to_owned());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_states_a_key_of_the_language() {
        let keys: Vec<&str> = test_keys().map(|key| key.name).collect();
        for flag in FLAGS {
            assert!(keys.contains(&flag.key), "--{} states no key of a test", flag.name());
        }
    }

    /// What a flag or an alias states, and which flags exclude each other.
    #[test]
    fn flags_have_their_names_and_conflicts() {
        let typed = |words: &[&str]| {
            let command = LoadArgs::augment_args(Command::new("io").no_binary_name(true));
            let command = command.arg(Arg::new("numa").long("numa")).arg(Arg::new("group").long("group"));
            command.try_get_matches_from(words).map(|matches| LoadArgs::from_arg_matches(&matches).expect("read"))
        };
        for (words, key, value) in [
            (["--block", "4k"], "block_size", "4k"),
            (["--block-size", "4k"], "block_size", "4k"),
            (["--qd", "8"], "queue_depth", "8"),
            (["--queue-depth", "8"], "queue_depth", "8"),
            (["--bytes", "1MB"], "volume", "1MB"),
            (["--volume", "1MB"], "volume", "1MB"),
            (["--data-kind", "one-block"], "data", "one-block"),
            (["--verify", "at-once"], "verify", "at-once"),
            (["--steady", "latency-mean"], "steady", "latency-mean"),
            (["--direct", "off"], "direct", "off"),
            (["--trace-in", "file"], "trace", "file"),
        ] {
            assert_eq!(typed(&words).expect("typed").typed(key), Some(value), "{words:?}");
        }
        for beside in
            ["--span", "--qd", "--threads", "--data-kind", "--bytes", "--operations", "--time", "--cap", "--seed"]
        {
            let value = if beside == "--data-kind" { "zero" } else { "1" };
            assert!(typed(&["--trace-in", "f", beside, value]).is_ok(), "{beside} beside a trace");
        }
        let own =
            ["op", "write-percent", "trim-percent", "write-zeroes-percent", "flush-percent", "sync-every", "block"];
        let order = ["stride", "places", "seek-percent", "locality", "rate", "find-rate", "bursts", "think-time"];
        for own in own.iter().chain(&order).chain(&["passes", "coverage", "ramp", "group"]) {
            assert!(typed(&["--trace-in", "f", &format!("--{own}"), "1"]).is_err(), "a trace has its own {own}");
        }
        for words in [
            ["--op", "read", "--write-percent", "1"],
            ["--rate", "1k", "--find-rate", "p99=1ms"],
            ["--steady", "iops", "--find-rate", "p99=1ms"],
            ["--cpus", "0", "--numa", "0"],
            ["--data-pattern", "ff", "--data-file", "f"],
            ["--verify", "check", "--qd", "1"],
            ["--replay", "timed", "--qd", "1"],
            ["--weight", "1", "--qd", "1"],
        ] {
            assert!(typed(&words).is_err(), "{words:?}");
        }
    }

    /// A new key of a load gets a flag, unless a one-liner has no use for it.
    #[test]
    fn every_key_of_a_test_has_a_flag_or_needs_none() {
        const NEED_NONE: &str = "name title purpose sources axes cases groups files needs recovers_to published_unit \
                                 forms twin source_of derived approximation priority requires at_least rest rest_cap \
                                 start_below start_below_cap curve combine order warm_up_rounds rest_after";
        for key in test_keys() {
            let flag = FLAGS.iter().any(|flag| flag.key == key.name || flag.also == Some(key.name));
            let needs_none = NEED_NONE.split_whitespace().any(|name| name == key.name);
            assert!(flag != needs_none, "`{}` needs a row in FLAGS, or a place in this list, and not both", key.name);
        }
    }

    #[test]
    fn help_is_made_of_the_language_s_sentence() {
        assert_eq!(help_of("How often, 1 to 9. Default 1.", None), "How often, 1 to 9 [default: 1]");
        assert_eq!(help_of("Gaps. Default: no gap.", None), "Gaps [default: no gap]");
        assert_eq!(help_of("In flight. No default.", Some("1")), "In flight [default: 1]");
        assert_eq!(
            help_of("Gaps of replay = \"scaled\", twice `time`.", None),
            "Gaps of --replay scaled, twice --time"
        );
    }

    #[test]
    fn messages_speak_of_flags() {
        assert_eq!(in_flags("`time` is longer than `cap`"), "--time is longer than --cap");
        assert_eq!(in_flags("choose another size, or direct = false"), "choose another size, or --direct off");
        assert_eq!(in_flags("a larger span, or streams = \"overlapping\""), "a larger span, or --streams overlapping");
        assert_eq!(in_flags("pattern = \"random_once\" has passes"), "--pattern random-once has passes");
        assert_eq!(in_flags("an unknown_pattern = \"ff\" stays"), "an unknown_pattern = \"ff\" stays");
        assert_eq!(in_flags("`block_size_mix` and `queue_depth`"), "--block and --qd");
    }
}
