//! Jobs: each section with the global options before it, and the queries of its options when its load is made.
//!
//! Owns that every option gets a note. Must not know: what loads are made of.

use std::collections::BTreeMap;

use super::State;
use super::fields::{self, Parted};
use super::lines::{Opt, Section};
use super::number::{self, Amount, KEYWORDS};
use super::options::{CARRIED, Engine, canonical, engine, silent};
use crate::draft::Places;
use crate::notes::Fate;
use crate::wrong::{Mistake, Place};

/// One job, with the global options first.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) name: String,
    pub(super) place: Place,
    options: Vec<Opt>,
    /// How many of them are global options.
    global: usize,
    kb_base: u64,
    /// The first job to end ends others: `exitall` applies to all jobs of a file, wherever it appears and whatever
    /// number follows it.
    pub(super) ends_others: bool,
}

/// Keys of the methodology, with the options that they come from; the first existing option counts.
const SOURCES: [(&str, &[&str]); 22] = [
    ("op", &["rw"]),
    ("pattern", &["rw"]),
    ("write_percent", &["rwmixwrite", "rwmixread", "rw"]),
    ("block_size", &["bssplit", "bsrange", "bs"]),
    ("block_size_mix", &["bssplit", "bsrange", "bs"]),
    ("locality", &["random_distribution"]),
    ("seek_percent", &["percentage_random", "rw"]),
    ("queue_depth", &["iodepth"]),
    ("threads", &["numjobs"]),
    ("span", &["size", "filesize", "offset"]),
    ("rate", &["rate_iops", "rate"]),
    ("cpus", &["cpus_allowed"]),
    ("bursts", &["thinktime_iotime", "thinktime"]),
    ("think_time", &["thinktime"]),
    ("data_pattern", &["buffer_pattern"]),
    ("sync_every", &["fdatasync", "fsync", "sync"]),
    ("volume", &["io_size", "size", "filesize"]),
    ("operations", &["number_ios"]),
    ("passes", &["loops"]),
    ("time", &["runtime"]),
    ("cap", &["runtime"]),
    ("ramp", &["ramp_time"]),
];

/// Switches that are on without a value; any number may follow them (fio's FIO_OPT_STR_SET).
const SWITCHES: [&str; 6] = ["exitall", "norandommap", "refill_buffers", "stonewall", "time_based", "zero_buffers"];
/// Switches that need 0 or 1 (fio's FIO_OPT_BOOL).
const BOOLEANS: [&str; 7] =
    ["buffered", "direct", "do_verify", "fill_device", "invalidate", "pre_read", "scramble_buffers"];

/// Options for which fio accepts only these words.
const WORDS: [(&str, &[&str]); 2] = [("kb_base", &["1000", "1024"]), ("rate_process", &["linear", "poisson"])];

/// The jobs of the sections, in order.
pub(super) fn jobs(sections: Vec<Section>, state: &mut State) -> Vec<Job> {
    let mut global: Vec<Opt> = Vec::new();
    let mut jobs = Vec::new();
    for section in sections {
        if section.name == "global" {
            global.extend(section.options);
            continue;
        }
        let (mut options, shared) = (global.clone(), global.len());
        // A barrier stands before one job; a global one applies before each job.
        options.extend(section.options);
        for option in &mut options {
            option.key = canonical(&option.key).to_owned();
            state.notes.holds_for(&option.place, &section.place);
        }
        let (name, place) = (section.name, section.place);
        let mut job = Job { name, place, options, global: shared, kb_base: 1024, ends_others: false };
        if let Some(1000) = job.whole("kb_base", state) {
            job.kb_base = 1000;
        }
        job.say_silent(state);
        job.check_values(state);
        jobs.push(job);
    }
    let ends_others = jobs.iter().any(|job| job.peek("exitall").is_some());
    jobs.iter_mut().for_each(|job| job.ends_others = ends_others);
    let lonely = jobs.is_empty() && state.mistakes.is_empty();
    if lonely {
        let help = "add a section such as [read] with rw=randread";
        let place = Place::new(0, 0..0);
        state.mistakes.push(Mistake::new(&place, "the file has no job", "it contains only [global]", help));
    }
    jobs
}

impl Job {
    /// Notes every option that has no counterpart, and every one that a later one replaces.
    fn say_silent(&self, state: &mut State) {
        let places = self.options.iter().enumerate();
        let last: BTreeMap<&str, usize> = places.map(|(at, option)| (option.key.as_str(), at)).collect();
        for (at, option) in self.options.iter().enumerate() {
            if last.get(option.key.as_str()).is_some_and(|last| *last > at) {
                // For another job the global value may still apply.
                state.notes.say(&option.place, &option.written, Fate::Carried, "");
            } else if let Some((fate, why)) = silent(&option.key) {
                state.notes.say(&option.place, &option.written, fate, why);
            }
        }
    }

