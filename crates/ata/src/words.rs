//! The words of a page, read at the positions of the standard. Every access is checked.
//!
//! Owns the macro [`page!`]: one table of fields becomes the type, its documentation and its decoder, so that a
//! word's number is written only once, next to its description.

use crate::command::PAGE;
use crate::error::DecodeError;

/// A page of 256 words.
pub(crate) struct Words {
    words: [u16; PAGE / 2],
}

impl Words {
    /// `bytes` as `structure`; bytes after the first page are ignored.
    pub(crate) fn of(structure: &'static str, bytes: &[u8]) -> Result<Self, DecodeError> {
        let short = DecodeError::Short { structure, needs: PAGE, has: bytes.len() };
        let page = bytes.get(..PAGE).ok_or(short)?;
        let mut words = [0; PAGE / 2];
        for (word, pair) in words.iter_mut().zip(page.chunks_exact(2)) {
            *word = pair.iter().rev().fold(0, |high, byte| high << 8 | u16::from(*byte));
        }
        Ok(Words { words })
    }

    /// Word `number`; there are 256.
    pub(crate) fn word(&self, number: usize) -> u16 {
        self.words.get(number).copied().unwrap_or(0)
    }

    /// A word that marks itself as valid: bits 15:14 are then 01 (ACS-4, words 48, 83, 84, 87, 106 and 209). 0 if it
    /// is not valid.
    pub(crate) fn checked(&self, number: usize) -> u16 {
        let word = self.word(number);
        if word >> 14 == 0b01 { word } else { 0 }
    }

    /// Two words, the lower half first.
    pub(crate) fn double(&self, number: usize) -> u32 {
        u32::from(self.word(number)) | u32::from(self.word(number + 1)) << 16
    }

    /// Four words, the lowest quarter first.
    pub(crate) fn quad(&self, number: usize) -> u64 {
        u64::from(self.double(number)) | u64::from(self.double(number + 2)) << 32
    }

    /// Bit `bit` of word `number`.
    pub(crate) fn bit(&self, number: usize, bit: u32) -> bool {
        has(self.word(number), bit)
    }

    /// Bit `bit` of a word that marks itself as valid.
    pub(crate) fn checked_bit(&self, number: usize, bit: u32) -> bool {
        has(self.checked(number), bit)
    }

    /// Text of `count` words without the blanks around it. Each word holds two characters, the first in its high byte
    /// (ACS-4, section 3.4.9, "ATA string convention"). Characters that are not printable become `?`, so that no
    /// drive can send control characters to a terminal.
    pub(crate) fn text(&self, number: usize, count: usize) -> String {
        let letters = (number..number + count).flat_map(|number| self.word(number).to_be_bytes());
        let shown = |byte: u8| if byte.is_ascii_graphic() || byte == b' ' { char::from(byte) } else { '?' };
        let text: String = letters.take_while(|byte| *byte != 0).map(shown).collect();
        text.trim().to_owned()
    }

    /// The sum of all bytes, which is 0 if a page carries its checksum (ACS-4, word 255).
    pub(crate) fn sum(&self) -> u8 {
        self.words.iter().flat_map(|word| word.to_le_bytes()).fold(0, u8::wrapping_add)
    }

    /// Whether all words are equal, as from a bridge that answers by itself.
    pub(crate) fn is_blank(&self) -> bool {
        let first = self.word(0);
        self.words.iter().all(|word| *word == first)
    }
}

/// Bit `bit` of a word.
pub(crate) fn has(word: u16, bit: u32) -> bool {
    word >> bit & 1 == 1
}

/// A page as a table: for each field its description, its name, its type, and its location.
///
/// `field: Type = reader(at)` reads with that reader of [`Words`]; `=> function` converts the result. `field: Type =
/// each(function)` gives all of [`Words`] to a function.
macro_rules! page {
    ($(#[$meta:meta])* $name:ident, $read:ident {
        $($(#[$about:meta])* $field:ident: $kind:ty = $reader:ident($($argument:expr),*) $(=> $then:expr)?;)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
        pub struct $name { $($(#[$about])* pub $field: $kind,)* }

        /// Reads every field of the table.
        fn $read(words: &crate::words::Words) -> $name {
            $name { $($field: page!(@read words, $reader($($argument),*) $(=> $then)?),)* }
        }
    };
    (@read $words:ident, each($function:expr)) => { ($function)($words) };
    (@read $words:ident, $reader:ident($($argument:expr),*)) => { $words.$reader($($argument),*) };
    (@read $words:ident, $reader:ident($($argument:expr),*) => $then:expr) => {
        ($then)($words.$reader($($argument),*))
    };
}
pub(crate) use page;
