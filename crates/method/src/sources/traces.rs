//! `[[traces]]` of a file, and what is known of each trace beyond its text.
//!
//! Must not know: formats, files. Whoever has read a trace file passes on what it contains
//! ([`crate::Methodology::know_trace`]).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use drivelab_core::replay::{SYNTHETIC_UNIT, SyntheticTrace, TraceFacts, TraceSource};
use drivelab_core::units::{Bytes, Nanos};

use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::value::{Table, Value};
use crate::vocabulary::load::SEED;

/// Sizes of a synthetic trace if the file states none.
const SMALLEST: Bytes = Bytes::new(SYNTHETIC_UNIT);

const LARGEST: Bytes = Bytes::MIB;

/// Assumed largest read or write of a file that nobody has read yet.
const UNKNOWN_LARGEST: Bytes = Bytes::MIB;

/// What is known of a methodology's traces beyond its text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    /// Files that replace what the text states.
    given: BTreeMap<String, PathBuf>,
    /// What the files contain.
    facts: BTreeMap<String, TraceFacts>,
}

/// A trace of a methodology, with its source as the text or the user states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceDeclared {
    /// Its name.
    pub name: String,
    /// Its source; `None` for a slot that nobody has filled.
    pub source: Option<TraceSource>,
}

impl Known {
    pub(crate) fn give(&mut self, name: &str, file: PathBuf) {
        self.facts.remove(name);
        self.given.insert(name.to_owned(), file);
    }

    pub(crate) fn tell(&mut self, name: &str, facts: TraceFacts) {
        self.facts.insert(name.to_owned(), facts);
    }

    /// Every trace of the text.
    pub(crate) fn declared(&self, root: &Table, folder: Option<&Path>) -> Vec<TraceDeclared> {
        let one =
            |table: &Table| TraceDeclared { name: table.text("name").to_owned(), source: self.source(table, folder) };
        root.tables("traces").iter().map(one).collect()
    }

    fn source(&self, table: &Table, folder: Option<&Path>) -> Option<TraceSource> {
        let text = |key: &str| table.has(key).then(|| table.text(key).to_owned());
        let word = |key: &str| match table.get(key).map(|value| &value.value) {
            Some(Value::Word(word)) => Some((*word).to_owned()),
            _ => None,
        };
        if let Some(path) = self.given.get(table.text("name")) {
            return Some(TraceSource::File { path: path.clone(), format: None, device: None });
        }
        if let Some(made) = table.table("synthetic") {
            return Some(TraceSource::Synthetic(synthetic(made)));
        }
        let file = text("file")?;
        let path = folder.map_or_else(|| PathBuf::from(&file), |folder| folder.join(&file));
        Some(TraceSource::File { path, format: word("format"), device: text("device") })
    }

    /// The content of a trace with this source.
    pub(crate) fn facts(&self, name: &str, source: &TraceSource) -> TraceFacts {
        match source {
            TraceSource::Synthetic(made) => made.facts(),
            TraceSource::File { .. } => self.facts.get(name).cloned().unwrap_or_else(unknown),
        }
    }

    /// Whether a trace is a slot that nobody has filled.
    pub(crate) fn is_empty_slot(&self, root: &Table, name: &str) -> bool {
        let table = root.tables("traces").iter().find(|table| table.text("name") == name);
        table.is_some_and(|table| self.source(table, None).is_none())
    }
}

/// Assumptions about a file that nobody has read yet.
fn unknown() -> TraceFacts {
    TraceFacts {
        format: String::new(),
        hash: String::new(),
        reads: 1,
        writes: 1,
        trims: 0,
        flushes: 0,
        read: UNKNOWN_LARGEST,
        written: UNKNOWN_LARGEST,
        largest: UNKNOWN_LARGEST,
        end: UNKNOWN_LARGEST,
        duration: Nanos::new(1),
        empty: 0,
        out_of_order: 0,
    }
}

/// The parameters of a synthetic trace.
fn synthetic(table: &Table) -> SyntheticTrace {
    let count = |key: &str| table.whole(key).unwrap_or(0);
    SyntheticTrace {
        sequential_reads: count("sequential_reads"),
        random_reads: count("random_reads"),
        sequential_writes: count("sequential_writes"),
        random_writes: count("random_writes"),
        read: table.size("read"),
        written: table.size("written"),
        smallest: table.size("smallest").unwrap_or(SMALLEST),
        largest: table.size("largest").unwrap_or(LARGEST),
        footprint: table.size("footprint").unwrap_or(Bytes::GIB),
        burst: table.whole("burst").and_then(|burst| u32::try_from(burst).ok()).unwrap_or(1),
        gap: table.time("gap").unwrap_or_default(),
        seed: table.whole("seed").unwrap_or(SEED),
    }
}

/// Adds the errors in `[[traces]]`, and in references to them.
pub(crate) fn check(root: &Table, errors: &mut Errors) {
    for table in root.tables("traces") {
        if let (Some(_), Some(entry)) = (table.get("file"), table.entry("synthetic")) {
            let title = "`file` and `synthetic` exclude each other";
            errors.push(Diagnostic::new(entry.key_at.clone(), title, "a trace is either recorded or synthetic"));
        }
        for key in ["format", "device"] {
            if let Some(entry) = table.entry(key).filter(|_| !table.has("file")) {
                let title = format!("`{key}` does not apply to a trace without a file");
                errors.push(Diagnostic::new(entry.key_at.clone(), title, "expected `file` too"));
            }
        }
        if let Some(made) = table.table("synthetic") {
            errors.extend(impossible(made).map(|title| {
                Diagnostic::new(made.at.clone(), title, "expected counts, volumes and sizes that go together")
            }));
        }
    }
}

/// Why no trace can have these counts, volumes and sizes.
fn impossible(table: &Table) -> Option<String> {
    let made = synthetic(table);
    let unit = |bytes: Bytes| bytes.get() > 0 && bytes.get().is_multiple_of(SYNTHETIC_UNIT);
    if made.operations() == 0 {
        return Some("a trace without operations".to_owned());
    }
    if !unit(made.smallest) || !unit(made.largest) || made.smallest > made.largest {
        return Some(format!(
            "sizes from {} to {}: both are multiples of 4 KiB, the smaller one first",
            made.smallest, made.largest
        ));
    }
    if made.footprint < made.largest {
        return Some(format!("the footprint, {}, is smaller than an operation of {}", made.footprint, made.largest));
    }
    let fits = |what: &str, operations: u64, volume: Option<Bytes>| {
        let volume = volume?;
        let (least, most) =
            (operations.saturating_mul(made.smallest.get()), operations.saturating_mul(made.largest.get()));
        let whole = volume.get() / SYNTHETIC_UNIT * SYNTHETIC_UNIT;
        (whole < least || whole > most).then(|| {
            format!(
                "{operations} {what} of {} to {} each cannot add up to {volume}: it is {} to {}",
                made.smallest,
                made.largest,
                Bytes::new(least),
                Bytes::new(most)
            )
        })
    };
    fits("reads", made.reads(), made.read).or_else(|| fits("writes", made.writes(), made.written))
}
