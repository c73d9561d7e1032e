//! Run definitions: each becomes a test, its loops become axes, its workloads groups.
//!
//! Must not know: what a workload's parameters become, or the values of loops.

use std::collections::btree_map::Entry as Slot;
use std::collections::{BTreeMap, BTreeSet};

use super::defined::Defined;
use super::lines::Entry;
use super::load::{Load, Sources, load, say, wrong};
use super::loops::{self, Loop};
use super::rates::{self, Rates};
use super::value::{size, thousandths, time as seconds};
use crate::State;
use crate::draft::{Draft, Group, Names, Origin, Places, Table, Test, bytes, quoted, time};
use crate::notes::Fate;
use crate::wrong::{Mistake, Place};

/// Most steps of a test in the language.
const MOST_STEPS: u64 = 10_000;
/// `elapsed` if a run states none.
const ELAPSED: u64 = 30_000_000_000;

/// Adds tests and target to the draft.
pub(super) fn fill(draft: &mut Draft, entries: &[Entry], state: &mut State) {
    let mut names = Names::without(&["prepare", "main"]);
    let mut all: Vec<Load> = Vec::new();
    let mut storage = Storage::default();
    let data = data(entries, state);
    let defined = Defined::of(entries);
    for run in entries.iter().filter(|entry| entry.kind == "rd") {
        let loops = loops::of(run, state);
        let in_loops: Vec<&str> = loops.iter().flat_map(Loop::overrides).copied().collect();
        let Some(loads) = loads(run, &defined, &in_loops, &mut storage, state) else { continue };
        test(draft, run, (loads, loops), &data, &mut names, &mut all, state);
        storage.only_difference(draft, run, state);
    }
    general(entries, all.iter().any(|load| load.writes), state);
    unused(entries, state);
    if draft.tests.is_empty() {
        if state.mistakes.is_empty() {
            let place = entries.first().map_or_else(|| Place::new(0, 0..0), |entry| entry.place.clone());
            let runs = entries.iter().any(|entry| entry.kind == "rd");
            let title = if runs { "no run of this file reads or writes raw storage" } else { "the file has no run" };
            let help = if runs {
                "runs of file system workloads (fsd, fwd) and replays have no counterpart in drivelab"
            } else {
                "add a line such as rd=run1,wd=wd1,iorate=max,elapsed=60"
            };
            state.mistakes.push(Mistake::new(&place, title, "nothing is left to import", help));
        }
        return;
    }
    let device = all.iter().any(|load| load.device);
    let reads = all.iter().any(|load| load.reads);
    let largest = all.iter().map(|load| load.largest).max().unwrap_or(4096);
    let sizes: Option<Vec<u64>> = all.iter().map(|load| load.size).collect();
    let size = sizes.and_then(|sizes| sizes.into_iter().max()).map(|size| size.next_multiple_of(1 << 20));
    draft.size = size;
    let least = all.iter().filter_map(|load| load.size).max().unwrap_or(0).max(2 * largest);
    draft.minimum = size.unwrap_or_else(|| least.next_multiple_of(1 << 20).max(8 << 20));
    (draft.as_found, draft.fill) = (reads && device, reads && !device);
}

/// Storage of the runs: there is a single target, however many storages there are.
#[derive(Debug, Default)]
struct Storage<'e> {
    /// Name of the first storage that any run uses.
    first: Option<&'e str>,
    /// Storages of the last run, in the order of first use.
    used: Vec<&'e str>,
    /// The same storages, as a set.
    known: BTreeSet<&'e str>,
    /// The storage that earlier tests use, with the text of their runs; of tests with the same loads only the first,
    /// because another one is left out or uses the same storage.
    before: BTreeMap<Loads, (Vec<&'e str>, &'e str)>,
    /// Number of tests of the earlier runs.
    tests: usize,
}

/// The loads of a test: its own, and those beside it.
type Loads = (Table, Vec<(String, Table)>);

