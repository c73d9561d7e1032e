//! From what the user typed to a methodology: a built-in name or a file.

use std::path::Path;

use anstream::ColorChoice;
use drivelab_analysis::AcceptanceLimit;
use drivelab_core::acceptance::FigureLimit;
use drivelab_core::plan::{Form, Plan};
use drivelab_lab::failure::input_code;
use drivelab_lab::{Failure, Result, Words};
use drivelab_method::{Diagnostic, Diagnostics, Methodology, lacks_figure, library, nothing_left};

use super::foreign;
use crate::args::FormArg;

/// What messages call the values of a methodology file.
pub const WORDS_OF_FILES: Words<'static> = Words { wrong: &wrong, buffered: "direct = false in the file" };

/// Finds and parses a methodology. A name that looks like a path (with a slash, or ending in `.toml`) is a file.
///
/// # Errors
/// An unknown name (with a similar one), an unreadable file, or a wrong file, shown line by line.
pub fn find(name: &str) -> Result<Methodology> {
    let (file_name, text) = text(name)?;
    parsed(&file_name, &text).map_err(|diagnostics| wrong(&diagnostics))
}

/// Parses a methodology, with the figures of its limits.
///
/// # Errors
/// Everything that is wrong in the file.
pub fn parsed(file_name: &str, text: &str) -> std::result::Result<Methodology, Diagnostics> {
    let known = |limit: &str| limit.parse::<AcceptanceLimit>().map(drop);
    drivelab_method::parse(file_name, text)?.limits_checked(known)
}

/// Refuses conditions of the command line on figures that the methodology does not have.
///
/// # Errors
/// A usage error that names the nearest step, or the kind of operations that the step does not have.
pub fn has_figures(methodology: &Methodology, form: Form, fail_if: &[AcceptanceLimit]) -> Result<()> {
    refuse_those(fail_if, |limit| methodology.lacks(form, limit))
}

/// The same for a stored plan.
///
/// # Errors
/// As for [`has_figures`].
pub fn plan_has_figures(plan: &Plan, fail_if: &[AcceptanceLimit]) -> Result<()> {
    refuse_those(fail_if, |limit| lacks_figure(plan, limit))
}

fn refuse_those(fail_if: &[AcceptanceLimit], lacks: impl Fn(&FigureLimit) -> Option<String>) -> Result<()> {
    match fail_if.iter().find_map(|limit| Some((limit, lacks(limit.written())?))) {
        Some((limit, why)) => Err(Failure::usage(format!("--fail-if '{limit}': {why}"))),
        None => Ok(()),
    }
}

/// Like [`find`], in the given profile and with parameters set, `KEY=VALUE` or `TEST.KEY=VALUE` each.
///
/// # Errors
/// As for [`find`]; also an unknown profile, or wrong settings.
pub fn find_set(name: &str, profile: Option<&str>, set: &[String]) -> Result<Methodology> {
    let methodology = find(name)?;
    let methodology = match profile {
        None => methodology,
        Some(profile) => methodology.with_profile(profile).map_err(Failure::nothing)?,
    };
    methodology.with_settings(set).map_err(|diagnostics| wrong(&diagnostics))
}

/// The text of a methodology, and the name that messages use for it.
///
/// # Errors
/// An unknown name (with a similar one) or an unreadable file.
pub fn text(name: &str) -> Result<(String, String)> {
    if let Some(built_in) = library::find(name) {
        return Ok((format!("methods/{name}.toml"), built_in.text.to_owned()));
    }
    let path = Path::new(name);
    let looks_like_file = name.contains('/') || path.extension().is_some_and(|extension| extension == "toml");
    if !looks_like_file && !path.is_file() {
        let near = library::near(name).map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
        return Err(Failure::nothing(format!(
            "there is no methodology called '{name}'{near}\n`drivelab methods list` names them; a file of your own is \
             given as a path, such as ./{name}.toml"
        )));
    }
    let text = drivelab_method::read_text(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::nothing(format!("there is no methodology file '{name}'")),
        std::io::ErrorKind::InvalidData => {
            Failure::usage(format!("'{name}' is not text: a methodology is a TOML file"))
        }
        _ => Failure::new(input_code(&error), format!("cannot read the methodology file '{name}': {error}")),
    })?;
    let is_toml =
        path.extension().is_some_and(|extension| extension == "toml") || toml::from_str::<toml::Table>(&text).is_ok();
    if let Some(tool) = foreign::tool_of(&text).filter(|_| !is_toml && !foreign::is_methodology(&text)) {
        return Err(Failure::usage(format!(
            "'{name}' is a {} file, not a methodology; convert it with `drivelab methods import {name}`",
            foreign::name(tool)
        )));
    }
    Ok((name.to_owned(), text))
}

/// The form to use if none is asked for: quick, or the only one that the methodology has.
#[must_use]
pub fn usual_form(methodology: &Methodology) -> Form {
    if methodology.forms().contains(&Form::Quick) { Form::Quick } else { Form::Faithful }
}

/// The form that was asked for, else the usual one.
///
/// # Errors
/// The methodology declares other forms only.
pub fn form(methodology: &Methodology, asked: Option<FormArg>) -> Result<Form> {
    let Some(asked) = asked.map(Form::from) else { return Ok(usual_form(methodology)) };
    match methodology.without_form(asked) {
        Some(why) => Err(Failure::usage(format!("--form {}: {why}", asked.name()))),
        None => Ok(asked),
    }
}

/// Errors in a methodology file, as the user sees them; or the message that nothing in a correct file can run here.
#[must_use]
pub fn wrong(diagnostics: &Diagnostics) -> Failure {
    if let Some(error) = nothing_left(diagnostics) {
        return Failure::usage(nothing(error, ""));
    }
    let color = anstream::AutoStream::choice(&std::io::stderr()) != ColorChoice::Never;
    let count = diagnostics.count();
    let mistakes = if count == 1 { "a mistake".to_owned() } else { format!("{count} mistakes") };
    Failure::usage(format!("{mistakes} in {}\n{}", diagnostics.file_name(), diagnostics.render(color).trim_end()))
}

/// The message that everything is left out: first why and what to do, then each reason with what is left out because
/// of it.
#[must_use]
pub fn nothing(error: &Diagnostic, what_to_do: &str) -> String {
    let lines: Vec<String> = error.advice().iter().map(|line| format!("  {line}")).collect();
    format!("{}{what_to_do}\nLeft out:\n{}", error.title(), lines.join("\n"))
}
