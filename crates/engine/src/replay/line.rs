//! The line between the reader of a trace and the loops: a lock-free ring with one producer and any number of
//! consumers.
//!
//! Each place has a turn number that says who may use it (after Vyukov's bounded queue, 1024cores.net): at position p
//! a place is free for the producer while its turn is p, and ready for a consumer while its turn is p + 1. The
//! content of a place is written before the turn is published and read after a consumer has claimed the position, so
//! its fields are atomics only because several threads may look at them over time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use drivelab_core::load::OpKind;

use super::busy::Busy;
use crate::thread::place::Padded;

/// Places: 33 ms of a million operations per second, 1 MiB.
const PLACES: usize = 1 << 15;
const MASK: u64 = PLACES as u64 - 1;

/// One operation to issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item {
    /// When it is due, in nanoseconds after the start of the step; 0 in a closed loop.
    pub(crate) due_ns: u64,
    pub(crate) offset: u64,
    pub(crate) length: u32,
    pub(crate) kind: OpKind,
    pub(crate) changed: Changed,
    /// Trims that were left out right before it.
    pub(crate) skipped: u16,
}

/// What was done to an operation so that it fits the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Changed {
    pub(crate) moved: bool,
    pub(crate) aligned: bool,
    pub(crate) shortened: bool,
}

impl Item {
    fn packed(&self) -> u64 {
        let Changed { moved, aligned, shortened } = self.changed;
        let flags = u64::from(moved) | u64::from(aligned) << 1 | u64::from(shortened) << 2;
        u64::from(self.length) | (self.kind as u64) << 32 | flags << 40 | u64::from(self.skipped) << 48
    }

    #[expect(clippy::cast_possible_truncation, reason = "the parts of a packed number")]
    fn unpacked(due_ns: u64, offset: u64, packed: u64) -> Item {
        let flag = |bit: u32| packed >> (40 + bit) & 1 == 1;
        Item {
            due_ns,
            offset,
            length: packed as u32,
            kind: OpKind::ALL[usize::from((packed >> 32) as u8).min(OpKind::ALL.len() - 1)],
            changed: Changed { moved: flag(0), aligned: flag(1), shortened: flag(2) },
            skipped: (packed >> 48) as u16,
        }
    }
}

#[derive(Debug, Default)]
struct Place {
    turn: AtomicU64,
    due_ns: AtomicU64,
    offset: AtomicU64,
    packed: AtomicU64,
}

/// The result of taking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// An operation and its number in the replay, from 0.
    Item(u64, Item),
    /// The reader has not come this far.
    NotYet,
    /// No more will come.
    End,
}

/// The line.
#[derive(Debug)]
pub(crate) struct Line {
    places: Box<[Place]>,
    /// Next position to take.
    head: Padded,
    /// Next position to fill; only the producer uses it.
    tail: Padded,
    ended: AtomicBool,
    closed: AtomicBool,
    filled: AtomicBool,
    skipped_at_end: AtomicU64,
    pub(crate) busy: Busy,
}

impl Line {
    pub(crate) fn new() -> Self {
        let places = (0..PLACES as u64).map(|turn| Place { turn: AtomicU64::new(turn), ..Place::default() }).collect();
        Line {
            places,
            head: Padded::default(),
            tail: Padded::default(),
            ended: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            filled: AtomicBool::new(false),
            skipped_at_end: AtomicU64::new(0),
            busy: Busy::default(),
        }
    }

    fn place(&self, position: u64) -> &Place {
        &self.places[(position & MASK) as usize]
    }

    /// Puts an operation at the end; `false` if the line is full. For the one producer.
    pub(crate) fn push(&self, item: &Item) -> bool {
        let position = self.tail.0.load(Ordering::Relaxed);
        let place = self.place(position);
        if place.turn.load(Ordering::Acquire) != position {
            self.filled.store(true, Ordering::Release);
            return false;
        }
        place.due_ns.store(item.due_ns, Ordering::Relaxed);
        place.offset.store(item.offset, Ordering::Relaxed);
        place.packed.store(item.packed(), Ordering::Relaxed);
        place.turn.store(position + 1, Ordering::Release);
        self.tail.0.store(position + 1, Ordering::Relaxed);
        true
    }

    /// Takes the operation at the front.
    #[inline]
    pub(crate) fn take(&self) -> Taken {
        let mut position = self.head.0.load(Ordering::Relaxed);
        loop {
            // Read before the place: operations pushed before the end are then seen.
            let ended = self.ended.load(Ordering::Acquire);
            let place = self.place(position);
            let turn = place.turn.load(Ordering::Acquire);
            if turn == position + 1 {
                match self.head.0.compare_exchange_weak(position, position + 1, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => {
                        let (due_ns, offset) =
                            (place.due_ns.load(Ordering::Relaxed), place.offset.load(Ordering::Relaxed));
                        let item = Item::unpacked(due_ns, offset, place.packed.load(Ordering::Relaxed));
                        place.turn.store(position + PLACES as u64, Ordering::Release);
                        return Taken::Item(position, item);
                    }
                    Err(moved) => position = moved,
                }
            } else if turn <= position {
                return if ended { Taken::End } else { Taken::NotYet };
            } else {
                // Another consumer was faster.
                position = self.head.0.load(Ordering::Relaxed);
            }
        }
    }

    /// Nothing more will be pushed.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// Nothing more will be taken.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// It was full once, or holds everything that will come.
    pub(crate) fn is_ready(&self) -> bool {
        self.filled.load(Ordering::Acquire) || self.ended.load(Ordering::Acquire)
    }

    /// Trims that were left out after the last operation.
    pub(crate) fn note_skipped_at_end(&self, trims: u64) {
        self.skipped_at_end.store(trims, Ordering::Relaxed);
    }

    /// How many operations were taken, and whether those were all; if so, also the trims left out after them.
    pub(crate) fn outcome(&self) -> (u64, bool, u64) {
        let taken = self.head.0.load(Ordering::Relaxed);
        let all = self.ended.load(Ordering::Acquire) && taken == self.tail.0.load(Ordering::Relaxed);
        (taken, all, if all { self.skipped_at_end.load(Ordering::Relaxed) } else { 0 })
    }
}
