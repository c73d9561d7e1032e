//! Setting up a locking range and giving it back, on a real loop device whose controller consists of recorded pages,
//! with a program in this file in place of cryptsetup: everything except the drive's own locking. Not yet tried on
//! hardware.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use drivelab_core::clock::StopToken;
use drivelab_core::condition::Condition;
use drivelab_core::ids::RunId;
use drivelab_device::guard::{self, Destroy, Released};
use drivelab_device::{BlockNode, Named, classify};
use drivelab_nvme::{RecordedTransport, Recording, Request};
use drivelab_rig::{LoopDevice, or_skip, tool};

use crate::controller::Controllers;
use crate::error::ConditionsError;
use crate::kernel;
use crate::ledger::{Deed, Ledger};
use crate::power::tests::pages::{IDENTIFY, THREE, identify};
use crate::programs::IN_FRONT;
use crate::set_up::{SetUp, Wish};
use crate::tear_down::{Cleaned, clean_up_with};

/// Logs its arguments, stores the UUID of the header in a file next to itself, and opens nothing.
const STUB: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "$1" >> "$here/log"
if [ -e "$here/fail-$1" ]; then echo "Failed to acquire read lock on device." >&2; exit 1; fi
case "$1" in
luksFormat)
  cat > "$here/stdin-format"
  if [ -e "$here/cut" ]; then rm "$here/cut"; echo "cut short" >&2; exit 1; fi
  while [ $# -gt 0 ]; do [ "$1" = --uuid ] && echo "$2" > "$here/uuid"; shift; done ;;
luksUUID) cat "$here/uuid" 2>/dev/null || exit 1 ;;
luksDump) printf 'Data segments:\n  0: hw-opal\n\toffset: 16777216 [bytes]\n\t\tOPAL segment number: 1\n'
  printf '\t\tOPAL key: 256 bits\n\t\tOPAL segment length: 1056964608 [bytes]\n' ;;
erase) cat > "$here/stdin-erase"; rm -f "$here/uuid" ;;
*) echo "no device mapper here" >&2; exit 1 ;;
esac
"#;

/// Level 0 discovery with the feature Locking (0002h) and its byte 4 (TCG Opal 2.01, section 3.1.1.3).
fn level_0(flags: u8) -> Vec<u8> {
    let mut page = vec![0; 2048];
    page[0..4].copy_from_slice(&60_u32.to_be_bytes());
    page[48..53].copy_from_slice(&[0, 2, 0x10, 12, flags]);
    page
}

/// The drive supports locking, with or without an owner.
const OWNED: u8 = 0b1011;
const FREE: u8 = 0b1001;

struct Bench {
    disk: LoopDevice,
    node: BlockNode,
    controllers: Controllers,
}

impl Bench {
    fn new_or_skip(flags: u8) -> Option<Bench> {
        let disk = or_skip(LoopDevice::sparse(std::env::temp_dir(), 64 << 20, &[]))?;
        let Named::BlockDevice(node) = classify(Path::new(&disk.device)).expect("a device") else { panic!() };
        for (name, text, mode) in [("cryptsetup", STUB, 0o755), ("key", "only-mine\n", 0o600)] {
            let file = disk.folder().join(name);
            fs::write(&file, text).expect("a file");
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("a mode");
        }
        IN_FRONT.set(Some(disk.folder().to_owned()));
        let mut recording = Recording::default();
        recording.page(IDENTIFY, identify(&THREE, true));
        recording.page(Request::SecurityReceive { protocol: 1, specific: 1 }, level_0(flags));
        let controllers = Controllers::Recorded(Arc::new(RecordedTransport::new(recording)));
        Some(Bench { disk, node, controllers })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.disk.folder().join(name)
    }

    fn released(&self) -> Released {
        guard::release_device(&self.node, &Destroy::named(Some(Path::new(&self.node.name)))).expect("released")
    }

    fn set_up(&self, released: Released) -> ConditionsError {
        let (folder, key, stop) = (self.file("conditions"), self.file("key"), StopToken::default());
        let condition = Condition { encryption: "opal".parse().expect("an arm"), ..Condition::default() };
        let (run, destroy) = (RunId::now(), Some(self.node.name.clone()));
        let wish =
            Wish { run, condition, destroy, opal_admin_key: Some(&key), series: None, folder: &folder, stop: &stop };
        SetUp::begin_with(released, &wish, self.controllers.clone()).expect_err("nothing can be opened here")
    }

    /// An undo log as a kill leaves it: the range was about to be set up.
    fn killed(&self, uuid: &str) {
        let mark = kernel::mark(&self.node, 64 << 20);
        let destroy = Some(self.node.name.clone());
        let mut ledger = Ledger::create(&self.file("conditions"), RunId::now(), mark, destroy).expect("a ledger");
        let (node, uuid, admin_key) = (self.node.path.clone(), uuid.to_owned(), self.file("key"));
        ledger.about_to(Deed::Opal { node, uuid, admin_key }).expect("written");
    }

