//! A methodology under construction, and its text.
//!
//! Owns the layout of the TOML that an import writes. Must not know: the tools whose files it is made from, or whether
//! the methodology is right.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::notes::{Fate, Note};
use crate::source::Source;
use crate::wrong::{Lines, Place, Texts};

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// The imported file states it.
    Stated,
    /// It is the other tool's default.
    Default,
    /// It is not a parameter, and takes no mark.
    Unmarked,
    /// It differs from what the other tool would do; the reason.
    Ours(String),
}

impl Origin {
    /// Stated by the file, or a default.
    pub(crate) const fn of(stated: bool) -> Origin {
        if stated { Origin::Stated } else { Origin::Default }
    }
}

/// Keys with their values as TOML, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Table {
    entries: Vec<(&'static str, String, Origin)>,
}

impl Table {
    /// States a value, given as TOML; a later value replaces an earlier one.
    pub(crate) fn set(&mut self, key: &'static str, toml: impl Into<String>, origin: Origin) {
        self.entries.retain(|(other, _, _)| *other != key);
        self.entries.push((key, toml.into(), origin));
    }

    /// States a value before all others.
    pub(crate) fn lead(&mut self, key: &'static str, toml: impl Into<String>, origin: Origin) {
        self.entries.retain(|(other, _, _)| *other != key);
        self.entries.insert(0, (key, toml.into(), origin));
    }

    /// States a key that takes no mark, before all others.
    pub(crate) fn first(&mut self, key: &'static str, toml: String) {
        self.entries.insert(0, (key, toml, Origin::Unmarked));
    }

    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.entries.iter().find(|(other, _, _)| *other == key).map(|(_, toml, _)| toml.as_str())
    }

    pub(crate) fn remove(&mut self, key: &str) {
        self.entries.retain(|(other, _, _)| *other != key);
    }

    /// The entries that have one of these keys.
    pub(crate) fn only(mut self, keys: &[&str]) -> Table {
        self.entries.retain(|(key, _, _)| keys.contains(key));
        self
    }

    /// The entries without marks, because a group takes none.
    fn write_entries(&self, text: &mut String) {
        for (key, toml, _) in &self.entries {
            let _ = writeln!(text, "{key} = {toml}");
        }
    }

    fn write(&self, at: &str, text: &mut String) {
        self.write_entries(text);
        self.marks(at, "source_of", text, |origin| match origin {
            Origin::Stated => Some(quoted("file")),
            Origin::Default => Some(quoted("defaults")),
            Origin::Ours(_) | Origin::Unmarked => None,
        });
        self.marks(at, "approximation", text, |origin| match origin {
            Origin::Ours(why) => Some(quoted(why)),
            _ => None,
        });
    }

    fn marks(&self, at: &str, kind: &str, text: &mut String, of: impl Fn(&Origin) -> Option<String>) {
        let marks: Vec<String> = self
            .entries
            .iter()
            .filter_map(|(key, _, origin)| of(origin).map(|mark| format!("{key} = {mark}\n")))
            .collect();
        if !marks.is_empty() {
            let _ = write!(text, "\n[{at}.{kind}]\n{}", marks.concat());
        }
    }
}

/// Bytes of a file if the imported file states none.
pub(crate) const FILE_SIZE: u64 = 4 << 30;

/// A test with the loads beside its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Test {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) purpose: String,
    pub(crate) main: Table,
    pub(crate) beside: Vec<Group>,
    /// Where the test comes from, and its own load.
    pub(crate) places: Places,
}

/// A load beside a test's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) table: Table,
    /// Where it comes from.
    pub(crate) places: Places,
}

/// Where the keys of a load come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places {
    /// The load itself, for keys without a place of their own.
    pub(crate) all: Place,
    /// Single keys.
    pub(crate) keys: Vec<(&'static str, Place)>,
}

impl Places {
    /// Where a key was stated.
    fn of(&self, key: &str) -> &Place {
        self.keys.iter().find(|(known, _)| *known == key).map_or(&self.all, |(_, place)| place)
    }
}

/// Defaults that a group states, because it would otherwise take over values from its test that it does not have.
const RESETS: [(&str, &str); 12] = [
    ("threads", "1"),
    ("streams", "\"disjoint\""),
    ("span", "\"100 %\""),
    ("locality", "\"uniform\""),
    ("seek_percent", "0"),
    ("sync_every", "0"),
    ("data", "\"incompressible\""),
    ("compress_percent", "0"),
    ("dedup_percent", "0"),
    ("bursts", "{ on = \"1 s\", off = \"0 s\" }"),
    ("verify", "\"off\""),
    ("seed", "1"),
];

