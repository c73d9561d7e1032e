//! The target's state before a step: checks it, records it, and leaves out preparation that is already done.

use drivelab_analysis::findings;
use drivelab_core::backend::BackendError;
use drivelab_core::drive_state::{DriveState, Reused, StateNeeds, StateSeen};
use drivelab_core::event::EventBody;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::{Action, Step, StepRole, TestPlan};
use drivelab_core::record::StepRecord;
use drivelab_core::workload::{Span, Workload};

use crate::parts::{Halt, Session};
use crate::rounds::is_due;

impl Session<'_> {
    /// Records the state of the target right before an execution.
    pub(crate) fn note_state(&mut self, key: &StepKey) -> Result<(), Halt> {
        let Some(state) = self.look_at_state()? else { return Ok(()) };
        self.keep_before(key, &state);
        self.note(EventBody::DriveState(StateSeen { key: key.clone(), state }))
    }

    /// Keeps the state right before a repeated execution; the recorded one stays that of the result.
    pub(crate) fn state_before(&mut self, key: &StepKey) -> Result<(), Halt> {
        if let Some(state) = self.look_at_state()? {
            self.keep_before(key, &state);
        }
        Ok(())
    }

    /// Keeps the state for the next run, with the execution that may change it from now on.
    fn keep_before(&mut self, key: &StepKey, state: &DriveState) {
        let changes = self.records.plan.step(&key.step).and_then(Step::workload);
        let running = changes.is_some_and(Workload::writes).then_some(key);
        self.care.keep_drive_state(state, running);
    }

    /// The current state, with a finding if other programs wrote since the last check.
    fn look_at_state(&mut self) -> Result<Option<DriveState>, Halt> {
        let (counters, now_ns) = (self.care.counters(), self.clock.now_ns());
        let Some(ledger) = &mut self.ledger else { return Ok(None) };
        let foreign = ledger.look(counters, now_ns);
        let mut found = None;
        if let Some(foreign) = foreign {
            ledger.state.forget("another program wrote to it during this run");
            found = (!std::mem::replace(&mut ledger.told, true)).then(|| findings::foreign_writes(foreign, None));
        }
        let state = ledger.state.clone();
        if let Some(finding) = found {
            self.note(EventBody::Finding(finding))?;
        }
        Ok(Some(state))
    }

    /// An execution has ended: updates the state and keeps it.
    ///
    /// # Errors
    /// If its writes to the page cache did not reach the target.
    pub(crate) fn state_after(&mut self, step: &Step, record: Option<&StepRecord>) -> Result<(), BackendError> {
        let written_out = self.write_out(step);
        let (counters, now_ns) = (self.care.counters(), self.clock.now_ns());
        let Some(ledger) = &mut self.ledger else { return written_out };
        ledger.over(step, record, now_ns);
        if written_out.is_err() {
            ledger.state.forget("not all data in the page cache was written to the target");
        }
        // Writes of other programs in between are found at the next check, which compares with the earlier counters.
        let mut kept = ledger.state.clone();
        kept.counters = counters;
        self.care.keep_drive_state(&kept, None);
        written_out
    }

    /// Has the kernel write a step's data in the page cache to the device. The kernel counts it only then: if it were
    /// counted later, by the next step or when the device is closed, it would look like writes of another program.
    fn write_out(&mut self, step: &Step) -> Result<(), BackendError> {
        let load = step.workload();
        let cached = load.is_some_and(|load| load.groups().any(|group| !group.direct && group.changes_itself()));
        if cached && self.care.counters().is_some() { self.backend.sync() } else { Ok(()) }
    }

    /// Before a test: leaves out its preparation if it is already done (even if it was to be repeated), and reports
    /// the needs of the test that are not met.
    pub(crate) fn state_for(&mut self, test: &TestPlan, again: bool) -> Result<(), Halt> {
        if test.state.is_none() {
            return Ok(());
        }
        let first = test.schedule().into_iter().find(|(key, step)| is_due(&self.records, key, step, again));
        let Some((first, _)) = first else { return Ok(()) };
        let state = self.look_at_state()?;
        if let Some(state) = state.as_ref().filter(|state| test.state.reuse && state.lacks(&test.steps).is_none()) {
            let writes = |step: &Step| matches!(step.action, Action::Io { .. }) && step.role == StepRole::Prepare;
            let schedule = test.schedule().into_iter();
            let keys = schedule.filter(|(_, step)| writes(step)).map(|(key, _)| key).collect();
            let words = state.last.map(|last| last.words()).unwrap_or_default();
            let why = format!("skipped: the target is already in the state that this preparation leaves ({words})");
            self.note(EventBody::PreparationReused(Reused { keys, why }))?;
            self.again.tests.retain(|name| *name != test.name);
        }
        let parts: Vec<Span> = test.steps.iter().filter_map(Step::workload).map(|load| load.span).collect();
        let Some(needs) = test.state.needs else { return Ok(()) };
        // The telemetry sources are known even if the target's state is not tracked.
        let mut unmet = state.map(|state| state.unmet(&needs, &parts)).unwrap_or_default();
        unmet.extend(self.unwatched(&needs).map(str::to_owned));
        if !unmet.is_empty() {
            self.note(EventBody::Finding(findings::state_unmet(&test.title, first, &unmet)))?;
        }
        Ok(())
    }

    /// Telemetry that a test needs but that no source provides, a phrase each.
    fn unwatched(&self, needs: &StateNeeds) -> impl Iterator<Item = &'static str> {
        let media = (needs.media_writes && !self.watch.counts_media_writes()).then_some(
            "no source counts what the drive writes to its media (this needs an NVMe drive with FDP statistics, an OCP \
             log or an endurance group's log, root, and telemetry), so its write amplification stays unknown",
        );
        let temperature = (needs.temperature && !self.watch.tells_temperature()).then_some(
            "no source reports the drive's temperature (this needs its SMART log and root, a sensor of the kernel or \
             your own thermometer, and telemetry), so its temperature stays unknown",
        );
        media.into_iter().chain(temperature)
    }
}
