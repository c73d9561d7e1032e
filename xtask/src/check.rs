//! `cargo xtask check`: all parts, quickest first, with every failure named at the end.
//!
//! Owns: which parts there are and their order. A part that fails does not stop the others. Many tests wait for a
//! device or a clock and use little of the CPU: clippy and the documentation are checked beside them, with what the
//! tests leave of it. Tests that need the machine for themselves run by themselves.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;

use crate::shell::{answers, cargo, cargo_program, command, is_installed, run as run_command, target_folder};
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
    let (beside, alone): (Vec<&Part>, Vec<&Part>) =
        chosen.partition(|part| only.is_empty() && BESIDE_TESTS.contains(part) && can_run_beside());
    for part in alone {
        if *part == Part::Test && !beside.is_empty() {
            results.extend(with_others_beside(root, &beside));
        } else {
            results.push(timed(root, *part));
        }
    }
    summary(&results, begun.elapsed())
}

/// What is checked while the tests run.
const BESIDE_TESTS: [Part; 2] = [Part::Clippy, Part::Doc];

/// Starts a program that gets only the CPU that no other wants, and the disk last.
const IDLE: [&str; 6] = ["chrt", "--idle", "0", "ionice", "--class", "3"];

/// Whether what is needed for that is here: nextest knows which tests need the machine for themselves.
fn can_run_beside() -> bool {
    is_installed(IDLE[0]) && has_nextest()
}

/// A part, how it ended, and how long it took.
type Done = (Part, Outcome, Duration);

/// Runs one part by itself.
fn timed(root: &Path, part: Part) -> Done {
    println!("== {}", name(part));
    let begun = Instant::now();
    let outcome = run_part(root, part);
    tell(&outcome);
    (part, outcome, begun.elapsed())
}

fn tell(outcome: &Outcome) {
    match outcome {
        Outcome::Skipped(why) => println!("  skipped: {why}"),
        Outcome::Failed(error) => println!("  failed: {error:#}"),
        Outcome::Passed => {}
    }
}

/// Builds the tests, runs most of them while the other parts run one after the other, and then the tests that must
/// have nothing beside them.
fn with_others_beside(root: &Path, others: &[&Part]) -> Vec<Done> {
    println!("== {}", name(Part::Test));
    let begun = Instant::now();
    // Building takes all of the CPU: nothing is gained beside it.
    let built = match built_tests(root) {
        Ok(built) => built,
        Err(error) => {
            let outcome = Outcome::Failed(error);
            tell(&outcome);
            let tests = (Part::Test, outcome, begun.elapsed());
            return others.iter().map(|part| timed(root, **part)).chain([tests]).collect();
        }
    };
    let chosen = |filter| {
        let mut run = cargo(root, &["nextest", "run", "--binaries-metadata"]);
        run.arg(&built).args(["--no-fail-fast", "--test-threads", &tests_at_once(), "--filterset", filter]);
        run_command(run)
    };
    std::thread::scope(|scope| {
        let beside = scope.spawn(|| others.iter().map(|part| idly(root, **part)).collect::<Vec<Done>>());
        let most = chosen("not group(alone)");
        let panicked = |_| {
            let failed = |part: &&Part| (**part, Outcome::Failed(anyhow::anyhow!("it panicked")), begun.elapsed());
            others.iter().map(failed).collect::<Vec<Done>>()
        };
        let mut done = beside.join().unwrap_or_else(panicked);
        let others = chosen("group(alone)");
        let outcome = match (most, others) {
            (Ok(()), Ok(())) => Outcome::Passed,
            (Err(most), Err(others)) => Outcome::Failed(anyhow::anyhow!("{most:#}; {others:#}")),
            (Err(error), Ok(())) | (Ok(()), Err(error)) => Outcome::Failed(error),
        };
        tell(&outcome);
        done.push((Part::Test, outcome, begun.elapsed()));
        done
    })
}

/// Builds the tests; the file that tells nextest where they are. Without it nextest asks cargo, which waits until no
/// other cargo builds.
fn built_tests(root: &Path) -> Result<PathBuf> {
    let mut list = cargo(root, &["nextest", "list", "--workspace", "--locked", "--list-type", "binaries-only"]);
    let output =
        list.args(["--message-format", "json"]).stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    ensure!(output.status.success(), "the tests cannot be built: cargo nextest list ended with {}", output.status);
    let built = target_folder(root).join("tests-built.json");
    std::fs::write(&built, output.stdout).with_context(|| format!("{} cannot be written", built.display()))?;
    Ok(built)
}

/// Runs a part with the CPU that is left; what it prints comes in one piece.
fn idly(root: &Path, part: Part) -> Done {
    let begun = Instant::now();
    let mut idle = command(root, IDLE[0], &IDLE[1..]);
    idle.arg(cargo_program()).args(words(part)).env("RUSTDOCFLAGS", "-D warnings");
    let outcome = match idle.output().context("cannot start chrt") {
        Ok(output) => {
            let (said, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            println!("== {}, beside the tests\n{said}{complained}", name(part));
            let why = || anyhow::anyhow!("`cargo {}` ended with {}", words(part).join(" "), output.status);
            if output.status.success() { Outcome::Passed } else { Outcome::Failed(why()) }
        }
        Err(error) => Outcome::Failed(error),
    };
    tell(&outcome);
    (part, outcome, begun.elapsed())
}

/// What cargo is asked for.
const fn words(part: Part) -> &'static [&'static str] {
    match part {
        Part::Fmt => &["fmt", "--all", "--check"],
        Part::Clippy => &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"],
        Part::Doctest => &["test", "--workspace", "--locked", "--quiet", "--doc"],
        Part::Doc => &["doc", "--workspace", "--locked", "--no-deps", "--document-private-items"],
        Part::Tidy | Part::Deny | Part::Web | Part::Test => &[],
    }
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
        Part::Tidy => tidy::run(root),
        Part::Deny => return deny(root),
        Part::Web => web(root),
        Part::Test => run_command(tests(root)),
        Part::Fmt | Part::Clippy | Part::Doctest => run_command(cargo(root, words(part))),
        Part::Doc => {
            let mut doc = cargo(root, words(part));
            doc.env("RUSTDOCFLAGS", "-D warnings");
            run_command(doc)
        }
    };
    done.map_or_else(Outcome::Failed, |()| Outcome::Passed)
}

/// Many tests mostly wait for a device or a clock, so on a small machine more of them run than it has CPUs.
const LEAST_TESTS_AT_ONCE: usize = 4;

fn tests_at_once() -> String {
    std::thread::available_parallelism().map_or(1, usize::from).max(LEAST_TESTS_AT_ONCE).to_string()
}

fn has_nextest() -> bool {
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
