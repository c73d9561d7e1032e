//! What this process does for the session around the target and the steps: records the state of the scratch file,
//! pauses the trace during preparation, synchronizes the runs of a group, samples the host's CPUs, and counts what
//! the bundle wrote to the target's device.

use std::path::PathBuf;

use drivelab_analysis::findings;
use drivelab_core::clock::StopToken;
use drivelab_core::drive_state::{DriveState, HostCounters};
use drivelab_core::finding::Finding;
use drivelab_core::group::{CoreTime, Group};
use drivelab_core::ids::StepKey;
use drivelab_device::Scratch;
use drivelab_device::guard::RunFolder;
use drivelab_session::TargetCare;
use drivelab_store::Bundle;

use crate::run::company::Company;
use crate::run::drive_state::Book;
use crate::run::trace_file::TraceFile;

/// The keeper of the target in one process.
pub(crate) struct Care {
    /// The scratch file. The state of a file that the user named is not recorded, so it is prepared again each time.
    pub scratch: Option<Scratch>,
    /// The run's own folders, if it works on sets of files.
    pub folders: Vec<RunFolder>,
    /// Folder of the bundle, if it lies on the target's device.
    pub bundle_on_target: Option<PathBuf>,
    /// The trace of the measured operations, if one is wanted; preparation is not traced.
    pub trace: Option<TraceFile>,
    /// Known differences from the order, from the start.
    pub opening: Vec<Finding>,
    /// The group that the run is measured in.
    pub group: Option<Group>,
    /// Work around each step: in a group, waiting for the other runs; in a group and under conditions, sampling the
    /// host's CPUs. `None` if the run needs neither.
    pub company: Option<Company>,
    /// The account of the target's state; `None` for a target that stores nothing.
    pub book: Option<Book>,
}

impl TargetCare for Care {
    fn preparation_begins(&mut self) -> Result<(), String> {
        self.trace.iter().for_each(|trace| trace.pause(true));
        self.scratch.as_mut().map_or(Ok(()), |scratch| scratch.mark_unfilled().map_err(|error| error.to_string()))
    }

    fn preparation_done(&mut self) -> Result<(), String> {
        self.trace.iter().for_each(|trace| trace.pause(false));
        self.scratch.as_mut().map_or(Ok(()), |scratch| scratch.mark_filled().map_err(|error| error.to_string()))
    }

    fn group(&mut self) -> Option<Group> {
        self.group.clone()
    }

    fn step_begins(&mut self, position: u32, stop: &StopToken) -> bool {
        self.company.as_mut().is_none_or(|company| company.step_begins(position, stop))
    }

    fn step_ready(&mut self, position: u32, stop: &StopToken) {
        self.company.iter_mut().for_each(|company| company.step_ready(position, stop));
    }

    fn step_over(&mut self) -> Vec<CoreTime> {
        self.company.as_mut().map(Company::step_over).unwrap_or_default()
    }

    fn drive_state(&mut self) -> Option<DriveState> {
        self.book.as_ref().map(Book::state)
    }

    fn counters(&mut self) -> Option<HostCounters> {
        self.book.as_ref().and_then(Book::counters)
    }

    fn keep_drive_state(&mut self, state: &DriveState, running: Option<&StepKey>) {
        if let Some(book) = &mut self.book {
            book.keep(state, running);
        }
    }

    fn opening_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.opening)
    }

    fn closing_findings(&mut self) -> Vec<Finding> {
        let bundle = self.bundle_on_target.as_deref().and_then(|folder| Bundle::open(folder).ok());
        bundle.map(|bundle| findings::bundle_on_target_device(bundle.size())).into_iter().collect()
    }
}
