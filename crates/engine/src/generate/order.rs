//! In which order blocks are visited, if there is an order: forwards, backwards, in strides, with jumps, or at random
//! with every block once; and how the one integer of a stream, its cursor, holds a place in that order.
//!
//! A cursor has the place in its low bits and a turn above them. The turn counts the laps; if flushes are mixed in,
//! its lowest bits count the flushes at this place, so that no two operations have the same cursor. With jumps the
//! turn counts the operations: a jump is drawn from the whole cursor, so that a place does not always have the same
//! successor. With 2^40 places there are 2^24 turns (2^14 if flushes are mixed in), which then begin again.

use drivelab_core::load::OpKind;

use super::feistel::Feistel;
use super::sizes::Sizes;
use super::{bounded, number};

/// Bits that count flushes at one place. A run of more than 2^10 - 1 is cut off: at 99 % flushes, the most that can
/// be mixed in, one place in 30,000 has a longer one.
const REPEAT_BITS: u32 = 10;

/// Where the place and the turn are in a cursor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    place: u64,
    /// The bits of the turn that restart at each place.
    repeats: u64,
    one_turn: u64,
    lap_shift: u32,
}

impl Layout {
    /// Of a sequence without places: the cursor is the number of the operation.
    pub(crate) const COUNTER: Layout = Layout { place: 0, repeats: 0, one_turn: 1, lap_shift: 0 };

    /// For `places` places.
    pub(crate) const fn new(places: u64, flushes: bool) -> Self {
        let bits = u64::BITS - places.saturating_sub(1).leading_zeros();
        let one_turn = 1_u64 << bits;
        let repeat_bits = if flushes { REPEAT_BITS } else { 0 };
        let repeats = ((1 << repeat_bits) - 1) << bits;
        Layout { place: one_turn - 1, repeats, one_turn, lap_shift: bits + repeat_bits }
    }

    /// The place of a cursor.
    #[inline]
    pub(crate) const fn place(&self, cursor: u64) -> u64 {
        cursor & self.place
    }

    /// The lap of a cursor.
    #[inline]
    pub(crate) const fn lap(&self, cursor: u64) -> u64 {
        cursor >> self.lap_shift
    }

    /// How many operations without a block came at this place, in an arbitrary unit.
    pub(crate) const fn repeats(&self, cursor: u64) -> u64 {
        cursor & self.repeats
    }

    /// Bits below the lap.
    pub(crate) const fn lap_shift(&self) -> u32 {
        self.lap_shift
    }

    /// The first cursor at a place of a lap.
    pub(crate) const fn cursor(&self, lap: u64, place: u64) -> u64 {
        lap << self.lap_shift | place
    }

    /// Whether another operation without a block may come at this place.
    pub(crate) const fn may_stay(&self, cursor: u64) -> bool {
        self.repeats == 0 || cursor & self.repeats != self.repeats
    }

    /// The same place, one turn later.
    #[inline]
    pub(crate) const fn stay(&self, cursor: u64) -> u64 {
        cursor.wrapping_add(self.one_turn)
    }

    /// Another place of the same lap.
    #[inline]
    pub(crate) const fn go(&self, cursor: u64, place: u64) -> u64 {
        cursor & !(self.repeats | self.place) | place
    }

    /// The first place of the next lap.
    #[inline]
    pub(crate) const fn next_lap(&self, cursor: u64) -> u64 {
        (cursor | self.repeats | self.place).wrapping_add(1)
    }

    /// The place after this one, or the first of the next lap if there are no more.
    #[inline]
    pub(crate) const fn step(&self, cursor: u64, places: u64) -> u64 {
        let next = self.place(cursor) + 1;
        if next < places { self.go(cursor, next) } else { self.next_lap(cursor) }
    }
}

/// Jumps of a sequence.
#[derive(Debug, Clone)]
pub(crate) struct Jumps {
    pub(crate) key: u64,
    pub(crate) place_key: u64,
    /// Random numbers below this jump.
    pub(crate) below: u64,
    /// Places where a jump may land.
    pub(crate) landings: u64,
    /// Units from one landing to the next.
    pub(crate) units: u64,
}

/// A sequence other than plain forwards with one size.
#[derive(Debug, Clone)]
pub(crate) struct Walk {
    /// Units of the stretch.
    pub(crate) units: u64,
    pub(crate) backwards: bool,
    /// Units from start to start; 0 if operations follow each other. Only with one size, which is then the unit.
    pub(crate) stride: u64,
    pub(crate) jumps: Option<Jumps>,
}

