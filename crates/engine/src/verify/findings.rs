//! What checks found: counts, the first bad blocks, and what misplaced blocks show together.

use drivelab_core::record::{BadBlock, DataFault, MAP_PARTS, Verification, map_part};
use drivelab_core::units::Bytes;
use drivelab_core::workload::Span;

use super::check::{Checker, Expected, Fault};
use super::history::{History, writes_to};
use super::wraps::Wraps;
use crate::generate::stream::Stream;

/// Bad blocks that are listed.
pub(crate) const NAMED: usize = 64;

/// What one thread found. It allocates only when it is made.
#[derive(Debug)]
pub(crate) struct Findings {
    checked: u64,
    /// In the order of [`DataFault::ALL`].
    faults: [u64; DataFault::ALL.len()],
    first: Vec<BadBlock>,
    wraps: Wraps,
    /// The span whose parts are counted; empty if none are.
    span: Span,
    by_part: [u64; MAP_PARTS],
}

impl Findings {
    /// No findings yet, for blocks of this span.
    pub(crate) fn new(span: Span) -> Self {
        Findings {
            checked: 0,
            faults: [0; DataFault::ALL.len()],
            first: Vec::with_capacity(NAMED),
            wraps: Wraps::new(),
            span,
            by_part: [0; MAP_PARTS],
        }
    }

    /// Compares the blocks read from `address` on with what was written there.
    #[inline]
    pub(crate) fn check(&mut self, checker: &Checker, buffer: &[u8], address: u64, history: &History) {
        for (block, address) in buffer.chunks_exact(checker.unit()).zip((address..).step_by(checker.unit())) {
            let expected = history.expected(address);
            let result = checker.check(block, address, expected, |write| history.wrote(address, write));
            self.note(address, checker, expected, result);
        }
    }

    /// Checks blocks read from `address` on directly after the write of this generation of a stream.
    #[inline]
    pub(crate) fn check_at_once(
        &mut self,
        checker: &Checker,
        buffer: &[u8],
        address: u64,
        generation: u64,
        stream: &Stream,
    ) {
        let expected = Expected::Exactly(generation);
        for (block, address) in buffer.chunks_exact(checker.unit()).zip((address..).step_by(checker.unit())) {
            let is_known = |write: u64| stream.progress(write - 1) <= stream.progress(generation - 1);
            let wrote = |write| writes_to(stream, address, write) && is_known(write);
            self.note(address, checker, expected, checker.check(block, address, expected, wrote));
        }
    }

    #[inline]
    fn note(&mut self, address: u64, checker: &Checker, expected: Expected, result: Result<(), Fault>) {
        match result {
            Ok(()) => self.checked += u64::from(expected != Expected::Nothing),
            Err((fault, belongs_at)) => self.bad(BadBlock { offset: address, fault, belongs_at }, checker.unit()),
        }
    }

    #[cold]
    fn bad(&mut self, block: BadBlock, unit: usize) {
        self.checked += 1;
        self.faults[block.fault as usize] += 1;
        if let Some(count) = map_part(self.span, block.offset).and_then(|part| self.by_part.get_mut(part)) {
            *count += 1;
        }
        if let Some(belongs_at) = block.belongs_at {
            self.wraps.note(belongs_at.abs_diff(block.offset), unit as u64);
        }
        if self.first.len() < NAMED {
            self.first.push(block);
        }
    }

    /// Merges what another thread found.
    pub(crate) fn merge(&mut self, other: Findings) {
        let Findings { checked, faults, first, wraps, span: _, by_part } = other;
        self.checked += checked;
        self.faults.iter_mut().zip(faults).for_each(|(mine, theirs)| *mine += theirs);
        self.by_part.iter_mut().zip(by_part).for_each(|(mine, theirs)| *mine += theirs);
        self.first.extend(first);
        self.wraps.merge(wraps);
    }

    /// For the record. Misplaced blocks that together show a wrapped address are reported as such.
    pub(crate) fn into_verification(mut self) -> Verification {
        let wraps = self.wraps.found();
        if let Some((capacity, wrapped)) = wraps {
            self.faults[DataFault::Misplaced as usize] -= wrapped;
            self.faults[DataFault::Wrapped as usize] += wrapped;
            let is_wrap = |block: &BadBlock| {
                block.belongs_at.is_some_and(|other| other.abs_diff(block.offset).is_multiple_of(capacity))
            };
            self.first.iter_mut().filter(|block| is_wrap(block)).for_each(|block| block.fault = DataFault::Wrapped);
        }
        self.first.sort_by_key(|block| block.offset);
        self.first.truncate(NAMED);
        let found = DataFault::ALL.into_iter().zip(self.faults).filter(|(_, count)| *count > 0);
        let bad_by_part = if self.by_part.iter().any(|bad| *bad > 0) { self.by_part.to_vec() } else { Vec::new() };
        Verification {
            bad_by_part,
            checked: self.checked,
            faults: found.collect(),
            first: self.first,
            wraps_at: wraps.map(|(capacity, _)| Bytes::new(capacity)),
        }
    }
}
