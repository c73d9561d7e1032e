//! The recorder: the listener that writes events to disk, first and without loss.
//!
//! Owns the writing rules of docs/formats/bundle.md: when a frame is written, when it is fsynced, what happens if the
//! disk is full, the seal at the end. Runs on its own thread; the session waits for it only between steps. Must not
//! know what the events mean beyond that.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use drivelab_core::environment::{Environment, ToolVersion};
use drivelab_core::event::{EVENT_VERSION, Event, EventBody};
use drivelab_core::ids::RunId;
use drivelab_core::input;
use drivelab_core::listener::{Listener, ListenerError};
use drivelab_core::plan::Plan;
use drivelab_core::run::RunRecords;

use crate::bundle::{Bundle, Fold};
use crate::document::{self, FileEntry, Manifest};
use crate::error::StoreError;
use crate::layout::{DataDir, ENVIRONMENT, EVENTS, MANIFEST, METHODOLOGY, PLAN, segment_name};
use crate::lock::Lock;
use crate::segment::{self, is_durable};
use crate::{catalog, frame, fsio, seal};

/// No event waits longer for its frame; as this is checked every tenth of a second, a kill loses less than a second.
const FLUSH_AFTER: Duration = Duration::from_millis(500);
/// Bytes of lines after which a frame is written immediately.
const FLUSH_BYTES: usize = 1 << 20;

/// The initial content of a bundle.
#[derive(Debug, Clone, Copy)]
pub struct NewBundle<'a> {
    /// The run.
    pub run: RunId,
    /// Wall-clock time of run time 0, RFC 3339 in UTC.
    pub started: &'a str,
    /// The version of drivelab.
    pub tool: &'a ToolVersion,
    /// The plan.
    pub plan: &'a Plan,
    /// Target and testbed.
    pub environment: &'a Environment,
    /// The methodology file, byte for byte.
    pub methodology_toml: &'a str,
}

/// Records one run, or one process's part of it.
#[derive(Debug)]
pub struct Recorder {
    data: DataDir,
    run: RunId,
    bundle: PathBuf,
    /// Held while anything may be written; `None` after the end.
    lock: Option<Lock>,
    segment: Segment,
    next_seq: u64,
    steps_begun: bool,
}

/// The segment that is being written.
#[derive(Debug)]
struct Segment {
    number: u32,
    path: PathBuf,
    file: File,
    /// Bytes of whole frames; the file is longer only during a write.
    length: u64,
    frames: u32,
    lines: Vec<u8>,
    records: u32,
    oldest: Option<Instant>,
    /// Longest time that events wait for a frame; without a limit in virtual time.
    flush_after: Option<Duration>,
    /// Why nothing more can be written.
    broken: Option<String>,
}

impl Recorder {
    /// Makes the bundle of a new run and adds it to the catalog. Everything is durable on return.
    ///
    /// # Errors
    /// [`StoreError::Exists`], [`StoreError::Live`], [`StoreError::Full`], [`StoreError::ReadOnly`],
    /// [`StoreError::Io`].
    pub fn create(data: &DataDir, new: &NewBundle<'_>) -> Result<Recorder, StoreError> {
        let bundle = data.bundle_path(new.run);
        if fsio::exists(&bundle.join(MANIFEST)) {
            return Err(StoreError::Exists { path: bundle });
        }
        let was_there = fsio::exists(&bundle);
        let (lock, segment) = Recorder::begin(data, &bundle, new).inspect_err(|_| {
            // A run that could not begin, usually for lack of space, is not kept: nothing of it stays in the list.
            if !was_there {
                let _ = std::fs::remove_dir_all(&bundle);
            }
        })?;
        catalog::note(data, new.run);
        let (data, run, lock) = (data.clone(), new.run, Some(lock));
        Ok(Recorder { data, run, bundle, lock, segment, next_seq: 0, steps_begun: false })
    }

    /// For a run in virtual time: what is written then depends only on the events, not on how fast they come.
    #[must_use]
    pub const fn in_virtual_time(mut self) -> Recorder {
        self.segment.flush_after = None;
        self
    }

    /// Writes the files that exist before the first event.
    fn begin(data: &DataDir, bundle: &Path, new: &NewBundle<'_>) -> Result<(Lock, Segment), StoreError> {
        fsio::create_dir(bundle)?;
        fsio::sync_dir(&data.runs_dir())?;
        let lock = Lock::take(bundle, new.run)?;
        let files = write_copies(bundle, new)?;
        fsio::create_dir(&bundle.join(EVENTS))?;
        let segment = Segment::open(bundle, 0)?;
        // The manifest comes last: if it exists, the bundle is complete.
        let manifest = document::write(manifest(new, files))?;
        fsio::write_atomically(&bundle.join(MANIFEST), &manifest)?;
        Ok((lock, segment))
    }

