//! From a path to its file system, the block devices behind it, and whether direct I/O works there.
//!
//! st_dev leads to a block device on most file systems. btrfs and overlayfs show a number of their own, so the
//! mount's source or the upper folder is used there. Nothing is left behind: the probe file never has a name.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use drivelab_core::environment::{BlockDeviceFacts, FileSystemFacts, TargetFacts, TargetKind};
use drivelab_core::target::DirectIo;
use drivelab_core::units::Bytes;
use rustix::fs::{Access, OFlags, SeekFrom, StatVfsMountFlags, access, major, minor, seek, statvfs};
use rustix::io::Errno;

use crate::block::chain::chain;
use crate::block::folders;
use crate::error::DeviceError;
use crate::place::direct::{self, Trial};
use crate::place::mounts::{self, Mount};
use crate::roots::{Roots, names};

/// Most layers of overlayfs on overlayfs that are followed.
const MOST_LAYERS: u32 = 8;
/// Most data ranges of a file that are examined for holes: enough to report that there are many.
const MOST_STRETCHES: u32 = 1 << 16;

/// The facts of a folder, before anything is created in it.
#[derive(Debug, Clone, PartialEq)]
pub struct FolderFacts {
    /// The file system.
    pub file_system: FileSystemFacts,
    /// Block devices from the file system downwards; empty if there is none.
    pub devices: Vec<BlockDeviceFacts>,
    /// Direct I/O on a file here: tested with a file that has no name, otherwise the likely answer.
    pub direct_io_expected: DirectIo,
    /// Whether a file can be created here.
    pub writable: bool,
}

/// Open flags as the standard library takes them.
#[expect(clippy::cast_possible_wrap, reason = "open flags are small positive numbers")]
pub(crate) const fn custom(flags: OFlags) -> i32 {
    flags.bits() as i32
}

/// Facts about a folder. A read-only or forbidden folder is not an error: `writable` is then false.
///
/// # Errors
/// [`DeviceError`] if the folder does not exist or cannot be inspected.
pub fn folder_facts(folder: &Path) -> Result<FolderFacts, DeviceError> {
    let roots = Roots::default();
    let (file_system, devices) = surroundings(&roots, folder)?;
    let logical_block = devices.first().map(|device| device.logical_block_size);
    let (direct_io_expected, writable) = match probe(folder) {
        Ok((file, direct)) => (direct::examine(&file, &direct, logical_block, Trial::WriteAndRead), true),
        Err(_) => (direct::guess(logical_block), may_write(folder)),
    };
    Ok(FolderFacts { file_system, devices, direct_io_expected, writable })
}

/// Facts about an existing target, to be recorded with its results. For a scratch file, the free space is reported as
/// it was before the file took its part.
///
/// # Errors
/// [`DeviceError`] if the file does not exist or cannot be inspected.
pub fn target_facts(path: &Path, kind: TargetKind, length: Bytes) -> Result<TargetFacts, DeviceError> {
    let roots = Roots::default();
    let (mut file_system, devices) = surroundings(&roots, path)?;
    let logical_block = devices.first().map(|device| device.logical_block_size);
    let open = |flags| OpenOptions::new().read(true).custom_flags(custom(flags)).open(path);
    let file = open(OFlags::NONBLOCK).map_err(DeviceError::system("cannot open", path))?;
    let direct_io = direct::examine(&file, &open(OFlags::DIRECT | OFlags::NONBLOCK), logical_block, Trial::Read);
    if kind == TargetKind::ScratchFile {
        let blocks = file.metadata().map(|status| status.blocks()).unwrap_or(0);
        file_system.free = Bytes::new(file_system.free.get().saturating_add(blocks.saturating_mul(512)));
    }
    // A scratch file is all holes until it is filled, which does not describe what will be measured.
    let holes = if kind == TargetKind::NamedFile { holes(&file, length) } else { None };
    let (path, file_system) = (path.to_owned(), Some(file_system));
    Ok(TargetFacts { path, kind, length, file_system, devices, direct_io, used_by: Vec::new(), holes })
}

