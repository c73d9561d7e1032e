//! What the checker says about the methodology behind a one-liner, in the words of who typed flags.

use drivelab_lab::{Failure, Result};
use drivelab_method::{Diagnostic, Diagnostics, Methodology};

use super::load::Written;

/// Keys of the language that have another name than their flag, which is `--` and the key with hyphens.
const OTHER_NAMES: [(&str, &str); 9] = [
    ("block_size", "--block"),
    ("block_size_mix", "--block"),
    ("block_size_shares_of", "--block-shares-of"),
    ("queue_depth", "--qd"),
    ("volume", "--bytes"),
    ("data", "--data-kind"),
    ("find_rate", "--find-rate"),
    ("max_rounds", "--rounds"),
    ("trace", "--trace-in"),
];

/// Keys with a flag of the same name that messages speak of.
const SAME_NAMES: [&str; 46] = [
    "op",
    "write_percent",
    "trim_percent",
    "write_zeroes_percent",
    "flush_percent",
    "sync_every",
    "pattern",
    "stride",
    "places",
    "seek_percent",
    "locality",
    "streams",
    "span",
    "threads",
    "cpus",
    "batch",
    "placement_handle",
    "rate",
    "arrivals",
    "bursts",
    "think_time",
    "compress_percent",
    "dedup_percent",
    "data_window",
    "data_pattern",
    "data_file",
    "verify",
    "direct",
    "seed",
    "time",
    "passes",
    "operations",
    "coverage",
    "cap",
    "ramp",
    "errors",
    "rounds",
    "size",
    "steady",
    "weight",
    "duty_cycle",
    "replay",
    "replay_scale",
    "idle_cap",
    "trace_fit",
    "trace_trims",
];

/// The methodology that the flags mean, checked.
pub(super) fn methodology(written: &Written) -> Result<Methodology> {
    drivelab_method::parse("the flags", &written.text).map_err(|errors| flags(written, &errors))
}

/// The errors as one usage failure: each with the flag that it is about.
pub(super) fn flags(written: &Written, diagnostics: &Diagnostics) -> Failure {
    let mut lines: Vec<String> = diagnostics.all().iter().map(|one| line(written, one)).collect();
    // One flag may stand in several tables, such as that of the fill.
    let mut said = std::collections::BTreeSet::new();
    lines.retain(|line| said.insert(line.clone()));
    Failure::usage(lines.join("\n"))
}

fn line(written: &Written, one: &Diagnostic) -> String {
    let place = written.flag_of(one).map_or_else(String::new, |flag| format!("{flag}: "));
    let mut line = format!("{place}{}; {}", in_flags(one.title()), in_flags(one.label()));
    for help in one.advice() {
        line.push_str("; ");
        line.push_str(&in_flags(help));
    }
    line
}

/// The text with flags for keys: "`cap`" becomes "--cap", "direct = false" becomes "--direct off".
fn in_flags(text: &str) -> String {
    let same = SAME_NAMES.iter().map(|key| (*key, format!("--{}", key.replace('_', "-"))));
    let other = OTHER_NAMES.iter().map(|(key, flag)| (*key, (*flag).to_owned()));
    let text = as_typed(text);
    other.chain(same).fold(text, |text, (key, flag)| {
        let text = text.replace(&format!("`{key}`"), &flag);
        assignments(&text, key, &flag)
    })
}

/// The words of a list of those that would do, as they are typed: with hyphens.
fn as_typed(text: &str) -> String {
    match text.split_once("expected one of: ") {
        Some((before, words)) => format!("{before}expected one of: {}", words.replace('_', "-")),
        None => text.to_owned(),
    }
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

#[cfg(test)]
mod tests {
    use clap::Args;

    use super::{OTHER_NAMES, SAME_NAMES, in_flags};
    use crate::args::IoArgs;

    /// A flag that is a key of the language and not listed above would make errors speak of keys that nobody typed.
    #[test]
    fn every_flag_that_is_a_key_is_listed() {
        let language = drivelab_method::json_schema().to_string();
        let command = IoArgs::augment_args(clap::Command::new("io"));
        let flags: Vec<String> =
            command.get_arguments().filter_map(|flag| flag.get_long()).map(str::to_owned).collect();
        for flag in &flags {
            let key = flag.replace('-', "_");
            // `group` holds keys itself, `data` is the folder for results; `of` is another word in work on files, and
            // `fill` in what a test needs.
            let of_other_tables = ["data", "of", "fill"].contains(&key.as_str());
            if language.contains(&format!("\"{key}\":")) && !of_other_tables {
                let listed = SAME_NAMES.contains(&key.as_str()) || OTHER_NAMES.iter().any(|(name, _)| *name == key);
                assert!(listed, "--{flag} is a key of the language and not listed");
            }
        }
        for key in SAME_NAMES {
            assert!(flags.contains(&key.replace('_', "-")), "there is no --{}", key.replace('_', "-"));
        }
    }

    #[test]
    fn messages_speak_of_flags() {
        assert_eq!(in_flags("`time` is longer than `cap`"), "--time is longer than --cap");
        assert_eq!(in_flags("choose another size, or direct = false"), "choose another size, or --direct off");
        assert_eq!(in_flags("a larger span, or streams = \"overlapping\""), "a larger span, or --streams overlapping");
        assert_eq!(in_flags("pattern = \"random_once\" has passes"), "--pattern random-once has passes");
        assert_eq!(in_flags("an unknown_pattern = \"ff\" stays"), "an unknown_pattern = \"ff\" stays");
    }
}
