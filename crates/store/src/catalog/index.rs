//! How a bundle becomes a row, and how to check cheaply that a row is still valid.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use drivelab_core::environment::TestbedFacts;
use drivelab_core::event::RunState;
use drivelab_core::ids::RunId;
use drivelab_core::plan::{Form, Plan};

use super::label;
use super::row::RunRow;
use crate::bundle::Bundle;
use crate::error::StoreError;
use crate::layout::{ENVIRONMENT, EVENTS, MANIFEST, METHODOLOGY, NOTES, PLAN, SEAL};
use crate::progress::steps_done;

/// How thoroughly a bundle is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// A sealed bundle is trusted if its segments have the right lengths and its other files the right content. For
    /// an unsealed bundle the frames are checked, but of intervals and samples only the event numbers.
    Quick,
    /// Every byte is checked.
    Full,
}

/// Lengths and times of the files behind a row: if the stamp is unchanged, the row needs no new check.
pub(super) fn stamp(path: &Path) -> String {
    stamp_of(path, &[EVENTS, NOTES])
}

/// The stamp of the files behind figures, without notes: a tag changes no figure.
pub(super) fn stamp_of_records(path: &Path) -> String {
    stamp_of(path, &[EVENTS])
}

fn stamp_of(path: &Path, folders: &[&str]) -> String {
    let mut files: Vec<_> = [MANIFEST, SEAL, PLAN, METHODOLOGY, ENVIRONMENT].map(|name| path.join(name)).into();
    for folder in folders {
        let mut within: Vec<_> = fs::read_dir(path.join(folder))
            .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
            .unwrap_or_default();
        within.sort();
        files.append(&mut within);
    }
    let mut stamp = String::from("5");
    for file in files {
        match fs::metadata(&file) {
            Ok(facts) => {
                let _ = write!(stamp, " {}@{}.{:09}", facts.len(), facts.mtime(), facts.mtime_nsec());
            }
            Err(_) => stamp.push_str(" -"),
        }
    }
    stamp
}

/// The row of the bundle at `path`; errors become part of the row.
pub(super) fn row(run: RunId, path: &Path, depth: Depth) -> RunRow {
    match open_named(run, path) {
        Ok(bundle) => {
            let (steps_done, damaged) = match look(&bundle, depth) {
                Ok(steps_done) => (steps_done, None),
                Err(error) => (0, Some(error.to_string())),
            };
            from_bundle(&bundle, steps_done, damaged)
        }
        Err(error) => unreadable(run, path, &error),
    }
}

/// Number of finished executions, after the checks that `depth` asks for.
fn look(bundle: &Bundle, depth: Depth) -> Result<u32, StoreError> {
    if depth == Depth::Full {
        bundle.verify()?;
    }
    let Some(sealed) = bundle.seal() else { return bundle.outline().map(|records| steps_done(&records)) };
    bundle.check_copies()?;
    for entry in sealed.files.iter().filter(|entry| entry.frames.is_some()) {
        let file = bundle.path().join(&entry.path);
        let length = fs::metadata(&file).map(|facts| facts.len());
        if length.as_ref().ok() != Some(&entry.bytes) {
            let what = length.map_or_else(
                |error| format!("it cannot be read: {error}"),
                |length| format!("it has {length} bytes, but was written with {}", entry.bytes),
            );
            return Err(StoreError::damaged(&file, what));
        }
    }
    Ok(sealed.steps_done)
}

/// Opens a bundle for the index and checks that its folder has the name of its run.
fn open_named(run: RunId, path: &Path) -> Result<Bundle, StoreError> {
    let bundle = Bundle::open(path)?;
    if bundle.manifest().run != run {
        let what = format!("it is the manifest of run {}, but in the folder of another run", bundle.manifest().run);
        return Err(StoreError::damaged(&path.join(MANIFEST), what));
    }
    Ok(bundle)
}

