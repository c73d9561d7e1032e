//! What every command needs: settings, output, the data folder, and the version of drivelab.

use std::time::SystemTime;

use drivelab_analysis::Analysis;
use drivelab_core::environment::ToolVersion;
use drivelab_core::ids::RunId;
use drivelab_core::run::RunRecords;
use drivelab_core::wall::HostTime;
use drivelab_lab::lab::open_data;
use drivelab_lab::output::caller::behind_sudo;
use drivelab_lab::{Defaults, Failure, Front, Lab, Result};
use drivelab_store::{Catalog, DataDir, Found, KeptDrive, RunRow, read_drives};

use crate::args::OneRun;
use crate::settings::Settings;

/// The message if a command needs a run and there is none.
pub const NO_RUNS: &str = "there are no runs yet; `drivelab review` makes one";

/// The message if a filter matches no run.
pub const NO_MATCH: &str = "no run matches these filters; `drivelab results list` lists all runs";

/// The name of the newest run, wherever a run is named.
pub const LAST: &str = "last";

/// What every command needs.
pub struct Context {
    /// Settings with their sources.
    pub settings: Settings,
    /// When this process began.
    pub began: SystemTime,
    /// The version of drivelab.
    pub tool: ToolVersion,
}

impl Context {
    /// What a measurement needs of this program.
    #[must_use]
    pub fn lab<'a>(&'a self, front: &'a dyn Front) -> Lab<'a> {
        let settings = &self.settings;
        Lab {
            data_folder: &settings.data.value,
            drives: settings.drives.as_deref(),
            defaults: Defaults {
                backend: settings.backend.value.into(),
                telemetry: settings.telemetry.value,
                endurance_ask_percent: settings.endurance_ask_percent.value,
            },
            tool: &self.tool,
            voice: &settings.voice,
            wall: &HostTime,
            front,
        }
    }

    /// Names and prices of drives that the user set; none, with a warning, if they cannot be read.
    #[must_use]
    pub fn kept_drives(&self) -> Vec<KeptDrive> {
        read_drives(&self.settings.data.value).unwrap_or_else(|why| {
            self.settings.voice.warn(format!("names and prices of drives are left out: {why}"));
            Vec::new()
        })
    }

    /// The data folder, which is created if it is missing.
    ///
    /// # Errors
    /// It cannot be created or used.
    pub fn data(&self) -> Result<DataDir> {
        open_data(&self.settings.data.value)
    }

    /// Gives the written files to the user behind sudo.
    pub fn give_to_caller(&self) {
        if let Some(caller) = behind_sudo() {
            caller.give(&self.settings.data.value, self.began);
        }
    }

    /// The catalog.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn catalog(&self) -> Result<Catalog> {
        Ok(Catalog::open(&self.data()?)?)
    }

    /// The run that the user named.
    ///
    /// # Errors
    /// No run or several runs match.
    pub fn find(&self, run: &OneRun) -> Result<RunRow> {
        match &run.run {
            Some(name) => self.find_named(name),
            None => self.newest_run(),
        }
    }

    /// The newest run of all.
    ///
    /// # Errors
    /// There is no run.
    pub fn newest_run(&self) -> Result<RunRow> {
        self.newest(|_| true, NO_RUNS)
    }

    /// The records of a run, and their analysis.
    ///
    /// # Errors
    /// A damaged bundle.
    pub fn load(&self, run: RunId) -> Result<(RunRecords, Analysis)> {
        drivelab_lab::lab::load(&self.data()?, run)
    }

    /// The newest run that matches.
    ///
    /// # Errors
    /// `none` if no run matches.
    pub fn newest(&self, fits: impl Fn(&RunRow) -> bool, none: &str) -> Result<RunRow> {
        self.catalog()?.list()?.into_iter().find(|row| fits(row)).ok_or_else(|| Failure::nothing(none))
    }

    /// The run of this name: [`LAST`], or the one whose id begins or ends with it.
    ///
    /// # Errors
    /// No run or several runs match.
    pub fn find_named(&self, name: &str) -> Result<RunRow> {
        self.find_among(&self.catalog()?.list()?, name)
    }

    /// The run whose id begins or ends with this text.
    ///
    /// # Errors
    /// No run or several runs match.
    pub fn find_by_id(&self, name: &str) -> Result<RunRow> {
        self.pick(&self.catalog()?.list()?, name)
    }

    /// The run of this name, as [`Context::find_named`] finds it, among all runs, newest first.
    ///
    /// # Errors
    /// No run or several runs match.
    pub fn find_among(&self, rows: &[RunRow], name: &str) -> Result<RunRow> {
        let newest = || rows.first().cloned().ok_or_else(|| Failure::nothing(NO_RUNS));
        if name == LAST { newest() } else { self.pick(rows, name) }
    }

    fn pick(&self, rows: &[RunRow], name: &str) -> Result<RunRow> {
        match Found::among(rows, name) {
            Found::One(row) => Ok(*row),
            Found::None => Err(Failure::nothing(format!(
                "there is no run '{name}'; `drivelab results list` lists the runs (data folder: {})",
                self.settings.data.value.display()
            ))),
            Found::Several(ids) => Err(Failure::nothing(several_runs(name, &ids))),
        }
    }
}

/// The message for a name that matches several runs.
pub fn several_runs(name: &str, runs: &[RunId]) -> String {
    let ids: Vec<String> = runs.iter().map(RunId::to_string).collect();
    format!("'{name}' matches {} runs: {}; use more of its characters", ids.len(), ids.join(", "))
}

/// The version of drivelab.
#[must_use]
pub fn tool() -> ToolVersion {
    ToolVersion {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: env!("DRIVELAB_COMMIT").to_owned(),
        profile: env!("DRIVELAB_PROFILE").to_owned(),
    }
}
