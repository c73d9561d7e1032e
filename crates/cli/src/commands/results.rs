//! `drivelab results`: list, show, path, remove and reindex.

use std::fmt::Write as _;
use std::io::IsTerminal;

use drivelab_core::exit::ExitCode;
use drivelab_core::plan::OWN_LOAD;
use drivelab_lab::{Failure, Result};
use drivelab_report::{ReportInput, format};
use drivelab_store::{Bundle, Filter, RunRow, write_tags};

use crate::args::{FilterArgs, OneRun, ResultsCommand};
use crate::context::{Context, LAST, NO_MATCH, NO_RUNS};
use crate::front::question;
use crate::front::width::terminal_width;
use crate::say;

/// Prefix of the names of scratch files.
const SCRATCH: &str = ".drivelab-scratch-";

/// Runs the command.
///
/// # Errors
/// There is no such run, or it is damaged or in use.
pub fn results(context: &Context, command: &ResultsCommand) -> Result {
    match command {
        ResultsCommand::List { filter, json } => list(context, filter, *json),
        ResultsCommand::Tag { run, tags, remove } => tag(context, run, tags, *remove),
        ResultsCommand::Show { run, json } => show(context, run, *json),
        ResultsCommand::Path { run } => {
            let row = context.find(run)?;
            say::data(&format!("{}\n", context.data()?.bundle_path(row.id).display()))?;
            Ok(ExitCode::Ok)
        }
        ResultsCommand::Remove { run, dry_run, yes } => remove(context, run, *dry_run, *yes),
        ResultsCommand::Reindex { dry_run: true, .. } => {
            let bundles = std::fs::read_dir(context.data()?.runs_dir()).map_or(0, Iterator::count);
            say::data(&format!("Dry run: would rebuild the catalog from {bundles} bundles\n"))?;
            Ok(ExitCode::Ok)
        }
        ResultsCommand::Reindex { json, .. } => reindex(context, *json),
    }
}

