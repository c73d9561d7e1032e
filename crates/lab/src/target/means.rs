//! Capabilities of target, drive and host that methodologies require (`requires`), as far as they are known before a
//! run.
//!
//! Only capabilities that are known to be missing are named: if a page cannot be read, the requirement counts as met,
//! and the run itself reports the problem. The drive is asked only if the methodology requires something of it.

use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::probe::{NvmeProbe, TargetProbe};
use drivelab_device::{Roots, open_other_namespace, takes_discards};
use drivelab_method::{Capability, Ground, Means, Methodology};

use crate::order::telemetry::Telemetry;
use crate::target::placing;
use crate::target::site::Site;

/// The capabilities at a site.
#[must_use]
pub(crate) fn of(site: &Site, methodology: &Methodology, telemetry: Option<&Telemetry>) -> Means {
    let is_device = site.is_block_device();
    let mut lacks = Vec::new();
    let mut other_namespace = None;
    if methodology.asks_for_capabilities() {
        let drive = drive_of(site.below());
        let probe = drivelab_device::probe::drive_below(drive, is_device);
        for one in Capability::ALL {
            lacks.extend(lack(one, drive, probe.as_ref(), telemetry).map(|why| (one, why)));
        }
    }
    if methodology.asks_for_other_namespace() {
        match open_other_namespace(drive_of(site.below())) {
            Ok(found) => other_namespace = Some(found.namespace),
            Err(why) => lacks.push((Capability::OtherNamespace, why)),
        }
    }
    Means {
        ground: Some(if is_device { Ground::BlockDevice } else { Ground::File }),
        folder: Some(site.place.as_folder().is_some()),
        lacks,
        placement_handles: methodology.asks_for_placement().then(|| placing::handles(&*site.place)),
        free: site.room(),
        root: Some(rustix::process::geteuid().is_root()),
        read_only: None,
        time: None,
        logical_block: None,
        other_namespace,
    }
}

/// The devices down to the drive that is meant: a named loop device stands for itself, wherever its file lies.
pub(crate) fn drive_of((devices, is_device): (&[BlockDeviceFacts], bool)) -> &[BlockDeviceFacts] {
    let is_loop = is_device && devices.first().is_some_and(|device| device.transport == "loop");
    if is_loop { &devices[..1] } else { devices }
}

/// Why a capability is known to be missing, as a sentence fragment.
fn lack(
    what: Capability,
    devices: &[BlockDeviceFacts],
    probe: Option<&TargetProbe>,
    telemetry: Option<&Telemetry>,
) -> Option<String> {
    let name = devices.last().map_or("the target", |device| device.name.as_str());
    let nvme = probe.and_then(|probe| probe.nvme.as_ref());
    let of_nvme = |missing: &dyn Fn(&NvmeProbe) -> bool, words: &str| match nvme {
        Some(nvme) => missing(nvme).then(|| format!("{name} {words}")),
        None => not_nvme(devices),
    };
    match what {
        Capability::Nvme => not_nvme(devices),
        Capability::Discard => {
            let refuses = |device: &&BlockDeviceFacts| takes_discards(&Roots::default(), &device.name) == Some(false);
            devices.iter().find(refuses).map(|device| format!("{} does not support discards", device.name))
        }
        Capability::Temperature => {
            let by_file = telemetry.is_some_and(|telemetry| telemetry.temperature_file.is_some());
            let told = by_file || probe.is_some_and(|probe| !probe.temperatures.is_empty());
            (!told).then(|| {
                "nothing reports the drive's temperature (--temperature-file connects a thermometer)".to_owned()
            })
        }
        Capability::Power => {
            let told = telemetry.is_some_and(|telemetry| {
                telemetry.power_log || telemetry.power_command.is_some() || telemetry.power_file.is_some()
            });
            let how = "--power-command or --power-file connects a meter, --power-log asks the drive";
            (!told).then(|| format!("nothing reports the drive's power ({how})"))
        }
        Capability::Smart => {
            let tells = nvme.is_some() || probe.is_some_and(|probe| probe.ata.is_some());
            let unknown = devices.iter().any(|device| matches!(device.transport.as_str(), "nvme" | "sata"));
            (!tells && !unknown).then(|| format!("{name} has no health log"))
        }
        Capability::PowerStates => of_nvme(&|nvme| nvme.power_states.len() < 2, "has only one power state"),
        Capability::EnduranceLog => of_nvme(&|nvme| nvme.endurance_groups.is_empty(), "has no endurance group log"),
        Capability::OcpLog => of_nvme(&|nvme| nvme.ocp.is_none(), "has no OCP health log"),
        Capability::Fdp => {
            let off = |nvme: &NvmeProbe| nvme.fdp.as_ref().is_none_or(|fdp| fdp.enabled == Some(false));
            of_nvme(&off, "has no Flexible Data Placement, or it is switched off")
        }
        // Checked where the opened namespace is stored.
        Capability::OtherNamespace => None,
    }
}

/// Why the drive is not an NVMe drive; `None` if it is one, even if it could not be asked.
fn not_nvme(devices: &[BlockDeviceFacts]) -> Option<String> {
    if devices.iter().any(|device| device.transport == "nvme" || device.name.starts_with("nvme")) {
        return None;
    }
    let device = devices.last();
    Some(match device {
        Some(device) => format!("{} is not an NVMe drive ({})", device.name, device.transport),
        None => "no drive was found below the target".to_owned(),
    })
}
