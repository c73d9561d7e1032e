//! `drivelab results`: list, tag, note, show, path, remove and reindex.

pub(super) mod list;

use std::io::IsTerminal;

use drivelab_core::exit::ExitCode;
use drivelab_core::label::Label;
use drivelab_lab::{Failure, Result};
use drivelab_report::{ReportInput, format};
use drivelab_store::{Bundle, write_label};

use crate::args::{OneRun, ResultsCommand, one_line};
use crate::context::{Context, LAST};
use crate::front::question;
use crate::front::width::terminal_width;
use crate::say;

/// Runs the command.
///
/// # Errors
/// There is no such run, or it is damaged or in use.
pub fn results(context: &Context, command: &ResultsCommand) -> Result {
    match command {
        ResultsCommand::List { filter, json } => list::list(context, filter, *json),
        ResultsCommand::Note { run, note, title, condition, remove } => {
            set_note(context, run, (note.as_deref(), title.as_deref(), condition), *remove)
        }
        ResultsCommand::Tag { run, tags, remove } => tag(context, run, tags, *remove),
        ResultsCommand::Show { run, json } => show(context, run, *json),
        ResultsCommand::Path { run } => {
            let row = context.find(run)?;
            say::data(&format!("{}\n", context.data()?.bundle_path(row.id).display()))?;
            Ok(ExitCode::Ok)
        }
        ResultsCommand::Remove { run, last: _, dry_run, yes } => {
            remove(context, run.as_deref().unwrap_or(LAST), *dry_run, *yes)
        }
        ResultsCommand::Reindex { dry_run: true, .. } => {
            let bundles = std::fs::read_dir(context.data()?.runs_dir()).map_or(0, Iterator::count);
            say::data(&format!("Dry run: would rebuild the catalog from {bundles} bundles\n"))?;
            Ok(ExitCode::Ok)
        }
        ResultsCommand::Reindex { json, .. } => reindex(context, *json),
    }
}

/// Adds tags to a run or removes them.
fn tag(context: &Context, run: &str, tags: &[String], remove: bool) -> Result {
    let row = context.find_named(run)?;
    let mut label = row.label;
    if remove {
        let absent = tags.iter().filter(|tag| !label.tags.contains(tag));
        absent.for_each(|tag| context.settings.voice.warn(format!("run {} has no tag '{tag}'", row.id)));
        label.tags.retain(|tag| !tags.contains(tag));
    } else {
        label.add_tags(tags);
    }
    write_label(&context.data()?, row.id, &label)?;
    let words = if label.tags.is_empty() { "no tags".to_owned() } else { label.tags.join(", ") };
    context.settings.voice.say(format!("Run {}: {words}", row.id));
    Ok(ExitCode::Ok)
}

/// Prints title, conditions and note of a run, or sets what is given.
fn set_note(
    context: &Context,
    run: &str,
    (note, title, conditions): (Option<&str>, Option<&str>, &[(String, String)]),
    remove: bool,
) -> Result {
    let row = context.find_named(run)?;
    let mut label = row.label;
    if remove {
        label = Label { tags: label.tags, ..Label::default() };
    } else if (note, title) == (None, None) && conditions.is_empty() {
        let conditions = label.conditions.iter().map(|(name, text)| format!("{name}={text}"));
        let parts = [label.title].into_iter().chain(conditions).chain([label.note]);
        say::data(&parts.filter(|text| !text.is_empty()).map(|text| format!("{text}\n")).collect::<String>())?;
        return Ok(ExitCode::Ok);
    }
    let absent = conditions.iter().filter(|(name, text)| text.is_empty() && !label.conditions.contains_key(name));
    absent.for_each(|(name, _)| context.settings.voice.warn(format!("run {} has no condition '{name}'", row.id)));
    label.set_conditions(conditions);
    if let Some(note) = note {
        label.note = one_line(note);
    }
    if let Some(title) = title {
        label.title = one_line(title);
    }
    write_label(&context.data()?, row.id, &label)?;
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
