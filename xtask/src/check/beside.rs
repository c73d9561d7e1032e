//! Tests, and other parts beside them with the CPU that is left.
//!
//! Many tests wait for a device or a clock and use little of the CPU. What builds (clippy, documentation) runs beside
//! most of them. Tests that measure a device's rate run after that, by themselves: beside virtual machines, although
//! these got only the CPU that was left, two of 98 failed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};

use super::parts::{Done, Outcome, Part, cargo_part, has_nextest, name, tell, tests_at_once, timed, words};
use crate::shell::{cargo, command, is_installed, run as run_command, target_folder};

/// What can run beside tests.
pub(super) const BESIDE_TESTS: [Part; 3] = [Part::Clippy, Part::Doc, Part::Doctest];

/// Starts a program that gets only the CPU that no other wants, and the disk last.
const IDLE: [&str; 6] = ["chrt", "--idle", "0", "ionice", "--class", "3"];

/// Whether what is needed for that is here: nextest knows which tests need the machine for themselves.
pub(super) fn is_possible() -> bool {
    is_installed(IDLE[0]) && has_nextest()
}

/// Builds the tests and runs them, first most of them, with the other parts beside them, and then those that must have
/// nothing beside them.
pub(super) fn run_tests(root: &Path, beside: &[Part]) -> Vec<Done> {
    println!("== {}", name(Part::Test));
    let begun = Instant::now();
    // Building takes all of the CPU: nothing is gained beside it.
    let built = match built_tests(root) {
        Ok(built) => built,
        Err(error) => {
            let outcome = Outcome::Failed(error);
            tell(&outcome);
            let tests = (Part::Test, outcome, begun.elapsed());
            return beside.iter().map(|part| timed(root, *part)).chain([tests]).collect();
        }
    };
    std::thread::scope(|scope| {
        let idly = scope.spawn(|| beside.iter().map(|part| run_idly(root, *part)).collect::<Vec<Done>>());
        let most = chosen_tests(root, &built, "not group(alone)");
        let panicked = |_| {
            let failed = |part: &Part| (*part, Outcome::Failed(anyhow!("it panicked")), begun.elapsed());
            beside.iter().map(failed).collect::<Vec<Done>>()
        };
        let mut done = idly.join().unwrap_or_else(panicked);
        let rest = chosen_tests(root, &built, "group(alone)");
        let outcome = match (most, rest) {
            (Ok(()), Ok(())) => Outcome::Passed,
            (Err(most), Err(rest)) => Outcome::Failed(anyhow!("{most:#}; {rest:#}")),
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

fn chosen_tests(root: &Path, built: &Path, filter: &str) -> Result<()> {
    let mut run = cargo(root, &["nextest", "run", "--binaries-metadata"]);
    run.arg(built).args(["--no-fail-fast", "--test-threads", &tests_at_once(), "--filterset", filter]);
    run_command(run)
}

/// Runs a part with the CPU that is left; what it prints comes in one piece.
fn run_idly(root: &Path, part: Part) -> Done {
    let begun = Instant::now();
    let outcome = in_one_piece(root, part).map_or_else(Outcome::Failed, |()| Outcome::Passed);
    tell(&outcome);
    (part, outcome, begun.elapsed())
}

/// The same program with the CPU that is left.
fn idle(root: &Path, program: &Command) -> Command {
    let mut idle = command(root, IDLE[0], &IDLE[1..]);
    idle.arg(program.get_program()).args(program.get_args());
    idle.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    idle
}

fn in_one_piece(root: &Path, part: Part) -> Result<()> {
    let output = idle(root, &cargo_part(root, part)).output().context("cannot start chrt")?;
    let (said, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    println!("== {}, beside the tests\n{said}{complained}", name(part));
    ensure!(output.status.success(), "`cargo {}` ended with {}", words(part).join(" "), output.status);
    Ok(())
}
