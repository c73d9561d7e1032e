//! Asks an ATA drive for its pages: its identity, its SMART data, its own verdict.
//!
//! Owns which commands are sent, in which order, and how a refusal is handled: missing permission is reported once; a
//! drive in standby is left in standby (its kernel sensor is not read either, because that sends a command); a bridge
//! that passes nothing on is not reported. The conversion of the pages to common units is in `facts`.

mod facts;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;

use drivelab_ata::{
    AtaCommand, AtaDrive, AtaError, AtaTransport, Checksum, IdentifyDevice, PowerMode, SgIoTransport, SmartData,
    SmartThresholds, Verdict,
};
use drivelab_core::probe::{Contradiction, Health, NotKnown, RawPage, TargetProbe, Temperature};

use super::depth::{Depth, raw_page};
use super::temperatures::{Platters, Sensors, may_rotate};
use crate::block::folders::whole_of;
use crate::block::node::BlockNode;
use crate::roots::{Roots, read_trim};

/// What is missing if SMART cannot be read.
const SMART: &str = "SMART data";
/// The kernel's copy of IDENTIFY DEVICE from when the drive was found; every user may read it (libata builds this
/// SCSI page for each ATA drive: SAT-4, page 89h).
const KERNELS_COPY: &str = "device/vpd_pg89";

/// Whether a device is asked with ATA commands. Drives behind SAS adapters are, if the adapter identifies them as
/// ATA. USB drives are, if they are not removable, because sticks and card readers may fail on unknown commands (udev
/// asks the same devices).
pub(super) fn speaks(transport: &str, node: &BlockNode, is_removable: bool) -> bool {
    let vendor = || read_trim(&whole_of(&node.folder).0.join("device/vendor"));
    let is_disk = node.whole.starts_with("sd");
    match transport {
        "sata" => is_disk,
        "usb" => is_disk && !is_removable,
        "scsi" => is_disk && vendor().is_some_and(|vendor| vendor == "ATA"),
        _ => false,
    }
}

/// Asks the drive, and stores its answers.
pub(super) fn ask(
    probe: &mut TargetProbe,
    node: &BlockNode,
    depth: Depth,
    sensors: &Sensors,
    not_known: &mut Vec<NotKnown>,
) {
    let whole = BlockNode::by_name(&Roots::default(), &node.whole).unwrap_or_else(|| node.clone());
    // A bridge may well pass nothing on; this is worth a message only on a native ATA link.
    let is_own_wire = probe.devices.first().is_some_and(|device| device.transport == "sata");
    let mut asking = Asking { raw: Vec::new(), not_known: Vec::new(), barred: false, is_own_wire };
    match SgIoTransport::open(&whole.path) {
        Ok(transport) => look(probe, &AtaDrive::new(transport), &whole.folder, depth, sensors, &mut asking),
        Err(error) => {
            asking.refused(SMART, &error);
            asking.not_known.extend(sensors.unasked(probe));
            if depth == Depth::Full {
                copy(probe, &whole.folder, &mut asking);
            }
        }
    }
    probe.raw.append(&mut asking.raw);
    not_known.append(&mut asking.not_known);
}

/// The questions, and those without an answer.
struct Asking {
    raw: Vec<RawPage>,
    not_known: Vec<NotKnown>,
    /// Nothing can be asked here; this is reported once.
    barred: bool,
    /// The drive is on a native ATA link, not behind a bridge.
    is_own_wire: bool,
}

impl Asking {
    /// The answer; `None` if there is none, which is reported if it matters.
    fn value<D>(&mut self, what: &str, ask: impl FnOnce() -> Result<D, AtaError>) -> Option<D> {
        if self.barred {
            return None;
        }
        ask().map_err(|error| self.refused(what, &error)).ok()
    }

    fn refused(&mut self, what: &str, error: &AtaError) {
        // Without permission, or behind a bridge that passes nothing on, the other commands would fail too.
        let is_general = error.is_not_permitted() || error.is_not_passed_on();
        let what = if is_general { SMART } else { what };
        self.barred |= is_general;
        if self.is_own_wire || error.is_not_permitted() {
            let (text, how) = (error.to_string(), error.remedy());
            let why = text.strip_suffix(&how).map_or(text.as_str(), |why| why.trim_end_matches([' ', ';', ':']));
            self.missing(what, why.to_owned(), how);
        }
    }

    fn missing(&mut self, what: &str, why: String, how: String) {
        self.not_known.push(NotKnown { what: what.to_owned(), why, how });
    }

    fn keep(&mut self, command: AtaCommand, page: &[u8]) {
        self.raw.push(raw_page(command.page_name().to_owned(), page));
    }
}

/// Asks a drive that is reachable.
fn look<T: AtaTransport>(
    probe: &mut TargetProbe,
    drive: &AtaDrive<T>,
    folder: &Path,
    depth: Depth,
    sensors: &Sensors,
    asking: &mut Asking,
) {
    let mut identify = None;
    if depth == Depth::Full {
        identify = asking.value("the drive's identity", || drive.identify()).map(|page| {
            asking.keep(AtaCommand::IdentifyDevice, &page.raw);
            page.decoded
        });
        match &identify {
            Some(identify) => described(probe, identify),
            None => copy(probe, folder, asking),
        }
    }
    let platters = platters(probe, drive, asking);
    if platters == Platters::Awake {
        sensors.read_waking(probe);
    }
    if may_ask_smart(probe, platters, identify.as_ref(), asking) {
        smart(probe, drive, asking);
    }
    if platters == Platters::Unknown {
        asking.not_known.extend(sensors.unread(probe));
    }
}

