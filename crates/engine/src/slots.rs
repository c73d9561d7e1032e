//! Where in the arena each slot (one operation in flight) reads into and writes from.
//!
//! Arena of a thread: one block per slot to read into, then the pool to write from, an equal part of it for each
//! slot. Reads never touch the pool, or a mixed workload would write back what it read. A slot walks round its own
//! part, so a block of the pool is never changed while it is in flight.

use crate::buffer::Arena;
use crate::faults::{Attempt, Broken};
use crate::generate::data::{DataSource, Trail};

/// Shape of the arena of one thread, the same for all threads of a step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Shape {
    /// Distance from block to block: the bytes of one operation, rounded up to the alignment that buffers need.
    pub(crate) stride: usize,
    /// Slots of this arena.
    pub(crate) slots: usize,
    /// Whether anything is read.
    pub(crate) reads: bool,
    /// Blocks in each slot's part of the pool; 0 where nothing is written.
    pub(crate) pool_blocks: usize,
}

impl Shape {
    const fn read_bytes(&self) -> usize {
        if self.reads { self.slots * self.stride } else { 0 }
    }

    const fn pool_bytes(&self) -> usize {
        self.slots * self.pool_blocks * self.stride
    }

    /// Bytes of the arena, before they are known to fit into memory.
    pub(crate) const fn bytes(&self) -> u128 {
        self.slots as u128 * (self.pool_blocks as u128 + self.reads as u128) * self.stride as u128
    }

    /// Bytes of the arena.
    pub(crate) const fn arena_bytes(&self) -> usize {
        self.read_bytes() + self.pool_bytes()
    }
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    /// Block of the slot's part of the pool that was written last.
    block: usize,
    trail: Trail,
}

/// The slots of one arena.
#[derive(Debug)]
pub(crate) struct Slots {
    shape: Shape,
    data: DataSource,
    first: u64,
    slots: Box<[Slot]>,
}

impl Slots {
    /// `first` is the number of the first slot among those of all threads.
    pub(crate) fn new(shape: Shape, data: DataSource, first: u64) -> Self {
        // The first write advances to the first block.
        let block = shape.pool_blocks.saturating_sub(1);
        let slot = |index| Slot { block, trail: data.trail(first + index) };
        let slots = (0..shape.slots as u64).map(slot).collect();
        Slots { shape, data, first, slots }
    }

    /// The arena of these slots, with the pool's content made. What the kernel refused and it can do without is noted
    /// in `refused`.
    pub(crate) fn arena(&self, refused: &mut Vec<String>) -> Result<Arena, Broken> {
        let arena = Arena::map(self.shape.arena_bytes(), refused);
        let mut arena = arena.map_err(|source| Broken { what: Attempt::Buffers, source })?;
        let length = arena.len();
        self.fill_pool(arena.slice_mut(0, length));
        Ok(arena)
    }

    /// Makes the pool's content; `arena` is the whole arena.
    fn fill_pool(&self, arena: &mut [u8]) {
        let start = self.shape.read_bytes();
        if let Some(pool) = arena.get_mut(start..start + self.shape.pool_bytes()) {
            self.data.fill_pool(pool, self.first, self.shape.stride);
        }
    }

    /// Where the next operation of `slot` has its buffer. A write that repeats the slot's last one has the same.
    #[inline]
    pub(crate) fn place(&mut self, slot: usize, write: bool) -> usize {
        let shape = &self.shape;
        if !write {
            return slot * shape.stride;
        }
        let Slot { block, trail } = &mut self.slots[slot];
        if !self.data.repeats(trail) {
            *block = if *block + 1 == shape.pool_blocks { 0 } else { *block + 1 };
        }
        shape.read_bytes() + (slot * shape.pool_blocks + *block) * shape.stride
    }

    /// Where the next write of `slot` will most likely have its buffer.
    #[inline]
    pub(crate) fn next_write(&self, slot: usize) -> usize {
        let shape = &self.shape;
        let block = self.slots[slot].block + 1;
        let block = if block == shape.pool_blocks { 0 } else { block };
        shape.read_bytes() + (slot * shape.pool_blocks + block) * shape.stride
    }

    /// Bytes from block to block.
    pub(crate) const fn stride(&self) -> usize {
        self.shape.stride
    }

    /// Whether anything is written, and so stamped.
    pub(crate) const fn writes(&self) -> bool {
        self.shape.pool_blocks > 0
    }

    /// Makes the block that `slot` is about to write what it is to be. Follows a `place` for that write.
    #[inline]
    pub(crate) fn stamp(&mut self, slot: usize, block: &mut [u8]) {
        self.data.stamp(block, &mut self.slots[slot].trail);
    }
}

#[cfg(test)]
mod tests {
    use drivelab_core::workload::Workload;

    use super::*;

    #[test]
    fn buffers_are_aligned_inside_the_arena_and_never_shared_between_slots_or_kinds() {
        let shape = Shape { stride: 4096, slots: 3, reads: true, pool_blocks: 4 };
        let mut slots = Slots::new(shape, DataSource::new(&Workload::default(), 1, None).unwrap(), 0);
        let mut owner = std::collections::HashMap::new();
        for _ in 0..9 {
            for slot in 0..3 {
                for write in [false, true] {
                    let at = slots.place(slot, write);
                    assert!(at.is_multiple_of(4096) && at + shape.stride <= shape.arena_bytes());
                    assert_eq!(*owner.entry(at).or_insert((slot, write)), (slot, write));
                }
            }
        }
        assert_eq!(owner.len(), 3 + 3 * 4, "the whole pool is used in turn");
    }
}
