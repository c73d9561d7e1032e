//! Which figures of a data sheet are facts about a drive.

use drivelab_core::data_sheet::DataSheet;
use drivelab_core::drive_facts::{Price, Value};
use drivelab_core::units::Bytes;
use drivelab_core::verdict_rules::FactKind;

use super::fact::Fact;
use crate::topics::data_sheet::{dwpd, rated_bytes};

/// A fact that follows from what a maker prints, for a drive of `capacity` bytes; `None` if the data sheet lacks what
/// it needs.
#[must_use]
pub fn printed(kind: FactKind, sheet: &DataSheet, capacity: Option<f64>) -> Option<Fact> {
    let capacity = sheet.capacity.map(Bytes::as_f64).or(capacity).filter(|capacity| *capacity > 0.0);
    let rests_on = format!("data sheet of {}", sheet.title);
    let value = match kind {
        FactKind::FullWrites => rated_bytes(sheet, capacity)? / capacity?,
        FactKind::DriveWritesPerDay => {
            let from_tbw = || dwpd(sheet.number("endurance")?, capacity?, sheet.number("warranty")?);
            sheet.number("dwpd").or_else(from_tbw)?
        }
        FactKind::PricePerTb => {
            let price = Price::read(&sheet.figure("price")?.text)?;
            let per_tb = price.amount / (capacity? / 1e12);
            return Some(Fact { currency: Some(price.currency), ..Fact::stated(kind, per_tb, rests_on) });
        }
        _ => return None,
    };
    Some(Fact::stated(kind, value, rests_on))
}
