//! Where a job's operations go: its files become parts of a single target.
//!
//! Owns spans, the target's size, and how the jobs of `numjobs` share a file. Must not know: what operations are.

use std::collections::BTreeMap;

use super::State;
use super::job::Job;
use super::load::Load;
use super::number::{Amount, fraction};
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
    /// The part that each thread touches; all of the file if none is stated.
    size: Option<Amount>,
    /// Bytes that each thread moves in a loop, if that is a different number.
    moves: Option<u64>,
    /// Each thread has a stretch of its own, of `size`.
    pub(super) apart: bool,
    threads: u64,
}

/// A job's part of the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    /// As TOML; `None` for all of it.
    pub(super) toml: Option<String>,
    /// Its bytes, if they are known.
    pub(super) length: Option<u64>,
    /// Bytes of one thread's part of it.
    pub(super) each: Option<u64>,
    /// Bytes that each thread moves in a loop, if that is a different number.
    pub(super) moves: Option<u64>,
}

/// The target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) size: u64,
    pub(super) whole: bool,
    pub(super) device: bool,
    /// The end of the last byte that any job needs, if it states one.
    pub(super) least: u64,
}

/// Most bytes of a span: larger than any drive, and small enough that sums do not overflow.
const MOST: u64 = 1 << 60;

/// What becomes of an offset in per cent beside `filesize`. fio 3.33 was observed to take the share of the size that a
/// file has when it is opened, which is zero before it was laid out.
const PER_CENT_OF_FILE: (Fate, &str) = (
    Fate::Changed,
    "if the file does not exist yet, fio ignores the percentage and begins at its start, as this load does; in an existing \
     file it begins at that offset, and ends with the file",
);
/// The same for a device.
const PER_CENT_OF_DEVICE: (Fate, &str) = (
    Fate::Lost,
    "drivelab cannot combine an offset in per cent of a device with a filesize in bytes; the load begins at the start",
);

/// The place that a job asks for.
pub(super) fn wanted(job: &Job, load: &Load, state: &mut State) -> Wanted {
    let threads = load.threads;
    let name = job.text("filename", state).filter(|name| !name.is_empty());
    let device = name.as_deref().is_some_and(|name| {
        let first = names(name).into_iter().next().unwrap_or_default();
        first.starts_with("/dev/") || first.starts_with("\\\\")
    });
    let files = files(job, name.as_deref(), state);
    let size = job.amount("size", state).filter(|size| !matches!(size, Amount::Percent(100) | Amount::Bytes(0)));
    let stated = size.is_some();
    let mut offset = job.amount("offset", state).unwrap_or(Amount::Bytes(0));
    let file = file_size(job, state);
    let filled = job.flag("fill_device", state).unwrap_or(false);
    if file.is_none() && !device && !matches!(size, Some(Amount::Bytes(_))) {
        say_of_no_size(job, filled, name.is_some(), state);
    }
    let (size, moves) = match (file, size) {
        (Some(file), size) => in_files(job, (file, files, device), (&mut offset, size), load, state),
        (None, Some(Amount::Bytes(size))) => in_whole_blocks(size, files, load),
        (None, size) => (size, None),
    };
    if let Some(Amount::Bytes(bytes)) = size
        && bytes.checked_mul(threads).is_none_or(|all| all > MOST)
    {
        let key = if job.peek("size").is_some() { "size" } else { "filesize" };
        job.wrong(key, "at most 1 EiB for all jobs of numjobs together", state);
    }
    let apart = apart(job, load, (name.is_none(), stated), (size, file), state);
    if let (Amount::Percent(share), Some(Amount::Bytes(_))) = (offset, size) {
        let why = "drivelab cannot combine an offset in per cent with a size in bytes; the load begins at the start, \
                   and may end elsewhere with io_size or loops";
        if share > 0 {
            job.say("offset", Fate::Lost, why, state);
        }
        offset = Amount::Bytes(0);
    }
    if matches!(offset, Amount::Bytes(bytes) if bytes > 0) && !matches!(size, Some(Amount::Bytes(_))) {
        let why = "drivelab cannot use an offset without a size in bytes; the load covers all of the target";
        job.say("offset", Fate::Lost, why, state);
        offset = Amount::Bytes(0);
    }
    if matches!(offset, Amount::Bytes(bytes) if bytes > MOST) {
        job.wrong("offset", "at most 1 EiB", state);
        offset = Amount::Bytes(0);
    }
    // The file of each thread ends with its last whole block, and no stream of a sequential mix reaches it.
    let (size, moves) = match size {
        Some(Amount::Bytes(bytes)) if apart && bytes > load.largest && !load.several_sizes() => {
            let ragged = !bytes.is_multiple_of(load.largest);
            let all = (ragged && load.mixed.is_some() && !load.random).then_some(bytes);
            (Some(Amount::Bytes(bytes - bytes % load.largest)), moves.or(all))
        }
        size => (size, moves),
    };
    Wanted { key: name.unwrap_or_else(|| format!("job {}", job.name)), device, offset, size, moves, apart, threads }
}

