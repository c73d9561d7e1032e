//! What is to be measured, on what, and what becomes of the result.

use std::path::Path;

use drivelab_conditions::{SetUp, Where};
use drivelab_core::clock::{MonotonicClock, StopToken};
use drivelab_core::drive_facts::DriveFacts;
use drivelab_core::group::Group;
use drivelab_core::ids::RunId;
use drivelab_core::plan::Form;
use drivelab_core::target::DeviceIdentity;
use drivelab_core::units::Bytes;
use drivelab_engine::Options;
use drivelab_method::{Diagnostics, Methodology, SpeedGuess};

use super::show::Show;
use super::telemetry::Telemetry;
use crate::failure::{Failure, Result};
use crate::run::company::Company;
use crate::target::missing::NewFile;
use crate::target::naming::place_named;
use crate::target::place::Place;

/// What is to be measured, on what, and what becomes of the result.
pub struct Order<'a> {
    /// The methodology.
    pub methodology: &'a Methodology,
    /// In which form.
    pub form: Form,
    /// What the user named.
    pub target: &'a Path,
    /// Whether it is a scratch file to be made under that name (`--new-file`).
    pub new_file: bool,
    /// Size of the scratch file, where the user said one.
    pub size: Option<Bytes>,
    /// The folder that sets of files are copied from (`--source`).
    pub source: Option<&'a Path>,
    /// What `--destroy` named.
    pub destroy: Option<&'a Path>,
    /// The device that the target was when it was planned for, where that was before: another one is refused.
    pub planned: Option<&'a DeviceIdentity>,
    /// Whether nobody is to be asked (`--yes`).
    pub yes: bool,
    /// Engine.
    pub engine: Options,
    /// What is watched beside the I/O.
    pub telemetry: &'a Telemetry,
    /// New file in which every measured operation is written down, where that is wanted.
    pub trace: Option<&'a Path>,
    /// Page to write, and whether without names.
    pub page: Option<(&'a Path, bool)>,
    /// Whether a bundle is kept.
    pub save: bool,
    /// Whether samples of what the target holds are taken and recorded.
    pub sample: bool,
    /// Only say what would be done.
    pub dry_run: bool,
    /// What time and bytes are reckoned with: of a dry run another rate may be assumed.
    pub guess: SpeedGuess,
    /// How the result is shown.
    pub show: Show,
    /// How messages call what was written.
    pub words: Words<'a>,
    /// The drive facts that the user named; without, those that its model string fits.
    pub facts: Option<&'a DriveFacts>,
    /// What was set up for it, where anything was.
    pub under: Option<Under<'a>>,
    /// Where the run is one of a group: what it shares with the others.
    pub part: Option<Part>,
}

/// How messages call what the user wrote: the lines of a file, or flags.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    /// Errors of the methodology language, as the user sees them.
    pub wrong: &'a (dyn Fn(&Diagnostics) -> Failure + Sync),
    /// How I/O through the page cache is asked for.
    pub buffered: &'a str,
}

/// What was set up for a run: it has its id by then, and its stop is that of the set-up.
pub struct Under<'a> {
    /// The run.
    pub run: RunId,
    /// Tells everybody to stop.
    pub stop: StopToken,
    /// What was set up.
    pub set_up: &'a SetUp,
}

impl Under<'_> {
    pub(crate) fn is_device(&self) -> bool {
        matches!(self.set_up.place(), Where::Device(_))
    }
}

impl<'a> Order<'a> {
    /// What the target is.
    ///
    /// # Errors
    /// One that is not there, unless it is to be made, and one that is nothing that can be measured.
    pub fn place(&self) -> Result<Box<dyn Place>> {
        place_named(self.target, NewFile::by(self.new_file, self.methodology.target().takes_files()))
    }

    /// The same order with another engine, for a run that is one of several: under nothing, and without a trace.
    #[must_use]
    pub fn like(&self) -> Order<'a> {
        Order { engine: Options::new(self.engine.backend), trace: None, under: None, part: None, ..*self }
    }
}

/// What a run of a group gets from the group.
pub struct Part {
    /// Its id, which the others know.
    pub run: RunId,
    /// What it records of the group.
    pub group: Group,
    /// What it does around each step.
    pub company: Company,
    /// Wall-clock time at which the clock stands at 0.
    pub started: String,
    /// The clock that runs together share.
    pub clock: MonotonicClock,
}
