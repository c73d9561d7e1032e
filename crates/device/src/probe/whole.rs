//! The probe of a target: combines the results of the other files in this folder.

use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::probe::{Health, NotKnown, TargetProbe};

use super::depth::Depth;
use super::temperatures::Sensors;
use super::{ata, names, nvme, pcie, queues, rights};
use crate::block::block_use::users;
use crate::block::node::BlockNode;
use crate::block::readable::device_chain;
use crate::guard;
use crate::roots::Roots;

/// Probes the drive below a target in full: the lowest device that has a model. If none has one: the device that the
/// user named (`named`), or the lowest device below a file.
#[must_use]
pub fn drive_below(devices: &[BlockDeviceFacts], named: bool) -> Option<TargetProbe> {
    let nameless = if named { devices.first() } else { devices.last() };
    let drive = devices.iter().rev().find(|device| device.model.is_some()).or(nameless)?;
    let node = BlockNode::by_name(&Roots::default(), &drive.name)?;
    Some(probe(&node, Depth::Full))
}

/// Probes a device.
#[must_use]
pub fn probe(node: &BlockNode, depth: Depth) -> TargetProbe {
    let roots = Roots::default();
    let devices = device_chain(&roots, node);
    let used_by = users(&roots, node);
    let identity = names::identity(node);
    let mut not_known = Vec::new();
    let sensors = Sensors::of(&roots, node);
    let writing = guard::outlook(node, &used_by);
    let mut probe = TargetProbe {
        path: node.path.clone(),
        identity,
        used_by,
        writing,
        health: Health::Unknown,
        warnings: Vec::new(),
        temperatures: sensors.harmless(),
        queues: queues::of(&roots, node),
        pcie: pcie::of(node),
        nvme: None,
        ata: None,
        contradictions: Vec::new(),
        not_known: Vec::new(),
        raw: Vec::new(),
        devices,
    };
    pages(&mut probe, node, depth, &sensors, &mut not_known);
    not_known.extend(rights::lacking(&probe));
    probe.not_known = not_known;
    probe
}

/// The drive's own pages, if it is of a kind that can be asked.
fn pages(probe: &mut TargetProbe, node: &BlockNode, depth: Depth, sensors: &Sensors, not_known: &mut Vec<NotKnown>) {
    let transport = probe.devices.first().map(|device| device.transport.clone()).unwrap_or_default();
    if transport.starts_with("nvme") {
        nvme::ask(probe, node, depth, not_known);
    } else if ata::speaks(&transport, node, probe.identity.removable) {
        ata::ask(probe, node, depth, sensors, not_known);
    } else {
        not_known.extend(sensors.unasked(probe));
        not_known.extend(rights::without_health(probe, depth));
    }
}
