//! Synthetic traces: operations from counts, volumes and a seed.
//!
//! Counts are exact: the kind of each operation is drawn from the remaining number of each kind. Volumes are exact to
//! a unit of 4 KiB: each size is drawn around the mean of the remaining volume, and the last operation takes the rest
//! if it can.

use drivelab_core::load::OpKind;
use drivelab_core::replay::{SYNTHETIC_UNIT, SyntheticTrace, TraceOp, TraceStream};
use drivelab_core::units::Bytes;

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
#[derive(Debug, Clone, Copy)]
struct Draws(u64);

impl Draws {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let value = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        value ^ (value >> 31)
    }

    /// Uniform in `0..bound`; 0 for a bound of 0.
    const fn below(&mut self, bound: u64) -> u64 {
        ((self.next() as u128 * bound as u128) >> 64) as u64
    }

    /// Exponential with mean 1.
    fn exponential(&mut self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "53 bits are meant")]
        let uniform = ((self.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        -uniform.ln()
    }
}

/// Remaining reads or writes.
#[derive(Debug, Clone, Copy)]
struct Left {
    sequential: u64,
    random: u64,
    /// Remaining volume in units; absent if sizes are uniform.
    units: Option<u64>,
    /// End of the last one, in units.
    end: u64,
}

impl Left {
    fn new(sequential: u64, random: u64, volume: Option<Bytes>) -> Self {
        Left { sequential, random, units: volume.map(|bytes| bytes.get() / SYNTHETIC_UNIT), end: 0 }
    }

    const fn operations(&self) -> u64 {
        self.sequential + self.random
    }
}

/// A trace that is being generated.
#[derive(Debug)]
pub(crate) struct Synthetic {
    reads: Left,
    writes: Left,
    /// In units.
    smallest: u64,
    largest: u64,
    footprint: u64,
    burst: u64,
    gap_ns: f64,
    draws: Draws,
    at_ns: u64,
    /// Remaining operations of the group that arrives together.
    together: u64,
    begun: bool,
}

impl Synthetic {
    pub(crate) fn new(trace: &SyntheticTrace) -> Self {
        let SyntheticTrace {
            sequential_reads,
            random_reads,
            sequential_writes,
            random_writes,
            read,
            written,
            smallest,
            largest,
            footprint,
            burst,
            gap,
            seed,
        } = trace;
        let units = |bytes: &Bytes| (bytes.get() / SYNTHETIC_UNIT).max(1);
        #[expect(clippy::cast_precision_loss, reason = "gaps stay far below 2^53 ns")]
        let gap_ns = gap.get() as f64;
        Synthetic {
            reads: Left::new(*sequential_reads, *random_reads, *read),
            writes: Left::new(*sequential_writes, *random_writes, *written),
            smallest: units(smallest),
            largest: units(largest).max(units(smallest)),
            footprint: units(footprint).max(units(largest)),
            burst: u64::from((*burst).max(1)),
            gap_ns,
            draws: Draws(*seed),
            at_ns: 0,
            together: 0,
            begun: false,
        }
    }

    fn make(&mut self) -> Option<TraceOp> {
        let (reads, writes) = (self.reads.operations(), self.writes.operations());
        if reads + writes == 0 {
            return None;
        }
        self.arrive();
        let is_read = self.draws.below(reads + writes) < reads;
        let mut left = if is_read { self.reads } else { self.writes };
        let sequential = self.draws.below(left.operations()) < left.sequential;
        let size = self.size(&left);
        let last = self.footprint - size;
        let start = if sequential && left.end <= last { left.end } else { self.draws.below(last + 1) };
        left.end = start + size;
        left.units = left.units.map(|units| units.saturating_sub(size));
        if sequential {
            left.sequential -= 1;
        } else {
            left.random -= 1;
        }
        let op = if is_read { OpKind::Read } else { OpKind::Write };
        *(if is_read { &mut self.reads } else { &mut self.writes }) = left;
        Some(TraceOp { at_ns: self.at_ns, op, offset: start * SYNTHETIC_UNIT, length: size * SYNTHETIC_UNIT })
    }

    /// Moves to the arrival of the next operation: together with the last one, or after a gap.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time of some seconds")]
    fn arrive(&mut self) {
        if self.together == 0 {
            // From one to twice the mean minus one, so that the average is the mean.
            self.together = 1 + self.draws.below(2 * self.burst - 1);
            let gap = if self.begun { self.draws.exponential() * self.gap_ns } else { 0.0 };
            self.at_ns = self.at_ns.saturating_add(gap as u64);
            self.begun = true;
        }
        self.together -= 1;
    }

    /// A size in units: uniform, or a quarter, half, once or twice the mean of the remaining volume.
    fn size(&mut self, left: &Left) -> u64 {
        let Some(units) = left.units else {
            return self.smallest + self.draws.below(self.largest - self.smallest + 1);
        };
        if left.operations() == 1 {
            return units.clamp(self.smallest, self.largest);
        }
        let mean = units / left.operations();
        let odd = units % left.operations();
        // Rounded up as often as the mean requires.
        let mean = mean + u64::from(self.draws.below(left.operations()) < odd);
        // A quarter four times of 24, half ten times, once twice, twice eight times: 1 on average.
        let size = match self.draws.below(24) {
            0..4 => mean / 4,
            4..14 => mean / 2,
            14..16 => mean,
            _ => mean * 2,
        };
        // The remaining volume must be enough for the other operations, and not more than they can take.
        let others = left.operations() - 1;
        let least = units.saturating_sub(others.saturating_mul(self.largest)).max(self.smallest);
        let most = units.saturating_sub(others.saturating_mul(self.smallest)).min(self.largest);
        size.clamp(least.min(self.largest), most.max(least).min(self.largest))
    }
}

impl TraceStream for Synthetic {
    fn next_op(&mut self) -> Result<Option<TraceOp>, String> {
        Ok(self.make())
    }
}
