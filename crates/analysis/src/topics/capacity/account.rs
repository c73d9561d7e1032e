//! Whether a drive has the capacity that it claims, from checks of blocks that were written across it.
//!
//! Owns the accounting: what a check covered, up to where blocks were intact, what a sample may have missed, and
//! whether the end of the drive is missing or single blocks are bad. Pure.

use drivelab_core::load::{OpKind, Verify};
use drivelab_core::record::{BadBlock, DataFault, StepRecord, StopReason, Verification};
use drivelab_core::workload::{Pattern, Workload};

/// The probability with which the share of [`Account::share_found`] may be missed.
const CHANCE: f64 = 1e-6;
/// Share of the checked blocks from the first bad block on that must be bad for the drive to end there, per cent.
const BEYOND_PERCENT: u64 = 90;
/// And at least this many blocks, or single blocks are bad.
const BEYOND_LEAST: u64 = 3;
/// The least distance of two confused blocks if one of them is beyond the end of the drive.
const DISTANCE_LEAST: u64 = 1 << 20;

/// What a check of headers shows about the capacity of its span.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Account {
    /// Blocks of its size in the span.
    pub blocks: u64,
    /// How many of them were checked.
    pub checked: u64,
    /// How many of the checked blocks were not as written.
    pub bad: u64,
    /// Reads that failed.
    pub unreadable: u64,
    /// The bad block or failed read at the lowest address, and the end of the checked block before it.
    pub first_bad: Option<(u64, u64)>,
    /// Blocks from that one on which were visited, itself included.
    pub behind: u64,
    /// Nine tenths or more of what was checked from there on is bad.
    pub ends_there: bool,
    /// Blocks to check: those of the span, or its sampled places.
    pub planned: u64,
    /// It was cut off before it had visited all of them.
    pub is_cut: bool,
    /// Bytes after which addresses wrap.
    pub comes_round: Option<u64>,
    /// A block that was found at the address of another.
    pub example: Option<BadBlock>,
    /// Bytes of the span.
    pub span: u64,
}

impl Account {
    /// `None` if the step checks no headers, does not begin at the start of the target, or does not check block by
    /// block.
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
        // It is known only for an ascending check which blocks it had visited.
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

    /// Whether part of the span is missing, so that not just single blocks are bad.
    pub(crate) const fn lacks(&self) -> bool {
        self.comes_round.is_some() || self.ends_there
    }

    /// Bytes that exist, as far as was checked: the distance after which addresses wrap; or up to the last intact block
    /// before everything was bad; or the span. `None` if the check was cut off before it could show that.
    pub(crate) fn there(&self) -> Option<u64> {
        match (self.comes_round, self.first_bad) {
            (Some(bytes), _) => Some(bytes.min(self.span)),
            (None, Some((_, before))) if self.ends_there => Some(before),
            _ => (!self.is_cut).then_some(self.span),
        }
    }

    /// Intact blocks at or after the lowest fault.
    pub(crate) const fn held_behind(&self) -> u64 {
        self.behind.saturating_sub(self.bad + self.unreadable)
    }

    /// Smallest share of the blocks, in per cent, that the check would have missed with a probability of at most one in
    /// a million, if each block is missing with the same probability: 1 - (10^-6)^(1/n). 0 if all were checked; `None`
    /// if the check was cut off, because it visited only the first addresses.
    pub(crate) fn share_found(&self) -> Option<f64> {
        match self.checked + self.unreadable {
            _ if self.is_cut => None,
            0 => None,
            seen if seen >= self.blocks => Some(0.0),
            seen => Some(100.0 * (1.0 - CHANCE.powf(1.0 / seen as f64))),
        }
    }
}

/// The blocks that a check visits, by their addresses.
struct Route {
    block: u64,
    /// Blocks of the span.
    blocks: u64,
    /// Those of them that are visited, ascending; `None` for all.
    places: Option<Vec<u64>>,
}

impl Route {
    fn of(workload: &Workload) -> Route {
        let block = workload.block_size.get().max(1);
        let places = workload.places.map(|places| places.blocks(workload.span, workload.block_size));
        Route { block, blocks: workload.span.length.get() / block, places }
    }

    /// How many blocks one pass visits.
    fn planned(&self) -> u64 {
        self.places.as_ref().map_or(self.blocks, |places| places.len() as u64)
    }

    /// The end of the visited block below this address, and how many of the first `gone_to` blocks are from there on.
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
