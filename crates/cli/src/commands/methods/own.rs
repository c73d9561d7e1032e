//! `drivelab methods new` and `diff`: a user's own methodologies.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::SystemTime;

use drivelab_core::exit::ExitCode;
use drivelab_lab::output::new_file::NewFile;
use drivelab_lab::{Failure, Result};
use drivelab_method::{Difference, can_be_name, derived_text, differences, new_text};

use super::checked::EDITOR_HELP;
use crate::front::method;
use crate::say;

/// Writes a methodology to start from.
///
/// # Errors
/// An invalid name, an existing file, or an unknown methodology to derive from.
pub(super) fn new(name: &str, from: Option<&str>) -> Result {
    let name = name.trim_end_matches(".toml");
    if !can_be_name(name) {
        return Err(Failure::usage(format!(
            "'{name}' cannot be the name of a methodology: lower-case letters, digits and single hyphens, at most 40; the \
             file becomes NAME.toml in the current folder"
        )));
    }
    if drivelab_method::library::find(name).is_some() {
        return Err(Failure::usage(format!("'{name}' is a built-in methodology; use another name for your own")));
    }
    let text = match from {
        None => new_text(name),
        Some(from) => derived_text(name, from, &method::find(from)?),
    };
    let text = format!("{EDITOR_HELP}{text}");
    let path = Path::new(name).with_extension("toml");
    let file = path.display().to_string();
    let checked = drivelab_method::parse(&file, &text).map_err(|diagnostics| method::wrong(&diagnostics))?;
    let started = SystemTime::now();
    let made = NewFile::begin(Path::new("")).and_then(|new| {
        new.file().write_all(text.as_bytes())?;
        new.place(&path)
    });
    made.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Failure::usage(format!("{file} already exists and was not changed; use another name"))
        }
        _ => Failure::new(ExitCode::TargetUnusable, format!("cannot write {file}: {error}; use another folder")),
    })?;
    if let Some(caller) = drivelab_lab::output::caller::behind_sudo() {
        caller.give(&path, started);
    }
    let forms: Vec<&str> = checked.forms().iter().map(|form| form.name()).collect();
    say::data(&format!("{file}: {}, forms {}; `drivelab methods check {file}`\n", checked.title(), forms.join(", ")))?;
    Ok(ExitCode::Ok)
}

/// Reports how two methodologies differ.
///
/// # Errors
/// An unknown or wrong methodology.
pub(super) fn diff(first: &str, second: &str, json: bool) -> Result {
    let (one, other) = (method::find(first)?, method::find(second)?);
    let all = differences(&one, &other);
    if json {
        let document = |it: &Difference| {
            serde_json::json!({
                "test": it.test, "parameter": it.parameter, "form": it.form.map(drivelab_core::plan::Form::name),
                "first": it.first, "second": it.second,
            })
        };
        say::json(&serde_json::json!({
            "schema": "drivelab.methods-diff", "schema_version": 1, "same": all.is_empty(),
            "first": one.identity(), "second": other.identity(),
            "differences": all.iter().map(document).collect::<Vec<_>>(),
        }))?;
    } else {
        say::data(&text((first, second), &all))?;
    }
    // As in diff(1), the answer is the exit code; this is not an error.
    Ok(if all.is_empty() { ExitCode::Ok } else { ExitCode::Unexpected })
}

fn text((first, second): (&str, &str), all: &[Difference]) -> String {
    if all.is_empty() {
        return format!("{first} and {second} have the same tests and parameters\n");
    }
    let mut text = format!("- {first}\n+ {second}\n");
    let mut test = "";
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not stated".to_owned());
    for one in all {
        if one.test != test {
            test = &one.test;
            let _ = writeln!(text, "\n{test}");
        }
        let _ = match (&one.parameter, one.form) {
            (None, _) if one.second.is_none() => writeln!(text, "  only in {first}"),
            (None, _) => writeln!(text, "  only in {second}"),
            (Some(name), Some(form)) => {
                writeln!(text, "  {name} ({}): {} -> {}", form.name(), value(&one.first), value(&one.second))
            }
            (Some(name), None) => writeln!(text, "  {name}: {} -> {}", value(&one.first), value(&one.second)),
        };
    }
    text
}
