//! `drivelab config`: every setting, its value and what set it.

use clap::ValueEnum;
use drivelab_core::exit::ExitCode;
use drivelab_lab::Result;

use crate::say;
use crate::settings::Settings;

/// Runs the command.
///
/// # Errors
/// Only if stdout cannot be written.
pub fn config(settings: &Settings, explain: bool, json: bool) -> Result {
    let name = |value: &dyn Fn() -> Option<clap::builder::PossibleValue>| {
        value().map_or_else(String::new, |value| value.get_name().to_owned())
    };
    let rows = [
        ("data", settings.data.value.display().to_string(), &settings.data.source),
        ("color", name(&|| settings.color.value.to_possible_value()), &settings.color.source),
        ("plain", settings.plain.value.to_string(), &settings.plain.source),
        ("backend", name(&|| settings.backend.value.to_possible_value()), &settings.backend.source),
        ("telemetry", settings.telemetry.value.to_string(), &settings.telemetry.source),
        (
            "endurance_ask_percent",
            settings.endurance_ask_percent.value.to_string(),
            &settings.endurance_ask_percent.source,
        ),
        ("stop_ask_after", settings.stop_ask_after.value.to_string(), &settings.stop_ask_after.source),
    ];
    if json {
        let settings: Vec<_> = rows
            .iter()
            .map(|(key, value, source)| serde_json::json!({ "setting": key, "value": value, "source": source }))
            .collect();
        say::json(&serde_json::json!({ "schema": "drivelab.config", "schema_version": 1, "settings": settings }))?;
        return Ok(ExitCode::Ok);
    }
    let lines: Vec<String> =
        rows.iter()
            .map(|(key, value, source)| {
                if explain { format!("{key:<21} {value}   (from {source})\n") } else { format!("{key:<21} {value}\n") }
            })
            .collect();
    say::data(&lines.concat())?;
    Ok(ExitCode::Ok)
}
