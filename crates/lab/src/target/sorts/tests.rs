//! What each kind of target opens, and the messages of its refusals.

use std::path::Path;

use drivelab_core::environment::TargetKind;
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::units::Bytes;
use drivelab_device::guard::Destroy;

use crate::failure::Result;
use crate::target::naming::place_of;
use crate::target::opened::{Needs, OpenedIo, Wanted};
use crate::target::place::DEFAULT_SIZE;
use crate::voice::{Loudness, Voice};

const READS: Needs = Needs { reads: true, writes: false, deallocates: false, flushes: false };
const WRITES: Needs = Needs { reads: false, writes: true, deallocates: false, flushes: false };

fn open(word: &str, needs: Needs, size: Option<Bytes>) -> Result<OpenedIo> {
    let wanted = Wanted { run: RunId::now(), needs, destroy: &Destroy::default(), size, own: false };
    place_of(Path::new(word)).expect("a place").open(&wanted, &Voice::new(Loudness::Quiet, false, |_| ()))
}

fn refused(word: &str, needs: Needs, size: Option<Bytes>, code: ExitCode, says: &str) {
    let Err(failure) = open(word, needs, size) else { panic!("{word} was opened for {needs:?}") };
    assert_eq!(failure.code, code, "{}", failure.message);
    assert!(failure.message.contains(says), "{}", failure.message);
}

#[test]
fn targets_that_store_nothing_have_the_asked_length_and_are_marked() {
    for (word, needs, kind) in [
        ("nop:", READS, TargetKind::Nop),
        ("/dev/null", WRITES, TargetKind::NullDevice),
        ("/dev/zero", READS, TargetKind::ZeroDevice),
    ] {
        let place = place_of(Path::new(word)).expect("a place");
        assert!(!place.direct_by_default());
        assert_eq!(place.path(), Path::new(word));
        let opened = open(word, needs, Some(Bytes::MIB)).expect("open");
        assert_eq!((opened.facts.kind, opened.facts.length), (kind, Bytes::MIB));
        assert_eq!(opened.target.length(), Bytes::MIB);
        let environment = opened.environment(Some(Path::new("/")));
        assert_eq!(environment.guard.is_some(), kind == TargetKind::NullDevice);
        assert!(!environment.bundle_on_same_device);
        assert_eq!(open(word, needs, None).map(|opened| opened.target.length()).ok(), Some(DEFAULT_SIZE));
    }
}

/// Whether this process has a descriptor of the file that can write.
fn is_open_for_writing(file: &str) -> bool {
    let all = std::fs::read_dir("/proc/self/fd").expect("the descriptors");
    all.flatten().any(|entry| {
        let name = entry.file_name();
        let info = Path::new("/proc/self/fdinfo").join(&name);
        let info = std::fs::read_to_string(info).unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).unwrap_or_default();
        let access = u32::from_str_radix(flags.trim(), 8).unwrap_or(0) & 0o3;
        std::fs::read_link(entry.path()).is_ok_and(|to| to == Path::new(file)) && access != 0
    })
}

#[test]
fn what_a_place_cannot_do_is_refused_in_words() {
    refused("/dev/null", READS, None, ExitCode::TargetUnusable, "return no bytes");
    refused("/dev/zero", WRITES, None, ExitCode::TargetUnusable, "write to /dev/null");
    refused("/dev/null", Needs { flushes: true, ..WRITES }, None, ExitCode::TargetUnusable, "flushed");
    refused("/dev/zero", Needs { deallocates: true, ..READS }, None, ExitCode::TargetUnusable, "trimmed");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("photos.tar");
    std::fs::write(&file, vec![1; 8192]).expect("a file");
    let file = file.to_str().expect("a plain path");
    refused(file, WRITES, None, ExitCode::GuardRefused, "--destroy");
    refused(file, READS, Some(Bytes::MIB), ExitCode::Usage, "--span");
    let opened = open(file, READS, None).expect("open");
    assert_eq!(opened.facts.kind, TargetKind::NamedFile);
    assert!(opened.target.decision().is_none() && !is_open_for_writing(file), "only read");
    refused(folder.path().to_str().expect("a plain path"), WRITES, Some(Bytes::new(5)), ExitCode::Usage, "1 MiB");
}

#[test]
fn a_folder_gets_a_scratch_file_of_whole_mebibytes_that_goes_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let word = folder.path().to_str().expect("a plain path");
    let opened = open(word, WRITES, Some(Bytes::new((2 << 20) + 5))).expect("open");
    assert_eq!(opened.target.length(), Bytes::new(2 << 20));
    assert!(opened.remarks.iter().any(|remark| remark.contains("whole MiB")), "{:?}", opened.remarks);
    assert!(opened.scratch.is_some());
    drop(opened);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}
