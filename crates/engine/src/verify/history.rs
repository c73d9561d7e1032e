//! What each block must hold: which write was the last to it.
//!
//! Streams are pure functions of their cursors, so nothing is recorded while writing: the writes are replayed when
//! they are to be checked. An orderly stream does not need even that. If a block comes twice in a lap, or in an order
//! that cannot be computed backwards, a number is kept for each block.

use std::ops::Range;

use drivelab_core::load::OpKind;

use super::check::{Expected, Turn};
use crate::generate::recall::Progress;
use crate::generate::stream::Stream;

mod cells;
mod doubt;

use cells::{Cells, MEMORY_MAX, State, replayed};
pub(super) use doubt::Doubt;
use doubt::not_of_this_stream;

/// Which write was the last to each block.
#[derive(Debug)]
pub(crate) struct History {
    /// Sorted by start.
    parts: Vec<Part>,
    /// Byte ranges about which nothing is known.
    excused: Vec<Range<u64>>,
}

/// One stream and its stretch.
#[derive(Debug)]
struct Part {
    stream: Stream,
    stretch: Range<u64>,
    /// How far the stream came.
    end: Progress,
    doubt: Doubt,
    /// The last write of each block; absent if it is computed.
    last: Option<Cells>,
}

impl History {
    /// What streams have written that began at cursor 0 and are at these cursors now (in a record: the positions of
    /// its threads). The last `in_flight` operations of each may or may not have reached the target; 0 if all have
    /// ended, [`super::busy::Window::operations`] if a run was cut off.
    ///
    /// # Errors
    /// A sentence if streams share blocks, if a cursor does not belong to its stream, or if too much memory is
    /// needed.
    pub(crate) fn replay(streams: &[Stream], cursors: &[u64], in_flight: u32) -> Result<Self, String> {
        Self::doubted(streams, cursors, Doubt { before: in_flight, after: 0 })
    }

    /// [`Self::replay`] with operations after the cursors in doubt too.
    pub(super) fn doubted(streams: &[Stream], cursors: &[u64], doubt: Doubt) -> Result<Self, String> {
        if streams.len() != cursors.len() {
            return Err(format!(
                "{} positions cannot belong to {} threads: check with the same parameters as were written",
                cursors.len(),
                streams.len()
            ));
        }
        let mut budget = MEMORY_MAX;
        let made = streams.iter().zip(cursors).map(|(stream, cursor)| Part::new(stream, *cursor, doubt, &mut budget));
        let mut parts = made.collect::<Result<Vec<_>, _>>()?;
        parts.sort_by_key(|part| part.stretch.start);
        if parts.windows(2).any(|two| two[0].stretch.end > two[1].stretch.start) {
            return Err("several threads or groups write the same blocks, so the last write is unknown: give each a \
                        span of its own to verify what it writes"
                .to_owned());
        }
        Ok(History { parts, excused: Vec::new() })
    }

    /// Drops what is known about these bytes: a write to them failed.
    pub(crate) fn excuse(&mut self, offset: u64, length: u64) {
        self.excused.push(offset..offset.saturating_add(length));
    }

    /// What the block at this address must hold.
    pub(crate) fn expected(&self, address: u64) -> Expected {
        let is_excused = self.excused.iter().any(|range| range.contains(&address));
        self.part(address).filter(|_| !is_excused).map_or(Expected::Nothing, |part| part.expected(address))
    }

    /// Whether a generation may have written to the block at this address.
    pub(crate) fn wrote(&self, address: u64, generation: u64) -> bool {
        self.part(address).is_some_and(|part| {
            let cursor = generation.wrapping_sub(1);
            let newest = part.end.0.saturating_add(u64::from(part.doubt.before)).saturating_add(1);
            cursor >> part.stream.turn_shift() <= newest && writes_to(&part.stream, address, generation)
        })
    }

    fn part(&self, address: u64) -> Option<&Part> {
        let after = self.parts.partition_point(|part| part.stretch.start <= address);
        self.parts[..after].last().filter(|part| part.stretch.contains(&address))
    }
}

/// Whether a generation of this stream, if it exists, writes to this address.
pub(super) fn writes_to(stream: &Stream, address: u64, generation: u64) -> bool {
    let cursor = generation.wrapping_sub(1);
    if generation == 0 || !stream.is_cursor(cursor) {
        return false;
    }
    let (op, _) = stream.op(cursor);
    op.kind == OpKind::Write && (op.offset..op.offset + u64::from(op.length)).contains(&address)
}

impl Part {
    fn new(stream: &Stream, cursor: u64, doubt: Doubt, budget: &mut u64) -> Result<Self, String> {
        if !stream.is_cursor(cursor) {
            return Err(not_of_this_stream(cursor));
        }
        let (start, length) = stream.stretch();
        let last = if stream.is_orderly() { None } else { Some(replayed(stream, cursor, doubt, budget)?) };
        let end = stream.progress(cursor);
        Ok(Part { stream: stream.clone(), stretch: start..start + length, end, doubt, last })
    }

    fn expected(&self, address: u64) -> Expected {
        let block = (address - self.stretch.start) / self.stream.unit();
        let (state, turn) = match &self.last {
            Some(cells) => cells.get(block),
            None => self.reckoned(block),
        };
        let turn = Turn { turn, shift: self.stream.turn_shift() };
        match state {
            State::Unknown => Expected::Nothing,
            State::Written => Expected::Since(turn),
            State::Zeroed => Expected::ZerosSince(turn),
        }
    }

    /// Goes back lap by lap to the last operation that changed the block.
    fn reckoned(&self, block: u64) -> (State, u64) {
        let Doubt { before, after } = self.doubt;
        if !self.stream.visits(block) {
            return (State::Unknown, 0);
        }
        let laps_after = if after == 0 { 0 } else { u64::from(after) / self.stream.in_a_lap() + 1 };
        for lap in (0..=self.end.0 + laps_after).rev() {
            let (cursor, kind) = self.stream.visit(block, lap);
            let at = self.stream.progress(cursor);
            let is_behind = at >= self.end;
            let is_doubted = if is_behind {
                self.stream.places_between(self.end, at) < u64::from(after)
            } else {
                self.stream.places_between(at, self.end) <= u64::from(before)
            };
            match (State::after(kind), is_doubted) {
                _ if kind == OpKind::Read || is_behind && !is_doubted => {}
                (State::Written, true) => {}
                (_, true) => return (State::Unknown, 0),
                (state, false) => return (state, lap),
            }
        }
        (State::Unknown, 0)
    }
}

#[cfg(test)]
mod tests;
