//! What every command needs: settings, voice, the data folder, and which drivelab this is.

use std::time::SystemTime;

use drivelab_analysis::{Analysis, analyse};
use drivelab_core::ceilings::HostCeilings;
use drivelab_core::environment::{BlockDeviceFacts, TestbedFacts, ToolVersion};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::run::RunRecords;
use drivelab_core::watching_cost::WatchingCost;
use drivelab_device::{BlockNode, Roots, identity_of};
use drivelab_store::{Bundle, Catalog, DataDir, Found, RunRow, read_ceilings, read_watching_costs};

use crate::args::OneRun;
use crate::fail::{Failure, Result};
use crate::settings::Settings;

/// Said where a command needs a run and there is none.
pub const NO_RUNS: &str = "there are no runs yet; `drivelab review` makes one";

/// Names the newest run wherever a run is named.
pub const LAST: &str = "last";

/// What every command needs.
pub struct Context {
    /// Settings with their sources.
    pub settings: Settings,
    /// When this process began.
    pub began: SystemTime,
}

impl Context {
    /// The data folder, made where it is missing.
    ///
    /// # Errors
    /// Where it cannot be made or used.
    pub fn data(&self) -> Result<DataDir> {
        let data = &self.settings.data.value;
        if data.as_os_str().is_empty() {
            return Err(Failure::new(
                ExitCode::TargetUnusable,
                "there is no home folder for results (HOME is not set, or no absolute path); set HOME, or name a folder with \
                 --data DIR (`drivelab io` needs none \
                 with --no-save)",
            ));
        }
        Ok(DataDir::open(data)?)
    }

    /// Gives what was written to the user behind sudo.
    pub fn give_to_caller(&self) {
        if let Some(caller) = crate::caller::behind_sudo() {
            caller.give(&self.settings.data.value, self.began);
        }
    }

    /// What a host like this one was last found able to generate, where that was measured and kept.
    #[must_use]
    pub fn ceilings_of(&self, testbed: &TestbedFacts) -> Option<HostCeilings> {
        read_ceilings(&self.settings.data.value).filter(|ceilings| ceilings.are_of(testbed))
    }

    /// What watching was last found to do to reads of the device that a target lies on, or of the next one below it
    /// that was measured.
    #[must_use]
    pub fn watching_cost_of(&self, devices: &[BlockDeviceFacts]) -> Option<WatchingCost> {
        let kept = read_watching_costs(&self.settings.data.value);
        let known = |facts: &BlockDeviceFacts| Some(identity_of(&BlockNode::by_name(&Roots::default(), &facts.name)?));
        let of = |facts: &BlockDeviceFacts| {
            let device = known(facts)?;
            kept.iter().rfind(|cost| cost.is_of(&device)).cloned()
        };
        if kept.is_empty() { None } else { devices.iter().find_map(of) }
    }

    /// The catalog.
    ///
    /// # Errors
    /// Where it cannot be opened.
    pub fn catalog(&self) -> Result<Catalog> {
        Ok(Catalog::open(&self.data()?)?)
    }

    /// The run that the user named.
    ///
    /// # Errors
    /// None or several fit.
    pub fn find(&self, run: &OneRun) -> Result<RunRow> {
        match &run.run {
            Some(name) => self.find_named(name),
            None => self.newest_run(),
        }
    }

    /// The newest run of all.
    ///
    /// # Errors
    /// Where there is none.
    pub fn newest_run(&self) -> Result<RunRow> {
        self.newest(|_| true, NO_RUNS)
    }

    /// What is recorded of a run, and what it means.
    ///
    /// # Errors
    /// A damaged bundle.
    pub fn load(&self, run: RunId) -> Result<(RunRecords, Analysis)> {
        let records = Bundle::open(&self.data()?.bundle_path(run))?.records()?;
        let analysis = analyse(&records);
        Ok((records, analysis))
    }

    /// The newest run that fits.
    ///
    /// # Errors
    /// `none` where there is none.
    pub fn newest(&self, fits: impl Fn(&RunRow) -> bool, none: &str) -> Result<RunRow> {
        self.catalog()?.list()?.into_iter().find(|row| fits(row)).ok_or_else(|| Failure::nothing(none))
    }

    /// The run of this name: [`LAST`], or as [`Context::find_by_id`].
    ///
    /// # Errors
    /// None or several fit.
    pub fn find_named(&self, name: &str) -> Result<RunRow> {
        if name == LAST { self.newest_run() } else { self.find_by_id(name) }
    }

    /// The run whose id begins or ends so.
    ///
    /// # Errors
    /// None or several fit.
    pub fn find_by_id(&self, name: &str) -> Result<RunRow> {
        match self.catalog()?.find(name)? {
            Found::One(row) => Ok(*row),
            Found::None => Err(Failure::nothing(format!(
                "there is no run '{name}'; `drivelab results list` names them (data folder: {})",
                self.settings.data.value.display()
            ))),
            Found::Several(ids) => Err(Failure::nothing(several_runs(name, &ids))),
        }
    }
}

/// Which drivelab this is.
#[must_use]
pub fn tool() -> ToolVersion {
    ToolVersion {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: env!("DRIVELAB_COMMIT").to_owned(),
        profile: env!("DRIVELAB_PROFILE").to_owned(),
    }
}

/// The time to the second, RFC 3339 in UTC.
#[must_use]
pub fn now() -> String {
    let now = jiff::Timestamp::now();
    now.round(jiff::Unit::Second).unwrap_or(now).to_string()
}

/// What a name that fits several runs is answered with.
pub fn several_runs(name: &str, runs: &[RunId]) -> String {
    let ids: Vec<String> = runs.iter().map(RunId::to_string).collect();
    format!("'{name}' fits {} runs: {}; write more of it", ids.len(), ids.join(", "))
}
