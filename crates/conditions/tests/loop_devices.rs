//! Conditions on a real block device: a loop device on a sparse file, partitioned, formatted, mounted and given back
//! as it was before, also by another process after a kill.

mod bench;

use std::fs;
use std::path::Path;

use bench::{Loop, condition, undone};
use drivelab_conditions::{CleanUp, ConditionsError, SetUp, Where, Wish, check, clean_up};
use drivelab_core::clock::{StopCause, StopToken};
use drivelab_core::condition::{Condition, DataState, FileSystem};
use drivelab_core::ids::RunId;
use drivelab_core::units::Bytes;
use drivelab_device::guard::{self, Destroy};
use drivelab_device::{Named, classify};
use drivelab_rig::tool;

#[test]
fn a_partition_that_other_programs_read_is_made_and_taken_away() {
    let Some(device) = Loop::new_or_skip(256) else { return };
    let set_up = device.set_up(condition(None), &StopToken::default()).expect("set up");
    let facts = set_up.facts().partition.clone().expect("a partition");
    assert_eq!((facts.start, facts.length, facts.of), (Bytes::MIB, Bytes::new(230 << 20), Bytes::new(256 << 20)));
    let table = tool("partx", &["--raw", "--noheadings", "--output", "START,SECTORS,NAME", &device.disk.device]);
    assert_eq!(table, format!("2048 {} drivelab", 230 << 11));
    let Where::Device(node) = set_up.place().clone() else { panic!("{:?}", set_up.place()) };
    assert_eq!(node.display().to_string(), facts.node);
    let target = set_up.target().expect("a target");
    assert_eq!(target.length(), facts.length);
    drop(target);
    set_up.tear_down().expect("torn down");
    device.is_bare();
}

#[test]
fn a_span_needs_no_partition() {
    let Some(device) = Loop::new_or_skip(64) else { return };
    let condition = Condition { span: "25%".parse().ok(), ..Condition::default() };
    let set_up = device.set_up(condition, &StopToken::default()).expect("set up");
    assert_eq!(set_up.target().expect("a target").length(), Bytes::new(16 << 20));
    assert_eq!(*set_up.place(), Where::Device(device.node.path.clone()));
    set_up.tear_down().expect("torn down");
    device.is_bare();
}

#[test]
fn file_systems_are_mounted_where_nobody_else_looks_and_filled_as_asked() {
    for (kind, size) in [(FileSystem::Ext4, 256), (FileSystem::Xfs, 400)] {
        let Some(device) = Loop::new_or_skip(size) else { return };
        let data_state = DataState::Filled {
            percent: "50"
                .parse::<u64>()
                .ok()
                .and_then(|n| drivelab_core::units::Percent::new(n).ok())
                .expect("per cent"),
        };
        let set_up =
            device.set_up(Condition { data_state, ..condition(Some(kind)) }, &StopToken::default()).expect("set up");
        let Where::Folder(folder) = set_up.place().clone() else { panic!("{:?}", set_up.place()) };
        assert!(folder.starts_with(device.ledgers()), "{folder:?}");
        let space = rustix::fs::statvfs(&folder).expect("space");
        let taken = 100 * (space.f_blocks - space.f_bfree) / space.f_blocks;
        assert!((49..=50).contains(&taken), "{taken} % of {} are taken", kind.name());
        let mounted = fs::read_to_string("/proc/self/mounts").expect("mounts");
        let line =
            mounted.lines().find(|line| line.contains(device.ledgers().to_str().expect("a path"))).expect("mounted");
        assert!(line.contains(kind.name()) && line.contains("nosuid,nodev,noexec"), "{line}");
        fs::write(folder.join("file"), b"x").expect("a file");
        let made = set_up.facts().file_system.clone().expect("facts");
        assert!(made.command.starts_with("mkfs.") && made.version.contains('.'), "{made:?}");
        set_up.tear_down().expect("torn down");
        device.is_bare();
    }
}

#[test]
fn what_a_dead_process_left_is_cleaned_up_by_the_next() {
    let Some(device) = Loop::new_or_skip(256) else { return };
    let set_up = device.set_up(condition(Some(FileSystem::Ext4)), &StopToken::default()).expect("set up");
    assert!(undone(&device).is_empty(), "its owner lives");
    // As after a kill: locks and handles are gone, everything else stays.
    drop(set_up);
    assert_eq!(device.kept().len(), 3, "{:?}", device.kept());
    let cleaned = undone(&device);
    assert_eq!(cleaned.len(), 1);
    assert!(cleaned[0].trouble.is_none(), "{:?}", cleaned[0].trouble);
    assert_eq!(cleaned[0].done.len(), 4, "{:?}", cleaned[0].done);
    device.is_bare();
    assert!(undone(&device).is_empty());
}

