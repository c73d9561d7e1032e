//! Lines of a file, one at a time in one buffer, with their numbers.

use std::io::{self, BufRead, Read as _};

/// Longest line; normal lines have a few dozen bytes.
const LONGEST: u64 = 16 << 10;

/// The byte order mark that some programs write, invisibly, before a text (U+FEFF in UTF-8).
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines of a reader.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    number: u64,
    /// Whether the line in the buffer was examined but not taken.
    kept: bool,
    /// Whether the last line has no line ending, because the file ends in it.
    pub(crate) open: bool,
    /// Whether the last line was longer than [`LONGEST`].
    pub(crate) too_long: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Lines { input, buffer: Vec::with_capacity(256), number: 0, kept: false, open: false, too_long: false }
    }

    /// Moves to the next line that is not blank; `false` at the end.
    pub(crate) fn advance(&mut self) -> io::Result<bool> {
        if std::mem::take(&mut self.kept) {
            return Ok(true);
        }
        loop {
            self.buffer.clear();
            let read = (&mut self.input).take(LONGEST).read_until(b'\n', &mut self.buffer)?;
            if read == 0 {
                return Ok(false);
            }
            self.number += 1;
            if self.number == 1 && self.buffer.starts_with(BYTE_ORDER_MARK) {
                self.buffer.drain(..BYTE_ORDER_MARK.len());
            }
            self.open = self.buffer.last() != Some(&b'\n');
            self.too_long = read as u64 == LONGEST && self.buffer.last() != Some(&b'\n');
            if self.too_long || self.line().iter().any(|byte| !byte.is_ascii_whitespace()) {
                return Ok(true);
            }
        }
    }

    /// Makes the next [`Lines::advance`] return the same line again.
    pub(crate) const fn keep(&mut self) {
        self.kept = true;
    }

    /// The line without its line ending.
    pub(crate) fn line(&self) -> &[u8] {
        let line = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Its number, from 1.
    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn into_input(self) -> R {
        self.input
    }
}
