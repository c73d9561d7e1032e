//! Reading a bundle: what it contains, its state, its events, and whether its bytes are still as written.
//!
//! Never changes a file. The rules are those of docs/formats/bundle.md, "Reading rules".

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use drivelab_core::environment::Environment;
use drivelab_core::event::{Event, EventBody, RunStarted, RunState};
use drivelab_core::plan::Plan;
use drivelab_core::run::{NotARun, RunRecords};
use drivelab_core::units::Bytes;

use crate::document::{self, FileEntry, Manifest, Seal};
use crate::error::StoreError;
use crate::layout::{ENVIRONMENT, EVENTS, MANIFEST, METHODOLOGY, PLAN, SEAL, segment_name, segment_number};
use crate::torn::Torn;
use crate::{fsio, lock, segment};

/// A bundle, open for reading.
#[derive(Debug, Clone)]
pub struct Bundle {
    path: PathBuf,
    manifest: Manifest,
    seal: Option<Seal>,
}

/// All segments of a bundle, as read; their events are passed on during the reading.
#[derive(Default)]
pub(crate) struct Recording {
    /// Number of events, numbered without gaps.
    pub(crate) events: u64,
    /// How the run ended, if the last event states it.
    pub(crate) ended: Option<RunState>,
    /// One entry for each segment, with frames and records.
    pub(crate) entries: Vec<FileEntry>,
    /// Torn tails.
    pub(crate) torn: Vec<Torn>,
}

impl Bundle {
    /// Opens the bundle in this folder and checks manifest and seal.
    ///
    /// # Errors
    /// [`StoreError::NotABundle`], [`StoreError::Husk`], [`StoreError::NoManifest`], [`StoreError::Newer`],
    /// [`StoreError::Damaged`].
    pub fn open(path: &Path) -> Result<Bundle, StoreError> {
        if !path.is_dir() {
            let why = "there is no such folder".to_owned();
            return Err(StoreError::NotABundle { path: path.to_owned(), why });
        }
        if !fsio::exists(&path.join(MANIFEST)) {
            return Err(without_manifest(path));
        }
        let manifest = document::read_manifest(&path.join(MANIFEST))?;
        let seal_path = path.join(SEAL);
        let seal = if fsio::exists(&seal_path) { Some(document::read::<Seal>(&seal_path)?) } else { None };
        if seal.as_ref().is_some_and(|seal| seal.run != manifest.run || seal.state == RunState::Interrupted) {
            return Err(StoreError::damaged(&seal_path, "it is the seal of another run, or of one that has not ended"));
        }
        Ok(Bundle { path: path.to_owned(), manifest, seal })
    }

    /// Path of the bundle.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Description of the run.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The seal; `None` while the bundle is unsealed.
    #[must_use]
    pub const fn seal(&self) -> Option<&Seal> {
        self.seal.as_ref()
    }

    /// State of the run: [`RunState::Interrupted`] without a seal, whatever the last event states.
    #[must_use]
    pub fn state(&self) -> RunState {
        self.seal.as_ref().map_or(RunState::Interrupted, |seal| seal.state)
    }

    /// Whether a process is recording it now.
    #[must_use]
    pub fn is_live(&self) -> bool {
        lock::is_held(&self.path)
    }

    /// All events, checked. For an unsealed bundle: up to the last readable event. If the process was killed before
    /// its first event was on disk, that event is rebuilt from the copies in the bundle, so that a run always has its
    /// start.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if a file is not what was written.
    pub fn events(&self) -> Result<Vec<Event>, StoreError> {
        let mut events = Vec::new();
        self.each_event(|event| {
            events.push(event);
            ControlFlow::Continue(())
        })?;
        Ok(events)
    }

    /// Passes on the events of [`Self::events`] one by one until `take` stops it: the memory needed is that of one
    /// frame, whatever the length of the run.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if a file is not what was written; what was read before it has already been passed on.
    pub fn each_event(&self, mut take: impl FnMut(Event) -> ControlFlow<()>) -> Result<(), StoreError> {
        let mut enough = false;
        let read = self.recording(&mut |event| {
            enough = take(event).is_break();
            // This error only ends the reading; it is never shown.
            if enough { Err(StoreError::damaged(&self.path, "the reader has stopped")) } else { Ok(()) }
        });
        match read {
            Err(_) if enough => Ok(()),
            Ok(recording) if recording.events == 0 => {
                let _ = take(self.first_event()?);
                Ok(())
            }
            other => other.map(|_| ()),
        }
    }

    /// The unreadable bytes after the last whole frame of each segment; normal after a kill, and not an error.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if a file is not what was written.
    pub fn torn(&self) -> Result<Vec<Torn>, StoreError> {
        Ok(self.skimmed(&mut |_| Ok(()))?.torn)
    }

    /// The run as a whole, with intervals without their distributions ([`Event::condensed`]). A run that ended but
    /// was killed before its seal is still [`RunState::Interrupted`]; [`crate::seal_ended`] repairs that.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if a file is not what was written.
    pub fn records(&self) -> Result<RunRecords, StoreError> {
        self.folded(false)
    }