    /// Continues an unsealed run in a new segment, and returns what is recorded so far. The first event that it
    /// accepts has the number `last_seq + 1`.
    ///
    /// # Errors
    /// [`StoreError::Live`] while another process records it; [`StoreError::Sealed`] if it has ended (a missing seal
    /// is then written; see [`crate::seal_ended`]); [`StoreError::NotFound`]; any error of reading it.
    pub fn resume(data: &DataDir, run: RunId) -> Result<(Recorder, RunRecords), StoreError> {
        let bundle_path = data.bundle_path(run);
        if !fsio::exists(&bundle_path) {
            return Err(StoreError::NotFound { run, folder: data.runs_dir() });
        }
        let unlocked = Bundle::open(&bundle_path)?;
        refuse_sealed(&unlocked)?;
        let lock = Lock::take(&bundle_path, run)?;
        // What was read before the lock may have been written by a process that has ended since.
        let bundle = Bundle::open(&bundle_path)?;
        refuse_sealed(&bundle)?;
        let mut fold = Fold::default();
        let recording = bundle.recording(&mut |event| fold.take(&bundle, event.condensed()))?;
        let count = u32::try_from(recording.entries.len()).unwrap_or(u32::MAX);
        let unwritten = if recording.events == 0 { Some(bundle.first_event()?) } else { None };
        unwritten.iter().try_for_each(|event| fold.take(&bundle, event.clone()))?;
        let records = fold.end(&bundle)?;
        if let Some(state) = recording.ended {
            seal::write(&bundle, recording, state, &records)?;
            catalog::note(data, run);
            return Err(StoreError::Sealed { run, state: state.name().to_owned(), just_now: true });
        }
        // Event numbers continue after frames that a killed process left in the page cache; these frames must not be
        // lost any more.
        for number in 0..count {
            let path = bundle_path.join(segment_name(number));
            let file = input::open(&path).map_err(|error| StoreError::io("open", &path, error))?;
            fsio::sync(&file, &path)?;
        }
        let segment = Segment::open(&bundle_path, count)?;
        let mut recorder = Recorder {
            data: data.clone(),
            run,
            bundle: bundle_path,
            lock: Some(lock),
            segment,
            next_seq: records.last_seq + 1 - u64::from(unwritten.is_some()),
            steps_begun: false,
        };
        unwritten.iter().try_for_each(|event| recorder.take(event))?;
        Ok((recorder, records))
    }

    /// Number of the segment file that this process writes.
    #[must_use]
    pub const fn segment(&self) -> u32 {
        self.segment.number
    }

    fn take(&mut self, event: &Event) -> Result<(), StoreError> {
        let unstorable = |why: String| StoreError::Unstorable { what: format!("event {}", event.seq), why };
        if self.lock.is_none() {
            return Err(unstorable("the recording has ended".to_owned()));
        }
        if event.seq != self.next_seq {
            return Err(unstorable(format!("event {} comes next", self.next_seq)));
        }
        self.segment.collect(event)?;
        self.next_seq += 1;
        let flush = match &event.event {
            EventBody::Interval(_) | EventBody::Telemetry(_) => self.segment.is_due(),
            _ => true,
        };
        if flush {
            self.segment.flush()?;
        }
        self.steps_begun |= matches!(event.event, EventBody::StepStarted { .. });
        let early_finding = matches!(event.event, EventBody::Finding(_)) && !self.steps_begun;
        if is_durable(&event.event) || early_finding {
            self.segment.sync()?;
        }
        if matches!(event.event, EventBody::RunEnded { .. }) {
            self.seal()?;
        }
        Ok(())
    }

    fn seal(&mut self) -> Result<(), StoreError> {
        seal::write_if_ended(&Bundle::open(&self.bundle)?)?;
        self.release();
        Ok(())
    }

    /// Releases the lock and updates the catalog.
    fn release(&mut self) {
        self.lock = None;
        catalog::note(&self.data, self.run);
    }
}

impl Listener for Recorder {
    fn event(&mut self, event: &Event) -> Result<(), ListenerError> {
        self.take(event).map_err(lost)
    }

    fn idle(&mut self) -> Result<(), ListenerError> {
        if self.segment.is_due() { self.segment.flush().map_err(lost) } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<(), ListenerError> {
        if self.lock.is_some() {
            self.segment.flush().and_then(|()| self.segment.sync()).map_err(lost)?;
            self.release();
        }
        Ok(())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "fits map_err")]
fn lost(error: StoreError) -> ListenerError {
    ListenerError { message: error.to_string() }
}

impl Segment {
    /// Makes the file of a new segment, durably.
    fn open(bundle: &Path, number: u32) -> Result<Segment, StoreError> {
        let path = bundle.join(segment_name(number));
        fsio::point();
        // If an incomplete bundle is taken over, segment 0 may already exist; it is empty then.
        let file = input::open_with(OpenOptions::new().create(true).append(true), &path);
        let file = file.map_err(|error| StoreError::io("create", &path, error))?;
        let length = file.metadata().map_err(|error| StoreError::io("read", &path, error))?.len();
        if length != 0 {
            return Err(StoreError::Exists { path });
        }
        fsio::sync_dir(&bundle.join(EVENTS))?;
        let (lines, oldest, broken) = (Vec::new(), None, None);
        let flush_after = Some(FLUSH_AFTER);
        Ok(Segment { number, path, file, length, frames: 0, lines, records: 0, oldest, flush_after, broken })
    }

