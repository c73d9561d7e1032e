//! Which kind of operation comes next: drawn per operation from the shares of a workload.
//!
//! A flush touches no block and therefore takes none from a sequence. So it is drawn first, by itself; kinds with a
//! block are then drawn among each other. The shares over all operations are as asked.

use drivelab_core::load::{OpKind, OtherOps};
use drivelab_core::workload::Workload;

use super::{derive, number, threshold};

/// The shares, ready for drawing.
#[derive(Debug, Clone)]
pub(crate) struct Kinds {
    key: u64,
    flush_key: u64,
    /// The one kind with a block, if there is only one: nothing is drawn then.
    only: Option<OpKind>,
    /// Kinds with a block and a share; the last one is repeated.
    kinds: [OpKind; 4],
    /// Where the share of each kind but the last ends among 64-bit numbers.
    ends: [u64; 3],
    /// Numbers up to this one are flushes; 0 if there are none.
    flush_up_to: u64,
}

impl Kinds {
    /// Shares of a workload, drawn with `key`.
    pub(crate) fn new(workload: &Workload, key: u64) -> Result<Self, String> {
        let OtherOps { trim_percent, write_zeroes_percent, flush_percent, sync_every: _ } = workload.other;
        let write = workload.write_percent.get();
        let sum = u16::from(write)
            + [trim_percent, write_zeroes_percent, flush_percent]
                .iter()
                .map(|share| u16::from(share.get()))
                .sum::<u16>();
        if sum > 100 {
            return Err(format!(
                "writes, trims, zeroing and flushes add up to {sum} % of the operations: lower them to 100 % or less; the rest are reads"
            ));
        }
        let shares = [
            (OpKind::Read, workload.read_percent()),
            (OpKind::Write, write),
            (OpKind::Trim, trim_percent.get()),
            (OpKind::WriteZeroes, write_zeroes_percent.get()),
        ];
        let present: Vec<(OpKind, u8)> = shares.into_iter().filter(|(_, share)| *share > 0).collect();
        let whole = 100 - u64::from(flush_percent.get());
        let last = present.last().map_or(OpKind::Flush, |(kind, _)| *kind);
        let (mut kinds, mut ends, mut end) = ([last; 4], [u64::MAX; 3], 0);
        for (place, (kind, share)) in present.iter().enumerate() {
            kinds[place] = *kind;
            end += u64::from(*share);
            if let Some(place) = ends.get_mut(place) {
                *place = threshold(end, whole);
            }
        }
        let only = (present.len() <= 1).then_some(last);
        let flush_up_to = threshold(u64::from(flush_percent.get()), 100);
        Ok(Kinds { key: derive(key, 0), flush_key: derive(key, 1), only, kinds, ends, flush_up_to })
    }

    /// Whether every operation flushes.
    pub(crate) fn only_flush(&self) -> bool {
        self.only == Some(OpKind::Flush)
    }

    /// Whether any operation flushes.
    #[inline]
    pub(crate) const fn any_flush(&self) -> bool {
        self.flush_up_to != 0
    }

    /// Whether the operation at `cursor` flushes, given that some do.
    pub(crate) const fn is_flush(&self, cursor: u64) -> bool {
        number(self.flush_key, cursor) <= self.flush_up_to
    }

    /// Kind of the operation at `cursor`, given that it has a block.
    #[inline]
    pub(crate) fn draw(&self, cursor: u64) -> OpKind {
        if let Some(only) = self.only {
            return only;
        }
        let random = number(self.key, cursor);
        let place: usize = self.ends.iter().map(|end| usize::from(random >= *end)).sum();
        self.kinds[place]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::generate::testing::{is_share, percent};

    const DRAWS: u64 = 10_000;

    /// Per cent of writes, trims, zeroing and flushes: together at most 100, each of them often nothing.
    fn shares() -> impl Strategy<Value = [u64; 4]> {
        let cuts = prop::collection::vec(0_u64..=100, 4);
        (cuts, prop::collection::vec(any::<bool>(), 4)).prop_map(|(mut cuts, present)| {
            cuts.sort_unstable();
            let share = |place: usize| cuts[place] - if place == 0 { 0 } else { cuts[place - 1] };
            std::array::from_fn(|place| if present[place] { share(place) } else { 0 })
        })
    }

    fn kind_at(kinds: &Kinds, cursor: u64) -> OpKind {
        let flushes = kinds.only_flush() || kinds.any_flush() && kinds.is_flush(cursor);
        if flushes { OpKind::Flush } else { kinds.draw(cursor) }
    }

    proptest! {
        #[test]
        fn kinds_have_their_shares([write, trim, zero, flush] in shares(), key in any::<u64>()) {
            let other = OtherOps {
                trim_percent: percent(trim),
                write_zeroes_percent: percent(zero),
                flush_percent: percent(flush),
                ..OtherOps::default()
            };
            let kinds = Kinds::new(&Workload { write_percent: percent(write), other, ..Workload::default() }, key).unwrap();
            let mut counts = [0_u64; OpKind::ALL.len()];
            (0..DRAWS).for_each(|cursor| counts[kind_at(&kinds, cursor) as usize] += 1);
            let asked = [
                (OpKind::Read, 100 - write - trim - zero - flush),
                (OpKind::Write, write),
                (OpKind::Trim, trim),
                (OpKind::WriteZeroes, zero),
                (OpKind::Flush, flush),
            ];
            for (kind, share) in asked {
                let count = counts[kind as usize];
                prop_assert!(is_share(count, DRAWS, share as f64 / 100.0), "{count} of {DRAWS}: {kind:?}, due {share} %");
            }
        }
    }

    #[test]
    fn more_than_everything_is_refused() {
        let other = OtherOps { trim_percent: percent(51), ..OtherOps::default() };
        let load = Workload { write_percent: percent(50), other, ..Workload::default() };
        assert!(Kinds::new(&load, 1).unwrap_err().contains("101 %"));
    }
}
