//! One writer per bundle, and a sign of life for others: an exclusive flock(2) on the file `lock`. And one process at a
//! time that changes a file which several share.
//!
//! The kernel drops the lock when the process ends, however it ends, so a killed run never looks alive. A look
//! takes a shared lock for a moment; the writer therefore tries for a while before it believes that it is locked out.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::time::Duration;

use drivelab_core::ids::RunId;
use drivelab_core::input;
use rustix::fs::{FlockOperation, flock};
use rustix::io::{Errno, retry_on_intr};

use crate::error::StoreError;
use crate::layout::LOCK;

/// How often, and with which pause, a writer tries before it gives up.
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

/// Unlocks by name: a child process between fork and exec has a copy of the open file, and closing ours alone would
/// leave the lock with it for that moment (flock(2)).
fn let_go(file: &File) {
    let _ = flock(file, FlockOperation::Unlock);
}

impl Lock {
    /// Takes the lock of the bundle at `path`, making its file.
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

    /// Takes the lock file `name`, making it, and waits for whoever has it: it is held for the moment of a change only.
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

/// Whether a process holds the lock of the bundle at `path`. Where that cannot be found out, nobody does.
pub(crate) fn is_held(path: &Path) -> bool {
    let Ok(file) = input::open(&path.join(LOCK)) else { return false };
    let answer = flock(&file, FlockOperation::NonBlockingLockShared);
    let_go(&file);
    answer == Err(Errno::WOULDBLOCK)
}
