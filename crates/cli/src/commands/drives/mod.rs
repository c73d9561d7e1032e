//! `drivelab drives`: what is known about drives beyond what they report themselves, checks of drive facts files, and
//! what the user says about drives.

mod kept;
mod sheet;

use std::path::Path;

use drivelab_core::drive_facts::DriveFacts;
use drivelab_core::excerpt::MOST_SHOWN;
use drivelab_core::exit::ExitCode;
use drivelab_core::units::Bytes;
use drivelab_device::drive_facts::{DriveLibrary, FactsError, Known, LONGEST, parse};
use drivelab_lab::plan::drives::{known, library, wrong};
use drivelab_lab::{Failure, Loudness, Result};

use crate::args::DrivesArgs;
use crate::context::Context;
use crate::front::width::terminal_width;
use crate::say;

/// Runs the command.
///
/// # Errors
/// A wrong file, or a name that matches nothing.
pub fn drives(context: &Context, arguments: &DrivesArgs) -> Result {
    if let Some(command) = &arguments.command {
        return kept::keep(context, command);
    }
    if let Some(file) = &arguments.check {
        return check(file, arguments.json, context.settings.voice.color);
    }
    let settings = &context.settings;
    let library = library(settings.drives.as_deref(), &settings.voice)?;
    match &arguments.name {
        None => {
            list(&library, arguments.json)?;
            let listed = if arguments.json { String::new() } else { kept::listed(&context.kept_drives()) };
            if !listed.is_empty() {
                say::data(&listed)?;
            }
            Ok(ExitCode::Ok)
        }
        Some(name) => show(context, &library, name, arguments),
    }
}

fn check(file: &Path, json: bool, color: bool) -> Result {
    let text = drivelab_core::input::read_text(file, LONGEST)
        .map_err(|source| wrong(&FactsError::Unreadable { path: file.to_owned(), source }, color))?;
    let name = file.display().to_string();
    match parse(&name, &text) {
        Ok(facts) if json => say::json(&serde_json::json!({
            "schema": "drivelab.drives.check", "schema_version": 1, "ok": true, "name": facts.name, "errors": [],
        }))?,
        Ok(facts) => {
            let figures =
                facts.figures.rows().len() + facts.capacities.iter().map(|one| one.figures.rows().len()).sum::<usize>();
            say::data(&format!(
                "{} is fine: {} figures, {} capacities, {} models\n",
                facts.name,
                figures,
                facts.capacities.len(),
                facts.models.len()
            ))?;
        }
        Err(error) => {
            if json {
                say::json(&wrong_json(&name, &error))?;
            }
            return Err(wrong(&error, color));
        }
    }
    Ok(ExitCode::Ok)
}

/// The mistakes in a file, for a script or an editor.
fn wrong_json(file: &str, error: &FactsError) -> serde_json::Value {
    let one = |mistake: &drivelab_device::drive_facts::Mistake| {
        let (line, column) = error.line_and_column(mistake);
        serde_json::json!({ "line": line, "column": column, "message": mistake.title, "help": mistake.help })
    };
    let errors: Vec<_> = error.mistakes().iter().take(MOST_SHOWN).map(one).collect();
    serde_json::json!({
        "schema": "drivelab.drives.check", "schema_version": 1, "ok": false, "file": file, "errors": errors,
        "mistakes": error.mistakes().len(),
    })
}

/// A drive as a document: its file, and where the file was found.
fn describe(known: &Known) -> serde_json::Value {
    serde_json::json!({ "origin": known.origin.text(), "facts": known.facts })
}

fn documents(known: &[&Known]) -> serde_json::Value {
    let drives: Vec<_> = known.iter().map(|one| describe(one)).collect();
    serde_json::json!({ "schema": "drivelab.drives", "schema_version": 1, "drives": drives })
}

fn list(library: &DriveLibrary, json: bool) -> Result {
    if json {
        say::json(&documents(&library.all().iter().collect::<Vec<_>>()))?;
        return Ok(ExitCode::Ok);
    }
    let width = library.all().iter().map(|known| known.facts.name.len()).max().unwrap_or(0);
    let titles = library.all().iter().map(|known| known.facts.title.chars().count()).max().unwrap_or(0);
    let lines: Vec<String> = library
        .all()
        .iter()
        .map(|known| {
            let facts = &known.facts;
            let line = format!("{:<width$}  {:<titles$}  {}", facts.name, facts.title, capacities(facts));
            format!("{}\n", line.trim_end())
        })
        .collect();
    say::data(&lines.concat())?;
    Ok(ExitCode::Ok)
}

fn capacities(facts: &DriveFacts) -> String {
    facts.capacities.iter().map(|one| one.capacity.text.as_str()).collect::<Vec<_>>().join(", ")
}

fn show(context: &Context, library: &DriveLibrary, name: &str, arguments: &DrivesArgs) -> Result {
    let known = known(library, name)?;
    // A value this small means that the unit is missing.
    if let Some(daily) = arguments.daily.filter(|daily| *daily < Bytes::MIB) {
        return Err(Failure::usage(format!(
            "--daily {daily} is too small (minimum 1 MiB); give a unit, such as --daily 50GB"
        )));
    }
    if arguments.json {
        say::json(&documents(&[known]))?;
    } else {
        let sourced = context.settings.voice.loudness >= Loudness::Verbose;
        say::data(&sheet::text(known, arguments.daily, (terminal_width(), sourced)))?;
    }
    Ok(ExitCode::Ok)
}