impl Table {
    /// Completes a group so that it takes over from the test's own load only values that both of them state.
    pub(crate) fn stand_alone(&mut self, main: &Table) {
        for (key, toml) in RESETS {
            if main.get(key).is_some() && self.get(key).is_none() {
                self.set(key, toml, Origin::Unmarked);
            }
        }
        let ordered = self.get("pattern").is_some_and(|pattern| !pattern.contains("random"));
        if let Some(block) = self.get("block_size").map(str::to_owned)
            && main.get("stride").is_some()
            && self.get("stride").is_none()
            && ordered
        {
            self.set("stride", block, Origin::Unmarked);
        }
        if main.get("arrivals").is_some() && self.get("rate").is_some() && self.get("arrivals").is_none() {
            self.set("arrivals", "\"constant\"", Origin::Unmarked);
        }
    }

    /// Runs at full speed, whatever rate or pause the test's own load has.
    pub(crate) fn unpaced(&mut self, main: &Table) {
        let paced = main.get("rate").or(main.get("think_time")).is_some();
        if paced && self.get("rate").or(self.get("think_time")).is_none() {
            self.set("think_time", "\"0 s\"", Origin::Unmarked);
        }
    }
}

/// A step of the preparation: its action and its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prepare {
    pub(crate) action: &'static str,
    pub(crate) table: Table,
}

/// The whole methodology.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    pub(crate) name: String,
    pub(crate) title: String,
    /// Kind of the imported file: `fio job file`.
    pub(crate) what: &'static str,
    /// Its name, without the folder.
    pub(crate) file: String,
    /// Where the other tool documents its defaults.
    pub(crate) defaults: &'static str,
    /// Bytes of the target; `None` for all of a device.
    pub(crate) size: Option<u64>,
    pub(crate) minimum: u64,
    pub(crate) as_found: bool,
    /// Fills the target before everything else.
    pub(crate) fill: bool,
    /// Preparation that the imported file states, after that fill.
    pub(crate) prepare: Vec<Prepare>,
    pub(crate) tests: Vec<Test>,
}

impl Draft {
    /// The methodology as TOML, with the options that were not carried over as comments.
    pub(crate) fn toml(&self, notes: &[Note]) -> String {
        let mut text = format!(
            "# Made by `drivelab methods import` of the {} {}. The language: docs/methodology-language.md.\n",
            self.what, self.file
        );
        for (fate, head) in [
            (Fate::Lost, "Not carried over:"),
            (Fate::Changed, "Carried over with a difference:"),
            (Fate::NoEffect, "Without effect on the load:"),
        ] {
            let lines: Vec<String> = notes.iter().filter(|note| note.fate == fate).map(Note::text).collect();
            if !lines.is_empty() {
                let _ = writeln!(text, "#\n# {head}");
                lines.iter().for_each(|line| text.push_str(&comment(line)));
            }
        }
        self.head(&mut text);
        for test in &self.tests {
            let _ = write!(
                text,
                "\n[[tests]]\nname = {}\ntitle = {}\npurpose = {}\nsources = [\"file\"]\n",
                quoted(&test.name),
                quoted(&test.title),
                quoted(&test.purpose)
            );
            test.main.write("tests", &mut text);
            for Group { name, table, .. } in &test.beside {
                let _ = write!(text, "\n[[tests.groups]]\nname = {}\n", quoted(name));
                table.write_entries(&mut text);
            }
        }
        text
    }

    /// The origins of the lines of that text.
    pub(crate) fn origins(&self, toml: &str, texts: &Texts) -> Vec<(usize, Source)> {
        let lines = Lines::of(texts);
        let source = |place: &Place| Source {
            file: (place.text > 0).then(|| texts.get(place.text).map(|(name, _)| name.clone())).flatten(),
            line: lines.line(place),
        };
        let (mut tests, mut groups) = (self.tests.iter(), [].iter());
        let mut current: Option<&Places> = None;
        let mut found = Vec::new();
        for (number, text) in (1..).zip(toml.lines()) {
            match text {
                "[[tests]]" => {
                    let test = tests.next();
                    groups = test.map_or(&[][..], |test| &test.beside[..]).iter();
                    current = test.map(|test| &test.places);
                }
                "[[tests.groups]]" => current = groups.next().map(|group| &group.places),
                _ => {}
            }
            let Some(places) = current else { continue };
            let key = text.split_once(" = ").map_or("", |(key, _)| key);
            found.push((number, source(places.of(key))));
        }
        found
    }

