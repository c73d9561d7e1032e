//! How much has it been used? Hours and bytes, by the drive's own counters, against its capacity and what its maker
//! allows to be written.

use drivelab_core::probe::AtaProbe;
use drivelab_core::units::Bytes;

use super::answer::{Answer, Notes, Question, Sureness};
use super::known::Known;

/// Up to this many hours and drive writes it may be new: a factory test and the first formatting.
const NEW_HOURS: u64 = 10;
const NEW_DRIVE_WRITES: f64 = 0.5;
/// Hours of a year.
const YEAR: f64 = 8766.0;

/// How much it was used, as far as it reports.
struct Life {
    hours: u64,
    written: Option<Bytes>,
    cycles: Option<u64>,
    used_percent: Option<u8>,
    sureness: (Sureness, &'static str),
}

pub(super) fn answer(known: &Known<'_>) -> Answer {
    let mut notes = Notes::default();
    let Some((life, device)) = life(known).zip(known.device()) else {
        let why = "the drive reports neither hours nor bytes written";
        let how = "Run it as root, or use the maker's tool: both may be able to read more from the drive.";
        return notes.unknown(Question::Use, why, how);
    };
    let years = life.hours as f64 / YEAR;
    notes.saw(format!("{} power-on hours ({years:.1} years)", life.hours));
    notes.figure("power-on hours", life.hours as f64, None, "h");
    if let Some(cycles) = life.cycles {
        notes.saw(format!("{cycles} power cycles"));
    }
    let mut text = format!("{} power-on hours", life.hours);
    let mut worn = life.hours > NEW_HOURS;
    if let Some(written) = life.written {
        let times = written.as_f64() / device.capacity.as_f64().max(1.0);
        worn |= times > NEW_DRIVE_WRITES;
        text = format!("{text}, {} written ({times:.1} times its capacity)", written.about());
        notes.figure("drive writes", times, None, "");
        if life.hours > 24 {
            let a_day = times / (life.hours as f64 / 24.0);
            notes.saw(format!("{a_day:.2} drive writes for each power-on day"));
        }
        endurance(known, written, device.capacity, &mut notes);
    }
    if let Some(used) = life.used_percent {
        notes.saw(format!("{used} % of its endurance used, by its own counter"));
    }
    let new = if worn { "The drive is not new" } else { "This is so little that it may be new" };
    notes.answer(Question::Use, &format!("{text}. {new}."), life.sureness, "Pay no more than for a worn drive.")
}

fn life(known: &Known<'_>) -> Option<Life> {
    let probe = known.probe?;
    let health = probe.nvme.as_ref().and_then(|nvme| nvme.health.as_ref());
    let because = "these are the drive's own counters, and on some drives a seller can have them reset";
    if let Some(health) = health {
        return Some(Life {
            hours: health.power_on_hours,
            written: Some(health.written),
            cycles: Some(health.power_cycles),
            used_percent: Some(health.used_percent),
            sureness: (Sureness::Likely, because),
        });
    }
    of_ata(probe.ata.as_ref()?)
}

/// The attributes that most vendors use for this: 9, 12 and 241, whose low 32 or 48 bits are the count.
fn of_ata(ata: &AtaProbe) -> Option<Life> {
    let raw = |id: u8| ata.attributes.iter().find(|one| one.id == id).map(|one| one.raw);
    let because = "these are attributes as most vendors use them; some count in other units";
    Some(Life {
        hours: raw(9)? & 0xffff_ffff,
        written: raw(241).map(|sectors| Bytes::new(sectors.saturating_mul(512))),
        cycles: raw(12),
        used_percent: None,
        sureness: (Sureness::Hint, because),
    })
}

/// Against what the maker allows to be written, if that is known of the model.
fn endurance(known: &Known<'_>, written: Bytes, capacity: Bytes, notes: &mut Notes) {
    let Some(facts) = known.facts else { return };
    let figures = facts.figures_at(Some(capacity));
    let Some(figure) = figures.endurance.as_ref().filter(|figure| figure.get().get() > 0) else { return };
    let share = written.as_f64() / figure.get().as_f64() * 100.0;
    notes.figure("written of the endurance", share, Some(100.0), "%");
    let rated = format!("{} that the maker allows to be written ({})", figure.value.text, figure.certainty.name());
    if share >= 100.0 {
        notes.beware(format!("more was written than the {rated}: {share:.0} %"));
    } else {
        notes.saw(format!("{share:.0} % of the {rated}"));
    }
}
