//! Runs a session with its recorder and screens, and reports how it ended.

use drivelab_analysis::Analysis;
use drivelab_core::group::letter;
use drivelab_core::ids::RunId;
use drivelab_core::listener::Listener;
use drivelab_core::run::RunRecords;
use drivelab_session::{Fanout, Outcome, Session};
use drivelab_store::Catalog;

use crate::digests;
use crate::failure::{Failure, Result};
use crate::front::View;
use crate::lab::{Lab, analysed};
use crate::run::ended::Ended;
use crate::run::memory::Memory;
use crate::run::wiring::{Keep, Ready, Wiring};
use crate::set_up::files;

/// Runs to the end or to a stop, and shows the result.
///
/// # Errors
/// The reason why the session could not run, or why the page could not be written.
pub(super) fn execute(lab: &Lab<'_>, wiring: Wiring) -> Result {
    let ready = wiring.ready(lab)?;
    let Ready { run, keep, start, mut backend, mut care, watching, clock, page, show, stop, history, asks } = ready;
    let voice = lab.voice;
    let (recorder, memory): (Box<dyn Listener>, Option<Memory>) = match keep {
        Keep::Bundle { data, recorder } => {
            voice.detail(format!("Bundle    {}", data.bundle_path(run).display()));
            let recorder = if clock.is_virtual() { recorder.in_virtual_time() } else { recorder };
            (Box::new(recorder), None)
        }
        Keep::Memory => {
            let memory = Memory::default();
            (Box::new(memory.clone()), Some(memory))
        }
    };
    let view = match &care.group {
        Some(group) => View::Part { letter: letter(group.drive as usize) },
        None => View::Live { history: history.as_ref(), asks, virtual_time: clock.is_virtual() },
    };
    let mut watched = watching.start(clock.clone(), stop.clone());
    watched.remarks.iter().for_each(|remark| voice.warn(remark));
    let fanout = Fanout::start(recorder, lab.front.screens(&stop, view), stop.clone());
    let outcome = match Session::begin(start, &mut *backend, &mut care, clock, stop, fanout) {
        Ok(session) => session.observed(watched.observer.take()).run(),
        Err(lost) => Outcome::RecorderLost { message: lost.0 },
    };
    drop(backend);
    if let Some(slept) = watched.end() {
        voice.warn(slept);
    }
    // From here on, this run holds up no other.
    drop(care.company.take());
    files::remove(std::mem::take(&mut care.folders), voice);
    if let Some(scratch) = care.scratch.take() {
        let path = scratch.path().to_owned();
        if let Err(error) = scratch.remove() {
            voice.warn(format!("the scratch file {} could not be removed: {error}", path.display()));
        }
    }
    let saved = memory.is_none();
    let recorded = match memory {
        None => kept(lab, run),
        Some(memory) => of_memory(lab, &memory),
    };
    lab.front.ended(Ended { run, outcome, recorded, saved, show, page: None }.with_page(page))
}

/// The records of a stored run and their analysis; its digest is stored with it.
fn kept(lab: &Lab<'_>, run: RunId) -> Result<(RunRecords, Analysis)> {
    let data = lab.data()?;
    match Catalog::open(&data) {
        Ok(catalog) => digests::load_and_keep(&data, &catalog, lab.tool, run),
        Err(_) => lab.load(run),
    }
}

/// The records of a run that is not stored, and their analysis.
fn of_memory(lab: &Lab<'_>, memory: &Memory) -> Result<(RunRecords, Analysis)> {
    let nothing = || Failure::unexpected("the run ended before anything was recorded of it");
    let records = memory.take().ok_or_else(nothing)?;
    let analysis = analysed(lab.data_folder, &records);
    Ok((records, analysis))
}
