//! The text that `blkparse` prints in its default layout (blkparse(1), "DEFAULT OUTPUT FORMAT"):
//!
//! ```text
//!   8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]
//! ```
//!
//! device, CPU, sequence number, seconds, process, action, kind, sector, `+`, sectors, name. Operations arrive when
//! they are queued (action Q); all other actions are later events of the same operations and are left out. Sectors
//! have 512 bytes. The summary at the end begins with `CPU0 (` or `Total (`.

use drivelab_core::load::OpKind;

use crate::error::Wrong;
use crate::number::{seconds, times, whole};
use crate::record::{Line, Record};

const SECTOR: u64 = 512;
const LAYOUT: &str =
    "device, CPU, sequence number, time, process and action, such as '8,0 3 1 0.000000000 697 Q W 223490 + 8 [name]'";

/// Whether a first line has this format: `8,0 3 1 0.000 697 Q …`.
pub(crate) fn begins(line: &str) -> bool {
    let mut fields = line.split_ascii_whitespace();
    let device = fields.next().is_some_and(is_device);
    device && fields.next().is_some_and(is_digits) && fields.next().is_some_and(is_digits)
}

fn is_digits(field: &str) -> bool {
    !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_device(field: &str) -> bool {
    field.split_once(',').is_some_and(|(major, minor)| is_digits(major) && is_digits(minor))
}

/// A line.
pub(crate) fn line(line: &str) -> Result<Line<'_>, Wrong> {
    let mut fields = line.split_ascii_whitespace();
    let device = fields.next().unwrap_or_default();
    if (device.starts_with("CPU") || device == "Total") && line.contains('(') {
        return Ok(Line::End);
    }
    if !is_device(device) {
        return Err(Wrong::new("no device at the beginning", LAYOUT));
    }
    let mut next = |what: &str| fields.next().ok_or_else(|| Wrong::new(format!("{what} is missing"), LAYOUT));
    whole(next("the CPU")?, "the CPU")?;
    whole(next("the sequence number")?, "the sequence number")?;
    let at_ns = seconds(next("the time")?, "the time")?;
    whole(next("the process")?, "the process")?;
    if next("the action")? != "Q" {
        return Ok(Line::Other);
    }
    let kinds = next("the kind")?;
    let sector = fields.next().filter(|field| is_digits(field));
    let (Some(sector), Some("+")) = (sector, fields.next()) else {
        // A flush moves no data and has no address.
        if kinds.contains('F') {
            return Ok(Line::Record(Record { at_ns, op: OpKind::Flush, offset: 0, bytes: 0, device }));
        }
        return Err(Wrong::new("a queued operation without an address", "'SECTOR + SECTORS' after the kind"));
    };
    let offset = times(whole(sector, "the sector")?, SECTOR, "the sector")?;
    let sectors = whole(fields.next().unwrap_or_default(), "the number of sectors")?;
    let bytes = times(sectors, SECTOR, "the number of sectors")?;
    let op = match () {
        () if kinds.contains('D') => OpKind::Trim,
        () if kinds.contains('W') => OpKind::Write,
        () if kinds.contains('R') => OpKind::Read,
        () if kinds.contains('F') => OpKind::Flush,
        // `N` as the only kind: a command that moves no data of the drive.
        () if kinds.starts_with('N') => return Ok(Line::Other),
        () => return Ok(Line::Unknown),
    };
    let moves = op != OpKind::Flush;
    let (offset, bytes) = if moves { (offset, bytes) } else { (0, 0) };
    Ok(Line::Record(Record { at_ns, op, offset, bytes, device }))
}
