//! The seal: the last file of a bundle, which says that the run has ended and what its files are: all that the run
//! leaves there but the empty lock. What is added later lies outside of it.
//!
//! It is made from what is on disk, read back and checked, not from what the recorder remembers.

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

/// Seals a run that has recorded its end but was killed before the seal was written, and says how it ended. `None`
/// where the run has not ended: it can be resumed. A sealed run is left alone.
///
/// # Errors
/// [`StoreError::Live`] while a process records it, and whatever reading the bundle can give.
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
    // What was done follows without intervals and samples; reading those of a day takes longer than a session waits.
    let recording = bundle.skimmed(&mut |event| fold.take(bundle, event))?;
    let Some(state) = recording.ended else { return Ok(None) };
    write(bundle, recording, state, &fold.end(bundle)?)?;
    Ok(Some(state))
}

/// When the last event was, by the time of day at which this stretch of the run began and the run's own clock.
fn ended(records: &RunRecords) -> Option<Timestamp> {
    let resumed = records.breaks.iter().rev().find_map(|pause| Some((pause.at_ns, pause.resumed.as_ref()?)));
    let (from_ns, from) = match resumed {
        Some((at_ns, resumed)) => (at_ns, &resumed.resumed),
        None => (0, &records.started),
    };
    let since = SignedDuration::from_nanos(i64::try_from(records.last_at_ns.checked_sub(from_ns)?).ok()?);
    from.parse::<Timestamp>().ok()?.checked_add(since).ok()
}

/// The same by the file of the last segment, where the events do not tell.
fn last_written(segment: &Path) -> Timestamp {
    let written = std::fs::metadata(segment).and_then(|facts| facts.modified()).unwrap_or_else(|_| SystemTime::now());
    Timestamp::try_from(written).unwrap_or_else(|_| Timestamp::now())
}

/// Writes the seal of a recording that ended so. The caller holds the lock.
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
