//! Fields of a structure, read at the offsets of the specification. Every access is checked.
//!
//! Owns the macro [`structure!`]: one table of fields becomes the type, its documentation and its decoder, so that an
//! offset is written only once, next to its description.

use crate::reading::counter::Counter;
use crate::reading::error::DecodeError;

/// The bytes of one structure.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    structure: &'static str,
    bytes: &'a [u8],
}

impl<'a> Fields<'a> {
    /// `bytes` as `structure`, which is at least `needs` bytes long.
    pub(crate) fn of(structure: &'static str, bytes: &'a [u8], needs: usize) -> Result<Self, DecodeError> {
        if bytes.len() < needs {
            return Err(DecodeError::Short { structure, needs, has: bytes.len() });
        }
        Ok(Fields { structure, bytes })
    }

    /// Number of bytes, including those after the structure.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// An error about this structure.
    pub(crate) fn odd(&self, why: impl Into<String>) -> DecodeError {
        DecodeError::Odd { structure: self.structure, why: why.into() }
    }

    /// Bytes from `at` on.
    pub(crate) fn slice(&self, at: usize, length: usize) -> Result<&'a [u8], DecodeError> {
        let end = at.saturating_add(length);
        let short = DecodeError::Short { structure: self.structure, needs: end, has: self.bytes.len() };
        self.bytes.get(at..end).ok_or(short)
    }

    /// A part that is a structure of its own.
    pub(crate) fn part(&self, at: usize, length: usize) -> Result<Fields<'a>, DecodeError> {
        Ok(Fields { structure: self.structure, bytes: self.slice(at, length)? })
    }

    /// `N` bytes from `at` on.
    pub(crate) fn array<const N: usize>(&self, at: usize) -> Result<[u8; N], DecodeError> {
        let mut array = [0; N];
        array.copy_from_slice(self.slice(at, N)?);
        Ok(array)
    }

    /// One byte.
    pub(crate) fn u8(&self, at: usize) -> Result<u8, DecodeError> {
        Ok(u8::from_le_bytes(self.array(at)?))
    }

    /// Two bytes, the lowest first.
    pub(crate) fn u16(&self, at: usize) -> Result<u16, DecodeError> {
        Ok(u16::from_le_bytes(self.array(at)?))
    }

    /// Four bytes, the lowest first.
    pub(crate) fn u32(&self, at: usize) -> Result<u32, DecodeError> {
        Ok(u32::from_le_bytes(self.array(at)?))
    }

    /// Six bytes, the lowest first.
    pub(crate) fn u48(&self, at: usize) -> Result<u64, DecodeError> {
        let [a, b, c, d, e, f]: [u8; 6] = self.array(at)?;
        Ok(u64::from_le_bytes([a, b, c, d, e, f, 0, 0]))
    }

    /// Seven bytes, the lowest first.
    pub(crate) fn u56(&self, at: usize) -> Result<u64, DecodeError> {
        let [a, b, c, d, e, f, g]: [u8; 7] = self.array(at)?;
        Ok(u64::from_le_bytes([a, b, c, d, e, f, g, 0]))
    }

    /// Eight bytes, the lowest first.
    pub(crate) fn u64(&self, at: usize) -> Result<u64, DecodeError> {
        Ok(u64::from_le_bytes(self.array(at)?))
    }

    /// Sixteen bytes, the lowest first: a counter.
    pub(crate) fn counter(&self, at: usize) -> Result<Counter, DecodeError> {
        Ok(Counter::new(u128::from_le_bytes(self.array(at)?)))
    }

    /// Two bytes, the highest first (TCG structures).
    pub(crate) fn be16(&self, at: usize) -> Result<u16, DecodeError> {
        Ok(u16::from_be_bytes(self.array(at)?))
    }

    /// Four bytes, the highest first (TCG structures).
    pub(crate) fn be32(&self, at: usize) -> Result<u32, DecodeError> {
        Ok(u32::from_be_bytes(self.array(at)?))
    }

    /// Eight bytes, the highest first (TCG structures).
    pub(crate) fn be64(&self, at: usize) -> Result<u64, DecodeError> {
        Ok(u64::from_be_bytes(self.array(at)?))
    }

    /// ASCII text without the blanks and zeros around it. Characters that are not printable become `?`, so that no
    /// drive can send control characters to a terminal.
    pub(crate) fn text(&self, at: usize, length: usize) -> Result<String, DecodeError> {
        let bytes = self.slice(at, length)?;
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        let shown = |byte: &u8| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '?' };
        let text: String = bytes.iter().take(end).map(shown).collect();
        Ok(text.trim().to_owned())
    }

    /// Bytes as hexadecimal digits, in their order; `None` if all are zero.
    pub(crate) fn hex(&self, at: usize, length: usize) -> Result<Option<String>, DecodeError> {
        let bytes = self.slice(at, length)?;
        Ok(bytes.iter().any(|byte| *byte != 0).then(|| bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// A power in the newer format: value in bits 15:0, scale in bits 17:16 (1: 0.1 mW, 2: 10 mW). Microwatts; `None`
    /// if the scale says that none is reported.
    pub(crate) fn scaled_power(&self, at: usize) -> Result<Option<u64>, DecodeError> {
        Ok(scaled_power_uw(self.u32(at)?))
    }
}

/// Microwatts of a power whose value is in bits 15:0 and whose scale is in bits 17:16 (Base 2.1: 1 is 0.1 mW, 2 is
/// 10 mW; 0 is not reported, 3 is reserved).
pub(crate) fn scaled_power_uw(word: u32) -> Option<u64> {
    power_uw(word & 0xFFFF, word >> 16 & 0b11)
}

/// Microwatts of `value` in units of `scale`: 1 is 0.1 mW, 2 is 10 mW; other values mean not reported.
pub(crate) fn power_uw(value: u32, scale: u32) -> Option<u64> {
    match scale {
        1 => Some(u64::from(value) * 100),
        2 => Some(u64::from(value) * 10_000),
        _ => None,
    }
}

/// Whether bit `number` of `word` is set.
pub(crate) fn bit(word: impl Into<u64>, number: u32) -> bool {
    word.into() >> number & 1 == 1
}

/// A structure as a table: name, title, size in bytes; then for each field its description, name, type and location.
///
/// `field: Type = reader(at)` reads with that reader of [`Fields`]; `=> function` converts the result. `field: Type =
/// each(function)` gives all of [`Fields`] to a function that may fail.
macro_rules! structure {
    ($(#[$meta:meta])* $name:ident, $title:literal, $size:literal {
        $($(#[$about:meta])* $field:ident: $kind:ty = $reader:ident($($argument:expr),*) $(=> $then:expr)?;)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        pub struct $name { $($(#[$about])* pub $field: $kind,)* }

        impl $name {
            /// Size of the structure, bytes; more may follow.
            pub const SIZE: usize = $size;

            /// Decodes it from bytes.
            ///
            /// # Errors
            /// Too few bytes, or contradictory content.
            pub fn decode(bytes: &[u8]) -> Result<Self, crate::reading::error::DecodeError> {
                let fields = crate::reading::fields::Fields::of($title, bytes, $size)?;
                Ok($name { $($field: structure!(@read fields, $reader($($argument),*) $(=> $then)?),)* })
            }
        }
    };
    (@read $fields:ident, each($function:expr)) => { ($function)(&$fields)? };
    (@read $fields:ident, $reader:ident($($argument:expr),*)) => { $fields.$reader($($argument),*)? };
    (@read $fields:ident, $reader:ident($($argument:expr),*) => $then:expr) => {
        ($then)($fields.$reader($($argument),*)?)
    };
}
pub(crate) use structure;
