//! The disks that the kernel shows.

use crate::block::node::BlockNode;
use crate::roots::{Roots, names as entries, read_number};

/// Every disk that the kernel shows and that is not empty: no empty loop devices, no RAM disks.
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

/// Sort key: `nvme10n1` after `nvme9n1`.
fn natural(name: &str) -> (String, Vec<u64>) {
    let word: String = name.chars().take_while(|c| !c.is_ascii_digit()).collect();
    let numbers = name.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
    (word, numbers)
}
