//! Is it what it claims to be, as far as reading shows? Names and numbers against those of its maker, its counters
//! against each other, its capacity, and blocks that repeat at another address.

use drivelab_core::content::RepeatSample;
use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::probe::{NvmeProbe, TargetProbe};
use drivelab_core::units::Bytes;

use super::answer::{Answer, Notes, Question, Sureness};
use super::known::Known;
use super::makers::{self, by_idema, odd_serial, sold_as};

/// Bytes per second that no present drive exceeds: a PCIe 5.0 link of four lanes. A slower link that it has now does
/// not count, because the drive may have worked behind a faster one.
const FASTEST: f64 = 16e9;
/// Endurance used, per cent, for which a drive must have been written at least once: 3 % of the 300 or more drive
/// writes that makers allow are 9.
const USED_PERCENT: u8 = 3;
/// Shortest distance at which repeats mean wrapped addresses: no drive is sold that holds less, while programs do write
/// the same MiB repeatedly.
const LEAST_WRAP: Bytes = Bytes::new(128 << 20);
/// Fewest different blocks that must repeat.
const LEAST_REPEATS: u32 = 4;
/// Share of the pairs that must be equal: not all, because a wrapped address holds only what was written last.
const REPEAT_SHARE: f64 = 0.75;

pub(super) fn answer(known: &Known<'_>) -> Answer {
    let mut notes = Notes::default();
    let wrapped = known.content().and_then(|content| wraps(&content.repeats));
    if let Some(row) = wrapped {
        let (same, compared) = (row.same, row.compared);
        notes.figure("blocks that repeat", f64::from(same), None, "");
        notes.bad(format!(
            "it seems to hold no more than {}: {same} of {compared} blocks repeat exactly {} further on",
            row.distance.about(),
            row.distance.about()
        ));
    }
    if let Some(why) = known.layer().filter(|_| wrapped.is_none()) {
        let how = "Name the drive itself, on the machine that it is installed in.";
        return notes.unknown(Question::Genuine, &why, how);
    }
    if let Some((probe, device)) = known.probe.zip(known.device()).filter(|_| known.layer().is_none()) {
        names(probe, device, &mut notes);
        capacity(known, device, &mut notes);
        counters(probe, device, &mut notes);
    }
    content(known, wrapped.is_some(), &mut notes);
    let good =
        "As far as reading shows, it is what it claims to be; only writing it all and reading it back can prove that.";
    let because = "reading cannot show that flash is missing; `drivelab run genuine` writes and reads back, but \
                   destroys what the drive holds";
    let action = "Ask for proof before you pay: `drivelab run genuine` writes the drive and reads it back.";
    let sureness = if wrapped.is_some() { Sureness::Likely } else { Sureness::Hint };
    notes.answer(Question::Genuine, good, (sureness, because), action)
}

/// Model, maker and serial number.
fn names(probe: &TargetProbe, device: &BlockDeviceFacts, notes: &mut Notes) {
    let model = device.model.as_deref().unwrap_or_default().trim();
    if model.is_empty() {
        notes.beware("it reports no model name");
    }
    let serial = device.serial.as_deref().unwrap_or_default().trim();
    match odd_serial(serial) {
        // Without permission, or behind a bridge, there may be none to read.
        Some(_) if serial.is_empty() => notes.saw("no serial number could be read"),
        Some(why) => notes.beware(format!("its serial number {serial} is not one that makers give: {why}")),
        None => notes.saw(format!("serial number {serial}")),
    }
    let Some((maker, nvme)) = makers::of_model(model).zip(probe.nvme.as_ref()) else { return };
    maker_numbers(maker, nvme, notes);
}

fn maker_numbers(maker: &makers::Maker, nvme: &NvmeProbe, notes: &mut Notes) {
    let vendor = nvme.controller.vendor_id;
    if maker.vendors.contains(&vendor) {
        notes.saw(format!("its PCI vendor number {vendor:04x} is one of {}", maker.name));
    } else if vendor != 0 {
        let whose = makers::of_vendor(vendor).map_or_else(String::new, |name| format!(", which is {name}'s"));
        notes.bad(format!(
            "it claims to be a drive of {}, but its PCI vendor number is {vendor:04x}{whose}",
            maker.name
        ));
    }
    let eui = nvme.namespaces.iter().find_map(|namespace| namespace.eui64.as_deref());
    let company = eui.and_then(|eui| eui.get(..6)).map(str::to_lowercase).filter(|company| company != "000000");
    if let Some(company) = company {
        let known = maker.companies.contains(&company.as_str());
        let words = if known { "one of" } else { "not a known one of" };
        notes.saw(format!("its world-wide name begins with {company}, {words} {}", maker.name));
    }
}

