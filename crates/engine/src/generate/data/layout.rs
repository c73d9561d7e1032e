//! Which bytes of a block are zero so that it compresses by the requested share.
//!
//! The zeros are together at the end of each chunk of 4 KiB, the unit in which drives compress, or of the largest
//! part of one into which all blocks can be divided. The stamps of the sectors among them are random bytes too and
//! are counted as such, so the share of zeros is exact wherever it leaves room for the stamps.

use drivelab_core::units::{Bytes, common_divisor};

use super::stamp::{SECTOR, STAMP};

/// Unit in which drives and file systems compress.
const CHUNK: usize = 4096;

/// Where zeros lie in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// Share of zero bytes, per cent.
    percent: usize,
    /// Bytes within which that share is kept.
    chunk: usize,
}

impl Layout {
    /// For blocks of these sizes.
    pub(super) fn new(percent: u8, sizes: &[Bytes]) -> Self {
        let common = sizes.iter().fold(0, |common, size| common_divisor(common, size.get()));
        let divides = |chunk: &usize| common.is_multiple_of(*chunk as u64);
        // Odd sizes, which buffered I/O allows, are rounded within their last chunk.
        let chunk = (SECTOR..=CHUNK).rev().find(divides).unwrap_or(CHUNK);
        Layout { percent: usize::from(percent), chunk }
    }

    /// Writes the zeros into a block of random bytes.
    pub(super) fn make_zeros(self, block: &mut [u8]) {
        if self.percent == 0 {
            return;
        }
        let length = block.len();
        for start in (0..length).step_by(self.chunk) {
            let end = (start + self.chunk).min(length);
            let zeros = (end - start) * self.percent / 100;
            block[first_zero(end, zeros).max(start)..end].fill(0);
        }
    }
}

/// Bytes before `place` of a block that no stamp covers.
const fn unstamped(place: usize) -> usize {
    place / SECTOR * (SECTOR - STAMP) + (place % SECTOR).saturating_sub(STAMP)
}

/// Where zeros that end at `end` must begin so that `zeros` of them are left once the sectors are stamped.
const fn first_zero(end: usize, zeros: usize) -> usize {
    let before = unstamped(end).saturating_sub(zeros);
    before / (SECTOR - STAMP) * SECTOR + STAMP + before % (SECTOR - STAMP)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(sizes: &[u64]) -> usize {
        Layout::new(50, &sizes.iter().map(|size| Bytes::new(*size)).collect::<Vec<_>>()).chunk
    }

    #[test]
    fn zeros_are_kept_within_four_kib_or_what_all_blocks_can_be_cut_into() {
        assert_eq!(chunk(&[4096]), 4096);
        assert_eq!(chunk(&[1 << 20, 65536]), 4096);
        assert_eq!(chunk(&[512, 65536]), 512);
        assert_eq!(chunk(&[6144]), 3072);
        assert_eq!(chunk(&[6144, 4096]), 2048);
        assert_eq!(chunk(&[1000]), 1000);
        assert_eq!(chunk(&[100]), 4096);
    }

    /// Content of a block once it is stamped, for every share and for chunks with and without whole sectors.
    #[test]
    fn the_share_of_zeros_is_exact_wherever_it_leaves_room_for_the_stamps() {
        for size in [512_usize, 1000, 3072, 4096, 6144, 65536] {
            for percent in 1..=99_u8 {
                let mut block = vec![1; size];
                let layout = Layout::new(percent, &[Bytes::new(size as u64)]);
                layout.make_zeros(&mut block);
                block.chunks_mut(SECTOR).for_each(|sector| sector.iter_mut().take(STAMP).for_each(|byte| *byte = 1));
                for part in block.chunks(layout.chunk) {
                    let zeros = part.iter().filter(|byte| **byte == 0).count();
                    let room = part.len() - part.len().div_ceil(SECTOR) * STAMP;
                    let asked = part.len() * usize::from(percent) / 100;
                    assert_eq!(zeros, asked.min(room), "{size} bytes, {percent} %");
                }
            }
        }
    }
}
