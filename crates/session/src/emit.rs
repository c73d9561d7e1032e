//! Numbers and stamps events, and hands them to the fan-out.

use std::sync::Arc;

use drivelab_core::clock::RunClock;
use drivelab_core::event::{Event, EventBody};

use crate::fanout::{Fanout, RecorderLost};

/// Creates events: numbers without gaps, times that never decrease.
pub(crate) struct Emitter {
    clock: Arc<dyn RunClock>,
    next_seq: u64,
    last_at_ns: u64,
    fanout: Fanout,
}

impl Emitter {
    /// Starts with this number; the clock already shows the run's time.
    pub(crate) fn new(clock: Arc<dyn RunClock>, next_seq: u64, mut fanout: Fanout) -> Self {
        fanout.in_virtual_time(clock.is_virtual());
        Emitter { clock, next_seq, last_at_ns: 0, fanout }
    }

    /// Emits without waiting; for events inside a step.
    pub(crate) fn emit(&mut self, event: EventBody) -> Result<Event, RecorderLost> {
        self.last_at_ns = self.last_at_ns.max(self.clock.now_ns());
        let event = Event { seq: self.next_seq, at_ns: self.last_at_ns, event };
        self.next_seq += 1;
        self.fanout.send(event.clone())?;
        Ok(event)
    }

    /// Emits and waits until the recorder has taken the event, which includes an fsync for some events. For use
    /// between steps, so that drivelab causes no fsync inside a measured step. The recorder decides which events it
    /// syncs.
    pub(crate) fn emit_and_wait(&mut self, event: EventBody) -> Result<Event, RecorderLost> {
        let event = self.emit(event)?;
        self.fanout.wait_for_recorder()?;
        Ok(event)
    }

    /// No event follows: all listeners finish.
    pub(crate) fn finish(self) -> Result<(), RecorderLost> {
        self.fanout.finish()
    }
}
