//! Writes the engine's trace to a file: a line for each operation as it was issued, tab-separated, with a head.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use drivelab_core::exit::ExitCode;
use drivelab_engine::{TraceEntry, TraceSink};

use crate::failure::{Failure, Result};
use crate::voice::Voice;

/// Names of the columns.
const HEAD: &str = "thread\tindex\top\toffset\tlength\tintended_ns\tsubmit_ns\tlatency_ns\terrno\tplacement_handle\n";

/// A trace that is being written; copies share the file.
#[derive(Clone)]
pub struct TraceFile {
    path: PathBuf,
    state: Arc<Mutex<State>>,
}

/// A trace that cannot be written.
fn refused(path: &Path, error: &io::Error) -> Failure {
    let why = match error.kind() {
        io::ErrorKind::AlreadyExists => "it exists, and drivelab replaces no file; name a new one".to_owned(),
        _ => error.to_string(),
    };
    Failure::new(ExitCode::TargetUnusable, format!("--trace {}: {why}", path.display()))
}

struct State {
    out: BufWriter<File>,
    /// What is issued now is not wanted.
    paused: bool,
    /// Operations that are missing, since they did not fit into the engine's memory.
    lost: u64,
    /// Why no more could be written.
    broken: Option<io::Error>,
}

impl TraceFile {
    /// What [`TraceFile::make`] would refuse, without making anything.
    ///
    /// # Errors
    /// As there.
    pub fn check(path: &Path) -> Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let found = match path.symlink_metadata() {
            Ok(_) => Err(io::Error::from(io::ErrorKind::AlreadyExists)),
            Err(_) => folder.metadata().and_then(|folder| {
                if folder.is_dir() { Ok(()) } else { Err(io::Error::from(io::ErrorKind::NotADirectory)) }
            }),
        };
        found.map_err(|error| refused(path, &error))
    }

    /// Makes the file; one that exists is left alone.
    ///
    /// # Errors
    /// Exit 6 where it exists or cannot be made.
    pub fn make(path: &Path) -> Result<TraceFile> {
        let made = File::create_new(path).and_then(|file| {
            let mut out = BufWriter::new(file);
            out.write_all(HEAD.as_bytes()).map(|()| out)
        });
        let out = made.map_err(|error| refused(path, &error))?;
        let state = Arc::new(Mutex::new(State { out, paused: false, lost: 0, broken: None }));
        Ok(TraceFile { path: path.to_owned(), state })
    }

    /// What the engine writes to.
    #[must_use]
    pub fn sink(&self) -> TraceSink {
        let state = Arc::clone(&self.state);
        Box::new(move |entries, lost| state.lock().unwrap_or_else(PoisonError::into_inner).take(entries, lost))
    }

    /// Leaves out what is issued from now on, or takes it in again.
    pub fn pause(&self, paused: bool) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).paused = paused;
    }

    /// Writes what is left, and warns where operations are missing.
    ///
    /// # Errors
    /// Exit 6 where the file could not be written to its end.
    pub fn finish(self, voice: &Voice) -> Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let flushed = state.out.flush();
        match state.broken.take().or(flushed.err()) {
            None if state.lost > 0 => {
                let lost = state.lost;
                voice.warn(format!("the trace lacks {lost} operations: they came faster than they fitted"));
                Ok(())
            }
            None => Ok(()),
            Some(error) => {
                let message = format!("the trace {} is not whole: {error}", self.path.display());
                Err(Failure::new(ExitCode::TargetUnusable, message))
            }
        }
    }
}

impl State {
    fn take(&mut self, entries: &[TraceEntry], lost: u64) {
        if self.paused {
            return;
        }
        self.lost += lost;
        if self.broken.is_none() {
            self.broken = entries.iter().try_for_each(|entry| line(&mut self.out, entry)).err();
        }
    }
}

fn line(out: &mut impl Write, entry: &TraceEntry) -> io::Result<()> {
    let TraceEntry { thread, index, op, offset, length, intended_ns, submit_ns, latency_ns, errno, placement_handle } =
        entry;
    let op = op.name();
    write!(out, "{thread}\t{index}\t{op}\t{offset}\t{length}\t{intended_ns}\t{submit_ns}\t{latency_ns}\t{errno}\t")?;
    // What is not placed has no handle: the drive chooses.
    match placement_handle {
        Some(handle) => writeln!(out, "{handle}"),
        None => writeln!(out, "-"),
    }
}
