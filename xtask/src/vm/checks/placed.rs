//! methods_media.sh: writes with a placement handle went by that handle and no other, as the drive reports for its
//! reclaim units, and writes that cannot be placed were refused with nothing written.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::vm::results::{Results, number};

const MIB: u64 = 1024 * 1024;
/// Blocks of a reclaim unit, as the head of the script states, in QEMU's blocks of 512 bytes.
const UNIT_BLOCKS: u64 = 8 * MIB / 512;

/// Checks this part of the script's results.
pub(super) fn check(results: &Results) -> Result<Vec<String>> {
    let mut before = units(results, "place.0")?;
    // By handles 2 and 1, and finally by none, which is handle 0.
    let steps = [("place.1", 2, 3 * MIB), ("place.2", 1, MIB), ("place.3", 0, MIB / 2)];
    for (name, handle, bytes) in steps {
        let now = units(results, name)?;
        went(&before, &now, (handle, bytes)).context(name)?;
        before = now;
    }
    let io = results.json("place.io")?.to_string();
    for words in ["\"placement_handle\":2", "writes are placed by handle"] {
        ensure!(io.contains(words), "the document of placed writes does not say '{words}': {io}");
    }
    let trace = results.text("place.trace")?;
    let placed = trace.lines().filter(|line| line.contains("\twrite\t") && line.ends_with("\t2")).count();
    ensure!(
        (placed, trace.lines().count()) == (16, 17),
        "16 writes of 4 KiB by handle 2 are not what was traced:\n{trace}"
    );
    refused(results)?;
    Ok(vec![
        "3 MiB, 1 MiB (read back) and 512 KiB went by the handles 2, 1 and 0 and no other; four refused".to_owned(),
    ])
}

/// Demands that this many bytes went by one handle and none by another, from the blocks that were left in their units.
fn went(before: &[u64], now: &[u64], (handle, bytes): (usize, u64)) -> Result<()> {
    for (at, (then, left)) in before.iter().zip(now).enumerate() {
        let written = (then + UNIT_BLOCKS - left) % UNIT_BLOCKS * 512;
        let wanted = if at == handle { bytes } else { 0 };
        ensure!(written == wanted, "{written} bytes went by handle {at}, not {wanted}");
    }
    Ok(())
}

/// Blocks that still fit into the open unit of each handle of the first reclaim group.
fn units(results: &Results, name: &str) -> Result<Vec<u64>> {
    let document = results.json(&format!("{name}.out"))?;
    let all = document.pointer("/target/nvme/fdp/placement").and_then(Value::as_array);
    let all = all.with_context(|| format!("{name}: no placement handles"))?;
    let of = |handle: u64| {
        let is_it = |one: &&Value| one.pointer("/identifier").and_then(Value::as_u64) == Some(handle);
        let one = all.iter().find(is_it).with_context(|| format!("{name}: no handle {handle}"))?;
        one.pointer("/available_blocks").and_then(Value::as_u64).context("no blocks")
    };
    (0..3).map(of).collect()
}

/// Writes that cannot be placed are refused, each with its words, before anything is written.
fn refused(results: &Results) -> Result<()> {
    for (name, code, words) in [
        ("number", "6", "by handle 3: it has no such handle (it has 0 to 2)"),
        ("dry", "6", "by handle 3: it has no such handle (it has 0 to 2)"),
        ("backend", "2", "use the sync backend"),
        ("drive", "6", "has no Flexible Data Placement, or it is switched off"),
    ] {
        let is = results.text(&format!("wrong.{name}.code"))?;
        let said = results.text(&format!("wrong.{name}.said"))?;
        ensure!(
            is == code && said.contains(words),
            "{name}: exit code {is}, not {code} with '{words}'; it said:\n{said}"
        );
    }
    let written = |name: &str| number(&results.json(&format!("{name}.out"))?, "/target/nvme/fdp/host_written");
    let (before, after) = (written("wrong.before")?, written("wrong.after")?);
    ensure!((after - before).abs() < 0.5, "{} bytes were written by what was refused", after - before);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_by_another_handle_are_found_out() {
        let full = [UNIT_BLOCKS; 3];
        let after = |handle: usize, blocks: u64| {
            let mut units = full;
            units[handle] -= blocks;
            units
        };
        went(&full, &after(1, 2048), (1, MIB)).expect("by the handle that was named");
        went(&after(1, UNIT_BLOCKS - 1024), &after(1, 1024), (1, MIB)).expect("into the next unit");
        went(&full, &after(0, 2048), (1, MIB)).expect_err("by another one");
        let [first, ..] = after(0, 8);
        let [_, second, third] = after(1, 2048);
        went(&full, &[first, second, third], (1, MIB)).expect_err("and 4 KiB by another one");
        went(&full, &after(1, 2047), (1, MIB)).expect_err("too few");
    }
}
