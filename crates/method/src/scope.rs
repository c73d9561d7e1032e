//! What an expansion is for: the methodology, the form, and what is known of the target; with the smoke form's
//! limits.
//!
//! Must not know: what is made of it.

use drivelab_core::namespace::OtherNamespace;
use drivelab_core::plan::Form;
use drivelab_core::units::{Bytes, BytesPerSecond, Nanos};

use crate::methodology::Methodology;
use crate::tree::value::Table;

/// The smoke form: size of its target, and most bytes of one of its steps.
pub(crate) const SMOKE_SIZE: Bytes = Bytes::new(8 << 20);

/// The smoke form: longest step if there are only a few steps.
pub(crate) const SMOKE_CAP: Nanos = Nanos::from_millis(500);

/// A guess of how fast the target is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeedGuess {
    /// Sequential rate.
    pub throughput: BytesPerSecond,
    /// Random 4 KiB operations per second with 32 and more in flight.
    pub random_iops: f64,
}

/// Random operations for each byte per second of the sequential rate, if only that rate is known.
const RANDOM_SHARE: f64 = 80_000.0 / 500e6;

impl Default for SpeedGuess {
    /// A SATA SSD: the slowest common kind of drive, so that an estimate is rarely too short.
    fn default() -> Self {
        SpeedGuess::of_rate(BytesPerSecond::new(500e6))
    }
}

impl SpeedGuess {
    /// A target with this sequential rate; its random operations are in the same proportion to it as those of a SATA
    /// SSD.
    #[must_use]
    pub fn of_rate(throughput: BytesPerSecond) -> SpeedGuess {
        SpeedGuess { throughput, random_iops: RANDOM_SHARE * throughput.get() }
    }
}

/// What must be known of a target to plan for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TargetShape {
    /// Bytes that may be used.
    pub capacity: Bytes,
    /// Alignment of offsets and lengths for direct I/O: the logical block.
    pub offset_align: Bytes,
    /// A guess of its speed, for the estimate.
    pub guess: SpeedGuess,
}

/// What every step of an expansion needs to know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope<'m> {
    pub(crate) method: &'m Methodology,
    pub(crate) form: Form,
    /// The declared form whose values apply.
    pub(crate) base: Form,
    pub(crate) shape: TargetShape,
    /// Bytes that steps may touch: all of them are prepared.
    pub(crate) usable: Bytes,
    /// The smoke form's longest step.
    pub(crate) smoke_cap: Nanos,
    /// The namespace that groups on another namespace read.
    pub(crate) other: &'m OtherNamespace,
}

impl<'m> Scope<'m> {
    pub(crate) fn root(&self) -> &'m Table {
        self.method.root()
    }

    pub(crate) fn smoke(&self) -> bool {
        self.form == Form::Smoke
    }
}