    /// Adds the event's line. The line is read back first: what cannot be read must not be written, and JSON silently
    /// turns a NaN into `null`.
    fn collect(&mut self, event: &Event) -> Result<(), StoreError> {
        let unstorable = |why: String| StoreError::Unstorable { what: format!("event {}", event.seq), why };
        let start = self.lines.len();
        serde_json::to_writer(&mut self.lines, event).map_err(|error| unstorable(error.to_string()))?;
        let line = self.lines.get(start..).unwrap_or_default();
        let (back, length) = (segment::event(line), line.len());
        if let Err(why) = back {
            self.lines.truncate(start);
            return Err(unstorable(why));
        }
        if length >= frame::MAX_PLAIN {
            self.lines.truncate(start);
            return Err(unstorable(format!("it is {length} bytes long")));
        }
        if start > 0 && start + length >= frame::MAX_PLAIN {
            // Together they exceed the largest frame, which a reader would refuse.
            let mut line = self.lines.split_off(start);
            self.flush()?;
            self.lines.append(&mut line);
        }
        self.lines.push(b'\n');
        self.records += 1;
        self.oldest.get_or_insert_with(Instant::now);
        Ok(())
    }

    fn is_due(&self) -> bool {
        let late = self.oldest.zip(self.flush_after).is_some_and(|(oldest, after)| oldest.elapsed() >= after);
        self.lines.len() >= FLUSH_BYTES || late
    }

    /// Writes the collected lines as one frame.
    fn flush(&mut self) -> Result<(), StoreError> {
        if let Some(why) = &self.broken {
            return Err(StoreError::Broken { path: self.path.clone(), why: why.clone() });
        }
        if self.records == 0 {
            return Ok(());
        }
        let frame = frame::encode(self.frames, self.records, &self.lines)
            .map_err(|error| StoreError::io("compress for", &self.path, error))?;
        if let Err(error) = fsio::append(&mut self.file, &self.path, &frame) {
            // Half a frame in the middle would hide what follows. The lines stay for the next attempt.
            if let Err(second) = self.file.set_len(self.length) {
                self.broken = Some(format!("{error}; then it could not be truncated: {second}"));
            }
            return Err(error);
        }
        self.length += frame.len() as u64;
        self.frames += 1;
        self.lines.clear();
        (self.records, self.oldest) = (0, None);
        Ok(())
    }

    /// After a failed fsync the kernel may have dropped the pages: nothing written later can be trusted.
    fn sync(&mut self) -> Result<(), StoreError> {
        let synced = fsio::sync(&self.file, &self.path);
        if let Err(error) = &synced {
            self.broken = Some(error.to_string());
        }
        synced
    }
}

/// Writes the copies besides the events; returns their entries.
fn write_copies(bundle: &Path, new: &NewBundle<'_>) -> Result<Vec<FileEntry>, StoreError> {
    let unstorable = |what: &str, why: String| StoreError::Unstorable { what: what.to_owned(), why };
    let plan = serde_json::to_string_pretty(new.plan).map_err(|error| unstorable("the plan", error.to_string()))?;
    let environment =
        toml::to_string(new.environment).map_err(|error| unstorable("the environment", error.to_string()))?;
    let environment = format!("# Target and testbed as drivelab found them before the run.\n{environment}");
    let copies = [(PLAN, plan + "\n"), (METHODOLOGY, new.methodology_toml.to_owned()), (ENVIRONMENT, environment)];
    let mut entries = Vec::new();
    for (name, text) in &copies {
        fsio::write_durably(&bundle.join(name), text.as_bytes())?;
        entries.push(FileEntry::of(name, text.as_bytes()));
    }
    Ok(entries)
}

fn manifest(new: &NewBundle<'_>, files: Vec<FileEntry>) -> Manifest {
    let target = &new.environment.target;
    Manifest {
        event_version: EVENT_VERSION,
        run: new.run,
        started: new.started.to_owned(),
        tool: new.tool.clone(),
        methodology: new.plan.methodology.clone(),
        form: new.plan.form,
        // The user does not know the folder in which a condition was mounted.
        target: match new.environment.condition {
            Some(_) => new.environment.named(),
            None => target.path.display().to_string(),
        },
        drive: target.devices.iter().find_map(|device| device.model.clone()),
        steps_total: u32::try_from(new.plan.schedule().len()).unwrap_or(u32::MAX),
        files,
    }
}

fn refuse_sealed(bundle: &Bundle) -> Result<(), StoreError> {
    let Some(seal) = bundle.seal() else { return Ok(()) };
    Err(StoreError::Sealed { run: seal.run, state: seal.state.name().to_owned(), just_now: false })
}
