//! fio's I/O log, versions 2 and 3 (fio, HOWTO, "Trace file format"; `iolog.c`).
//!
//! Version 2: `FILE add`, `FILE open`, `FILE close`, `FILE read|write|trim|sync|datasync OFFSET LENGTH`, and `FILE
//! wait MICROSECONDS`, the time since the previous wait. Version 3: the same, but every line begins with the time in
//! microseconds since the start, and there are no waits.

use drivelab_core::load::OpKind;

use crate::error::Wrong;
use crate::number::{times, whole};
use crate::record::{Line, Record};

const ACTIONS: &str = "add, open, close, read, write, trim, sync, datasync, sync_file_range or wait";

/// Time so far in a log of version 2.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Waited {
    at_ns: u64,
}

/// A line of version 2.
pub(crate) fn version_2<'l>(line: &'l str, waited: &mut Waited) -> Result<Line<'l>, Wrong> {
    let mut fields = line.split_ascii_whitespace();
    let file = fields.next().unwrap_or_default();
    let action = fields.next().ok_or_else(no_action)?;
    if action == "wait" {
        let microseconds = whole(fields.next().unwrap_or_default(), "the wait in microseconds")?;
        let wait_ns = times(microseconds, 1000, "the wait")?;
        let too_long = || Wrong::new("the waits add up to more than 584 years", "shorter waits");
        waited.at_ns = waited.at_ns.checked_add(wait_ns).ok_or_else(too_long)?;
        return end(fields, Line::Other);
    }
    operation(file, action, fields, waited.at_ns)
}

/// A line of version 3.
pub(crate) fn version_3(line: &str) -> Result<Line<'_>, Wrong> {
    let mut fields = line.split_ascii_whitespace();
    let time = whole(fields.next().unwrap_or_default(), "the time in microseconds")?;
    let file = fields.next().ok_or_else(no_action)?;
    let action = fields.next().ok_or_else(no_action)?;
    if action == "wait" {
        return Err(Wrong::new("a wait in a log of version 3", "a time at the start of every line and no waits"));
    }
    operation(file, action, fields, times(time, 1000, "the time")?)
}

fn no_action() -> Wrong {
    Wrong::new("no action", format!("a file name and one of {ACTIONS}"))
}

fn operation<'l>(
    file: &'l str,
    action: &str,
    mut fields: impl Iterator<Item = &'l str>,
    at_ns: u64,
) -> Result<Line<'l>, Wrong> {
    let op = match action {
        "add" | "open" | "close" => return Ok(Line::Other),
        "read" => OpKind::Read,
        "write" => OpKind::Write,
        "trim" => OpKind::Trim,
        "sync" | "datasync" | "sync_file_range" => {
            return Ok(Line::Record(Record { at_ns, op: OpKind::Flush, offset: 0, bytes: 0, device: file }));
        }
        other => {
            let shown: String = other.chars().take(40).collect();
            return Err(Wrong::new(format!("the action '{shown}' is unknown"), ACTIONS));
        }
    };
    let offset = whole(fields.next().unwrap_or_default(), "the offset in bytes")?;
    let bytes = whole(fields.next().unwrap_or_default(), "the length in bytes")?;
    end(fields, Line::Record(Record { at_ns, op, offset, bytes, device: file }))
}

/// No more fields may follow.
fn end<'l>(mut fields: impl Iterator<Item = &'l str>, line: Line<'l>) -> Result<Line<'l>, Wrong> {
    match fields.next() {
        None => Ok(line),
        Some(_) => Err(Wrong::new("more fields than the action has", "file, action, offset and length")),
    }
}
