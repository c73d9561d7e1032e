//! The account of the target's state in this process: what the data folder stores about the drive, whether that is
//! still valid, and keeping it up to date.

use drivelab_analysis::findings;
use drivelab_core::drive_state::{DriveState, HostCounters, KeptState};
use drivelab_core::environment::{Content, TargetFacts};
use drivelab_core::finding::Finding;
use drivelab_core::ids::{RunId, StepKey};
use drivelab_core::run::RunRecords;
use drivelab_core::target::DeviceIdentity;
use drivelab_core::units::{Bytes, Nanos};
use drivelab_device::{BlockNode, Roots, host_counters, identity_of, this_boot};
use drivelab_store::{DataDir, read_drive_state, write_drive_state};
use jiff::Timestamp;

use crate::lab::now;
use crate::target::opened::OpenedIo;

/// Why nothing is known about a device.
const NO_RECORD: &str = "this data folder has no record of an earlier run on this device";

/// Most runs that are stored as having left a device as it is.
const MOST_BEFORE: usize = 100;

/// Every run that left a device in the stored state.
fn left_so_by(kept: &KeptState) -> Vec<String> {
    [&kept.left_so_before[..], std::slice::from_ref(&kept.run)].concat()
}

/// The account of one target.
pub struct Book {
    /// The device itself, if the target is one.
    device: Option<DeviceIdentity>,
    /// The data folder that stores its state, if there is one.
    data: Option<DataDir>,
    run: RunId,
    state: DriveState,
    /// Runs that left the device in its present state; empty as soon as this run changes it.
    left_so_before: Vec<String>,
    /// The finding about the stored state.
    found: Option<Finding>,
    /// Why the stored state is no longer valid, for a run that is resumed.
    lost: Option<String>,
}

impl Book {
    /// Opens the account of an open target; `None` for a target that stores nothing. `strange` gives the reason if no
    /// stored state can be valid.
    #[must_use]
    pub fn open(opened: &OpenedIo, data: Option<&DataDir>, run: RunId, strange: Option<&str>) -> Option<Self> {
        let OpenedIo { facts, target, .. } = opened;
        let (length, data) = (target.length(), data.cloned());
        let guarded = target.decision().and_then(|decision| decision.device.as_ref());
        let guarded = guarded.map(|device| device.identity.clone());
        let (device, state) = match facts.kind.content() {
            Content::Nothing => return None,
            Content::Scratch => (None, DriveState::empty(length)),
            Content::File => {
                let why = "the file existed before, and there is no record of what was done to it";
                (None, DriveState::unknown(length, why))
            }
            Content::Device => (guarded.or_else(|| identity(facts)), DriveState::unknown(length, NO_RECORD)),
        };
        let book = Book { device, data, run, state, left_so_before: Vec::new(), found: None, lost: None };
        Some(book.with_kept(strange))
    }

    /// The account of a device that is only inspected.
    #[must_use]
    pub fn of_device(node: &BlockNode, data: &DataDir, run: RunId) -> Self {
        let device = identity_of(node);
        let state = DriveState::unknown(device.capacity, NO_RECORD);
        let (device, data) = (Some(device), Some(data.clone()));
        let book = Book { device, data, run, state, left_so_before: Vec::new(), found: None, lost: None };
        book.with_kept(None)
    }

    /// Takes over the stored state of the device, as far as it is still valid.
    fn with_kept(mut self, strange: Option<&str>) -> Self {
        let Some(device) = &self.device else { return self };
        let counters = host_counters(&Roots::default(), &device.name);
        match (strange, self.data.as_ref().and_then(|data| read_drive_state(data.root(), device))) {
            (Some(why), _) => self.state.forget(why),
            (None, None) => {}
            (None, Some(kept)) => {
                let left_so = left_so_by(&kept);
                let (state, found, lost) = still(kept, device, counters, this_boot().as_deref(), &now());
                // Another run wrote since, or nothing did: the state that the other run left is the present one.
                self.state = DriveState { length: self.state.length, ..state };
                self.left_so_before = if lost.is_none() { left_so } else { Vec::new() };
                (self.found, self.lost) = (found, lost);
            }
        }
        self.state.counters = counters;
        self
    }