/// Bytes of a file without data, by lseek(2): the block count alone would include extents that were reserved
/// (fallocate) and never written, which are read without the drive too. `None` if there are none, or if this is
/// unknown.
fn holes(file: &File, length: Bytes) -> Option<Bytes> {
    let (mut at, mut holes) = (0, 0u64);
    for _ in 0..MOST_STRETCHES {
        let data = match seek(file, SeekFrom::Data(at)) {
            Ok(data) => data.min(length.get()),
            Err(Errno::NXIO) => length.get(),
            Err(_) => return None,
        };
        holes = holes.saturating_add(data.saturating_sub(at));
        match seek(file, SeekFrom::Hole(data)) {
            Ok(hole) if data < length.get() && hole > data => at = hole,
            _ => break,
        }
        if at >= length.get() {
            break;
        }
    }
    (holes > 0).then(|| Bytes::new(holes))
}

/// A folder on this machine in which direct I/O works and a file can be created: the current folder, the home folder,
/// or one of the usual places; for the message that refuses tmpfs.
#[must_use]
pub fn suggest_direct_folder() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let usual = ["/var/tmp", "/home", "/srv", "/mnt", "/"].map(PathBuf::from);
    std::env::current_dir()
        .ok()
        .into_iter()
        .chain(home)
        .chain(usual)
        .find(|folder| folder_facts(folder).is_ok_and(|facts| facts.writable && facts.direct_io_expected.supported))
}

/// File system and devices of an existing path.
pub(crate) fn surroundings(
    roots: &Roots,
    path: &Path,
) -> Result<(FileSystemFacts, Vec<BlockDeviceFacts>), DeviceError> {
    let real = fs::canonicalize(path).map_err(DeviceError::system("cannot find", path))?;
    let space = statvfs(&real).map_err(DeviceError::system("cannot determine the free space of", path))?;
    let mount = mounts::of_path(roots, &real);
    let size = |blocks: u64| Bytes::new(blocks.saturating_mul(space.f_frsize));
    let read_only = if space.f_flag.contains(StatVfsMountFlags::RDONLY) { "ro" } else { "rw" };
    let file_system = FileSystemFacts {
        kind: mount.as_ref().map_or_else(|| "unknown".to_owned(), |mount| mount.kind.clone()),
        mount_point: mount.as_ref().map_or_else(PathBuf::new, |mount| mount.mount_point.clone()),
        source: mount.as_ref().map_or_else(String::new, |mount| mount.source.to_string_lossy().into_owned()),
        options: mount.as_ref().map_or_else(|| read_only.to_owned(), |mount| mount.options.clone()),
        total: size(space.f_blocks),
        free: size(space.f_bavail),
    };
    let start = devices_of_mounted(roots, &real, mount.as_ref(), 0);
    let devices = chain(start, &|file| devices_of(roots, file, 0));
    Ok((file_system, devices))
}

/// sysfs folders of the devices that hold a path.
pub(crate) fn devices_of(roots: &Roots, path: &Path, layer: u32) -> Vec<PathBuf> {
    let mount = fs::canonicalize(path).ok().and_then(|real| mounts::of_path(roots, &real));
    devices_of_mounted(roots, path, mount.as_ref(), layer)
}

fn devices_of_mounted(roots: &Roots, path: &Path, mount: Option<&Mount>, layer: u32) -> Vec<PathBuf> {
    let Ok(status) = fs::metadata(path) else { return Vec::new() };
    if let Some(folder) = folders::folder_of(roots, major(status.dev()), minor(status.dev())) {
        return vec![folder];
    }
    match mount {
        Some(mount) if mount.kind == "overlay" && layer < MOST_LAYERS => {
            upper_folder(&mount.options).map(|upper| devices_of(roots, &upper, layer + 1)).unwrap_or_default()
        }
        Some(mount) => devices_of_source(roots, mount),
        None => Vec::new(),
    }
}

/// The folder that overlayfs writes to: the `upperdir` option, in which a comma is escaped with a backslash.
fn upper_folder(options: &str) -> Option<PathBuf> {
    let from = options.split_once("upperdir=")?.1;
    let end =
        from.char_indices().find(|(at, c)| *c == ',' && !from[..*at].ends_with('\\')).map_or(from.len(), |(at, _)| at);
    Some(PathBuf::from(from[..end].replace("\\,", ",")))
}

/// All folders of an overlay: the upper one and the lower ones. The lower ones are separated by colons, or each has
/// an option of its own (a comma or colon in a name is escaped with a backslash).
pub(crate) fn layers_of(options: &str) -> Vec<PathBuf> {
    let mut layers = Vec::new();
    for option in unescaped_parts(options, ',') {
        let Some((name, value)) = option.split_once('=') else { continue };
        if matches!(name, "upperdir" | "lowerdir" | "lowerdir+" | "datadir+") {
            let folders = unescaped_parts(value, ':').into_iter().filter(|folder| !folder.is_empty());
            layers.extend(folders.map(|folder| PathBuf::from(folder.replace("\\,", ",").replace("\\:", ":"))));
        }
    }
    layers
}

