//! A stream backwards: the order of its cursors, and which of them had a block.
//!
//! A cursor is not the number of an operation, so this module says which is older or newer. In an orderly stream, one
//! whose laps visit each block once in an order that can be computed backwards, the last visit to a block follows
//! from the stream's position; its history needs no memory.

use drivelab_core::load::OpKind;

use super::order::Walk;
use super::stream::{Order, Stream};

/// How far a stream has come: sorts in the order of its operations. The first part is the turn, which tells two
/// visits of one block apart.
pub(crate) type Progress = (u64, u64, u64);

impl Stream {
    /// Blocks of its stretch, in units of [`Stream::unit`]; at least 1.
    pub(crate) const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Whether a lap visits this block of its stretch.
    pub(crate) fn visits(&self, block: u64) -> bool {
        match &self.order {
            Order::Places(places) => places.of(block).is_some(),
            _ => true,
        }
    }

    /// Blocks that a lap of an orderly stream visits; at least 1.
    pub(crate) fn in_a_lap(&self) -> u64 {
        match &self.order {
            Order::Places(places) => places.len().max(1),
            _ => self.blocks,
        }
    }

    /// Whether every lap visits each block (of its places, if it has some) once, with one size, in an order that can
    /// be computed backwards.
    pub(crate) fn is_orderly(&self) -> bool {
        match &self.order {
            Order::Forward | Order::Backward | Order::Places(_) => true,
            Order::Once(once) => once.of == 1,
            Order::Walk(walk) => walk.jumps.is_none() && self.sizes.only().is_some(),
            Order::Uniform | Order::Law(_) | Order::Apart(_) => false,
        }
    }

    /// Whether this may be a cursor of the stream. Do not ask for the operation at any other number.
    pub(crate) fn is_cursor(&self, cursor: u64) -> bool {
        match &self.order {
            Order::Uniform | Order::Law(_) => true,
            Order::Once(once) => self.layout.place(cursor) < once.indices,
            Order::Apart(apart) => apart.is_cursor(cursor),
            Order::Places(places) => self.layout.place(cursor) < places.len(),
            Order::Forward | Order::Backward => self.layout.place(cursor) < self.blocks,
            Order::Walk(walk) => walk.units.saturating_sub(self.layout.place(cursor)) >= self.sizes.smallest_units(),
        }
    }

    /// Bits of a cursor below its turn. No two visits of one block have the same turn, and a later visit has a larger
    /// one.
    pub(crate) const fn turn_shift(&self) -> u32 {
        self.layout.lap_shift()
    }

    /// How far the stream has come when it is at this cursor.
    pub(crate) fn progress(&self, cursor: u64) -> Progress {
        let rank = match &self.order {
            Order::Walk(walk) => rank(walk, self.layout.place(cursor)),
            _ => self.layout.place(cursor),
        };
        (self.layout.lap(cursor), rank, self.layout.repeats(cursor))
    }

    /// Places between two cursors of an orderly stream: never more than there are operations.
    pub(crate) fn places_between(&self, from: Progress, to: Progress) -> u64 {
        let places = |progress: Progress| u128::from(progress.0) * u128::from(self.in_a_lap()) + u128::from(progress.1);
        u64::try_from(places(to).saturating_sub(places(from))).unwrap_or(u64::MAX)
    }

    /// Cursor and kind of the operation with which an orderly stream visits a block of its stretch in a lap; the lap
    /// must visit that block.
    pub(crate) fn visit(&self, block: u64, lap: u64) -> (u64, OpKind) {
        let place = match &self.order {
            Order::Once(once) => once.permutation.index_of(block, lap).saturating_sub(once.first),
            Order::Backward => (self.blocks - 1).saturating_sub(block),
            Order::Places(places) => places.of(block).unwrap_or(0),
            Order::Walk(walk) if walk.backwards => (walk.units - 1).saturating_sub(block),
            _ => block,
        };
        let mut cursor = self.layout.cursor(lap, place);
        loop {
            let (op, next) = self.op(cursor);
            if op.kind != OpKind::Flush {
                return (cursor, op.kind);
            }
            cursor = next;
        }
    }
}

/// How many places of a lap are visited before this one.
const fn rank(walk: &Walk, place: u64) -> u64 {
    if walk.stride == 0 {
        return place;
    }
    // Places with a smaller remainder come first; the first few remainders have one place more than the others.
    let (remainder, row) = (place % walk.stride, place / walk.stride);
    let (rows, longer) = (walk.units / walk.stride, walk.units % walk.stride);
    remainder * rows + if remainder < longer { remainder } else { longer } + row
}

#[cfg(test)]
mod tests;