/// Notes what becomes of a job whose files have no size, which fio takes from elsewhere or refuses.
fn say_of_no_size(job: &Job, filled: bool, named: bool, state: &mut State) {
    let (key, why) = match (filled, named) {
        (true, _) => {
            ("fill_device", "fio writes until the file system is full; in drivelab a file has the size of the target")
        }
        (_, true) => (
            "size",
            "fio takes the size of an existing file, and refuses one that does not exist; drivelab \
                               takes the size of the target",
        ),
        _ => (
            "size",
            "fio refuses a job whose files have no size, unless its command line states one; drivelab takes the \
                       size of the target",
        ),
    };
    job.say(key, Fate::Lost, why, state);
}

/// Whether threads have stretches of their own: because they have files of their own, or an increment equal to their
/// size.
fn apart(
    job: &Job,
    load: &Load,
    (own_files, stated): (bool, bool),
    (size, file): (Option<Amount>, Option<u64>),
    state: &mut State,
) -> bool {
    let threads = load.threads;
    let increment = match (job.amount("offset_increment", state), file) {
        (Some(Amount::Percent(share)), Some(file)) => Some(Amount::Bytes(fraction(file, share, 100))),
        (increment, _) => increment,
    };
    let own_files = own_files && threads > 1;
    let none = |increment: &Amount| matches!(increment, Amount::Bytes(0) | Amount::Percent(0));
    let of_all = (Fate::Changed, "threads that may draw a block again draw from the stretches of all threads");
    let Some(increment) = increment.filter(|increment| threads > 1 && !none(increment)) else {
        if own_files && load.draws_freely() {
            job.say("numjobs", of_all.0, of_all.1, state);
        }
        return own_files;
    };
    let room = match size {
        Some(Amount::Percent(share)) => share * threads <= 100,
        _ => true,
    };
    let even = size == Some(increment) && room;
    let said = match (own_files, even) {
        (true, _) if file.is_some() => Some((
            Fate::Lost,
            "each job covers its stretch from the beginning; in fio each begins an increment further into its own file, \
             and ends with the file",
        )),
        (true, _) => Some((
            Fate::Changed,
            "each job covers its stretch from the beginning; in fio each begins an increment further into its own file",
        )),
        (_, true) if load.draws_freely() => Some(of_all),
        (_, true) => None,
        _ if stated => Some((
            Fate::Lost,
            "all jobs have the same stretch; in fio each begins an increment further, and a device or a file with a size \
             cuts off everything after its end",
        )),
        _ => Some((
            Fate::Lost,
            "each job goes over all of it; in fio each begins an increment further, and ends at the end of the file",
        )),
    };
    if let Some((fate, why)) = said {
        job.say("offset_increment", fate, why, state);
    }
    even || own_files
}

/// Bytes of several files of one size, each counted in whole blocks only, and the bytes to move in a loop if that is a
/// different number: a load that draws places again continues until all bytes are moved.
fn in_whole_blocks(all: u64, files: u64, load: &Load) -> (Option<Amount>, Option<u64>) {
    let block = load.sizes.iter().map(|(size, _)| *size).min().unwrap_or(load.largest).max(1);
    let each = all / files.max(1);
    // Sequential reads and writes each have their own place in every file, so the end of a file ends neither.
    if files < 2 || each < block || load.two_streams() {
        return (Some(Amount::Bytes(all)), None);
    }
    let whole = (each - each % block).saturating_mul(files);
    (Some(Amount::Bytes(whole)), (load.draws_freely() && whole < all).then_some(all))
}

/// How many files or devices the job has.
fn files(job: &Job, name: Option<&str>, state: &mut State) -> u64 {
    let named = name.map_or(0, |name| names(name).len() as u64);
    if named > 1 {
        let why = "several files or devices become one target; `drivelab run METHOD TARGET TARGET` takes several";
        job.say("filename", Fate::Lost, why, state);
    } else if named == 1 {
        job.say("filename", Fate::NoEffect, "the target is named when the methodology is run", state);
    }
    let files = job.whole("nrfiles", state).unwrap_or(1).max(1);
    if named > 0 && job.peek("nrfiles").is_some() {
        job.say("nrfiles", Fate::NoEffect, "the names decide the number of files", state);
    } else if files > 1 {
        job.say("nrfiles", Fate::Changed, "the files of a job become one stretch of the target", state);
    }
    if named > 0 { named } else { files }
}

/// The files or devices of `filename=`, separated by colons; a colon after a backslash is part of a name.
fn names(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' if signs.peek() == Some(&':') => {
                signs.next();
                found.last_mut().into_iter().for_each(|name| name.push(':'));
            }
            ':' => found.push(String::new()),
            sign => found.last_mut().into_iter().for_each(|name| name.push(sign)),
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

/// Bytes of each file, if the job states them.
fn file_size(job: &Job, state: &mut State) -> Option<u64> {
    let value = job.text("filesize", state)?;
    let ends: Vec<Option<u64>> = value.split(['-', ',', ':']).map(|end| job.part(end)).collect();
    let largest = ends.iter().copied().collect::<Option<Vec<u64>>>().and_then(|ends| ends.into_iter().max());
    let Some(largest) = largest.filter(|_| ends.len() <= 2) else {
        job.wrong("filesize", "bytes, such as 1g or 1g-4g", state);
        return None;
    };
    if ends.len() == 2 && ends[0] != ends[1] {
        let why = "fio draws the size of each file between the two; in drivelab all have the larger one";
        job.say("filesize", Fate::Changed, why, state);
    }
    Some(largest).filter(|size| *size > 0)
}

