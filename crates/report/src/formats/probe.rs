//! `drivelab targets` and `drivelab show` for a terminal.

use std::fmt::Write as _;

use drivelab_core::drive_facts::DriveFacts;
use drivelab_core::probe::{Health, NotKnown, TargetProbe};

use crate::documents::probe::ShowInput;
use crate::figure::format;
use crate::words::probe::section::Section;
use crate::words::probe::{interface, link, sections, writing};
use crate::words::run_facts::severity_word;

/// Width of the first column of `show`.
const NAMES: usize = 40;

/// A block for each target: a line with model and capacity, and one line each for further facts.
#[must_use]
pub fn targets_text(targets: &[TargetProbe]) -> String {
    let mut text = String::new();
    for target in targets {
        let Some(device) = target.device() else { continue };
        let model = device.model.as_deref().map_or("no model name", str::trim);
        let _ = writeln!(text, "{:<12} {model}, {}", target.path.display(), format::bytes(device.capacity));
        let mut facts = vec![interface(target)];
        facts.extend(device.link.as_ref().map(link));
        facts.extend(device.serial.as_ref().map(|serial| format!("serial {serial}")));
        facts.extend(device.firmware.as_ref().map(|firmware| format!("firmware {firmware}")));
        facts.extend(target.temperature_c().map(|celsius| format!("{celsius:.0} °C")));
        match target.health {
            Health::Good => facts.push("health good".to_owned()),
            Health::Warning => facts.push(format!("health: {}", target.warnings.join("; "))),
            Health::Unknown => {}
        }
        let _ = writeln!(text, "             {}", facts.join(", "));
        if let Some(why) = &device.virtual_because {
            let _ = writeln!(text, "             virtual: {why}");
        }
        if !target.used_by.is_empty() {
            let _ = writeln!(text, "             used: {}", target.used_by.join("; "));
        }
        let _ = writeln!(text, "             may be written: {}", writing_shortly(target));
    }
    let not_known: Vec<&NotKnown> = targets.iter().flat_map(|target| &target.not_known).collect();
    unknown(&mut text, &not_known);
    text
}

/// Whether the target may be written, without repeating its users, which the line above has.
fn writing_shortly(target: &TargetProbe) -> String {
    match &target.writing {
        drivelab_core::probe::WriteOutlook::NotNow { why }
            if !target.used_by.is_empty() && *why == target.used_by.join("; ") =>
        {
            "not while it is in use".to_owned()
        }
        other => writing(other),
    }
}

/// Everything about a target: sections of facts, findings, and what is not known.
#[must_use]
pub fn show_text(input: &ShowInput<'_>) -> String {
    let ShowInput { target, findings, data_sheet } = *input;
    let mut text = String::new();
    let sheet = data_sheet.map(|facts| self::data_sheet(facts, target));
    for section in sections(target).into_iter().chain(sheet) {
        let _ = writeln!(text, "{}", section.title);
        for (name, value) in &section.facts {
            let gap = NAMES.saturating_sub(name.chars().count()).max(1);
            let _ = writeln!(text, "  {name}{:gap$}{value}", "");
        }
        text.push('\n');
    }
    for finding in findings {
        let _ = writeln!(text, "{}: {}", severity_word(finding.severity), finding.statement);
        if !finding.likely_cause.is_empty() {
            let _ = writeln!(text, "  why:  {}", finding.likely_cause);
        }
        if !finding.next_action.is_empty() {
            let _ = writeln!(text, "  fix:  {}", finding.next_action);
        }
    }
    unknown(&mut text, &target.not_known.iter().collect::<Vec<_>>());
    text
}

/// The vendor's figures for this capacity, each with its certainty.
fn data_sheet(facts: &DriveFacts, target: &TargetProbe) -> Section {
    let mut section = Section::new(format!("Known about this model: {} (drivelab drives {})", facts.title, facts.name));
    let figures = facts.figures_at(target.device().map(|device| device.capacity));
    for row in figures.rows() {
        section.fact(row.label, format!("{} ({})", row.text, row.certainty.name()));
    }
    section
}

/// What could not be determined, each sentence once.
fn unknown(text: &mut String, not_known: &[&NotKnown]) {
    let mut said: Vec<&NotKnown> = Vec::new();
    for one in not_known {
        if !said.contains(one) {
            said.push(one);
        }
    }
    if said.is_empty() {
        return;
    }
    text.push_str("Not known\n");
    for one in said {
        let how = if one.how.is_empty() { String::new() } else { format!("; {}", one.how) };
        let _ = writeln!(text, "  {}: {}{how}", one.what, one.why);
    }
}
