//! Undoing never takes "not found" for "does not exist", on real loop devices: another program's table, a drive that
//! is gone, a program that still has the drive open, a header that cannot be read, a full disk.

mod bench;

use std::fs;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};

use bench::{Loop, condition, undone};
use drivelab_conditions::{SetUp, Wish, clean_up};
use drivelab_core::clock::StopToken;
use drivelab_core::condition::{Condition, FileSystem};
use drivelab_core::ids::RunId;
use drivelab_rig::{Mount, sparse_file, text, tool};

fn sfdisk(node: &str, options: &[&str], script: &str) {
    let mut command = Command::new("sfdisk");
    command.args(["--quiet", "--no-reread", "--no-tell-kernel"]).args(options).arg(node).stdin(Stdio::piped());
    let mut child = command.spawn().expect("sfdisk");
    child.stdin.take().expect("stdin").write_all(script.as_bytes()).expect("a script");
    assert!(child.wait().expect("sfdisk").success(), "{script}");
}

fn whole(file_system: FileSystem) -> Condition {
    Condition { file_system: Some(file_system), ..Condition::default() }
}

/// The one undo log that was left, with its text changed.
fn change_ledger(device: &Loop, change: impl Fn(&mut serde_json::Value)) {
    let name = device.kept().into_iter().find(|name| name.ends_with(".json")).expect("a ledger");
    let path = device.ledgers().join(name);
    let mut text = serde_json::from_slice(&fs::read(&path).expect("a ledger")).expect("JSON");
    change(&mut text);
    fs::write(&path, text.to_string()).expect("written");
}

#[test]
fn somebodys_table_over_a_file_system_of_a_killed_run_is_left_with_what_lies_in_it() {
    for (told, kind) in [(true, FileSystem::Ext4), (false, FileSystem::Ext4)] {
        let Some(device) = Loop::new_or_skip(64) else { return };
        let set_up = device.set_up(whole(kind), &StopToken::default()).expect("set up");
        drop(set_up);
        let node = device.disk.device.as_str();
        tool("umount", &[node]);
        sfdisk(node, &["--wipe", "never", "--label", "dos"], "start=32768, size=65536\n");
        if told {
            tool("addpart", &[node, "1", "32768", "65536"]);
            tool("mkfs.ext4", &["-q", "-F", &format!("{node}p1")]);
        }
        let image = &device.disk.image;
        let before = fs::read(image).expect("the image");
        let cleaned = undone(&device);
        assert!(cleaned[0].trouble.is_none(), "{cleaned:?}");
        let said = cleaned[0].done.join("; ");
        assert!(said.contains("did not create") && said.contains("left alone"), "{said}");
        assert!(fs::read(image).expect("the image") == before, "told: {told}: bytes changed");
        assert!(device.kept().is_empty(), "{:?}", device.kept());
        if told {
            tool("delpart", &[node, "1"]);
        }
    }
}

#[test]
fn a_partition_that_somebody_added_to_our_table_keeps_the_table() {
    let Some(device) = Loop::new_or_skip(64) else { return };
    drop(device.set_up(condition(None), &StopToken::default()).expect("set up"));
    let node = device.disk.device.as_str();
    sfdisk(node, &["--append", "--wipe", "never"], "size=2048\n");
    let cleaned = undone(&device);
    let said = cleaned[0].done.join("; ");
    assert!(cleaned[0].trouble.is_none() && said.contains("more partitions"), "{cleaned:?}");
    assert!(tool("wipefs", &[node]).contains("gpt"), "the table is still there");
    tool("delpart", &[node, "1"]);
}

#[test]
fn a_drive_that_is_gone_or_another_one_keeps_its_ledger() {
    let Some(device) = Loop::apart_or_skip(64) else { return };
    drop(device.set_up(condition(None), &StopToken::default()).expect("set up"));
    let node = device.disk.device.clone();
    tool("delpart", &[&node, "1"]);
    tool("losetup", &["--detach", &node]);
    let stays = |what: &str| {
        let cleaned = undone(&device);
        let trouble = cleaned[0].trouble.as_ref().unwrap_or_else(|| panic!("{what}: {cleaned:?}")).to_string();
        assert!(cleaned[0].done.is_empty() && device.kept().len() == 2, "{what}: {cleaned:?}, {:?}", device.kept());
        assert!(trouble.contains("if its drive is gone permanently"), "{what}: {trouble}");
        trouble
    };
    stays("detached");
    let other = sparse_file(device.folder.path().join("other"), 64 << 20);
    tool("losetup", &[&node, text(&other)]);
    assert!(stays("another").contains("not provably the drive"));
    let left = clean_up(&device.ledgers(), &|left| left.there).expect("a look").left;
    assert!(left.len() == 1 && !left[0].there, "a run on the other drive is not kept from it: {left:?}");
    change_ledger(&device, |text| text["drive"]["node"] = "/dev/drivelab-none".into());
    assert!(stays("no node").contains("attach the drive again"));
    let image = fs::read(&device.disk.image).expect("the image");
    assert_eq!(&image[512..520], b"EFI PART", "our table is still on it");
}

#[test]
fn a_partition_that_the_kernel_does_not_show_is_not_taken_for_gone() {
    let Some(device) = Loop::new_or_skip(128) else { return };
    drop(device.set_up(condition(Some(FileSystem::Ext4)), &StopToken::default()).expect("set up"));
    let node = device.disk.device.as_str();
    tool("umount", &[&format!("{node}p1")]);
    tool("delpart", &[node, "1"]);
    let cleaned = undone(&device);
    let trouble = cleaned[0].trouble.as_ref().expect("trouble").to_string();
    assert!(trouble.contains("partx --add") && trouble.contains("2 more below it"), "{trouble}");
    tool("partx", &["--add", node]);
    let cleaned = undone(&device);
    assert!(cleaned[0].trouble.is_none(), "{cleaned:?}");
    device.is_bare();
}

