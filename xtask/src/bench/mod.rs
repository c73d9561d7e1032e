//! `cargo xtask bench`: the cost of drivelab compared with fio and t/io_uring, on this machine, now.
//!
//! Owns: the sequence of a bench and its results. It runs the shipped program (`drivelab io … --json`) and the other
//! programs as a user would, pinned to one CPU and interleaved, and compares figures; only ratios can be compared
//! between machines. Must not know: the product; there is no private loop here that could be faster than the one users
//! get.

mod arguments;
mod cpus;
mod devices;
mod figures;
mod host;
mod judge;
mod measure;
mod programs;
mod result;
mod rows;
mod statistics;
mod table;
mod trace;
mod watch;
mod who;

use std::path::Path;

use anyhow::{Context, Result, ensure};
use clap::Subcommand;

use self::arguments::EngineArgs;
pub(crate) use self::devices::as_root;
use self::measure::Bench;
use self::programs::Programs;
use self::rows::Row;
use crate::shell::{cargo, run as run_command, target_folder};

/// What can be measured.
#[derive(Debug, Subcommand)]
pub(crate) enum What {
    /// The engine: cost per operation and ratios to fio and t/io_uring (docs/performance.md)
    Engine(EngineArgs),
}

/// Runs what was asked for.
pub(crate) fn run(root: &Path, what: &What) -> Result<()> {
    match what {
        What::Engine(arguments) => engine(root, arguments),
    }
}

fn engine(root: &Path, arguments: &EngineArgs) -> Result<()> {
    let chosen = choose(&arguments.only)?;
    if arguments.list {
        print!("{}", table::list(&chosen));
        return Ok(());
    }
    ensure!(arguments.runs >= 1 && arguments.seconds >= 1, "--runs and --seconds must be at least 1");
    let target = target_folder(root);
    let programs = find_programs(root, &target, arguments)?;
    let mut bench = Bench::new(&target.join("bench"), programs, arguments)?;
    let host = host::Host::read(root, bench.programs(), arguments.cpu);
    println!("{}", host.sentence());
    let mut results = Vec::new();
    for row in chosen {
        let result = bench.row(row);
        println!("{}", table::progress(&result));
        results.push(result);
    }
    let host = host.at_the_end();
    println!("\n{}", table::markdown(&results, &host.processor()));
    let file = arguments.json.clone().unwrap_or_else(|| target.join("bench/engine.json"));
    write_json(&file, &table::json(&results, &host, arguments))?;
    println!("written: {}", file.display());
    let unmet = judge::unmet(&results);
    println!("{}", judge::closing_words(&results));
    ensure!(!arguments.check || unmet.is_empty(), "not every must was reached: rows {}", unmet.join(", "));
    Ok(())
}

fn write_json(file: &Path, document: &serde_json::Value) -> Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let text = serde_json::to_string_pretty(document)?;
    std::fs::write(file, text + "\n").with_context(|| format!("cannot write {}", file.display()))
}

/// The rows that were asked for; all rows if none was. `3` chooses `3` and `3-method`.
fn choose(only: &[String]) -> Result<Vec<&'static Row>> {
    for asked in only {
        let known = || rows::ROWS.iter().map(|row| row.id).collect::<Vec<_>>().join(", ");
        ensure!(rows::ROWS.iter().any(|row| row.answers_to(asked)), "there is no row {asked}; rows: {}", known());
    }
    Ok(rows::ROWS.iter().filter(|row| only.is_empty() || only.iter().any(|asked| row.answers_to(asked))).collect())
}

/// The programs to compare: builds the release of drivelab unless a path to one is given.
fn find_programs(root: &Path, target: &Path, arguments: &EngineArgs) -> Result<Programs> {
    let drivelab = match &arguments.drivelab {
        Some(path) => path.clone(),
        None => {
            run_command(cargo(root, &["build", "--release", "--locked", "-p", "drivelab"]))?;
            target.join("release/drivelab")
        }
    };
    let there = |path: &Path| path.canonicalize().with_context(|| format!("cannot find {}", path.display()));
    let t_io_uring = arguments.peer_t_io_uring.as_deref().map(there).transpose()?;
    Ok(Programs::new(there(&drivelab)?, t_io_uring))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_chosen_with_those_below_it() {
        let ids = |only: &[&str]| -> Vec<&str> {
            let only: Vec<String> = only.iter().map(|id| (*id).to_owned()).collect();
            choose(&only).expect("rows").iter().map(|row| row.id).collect()
        };
        assert_eq!(ids(&["1"]), ["1"]);
        assert!(ids(&["2"]).contains(&"2-tracking"));
        assert!(!ids(&["1"]).contains(&"10"));
        assert_eq!(ids(&[]).len(), rows::ROWS.len());
        assert!(choose(&["99".to_owned()]).is_err());
    }
}
