//! The character devices of NVMe, and the block device that each of them refers to.
//!
//! `/dev/ng0n1` (the generic node) is another node of the namespace `/dev/nvme0n1`, and `/dev/nvme0` (the controller)
//! has namespaces. With native multipath, a namespace is below the subsystem, which holds links to its controllers
//! (drivers/nvme/host/multipath.c). A node is identified by its number, not by its name.

use std::fs;
use std::path::{Path, PathBuf};

use crate::block::folders::{is_controller_name, name_of, nvme_controller};
use crate::block::identity::node_named;
use crate::block::node::BlockNode;
use crate::error::DeviceError;
use crate::roots::{Roots, names, read_trim};

/// Kernel name of an NVMe character device, and of the namespaces that it leads to; `None` if it is no such device.
pub(crate) fn leads_to(roots: &Roots, number: (u32, u32)) -> Option<(String, Vec<String>)> {
    let folder = fs::canonicalize(roots.sys.join(format!("dev/char/{}:{}", number.0, number.1))).ok()?;
    let name = name_of(&folder);
    if let Some(rest) = name.strip_prefix("ng").filter(|rest| is_namespace(rest)) {
        let namespace = format!("nvme{rest}");
        return Some((name, vec![namespace]));
    }
    let namespaces = is_controller_name(&name).then(|| of_controller(roots, &name))?;
    Some((name, namespaces))
}

/// The block device that an NVMe character device refers to; `None` if it is no such device.
///
/// A controller with one namespace refers to that namespace; with none or several, no namespace is assumed.
pub(crate) fn namespace_of(roots: &Roots, path: &Path, number: (u32, u32)) -> Option<Result<BlockNode, DeviceError>> {
    let (name, namespaces) = leads_to(roots, number)?;
    let missing = |why: String| DeviceError::Missing { path: path.to_owned(), why };
    let node = |block: &str| {
        node_named(roots, block)
            .ok_or_else(|| missing(format!("it refers to {block}, which has no node in /dev; is it plugged in?")))
    };
    Some(match namespaces.as_slice() {
        [only] => node(only),
        [] => Err(missing(format!("{name} is an NVMe controller without a namespace; attach one first"))),
        many => Err(missing(format!(
            "{name} is an NVMe controller with {} namespaces; name one of them: {}",
            many.len(),
            many.iter().map(|name| format!("/dev/{name}")).collect::<Vec<_>>().join(", ")
        ))),
    })
}

/// The node of the controller of an NVMe disk (`/dev/nvme0` of `nvme0n1`), the first of several behind multipath;
/// `None` if the disk is not an NVMe namespace.
#[must_use]
pub fn controller_node(roots: &Roots, disk: &str) -> Option<PathBuf> {
    let controller = nvme_controller(&roots.sys.join("block").join(disk))?;
    Some(node_of(&controller))
}

/// The node of the controller with this sysfs folder.
pub(crate) fn node_of(controller: &Path) -> PathBuf {
    Path::new("/dev").join(name_of(controller))
}

/// Kernel names of the namespaces that a controller leads to. Hidden paths of a multipath namespace have no node.
fn of_controller(roots: &Roots, controller: &str) -> Vec<String> {
    let all = names(&roots.sys.join("class/block")).into_iter().map(|name| name.to_string_lossy().into_owned());
    let is_its = |name: &String| {
        if !is_namespace_name(name) {
            return false;
        }
        let folder = fs::canonicalize(roots.sys.join("class/block").join(name)).unwrap_or_default();
        let above = folder.parent().map(PathBuf::from).unwrap_or_default();
        folder.join("dev").exists() && (name_of(&above) == controller || above.join(controller).exists())
    };
    all.filter(is_its).collect()
}

/// Whether this is the kernel's name of a whole namespace: `nvme0n1`, not `nvme0n1p2`.
pub(crate) fn is_namespace_name(name: &str) -> bool {
    name.strip_prefix("nvme").is_some_and(is_namespace)
}

/// Kernel names of the other namespaces on the same drive: those next to it in sysfs, and, if the kernel does not
/// join the controllers of a drive (no native multipath), those of every controller of the same subsystem.
pub(crate) fn beside(roots: &Roots, node: &BlockNode) -> Vec<String> {
    let Some(above) = node.folder.parent() else { return Vec::new() };
    let all = names(above).into_iter().map(|name| name.to_string_lossy().into_owned());
    let mut found: Vec<String> =
        all.filter(|name| is_namespace_name(name) && above.join(name).join("dev").exists()).collect();
    let subsystem = |controller: &Path| read_trim(&controller.join("subsysnqn"));
    let own = nvme_controller(&node.folder).and_then(|controller| subsystem(&controller));
    let controllers = roots.sys.join("class/nvme");
    for name in names(&controllers) {
        if own.is_some() && subsystem(&controllers.join(&name)) == own {
            found.extend(of_controller(roots, &name.to_string_lossy()));
        }
    }
    found.retain(|name| *name != node.name);
    found.sort();
    found.dedup();
    found
}