/// Asks for SMART data, thresholds and the verdict.
fn smart<T: AtaTransport>(probe: &mut TargetProbe, drive: &AtaDrive<T>, asking: &mut Asking) {
    let data = asking.value(SMART, || drive.smart_data()).map(|page| {
        asking.keep(AtaCommand::SmartData, &page.raw);
        page.decoded
    });
    // The command is obsolete: a drive without it lacks only thresholds.
    let thresholds = if asking.barred { None } else { drive.smart_thresholds().ok() }.map(|page| {
        asking.keep(AtaCommand::SmartThresholds, &page.raw);
        page.decoded
    });
    let verdict = verdict(drive, data.as_ref(), thresholds.as_ref(), asking);
    judged(probe, data.as_ref(), thresholds.as_ref(), verdict);
}

/// The kernel's copy of the drive's identity, for a drive that cannot be asked.
fn copy(probe: &mut TargetProbe, folder: &Path, asking: &mut Asking) {
    let Ok(page) = fs::read(folder.join(KERNELS_COPY)) else { return };
    let Ok((identify, raw)) = IdentifyDevice::decode_vpd(&page) else { return };
    asking.keep(AtaCommand::IdentifyDevice, &raw);
    described(probe, &identify);
    asking.missing(
        "whether its write cache and its locks have changed",
        "this is the drive's identity from when the kernel found it; it could not be asked again".to_owned(),
        String::new(),
    );
}

/// The facts in IDENTIFY DEVICE.
fn described(probe: &mut TargetProbe, identify: &IdentifyDevice) {
    let mut contradiction = |what: &str, evidence: String| {
        probe.contradictions.push(Contradiction { what: what.to_owned(), evidence });
    };
    if identify.checksum == Checksum::Wrong {
        let evidence = "the bytes of its IDENTIFY DEVICE page do not match its checksum (word 255)".to_owned();
        contradiction("the drive's identity", evidence);
    }
    let by_kernel = probe.devices.first().map_or(0, |device| device.capacity.get());
    let own = identify.capacity_bytes();
    if by_kernel != 0 && by_kernel != own {
        contradiction("its capacity", format!("the drive reports {own} bytes, the kernel {by_kernel}"));
    }
    probe.ata = Some(facts::drive(identify));
}

/// Whether the platters are at rest: asks the drive (CHECK POWER MODE) if it may have platters.
fn platters<T: AtaTransport>(probe: &TargetProbe, drive: &AtaDrive<T>, asking: &Asking) -> Platters {
    if !may_rotate(probe) {
        return Platters::Awake;
    }
    let mode = if asking.barred { None } else { drive.power_mode().ok() };
    match mode {
        Some(PowerMode::Standby) => Platters::StandStill,
        Some(_) => Platters::Awake,
        None => Platters::Unknown,
    }
}

/// Whether SMART is supported, enabled, and readable without starting platters at rest.
fn may_ask_smart(
    probe: &TargetProbe,
    platters: Platters,
    identify: Option<&IdentifyDevice>,
    asking: &mut Asking,
) -> bool {
    if let Some(identify) = identify.filter(|identify| !identify.smart_enabled) {
        let (why, how) = if identify.smart_supported {
            ("SMART is turned off in the drive", format!("smartctl --smart=on {}", probe.path.display()))
        } else {
            ("the drive does not have SMART", String::new())
        };
        asking.missing(SMART, why.to_owned(), how);
        return false;
    }
    if platters == Platters::StandStill {
        let why = "the drive is in standby, and reading it would start it".to_owned();
        asking.missing(SMART, why, "read something from the drive first, and try again".to_owned());
        return false;
    }
    !asking.barred
}

/// Whether the drive expects to fail: by its own verdict, or, if it gives none, by its pre-failure attributes and
/// their thresholds, which the verdict summarises.
fn verdict<T: AtaTransport>(
    drive: &AtaDrive<T>,
    data: Option<&SmartData>,
    thresholds: Option<&SmartThresholds>,
    asking: &mut Asking,
) -> Option<bool> {
    if asking.barred {
        return None;
    }
    let error = match drive.smart_status() {
        Ok(verdict) => return Some(verdict == Verdict::Failing),
        Err(error) => error,
    };
    if let (Some(data), Some(thresholds)) = (data, thresholds)
        && !facts::failing(data, thresholds).is_empty()
    {
        return Some(true);
    }
    if asking.is_own_wire {
        asking.missing("SMART verdict", error.to_string(), String::new());
    }
    None
}

/// The facts in SMART.
fn judged(
    probe: &mut TargetProbe,
    data: Option<&SmartData>,
    thresholds: Option<&SmartThresholds>,
    verdict: Option<bool>,
) {
    if let (Some(ata), Some(data)) = (&mut probe.ata, data) {
        ata.attributes = facts::attributes(data, thresholds);
    }
    if let Some(ata) = &mut probe.ata {
        ata.smart_failing = verdict;
    }
    probe.warnings.extend(facts::warnings(data, thresholds, verdict));
    if verdict.is_some() || data.is_some() {
        probe.health = if probe.warnings.is_empty() { Health::Good } else { Health::Warning };
    }
    if let Some(data) = data.filter(|data| data.checksum == Checksum::Wrong) {
        let evidence = format!("the bytes of its page of {} attributes do not add up to 0", data.attributes.len());
        probe.contradictions.push(Contradiction { what: SMART.to_owned(), evidence });
    }
    if let Some(celsius) = data.and_then(SmartData::temperature_c).filter(|_| probe.temperatures.is_empty()) {
        let (sensor, source) = ("Drive".to_owned(), SMART.to_owned());
        probe.temperatures.push(Temperature { sensor, celsius: f64::from(celsius), source });
    }
}
