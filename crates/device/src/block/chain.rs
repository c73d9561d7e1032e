//! Block devices from sysfs: the device that holds a file system, and the devices below it, down to the drive.
//!
//! From Documentation/ABI/stable/sysfs-block: partitions are folders inside their disk; `slaves/` leads from dm, md
//! and bcache downwards; `loop/backing_file` leads from a loop device to a file and so to the device below it. Must
//! not know how a path was resolved to its device ([`crate::place::target`]).

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use drivelab_core::environment::{BlockDeviceFacts, LinkFacts};
use drivelab_core::units::Bytes;

use crate::block::folders::{backing_file, name_of, nvme_controller, whole_name, whole_of};
use crate::block::identify::{identity, transport, virtual_because};
use crate::block::layers::{encrypts, passes_on};
use crate::block::link;
use crate::proc_text::{SECTOR, bracketed};
use crate::roots::{names, read_number, read_trim};

/// Bytes of a page, the smallest segment of a request.
const PAGE: u64 = 4096;
/// Pages that fit into one direct I/O operation in the kernel (`BIO_MAX_VECS`).
const DIRECT_PAGES: u64 = 256;
/// Most devices below a file system that are followed (a loop in damaged sysfs text must end).
const MOST_DEVICES: usize = 64;

/// Facts about the devices in `start` and everything below them, uppermost first, each whole device once.
/// `devices_of_file` finds the folders of the devices that hold a file (for loop devices).
pub(crate) fn chain(start: Vec<PathBuf>, devices_of_file: &dyn Fn(&Path) -> Vec<PathBuf>) -> Vec<BlockDeviceFacts> {
    let mut waiting = VecDeque::from(start);
    let mut found: Vec<BlockDeviceFacts> = Vec::new();
    while let Some(folder) = waiting.pop_front() {
        let name = whole_name(&folder);
        if found.len() == MOST_DEVICES || found.iter().any(|device| device.name == name) {
            continue;
        }
        let below = below(&folder, devices_of_file);
        let mut facts = facts(&folder);
        facts.passes_on = passes_on(whole_of(&folder).0, &below);
        for device in &below {
            let name = whole_name(device);
            if !facts.lies_on.contains(&name) {
                facts.lies_on.push(name);
            }
        }
        found.push(facts);
        waiting.extend(below);
    }
    found
}

/// Folders of the devices directly below this one.
fn below(folder: &Path, devices_of_file: &dyn Fn(&Path) -> Vec<PathBuf>) -> Vec<PathBuf> {
    let whole = whole_of(folder).0;
    let slaves = whole.join("slaves");
    let mut below: Vec<PathBuf> =
        names(&slaves).into_iter().filter_map(|name| fs::canonicalize(slaves.join(name)).ok()).collect();
    if let Some(file) = backing_file(whole) {
        below.extend(devices_of_file(&file));
    }
    below
}

/// Facts about the whole device that `folder` is, or is a part of; `lies_on` and `passes_on` are left empty.
fn facts(folder: &Path) -> BlockDeviceFacts {
    let (whole, partition) = whole_of(folder);
    let name = name_of(whole);
    let controller = nvme_controller(whole);
    let nvme_transport = controller.as_ref().and_then(|folder| read_trim(&folder.join("transport")));
    let transport = transport(&name, &whole.to_string_lossy(), nvme_transport.as_deref());
    let identity = identity(whole);
    let queue = whole.join("queue");
    let bytes = |attribute: &str| read_number(&queue.join(attribute)).map_or(Bytes::new(SECTOR), Bytes::new);
    let sectors: u64 = read_number(&whole.join("size")).unwrap_or(0);
    BlockDeviceFacts {
        virtual_because: virtual_because(&transport, identity.model.as_deref()),
        link: link_of(whole, &transport, controller.as_deref()),
        model: identity.model,
        serial: identity.serial,
        firmware: identity.firmware,
        capacity: Bytes::new(sectors.saturating_mul(SECTOR)),
        rotational: read_number::<u8>(&queue.join("rotational")).map(|value| value != 0),
        logical_block_size: bytes("logical_block_size"),
        physical_block_size: bytes("physical_block_size"),
        scheduler: read_trim(&queue.join("scheduler")).and_then(|text| bracketed(&text)),
        nr_requests: read_number(&queue.join("nr_requests")),
        write_cache: read_trim(&queue.join("write_cache")),
        lies_on: Vec::new(),
        passes_on: None,
        encrypts: encrypts(whole),
        request_size: request_size(&queue),
        partition,
        transport,
        name,
    }
}

/// Largest operation that is never split, by the limits of the device's queue: the size of a request, its segments
/// (each may be a single page), and the pages of one direct I/O operation in the kernel.
fn request_size(queue: &Path) -> Option<Bytes> {
    let kib: u64 = read_number(&queue.join("max_sectors_kb"))?;
    let pieces: u64 = read_number(&queue.join("max_segments"))?;
    let borders: u64 = read_number(&queue.join("chunk_sectors")).unwrap_or(0);
    let most = (kib * 1024).min(pieces.saturating_mul(PAGE)).min(DIRECT_PAGES * PAGE);
    (borders == 0 && most > 0).then_some(Bytes::new(most))
}

/// Links are read only if the device itself is attached to them; a hypervisor's own ports mean nothing.
fn link_of(whole: &Path, transport: &str, controller: Option<&Path>) -> Option<LinkFacts> {
    match transport {
        "nvme" => link::pcie(controller.unwrap_or(whole)),
        "sata" => link::sata(whole),
        "usb" => link::usb(whole),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
