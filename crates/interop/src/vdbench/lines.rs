//! The lines of a parameter file: definitions of storage, workloads and runs, each with its parameters.
//!
//! Owns the grammar: comments, continuation, lists in parentheses, abbreviated keys, `default` definitions. Must not
//! know: what parameters mean.

use std::collections::BTreeMap;

use crate::wrong::{Mistake, Place};
use crate::{State, Surroundings};

/// Keys that begin a definition.
const KINDS: [&str; 7] = ["hd", "sd", "wd", "rd", "fsd", "fwd", "rg"];

/// The parameters of each kind of definition, in the order in which an abbreviation is matched.
const KEYS: [(&str, &str); 3] = [
    (
        "sd",
        "host hd lun count size threads hitarea offset align kstat instance replay journal resetlun resetbus \
            openflags range dedupratio dedupunit dedupsets streams",
    ),
    (
        "wd",
        "sd skew xfersize readpct rdpct writepct wrpct range hotband seekpct stride priority iorate rhpct whpct \
            host hd openflags user threads streams",
    ),
    (
        "rd",
        "sd wd iorate maxdata curve stopcurve elapsed interval warmup replay pause distribution startcmd start_cmd \
            endcmd end_cmd format openflags forxfersize forthreads forrdpct forreadpct forseekpct forhitarea \
            forrhpct forwhpct forcompratio xfersize rdpct readpct seekpct threads range hotband rhpct whpct skew",
    ),
];

/// `key=value` or `key=(value,value)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Param {
    /// The full key.
    pub(super) key: String,
    pub(super) values: Vec<String>,
    pub(super) place: Place,
    pub(super) written: String,
}

/// A definition; it begins with the parameters of the `default` definitions before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// `sd`, `wd`, `rd` and so on; for a general parameter, its key.
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) written: String,
    pub(super) params: Params,
}

/// Parameters in order, and the index of the last one of each key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Params {
    all: Vec<Param>,
    last: BTreeMap<String, usize>,
}

impl Params {
    fn add(&mut self, param: Param) {
        self.last.insert(param.key.clone(), self.all.len());
        self.all.push(param);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Param> {
        self.all.iter()
    }
}

impl Entry {
    /// The parameter; the last one if it appears several times.
    pub(super) fn get(&self, key: &str) -> Option<&Param> {
        self.params.last.get(key).map(|at| &self.params.all[*at])
    }

    /// Whether a later parameter replaces this one.
    pub(super) fn replaces(&self, param: &Param) -> bool {
        self.get(&param.key).is_some_and(|last| !std::ptr::eq(last, param))
    }

    /// Whether it begins a definition with a name, rather than being a parameter of the whole file.
    pub(super) fn is_definition(&self) -> bool {
        KINDS.contains(&self.kind.as_str())
    }
}

/// All definitions in order; mistakes are added to the state.
pub(super) fn read(file: &str, text: &str, around: &Surroundings<'_>, state: &mut State) -> Vec<Entry> {
    let mut params = Vec::new();
    read_text(file, text, around, state, &mut params, 0);
    let entries = entries(params);
    if entries.is_empty() && state.mistakes.is_empty() {
        let help = "a parameter file has lines such as sd=sd1,lun=/dev/sdx and wd=wd1,sd=sd1 and rd=run1,wd=wd1";
        let place = Place::new(0, 0..0);
        state.mistakes.push(Mistake::new(
            &place,
            "this is not a Vdbench parameter file",
            "expected sd=, wd=, rd=",
            help,
        ));
    }
    entries
}

fn read_text(
    file: &str,
    text: &str,
    around: &Surroundings<'_>,
    state: &mut State,
    params: &mut Vec<Param>,
    depth: usize,
) {
    let number = state.texts.len();
    let text = &*crate::wrong::plain(text);
    state.texts.push((file.to_owned(), text.to_owned()));
    let mut start = 0;
    for line in text.split('\n') {
        let trimmed = line.trim();
        let begin = start + (line.len() - line.trim_start().len());
        start += line.len() + 1;
        if trimmed == "eof" {
            break;
        }
        if trimmed.is_empty() || trimmed.starts_with(['/', '#', '*']) {
            continue;
        }
        match trimmed.strip_prefix("include=") {
            Some(_) if depth > 0 => {
                let place = Place::new(number, begin..begin + trimmed.len());
                let title = "an included file includes another";
                state.mistakes.push(Mistake::new(&place, title, "Vdbench does not allow this", "include both here"));
            }
            Some(name) => match (around.include)(name.trim()) {
                Ok(text) => read_text(name.trim(), &text, around, state, params, depth + 1),
                Err(why) => {
                    let place = Place::new(number, begin..begin + trimmed.len());
                    let title = format!("the included file '{}' cannot be read: {why}", name.trim());
                    state.mistakes.push(Mistake::new(
                        &place,
                        title,
                        "expected a file in the folder of this one",
                        "check its name",
                    ));
                }
            },
            None => line_of(trimmed, number, begin, params, &mut state.mistakes),
        }
    }
}

/// The parameters of one line; text after a blank is a comment, but after a comma the line continues.
fn line_of(line: &str, text: usize, begin: usize, params: &mut Vec<Param>, mistakes: &mut Vec<Mistake>) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        while at < bytes.len() && (bytes[at] == b',' || bytes[at].is_ascii_whitespace()) {
            at += 1;
        }
        let start = at;
        let (mut open, mut quoted) = (0_usize, false);
        while at < bytes.len() {
            match bytes[at] {
                b'"' => quoted = !quoted,
                b'(' if !quoted => open += 1,
                b')' if !quoted => open = open.saturating_sub(1),
                b',' if open == 0 && !quoted => break,
                byte if byte.is_ascii_whitespace() && open == 0 && !quoted => break,
                _ => {}
            }
            at += 1;
        }
        let token = &line[start..at];
        if token.is_empty() {
            return;
        }
        let place = Place::new(text, begin + start..begin + at);
        match (token.split_once('='), open) {
            (Some((key, value)), 0) if !key.is_empty() => params.push(param(key, value, place, token)),
            (_, 1..) => {
                let help = "a list looks like xfersize=(4k,60,64k,40)";
                return mistakes.push(Mistake::new(&place, "a list without its end", "expected )", help));
            }
            _ => {
                let help = "parameters look like rdpct=70, comments begin with * or # or follow a blank";
                let title = format!("'{token}' is not a parameter");
                return mistakes.push(Mistake::new(&place, title, "expected key=value", help));
            }
        }
        // A blank ends the line, unless a comma comes before it.
        if at < bytes.len() && bytes[at] != b',' {
            return;
        }
    }
}

