//! Writing block devices: only if the user named this device, and only if nothing else uses it. On real devices; each
//! refusal leaves every byte unchanged. The table of situations from the user's view is in tests/guard_table.rs in
//! the root of the repository.

mod common;

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use common::bench::{Loop, MIB, Zram, node, partition};
use drivelab_core::target::WritableTarget;
use drivelab_core::units::Bytes;
use drivelab_device::guard::{Destroy, GuardError, authorise_device, look_again, preview_device, release_device};
use drivelab_device::{ErrorKind, identity_of};
use drivelab_rig::{LoopDevice, Mount, Undo, or_skip, skip, text, tool, tried};

const SIZE: u64 = 64 * MIB;

fn named(id: &str) -> Destroy {
    Destroy::named(Some(Path::new(id)))
}

fn released(disk: &Loop) -> Result<WritableTarget, GuardError> {
    authorise_device(&disk.node(), &named(disk.name()))
}

/// Refused, with the reason as text, and the file below is unchanged byte for byte.
#[track_caller]
fn refused(disk: &Loop, kind: ErrorKind, words: &[&str]) {
    let before = fs::read(&disk.image).expect("the image");
    let error = released(disk).expect_err("refused");
    assert_eq!(error.kind(), kind, "{error}");
    for word in words {
        assert!(error.to_string().contains(word), "'{word}' is missing in: {error}");
    }
    assert!(fs::read(&disk.image).expect("the image") == before, "bytes changed");
}

fn write(target: &WritableTarget, direct: bool) {
    let handle = target.handle(direct).expect("a handle").try_clone_to_owned().expect("a file");
    // A boundary of 4 KiB somewhere in it serves every alignment.
    let buffer = vec![9u8; 8192];
    let start = buffer.as_ptr().align_offset(4096);
    File::from(handle).write_all_at(&buffer[start..start + 4096], 4096).expect("written");
}

#[test]
fn a_bare_loop_device_is_released_by_its_kernel_name_whatever_path_led_to_it() {
    let Some(disk) = Loop::with_options(SIZE, &["--direct-io=on"]) else { return };
    let link = disk.folder().join("by-some-id");
    symlink(&disk.device, &link).expect("a link");
    let node = node(text(&link));
    for name in [disk.name(), disk.device.as_str()] {
        let target = authorise_device(&node, &named(name)).expect("released");
        assert_eq!((target.path(), target.length()), (Path::new(&disk.device), Bytes::new(SIZE)));
        assert_eq!(target.decision().destroy_named.as_deref(), Some(Path::new(name)));
        let because = &target.decision().allowed_because;
        let decided = target.decision().device.as_ref().expect("a device");
        assert_eq!((decided.identity.name.as_str(), decided.overridden.len()), (disk.name(), 0));
        assert!(decided.looked_at.contains("all of it") && decided.held.contains("O_EXCL"), "{decided:?}");
        assert!(because.contains("a loop device on") && because.contains("held exclusively"), "{because}");
        assert!(fs::read(&disk.image).expect("the image").iter().all(|byte| *byte == 0), "nothing is written so far");
        look_again(&target).expect("still as it was");
        for handle in [target.handle(true), target.handle(false)] {
            let flags = rustix::fs::fcntl_getfl(handle.expect("a handle")).expect("flags");
            assert!(!flags.contains(rustix::fs::OFlags::NONBLOCK), "io_uring takes that for a promise");
        }
    }
    let target = released(&disk).expect("released");
    write(&target, true);
    assert_eq!(fs::read(&disk.image).expect("the image")[4096], 9);
    write(&target, false);
    rustix::fs::fdatasync(target.handle(false).expect("a handle")).expect("durable");
}

#[test]
fn without_destroy_or_with_another_name_it_is_refused() {
    let Some(disk) = Loop::new(SIZE) else { return };
    let node = disk.node();
    let error = authorise_device(&node, &Destroy::default()).expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains(&format!("add `--destroy {}`", disk.name())), "{error}");
    let link = disk.folder().join("by-some-id");
    symlink(&disk.device, &link).expect("a link");
    for other in ["loop", "loop999", "/dev/loop999", "vda", text(&link), text(&disk.image)] {
        let error = authorise_device(&node, &named(other)).expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(error.to_string().contains("but this is"), "{error}");
    }
}

