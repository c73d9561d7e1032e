//! A block device that the user released by its kernel name: only loop, zram and null_blk devices in this version, and
//! only where nothing relies on them and nothing is known of what they hold.
//!
//! The order: what can be told without opening the device; then its content, read only; then it is opened
//! exclusively, which the kernel grants to one at a time (mounts, swap, md, dm and bcache claim their devices the same
//! way), and locked; then everything is looked at again. From there on nobody can mount or claim it until the target
//! is dropped. [`look_again`] repeats the looks right before the first write, for programs that ask for no claim.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use drivelab_core::clock::{MonotonicClock, RunClock, StopToken};
use drivelab_core::target::{GuardDecision, GuardedParts, WritableTarget};
use drivelab_core::units::{Bytes, Nanos};
use rustix::fs::{OFlags, fstat, major, minor};
use rustix::io::Errno;

use super::claim::lock;
use super::in_use::{Itself, Unseen};
use super::{GuardError, in_use, loop_file, signature, system};
use crate::block_use::{partitions, users};
use crate::direct::{self, Trial};
use crate::error::DeviceError;
use crate::named::BlockNode;
use crate::place::custom;
use crate::readable::{device_chain, device_length};
use crate::roots::{Roots, read_number};

/// Kernel names of devices that this version writes to: a word and a number.
const WRITABLE: [(&str, &str); 3] =
    [("loop", "a loop device"), ("zram", "a zram device"), ("nullb", "a null_blk device")];
/// How often, and after which pause, a device is looked at again that somebody has open. Many programs open devices
/// for a moment only: udev after each one that was made or written to, losetup and lsblk all that there are.
const TRIES: u32 = 20;
const PAUSE: Nanos = Nanos::from_millis(100);

/// Lets a block device be written that `destroy` names by its kernel name (`loop3` or `/dev/loop3`). The exclusive
/// claim and the lock on it last as long as the target.
///
/// # Errors
/// [`GuardError::Refused`] for other kinds of devices, without `--destroy` or where it names another one, and where the
/// device is in use or holds something; [`GuardError::Busy`] where a process has it open or claimed it;
/// [`GuardError::ReadOnly`] and [`GuardError::Device`] where it cannot be written.
pub fn authorise_device(node: &BlockNode, destroy: Option<&Path>) -> Result<WritableTarget, GuardError> {
    let kind = writable_kind(node)?;
    named_by(node, destroy)?;
    if read_number::<u8>(&node.folder.join("ro")) != Some(0) {
        return Err(GuardError::ReadOnly { path: node.path.clone() });
    }
    patiently(|| authorise(node, kind, destroy))
}

/// Looks at the device of a target once more, with the claim still held; for right before the first write. A target
/// that is no device is held by its lock alone.
///
/// # Errors
/// As for [`authorise_device`].
pub fn look_again(target: &WritableTarget) -> Result<(), GuardError> {
    let Some(handle) = target.handle(false) else { return Ok(()) };
    let status = fstat(handle).map_err(system("cannot look at", target.path()))?;
    if rustix::fs::FileType::from_raw_mode(status.st_mode) != rustix::fs::FileType::BlockDevice {
        return Ok(());
    }
    let number = (major(status.st_rdev), minor(status.st_rdev));
    let node = BlockNode::of(&Roots::default(), target.path(), number)?;
    patiently(|| {
        nobody_relies_on(&node, Itself::LeftOut)?;
        holds_nothing(&node, handle, target.length())
    })
}

/// The word for the kind of device, where this version writes to it.
fn writable_kind(node: &BlockNode) -> Result<&'static str, GuardError> {
    let refuse = |why: String| Err(GuardError::Refused { path: node.path.clone(), why });
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    let of = |name: &str| WRITABLE.iter().find(|(word, _)| name.strip_prefix(word).is_some_and(is_number));
    let Some((_, kind)) = of(&node.whole) else {
        return refuse(format!(
            "{} is none of those: this version writes to loop, zram and null_blk devices only. Nothing was touched. Read \
             it, or name a folder on a file system that lies on it",
            node.name
        ));
    };
    if node.is_partition() {
        return refuse(format!(
            "{} is a partition of {}, and only whole devices without partitions are written; nothing was touched",
            node.name, node.whole
        ));
    }
    Ok(kind)
}

fn named_by(node: &BlockNode, destroy: Option<&Path>) -> Result<(), GuardError> {
    let refuse = |why: String| Err(GuardError::Refused { path: node.path.clone(), why });
    let name = &node.name;
    match destroy {
        None => refuse(format!(
            "a run would overwrite what it holds. Nothing was touched. To destroy its content, add `--destroy {name}`"
        )),
        Some(destroy) if destroy == Path::new(name) || destroy == Path::new("/dev").join(name) => Ok(()),
        Some(destroy) => refuse(format!(
            "--destroy names {}, but the kernel calls this device {name}. Nothing was touched. To destroy its content, \
             say `--destroy {name}`",
            destroy.display()
        )),
    }
}

