//! The bytes of writes: random bytes that never repeat, with compressible and repeated shares; zeros; one block again
//! and again; a pattern; a file.
//!
//! A drive that compresses or removes duplicates must gain nothing, or exactly what was asked (research notes,
//! engine, 3.4 and 6 "Data"). Fresh random bytes for each write would cost more than the I/O, so each thread has a
//! pool of random bytes ([`crate::memory::pool`]), and before each write 8 bytes of every 512-byte sector are
//! replaced by a number that is used once. Distinctness is not left to chance: the numbers are a counter times an odd
//! constant (a Weyl sequence), which is a bijection of 64 bits; one addition makes the next.
//!
//! Compressible data is the same pool with zeros in it, so it costs nothing more. A repeat is the slot's last write
//! again, unchanged, so it costs nothing; due repeats are counted, not drawn.

use std::sync::Arc;

use drivelab_core::load::{Content, Verify};
use drivelab_core::workload::{DataPattern, Workload};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{GOLDEN, derive, mix};

mod layout;
mod stamp;

use layout::Layout;
pub(crate) use stamp::SECTOR;
use stamp::STAMP;

/// Bytes of a cache line, and of a page of memory.
const LINE: usize = 64;
const PAGE: usize = 4096;
/// Bits of the counter that belong to one slot: 2^38 sectors are 140 TB written by one slot in one step.
const COUNTER_BITS: u32 = 38;
/// A file's bytes are repeated up to this size, so that a small file is not copied byte by byte.
const FILE_LEAST: usize = 1 << 20;

/// Makes what the slots of a group of threads write.
#[derive(Debug, Clone)]
pub(crate) struct DataSource {
    make: Make,
    key: u64,
    /// Where the numbers of the stamps begin: the key, mixed, because small keys contain zeros.
    stamps: u64,
}

#[derive(Debug, Clone)]
enum Make {
    /// `repeat_percent` of the writes are repeats.
    Random {
        layout: Layout,
        repeat_percent: u32,
        /// Bits of the place in a sector that a stamp may have: none if the layout of zeros depends on where stamps
        /// are.
        moving: usize,
    },
    Zero,
    /// Each thread has its own block.
    OneBlock {
        thread: u64,
    },
    Pattern(Arc<[u8]>),
    /// Slot `s` begins `s * step` bytes into the file and continues `turn` bytes after the start of its last write,
    /// so that all slots together write the file in turn.
    File {
        bytes: Arc<[u8]>,
        step: u64,
        turn: u64,
    },
}

/// What one slot has written so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trail {
    /// Number of the next stamp; for a file, position in it.
    counter: u64,
    /// Hundredths of a write by which repeats are behind the requested share.
    due: u32,
    /// Bytes of the slot's last block that were stamped when it was new; 0 before the first write.
    stamped: usize,
    /// The write that is being prepared is a repeat.
    repeats: bool,
}

impl DataSource {
    /// `key` differs for each execution of a step, so that no round writes again what an earlier one wrote; `file`
    /// holds the bytes of [`Content::file`] if that is asked for.
    ///
    /// # Errors
    /// A sentence about what contradicts itself or is missing.
    pub(crate) fn new(workload: &Workload, key: u64, file: Option<Arc<[u8]>>) -> Result<Self, String> {
        check(workload)?;
        let Content { compress_percent, dedup_percent, pattern, file: _, window: _ } = &workload.content;
        let depth = u64::from(workload.queue_depth.get());
        let make = match workload.data {
            DataPattern::Incompressible => Make::Random {
                layout: Layout::new(compress_percent.get(), &workload.block_sizes()),
                repeat_percent: u32::from(dedup_percent.get()),
                moving: if compress_percent.is_zero() { SECTOR - LINE } else { 0 },
            },
            DataPattern::Zero => Make::Zero,
            DataPattern::OneBlock => Make::OneBlock { thread: 0 },
            DataPattern::Pattern => Make::Pattern(repeated(pattern, SECTOR)),
            DataPattern::File => {
                let Some(bytes) = file.filter(|bytes| !bytes.is_empty()) else {
                    return Err("data = \"file\" needs a file that is not empty: give it with data_file".to_owned());
                };
                let (step, threads) = (workload.block_size.get(), u64::from(workload.threads.get()));
                Make::File { bytes: repeated(&bytes, FILE_LEAST), step, turn: step * depth * threads }
            }
        };
        Ok(DataSource { make, key, stamps: mix(key) })
    }

    /// This source for one thread, whatever its number among all threads of the step.
    pub(crate) fn of_thread(&self, thread: u64) -> Self {
        let mut own = self.clone();
        if let Make::OneBlock { thread: number } = &mut own.make {
            *number = thread;
        }
        own
    }

    /// Fills the pool with this `number`, unlike those of all other numbers, before the start. A block begins every
    /// `stride` bytes.
    pub(crate) fn fill_pool(&self, pool: &mut [u8], number: u64, stride: usize) {
        let blocks = |pool: &mut [u8], fill: &dyn Fn(&mut [u8])| pool.chunks_mut(stride.max(1)).for_each(fill);
        match &self.make {
            Make::Random { layout, .. } => {
                self.fill_random(pool, number);
                blocks(pool, &|block| layout.make_zeros(block));
            }
            Make::Zero | Make::File { .. } => pool.fill(0),
            Make::OneBlock { thread } => blocks(pool, &|block| self.fill_random(block, *thread)),
            Make::Pattern(bytes) => blocks(pool, &|block| fill_from(block, bytes, 0)),
        }
    }