    /// Whether a device is still as this run left it, so that its preparation is still valid and the unfinished steps
    /// can follow; as text.
    ///
    /// # Errors
    /// Why the preparation must be repeated.
    pub fn prepared(&self) -> Result<String, String> {
        let Some(device) = &self.device else { return Err("its content is unknown".to_owned()) };
        let kept = self.data.as_ref().and_then(|data| read_drive_state(data.root(), device));
        let kept = kept.ok_or("this data folder has no record of what was done to it")?;
        if !left_so_by(&kept).contains(&self.run.to_string()) {
            return Err(format!("run {} wrote to it in the meantime", kept.run));
        }
        match &self.lost {
            Some(why) => Err(why.clone()),
            None => Ok("as this run left it: nothing has been written to it since".to_owned()),
        }
    }

    /// For a resumed run: takes over the recorded state of a file that is unchanged.
    #[must_use]
    pub fn going_on(self, records: &RunRecords, prepared_again: bool) -> Self {
        match records.drive_states.last() {
            Some(seen) if self.device.is_none() && !prepared_again => Book { state: seen.state.clone(), ..self },
            _ => self,
        }
    }

    /// The finding about the stored state; returned once.
    pub fn found(&mut self) -> Option<Finding> {
        self.found.take()
    }

    /// The state at the start.
    #[must_use]
    pub fn state(&self) -> DriveState {
        self.state.clone()
    }

    /// What the kernel has counted for the device so far.
    #[must_use]
    pub fn counters(&self) -> Option<HostCounters> {
        host_counters(&Roots::default(), &self.device.as_ref()?.name)
    }

    /// Stores the state for the next run. If storing fails, only the next run loses this knowledge.
    pub fn keep(&mut self, state: &DriveState, running: Option<&StepKey>) {
        let (Some(device), Some(data)) = (&self.device, &self.data) else { return };
        let run = self.run.to_string();
        // A run that only reads leaves the device as the runs before it did; a resumed run is listed once.
        self.left_so_before.retain(|before| running.is_none() && *before != run);
        let longest = self.left_so_before.len().saturating_sub(MOST_BEFORE);
        self.left_so_before.drain(..longest);
        let kept = KeptState {
            device: device.clone(),
            left_so_before: self.left_so_before.clone(),
            run,
            at: now(),
            boot: this_boot(),
            running: running.cloned(),
            state: state.clone(),
        };
        let _ = write_drive_state(data, &kept);
    }
}

/// Stores that drivelab emptied a device outside a run.
pub fn keep_empty(data: &DataDir, device: &DeviceIdentity, length: Bytes, by: &str) {
    let state = DriveState {
        idle: Some(Nanos::new(0)),
        counters: host_counters(&Roots::default(), &device.name),
        ..DriveState::empty(length)
    };
    let (at, boot) = (now(), this_boot());
    let (device, run, left_so_before) = (device.clone(), by.to_owned(), Vec::new());
    let kept = KeptState { device, run, left_so_before, at, boot, running: None, state };
    let _ = write_drive_state(data, &kept);
}

fn identity(facts: &TargetFacts) -> Option<DeviceIdentity> {
    let device = facts.devices.first()?;
    let name = device.partition.as_deref().unwrap_or(&device.name);
    Some(identity_of(&BlockNode::by_name(&Roots::default(), name)?))
}

