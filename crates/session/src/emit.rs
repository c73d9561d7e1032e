//! Numbers and stamps events, and hands them to the fan-out.

use std::sync::Arc;

use drivelab_core::clock::RunClock;
use drivelab_core::event::{Event, EventBody};

use crate::fanout::{Fanout, RecorderLost};

/// Makes events: numbers without gaps, times that never go back.
pub(crate) struct Emitter {
    clock: Arc<dyn RunClock>,
    next_seq: u64,
    last_at_ns: u64,
    fanout: Fanout,
}

impl Emitter {
    /// Starts with this number; the clock already stands at the run's time.
    pub(crate) fn new(clock: Arc<dyn RunClock>, next_seq: u64, mut fanout: Fanout) -> Self {
        fanout.in_virtual_time(clock.is_virtual());
        Emitter { clock, next_seq, last_at_ns: 0, fanout }
    }

    /// Emits and goes on; for events inside a step.
    pub(crate) fn emit(&mut self, event: EventBody) -> Result<Event, RecorderLost> {
        self.last_at_ns = self.last_at_ns.max(self.clock.now_ns());
        let event = Event { seq: self.next_seq, at_ns: self.last_at_ns, event };
        self.next_seq += 1;
        self.fanout.send(event.clone())?;
        Ok(event)
    }

    /// Emits and waits until the recorder has taken it, which for some events means fsync: between steps, so that no
    /// fsync of ours happens inside a measured step. Which events those are is the recorder's affair.
    pub(crate) fn emit_and_wait(&mut self, event: EventBody) -> Result<Event, RecorderLost> {
        let event = self.emit(event)?;
        self.fanout.wait_for_recorder()?;
        Ok(event)
    }

    /// No event follows: lets every listener finish.
    pub(crate) fn finish(self) -> Result<(), RecorderLost> {
        self.fanout.finish()
    }
}
