//! `cargo xtask fuzz`: runs every decoder, trace reader and importer with bytes that libFuzzer generates, for a set
//! time each, and reports the result.
//!
//! The targets are the programs of fuzz/Cargo.toml. What libFuzzer collects goes to `target/fuzz-corpus`, so that
//! `fuzz/corpus` contains only what a person put there: initial pages, and inputs that once found something.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;

use crate::shell::{answers, cargo, cargo_program, run as run_command};

/// The longest input in bytes: a little more than the longest page.
const LONGEST: u32 = 8192;

/// What is run.
#[derive(Debug, Args)]
pub(crate) struct Fuzz {
    /// Only these targets (all if none is named)
    targets: Vec<String>,
    /// How long each target runs
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u32,
    /// How many run concurrently
    #[arg(long, value_name = "N", default_value_t = 1)]
    at_once: usize,
    /// Only lists the targets
    #[arg(long)]
    list: bool,
}

/// The result of one target.
struct Outcome {
    target: String,
    runs: u64,
    covered: u64,
    error: Option<String>,
}

/// Builds the targets and runs them.
pub(crate) fn run(root: &Path, options: &Fuzz) -> Result<()> {
    let manifest = fs::read_to_string(root.join("fuzz/Cargo.toml")).context("cannot read fuzz/Cargo.toml")?;
    let all = targets(&manifest);
    if options.list {
        all.iter().for_each(|target| println!("{target}"));
        return Ok(());
    }
    for wanted in &options.targets {
        ensure!(all.contains(wanted), "there is no target `{wanted}`; `cargo xtask fuzz --list` names them");
    }
    let chosen = if options.targets.is_empty() { &all } else { &options.targets };
    let installed = answers(&cargo_program(), &["fuzz", "--version"]);
    ensure!(installed, "cargo-fuzz is missing; install it with `cargo install cargo-fuzz --locked`");
    match chosen.as_slice() {
        [only] => run_command(fuzz(root, &["build", only]))?,
        _ => run_command(fuzz(root, &["build"]))?,
    }
    let waiting = Mutex::new(chosen.iter());
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..options.at_once.max(1) {
            scope.spawn(|| {
                while let Some(target) = waiting.lock().ok().and_then(|mut waiting| waiting.next()) {
                    let outcome = run_target(root, target, options.seconds);
                    show(&outcome);
                    if let Ok(mut done) = done.lock() {
                        done.push(outcome);
                    }
                }
            });
        }
    });
    summary(&done.into_inner().map_err(|_| anyhow!("a thread that ran targets panicked"))?, chosen.len())
}

/// The names of the programs in the manifest.
fn targets(manifest: &str) -> Vec<String> {
    let programs = manifest.split("[[bin]]").skip(1);
    programs.filter_map(|program| program.split('"').nth(1)).map(str::to_owned).collect()
}

/// cargo-fuzz on the stable compiler: the sanitizer's flag is one that stable otherwise refuses.
fn fuzz(root: &Path, arguments: &[&str]) -> Command {
    let mut command = cargo(root, &[&["fuzz"], arguments].concat());
    command.env("RUSTC_BOOTSTRAP", "1");
    command
}

/// Runs one target that is already built.
fn run_target(root: &Path, target: &str, seconds: u32) -> Outcome {
    let failed = |error: String| Outcome { target: target.to_owned(), runs: 0, covered: 0, error: Some(error) };
    let collected = root.join("target/fuzz-corpus").join(target);
    if let Err(error) = fs::create_dir_all(&collected) {
        return failed(format!("cannot make {}: {error}", collected.display()));
    }
    let collected = collected.to_string_lossy();
    let begun = format!("fuzz/corpus/{target}");
    let (time, length) = (format!("-max_total_time={seconds}"), format!("-max_len={LONGEST}"));
    let mut command = fuzz(root, &["run", target, &collected, &begun, "--", &time, &length, "-print_final_stats=1"]);
    match command.output() {
        Err(error) => failed(format!("cannot start cargo fuzz: {error}")),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            let found = (!output.status.success()).then(|| last_words(&text));
            let runs = number_after(&text, "stat::number_of_executed_units:").unwrap_or(0);
            let covered = text.lines().rev().find_map(|line| number_after(line, " cov: ")).unwrap_or(0);
            Outcome { target: target.to_owned(), runs, covered, error: found }
        }
    }
}

