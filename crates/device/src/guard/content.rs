//! Whether a device holds anything: signatures at their places, and data by a rule that reports how much was read.
//!
//! Up to 1 GiB everything is read. Above that: the first and the last 16 MiB, 4,096 evenly spaced blocks and 4,096
//! random ones, of 4 KiB each. A block of one repeated byte, 00 or FF, is empty: a new, discarded or zeroed drive
//! returns such blocks. The data that was read does not stay in the page cache.

use std::fs::File;
use std::io;

use drivelab_core::units::Bytes;
use rustix::fs::{Advice, fadvise};

use super::read_at::{read_all, unreadable};
use super::sampling::{BLOCK, END, between_ends, is_empty, seed};
use super::signature;

/// Devices up to this size are read from end to end.
pub(super) const READ_WHOLE: u64 = 1 << 30;
/// How much is read per call when everything is read.
const PIECE: u64 = 1 << 20;

/// The content that was found, and what was read to find it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Content {
    /// One phrase for each finding, with its place; empty if nothing was found.
    pub(super) found: Vec<String>,
    /// How many of the findings are signatures; the others count blocks.
    signatures: usize,
    /// What was read, as one phrase.
    pub(super) looked_at: String,
}

impl Content {
    /// A finding that an earlier check did not have: a signature, or any data on a device that was empty. The amount
    /// of data may differ between checks, because some of the blocks are chosen at random.
    pub(super) fn not_in(&self, shown: &[String]) -> Option<&str> {
        let counted = if shown.is_empty() { self.found.len() } else { self.signatures };
        self.found.iter().take(counted).find(|found| !shown.contains(found)).map(String::as_str)
    }
}

/// The counted blocks.
#[derive(Debug, Default)]
struct Tally {
    blocks: u64,
    full: u64,
    first: Option<u64>,
    unreadable: u64,
    first_unreadable: Option<u64>,
}

/// Checks an open device of this length.
///
/// # Errors
/// The device's error, except for blocks that it cannot read, which are counted.
pub(super) fn look(device: &File, length: Bytes) -> io::Result<Content> {
    let mut found = signatures(device, length)?;
    let signatures = found.len();
    let _ = fadvise(device, 0, None, Advice::Random);
    let mut tally = Tally::default();
    let length = length.get();
    let looked_at = if length <= READ_WHOLE {
        read_pieces(device, 0, length, &mut tally)?;
        format!("all of it, {}, was read", Bytes::new(length).about())
    } else {
        read_pieces(device, 0, END, &mut tally)?;
        for offset in between_ends(length, seed()) {
            read_pieces(device, offset, BLOCK, &mut tally)?;
        }
        read_pieces(device, length - END, END, &mut tally)?;
        "the first and the last 16 MiB, 4,096 evenly spaced and 4,096 random blocks of 4 KiB were read; the rest was \
         not"
        .to_owned()
    };
    let _ = fadvise(device, 0, None, Advice::DontNeed);
    let _ = fadvise(device, 0, None, Advice::Normal);
    found.extend(tally.found());
    Ok(Content { found, signatures, looked_at })
}

/// Known signatures, one phrase each. A start or end that cannot be read has none.
///
/// # Errors
/// The device's error, except for blocks that it cannot read.
pub(super) fn signatures(device: &File, length: Bytes) -> io::Result<Vec<String>> {
    match signature::find_all(device, length) {
        Ok(all) => Ok(all.into_iter().map(|found| found.to_string()).collect()),
        Err(error) if unreadable(&error) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

impl Tally {
    fn look_at(&mut self, offset: u64, bytes: &[u8]) {
        self.blocks += (bytes.len() as u64).div_ceil(BLOCK);
        if is_empty(bytes) {
            return;
        }
        for (index, block) in (0u64..).zip(bytes.chunks(BLOCK as usize)) {
            if !is_empty(block) {
                self.full += 1;
                self.first.get_or_insert(offset + index * BLOCK);
            }
        }
    }

    fn found(&self) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(first) = self.first {
            found.push(format!(
                "data in {} of {} blocks of 4 KiB that were read ({}), the first at byte {first}",
                self.full,
                self.blocks,
                Bytes::new(self.full.saturating_mul(BLOCK)).about()
            ));
        }
        if let Some(first) = self.first_unreadable {
            found.push(format!("{} blocks of 4 KiB that cannot be read, the first at byte {first}", self.unreadable));
        }
        found
    }
}

/// Reads a range in pieces. If a piece cannot be read, each of its blocks is read separately.
fn read_pieces(device: &File, from: u64, length: u64, tally: &mut Tally) -> io::Result<()> {
    let mut buffer = vec![0u8; usize::try_from(PIECE.min(length)).map_err(io::Error::other)?];
    let mut at = from;
    let end = from + length;
    while at < end {
        let size = PIECE.min(end - at);
        let piece = &mut buffer[..usize::try_from(size).map_err(io::Error::other)?];
        match read_all(device, piece, at) {
            Ok(()) => tally.look_at(at, piece),
            Err(error) if unreadable(&error) => {
                for offset in (at..at + size).step_by(BLOCK as usize) {
                    let block = &mut piece[..usize::try_from(BLOCK.min(at + size - offset)).unwrap_or_default()];
                    match read_all(device, block, offset) {
                        Ok(()) => tally.look_at(offset, block),
                        Err(error) if unreadable(&error) => {
                            tally.blocks += 1;
                            tally.unreadable += 1;
                            tally.first_unreadable.get_or_insert(offset);
                        }
                        Err(error) => return Err(error),
                    }
                }
            }
            Err(error) => return Err(error),
        }
        at += size;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    const MIB: u64 = 1 << 20;

    fn file(length: u64, data: &[(u64, &[u8])]) -> File {
        let file = tempfile::tempfile().expect("a file");
        file.set_len(length).expect("its length");
        for (offset, bytes) in data {
            file.write_all_at(bytes, *offset).expect("data");
        }
        file
    }

    fn look_at(length: u64, data: &[(u64, &[u8])]) -> Content {
        look(&file(length, data), Bytes::new(length)).expect("looked at")
    }

    #[test]
    fn up_to_a_gibibyte_a_single_byte_is_found_and_told_where() {
        let found = look_at(64 * MIB, &[(33 * MIB + 4097, &[7])]);
        let text = "data in 1 of 16384 blocks of 4 KiB that were read (4 KiB), the first at byte 34607104";
        assert_eq!(found.found, [text]);
        assert!(found.looked_at.starts_with("all of it, 64 MiB, was"), "{}", found.looked_at);
        assert!(look_at(64 * MIB, &[]).found.is_empty());
        assert!(look_at(4 * MIB, &[(MIB, &[0xff; 8192])]).found.is_empty());
    }

    #[test]
    fn above_a_gibibyte_the_ends_and_samples_are_looked_at_and_that_is_said() {
        let length = READ_WHOLE + 4096;
        for place in [16 * MIB - 1, length - 16 * MIB, length - 1] {
            let found = look_at(length, &[(place, &[7])]);
            assert_eq!(found.found.len(), 1, "{place}");
            assert!(found.found[0].contains(&format!("at byte {}", place / 4096 * 4096)), "{}", found.found[0]);
            assert!(found.looked_at.contains("the rest was not"), "{}", found.looked_at);
        }
        // 64 MiB of data in the middle cannot hide between samples that are 256 KiB apart.
        let data = vec![0x42; 64 << 20];
        assert_eq!(look_at(8 * READ_WHOLE, &[(4 * READ_WHOLE, &data)]).found.len(), 1);
    }
}
