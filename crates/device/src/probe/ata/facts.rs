//! Converts decoded pages to common words and units. Pure; a field that means "not reported" becomes absent.

use drivelab_ata::{Attribute, FormFactor, IdentifyDevice, LinkSpeed, RELOCATED, Rotation, SmartData, SmartThresholds};
use drivelab_core::probe::{AtaProbe, SmartAttribute};
use drivelab_core::units::Bytes;

pub(super) fn drive(identify: &IdentifyDevice) -> AtaProbe {
    let speed = |speed: Option<LinkSpeed>| speed.map(|speed| speed.to_string());
    let rotations = match identify.rotation {
        Rotation::PerMinute(rotations) => Some(rotations),
        Rotation::NotReported | Rotation::SolidState | Rotation::Reserved(_) => None,
    };
    let form_factor = Some(identify.form_factor).filter(|form_factor| *form_factor != FormFactor::NotReported);
    AtaProbe {
        model: identify.model.clone(),
        serial: identify.serial.clone(),
        firmware: identify.firmware.clone(),
        capacity: Bytes::new(identify.capacity_bytes()),
        logical_sector: Bytes::new(identify.logical_sector_bytes),
        physical_sector: Bytes::new(identify.physical_sector_bytes),
        rotations_per_minute: rotations,
        solid_state: identify.rotation == Rotation::SolidState,
        form_factor: form_factor.map(|form_factor| form_factor.to_string()),
        link_now: speed(identify.link_now),
        link_possible: speed(identify.link_possible),
        queue_depth: identify.queue_depth,
        trim: identify.trim,
        after_trim: identify.after_trim.to_string(),
        write_cache_enabled: identify.write_cache,
        smart_enabled: identify.smart_enabled,
        smart_failing: None,
        security: identify.security.to_string(),
        trusted_computing: identify.trusted_computing,
        sanitize: identify.sanitize.ways(),
        attributes: Vec::new(),
    }
}

pub(super) fn attributes(data: &SmartData, thresholds: Option<&SmartThresholds>) -> Vec<SmartAttribute> {
    let one = |attribute: &Attribute| SmartAttribute {
        id: attribute.id,
        name: attribute.name.to_owned(),
        value: attribute.value,
        worst: attribute.worst,
        threshold: thresholds.map_or(0, |thresholds| thresholds.of(attribute.id)),
        raw: attribute.raw,
    };
    data.attributes.iter().map(one).collect()
}

/// The pre-failure attributes that are at or below their thresholds.
pub(super) fn failing<'a>(data: &'a SmartData, thresholds: &SmartThresholds) -> Vec<&'a Attribute> {
    let has_failed = |attribute: &&Attribute| {
        let threshold = thresholds.of(attribute.id);
        // A threshold of 0 means "never", and a value of 0 or above 253 is invalid (ATA-3).
        attribute.is_prefail && threshold != 0 && (1..=253).contains(&attribute.value) && attribute.value <= threshold
    };
    data.attributes.iter().filter(has_failed).collect()
}

/// The drive's own warnings, one phrase each.
pub(super) fn warnings(
    data: Option<&SmartData>,
    thresholds: Option<&SmartThresholds>,
    verdict: Option<bool>,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if verdict == Some(true) {
        let named = |attribute: &&Attribute| match attribute.name {
            "" => format!("attribute {}", attribute.id),
            name => format!("attribute {} ({name})", attribute.id),
        };
        let failing = data.zip(thresholds).map(|(data, thresholds)| failing(data, thresholds)).unwrap_or_default();
        let because = match failing.as_slice() {
            [] => String::new(),
            some => format!(": {}", some.iter().map(named).collect::<Vec<_>>().join(", ")),
        };
        warnings.push(format!("SMART: the drive expects to fail soon{because}; copy its data away"));
    }
    for (id, words) in RELOCATED {
        let count = data.and_then(|data| data.attribute(id)).map_or(0, Attribute::count);
        if count > 0 {
            warnings.push(format!("{words}: {count} {}", SmartAttribute::mark(id)));
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SMART data with these entries: number, flags, value, lowest byte of the raw value.
    fn data(entries: &[[u8; 4]]) -> SmartData {
        let mut page = [0; 512];
        for (at, [id, flags, value, raw]) in entries.iter().enumerate() {
            page[2 + at * 12..][..6].copy_from_slice(&[*id, *flags, 0, *value, *value, *raw]);
        }
        SmartData::decode(&page).expect("a page")
    }

    fn thresholds(entries: &[[u8; 2]]) -> SmartThresholds {
        let mut page = [0; 512];
        for (at, entry) in entries.iter().enumerate() {
            page[2 + at * 12..][..2].copy_from_slice(entry);
        }
        SmartThresholds::decode(&page).expect("a page")
    }

    #[test]
    fn blocks_that_were_lost_are_a_warning_and_worn_values_alone_are_none() {
        let data = data(&[[5, 0x33, 100, 12], [9, 0x32, 1, 200], [197, 0x12, 100, 0], [198, 0x10, 100, 1]]);
        let warnings = warnings(Some(&data), None, Some(false));
        assert_eq!(
            warnings,
            [
                "blocks were found bad and replaced by spare ones: 12 (SMART attribute 5)",
                "blocks could not be read or written, not even offline: 1 (SMART attribute 198)",
            ]
        );
    }

    #[test]
    fn a_drive_that_expects_to_fail_names_the_attributes_that_say_so() {
        // 5 is at its threshold; 9 is below, but is an old-age attribute; 1 never fails; 173 has no value; 200 is
        // above.
        let data = data(&[[5, 1, 36, 0], [9, 0, 1, 0], [1, 1, 1, 0], [173, 1, 0, 0], [200, 1, 51, 0]]);
        let thresholds = thresholds(&[[5, 36], [9, 10], [1, 0], [173, 5], [200, 50]]);
        let ids: Vec<u8> = failing(&data, &thresholds).iter().map(|attribute| attribute.id).collect();
        assert_eq!(ids, [5]);
        let said = warnings(Some(&data), Some(&thresholds), Some(true));
        let wanted = "SMART: the drive expects to fail soon: attribute 5 (Reallocated sectors); copy its data away";
        assert_eq!(said, [wanted]);
        let alone = warnings(None, None, Some(true));
        assert_eq!(alone, ["SMART: the drive expects to fail soon; copy its data away"]);
        assert!(warnings(None, None, None).is_empty());
    }

    #[test]
    fn thresholds_stand_beside_their_attributes() {
        let data = data(&[[5, 1, 100, 3], [194, 2, 64, 36]]);
        let found = attributes(&data, Some(&thresholds(&[[5, 36]])));
        let short: Vec<_> = found.iter().map(|one| (one.id, one.value, one.threshold, one.raw)).collect();
        assert_eq!(short, [(5, 100, 36, 3), (194, 64, 0, 36)]);
        assert_eq!(found[1].name, "Temperature");
    }
}
