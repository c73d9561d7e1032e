//! The lines of a job file: sections, options, comments, includes and variables.
//!
//! Owns the grammar. Must not know: what options mean, except those whose values name files, in which an unset
//! variable is harmless.

use super::State;
use crate::Surroundings;
use crate::wrong::{Mistake, Place};

/// Deepest nesting of includes.
const DEEPEST: usize = 8;
/// Most files in total: a file that includes itself twice would double the number with every level.
const MOST_FILES: usize = 32;

/// Options whose value does not affect the load, so that a variable in it may be unknown.
const NAMES: [&str; 7] =
    ["filename", "directory", "name", "description", "exec_prerun", "exec_postrun", "write_bw_log"];

/// `key=value` or `key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Opt {
    pub(super) key: String,
    pub(super) value: Option<String>,
    pub(super) place: Place,
    /// As written, without comment.
    pub(super) written: String,
}

/// `[name]` and the options below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) options: Vec<Opt>,
}

/// All sections in order; mistakes are added to the state.
pub(super) fn read(file: &str, text: &str, around: &Surroundings<'_>, state: &mut State) -> Vec<Section> {
    let mut reader = Reader { around, state, sections: Vec::new() };
    reader.text(file, text, 0);
    let sections = std::mem::take(&mut reader.sections);
    if sections.is_empty() && state.mistakes.is_empty() {
        let place = Place::new(0, 0..0);
        let help = "a job file begins with a section, such as [global], and has options such as rw=randread below it";
        state.mistakes.push(Mistake::new(&place, "this is not a fio job file", "expected [name]", help));
    }
    sections
}

struct Reader<'a, 's> {
    around: &'a Surroundings<'a>,
    state: &'s mut State,
    sections: Vec<Section>,
}

impl Reader<'_, '_> {
    fn text(&mut self, name: &str, text: &str, depth: usize) {
        let number = self.state.texts.len();
        let text = crate::wrong::plain(text);
        self.state.texts.push((name.to_owned(), text.clone()));
        let mut start = 0;
        for line in text.split('\n') {
            self.line(line, number, start, depth);
            start += line.len() + 1;
        }
    }

    fn wrong(&mut self, place: &Place, title: impl Into<String>, label: &str, help: &str) {
        self.state.mistakes.push(Mistake::new(place, title, label, help));
    }

    fn line(&mut self, line: &str, text: usize, start: usize, depth: usize) {
        // As in fio, a comment begins at any of these characters, wherever they are.
        let content = line.split([';', '#']).next().unwrap_or_default();
        let trimmed = content.trim();
        if trimmed.is_empty() {
            return;
        }
        let begin = start + (content.len() - content.trim_start().len());
        let place = Place::new(text, begin..begin + trimmed.len());
        if let Some(rest) = trimmed.strip_prefix('[') {
            match rest.split_once(']') {
                Some((name, _)) if name.trim().is_empty() => {
                    self.wrong(&place, "a section without a name", "expected a name", "write [global] or [name]");
                }
                Some((_, behind)) if !behind.trim().is_empty() => {
                    let help = "write it on a line of its own, or after ; or # as a comment";
                    self.wrong(&place, "text after the name of a section", "expected nothing after ]", help);
                }
                Some((name, _)) => {
                    self.sections.push(Section { name: name.trim().to_owned(), place, options: Vec::new() });
                }
                None => self.wrong(&place, "a section without its end", "expected ]", "write [name]"),
            }
            return;
        }
        if let Some(file) = trimmed.strip_prefix("include ") {
            return self.include(file.trim(), &place, depth);
        }
        self.option(trimmed, place);
    }

    fn option(&mut self, trimmed: &str, place: Place) {
        let (key, value) = match trimmed.split_once('=') {
            Some((key, value)) => (key.trim(), Some(value.trim())),
            None => (trimmed, None),
        };
        let odd = |sign: char| !(sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-'));
        if key.is_empty() || key.contains(odd) {
            let help = "options look like rw=randread or stonewall; comments begin with ; or #";
            return self.wrong(
                &place,
                format!("'{trimmed}' is not an option of a job file"),
                "expected key=value",
                help,
            );
        }
        let key = key.to_ascii_lowercase();
        let value = match value {
            Some(value) => match self.expanded(&key, value, &place) {
                Some(value) => Some(value),
                None => return,
            },
            None => None,
        };
        let option = Opt { key, value, place, written: trimmed.to_owned() };
        match self.sections.last_mut() {
            Some(section) => section.options.push(option),
            None => {
                let help = "write [global] above it for all jobs, or [name] for one";
                self.wrong(&option.place, "an option before any section", "expected [name] first", help);
            }
        }
    }

    fn include(&mut self, file: &str, place: &Place, depth: usize) {
        if depth >= DEEPEST {
            return self.wrong(
                place,
                "includes are nested too deep",
                "the file may include itself",
                "break the circle",
            );
        }
        if self.state.texts.len() >= MOST_FILES {
            let title = format!("more than {MOST_FILES} files are included");
            return self.wrong(place, title, "one of them may include itself", "put everything into one file");
        }
        match (self.around.include)(file) {
            Ok(text) => self.text(file, &text, depth + 1),
            Err(why) => {
                let title = format!("the included file '{file}' cannot be read: {why}");
                self.wrong(place, title, "expected a file in the folder of this one", "check its name and folder");
            }
        }
    }

    /// The value with `${VAR}` replaced; `None` and a mistake if a variable is not set.
    fn expanded(&mut self, key: &str, value: &str, place: &Place) -> Option<String> {
        let mut out = String::new();
        let mut rest = value;
        while let Some((before, behind)) = rest.split_once("${") {
            let (name, after) = behind.split_once('}').unwrap_or((behind, ""));
            out.push_str(before);
            match (self.around.variable)(name) {
                Some(value) => out.push_str(&value),
                None if NAMES.contains(&key) => out.push_str(&format!("${{{name}}}")),
                None => {
                    let help = format!("set it as for fio: {name}=… drivelab methods import FILE");
                    self.wrong(place, format!("the variable {name} is not set"), "its value is needed here", &help);
                    return None;
                }
            }
            rest = after;
        }
        out.push_str(rest);
        Some(out)
    }
}
