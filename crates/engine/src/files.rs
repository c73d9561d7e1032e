//! Work on sets of files in a folder that belongs to the run: files are made, copied, read, verified or deleted, and
//! each file is an operation.
//!
//! Owns the preparation before the step's time (sets that the step needs, the page cache), its threads, and the
//! syncing inside its time. Content is moved by read(2) and write(2), never by copy_file_range(2) or a reflink: those
//! would move references instead of data. Writes go only through a [`WritableFolder`]. Must not know: plans, where
//! folders come from.

mod books;
mod common;
mod content;
mod set;
mod told;
mod worker;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use drivelab_core::backend::{BackendError, StepRequest};
use drivelab_core::files::{FileLoad, FilePlace, FileSet, FileSync, FileWork};
use drivelab_core::plan::StopRule;
use drivelab_core::record::{IntervalRecord, StepRecord, StopReason};
use drivelab_core::target::WritableFolder;
use drivelab_core::workload::Workload;
use rustix::io::Errno;

use crate::memory::buffer::PAGE;
use crate::thread::faults::{Attempt, Broken, ErrorPolicy};
use books::Books;
use common::Common;
use set::Files;
use told::{Ended, Told};
use worker::{Tools, Worker};

/// Room for files whose end was reported and not yet counted: far more than end between two looks.
const TOLD: usize = 4096;

/// Longest wait between two looks at what the threads report.
const LOOK: Duration = Duration::from_millis(50);

/// Where files are worked on.
#[derive(Debug, Default)]
pub struct Folders {
    /// The run's folder on the drive.
    pub target: Option<WritableFolder>,
    /// The run's folder that files are copied from; absent if they are made in memory.
    pub source: Option<WritableFolder>,
    /// The sets that exist there completely.
    present: BTreeMap<(String, FilePlace), FileSet>,
}

impl Folders {
    /// The folders of a run that begins: nothing exists in them yet.
    #[must_use]
    pub const fn new(target: Option<WritableFolder>, source: Option<WritableFolder>) -> Self {
        Folders { target, source, present: BTreeMap::new() }
    }

    /// The folder that holds a copy of a set; `None` for a source in memory.
    fn of(&self, place: FilePlace) -> Result<Option<&WritableFolder>, BackendError> {
        match place {
            FilePlace::Source => Ok(self.source.as_ref()),
            FilePlace::Original | FilePlace::Copy => {
                let missing =
                    "the step works on files, but the run has no folder for them: name a folder as the target";
                self.target.as_ref().map(Some).ok_or_else(|| BackendError::Unfit(missing.to_owned()))
            }
        }
    }

    fn holds(&self, set: &FileSet, place: FilePlace) -> bool {
        self.present.get(&(set.name.clone(), place)) == Some(set)
    }
}

/// Runs a step on files.
pub(crate) fn run(
    folders: &mut Folders,
    request: &StepRequest<'_>,
    load: &FileLoad,
    interval: &mut dyn FnMut(IntervalRecord),
) -> Result<StepRecord, BackendError> {
    fits(request.workload)?;
    let mut notes = Vec::new();
    let sizes = load.set.file_sizes();
    let whole = ready(folders, request, load, &sizes, &mut notes)?;
    let from = match load.work {
        FileWork::Create => None,
        _ => folders.of(load.of)?.map(|folder| Files::open(folder, &load.set, load.of)).transpose()?,
    };
    let to = match load.makes() {
        Some(place) => folders.of(place)?.map(|folder| Files::make(folder, &load.set, place)).transpose()?,
        None => None,
    };
    if let Some(from) = from.as_ref().filter(|_| load.work != FileWork::Delete) {
        notes.push(from.drop_cached(load.set.count));
    }
    let starts = starts(&sizes);
    let common = common(request, load, (&sizes, &starts), (from.as_ref(), to.as_ref()));
    if !whole {
        common.halt(StopReason::Stopped);
    }
    let mut books = Books::new(request, load, common.clock.now_ns());
    let ended = with_threads(&common, request, &mut books, interval)?;
    if let Some(error) = finish(&common, folders, &mut books, interval) {
        books.failed_to_sync(error, common.clock.now_ns(), load.bytes());
        common.halt(StopReason::Errors);
    }
    books.close(&common, common.clock.now_ns(), interval);
    let reason = common.reason();
    drop(common);
    now_there(folders, load, reason);
    let direct = request.workload.direct && from.as_ref().or(to.as_ref()).is_none_or(Files::takes_direct);
    Ok(books.record(request, &ended, reason, direct, notes))
}

