//! The loads that are compared: the four corners of published fio scripts and the set of CrystalDiskMark.
//!
//! Sources: kpmckay/fio-scripts, `testcases/basic_corners.csv` (256K sequential at queue depth 64, 4K random with 8
//! threads at 32 and one at 1, 70/30); CrystalDiskMark 9.0.1, default and NVMe profiles. Every cell's operations in
//! flight fit into one slice of 100 ms of the limits, since a throttle serves a slice at a time.

use super::rig::{BYTES, IOPS};

/// One load.
#[derive(Debug)]
pub(crate) struct Cell {
    /// What it is called in the table.
    pub(crate) name: &'static str,
    /// Share of the operations that write, per cent.
    pub(crate) writes: u64,
    /// Random, else sequential.
    pub(crate) random: bool,
    /// Bytes of one operation.
    pub(crate) block: u64,
    /// Operations in flight per thread.
    pub(crate) depth: u64,
    /// Threads.
    pub(crate) threads: u64,
}

impl Cell {
    /// Operations per second that the limits allow, where all are of one kind.
    #[expect(clippy::cast_precision_loss, reason = "limits are far below 2^53")]
    pub(crate) fn limit(&self) -> f64 {
        IOPS.min(BYTES / self.block) as f64
    }

    /// How many times as many rounds as other cells it needs. Only reads of a mix fill their limit, and how many writes
    /// are drawn beside 2,000 reads is chance: 1.2 % of a run of 10 s for the sum, 1.7 % for the ratio of two.
    pub(crate) fn more_rounds(&self) -> usize {
        let few = IOPS.min(BYTES / self.block) < 1000;
        if few && !matches!(self.writes, 0 | 100) { 3 } else { 1 }
    }
}

const fn cell(name: &'static str, writes: u64, random: bool, block: u64, depth: u64, threads: u64) -> Cell {
    Cell { name, writes, random, block, depth, threads }
}

const K: u64 = 1024;

/// All of them.
pub(crate) const CELLS: &[Cell] = &[
    cell("seq-256k-q64t1-write", 100, false, 256 * K, 64, 1),
    cell("seq-256k-q64t1-read", 0, false, 256 * K, 64, 1),
    cell("rnd-4k-q32t8-read", 0, true, 4 * K, 32, 8),
    cell("rnd-4k-q32t8-write", 100, true, 4 * K, 32, 8),
    cell("rnd-4k-q32t8-mix30", 30, true, 4 * K, 32, 8),
    cell("rnd-4k-q1t1-read", 0, true, 4 * K, 1, 1),
    cell("rnd-4k-q1t1-write", 100, true, 4 * K, 1, 1),
    cell("rnd-4k-q1t1-mix30", 30, true, 4 * K, 1, 1),
    cell("seq-1m-q8t1-read", 0, false, 1024 * K, 8, 1),
    cell("seq-1m-q8t1-write", 100, false, 1024 * K, 8, 1),
    cell("seq-1m-q8t1-mix30", 30, false, 1024 * K, 8, 1),
    cell("seq-1m-q1t1-read", 0, false, 1024 * K, 1, 1),
    cell("seq-1m-q1t1-write", 100, false, 1024 * K, 1, 1),
    cell("seq-1m-q1t1-mix30", 30, false, 1024 * K, 1, 1),
    cell("rnd-4k-q32t1-read", 0, true, 4 * K, 32, 1),
    cell("rnd-4k-q32t1-write", 100, true, 4 * K, 32, 1),
    cell("rnd-4k-q32t1-mix30", 30, true, 4 * K, 32, 1),
    cell("seq-128k-q32t1-read", 0, false, 128 * K, 32, 1),
    cell("seq-128k-q32t1-write", 100, false, 128 * K, 32, 1),
    cell("seq-128k-q32t1-mix30", 30, false, 128 * K, 32, 1),
    cell("rnd-4k-q32t16-read", 0, true, 4 * K, 32, 16),
    cell("rnd-4k-q32t16-write", 100, true, 4 * K, 32, 16),
    cell("rnd-4k-q32t16-mix30", 30, true, 4 * K, 32, 16),
];

/// Huge pages of 2 MiB for the buffers of either side, with room for what each thread rounds up and for other programs,
/// which may take some.
pub(crate) const MOST_HUGE_PAGES: u64 = 256;

/// Their names, for messages.
pub(crate) fn names() -> String {
    CELLS.iter().map(|cell| cell.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_flight_fits_in_one_slice_and_in_the_huge_pages() {
        for cell in CELLS {
            let flying = cell.depth * cell.threads;
            assert!(flying <= IOPS / 10 && flying * cell.block <= BYTES / 10, "{}", cell.name);
            let pages = cell.threads * (cell.depth * cell.block).div_ceil(2 << 20);
            assert!(pages * 2 <= MOST_HUGE_PAGES, "{}: {pages}", cell.name);
        }
    }

    #[test]
    fn a_name_says_what_the_cell_is() {
        for cell in CELLS {
            let order = if cell.random { "rnd" } else { "seq" };
            let block =
                if cell.block >= 1 << 20 { format!("{}m", cell.block >> 20) } else { format!("{}k", cell.block >> 10) };
            let kind = match cell.writes {
                0 => "read".to_owned(),
                100 => "write".to_owned(),
                share => format!("mix{share}"),
            };
            assert_eq!(cell.name, format!("{order}-{block}-q{}t{}-{kind}", cell.depth, cell.threads));
        }
    }
}