#[test]
fn file_systems_and_swap_are_told_and_overridden_by_the_id_unless_they_are_in_use() {
    let Some(disk) = Loop::new(320 * MIB) else { return };
    for (maker, options, what) in [
        ("mkfs.ext4", &["-q", "-F"][..], "an ext2, ext3 or ext4 file system"),
        ("mkfs.xfs", &["-q", "-f"], "an XFS file system"),
        ("mkswap", &[], "swap space"),
    ] {
        let mut arguments = options.to_vec();
        arguments.push(&disk.device);
        if or_skip(tried(maker, &arguments)).is_none() {
            continue;
        }
        let error = release_device(&disk.node(), &Destroy::default()).expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Refused);
        for word in [what, "data in", "all of it, 320 MiB, was read", &format!("--destroy {}", disk.name())] {
            assert!(error.to_string().contains(word), "'{word}' is missing in: {error}");
        }
        let target = released(&disk).expect("released by its name");
        let decided = target.decision().device.as_ref().expect("a device");
        assert!(decided.overridden.iter().any(|found| found.starts_with(what)), "{:?}", decided.overridden);
        drop(target);
        tool("wipefs", &["--all", &disk.device]);
    }
    tool("mkfs.ext4", &["-q", "-F", &disk.device]);
    // Mounted for writing, ext4 writes by itself: its journal, and inode tables that mkfs left for later.
    let mount = Mount::new(&["-o", "ro", &disk.device], &disk.folder().join("mount")).expect("mounted");
    refused(&disk, ErrorKind::Refused, &["in use", "is mounted at", text(&mount.folder), "no flag overrides"]);
}

#[test]
fn a_mount_in_another_namespace_is_seen() {
    let Some(disk) = Loop::new(SIZE) else { return };
    tool("mkfs.ext4", &["-q", &disk.device]);
    let place = disk.folder().join("elsewhere");
    fs::create_dir(&place).expect("a folder");
    let script = format!("mount {} {} && echo ready && exec sleep 600", disk.device, place.display());
    let child = Command::new("unshare").args(["--mount", "sh", "-c", &script]).stdout(Stdio::piped()).spawn();
    let mut child = child.expect("a namespace");
    let mut ready = [0; 5];
    let heard = std::io::Read::read_exact(child.stdout.as_mut().expect("its output"), &mut ready);
    let here = fs::read_to_string("/proc/self/mountinfo").expect("mounts");
    let outcome = released(&disk);
    child.kill().and_then(|()| child.wait()).expect("ended");
    heard.expect("mounted");
    assert!(!here.contains(text(&place)), "the mount is not in this namespace");
    let error = outcome.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains(&format!("is mounted at {}", place.display())), "{error}");
}

#[test]
fn active_swap_is_refused_and_partitions_go_by_their_own_names() {
    let Some(disk) = Loop::with_options(SIZE, &["--partscan"]) else { return };
    tool("mkswap", &[&disk.device]);
    tool("swapon", &[&disk.device]);
    let off = Undo::by(&["swapoff", &disk.device]);
    refused(&disk, ErrorKind::Refused, &["active swap space"]);
    drop(off);
    tool("wipefs", &["--all", &disk.device]);

    partition(&disk);
    let name = format!("{}p1", disk.name());
    let error = release_device(&disk.node(), &Destroy::default()).expect_err("refused");
    assert!(error.to_string().contains("an MBR partition table"), "{error}");
    drop(released(&disk).expect("a partition table is content"));
    let part = node(&format!("/dev/{name}"));
    let error = authorise_device(&part, &named(disk.name())).expect_err("another name");
    assert!(error.to_string().contains(&format!("--destroy {name}")), "{error}");
    let target = authorise_device(&part, &named(&name)).expect("a partition by its own name");
    assert!(target.length() < Bytes::new(SIZE));
    // Its whole disk is locked in the meantime.
    let error = released(&disk).expect_err("locked");
    assert_eq!(error.kind(), ErrorKind::Busy, "{error}");
    drop(target);

    let released = release_device(&disk.node(), &named(disk.name())).expect("released");
    let target = released.authorise_on_top(&part.path).expect("a partition of it");
    assert!(target.decision().allowed_because.contains("and on nothing else"), "{:?}", target.decision());
    look_again(&target).expect("still as it was");
    assert!(released.authorise_on_top(&part.path).is_err(), "claimed");
}

