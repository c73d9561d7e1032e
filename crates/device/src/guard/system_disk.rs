//! The disks that the running system is on: never written, whatever the user named.
//!
//! From the mounts of the system's own places (`/`, `/usr`, `/var`, `/boot` and so on), as this process and as
//! process 1 see them, and from active swap; down through overlay, LVM, md, dm-crypt, btrfs with several devices and
//! loop devices to whole disks. If the system's disk cannot be determined (a root in a container, on a network, on
//! ZFS), every disk with a mounted file system counts. Must not know the user's consent.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::error::GuardError;
use crate::block::chain::chain;
use crate::block::folders;
use crate::block::node::BlockNode;
use crate::place::mounts::{self, Mount};
use crate::place::target as place;
use crate::place::target::{custom, layers_of};
use crate::proc_text::{device_number, swap_paths};
use crate::roots::Roots;

/// Places that a system runs from.
const PLACES: [&str; 14] = [
    "/",
    "/boot",
    "/boot/efi",
    "/boot/firmware",
    "/efi",
    "/usr",
    "/usr/local",
    "/var",
    "/var/lib",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/sysroot",
];
/// File systems in memory: no disk is below them.
const IN_MEMORY: [&str; 4] = ["tmpfs", "ramfs", "rootfs", "devtmpfs"];

/// The known disks of the system.
#[derive(Debug, Default, PartialEq, Eq)]
struct Known {
    /// Whole devices, and what is on each, as a sentence fragment.
    disks: BTreeMap<String, String>,
    /// Why the system's disk is unknown, if it is.
    untold: Option<String>,
}

/// What lies below a mount.
enum Below {
    Devices(Vec<PathBuf>),
    Memory,
    Unknown,
}

/// Refuses a device that the running system is on, or may be on.
pub(super) fn refuse(roots: &Roots, node: &BlockNode) -> Result<(), GuardError> {
    refuse_where(roots, node, || sibling_claimed(roots, node))
}

/// As [`refuse`], for a device that this process has claimed, so that a claim on its disk proves nothing.
pub(super) fn refuse_claimed(roots: &Roots, node: &BlockNode) -> Result<(), GuardError> {
    refuse_where(roots, node, || None)
}

/// Why the running system counts as being on a device, without opening anything; `None` if it does not.
pub(super) fn reason(roots: &Roots, node: &BlockNode) -> Option<String> {
    why(roots, node, || None).map(|(why, _)| why)
}

fn refuse_where(
    roots: &Roots,
    node: &BlockNode,
    sibling_claimed: impl FnOnce() -> Option<String>,
) -> Result<(), GuardError> {
    why(roots, node, sibling_claimed).map_or(Ok(()), |(why, advice)| {
        Err(GuardError::Refused { path: node.path.clone(), why: format!("{why}{advice}") })
    })
}

/// The reason, and the text that a refusal appends to it.
fn why(
    roots: &Roots,
    node: &BlockNode,
    sibling_claimed: impl FnOnce() -> Option<String>,
) -> Option<(String, &'static str)> {
    let known = known(roots);
    let mine = whole_names(roots, node.folder.clone(), Through::Devices);
    if let Some((disk, what)) = known.disks.iter().find(|(disk, _)| mine.contains(disk)) {
        let advice = ", and no flag changes that. Nothing was touched. Name another drive";
        return Some((format!("the running system is on {disk} ({what})"), advice));
    }
    let why = known.untold?;
    let mounted = mounts::list_all(roots).into_iter().find_map(|mount| {
        let (major, minor) = of_a_device(&mount)?;
        let folder = folders::folder_of(roots, major, minor)?;
        let disk = whole_names(roots, folder, Through::Files).into_iter().find(|disk| mine.contains(disk))?;
        Some(format!("{disk} holds what is mounted at {}", mount.mount_point.display()))
    });
    let because = mounted.or_else(sibling_claimed)?;
    let why = format!(
        "it is unknown which disk the running system is on ({why}), so every disk with a mounted file system counts, \
         and {because}"
    );
    Some((why, ". Nothing was touched"))
}

