//! `drivelab methods import`: converts another tool's file into a methodology, and names every option that it cannot
//! convert.

use std::io::Write as _;
use std::path::Path;

use anstream::ColorChoice;
use drivelab_core::excerpt::MOST_SHOWN;
use drivelab_core::exit::ExitCode;
use drivelab_interop::{Fate, Imported, Note, Source, Surroundings, fio, plain, vdbench};
use drivelab_lab::failure::input_code;
use drivelab_lab::output::new_file::NewFile;
use drivelab_lab::{Failure, Result};
use drivelab_method::{Diagnostic, Diagnostics};
use drivelab_report::format;

use super::checked::{EDITOR_HELP, forms};
use crate::args::{ForeignFormat, ImportArgs};
use crate::front::foreign;
use crate::say;

/// Runs the command.
///
/// # Errors
/// A file that cannot be read or is wrong, or a methodology that cannot be written.
pub(super) fn import(arguments: &ImportArgs) -> Result {
    let path = &arguments.file;
    let unread =
        |error| Failure::new(input_code(&error), format!("cannot read '{}': {error}; check the path", path.display()));
    let text = read(path).map_err(unread)?;
    let name = path.display().to_string();
    if foreign::is_methodology(&text) {
        let says = "is already a methodology and needs no import";
        return Err(Failure::usage(format!("'{name}' {says}: drivelab run {name} TARGET")));
    }
    let from = arguments.from.or_else(|| foreign::tool_of(&text)).ok_or_else(|| {
        Failure::usage(format!(
            "'{name}' looks neither like a fio job file ([section] first) nor like a Vdbench parameter file (sd=, wd=, \
             rd=); name the tool with --from"
        ))
    })?;
    let imported = made(&name, &text, path, from)?;
    forms(&name, &imported.toml, &[]).map_err(|wrong| no_methodology((&name, &text), &imported, &wrong))?;
    let toml = format!("{EDITOR_HELP}{}", imported.toml);
    match &arguments.output {
        Some(output) => write(output, &toml)?,
        None => say::data(&toml)?,
    }
    if arguments.json {
        say::json(&document(&imported))?;
    } else {
        say::cut(report(&imported).trim_end());
    }
    Ok(ExitCode::Ok)
}

fn read(path: &Path) -> std::io::Result<String> {
    let bytes = drivelab_method::read_bytes(path)?;
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        let what = "it is UTF-16; save it as UTF-8, or convert it with iconv -f UTF-16 -t UTF-8";
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, what));
    }
    Ok(plain(&String::from_utf8_lossy(&bytes)))
}

/// The mistakes that the methodology checker finds, at the lines of the imported file that cause them.
fn no_methodology((name, text): (&str, &str), imported: &Imported, wrong: &Diagnostics) -> Failure {
    // The line shows which option is meant. The text of included files is not available, only the line number.
    let written = |line: usize| text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
    let one = |wrong_one: &Diagnostic| {
        let (line, _) = wrong.line_and_column(wrong_one);
        let (file, line) = match imported.origin(line) {
            Some(Source { file: Some(file), line }) => (file.as_str(), format!(":{line}")),
            Some(Source { file: None, line }) => (name, format!(":{line}: {}", written(*line))),
            None => (name, String::new()),
        };
        let advice = wrong_one.advice().iter().map(|text| format!("; {text}")).collect::<String>();
        format!("{file}{line}: {} ({}){advice}", wrong_one.title(), wrong_one.label())
    };
    let mut lines: Vec<String> = wrong.all().iter().map(one).collect();
    lines.dedup();
    let head = "drivelab cannot run what this file describes";
    Failure::usage(format!("{head}\n{}", lines.join("\n")))
}

fn made(name: &str, text: &str, path: &Path, from: ForeignFormat) -> Result<Imported> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let around = Surroundings {
        variable: &|name| std::env::var(name).ok(),
        include: &|file| read(&folder.join(file)).map_err(|error| error.to_string()),
    };
    let made = match from {
        ForeignFormat::Fio => fio::import(name, text, &around),
        ForeignFormat::Vdbench => vdbench::import(name, text, &around),
    };
    made.map_err(|wrong| {
        let color = anstream::AutoStream::choice(&std::io::stderr()) != ColorChoice::Never;
        let mistakes = format::counted(wrong.mistakes().len(), "mistake");
        Failure::usage(format!("{mistakes} in {name}\n{}", wrong.render(color).trim_end()))
    })
}

fn write(output: &Path, toml: &str) -> Result<()> {
    let folder = output.parent().unwrap_or(Path::new(""));
    let made = NewFile::begin(folder).and_then(|new| {
        new.file().write_all(toml.as_bytes())?;
        new.place(output)
    });
    made.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Failure::usage(format!("'{}' exists and is not replaced; remove it or name another file", output.display()))
        }
        _ => Failure::new(
            ExitCode::TargetUnusable,
            format!("cannot write '{}': {error}; name another file with -o", output.display()),
        ),
    })
}

const HEADS: [(Fate, &str); 3] = [
    (Fate::Lost, "not carried over"),
    (Fate::Changed, "carried over with a difference"),
    (Fate::NoEffect, "without effect on the load"),
];

fn of(imported: &Imported, fate: Fate) -> Vec<&Note> {
    imported.notes.iter().filter(|note| note.fate == fate).collect()
}

/// What became of the options, for people: at most [`MOST_SHOWN`] of each kind. The methodology lists all of them at
/// its head.
fn report(imported: &Imported) -> String {
    let mut text = format!("{} carried over\n", format::counted(imported.carried, "option"));
    for (fate, head) in HEADS {
        let notes = of(imported, fate);
        if !notes.is_empty() {
            text.push_str(&format!("{} {head}:\n", notes.len()));
            notes.iter().take(MOST_SHOWN).for_each(|note| text.push_str(&format!("  {}\n", note.text())));
            let more = notes.len().saturating_sub(MOST_SHOWN);
            if more > 0 {
                text.push_str(&format!("  and {more} more; the methodology lists them all at its head\n"));
            }
        }
    }
    text
}

fn document(imported: &Imported) -> serde_json::Value {
    let list = |fate| -> Vec<serde_json::Value> {
        let one = |note: &&Note| {
            serde_json::json!({
                "file": note.file, "line": note.line, "option": note.option, "why": note.why,
            })
        };
        of(imported, fate).iter().map(one).collect()
    };
    serde_json::json!({
        "schema": "drivelab.import",
        "schema_version": 1,
        "carried": imported.carried,
        "not_carried": list(Fate::Lost),
        "changed": list(Fate::Changed),
        "no_effect": list(Fate::NoEffect),
    })
}
