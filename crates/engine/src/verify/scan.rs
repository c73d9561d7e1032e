//! How far streams came, from the blocks that are found on the target: for a run that was killed before it could say.

use super::history::{Doubt, History, writes_to};
use super::seal::Header;
use crate::generate::stream::Stream;

/// Collects the newest block of each stream, of the newest run.
#[derive(Debug)]
pub(crate) struct Scan<'a> {
    streams: &'a [Stream],
    seed: u64,
    run: Option<u64>,
    cursors: Vec<u64>,
}

impl<'a> Scan<'a> {
    /// Of streams that began at cursor 0 and blocks of this seed. Nothing was found yet.
    pub(crate) fn new(streams: &'a [Stream], seed: u64) -> Self {
        Scan { streams, seed, run: None, cursors: vec![0; streams.len()] }
    }

    /// The target holds an intact block ([`Header::intact`]). One that lies where it does not belong says no less how
    /// far its stream came. Of several runs with the same seed the one with the largest number counts: so runs are
    /// numbered by the time at which they began.
    pub(crate) fn note(&mut self, header: Header) {
        if header.seed != self.seed || self.run.is_some_and(|run| header.run < run) {
            return;
        }
        let stretches = self.streams.iter().map(Stream::stretch);
        let at = stretches.zip(0..).find(|((start, length), _)| (*start..start + length).contains(&header.address));
        let Some((_, thread)) = at else { return };
        let stream = &self.streams[thread];
        if !writes_to(stream, header.address, header.generation) {
            return;
        }
        if self.run.replace(header.run) != Some(header.run) {
            self.cursors.fill(0);
        }
        let (_, next) = stream.op(header.generation - 1);
        let known: &mut u64 = &mut self.cursors[thread];
        if stream.progress(next) > stream.progress(*known) {
            *known = next;
        }
    }

    /// Number of the run whose blocks were found; `None` where there are none.
    pub(crate) const fn run(&self) -> Option<u64> {
        self.run
    }

    /// Next cursor of each stream, as far as was seen. Writes that were issued after the newest one that was found left
    /// no trace, and that they are lost cannot be told.
    pub(crate) fn cursors(&self) -> &[u64] {
        &self.cursors
    }

    /// What the blocks must hold then; argument and errors as for [`History::replay`]. Trims and zeroing leave no trace
    /// that says how far a stream came, so as many operations are in doubt behind what was found as before it.
    pub(crate) fn history(&self, in_flight: u32) -> Result<History, String> {
        History::doubted(self.streams, &self.cursors, Doubt { before: in_flight, after: in_flight })
    }
}
