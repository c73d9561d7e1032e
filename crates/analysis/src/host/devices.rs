//! Findings about a block device below the target.

use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::finding::Finding;

use super::words as text;

/// Transports of devices that are layers above other devices.
const LAYERS: [&str; 3] = ["loop", "device-mapper", "md"];

/// Everything about a device that may change figures or their meaning.
pub(crate) fn device_findings(device: &BlockDeviceFacts) -> Vec<Finding> {
    let fast = device.transport == "nvme";
    let scheduler = device.scheduler.as_deref().filter(|scheduler| fast && *scheduler != "none");
    let link = device.link.as_ref();
    let possible = link.and_then(|link| Some((link, link.possible.as_deref()?)));
    let below = possible.filter(|(link, possible)| link.negotiated != *possible);
    let layer = LAYERS.contains(&device.transport.as_str()) || !device.lies_on.is_empty();
    let findings = [
        device.virtual_because.as_deref().map(|because| text::virtual_disk(&device.name, because)),
        layer.then(|| text::stacked_device(device)),
        below.map(|(link, possible)| text::link_below_possible(&device.name, link, possible)),
        scheduler.map(|scheduler| text::scheduler(&device.name, scheduler)),
    ];
    findings.into_iter().flatten().collect()
}