    fn fill_random(&self, part: &mut [u8], number: u64) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(derive(self.key, number));
        // The bytes of `fill_bytes`, without a copy for each word: pools are all that some steps make, and a build for
        // tests calls a function for each copy.
        let (words, rest) = part.as_chunks_mut::<8>();
        words.iter_mut().for_each(|word| *word = random.next_u64().to_le_bytes());
        random.fill_bytes(rest);
    }

    /// Where a slot begins; slots are numbered over all threads.
    pub(crate) fn trail(&self, slot: u64) -> Trail {
        let counter = match &self.make {
            Make::File { bytes, step, .. } => slot.wrapping_mul(*step) % bytes.len() as u64,
            _ => slot << COUNTER_BITS,
        };
        // Slots begin at different points of the hundred; otherwise a few writes by many slots would all be new.
        let due = ((slot.wrapping_mul(GOLDEN) >> 32) * 100) >> 32;
        Trail { counter, due: u32::try_from(due).unwrap_or(0), stamped: 0, repeats: false }
    }

    /// Whether the next write of the slot, of `length` bytes, repeats its last one and so uses the same block. Called
    /// once before each [`Self::stamp`].
    #[inline]
    pub(crate) fn repeats(&self, trail: &mut Trail, length: usize) -> bool {
        let Make::Random { repeat_percent: percent @ 1.., .. } = self.make else { return false };
        trail.due += percent;
        trail.repeats = trail.due >= 100 && length <= trail.stamped;
        if trail.repeats {
            trail.due -= 100;
        }
        trail.repeats
    }

    /// Prepares a block for its write: each sector unlike any other that this step writes, or the next bytes of the
    /// file. The block starts at byte `at` of the arena. If the write is a repeat, the block stays as it is.
    #[inline]
    pub(crate) fn stamp(&self, block: &mut [u8], at: usize, trail: &mut Trail) {
        match &self.make {
            Make::Random { moving, .. } => {
                if !trail.repeats {
                    trail.stamped = block.len();
                    self.stamp_sectors(block, at, *moving, &mut trail.counter);
                }
            }
            Make::Zero | Make::OneBlock { .. } | Make::Pattern(_) => {}
            Make::File { bytes, turn, .. } => {
                let length = bytes.len() as u64;
                fill_from(block, bytes, usize::try_from(trail.counter).unwrap_or(0));
                trail.counter = (trail.counter + turn % length) % length;
            }
        }
    }

    /// Stamps each sector of a block that starts at byte `at` of the arena.
    ///
    /// The stamps move through the eight cache lines of a sector, from sector to sector and from page to page. At the
    /// start of each sector they would all fall into an eighth of a cache's sets: a pool of 1 MiB would then take as
    /// much of a second-level cache of 2 MiB as if all of it were touched, instead of 128 KiB.
    #[inline]
    fn stamp_sectors(&self, block: &mut [u8], at: usize, moving: usize, counter: &mut u64) {
        let mut number = self.stamps.wrapping_add(counter.wrapping_mul(GOLDEN));
        *counter += block.len().div_ceil(SECTOR) as u64;
        let mut line = (at / PAGE * LINE) & moving;
        let (sectors, rest) = block.as_chunks_mut::<SECTOR>();
        for sector in sectors {
            sector[line..line + STAMP].copy_from_slice(&number.to_le_bytes());
            line = (line + LINE) & moving;
            number = number.wrapping_add(GOLDEN);
        }
        rest.iter_mut().zip(number.to_le_bytes()).for_each(|(byte, stamp)| *byte = stamp);
    }
}

/// Checks whether the parts of the workload that determine the data fit together.
fn check(workload: &Workload) -> Result<(), String> {
    let Content { compress_percent, dedup_percent, pattern, file: _, window: _ } = &workload.content;
    let shares = compress_percent.get() > 0 || dedup_percent.get() > 0;
    if shares && workload.data != DataPattern::Incompressible {
        return Err(format!(
            "compress_percent and dedup_percent apply to random data and have no meaning with data = \"{}\": leave \
             them out, or use data = \"incompressible\"",
            workload.data.name()
        ));
    }
    if compress_percent.get() == 100 {
        return Err(
            "compress_percent = 100 leaves no bytes to tell one block from another: use data = \"zero\", or at \
             most 99"
                .to_owned(),
        );
    }
    if dedup_percent.get() > 0 && matches!(workload.verify, Verify::Headers | Verify::AtOnce) {
        return Err("dedup_percent needs identical blocks, but verify writes a header that makes each block \
                    unique: use one of them"
            .to_owned());
    }
    if workload.data == DataPattern::Pattern && pattern.is_empty() {
        return Err(
            "data = \"pattern\" needs the bytes to repeat: give them as data_pattern, in hexadecimal digits".to_owned()
        );
    }
    Ok(())
}

/// Repeats the bytes until there are at least `least`.
fn repeated(bytes: &[u8], least: usize) -> Arc<[u8]> {
    bytes.repeat(least.div_ceil(bytes.len().max(1)).max(1)).into()
}

/// Fills a block with `bytes` from position `at` on, again and again.
fn fill_from(mut block: &mut [u8], bytes: &[u8], at: usize) {
    let mut rest = bytes.get(at..).unwrap_or(bytes);
    while !block.is_empty() && !rest.is_empty() {
        let (now, later) = block.split_at_mut(rest.len().min(block.len()));
        now.copy_from_slice(&rest[..now.len()]);
        (block, rest) = (later, bytes);
    }
}

#[cfg(test)]
mod tests;