#[test]
fn a_named_partition_is_cleaned_up_too_also_where_the_ledgers_lie_behind_a_link() {
    let Some(device) = Loop::new_or_skip(256) else { return };
    let whole = device.disk.device.clone();
    tool("addpart", &[&whole, "1", "2048", "409600"]);
    let partition = format!("{whole}p1");
    let Named::BlockDevice(node) = classify(Path::new(&partition)).expect("a device") else { panic!("{partition}") };
    let (real, link) = (device.folder.path().join("real"), device.folder.path().join("link"));
    fs::create_dir(&real).expect("a folder");
    std::os::unix::fs::symlink(&real, &link).expect("a link");
    let condition = Condition { file_system: Some(FileSystem::Ext4), ..Condition::default() };
    check(&node, &condition, None).expect("fits");
    let released =
        guard::release_device(&node, &Destroy::named(Some(Path::new(&node.name)))).expect("released by its name");
    let (run, destroy, stop) = (RunId::now(), Some(node.name.clone()), StopToken::default());
    let wish = Wish { run, condition, destroy, opal_admin_key: None, series: None, folder: &link, stop: &stop };
    let set_up = SetUp::begin(released, &wish).expect("set up");
    drop(set_up);
    let CleanUp { cleaned, left, unusable } = clean_up(&link, &|left| left.node == node.path).expect("a look");
    assert!(left.is_empty() && unusable.is_empty() && cleaned[0].trouble.is_none(), "{cleaned:?}");
    assert!(cleaned[0].done.iter().any(|done| done.starts_with("unmounted")), "{cleaned:?}");
    assert!(cleaned[0].done.iter().any(|done| done.starts_with("wiped the file system")), "{cleaned:?}");
    assert_eq!(tool("wipefs", &[&partition]), "", "signatures are left");
    tool("delpart", &[&whole, "1"]);
}

#[test]
fn what_somebody_put_behind_the_table_is_left_alone() {
    let Some(device) = Loop::new_or_skip(256) else { return };
    let set_up = device.set_up(condition(None), &StopToken::default()).expect("set up");
    drop(set_up);
    // Another program uses the partition that a killed run left: the table is drivelab's, the content behind it is
    // not.
    let node = device.disk.device.as_str();
    let partition = format!("{node}p1");
    tool("mkfs.ext4", &["-q", "-F", &partition]);
    let uuid = |node: &str| tool("blkid", &["-p", "-o", "value", "-s", "UUID", node]);
    let before = uuid(&partition);
    let CleanUp { cleaned, left, .. } = clean_up(&device.ledgers(), &|_| false).expect("a look");
    assert!(cleaned.is_empty() && left.len() == 1, "what was not asked for is listed and left");
    let cleaned = undone(&device);
    assert!(cleaned[0].trouble.is_none(), "{cleaned:?}");
    let said = cleaned[0].done.join("; ");
    assert!(said.contains("ext4") && said.contains("left alone"), "{said}");
    assert_eq!(uuid(&partition), before, "the file system is still there");
    assert!(tool("wipefs", &[node]).contains("gpt"), "and so is the table");
    assert!(undone(&device).is_empty(), "that was reported once");
    tool("delpart", &[node, "1"]);
}

#[test]
fn what_became_somebody_elses_is_left_alone() {
    let Some(device) = Loop::new_or_skip(256) else { return };
    let set_up = device.set_up(condition(None), &StopToken::default()).expect("set up");
    drop(set_up);
    // Another program removes the table and creates a file system on the whole device.
    let node = device.disk.device.as_str();
    tool("delpart", &[node, "1"]);
    tool("wipefs", &["--all", "--quiet", node]);
    tool("mkfs.ext4", &["-q", "-F", node]);
    let before = tool("blkid", &["-p", "-o", "value", "-s", "UUID", node]);
    let cleaned = undone(&device);
    assert!(cleaned[0].trouble.is_none() && cleaned[0].done.is_empty(), "{cleaned:?}");
    assert_eq!(tool("blkid", &["-p", "-o", "value", "-s", "UUID", node]), before);
}

#[test]
fn another_drive_with_the_same_name_is_left_alone() {
    let Some(device) = Loop::apart_or_skip(64) else { return };
    let set_up = device.set_up(condition(None), &StopToken::default()).expect("set up");
    drop(set_up);
    // The same file, attached again: as far as can be known, it could be another drive.
    let node = device.disk.device.clone();
    tool("delpart", &[&node, "1"]);
    device.disk.swap_for(&device.disk.image);
    let cleaned = undone(&device);
    let trouble = cleaned[0].trouble.as_ref().expect("trouble").to_string();
    assert!(trouble.contains("not provably the drive"), "{trouble}");
    assert!(tool("wipefs", &[&node]).contains("gpt"), "the table is still there");
}