#[test]
fn what_does_not_lie_on_a_released_disk_is_refused() {
    let (Some(disk), Ok(other)) = (Loop::new(SIZE), tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")))
    else {
        return;
    };
    other.as_file().set_len(SIZE).expect("a size");
    let second = LoopDevice::on(other.path(), &[]).expect("a second loop device");
    let released = release_device(&disk.node(), &named(disk.name())).expect("released");
    let error = released.authorise_on_top(Path::new(&second.device)).expect_err("another disk");
    assert!(error.to_string().contains("does not lie on"), "{error}");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(released.authorise_on_top(&disk.image).is_err(), "a file");
    drop(released.into_target().expect("as it is"));
}

#[test]
fn what_came_to_a_released_disk_before_the_first_write_is_refused_and_nothing_after_it() {
    let Some(disk) = Loop::new(SIZE) else { return };
    let released = release_device(&disk.node(), &named(disk.name())).expect("released");
    disk.write(0, b"XFSB");
    let before = fs::read(&disk.image).expect("the image");
    let path = disk.node().path;
    for error in [
        released.authorise_on_top(&path).map(drop).expect_err("another program wrote to it"),
        released.before_first_write().expect_err("and a caller that lets another program write gets the same error"),
    ] {
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(error.to_string().contains("an XFS file system (at byte 0), which was not there"), "{error}");
    }
    assert!(fs::read(&disk.image).expect("the image") == before, "bytes changed");
    disk.write(0, &[0; 4]);
    drop(released.authorise_on_top(&path).expect("gone again"));
    // From the first write on it is the caller's own, such as a file system that was made for a run.
    disk.write(0, b"XFSB");
    drop(released.authorise_on_top(&path).expect("the caller's own"));
    released.before_first_write().expect("the first one is past");
}

#[test]
fn another_device_than_the_plan_was_made_for_is_refused() {
    let Some(disk) = Loop::new(SIZE) else { return };
    let planned = preview_device(&disk.node()).expect("looked at").identity;
    let again = named(disk.name()).planned_for(planned.clone());
    drop(release_device(&disk.node(), &again).expect("the same device"));
    let mut twin = planned.clone();
    twin.serial = Some("another".to_owned());
    let error = release_device(&disk.node(), &named(disk.name()).planned_for(twin)).expect_err("another serial");
    assert!(error.to_string().contains("the serial number was another and is none"), "{error}");
    assert_eq!(error.kind(), ErrorKind::Refused);
    if planned.diskseq.is_none() {
        skip("this kernel does not count its disks (Linux 5.15)");
        return;
    }
    // Another disk under the same name, as when a drive is pulled and its twin is inserted: under a number that is
    // never given to a request for the next free one.
    let twin = LoopDevice::apart(&disk.image, &[], 400..500).expect("attached");
    let again = named(&twin.device).planned_for(identity_of(&node(&twin.device)));
    twin.swap_for(&disk.image);
    let error = release_device(&node(&twin.device), &again).expect_err("another disk by its count");
    assert!(error.to_string().contains("diskseq"), "{error}");
}

#[test]
fn a_device_under_a_loop_device_and_a_loop_device_on_a_device_are_refused() {
    let Some(disk) = Loop::new(SIZE) else { return };
    let upper = LoopDevice::on(Path::new(&disk.device), &[]).expect("a second loop device");
    refused(&disk, ErrorKind::Refused, &[upper.name(), "(a loop device) lies on"]);
    let error = authorise_device(&node(&upper.device), &named(upper.name())).expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("name that device itself"), "{error}");
}

#[test]
fn a_device_of_a_volume_is_refused() {
    let Some(disk) = Loop::new(SIZE) else { return };
    if !Path::new("/sys/class/misc/device-mapper").exists() {
        // Skipped in CI too: no machine can load what its kernel was built without (stated in
        // docs/how-it-is-tested.md). The tree of a volume is tested without one (block_use), real volumes in
        // tests/vm/guard.sh.
        eprintln!("skipped: this kernel has no device-mapper");
        return;
    }
    let name = format!("drivelab-test-{}", std::process::id());
    let table = format!("0 {} linear {} 0", SIZE / 512, disk.device);
    if or_skip(tried("dmsetup", &["create", &name, "--table", &table])).is_none() {
        return;
    }
    let _remove = Undo::by(&["dmsetup", "remove", &name]);
    refused(&disk, ErrorKind::Refused, &["lies on", disk.name()]);
}

#[test]
fn a_device_that_somebody_has_open_or_claimed_is_busy() {
    let Some(disk) = Loop::new(SIZE) else { return };
    let input = File::open(&disk.device).expect("the device");
    let mut child = Command::new("sleep").arg("600").stdin(Stdio::from(input)).spawn().expect("a process");
    refused(&disk, ErrorKind::Busy, &["(sleep) has it open"]);
    child.kill().and_then(|()| child.wait()).expect("ended");

    let exclusive = rustix::fs::OFlags::EXCL.bits().cast_signed();
    let claimed = OpenOptions::new().read(true).custom_flags(exclusive).open(&disk.device).expect("claimed");
    refused(&disk, ErrorKind::Busy, &["has it open"]);
    drop(claimed);

    let target = released(&disk).expect("free again");
    refused(&disk, ErrorKind::Busy, &["has it open"]);
    let error = OpenOptions::new().read(true).custom_flags(exclusive).open(&disk.device).expect_err("claimed");
    assert_eq!(
        error.kind(),
        std::io::ErrorKind::ResourceBusy,
        "no other program can mount or claim it in the meantime"
    );
    assert!(tried("swapon", &[&disk.device]).is_err());
    drop(target);
    drop(released(&disk).expect("free again"));
}