    fn head(&self, text: &mut String) {
        let lost = "the options that were not carried over are at the head of the file";
        let _ = write!(
            text,
            "format = 1\nname = {}\ntitle = {}\nversion = \"1.0.0\"\nsummary = {}\ngood_for = {}\ncannot_tell = {}\n",
            quoted(&self.name),
            quoted(&self.title),
            quoted(&format!("The loads of the {} {}.", self.what, self.file)),
            quoted(&format!("Measuring with drivelab what the {} {} describes.", self.what, self.file)),
            quoted(&format!("What exactly the other tool would have measured: {lost}.")),
        );
        let _ = write!(
            text,
            "\n[[sources]]\nid = \"file\"\ncitation = {}\n\n[[sources]]\nid = \"defaults\"\ncitation = {}\n",
            quoted(&format!("{} {}", self.what, self.file)),
            quoted(self.defaults)
        );
        text.push_str("\n[target]\nkind = \"file_or_block\"\n");
        match self.size {
            Some(size) => {
                let _ = writeln!(text, "size = {}", quoted(&bytes(size)));
            }
            None => {
                text.push_str("# The file states no size: the whole device, or a file of our own size.\n");
                let file = FILE_SIZE.max(self.minimum);
                let _ = writeln!(text, "size = \"100 %\"\nfile_size = {}", quoted(&bytes(file)));
            }
        }
        let _ = writeln!(text, "minimum_size = {}", quoted(&bytes(self.minimum)));
        if self.as_found {
            text.push_str("content = \"as_found\"\n");
        }
        text.push_str("\n[forms.faithful]\n");
        if self.fill {
            text.push_str("\n[[prepare]]\naction = \"fill\"\nsources = [\"defaults\"]\n");
        }
        for Prepare { action, table } in &self.prepare {
            let _ = write!(text, "\n[[prepare]]\naction = {}\nsources = [\"file\"]\n", quoted(action));
            table.write("prepare", text);
        }
    }
}

/// A comment line, folded if it is long.
fn comment(line: &str) -> String {
    const MOST: usize = 116;
    let mut text = String::new();
    let mut current = String::from("#   ");
    for word in line.split(' ') {
        let word: String = word.chars().filter(|sign| !sign.is_control()).collect();
        if current.len() + word.len() > MOST && current.trim_start_matches(['#', ' ']).len() > 1 {
            let _ = writeln!(text, "{}", current.trim_end());
            current = String::from("#     ");
        }
        current.push_str(&word);
        current.push(' ');
    }
    let _ = writeln!(text, "{}", current.trim_end());
    text
}

/// Text as TOML.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for sign in text.chars() {
        match sign {
            '"' | '\\' => out.extend(['\\', sign]),
            '\t' => out.push_str("\\t"),
            sign if sign.is_control() => out.push(' '),
            sign => out.push(sign),
        }
    }
    out.push('"');
    out
}

/// Bytes as text that is parsed back exactly.
pub(crate) fn bytes(value: u64) -> String {
    drivelab_core::units::Bytes::new(value).to_string()
}

/// Nanoseconds as text that is parsed back exactly.
pub(crate) fn time(nanos: u64) -> String {
    drivelab_core::units::Nanos::new(nanos).to_string()
}

/// Longest short name that the language accepts.
const LONGEST: usize = 40;
/// Most characters of it before a hyphen and a number.
const NUMBERED: usize = 4;

/// A short name: lower-case letters, digits and single hyphens; `otherwise` if nothing is left.
pub(crate) fn slug(text: &str, otherwise: &str) -> String {
    let mapped: String =
        text.chars().map(|sign| if sign.is_ascii_alphanumeric() { sign.to_ascii_lowercase() } else { ' ' }).collect();
    let words: Vec<&str> = mapped.split_whitespace().collect();
    let whole = words.join("-");
    let cut = beginning(&whole, LONGEST - NUMBERED);
    if cut.is_empty() { otherwise.to_owned() } else { cut.to_owned() }
}

/// The first `most` characters of a short name, without hyphens at the end.
fn beginning(name: &str, most: usize) -> &str {
    name.get(..most.min(name.len())).unwrap_or_default().trim_end_matches('-')
}

/// The name with a number after it, cut so that both together are not too long.
fn numbered(base: &str, number: u64) -> String {
    let number = format!("-{number}");
    format!("{}{number}", beginning(base, LONGEST - number.len()))
}

/// Names that were given, so that each is given only once, and the lowest number for each that may still be free.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeMap<String, u64>);

/// The first number that is added to a name.
const SECOND: u64 = 2;

impl Names {
    /// Reserved names.
    pub(crate) fn without(taken: &[&str]) -> Names {
        Names(taken.iter().map(|name| ((*name).to_owned(), SECOND)).collect())
    }

    /// The slug of a text, with a number if it is already used.
    pub(crate) fn give(&mut self, text: &str) -> String {
        let base = slug(text, "job");
        let Some(mut number) = self.0.get(&base).copied() else {
            self.0.insert(base.clone(), SECOND);
            return base;
        };
        let mut name = numbered(&base, number);
        while self.0.contains_key(&name) {
            number += 1;
            name = numbered(&base, number);
        }
        self.0.insert(base, number + 1);
        self.0.insert(name.clone(), SECOND);
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_given_many_times_stays_short_and_is_given_once() {
        let mut names = Names::default();
        let long = "a name that is much longer than what the language takes for one";
        let given: Vec<String> = (0..2500).map(|_| names.give(long)).collect();
        assert!(given.iter().all(|name| name.len() <= LONGEST), "{:?}", given.last());
        assert_eq!(given[0].len(), LONGEST - NUMBERED);
        let different: std::collections::BTreeSet<&String> = given.iter().collect();
        assert_eq!(different.len(), given.len());
        assert_eq!(numbered("a-b", 12), "a-b-12");
    }
}
