//! A job that verifies: headers on the blocks that it writes, and the check afterwards.
//!
//! Must not know: how headers look.

use super::State;
use super::ending::runtime;
use super::job::Job;
use super::load::Load;
use crate::draft::{Origin, Table};
use crate::notes::Fate;

/// The effect of verification on a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verified {
    /// None.
    Off,
    /// Writes carry headers.
    Written,
    /// Writes carry headers and are read back and checked.
    WrittenAndChecked,
    /// Reads check what an earlier job wrote.
    Checked,
}

/// Adds verification to the load; `written` states whether an earlier job wrote headers, `alone` whether no other job
/// runs beside it.
pub(super) fn verify(job: &Job, load: &mut Load, alone: bool, written: bool, state: &mut State) -> Verified {
    let Some(kind) = job.text("verify", state) else { return Verified::Off };
    let checks = job.flag("do_verify", state).unwrap_or(true);
    if matches!(kind.as_str(), "0" | "none") {
        return Verified::Off;
    }
    let lost = |why: &str, state: &mut State| {
        job.say("verify", Fate::Lost, why, state);
        Verified::Off
    };
    let shared = load.threads > 1 && load.table.get("streams").is_some();
    match () {
        () if load.mixed.is_some() || load.part.is_some() || load.table.get("trim_percent").is_some() => {
            return lost("in a mix nothing is checked: only a later step can check what a whole step wrote", state);
        }
        () if !alone => return lost("concurrent loads are not checked", state),
        () if shared => return lost("several threads write the same blocks, so the last write is unknown", state),
        () if load.largest < 512 => return lost("a header needs blocks of at least 512 bytes", state),
        () => {}
    }
    if load.reads {
        if !written {
            return lost("no job before it writes headers; the blocks are read without a check", state);
        }
        load.table.set("op", "\"verify\"", Origin::Stated);
        job.say("verify", Fate::Changed, "headers have drivelab's own layout", state);
        return Verified::Checked;
    }
    if !load.writes {
        return lost("only writes carry headers", state);
    }
    for key in ["data", "data_pattern", "compress_percent", "dedup_percent"] {
        drop_data(job, &mut load.table, key, state);
    }
    job.say("verify", Fate::Changed, "headers have drivelab's own layout", state);
    load.table.set("verify", "\"headers\"", Origin::Stated);
    let (limit, timed) = runtime(job, state);
    if !checks {
        return Verified::Written;
    }
    if timed {
        let why = "the job ends by its time, and then neither fio nor drivelab checks anything";
        job.say("verify", Fate::Changed, why, state);
        return Verified::Written;
    }
    checked(job, load, limit.is_some(), state);
    Verified::WrittenAndChecked
}

/// The load writes and then checks; `limited` means that a time may end it before its work is done.
fn checked(job: &Job, load: &mut Load, limited: bool, state: &mut State) {
    if limited {
        let why = "if its runtime ends it before its work is done, fio checks nothing; drivelab checks even then";
        job.say("verify", Fate::Changed, why, state);
    }
    if load.draws_freely() || load.stride.is_some() {
        let why = "fio reads each written block back once, however often it wrote it; drivelab reads as many blocks as it \
                   wrote, at places that follow the same rule";
        job.say("verify", Fate::Changed, why, state);
    }
    if load.table.get("sync_every").is_some() {
        let why = "a test that writes and then checks has no flushes among its writes; with do_verify=0, and a later job that \
                   reads with verify, it has";
        for key in ["fsync", "fdatasync", "sync"].into_iter().filter(|key| job.peek(key).is_some()) {
            job.say(key, Fate::Lost, why, state);
        }
    }
    load.table.set("op", "[\"write\", \"verify\"]", Origin::Stated);
    load.table.remove("sync_every");
}

/// Blocks with headers are incompressible.
fn drop_data(job: &Job, table: &mut Table, key: &'static str, state: &mut State) {
    if table.get(key).is_none() {
        return;
    }
    table.remove(key);
    let option = match key {
        "compress_percent" => "buffer_compress_percentage",
        "dedup_percent" => "dedupe_percentage",
        _ if job.peek("buffer_pattern").is_some() => "buffer_pattern",
        _ => "zero_buffers",
    };
    if job.peek(option).is_some() {
        job.say(option, Fate::Lost, "blocks with headers are incompressible", state);
    }
}
