//! Writes report files and never replaces a file that drivelab did not write.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::slice::from_ref;

use drivelab_analysis::Analysis;
use drivelab_analysis::buyer::{self, Checked};
use drivelab_core::exit::ExitCode;
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::{GapCause, RecordedSource, SourceKind};
use drivelab_report::ReportInput;
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, Result};
use crate::output::new_file::NewFile;

/// Largest file, in bytes, that may be a report of drivelab; a larger one belongs to somebody else.
const LONGEST: u64 = 1 << 30;

/// Formats of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageFormat {
    /// One HTML page that opens offline.
    Html,
    /// Markdown.
    Md,
    /// Markdown, short form; of one run.
    Brief,
    /// One tidy row per value.
    Csv,
    /// docs/formats/results.schema.json.
    Json,
    /// CrystalDiskMark's own layout.
    Cdm,
}

/// The page that the user wants. It is stored in the bundle too, so that `resume` can write it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Wish {
    /// Path of the page.
    pub path: PathBuf,
    /// Without serial numbers and folder names.
    pub redact: bool,
}

impl Wish {
    /// Writes the page of a run.
    ///
    /// # Errors
    /// As for [`OutputFile::write`]; or the document cannot be made.
    pub fn write(&self, run: &(RunRecords, Analysis)) -> Result<()> {
        let format = format_of(&self.path)?;
        let text =
            if self.redact { render(format, &without_names(vec![run.clone()])) } else { render(format, from_ref(run)) };
        OutputFile::check(&self.path)?.write(&text?)
    }
}

/// Writes the page of several runs, redacted if `redact` is set.
///
/// # Errors
/// As for [`OutputFile::write`]; or the document cannot be made.
pub fn write_page(output: &Path, redact: bool, runs: Vec<(RunRecords, Analysis)>) -> Result<()> {
    let runs = if redact { without_names(runs) } else { runs };
    OutputFile::check(output)?.write(&render(format_of(output)?, &runs)?)
}

/// Runs without serial numbers and folder names.
#[must_use]
pub fn without_names(runs: Vec<(RunRecords, Analysis)>) -> Vec<(RunRecords, Analysis)> {
    runs.into_iter().map(|(records, analysis)| redacted(records, analysis)).collect()
}

/// The format for a file's extension; HTML without an extension.
///
/// # Errors
/// An extension that is not a report format.
pub fn format_of(path: &Path) -> Result<PageFormat> {
    if path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(".cdm.txt")) {
        return Ok(PageFormat::Cdm);
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html" | "htm") | None => Ok(PageFormat::Html),
        Some("md" | "markdown") => Ok(PageFormat::Md),
        Some("csv") => Ok(PageFormat::Csv),
        Some("json") => Ok(PageFormat::Json),
        Some(other) => Err(Failure::usage(format!(
            "the extension '.{other}' is not a report format; use .html, .md, .csv, .json or .cdm.txt"
        ))),
    }
}

/// Renders a report of runs.
///
/// # Errors
/// The document cannot be made.
pub fn render(format: PageFormat, runs: &[(RunRecords, Analysis)]) -> Result<String> {
    let inputs: Vec<ReportInput<'_>> =
        runs.iter().map(|(records, analysis)| ReportInput { records, analysis }).collect();
    Ok(match format {
        PageFormat::Html => drivelab_report::html(&inputs)?,
        PageFormat::Md => drivelab_report::markdown(&inputs)?,
        PageFormat::Brief => inputs.iter().map(drivelab_report::brief).collect(),
        PageFormat::Csv => drivelab_report::csv(&inputs)?,
        PageFormat::Cdm => drivelab_report::cdm(&inputs)?,
        PageFormat::Json => {
            let document = drivelab_report::json(&inputs)?;
            serde_json::to_string_pretty(&document)
                .map_err(|error| Failure::unexpected(format!("cannot make the JSON document: {error}")))?
        }
    })
}

/// The same run without serial numbers and folder names, which identify a drive or a person. Figures and findings are
/// computed again from it, so their text does not contain them either. The verdicts stay: they name models and no
/// serial numbers and folders.
fn redacted(mut records: RunRecords, before: Analysis) -> (RunRecords, Analysis) {
    let checked = checked_before(&records);
    let mut folders = records.environment.redact();
    folders.extend(records.plan.redact());
    let telemetry = &mut records.telemetry;
    for source in &mut telemetry.sources {
        let origin = source.description.origin.clone();
        redact_meter(source);
        let told = telemetry.remarks.iter_mut().filter(|remark| remark.contains(&origin));
        told.for_each(|remark| *remark = remark.replace(&origin, &source.description.origin));
    }
    let resumed = records.breaks.iter_mut().filter_map(|pause| pause.resumed.as_mut());
    resumed.for_each(|resumed| folders.extend(resumed.environment.redact()));
    redact_sentences(&mut records, folders);
    let mut analysis = drivelab_analysis::analyse(&records);
    (analysis.checked, analysis.suitability) = (checked, before.suitability);
    (records, analysis)
}

/// The result of a buyer's check from the full records, without serial numbers: redaction must not make a drive look
/// better or worse.
fn checked_before(records: &RunRecords) -> Option<Checked> {
    if !buyer::is_check(records) {
        return None;
    }
    let environment = &records.environment;
    let checked = buyer::of_run(records, &drivelab_analysis::analyse(records))?;
    let probe = environment.probe.as_deref();
    let devices = environment.target.devices.iter().chain(probe.iter().flat_map(|probe| &probe.devices));
    let serials = devices.filter_map(|device| device.serial.clone());
    let nvme = probe.and_then(|probe| probe.nvme.as_ref()).map(|nvme| nvme.controller.serial.clone());
    let ata = probe.and_then(|probe| probe.ata.as_ref()).map(|ata| ata.serial.clone());
    let words: Vec<String> = serials.chain(nvme).chain(ata).map(|word| word.trim().to_owned()).collect();
    Some(checked.without(&words))
}

