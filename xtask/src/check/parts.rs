//! The parts of the check: what each runs, how it ended and how long it took.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::shell::{answers, cargo, cargo_program, command, run as run_command};
use crate::{setup, tidy};

/// A part of the check, in the order in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// rustfmt
    Fmt,
    /// The rules of the house
    Tidy,
    /// Dependencies: bans, licences, sources, and advisories if they can be reached
    Deny,
    /// The front end: types and tests of web/
    Web,
    /// clippy, all targets, warnings are errors
    Clippy,
    /// Unit, integration and end-to-end tests (including whether generated files are up to date)
    Test,
    /// Examples in documentation
    Doctest,
    /// The code's documentation, warnings are errors
    Doc,
    /// `cargo xtask vm-test --debug`: only with --vm, or named here
    Vm,
}

/// How a part ended.
pub(super) enum Outcome {
    Passed,
    Skipped(String),
    Failed(anyhow::Error),
}

/// A part, how it ended, and how long it took.
pub(super) type Done = (Part, Outcome, Duration);

/// Runs one part by itself.
pub(super) fn timed(root: &Path, part: Part) -> Done {
    println!("== {}", name(part));
    let begun = Instant::now();
    let outcome = run_part(root, part);
    tell(&outcome);
    (part, outcome, begun.elapsed())
}

pub(super) fn tell(outcome: &Outcome) {
    match outcome {
        Outcome::Skipped(why) => println!("  skipped: {why}"),
        Outcome::Failed(error) => println!("  failed: {error:#}"),
        Outcome::Passed => {}
    }
}

/// A part that cargo does by itself.
pub(super) fn cargo_part(root: &Path, part: Part) -> Command {
    let mut command = cargo(root, words(part));
    if part == Part::Doc {
        command.env("RUSTDOCFLAGS", "-D warnings");
    }
    command
}

/// What cargo is asked for.
pub(super) const fn words(part: Part) -> &'static [&'static str] {
    match part {
        Part::Fmt => &["fmt", "--all", "--check"],
        Part::Clippy => &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"],
        Part::Doctest => &["test", "--workspace", "--locked", "--quiet", "--doc"],
        Part::Doc => &["doc", "--workspace", "--locked", "--no-deps", "--document-private-items"],
        Part::Tidy | Part::Deny | Part::Web | Part::Test | Part::Vm => &[],
    }
}

pub(super) const fn name(part: Part) -> &'static str {
    match part {
        Part::Fmt => "fmt",
        Part::Tidy => "tidy",
        Part::Deny => "deny",
        Part::Web => "web",
        Part::Clippy => "clippy",
        Part::Test => "test",
        Part::Doctest => "doctest",
        Part::Doc => "doc",
        Part::Vm => "vm",
    }
}

fn run_part(root: &Path, part: Part) -> Outcome {
    let done = match part {
        Part::Tidy => tidy::run(root),
        Part::Deny => return deny(root),
        Part::Web => web(root),
        Part::Test => run_command(tests(root)),
        Part::Vm => run_command(vm_test(root)),
        Part::Fmt | Part::Clippy | Part::Doctest | Part::Doc => run_command(cargo_part(root, part)),
    };
    done.map_or_else(Outcome::Failed, |()| Outcome::Passed)
}

/// The scenarios, with the program that the tests have built.
fn vm_test(root: &Path) -> Command {
    // Not by its path: the tests may have built this program again in the meantime.
    command(root, &format!("/proc/{}/exe", std::process::id()), &["vm-test", "--debug"])
}

/// Many tests mostly wait for a device or a clock, so on a small machine more of them run than it has CPUs.
const LEAST_TESTS_AT_ONCE: usize = 4;

pub(super) fn tests_at_once() -> String {
    std::thread::available_parallelism().map_or(1, usize::from).max(LEAST_TESTS_AT_ONCE).to_string()
}

pub(super) fn has_nextest() -> bool {
    answers(&cargo_program(), &["nextest", "--version"])
}

/// All tests, with nextest if it is installed: it runs them in parallel and ends those that hang
/// (.config/nextest.toml).
fn tests(root: &Path) -> Command {
    if has_nextest() {
        let run = ["nextest", "run", "--workspace", "--locked", "--no-fail-fast", "--test-threads", &tests_at_once()];
        return cargo(root, &run);
    }
    cargo(root, &["test", "--workspace", "--locked", "--no-fail-fast", "--lib", "--bins", "--tests"])
}

/// Types and tests of the front end; each of the two scripts first installs what the lock file names and is missing.
fn web(root: &Path) -> Result<()> {
    let web = root.join("web");
    run_command(command(&web, "npm", &["run", "--silent", "check"]))?;
    run_command(command(&web, "npm", &["test", "--silent"]))
}

/// The message of cargo-deny if the advisory database is not available.
const NO_DATABASE: &[&str] = &["failed to fetch advisory database", "failed to load advisory database", "IO error"];

/// Checks dependencies against deny.toml.
fn deny(root: &Path) -> Outcome {
    if !answers(&cargo_program(), &["deny", "--version"]) {
        let why =
            format!("cargo-deny is not installed: cargo install cargo-deny --locked --version {}", setup::CARGO_DENY);
        return if setup::is_ci() { Outcome::Failed(anyhow::anyhow!(why)) } else { Outcome::Skipped(why) };
    }
    let always = ["deny", "--workspace", "--locked", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"];
    if let Err(error) = run_command(cargo(root, &always)) {
        return Outcome::Failed(error);
    }
    match advisories(root) {
        Ok(None) => Outcome::Passed,
        Ok(Some(why)) => {
            println!("  advisories: skipped: {why}");
            Outcome::Passed
        }
        Err(error) => Outcome::Failed(error),
    }
}

/// Known weaknesses of dependencies; `Some(why)` if the database cannot be reached.
fn advisories(root: &Path) -> Result<Option<String>> {
    let output = cargo(root, &["deny", "--workspace", "--locked", "check", "advisories"])
        .output()
        .context("cannot start cargo deny")?;
    if output.status.success() {
        return Ok(None);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    if NO_DATABASE.iter().any(|sign| said.contains(sign)) {
        return Ok(Some("the advisory database cannot be reached from here".to_owned()));
    }
    anyhow::bail!("cargo deny check advisories:\n{}", said.trim())
}
