//! Latency and rate on a device that ends each operation a set time after it began.
//!
//! Required (issue 4, "Known devices"): the median latency is the set time plus one constant of at most 1 ms, the cost
//! of kernel and program; medians of two settings differ by the difference of the settings, within 3 %; and Little's
//! law: with `depth` operations in flight there are `depth / (set time + constant)` operations each second, within 5
//! %. fio has to follow the same law, so that a failure shows whether the device or drivelab is wrong.

use anyhow::{Result, ensure};

use crate::vm::results::{Results, median, number, within};

const SET_MS: [f64; 3] = [10.0, 20.0, 50.0];
const DEPTHS: [u32; 4] = [1, 2, 4, 8];
/// Depths that null_blk.sh measures five times, with both programs in turn.
const COMPARED: [u32; 2] = [1, 8];
const ROUNDS: u32 = 5;

/// One cell: what a program measured at one set time and one depth.
#[derive(Debug, Clone, Copy)]
struct Cell {
    set_ms: f64,
    depth: u32,
    iops: f64,
    p50_ms: f64,
}

/// Reads IOPS and median latency in milliseconds from one document of a program.
type Reader = fn(&Results, &str) -> Result<(f64, f64)>;

/// Checks the results of null_blk.sh.
pub(crate) fn check(results: &Results) -> Result<Vec<String>> {
    let peer = cells(results, "fio", fio)?;
    let ours = cells(results, "drivelab", drivelab)?;
    Ok(vec![law("fio", &peer)?, law("drivelab", &ours)?, compare(&ours, &peer)?])
}

fn drivelab(results: &Results, name: &str) -> Result<(f64, f64)> {
    let document = results.json(name)?;
    ensure!(number(&document, "/operations/read/errors")? == 0.0, "{name}: operations failed");
    let p50_ns = number(&document, "/operations/read/latency_ns/p50")?;
    Ok((number(&document, "/operations/read/iops")?, p50_ns / 1e6))
}

fn fio(results: &Results, name: &str) -> Result<(f64, f64)> {
    let document = results.json(name)?;
    let p50_ns = number(&document, "/jobs/0/read/clat_ns/percentile/50.000000")?;
    Ok((number(&document, "/jobs/0/read/iops")?, p50_ns / 1e6))
}

/// All cells of a program, with medians if there are several rounds.
fn cells(results: &Results, program: &str, read: Reader) -> Result<Vec<Cell>> {
    let mut cells = Vec::new();
    for set_ms in SET_MS {
        for depth in DEPTHS {
            let rounds = if COMPARED.contains(&depth) { ROUNDS } else { 1 };
            let read = |round| read(results, &format!("{program}.{set_ms}.{depth}.{round}"));
            let (iops, p50_ms): (Vec<f64>, Vec<f64>) =
                (1..=rounds).map(read).collect::<Result<Vec<_>>>()?.into_iter().unzip();
            cells.push(Cell { set_ms, depth, iops: median(iops)?, p50_ms: median(p50_ms)? });
        }
    }
    Ok(cells)
}