fn param(key: &str, value: &str, place: Place, written: &str) -> Param {
    let inner = value.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(value);
    let values = inner.split(',').map(|one| one.trim().trim_matches('"').to_owned()).collect();
    Param { key: key.trim().to_ascii_lowercase(), values, place, written: written.to_owned() }
}

/// The definitions, each with its parameters and those of the earlier defaults.
fn entries(params: Vec<Param>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut defaults: BTreeMap<String, Params> = BTreeMap::new();
    for param in params {
        // `rd=run1,wd=wd1`: a definition key inside a run does not begin a definition.
        let inside = entries.last().is_some_and(|entry| inside(&entry.kind, &param.key, entry));
        if KINDS.contains(&param.key.as_str()) && !inside {
            let name = param.values.first().cloned().unwrap_or_default();
            close(&mut entries, &mut defaults);
            let params = defaults.get(&param.key).cloned().unwrap_or_default();
            entries.push(Entry { kind: param.key, name, place: param.place, written: param.written, params });
            continue;
        }
        match entries.last_mut().filter(|entry| entry.is_definition()) {
            Some(entry) => {
                let key = full(&entry.kind, &param.key);
                entry.params.add(Param { key, ..param });
            }
            None => {
                let name = param.values.first().cloned().unwrap_or_default();
                let (kind, place, written) = (param.key.clone(), param.place.clone(), param.written.clone());
                let mut params = Params::default();
                params.add(param);
                entries.push(Entry { kind, name, place, written, params });
            }
        }
    }
    close(&mut entries, &mut defaults);
    entries
}

/// Whether `sd=`, `wd=` and the like name what the open definition uses: once in each, right after its beginning or
/// later, if the definition can have it.
fn inside(kind: &str, key: &str, entry: &Entry) -> bool {
    let used = matches!(
        (kind, key),
        ("wd", "sd" | "hd") | ("rd", "wd" | "sd" | "fwd" | "fsd") | ("sd" | "fsd", "hd" | "rg") | ("fwd", "fsd" | "hd")
    );
    let same_line = |param: &Param| param.place.text == entry.place.text;
    used && !entry.params.iter().any(|param| param.key == key && same_line(param) && param.place > entry.place)
}

/// Keeps the parameters of a `default` definition for later definitions.
fn close(entries: &mut Vec<Entry>, defaults: &mut BTreeMap<String, Params>) {
    if let Some(entry) = entries.pop_if(|entry| entry.name == "default" && entry.is_definition()) {
        defaults.insert(entry.kind, entry.params);
    }
}

/// The full key; a key that no parameter begins with is unchanged.
fn full(kind: &str, key: &str) -> String {
    let keys = KEYS.iter().find(|(one, _)| *one == kind).map_or("", |(_, keys)| keys);
    let all = || keys.split_whitespace();
    let found = all().find(|one| *one == key).or_else(|| all().find(|one| one.starts_with(key)));
    match found.unwrap_or(key) {
        "readpct" => "rdpct",
        "wrpct" => "writepct",
        "forreadpct" => "forrdpct",
        other => other,
    }
    .to_owned()
}
