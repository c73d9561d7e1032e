//! `cargo xtask compare-fio`: fio and drivelab issue the same load to the same throttled device, in turn.
//!
//! Owns: the sequence of a comparison and its verdict. The loads are in [`cells`], the device with its limits in
//! [`rig`], the programs in [`sides`]. Must not know: the product; the shipped program is run as a user runs it.

mod cells;
mod rig;
mod sides;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use self::cells::Cell;
use self::rig::Rig;
use self::sides::{Figures, Side, measure};
use crate::shell::{answers, cargo, run as run_command};

/// Largest difference between the two, in IOPS and in bytes.
const BOUND: f64 = 0.02;
/// A device that serves less than this share of the limit when unlimited is slower than the limit.
const SLOWER: f64 = 1.2;
/// Seconds of the measurement of a cell without limits.
const LOOK: u64 = 2;

/// How fio and drivelab are compared.
#[derive(Debug, Args)]
pub(crate) struct CompareFio {
    /// Only cells whose name contains one of these, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "TEXT,…")]
    only: Vec<String>,
    /// Pairs of runs per cell, in turn; figures are medians. Mixes of few operations get three times as many
    #[arg(long, default_value_t = 5, value_name = "N")]
    rounds: usize,
    /// Length of one run in seconds
    #[arg(long, default_value_t = 10, value_name = "N")]
    seconds: u64,
    /// This drivelab instead of building target/release/drivelab
    #[arg(long, value_name = "PATH")]
    drivelab: Option<PathBuf>,
    /// One round of 2 s of three cells, without a verdict: shows that the comparison itself works
    #[arg(long)]
    smoke: bool,
}

/// Whether the limits applied in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    /// They did.
    Held,
    /// Removed: without them the device is hardly faster.
    Slower,
}

impl Limit {
    const fn words(self) -> &'static str {
        match self {
            Limit::Held => "yes",
            Limit::Slower => "none: the device is slower",
        }
    }
}

/// One cell's outcome.
struct Row {
    cell: Cell,
    limit: Limit,
    fio: Figures,
    drivelab: Figures,
}

impl Row {
    fn iops(&self) -> f64 {
        self.drivelab.iops / self.fio.iops
    }

    fn bytes(&self) -> f64 {
        self.drivelab.bytes / self.fio.bytes
    }

    fn agrees(&self) -> bool {
        [self.iops(), self.bytes()].iter().all(|ratio| (ratio - 1.0).abs() <= BOUND)
    }
}

/// Runs the comparison.
pub(crate) fn run(root: &Path, arguments: &CompareFio) -> Result<()> {
    ensure!(answers("fio", &["--version"]), "fio is not installed (Debian package fio)");
    let (rounds, seconds) = if arguments.smoke { (1, 2) } else { (arguments.rounds.max(1), arguments.seconds.max(1)) };
    let drivelab = match &arguments.drivelab {
        Some(path) => path.canonicalize().with_context(|| format!("cannot find {}", path.display()))?,
        None => {
            run_command(cargo(root, &["build", "--release", "-p", "drivelab"]))?;
            root.join("target/release/drivelab")
        }
    };
    let rig = Rig::make(cells::MOST_HUGE_PAGES)?;
    println!("limits: {} MiB/s and {} IOPS, reads and writes each", rig::BYTES >> 20, rig::IOPS);
    let mut rows = Vec::new();
    for cell in choose(cells::planned(&drivelab, &rig)?, arguments)? {
        let row = compare(cell, &rig, &drivelab, rounds, seconds)?;
        println!("{}", line(&row));
        rows.push(row);
    }
    drop(rig);
    println!("\n{}", table(&rows));
    let apart: Vec<&str> = rows.iter().filter(|row| !row.agrees()).map(|row| row.cell.name.as_str()).collect();
    if apart.is_empty() || arguments.smoke {
        return Ok(());
    }
    bail!("fio and drivelab are more than {} % apart in: {}", BOUND * 100.0, apart.join(", "))
}

fn choose(cells: Vec<Cell>, arguments: &CompareFio) -> Result<Vec<Cell>> {
    let names = cells.iter().map(|cell| cell.name.as_str()).collect::<Vec<_>>().join(", ");
    let named = |cell: &Cell| arguments.only.is_empty() || arguments.only.iter().any(|part| cell.name.contains(part));
    let mut chosen: Vec<Cell> = cells.into_iter().filter(named).collect();
    ensure!(!chosen.is_empty(), "no cell has such a name; there are: {names}");
    if arguments.smoke {
        chosen.truncate(3);
    }
    Ok(chosen)
}

