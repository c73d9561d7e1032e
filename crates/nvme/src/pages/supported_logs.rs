//! Which log pages a controller has.

use serde::Serialize;

use crate::reading::error::DecodeError;
use crate::reading::fields::{Fields, bit};

/// Supported Log Pages (LID 00h; Base, section 5.16.1.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SupportedLogs {
    /// The pages whose LSUPP (bit 0 of their dword) is set.
    pub pages: Vec<u8>,
}

impl SupportedLogs {
    /// Size of the structure, bytes.
    pub const SIZE: usize = 1024;

    /// Decodes it from bytes.
    ///
    /// # Errors
    /// Too few bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let fields = Fields::of("supported log pages", bytes, Self::SIZE)?;
        let mut pages = Vec::new();
        for page in 0..=u8::MAX {
            if bit(fields.u32(usize::from(page) * 4)?, 0) {
                pages.push(page);
            }
        }
        Ok(SupportedLogs { pages })
    }

    /// Whether the controller has page `log`.
    #[must_use]
    pub fn has(&self, log: u8) -> bool {
        self.pages.contains(&log)
    }
}
