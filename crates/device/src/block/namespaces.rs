//! Another namespace of the drive that a target is or lies on: its identity, and opening it for reading.
//!
//! Opens for reading only. Must not know what is read there, nor how a target becomes writable ([`crate::guard`]).

use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::namespace::OtherNamespace;

use crate::block::node::BlockNode;
use crate::block::nvme_node::{beside, is_namespace_name};
use crate::block::readable::{OpenedToRead, open_device_to_read};
use crate::roots::{Roots, read_number};

/// Another namespace of the drive, open for reading with direct I/O.
#[derive(Debug)]
pub struct OpenedNamespace {
    /// Its identity.
    pub namespace: OtherNamespace,
    /// The open namespace.
    pub opened: OpenedToRead,
}

/// Opens the other namespace of the drive below `devices` (the target's own devices, uppermost first): the one with
/// the smallest number among those that have a block device and are not the namespace below the target.
///
/// # Errors
/// Why there is none, as a sentence fragment.
pub fn open_other_namespace(devices: &[BlockDeviceFacts]) -> Result<OpenedNamespace, String> {
    let (name, nsid) = choose(&Roots::default(), devices)?;
    let node = BlockNode::by_name(&Roots::default(), &name).ok_or_else(|| format!("{name} has no node in /dev"))?;
    let opened = open_device_to_read(&node).map_err(|error| error.to_string())?;
    let facts = &opened.facts;
    if !facts.direct_io.supported {
        return Err(format!("{name} cannot be read past the page cache ({})", facts.direct_io.reason));
    }
    let (capacity, logical_block) = (facts.length, facts.direct_io.offset_align);
    Ok(OpenedNamespace { namespace: OtherNamespace { name, nsid, capacity, logical_block }, opened })
}

/// Kernel name and number of the other namespace.
fn choose(roots: &Roots, devices: &[BlockDeviceFacts]) -> Result<(String, u32), String> {
    let mut own = devices.iter().map(|device| device.name.as_str()).filter(|name| is_namespace_name(name));
    let tested = own.next().ok_or_else(|| match devices.last() {
        Some(device) => format!("{} is not a namespace of an NVMe drive ({})", device.name, device.transport),
        None => "no drive was found below the target".to_owned(),
    })?;
    if own.next().is_some() {
        return Err("the target lies on several namespaces".to_owned());
    }
    let unnumbered = || format!("the kernel does not say which namespace {tested} is (nsid)");
    let node = BlockNode::by_name(roots, tested).ok_or_else(unnumbered)?;
    let number = nsid(&node).ok_or_else(unnumbered)?;
    let beside = beside(roots, &node);
    let others = beside.iter().filter_map(|name| {
        let other = BlockNode::by_name(roots, name)?;
        let is_beside = other.folder.parent() == node.folder.parent();
        // A namespace may be reached through several controllers; the path that the target uses is then preferred.
        Some((nsid(&other)?, !is_beside, name))
            .filter(|(other_nsid, ..)| *other_nsid != number && other.size().get() > 0)
    });
    others.min().map(|(nsid, _, name)| (name.clone(), nsid)).ok_or_else(|| match beside.as_slice() {
        [] => format!("the drive of {tested} has no other namespace with a block device"),
        same => format!("{} is empty or the same namespace as {tested} by another path", same.join(", ")),
    })
}

