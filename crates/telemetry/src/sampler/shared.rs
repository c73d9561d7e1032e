//! Messages between the session and the reading thread.

use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::Sender;

use drivelab_core::telemetry::{Gap, Phase, Sample};

/// Commands to the reading thread.
pub(super) enum Command {
    /// Enter a phase, and confirm it.
    Enter(Phase, Sender<()>),
    /// Read the drive's temperature now, and report it.
    Temperature(Sender<Option<(String, f64)>>),
    /// Read no more.
    Finish,
}

/// Data from the reading thread.
pub(super) enum Item {
    Sample(u32, Sample),
    Gap(u32, Gap),
}

/// State that both sides access.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) cpu_ns: AtomicU64,
    pub(super) too_hot: Mutex<Option<String>>,
}