    fn clean(&self) -> Cleaned {
        let mut found = clean_up_with(&self.file("conditions"), &|_| true, &self.controllers).expect("a look");
        found.cleaned.remove(0)
    }

    fn left(&self) -> usize {
        fs::read_dir(self.file("conditions")).expect("a folder").count()
    }

    /// The commands that the program received, without those that only read.
    fn log(&self) -> Vec<String> {
        let text = fs::read_to_string(self.file("log")).unwrap_or_default();
        text.lines().filter(|line| !line.starts_with("luks") || *line == "luksFormat").map(str::to_owned).collect()
    }
}

#[test]
fn a_range_that_was_set_up_and_cannot_be_opened_is_erased_with_the_users_key() {
    let Some(bench) = Bench::new_or_skip(FREE) else { return };
    let error = bench.set_up(bench.released()).to_string();
    assert!(error.contains("no device mapper here") && !error.contains("could not be undone"), "{error}");
    assert_eq!(bench.log(), ["luksFormat", "open", "erase"]);
    assert_eq!(fs::read(bench.file("stdin-erase")).expect("a key"), b"only-mine");
    assert_eq!(bench.left(), 0);
}

#[test]
fn what_came_to_the_drive_after_its_release_is_not_written_over_by_cryptsetup() {
    let Some(bench) = Bench::new_or_skip(FREE) else { return };
    let released = bench.released();
    tool("mkswap", &[&bench.disk.device]);
    let error = bench.set_up(released).to_string();
    assert!(error.contains("swap space") && error.contains("which was not there"), "{error}");
    assert!(bench.log().is_empty(), "{:?}", bench.log());
    assert_eq!(bench.left(), 0, "nothing was done, so nothing is left to undo");
}

#[test]
fn a_range_that_was_cut_short_is_begun_again_and_ended() {
    let Some(bench) = Bench::new_or_skip(OWNED) else { return };
    fs::write(bench.file("cut"), "").expect("a file");
    let error = bench.set_up(bench.released()).to_string();
    assert!(error.contains("cut short") && !error.contains("could not be undone"), "{error}");
    assert_eq!(bench.log(), ["luksFormat", "luksFormat", "erase"]);
    assert_eq!(bench.left(), 0);
    bench.killed("u-u");
    let cleaned = bench.clean();
    assert!(cleaned.trouble.is_none() && cleaned.done[0].contains("half set up"), "{cleaned:?}");
    assert_eq!(bench.left(), 0);
}

#[test]
fn a_drive_without_an_owner_had_no_range() {
    let Some(bench) = Bench::new_or_skip(FREE) else { return };
    bench.killed("u-u");
    let cleaned = bench.clean();
    assert!(cleaned.trouble.is_none() && cleaned.done.is_empty(), "{cleaned:?}");
    assert!(bench.log().is_empty() && bench.left() == 0);
}

#[test]
fn a_volume_without_a_header_that_somebody_made_since_is_left_and_named() {
    let Some(bench) = Bench::new_or_skip(OWNED) else { return };
    bench.killed("u-u");
    bench.disk.write(20 << 20, b"somebody's");
    let cleaned = bench.clean();
    let trouble = cleaned.trouble.expect("trouble").to_string();
    assert!(trouble.contains("it is unknown") && trouble.contains("drivelab wipe"), "{trouble}");
    assert!(bench.log().is_empty() && bench.left() == 2, "{:?}", bench.log());
    let image = fs::read(&bench.disk.image).expect("the image");
    assert_eq!(&image[20 << 20..(20 << 20) + 10], b"somebody's");
}

#[test]
fn a_header_that_cannot_be_read_keeps_its_range_on_the_ledger() {
    let Some(bench) = Bench::new_or_skip(OWNED) else { return };
    bench.killed("u-u");
    fs::write(bench.file("uuid"), "u-u\n").expect("a header");
    fs::write(bench.file("fail-luksUUID"), "").expect("a file");
    let cleaned = bench.clean();
    let trouble = cleaned.trouble.expect("trouble").to_string();
    assert!(trouble.contains("read lock") && cleaned.done.is_empty() && bench.left() == 2, "{trouble}");
    fs::remove_file(bench.file("fail-luksUUID")).expect("removed");
    let cleaned = bench.clean();
    assert!(cleaned.trouble.is_none() && cleaned.done[0].contains("erased and ended"), "{cleaned:?}");
    assert!(bench.log() == ["erase"] && bench.left() == 0, "{:?}", bench.log());
}
