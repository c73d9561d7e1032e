//! The write guard's table of situations, each through the real program: the exit code, the words, and the target's
//! content as it was. On loop devices that the tests make. The situations that need a kernel with more (dm, md, NVMe)
//! or the system's own disk are in tests/vm.

#[path = "support/schema.rs"]
mod schema;
mod support;

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use support::{Lab, root_or_skip, skip, tool};

const MIB: u64 = 1 << 20;

/// What is run on drop, last in first out.
#[derive(Default)]
struct Undo(Vec<Vec<String>>);

impl Undo {
    fn push(&mut self, words: &[&str]) {
        self.0.push(words.iter().map(|word| (*word).to_owned()).collect());
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        while let Some(words) = self.0.pop() {
            let _ = Command::new(&words[0]).args(&words[1..]).output();
        }
    }
}

/// A process that goes when the test does.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// A loop device on a sparse image in a lab of its own.
struct Disk {
    lab: Lab,
    image: PathBuf,
    device: String,
    undo: Undo,
    processes: Vec<Process>,
    /// Whether the kernel itself writes behind the first page, as it does on swap space.
    swap: bool,
}

impl Disk {
    fn new(mebibytes: u64, options: &[&str]) -> Disk {
        let lab = Lab::new();
        let image = lab.folder().join("disk.img");
        File::create(&image).and_then(|file| file.set_len(mebibytes * MIB)).expect("an image");
        let mut undo = Undo::default();
        let device = tool("losetup", &[options, &["--find", "--show", text(&image)]].concat());
        undo.push(&["losetup", "--detach", &device]);
        Disk { lab, image, device, undo, processes: Vec::new(), swap: false }
    }

    /// The same under a number that nobody gets who asks for the next free one, so that it can be attached again.
    fn apart(mebibytes: u64) -> Disk {
        let lab = Lab::new();
        let image = lab.folder().join("disk.img");
        File::create(&image).and_then(|file| file.set_len(mebibytes * MIB)).expect("an image");
        let first = 200 + std::process::id() % 200;
        let attach = |device: &String| {
            let done = Command::new("losetup").args([device.as_str(), text(&image)]).output();
            done.is_ok_and(|done| done.status.success())
        };
        let device = (first..first + 20).map(|number| format!("/dev/loop{number}")).find(attach).expect("a device");
        let mut undo = Undo::default();
        undo.push(&["losetup", "--detach", &device]);
        Disk { lab, image, device, undo, processes: Vec::new(), swap: false }
    }

