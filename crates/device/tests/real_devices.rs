//! The guard and the facts on separate file systems: ext4 on loop devices. Needs root and the tools for it; prints a
//! message if it cannot run.

mod common;

use std::fs::{self, File};

use common::bench::{Disk, MIB};
use common::listed;
use drivelab_core::ids::RunId;
use drivelab_core::units::Bytes;
use drivelab_device::guard::{authorise_file, make_scratch};
use drivelab_device::{ErrorKind, folder_facts, target_facts};
use drivelab_rig::{Mount, or_skip, text, tool, tried};

#[test]
fn a_loop_device_is_described_down_to_what_it_lies_on() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    let facts = folder_facts(disk.mount_point()).expect("facts");
    assert_eq!(
        (facts.file_system.kind.as_str(), facts.file_system.mount_point.as_path()),
        ("ext4", disk.mount_point())
    );
    assert_eq!(facts.file_system.source, disk.below.device);
    assert!(facts.writable && facts.direct_io_expected.supported, "{:?}", facts.direct_io_expected);
    let first = &facts.devices[0];
    assert_eq!((format!("/dev/{}", first.name), first.transport.as_str()), (disk.below.device.clone(), "loop"));
    assert_eq!(first.capacity, Bytes::new(64 * MIB));
    assert!(first.virtual_because.is_some());
    let below = folder_facts(disk.below.image.parent().expect("a folder")).expect("facts");
    let names: Vec<&str> = facts.devices[1..].iter().map(|device| device.name.as_str()).collect();
    let expected: Vec<&str> = below.devices.iter().map(|device| device.name.as_str()).collect();
    assert_eq!(names, expected, "the device under the image follows");
    assert_eq!(first.lies_on.iter().map(String::as_str).collect::<Vec<_>>(), expected[..expected.len().min(1)]);
}

#[test]
fn free_space_is_told_as_it_was_before_the_scratch_file() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    let before = folder_facts(disk.mount_point()).expect("facts").file_system.free;
    let (target, _scratch) = make_scratch(disk.mount_point(), None, RunId::now(), Bytes::new(8 * MIB)).expect("a file");
    let kind = drivelab_core::environment::TargetKind::ScratchFile;
    let facts = target_facts(target.path(), kind, target.length()).expect("facts");
    let free = facts.file_system.expect("a file system").free;
    assert!(free.get().abs_diff(before.get()) < MIB, "{free} and {before}");
    assert!(facts.direct_io.supported, "{:?}", facts.direct_io);
}

#[test]
fn a_read_only_file_system_is_one_clear_error() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    fs::write(disk.mount_point().join("file"), vec![1; 8192]).expect("a file");
    let before = listed(disk.mount_point());
    disk.mount.remount_read_only();
    let error = make_scratch(disk.mount_point(), None, RunId::now(), Bytes::new(MIB)).expect_err("read-only");
    assert_eq!(error.kind(), ErrorKind::ReadOnly, "{error}");
    assert!(error.to_string().contains("mounted read-only"), "{error}");
    let file = disk.mount_point().join("file");
    assert_eq!(authorise_file(&file, Some(&file)).expect_err("read-only").kind(), ErrorKind::ReadOnly);
    let facts = folder_facts(disk.mount_point()).expect("facts");
    assert!(!facts.writable && facts.file_system.options.starts_with("ro"), "{facts:?}");
    assert_eq!(listed(disk.mount_point()), before);
}

#[test]
fn a_full_file_system_is_one_clear_error_with_nothing_left() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    let error = make_scratch(disk.mount_point(), None, RunId::now(), Bytes::new(63 * MIB)).expect_err("too large");
    assert_eq!(error.kind(), ErrorKind::NoSpace, "{error}");
    assert_eq!(listed(disk.mount_point()), ["lost+found"]);
    // Every last block, which root may use.
    let mut filler = File::create(disk.mount_point().join("filler")).expect("a file");
    let chunk = vec![1u8; 1 << 16];
    while std::io::Write::write_all(&mut filler, &chunk).is_ok() {}
    drop(filler);
    let error = make_scratch(disk.mount_point(), None, RunId::now(), Bytes::new(MIB)).expect_err("full");
    assert_eq!(error.kind(), ErrorKind::NoSpace, "{error}");
    assert_eq!(listed(disk.mount_point()), ["filler", "lost+found"]);
}

#[test]
fn the_image_under_a_mounted_file_system_is_refused_even_with_destroy() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    let error = authorise_file(&disk.below.image, Some(&disk.below.image)).expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains(&disk.below.device), "{error}");
    // Under another name for the same place, it is the same file.
    let alias = Mount::new(&["--bind", text(disk.below.folder())], &disk.mount_point().join("alias"));
    let Some(alias) = or_skip(alias) else { return };
    let path = alias.folder.join("disk.img");
    let outcome = authorise_file(&path, Some(&path)).map(drop);
    drop(alias);
    assert_eq!(outcome.expect_err("refused").kind(), ErrorKind::Refused);
}

#[test]
fn active_swap_is_refused_even_with_destroy() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    let path = disk.mount_point().join("swapfile");
    let swap = text(&path);
    fs::write(&path, vec![0; 4 * 1024 * 1024]).expect("a file");
    let prepared =
        tried("chmod", &["600", swap]).and_then(|_| tried("mkswap", &[swap])).and_then(|_| tried("swapon", &[swap]));
    if or_skip(prepared).is_none() {
        return;
    }
    let outcome = authorise_file(&path, Some(&path)).map(drop);
    tool("swapoff", &[swap]);
    let error = outcome.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("swap"), "{error}");
}

#[test]
fn a_released_file_on_an_image_can_be_written_past_the_page_cache() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    let path = disk.mount_point().join("scrap.img");
    fs::write(&path, vec![5; 1 << 20]).expect("a file");
    let target = authorise_file(&path, Some(&path)).expect("released");
    assert!(target.handle(true).is_some(), "{:?}", target.direct_io());
    assert_eq!(fs::read(&path).expect("the file"), vec![5; 1 << 20]);
}
