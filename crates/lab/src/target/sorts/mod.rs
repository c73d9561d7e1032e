//! The kinds of targets, one file each, and the words that name a target which has no path.

pub(super) mod device;
pub(super) mod file;
pub(super) mod folder;
pub(super) mod memory;
pub(super) mod new_file;
pub(super) mod nop;

use super::place::{NOP, Place};
use super::refusals::nothing_behind;
use crate::failure::Result;

/// Makes a place of one kind.
type Kind = fn() -> Box<dyn Place>;

/// The words, each with its kind.
const WORDS: [(&str, Kind); 1] = [(NOP, || Box::new(nop::Nop))];

/// The place that a word names; `None` for a path.
pub(super) fn by_word(text: &str) -> Option<Result<Box<dyn Place>>> {
    let (word, place) = WORDS.iter().find(|(word, _)| text.starts_with(word))?;
    Some(if text == *word { Ok(place()) } else { Err(nothing_behind(word, text)) })
}

/// The word that was meant by a name without its colon.
pub(super) fn word_for(name: &str) -> Option<&'static str> {
    WORDS.iter().map(|(word, _)| *word).find(|word| word.trim_end_matches(':') == name)
}

#[cfg(test)]
mod tests;