/// Splits at a character that is not preceded by a backslash.
fn unescaped_parts(text: &str, at: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (index, sign) in text.char_indices() {
        if sign == at && !escaped {
            parts.push(&text[start..index]);
            start = index + sign.len_utf8();
        }
        escaped = sign == '\\' && !escaped;
    }
    parts.push(&text[start..]);
    parts
}

/// Devices that a mount's source names: a device node, or for btrfs all members of that file system.
pub(crate) fn devices_of_source(roots: &Roots, mount: &Mount) -> Vec<PathBuf> {
    let source = Path::new(&mount.source);
    if !source.is_absolute() {
        return Vec::new();
    }
    // In a container the node may be missing while sysfs still knows the name.
    let by_name = || fs::canonicalize(roots.sys.join("class/block").join(source.file_name()?)).ok();
    let Some(device) = folders::folder_of_node(roots, source).or_else(by_name) else { return Vec::new() };
    if mount.kind == "btrfs" {
        for member in names(&roots.sys.join("fs/btrfs")) {
            let devices = roots.sys.join("fs/btrfs").join(member).join("devices");
            let members: Vec<PathBuf> =
                names(&devices).iter().filter_map(|name| fs::canonicalize(devices.join(name)).ok()).collect();
            if members.contains(&device) {
                return members;
            }
        }
    }
    vec![device]
}

/// A file without a name in that folder (O_TMPFILE), and the same file opened for direct I/O.
fn probe(folder: &Path) -> io::Result<(File, io::Result<File>)> {
    let open = |flags| OpenOptions::new().read(true).write(true).mode(0o600).custom_flags(custom(flags)).open(folder);
    let direct = open(OFlags::TMPFILE | OFlags::DIRECT);
    Ok((open(OFlags::TMPFILE)?, direct))
}

/// For file systems without O_TMPFILE: the answer of the permissions.
fn may_write(folder: &Path) -> bool {
    let read_only = statvfs(folder).is_ok_and(|space| space.f_flag.contains(StatVfsMountFlags::RDONLY));
    !read_only && access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upper_folder_of_an_overlay_is_read_with_its_escapes() {
        let options = "rw,lowerdir=/l,upperdir=/var/a\\,b/upper,workdir=/w";
        assert_eq!(upper_folder(options), Some(PathBuf::from("/var/a,b/upper")));
        assert_eq!(upper_folder("rw,upperdir=/u"), Some(PathBuf::from("/u")));
        assert_eq!(upper_folder("rw,lowerdir=/l"), None);
        assert_eq!(layers_of(options), ["/l", "/var/a,b/upper"].map(PathBuf::from));
        assert_eq!(layers_of("lowerdir+=/a,lowerdir+=/b"), ["/a", "/b"].map(PathBuf::from));
        assert_eq!(layers_of("rw,lowerdir=/a\\:b:/c,workdir=/w"), ["/a:b", "/c"].map(PathBuf::from));
        assert!(layers_of("rw").is_empty());
    }

    #[test]
    fn a_probe_leaves_nothing_behind_and_tells_what_the_folder_offers() {
        let folder = tempfile::tempdir().expect("a folder");
        let facts = folder_facts(folder.path()).expect("facts");
        assert!(facts.writable);
        assert!(facts.file_system.total.get() > 0);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn shared_memory_has_no_direct_io_although_it_takes_the_flag() {
        let folder = Path::new("/dev/shm");
        let Ok(facts) = folder_facts(folder) else {
            drivelab_rig::skip("there is no /dev/shm");
            return;
        };
        if facts.file_system.kind != "tmpfs" {
            eprintln!("skipped: /dev/shm is {}", facts.file_system.kind);
            return;
        }
        assert!(facts.devices.is_empty());
        assert!(!facts.direct_io_expected.supported, "{:?}", facts.direct_io_expected);
        assert!(
            facts.direct_io_expected.reason.contains("no block device")
                || facts.direct_io_expected.reason.contains("does not support direct I/O")
        );
        if let Some(better) = suggest_direct_folder() {
            assert!(!better.starts_with(folder), "{}", better.display());
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_missing() {
        let error = folder_facts(Path::new("/no/such/folder")).expect_err("missing");
        assert_eq!(error.kind(), crate::ErrorKind::Missing);
    }
}
