//! Samples of a target's content, by reading only: which places hold data, and whether blocks repeat at another
//! address. They repeat on a drive that has less flash than it claims and wraps its addresses.
//!
//! Reads a few hundred blocks of 4 KiB and judges nothing (`analysis::buyer` does). Must not know what the places are
//! used for.

use std::collections::HashSet;
use std::io;
use std::os::fd::BorrowedFd;

use drivelab_core::content::{ContentSample, PlaceSample, RepeatSample, SAMPLE};
use drivelab_core::target::IoTarget;
use drivelab_core::units::Bytes;
use rustix::fs::{Advice, fadvise};

use crate::guard::read_at::{read_all, unreadable};
use crate::guard::sampling::{is_empty, random, seed};

/// Blocks read at each place.
const PER_PLACE: u64 = 16;
/// Number of blocks with data that are compared with others.
const HELD: usize = 24;
/// Shortest distance at which blocks are compared.
const NEAREST: u64 = 1 << 20;
/// A block with fewer different byte values is probably a table or padding that repeats anywhere.
const VALUES: usize = 32;

/// Reads samples of these places (offset, length), and of other addresses for comparison.
///
/// # Errors
/// Errors of the system, except blocks that cannot be read, which are counted.
pub fn sample_content(target: &IoTarget, places: &[(Bytes, Bytes)]) -> io::Result<ContentSample> {
    let Some(handle) = target.handle(false) else { return Ok(ContentSample::default()) };
    let reader = Reader { handle, length: target.length().get() };
    let _ = fadvise(handle, 0, None, Advice::Random);
    let mut numbers = random(seed());
    let mut held: Vec<Block> = Vec::new();
    let mut found = Vec::new();
    for (offset, length) in places {
        let (place, data) = reader.place(offset.get(), length.get(), &mut numbers)?;
        found.push(place);
        held.extend(data);
    }
    // A few from each place, so that the whole target is covered.
    let step = held.len().div_ceil(HELD).max(1);
    let held: Vec<Block> = held.into_iter().step_by(step).collect();
    let repeats = reader.repeats(&held);
    let _ = fadvise(handle, 0, None, Advice::Normal);
    Ok(ContentSample { places: found, repeats: repeats? })
}

/// Offset and content of a block.
type Block = (u64, Vec<u8>);

struct Reader<'t> {
    handle: BorrowedFd<'t>,
    length: u64,
}

impl Reader<'_> {
    /// Samples one place; also returns the blocks that are worth comparing.
    fn place(
        &self,
        offset: u64,
        length: u64,
        numbers: &mut impl Iterator<Item = u64>,
    ) -> io::Result<(PlaceSample, Vec<Block>)> {
        let block = SAMPLE.get();
        let blocks = length.min(self.length.saturating_sub(offset)) / block;
        let mut at: Vec<u64> = numbers.take(PER_PLACE as usize).map(|number| number % blocks.max(1)).collect();
        at.sort_unstable();
        at.dedup();
        at.truncate(usize::try_from(blocks).unwrap_or(usize::MAX));
        let (mut empty, mut unreadable, mut data) = (0, 0, Vec::new());
        for index in &at {
            let place = offset + index * block;
            match self.block(place)? {
                None => unreadable += 1,
                Some(bytes) if is_empty(&bytes) => empty += 1,
                Some(bytes) if is_rich(&bytes) => data.push((place, bytes)),
                Some(_) => {}
            }
        }
        let blocks = u32::try_from(at.len()).unwrap_or(u32::MAX);
        let place = PlaceSample { offset: Bytes::new(offset), length: Bytes::new(length), blocks, empty, unreadable };
        Ok((place, data))
    }

    /// Compares each block with the one at every power-of-two distance, above it or otherwise below.
    fn repeats(&self, held: &[Block]) -> io::Result<Vec<RepeatSample>> {
        let mut rows = Vec::new();
        let mut distance = NEAREST;
        while distance < self.length {
            let mut row = RepeatSample { distance: Bytes::new(distance), compared: 0, same: 0, distinct: 0 };
            let mut kinds = HashSet::new();
            for (place, bytes) in held {
                let Some(other) = self.partner(*place, distance) else { continue };
                let Some(there) = self.block(other)? else { continue };
                row.compared += 1;
                if there == *bytes {
                    row.same += 1;
                    kinds.insert(bytes);
                }
            }
            row.distinct = u32::try_from(kinds.len()).unwrap_or(u32::MAX);
            rows.push(row);
            distance *= 2;
        }
        Ok(rows)
    }

    fn partner(&self, place: u64, distance: u64) -> Option<u64> {
        let above = place + distance;
        if above + SAMPLE.get() <= self.length { Some(above) } else { place.checked_sub(distance) }
    }

    /// Reads one block; `None` if the device cannot read it.
    fn block(&self, at: u64) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = vec![0; SAMPLE.get() as usize];
        match read_all(self.handle, &mut bytes, at) {
            Ok(()) => {}
            Err(error) if unreadable(&error) => return Ok(None),
            Err(error) => return Err(error),
        }
        let _ = fadvise(self.handle, at, std::num::NonZeroU64::new(SAMPLE.get()), Advice::DontNeed);
        Ok(Some(bytes))
    }
}

/// Whether a block has so many different byte values that it hardly occurs twice by chance.
fn is_rich(bytes: &[u8]) -> bool {
    let mut seen = [false; 256];
    bytes.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    seen.iter().filter(|seen| **seen).count() >= VALUES
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use crate::block::readable::open_file_to_read;

    use super::*;

    /// This many MiB of unpredictable blocks.
    fn noise(mebibytes: usize) -> Vec<u8> {
        random(7).take(mebibytes << 17).flat_map(u64::to_le_bytes).collect()
    }

    fn sampled(content: &[u8]) -> ContentSample {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(content).expect("room");
        let opened = open_file_to_read(file.path()).expect("readable");
        let quarter = content.len() as u64 / 4;
        let places: Vec<_> = (0..4).map(|part| (Bytes::new(part * quarter), Bytes::new(quarter))).collect();
        sample_content(&opened.target.into(), &places).expect("samples")
    }

    #[test]
    fn places_without_data_are_told_from_those_with() {
        let mut content = noise(8);
        content[4 << 20..6 << 20].fill(0);
        content[6 << 20..].fill(0xff);
        let found = sampled(&content);
        let data: Vec<bool> = found.places.iter().map(PlaceSample::holds_data).collect();
        assert_eq!(data, [true, true, false, false], "{found:?}");
        assert!(found.places.iter().all(|place| place.blocks >= 12 && place.unreadable == 0), "{found:?}");
        assert!(found.repeats.iter().all(|row| row.same == 0), "{found:?}");
    }

    #[test]
    fn content_that_comes_again_is_seen_at_its_distance_and_beyond() {
        let found = sampled(&noise(4).repeat(4));
        let same: Vec<(u64, bool)> = found
            .repeats
            .iter()
            // Two samples may be of the same block.
            .map(|row| (row.distance.get() >> 20, row.same == row.compared && row.distinct * 2 > row.same))
            .collect();
        assert_eq!(same, [(1, false), (2, false), (4, true), (8, true)], "{found:?}");
    }

    #[test]
    fn one_pattern_everywhere_is_not_held_against_anything() {
        let found = sampled(&[0x5a; 8 << 20]);
        assert!(found.places.iter().all(PlaceSample::holds_data), "it is data");
        assert!(found.repeats.iter().all(|row| row.compared == 0), "{found:?}");
    }
}