/// Whether drives are sold with this capacity, by the facts of the model and in general.
fn capacity(known: &Known<'_>, device: &BlockDeviceFacts, notes: &mut Notes) {
    let bytes = device.capacity;
    if let Some(facts) = known.facts.filter(|facts| !facts.capacities.is_empty()) {
        let sold: Vec<&str> = facts.capacities.iter().map(|one| one.capacity.text.as_str()).collect();
        if facts.capacity(bytes).is_some() {
            notes.saw(format!("{} is sold with {}", facts.title, bytes.about()));
        } else {
            let (title, sold) = (&facts.title, sold.join(", "));
            notes.beware(format!("it reports {}, but {title} is sold with {sold}", bytes.about()));
        }
    }
    match (by_idema(bytes.get()), sold_as(bytes.get())) {
        (Some(gigabytes), Some(_)) => {
            notes.saw(format!("its capacity is exactly what the makers' common rule gives for {gigabytes} GB"));
        }
        (_, Some(gigabytes)) => notes.saw(format!("its capacity is near {gigabytes} GB, which is a usual size")),
        (_, None) => notes.beware(format!(
            "no drives are sold with {} bytes (a namespace that was made smaller would explain it)",
            bytes.get()
        )),
    }
}

/// Counters that contradict each other: some were reset, or they are not kept.
fn counters(probe: &TargetProbe, device: &BlockDeviceFacts, notes: &mut Notes) {
    for found in &probe.contradictions {
        notes.beware(format!("its own figures contradict each other: {} ({})", found.what, found.evidence));
    }
    let Some(health) = probe.nvme.as_ref().and_then(|nvme| nvme.health.as_ref()) else { return };
    let fastest = device.link.as_ref().and_then(|link| link.bytes_per_second).unwrap_or(FASTEST).max(FASTEST);
    let moved = health.read.as_f64() + health.written.as_f64();
    // The hour that has begun counts as one.
    let most = (health.power_on_hours as f64 + 1.0) * 3600.0 * 2.0 * fastest;
    if moved > most {
        notes.beware(format!(
            "it counts {} read and {} written in {} power-on hours, more than any link carries: its hours were reset \
             or are not counted",
            health.read.about(),
            health.written.about(),
            health.power_on_hours
        ));
    }
    if health.used_percent >= USED_PERCENT && health.written < device.capacity {
        notes.beware(format!(
            "{} % of its endurance is used, but it counts only {} written: its counters were reset or are not kept",
            health.used_percent,
            health.written.about()
        ));
    }
}

/// The shortest distance from which nearly every block repeats, if wrapped addresses can have that distance.
pub(super) fn wraps(repeats: &[RepeatSample]) -> Option<&RepeatSample> {
    let comes_again = |row: &&RepeatSample| {
        row.compared >= LEAST_REPEATS
            && row.distinct >= LEAST_REPEATS
            && f64::from(row.same) >= REPEAT_SHARE * f64::from(row.compared)
    };
    repeats.iter().find(comes_again).filter(|row| row.distance >= LEAST_WRAP)
}

fn content(known: &Known<'_>, wrapped: bool, notes: &mut Notes) {
    let Some(content) = known.content() else {
        notes.saw("nothing was read from it");
        return;
    };
    let data = content.places.iter().filter(|place| place.holds_data()).count();
    let places = content.places.len();
    let others = if data < places { "; the others read as 00 or FF: never written, or discarded" } else { "" };
    notes.saw(format!("{data} of {places} places hold data{others}"));
    let compared: u32 = content.repeats.iter().map(|row| row.compared).sum();
    if !wrapped && compared > 0 {
        notes.saw(format!("{compared} pairs of blocks at power-of-two distances differ, as they should"));
    }
    if compared == 0 {
        notes.saw("too little data to see whether addresses wrap");
    }
}
