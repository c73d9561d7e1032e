//! A measurement to make: the methodology, the target, and where the result goes.

use std::path::Path;

use drivelab_conditions::{SetUp, Where};
use drivelab_core::clock::{MonotonicClock, StopToken};
use drivelab_core::drive_facts::DriveFacts;
use drivelab_core::group::Group;
use drivelab_core::ids::RunId;
use drivelab_core::label::Label;
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

/// A measurement to make: the methodology, the target, and where the result goes.
pub struct Order<'a> {
    /// The methodology.
    pub methodology: &'a Methodology,
    /// How much of the methodology runs.
    pub form: Form,
    /// The target that the user named.
    pub target: &'a Path,
    /// Whether the target is a scratch file to be created under that name (`--new-file`).
    pub new_file: bool,
    /// Size of the scratch file, if the user gave one.
    pub size: Option<Bytes>,
    /// The folder that sets of files are copied from (`--source`).
    pub source: Option<&'a Path>,
    /// The value of `--destroy`.
    pub destroy: Option<&'a Path>,
    /// Identity of the target device when the plan was made, if it was planned before: any other device is refused.
    pub planned: Option<&'a DeviceIdentity>,
    /// Whether no questions are asked (`--yes`).
    pub yes: bool,
    /// Engine options.
    pub engine: Options,
    /// Telemetry of the run.
    pub telemetry: &'a Telemetry,
    /// New file that every measured operation is written to, if a trace is wanted.
    pub trace: Option<&'a Path>,
    /// The page to write, and whether it leaves out serial numbers and folder names.
    pub page: Option<(&'a Path, bool)>,
    /// What the user calls the run.
    pub label: &'a Label,
    /// Whether the bundle is stored.
    pub save: bool,
    /// Whether the target's content is sampled and recorded.
    pub sample: bool,
    /// Only show what would be done.
    pub dry_run: bool,
    /// The speed that time and bytes are estimated with; a dry run may assume another one.
    pub guess: SpeedGuess,
    /// How the result is shown.
    pub show: Show,
    /// How messages refer to what the user wrote.
    pub words: Words<'a>,
    /// The drive facts that the user named; otherwise those that match the drive's model string.
    pub facts: Option<&'a DriveFacts>,
    /// The conditions that were set up for the run, if any.
    pub under: Option<Under<'a>>,
    /// What the run shares with the others of its group, if it is one of a group.
    pub part: Option<Part>,
}

/// How messages refer to what the user wrote: the lines of a file, or flags.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    /// Turns errors of the methodology language into a message for the user.
    pub wrong: &'a (dyn Fn(&Diagnostics) -> Failure + Sync),
    /// How the user asks for I/O through the page cache.
    pub buffered: &'a str,
}

/// Conditions that are set up for a run: the run already has its id, and setting up shares its stop token.
pub struct Under<'a> {
    /// The run.
    pub run: RunId,
    /// Stops all parts of the run.
    pub stop: StopToken,
    /// The conditions.
    pub set_up: &'a SetUp,
}

impl Under<'_> {
    pub(crate) fn is_device(&self) -> bool {
        matches!(self.set_up.place(), Where::Device(_))
    }
}

impl<'a> Order<'a> {
    /// The place that the target names.
    ///
    /// # Errors
    /// The target does not exist and is not to be created, or it cannot be measured.
    pub fn place(&self) -> Result<Box<dyn Place>> {
        place_named(self.target, NewFile::by(self.new_file, self.methodology.target().takes_files()))
    }

    /// The same order for one of several runs: without conditions and without a trace.
    #[must_use]
    pub fn like(&self) -> Order<'a> {
        Order { engine: Options::new(self.engine.backend), trace: None, under: None, part: None, ..*self }
    }
}

/// What a run of a group gets from its group.
pub struct Part {
    /// Its id, which the other runs know.
    pub run: RunId,
    /// What it records about the group.
    pub group: Group,
    /// What it does around each step.
    pub company: Company,
    /// Wall-clock time at which the shared clock is 0.
    pub started: String,
    /// The clock that all runs of the group share.
    pub clock: MonotonicClock,
}