    /// Values that fio's parser refuses in an option that is read here, even if a later one replaces it or the load
    /// does not use it.
    fn check_values(&self, state: &mut State) {
        for option in self.options.iter().filter(|option| CARRIED.contains(&option.key.as_str())) {
            let key = option.key.as_str();
            let switch = SWITCHES.contains(&key);
            let expected = match option.value.as_deref().map(str::trim) {
                None if !switch => "a value",
                Some("") if key != "bssplit" => "a value",
                Some(text) if switch && number::leading(text).is_none() => "nothing or a number, such as 1",
                Some(text) if BOOLEANS.contains(&key) && !matches!(number::leading(text), Some(0 | 1)) => "0 or 1",
                _ => continue,
            };
            wrong_at(option, expected, state);
        }
        for (key, words) in WORDS {
            let is_other = |option: &&Opt| option.value.as_deref().is_some_and(|value| !words.contains(&value.trim()));
            for option in self.options.iter().filter(|option| option.key == key).filter(is_other) {
                wrong_at(option, &words.join(" or "), state);
            }
        }
    }

    /// Called after the load was made: an option that nobody asked about is unknown.
    pub(super) fn say_unknown(&self, state: &mut State) {
        for option in &self.options {
            if !state.notes.knows(&option.place) {
                let why = "the import does not know this option, and nothing replaces it";
                state.notes.say(&option.place, &option.written, Fate::Lost, why);
            }
        }
    }

    /// The job is not imported at all: all its options are lost with it, and the note on the section gives the reason.
    pub(super) fn leave_out(&self, state: &mut State, why: &str) {
        state.notes.forget(&self.place, self.options.iter().map(|option| &option.place));
        state.notes.say(&self.place, &format!("[{}]", self.name), Fate::Lost, why);
        for option in &self.options {
            state.notes.say(&option.place, &option.written, Fate::Carried, "");
        }
    }

    /// The option; the last one if it appears several times, `None` if it does not appear. Marks it as carried over.
    pub(super) fn ask(&self, key: &str, state: &mut State) -> Option<&Opt> {
        let option = self.peek(key)?;
        state.notes.say(&option.place, &option.written, Fate::Carried, "");
        Some(option)
    }

    /// The option, without marking it.
    pub(super) fn peek(&self, key: &str) -> Option<&Opt> {
        debug_assert!(key.is_empty() || CARRIED.contains(&key), "{key} is not in the list of options that are read");
        self.options.iter().rev().find(|option| option.key == key)
    }

    /// All places where the option appears, in order; global ones first.
    pub(super) fn all(&self, key: &str) -> impl Iterator<Item = &Opt> {
        self.options.iter().filter(move |option| option.key == key)
    }

    /// Where the keys of the methodology were stated: at options, or at the section.
    pub(super) fn places(&self) -> Places {
        let place = |(key, options): &(&'static str, &[&str])| {
            options.iter().find_map(|option| self.peek(option)).map(|option| (*key, option.place.clone()))
        };
        Places { all: self.place.clone(), keys: SOURCES.iter().filter_map(place).collect() }
    }

    /// Which of two options for the same thing applies: in fio the later one, whatever its name. The other one is
    /// noted, unless it is global and only this job replaces it.
    pub(super) fn later<'k>(&self, one: &'k str, other: &'k str, state: &mut State) -> Option<&'k str> {
        let last = |key: &str| self.options.iter().rposition(|option| option.key == key);
        let (Some(first), Some(second)) = (last(one), last(other)) else {
            return last(one).map(|_| one).or_else(|| last(other).map(|_| other));
        };
        let (replaced, holds) = (first.min(second), first.max(second));
        if (replaced < self.global) == (holds < self.global) {
            let (option, by) = (&self.options[replaced], &self.options[holds]);
            let why = format!("the later {} overrides it", by.written);
            state.notes.say_of((&self.place, &self.name), (&option.place, &option.written), Fate::NoEffect, why);
        }
        Some(if second > first { other } else { one })
    }

    /// Notes what became of an option, if it is stated.
    pub(super) fn say(&self, key: &str, fate: Fate, why: impl Into<String>, state: &mut State) {
        match self.peek(key) {
            Some(option) => {
                state.notes.say_of((&self.place, &self.name), (&option.place, &option.written), fate, why);
            }
            None => state.notes.say(&self.place, &format!("[{}]", self.name), fate, why),
        }
    }