/// Whether a walk down goes through the files of loop devices. For what the system lies on it must; but a file on the
/// system's disk is not part of the system.
#[derive(Clone, Copy)]
enum Through {
    Devices,
    Files,
}

/// Kernel names of the whole devices in a chain, the uppermost too.
fn whole_names(roots: &Roots, folder: PathBuf, through: Through) -> Vec<String> {
    let of_file = |file: &Path| match through {
        // A loop device may lie directly on a disk: then it counts as that disk.
        Through::Devices => folders::folder_of_node(roots, file).into_iter().collect(),
        Through::Files => place::devices_of(roots, file, 0),
    };
    chain(vec![folder], &of_file).into_iter().map(|device| device.name).collect()
}

/// A claim on another part of the disk that the table of mounts does not show (ZFS).
fn sibling_claimed(roots: &Roots, node: &BlockNode) -> Option<String> {
    if !node.is_partition() {
        return None;
    }
    let whole = crate::block::identity::node_named(roots, &node.whole)?;
    let flags = custom(OFlags::EXCL | OFlags::NOFOLLOW);
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(&whole.path);
    let busy = opened.is_err_and(|error| Errno::from_io_error(&error) == Some(Errno::BUSY));
    busy.then(|| format!("another part of {} is claimed", node.whole))
}

fn known(roots: &Roots) -> Known {
    let mut known = Known::default();
    let views = [("self/mountinfo", PathBuf::new()), ("1/mountinfo", roots.proc.join("1/root"))];
    for (file, root) in views {
        let Ok(text) = fs::read(roots.proc.join(file)) else { continue };
        let mounts = mounts::parse(&text);
        let places = mounts.iter().filter(|mount| PLACES.iter().any(|place| mount.mount_point == Path::new(place)));
        if !mounts.iter().any(|mount| mount.mount_point == Path::new("/")) {
            known.untold.get_or_insert_with(|| "the mount of / is not visible from here".to_owned());
        }
        for mount in places {
            add(roots, mount, &root, &mut known);
        }
    }
    let swaps = swap_paths(&fs::read(roots.proc.join("swaps")).unwrap_or_default());
    for swap in swaps {
        let swap = Path::new(&swap);
        let folders = match folders::folder_of_node(roots, swap) {
            Some(folder) => vec![folder],
            None => place::devices_of(roots, swap, 0),
        };
        for folder in folders {
            insert(roots, folder, &format!("active swap space, {}", swap.display()), &mut known);
        }
    }
    known
}

fn add(roots: &Roots, mount: &Mount, root: &Path, known: &mut Known) {
    let place = mount.mount_point.display();
    match below(roots, mount, root) {
        Below::Devices(folders) => {
            for folder in folders {
                insert(roots, folder, &format!("{place} is mounted from it"), known);
            }
        }
        // A root in memory was loaded from somewhere.
        Below::Memory if mount.mount_point != Path::new("/") => {}
        Below::Memory => {
            known.untold.get_or_insert_with(|| "/ is a file system in memory".to_owned());
        }
        Below::Unknown => {
            known.untold.get_or_insert_with(|| format!("{place} is {}, and no device below it is visible", mount.kind));
        }
    }
}

fn insert(roots: &Roots, folder: PathBuf, what: &str, known: &mut Known) {
    for name in whole_names(roots, folder, Through::Files) {
        known.disks.entry(name).or_insert_with(|| what.to_owned());
    }
}