/// The span of a job whose files have a size of their own, and the bytes to move in a loop if they are fewer: `size`
/// is then only a limit.
fn in_files(
    job: &Job,
    (file, files, device): (u64, u64, bool),
    (offset, size): (&mut Amount, Option<Amount>),
    load: &Load,
    state: &mut State,
) -> (Option<Amount>, Option<u64>) {
    let begin = match *offset {
        Amount::Bytes(bytes) => bytes,
        Amount::Percent(share) => {
            if share > 0 {
                let (fate, why) = if device { PER_CENT_OF_DEVICE } else { PER_CENT_OF_FILE };
                job.say("offset", fate, why, state);
            }
            0
        }
    };
    if begin >= file {
        job.wrong("offset", "a start inside of the file", state);
        return (None, None);
    }
    if files > 1 && begin > 0 {
        let why = "the parts of several files after their offset become one stretch of the target, from its start";
        job.say("offset", Fate::Changed, why, state);
        *offset = Amount::Bytes(0);
    } else {
        *offset = Amount::Bytes(begin);
    }
    let own = match size {
        Some(Amount::Percent(share)) => fraction(file, share, 100),
        _ => file - begin,
    };
    let all = own.min(file - begin).saturating_mul(files);
    // With gaps, or in reverse, an amount smaller than the file is spread over all of it.
    let gaps = load.table.get("stride").is_some() || load.table.get("pattern") == Some("\"reverse\"");
    let from_start = !load.random && !gaps;
    match size {
        Some(Amount::Bytes(size)) if size < all && from_start => (Some(Amount::Bytes(size)), None),
        Some(Amount::Bytes(size)) if size < all => (Some(Amount::Bytes(all)), Some(size)),
        _ => in_whole_blocks(all, files, load),
    }
}

impl Wanted {
    /// Percentage of the target that all threads cover, if each covers `share`.
    fn of_all(&self, share: u64) -> u64 {
        if self.apart && share.saturating_mul(self.threads) <= 100 { share * self.threads } else { share }
    }

    fn share_of(&self, share: u64) -> String {
        format!("\"{} %\"", self.of_all(share))
    }

    /// Bytes of the file that it needs, if they are known.
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

/// Lays the files out one after the other; if the size of one is unknown, each is the whole target.
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
    let known = files.values().try_fold(0_u64, |sum, size| sum.checked_add(rounded((*size)?)?));
    let one_file = files.len() == 1;
    let apart = !one_file && known.is_some() && !device;
    let mut starts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut next = 0;
    for key in &order {
        starts.insert(key, if apart { next } else { 0 });
        next = files[key].and_then(rounded).and_then(|size| next.checked_add(size)).unwrap_or(next);
    }
    if !one_file {
        let (fate, why) = match (apart, device) {
            (true, _) => (Fate::Changed, "the files of the job file become parts of one target"),
            (false, true) => (Fate::Lost, "the devices of the job file become one target for all loads"),
            (false, false) => (Fate::Lost, "the files of the job file become one target for all loads"),
        };
        for (job, _) in wanted {
            let key = if job.peek("filename").is_some() { "filename" } else { "" };
            job.say(key, fate, why, state);
        }
    }
    let largest = files.values().copied().collect::<Option<Vec<u64>>>().and_then(|all| all.into_iter().max());
    let size = if apart { Some(next) } else { largest.and_then(rounded) };
    let whole = size.is_none_or(|size| size == 0);
    let size = size.unwrap_or(0);
    let least = wanted.iter().filter_map(|(_, one)| one.needs()).max().and_then(rounded).unwrap_or(0);
    let spans = wanted.iter().map(|(_, one)| span(one, starts[one.key.as_str()], size, whole)).collect();
    (Target { size, whole, device, least }, spans)
}

/// Bytes in whole MiB; `None` if they exceed the range of the number.
fn rounded(size: u64) -> Option<u64> {
    size.checked_next_multiple_of(1 << 20)
}

fn span(one: &Wanted, start: u64, target: u64, whole: bool) -> Span {
    let length = one.length();
    let toml = match (one.offset, one.size) {
        (Amount::Bytes(0), None) => None,
        (Amount::Bytes(0), Some(Amount::Percent(share))) => Some(one.share_of(share)),
        (Amount::Percent(from), size) => {
            let most = 100 - from;
            let share = match size {
                Some(Amount::Percent(share)) => one.of_all(share).min(most),
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
        // The language has no size for the rest after an offset: the span is all of the target.
        (Amount::Bytes(_), _) => None,
    };
    let each = match one.size {
        Some(Amount::Bytes(size)) => Some(size),
        Some(Amount::Percent(_)) => None,
        None => (!whole).then_some(target),
    };
    Span { toml, length, each, moves: one.moves }
}
