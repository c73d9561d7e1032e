//! Scratch files on a real file system: created, found again, removed; and files of other programs that must stay.

mod common;

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{fingerprint, folder, listed};
use drivelab_core::ids::RunId;
use drivelab_core::units::Bytes;
use drivelab_device::guard::{Whole, make_scratch, reopen_scratch};
use drivelab_device::{ErrorKind, LeftoverState, Scratch, ScratchClaim, leftover_scratches, remove_leftover};
use drivelab_rig::{or_skip, root_or_skip};

const LENGTH: Bytes = Bytes::new(1 << 20);

fn own_name(folder: &Path, run: RunId) -> PathBuf {
    folder.join(format!(".drivelab-scratch-{run}"))
}

fn claim_path(folder: &Path, run: RunId) -> PathBuf {
    folder.join(format!(".drivelab-scratch-{run}.claim"))
}

/// A scratch file as a killed process leaves it: complete, without a lock.
fn killed(folder: &Path, name: Option<&str>, filled: bool) -> ScratchClaim {
    let (target, mut scratch) =
        make_scratch(folder, name.map(OsStr::new), RunId::now(), LENGTH).expect("a scratch file");
    if filled {
        let file = OpenOptions::new().write(true).open(scratch.path()).expect("the file");
        file.write_all_at(&vec![7; 1 << 20], 0).expect("content");
        file.sync_data().expect("durable content");
        scratch.mark_filled().expect("a claim");
    }
    let claim = scratch.claim().clone();
    drop(target);
    scratch.keep();
    claim
}

fn write_claim(folder: &Path, claim: &ScratchClaim) {
    let line = serde_json::to_string(claim).expect("a claim");
    fs::write(claim_path(folder, claim.run), format!("\n{line}\n")).expect("a claim file");
}

/// Nothing in the folder is listed as drivelab's, and a resume reports the file as gone.
fn assert_left_alone(folder: &Path, claim: &ScratchClaim) {
    assert!(leftover_scratches(folder).expect("a list").is_empty());
    assert!(reopen_scratch(claim).expect_err("gone").is_gone());
    assert_eq!(make_scratch(folder, None, claim.run, LENGTH).expect_err("in the way").kind(), ErrorKind::Refused);
}

#[test]
fn a_scratch_file_has_its_length_and_goes_together_with_its_claim() {
    let (_guard, folder) = folder();
    let (target, scratch) = make_scratch(&folder, None, RunId::now(), LENGTH).expect("a scratch file");
    let status = fs::metadata(scratch.path()).expect("the file");
    assert_eq!((status.len(), target.length()), (LENGTH.get(), LENGTH));
    assert!(status.blocks() * 512 >= LENGTH.get(), "the space is reserved");
    assert_eq!(status.mode() & 0o777, 0o600);
    assert_eq!(listed(&folder).len(), 2);
    assert_eq!(target.handle(true).is_some(), target.direct_io().supported);
    drop(target);
    drop(scratch);
    assert!(listed(&folder).is_empty());
}

#[test]
fn what_a_killed_run_left_is_found_and_removed_and_its_space_told() {
    let (_guard, folder) = folder();
    let claim = killed(&folder, None, false);
    let leftover = leftover_scratches(&folder).expect("a list").pop().expect("a leftover");
    assert_eq!((leftover.claim(), leftover.state()), (&claim, LeftoverState::Orphan));
    let freed = remove_leftover(leftover).expect("removed");
    assert!(freed >= LENGTH, "{freed}");
    assert!(listed(&folder).is_empty());
}

#[test]
fn the_file_of_a_living_owner_is_named_and_stays() {
    let (_guard, folder) = folder();
    let (_target, scratch) = make_scratch(&folder, None, RunId::now(), LENGTH).expect("a scratch file");
    let leftover = leftover_scratches(&folder).expect("a list").pop().expect("it is listed");
    assert_eq!(leftover.state(), LeftoverState::InUse);
    assert_eq!(remove_leftover(leftover).expect_err("in use").kind(), ErrorKind::Busy);
    assert_eq!(reopen_scratch(scratch.claim()).expect_err("in use").kind(), ErrorKind::Busy);
    assert!(scratch.path().exists());
}

#[test]
fn a_file_of_somebody_else_with_our_kind_of_name_stays() {
    let (_guard, folder) = folder();
    let run = RunId::now();
    fs::write(own_name(&folder, run), b"a diary").expect("a file");
    let before = fingerprint(&own_name(&folder, run));
    assert!(leftover_scratches(&folder).expect("a list").is_empty());
    let error = make_scratch(&folder, None, run, LENGTH).expect_err("the name is taken");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert_eq!(fingerprint(&own_name(&folder, run)).2, before.2);
    assert_eq!(listed(&folder).len(), 1, "no claim is left behind");
}

#[test]
fn a_file_that_took_the_place_of_a_scratch_file_stays() {
    let (_guard, folder) = folder();
    let claim = killed(&folder, None, true);
    // ext4 gives the freed inode number to the next file, so only the time of birth distinguishes them.
    fs::remove_file(&claim.path).expect("removed");
    fs::write(&claim.path, b"a diary").expect("another file");
    assert_left_alone(&folder, &claim);
    assert_eq!(fs::read(&claim.path).expect("the file"), b"a diary");
}

