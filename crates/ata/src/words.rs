//! Words and bytes of a page, read at the places of the standard. Nothing here indexes without asking.

use crate::error::DecodeError;

/// Bytes of every ATA page.
pub(crate) const PAGE: usize = 512;

/// The bytes of one page, which are words of 16 bits with the low byte first.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    structure: &'static str,
    bytes: &'a [u8],
}

impl<'a> Words<'a> {
    /// `bytes` as `structure`, a page of 512 bytes.
    pub(crate) fn of(structure: &'static str, bytes: &'a [u8]) -> Result<Self, DecodeError> {
        if bytes.len() < PAGE {
            return Err(DecodeError::Short { structure, needs: PAGE, has: bytes.len() });
        }
        Ok(Words { structure, bytes })
    }

    /// An error about this structure.
    pub(crate) fn odd(&self, why: impl Into<String>) -> DecodeError {
        DecodeError::Odd { structure: self.structure, why: why.into() }
    }

    /// `N` bytes from byte `at` on.
    pub(crate) fn array<const N: usize>(&self, at: usize) -> Result<[u8; N], DecodeError> {
        let end = at.saturating_add(N);
        let short = DecodeError::Short { structure: self.structure, needs: end, has: self.bytes.len() };
        let mut array = [0; N];
        array.copy_from_slice(self.bytes.get(at..end).ok_or(short)?);
        Ok(array)
    }

    /// Byte `at`.
    pub(crate) fn byte(&self, at: usize) -> Result<u8, DecodeError> {
        Ok(u8::from_le_bytes(self.array(at)?))
    }

    /// The word of two bytes at byte `at`.
    pub(crate) fn u16_at(&self, at: usize) -> Result<u16, DecodeError> {
        Ok(u16::from_le_bytes(self.array(at)?))
    }

    /// Eight bytes at byte `at`.
    pub(crate) fn u64_at(&self, at: usize) -> Result<u64, DecodeError> {
        Ok(u64::from_le_bytes(self.array(at)?))
    }

    /// Word `number`.
    pub(crate) fn word(&self, number: usize) -> Result<u16, DecodeError> {
        self.u16_at(number * 2)
    }

    /// Two words, the low one first.
    pub(crate) fn double(&self, number: usize) -> Result<u32, DecodeError> {
        Ok(u32::from_le_bytes(self.array(number * 2)?))
    }

    /// Four words, the low one first.
    pub(crate) fn quad(&self, number: usize) -> Result<u64, DecodeError> {
        self.u64_at(number * 2)
    }

    /// Text in words whose bytes are swapped (ACS, section 3.4.9), without the blanks around it; what is not printable
    /// becomes `?`, so that no drive can send control signs to a terminal.
    pub(crate) fn text(&self, first: usize, count: usize) -> Result<String, DecodeError> {
        let mut signs = Vec::new();
        for number in first..first + count {
            signs.extend(self.word(number)?.to_be_bytes());
        }
        let end = signs.iter().position(|byte| *byte == 0).unwrap_or(signs.len());
        let shown = |byte: &u8| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '?' };
        Ok(signs.iter().take(end).map(shown).collect::<String>().trim().to_owned())
    }

    /// The sum of all bytes of the page, which is 0 where its last byte is a checksum.
    pub(crate) fn sum(&self) -> u8 {
        self.bytes.iter().take(PAGE).fold(0, |sum, byte| sum.wrapping_add(*byte))
    }
}

/// Whether bit `number` of `word` is set.
pub(crate) fn bit(word: u16, number: u32) -> bool {
    word >> number & 1 == 1
}

/// A word that counts only where bit 14 is set and bit 15 is clear (ACS, section 7.13.6).
pub(crate) fn valid(word: u16) -> Option<u16> {
    (word >> 14 == 0b01).then_some(word)
}
