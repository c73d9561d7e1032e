//! The verdict on a block that was read back, compared with what it should be.

use drivelab_core::record::DataFault;

use super::seal::{Header, Marks, Sealer};
use crate::generate::data::SECTOR;

/// What a block should hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Nothing in particular: never written, or trimmed, or a write to it failed. Here only a block that belongs
    /// elsewhere is wrong.
    Nothing,
    /// The block of this generation.
    Exactly(u64),
    /// The block of this turn of its stream or of a later one: a newer write than is known may have been in flight
    /// when the run was cut off.
    Since(Turn),
    /// Zeros, or a block of a later turn.
    ZerosSince(Turn),
}

/// A turn of a stream ([`crate::generate::recall`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) turn: u64,
    /// Bits of a cursor below its turn.
    pub(crate) shift: u32,
}

impl Turn {
    /// The turn that a generation has in the same stream.
    const fn of(self, generation: u64) -> u64 {
        generation.wrapping_sub(1) >> self.shift
    }
}

/// What is wrong with a block and, for a misplaced one, the address that it belongs to.
pub(crate) type Fault = (DataFault, Option<u64>);

/// Checks blocks that were sealed by a [`Sealer`] of the same run and seed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checker {
    run: u64,
    seed: u64,
    unit: usize,
    marks: Marks,
}

impl Checker {
    /// For the blocks of a sealer of this run, seed and unit.
    ///
    /// # Errors
    /// As for [`Sealer::new`].
    pub(crate) fn new(run: u64, seed: u64, unit: u64) -> Result<Self, String> {
        let unit = Sealer::new(run, seed, unit)?.unit();
        Ok(Checker { run, seed, unit, marks: Marks::new(run, seed) })
    }

    /// Bytes of a block.
    pub(crate) const fn unit(&self) -> usize {
        self.unit
    }

    /// Whether the block read from `address` is what was expected. `wrote` says whether a generation may have written
    /// to this address; it is called only for blocks that are not intact.
    #[inline]
    pub(crate) fn check(
        &self,
        block: &[u8],
        address: u64,
        expected: Expected,
        wrote: impl Fn(u64) -> bool,
    ) -> Result<(), Fault> {
        match Header::intact(block) {
            Some(header) => self.check_header(header, address, expected),
            None => self.examine(block, expected, &wrote),
        }
    }

    #[inline]
    fn check_header(&self, header: Header, address: u64, expected: Expected) -> Result<(), Fault> {
        if !self.is_ours(header) {
            // Data of an earlier run, step or round is still there: nothing of this one has arrived.
            let fault = if header.run <= self.run { DataFault::Stale } else { DataFault::Foreign };
            return if expected == Expected::Nothing { Ok(()) } else { Err((fault, None)) };
        }
        if header.address != address {
            return Err((DataFault::Misplaced, Some(header.address)));
        }
        let is_right = match expected {
            Expected::Nothing => true,
            Expected::Exactly(generation) => header.generation == generation,
            Expected::Since(turn) => turn.of(header.generation) >= turn.turn,
            Expected::ZerosSince(turn) => turn.of(header.generation) > turn.turn,
        };
        if is_right { Ok(()) } else { Err((DataFault::Stale, None)) }
    }

    /// The verdict on a block without a matching header.
    #[cold]
    fn examine(&self, block: &[u8], expected: Expected, wrote: &dyn Fn(u64) -> bool) -> Result<(), Fault> {
        if is_zero(block) {
            let is_right = matches!(expected, Expected::Nothing | Expected::ZerosSince(_));
            return if is_right { Ok(()) } else { Err((DataFault::Zero, None)) };
        }
        if expected == Expected::Nothing {
            return Ok(());
        }
        let zero_sectors = block.chunks(SECTOR).any(is_zero);
        let fault = match self.marks.generations(block).find(|write| wrote(*write)) {
            // Sectors of any other write, by this run or another.
            Some(ours) if zero_sectors || self.marks.generations(block).any(|write| write != ours) => DataFault::Torn,
            Some(_) => DataFault::Corrupt,
            None if Header::read(block).is_some_and(|header| self.is_ours(header)) => DataFault::Corrupt,
            None => DataFault::Foreign,
        };
        Err((fault, None))
    }

    const fn is_ours(&self, header: Header) -> bool {
        header.run == self.run && header.seed == self.seed
    }
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}
