//! Content of the files of a set: computed from the set's seed, the number of the file and the position in it, so
//! that any part can be generated again and compared with what was read.

use drivelab_core::files::FileSet;
use drivelab_core::record::DataFault;

use crate::generate::{derive, number};

/// Content is generated in blocks of this size; the compressible share of each is zero.
pub(crate) const BLOCK: usize = 4096;

/// Content of one file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Content {
    key: u64,
    /// Bytes of each block that are zero, at its start.
    zeros: usize,
}

impl Content {
    pub(crate) fn of(set: &FileSet, file: u32) -> Self {
        let share = usize::from(set.compress_percent.get());
        Content { key: derive(derive(set.seed, 0xF11E), u64::from(file)), zeros: BLOCK * share / 100 / 8 * 8 }
    }

    /// Fills whole blocks of the buffer from byte `position` of the file on, which is a multiple of a block.
    pub(crate) fn fill(self, position: u64, buffer: &mut [u8]) {
        for (block, out) in (position / BLOCK as u64..).zip(buffer.chunks_mut(BLOCK)) {
            let key = derive(self.key, block);
            let (zeros, random) = out.split_at_mut(self.zeros.min(out.len()));
            zeros.fill(0);
            for (word, bytes) in (0..).zip(random.chunks_mut(8)) {
                let value = number(key, word).to_le_bytes();
                bytes.copy_from_slice(&value[..bytes.len()]);
            }
        }
    }
}

/// What is wrong with a block that differs from what was written.
pub(crate) fn fault(found: &[u8]) -> DataFault {
    if found.iter().all(|byte| *byte == 0) { DataFault::Zero } else { DataFault::Corrupt }
}

#[cfg(test)]
mod tests {
    use drivelab_core::files::FileSizes;
    use drivelab_core::units::{Bytes, Percent};

    use super::*;

    fn content(compress: u64, file: u32) -> Content {
        let compress_percent = Percent::new(compress).expect("a share");
        let sizes = FileSizes::Fixed { size: Bytes::new(1) };
        let set = FileSet { name: "a".into(), count: 9, sizes, total: None, seed: 3, compress_percent };
        Content::of(&set, file)
    }

    fn made(content: Content, position: u64, length: usize) -> Vec<u8> {
        let mut buffer = vec![0xEE; length];
        content.fill(position, &mut buffer);
        buffer
    }

    #[test]
    fn a_part_made_anew_is_the_same_and_no_block_comes_twice() {
        let whole = made(content(0, 1), 0, 5 * BLOCK);
        assert_eq!(made(content(0, 1), 2 * BLOCK as u64, 3 * BLOCK), whole[2 * BLOCK..]);
        assert_ne!(whole[..BLOCK], whole[BLOCK..2 * BLOCK]);
        assert_ne!(made(content(0, 2), 0, BLOCK), whole[..BLOCK]);
        let packed = zstd::bulk::compress(&whole, 3).expect("packed");
        assert!(packed.len() >= whole.len(), "{} of {}", packed.len(), whole.len());
    }

    #[test]
    fn the_share_that_compresses_is_zero_in_each_block() {
        let half = made(content(50, 1), 0, 2 * BLOCK);
        for block in half.chunks(BLOCK) {
            assert!(block[..2048].iter().all(|byte| *byte == 0));
            assert!(block[2048..].iter().filter(|byte| **byte == 0).count() < 64);
        }
        assert_eq!(fault(&made(content(100, 1), 0, BLOCK)), DataFault::Zero);
        assert_eq!(fault(&half), DataFault::Corrupt);
    }
}