fn compare(cell: Cell, rig: &Rig, drivelab: &Path, rounds: usize, seconds: u64) -> Result<Row> {
    let mut limit = Limit::Held;
    if cell.depth * cell.threads == 1 {
        rig.limit(false)?;
        let free = measure(Side::Fio, &cell, rig, drivelab, LOOK)?;
        limit = if free.iops >= SLOWER * cell.limit() { Limit::Held } else { Limit::Slower };
    }
    rig.limit(limit == Limit::Held)?;
    let (mut fio, mut own) = (Vec::new(), Vec::new());
    for round in 0..rounds * cell.more_rounds() {
        // The sides take turns to go first: a drift affects both equally.
        let order = if round % 2 == 0 { [Side::Fio, Side::Drivelab] } else { [Side::Drivelab, Side::Fio] };
        for side in order {
            let figures = tried(side, &cell, rig, drivelab, seconds)?;
            if matches!(side, Side::Fio) { fio.push(figures) } else { own.push(figures) }
        }
    }
    Ok(Row { cell, limit, fio: median(&fio), drivelab: median(&own) })
}

/// A failed run is reported and tried once more: another program may have taken the huge pages.
fn tried(side: Side, cell: &Cell, rig: &Rig, drivelab: &Path, seconds: u64) -> Result<Figures> {
    measure(side, cell, rig, drivelab, seconds).or_else(|error| {
        println!("{error:#}; once more");
        rig.huge_pages()?;
        measure(side, cell, rig, drivelab, seconds)
    })
}

/// The median of each figure separately.
fn median(all: &[Figures]) -> Figures {
    let of = |pick: fn(&Figures) -> f64| {
        let mut values: Vec<f64> = all.iter().map(pick).collect();
        values.sort_by(f64::total_cmp);
        let half = values.len() / 2;
        if values.len() % 2 == 1 { values[half] } else { f64::midpoint(values[half - 1], values[half]) }
    };
    Figures { iops: of(|one| one.iops), bytes: of(|one| one.bytes) }
}

fn line(row: &Row) -> String {
    format!(
        "{:<26} {:>9.0} {:>9.0} IOPS  ratio {:.4}   {:>7.1} {:>7.1} MB/s  ratio {:.4}  limit: {}{}",
        row.cell.name,
        row.fio.iops,
        row.drivelab.iops,
        row.iops(),
        row.fio.bytes / 1e6,
        row.drivelab.bytes / 1e6,
        row.bytes(),
        row.limit.words(),
        if row.agrees() { "" } else { "  APART" }
    )
}

/// The table for the documents.
fn table(rows: &[Row]) -> String {
    let head = "| Cell | fio IOPS | drivelab IOPS | ratio IOPS | ratio bytes | limit |\n\
                |---|---|---|---|---|---|\n";
    let lines = rows.iter().map(|row| {
        let limit = row.limit.words();
        let (fio, own) = (row.fio.iops, row.drivelab.iops);
        let ratios = format!("{:.4} | {:.4}", row.iops(), row.bytes());
        format!("| {} | {fio:.0} | {own:.0} | {ratios} | {limit} |\n", row.cell.name)
    });
    format!("{head}{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_per_cent_apart_is_agreement_and_three_is_not() {
        let row = |iops: f64, bytes: f64| Row {
            cell: Cell { name: String::new(), writes: 0, random: true, block: 4096, depth: 1, threads: 1 },
            limit: Limit::Held,
            fio: Figures { iops: 1000.0, bytes: 4e6 },
            drivelab: Figures { iops, bytes },
        };
        assert!(row(1019.0, 4e6).agrees() && row(981.0, 3.93e6).agrees());
        assert!(!row(1030.0, 4e6).agrees() && !row(1000.0, 3.88e6).agrees());
    }

    #[test]
    fn the_median_is_of_each_figure_by_itself() {
        let all = [(1.0, 30.0), (2.0, 10.0), (9.0, 20.0)].map(|(iops, bytes)| Figures { iops, bytes });
        let middle = median(&all);
        assert_eq!((middle.iops, middle.bytes), (2.0, 20.0));
        let pair = median(&all[..2]);
        assert_eq!((pair.iops, pair.bytes), (1.5, 20.0));
    }
}
