//! The seal: the last file of a bundle. It states that the run has ended and lists its files: all that the run leaves
//! except the empty lock. Files added later are outside the seal.
//!
//! It is made from what is on disk, read back and checked, not from the recorder's memory.

use std::path::Path;
use std::time::SystemTime;

use drivelab_core::event::RunState;
use drivelab_core::ids::RunId;
use drivelab_core::run::RunRecords;
use jiff::{SignedDuration, Timestamp};

use crate::bundle::{Bundle, Fold, Recording};
use crate::document::{self, FileEntry, Seal};
use crate::error::StoreError;
use crate::layout::{DataDir, MANIFEST, SEAL, segment_name};
use crate::lock::Lock;
use crate::progress::steps_done;
use crate::{catalog, fsio, note};

/// Seals a run that recorded its end but was killed before the seal was written, and returns how it ended. `None` if
/// the run has not ended: it can be resumed. A sealed run is not changed.
///
/// # Errors
/// [`StoreError::Live`] while a process records it, and any error of reading the bundle.
pub fn seal_ended(data: &DataDir, run: RunId) -> Result<Option<RunState>, StoreError> {
    let path = data.bundle_path(run);
    let bundle = Bundle::open(&path)?;
    if bundle.seal().is_some() {
        return Ok(Some(bundle.state()));
    }
    let lock = Lock::take(&path, run)?;
    let state = write_if_ended(&bundle)?;
    drop(lock);
    if state.is_some() {
        catalog::note(data, run);
    }
    Ok(state)
}

/// Writes the seal if the last event is the run's end. The caller holds the lock.
pub(crate) fn write_if_ended(bundle: &Bundle) -> Result<Option<RunState>, StoreError> {
    let mut fold = Fold::default();
    // Intervals and samples are not needed for this; reading those of a day takes longer than a session waits.
    let recording = bundle.skimmed(&mut |event| fold.take(bundle, event))?;
    let Some(state) = recording.ended else { return Ok(None) };
    write(bundle, recording, state, &fold.end(bundle)?)?;
    Ok(Some(state))
}

/// Time of the last event, from the wall-clock time at the start of this process's part of the run and the run clock.
fn ended(records: &RunRecords) -> Option<Timestamp> {
    let resumed = records.breaks.iter().rev().find_map(|pause| Some((pause.at_ns, pause.resumed.as_ref()?)));
    let (from_ns, from) = match resumed {
        Some((at_ns, resumed)) => (at_ns, &resumed.resumed),
        None => (0, &records.started),
    };
    let since = SignedDuration::from_nanos(i64::try_from(records.last_at_ns.checked_sub(from_ns)?).ok()?);
    from.parse::<Timestamp>().ok()?.checked_add(since).ok()
}

/// The same from the file of the last segment, if the events do not show it.
fn last_written(segment: &Path) -> Timestamp {
    let written = std::fs::metadata(segment).and_then(|facts| facts.modified()).unwrap_or_else(|_| SystemTime::now());
    Timestamp::try_from(written).unwrap_or_else(|_| Timestamp::now())
}

/// Writes the seal of a recording that ended in this state. The caller holds the lock.
pub(crate) fn write(
    bundle: &Bundle,
    recording: Recording,
    state: RunState,
    records: &RunRecords,
) -> Result<(), StoreError> {
    let manifest_path = bundle.path().join(MANIFEST);
    let mut files = vec![FileEntry::of(MANIFEST, &fsio::read(&manifest_path)?)];
    files.extend(bundle.manifest().files.iter().cloned());
    files.extend(note::entries(bundle.path())?);
    let last = recording.entries.len().saturating_sub(1);
    let last = bundle.path().join(segment_name(u32::try_from(last).unwrap_or(u32::MAX)));
    files.extend(recording.entries);
    let events = recording.events;
    let ended = ended(records).unwrap_or_else(|| last_written(&last)).to_string();
    let run = bundle.manifest().run;
    let seal = Seal { run, state, ended, events, steps_done: steps_done(records), files };
    fsio::write_atomically(&bundle.path().join(SEAL), &document::write(seal)?)
}
