//! Where a job's operations go: its files become parts of the one target.
//!
//! Owns spans, the target's size, and how the jobs of `numjobs` share a file. Must not know: what operations are.

use std::collections::BTreeMap;

use super::State;
use super::job::Job;
use super::number::Amount;
use crate::draft::bytes;
use crate::notes::Fate;

/// A job's place, before the files are laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    /// What distinguishes the file.
    key: String,
    /// Whether the file is a device.
    device: bool,
    offset: Amount,
    /// All of the file where none is stated.
    size: Option<Amount>,
    /// Threads have stretches of their own, each of `size`.
    pub(super) apart: bool,
    threads: u64,
}

/// A job's part of the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    /// As TOML; `None` for all of it.
    pub(super) toml: Option<String>,
    /// Its bytes, where they are known.
    pub(super) length: Option<u64>,
}

/// The target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) size: u64,
    pub(super) whole: bool,
    pub(super) device: bool,
}

/// What a job wants.
pub(super) fn wanted(job: &Job, threads: u64, state: &mut State) -> Wanted {
    let name = job.text("filename", state).filter(|name| !name.is_empty());
    let device = name.as_deref().is_some_and(|name| {
        let first = name.split(':').next().unwrap_or(name);
        first.starts_with("/dev/") || first.starts_with("\\\\")
    });
    if let Some(name) = &name {
        if name.split(':').filter(|one| !one.is_empty()).count() > 1 {
            let why = "several files or devices are one target here; `drivelab run METHOD TARGET TARGET` takes several";
            job.say("filename", Fate::Lost, why, state);
        } else {
            job.say("filename", Fate::NoEffect, "the target is named when the methodology is run", state);
        }
    }
    let files = job.whole("nrfiles", state).unwrap_or(1);
    if files > 1 {
        job.say("nrfiles", Fate::Changed, "the files of a job are one stretch of the target", state);
    }
    let filled = job.flag("fill_device", state).unwrap_or(false);
    let size = job.amount("size", state).filter(|size| !matches!(size, Amount::Percent(100) | Amount::Bytes(0)));
    let size = if filled { None } else { size.or_else(|| number_of_file(job, state)) };
    let mut offset = job.amount("offset", state).unwrap_or(Amount::Bytes(0));
    let increment = job.amount("offset_increment", state);
    let mut apart = name.is_none() && threads > 1;
    if let Some(increment) = increment.filter(|_| threads > 1) {
        let even = size == Some(increment);
        apart = even || apart;
        if !even {
            let why = "threads with stretches of their own have them side by side, so that the increment is the size";
            job.say("offset_increment", Fate::Lost, why, state);
        }
    }
    if let (Amount::Percent(share), Some(Amount::Bytes(_))) = (offset, size) {
        let why = "an offset in per cent with a size in bytes has no place here; the load begins at the start";
        if share > 0 {
            job.say("offset", Fate::Lost, why, state);
        }
        offset = Amount::Bytes(0);
    }
    if matches!(offset, Amount::Bytes(bytes) if bytes > 0) && !matches!(size, Some(Amount::Bytes(_))) {
        let why = "an offset without a size in bytes has no place here; the load has all of the target";
        job.say("offset", Fate::Lost, why, state);
        offset = Amount::Bytes(0);
    }
    Wanted { key: name.unwrap_or_else(|| format!("job {}", job.name)), device, offset, size, apart, threads }
}

/// The size of a file, where the job says that and no size of its own.
fn number_of_file(job: &Job, state: &mut State) -> Option<Amount> {
    let size = job.peek("filesize")?.value.clone()?;
    let most = size.split(['-', ',']).next_back().unwrap_or(&size).to_owned();
    let size = job.part(&most).map(Amount::Bytes);
    if size.is_some() {
        job.ask("filesize", state);
        job.say("filesize", Fate::Changed, "the size of the file is the span of the load", state);
    }
    size
}

impl Wanted {
    /// Bytes of the file that it needs, where that is known.
    fn needs(&self) -> Option<u64> {
        let Amount::Bytes(offset) = self.offset else { return None };
        offset.checked_add(self.length()?)
    }

    fn length(&self) -> Option<u64> {
        match self.size? {
            Amount::Bytes(size) => size.checked_mul(if self.apart { self.threads } else { 1 }),
            Amount::Percent(_) => None,
        }
    }
}

/// Lays the files out one after the other; where the size of one is not known, all are the whole target.
pub(super) fn lay_out(wanted: &[(&Job, Wanted)], state: &mut State) -> (Target, Vec<Span>) {
    let mut files: BTreeMap<&str, Option<u64>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for (_, one) in wanted {
        let most = files.entry(&one.key).or_insert_with(|| {
            order.push(&one.key);
            Some(0)
        });
        *most = most.zip(one.needs()).map(|(most, needs)| most.max(needs));
    }
    let device = wanted.iter().any(|(_, one)| one.device);
    let known: Option<u64> = files.values().try_fold(0_u64, |sum, size| sum.checked_add((*size)?));
    let one_file = files.len() == 1;
    let apart = !one_file && known.is_some() && !device;
    let mut starts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut next = 0;
    for key in &order {
        starts.insert(key, if apart { next } else { 0 });
        next += files[key].unwrap_or(0).next_multiple_of(1 << 20);
    }
    if !one_file {
        let (fate, why) = match (apart, device) {
            (true, _) => (Fate::Changed, "each file of the job file is a part of the one target here"),
            (false, true) => (Fate::Lost, "the devices of the job file are one target here, the same for all loads"),
            (false, false) => (Fate::Lost, "the files of the job file are one target here, the same for all loads"),
        };
        for (job, _) in wanted {
            let key = if job.peek("filename").is_some() { "filename" } else { "" };
            job.say(key, fate, why, state);
        }
    }
    let largest = files.values().copied().collect::<Option<Vec<u64>>>().and_then(|all| all.into_iter().max());
    let size = if apart { Some(next) } else { largest };
    let whole = size.is_none_or(|size| size == 0);
    let size = size.unwrap_or(0).next_multiple_of(1 << 20);
    let spans = wanted.iter().map(|(_, one)| span(one, starts[one.key.as_str()], size, whole)).collect();
    (Target { size, whole, device }, spans)
}

fn span(one: &Wanted, start: u64, target: u64, whole: bool) -> Span {
    let length = one.length();
    let toml = match (one.offset, one.size) {
        (Amount::Bytes(0), None) => None,
        (Amount::Bytes(0), Some(Amount::Percent(share))) => Some(format!("\"{share} %\"")),
        (Amount::Percent(from), size) => {
            let most = 100 - from;
            let share = match size {
                Some(Amount::Percent(share)) => share.min(most),
                _ => most,
            };
            Some(format!("{{ offset = \"{from} %\", length = \"{share} %\" }}"))
        }
        (Amount::Bytes(offset), Some(Amount::Bytes(_))) => {
            let (offset, length) = (start + offset, length.unwrap_or(0));
            let all = offset == 0 && length == target && !whole;
            let at = format!("{{ offset = \"{}\", length = \"{}\" }}", bytes(offset), bytes(length));
            (!all).then_some(if offset == 0 { format!("\"{}\"", bytes(length)) } else { at })
        }
        // What is left behind an offset has no size in the language: the span is all of the target.
        (Amount::Bytes(_), _) => None,
    };
    Span { toml, length }
}