/// Checks a program against the law of the device; returns a line that states how closely it followed.
fn law(program: &str, cells: &[Cell]) -> Result<String> {
    let above: Vec<f64> = cells.iter().filter(|cell| cell.depth == 1).map(|cell| cell.p50_ms - cell.set_ms).collect();
    let constant_ms = median(above)?;
    ensure!((0.0..=1.0).contains(&constant_ms), "{program}: p50 is {constant_ms:.3} ms above the set time");
    let mut farthest = 0.0_f64;
    for cell in cells {
        let what = format!("{program}, {} ms, {} in flight", cell.set_ms, cell.depth);
        let above_ms = cell.p50_ms - cell.set_ms;
        ensure!((0.0..=1.0).contains(&above_ms), "{what}: p50 is {above_ms:.3} ms above the set time");
        let expected = f64::from(cell.depth) * 1e3 / (cell.set_ms + constant_ms);
        within(&format!("{what}: IOPS"), cell.iops, expected, 0.05)?;
        farthest = farthest.max((cell.iops / expected - 1.0).abs());
    }
    for (a, b) in cells.iter().flat_map(|a| cells.iter().map(move |b| (a, b))) {
        if a.depth == b.depth && a.set_ms < b.set_ms {
            let what = format!("{program}, {} in flight: p50 at {} ms less that at {} ms", a.depth, b.set_ms, a.set_ms);
            within(&what, b.p50_ms - a.p50_ms, b.set_ms - a.set_ms, 0.03)?;
        }
    }
    let percent = farthest * 100.0;
    Ok(format!("{program}: p50 = set time + {constant_ms:.3} ms; IOPS at most {percent:.2} % from the law"))
}

/// Compares drivelab's medians with fio's, within 5 %; returns a line that states how close they were.
fn compare(ours: &[Cell], peer: &[Cell]) -> Result<String> {
    let mut farthest = (0.0_f64, 0.0_f64);
    for (our, peer) in ours.iter().zip(peer).filter(|(our, _)| COMPARED.contains(&our.depth)) {
        let what = format!("drivelab against fio, {} ms, {} in flight", our.set_ms, our.depth);
        within(&format!("{what}: IOPS"), our.iops, peer.iops, 0.05)?;
        within(&format!("{what}: p50 in ms"), our.p50_ms, peer.p50_ms, 0.05)?;
        let off = |our: f64, peer: f64| (our / peer - 1.0).abs() * 100.0;
        farthest = (farthest.0.max(off(our.iops, peer.iops)), farthest.1.max(off(our.p50_ms, peer.p50_ms)));
    }
    let (iops, p50) = farthest;
    Ok(format!("drivelab against fio, medians of {ROUNDS}: IOPS within {iops:.2} %, p50 within {p50:.2} %"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells of a device that follows the law, with this constant.
    fn lawful(constant_ms: f64) -> Vec<Cell> {
        let cell = |set_ms: f64, depth: u32| {
            let latency_ms = set_ms + constant_ms;
            Cell { set_ms, depth, iops: f64::from(depth) * 1e3 / latency_ms, p50_ms: latency_ms }
        };
        SET_MS.iter().flat_map(|&set_ms| DEPTHS.map(|depth| cell(set_ms, depth))).collect()
    }

    #[test]
    fn the_law_is_found_kept() {
        law("a", &lawful(0.0)).expect("exact");
        law("a", &lawful(0.9)).expect("a cost of 0.9 ms is allowed");
    }

    #[test]
    fn a_figure_that_is_not_as_the_peer_says_is_found() {
        let peer = lawful(0.2);
        compare(&lawful(0.1), &peer).expect("near enough");
        for change in [|cell: &mut Cell| cell.iops *= 1.06, |cell: &mut Cell| cell.p50_ms *= 0.94] {
            let mut ours = lawful(0.2);
            change(&mut ours[7]);
            compare(&ours, &peer).expect_err("a difference");
        }
    }

    #[test]
    fn each_breach_of_the_law_is_found() {
        let breach = |change: fn(&mut Cell)| {
            let mut cells = lawful(0.2);
            change(&mut cells[5]);
            law("a", &cells).expect_err("a breach").to_string()
        };
        assert!(law("a", &lawful(1.1)).is_err());
        assert!(breach(|cell| cell.iops *= 1.06).contains("IOPS"));
        assert!(breach(|cell| cell.iops *= 0.94).contains("IOPS"));
        assert!(breach(|cell| cell.p50_ms += 0.9).contains("above the set time"));
        assert!(breach(|cell| cell.p50_ms += 0.5).contains("less that at"));
        assert!(breach(|cell| cell.p50_ms = cell.set_ms - 0.1).contains("above the set time"));
    }
}