/// First byte of each file, counted over the set.
fn starts(sizes: &[u64]) -> Vec<u64> {
    let mut start = 0;
    let next = |size: &u64| {
        start += size;
        start - size
    };
    sizes.iter().map(next).collect()
}

fn common<'a>(
    request: &'a StepRequest<'_>,
    load: &'a FileLoad,
    (sizes, starts): (&'a [u64], &'a [u64]),
    (from, to): (Option<&'a Files>, Option<&'a Files>),
) -> Common<'a> {
    let StopRule { errors, cap, .. } = request.stop_rule;
    let threads = request.workload.threads.get();
    Common {
        load,
        sizes,
        starts,
        from,
        to,
        direct: request.workload.direct,
        policy: ErrorPolicy::of(*errors),
        clock: request.clock,
        stop: request.stop,
        until_ns: request.clock.now_ns().saturating_add(cap.get()),
        next: AtomicU32::new(0),
        moved: AtomicU64::new(0),
        since: (0..threads).map(|_| AtomicU64::new(0)).collect(),
        halted: AtomicBool::new(false),
        why: AtomicU8::new(0),
    }
}

fn fits(workload: &Workload) -> Result<(), BackendError> {
    if !workload.block_size.get().is_multiple_of(PAGE as u64) || workload.block_size.get() == 0 {
        let text = format!("files are moved in buffers of multiples of 4 KiB, and {} is not one", workload.block_size);
        return Err(BackendError::Unfit(text));
    }
    if !workload.beside.is_empty() {
        return Err(BackendError::Unfit("work on files cannot have other groups of threads".to_owned()));
    }
    Ok(())
}

/// Outside the step's time, makes sure that the files it needs exist and the files it makes do not. `false` if a stop
/// was requested meanwhile.
fn ready(
    folders: &mut Folders,
    request: &StepRequest<'_>,
    load: &FileLoad,
    sizes: &[u64],
    notes: &mut Vec<String>,
) -> Result<bool, BackendError> {
    let mut whole = true;
    if load.work != FileWork::Create && !folders.holds(&load.set, load.of) && folders.of(load.of)?.is_some() {
        whole = make(folders, request, load, sizes)?;
        notes.push(format!("the files to {} were made before the step, outside its time", load.work.name()));
    }
    if let Some(place) = load.makes() {
        folders.present.remove(&(load.set.name.clone(), place));
        if let Some(folder) = folders.of(place)? {
            Files::remove(folder, &load.set, place)?;
        }
    }
    let mut roots = vec![folders.of(FilePlace::Original)?];
    roots.push(folders.source.as_ref());
    for folder in roots.into_iter().flatten() {
        let done = rustix::fs::syncfs(folder.handle());
        done.map_err(|error| set::failed("writing back what was cached (syncfs)", folder.path(), error))?;
    }
    Ok(whole)
}

/// Makes a copy of a set outside any step's time. `false` if it was stopped.
fn make(
    folders: &mut Folders,
    request: &StepRequest<'_>,
    load: &FileLoad,
    sizes: &[u64],
) -> Result<bool, BackendError> {
    let Some(folder) = folders.of(load.of)? else { return Ok(true) };
    Files::remove(folder, &load.set, load.of)?;
    let files = Files::make(folder, &load.set, load.of)?;
    let creation = FileLoad { work: FileWork::Create, of: FilePlace::Original, ..load.clone() };
    let starts = starts(sizes);
    let mut common = common(request, &creation, (sizes, &starts), (None, Some(&files)));
    (common.until_ns, common.direct) = (u64::MAX, false);
    let worker = Worker::new(&common, 0, Tools::new(request.workload, false)?);
    let ended = worker.run(None);
    if let Some(error) = ended.errors.first() {
        let error = Errno::from_raw_os_error(error.errno);
        return Err(set::failed("making the files that the step needs", folder.path(), error));
    }
    if common.reason() != StopReason::Passes {
        return Ok(false);
    }
    let key = (load.set.name.clone(), load.of);
    folders.present.insert(key, load.set.clone());
    Ok(true)
}

