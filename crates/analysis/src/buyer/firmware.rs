//! Which firmware runs, what else its slots hold, and revisions with known faults.

use super::answer::{Answer, Notes, Question, Sureness};
use super::known::Known;

/// A fault of some revisions that every owner of the model should know.
struct Fault {
    /// How model strings begin, in lower case.
    model: &'static str,
    /// Revisions that have it.
    revisions: &'static [&'static str],
    /// What it does.
    what: &'static str,
    /// The first revision without the fault.
    mended_by: &'static str,
    /// The source.
    source: &'static str,
}

const FAULTS: [Fault; 4] = [
    Fault {
        model: "samsung ssd 980 pro",
        revisions: &["3B2QGXA7"],
        what: "drives count media errors and lock themselves read-only",
        mended_by: "5B2QGXA7",
        source: "Puget Systems, \"Critical Samsung SSD Firmware Update\", January 2023",
    },
    Fault {
        model: "samsung ssd 990 pro",
        revisions: &["0B2QJXD7"],
        what: "drives count their endurance down far too fast",
        mended_by: "1B2QJXD7",
        source: "Samsung, firmware notes of the 990 PRO, February 2023",
    },
    Fault {
        model: "samsung ssd 840 evo",
        revisions: &["EXT0AB0Q", "EXT0BB0Q", "EXT0BB6Q", "EXT0CB6Q"],
        what: "data that was stored for weeks is read slower and slower",
        mended_by: "EXT0DB6Q",
        source: "Samsung, firmware notes of the 840 EVO, April 2015",
    },
    Fault {
        model: "m4-ct",
        revisions: &["0001", "0002", "0009"],
        what: "drives stop answering after 5,184 power-on hours",
        mended_by: "0309",
        source: "Crucial, firmware notes of the m4, January 2012",
    },
];

pub(super) fn answer(known: &Known<'_>) -> Answer {
    let mut notes = Notes::default();
    let Some(device) = known.device() else {
        return notes.unknown(Question::Firmware, "no drive was found below the target", "Name the drive itself.");
    };
    let model = device.model.as_deref().unwrap_or_default().trim();
    let Some(revision) = device.firmware.as_deref().map(str::trim).filter(|revision| !revision.is_empty()) else {
        let why = format!("{} reports no firmware revision", device.name);
        return notes.unknown(Question::Firmware, &why, "Look at the drive itself, over a direct link.");
    };
    if let Some(fault) = fault(model, revision) {
        let Fault { what, mended_by, source, .. } = fault;
        notes.beware(format!("firmware {revision} has a known fault: {what}; {mended_by} fixes it"));
        notes.saw(format!("source of the fault: {source}"));
    }
    let slots = known.probe.and_then(|probe| probe.nvme.as_ref()).map(|nvme| nvme.firmware_slots.as_slice());
    for slot in slots.unwrap_or_default().iter().filter(|slot| !slot.revision.trim().is_empty()) {
        let state = if slot.active { "runs" } else { "does not run" };
        notes.saw(format!("slot {}: {} {state}", slot.slot, slot.revision.trim()));
    }
    let good = format!("It runs {revision}, and drivelab knows no fault of it.");
    let because = "drivelab knows few faults and no list of all revisions: compare it with the maker's page";
    let action = "Update it with the maker's own tool before it holds any data: an update can fail.";
    notes.answer(Question::Firmware, &good, (Sureness::Hint, because), action)
}

fn fault(model: &str, revision: &str) -> Option<&'static Fault> {
    let model = model.to_lowercase();
    FAULTS.iter().find(|fault| model.starts_with(fault.model) && fault.revisions.contains(&revision))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_belong_to_a_model_and_a_revision() {
        assert!(fault("Samsung SSD 980 PRO 1TB", "3B2QGXA7").is_some());
        assert!(fault("Samsung SSD 980 PRO 1TB", "5B2QGXA7").is_none());
        assert!(fault("Samsung SSD 970 PRO 1TB", "3B2QGXA7").is_none());
        assert!(FAULTS.iter().all(|fault| !fault.revisions.contains(&fault.mended_by) && !fault.source.is_empty()));
    }
}
