//! Each moment at which a kill can come while a scratch file is created, reproduced step by step with the same
//! functions.

use super::super::leftover_scratches;
use super::*;

/// Continues from an empty file with an intent to a later moment; the path is the user's name.
type Reach = fn(&mut Scratch, &Path);

fn left_in(folder: &Path) -> usize {
    fs::read_dir(folder).expect("a folder").count()
}

/// Removes the leftovers that are recognised; returns their number.
fn cleared(folder: &Path) -> usize {
    let found = leftover_scratches(folder).expect("a list");
    let count = found.len();
    for leftover in found {
        super::super::remove_leftover(leftover).expect("removed");
    }
    count
}

#[test]
fn every_moment_of_making_a_file_leaves_something_that_is_recognised() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = fs::canonicalize(folder.path()).expect("a path");
    let (run, length) = (RunId::now(), Bytes::MIB);
    let path = folder.join("mine.img");
    let intent = || ClaimFile::create(&folder, ScratchClaim::intent(run, path.clone(), length)).expect("a claim");

    drop(intent());
    assert_eq!((cleared(&folder), left_in(&folder)), (1, 0), "killed with only the intent on disk");

    let moments: [(&str, Reach); 4] = [
        ("the file is there", |_, _| {}),
        ("the claim knows the file", |scratch, path| claim_file(scratch, path)),
        ("the file has the user's name", |scratch, path| {
            claim_file(scratch, path);
            scratch.rename(path.to_owned()).expect("renamed");
        }),
        ("the file has its length", |scratch, path| {
            claim_file(scratch, path);
            scratch.rename(path.to_owned()).expect("renamed");
            allocate(&scratch.file, Bytes::MIB).expect("allocated");
        }),
    ];
    for (moment, reach) in moments {
        let mut scratch = create_file(folder.join(scratch_name(run)), intent()).expect("a file");
        reach(&mut scratch, &path);
        assert_eq!(cleared_while_owned(&folder), 0, "{moment}, and its process lives");
        scratch.keep();
        assert_eq!((cleared(&folder), left_in(&folder)), (1, 0), "killed when {moment}");
    }
}

fn claim_file(scratch: &mut Scratch, path: &Path) {
    let status = scratch.file.metadata().expect("a file");
    let claim = scratch.claim.claim.clone().of_file(path.to_owned(), &status);
    scratch.claim.record(claim).expect("a claim");
}

/// Tries to remove the file of a living owner; returns how often that succeeded.
fn cleared_while_owned(folder: &Path) -> usize {
    let found = leftover_scratches(folder).expect("a list");
    assert_eq!(found.len(), 1);
    found.into_iter().filter(|leftover| leftover.state() == super::super::LeftoverState::Orphan).count()
}

#[test]
fn a_failed_attempt_leaves_neither_file_nor_claim() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = fs::canonicalize(folder.path()).expect("a path");
    let run = RunId::now();
    let taken = folder.join(scratch_name(run));
    let claim = ClaimFile::create(&folder, ScratchClaim::intent(run, taken.clone(), Bytes::MIB)).expect("a claim");
    fs::write(&taken, b"a diary").expect("somebody's file, made just now");
    assert_eq!(create_file(taken.clone(), claim).expect_err("taken").kind(), ErrorKind::Refused);
    assert_eq!((fs::read(&taken).expect("the file"), left_in(&folder)), (b"a diary".to_vec(), 1));
}