    /// Adds a mistake at an option.
    pub(super) fn wrong(&self, key: &str, expected: &str, state: &mut State) {
        let Some(option) = self.peek(key) else { return };
        wrong_at(option, expected, state);
    }

    /// Adds a mistake about two options that fio accepts only one of.
    pub(super) fn both(&self, one: &str, other: &str, state: &mut State) {
        let Some(option) = self.peek(other) else { return };
        let title = format!("{one} and {other} exclude each other");
        state.mistakes.push(Mistake::new(
            &option.place,
            title,
            "expected only one of them",
            "fio refuses a job with both",
        ));
    }

    /// The value as text, empty for a flag.
    pub(super) fn text(&self, key: &str, state: &mut State) -> Option<String> {
        self.ask(key, state).map(|option| option.value.clone().unwrap_or_default())
    }

    /// A switch: on if it has no value.
    pub(super) fn flag(&self, key: &str, state: &mut State) -> Option<bool> {
        let value = self.text(key, state)?;
        Some(value.is_empty() || number::leading(&value).is_some_and(|number| number > 0))
    }

    pub(super) fn whole(&self, key: &str, state: &mut State) -> Option<u64> {
        self.say_of_point(key, state);
        self.number(key, "a number", state, |text| number::bytes(number::before_point(text), 1024))
    }

    pub(super) fn amount(&self, key: &str, state: &mut State) -> Option<Amount> {
        self.number(key, "bytes or per cent, such as 1g or 25%", state, |text| number::amount(text, self.kb_base))
    }

    /// Nanoseconds; a number without a unit is in `bare` nanoseconds.
    pub(super) fn time(&self, key: &str, bare: u64, state: &mut State) -> Option<u64> {
        self.say_of_point(key, state);
        self.number(key, "a time, such as 30, 10m or 1h", state, |text| number::time(text, bare))
    }

    /// The longest of the times between which fio draws one, in nanoseconds; a number without a unit is in `bare`
    /// nanoseconds.
    pub(super) fn longest(&self, key: &str, bare: u64, state: &mut State) -> Option<u64> {
        self.say_of_point(key, state);
        self.number(key, "a time or two, such as 30 or 10-20", state, |text| {
            let ends = fields::of(text, Parted::Numbers).into_iter().flatten();
            ends.map(|end| number::time(end, bare)).collect::<Option<Vec<u64>>>()?.into_iter().max()
        })
    }

    /// Notes that nothing after a decimal point is read.
    fn say_of_point(&self, key: &str, state: &mut State) {
        if self.peek(key).and_then(|option| option.value.as_deref()).is_some_and(|value| value.contains('.')) {
            let why = "fio reads the whole number before the point, and nothing after it; drivelab does the same";
            self.say(key, Fate::Changed, why, state);
        }
    }

    /// Bytes of one part of a value.
    pub(super) fn part(&self, text: &str) -> Option<u64> {
        number::bytes(text, self.kb_base)
    }

    fn number<T>(&self, key: &str, expected: &str, state: &mut State, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let value = self.text(key, state)?;
        let found = read(&value);
        if found.is_none() {
            self.wrong(key, expected, state);
        }
        found
    }

    /// The engine; fio's default on Linux if none is stated.
    pub(super) fn engine(&self, state: &mut State) -> (Engine, String) {
        let name = self.text("ioengine", state).unwrap_or_else(|| "psync".to_owned());
        (engine(&name), name)
    }

    /// Whether it waits for all earlier jobs.
    pub(super) fn stonewalled(&self, state: &mut State) -> bool {
        self.flag("stonewall", state).unwrap_or(false)
    }
}

/// Adds a mistake at an option.
fn wrong_at(option: &Opt, expected: &str, state: &mut State) {
    let (key, value) = (&option.key, option.value.clone().unwrap_or_default());
    let help = match KEYWORDS.iter().find(|word| value.contains(**word)) {
        Some(word) => format!("write the number that {word} stands for: a methodology must be the same on every host"),
        None => format!("see {key} in fio's HOWTO"),
    };
    let title = format!("'{value}' is not a valid value of {key}");
    state.mistakes.push(Mistake::new(&option.place, title, format!("expected {expected}"), help));
}

/// The value of the option for one direction, if it states one: in the job, otherwise in the global options.
pub(super) fn field<'j>(job: &'j Job, key: &str, parted: Parted, direction: usize) -> Option<&'j str> {
    let said = job.all(key).filter_map(|option| fields::of(option.value.as_deref()?, parted)[direction]);
    said.last()
}
