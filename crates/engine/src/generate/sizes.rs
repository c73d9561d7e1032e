//! Size of the next operation: one size, or drawn from a weighted mix (shares of the operations).

use drivelab_core::units::common_divisor;
use drivelab_core::workload::Workload;

use super::{number, threshold};

/// One size of a mix.
#[derive(Debug, Clone, Copy)]
struct Size {
    bytes: u32,
    units: u64,
    /// Where its share ends among 64-bit numbers.
    end: u64,
}

/// The sizes of a workload, ready for drawing.
#[derive(Debug, Clone)]
pub(crate) struct Sizes {
    key: u64,
    /// Empty if there is one size.
    mix: Box<[Size]>,
    /// Largest number of bytes of which every size is a multiple; the size itself if there is only one.
    unit: u64,
    largest: u32,
    smallest_units: u64,
}

impl Sizes {
    /// Sizes of a workload, drawn with `key`. Sizes without a share are left out.
    pub(crate) fn new(workload: &Workload, key: u64) -> Result<Self, String> {
        let block = workload.block_size;
        let Some(largest) = u32::try_from(block.get()).ok().filter(|bytes| *bytes > 0) else {
            return Err(format!("a block size of {block} cannot be issued: choose one from 1 byte to 4 GiB"));
        };
        let asked = workload.block_size_mix.iter().filter(|size| size.operations > 0);
        if let Some(wrong) = asked.clone().map(|size| size.block_size).find(|size| size.get() == 0 || *size > block) {
            return Err(format!(
                "a block of {wrong} in a mix whose largest is {block}: give sizes from 1 byte to that"
            ));
        }
        let whole: u64 = asked.clone().map(|size| u64::from(size.operations)).sum();
        if whole == 0 && !workload.block_size_mix.is_empty() {
            return Err(
                "no block size of the mix has a share: give at least one of them a share of more than 0".to_owned()
            );
        }
        let unit = asked.clone().map(|size| size.block_size.get()).fold(block.get(), common_divisor);
        let mut end = 0;
        let mut mix: Box<[Size]> = asked
            .map(|size| {
                end += u64::from(size.operations);
                let bytes = size.block_size.get();
                Size { bytes: bytes as u32, units: bytes / unit, end: threshold(end, whole) }
            })
            .collect();
        if mix.iter().all(|size| size.bytes == largest) {
            mix = Box::default();
        }
        let smallest_units = mix.iter().map(|size| size.units).min().unwrap_or(1);
        Ok(Sizes { key, mix, unit, largest, smallest_units })
    }

    /// Largest number of bytes of which every size is a multiple.
    pub(crate) const fn unit(&self) -> u64 {
        self.unit
    }

    /// Units of the smallest size.
    pub(crate) const fn smallest_units(&self) -> u64 {
        self.smallest_units
    }

    /// The size, if there is only one.
    pub(crate) fn only(&self) -> Option<u32> {
        self.mix.is_empty().then_some(self.largest)
    }

    /// Size of the operation at `cursor`, in bytes and units.
    #[inline]
    pub(crate) fn draw(&self, cursor: u64) -> (u32, u64) {
        if self.mix.is_empty() {
            return (self.largest, 1);
        }
        let random = number(self.key, cursor);
        let place = self.mix.iter().map(|size| usize::from(random >= size.end)).sum::<usize>();
        let size = self.mix[place.min(self.mix.len() - 1)];
        (size.bytes, size.units)
    }

    /// [`Sizes::draw`]; if fewer than the drawn units are left, the largest size that fits. `room` is at least the
    /// smallest size.
    #[inline]
    pub(crate) fn draw_within(&self, cursor: u64, room: u64) -> (u32, u64) {
        let drawn = self.draw(cursor);
        if drawn.1 <= room {
            return drawn;
        }
        let fitting = self.mix.iter().filter(|size| size.units <= room).max_by_key(|size| size.units);
        fitting.map_or(drawn, |size| (size.bytes, size.units))
    }
}

#[cfg(test)]
mod tests {
    use drivelab_core::load::SizeShare;
    use drivelab_core::units::Bytes;
    use proptest::prelude::*;

    use super::*;
    use crate::generate::testing::is_share;

    const DRAWS: u64 = 10_000;

    /// One to five different sizes in whole sectors, each with a share; the largest is the block size.
    fn mixes() -> impl Strategy<Value = Vec<(u64, u32)>> {
        let sizes = prop::collection::btree_set(1_u64..=256, 1..=5);
        sizes.prop_flat_map(|sizes| {
            let count = sizes.len();
            let shares = prop::collection::vec(1_u32..=1000, count);
            shares.prop_map(move |shares| sizes.iter().map(|sectors| sectors * 512).zip(shares).collect())
        })
    }

    fn sizes(mix: &[(u64, u32)], key: u64) -> Sizes {
        let share =
            |(bytes, operations): &(u64, u32)| SizeShare { block_size: Bytes::new(*bytes), operations: *operations };
        let block_size = Bytes::new(mix.iter().map(|(bytes, _)| *bytes).max().unwrap());
        let block_size_mix = mix.iter().map(share).collect();
        Sizes::new(&Workload { block_size, block_size_mix, ..Workload::default() }, key).unwrap()
    }

    proptest! {
        #[test]
        fn sizes_have_their_shares(mix in mixes(), key in any::<u64>()) {
            let sizes = sizes(&mix, key);
            let whole: u32 = mix.iter().map(|(_, share)| share).sum();
            let drawn: Vec<(u32, u64)> = (0..DRAWS).map(|cursor| sizes.draw(cursor)).collect();
            for (bytes, share) in &mix {
                let count = drawn.iter().filter(|(drawn, _)| u64::from(*drawn) == *bytes).count() as u64;
                let share = f64::from(*share) / f64::from(whole);
                prop_assert!(is_share(count, DRAWS, share), "{count} of {DRAWS} have {bytes} bytes, due {share}");
            }
            // No other size is drawn, and every size matches its units.
            for (bytes, units) in drawn {
                prop_assert!(mix.iter().any(|(size, _)| *size == u64::from(bytes)));
                prop_assert_eq!(u64::from(bytes), units * sizes.unit());
            }
        }

        /// If less is left than was drawn, the largest size that fits; never one that does not.
        #[test]
        fn what_is_drawn_fits(mix in mixes(), key in any::<u64>(), more in 0_u64..300) {
            let sizes = sizes(&mix, key);
            let room = sizes.smallest_units() + more;
            let fitting = mix.iter().map(|(bytes, _)| bytes / sizes.unit()).filter(|units| *units <= room).max();
            for cursor in 0..100 {
                let (free, within) = (sizes.draw(cursor), sizes.draw_within(cursor, room));
                prop_assert!(within.1 <= room);
                let expected = if free.1 <= room { free.1 } else { fitting.unwrap_or(0) };
                prop_assert_eq!(within.1, expected);
            }
        }
    }
}