/// The user's files and commands may contain folder names and other private text.
fn redact_meter(source: &mut RecordedSource) {
    if source.description.kind != SourceKind::Adapter {
        return;
    }
    "a user's file or command (left out)".clone_into(&mut source.description.origin);
    for gap in &mut source.gaps {
        if let GapCause::Failed(why) = &mut gap.cause {
            "(left out)".clone_into(why);
        }
    }
}

/// Removes folder names from messages of the run: errors of system calls contain file names.
fn redact_sentences(records: &mut RunRecords, mut folders: Vec<PathBuf>) {
    // `/`, the empty folder of a relative name, and `/dev` identify nothing and would match everywhere.
    folders.retain(|folder| folder.components().count() > 1 && folder != Path::new("/dev"));
    // Longest first, so that a folder inside another one is replaced completely.
    folders.sort_by_key(|folder| std::cmp::Reverse(folder.as_os_str().len()));
    let names: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    let failed = records.failed_steps.iter_mut().map(|failed| &mut failed.error);
    let broken = records.breaks.iter_mut().flat_map(|pause| {
        let resumed = pause.resumed.as_mut().map(|resumed| &mut resumed.target_state);
        std::iter::once(&mut pause.cause).chain(resumed)
    });
    for sentence in std::iter::once(&mut records.message).chain(failed).chain(broken) {
        names.iter().for_each(|name| *sentence = sentence.replace(name, "(left out)"));
    }
}

/// A file that may be written: checked before a run, so that no time is spent on measuring for a page that cannot be
/// stored.
#[derive(Debug, Clone)]
pub struct OutputFile(PathBuf);

impl OutputFile {
    /// Checks that the file does not exist or is a drivelab report, and that its folder exists and can be written.
    ///
    /// # Errors
    /// Exit 5 for a file that drivelab did not write; exit 6 for a folder that does not exist or cannot be written.
    pub fn check(path: &Path) -> Result<OutputFile> {
        let path = std::path::absolute(path)
            .map_err(|error| Failure::usage(format!("'{}' is not a path for a report: {error}", path.display())))?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        if !folder.is_dir() {
            return Err(no_folder(&path, folder));
        }
        refuse_foreign(&path)?;
        if let Err(error) = NewFile::begin(folder) {
            let why = in_words(&error);
            return Err(Failure::new(
                ExitCode::TargetUnusable,
                format!("the report cannot be written to {}: {why}; name another file with -o FILE", path.display()),
            ));
        }
        Ok(OutputFile(path))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes the complete file, or leaves the existing one unchanged.
    ///
    /// # Errors
    /// As for [`Self::check`], and if the disk is full.
    pub fn write(&self, content: &str) -> Result<()> {
        self.write_with(|out| out.write_all(content.as_bytes()))
    }

    /// As [`Self::write`], for content that is produced piece by piece.
    ///
    /// # Errors
    /// As for [`Self::write`].
    pub fn write_with(&self, make: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
        refuse_foreign(&self.0)?;
        let folder = self.0.parent().unwrap_or(Path::new("/"));
        let failed = |error: std::io::Error| {
            Failure::new(
                ExitCode::TargetUnusable,
                format!(
                    "the report could not be written to {}: {}; the results are stored, and `drivelab report RUN -o FILE` \
                     writes it again (`drivelab results list` lists the runs)",
                    self.0.display(),
                    in_words(&error)
                ),
            )
        };
        let file = NewFile::begin(folder).map_err(failed)?;
        let mut out = BufWriter::new(file.file());
        make(&mut out).and_then(|()| out.flush()).map_err(failed)?;
        drop(out);
        file.replace(&self.0).map_err(failed)?;
        if let Some(caller) = crate::output::caller::behind_sudo() {
            // The file was created a moment ago, whatever was at its path before.
            caller.give(&self.0, std::time::UNIX_EPOCH);
        }
        Ok(())
    }
}

/// The folder of a report is not created: a typing error would create a new folder.
fn no_folder(path: &Path, folder: &Path) -> Failure {
    let what = if folder.exists() { "is not a folder" } else { "does not exist" };
    let text = format!(
        "the report cannot be written to {}: the folder {} {what}; make it, or name another file with -o FILE",
        path.display(),
        folder.display()
    );
    Failure::new(ExitCode::TargetUnusable, text)
}

/// The kernel's error, without the name of the temporary file.
fn in_words(error: &std::io::Error) -> String {
    let kernel = error.raw_os_error().map(std::io::Error::from_raw_os_error);
    kernel.map_or_else(|| error.kind().to_string(), |kernel| kernel.to_string())
}

/// An existing file that drivelab did not write is never replaced.
fn refuse_foreign(path: &Path) -> Result<()> {
    let foreign = |why: &str| {
        Err(Failure::new(
            ExitCode::GuardRefused,
            format!(
                "{} exists and {why}; drivelab replaces only its own reports. Move it away, or name another file with \
                 -o FILE",
                path.display()
            ),
        ))
    };
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => {
            Err(Failure::new(ExitCode::TargetUnusable, format!("cannot inspect {}: {error}", path.display())))
        }
        Ok(metadata) if !metadata.is_file() => foreign("is not a regular file"),
        Ok(_) => match drivelab_core::input::read(path, LONGEST) {
            Ok(content) if drivelab_report::is_drivelab_output(&content) => Ok(()),
            Ok(_) => foreign("was not written by drivelab"),
            Err(error) => foreign(&format!("cannot be read ({error})")),
        },
    }
}
