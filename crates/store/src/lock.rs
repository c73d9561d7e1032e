//! One writer for each bundle, and a sign for other processes that it is live: an exclusive flock(2) on the file
//! `lock`. Also locks for shared files, which one process at a time may change.
//!
//! The kernel drops the lock when the process ends for any reason, so a killed run never looks live. A check takes a
//! shared lock for a moment; the writer therefore retries for a while before it reports the run as in use.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::time::Duration;

use drivelab_core::ids::RunId;
use drivelab_core::input;
use rustix::fs::{FlockOperation, flock};
use rustix::io::{Errno, retry_on_intr};

use crate::error::StoreError;
use crate::layout::LOCK;

/// Number of tries of a writer before it gives up; the pause between them follows.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// The right to write to a bundle or to change a shared file, until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        let_go(&self.0);
    }
}

/// Unlocks explicitly: a child process between fork and exec has a copy of the open file, so that closing only this
/// one would keep the lock for that moment (flock(2)).
fn let_go(file: &File) {
    let _ = flock(file, FlockOperation::Unlock);
}

impl Lock {
    /// Takes the lock of the bundle at `path` and creates its file.
    pub(crate) fn take(path: &Path, run: RunId) -> Result<Lock, StoreError> {
        let name = path.join(LOCK);
        let file = open(&name)?;
        for attempt in 1..=TRIES {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Lock(file)),
                Err(Errno::WOULDBLOCK) if attempt < TRIES => std::thread::sleep(PAUSE),
                Err(Errno::WOULDBLOCK) => break,
                Err(error) => return Err(StoreError::io("lock", &name, error.into())),
            }
        }
        Err(StoreError::Live { run })
    }

    /// Takes the lock file `name`, creating it, and waits for its holder: it is held only during a change.
    pub(crate) fn wait_for(name: &Path) -> Result<Lock, StoreError> {
        let file = open(name)?;
        let locked = retry_on_intr(|| flock(&file, FlockOperation::LockExclusive));
        locked.map_err(|error| StoreError::io("lock", name, error.into()))?;
        Ok(Lock(file))
    }
}

fn open(name: &Path) -> Result<File, StoreError> {
    let file = input::open_with(OpenOptions::new().create(true).truncate(false).write(true), name);
    file.map_err(|error| StoreError::io("open", name, error))
}

/// Whether a process holds the lock of the bundle at `path`. If that cannot be determined, no process does.
pub(crate) fn is_held(path: &Path) -> bool {
    let Ok(file) = input::open(&path.join(LOCK)) else { return false };
    let answer = flock(&file, FlockOperation::NonBlockingLockShared);
    let_go(&file);
    answer == Err(Errno::WOULDBLOCK)
}
