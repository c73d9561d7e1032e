//! The write guard's table of situations, each through the real program: the exit code, the words, and the unchanged
//! content of the target. On loop devices that the tests create. Changes while drivelab works are in
//! tests/guard_moments.rs; situations that need more kernel features (dm, md, NVMe) or the system's own disk are in
//! tests/vm.

#[path = "support/disk.rs"]
mod disk;
#[path = "support/schema.rs"]
mod schema;
mod support;

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use disk::{Disk, MIB, Process, data_at, has, refused, renamed};
use drivelab_rig::{LoopDevice, Mount, Undo, root_or_skip, skip, text, tool};

/// A situation that no flag overrides: how it is made (returns the path to name, if not the device), the exit code,
/// the words.
type InUse =
    (&'static str, u64, &'static [&'static str], fn(&mut Disk) -> Option<String>, i32, &'static [&'static str]);

const IN_USE: &[InUse] = &[
    ("mounted", 64, &[], mounted, 5, &["is mounted at", "no flag overrides"]),
    ("partition mounted, whole disk named", 64, &["--partscan"], partition_mounted, 5, &["p1 is mounted at"]),
    ("mounted in another namespace", 64, &[], mounted_elsewhere, 5, &["is mounted at", "elsewhere"]),
    ("bind-mounted device node", 64, &[], bound_node, 5, &["is mounted at"]),
    ("symlink", 64, &[], by_symlink, 5, &["is mounted at"]),
    ("renamed node", 64, &[], renamed_node, 5, &["is mounted at"]),
    ("swap on", 64, &[], swap_on, 5, &["active swap space"]),
    ("btrfs second device", 128, &[], btrfs_second, 5, &["btrfs"]),
    ("loop device on it", 64, &[], loop_on_it, 5, &["(a loop device) lies on"]),
    ("read-only", 64, &["--read-only"], |_| Some(String::new()), 5, &["set read-only"]),
    ("opened exclusively elsewhere", 64, &[], opened_exclusively, 6, &["has it open"]),
    ("its partition opened elsewhere", 64, &["--partscan"], partition_opened, 6, &["has it open"]),
];

/// Each returns the path to name; an empty path means the device, `None` that the situation cannot be made here.
fn mounted(disk: &mut Disk) -> Option<String> {
    let device = disk.device.clone();
    tool("mkfs.ext4", &["-q", "-F", &device]);
    disk.mount(&device, "mount");
    Some(String::new())
}

fn partitioned(disk: &Disk) -> Option<String> {
    if !has("sfdisk") {
        return None;
    }
    let mut child =
        Command::new("sfdisk").args(["--quiet", &disk.device]).stdin(Stdio::piped()).spawn().expect("sfdisk");
    child.stdin.take().expect("its input").write_all(b"label: gpt\nsize=16MiB\n").expect("written");
    assert!(child.wait().expect("ended").success(), "sfdisk");
    // Some kernels do not support GPT.
    tool("partx", &["--update", &disk.device]);
    Some(format!("{}p1", disk.device))
}

fn partition_mounted(disk: &mut Disk) -> Option<String> {
    let part = partitioned(disk)?;
    tool("mkfs.ext4", &["-q", "-F", &part]);
    disk.mount(&part, "mount");
    Some(String::new())
}

fn partition_opened(disk: &mut Disk) -> Option<String> {
    let part = partitioned(disk)?;
    let input = File::open(part).expect("the partition");
    disk.processes
        .push(Process(Command::new("sleep").arg("600").stdin(Stdio::from(input)).spawn().expect("a process")));
    Some(String::new())
}

fn mounted_elsewhere(disk: &mut Disk) -> Option<String> {
    tool("mkfs.ext4", &["-q", "-F", &disk.device]);
    let place = disk.folder().join("elsewhere");
    fs::create_dir(&place).expect("a folder");
    let script = format!("mount -o ro {} {} && echo ready && exec sleep 600", disk.device, text(&place));
    let child = Command::new("unshare").args(["--mount", "sh", "-c", &script]).stdout(Stdio::piped()).spawn();
    let mut child = Process(child.expect("a namespace"));
    let mut ready = [0; 5];
    child.0.stdout.as_mut().expect("its output").read_exact(&mut ready).expect("mounted");
    disk.processes.push(child);
    let here = fs::read_to_string("/proc/self/mountinfo").expect("mounts");
    assert!(!here.contains(text(&place)), "the mount is not in this namespace");
    Some(String::new())
}

fn bound_node(disk: &mut Disk) -> Option<String> {
    mounted(disk)?;
    let node = disk.lab.write("bound", b"");
    disk.mounts.push(Mount::new(&["--bind", &disk.device], &node).expect("mounted"));
    Some(text(&node).to_owned())
}

fn by_symlink(disk: &mut Disk) -> Option<String> {
    mounted(disk)?;
    let link = disk.lab.folder().join("link");
    symlink(&disk.device, &link).expect("a link");
    Some(text(&link).to_owned())
}

fn renamed_node(disk: &mut Disk) -> Option<String> {
    mounted(disk)?;
    let node = renamed(disk);
    Some(node)
}

fn swap_on(disk: &mut Disk) -> Option<String> {
    tool("mkswap", &[&disk.device]);
    tool("swapon", &[&disk.device]);
    disk.swap = Some(Undo::by(&["swapoff", &disk.device]));
    Some(String::new())
}

fn btrfs_second(disk: &mut Disk) -> Option<String> {
    let filesystems = fs::read_to_string("/proc/filesystems").expect("the list");
    if !has("mkfs.btrfs") || !(filesystems.contains("btrfs") || skip("this kernel has no btrfs")) {
        return None;
    }
    let first = disk.another("second.img", 128);
    tool("mkfs.btrfs", &["-q", "-f", "-d", "single", "-m", "single", &first, &disk.device]);
    tool("btrfs", &["device", "scan", &disk.device]);
    disk.mount(&first, "mount");
    Some(String::new())
}

fn loop_on_it(disk: &mut Disk) -> Option<String> {
    disk.others.push(LoopDevice::on(Path::new(&disk.device), &[]).expect("a loop device"));
    Some(String::new())
}

fn opened_exclusively(disk: &mut Disk) -> Option<String> {
    let exclusive = rustix::fs::OFlags::EXCL.bits().cast_signed();
    let held = OpenOptions::new().read(true).custom_flags(exclusive).open(&disk.device).expect("claimed");
    disk.processes.push(Process(Command::new("sleep").arg("600").stdin(Stdio::from(held)).spawn().expect("a process")));
    Some(String::new())
}

#[test]
fn what_somebody_relies_on_is_refused_whatever_is_named() {
    if !root_or_skip("the table of the write guard") {
        return;
    }
    for (what, mebibytes, options, make, code, words) in IN_USE {
        let mut disk = Disk::new(*mebibytes, options);
        let Some(target) = make(&mut disk) else { continue };
        let target = if target.is_empty() { disk.device.clone() } else { target };
        let name = disk.name().to_owned();
        println!("{what}: {target}");
        refused(what, &disk, &target, &["--destroy", &name, "--yes"], *code, words);
        refused(what, &disk, &target, &["--yes"], *code, words);
    }
}

/// A device that is too small and in use is refused with 5 because it is in use, whatever else is wrong; otherwise
/// because of its size.
#[test]
fn a_mounted_device_that_is_too_small_is_refused_for_its_use_first() {
    if !root_or_skip("a mounted loop device") {
        return;
    }
    let mut disk = Disk::new(32, &[]);
    mounted(&mut disk).expect("a mount");
    let (device, name) = (disk.device.clone(), disk.name().to_owned());
    let part = ["run", "quick", &device, "--partition", "900GiB", "--destroy", &name];
    let whole = ["run", "four-corners", &device, "--form", "quick", "--destroy", &name];
    let too_small = [(&part, 2, "--partition"), (&whole, 6, "needs at least 64 MiB")];
    let before = disk.checksum();
    let said = |words: &[&str], more: &str, code: i32| {
        let done = disk.lab.run(&[words, &[more]].concat());
        assert_eq!(done.code, code, "{words:?} {more}: {}", done.stderr);
        done.stderr
    };
    for (words, _, of_size) in too_small {
        for more in ["--dry-run", "--yes"] {
            let refusal = said(words, more, 5);
            assert!(refusal.contains("is mounted at") && !refusal.contains(of_size), "{words:?} {more}: {refusal}");
        }
    }
    tool("umount", &[text(&disk.lab.folder().join("mount"))]);
    for (words, code, of_size) in too_small {
        for more in ["--dry-run", "--yes"] {
            let refusal = said(words, more, code);
            assert!(refusal.contains(of_size), "{words:?} {more}: {refusal}");
        }
    }
    assert_eq!(disk.checksum(), before, "bytes changed");
}

/// Content: how it is made, and the words of the refusal without `--destroy`.
type Content = (&'static str, u64, &'static [&'static str], fn(&Disk) -> bool, &'static [&'static str]);

const CONTENT: &[Content] = &[
    ("nothing at all", 64, &[], |_| true, &["nothing was found on it", "all of it, 64 MiB, was read"]),
    (
        "ext4",
        64,
        &[],
        |disk| make(disk, &["mkfs.ext4", "-q", "-F"]),
        &["an ext2, ext3 or ext4 file system (at byte 1024)"],
    ),
    ("xfs", 320, &[], |disk| make(disk, &["mkfs.xfs", "-q", "-f"]), &["an XFS file system (at byte 0)"]),
    ("NTFS", 64, &[], |disk| make(disk, &["mkfs.ntfs", "-q", "-F", "-Q"]), &["an NTFS file system (at byte 3)"]),
    ("exFAT", 64, &[], |disk| make(disk, &["mkfs.exfat"]), &["an exFAT file system (at byte 3)"]),
    ("btrfs, unmounted", 128, &[], |disk| make(disk, &["mkfs.btrfs", "-q", "-f"]), &["a btrfs file system"]),
    ("swap signature", 64, &[], |disk| make(disk, &["mkswap", "-q"]), &["swap space (at byte 4086)"]),
    ("LVM PV, inactive", 64, &[], |disk| make(disk, &["pvcreate", "-q", "-ff", "-y"]), &["an LVM physical volume"]),
    ("md member, inactive", 64, &[], md_member, &["a member of a Linux RAID (md) (at byte 4096)"]),
    ("LUKS header", 64, &[], luks, &["a LUKS header (at byte 0)"]),
    ("ZFS label", 64, &[], zfs, &["a member of a ZFS pool (at byte 135168)"]),
    ("bcache", 64, &[], bcache, &["a bcache device"]),
    (
        "GPT with an empty partition",
        64,
        &["--partscan"],
        |disk| partitioned(disk).is_some(),
        &["a GPT partition table"],
    ),
    (
        "data in the middle",
        64,
        &[],
        |disk| data_at(disk, 40 * MIB, 1),
        &["data in 1 of 16384 blocks", "at byte 41943040"],
    ),
    (
        "data in the middle of more than 1 GiB",
        2048,
        &[],
        |disk| data_at(disk, 1000 * MIB, 4 * MIB),
        &[
            "data in",
            "the first and the last 16 MiB, 4,096 evenly spaced and 4,096 random blocks of 4 KiB were read",
            "the rest was not",
        ],
    ),
];

fn make(disk: &Disk, words: &[&str]) -> bool {
    if !has(words[0]) {
        return false;
    }
    tool(words[0], &[&words[1..], &[disk.device.as_str()]].concat());
    true
}

fn md_member(disk: &Disk) -> bool {
    disk.write(4096, &0xa92b_4efc_u32.to_le_bytes());
    true
}

fn zfs(disk: &Disk) -> bool {
    disk.write(132 << 10, &0x00ba_b10c_u64.to_le_bytes());
    true
}

fn bcache(disk: &Disk) -> bool {
    let magic = [0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48, 0xba, 0x6d, 0x81];
    disk.write(4096 + 24, &magic);
    true
}

fn luks(disk: &Disk) -> bool {
    if !has("cryptsetup") {
        return false;
    }
    let quick = ["luksFormat", "-q", "--type", "luks2", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"];
    let mut child = Command::new("cryptsetup");
    let child = child.args(quick).args([disk.device.as_str(), "-"]).stdin(Stdio::piped()).spawn();
    let mut child = child.expect("cryptsetup");
    child.stdin.take().expect("its input").write_all(b"a password").expect("written");
    assert!(child.wait().expect("ended").success(), "cryptsetup");
    true
}

#[test]
fn content_is_refused_with_what_and_where_and_the_right_id_overrides_it() {
    if !root_or_skip("the table of the write guard") {
        return;
    }
    for (what, mebibytes, options, make, words) in CONTENT {
        let disk = Disk::new(*mebibytes, options);
        if !make(&disk) {
            continue;
        }
        println!("{what}: {}", disk.device);
        let name = disk.name().to_owned();
        let flag = format!("--destroy {name}");
        let words = [words, &[flag.as_str(), "Nothing was touched"][..]].concat();
        refused(what, &disk, &disk.device, &[], 5, &words);
        refused(what, &disk, &disk.device, &["--yes"], 5, &words);
        refused(what, &disk, &disk.device, &["--destroy", "S0MEDRIVE"], 5, &["--destroy names S0MEDRIVE", &flag]);
        // The complete decision, and nothing written: a dry run makes it too.
        let before = disk.checksum();
        let done = disk.load(&disk.device, &["--destroy", &name, "--dry-run"]);
        assert_eq!(done.code, 0, "{what}: {}", done.stderr);
        assert_eq!(disk.checksum(), before, "{what}: bytes changed");
    }
}

#[test]
fn another_node_of_the_same_device_is_the_same_device() {
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = Disk::new(64, &[]);
    let node = renamed(&disk);
    let name = disk.name().to_owned();
    refused("renamed node", &disk, &node, &["--destroy", "some-disk"], 5, &[&format!("this is {name}")]);
    let done = disk.load(&node, &["--destroy", &name]);
    assert_eq!(done.code, 0, "{}", done.stderr);
}

#[test]
fn a_file_that_is_a_mounted_loop_image_is_refused() {
    if !root_or_skip("a loop device") {
        return;
    }
    let mut disk = Disk::new(64, &[]);
    mounted(&mut disk).expect("mounted");
    let image = text(&disk.image).to_owned();
    refused("a mounted image", &disk, &image, &["--destroy", &image], 5, &["(a loop device) lies on it"]);
}

#[test]
fn a_methodology_runs_on_the_first_part_of_a_released_device_and_the_record_says_what_was_overridden() {
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = Disk::new(128, &[]);
    tool("mkfs.ext4", &["-q", "-F", &disk.device]);
    let refused = disk.lab.run(&["run", "quick", &disk.device, "--form", "smoke"]);
    assert_eq!(refused.code, 5, "{}", refused.stderr);
    let name = disk.name().to_owned();
    disk.lab.ok(&["run", "quick", &disk.device, "--form", "smoke", "--destroy", &name]);
    let (run, _) = disk.lab.runs().remove(0);
    let environment = disk.lab.json(&["report", &run, "--format", "json"])["environment"].clone();
    let device = &environment["guard"]["device"];
    assert_eq!(device["identity"]["name"], name.as_str(), "{environment:#}");
    let overridden = device["overridden"].as_array().expect("what was overridden");
    assert!(overridden.iter().any(|found| found.as_str().is_some_and(|found| found.contains("ext4"))), "{device:#}");
    assert!(device["held"].as_str().is_some_and(|held| held.contains("O_EXCL")), "{device:#}");

    let files_only = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../methods/quick.toml"));
    let files_only = files_only.expect("the file").replace("file_or_block", "file");
    disk.lab.write("files.toml", files_only);
    let refused = disk.lab.run(&["run", "./files.toml", &disk.device, "--form", "smoke", "--destroy", &name]);
    assert_eq!(refused.code, 5, "{}", refused.stderr);
    assert!(refused.stderr.contains("runs on files only"), "{}", refused.stderr);
}

#[test]
fn wipe_empties_what_was_released_and_says_what_it_read_back() {
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = Disk::new(64, &[]);
    let name = disk.name().to_owned();
    for how in ["discard", "write-zeroes", "overwrite"] {
        data_at(&disk, 40 * MIB, MIB);
        let before = disk.checksum();
        let wipe = ["wipe", &disk.device, "--how", how];
        let refused = disk.lab.run(&wipe);
        assert_eq!(refused.code, 5, "{}", refused.stderr);
        assert!(refused.stderr.contains(&format!("--destroy {name}")), "{}", refused.stderr);
        let destroy = [&wipe[..], &["--destroy", &name]].concat();
        let dry = disk.lab.ok(&[&destroy[..], &["--dry-run"]].concat());
        assert!(dry.stdout.contains("nothing was written"), "{}", dry.stdout);
        let dry = disk.lab.json(&[&destroy[..], &["--dry-run", "--json"]].concat());
        schema::fits("wipe", &dry);
        assert!(dry["dry_run"] == true && dry.get("bytes_done").is_none(), "{dry:#}");
        assert_eq!(disk.checksum(), before, "{how}");
        let done = disk.lab.json(&[&destroy[..], &["--json"]].concat());
        schema::fits("wipe", &done);
        assert_eq!((&done["bytes_done"], &done["check"]["wrong"]), (&(64 * MIB).into(), &0.into()), "{done:#}");
        let bytes = fs::read(&disk.image).expect("the image");
        let full = bytes.chunks(4096).filter(|block| block.iter().any(|byte| *byte != 0)).count();
        assert_eq!(full, if how == "overwrite" { 16384 } else { 0 }, "{how}");
    }
    // What only an NVMe drive has is refused on this one, even as a dry run.
    data_at(&disk, 40 * MIB, MIB);
    let before = disk.checksum();
    for how in ["format", "sanitize"] {
        for dry in [&[][..], &["--dry-run"], &["--dry-run", "--json"]] {
            let words = [&["wipe", &disk.device, "--how", how, "--destroy", &name], dry].concat();
            let refused = disk.lab.run(&words);
            assert_eq!(refused.code, 6, "{words:?}: {}", refused.stderr);
            assert!(refused.stderr.contains("is not a namespace of an NVMe drive"), "{words:?}: {}", refused.stderr);
            assert!(refused.stdout.is_empty(), "{words:?}: {}", refused.stdout);
        }
    }
    assert_eq!(disk.checksum(), before);
    let file = disk.lab.run(&["wipe", text(&disk.image), "--how", "discard"]);
    assert_eq!(file.code, 2, "{}", file.stderr);
}