    /// The run without intervals and samples, because reading those of a day takes longer than a session waits. Its
    /// last event number and the times of its breaks are those of the events that were read.
    pub(crate) fn outline(&self) -> Result<RunRecords, StoreError> {
        self.folded(true)
    }

    fn folded(&self, skim: bool) -> Result<RunRecords, StoreError> {
        let mut fold = Fold::default();
        if self.walk(skim, &mut |event| fold.take(self, event.condensed()))?.events == 0 {
            fold.take(self, self.first_event()?)?;
        }
        fold.end(self)
    }

    /// Checks everything: lengths and BLAKE3 of all files, frames, event numbers, and that the seal agrees.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] names the first file that is not what was written.
    pub fn verify(&self) -> Result<(), StoreError> {
        let recording = self.recording(&mut |_| Ok(()))?;
        let Some(seal) = &self.seal else { return Ok(()) };
        let path = self.path.join(SEAL);
        if recording.ended != Some(seal.state) {
            return Err(StoreError::damaged(&path, "its state is not that of the last event"));
        }
        if recording.events != seal.events {
            let what = format!("it counts {} events, but there are {}", seal.events, recording.events);
            return Err(StoreError::damaged(&path, what));
        }
        Ok(())
    }

    /// The copy of the methodology file.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it is not the one that was written.
    pub fn methodology_toml(&self) -> Result<String, StoreError> {
        self.copy(METHODOLOGY)
    }

    /// Target and testbed as found before the run.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the copy is not the one that was written.
    pub fn environment(&self) -> Result<Environment, StoreError> {
        let bad = |error: String| StoreError::damaged(&self.path.join(ENVIRONMENT), error);
        let table: toml::Table = toml::from_str(&self.copy(ENVIRONMENT)?).map_err(|error| bad(error.to_string()))?;
        // By way of JSON: a second reader of environments would cost a third of the time that this crate builds.
        let json = serde_json::to_vec(&table).map_err(|error| bad(error.to_string()))?;
        serde_json::from_slice(&json).map_err(|error| bad(error.to_string()))
    }

    /// Total bytes of all its files.
    #[must_use]
    pub fn size(&self) -> Bytes {
        Bytes::new(size_below(&self.path))
    }

    /// The first event as it would have been recorded, from the copies that were made before it.
    pub(crate) fn first_event(&self) -> Result<Event, StoreError> {
        let bad = |name: &str, error: String| StoreError::damaged(&self.path.join(name), error);
        let plan: Plan =
            serde_json::from_slice(self.copy(PLAN)?.as_bytes()).map_err(|error| bad(PLAN, error.to_string()))?;
        let environment = self.environment()?;
        let Manifest { event_version, run, started, tool, .. } = self.manifest.clone();
        let start = RunStarted { event_version, run, started, tool, plan, environment };
        Ok(Event { seq: 0, at_ns: 0, event: EventBody::RunStarted(start) })
    }

    /// Reads all segments and passes on their events; if there is a seal, only bytes that match it.
    pub(crate) fn recording(
        &self,
        take: &mut dyn FnMut(Event) -> Result<(), StoreError>,
    ) -> Result<Recording, StoreError> {
        self.walk(false, take)
    }

    /// The same, but intervals and samples are only counted.
    pub(crate) fn skimmed(
        &self,
        take: &mut dyn FnMut(Event) -> Result<(), StoreError>,
    ) -> Result<Recording, StoreError> {
        self.walk(true, take)
    }

    fn walk(&self, skim: bool, take: &mut dyn FnMut(Event) -> Result<(), StoreError>) -> Result<Recording, StoreError> {
        let mut recording = Recording::default();
        self.check_copies()?;
        let count = segment_count(&self.path)?;
        for number in 0..count {
            let name = segment_name(number);
            let file = self.path.join(&name);
            let mut entry = FileEntry::of_file(&name, &file)?;
            let sealed = self.sealed_entry(&name)?;
            sealed.map_or(Ok(()), |sealed| sealed.agrees(&file, &entry))?;
            let segment = segment::read(&file, skim, &mut |number, event| {
                recording.count(&file, number, event.as_ref())?;
                event.map_or(Ok(()), &mut *take)
            })?;
            (entry.frames, entry.records) = (Some(segment.frames), Some(segment.records));
            if sealed.is_some_and(|sealed| *sealed != entry) {
                return Err(StoreError::damaged(&file, "its frames do not match the seal"));
            }
            recording.entries.push(entry);
            recording.torn.extend(segment.torn);
        }
        let sealed = self.seal.as_ref().map(|seal| seal.files.iter().filter(|entry| entry.frames.is_some()).count());
        if sealed.is_some_and(|sealed| sealed != count as usize) {
            let what = format!("there are {count} segments, but the seal lists {}", sealed.unwrap_or_default());
            return Err(StoreError::damaged(&self.path.join(EVENTS), what));
        }
        Ok(recording)
    }

    /// Checks the files besides the segments: those listed in the manifest and those listed in the seal.
    pub(crate) fn check_copies(&self) -> Result<(), StoreError> {
        let sealed = self.seal.iter().flat_map(|seal| &seal.files).filter(|entry| entry.frames.is_none());
        self.manifest.files.iter().chain(sealed).try_for_each(|entry| self.checked(entry).map(drop))
    }

