//! What the session asks of this process around the target and the steps: the scratch file's state on record, the trace
//! paused in preparation, the group and its meetings, the look at the host's CPUs, and what the bundle cost the
//! target's device.

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

/// The target's keeper for one process.
pub(crate) struct Care {
    /// The scratch file; a file that the user named has no record of its state and is prepared anew each time.
    pub scratch: Option<Scratch>,
    /// The run's own folders, where it works on sets of files.
    pub folders: Vec<RunFolder>,
    /// Folder of the bundle, where it lies on the target's device.
    pub bundle_on_target: Option<PathBuf>,
    /// The trace of what is measured, where one is wanted: preparation is left out of it.
    pub trace: Option<TraceFile>,
    /// What is known from the start to differ from what was asked for.
    pub opening: Vec<Finding>,
    /// The group that it is measured in.
    pub group: Option<Group>,
    /// What it does around each step: in a group it meets the others; there and under conditions the host's CPUs are
    /// looked at. A run that needs neither has none.
    pub company: Option<Company>,
    /// The account of the target's state; none of a target that stores nothing.
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
