//! What goes to and fro between the session and the reading thread.

use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::Sender;

use drivelab_core::telemetry::{Gap, Phase, Sample};

/// What the reading thread is told.
pub(super) enum Command {
    /// Enter a phase and say when that is done.
    Enter(Phase, Sender<()>),
    /// Read the drive's temperature now and say what it is.
    Temperature(Sender<Option<(String, f64)>>),
    /// Read no more.
    Finish,
}

/// What the reading thread hands over.
pub(super) enum Item {
    Sample(u32, Sample),
    Gap(u32, Gap),
}

/// What both sides see.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) cpu_ns: AtomicU64,
    pub(super) too_hot: Mutex<Option<String>>,
}
