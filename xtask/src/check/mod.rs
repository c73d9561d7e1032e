//! `cargo xtask check`: all parts, quickest first, with every failure named at the end.
//!
//! A part that fails does not stop the others.

mod beside;
mod parts;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::ValueEnum;

use crate::setup;
pub(crate) use parts::Part;
use parts::{Outcome, name, timed};

/// Runs the chosen parts; if none is chosen, all of them, those in virtual machines only on request.
pub(crate) fn run(root: &Path, only: &[Part], vm: bool) -> Result<()> {
    let needs_tools = only.is_empty() || only.contains(&Part::Test) || only.contains(&Part::Web);
    if needs_tools || (setup::is_ci() && only.contains(&Part::Deny)) {
        setup::prepare(root)?;
    }
    let begun = Instant::now();
    let is_chosen = |part: &&Part| only.contains(part) || if **part == Part::Vm { vm } else { only.is_empty() };
    let parts = Part::value_variants().iter().filter(is_chosen).copied();
    let possible = only.is_empty() && beside::is_possible();
    let is_beside = |part: &Part| possible && beside::BESIDE_TESTS.contains(part);
    let (beside, others): (Vec<Part>, Vec<Part>) = parts.partition(is_beside);
    let mut results = Vec::new();
    for part in others {
        if part == Part::Test && !beside.is_empty() {
            results.extend(beside::run_tests(root, &beside));
        } else {
            results.push(timed(root, part));
        }
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