#[test]
fn nothing_is_called_gone_while_a_process_has_the_drive_open() {
    let Some(device) = Loop::new_or_skip(64) else { return };
    drop(device.set_up(whole(FileSystem::Ext4), &StopToken::default()).expect("set up"));
    let node = device.disk.device.as_str();
    tool("umount", &[node]);
    tool("wipefs", &["--all", "--quiet", node]);
    // As a mkfs that lost its drivelab and is about to write.
    let opened = fs::File::open(node).expect("the device");
    let mut child = Command::new("sleep").arg("600").stdin(opened).spawn().expect("sleep");
    let cleaned = undone(&device);
    child.kill().and_then(|()| child.wait()).expect("ended");
    let trouble = cleaned[0].trouble.as_ref().expect("trouble").to_string();
    assert!(trouble.contains("process") && trouble.contains("sleep"), "{trouble}");
    assert!(!device.kept().is_empty(), "the undo log stays");
    let cleaned = undone(&device);
    assert!(cleaned[0].trouble.is_none(), "{cleaned:?}");
    device.is_bare();
}

#[test]
fn a_header_that_cryptsetup_cannot_read_stays_on_the_ledger() {
    let Some(device) = Loop::new_or_skip(64) else { return };
    if Command::new("cryptsetup").arg("--version").output().is_err() {
        println!("skipped: cryptsetup is not on this machine");
        return;
    }
    let node = device.disk.device.as_str();
    drop(device.set_up(Condition { span: "25%".parse().ok(), ..Condition::default() }, &StopToken::default()));
    let key = device.folder.path().join("key");
    fs::write(&key, [7; 64]).expect("a key");
    let uuid = "203907c7-bda3-4c54-88a9-e13b7db76428";
    let fast = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--uuid", uuid, "--key-file"];
    let format = ["luksFormat", "--batch-mode", "--type", "luks2"];
    tool("cryptsetup", &[&format[..], &fast, &[key.to_str().expect("a path"), node]].concat());
    change_ledger(&device, |text| {
        text["deeds"] = serde_json::json!([{ "luks": { "node": node, "uuid": uuid } }]);
    });
    // Both copies torn, as by a kill or a bad block: the key slots behind them are intact.
    let file = fs::OpenOptions::new().read(true).write(true).open(node).expect("the device");
    let mut good = [[0_u8; 512]; 2];
    let places = [4096, 16384 + 4096];
    for (good, at) in good.iter_mut().zip(places) {
        file.read_exact_at(good, at).expect("read");
        file.write_all_at(&[0xA5; 512], at).expect("torn");
    }
    file.sync_all().expect("durable");
    let cleaned = undone(&device);
    let trouble = cleaned[0].trouble.as_ref().expect("trouble").to_string();
    assert!(trouble.contains("luksDump") && cleaned[0].done.is_empty(), "{trouble}");
    for (good, at) in good.iter().zip(places) {
        file.write_all_at(good, at).expect("mended");
    }
    file.sync_all().expect("durable");
    drop(file);
    let cleaned = undone(&device);
    assert!(cleaned[0].trouble.is_none() && cleaned[0].done[0].contains("destroyed the keys"), "{cleaned:?}");
    device.is_bare();
}

/// A small file system in memory.
fn small(device: &Loop) -> Mount {
    Mount::tmpfs("256k", &device.folder.path().join("small")).expect("mounted")
}

fn fill(small: &Mount) {
    let mut file = fs::File::create(small.folder.join("ballast")).expect("a file");
    while file.write_all(&[1; 4096]).is_ok() {}
}

fn set_up_in(device: &Loop, folder: &Path) -> Result<SetUp, drivelab_conditions::ConditionsError> {
    let (run, destroy, stop) = (RunId::now(), Some(device.node.name.clone()), StopToken::default());
    let condition = condition(Some(FileSystem::Ext4));
    SetUp::begin(
        device.released(),
        &Wish { run, condition, destroy, opal_admin_key: None, series: None, folder, stop: &stop },
    )
}

#[test]
fn a_full_disk_under_the_ledger_keeps_nothing_from_being_undone() {
    let Some(device) = Loop::new_or_skip(64) else { return };
    for killed in [false, true] {
        let small = small(&device);
        let ledgers = small.folder.join("conditions");
        let set_up = set_up_in(&device, &ledgers).expect("set up");
        fill(&small);
        if killed {
            drop(set_up);
            let cleaned = clean_up(&ledgers, &|_| true).expect("a look").cleaned;
            assert!(cleaned[0].trouble.is_none() && cleaned[0].done.len() == 4, "{cleaned:?}");
        } else {
            set_up.tear_down().expect("torn down");
        }
        assert_eq!(fs::read_dir(&ledgers).expect("a folder").count(), 0, "no undo log, lock or draft is left");
        device.is_bare();
        drop(small);
    }
}

#[test]
fn a_ledger_that_cannot_be_begun_leaves_no_lock_and_no_draft() {
    let Some(device) = Loop::new_or_skip(64) else { return };
    let small = small(&device);
    let ledgers = small.folder.join("conditions");
    fs::create_dir(&ledgers).expect("a folder");
    fill(&small);
    set_up_in(&device, &ledgers).expect_err("no room");
    assert_eq!(fs::read_dir(&ledgers).expect("a folder").count(), 0);
    device.is_bare();
}
