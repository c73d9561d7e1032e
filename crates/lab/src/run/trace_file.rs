//! Writes the engine's trace to a file: a header line, then one tab-separated line for each issued operation.

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

/// The error for a trace that cannot be written.
fn refused(path: &Path, error: &io::Error) -> Failure {
    let why = match error.kind() {
        io::ErrorKind::AlreadyExists => {
            "it exists, and drivelab never replaces an existing file; name a new one".to_owned()
        }
        _ => error.to_string(),
    };
    Failure::new(ExitCode::TargetUnusable, format!("--trace {}: {why}", path.display()))
}

struct State {
    out: BufWriter<File>,
    /// Whether operations that are issued now are left out.
    paused: bool,
    /// Number of operations that are missing because they did not fit into the engine's memory.
    lost: u64,
    /// The error after which writing stopped.
    broken: Option<io::Error>,
}

impl TraceFile {
    /// Refuses what [`TraceFile::make`] would refuse, without creating anything.
    ///
    /// # Errors
    /// As for [`TraceFile::make`].
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

    /// Creates the file; an existing file is not changed.
    ///
    /// # Errors
    /// Exit 6 if it exists or cannot be created.
    pub fn make(path: &Path) -> Result<TraceFile> {
        let made = File::create_new(path).and_then(|file| {
            let mut out = BufWriter::new(file);
            out.write_all(HEAD.as_bytes()).map(|()| out)
        });
        let out = made.map_err(|error| refused(path, &error))?;
        let state = Arc::new(Mutex::new(State { out, paused: false, lost: 0, broken: None }));
        Ok(TraceFile { path: path.to_owned(), state })
    }

    /// The sink that the engine writes to.
    #[must_use]
    pub fn sink(&self) -> TraceSink {
        let state = Arc::clone(&self.state);
        Box::new(move |entries, lost| state.lock().unwrap_or_else(PoisonError::into_inner).take(entries, lost))
    }

    /// Pauses or resumes tracing of the operations that are issued from now on.
    pub fn pause(&self, paused: bool) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).paused = paused;
    }

    /// Writes the remaining lines, and warns if operations are missing.
    ///
    /// # Errors
    /// Exit 6 if the file could not be written completely.
    pub fn finish(self, voice: &Voice) -> Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let flushed = state.out.flush();
        match state.broken.take().or(flushed.err()) {
            None if state.lost > 0 => {
                let lost = state.lost;
                voice.warn(format!(
                    "the trace lacks {lost} operations: they were issued faster than they could be written"
                ));
                Ok(())
            }
            None => Ok(()),
            Some(error) => {
                let message = format!("the trace {} is incomplete: {error}", self.path.display());
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
    // An operation that is not placed has no handle.
    match placement_handle {
        Some(handle) => writeln!(out, "{handle}"),
        None => writeln!(out, "-"),
    }
}
