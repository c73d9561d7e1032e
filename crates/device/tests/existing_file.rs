//! Existing files that drivelab did not create: refused and unchanged, or released by name and then never extended,
//! shortened or removed.

mod common;

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use common::{alone, fingerprint, folder, listed};
use drivelab_core::units::Bytes;
use drivelab_device::ErrorKind;
use drivelab_device::guard::authorise_file;
use drivelab_rig::or_skip;

/// The guard refuses, and content and times of the file are unchanged.
#[track_caller]
fn refused(path: &Path, destroy: Option<&Path>, kind: ErrorKind, word: &str) {
    // The first check reads the file, which may set its access time; the second one counts.
    let _ = fingerprint(path);
    let before = fingerprint(path);
    let error = authorise_file(path, destroy).expect_err("refused");
    let after = fingerprint(path);
    assert_eq!((before.1, before.2), (after.1, after.2), "times, length or identity changed");
    assert!(before.0 == after.0, "bytes changed");
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(word), "{error}");
}

#[test]
fn without_destroy_an_existing_file_is_refused_and_untouched() {
    let _alone = alone();
    let (_guard, folder) = folder();
    let path = folder.join("photos.tar");
    fs::write(&path, vec![5; 10_000]).expect("a file");
    refused(&path, None, ErrorKind::Refused, "--destroy");
    symlink(&path, folder.join("link")).expect("a link");
    refused(&folder.join("link"), None, ErrorKind::Refused, "--destroy");
    assert_eq!(listed(&folder).len(), 2, "nothing was created next to it");
}

#[test]
fn destroy_must_name_the_very_same_file() {
    let _alone = alone();
    let (_guard, folder) = folder();
    let (path, other) = (folder.join("photos.tar"), folder.join("scrap.img"));
    fs::write(&path, vec![5; 10_000]).expect("a file");
    fs::write(&other, vec![5; 10_000]).expect("a file");
    refused(&path, Some(&other), ErrorKind::Refused, "names another file");
    refused(&path, Some(&folder), ErrorKind::Refused, "names another file");
    refused(&path, Some(&folder.join("none")), ErrorKind::Refused, "--destroy");
}

#[test]
fn a_released_file_is_writable_up_to_whole_blocks_and_keeps_its_length() {
    let _alone = alone();
    let (_guard, folder) = folder();
    let path = folder.join("scrap.img");
    fs::write(&path, vec![5; 3 * 4096 + 100]).expect("a file");
    symlink(&path, folder.join("link")).expect("a link");
    let before = fingerprint(&path);
    let target = authorise_file(&folder.join("link"), Some(&path)).expect("released");
    assert_eq!((target.length(), target.path()), (Bytes::new(3 * 4096), path.as_path()));
    assert_eq!(target.decision().destroy_named.as_deref(), Some(path.as_path()));
    assert!(fingerprint(&path).0 == before.0, "letting it through writes nothing");
    let handle = target.handle(false).expect("a handle").try_clone_to_owned().expect("a file");
    File::from(handle).write_all_at(&[9; 4096], 4096).expect("written");
    drop(target);
    let after = fs::read(&path).expect("the file");
    assert_eq!((after.len(), after[4096], after[3 * 4096 + 99]), (3 * 4096 + 100, 9, 5));
}

#[test]
fn hard_links_are_refused_even_with_destroy() {
    let _alone = alone();
    let (_guard, folder) = folder();
    let path = folder.join("scrap.img");
    fs::write(&path, vec![5; 8192]).expect("a file");
    fs::hard_link(&path, folder.join("second")).expect("a link");
    refused(&path, Some(&path), ErrorKind::Refused, "hard link");
}

#[test]
fn a_file_that_a_process_has_open_or_runs_is_refused_even_with_destroy() {
    let _alone = alone();
    let (_guard, folder) = folder();
    let path = folder.join("scrap.img");
    fs::write(&path, vec![5; 8192]).expect("a file");
    let input = File::open(&path).expect("the file");
    let mut child = Command::new("sleep").arg("600").stdin(Stdio::from(input)).spawn().expect("a process");
    let by = format!("process {} (sleep) has it open", child.id());
    refused(&path, Some(&path), ErrorKind::Busy, &by);
    child.kill().and_then(|()| child.wait()).expect("ended");
    let own = File::open(&path).expect("the file");
    refused(&path, Some(&path), ErrorKind::Busy, "has it open");
    drop(own);
    assert!(authorise_file(&path, Some(&path)).is_ok());

    let sleep = ["/usr/bin/sleep", "/bin/sleep"].map(Path::new).into_iter().find(|path| path.exists());
    let Some(sleep) = or_skip(sleep.ok_or("there is no sleep to copy")) else { return };
    let program = folder.join("program");
    fs::copy(sleep, &program).expect("a copy");
    let mut child = Command::new(&program).arg("600").spawn().expect("a process");
    refused(&program, Some(&program), ErrorKind::Busy, "running as its program");
    child.kill().and_then(|()| child.wait()).expect("ended");
}

#[test]
fn two_runs_on_one_named_file_are_one_too_many() {
    let _alone = alone();
    let (_guard, folder) = folder();
    let path = folder.join("scrap.img");
    fs::write(&path, vec![5; 8192]).expect("a file");
    let first = authorise_file(&path, Some(&path)).expect("released");
    assert_eq!(authorise_file(&path, Some(&path)).expect_err("in use").kind(), ErrorKind::Busy);
    drop(first);
    assert!(authorise_file(&path, Some(&path)).is_ok());
}

#[test]
fn what_is_no_storage_is_refused_even_with_destroy() {
    let _alone = alone();
    let error = |path: &str| authorise_file(Path::new(path), Some(Path::new(path))).expect_err("refused");
    assert_eq!(error("/proc/version").kind(), ErrorKind::Unfit);
    assert!(error("/proc/version").to_string().contains("kernel interface"));
    assert_eq!(error("/dev/null").kind(), ErrorKind::Unfit);
    assert_eq!(error("/").kind(), ErrorKind::Unfit);
    assert_eq!(error("/no/such/file").kind(), ErrorKind::Missing);
    let (_guard, folder) = folder();
    let path = folder.join("small");
    fs::write(&path, vec![5; 4095]).expect("a file");
    refused(&path, Some(&path), ErrorKind::NoSpace, "4 KiB");
}

#[test]
fn block_devices_are_refused_in_words_even_with_destroy() {
    let _alone = alone();
    let devices = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let nodes = devices.map(|entry| Path::new("/dev").join(entry.file_name()));
    let node = nodes.into_iter().find(|node| node.exists()).ok_or("there is no block device to name");
    let Some(node) = or_skip(node) else { return };
    let error = authorise_file(&node, Some(&node)).expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::BlockDevice);
    assert!(error.to_string().contains("this version"), "{error}");
}