impl Walk {
    /// Start in units from the start of the stretch, size, and next cursor.
    pub(crate) fn visit(&self, layout: &Layout, sizes: &Sizes, cursor: u64) -> (u64, u32, u64) {
        let place = layout.place(cursor);
        let (bytes, units) = sizes.draw_within(cursor, self.units - place);
        let start = if self.backwards { self.units - place - units } else { place };
        let follow = self.follow(place, units, sizes.smallest_units());
        let next = match &self.jumps {
            None => follow.map_or_else(|| layout.next_lap(cursor), |place| layout.go(cursor, place)),
            Some(jumps) if number(jumps.key, cursor) < jumps.below => {
                let landing = bounded(number(jumps.place_key, cursor), jumps.landings);
                layout.go(layout.stay(cursor), landing * jumps.units)
            }
            Some(_) => layout.go(layout.stay(cursor), follow.unwrap_or(0)),
        };
        (start, bytes, next)
    }

    /// The place after one where `taken` units were taken; `None` at the end of a lap. A lap of strides begins again
    /// one block further until every block was visited.
    fn follow(&self, place: u64, taken: u64, smallest: u64) -> Option<u64> {
        if self.stride == 0 {
            let next = place + taken;
            return (self.units - next >= smallest).then_some(next);
        }
        let next = place + self.stride;
        if next < self.units {
            return Some(next);
        }
        let next = place % self.stride + 1;
        (next < self.stride).then_some(next)
    }
}

/// Every block once in random order: all indices, or every `of`-th index.
#[derive(Debug, Clone)]
pub(crate) struct Once {
    pub(crate) permutation: Feistel,
    /// Number of the first index.
    pub(crate) first: u64,
    /// Distance between the indices.
    pub(crate) of: u64,
    /// Indices in a lap.
    pub(crate) indices: u64,
}

impl Once {
    /// Block, and next cursor.
    #[inline]
    pub(crate) const fn visit(&self, layout: &Layout, cursor: u64) -> (u64, u64) {
        let index = self.first + layout.place(cursor) * self.of;
        (self.permutation.at(index, layout.lap(cursor)), layout.step(cursor, self.indices))
    }
}

/// Blocks in order from two places: reads continue from one, all other operations from the other. A cursor holds both
/// in its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Apart {
    /// Blocks of the stretch.
    blocks: u64,
    backwards: bool,
    /// Bits of one place.
    bits: u32,
}

impl Apart {
    /// Most bits of both places: the bits above them tell operations at the same places apart.
    const MOST_BITS: u32 = 56;

    pub(crate) fn new(blocks: u64, backwards: bool) -> Result<Self, String> {
        let bits = u64::BITS - blocks.saturating_sub(1).leading_zeros();
        if 2 * bits > Self::MOST_BITS {
            return Err(format!(
                "streams by kind cover at most {} blocks, the span has {blocks}: use larger blocks, a smaller span, or streams = \"overlapping\"",
                1_u64 << (Self::MOST_BITS / 2)
            ));
        }
        Ok(Apart { blocks, backwards, bits })
    }

    /// Layout of its cursors.
    pub(crate) const fn layout(&self) -> Layout {
        Layout::new(1 << (2 * self.bits), false)
    }

    /// The places from which reads and all other operations continue.
    pub(crate) const fn places(&self, cursor: u64) -> (u64, u64) {
        let one = (1 << self.bits) - 1;
        (cursor & one, cursor >> self.bits & one)
    }

    /// Block, and next cursor.
    pub(crate) const fn visit(&self, layout: &Layout, cursor: u64, kind: OpKind) -> (u64, u64) {
        let (read, other) = self.places(cursor);
        let place = if matches!(kind, OpKind::Read) { read } else { other };
        let after = if place + 1 < self.blocks { place + 1 } else { 0 };
        let (read, other) = if matches!(kind, OpKind::Read) { (after, other) } else { (read, after) };
        let block = if self.backwards { self.blocks - 1 - place } else { place };
        (block, layout.go(layout.stay(cursor), other << self.bits | read))
    }

    /// Whether this may be one of its cursors.
    pub(crate) const fn is_cursor(&self, cursor: u64) -> bool {
        let (read, other) = self.places(cursor);
        read < self.blocks && other < self.blocks
    }
}

#[cfg(test)]
mod tests;