    /// Takes the disk away and puts another one in its place: the same name, and to the kernel another disk. A killed
    /// process may hold the first one for a moment longer.
    fn swap_for_another(&self) {
        tool("losetup", &["--detach", &self.device]);
        let file = Path::new("/sys/block").join(self.name()).join("loop/backing_file");
        for _ in 0..100 {
            if !file.exists() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        tool("losetup", &[&self.device, text(&self.image)]);
    }

    fn name(&self) -> &str {
        self.device.trim_start_matches("/dev/")
    }

    fn write(&self, offset: u64, bytes: &[u8]) {
        let file = OpenOptions::new().write(true).open(&self.device).expect("the device");
        file.write_all_at(bytes, offset).and_then(|()| file.sync_all()).expect("written");
    }

    fn folder(&self, name: &str) -> PathBuf {
        let folder = self.lab.folder().join(name);
        fs::create_dir(&folder).expect("a folder");
        folder
    }

    /// Read-only, so that the file system itself writes nothing meanwhile.
    fn mount(&mut self, device: &str, name: &str) -> PathBuf {
        let folder = self.folder(name);
        tool("mount", &["-o", "ro", device, text(&folder)]);
        self.undo.push(&["umount", text(&folder)]);
        folder
    }

    /// A second loop device of the same size.
    fn second(&mut self, mebibytes: u64) -> String {
        let image = self.lab.folder().join("second.img");
        File::create(&image).and_then(|file| file.set_len(mebibytes * MIB)).expect("an image");
        let device = tool("losetup", &["--find", "--show", text(&image)]);
        self.undo.push(&["losetup", "--detach", &device]);
        device
    }

    /// A fingerprint of everything below the device: the system's own program reads it.
    fn checksum(&self) -> String {
        tool("sync", &[]);
        if self.swap {
            let mut head = vec![0; 4096];
            File::open(&self.image).and_then(|mut file| file.read_exact(&mut head)).expect("the first page");
            return format!("{head:?}");
        }
        tool("cksum", &[text(&self.image)])
    }

    fn load<'a>(&self, target: &'a str, flags: &[&'a str]) -> support::Done {
        self.lab.run(&[&["io", target, "--op", "write", "--time", "100ms", "--no-save"], flags].concat())
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a text path")
}

/// Whether a program is there; says so where not.
fn has(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
        || skip(&format!("there is no {program}"))
}

/// Demands the exit code and the words, and that nothing was changed.
#[track_caller]
fn refused(what: &str, disk: &Disk, target: &str, flags: &[&str], code: i32, words: &[&str]) {
    let before = disk.checksum();
    let done = disk.load(target, flags);
    assert_eq!(done.code, code, "{what}: {}", done.stderr);
    for word in words {
        assert!(done.stderr.contains(word), "{what}: '{word}' is missing in\n{}", done.stderr);
    }
    assert_eq!(disk.checksum(), before, "{what}: bytes changed");
}

/// A situation that no flag overrides: how it is made (the path to name, if not the device), the exit code, the words.
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

/// Each gives the path to name; an empty one means the device, none that it cannot be made here.
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
    // Some kernels know no GPT by themselves.
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
    let place = disk.folder("elsewhere");
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
    tool("mount", &["--bind", &disk.device, text(&node)]);
    disk.undo.push(&["umount", text(&node)]);
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

/// Another node for the same device.
fn renamed(disk: &Disk) -> String {
    let numbers = fs::read_to_string(format!("/sys/block/{}/dev", disk.name())).expect("numbers");
    let (major, minor) = numbers.trim().split_once(':').expect("two numbers");
    let node = disk.lab.folder().join("some-disk");
    tool("mknod", &[text(&node), "b", major, minor]);
    text(&node).to_owned()
}

fn swap_on(disk: &mut Disk) -> Option<String> {
    tool("mkswap", &[&disk.device]);
    tool("swapon", &[&disk.device]);
    let device = disk.device.clone();
    disk.undo.push(&["swapoff", &device]);
    disk.swap = true;
    Some(String::new())
}

fn btrfs_second(disk: &mut Disk) -> Option<String> {
    let filesystems = fs::read_to_string("/proc/filesystems").expect("the list");
    if !has("mkfs.btrfs") || !(filesystems.contains("btrfs") || skip("this kernel has no btrfs")) {
        return None;
    }
    let first = disk.second(128);
    tool("mkfs.btrfs", &["-q", "-f", "-d", "single", "-m", "single", &first, &disk.device]);
    tool("btrfs", &["device", "scan", &disk.device]);
    disk.mount(&first, "mount");
    Some(String::new())
}

fn loop_on_it(disk: &mut Disk) -> Option<String> {
    let upper = tool("losetup", &["--find", "--show", &disk.device]);
    disk.undo.push(&["losetup", "--detach", &upper]);
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

/// Content: how it is made, and the words of the refusal without `--destroy`.
type Content = (&'static str, u64, &'static [&'static str], fn(&Disk) -> bool, &'static [&'static str]);

const CONTENT: &[Content] = &[
    ("nothing at all", 64, &[], |_| true, &["nothing was found on it", "all of it, 64 MiB, was looked at"]),
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
            "the first and the last 16 MiB, 4,096 evenly spaced and 4,096 random blocks of 4 KiB were looked at",
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

fn data_at(disk: &Disk, offset: u64, length: u64) -> bool {
    disk.write(offset, &vec![0x42; usize::try_from(length).expect("a size")]);
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
        // The whole decision, and nothing written: a dry run makes it too.
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
fn of_two_drivelabs_at_once_the_second_is_told_that_the_device_is_busy() {
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = Disk::new(64, &[]);
    let name = disk.name().to_owned();
    let words = ["io", &disk.device, "--op", "write", "--time", "60s", "--no-save", "--destroy", &name];
    let events = [&words[..], &["--events", "json"]].concat();
    let first =
        disk.lab.command(&events).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("drivelab starts");
    let mut first = Process(first);
    let mut heard = [0; 1];
    first.0.stdout.as_mut().expect("its output").read_exact(&mut heard).expect("an event");
    let done = disk.load(&disk.device, &["--destroy", &name]);
    assert_eq!(done.code, 6, "{}", done.stderr);
    assert!(done.stderr.contains("in use"), "{}", done.stderr);
    drop(first);
    let done = disk.load(&disk.device, &["--destroy", &name]);
    assert_eq!(done.code, 0, "{}", done.stderr);
}

/// drivelab at a terminal of its own (script(1)), waiting for what a person types.
struct Asked(Process);

impl Asked {
    /// `None` where there is no terminal to be had.
    fn about(disk: &Disk, flags: &[&str]) -> Option<Asked> {
        if !has("script") {
            return None;
        }
        let words = [&["io", &disk.device, "--op", "write", "--time", "100ms", "--no-save"], flags].concat();
        let line = format!("{} {}", env!("CARGO_BIN_EXE_drivelab"), words.join(" "));
        let mut command = Command::new("script");
        disk.lab.dress(&mut command).args(["--quiet", "--flush", "--return", "--command", &line, "/dev/null"]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut asked = Asked(Process(child.expect("script starts")));
        let heard = asked.until("to leave it as it is");
        assert!(heard.contains("This overwrites"), "{heard}");
        Some(asked)
    }

    /// What is shown until a word comes.
    fn until(&mut self, word: &str) -> String {
        let output = self.0.0.stdout.as_mut().expect("its output");
        let (mut heard, mut byte) = (Vec::new(), [0]);
        while !String::from_utf8_lossy(&heard).contains(word) && output.read(&mut byte).expect("read") == 1 {
            heard.push(byte[0]);
        }
        String::from_utf8_lossy(&heard).into_owned()
    }

    /// Types an answer; the exit code and everything that was shown after it.
    fn answer(mut self, answer: &str) -> (i32, String) {
        let mut input = self.0.0.stdin.take().expect("its input");
        writeln!(input, "{answer}").expect("typed");
        let mut shown = String::new();
        self.0.0.stdout.as_mut().expect("its output").read_to_string(&mut shown).expect("what is shown");
        drop(input);
        (self.0.0.wait().expect("ended").code().unwrap_or(-1), shown)
    }
}

#[test]
fn at_a_terminal_the_name_is_asked_for_and_only_that_answer_counts() {
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = Disk::new(64, &[]);
    data_at(&disk, 0, 4096);
    let before = disk.checksum();
    for wrong in ["y", "yes", "loop", ""] {
        let Some(asked) = Asked::about(&disk, &[]) else { return };
        let (code, shown) = asked.answer(wrong);
        assert_eq!(code, 5, "'{wrong}': {shown}");
        assert!(shown.contains("Nothing was touched"), "{shown}");
        assert_eq!(disk.checksum(), before, "'{wrong}'");
    }
    let Some(asked) = Asked::about(&disk, &[]) else { return };
    let (code, shown) = asked.answer(disk.name());
    assert_eq!(code, 0, "{shown}");
    assert_ne!(disk.checksum(), before);
}

#[test]
fn a_mount_between_the_question_and_the_first_write_is_seen() {
    if !root_or_skip("a loop device") {
        return;
    }
    let mut disk = Disk::new(64, &[]);
    tool("mkfs.ext4", &["-q", "-F", &disk.device]);
    let Some(asked) = Asked::about(&disk, &[]) else { return };
    let device = disk.device.clone();
    disk.mount(&device, "mount");
    let before = disk.checksum();
    let (code, shown) = asked.answer(disk.name());
    assert_eq!(code, 5, "{shown}");
    let words: Vec<&str> = shown.split_whitespace().collect();
    assert!(words.join(" ").contains("is mounted at"), "{shown}");
    assert_eq!(disk.checksum(), before);
}

#[test]
fn another_disk_that_took_the_name_between_the_question_and_the_first_write_is_seen() {
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = Disk::apart(64);
    let counted = Path::new("/sys/block").join(disk.name()).join("diskseq").exists();
    if !counted && !skip("this kernel does not count its disks (Linux 5.15)") {
        return;
    }
    let Some(asked) = Asked::about(&disk, &[]) else { return };
    disk.swap_for_another();
    let before = disk.checksum();
    let (code, shown) = asked.answer(disk.name());
    assert_eq!(code, 5, "{shown}");
    let words: Vec<&str> = shown.split_whitespace().collect();
    assert!(words.join(" ").contains("another device than before"), "{shown}");
    assert_eq!(disk.checksum(), before);
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
    let file = disk.lab.run(&["wipe", text(&disk.image), "--how", "discard"]);
    assert_eq!(file.code, 2, "{}", file.stderr);
}

#[test]
fn a_killed_run_on_a_device_goes_on_only_on_the_same_device_and_when_it_is_named_again() {
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = Disk::apart(64);
    let name = disk.name().to_owned();
    let begin = || {
        let words = ["run", "quick", &disk.device, "--form", "smoke", "--destroy", &name, "--events", "json"];
        let mut child =
            disk.lab.command(&words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let mut heard = std::io::BufReader::new(child.stdout.take().expect("its output"));
        let mut line = String::new();
        while !line.contains("step_ended") {
            line.clear();
            assert_ne!(std::io::BufRead::read_line(&mut heard, &mut line).expect("a line"), 0, "it ended too early");
        }
        drop(Process(child));
    };
    begin();
    let before = disk.checksum();
    let refused = disk.lab.run(&["resume", "--last"]);
    assert_eq!(refused.code, 5, "{}", refused.stderr);
    assert!(refused.stderr.contains(&format!("--destroy {name}")), "{}", refused.stderr);
    let wrong = disk.lab.run(&["resume", "--last", "--destroy", "S0MEDRIVE"]);
    assert_eq!(wrong.code, 5, "{}", wrong.stderr);
    assert_eq!(disk.checksum(), before);
    disk.lab.ok(&["resume", "--last", "--destroy", &name]);
    assert_eq!(disk.lab.runs()[0].1, "complete");

    begin();
    if !Path::new("/sys/block").join(&name).join("diskseq").exists() {
        skip("this kernel does not count its disks (Linux 5.15)");
        return;
    }
    disk.swap_for_another();
    let before = disk.checksum();
    let refused = disk.lab.run(&["resume", "--last", "--destroy", &name]);
    assert_eq!(refused.code, 5, "{}", refused.stderr);
    assert!(refused.stderr.contains("another device than before"), "{}", refused.stderr);
    assert_eq!(disk.checksum(), before);
}
