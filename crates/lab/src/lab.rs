//! What a measurement needs from the program that asks for it: folders, settings, a place for messages, and a front
//! end.

use std::path::Path;

use drivelab_analysis::{Analysis, analyse, suitability};
use drivelab_core::ceilings::HostCeilings;
use drivelab_core::environment::{BlockDeviceFacts, TestbedFacts, ToolVersion};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::plan::MethodIdentity;
use drivelab_core::run::RunRecords;
use drivelab_core::wall::{HostTime, WallClock};
use drivelab_core::watching_cost::WatchingCost;
use drivelab_device::{BlockNode, Roots, identity_of};
use drivelab_engine::BackendChoice;
use drivelab_method::Methodology;
use drivelab_store::{
    Bundle, DataDir, KeptDrive, label_of, read_ceilings, read_drives, read_testbed, read_verdict_rules,
    read_watching_costs,
};

use crate::failure::{Failure, Result};
use crate::front::Front;
use crate::order::telemetry::TelemetryChoice;
use crate::voice::Voice;

/// Defaults for whatever an order leaves open.
#[derive(Debug, Clone, Copy)]
pub struct Defaults {
    /// I/O backend.
    pub backend: BackendChoice,
    /// Telemetry: what is sampled during the I/O.
    pub telemetry: TelemetryChoice,
    /// Share of a drive's rated endurance, per cent, that a run may write without asking.
    pub endurance_ask_percent: f64,
}

/// What a measurement needs from the program that asks for it.
#[derive(Clone, Copy)]
pub struct Lab<'a> {
    /// Folder for results; empty if there is none.
    pub data_folder: &'a Path,
    /// Folder of the user's own drive facts.
    pub drives: Option<&'a Path>,
    /// Defaults for whatever an order leaves open.
    pub defaults: Defaults,
    /// Name and version of the program.
    pub tool: &'a ToolVersion,
    /// Where messages go.
    pub voice: &'a Voice,
    /// Source of run ids and of the time of day.
    pub wall: &'a dyn WallClock,
    /// The front end: shows results and asks questions.
    pub front: &'a dyn Front,
}

impl Lab<'_> {
    /// Names and prices that the user gave to drives; none, with a warning, if their file cannot be read.
    #[must_use]
    pub fn kept_drives(&self) -> Vec<KeptDrive> {
        read_drives(self.data_folder).unwrap_or_else(|why| {
            self.voice.warn(format!("names and prices of drives are left out: {why}"));
            Vec::new()
        })
    }

    /// The time of day to the second, RFC 3339 in UTC.
    #[must_use]
    pub fn now(&self) -> String {
        to_the_second(self.wall)
    }

    /// The data folder, created if it does not exist.
    ///
    /// # Errors
    /// It cannot be created or used.
    pub fn data(&self) -> Result<DataDir> {
        open_data(self.data_folder)
    }

    /// The records of a run and their analysis.
    ///
    /// # Errors
    /// A damaged bundle.
    pub fn load(&self, run: RunId) -> Result<(RunRecords, Analysis)> {
        load(&self.data()?, run)
    }

    /// The I/O ceilings last measured on a host like this one, if a measurement is stored.
    #[must_use]
    pub fn ceilings_of(&self, testbed: &TestbedFacts) -> Option<HostCeilings> {
        ceilings_of(self.data_folder, testbed)
    }

    /// Adds what the user calls this testbed and states about it. Says what has changed since it was named, and if its
    /// name cannot be read.
    pub fn name_testbed(&self, now: &mut TestbedFacts) {
        let cannot = |why| self.voice.warn(format!("the run does not record the name of this testbed: {why}"));
        let Ok(Some(named)) = read_testbed(self.data_folder).map_err(cannot) else { return };
        let changes = named.changes(now);
        if !changes.is_empty() {
            self.voice.warn(format!(
                "the testbed {} has changed since it was named ({}); if its figures should not be mixed with earlier ones, \
                 give it another name: `drivelab testbed set --tag NAME`",
                named.tag,
                changes.join("; ")
            ));
        }
        now.tag = Some(named.tag);
        now.note = Some(named.note).filter(|note| !note.is_empty());
    }

    /// How much telemetry last slowed reads of the device that a target lies on, or of the next measured device below
    /// it.
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

/// The folder for results, created if it does not exist.
///
/// # Errors
/// It cannot be created or used, or no folder is known.
pub fn open_data(folder: &Path) -> Result<DataDir> {
    if folder.as_os_str().is_empty() {
        return Err(Failure::new(
            ExitCode::TargetUnusable,
            "no folder for results: HOME is not set, or is not an absolute path; set HOME, or name a folder with --data \
             DIR (`drivelab io` needs none with --no-save)",
        ));
    }
    Ok(DataDir::open(folder)?)
}

/// The I/O ceilings last measured on a host like this one, if this folder holds such a measurement.
#[must_use]
pub fn ceilings_of(folder: &Path, testbed: &TestbedFacts) -> Option<HostCeilings> {
    read_ceilings(folder).filter(|ceilings| ceilings.are_of(testbed))
}

/// The records of a run and their analysis.
///
/// # Errors
/// A damaged bundle.
pub fn load(data: &DataDir, run: RunId) -> Result<(RunRecords, Analysis)> {
    let bundle = Bundle::open(&data.bundle_path(run))?;
    let mut records = bundle.records()?;
    let method = &mut records.plan.methodology;
    if method.compared_hash.is_none() {
        // A damaged copy of the methodology is no reason to lose the figures.
        let text = bundle.methodology_toml().ok();
        method.compared_hash = text.and_then(|text| compared_hash(method, &text, &records.plan.profile));
    }
    records.label = label_of(&bundle);
    let analysis = analysed(data.root(), &records);
    Ok((records, analysis))
}

/// The analysis of a run, with the verdict by the rules of this data folder.
#[must_use]
pub fn analysed(data_folder: &Path, records: &RunRecords) -> Analysis {
    let mut analysis = analyse(records);
    let rules = read_verdict_rules(data_folder);
    let suitability = suitability::of_run(records, &analysis, rules.as_ref().map_err(String::as_str));
    analysis.suitability = Some(suitability);
    analysis
}

/// The hash by which the methodology of an older recording is compared. `None` if this version reads something else in
/// the stored text than the version that recorded it.
fn compared_hash(recorded: &MethodIdentity, text: &str, profile: &str) -> Option<String> {
    let read = Methodology::of_record(text, profile)?;
    (read.identity().hash == recorded.hash).then(|| read.identity().compared_by().to_owned())
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
