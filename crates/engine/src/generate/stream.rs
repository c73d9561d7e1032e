//! The sequence of operations of one thread of a workload.

use std::sync::Arc;

use drivelab_core::load::OpKind;

use super::kinds::Kinds;
use super::law::Law;
use super::order::{Apart, Layout, Once, Walk};
use super::sizes::Sizes;
use super::{bounded, number};

/// One operation to issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Op {
    /// First byte in the target.
    pub(crate) offset: u64,
    /// Bytes; 0 for a flush.
    pub(crate) length: u32,
    /// What to do.
    pub(crate) kind: OpKind,
}

/// Where the blocks come from.
#[derive(Debug, Clone)]
pub(crate) enum Order {
    /// Anywhere, all equally likely, one size.
    Uniform,
    /// Forwards, one size.
    Forward,
    /// Backwards, one size.
    Backward,
    /// Any other order.
    Walk(Box<Walk>),
    /// At random, each once.
    Once(Box<Once>),
    /// At random by a law, or with mixed sizes.
    Law(Box<Law>),
    /// Forwards over a sample of the blocks, one size.
    Places(Arc<Places>),
    /// Reads and all other operations each sequential from a place of their own, one size.
    Apart(Apart),
}

/// The blocks of a stretch that are visited.
#[derive(Debug)]
pub(crate) struct Places {
    /// Ascending; not empty.
    pub(crate) blocks: Box<[u64]>,
    pub(crate) backwards: bool,
}

impl Places {
    /// The block at a place of a lap.
    #[inline]
    fn at(&self, place: u64) -> u64 {
        let place = if self.backwards { self.len() - 1 - place } else { place };
        usize::try_from(place).ok().and_then(|place| self.blocks.get(place)).copied().unwrap_or(0)
    }

    /// The place at which a block is visited.
    pub(crate) fn of(&self, block: u64) -> Option<u64> {
        let place = self.blocks.binary_search(&block).ok()? as u64;
        Some(if self.backwards { self.len() - 1 - place } else { place })
    }

    /// Number of places.
    pub(crate) const fn len(&self) -> u64 {
        self.blocks.len() as u64
    }
}

/// One thread's sequence: a pure function of key and cursor.
///
/// A mixed sequence has one position, except for [`Order::Apart`]: each operation takes the next block and its kind
/// is drawn, so a pass touches every block exactly once, with any kind. A flush takes no block.
#[derive(Debug, Clone)]
pub(crate) struct Stream {
    pub(super) order: Order,
    pub(super) layout: Layout,
    pub(super) key: u64,
    /// First byte of the stretch.
    pub(super) start: u64,
    /// Units in the stretch; at least 1.
    pub(super) blocks: u64,
    /// Bytes of a unit: the size of the operations, or a size that all their sizes are multiples of.
    pub(super) unit: u64,
    pub(super) kinds: Kinds,
    pub(super) sizes: Sizes,
}

impl Stream {
    /// The operation at `cursor`, and the cursor of the next one. Cursors begin at 0; a cursor is the one integer
    /// from which a stream continues. It is opaque: it is not the number of the operation.
    #[inline(always)]
    pub(crate) fn op(&self, cursor: u64) -> (Op, u64) {
        if self.kinds.any_flush() && self.kinds.is_flush(cursor) && self.layout.may_stay(cursor) {
            return (Op { offset: self.start, length: 0, kind: OpKind::Flush }, self.layout.stay(cursor));
        }
        let kind = self.kinds.draw(cursor);
        match &self.order {
            Order::Uniform => {
                let block = bounded(number(self.key, cursor), self.blocks);
                (self.one_size(block, kind), cursor.wrapping_add(1))
            }
            Order::Forward => (self.one_size(self.layout.place(cursor), kind), self.layout.step(cursor, self.blocks)),
            _ => self.rarer(cursor, kind),
        }
    }

    /// Out of line, so that the loops of the workers stay small.
    #[inline(never)]
    fn rarer(&self, cursor: u64, kind: OpKind) -> (Op, u64) {
        match &self.order {
            Order::Backward => {
                let block = self.blocks - 1 - self.layout.place(cursor);
                (self.one_size(block, kind), self.layout.step(cursor, self.blocks))
            }
            Order::Once(once) => {
                let (block, next) = once.visit(&self.layout, cursor);
                (self.one_size(block, kind), next)
            }
            Order::Walk(walk) => {
                let (start, length, next) = walk.visit(&self.layout, &self.sizes, cursor);
                (Op { offset: self.start + start * self.unit, length, kind }, next)
            }
            Order::Law(law) => {
                let (length, units) = self.sizes.draw(cursor);
                let start = law.place(number(self.key, cursor), units);
                (Op { offset: self.start + start * self.unit, length, kind }, cursor.wrapping_add(1))
            }
            Order::Places(places) => {
                let block = places.at(self.layout.place(cursor));
                (self.one_size(block, kind), self.layout.step(cursor, places.len()))
            }
            Order::Apart(apart) => {
                let (block, next) = apart.visit(&self.layout, cursor, kind);
                (self.one_size(block, kind), next)
            }
            Order::Uniform | Order::Forward => (self.one_size(0, kind), cursor.wrapping_add(1)),
        }
    }

    #[inline]
    const fn one_size(&self, block: u64, kind: OpKind) -> Op {
        Op { offset: self.start + block * self.unit, length: self.unit as u32, kind }
    }

    /// Start and length in bytes of the part of the target that the stream may touch.
    pub(crate) const fn stretch(&self) -> (u64, u64) {
        (self.start, self.blocks * self.unit)
    }

    /// Offsets in its stretch and lengths of its operations are multiples of this many bytes.
    pub(crate) const fn unit(&self) -> u64 {
        self.unit
    }

    /// Operations with a block in one pass; `None` if there are no passes, or if their number is random.
    pub(crate) fn pass(&self) -> Option<u64> {
        match &self.order {
            Order::Forward | Order::Backward => Some(self.blocks),
            Order::Once(once) => Some(once.indices),
            Order::Places(places) => Some(places.len()),
            Order::Walk(walk) if walk.jumps.is_none() && self.sizes.only().is_some() => Some(self.blocks),
            Order::Walk(_) | Order::Uniform | Order::Law(_) | Order::Apart(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
