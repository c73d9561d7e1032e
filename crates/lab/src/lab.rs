//! What a measurement needs of the program that asks for it: folders, settings, a voice, and who shows and asks.

use std::path::Path;

use drivelab_analysis::{Analysis, analyse};
use drivelab_core::ceilings::HostCeilings;
use drivelab_core::environment::{BlockDeviceFacts, TestbedFacts, ToolVersion};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::run::RunRecords;
use drivelab_core::wall::{HostTime, WallClock};
use drivelab_core::watching_cost::WatchingCost;
use drivelab_device::{BlockNode, Roots, identity_of};
use drivelab_engine::BackendChoice;
use drivelab_store::{Bundle, DataDir, read_ceilings, read_watching_costs};

use crate::failure::{Failure, Result};
use crate::front::Front;
use crate::order::telemetry::TelemetryChoice;
use crate::voice::Voice;

/// What holds where an order says nothing.
#[derive(Debug, Clone, Copy)]
pub struct Defaults {
    /// Engine.
    pub backend: BackendChoice,
    /// What is sampled beside the I/O.
    pub telemetry: TelemetryChoice,
    /// Part of a drive's rated endurance, per cent, that a run may write without asking.
    pub endurance_ask_percent: f64,
}

/// What a measurement needs of the program that asks for it.
#[derive(Clone, Copy)]
pub struct Lab<'a> {
    /// Folder for results; empty where there is no place for them.
    pub data_folder: &'a Path,
    /// The user's own drive facts.
    pub drives: Option<&'a Path>,
    /// What holds where an order says nothing.
    pub defaults: Defaults,
    /// Which program it is.
    pub tool: &'a ToolVersion,
    /// Where messages go.
    pub voice: &'a Voice,
    /// Where ids of runs and times of the day come from.
    pub wall: &'a dyn WallClock,
    /// Who shows and asks.
    pub front: &'a dyn Front,
}

impl Lab<'_> {
    /// The time of day to the second, RFC 3339 in UTC.
    #[must_use]
    pub fn now(&self) -> String {
        to_the_second(self.wall)
    }

    /// The data folder, made where it is missing.
    ///
    /// # Errors
    /// Where it cannot be made or used.
    pub fn data(&self) -> Result<DataDir> {
        open_data(self.data_folder)
    }

    /// What is recorded of a run, and what it means.
    ///
    /// # Errors
    /// A damaged bundle.
    pub fn load(&self, run: RunId) -> Result<(RunRecords, Analysis)> {
        load(&self.data()?, run)
    }

    /// What a host like this one was last found able to generate, where that was measured and kept.
    #[must_use]
    pub fn ceilings_of(&self, testbed: &TestbedFacts) -> Option<HostCeilings> {
        ceilings_of(self.data_folder, testbed)
    }

    /// What watching was last found to do to reads of the device that a target lies on, or of the next one below it
    /// that was measured.
    #[must_use]
    pub fn watching_cost_of(&self, devices: &[BlockDeviceFacts]) -> Option<WatchingCost> {
        let kept = read_watching_costs(self.data_folder);
        let known = |facts: &BlockDeviceFacts| Some(identity_of(&BlockNode::by_name(&Roots::default(), &facts.name)?));
        let of = |facts: &BlockDeviceFacts| {
            let device = known(facts)?;
            kept.iter().rfind(|cost| cost.is_of(&device)).cloned()
        };
        if kept.is_empty() { None } else { devices.iter().find_map(of) }
    }
}

/// The folder for results, made where it is missing.
///
/// # Errors
/// Where it cannot be made or used, or where there is no place for it.
pub fn open_data(folder: &Path) -> Result<DataDir> {
    if folder.as_os_str().is_empty() {
        return Err(Failure::new(
            ExitCode::TargetUnusable,
            "there is no home folder for results (HOME is not set, or no absolute path); set HOME, or name a folder with \
             --data DIR (`drivelab io` needs none \
             with --no-save)",
        ));
    }
    Ok(DataDir::open(folder)?)
}

/// What a host like this one was last found able to generate, where that was measured and kept in this folder.
#[must_use]
pub fn ceilings_of(folder: &Path, testbed: &TestbedFacts) -> Option<HostCeilings> {
    read_ceilings(folder).filter(|ceilings| ceilings.are_of(testbed))
}

/// What is recorded of a run, and what it means.
///
/// # Errors
/// A damaged bundle.
pub fn load(data: &DataDir, run: RunId) -> Result<(RunRecords, Analysis)> {
    let records = Bundle::open(&data.bundle_path(run))?.records()?;
    let analysis = analyse(&records);
    Ok((records, analysis))
}

/// The host's time of day to the second, RFC 3339 in UTC.
#[must_use]
pub fn now() -> String {
    to_the_second(&HostTime)
}

fn to_the_second(wall: &dyn WallClock) -> String {
    let seconds = i64::try_from(wall.now_ms() / 1000).unwrap_or_default();
    jiff::Timestamp::from_second(seconds).unwrap_or_default().to_string()
}
