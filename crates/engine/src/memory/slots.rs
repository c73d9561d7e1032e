//! Where in the arena each slot (one operation in flight) reads into and writes from.
//!
//! Arena of a thread: one block per slot to read into, then the pool to write from ([`crate::memory::pool`]), then
//! spare blocks to write from. Reads never use the memory of writes, or a mixed workload would write back what it
//! read. A slot keeps the data of its last write until its next write, so a block is never changed while it is in
//! flight, and can be written again.

use crate::generate::data::{DataSource, Trail};
use crate::memory::buffer::Arena;
use crate::memory::pool::{Part, Pool, PoolShape};
use crate::thread::faults::{Attempt, Broken};

/// Shape of the arena of one thread, the same for all threads of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    /// Distance from block to block: the bytes of one operation, rounded up to the alignment that buffers need.
    pub(crate) stride: usize,
    /// Slots of this arena.
    pub(crate) slots: usize,
    /// Whether anything is read.
    pub(crate) reads: bool,
    /// The source of writes; absent if nothing is written.
    pub(crate) pool: Option<PoolShape>,
}

impl Shape {
    const fn read_bytes(&self) -> usize {
        if self.reads { self.slots * self.stride } else { 0 }
    }

    /// Bytes of the arena, before it is known that they fit into memory.
    pub(crate) fn bytes(&self) -> u128 {
        let reads = if self.reads { self.slots as u128 * self.stride as u128 } else { 0 };
        reads + self.pool.map_or(0, |pool| pool.bytes(self.slots as u64, self.stride as u64))
    }

    /// Bytes of all arenas if each slot has one of its own.
    pub(crate) fn bytes_slot_by_slot(&self) -> u128 {
        self.slots as u128 * self.for_one_slot().bytes()
    }

    /// Bytes of the arena.
    pub(crate) fn arena_bytes(&self) -> usize {
        usize::try_from(self.bytes()).unwrap_or(usize::MAX)
    }

    /// This shape for one slot.
    pub(crate) fn for_one_slot(&self) -> Self {
        Shape { slots: 1, pool: self.pool.map(PoolShape::for_one_slot), ..*self }
    }
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    /// Where its last write started in the arena.
    at: usize,
    part: Part,
    trail: Trail,
}

/// The slots of one arena.
#[derive(Debug)]
pub(crate) struct Slots {
    shape: Shape,
    data: DataSource,
    first: u64,
    /// Absent if the same data is written everywhere, or nothing is written.
    rings: Option<Pool>,
    /// Where the rings begin; the spare blocks follow them.
    rings_at: usize,
    spares_at: usize,
    slots: Box<[Slot]>,
}

impl Slots {
    /// `first` is the number of the first slot among those of all threads.
    pub(crate) fn new(shape: Shape, data: DataSource, first: u64) -> Self {
        let slot = |index| Slot { at: 0, part: Part::default(), trail: data.trail(first + index) };
        let slots = (0..shape.slots as u64).map(slot).collect();
        let rings_at = shape.read_bytes();
        let spares_at = rings_at + shape.pool.map_or(0, |pool| pool.ring_bytes());
        Slots { shape, data, first, rings: shape.pool.and_then(Pool::new), rings_at, spares_at, slots }
    }

    /// The arena of these slots, with the content of the pool. Features that the kernel refused and the arena can do
    /// without are added to `refused`.
    pub(crate) fn arena(&self, refused: &mut Vec<String>) -> Result<Arena, Broken> {
        let arena = Arena::map(self.shape.arena_bytes(), refused);
        let mut arena = arena.map_err(|source| Broken { what: Attempt::Buffers, source })?;
        self.fill_pool(arena.slice_mut(0, self.shape.arena_bytes()));
        Ok(arena)
    }

    /// Makes the data of the pool; `arena` is the whole arena.
    fn fill_pool(&self, arena: &mut [u8]) {
        let Some(pool) = self.shape.pool else { return };
        let (rings, spares) = arena[self.rings_at..].split_at_mut(pool.ring_bytes());
        self.data.fill_pool(rings, self.first, pool.cell());
        // Different random bytes from those of the rings: slots have numbers below 2^32.
        self.data.fill_pool(spares, self.first | 1 << 32, self.shape.stride);
    }

    /// Where the buffer of an operation of `slot` that does not write starts.
    #[inline]
    pub(crate) const fn read(&self, slot: usize) -> usize {
        slot * self.shape.stride
    }

    /// Where the buffer of a write of `slot` starts. A write that repeats the slot's last write has the same buffer.
    // Inlined into the loops: an operation passed in memory is written there in pieces and read as a whole, and the
    // processor waits for that.
    #[inline(always)]
    pub(crate) fn write(&mut self, slot: usize, address: u64, length: u32) -> usize {
        let Slot { at, part, trail } = &mut self.slots[slot];
        if !self.data.repeats(trail, length as usize) {
            let taken = self.rings.as_mut().and_then(|rings| rings.take(part, address, length));
            *at = taken.map_or(self.spares_at + slot * self.shape.stride, |place| self.rings_at + place);
        }
        *at
    }

    /// Prepares the block that `slot` is about to write. Follows [`Slots::write`] for that write.
    #[inline]
    pub(crate) fn stamp(&mut self, slot: usize, block: &mut [u8]) {
        let Slot { at, trail, .. } = &mut self.slots[slot];
        self.data.stamp(block, *at, trail);
    }
}