/// The number after a word.
fn number_after(text: &str, word: &str) -> Option<u64> {
    let behind = text.split(word).nth(1)?.trim_start();
    behind.split(|sign: char| !sign.is_ascii_digit()).next()?.parse().ok()
}

/// What a person needs from a failed run: where the panic was, and the input that caused it.
fn last_words(text: &str) -> String {
    let of_interest =
        |line: &&str| line.contains("panicked at") || line.contains("ERROR:") || line.contains("artifact");
    text.lines().filter(of_interest).collect::<Vec<_>>().join("; ")
}

fn show(outcome: &Outcome) {
    let Outcome { target, runs, covered, error } = outcome;
    match error {
        None => println!("  {target:<28} {runs:>12} runs, {covered:>5} places reached, nothing found"),
        Some(error) => println!("  {target:<28} {runs:>12} runs: FOUND {error}"),
    }
}

fn summary(outcomes: &[Outcome], chosen: usize) -> Result<()> {
    let runs: u64 = outcomes.iter().map(|outcome| outcome.runs).sum();
    println!("\n== fuzz: {} targets, {runs} runs", outcomes.len());
    ensure!(outcomes.len() == chosen, "only {} of {chosen} targets were run", outcomes.len());
    let found: Vec<&str> =
        outcomes.iter().filter(|outcome| outcome.error.is_some()).map(|outcome| outcome.target.as_str()).collect();
    ensure!(
        found.is_empty(),
        "found something: {}. Put the input into fuzz/corpus/TARGET and mend it",
        found.join(", ")
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_the_programs_of_the_manifest() {
        let manifest = "[package]\nname = \"x\"\n[[bin]]\nname = \"smart\"\npath = \"a\"\n\n[[bin]]\nname = \"fdp\"\n";
        assert_eq!(targets(manifest), ["smart", "fdp"]);
    }

    #[test]
    fn counts_are_read_from_what_libfuzzer_prints() {
        let text = "#8 DONE cov: 77 ft: 80\nDone\nstat::number_of_executed_units: 123456\nstat::x: 1\n";
        assert_eq!(number_after(text, "stat::number_of_executed_units:"), Some(123_456));
        assert_eq!(number_after(text, " cov: "), Some(77));
        assert_eq!(number_after(text, "stat::missing:"), None);
    }

    #[test]
    fn every_target_has_a_corpus_and_every_decoder_a_target() {
        let root = crate::root();
        let listed = targets(&fs::read_to_string(root.join("fuzz/Cargo.toml")).unwrap());
        for target in &listed {
            assert!(root.join("fuzz/corpus").join(target).is_dir(), "{target} has no corpus");
        }
        // Both crates list their decoders in one table: `"name" => Type;` or `Decoder { name: "name", …`.
        for decoders in ["nvme/src/reading/named.rs", "ata/src/named.rs"] {
            let text = fs::read_to_string(root.join("crates").join(decoders)).unwrap();
            let quoted = |line: &str| line.split('"').nth(1).map(str::to_owned);
            let entries = text.lines().filter(|line| line.contains("\" =>") || line.contains("Decoder { name: \""));
            let names: Vec<String> = entries.filter_map(quoted).collect();
            assert!(names.len() >= 5, "{decoders} has no table");
            for name in names {
                assert!(listed.contains(&name), "the decoder {name} has no target");
            }
        }
        let formats = fs::read_to_string(root.join("crates/trace/src/format.rs")).unwrap();
        let names: Vec<&str> =
            formats.lines().filter_map(|line| line.split("=> \"").nth(1)?.split('"').next()).collect();
        assert!(names.len() >= 8, "the names of the formats were not found");
        for name in names {
            assert!(listed.contains(&format!("trace_{name}")), "the format {name} has no target");
        }
        assert!(["import_fio", "import_vdbench"].iter().all(|target| listed.iter().any(|listed| listed == target)));
    }
}
