//! The record of the target's state during a run: recorded before every step, kept beyond the run, checked before
//! preparation is left out, and compared with the kernel's counters to detect writes of other programs.

use drivelab_core::drive_state::{DriveState, HostCounters, own_changes};
use drivelab_core::plan::Step;
use drivelab_core::record::StepRecord;
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::Workload;

use crate::care::TargetCare;

/// The state, and the data needed to update it.
pub(crate) struct Ledger {
    pub(crate) state: DriveState,
    /// Run time for which [`DriveState::idle`] is valid.
    pub(crate) idle_at_ns: u64,
    /// What drivelab changed since the counters were last read, and what may still have been in flight; `None` if it
    /// cannot be compared with them.
    pub(crate) own: Option<(HostCounters, Bytes)>,
    /// Whether a finding about other programs was made: one is enough.
    pub(crate) told: bool,
}

pub(crate) const NOTHING: (HostCounters, Bytes) =
    (HostCounters { written: Bytes::new(0), discarded: Bytes::new(0) }, Bytes::new(0));

impl Ledger {
    pub(crate) fn of(care: &mut dyn TargetCare, now_ns: u64) -> Option<Self> {
        let state = care.drive_state()?;
        Some(Ledger { state, idle_at_ns: now_ns, own: Some(NOTHING), told: false })
    }

    /// The state as far as it is known.
    pub(crate) const fn state(&self) -> &DriveState {
        &self.state
    }

    /// Updates idle time and counters; returns what other programs changed in between.
    pub(crate) fn look(&mut self, counters: Option<HostCounters>, now_ns: u64) -> Option<HostCounters> {
        let passed = now_ns.saturating_sub(self.idle_at_ns);
        self.idle_at_ns = now_ns;
        self.state.idle = self.state.idle.map(|idle| Nanos::new(idle.get().saturating_add(passed)));
        let before = std::mem::replace(&mut self.state.counters, counters);
        let (own, slack) = self.own.replace(NOTHING)?;
        counters?.foreign(before?, own, slack)
    }

    /// An execution has ended. One that failed may have changed anything, which cannot be told apart from changes by
    /// other programs.
    pub(crate) fn over(&mut self, step: &Step, record: Option<&StepRecord>, now_ns: u64) {
        let Some(record) = record else {
            self.own = None;
            if step.workload().is_some_and(Workload::writes) {
                self.state.forget("an execution failed, and it is unknown how much it had written");
            }
            return;
        };
        if step.workload().is_some_and(Workload::writes) {
            self.idle_at_ns = now_ns;
        }
        self.state.after(step, record);
        let sum = |one: HostCounters, other: HostCounters| HostCounters {
            written: plus(one.written, other.written),
            discarded: plus(one.discarded, other.discarded),
        };
        let now = own_changes(step, record);
        self.own = self.own.zip(now).map(|((own, slack), (more, under_way))| (sum(own, more), plus(slack, under_way)));
    }
}

fn plus(one: Bytes, other: Bytes) -> Bytes {
    Bytes::new(one.get().saturating_add(other.get()))
}
