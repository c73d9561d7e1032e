//! The handles by which writes to an NVMe namespace can be placed (Flexible Data Placement; Base Specification 2.1).
//!
//! Owns what makes placing safe: a placed write addresses blocks of the whole namespace, so only a node of the whole
//! namespace, without metadata in its blocks, has handles here. Must not know loads, or how such a write is sent.
//! Only inspects.

use std::path::Path;

use drivelab_core::target::PlacementHandles;
use drivelab_core::units::Bytes;
use drivelab_nvme::{Controller, IoctlTransport, NvmeError, Transport};

use crate::block::node::BlockNode;
use crate::roots::read_number;

/// Largest command, in bytes: 65 separate pages, which every NVMe driver since Linux 2.6 accepts in one command
/// (NVME_MAX_SEGS).
const LARGEST_COMMAND: u64 = 256 << 10;

/// The handles of the namespace that a node refers to.
///
/// # Errors
/// Why its writes cannot be placed, as a sentence fragment.
pub fn placement_handles(node: &BlockNode) -> Result<PlacementHandles, String> {
    whole_namespace(node)?;
    let transport = IoctlTransport::open(&Path::new("/dev").join(&node.whole)).map_err(|error| error.to_string())?;
    let namespace = transport.namespace_id().map_err(|error| error.to_string())?;
    handles(node, namespace, transport)
}

/// Refuses a partition, or a layer over a drive: it begins elsewhere than the namespace whose blocks a command
/// addresses.
fn whole_namespace(node: &BlockNode) -> Result<(), String> {
    if node.is_partition() {
        let BlockNode { name, whole, .. } = node;
        return Err(format!("{name} is a partition: placed writes address the whole namespace, so name {whole}"));
    }
    if !node.name.starts_with("nvme") {
        return Err(format!("{} is not an NVMe drive, and only those have placement handles", node.name));
    }
    Ok(())
}

fn handles(node: &BlockNode, namespace: u32, transport: impl Transport) -> Result<PlacementHandles, String> {
    let name = &node.name;
    let controller = Controller::new(transport);
    let failed = |error: NvmeError| {
        if error.is_not_permitted() {
            format!("{name} cannot be queried for them: run drivelab as root ({error})")
        } else {
            format!("{name} does not report them ({error})")
        }
    };
    let format = controller.identify_namespace(namespace).map_err(failed)?.decoded;
    let format = format.block_format().ok_or_else(|| format!("{name} does not report the format of its blocks"))?;
    if format.metadata_bytes > 0 {
        return Err(format!("{name} has metadata in its blocks, and drivelab does not place such writes"));
    }
    let logical_block = format.data_bytes.unwrap_or(0);
    let status = controller.handle_status(namespace).map_err(|error| {
        if error.is_not_permitted() {
            failed(error)
        } else {
            format!("{name} has no Flexible Data Placement, or it is switched off")
        }
    })?;
    // In every configuration, the list of the first reclaim group's handles begins with number 0.
    let mut handles: Vec<u16> = status.decoded.handles.iter().map(|one| one.placement_identifier).collect();
    handles.sort_unstable();
    handles.dedup();
    let follow = (0..).zip(&handles).take_while(|(number, identifier)| number == *identifier).count();
    handles.truncate(follow);
    if handles.is_empty() {
        return Err(format!("the namespace of {name} has no placement handle"));
    }
    let queue: Option<u64> = read_number(&node.folder.join("queue/max_sectors_kb"));
    let largest = queue.map_or(logical_block, |kib| kib.saturating_mul(1024)).min(LARGEST_COMMAND);
    let largest_command = Bytes::new(largest).align_down(Bytes::new(logical_block.max(1)));
    Ok(PlacementHandles {
        device: node.number,
        namespace,
        logical_block: Bytes::new(logical_block),
        largest_command,
        handles,
    })
}

#[cfg(test)]
mod tests {
    //! A namespace of recorded pages: 4 KiB blocks, two reclaim groups with three handles each.

    use std::path::PathBuf;

    use drivelab_nvme::{RecordedTransport, Recording, Request, Status};

    use super::*;

    fn node(name: &str, whole: &str) -> BlockNode {
        let (path, folder) = (Path::new("/dev").join(name), PathBuf::from("/nonexistent"));
        BlockNode { path, name: name.to_owned(), whole: whole.to_owned(), number: (259, 7), folder }
    }

    /// Identify Namespace with blocks of 4 KiB and this many bytes of metadata in each.
    fn namespace(metadata: u8) -> Vec<u8> {
        let mut page = vec![0; 4096];
        page[0] = 1;
        (page[128], page[130]) = (metadata, 12);
        page
    }

    fn status(identifiers: &[u16]) -> Vec<u8> {
        let mut page = vec![0; 16 + 32 * identifiers.len()];
        page[14] = u8::try_from(identifiers.len()).unwrap();
        for (at, identifier) in identifiers.iter().enumerate() {
            page[16 + 32 * at..][..2].copy_from_slice(&identifier.to_le_bytes());
        }
        page
    }

    fn asked(metadata: u8, identifiers: &[u16]) -> Result<PlacementHandles, String> {
        let mut recording = Recording::default();
        recording.page(Request::Identify { cns: 0, nsid: 5 }, namespace(metadata));
        recording.page(Request::HandleStatus { nsid: 5 }, status(identifiers));
        handles(&node("nvme0n1", "nvme0n1"), 5, RecordedTransport::new(recording))
    }

    #[test]
    fn the_handles_of_the_first_reclaim_group_are_those_without_its_bits() {
        let known = asked(0, &[0, 0x4000, 1, 0x4001, 2, 0x4002]).unwrap();
        assert_eq!((known.handles.as_slice(), known.handles_text().as_str()), (&[0, 1, 2][..], "0 to 2"));
        assert_eq!((known.device, known.namespace, known.logical_block.get()), ((259, 7), 5, 4096));
        assert_eq!(known.largest_command.get(), 4096, "the kernel's transfer limit is unknown");
    }

    #[test]
    fn what_cannot_be_placed_says_why() {
        let why = |answer: Result<PlacementHandles, String>| answer.unwrap_err();
        assert!(why(asked(8, &[0, 1])).contains("has metadata in its blocks"));
        assert!(why(asked(0, &[])).contains("has no placement handle"));
        let mut off = Recording::default();
        off.page(Request::Identify { cns: 0, nsid: 5 }, namespace(0));
        off.refusal(Request::HandleStatus { nsid: 5 }, Status::new(0x4029));
        let off = handles(&node("nvme0n1", "nvme0n1"), 5, RecordedTransport::new(off));
        assert_eq!(why(off), "nvme0n1 has no Flexible Data Placement, or it is switched off");
        let part = why(placement_handles(&node("nvme0n1p1", "nvme0n1")));
        assert!(part.contains("nvme0n1p1 is a partition") && part.contains("name nvme0n1"), "{part}");
        let above = why(placement_handles(&node("dm-0", "dm-0")));
        assert_eq!(above, "dm-0 is not an NVMe drive, and only those have placement handles");
    }
}