fn list(context: &Context, asked: &FilterArgs, json: bool) -> Result {
    let filter = Filter::from(asked);
    let rows = context.catalog()?.filtered(&filter)?;
    if rows.is_empty() && !filter.is_empty() {
        return Err(Failure::nothing(NO_MATCH));
    }
    if json {
        let runs: Vec<_> = rows.iter().map(row_json).collect();
        say::json(&serde_json::json!({ "schema": "drivelab.results-list", "schema_version": 1, "runs": runs }))?;
        return Ok(ExitCode::Ok);
    }
    if rows.is_empty() {
        context.settings.voice.say(NO_RUNS);
        return Ok(ExitCode::Ok);
    }
    let head = ["run", "state", "started", "form", "method", "steps", "target", "tags"].map(str::to_owned);
    let mut lines: Vec<Vec<String>> = std::iter::once(head).chain(rows.iter().map(row_text)).map(Vec::from).collect();
    if rows.iter().all(|row| row.tags.is_empty()) {
        lines.iter_mut().for_each(|line| drop(line.pop()));
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    say::data(&text)?;
    Ok(ExitCode::Ok)
}

/// A run in words. A load of `drivelab io` is described, because all such loads have the same methodology.
fn row_text(row: &RunRow) -> [String; 8] {
    let state = if row.damaged.is_some() {
        "damaged"
    } else if row.live {
        "running"
    } else {
        row.state.name()
    };
    let started = row.started.get(..19).unwrap_or(&row.started);
    let own = row.method == OWN_LOAD && !row.title.is_empty();
    [
        row.id.to_string(),
        state.to_owned(),
        format!("{started}Z"),
        if own { "own".to_owned() } else { row.form.name().to_owned() },
        if own { format!("io: {}", row.title) } else { row.method.clone() },
        format!("{}/{}", row.steps_done, row.steps_total),
        place(&row.target),
        row.tags.join(" "),
    ]
}

/// The target; a scratch file is shown by its folder, because its own name means nothing to people.
fn place(target: &str) -> String {
    match target.rsplit_once('/') {
        Some((folder, name)) if name.starts_with(SCRATCH) => format!("{folder}/"),
        _ => target.to_owned(),
    }
}

fn row_json(row: &RunRow) -> serde_json::Value {
    serde_json::json!({
        "id": row.id,
        "state": row.state.name(),
        "live": row.live,
        "started": row.started,
        "method": row.method,
        "title": row.title,
        "method_version": row.method_version,
        "method_hash": row.method_hash,
        "form": row.form,
        "target": row.target,
        "drive": row.drive,
        "serial": row.serial,
        "firmware": row.firmware,
        "capacity": row.capacity,
        "testbed": row.testbed,
        "tags": row.tags,
        "steps_done": row.steps_done,
        "steps_total": row.steps_total,
        "damaged": row.damaged,
    })
}

/// Adds tags to a run or removes them.
fn tag(context: &Context, run: &str, tags: &[String], remove: bool) -> Result {
    let row = context.find_named(run)?;
    let mut all = row.tags;
    all.retain(|tag| !remove || !tags.contains(tag));
    for tag in tags.iter().filter(|_| !remove) {
        if !all.contains(tag) {
            all.push(tag.clone());
        }
    }
    write_tags(&context.data()?, row.id, &all)?;
    let words = if all.is_empty() { "no tags".to_owned() } else { all.join(", ") };
    context.settings.voice.say(format!("Run {}: {words}", row.id));
    Ok(ExitCode::Ok)
}

fn show(context: &Context, run: &OneRun, json: bool) -> Result {
    let row = context.find(run)?;
    let (records, analysis) = context.load(row.id)?;
    if row.live {
        context.settings.voice.say("this run is in progress; these are its figures so far");
    }
    let input = ReportInput { records: &records, analysis: &analysis };
    if json {
        say::json(&drivelab_report::document(&[input])?)?;
    } else {
        say::data(&drivelab_report::terminal_table(&input, terminal_width()))?;
    }
    Ok(ExitCode::Ok)
}

fn remove(context: &Context, run: &str, dry_run: bool, yes: bool) -> Result {
    if run == LAST {
        return Err(Failure::usage(
            "results remove does not accept `last`: a removed run cannot be restored, so name it by its id (`drivelab results list`)",
        ));
    }
    let row = context.find_by_id(run)?;
    let path = context.data()?.bundle_path(row.id);
    let size = Bundle::open(&path).map_or_else(|_| "of unknown size".to_owned(), |bundle| format::bytes(bundle.size()));
    let what = format!("run {} ({}, {} of {}; {size})", row.id, row.state.name(), row.method, row.started);
    if dry_run {
        say::data(&format!("Dry run: would remove {what}: {}\n", path.display()))?;
        return Ok(ExitCode::Ok);
    }
    if !yes && !confirmed(&what)? {
        return Err(Failure::new(ExitCode::GuardRefused, format!("kept {what}")));
    }
    context.catalog()?.remove(row.id)?;
    context.settings.voice.say(format!("Removed {what}"));
    Ok(ExitCode::Ok)
}

/// Asks on the terminal; if there is none, names the flag that answers.
fn confirmed(what: &str) -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::new(
            ExitCode::GuardRefused,
            format!("removing {what} needs a confirmation, and there is no terminal to ask on; use --yes to remove it"),
        ));
    }
    question::yes(&format!("Remove {what} permanently?"))
}

fn reindex(context: &Context, json: bool) -> Result {
    let done = drivelab_store::Catalog::rebuild(&context.data()?)?.reindex()?;
    if json {
        let damaged: Vec<_> =
            done.damaged.iter().map(|(path, why)| serde_json::json!({ "path": path, "why": why })).collect();
        say::json(&serde_json::json!({
            "schema": "drivelab.reindex", "schema_version": 1, "indexed": done.indexed, "damaged": damaged,
        }))?;
    } else {
        say::data(&format!("{} runs are in the catalog\n", done.indexed))?;
    }
    for (path, why) in &done.damaged {
        context.settings.voice.warn(format!("{}: {why}", path.display()));
    }
    Ok(if done.damaged.is_empty() { ExitCode::Ok } else { ExitCode::Unexpected })
}
