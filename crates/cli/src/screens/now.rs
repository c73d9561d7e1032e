//! The run time between events: in a live run it follows the machine's clock; in a replay, and in virtual time, it
//! stands still.

use drivelab_core::clock::monotonic_raw_ns;

use super::progress::Progress;

/// What a screen shows, which decides how its time passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// A run in progress, on the machine's clock.
    Run,
    /// A run in progress, on a virtual clock that moves with its events.
    VirtualRun,
    /// A replay, which has its own speed.
    Replay,
}

/// Tells a screen the current time of the run.
#[derive(Debug)]
pub(super) struct RunTime {
    /// CLOCK_MONOTONIC_RAW at the last event.
    heard_raw_ns: u64,
    shown: Shown,
}

impl RunTime {
    /// For a run in progress.
    pub(super) fn live() -> Self {
        RunTime { heard_raw_ns: monotonic_raw_ns(), shown: Shown::Run }
    }

    /// For a replay, which has its own speed: the run time is that of the last event.
    pub(super) const fn of_a_replay(&mut self) {
        self.shown = Shown::Replay;
    }

    /// For a run in virtual time: the run time is that of the last event.
    pub(super) const fn in_virtual_time(&mut self) {
        self.shown = Shown::VirtualRun;
    }

    /// Whether the run time follows the machine's clock, so that the run ends at a time of day.
    pub(super) const fn follows_the_machine(&self) -> bool {
        matches!(self.shown, Shown::Run)
    }

    /// Whether the run is in progress.
    pub(super) const fn is_live(&self) -> bool {
        !matches!(self.shown, Shown::Replay)
    }

    /// Records that an event came.
    pub(super) fn heard(&mut self) {
        self.heard_raw_ns = monotonic_raw_ns();
    }

    /// The current time on the run clock, in nanoseconds.
    pub(super) fn now_ns(&self, progress: &Progress) -> u64 {
        let since = if self.follows_the_machine() { monotonic_raw_ns().saturating_sub(self.heard_raw_ns) } else { 0 };
        progress.at_ns().saturating_add(since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screens::testing::short_run;

    #[test]
    fn replays_and_virtual_runs_have_the_time_of_their_last_event_and_a_live_run_goes_on() {
        let mut progress = Progress::default();
        short_run().iter().take(4).for_each(|event| progress.event(event));
        let mut time = RunTime::live();
        while monotonic_raw_ns() == time.heard_raw_ns {}
        assert!(time.now_ns(&progress) > progress.at_ns());
        time.of_a_replay();
        assert_eq!(time.now_ns(&progress), progress.at_ns());
        let mut time = RunTime::live();
        time.in_virtual_time();
        assert!(time.is_live() && !time.follows_the_machine());
        while monotonic_raw_ns() == time.heard_raw_ns {}
        assert_eq!(time.now_ns(&progress), progress.at_ns(), "simulated time");
    }
}
