//! `cargo xtask check`: all parts, quickest first, with every failure named at the end.
//!
//! Owns: which parts there are and their order. A part that fails does not stop the others.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
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
}

/// How a part ended.
enum Outcome {
    Passed,
    Skipped(String),
    Failed(anyhow::Error),
}

/// Runs the chosen parts, or all parts if none is chosen.
pub(crate) fn run(root: &Path, only: &[Part]) -> Result<()> {
    let needs_tools = only.is_empty() || only.contains(&Part::Test) || only.contains(&Part::Web);
    if needs_tools || (setup::is_ci() && only.contains(&Part::Deny)) {
        setup::prepare(root)?;
    }
    let begun = Instant::now();
    let chosen = Part::value_variants().iter().filter(|part| only.is_empty() || only.contains(part));
    let mut results = Vec::new();
    for part in chosen {
        println!("== {}", name(*part));
        let part_begun = Instant::now();
        let outcome = run_part(root, *part);
        match &outcome {
            Outcome::Skipped(why) => println!("  skipped: {why}"),
            Outcome::Failed(error) => println!("  failed: {error:#}"),
            Outcome::Passed => {}
        }
        results.push((*part, outcome, part_begun.elapsed()));
    }
    summary(&results, begun.elapsed())
}

/// Prints how each part ended and how long it took; an error if one failed.
fn summary(results: &[(Part, Outcome, Duration)], whole: Duration) -> Result<()> {
    println!("\n== check: {:.0} s", whole.as_secs_f64());
    for (part, outcome, took) in results {
        let (verdict, detail) = match outcome {
            Outcome::Passed => ("ok", String::new()),
            Outcome::Skipped(why) => ("skipped", why.clone()),
            Outcome::Failed(error) => ("FAILED", format!("{error:#}")),
        };
        println!("  {:<8} {verdict:<8} {:>6.1} s  {detail}", name(*part), took.as_secs_f64());
    }
    let failed: Vec<&str> = results
        .iter()
        .filter(|(_, outcome, _)| matches!(outcome, Outcome::Failed(_)))
        .map(|(part, _, _)| name(*part))
        .collect();
    ensure!(
        failed.is_empty(),
        "failed: {}. Repeat with: cargo xtask check --only {}",
        failed.join(", "),
        failed.join(",")
    );
    Ok(())
}

const fn name(part: Part) -> &'static str {
    match part {
        Part::Fmt => "fmt",
        Part::Tidy => "tidy",
        Part::Deny => "deny",
        Part::Web => "web",
        Part::Clippy => "clippy",
        Part::Test => "test",
        Part::Doctest => "doctest",
        Part::Doc => "doc",
    }
}

fn run_part(root: &Path, part: Part) -> Outcome {
    let done = match part {
        Part::Fmt => run_command(cargo(root, &["fmt", "--all", "--check"])),
        Part::Tidy => tidy::run(root),
        Part::Deny => return deny(root),
        Part::Web => web(root),
        Part::Clippy => {
            let rules = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
            run_command(cargo(root, &rules))
        }
        Part::Test => run_command(tests(root)),
        Part::Doctest => run_command(cargo(root, &["test", "--workspace", "--locked", "--quiet", "--doc"])),
        Part::Doc => {
            let mut doc = cargo(root, &["doc", "--workspace", "--locked", "--no-deps", "--document-private-items"]);
            doc.env("RUSTDOCFLAGS", "-D warnings");
            run_command(doc)
        }
    };
    done.map_or_else(Outcome::Failed, |()| Outcome::Passed)
}

/// Many tests mostly wait for a device or a clock, so on a small machine more of them run than it has CPUs.
const LEAST_TESTS_AT_ONCE: usize = 4;

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// nextest if it is installed: it runs tests in parallel and ends tests that hang (.config/nextest.toml).
fn tests(root: &Path) -> Command {
    if answers(&cargo_program(), &["nextest", "--version"]) {
        let at_once = processors().max(LEAST_TESTS_AT_ONCE).to_string();
        let run = ["nextest", "run", "--workspace", "--locked", "--no-fail-fast", "--test-threads", &at_once];
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
