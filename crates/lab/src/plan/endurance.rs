//! Wear: planned writes compared with the drive's rated endurance, and the question before a large share of it.
//!
//! Owns the arithmetic and the wording. The rating comes from the drive facts, otherwise from the drive's own wear
//! counter. If neither is known, no question is asked.

use drivelab_analysis::data_sheet::rated_bytes;
use drivelab_core::data_sheet::DataSheet;
use drivelab_core::drive_facts::DriveFacts;
use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::exit::ExitCode;
use drivelab_core::units::Bytes;
use drivelab_report::format;

use crate::failure::{Failure, Result};
use crate::front::yes as is_yes;
use crate::lab::Lab;
use crate::plan::data_sheet;

/// Least wear, per cent, from which the drive's own counter gives a usable rating: the counter has whole per cents,
/// so lower values are too coarse.
const LEAST_USED_PERCENT: u8 = 3;

/// The rated endurance of a drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endurance {
    /// Bytes written by the host.
    pub rated: Bytes,
    /// The source of the rating.
    pub from: String,
}

impl Endurance {
    /// The share of the rating, per cent, that this many bytes are.
    #[must_use]
    pub fn percent(&self, written: Bytes) -> f64 {
        100.0 * written.as_f64() / self.rated.as_f64()
    }

    /// The share as text.
    #[must_use]
    pub fn text(&self, written: Bytes) -> String {
        format!("about {:.3} % of the rated {} ({})", self.percent(written), self.rated.about(), self.from)
    }
}

/// The devices below a target, uppermost first, and whether the target is one of them rather than a file.
pub type Below<'a> = (&'a [BlockDeviceFacts], bool);

/// Sources of drive facts: the library of this computer, and the facts that the command named.
pub type Known<'a> = (&'a Lab<'a>, Option<&'a DriveFacts>);

/// The rated endurance of the drive below a target, if it is known.
#[must_use]
pub fn known((lab, facts): Known<'_>, below: Below<'_>) -> Option<Endurance> {
    rated((lab, facts), below).or_else(|| by_wear(below))
}

/// The rating from a data sheet alone, without asking the drive.
fn rated((lab, facts): Known<'_>, below: Below<'_>) -> Option<Endurance> {
    let reported = below.0.iter().rev().find(|device| device.model.is_some()).or(below.0.last());
    let unread = |why: Failure| {
        lab.voice.warn(format!("the rated endurance of data sheets is left out: {}", why.message));
    };
    by_sheet(&data_sheet::of(lab, below.0, facts).map_err(unread).ok()??, reported.map(|it| it.capacity))
}

fn by_sheet(sheet: &DataSheet, reported: Option<Bytes>) -> Option<Endurance> {
    let figure = sheet.figure("endurance").or_else(|| sheet.figure("dwpd"))?;
    let from = format!("{}, {}", sheet.facts, figure.certainty.name());
    let capacity = sheet.capacity.or(reported).map(Bytes::as_f64);
    Some(Endurance { rated: Bytes::new(rated_bytes(sheet, capacity)? as u64), from })
}

/// The rating from per cent used and bytes written, as the drive itself counts them.
fn by_wear((devices, is_device): Below<'_>) -> Option<Endurance> {
    let probe = drivelab_device::probe::drive_below(devices, is_device)?;
    let health = probe.nvme?.health?;
    worn(health.used_percent, health.written)
}

fn worn(used_percent: u8, written: Bytes) -> Option<Endurance> {
    if used_percent < LEAST_USED_PERCENT || written.get() == 0 {
        return None;
    }
    let rated = Bytes::new((written.as_f64() * 100.0 / f64::from(used_percent)) as u64);
    let from = format!("from the drive's own count: {used_percent} % used by {} written", written.about());
    Some(Endurance { rated, from })
}

/// Asks before writes that would use more of the endurance than the setting `endurance_ask_percent`. `written` is
/// everything that the command would write to the drive, in all of its runs; `yes` suppresses the question.
///
/// # Errors
/// Exit 2 if the answer is no, or nobody can be asked.
pub fn ask(known_by: Known<'_>, below: Below<'_>, written: Bytes, yes: bool) -> Result<()> {
    let limit = known_by.0.defaults.endurance_ask_percent;
    let capacity = below.0.first().map_or(0, |device| device.capacity.get());
    if written.get() == 0 {
        return Ok(());
    }
    // The drive's own pages are read only if the writes could exceed the limit: rated endurance is hundreds of times
    // the capacity, so a tenth of the capacity is about a thousandth of the endurance. Drive facts need no reading.
    let asks = written.as_f64() >= capacity as f64 / 10.0 * limit.min(1.0);
    let endurance = if asks { known(known_by, below) } else { rated(known_by, below) };
    let Some(endurance) = endurance else { return Ok(()) };
    let Some(wear) = wear(&endurance, written, limit) else { return Ok(()) };
    if yes {
        known_by.0.voice.say(&wear);
        return Ok(());
    }
    let refused =
        |why: &str| Err(Failure::new(ExitCode::Usage, format!("{wear} {why} Nothing was touched; --yes allows it")));
    if !known_by.0.front.can_ask() {
        return refused("This needs a confirmation, and there is no terminal to ask on.");
    }
    if is_yes(known_by.0.front, &format!("{wear} Continue?"))? { Ok(()) } else { refused("The answer was no.") }
}

/// The text of the question, if the wear is more than the limit in per cent.
fn wear(endurance: &Endurance, written: Bytes, limit: f64) -> Option<String> {
    (endurance.percent(written) > limit).then(|| {
        format!(
            "This would write about {}: {}. The limit for writing without asking is {limit} % (endurance_ask_percent).",
            format::bytes(written),
            endurance.text(written)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TB: u64 = 1_000_000_000_000;

    /// 600 TBW: 6 TB are 1 %, and only more than the limit is asked about.
    #[test]
    fn the_share_of_the_endurance_is_worked_out_and_asked_about_above_the_limit() {
        let rated = Endurance { rated: Bytes::new(600 * TB), from: "a data sheet".to_owned() };
        assert_eq!(wear(&rated, Bytes::new(6 * TB), 1.0), None);
        let asked = wear(&rated, Bytes::new(12 * TB), 1.0).expect("asked");
        assert!(asked.contains("about 2.000 % of the rated") && asked.contains("a data sheet"), "{asked}");
        assert_eq!(wear(&rated, Bytes::new(12 * TB), 2.0), None);
        assert!(wear(&rated, Bytes::new(TB), 0.0).is_some());
    }

    /// A drive that counts 5 % used after 50 TB can bear 1,000 TB; one that counts 2 % says too little.
    #[test]
    fn the_drive_s_own_count_of_wear_stands_in_for_a_data_sheet() {
        let worn_by = |percent, written: u64| worn(percent, Bytes::new(written)).map(|it| it.rated.get() / TB);
        assert_eq!(worn_by(5, 50 * TB), Some(1000));
        assert_eq!(worn_by(2, 50 * TB), None);
        assert_eq!(worn_by(5, 0), None);
    }
}