/// The number of a namespace on its drive.
fn nsid(node: &BlockNode) -> Option<u32> {
    read_number(&node.folder.join("nsid")).filter(|nsid| *nsid > 0)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use drivelab_core::units::Bytes;

    use super::*;

    /// Namespaces as name, controller, number and 512-byte sectors; all controllers belong to one subsystem.
    fn tree(namespaces: &[(&str, &str, u32, u64)]) -> (tempfile::TempDir, Roots) {
        let folder = tempfile::tempdir().expect("a folder");
        let roots = Roots { sys: folder.path().join("sys"), proc: folder.path().join("proc") };
        for (at, (name, controller, nsid, sectors)) in namespaces.iter().enumerate() {
            let above = roots.sys.join("devices/pci/nvme").join(controller);
            let real = above.join(name);
            fs::create_dir_all(&real).expect("a folder");
            for (file, text) in [
                (above.join("subsysnqn"), "nqn.one".to_owned()),
                (above.join("transport"), "pcie".to_owned()),
                (real.join("nsid"), nsid.to_string()),
                (real.join("size"), sectors.to_string()),
                (real.join("dev"), format!("259:{at}")),
            ] {
                fs::write(file, text).expect("a file");
            }
            symlink(&above, real.join("device")).expect("a link");
            let link = |place: &str, to: &std::path::Path| {
                let place = roots.sys.join(place);
                fs::create_dir_all(place.parent().expect("a parent")).expect("a folder");
                let _ = symlink(to, place);
            };
            link(&format!("class/block/{name}"), &real);
            link(&format!("dev/block/259:{at}"), &real);
            link(&format!("class/nvme/{controller}"), &above);
        }
        (folder, roots)
    }

    fn below(names: &[&str]) -> Vec<BlockDeviceFacts> {
        let facts = |name: &&str| BlockDeviceFacts {
            name: (*name).to_owned(),
            partition: None,
            model: None,
            serial: None,
            firmware: None,
            capacity: Bytes::MIB,
            transport: "nvme".to_owned(),
            link: None,
            rotational: None,
            logical_block_size: Bytes::new(512),
            physical_block_size: Bytes::new(512),
            scheduler: None,
            nr_requests: None,
            write_cache: None,
            virtual_because: None,
            lies_on: Vec::new(),
            passes_on: None,
            encrypts: false,
            request_size: None,
        };
        names.iter().map(facts).collect()
    }

    fn chosen(namespaces: &[(&str, &str, u32, u64)], below_target: &[&str]) -> Result<(String, u32), String> {
        let (_folder, roots) = tree(namespaces);
        choose(&roots, &below(below_target))
    }

    #[test]
    fn the_smallest_other_number_is_taken_whatever_the_order_of_names() {
        let three = [("nvme0n1", "nvme0", 7, 8), ("nvme0n2", "nvme0", 9, 8), ("nvme0n3", "nvme0", 3, 8)];
        assert_eq!(chosen(&three, &["nvme0n1"]), Ok(("nvme0n3".to_owned(), 3)));
        assert_eq!(chosen(&three, &["nvme0n3"]), Ok(("nvme0n1".to_owned(), 7)));
        // Below an encryption layer, the namespace under it counts.
        assert_eq!(chosen(&three, &["dm-0", "nvme0n2"]), Ok(("nvme0n3".to_owned(), 3)));
    }

    #[test]
    fn another_path_to_the_tested_namespace_is_never_taken_and_neither_is_an_empty_one() {
        let two_ways = [("nvme0n1", "nvme0", 1, 8), ("nvme1n1", "nvme1", 1, 8)];
        let why = chosen(&two_ways, &["nvme0n1"]).expect_err("the same namespace");
        assert!(why.contains("nvme1n1") && why.contains("the same namespace as nvme0n1"), "{why}");
        let more = [two_ways[0], two_ways[1], ("nvme0n2", "nvme0", 2, 0), ("nvme1n4", "nvme1", 4, 8)];
        assert_eq!(chosen(&more, &["nvme0n1"]), Ok(("nvme1n4".to_owned(), 4)));
        // Through the target's own controller if there are two paths.
        let both = [two_ways[0], ("nvme0n2", "nvme0", 2, 8), two_ways[1], ("nvme1n2", "nvme1", 2, 8)];
        assert_eq!(chosen(&both, &["nvme1n1"]), Ok(("nvme1n2".to_owned(), 2)));
        assert_eq!(chosen(&both, &["nvme0n1"]), Ok(("nvme0n2".to_owned(), 2)));
    }

    #[test]
    fn what_has_none_says_why() {
        let one = [("nvme0n1", "nvme0", 1, 8)];
        assert!(chosen(&one, &["nvme0n1"]).is_err_and(|why| why.contains("no other namespace")));
        assert!(chosen(&one, &["sda"]).is_err_and(|why| why.contains("sda is not a namespace of an NVMe drive")));
        assert!(chosen(&one, &[]).is_err_and(|why| why.contains("no drive was found")));
        assert!(chosen(&one, &["md0", "nvme0n1", "nvme1n1"]).is_err_and(|why| why.contains("several namespaces")));
    }
}
