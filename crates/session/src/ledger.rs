//! The account of the target's state along a run: said before every step, kept beyond the run, asked whether
//! preparation may be left out, and held against the kernel's counters to notice what others write.

use drivelab_core::drive_state::{DriveState, HostCounters, own_changes};
use drivelab_core::plan::Step;
use drivelab_core::record::StepRecord;
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::Workload;

use crate::care::TargetCare;

/// The state, and what has to be remembered to bring it up to date.
pub(crate) struct Ledger {
    pub(crate) state: DriveState,
    /// Run time at which [`DriveState::idle`] was right.
    pub(crate) idle_at_ns: u64,
    /// What we changed since the counters were read last, and what may have been under way; `None` where that cannot be
    /// compared with them.
    pub(crate) own: Option<(HostCounters, Bytes)>,
    /// A finding about others was made: one is enough.
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

    /// Brings idle time and counters up to date; gives what others changed meanwhile.
    pub(crate) fn look(&mut self, counters: Option<HostCounters>, now_ns: u64) -> Option<HostCounters> {
        let passed = now_ns.saturating_sub(self.idle_at_ns);
        self.idle_at_ns = now_ns;
        self.state.idle = self.state.idle.map(|idle| Nanos::new(idle.get().saturating_add(passed)));
        let before = std::mem::replace(&mut self.state.counters, counters);
        let (own, slack) = self.own.replace(NOTHING)?;
        counters?.foreign(before?, own, slack)
    }

    /// An execution is over. One that failed may have changed anything: that is not told from what others did.
    pub(crate) fn over(&mut self, step: &Step, record: Option<&StepRecord>, now_ns: u64) {
        let Some(record) = record else {
            self.own = None;
            if step.workload().is_some_and(Workload::writes) {
                self.state.forget("an execution failed, and how much it had written is not known");
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
