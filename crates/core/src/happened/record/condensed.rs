//! An interval without its distributions: what is kept of each second of a day-long run after it is read.
//!
//! A distribution has some hundred pairs of numbers for every kind of operation; for 86,400 intervals that would be
//! gigabytes. Code that looks at a whole run needs the figures of intervals, and distributions only of whole steps,
//! which have their own records.

use super::records::{Condensed, IntervalRecord, OpRecord};
use crate::histogram::{LatencySummary, SparseHistogram};
use crate::load::OpKind;

impl IntervalRecord {
    /// Latency figures of all operations that move data, or of all kinds if none does; absent if there were none.
    #[must_use]
    pub fn latency(&self) -> Option<LatencySummary> {
        match &self.condensed {
            Some(condensed) => condensed.latency,
            None => self.together(|op| Some(&op.histogram)),
        }
    }

    /// The same for response times; absent outside an open loop.
    #[must_use]
    pub fn response(&self) -> Option<LatencySummary> {
        match &self.condensed {
            Some(condensed) => condensed.response,
            None => self.together(|op| Some(&op.response.as_ref()?.histogram)),
        }
    }

    /// Drops the buckets of every distribution. Counts, sums, extremes and figures stay, including those of
    /// [`IntervalRecord::latency`] and [`IntervalRecord::response`].
    pub fn condense(&mut self) {
        if self.condensed.is_none() {
            self.condensed = Some(Box::new(Condensed { latency: self.latency(), response: self.response() }));
        }
        let others = self.others.iter_mut().map(|other| &mut other.record);
        for op in [&mut self.read, &mut self.write].into_iter().chain(others) {
            op.histogram.buckets = Vec::new();
            op.response.iter_mut().for_each(|response| response.histogram.buckets = Vec::new());
            op.sizes.iter_mut().for_each(|size| size.histogram.buckets = Vec::new());
        }
    }

    /// Number of operations in [`IntervalRecord::latency`].
    #[must_use]
    pub fn timed(&self) -> u64 {
        self.counted(|op| Some(&op.histogram))
    }

    /// Number of operations in [`IntervalRecord::response`].
    #[must_use]
    pub fn timed_responses(&self) -> u64 {
        self.counted(|op| Some(&op.response.as_ref()?.histogram))
    }

    fn counted(&self, times: impl Fn(&OpRecord) -> Option<&SparseHistogram>) -> u64 {
        let counts = self.counting().iter().filter_map(|kind| times(self.op(*kind)?));
        counts.map(|one| one.count).fold(0, u64::saturating_add)
    }

    /// The kinds that count: those that move data, or all if none does.
    const fn counting(&self) -> &'static [OpKind] {
        if self.read.count > 0 || self.write.count > 0 { &[OpKind::Read, OpKind::Write] } else { &OpKind::ALL }
    }

    /// Figures of the merged distributions; `None` if they are empty or inconsistent.
    fn together(&self, times: impl Fn(&OpRecord) -> Option<&SparseHistogram>) -> Option<LatencySummary> {
        let mut all = SparseHistogram::default();
        self.counting().iter().filter_map(|kind| times(self.op(*kind)?)).for_each(|part| all.merge(part));
        if all.min > all.max { None } else { all.summary() }
    }
}