#[test]
fn a_scratch_file_that_somebody_linked_to_stays() {
    let (_guard, folder) = folder();
    let claim = killed(&folder, None, true);
    fs::hard_link(&claim.path, folder.join("kept")).expect("a link");
    assert_left_alone(&folder, &claim);
    assert!(claim.path.exists());
}

#[test]
fn a_living_run_leaves_a_linked_or_replaced_file_too() {
    let (_guard, folder) = folder();
    let (_target, scratch) = make_scratch(&folder, None, RunId::now(), LENGTH).expect("a scratch file");
    let path = scratch.path().to_owned();
    fs::hard_link(&path, folder.join("kept")).expect("a link");
    assert_eq!(scratch.remove().expect_err("linked").kind(), ErrorKind::Refused);
    assert!(path.exists());

    let (_target, scratch) = make_scratch(&folder, None, RunId::now(), LENGTH).expect("a scratch file");
    let path = scratch.path().to_owned();
    fs::remove_file(&path).expect("removed");
    fs::write(&path, b"a diary").expect("another file");
    scratch.remove().expect("ours is gone already");
    assert_eq!(fs::read(&path).expect("the file"), b"a diary");
}

#[test]
fn an_intent_removes_only_an_empty_file_of_the_runs_own_name() {
    let (_guard, folder) = folder();
    let done = killed(&folder, None, false);
    remove_leftover(leftover_scratches(&folder).expect("a list").remove(0)).expect("removed");
    let intent = |path: PathBuf| ScratchClaim { run: RunId::now(), file: None, path, ..done.clone() };

    let claim = intent(folder.join("results.img"));
    write_claim(&folder, &claim);
    fs::write(folder.join("results.img"), b"").expect("the user's file");
    fs::write(own_name(&folder, claim.run), b"").expect("our file");
    remove_leftover(leftover_scratches(&folder).expect("a list").remove(0)).expect("removed");
    assert_eq!(listed(&folder), ["results.img"]);

    let claim = intent(own_name(&folder, RunId::now()));
    write_claim(&folder, &claim);
    fs::write(own_name(&folder, claim.run), b"a diary").expect("a file with content");
    assert_left_alone(&folder, &claim);
    assert_eq!(fs::read(own_name(&folder, claim.run)).expect("the file"), b"a diary");
}

#[test]
fn a_link_in_the_place_of_a_scratch_file_is_never_followed() {
    let (_guard, folder) = folder();
    let run = RunId::now();
    symlink(folder.join("elsewhere"), own_name(&folder, run)).expect("a link");
    assert!(make_scratch(&folder, None, run, LENGTH).is_err());
    assert!(!folder.join("elsewhere").exists());

    let claim = killed(&folder, None, true);
    fs::rename(&claim.path, folder.join("elsewhere")).expect("moved");
    symlink(folder.join("elsewhere"), &claim.path).expect("a link");
    assert_left_alone(&folder, &claim);
    assert!(folder.join("elsewhere").exists());
}

#[test]
fn a_claim_that_another_user_planted_is_ignored() {
    if !root_or_skip("giving a file to another user") {
        return;
    }
    let (_guard, folder) = folder();
    let claim = killed(&folder, None, true);
    std::os::unix::fs::chown(claim_path(&folder, claim.run), Some(65534), None).expect("given away");
    assert_left_alone(&folder, &claim);
    assert!(claim.path.exists());
}

#[test]
fn a_filled_file_is_reopened_as_it_is() {
    let (_guard, folder) = folder();
    let claim = killed(&folder, None, true);
    let inode = fs::metadata(&claim.path).expect("the file").ino();
    let (target, scratch, whole) = reopen_scratch(&claim).expect("the same file");
    assert_eq!((whole, target.length()), (Whole::Whole, LENGTH));
    assert_eq!(fs::metadata(scratch.path()).expect("the file").ino(), inode);
    assert_eq!(fs::read(scratch.path()).expect("the file"), vec![7; 1 << 20], "its content is as it was");
    drop(target);
    drop(scratch);
    assert!(listed(&folder).is_empty());
}

#[test]
fn a_file_that_is_not_whole_is_reopened_to_be_filled_again() {
    let (_guard, folder) = folder();
    let whole_of = |claim: &ScratchClaim| {
        let (_target, scratch, whole) = reopen_scratch(claim).expect("the same file");
        assert_eq!(fs::metadata(scratch.path()).expect("the file").len(), LENGTH.get());
        assert_eq!(scratch.claim().filled, whole == Whole::Whole);
        whole
    };
    let says = |whole: Whole, word: &str| matches!(whole, Whole::NotWhole(why) if why.contains(word));

    assert!(says(whole_of(&killed(&folder, None, false)), "before it was filled"));
    let claim = killed(&folder, None, true);
    OpenOptions::new().write(true).open(&claim.path).and_then(|file| file.set_len(4096)).expect("cut short");
    assert!(says(whole_of(&claim), "4096 bytes long"));
    let claim = killed(&folder, None, true);
    let file = OpenOptions::new().write(true).open(&claim.path).expect("the file");
    file.set_len(0).and_then(|()| file.set_len(LENGTH.get())).expect("all holes");
    assert!(says(whole_of(&claim), "holes"));
}