    /// The seal's entry for a segment; `None` without a seal.
    fn sealed_entry(&self, name: &str) -> Result<Option<&FileEntry>, StoreError> {
        let Some(seal) = &self.seal else { return Ok(None) };
        let entry = seal.files.iter().find(|entry| entry.path == name);
        let unknown = || StoreError::damaged(&self.path.join(name), "the seal does not list this segment");
        entry.map(Some).ok_or_else(unknown)
    }

    /// The first segment does not belong to this run.
    fn not_its_own(&self, what: String) -> StoreError {
        StoreError::damaged(&self.path.join(segment_name(0)), what)
    }

    /// A copy that the manifest lists, as text.
    fn copy(&self, name: &str) -> Result<String, StoreError> {
        let path = self.path.join(name);
        let entry = self.manifest.files.iter().find(|entry| entry.path == name);
        let entry = entry.ok_or_else(|| StoreError::damaged(&path, "the manifest does not list it"))?;
        String::from_utf8(self.checked(entry)?).map_err(|error| StoreError::damaged(&path, error.to_string()))
    }

    fn checked(&self, entry: &FileEntry) -> Result<Vec<u8>, StoreError> {
        let path = self.path.join(&entry.path);
        let bytes = if fsio::exists(&path) { fsio::read(&path)? } else { return Err(missing(&path)) };
        entry.check(&path, &bytes)?;
        Ok(bytes)
    }
}

impl Recording {
    /// Counts an event; its number must follow that of the previous event.
    fn count(&mut self, file: &Path, number: u64, event: Option<&Event>) -> Result<(), StoreError> {
        if number != self.events {
            return Err(StoreError::Damaged {
                file: file.to_owned(),
                frame: None,
                offset: None,
                what: format!("event {number} follows instead of event {}: events are missing", self.events),
                readable: format!("the {} events before it can still be read", self.events),
            });
        }
        self.events += 1;
        self.ended = match event.map(|event| &event.event) {
            Some(EventBody::RunEnded { state, .. }) => Some(*state),
            _ => None,
        };
        Ok(())
    }
}

/// The records of a run that is being read, event by event.
#[derive(Default)]
pub(crate) struct Fold(Option<RunRecords>);

impl Fold {
    pub(crate) fn take(&mut self, bundle: &Bundle, event: Event) -> Result<(), StoreError> {
        match &mut self.0 {
            Some(records) => records.push(event),
            None => {
                let records = RunRecords::begin(event).map_err(|error| bundle.not_its_own(error.to_string()))?;
                if records.run != bundle.manifest.run {
                    return Err(bundle.not_its_own(format!("its events belong to run {}", records.run)));
                }
                self.0 = Some(records);
            }
        }
        Ok(())
    }

    pub(crate) fn end(self, bundle: &Bundle) -> Result<RunRecords, StoreError> {
        let mut records = self.0.ok_or_else(|| bundle.not_its_own(NotARun.to_string()))?;
        records.state = bundle.state();
        Ok(records)
    }
}

/// Number of segments; their numbers must be 0, 1, 2 ...
fn segment_count(bundle: &Path) -> Result<u32, StoreError> {
    let folder = bundle.join(EVENTS);
    if !fsio::exists(&folder) {
        return Err(missing(&folder));
    }
    let entries = fs::read_dir(&folder).map_err(|error| StoreError::io("read", &folder, error))?;
    let mut numbers: Vec<u32> = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| StoreError::io("read", &folder, error))?;
        numbers.extend(entry.file_name().to_str().and_then(segment_number));
    }
    numbers.sort_unstable();
    match (0u32..).zip(&numbers).find(|(expected, number)| expected != *number) {
        Some((expected, _)) => Err(missing(&bundle.join(segment_name(expected)))),
        None if numbers.is_empty() => Err(missing(&bundle.join(segment_name(0)))),
        None => Ok(u32::try_from(numbers.len()).unwrap_or(u32::MAX)),
    }
}

fn missing(path: &Path) -> StoreError {
    StoreError::damaged(path, "it is missing")
}

fn without_manifest(path: &Path) -> StoreError {
    // The first segment is made before the manifest, but nothing is recorded in it until there is one.
    let recorded = fs::metadata(path.join(segment_name(0))).is_ok_and(|facts| facts.len() > 0);
    if recorded || fsio::exists(&path.join(SEAL)) {
        return StoreError::NoManifest { file: path.join(MANIFEST) };
    }
    let run = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if run.parse::<drivelab_core::ids::RunId>().is_ok() {
        StoreError::Husk { path: path.to_owned(), run }
    } else {
        StoreError::NotABundle { path: path.to_owned(), why: "it has no manifest.json".to_owned() }
    }
}

fn size_below(path: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(path) else { return 0 };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(facts) if facts.is_dir() => size_below(&entry.path()),
        Ok(facts) => facts.len(),
        Err(_) => 0,
    });
    sizes.sum()
}
