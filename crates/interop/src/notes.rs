//! What became of the options of another tool's file: the list that an import returns with the methodology.
//!
//! Owns that nothing is dropped silently: an option is carried over, or it has a note. Must not know: any tool.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use drivelab_core::excerpt::{LONGEST_SHOWN, shortened};

use crate::wrong::{LONGEST, Lines, Place, Texts};

/// What became of an option; the later ones are worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It is in the methodology.
    Carried,
    /// It does not affect the load: logs, names, reports.
    NoEffect,
    /// It is in the methodology, with a slightly different meaning.
    Changed,
    /// It is not in the methodology, and the load differs because of that.
    Lost,
}

/// What became of one option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The file, if it is an included one.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: usize,
    /// The option as written, shortened if it is long.
    pub option: String,
    /// What became of it.
    pub fate: Fate,
    /// Why, and what replaces it.
    pub why: String,
}

impl Note {
    /// `line 12: fsync=8: why`.
    #[must_use]
    pub fn text(&self) -> String {
        let file = self.file.as_ref().map(|file| format!("{file} ")).unwrap_or_default();
        format!("{file}line {}: {}: {}", self.line, self.option, self.why)
    }
}

/// The options of a file with what became of them; the worst note of any job counts.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    options: BTreeMap<Place, Told>,
    /// The jobs that an option with a note applies to, by the places of their sections.
    holders: BTreeMap<Place, BTreeSet<Place>>,
}

/// The notes on an option.
#[derive(Debug)]
struct Told {
    /// As written.
    option: String,
    fate: Fate,
    /// So far it was only overridden. If it applies in another run, that counts instead.
    only_overridden: bool,
    whys: Vec<Why>,
    /// The index of each reason: a global option may have one for each job.
    places: HashMap<String, usize>,
}

impl Told {
    fn new(option: &str, fate: Fate) -> Told {
        Told { option: option.to_owned(), fate, only_overridden: false, whys: Vec::new(), places: HashMap::new() }
    }

    /// Adds a job, or all jobs, to those that give a reason.
    fn add(&mut self, why: String, job: Option<(Place, String)>) {
        let known = self.places.get(&why).and_then(|at| self.whys.get_mut(*at));
        match (known, job) {
            (None, job) => {
                self.places.insert(why.clone(), self.whys.len());
                let places = job.iter().map(|(place, _)| place.clone()).collect();
                self.whys.push(Why { text: why, jobs: job.into_iter().collect(), places });
            }
            (Some(known), None) => known.jobs.clear(),
            (Some(known), Some(job)) => {
                if !known.jobs.is_empty() && known.places.insert(job.0.clone()) {
                    known.jobs.push(job);
                }
            }
        }
    }
}

/// A reason, and which jobs give it.
#[derive(Debug)]
struct Why {
    text: String,
    /// Place and name of each job; empty if the reason applies to all.
    jobs: Vec<(Place, String)>,
    /// The places of these jobs.
    places: BTreeSet<Place>,
}

/// Most jobs that a reason names.
const NAMED: usize = 4;

impl Notes {
    /// Notes what became of an option, for every job.
    pub(crate) fn say(&mut self, place: &Place, option: &str, fate: Fate, why: impl Into<String>) {
        self.put(place, option, fate, (why.into(), None));
    }

    /// Notes what became of an option in one job, which has this section and name.
    pub(crate) fn say_of(
        &mut self,
        (section, name): (&Place, &str),
        (place, option): (&Place, &str),
        fate: Fate,
        why: impl Into<String>,
    ) {
        self.put(place, option, fate, (why.into(), Some((section.clone(), name.to_owned()))));
    }

    /// Notes that another value overrides an option, which then has no effect unless it applies elsewhere.
    pub(crate) fn say_overridden(&mut self, place: &Place, option: &str, why: &str) {
        self.options.entry(place.clone()).or_insert_with(|| {
            let mut told = Told::new(option, Fate::NoEffect);
            told.only_overridden = true;
            told.add(why.to_owned(), None);
            told
        });
    }

    fn put(&mut self, place: &Place, option: &str, fate: Fate, (why, job): (String, Option<(Place, String)>)) {
        let told = self.options.entry(place.clone()).or_insert_with(|| Told::new(option, fate));
        if fate > told.fate || told.only_overridden {
            *told = Told::new(&told.option, fate);
        }
        if fate == told.fate && !why.is_empty() {
            told.add(why, job);
        }
    }

    /// An option applies to the job of this section.
    pub(crate) fn holds_for(&mut self, option: &Place, section: &Place) {
        self.holders.entry(option.clone()).or_default().insert(section.clone());
    }

    /// The job of this section is left out, so its options no longer apply to it.
    pub(crate) fn forget<'o>(&mut self, section: &Place, options: impl Iterator<Item = &'o Place>) {
        for option in options {
            if let Some(jobs) = self.holders.get_mut(option) {
                jobs.remove(section);
            }
        }
    }

    /// The reason, after the names of the jobs unless it applies to all jobs that have the option.
    fn words(&self, option: &Place, why: &Why) -> String {
        let all = self.holders.get(option).map_or(0, BTreeSet::len);
        if why.jobs.is_empty() || why.jobs.len() >= all {
            return why.text.clone();
        }
        let names: Vec<String> = why.jobs.iter().take(NAMED).map(|(_, name)| format!("[{name}]")).collect();
        let more = if why.jobs.len() > NAMED { ", …" } else { "" };
        format!("{}{more}: {}", names.join(", "), why.text)
    }

    /// Whether the option has a note.
    pub(crate) fn knows(&self, place: &Place) -> bool {
        self.options.contains_key(place)
    }

    /// Number of options in the methodology, with a difference or without.
    pub(crate) fn carried(&self) -> usize {
        self.options.values().filter(|told| matches!(told.fate, Fate::Carried | Fate::Changed)).count()
    }

    /// All options that are not simply carried over.
    pub(crate) fn list(&self, texts: &Texts) -> Vec<Note> {
        let lines = Lines::of(texts);
        let told = self.options.iter().filter(|(_, told)| told.fate != Fate::Carried);
        told.map(|(place, Told { option, fate, whys, .. })| Note {
            file: (place.text > 0).then(|| texts.get(place.text).map(|(name, _)| name.clone())).flatten(),
            line: lines.line(place),
            option: shortened(option, LONGEST_SHOWN),
            fate: *fate,
            why: whys.iter().map(|why| shortened(&self.words(place, why), LONGEST)).collect::<Vec<String>>().join("; "),
        })
        .collect()
    }
}