fn authorise(node: &BlockNode, kind: &str, destroy: Option<&Path>) -> Result<WritableTarget, GuardError> {
    let path = node.path.as_path();
    nobody_relies_on(node, Itself::Counts)?;
    let look = OpenOptions::new().read(true).custom_flags(custom(OFlags::NOFOLLOW)).open(path);
    let look = look.map_err(system("cannot open", path))?;
    let length = checked_length(&look, node)?;
    holds_nothing(node, &look, length)?;
    drop(look);

    let held = open_exclusively(node)?;
    if checked_length(&held, node)? != length {
        return Err(GuardError::Busy {
            path: path.to_owned(),
            by: "its size changed while drivelab looked at it".into(),
        });
    }
    let (under, unseen) = nobody_relies_on(node, Itself::LeftOut)?;
    holds_nothing(node, &held, length)?;
    // The second handle needs no claim of its own: this one keeps everybody else out.
    let direct = open(path, OFlags::DIRECT);
    if let Ok(direct) = &direct {
        same_device(node, direct)?;
    }
    let logical_block = device_chain(&Roots::default(), node).first().map(|device| device.logical_block_size);
    let direct_io = direct::examine(&held, &direct, logical_block, Trial::Read);
    let decision = GuardDecision {
        allowed_because: because(node, kind, &under, &unseen),
        destroy_named: destroy.map(Path::to_owned),
    };
    Ok(WritableTarget::from_guard(GuardedParts {
        path: path.to_owned(),
        direct: direct.ok().filter(|_| direct_io.supported).map(Into::into),
        buffered: held.into(),
        length,
        direct_io,
        decision,
    }))
}

fn because(node: &BlockNode, kind: &str, under: &str, unseen: &Unseen) -> String {
    let unseen = match unseen.0 {
        0 => String::new(),
        count => format!("; {count} processes of other users could not be looked into"),
    };
    format!(
        "the user named {} with --destroy; it is {kind}{under}, not mounted, no swap, with nothing on top of it, without \
         partitions, open in no process, without any of {} known kinds of content, and held exclusively{unseen}",
        node.name,
        signature::kinds()
    )
}

/// Mounts, swap, holders, partitions, the file under a loop device, processes. What lies under it, in words.
fn nobody_relies_on(node: &BlockNode, itself: Itself) -> Result<(String, Unseen), GuardError> {
    let roots = Roots::default();
    let refuse = |why: String| GuardError::Refused { path: node.path.clone(), why };
    let users = users(&roots, node);
    if !users.is_empty() {
        return Err(refuse(format!(
            "it is in use ({}); unmount, switch off or take that apart first",
            users.join("; ")
        )));
    }
    let partitions = partitions(&node.folder);
    if !partitions.is_empty() {
        let names: Vec<String> = partitions.iter().map(|folder| crate::block::name_of(folder)).collect();
        return Err(refuse(format!(
            "it has partitions ({}), which may hold data; `wipefs --all {}` forgets them, if nothing on them is needed",
            names.join(", "),
            node.path.display()
        )));
    }
    let mut under = String::new();
    let mut hidden = 0;
    if node.name.starts_with("loop") {
        let (file, unseen) = loop_file::check(&roots, node)?;
        under = format!(" on {}, a file that nobody else uses", file.display());
        hidden = unseen.0;
    }
    let status = fs::metadata(&node.path).map_err(system("cannot look at", &node.path))?;
    let unseen = in_use::processes(&roots, &node.path, &status, itself)?;
    Ok((under, Unseen(hidden.max(unseen.0))))
}

fn holds_nothing(node: &BlockNode, device: impl AsFd, length: Bytes) -> Result<(), GuardError> {
    let found = signature::find(device, length).map_err(system("cannot read", &node.path))?;
    let Some(what) = found else { return Ok(()) };
    let path = node.path.display();
    Err(GuardError::Refused {
        path: node.path.clone(),
        why: format!(
            "it holds {what}. Nothing was touched. If that is not needed, remove it with `wipefs --all {path}`"
        ),
    })
}

/// The length of what is open, after making sure that it is the device.
fn checked_length(file: &File, node: &BlockNode) -> Result<Bytes, GuardError> {
    same_device(node, file)?;
    match device_length(file, node)? {
        length if length.get() == 0 => Err(DeviceError::Empty { path: node.path.clone() }.into()),
        length => Ok(length),
    }
}

fn same_device(node: &BlockNode, file: &File) -> Result<(), GuardError> {
    let status = file.metadata().map_err(system("cannot look at", &node.path))?;
    let number = (major(status.rdev()), minor(status.rdev()));
    if status.file_type().is_block_device() && number == node.number {
        return Ok(());
    }
    Err(GuardError::Busy { path: node.path.clone(), by: "another device took its place just now".into() })
}

fn open(path: &Path, flags: OFlags) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).custom_flags(custom(flags | OFlags::NOFOLLOW)).open(path)
}

/// The one handle that has the claim, locked: systemd keeps udev away from a locked device.
fn open_exclusively(node: &BlockNode) -> Result<File, GuardError> {
    let busy = |by: &str| GuardError::Busy { path: node.path.clone(), by: by.to_owned() };
    let held = open(&node.path, OFlags::EXCL).map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::BUSY) => busy("the kernel says that somebody has it claimed (a mount, a volume or a program)"),
        _ => system("cannot open", &node.path)(error),
    })?;
    lock(&held).map_err(|_| busy("another process has locked it"))?;
    Ok(held)
}

/// Waits up to two seconds for who has it open only for a moment.
fn patiently<T>(look: impl Fn() -> Result<T, GuardError>) -> Result<T, GuardError> {
    let clock = MonotonicClock::starting_at(0);
    for _ in 0..TRIES {
        match look() {
            Err(GuardError::Busy { .. }) => {
                clock.sleep_until(clock.now_ns() + PAUSE.get(), &StopToken::default());
            }
            done => return done,
        }
    }
    look()
}