/// What a mount lies on; `root` is the path at which the root folder of the observing process is visible here.
fn below(roots: &Roots, mount: &Mount, root: &Path) -> Below {
    if let Some(folder) = of_a_device(mount).and_then(|(major, minor)| folders::folder_of(roots, major, minor)) {
        return Below::Devices(vec![folder]);
    }
    if IN_MEMORY.contains(&mount.kind.as_str()) {
        return Below::Memory;
    }
    if mount.kind != "overlay" {
        let devices = place::devices_of_source(roots, mount);
        return if devices.is_empty() { Below::Unknown } else { Below::Devices(devices) };
    }
    let mut found = Vec::new();
    for layer in layers_of(&mount.options) {
        let seen =
            if root.as_os_str().is_empty() { layer } else { root.join(layer.strip_prefix("/").unwrap_or(&layer)) };
        let kind = mounts::of_path(roots, &seen).map(|mount| mount.kind);
        if fs::metadata(&seen).is_err() {
            return Below::Unknown;
        }
        let devices = place::devices_of(roots, &seen, 0);
        let memory = kind.is_some_and(|kind| IN_MEMORY.contains(&kind.as_str()));
        if devices.is_empty() && !memory {
            return Below::Unknown;
        }
        found.extend(devices);
    }
    if found.is_empty() { Below::Unknown } else { Below::Devices(found) }
}

