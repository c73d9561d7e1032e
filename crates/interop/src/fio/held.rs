//! What the target holds when a job reads it: the preparation that the file states itself, what its jobs have written
//! and discarded so far, and whether a fill has to come first.
//!
//! Must not know: what options mean, when a job ends.

use super::State;
use super::ending::stop;
use super::number::Amount;
use super::one::One;
use super::place::Target;
use crate::draft::{Draft, Origin, Prepare, Table};

/// What jobs have left on the target so far, and what reading jobs found there.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// drivelab made the file from a plan, with all of its preparation.
    exported: bool,
    /// The target was completely written, as the language counts it: by a preparation, or by one load that ends with a
    /// full pass.
    written: bool,
    /// The target was completely discarded: the file itself states the state of its target.
    discarded: bool,
    /// A job read blocks that no earlier job had written or discarded.
    reads_nothing: bool,
    /// A job read blocks that earlier jobs had only discarded.
    reads_discarded: bool,
}

impl Held {
    pub(super) fn new(exported: bool) -> Held {
        Held { exported, ..Held::default() }
    }

    /// The preparation that a file made by drivelab states as a job before all others.
    pub(super) fn prepare(
        &mut self,
        draft: &Draft,
        batch: &[One<'_>],
        target: &Target,
        state: &mut State,
    ) -> Option<Prepare> {
        let [one] = batch else { return None };
        let first = self.exported && draft.tests.is_empty();
        if !first || !one.job.name.starts_with("prepare.") {
            return None;
        }
        let found = prepared(one, target, state)?;
        self.written |= found.action == "fill";
        self.discarded |= found.action == "discard";
        Some(found)
    }

    /// A time limit beside the work of an exported job becomes the cap again that it was, for a load that covers all
    /// of the target. fio has one option for both.
    pub(super) fn cap(&self, batch: &mut [One<'_>]) {
        let [one] = batch else { return };
        if !self.exported || over_all(one).is_none() {
            return;
        }
        let table = &mut one.load.table;
        if let Some(time) = table.get("time").map(str::to_owned) {
            table.remove("time");
            table.set("cap", time, Origin::Stated);
        }
    }

    /// Records that the jobs of a test have run.
    pub(super) fn after(&mut self, batch: &[One<'_>]) {
        let check = |one: &&One<'_>| one.load.table.get("op") == Some("\"verify\"");
        let reads = batch.iter().any(|one| one.load.reads && !check(&one));
        self.reads_nothing |= reads && !self.written && !self.discarded;
        self.reads_discarded |= reads && !self.written && self.discarded;
        let [one] = batch else { return };
        // A time may end the load before the end of the pass.
        let op = over_all(one).filter(|_| one.load.table.get("time").is_none());
        self.written |= matches!(op, Some("\"write\"" | "[\"write\", \"verify\"]"));
        self.discarded |= op == Some("\"trim\"");
    }

    /// Decides whether the target is filled first, or read as found. A device is read as found; a plan contains the
    /// fills that it needs.
    pub(super) fn content(&self, draft: &mut Draft, all: &[One<'_>], target: &Target) {
        let found = if target.device {
            all.iter().any(|one| one.load.reads)
        } else {
            self.reads_discarded || self.exported && self.reads_nothing
        };
        draft.fill = self.reads_nothing && !target.device && !self.exported;
        draft.as_found = found && !draft.fill;
    }
}

/// The operation of a load that covers all blocks of the target and then ends, unless a time ends it before.
fn over_all<'o>(one: &'o One<'_>) -> Option<&'o str> {
    let (load, table) = (&one.load, &one.load.table);
    let each_once = !load.draws_freely() && load.stride.is_none();
    let whole = table.get("span").is_none() && table.get("passes").is_some();
    table.get("op").filter(|_| each_once && whole)
}

/// Whether `io_size` is the same as the size of the job.
fn as_many_as_it_has(one: &One<'_>, state: &mut State) -> bool {
    let job = one.job;
    let asked = job.amount("io_size", state);
    let other = ["number_ios", "loops"].iter().any(|key| job.peek(key).is_some());
    !other
        && one.span.moves.is_none()
        && matches!((asked, one.span.each), (Some(Amount::Bytes(asked)), Some(each)) if asked == each)
}

/// A job that fills or discards, as a step of the preparation.
fn prepared(one: &One<'_>, target: &Target, state: &mut State) -> Option<Prepare> {
    const KEYS: [&str; 11] = [
        "block_size",
        "queue_depth",
        "threads",
        "span",
        "direct",
        "passes",
        "cap",
        "data",
        "compress_percent",
        "dedup_percent",
        "data_pattern",
    ];
    let op = one.load.table.get("op").filter(|_| one.load.table.get("pattern") == Some("\"sequential\""));
    let action = match op? {
        "\"write\"" => "fill",
        "\"trim\"" => "discard",
        _ => return None,
    };
    let mut all: Table = one.load.table.clone();
    for (key, toml, origin) in stop(one, true, target, state) {
        all.set(key, toml, origin);
    }
    // A time was a cap before; as many bytes as the span has are one pass.
    all.remove("cap");
    if let Some(time) = all.get("time").map(str::to_owned) {
        all.set("cap", time, Origin::Stated);
    }
    if all.get("passes").is_none() && as_many_as_it_has(one, state) {
        all.set("passes", "1", Origin::Stated);
    }
    all.get("passes")?;
    Some(Prepare { action, table: all.only(&KEYS) })
}
