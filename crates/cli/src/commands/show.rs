//! `drivelab targets` and `drivelab show`: which disks exist, and everything that is known about one of them.
//!
//! Only looks. Owns the sequence; `device` finds the facts, `analysis` interprets them, `report` lays them out.

use drivelab_analysis::probe::probe_findings;
use drivelab_core::exit::ExitCode;
use drivelab_device::probe::{Depth, disks, find, probe};
use drivelab_lab::plan::drives::library;
use drivelab_lab::target::unmounted;
use drivelab_lab::{Failure, Result};
use drivelab_report::{ShowInput, show_document, show_text, targets_document, targets_text};

use crate::args::{ShowArgs, TargetsArgs};
use crate::context::Context;
use crate::say;

/// Lists the disks of this machine.
///
/// # Errors
/// Nothing matches: exit code 4.
pub fn targets(context: &Context, arguments: &TargetsArgs) -> Result {
    let fits = |name: &str| arguments.all || !["loop", "zram", "sr", "fd"].iter().any(|layer| name.starts_with(layer));
    let (disks, others): (Vec<_>, Vec<_>) = disks().into_iter().partition(|node| fits(&node.name));
    let targets: Vec<_> = disks.iter().map(|node| probe(node, Depth::Brief)).collect();
    if arguments.json {
        say::json(&targets_document(&targets))?;
    } else if !targets.is_empty() {
        say::data(&targets_text(&targets))?;
    }
    if targets.is_empty() {
        let why =
            "this machine shows no disk here (a container often hides them); --all also lists loop and zram devices";
        return Err(Failure::new(ExitCode::NothingSelected, why.to_owned()));
    }
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().map(|node| node.name.as_str()).collect();
        context.settings.voice.say(format!("Left out: {}; --all lists them too", names.join(", ")));
    }
    Ok(ExitCode::Ok)
}

/// Shows one target in full.
///
/// # Errors
/// The target does not exist.
pub fn show(context: &Context, arguments: &ShowArgs) -> Result {
    unmounted::warn(&arguments.target, &context.settings.voice);
    let found = find(&arguments.target)?;
    if let Some(remark) = &found.remark {
        context.settings.voice.say(remark);
    }
    let target = probe(&found.node, Depth::Full);
    let findings = probe_findings(&target);
    let library = library(context.settings.drives.as_deref(), &context.settings.voice)?;
    let model = target.device().and_then(|device| Some((device.model.as_deref()?, device.capacity)));
    let known = model.and_then(|(model, capacity)| library.facts_for(model, Some(capacity)));
    let input = ShowInput { target: &target, findings: &findings, data_sheet: known.map(|known| &known.facts) };
    if arguments.json {
        say::json(&show_document(&input))?;
    } else {
        say::data(&show_text(&input))?;
    }
    Ok(ExitCode::Ok)
}