/// Updates which sets the folders hold after a step.
fn now_there(folders: &mut Folders, load: &FileLoad, reason: StopReason) {
    let key = |place| (load.set.name.clone(), place);
    if load.work == FileWork::Delete {
        folders.present.remove(&key(load.of));
    }
    if let Some(place) = load.makes().filter(|_| reason == StopReason::Passes) {
        folders.present.insert(key(place), load.set.clone());
    }
}

/// Runs the threads and counts what they report, until all have ended.
fn with_threads(
    common: &Common<'_>,
    request: &StepRequest<'_>,
    books: &mut Books,
    interval: &mut dyn FnMut(IntervalRecord),
) -> Result<Vec<Ended>, BackendError> {
    let checks = common.load.work == FileWork::Verify;
    let tools: Result<Vec<Tools>, BackendError> =
        (0..request.workload.threads.get()).map(|_| Tools::new(request.workload, checks)).collect();
    let tools = tools?;
    books.begins(common.clock.now_ns());
    thread::scope(|scope| {
        let (told, heard) = sync_channel(TOLD);
        let mut threads = Vec::new();
        for (number, tools) in tools.into_iter().enumerate() {
            let told: SyncSender<Told> = told.clone();
            let body = move || Worker::new(common, number, tools).run(Some(&told));
            match thread::Builder::new().name(format!("files-{number}")).spawn_scoped(scope, body) {
                Ok(thread) => threads.push(thread),
                Err(source) => {
                    common.halt(StopReason::Errors);
                    return Err(Broken { what: Attempt::Thread, source }.into());
                }
            }
        }
        drop(told);
        listen(&heard, common, books, interval);
        let ended = threads.into_iter().map(|thread| thread.join());
        Ok(ended.map(|ended| ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect())
    })
}

/// Counts what the threads report and closes intervals, until no thread is left.
fn listen(heard: &Receiver<Told>, common: &Common<'_>, books: &mut Books, interval: &mut dyn FnMut(IntervalRecord)) {
    loop {
        match heard.recv_timeout(LOOK) {
            Ok(told) => {
                books.take(told);
                heard.try_iter().for_each(|told| books.take(told));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        books.look(common, common.clock.now_ns(), interval);
    }
}

/// The part of the step's time after its last file: removes folders and makes the written data durable. Runs on a
/// thread of its own, so that intervals continue meanwhile.
fn finish(
    common: &Common<'_>,
    folders: &Folders,
    books: &mut Books,
    interval: &mut dyn FnMut(IntervalRecord),
) -> Option<Errno> {
    if common.load.work.reads() || common.reason() != StopReason::Passes {
        return None;
    }
    let last = || -> Result<(), Errno> {
        let changed = common.to.or(common.from);
        if let Some(files) = changed.filter(|_| common.load.work == FileWork::Delete) {
            files.remove_folders()?;
        }
        match common.load.sync {
            FileSync::Never => Ok(()),
            FileSync::Each => changed.filter(|_| common.load.work.makes()).map_or(Ok(()), Files::sync_folders),
            FileSync::End => {
                let place = common.load.makes().unwrap_or(common.load.of);
                let folder = folders.of(place).ok().flatten();
                folder.map_or(Ok(()), |folder| rustix::fs::syncfs(folder.handle()))
            }
        }
    };
    thread::scope(|scope| {
        let (over, heard) = sync_channel::<Told>(1);
        let thread = scope.spawn(move || {
            let _over = over;
            last().err()
        });
        listen(&heard, common, books, interval);
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
