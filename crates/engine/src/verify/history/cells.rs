//! A number for each block: the last operation that changed it.

use std::collections::{TryReserveError, VecDeque};

use drivelab_core::load::OpKind;
use drivelab_core::units::Bytes;

use super::doubt::{Doubt, not_of_this_stream};
use crate::generate::stream::Stream;

/// Most memory for the numbers of all blocks of a step.
pub(super) const MEMORY_MAX: u64 = 8 << 30;

/// What is known of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Unknown,
    Written,
    Zeroed,
}

impl State {
    /// After an operation that may change a block.
    pub(super) const fn after(kind: OpKind) -> Self {
        match kind {
            OpKind::Write => State::Written,
            OpKind::WriteZeroes => State::Zeroed,
            // After a trim a drive may return anything.
            OpKind::Trim | OpKind::Read | OpKind::Flush => State::Unknown,
        }
    }
}

/// For each block: the turn of its last change plus one, above two bits of its state.
#[derive(Debug)]
pub(super) enum Cells {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Cells {
    pub(super) fn new(stream: &Stream, last_turn: u64, budget: &mut u64) -> Result<Self, String> {
        let (blocks, is_narrow) = (stream.blocks(), last_turn < u64::from(u32::MAX >> 2));
        let needed = blocks.saturating_mul(if is_narrow { 4 } else { 8 });
        let Some(left) = budget.checked_sub(needed) else {
            return Err(too_much(stream, needed, &format!("at most {} are used", Bytes::new(MEMORY_MAX))));
        };
        *budget = left;
        let failed = |error: TryReserveError| too_much(stream, needed, &error.to_string());
        let blocks = usize::try_from(blocks).unwrap_or(usize::MAX);
        Ok(if is_narrow {
            Cells::Narrow(zeros(blocks).map_err(failed)?)
        } else {
            Cells::Wide(zeros(blocks).map_err(failed)?)
        })
    }

    pub(super) fn get(&self, block: u64) -> (State, u64) {
        let block = usize::try_from(block).unwrap_or(usize::MAX);
        let value = match self {
            Cells::Narrow(cells) => cells.get(block).map_or(0, |value| u64::from(*value)),
            Cells::Wide(cells) => cells.get(block).copied().unwrap_or(0),
        };
        let state = [State::Unknown, State::Written, State::Zeroed][(value & 3).min(2) as usize];
        (state, value >> 2)
    }

    fn set(&mut self, change: Change) {
        let value = change.turn << 2 | change.state as u64;
        let (first, count) = (usize::try_from(change.first), usize::try_from(change.count));
        let range = first.unwrap_or(usize::MAX)..first.unwrap_or(usize::MAX).saturating_add(count.unwrap_or(0));
        match self {
            Cells::Narrow(cells) => {
                let value = u32::try_from(value).unwrap_or(0);
                cells.get_mut(range).into_iter().flatten().for_each(|cell| *cell = value);
            }
            Cells::Wide(cells) => cells.get_mut(range).into_iter().flatten().for_each(|cell| *cell = value),
        }
    }
}

fn zeros<T: Clone + Default>(length: usize) -> Result<Vec<T>, TryReserveError> {
    let mut cells = Vec::new();
    cells.try_reserve_exact(length)?;
    cells.resize(length, T::default());
    Ok(cells)
}

/// What one operation does to blocks.
#[derive(Debug, Clone, Copy)]
struct Change {
    first: u64,
    count: u64,
    state: State,
    turn: u64,
}

impl Change {
    /// What the operation at a cursor changes, if anything, and the next cursor.
    fn at(stream: &Stream, cursor: u64) -> (Option<Self>, u64) {
        let (op, next) = stream.op(cursor);
        let changes = !matches!(op.kind, OpKind::Read | OpKind::Flush);
        let change = changes.then(|| Change {
            first: (op.offset - stream.stretch().0) / stream.unit(),
            count: u64::from(op.length) / stream.unit(),
            state: State::after(op.kind),
            turn: cursor >> stream.turn_shift(),
        });
        (change, next)
    }
}

/// Goes through a stream's operations up to a cursor.
pub(super) fn replayed(stream: &Stream, end: u64, doubt: Doubt, budget: &mut u64) -> Result<Cells, String> {
    let last = stream.progress(end);
    let mut cells = Cells::new(stream, last.0, budget)?;
    let mut waiting: VecDeque<Option<Change>> = VecDeque::new();
    let mut cursor = 0;
    while cursor != end {
        if stream.progress(cursor) >= last {
            return Err(not_of_this_stream(end));
        }
        let (change, next) = Change::at(stream, cursor);
        waiting.push_back(change);
        if waiting.len() > doubt.before as usize
            && let Some(change) = waiting.pop_front().flatten()
        {
            cells.set(change);
        }
        cursor = next;
    }
    for _ in 0..doubt.after {
        let (change, next) = Change::at(stream, cursor);
        waiting.push_back(change);
        cursor = next;
    }
    // Writes that may not have reached the target leave the earlier content, or something newer. After other
    // operations in doubt the content is unknown.
    for change in waiting.into_iter().flatten().filter(|change| change.state != State::Written) {
        cells.set(Change { state: State::Unknown, turn: 0, ..change });
    }
    Ok(cells)
}

fn too_much(stream: &Stream, needed: u64, why: &str) -> String {
    format!(
        "knowing the last write of each of {} blocks needs {} of memory ({why}): use a smaller span, larger blocks, or \
         an order that needs none: pattern = \"random_once\" or \"sequential\" with one block size",
        stream.blocks(),
        Bytes::new(needed)
    )
}

#[cfg(test)]
mod tests {
    use drivelab_core::workload::{Pattern, Workload};

    use super::*;
    use crate::generate::testing::{load, percent, the_one};

    /// Beyond 2^30 operations a number for each block no longer fits into 32 bits.
    #[test]
    fn wide_numbers_say_the_same_as_narrow_ones() {
        let stream = the_one(&Workload { write_percent: percent(100), ..load(Pattern::Random, 100) });
        let change = |state, turn| Change { first: 3, count: 2, state, turn };
        for last_turn in [100, 1 << 40] {
            let mut cells = Cells::new(&stream, last_turn, &mut MEMORY_MAX.clone()).unwrap();
            assert_eq!(matches!(cells, Cells::Wide(_)), last_turn > 100);
            for (state, turn) in [(State::Written, 7), (State::Zeroed, last_turn), (State::Unknown, 0)] {
                cells.set(change(state, turn));
                assert_eq!(
                    [2, 3, 4, 5].map(|block| cells.get(block)),
                    [(State::Unknown, 0), (state, turn), (state, turn), (State::Unknown, 0)]
                );
            }
        }
    }
}
