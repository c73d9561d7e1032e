//! The target's state before a step: looks at it, records it, and leaves out preparation that is done already.

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
    /// Says in which state the target is, right before an execution.
    pub(crate) fn note_state(&mut self, key: &StepKey) -> Result<(), Halt> {
        let Some(state) = self.look_at_state()? else { return Ok(()) };
        self.keep_before(key, &state);
        self.note(EventBody::DriveState(StateSeen { key: key.clone(), state }))
    }

    /// Keeps the state right before an execution that is done once more; the one on record stays that of the result.
    pub(crate) fn state_before(&mut self, key: &StepKey) -> Result<(), Halt> {
        if let Some(state) = self.look_at_state()? {
            self.keep_before(key, &state);
        }
        Ok(())
    }

    /// Keeps the state for the next run, with the execution that may change it from here on.
    fn keep_before(&mut self, key: &StepKey, state: &DriveState) {
        let changes = self.records.plan.step(&key.step).and_then(Step::workload);
        let running = changes.is_some_and(Workload::writes).then_some(key);
        self.care.keep_drive_state(state, running);
    }

    /// The state now, with a finding where others wrote since the last look.
    fn look_at_state(&mut self) -> Result<Option<DriveState>, Halt> {
        let (counters, now_ns) = (self.care.counters(), self.clock.now_ns());
        let Some(ledger) = &mut self.ledger else { return Ok(None) };
        let foreign = ledger.look(counters, now_ns);
        let mut found = None;
        if let Some(foreign) = foreign {
            ledger.state.forget("something else wrote to it while this run went on");
            found = (!std::mem::replace(&mut ledger.told, true)).then(|| findings::foreign_writes(foreign, None));
        }
        let state = ledger.state.clone();
        if let Some(finding) = found {
            self.note(EventBody::Finding(finding))?;
        }
        Ok(Some(state))
    }

    /// An execution is over: the account goes on, and is kept.
    ///
    /// # Errors
    /// Where what it wrote to the page cache did not come to the target.
    pub(crate) fn state_after(&mut self, step: &Step, record: Option<&StepRecord>) -> Result<(), BackendError> {
        let written_out = self.write_out(step);
        let (counters, now_ns) = (self.care.counters(), self.clock.now_ns());
        let Some(ledger) = &mut self.ledger else { return written_out };
        ledger.over(step, record, now_ns);
        if written_out.is_err() {
            ledger.state.forget("what was written to the page cache did not all come to the target");
        }
        // What others wrote in between is found at the next look, which compares with the counters from before.
        let mut kept = ledger.state.clone();
        kept.counters = counters;
        self.care.keep_drive_state(&kept, None);
        written_out
    }

    /// Has the kernel write to the device what a step wrote to the page cache. The kernel counts it only then: counted
    /// later, by the next step or when the device is closed, it would be taken for the writes of somebody else.
    fn write_out(&mut self, step: &Step) -> Result<(), BackendError> {
        let load = step.workload();
        let cached = load.is_some_and(|load| load.groups().any(|group| !group.direct && group.changes_itself()));
        if cached && self.care.counters().is_some() { self.backend.sync() } else { Ok(()) }
    }

    /// Before a test: leaves its preparation out where it is done already (then also where it was to be done again),
    /// and says what the test needs and does not find.
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
        // Who watches is known, also where no account of the target's state is kept.
        let mut unmet = state.map(|state| state.unmet(&needs, &parts)).unwrap_or_default();
        unmet.extend(self.unwatched(&needs).map(str::to_owned));
        if !unmet.is_empty() {
            self.note(EventBody::Finding(findings::state_unmet(&test.title, first, &unmet)))?;
        }
        Ok(())
    }

    /// What a test needs to be watched and nothing here watches, a phrase each.
    fn unwatched(&self, needs: &StateNeeds) -> impl Iterator<Item = &'static str> {
        let media = (needs.media_writes && !self.watch.counts_media_writes()).then_some(
            "nothing counts what the drive writes to its media (that takes an NVMe drive with FDP statistics, an OCP log \
             or an endurance group's log, root, and telemetry), so its write amplification stays unknown",
        );
        let temperature = (needs.temperature && !self.watch.tells_temperature()).then_some(
            "nothing tells the drive's temperature (that takes its SMART log and root, a sensor of the kernel's or a \
             thermometer of yours, and telemetry), so nothing is known of its heat",
        );
        media.into_iter().chain(temperature)
    }
}
