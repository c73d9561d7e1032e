//! Targets that are only read: block devices by any path, in use or not; files; the zero device.

mod common;

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;

use common::bench::{Loop, MIB, Zram, node, partition};
use common::{fingerprint, folder};
use drivelab_core::environment::TargetKind;
use drivelab_core::target::IoTarget;
use drivelab_core::units::Bytes;
use drivelab_device::{ErrorKind, open_device_to_read, open_file_to_read, open_zero_to_read};
use drivelab_rig::{LoopDevice, Mount, Undo, tool};

/// The kernel refuses a write through the handle.
fn cannot_be_written(target: &IoTarget) {
    for handle in [target.handle(false), target.handle(true)].into_iter().flatten() {
        let flags = rustix::fs::fcntl_getfl(handle).expect("flags");
        assert_eq!(flags & rustix::fs::OFlags::RWMODE, rustix::fs::OFlags::RDONLY);
        assert!(!flags.contains(rustix::fs::OFlags::NONBLOCK), "io_uring takes that for a promise");
        let error = rustix::io::pwrite(handle, &[0; 512], 0).expect_err("read only");
        assert_eq!(error, rustix::io::Errno::BADF);
    }
}

#[test]
fn a_loop_device_is_read_by_any_path_that_leads_to_it() {
    let Some(disk) = Loop::with_options(16 * MIB, &["--direct-io=on"]) else { return };
    let link = disk.folder().join("by-some-id");
    symlink(&disk.device, &link).expect("a link");
    let node = node(link.to_str().expect("a plain path"));
    assert_eq!((node.name.as_str(), node.path.as_path()), (disk.name(), Path::new(&disk.device)));
    assert!(!node.is_partition());
    assert_eq!(node.size(), Bytes::new(16 * MIB));
    let opened = open_device_to_read(&node).expect("readable");
    assert_eq!((opened.facts.kind, opened.facts.length), (TargetKind::BlockDevice, Bytes::new(16 * MIB)));
    assert_eq!((&opened.facts.file_system, opened.facts.used_by.len()), (&None, 0));
    assert_eq!(opened.facts.devices[0].name, disk.name());
    let target = IoTarget::from(opened.target);
    assert!(target.handle(true).is_some(), "{:?}", target.direct_io());
    assert_eq!(target.length(), Bytes::new(16 * MIB));
    cannot_be_written(&target);
}

#[test]
fn a_device_in_use_is_read_and_says_by_what() {
    let Some(disk) = Loop::new(64 * MIB) else { return };
    tool("mkfs.ext4", &["-q", &disk.device]);
    let mount = Mount::new(&[&disk.device], &disk.folder().join("mount")).expect("mounted");
    let opened = open_device_to_read(&disk.node()).expect("readable");
    let said = format!("{} is mounted at {} (ext4)", disk.name(), mount.folder.display());
    assert_eq!(opened.facts.used_by, [said.as_str()]);
    assert!(opened.target.reason().contains(&said), "{}", opened.target.reason());
}

#[test]
fn a_loop_device_under_another_one_and_a_partition_say_who_uses_them() {
    let Some(disk) = Loop::with_options(64 * MIB, &["--partscan"]) else { return };
    let upper = LoopDevice::on(Path::new(&disk.device), &[]).expect("a second loop device");
    let users = open_device_to_read(&disk.node()).expect("readable").facts.used_by;
    assert_eq!(users, [format!("{} (a loop device) lies on {}", upper.name(), disk.name())]);
    drop(upper);

    partition(&disk);
    let first = format!("{}p1", disk.device);
    tool("mkswap", &[&first]);
    tool("swapon", &[&first]);
    let _off = Undo::by(&["swapoff", &first]);
    let part = node(&first);
    assert!(part.is_partition() && part.whole == disk.name());
    for node in [disk.node(), part] {
        let users = open_device_to_read(&node).expect("readable").facts.used_by;
        assert_eq!(users, [format!("{}p1 is active swap space", disk.name())]);
    }
}

#[test]
fn zram_is_read_with_its_own_alignment_and_an_empty_device_is_refused() {
    let Some(zram) = Zram::new(16 * MIB) else { return };
    let opened = open_device_to_read(&node(&zram.device)).expect("readable");
    assert_eq!((opened.facts.length, opened.facts.devices[0].transport.as_str()), (Bytes::new(16 * MIB), "zram"));
    assert_eq!(opened.facts.direct_io.offset_align, Bytes::new(4096), "{:?}", opened.facts.direct_io);
    let target = IoTarget::from(opened.target);
    cannot_be_written(&target);
    drop(target);
    drop(zram);
    let Some(disk) = Loop::new(16 * MIB) else { return };
    // Under a number that is never given to a request for the next free one, so that it stays empty.
    let empty = LoopDevice::apart(&disk.image, &[], 500..600).expect("attached").device.clone();
    let error = open_device_to_read(&node(&empty)).expect_err("empty");
    assert!(matches!(error.kind(), ErrorKind::NoSpace | ErrorKind::Missing), "{error}");
}

#[test]
fn a_file_is_read_without_being_released_and_its_holes_are_told() {
    let (_guard, folder) = folder();
    let path = folder.join("photos.tar");
    fs::write(&path, vec![5; 3 * 4096 + 100]).expect("a file");
    let before = fingerprint(&path);
    let opened = open_file_to_read(&path).expect("readable");
    assert_eq!((opened.facts.kind, opened.facts.length), (TargetKind::NamedFile, Bytes::new(3 * 4096)));
    assert_eq!(opened.facts.holes, None);
    cannot_be_written(&opened.target.into());
    let after = fingerprint(&path);
    assert_eq!((before.0, before.2), (after.0, after.2));

    let sparse = folder.join("sparse.img");
    File::create(&sparse).and_then(|file| file.set_len(MIB)).expect("a file");
    let holes = || open_file_to_read(&sparse).expect("readable").facts.holes;
    assert_eq!(holes(), Some(Bytes::new(MIB)));
    // Reserved space holds no data either, although its blocks are counted.
    let status = std::process::Command::new("fallocate").args(["--length", "512KiB"]).arg(&sparse).status();
    assert!(status.expect("fallocate starts").success());
    assert_eq!(holes(), Some(Bytes::new(MIB)));
    let written = fs::File::options().write(true).open(&sparse).and_then(|file| {
        std::os::unix::fs::FileExt::write_all_at(&file, &vec![1; 256 << 10], 0)?;
        file.sync_all()
    });
    written.expect("written");
    assert_eq!(holes(), Some(Bytes::new(MIB - (256 << 10))));
    fs::write(&sparse, b"short").expect("a file");
    assert_eq!(open_file_to_read(&sparse).expect_err("too small").kind(), ErrorKind::NoSpace);
    let error = open_file_to_read(Path::new("/proc/kcore")).expect_err("refused");
    assert!(error.to_string().contains("kernel interface"), "{error}");
}

#[test]
fn the_zero_device_is_read_through_the_page_caches_handle_only() {
    let opened = open_zero_to_read(Path::new("/dev/zero"), Bytes::GIB).expect("readable");
    assert_eq!((opened.facts.kind, opened.facts.length), (TargetKind::ZeroDevice, Bytes::GIB));
    let target = IoTarget::from(opened.target);
    assert!(target.handle(true).is_none());
    cannot_be_written(&target);
}
