//! Keeps the scratch file's state on record for the session, and says what the bundle cost the target's device.

use std::path::PathBuf;

use drivelab_analysis::findings;
use drivelab_core::clock::StopToken;
use drivelab_core::finding::Finding;
use drivelab_core::group::{CoreTime, Group};
use drivelab_device::Scratch;
use drivelab_session::TargetCare;
use drivelab_store::Bundle;

use super::company::Company;
use super::trace::TraceFile;

/// The target's keeper for one process.
pub struct Care {
    /// The scratch file; a file that the user named has no record of its state and is prepared anew each time.
    pub scratch: Option<Scratch>,
    /// Folder of the bundle, where it lies on the target's device.
    pub bundle_on_target: Option<PathBuf>,
    /// The trace of what is measured, where one is wanted: preparation is left out of it.
    pub trace: Option<TraceFile>,
    /// What is known from the start to differ from what was asked for.
    pub opening: Vec<Finding>,
    /// The group that it is measured in, and the company there.
    pub group: Option<(Group, Company)>,
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
        self.group.as_ref().map(|(group, _)| group.clone())
    }

    fn step_begins(&mut self, position: u32, stop: &StopToken) -> bool {
        self.group.as_mut().is_none_or(|(_, company)| company.step_begins(position, stop))
    }

    fn step_over(&mut self) -> Vec<CoreTime> {
        self.group.as_mut().map(|(_, company)| company.step_over()).unwrap_or_default()
    }

    fn opening_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.opening)
    }

    fn closing_findings(&mut self) -> Vec<Finding> {
        let bundle = self.bundle_on_target.as_deref().and_then(|folder| Bundle::open(folder).ok());
        bundle.map(|bundle| findings::bundle_on_target_device(bundle.size())).into_iter().collect()
    }
}
