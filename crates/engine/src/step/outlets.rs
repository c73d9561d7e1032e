//! Where the figures of a step go while it runs, and where its traces come from.

use drivelab_core::record::{IntervalRecord, Stuck};
use drivelab_core::replay::TraceOpener;

use crate::thread::trace::TraceSink;

/// Where a step's figures go while it runs.
pub(crate) struct Outlets<'a> {
    pub(crate) interval: &'a mut dyn FnMut(IntervalRecord),
    pub(crate) trace: Option<&'a mut TraceSink>,
    /// Called immediately, and again from time to time, with operations that do not come back.
    pub(crate) stuck: Option<&'a mut StuckSink>,
    /// Opens the traces that are replayed.
    pub(crate) traces: Option<&'a mut TraceOpener>,
}

/// Receives operations that do not come back: called on the session's thread while they are in flight.
pub type StuckSink = Box<dyn FnMut(Stuck) + Send>;