#[test]
fn what_came_to_the_drive_after_its_release_is_refused_and_left_as_it_is() {
    // A partition table is written by drivelab itself, a file system by another program.
    for (condition, mebibytes) in
        [(condition(None), 64), (Condition { file_system: Some(FileSystem::Ext4), ..Condition::default() }, 64)]
    {
        let Some(device) = Loop::new_or_skip(mebibytes) else { return };
        let (run, destroy, folder) = (RunId::now(), Some(device.node.name.clone()), device.ledgers());
        let released = device.released();
        let node = device.disk.device.as_str();
        tool("mkswap", &[node]);
        let before = fs::read(&device.disk.image).expect("the image");
        let stop = StopToken::default();
        let error = SetUp::begin(
            released,
            &Wish { run, condition, destroy, opal_admin_key: None, series: None, folder: &folder, stop: &stop },
        );
        let error = error.expect_err("refused").to_string();
        assert!(error.contains("swap space") && error.contains("which was not there"), "{error}");
        assert!(fs::read(&device.disk.image).expect("the image") == before, "bytes changed");
        assert!(device.kept().is_empty(), "{:?}", device.kept());
    }
}

#[test]
fn a_stop_on_the_way_leaves_nothing_behind() {
    let Some(device) = Loop::new_or_skip(64) else { return };
    let stop = StopToken::default();
    stop.stop(StopCause::Person);
    let error = device.set_up(condition(Some(FileSystem::Ext4)), &stop).expect_err("stopped");
    assert!(matches!(error, ConditionsError::Stopped), "{error}");
    device.is_bare();
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_touched() {
    let Some(device) = Loop::new_or_skip(64) else { return };
    let refused = |condition: Condition, words: &[&str]| {
        let text = check(&device.node, &condition, None).expect_err("refused").to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    };
    refused(condition(Some(FileSystem::Xfs)), &["300 MiB"]);
    refused(Condition { partition: "1 MiB".parse().ok(), ..Condition::default() }, &["16 MiB"]);
    refused(Condition { power_state: Some(1), ..Condition::default() }, &["NVMe"]);
    let opal = Condition { encryption: "opal".parse().expect("an arm"), ..Condition::default() };
    refused(opal, &["Opal", "the drive (", "--opal-admin-key FILE", "Nothing was touched"]);
    device.is_bare();
}

/// cryptsetup resets the locking range that has the partition's number, which may reach beyond the partition.
#[test]
fn opal_is_refused_on_a_partition_of_a_drive_that_was_not_released_as_a_whole() {
    let Some(device) = Loop::new_or_skip(64) else { return };
    let whole = device.disk.device.clone();
    tool("addpart", &[&whole, "1", "2048", "65536"]);
    let Named::BlockDevice(node) = classify(Path::new(&format!("{whole}p1"))).expect("a device") else { panic!() };
    let opal = Condition { encryption: "opal".parse().expect("an arm"), ..Condition::default() };
    let text = check(&node, &opal, None).expect_err("refused").to_string();
    assert!(text.contains("name the whole disk") && text.contains("beyond it"), "{text}");
    tool("delpart", &[&whole, "1"]);
}

#[test]
fn a_ledger_that_cannot_be_read_keeps_nothing_else_from_being_undone() {
    let Some(device) = Loop::new_or_skip(256) else { return };
    let set_up = device.set_up(condition(Some(FileSystem::Ext4)), &StopToken::default()).expect("set up");
    drop(set_up);
    // The undo log of another run, truncated, and sorted before the one that can be read.
    let broken = device.ledgers().join("00000000-0000-7000-8000-000000000000.json");
    fs::write(&broken, "{ \"format\": 1,").expect("written");
    let CleanUp { cleaned, left, unusable } = clean_up(&device.ledgers(), &|_| true).expect("a look");
    assert!(left.is_empty() && cleaned.len() == 1 && cleaned[0].trouble.is_none(), "{cleaned:?}");
    let named: Vec<&Path> = unusable.iter().map(|trouble| trouble.path.as_path()).collect();
    assert_eq!(named, [broken.as_path()]);
    assert!(broken.exists(), "what cannot be read is not removed");
    fs::remove_file(&broken).and_then(|()| fs::remove_file(broken.with_extension("lock"))).expect("removed");
    device.is_bare();
}
