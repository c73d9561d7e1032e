//! Is it healthy? The drive's own logs, and whether all reads succeeded.

use drivelab_core::probe::{AtaProbe, Health, NvmeProbe, SmartAttribute, TargetProbe};

use super::answer::{Answer, Notes, Question, Sureness};
use super::known::Known;

/// Endurance used, per cent, from which it is reported, and from which the maker's figure is used up (as in `probe`).
const WORN_PERCENT: u8 = 90;
const SPENT_PERCENT: u8 = 100;
/// Bit 1 of the critical warning: the present temperature, which shows nothing about the drive's state.
const TEMPERATURE_BIT: u8 = 1 << 1;

pub(super) fn answer(known: &Known<'_>) -> Answer {
    let mut notes = Notes::default();
    read_errors(known, &mut notes);
    let told = known.probe.map(|probe| own_word(probe, &mut notes)).unwrap_or_default();
    let asks = known.probe.is_some_and(|probe| probe.health != Health::Unknown);
    if !asks && !told && notes.bad.is_empty() {
        let (why, how) = unknown(known);
        return notes.unknown(Question::Healthy, &why, &how);
    }
    let good = "The drive reports nothing wrong, and all reads completed without an error.";
    let good = if known.read.is_some() { good } else { "The drive reports nothing wrong; nothing was read from it." };
    let because = "this is the drive's own log; what it does not count, and blocks that were not read, remain unknown";
    let action = "Back up what it holds, and read all of it once before you trust it.";
    notes.answer(Question::Healthy, good, (Sureness::Likely, because), action)
}

/// Why the drive cannot be queried, and what helps.
fn unknown(known: &Known<'_>) -> (String, String) {
    let not_known = known.probe.map(|probe| probe.not_known.as_slice()).unwrap_or_default();
    let about = |what: &str| ["SMART", "health", "log"].iter().any(|word| what.contains(word));
    match not_known.iter().find(|one| about(&one.what)).or(not_known.first()) {
        Some(one) => (format!("{}: {}", one.what, one.why), one.how.clone()),
        None => (
            known.layer().unwrap_or_else(|| "the drive reports nothing about its health".to_owned()),
            "Look at the drive itself, over a direct link.".to_owned(),
        ),
    }
}

/// Operations that failed, and samples that could not be read.
fn read_errors(known: &Known<'_>, notes: &mut Notes) {
    let Some(read) = known.read else { return };
    let unread: u64 =
        read.content.iter().flat_map(|content| &content.places).map(|one| u64::from(one.unreadable)).sum();
    let all = read.errors + unread;
    notes.figure("reads that failed", all as f64, Some(0.0), "");
    if all > 0 {
        notes.bad(format!("{all} reads ended in errors"));
    }
}

/// What the drive reports about itself; whether it reports anything.
fn own_word(probe: &TargetProbe, notes: &mut Notes) -> bool {
    let nvme = probe.nvme.as_ref();
    let health = nvme.and_then(|nvme| nvme.health.as_ref());
    let only_heat = health.is_some_and(|health| health.critical_warning == TEMPERATURE_BIT);
    for warning in &probe.warnings {
        let words = format!("the drive warns: {warning}");
        // Spare blocks are there to replace others; blocks that still wait for that were lost.
        let replaced = warning.ends_with(&SmartAttribute::mark(SmartAttribute::REPLACED_BLOCKS));
        if only_heat || replaced { notes.beware(words) } else { notes.bad(words) }
    }
    if let Some(nvme) = nvme {
        of_nvme(nvme, notes);
    }
    if let Some(ata) = &probe.ata {
        of_ata(ata, notes);
    }
    health.is_some() || probe.ata.as_ref().is_some_and(|ata| !ata.attributes.is_empty())
}

fn of_nvme(nvme: &NvmeProbe, notes: &mut Notes) {
    if let Some(newest) = nvme.self_tests.first() {
        let words = format!("its latest {} self-test {}, at {} hours", newest.kind, newest.result, newest.at_hours);
        if newest.failed { notes.bad(words) } else { notes.saw(words) }
    }
    let Some(health) = &nvme.health else { return };
    let used = health.used_percent;
    notes.figure("endurance used", f64::from(used), Some(f64::from(SPENT_PERCENT)), "%");
    notes.figure("media errors", health.media_errors as f64, Some(0.0), "");
    if used >= SPENT_PERCENT {
        notes.bad(format!("{used} % of its endurance is used, by its own counter"));
    } else if used >= WORN_PERCENT {
        notes.beware(format!("{used} % of its endurance is used, by its own counter"));
    }
    if health.media_errors > 0 {
        notes.beware(format!("it counts {} media errors: data that could not be read", health.media_errors));
    }
    if health.critical_minutes > 0 {
        notes.beware(format!("it was above its critical temperature for {} minutes", health.critical_minutes));
    }
    notes.saw(format!(
        "spare {} % (threshold {} %), {used} % of the endurance used, {} media errors, {} unsafe shutdowns in {} power \
         cycles",
        health.spare_percent,
        health.spare_threshold_percent,
        health.media_errors,
        health.unsafe_shutdowns,
        health.power_cycles,
    ));
    if let Some(celsius) = health.composite_c {
        notes.saw(format!("{celsius:.0} °C now, {} minutes above its warning temperature", health.warning_minutes));
    }
}

/// Attributes that most vendors use alike, other than those that the drive's warnings already name.
const COUNTS: [(u8, &str); 2] =
    [(184, "errors on the path inside the drive"), (187, "errors that could not be corrected")];

fn of_ata(ata: &AtaProbe, notes: &mut Notes) {
    let raw = |id: u8| ata.attributes.iter().find(|one| one.id == id).map(|one| one.raw & 0xffff_ffff);
    for (id, words) in COUNTS {
        let Some(count) = raw(id) else { continue };
        notes.figure(words, count as f64, Some(0.0), "");
        if count > 0 {
            notes.beware(format!("{count} {words} {}", SmartAttribute::mark(id)));
        } else {
            notes.saw(format!("{count} {words} {}", SmartAttribute::mark(id)));
        }
    }
    if ata.smart_failing == Some(false) {
        notes.saw("SMART: the drive does not expect to fail");
    }
}
