//! Files of other tools: fio job files and Vdbench parameter files become methodologies; a plan becomes a fio job file.
//!
//! Owns: the grammars of those files, what each of their options means here, and the list of what cannot be carried
//! over. Must not know: the file system (the caller provides included files and variables), devices, running. The
//! result is text in the methodology language; the parser of that language decides whether it is right. Facts: fio's
//! HOWTO and parser (project axboe/fio); Vdbench Users Guide 5.04.07.
#![forbid(unsafe_code)]

mod bounds;
mod draft;
pub mod fio;
mod notes;
mod source;
pub mod vdbench;
mod wrong;

pub use notes::{Fate, Note};
pub use source::Source;
pub use wrong::{Mistake, Wrong, plain};

use draft::Draft;
use notes::Notes;
use wrong::Texts;

/// What a file may need from the place where it is read.
pub struct Surroundings<'a> {
    /// The value of an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The text of a file that the file includes, or the reason why it cannot be read.
    pub include: &'a dyn Fn(&str) -> Result<String, String>,
}

/// A methodology made from another tool's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The methodology, as TOML.
    pub toml: String,
    /// What became of options that are not simply carried over, in the order of the file.
    pub notes: Vec<Note>,
    /// Number of options that are in the methodology.
    pub carried: usize,
    /// The origins of the methodology's lines: a line, from 1, and the place that applies from there on.
    pub origins: Vec<(usize, Source)>,
}

impl Imported {
    /// The origin of this line of the methodology, if it is a single place.
    #[must_use]
    pub fn origin(&self, line: usize) -> Option<&Source> {
        self.origins.iter().rev().find(|(from, _)| *from <= line).map(|(_, source)| source)
    }
}

/// A name for the methodology, from the name of a file: lower-case letters, digits and single hyphens.
#[must_use]
pub fn method_name(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
    draft::slug(stem, "imported")
}

/// What is collected during an import.
#[derive(Debug, Default)]
struct State {
    texts: Texts,
    notes: Notes,
    mistakes: Vec<Mistake>,
}

impl State {
    /// The methodology with a note on each option, or what is wrong.
    fn end(self, draft: &Draft) -> Result<Imported, Wrong> {
        let State { texts, notes, mistakes } = self;
        if !mistakes.is_empty() {
            return Err(Wrong::new(texts, mistakes));
        }
        let carried = notes.carried();
        let notes = notes.list(&texts);
        let toml = draft.toml(&notes);
        let origins = draft.origins(&toml, &texts);
        Ok(Imported { toml, notes, carried, origins })
    }
}