#[test]
fn a_fill_that_began_again_is_not_whole_although_an_older_one_was() {
    let (_guard, folder) = folder();
    let (target, mut scratch, _) = reopen_scratch(&killed(&folder, None, true)).expect("the same file");
    scratch.mark_unfilled().expect("a claim");
    let claim = scratch.claim().clone();
    drop(target);
    scratch.keep();
    assert!(matches!(reopen_scratch(&claim).expect("the same file").2, Whole::NotWhole(_)));
}

#[test]
fn a_file_that_is_gone_is_gone_and_the_same_run_can_make_it_again() {
    let (_guard, folder) = folder();
    let claim = killed(&folder, Some("mine.img"), true);
    fs::remove_file(&claim.path).expect("removed");
    assert!(reopen_scratch(&claim).expect_err("gone").is_gone());
    let (_target, scratch) = make_scratch(&folder, claim.path.file_name(), claim.run, LENGTH).expect("made again");
    assert_eq!(scratch.path(), claim.path);
}

#[test]
fn a_name_from_the_user_is_taken_only_where_nothing_has_it() {
    let (_guard, folder) = folder();
    let claim = killed(&folder, Some("mine.img"), false);
    assert_eq!(claim.path, folder.join("mine.img"));
    assert_eq!(leftover_scratches(&folder).expect("a list")[0].claim().path, claim.path);
    let error = make_scratch(&folder, Some(OsStr::new("mine.img")), RunId::now(), LENGTH).expect_err("taken");
    assert_eq!(error.kind(), ErrorKind::Refused);
    for name in ["..", ".", "", "a/b", "/etc/x"] {
        assert!(make_scratch(&folder, Some(OsStr::new(name)), RunId::now(), LENGTH).is_err(), "{name}");
    }
    assert_eq!(listed(&folder).len(), 2);
    let (_target, scratch, _) = reopen_scratch(&claim).expect("the same file");
    scratch.remove().expect("removed");
    assert!(listed(&folder).is_empty());
}

#[test]
fn a_folder_that_cannot_take_the_file_is_one_clear_error_with_nothing_left() {
    let (_guard, folder) = folder();
    let error = make_scratch(&folder, None, RunId::now(), Bytes::new(1 << 60)).expect_err("too large");
    assert_eq!(error.kind(), ErrorKind::NoSpace);
    assert!(error.to_string().contains("are free"), "{error}");
    assert!(listed(&folder).is_empty());
    let error = make_scratch(&folder.join("none"), None, RunId::now(), LENGTH).expect_err("missing");
    assert_eq!(error.kind(), ErrorKind::Missing);
}

#[test]
fn shared_memory_gives_a_target_without_a_direct_handle() {
    let folder = tempfile::tempdir_in("/dev/shm").map_err(|_| "there is no /dev/shm");
    let Some(folder) = or_skip(folder) else { return };
    let (target, _scratch) = make_scratch(folder.path(), None, RunId::now(), LENGTH).expect("a scratch file");
    assert!(!target.direct_io().supported);
    assert!(target.handle(true).is_none() && target.handle(false).is_some());
}

const CHILD: &str = "DRIVELAB_TEST_SCRATCH_FOLDER";

/// Not a test: the process that the next test kills. Creates, fills, reopens and removes without end.
#[test]
fn the_process_that_is_killed() {
    let Some(folder) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    for round in 0.. {
        let name = (round % 2 == 0).then_some(OsStr::new("mine.img"));
        let (target, mut scratch) = make_scratch(&folder, name, RunId::now(), LENGTH).expect("a scratch file");
        scratch.mark_filled().expect("a claim");
        let claim = scratch.claim().clone();
        drop(target);
        scratch.keep();
        let (_target, scratch, _): (_, Scratch, _) = reopen_scratch(&claim).expect("the same file");
        scratch.remove().expect("removed");
    }
}

#[test]
fn a_kill_at_any_moment_leaves_only_what_is_recognised() {
    let (_guard, folder) = folder();
    let mut left = 0;
    for round in 0u64..40 {
        let mut child = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "the_process_that_is_killed"])
            .env(CHILD, &folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a process");
        // Waits until the process works, then for a different time in each round.
        while listed(&folder).is_empty() && child.try_wait().expect("a state").is_none() {
            std::thread::yield_now();
        }
        std::thread::sleep(Duration::from_micros(round * 397 % 9000));
        child.kill().expect("killed");
        let _ = child.wait();
        for leftover in leftover_scratches(&folder).expect("a list") {
            assert_eq!(leftover.state(), LeftoverState::Orphan, "a killed process owns nothing");
            remove_leftover(leftover).expect("removed");
            left += 1;
        }
        assert_eq!(listed(&folder), Vec::<String>::new(), "round {round}");
    }
    assert!(left > 0, "no kill came at a moment that leaves something");
}
