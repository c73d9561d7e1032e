//! What a drive can lock and erase: the Security feature set and the Sanitize Device feature set.

use std::fmt;

use serde::Serialize;

use crate::words::{Words, has};

/// The Security feature set (ACS-4), from words 128, 89 and 90.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SecurityState {
    /// Word 128 bit 0: the drive has the feature set.
    pub supported: bool,
    /// Word 128 bit 1: a user password is set.
    pub enabled: bool,
    /// Word 128 bit 2: the data cannot be read until the password is given.
    pub locked: bool,
    /// Word 128 bit 3: no security command is accepted until the power has been off (most firmware sets this at
    /// boot).
    pub frozen: bool,
    /// Word 128 bit 4: too many wrong passwords; the power must be off first.
    pub attempts_used_up: bool,
    /// Word 128 bit 5: it has the enhanced SECURITY ERASE UNIT, which also erases spare blocks.
    pub enhanced_erase: bool,
    /// Word 128 bit 8: the master password can only erase, not unlock ("Maximum").
    pub master_only_erases: bool,
    /// Word 89: minutes that SECURITY ERASE UNIT takes; `None` if not reported.
    pub erase_min: Option<u32>,
    /// Word 90: minutes that the enhanced SECURITY ERASE UNIT takes.
    pub enhanced_erase_min: Option<u32>,
}

impl SecurityState {
    pub(crate) fn of(words: &Words) -> Self {
        let word = words.word(128);
        SecurityState {
            supported: has(word, 0),
            enabled: has(word, 1),
            locked: has(word, 2),
            frozen: has(word, 3),
            attempts_used_up: has(word, 4),
            enhanced_erase: has(word, 5),
            master_only_erases: has(word, 8),
            erase_min: minutes(words.word(89)),
            enhanced_erase_min: minutes(words.word(90)),
        }
    }
}

/// A time in units of two minutes: bits 14:0 if bit 15 is set (ACS-3 and later), otherwise bits 7:0. The largest
/// value means "longer than can be stated", and is kept as the time that it states.
fn minutes(word: u16) -> Option<u32> {
    let units = if has(word, 15) { word & 0x7FFF } else { word & 0xFF };
    (units != 0).then(|| u32::from(units) * 2)
}

impl fmt::Display for SecurityState {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.supported {
            return out.write_str("not supported");
        }
        out.write_str(if self.enabled { "password set" } else { "no password set" })?;
        if self.enabled {
            out.write_str(if self.locked { ", locked" } else { ", unlocked" })?;
        }
        out.write_str(if self.frozen { ", frozen until power-off" } else { ", not frozen" })?;
        if self.attempts_used_up {
            out.write_str(", too many wrong passwords")?;
        }
        Ok(())
    }
}

/// The Sanitize Device feature set (word 59 bits 15:10; ACS-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SanitizeAbilities {
    /// Bit 12: the drive has the feature set.
    pub supported: bool,
    /// Bit 13: CRYPTO SCRAMBLE EXT, the key is destroyed.
    pub crypto_scramble: bool,
    /// Bit 14: OVERWRITE EXT, everything is overwritten.
    pub overwrite: bool,
    /// Bit 15: BLOCK ERASE EXT, all flash blocks are erased.
    pub block_erase: bool,
    /// Bit 10: SANITIZE ANTIFREEZE LOCK EXT.
    pub antifreeze_lock: bool,
}

impl SanitizeAbilities {
    pub(crate) fn of(word: u16) -> Self {
        let supported = has(word, 12);
        let ability = |bit| supported && has(word, bit);
        SanitizeAbilities {
            supported,
            crypto_scramble: ability(13),
            overwrite: ability(14),
            block_erase: ability(15),
            antifreeze_lock: ability(10),
        }
    }

    /// The ways, as text.
    #[must_use]
    pub fn ways(&self) -> Vec<String> {
        let ways = [
            (self.block_erase, "block erase"),
            (self.crypto_scramble, "crypto scramble"),
            (self.overwrite, "overwrite"),
        ];
        ways.into_iter().filter(|(can, _)| *can).map(|(_, way)| way.to_owned()).collect()
    }
}
