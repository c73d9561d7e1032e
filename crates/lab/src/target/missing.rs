//! A target that is not there: refused, with what may have been meant, unless a new file was asked for.
//!
//! A name that is mistyped, or a folder whose file system is not mounted, must not become a scratch file on the disk of
//! the running system.

use std::path::{Component, Path, PathBuf};

use drivelab_core::exit::ExitCode;
use drivelab_device::{DeviceError, ErrorKind, not_mounted};

use crate::failure::{Failure, Result};
use crate::target::place::NOP;

/// How names of disks begin in /dev, where a number follows.
const NUMBERED: [&str; 11] = ["nvme", "ng", "mmcblk", "loop", "zram", "md", "dm-", "nbd", "sr", "pmem", "nullb"];
/// The same where letters follow.
const LETTERED: [&str; 4] = ["sd", "hd", "vd", "xvd"];

/// What becomes of a name that leads to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewFile {
    /// A scratch file is made under it, as `--new-file` asks.
    Made,
    /// It is refused, and the flag is named.
    Offered,
    /// It is refused: nothing is made here.
    Never,
}

impl NewFile {
    /// By the flag, for a command that takes files or does not.
    #[must_use]
    pub const fn by(flag: bool, takes_files: bool) -> NewFile {
        match (flag, takes_files) {
            (true, _) => NewFile::Made,
            (false, true) => NewFile::Offered,
            (false, false) => NewFile::Never,
        }
    }
}

/// Whether a name that leads to nothing, in a folder that is there, may become a new file.
///
/// # Errors
/// The bare name of a device, and every name where no new file was asked for.
pub fn judge(word: &Path, new: NewFile) -> Result<()> {
    let name = bare(word);
    let shown = word.display();
    if name.as_deref() == Some(NOP.trim_end_matches(':')) {
        return Err(Failure::usage(format!(
            "{shown}: did you mean {NOP}, which stores nothing? A scratch file of the name {shown} is `./{shown} \
             --new-file`"
        )));
    }
    if let Some(device) = name.as_deref().and_then(device_of_name) {
        let device = device.display();
        return Err(Failure::usage(format!(
            "{shown}: did you mean {device}? There is no file or folder {shown} here, and the device has that name. A \
             scratch file of the name {shown} is `./{shown} --new-file`"
        )));
    }
    let make = match new {
        NewFile::Made => return Ok(()),
        NewFile::Offered => ", or add --new-file to have a scratch file made under that name",
        NewFile::Never => "",
    };
    let message = match name.filter(|name| is_like_a_device(name)) {
        Some(name) => format!(
            "there is no device /dev/{name}, and no file or folder {name} here: `drivelab targets` lists the disks of \
             this machine; name one of them, or a folder{make}"
        ),
        None => format!(
            "there is no {shown}: check the name, mount what belongs there or make the folder{make}{}",
            hint(word).unwrap_or_default()
        ),
    };
    Err(Failure::new(ExitCode::TargetUnusable, message))
}

/// An error about a path that is not there, with what fstab says of it.
#[must_use]
pub fn explained(word: &Path, error: DeviceError) -> Failure {
    let hint = if error.kind() == ErrorKind::Missing { hint(word) } else { None };
    let failure = Failure::from(error);
    Failure::new(failure.code, failure.message + &hint.unwrap_or_default())
}

/// What fstab wants there and is not mounted.
fn hint(word: &Path) -> Option<String> {
    let found = not_mounted(word)?;
    let point = found.mount_point.display();
    Some(format!(". /etc/fstab has {} for {point}, and it is not mounted: `mount {point}`", found.source))
}

/// Something behind the colon of `nop:`.
#[must_use]
pub fn behind_nop(word: &str) -> Failure {
    Failure::usage(format!(
        "{word}: {NOP} takes nothing behind its colon; --size says over how many addresses operations are spread. A file \
         of that name is ./{word}"
    ))
}

/// The word, where it is a name and no path: `./loop0` has one part too, but only the bare name can mean a device.
fn bare(word: &Path) -> Option<String> {
    let mut parts = word.components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(name)), None) if name == word.as_os_str() => name.to_str().map(str::to_owned),
        _ => None,
    }
}

/// The block device whose node in /dev has this name.
fn device_of_name(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::FileTypeExt;
    let node = Path::new("/dev").join(name);
    node.metadata().is_ok_and(|node| node.file_type().is_block_device()).then_some(node)
}

/// Whether a name looks like that of a disk: `sda1`, `nvme0n1`, `dm-0`.
fn is_like_a_device(name: &str) -> bool {
    let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    // sda to sdzzz, and a partition's number.
    let letters = |rest: &str| {
        let number = rest.trim_start_matches(|c: char| c.is_ascii_lowercase());
        (1..=3).contains(&(rest.len() - number.len())) && number.chars().all(|c| c.is_ascii_digit())
    };
    NUMBERED.iter().filter_map(|start| name.strip_prefix(start)).any(digit)
        || LETTERED.iter().filter_map(|start| name.strip_prefix(start)).any(letters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::naming::place_named;

    #[test]
    fn names_of_disks_are_told_from_other_names() {
        for name in
            ["sda", "sda1", "sdab12", "nvme99n1", "nvme0", "vdb", "xvda2", "mmcblk0p1", "dm-7", "loop12", "md127"]
        {
            assert!(is_like_a_device(name), "{name}");
        }
        for name in ["sd", "sda1.img", "data", "media", "nvme", "scratch.bin", "sdabcd", "loops", "vdi-file", "mdadm"] {
            assert!(!is_like_a_device(name), "{name}");
        }
    }

    #[test]
    fn only_a_bare_word_is_a_name() {
        assert_eq!(bare(Path::new("sda")).as_deref(), Some("sda"));
        for path in ["./sda", "/sda", "a/sda", "sda/", ".."] {
            assert_eq!(bare(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn a_name_that_leads_to_nothing_is_refused_with_the_flag_where_a_file_could_be_made() {
        let folder = tempfile::tempdir().expect("a folder");
        let new = folder.path().join("new");
        let said = |new_file| place_named(&new, new_file).map(|_| ()).expect_err("refused");
        assert_eq!(said(NewFile::Offered).code, ExitCode::TargetUnusable);
        assert!(said(NewFile::Offered).message.contains("--new-file"));
        assert!(!said(NewFile::Never).message.contains("--new-file"));
        assert!(place_named(&new, NewFile::Made).is_ok());
        let below = folder.path().join("no/new");
        let Err(failure) = place_named(&below, NewFile::Made) else { panic!("no folder was made for it") };
        assert!(failure.code == ExitCode::TargetUnusable && failure.message.contains("there is no folder"));
    }
}
