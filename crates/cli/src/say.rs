//! Messages go to stderr, data to stdout; neither ever panics because a terminal or a pipe disappeared.

use std::io::Write;

use drivelab_core::excerpt::LONGEST_SHOWN;
use drivelab_core::exit::ExitCode;
use drivelab_lab::{Failure, Result};

/// One line on stderr; a missing stderr (the terminal was closed) is no reason to stop measuring.
pub fn line(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Lines on stderr with values from the command line or a file, which may have any length: long words are cut.
pub fn cut(text: &str) {
    line(&without_long_words(text));
}

/// The text, every word cut to [`LONGEST_SHOWN`] characters.
fn without_long_words(text: &str) -> String {
    text.split_inclusive(char::is_whitespace).map(word_shown).collect()
}

/// The word and the whitespace after it, cut to [`LONGEST_SHOWN`] characters.
fn word_shown(word: &str) -> std::borrow::Cow<'_, str> {
    let bare = word.trim_end();
    if bare.len() <= LONGEST_SHOWN {
        return word.into();
    }
    // Colour codes are not letters, and a colour that is switched on inside the word must not continue after it.
    let letters = anstream::adapter::strip_str(bare).to_string();
    let Some((end, _)) = letters.char_indices().nth(LONGEST_SHOWN) else { return word.into() };
    let colours_off = if letters.len() < bare.len() { "\x1b[0m" } else { "" };
    format!("{}…{colours_off}{}", &letters[..end], &word[bare.len()..]).into()
}

/// Prints data on stdout. A reader that went away (`| head`, a closed terminal) got what it wanted: this is not an
/// error, as for any filter.
///
/// # Errors
/// For example a full disk behind a redirection.
pub fn data(text: &str) -> Result<()> {
    data_heard(text).map(drop)
}

/// Like [`data`]; returns whether anybody still reads.
///
/// # Errors
/// As for [`data`].
pub fn data_heard(text: &str) -> Result<bool> {
    let mut out = std::io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    heard(out.write_all(text.as_bytes()).and_then(|()| out.write_all(end.as_bytes())).and_then(|()| out.flush()))
}

/// A text from outside without control characters, which a terminal would obey.
#[must_use]
pub fn plain(text: &str) -> String {
    text.chars().map(|sign| if sign.is_control() { '?' } else { sign }).collect()
}

/// The result of writing data to stdout.
///
/// # Errors
/// As for [`data`].
pub fn printed(written: std::io::Result<()>) -> Result<()> {
    heard(written).map(drop)
}

/// Whether anybody still reads stdout.
///
/// # Errors
/// As for [`data`].
pub fn heard(written: std::io::Result<()>) -> Result<bool> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if reader_is_gone(&error) => Ok(false),
        Err(error) => Err(Failure::new(
            ExitCode::TargetUnusable,
            format!("cannot write to standard output: {error}; free some space, or write elsewhere"),
        )),
    }
}

/// Whether a write to stdout failed because nobody reads: a pipe without a reader, or a closed terminal, for which the
/// kernel returns EIO. isatty(3) then no longer recognises it as a terminal, but it is still a character device.
#[must_use]
pub fn reader_is_gone(error: &std::io::Error) -> bool {
    use rustix::fs::{FileType, fstat};
    let closed_terminal = || {
        let facts = fstat(std::io::stdout());
        facts.is_ok_and(|facts| FileType::from_raw_mode(facts.st_mode) == FileType::CharacterDevice)
    };
    let is_eio = error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error());
    error.kind() == std::io::ErrorKind::BrokenPipe || (is_eio && closed_terminal())
}

/// Prints one JSON document on stdout, piece by piece.
///
/// # Errors
/// As for [`data`].
pub fn json(value: &impl serde::Serialize) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    match serde_json::to_writer_pretty(&mut out, value) {
        Err(error) if !error.is_io() => Err(unwritable(&error)),
        made => printed(made.map_err(Into::into).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush())),
    }
}

/// The error about a document that JSON cannot represent.
pub fn unwritable(error: &serde_json::Error) -> Failure {
    Failure::unexpected(format!("cannot make the JSON document: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_word_is_cut_and_all_else_is_left_as_it_is() {
        let text = "error: 'a b'\n  | \u{1b}[31mred\u{1b}[0m\n\n";
        assert_eq!(without_long_words(text), text);
        let (long, shown) = ("ä".repeat(100_000), "ä".repeat(LONGEST_SHOWN));
        assert_eq!(without_long_words(&format!("no {long}\n and {long}")), format!("no {shown}…\n and {shown}…"));
        let whole = "x".repeat(LONGEST_SHOWN);
        assert_eq!(without_long_words(&whole), whole);
        let coloured = format!("\u{1b}[31m{whole}\u{1b}[0m");
        assert_eq!(without_long_words(&coloured), coloured, "no more letters than are shown");
        let coloured = without_long_words(&format!("\u{1b}[31m{whole}yz\u{1b}[0m end"));
        assert_eq!(coloured, format!("{whole}…\u{1b}[0m end"));
    }
}