impl<'e> Storage<'e> {
    /// A workload of a run uses this storage.
    fn uses(&mut self, storage: &[&'e Entry], state: &mut State) {
        for entry in storage {
            if *self.first.get_or_insert(&entry.name) != entry.name {
                let why = "several storage definitions become one target for all loads; `drivelab run METHOD \
                           TARGET TARGET` takes several";
                state.notes.say(&entry.place, &entry.written, Fate::Lost, why);
            }
            if self.known.insert(&entry.name) {
                self.used.push(&entry.name);
            }
        }
    }

    /// Removes the last test if it differs from an earlier one only by its storage.
    fn only_difference(&mut self, draft: &mut Draft, run: &'e Entry, state: &mut State) {
        let used = std::mem::take(&mut self.used);
        self.known.clear();
        if draft.tests.len() == self.tests {
            return;
        }
        let Some(last) = draft.tests.last() else { return };
        let beside = last.beside.iter().map(|group| (group.name.clone(), group.table.clone())).collect();
        match self.before.entry((last.main.clone(), beside)) {
            Slot::Occupied(twin) if twin.get().0 != used => {
                let twin = twin.get().1;
                let why =
                    format!("it differs from {twin} only by its storage, and there is one target: it is left out");
                state.notes.say(&run.place, &run.written, Fate::Lost, why);
                draft.tests.pop();
                return;
            }
            Slot::Occupied(_) => {}
            Slot::Vacant(free) => {
                free.insert((used, run.written.as_str()));
            }
        }
        self.tests += 1;
    }
}

/// What parameters of the whole file state about the data of the writes.
fn data(entries: &[Entry], state: &mut State) -> Vec<(&'static str, u64)> {
    let mut data = Vec::new();
    for entry in entries {
        let key = match entry.kind.as_str() {
            "compratio" => "compress_percent",
            "dedupratio" => "dedup_percent",
            _ => continue,
        };
        // A ratio of 1.25 leaves 80 per cent.
        let left = |ratio: u64| (100_000 + ratio / 2) / ratio;
        if let Some(ratio) = thousandths(&entry.name).filter(|ratio| *ratio >= 1000) {
            data.push((key, 100 - left(ratio)));
        } else {
            let title = format!("'{}' is not a valid value of {}", entry.name, entry.kind);
            state.mistakes.push(Mistake::new(&entry.place, title, "expected a ratio such as 2", "1 is no reduction"));
        }
    }
    data
}

/// Notes what becomes of the parameters of the whole file.
fn general(entries: &[Entry], writes: bool, state: &mut State) {
    for entry in entries.iter().filter(|entry| !entry.is_definition()) {
        let (fate, why) = match entry.kind.as_str() {
            "compratio" | "dedupratio" | "dedupunit" | "dedupsets" | "dedupflipflop" if !writes => {
                (Fate::NoEffect, "nothing is written")
            }
            "compratio" => (Fate::Changed, "a ratio becomes the share of each block that compresses away"),
            "dedupratio" => (Fate::Changed, "a ratio becomes the share of the blocks that repeat an earlier one"),
            "dedupunit" | "dedupsets" | "dedupflipflop" => (Fate::Lost, "whole blocks repeat, and any earlier one may"),
            "validate" => (Fate::Lost, "use verify = \"headers\" and a test with op = \"verify\""),
            "data_errors" => (Fate::Changed, "single errors are counted and do not end the run"),
            "concatenatesds" | "concatenate" => (Fate::Lost, "there is one target"),
            _ => (Fate::NoEffect, "it concerns how Vdbench itself runs and reports"),
        };
        state.notes.say(&entry.place, &entry.written, fate, why);
    }
}

/// The workloads of a run; `None` if it is about something else.
fn loads<'e>(
    run: &'e Entry,
    defined: &Defined<'e>,
    in_loops: &[&'static str],
    storage_of_all: &mut Storage<'e>,
    state: &mut State,
) -> Option<Vec<(&'e Entry, Load)>> {
    let other = ["fwd", "fsd", "replay", "operations", "format"].iter().find_map(|key| run.get(key));
    let wants_files = run.get("wd").is_none() && defined.any("fwd");
    if other.is_some_and(|param| param.key != "format") || wants_files {
        let why = "file system workloads and replays have no counterpart in drivelab: the run is left out";
        state.notes.say(&run.place, &run.written, Fate::Lost, why);
        return None;
    }
    if run.get("wd").is_none() && !defined.any("wd") {
        let title = format!("{} names no workload, and the file defines none", run.written);
        let help = "add a line such as wd=wd1,sd=sd1,xfersize=4k,rdpct=70 before it, and wd=wd1 to the run";
        state.mistakes.push(Mistake::new(&run.place, title, "expected wd= in this run", help));
        return None;
    }
    let mut found = Vec::new();
    // The first storage of names that were looked up before in this run: all notes on them exist.
    let mut asked: BTreeMap<Option<&[String]>, Option<&Entry>> = BTreeMap::new();
    for work in defined.named(run.get("wd"), "wd", state) {
        let names = run.get("sd").or_else(|| work.get("sd"));
        let values = names.map(|param| &param.values[..]);
        let storage = match (asked.get(&values), names) {
            (Some(known), names) => {
                names.into_iter().for_each(|param| say(param, Fate::Carried, "", state));
                *known
            }
            (None, names) => {
                let before = state.mistakes.len();
                let storage = defined.named(names, "sd", state);
                storage_of_all.uses(&storage, state);
                if let Some(entry) = storage.iter().find(|entry| entry.get("replay").is_some()) {
                    state.notes.say(&entry.place, &entry.written, Fate::Lost, "replays are not imported");
                }
                let first = storage.first().copied();
                if state.mistakes.len() == before {
                    asked.insert(values, first);
                }
                first
            }
        };
        found.push((work, load(&Sources { run, work, storage, in_loops }, state)));
    }
    (!found.is_empty()).then_some(found)
}

fn test(
    draft: &mut Draft,
    run: &Entry,
    (mut loads, loops): (Vec<(&Entry, Load)>, Vec<Loop>),
    data: &[(&'static str, u64)],
    names: &mut Names,
    all: &mut Vec<Load>,
    state: &mut State,
) {
    for (_, load) in &mut loads {
        // Data, fill and minimum size follow from the loads as the loops change them.
        loops.iter().for_each(|one| one.apply(load));
        for (key, share) in data.iter().filter(|_| load.writes) {
            load.table.set(key, share.to_string(), Origin::Stated);
        }
    }
    let (rates, curve) = match rates::of(run, &mut loads, state) {
        Rates::Highest => (None, None),
        Rates::Stated(rates) => (Some(rates), None),
        Rates::Curve(curve) => (None, Some(curve)),
    };
    weights(run, &mut loads, rates.is_some(), state);
    all.extend(loads.iter().map(|(_, load)| load.clone()));
    let mut loads = loads.into_iter();
    let Some((work, main)) = loads.next() else { return };
    let mut table = main.table;
    let mut own = Names::without(&["main"]);
    let mut beside: Vec<Group> = Vec::new();
    for (work, load) in loads {
        let places = Places { all: work.place.clone(), keys: load.places };
        beside.push(Group { name: own.give(&work.name), table: load.table, places });
    }
    let points = curve.as_ref().map_or(1, |curve| curve.points);
    let loops = loops.into_iter().map(|one| (one.key, one.words)).chain(rates.map(|rates| ("rate", rates)));
    let (axes, steps) = axes(loops, &mut table, &mut beside);
    // A group that took over a loop keeps it; the rate belongs to all groups.
    beside.iter_mut().for_each(|other| other.table.stand_alone(&table));
    if let Some(curve) = curve {
        table.set("curve", curve.toml, curve.origin);
    }
    ending(run, &mut table, state);
    let steps = steps.saturating_mul(points);
    if steps > MOST_STEPS {
        let title = format!("the loops of this run are {steps} steps, and a test has at most 10,000");
        state.mistakes.push(Mistake::new(&run.place, title, "too many", "use fewer values, or larger steps"));
    }
    if axes.len() > 1 {
        let words: Vec<String> = axes.iter().map(|axis| quoted(axis)).collect();
        table.first("axes", format!("[{}]", words.join(", ")));
    }
    draft.tests.push(Test {
        name: names.give(&run.name),
        title: format!("{} ({})", run.name, work.name),
        purpose: format!("What does the target give to the run {} of the parameter file?", run.name),
        main: table,
        beside,
        places: Places { all: run.place.clone(), keys: main.places },
    });
}

/// States the loops, replacing what any load states itself; returns those with several values, and the total number of
/// steps.
fn axes(
    loops: impl Iterator<Item = (&'static str, Vec<String>)>,
    table: &mut Table,
    beside: &mut [Group],
) -> (Vec<&'static str>, u64) {
    let (mut axes, mut steps) = (Vec::new(), 1_u64);
    for (key, values) in loops {
        steps = steps.saturating_mul(values.len() as u64);
        // A loop over one key also replaces the other key for the same thing.
        let other = match key {
            "block_size" => "block_size_mix",
            "pattern" => "seek_percent",
            key => key,
        };
        table.remove(other);
        for group in beside.iter_mut() {
            group.table.remove(key);
            group.table.remove(other);
        }
        if let [one] = &values[..] {
            table.set(key, one.clone(), Origin::Stated);
        } else {
            axes.push(key);
            table.set(key, format!("[{}]", values.join(", ")), Origin::Stated);
        }
    }
    (axes, steps.max(1))
}

/// Shares of the operations, if any is stated or a rate has to be split: workloads without one share the rest equally.
fn weights(run: &Entry, loads: &mut [(&Entry, Load)], rated: bool, state: &mut State) {
    /// All of the operations, in thousandths of a per cent.
    const ALL: u64 = 100_000;
    /// How far the shares may differ from it: they have few decimals.
    const SLACK: u64 = 500;
    let stated: u64 = loads.iter().filter_map(|(_, load)| load.skew).sum();
    if let [(work, load)] = loads {
        if load.skew.is_some_and(|skew| skew < ALL)
            && let Some(param) = work.get("skew")
        {
            say(param, Fate::NoEffect, "it is the only workload of its run", state);
        }
        return;
    }
    if stated == 0 && !rated {
        return;
    }
    let open = loads.iter().filter(|(_, load)| load.skew.is_none()).count() as u64;
    let adds_up = if open > 0 { stated < ALL } else { stated.abs_diff(ALL) <= SLACK };
    if !adds_up {
        let title = format!("the shares (skew) of this run's workloads are {} %", stated as f64 / 1000.0);
        let help = "they must sum to 100, or leave a rest for workloads without one";
        state.mistakes.push(Mistake::new(&run.place, title, "expected 100 % in all", help));
    }
    let rest = (ALL.saturating_sub(stated) / open.max(1)).max(1);
    for (_, load) in loads {
        let (weight, origin) = load.skew.map_or((rest, Origin::Default), |skew| (skew, Origin::Stated));
        load.table.set("weight", weight.to_string(), origin);
    }
}

fn ending(run: &Entry, table: &mut crate::draft::Table, state: &mut State) {
    let mut stated = false;
    for (key, into) in [("elapsed", "time"), ("warmup", "ramp"), ("pause", "rest")] {
        let Some(param) = run.get(key) else { continue };
        state.notes.say(&param.place, &param.written, Fate::Carried, "");
        match param.values.first().and_then(|text| seconds(text)) {
            Some(0) if key == "elapsed" => wrong(param, "more than 0 s", state),
            Some(nanos) if nanos > 0 => {
                stated |= key == "elapsed";
                table.set(into, quoted(&time(nanos)), Origin::Stated);
            }
            Some(_) => {}
            None => wrong(param, "seconds, or a time such as 5m or 1h", state),
        }
    }
    if !stated {
        table.set("time", quoted(&time(ELAPSED)), Origin::Default);
    }
    if let Some(param) = run.get("maxdata") {
        state.notes.say(&param.place, &param.written, Fate::Carried, "");
        match param.values.first().and_then(|text| size(text)) {
            Some(bytes_moved) if bytes_moved > 200 => table.set("volume", quoted(&bytes(bytes_moved)), Origin::Stated),
            _ => {
                say(param, Fate::Lost, "drivelab does not support a volume relative to the size of the storage", state)
            }
        }
    }
}

/// Parameters that nobody asked about.
fn unused(entries: &[Entry], state: &mut State) {
    for entry in entries.iter().filter(|entry| entry.is_definition()) {
        for param in entry.params.iter() {
            // The parameters of a definition that is listed itself need no line of their own.
            if state.notes.knows(&param.place) || state.notes.knows(&entry.place) {
                continue;
            }
            if entry.replaces(param) {
                say(param, Fate::NoEffect, "a later one overrides it", state);
                continue;
            }
            let (fate, why) = match (entry.kind.as_str(), param.key.as_str()) {
                ("hd", _) | (_, "host" | "hd" | "user" | "kstat" | "instance") => {
                    (Fate::NoEffect, "the load runs on this host")
                }
                (_, "interval") => (Fate::NoEffect, "drivelab has its own intervals and records every one"),
                ("wd", "sd") => (Fate::NoEffect, "the run names the storage"),
                ("fsd" | "fwd" | "rg", _) => {
                    (Fate::Lost, "file system workloads and replays have no counterpart in drivelab")
                }
                (_, "startcmd" | "start_cmd" | "endcmd" | "end_cmd") => (Fate::Lost, "a run starts no commands"),
                (_, "hitarea") => (Fate::NoEffect, "cache hits are not controlled"),
                _ => (Fate::Lost, "no run uses it, or it has no counterpart in drivelab"),
            };
            say(param, fate, why, state);
        }
        if matches!(entry.kind.as_str(), "fsd" | "fwd" | "rg") && !state.notes.knows(&entry.place) {
            let why = "file system workloads and replays have no counterpart in drivelab";
            state.notes.say(&entry.place, &entry.written, Fate::Lost, why);
        }
    }
}
