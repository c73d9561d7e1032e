//! Partitions, mappings and mounts in the kernel, from sysfs and procfs.

use std::fs;
use std::path::{Path, PathBuf};

use drivelab_device::{BlockNode, identity_of, is_mount_point};

use crate::error::ConditionsError;
use crate::ledger::DriveMark;

/// A partition as the kernel shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Partition {
    pub(crate) node: PathBuf,
    pub(crate) start: u64,
    pub(crate) length: u64,
}

/// Bytes of the unit in which sysfs counts, whatever the drive's own blocks are (Documentation/block/stat.rst).
const SECTOR: u64 = 512;

fn word(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn number(path: &Path) -> Option<u64> {
    word(path)?.parse().ok()
}

/// The sysfs folder of a block device, by its kernel name.
fn folder(name: &str) -> PathBuf {
    Path::new("/sys/class/block").join(name)
}

/// Bytes of a logical block.
pub(crate) fn logical_block(name: &str) -> u64 {
    number(&folder(name).join("queue/logical_block_size")).unwrap_or(SECTOR)
}

/// The partition with this number.
pub(crate) fn partition(drive: &str, wanted: u32) -> Option<Partition> {
    let entries = fs::read_dir(folder(drive)).ok()?;
    let own = entries
        .flatten()
        .map(|entry| entry.path())
        .find(|path| number(&path.join("partition")) == Some(u64::from(wanted)))?;
    let bytes = |file: &str| number(&own.join(file)).map(|sectors| sectors.saturating_mul(SECTOR));
    Some(Partition { node: Path::new("/dev").join(own.file_name()?), start: bytes("start")?, length: bytes("size")? })
}

/// Every partition that the kernel shows of a drive.
pub(crate) fn partitions(drive: &str) -> Vec<(u32, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder(drive)) else { return Vec::new() };
    let own = |path: PathBuf| {
        let found = u32::try_from(number(&path.join("partition"))?).ok()?;
        Some((found, Path::new("/dev").join(path.file_name()?)))
    };
    entries.flatten().filter_map(|entry| own(entry.path())).collect()
}

/// The node of a mapping, such as `/dev/dm-0`, by its name in /dev/mapper.
///
/// # Errors
/// sysfs cannot be read, so the answer is unknown.
pub(crate) fn mapping(name: &str) -> Result<Option<PathBuf>, ConditionsError> {
    let all = Path::new("/sys/class/block");
    let entries = fs::read_dir(all).map_err(ConditionsError::system("cannot read the folder", all))?;
    let own = entries.flatten().find(|entry| word(&entry.path().join("dm/name")).as_deref() == Some(name));
    Ok(own.map(|own| Path::new("/dev").join(own.file_name())))
}

/// The id of this boot.
pub(crate) fn boot() -> String {
    word(Path::new("/proc/sys/kernel/random/boot_id")).unwrap_or_default()
}

/// Whether a file system is mounted at exactly this path, as far as this process sees. If the table of mounts cannot
/// be read, the path counts as mounted, and unmounting then reports the error.
pub(crate) fn is_mounted(at: &Path) -> bool {
    is_mount_point(at).unwrap_or(true)
}

/// Identifiers that distinguish this drive (or the named partition of it) from others.
pub(crate) fn mark(node: &BlockNode, bytes: u64) -> DriveMark {
    let identity = identity_of(node);
    DriveMark {
        node: node.path.clone(),
        name: node.name.clone(),
        diskseq: identity.diskseq,
        serial: identity.serial,
        bytes,
        boot: boot(),
    }
}

/// Checks that the drive is the marked one, and not another drive that has its name now.
///
/// # Errors
/// [`ConditionsError::Target`] if it is not, or if this is unknown.
pub(crate) fn same_drive(before: &DriveMark, now: &DriveMark) -> Result<(), ConditionsError> {
    let same = before.bytes == now.bytes
        && before.serial == now.serial
        && if before.boot == now.boot { before.diskseq == now.diskseq } else { before.serial.is_some() };
    if same {
        return Ok(());
    }
    Err(ConditionsError::Target(format!(
        "{} is not provably the drive that the conditions were set up on (it was attached again, has another size or \
         serial number, or has no serial number and the machine was restarted): it was left alone. If it is the right \
         drive, wipe it by name",
        before.node.display()
    )))
}

/// Bytes of a block device, by its kernel name.
pub(crate) fn bytes(name: &str) -> Option<u64> {
    number(&folder(name).join("size")).map(|sectors| sectors.saturating_mul(SECTOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive() -> DriveMark {
        DriveMark {
            node: "/dev/x".into(),
            name: "x".into(),
            diskseq: Some(4),
            serial: Some("S1".into()),
            bytes: 7,
            boot: "a".into(),
        }
    }

    #[test]
    fn a_drive_is_known_again_and_another_one_is_not() {
        let same = |change: &dyn Fn(&mut DriveMark)| {
            let mut now = drive();
            change(&mut now);
            same_drive(&drive(), &now).is_ok()
        };
        assert!(same(&|_| {}));
        assert!(same(&|now| (now.boot, now.diskseq) = ("b".into(), Some(9))), "known by its serial number");
        assert!(!same(&|now| now.diskseq = Some(5)));
        assert!(!same(&|now| now.serial = Some("S2".into())));
        assert!(!same(&|now| now.bytes = 8));
        let nameless = DriveMark { serial: None, ..drive() };
        let later = DriveMark { boot: "b".into(), ..nameless.clone() };
        assert!(same_drive(&nameless, &nameless.clone()).is_ok());
        same_drive(&nameless, &later).expect_err("nothing proves it");
    }

    #[test]
    fn what_is_mounted_is_known_from_what_is_only_there() {
        assert!(is_mounted(Path::new("/proc")));
        assert!(!is_mounted(Path::new("/proc/self")));
    }
}
