//! How far streams came, from the blocks found on the target: for a run that was killed before it could record it.

use super::history::{Doubt, History, writes_to};
use super::seal::Header;
use crate::generate::stream::Stream;

/// Collects the newest block of each stream.
#[derive(Debug)]
pub(crate) struct Scan<'a> {
    streams: &'a [Stream],
    /// Next cursor of each stream, as far as was seen. Writes that were issued after the newest one found left no
    /// trace, and their loss cannot be detected.
    pub(super) cursors: Vec<u64>,
}

impl<'a> Scan<'a> {
    /// For streams that began at cursor 0. Nothing was found yet.
    pub(crate) fn new(streams: &'a [Stream]) -> Self {
        Scan { streams, cursors: vec![0; streams.len()] }
    }

    /// The target holds an intact block of this run ([`Header::intact`]). A misplaced block shows equally well how
    /// far its stream came.
    pub(crate) fn note(&mut self, header: Header) {
        let stretches = self.streams.iter().map(|stream| stream.stretch());
        let at = stretches.zip(0..).find(|((start, length), _)| (*start..start + length).contains(&header.address));
        let Some((_, thread)) = at else { return };
        let stream = &self.streams[thread];
        if writes_to(stream, header.address, header.generation) {
            let (_, next) = stream.op(header.generation - 1);
            let known = &mut self.cursors[thread];
            if stream.progress(next) > stream.progress(*known) {
                *known = next;
            }
        }
    }

    /// What the blocks must hold; argument and errors as for [`History::replay`]. Trims and zeroing leave no trace of
    /// how far a stream came, so as many operations are in doubt after the newest block found as before it.
    pub(crate) fn history(&self, in_flight: u32) -> Result<History, String> {
        History::doubted(self.streams, &self.cursors, Doubt { before: in_flight, after: in_flight })
    }
}