#[test]
fn the_last_look_sees_what_came_after_the_release() {
    let Some(disk) = Loop::new(SIZE) else { return };
    let target = released(&disk).expect("released");
    disk.write(0, b"XFSB");
    let error = look_again(&target).expect_err("another program wrote to it");
    assert!(error.to_string().contains("an XFS file system"), "{error}");
    disk.write(0, &[0; 4]);
    look_again(&target).expect("gone again");
    let other = File::open(&disk.image).expect("the image");
    let mut child = Command::new("sleep").arg("600").stdin(Stdio::from(other)).spawn().expect("a process");
    let error = look_again(&target).expect_err("in use");
    child.kill().and_then(|()| child.wait()).expect("ended");
    assert_eq!(error.kind(), ErrorKind::Busy, "{error}");
    assert!(error.to_string().contains("the file under it"), "{error}");
}

#[test]
fn a_read_only_device_is_refused() {
    let Some(disk) = Loop::with_options(SIZE, &["--read-only"]) else { return };
    refused(&disk, ErrorKind::Refused, &["set read-only", "--read-only"]);
}

#[test]
fn the_file_under_a_loop_device_must_be_nobody_elses_and_all_of_it() {
    for (options, word) in [(&["--offset", "1048576"][..], "a part of"), (&["--sizelimit", "1048576"], "a part of")] {
        let Some(disk) = Loop::with_options(SIZE, options) else { return };
        refused(&disk, ErrorKind::Refused, &[word, text(&disk.image)]);
    }
    let Some(disk) = Loop::new(SIZE) else { return };
    let second = disk.folder().join("second");
    fs::hard_link(&disk.image, &second).expect("a link");
    refused(&disk, ErrorKind::Refused, &["the file under it", "hard links"]);
    fs::remove_file(&second).expect("removed");
    let other = LoopDevice::on(&disk.image, &[]).expect("a second loop device");
    refused(&disk, ErrorKind::Refused, &["the file under it", &other.device]);
    drop(other);
    let own = File::open(&disk.image).expect("the image");
    let before = released(&disk).expect_err("open here");
    assert_eq!(before.kind(), ErrorKind::Busy, "{before}");
    drop(own);
    fs::remove_file(&disk.image).expect("removed");
    let error = released(&disk).expect_err("deleted");
    assert!(error.to_string().contains("was deleted"), "{error}");
}

#[test]
fn zram_is_released_and_one_without_a_size_is_unusable() {
    let Some(zram) = Zram::new(SIZE) else { return };
    let name = zram.name().to_owned();
    let target = authorise_device(&node(&zram.device), &named(&name)).expect("released");
    assert_eq!(target.length(), Bytes::new(SIZE));
    assert!(target.decision().allowed_because.contains(&name), "{}", target.decision().allowed_because);
    write(&target, true);
    look_again(&target).expect("still as it was");
    drop(target);
    tool("mkswap", &[&zram.device]);
    let error = authorise_device(&node(&zram.device), &Destroy::default()).expect_err("refused");
    assert!(error.to_string().contains("swap space"), "{error}");
    zram.reset();
    let error = authorise_device(&node(&zram.device), &named(&name)).expect_err("empty");
    assert_eq!(error.kind(), ErrorKind::NoSpace, "{error}");
}

#[test]
fn what_came_since_the_user_was_asked_is_refused() {
    let Some(disk) = Loop::new(SIZE) else { return };
    let preview = preview_device(&disk.node()).expect("a look");
    assert!(preview.found.is_empty(), "{:?}", preview.found);
    let answered = Destroy { shown: Some(preview.found), ..named(disk.name()) };
    drop(release_device(&disk.node(), &answered).expect("as it was shown"));
    tool("mkfs.ext4", &["-q", "-F", &disk.device]);
    let before = fs::read(&disk.image).expect("the image");
    let error = release_device(&disk.node(), &answered).expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("ext4") && error.to_string().contains("when you were asked"), "{error}");
    assert!(fs::read(&disk.image).expect("the image") == before, "bytes changed");
    let again = preview_device(&disk.node()).expect("a look");
    let answered = Destroy { shown: Some(again.found), ..named(disk.name()) };
    drop(release_device(&disk.node(), &answered).expect("what was shown may be destroyed"));
}