/// The number of the mounted device; numbers of file systems without a device begin with 0.
fn of_a_device(mount: &Mount) -> Option<(u32, u32)> {
    device_number(&mount.device).filter(|(major, _)| *major != 0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A machine: devices by number and place below `sys/devices`, links of `slaves/`, and its mounts.
    struct Machine {
        folder: tempfile::TempDir,
    }

    impl Machine {
        fn new(mountinfo: &str) -> Machine {
            let machine = Machine { folder: tempfile::tempdir().expect("a folder") };
            machine.file("proc/self/mountinfo", mountinfo);
            machine.file("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n");
            for (number, place) in
                [("8:0", "sda"), ("8:1", "sda/sda1"), ("8:2", "sda/sda2"), ("8:16", "sdb"), ("8:17", "sdb/sdb1")]
            {
                machine.device(number, place);
            }
            machine
        }

        fn file(&self, name: &str, text: &str) {
            let path = self.folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }

        fn device(&self, number: &str, place: &str) {
            self.file(&format!("sys/devices/{place}/dev"), number);
            if place.contains('/') {
                self.file(&format!("sys/devices/{place}/partition"), "1");
            }
            self.link(&format!("sys/dev/block/{number}"), place);
            let name = place.rsplit('/').next().expect("a name");
            self.link(&format!("sys/class/block/{name}"), place);
        }

        fn link(&self, at: &str, place: &str) {
            let path = self.folder.path().join(at);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            symlink(self.folder.path().join("sys/devices").join(place), path).expect("a link");
        }

        /// A dm or md device over parts.
        fn over(&self, number: &str, name: &str, parts: &[&str]) {
            self.device(number, name);
            for part in parts {
                let last = part.rsplit('/').next().expect("a name");
                self.link(&format!("sys/devices/{name}/slaves/{last}"), part);
            }
        }

        fn roots(&self) -> Roots {
            Roots { sys: self.folder.path().join("sys"), proc: self.folder.path().join("proc") }
        }

        fn refusal(&self, major: u32, minor: u32) -> Option<String> {
            let node = BlockNode::of(&self.roots(), Path::new("/dev/node"), (major, minor)).expect("a device");
            refuse(&self.roots(), &node).err().map(|error| error.to_string())
        }
    }

    #[test]
    fn the_disk_of_the_root_is_refused_whole_and_in_every_part_and_others_are_not() {
        let machine = Machine::new("1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:17 / /data rw - xfs /dev/sdb1 rw\n");
        for minor in [0, 1, 2] {
            let why = machine.refusal(8, minor).expect("refused");
            assert!(why.contains("the running system is on sda (/ is mounted from it)"), "{why}");
        }
        assert_eq!(machine.refusal(8, 16), None, "mounted, which other checks report");
    }

    #[test]
    fn the_walk_goes_down_through_volumes_raids_and_encryption() {
        let machine = Machine::new("1 0 253:1 / / rw - ext4 /dev/mapper/vg-root rw\n");
        machine.over("9:0", "md0", &["sda/sda2", "sdb/sdb1"]);
        machine.over("253:0", "dm-0", &["md0"]);
        machine.over("253:1", "dm-1", &["dm-0"]);
        machine.over("253:2", "dm-2", &["dm-0"]);
        machine.device("8:32", "sdc");
        for (major, minor) in [(8, 0), (8, 16), (9, 0), (253, 0), (253, 1), (8, 1)] {
            assert!(machine.refusal(major, minor).is_some_and(|why| why.contains("the running system")));
        }
        let beside = machine.refusal(253, 2).expect("a volume next to the root lies on the same disks");
        assert!(beside.contains("the running system is on"), "{beside}");
        assert_eq!(machine.refusal(8, 32), None);
    }

    #[test]
    fn an_overlay_leads_to_the_disks_of_all_its_layers() {
        let machine = Machine::new("");
        let layer = machine.folder.path().join("layer");
        fs::create_dir(&layer).expect("a layer");
        let options = format!("lowerdir={},upperdir=/no/such/layer", layer.display());
        machine.file("proc/self/mountinfo", &format!("1 0 0:30 / / rw - overlay overlay rw,{options}\n"));
        machine.file("proc/77/mountinfo", "9 1 8:17 / /data rw - xfs /dev/sdb1 rw\n");
        let why = machine.refusal(8, 16).expect("refused");
        assert!(why.contains("it is unknown") && why.contains("sdb holds what is mounted at /data"), "{why}");
        assert_eq!(machine.refusal(8, 0), None, "nothing of it is mounted");
    }

    #[test]
    fn every_member_of_a_btrfs_swap_and_the_view_of_process_1_count() {
        let machine = Machine::new("1 0 0:30 / / rw - btrfs /dev/sda1 rw\n");
        for member in ["sda1", "sdb1"] {
            let place = format!("{}/{member}", &member[..3]);
            machine.link(&format!("sys/fs/btrfs/1-2-3/devices/{member}"), &place);
        }
        assert!(machine.refusal(8, 16).is_some_and(|why| why.contains("the running system is on sdb")));

        let machine = Machine::new("1 0 8:17 / / rw - ext4 /dev/sdb1 rw\n");
        machine.file("proc/1/mountinfo", "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n");
        assert!(machine.refusal(8, 0).is_some_and(|why| why.contains("the running system is on sda")));
        assert!(machine.refusal(8, 16).is_some());
    }

    #[test]
    fn a_root_that_cannot_be_followed_makes_every_mounted_disk_count() {
        for root in [
            "1 0 0:2 / / rw - rootfs rootfs rw\n",
            "1 0 0:40 / / rw - nfs4 server:/export rw\n",
            "1 0 0:41 / / rw - zfs rpool/ROOT rw\n",
            "",
        ] {
            let machine = Machine::new(&format!("{root}2 1 8:17 / /data rw - xfs /dev/sdb1 rw\n"));
            let why = machine.refusal(8, 16).expect("refused");
            assert!(why.contains("it is unknown which disk"), "{root}: {why}");
            assert_eq!(machine.refusal(8, 0), None, "{root}");
        }
    }
    /// Inspects this machine and names nothing on it: the disk of its root is found, or is reported as unknown.
    #[test]
    fn the_root_of_this_machine_is_found_or_said_not_to_be() {
        let roots = Roots::default();
        let found = known(&roots);
        let below = place::devices_of(&roots, Path::new("/"), 0);
        assert!(found.untold.is_some() || !below.is_empty(), "{found:?}");
        for folder in below {
            let whole = folders::whole_name(&folder);
            assert!(found.disks.contains_key(&whole), "{whole} is missing in {found:?}");
        }
    }
}
