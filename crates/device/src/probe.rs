//! Everything that can be told of a target without changing it: for `drivelab targets`, `drivelab show` and the record
//! of a run.
//!
//! Puts together what the files beside it find: names and numbers, queues and interrupts, the way through PCIe,
//! temperatures, and the pages of the drive itself. What is refused or missing becomes a [`NotKnown`] and never an
//! error: a user without rights gets what can be known. Must not know how it is laid out.

mod ata;
mod find;
mod names;
mod nvme;
mod pcie;
mod queues;
mod rights;
mod temperatures;

use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::probe::{Health, NotKnown, RawPage, TargetProbe};

pub use find::{Found, find};

use crate::block_use::users;
use crate::guard;
use crate::named::BlockNode;
use crate::readable::device_chain;
use crate::roots::{Roots, names as entries, read_number};
use temperatures::Sensors;

/// How much to ask of a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// One line in a list: what sysfs says and the drive's health.
    Brief,
    /// All pages that it gives.
    Full,
}

/// Every disk that the kernel has and that holds something: no empty loop devices, no RAM disks.
#[must_use]
pub fn disks() -> Vec<BlockNode> {
    let roots = Roots::default();
    let block = roots.sys.join("block");
    let mut nodes: Vec<BlockNode> = entries(&block)
        .into_iter()
        .filter_map(|name| {
            let name = name.to_string_lossy().into_owned();
            // A path of a multipath namespace: the namespace itself is listed (Documentation of nvme's multipath).
            let hidden = read_number::<u8>(&block.join(&name).join("hidden")) == Some(1);
            let node = BlockNode::by_name(&roots, &name)?;
            let is_empty = node.size().get() == 0 && !name.starts_with("sd") && !name.starts_with("sr");
            (!hidden && !is_empty && !name.starts_with("ram")).then_some(node)
        })
        .collect();
    nodes.sort_by_key(|node| natural(&node.name));
    nodes
}

/// `nvme10n1` after `nvme9n1`.
fn natural(name: &str) -> (String, Vec<u64>) {
    let word: String = name.chars().take_while(|c| !c.is_ascii_digit()).collect();
    let numbers = name.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
    (word, numbers)
}

/// Looks at the drive below a target in full: the lowest device that has a model. Where none has one, it is the device
/// that was named (`named`), or the lowest one below a file.
#[must_use]
pub fn drive_below(devices: &[BlockDeviceFacts], named: bool) -> Option<TargetProbe> {
    let nameless = if named { devices.first() } else { devices.last() };
    let drive = devices.iter().rev().find(|device| device.model.is_some()).or(nameless)?;
    let node = BlockNode::by_name(&Roots::default(), &drive.name)?;
    Some(probe(&node, Depth::Full))
}

/// Looks at a device.
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

/// What the drive itself says, where it is of a kind that can be asked.
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

/// A page as it came.
fn raw_page(name: String, bytes: &[u8]) -> RawPage {
    let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let hex = bytes[..used].iter().map(|byte| format!("{byte:02x}")).collect();
    RawPage { name, hex, length: u32::try_from(bytes.len()).unwrap_or(u32::MAX) }
}