/// `0n1`: digits, an n, digits.
fn is_namespace(rest: &str) -> bool {
    rest.split_once('n').is_some_and(|(controller, namespace)| is_number(controller) && is_number(namespace))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// sysfs with a controller nvme0 (character device 240:0), generic nodes, and the given namespaces: name and
    /// folder.
    fn tree(namespaces: &[(&str, &str)]) -> (tempfile::TempDir, Roots) {
        let folder = tempfile::tempdir().expect("a folder");
        let roots = Roots { sys: folder.path().join("sys"), proc: folder.path().join("proc") };
        let make = |place: &str, link: String| {
            let real = roots.sys.join("devices").join(place);
            fs::create_dir_all(&real).expect("a folder");
            let link = roots.sys.join(link);
            fs::create_dir_all(link.parent().expect("a parent")).expect("a folder");
            symlink(real, link).expect("a link");
        };
        make("pci/nvme/nvme0", "dev/char/240:0".to_owned());
        make("pci/nvme/nvme0/ng0n1", "dev/char/241:0".to_owned());
        make("mem/zero", "dev/char/1:5".to_owned());
        for (name, place) in namespaces {
            make(place, format!("class/block/{name}"));
            // No node of this machine has that number.
            fs::write(roots.sys.join("devices").join(place).join("dev"), "1048575:9\n").expect("a number");
        }
        (folder, roots)
    }

    fn first_namespace(roots: &Roots) -> BlockNode {
        BlockNode {
            path: "/dev/nvme0n1".into(),
            name: "nvme0n1".to_owned(),
            whole: "nvme0n1".to_owned(),
            number: (259, 0),
            folder: roots.sys.join("devices/pci/nvme/nvme0/nvme0n1"),
        }
    }

    fn said(roots: &Roots, major: u32) -> String {
        let found = namespace_of(roots, Path::new("/dev/x"), (major, 0)).expect("of NVMe");
        found.expect_err("there is no such node here").to_string()
    }

    #[test]
    fn a_generic_node_and_a_controller_with_one_namespace_stand_for_it() {
        let (_folder, roots) = tree(&[("nvme0n1", "pci/nvme/nvme0/nvme0n1"), ("nvme1n1", "pci/nvme/nvme1/nvme1n1")]);
        for major in [240, 241] {
            assert!(said(&roots, major).contains("it refers to nvme0n1"), "{}", said(&roots, major));
        }
        assert!(namespace_of(&roots, Path::new("/dev/zero"), (1, 5)).is_none());
        assert!(namespace_of(&roots, Path::new("/dev/x"), (7, 7)).is_none());
    }

    #[test]
    fn a_controller_with_several_namespaces_or_none_is_not_guessed_at() {
        let both = [("nvme0n1", "pci/nvme/nvme0/nvme0n1"), ("nvme0n2", "pci/nvme/nvme0/nvme0n2")];
        let (_folder, roots) = tree(&both);
        let text = said(&roots, 240);
        assert!(text.contains("2 namespaces") && text.contains("/dev/nvme0n1, /dev/nvme0n2"), "{text}");
        assert_eq!(beside(&roots, &first_namespace(&roots)), ["nvme0n2"]);
        let (_folder, roots) = tree(&[]);
        assert!(said(&roots, 240).contains("without a namespace"));
    }

    #[test]
    fn namespaces_of_another_controller_of_the_same_subsystem_lie_on_the_same_drive() {
        let (_folder, roots) = tree(&[
            ("nvme0n1", "pci/nvme/nvme0/nvme0n1"),
            ("nvme1n1", "pci/nvme/nvme1/nvme1n1"),
            ("nvme2n1", "pci/nvme/nvme2/nvme2n1"),
        ]);
        for (controller, nqn) in [("nvme0", "nqn.one"), ("nvme1", "nqn.one"), ("nvme2", "nqn.two")] {
            let folder = roots.sys.join("devices/pci/nvme").join(controller);
            for (name, text) in [("subsysnqn", nqn), ("transport", "pcie")] {
                fs::write(folder.join(name), text).expect("a file");
            }
            fs::create_dir_all(roots.sys.join("class/nvme")).expect("a folder");
            symlink(&folder, roots.sys.join("class/nvme").join(controller)).expect("a link");
            symlink(&folder, folder.join(format!("{controller}n1/device"))).expect("a link");
        }
        assert_eq!(beside(&roots, &first_namespace(&roots)), ["nvme1n1"]);
        fs::create_dir_all(roots.sys.join("block")).expect("a folder");
        for disk in ["nvme0n1", "nvme2n1"] {
            symlink(roots.sys.join("class/block").join(disk), roots.sys.join("block").join(disk)).expect("a link");
        }
        assert_eq!(controller_node(&roots, "nvme2n1"), Some(PathBuf::from("/dev/nvme2")));
        assert_eq!(controller_node(&roots, "sda"), None);
    }

    #[test]
    fn with_multipath_a_controller_leads_to_the_namespace_of_its_subsystem() {
        let (_folder, roots) = tree(&[("nvme3n1", "virtual/nvme-subsystem/nvme-subsys3/nvme3n1")]);
        let link = roots.sys.join("devices/virtual/nvme-subsystem/nvme-subsys3/nvme0");
        symlink(roots.sys.join("devices/pci/nvme/nvme0"), link).expect("a link");
        assert!(said(&roots, 240).contains("it refers to nvme3n1"), "{}", said(&roots, 240));
    }
}