fn from_bundle(bundle: &Bundle, steps_done: u32, damaged: Option<String>) -> RunRow {
    let manifest = bundle.manifest().clone();
    // A steady test may need fewer rounds than it may use: a complete run did all that was to do.
    let (title, profile) = plan(bundle.path()).map(|plan| (plan.title, plan.profile)).unwrap_or_default();
    let complete = bundle.state() == RunState::Complete && damaged.is_none();
    let environment = bundle.environment().ok();
    let devices = environment.as_ref().map(|facts| facts.target.devices.as_slice()).unwrap_or_default();
    // The drive that the manifest names: the first device with a model, otherwise the first device.
    let drive = devices.iter().find(|device| device.model.is_some()).or(devices.first());
    RunRow {
        id: manifest.run,
        state: bundle.state(),
        live: false,
        started: manifest.started,
        method: manifest.methodology.name,
        method_version: manifest.methodology.version,
        method_hash: manifest.methodology.hash,
        form: manifest.form,
        title,
        target: manifest.target,
        drive: manifest.drive,
        serial: drive.and_then(|drive| drive.serial.clone()),
        firmware: drive.and_then(|drive| drive.firmware.clone()),
        capacity: drive.map(|drive| drive.capacity),
        testbed: environment.as_ref().map(|facts| testbed(&facts.testbed)).unwrap_or_default(),
        profile,
        length_ms: length_ms(bundle),
        label: label::of(bundle.path()),
        steps_done,
        steps_total: if complete { steps_done } else { manifest.steps_total },
        damaged,
    }
}

/// A short description of the host: `AMD EPYC 7763, 2 CPUs, ASUS X570`.
fn testbed(facts: &TestbedFacts) -> String {
    let cpu = facts.cpu_model.as_deref().unwrap_or("unknown CPU");
    let cpus = if facts.cpus == 1 { "CPU" } else { "CPUs" };
    let board = facts.board.as_ref().map_or_else(String::new, |board| format!(", {board}"));
    let host = format!("{cpu}, {} {cpus}{board}", facts.cpus);
    facts.tag.as_ref().map_or_else(|| host.clone(), |tag| format!("{tag} ({host})"))
}

/// Time from the start of a sealed run to its last event, milliseconds.
fn length_ms(bundle: &Bundle) -> u64 {
    let time = |text: &str| text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond);
    let ended = bundle.seal().and_then(|seal| time(&seal.ended));
    let both = ended.zip(time(&bundle.manifest().started));
    both.map_or(0, |(ended, started)| u64::try_from(ended - started).unwrap_or(0))
}

/// The copy of the plan in a bundle, if it can be read.
fn plan(path: &Path) -> Option<Plan> {
    crate::fsio::read(&path.join(PLAN)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok())
}

/// Start of a run according to its id, RFC 3339 in UTC to the second.
fn began(run: RunId) -> String {
    let milliseconds = i64::try_from(run.began_ms()).unwrap_or_default();
    jiff::Timestamp::from_second(milliseconds / 1000).map(|time| time.to_string()).unwrap_or_default()
}

/// A bundle without a usable manifest or seal: what the copy of the plan still shows, and why the bundle cannot be
/// used.
fn unreadable(run: RunId, path: &Path, error: &StoreError) -> RunRow {
    let plan = plan(path);
    let steps_total = plan.as_ref().map_or(0, |plan| plan.schedule().len());
    let form = plan.as_ref().map_or(Form::Smoke, |plan| plan.form);
    let of_plan = |plan: &Plan| (plan.title.clone(), plan.profile.clone());
    let (title, profile) = plan.as_ref().map(of_plan).unwrap_or_default();
    let method = plan.map(|plan| plan.methodology);
    let (method, method_version, method_hash) =
        method.map_or_else(Default::default, |method| (method.name, method.version, method.hash));
    RunRow {
        id: run,
        state: RunState::Interrupted,
        live: false,
        started: began(run),
        method,
        method_version,
        method_hash,
        form,
        title,
        target: String::new(),
        drive: None,
        serial: None,
        firmware: None,
        capacity: None,
        testbed: String::new(),
        profile,
        length_ms: 0,
        label: label::of(path),
        steps_done: 0,
        steps_total: u32::try_from(steps_total).unwrap_or(u32::MAX),
        damaged: Some(error.to_string()),
    }
}
