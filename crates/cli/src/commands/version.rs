//! `drivelab version`: which instrument this is.

use drivelab_core::exit::ExitCode;
use drivelab_lab::Result;

use crate::context::tool;
use crate::say;

/// Runs the command.
///
/// # Errors
/// Only if stdout cannot be written.
pub fn version(build: bool, json: bool) -> Result {
    let tool = tool();
    if json {
        say::json(&serde_json::json!({
            "schema": "drivelab.version",
            "schema_version": 1,
            "version": tool.version,
            "commit": tool.commit,
            "profile": tool.profile,
            "target": env!("DRIVELAB_TARGET"),
            "event_version": drivelab_core::event::EVENT_VERSION,
            "analysis_version": drivelab_analysis::ANALYSIS_VERSION,
        }))?;
    } else if build {
        say::data(&format!(
            "drivelab {}\ncommit {}\nprofile {}\nbuilt for {}\nevents version {}\nanalysis version {}\n",
            tool.version,
            tool.commit,
            tool.profile,
            env!("DRIVELAB_TARGET"),
            drivelab_core::event::EVENT_VERSION,
            drivelab_analysis::ANALYSIS_VERSION,
        ))?;
    } else {
        say::data(&format!("drivelab {}\n", tool.version))?;
    }
    Ok(ExitCode::Ok)
}
