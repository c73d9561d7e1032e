//! Points at which the tests kill the process: `fsio` passes a point before each change of the disk.
//!
//! With `DRIVELAB_STORE_DIE_AT=n` in the environment the process sends itself SIGKILL at the n-th point; if that
//! point is a write, half of its bytes are written first. Without it nothing happens.

use std::cell::Cell;
use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::process::{Signal, getpid, kill_process};

/// Names the point to die at.
pub(crate) const DIE_AT: &str = "DRIVELAB_STORE_DIE_AT";

static PASSED: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static SYNCS: Cell<u32> = const { Cell::new(0) };
}

/// Called with each fsync.
pub(crate) fn count_sync() {
    SYNCS.set(SYNCS.get() + 1);
}

/// Number of fsyncs of this thread since the last call.
pub(crate) fn syncs() -> u32 {
    SYNCS.replace(0)
}

fn is_last() -> bool {
    static DIE: OnceLock<Option<u32>> = OnceLock::new();
    let die = DIE.get_or_init(|| std::env::var(DIE_AT).ok().and_then(|number| number.parse().ok()));
    die.is_some_and(|die| PASSED.fetch_add(1, Ordering::SeqCst) + 1 == die)
}

fn die() -> ! {
    let _ = kill_process(getpid(), Signal::KILL);
    unreachable!("SIGKILL cannot be survived");
}

/// A point between two changes.
pub(crate) fn point() {
    if is_last() {
        die();
    }
}

/// A point in the middle of a write.
pub(crate) fn torn<'a>(file: &mut File, bytes: &'a [u8]) -> &'a [u8] {
    if is_last() {
        let _ = file.write_all(&bytes[..bytes.len() / 2]);
        die();
    }
    bytes
}
