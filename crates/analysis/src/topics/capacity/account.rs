//! Whether the capacity that a drive claims is there, from checks of blocks that were written all over it.
//!
//! Owns the reckoning: what a check covered, up to where it held, what a sample may have missed, and whether what is
//! missing is the end of the drive or single blocks.. Pure.

use drivelab_core::load::{OpKind, Verify};
use drivelab_core::record::{BadBlock, DataFault, StepRecord, StopReason, Verification};
use drivelab_core::workload::{Pattern, Workload};

/// The chance with which the share of [`Account::share_found`] may be missed.
const CHANCE: f64 = 1e-6;
/// From the first bad block on, so many of the checked blocks must be bad for the drive to end there, per cent.
const BEYOND_PERCENT: u64 = 90;
/// And at least so many, or it is single blocks that are bad.
const BEYOND_LEAST: u64 = 3;
/// Two blocks that are confused lie at least so far apart where one of them is beyond the end of the drive.
const DISTANCE_LEAST: u64 = 1 << 20;

/// What a check of headers says of the capacity of its span.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Account {
    /// Blocks of its size in the span.
    pub blocks: u64,
    /// Of which so many were checked.
    pub checked: u64,
    /// Of these, not as written.
    pub bad: u64,
    /// Reads that failed.
    pub unreadable: u64,
    /// The bad block or failed read at the lowest address, and the end of the checked block before it.
    pub first_bad: Option<(u64, u64)>,
    /// Blocks behind that which were gone to, itself with them.
    pub behind: u64,
    /// All that was checked from there on is bad, but for a tenth.
    pub ends_there: bool,
    /// Blocks that were to be checked: those of the span, or the places in it.
    pub planned: u64,
    /// It was cut off before it had gone to all of them.
    pub is_cut: bool,
    /// Bytes after which addresses come round.
    pub comes_round: Option<u64>,
    /// A block that was found where another one belongs.
    pub example: Option<BadBlock>,
    /// Bytes of the span.
    pub span: u64,
}

impl Account {
    /// `None` where the step checks no headers, or not from the start of the target on, or not block by block.
    pub(crate) fn of(workload: &Workload, record: &StepRecord) -> Option<Account> {
        let orderly = workload.pattern.has_passes() && workload.block_size_mix.is_empty() && workload.beside.is_empty();
        if workload.verify != Verify::Check || !orderly || workload.span.offset.get() > 0 {
            return None;
        }
        let Verification { checked, faults, first, wraps_at, bad_by_part: _ } = record.verification.as_ref()?;
        let (span, block) = (workload.span.length.get(), workload.block_size.get().max(1));
        let bad = faults.values().sum();
        let failed = record.errors.iter().filter(|error| error.op == OpKind::Read).map(|error| error.offset);
        let lowest = first.iter().map(|bad| bad.offset).chain(failed).min();
        let unreadable = record.read.errors;
        let route = Route::of(workload);
        let seen = checked + unreadable;
        let is_cut = record.stop_reason != StopReason::Passes && seen < route.planned();
        // Only of a check upwards is it known which blocks it had gone to.
        let gone_to = match (is_cut, workload.pattern) {
            (false, _) => route.planned(),
            (true, Pattern::Sequential) => seen,
            (true, _) => 0,
        };
        let (before, behind) = lowest.map_or((0, 0), |address| route.around(address, gone_to));
        let example = first.iter().find(|bad| bad.belongs_at.is_some()).cloned();
        let only_misplaced = faults.keys().all(|fault| matches!(fault, DataFault::Misplaced | DataFault::Wrapped));
        let apart = |bad: &BadBlock| bad.belongs_at.map(|belongs| belongs.abs_diff(bad.offset));
        let nearest = first.iter().filter_map(apart).min().filter(|distance| *distance >= DISTANCE_LEAST);
        Some(Account {
            blocks: span / block,
            checked: *checked,
            bad,
            unreadable,
            first_bad: lowest.map(|address| (address, before)),
            behind,
            ends_there: behind >= BEYOND_LEAST && (bad + unreadable) * 100 >= behind * BEYOND_PERCENT,
            planned: route.planned(),
            is_cut,
            comes_round: wraps_at.map(|bytes| bytes.get()).or(nearest.filter(|_| only_misplaced)),
            example,
            span,
        })
    }

    /// Whether a part of the span is missing, and not just single blocks of it bad.
    pub(crate) const fn lacks(&self) -> bool {
        self.comes_round.is_some() || self.ends_there
    }

    /// Bytes that are there, at least as far as was checked: what addresses come round after; or up to the last block
    /// that held before everything was bad; or the span. `None` where the check was cut off before it could tell.
    pub(crate) fn there(&self) -> Option<u64> {
        match (self.comes_round, self.first_bad) {
            (Some(bytes), _) => Some(bytes.min(self.span)),
            (None, Some((_, before))) if self.ends_there => Some(before),
            _ => (!self.is_cut).then_some(self.span),
        }
    }

    /// Blocks at the lowest fault or behind it that held.
    pub(crate) const fn held_behind(&self) -> u64 {
        self.behind.saturating_sub(self.bad + self.unreadable)
    }

    /// Smallest share of the blocks, in per cent, that would have been missed with a chance of at most one in a million
    /// where it lies anywhere, one block as likely as another: 1 - (10^-6)^(1/n). 0 where all were checked; `None`
    /// where the check was cut off, as only its first addresses were gone to.
    pub(crate) fn share_found(&self) -> Option<f64> {
        match self.checked + self.unreadable {
            _ if self.is_cut => None,
            0 => None,
            seen if seen >= self.blocks => Some(0.0),
            seen => Some(100.0 * (1.0 - CHANCE.powf(1.0 / seen as f64))),
        }
    }
}

/// The blocks that a check goes to, by their addresses.
struct Route {
    block: u64,
    /// Blocks of the span.
    blocks: u64,
    /// Those of them that are gone to, ascending; `None` for all.
    places: Option<Vec<u64>>,
}

impl Route {
    fn of(workload: &Workload) -> Route {
        let block = workload.block_size.get().max(1);
        let places = workload.places.map(|places| places.blocks(workload.span, workload.block_size));
        Route { block, blocks: workload.span.length.get() / block, places }
    }

    /// How many blocks one pass goes to.
    fn planned(&self) -> u64 {
        self.places.as_ref().map_or(self.blocks, |places| places.len() as u64)
    }

    /// The end of the block below the one at this address, and how many are from it on, of the first so many.
    fn around(&self, address: u64, gone_to: u64) -> (u64, u64) {
        let at = address / self.block;
        let (below, end) = match &self.places {
            None => (at, at * self.block),
            Some(places) => {
                let below = places.partition_point(|place| *place < at);
                let last = below.checked_sub(1).and_then(|last| places.get(last));
                (below as u64, last.map_or(0, |block| (block + 1) * self.block))
            }
        };
        (end, gone_to.saturating_sub(below))
    }
}

#[cfg(test)]
mod tests;