/// The stored state of a device, as far as it is still valid; with a finding if other programs wrote to it, and with
/// the reason if the state is no longer valid.
fn still(
    kept: KeptState,
    device: &DeviceIdentity,
    counters: Option<HostCounters>,
    boot: Option<&str>,
    now: &str,
) -> (DriveState, Option<Finding>, Option<String>) {
    let KeptState { run, at, mut state, .. } = kept;
    let mut found = None;
    let lost = if let Some(step) = &kept.running {
        Some(format!("run {run} ended unexpectedly in '{step}', and it is unknown how much that step had written"))
    } else if kept.boot.as_deref() != boot || kept.device.diskseq != device.diskseq {
        Some(format!(
            "the host was restarted or the device was attached again since run {run}, so the kernel's counters do not show \
             whether other programs wrote to it"
        ))
    } else if let (Some(before), Some(now)) = (state.counters, counters) {
        let nothing = HostCounters { written: Bytes::new(0), discarded: Bytes::new(0) };
        now.foreign(before, nothing, Bytes::new(0)).map(|foreign| {
            found = Some(findings::foreign_writes(foreign, Some(&run)));
            format!(
                "another program wrote to it since run {run} left it ({} written, {} discarded)",
                foreign.written, foreign.discarded
            )
        })
    } else {
        Some(format!("the kernel's counters do not show whether other programs wrote to it since run {run}"))
    };
    match &lost {
        Some(why) => state.forget(why.clone()),
        None => {
            let passed = || -> Option<u64> {
                let (at, now): (Timestamp, Timestamp) = (at.parse().ok()?, now.parse().ok()?);
                u64::try_from(now.as_nanosecond() - at.as_nanosecond()).ok()
            };
            state.idle = state.idle.zip(passed()).map(|(idle, passed)| Nanos::new(idle.get().saturating_add(passed)));
        }
    }
    (state, found, lost)
}

#[cfg(test)]
mod tests {
    use drivelab_core::ids::StepId;

    use super::*;

    fn device() -> DeviceIdentity {
        DeviceIdentity {
            name: "sdx".to_owned(),
            whole: "sdx".to_owned(),
            number: "8:0".to_owned(),
            model: None,
            serial: Some("1".to_owned()),
            wwid: None,
            by_id: Vec::new(),
            capacity: Bytes::new(4096),
            diskseq: Some(3),
            backing_file: None,
        }
    }

    fn counted(written: u64) -> Option<HostCounters> {
        Some(HostCounters { written: Bytes::new(written), discarded: Bytes::new(0) })
    }

    fn kept() -> KeptState {
        let state = DriveState {
            idle: Some(Nanos::from_secs(5)),
            counters: counted(4096),
            ..DriveState::empty(Bytes::new(4096))
        };
        let (run, at) = ("r-1".to_owned(), "2026-01-01T00:00:00Z".to_owned());
        let (device, boot) = (device(), Some("b".to_owned()));
        KeptState { device, run, left_so_before: Vec::new(), at, boot, running: None, state }
    }

    const LATER: &str = "2026-01-01T00:01:00Z";

    #[test]
    fn what_nobody_touched_holds_and_was_idle_meanwhile() {
        let (state, found, lost) = still(kept(), &device(), counted(4096), Some("b"), LATER);
        assert_eq!((state.idle, state.unknown, found, lost), (Some(Nanos::from_secs(65)), None, None, None));
    }

    #[test]
    fn one_sector_of_somebody_else_makes_it_unknown_and_a_finding() {
        let (state, found, lost) = still(kept(), &device(), counted(4096 + 512), Some("b"), LATER);
        let (found, lost) = (found.expect("a finding"), lost.expect("a reason"));
        assert!(found.code == "foreign_writes" && found.statement.contains("512 B"), "{}", found.statement);
        assert!(lost.contains("another program wrote to it since run r-1"), "{lost}");
        assert_eq!((state.written, state.unknown), (None, Some(lost)));
    }

    #[test]
    fn counters_that_began_anew_and_steps_that_were_cut_off_tell_nothing() {
        let lost = |kept, device: DeviceIdentity, counters, boot| still(kept, &device, counters, boot, LATER).2;
        let again = DeviceIdentity { diskseq: Some(4), ..device() };
        for (found, says) in [
            (lost(kept(), device(), counted(4096), Some("c")), "restarted"),
            (lost(kept(), again, counted(4096), Some("b")), "attached again"),
            (lost(kept(), device(), None, Some("b")), "do not show"),
        ] {
            assert!(found.as_ref().is_some_and(|why| why.contains(says)), "{found:?} for {says}");
        }
        let running = Some(StepKey { step: StepId::new("a", "b"), round: 1 });
        let found = lost(KeptState { running, ..kept() }, device(), counted(4096), Some("b"));
        assert!(found.is_some_and(|why| why.contains("unexpectedly in 'a/b")));
    }
}
