//! The write guard and time, each through the real program: changes between a question and the first write, between
//! two runs of one command, and between a killed run and the next. On loop devices that the tests create.

#[path = "support/disk.rs"]
mod disk;
mod support;

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Command, Stdio};
use std::time::Duration;

use disk::{Disk, MIB, Process, data_at, has};
use drivelab_rig::{root_or_skip, skip, tool};

const METHOD: &str = include_str!("support/two_steps.toml");

#[test]
fn of_two_drivelabs_at_once_the_second_is_told_that_the_device_is_busy() {
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = Disk::new(64, &[]);
    let name = disk.name().to_owned();
    // The first run writes to one half, so that the other half shows whether the second run has written.
    let words =
        ["io", &disk.device, "--op", "write", "--time", "60s", "--span", "50%", "--no-save", "--destroy", &name];
    let before = disk.checksum_from(32 * MIB);
    let events = [&words[..], &["--events", "json"]].concat();
    let first =
        disk.lab.command(&events).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("drivelab starts");
    let mut first = Process(first);
    let mut heard = [0; 1];
    first.0.stdout.as_mut().expect("its output").read_exact(&mut heard).expect("an event");
    let done = disk.load(&disk.device, &["--destroy", &name, "--span", "32MiB+32MiB"]);
    assert_eq!(done.code, 6, "{}", done.stderr);
    assert!(done.stderr.contains("in use"), "{}", done.stderr);
    assert_eq!(disk.checksum_from(32 * MIB), before, "the half that the first does not touch was written to");
    drop(first);
    let done = disk.load(&disk.device, &["--destroy", &name, "--span", "32MiB+32MiB"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert_ne!(disk.checksum_from(32 * MIB), before, "what the second would have done shows there");
}

/// drivelab in a terminal of its own (script(1)), waiting for a person's input.
struct Asked(Process);

impl Asked {
    /// `None` if no terminal is available.
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
        let heard = asked.until("to leave it unchanged");
        assert!(heard.contains("This overwrites"), "{heard}");
        Some(asked)
    }

    /// The output until a word appears.
    fn until(&mut self, word: &str) -> String {
        let output = self.0.0.stdout.as_mut().expect("its output");
        let (mut heard, mut byte) = (Vec::new(), [0]);
        while !String::from_utf8_lossy(&heard).contains(word) && output.read(&mut byte).expect("read") == 1 {
            heard.push(byte[0]);
        }
        String::from_utf8_lossy(&heard).into_owned()
    }

    /// Types an answer; returns the exit code and everything that was shown after it.
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
    disk.swap_for(&disk.image);
    let before = disk.checksum();
    let (code, shown) = asked.answer(disk.name());
    assert_eq!(code, 5, "{shown}");
    let words: Vec<&str> = shown.split_whitespace().collect();
    assert!(words.join(" ").contains("not the same device as before"), "{shown}");
    assert_eq!(disk.checksum(), before);
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
    // A dry run asks the same question and ends with the same code; if only the name is missing, everything else is
    // printed first.
    let both = |more: &[&str], code: i32, word: &str| {
        let real = [&["resume", "--last"], more].concat();
        [real.clone(), [&real[..], &["--dry-run"]].concat()].map(|words| {
            let refused = disk.lab.run(&words);
            assert_eq!(refused.code, code, "{words:?}: {}", refused.stderr);
            assert!(refused.stderr.contains(word), "{words:?}: {}", refused.stderr);
            refused.stdout
        })
    };
    let [_, said] = both(&[], 5, &format!("--destroy {name}"));
    assert!(said.contains("Found  ") && said.contains("this command lacks it"), "{said}");
    let [_, said] = both(&["--destroy", "S0MEDRIVE"], 5, "S0MEDRIVE");
    assert_eq!(said, "", "it is another device than the one that was named");
    let named = disk.lab.ok(&["resume", "--last", "--destroy", &name, "--dry-run"]).stdout;
    assert!(named.contains("this command has it"), "{named}");
    // Usually killed in a step that reads; one that writes leaves unknown data.
    let says_why = named.contains("as this run left it") || named.contains("prepared again, because run");
    assert!(says_why, "{named}");
    assert_eq!((disk.checksum(), disk.lab.runs()[0].1.as_str()), (before, "interrupted"), "something was touched");
    disk.lab.ok(&["resume", "--last", "--destroy", &name]);
    assert_eq!(disk.lab.runs()[0].1, "complete");

    begin();
    if !Path::new("/sys/block").join(&name).join("diskseq").exists() {
        skip("this kernel does not count its disks (Linux 5.15)");
        return;
    }
    disk.swap_for(&disk.image);
    let before = disk.checksum();
    for more in [&["--destroy", &name][..], &["--destroy", &name, "--dry-run"], &["--dry-run"]] {
        let refused = disk.lab.run(&[&["resume", "--last"], more].concat());
        assert_eq!(refused.code, 5, "{more:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("not the same device as before"), "{more:?}: {}", refused.stderr);
        assert!(refused.stdout.is_empty(), "{more:?}: {}", refused.stdout);
    }
    assert_eq!(disk.checksum(), before);
}

/// An image of the same size with something on it.
fn other_image(disk: &Disk) -> PathBuf {
    let length = fs::metadata(&disk.image).expect("the image").len();
    disk.lab.write("other.img", vec![0x42; usize::try_from(length).expect("a size")])
}

#[test]
fn each_run_of_a_group_is_held_to_the_drives_that_were_named_at_first() {
    if !root_or_skip("loop devices") {
        return;
    }
    let mut disk = Disk::apart(64);
    disk.lab.write("m.toml", METHOD);
    let first = disk.another("first.img", 64);
    let (name, other) = (disk.name().to_owned(), other_image(&disk));
    let before = fs::read(&other).expect("the other image");
    let words = ["run", "m.toml", &first, &disk.device, "--destroy", first.trim_start_matches("/dev/")];
    let words = [&words[..], &["--destroy", &name]].concat();
    let child = disk.lab.command(&words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut group = Process(child.expect("drivelab starts"));
    let mut stderr = group.0.stderr.take().expect("its words");
    // Both were checked, and the first one is measured alone.
    let heard = until(&mut stderr, "A alone");
    disk.swap_for(&other);
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("the rest");
    let code = group.0.wait().expect("ended").code();
    assert_eq!(code, Some(5), "{heard}{rest}");
    assert!(rest.contains(&disk.device) && rest.contains("not the same device as before"), "{heard}{rest}");
    assert!(fs::read(&other).expect("the other image") == before, "bytes changed");
}

#[test]
fn each_arm_is_held_to_the_drive_that_was_named_at_first() {
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = Disk::apart(64);
    disk.lab.write("m.toml", METHOD);
    let other = other_image(&disk);
    let before = fs::read(&other).expect("the other image");
    // The moment between two arms is short; if it was missed, the run ends normally, and another one is started.
    let done = (0..20).find_map(|_| swapped_between_arms(&disk, &other)).expect("the moment between two arms");
    assert_eq!(done.code, 5, "{}", done.stderr);
    assert!(done.stderr.contains("not the same device as before"), "{}", done.stderr);
    assert!(fs::read(&other).expect("the other image") == before, "bytes changed");
    assert_eq!(disk.lab.runs()[0].1, "complete", "the first arm keeps what it measured");
}

/// Begins a run of two arms and swaps the drive between them, while the process is stopped and does not have the drive
/// open. `None` if the moment was missed.
fn swapped_between_arms(disk: &Disk, other: &Path) -> Option<support::Done> {
    let name = disk.name();
    let words = ["run", "m.toml", &disk.device, "--destroy", name, "--partition", "50%", "--verbose"];
    let words = [&words[..], &["--arm", "none", "--arm", "none"]].concat();
    let child = disk.lab.command(&words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut run = Process(child.expect("drivelab starts"));
    let mut stderr = run.0.stderr.take().expect("its words");
    let mut heard = until(&mut stderr, "Undone");
    let pid = rustix::process::Pid::from_child(&run.0);
    let signal = |signal| rustix::process::kill_process(pid, signal).expect("a signal");
    signal(rustix::process::Signal::STOP);
    let folder = PathBuf::from(format!("/proc/{}", run.0.id()));
    let stat = || fs::read_to_string(folder.join("stat")).expect("its state");
    while !stat().contains(") T ") {
        std::thread::sleep(Duration::from_millis(1));
    }
    let is_open = fs::read_dir(folder.join("fd"))
        .expect("what it has open")
        .flatten()
        .any(|entry| fs::read_link(entry.path()).is_ok_and(|target| target == Path::new(&disk.device)));
    heard.push_str(&waiting(&mut stderr));
    let in_time = !is_open && !heard.contains("Arm 2");
    if in_time {
        disk.swap_for(other);
    }
    signal(rustix::process::Signal::CONT);
    stderr.read_to_string(&mut heard).expect("the rest");
    let code = run.0.wait().expect("ended").code().unwrap_or(-1);
    assert!(in_time || code == 0, "{heard}");
    in_time.then(|| support::Done { code, stdout: String::new(), stderr: heard })
}

/// The output until a word appears, and not one byte more.
fn until(stderr: &mut ChildStderr, word: &str) -> String {
    let (mut heard, mut byte) = (Vec::new(), [0]);
    while !String::from_utf8_lossy(&heard).ends_with(word) {
        assert_eq!(stderr.read(&mut byte).expect("read"), 1, "{}", String::from_utf8_lossy(&heard));
        heard.push(byte[0]);
    }
    String::from_utf8_lossy(&heard).into_owned()
}

/// Output that was not read yet.
fn waiting(stderr: &mut ChildStderr) -> String {
    let length = rustix::io::ioctl_fionread(&*stderr).expect("how much");
    let mut bytes = vec![0; usize::try_from(length).expect("a size")];
    stderr.read_exact(&mut bytes).expect("read");
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn what_a_killed_run_set_up_is_undone_for_the_run_that_is_meant_and_only_named_by_another() {
    if !root_or_skip("loop devices") {
        return;
    }
    let mut disk = Disk::new(64, &[]);
    disk.lab.write("m.toml", METHOD);
    let (second, third) = (disk.another("second.img", 64), disk.another("third.img", 64));
    let devices = [disk.device.clone(), second];
    let part = |device: &String| PathBuf::from(format!("{device}p1"));
    let words = |device: &str| {
        let name = device.trim_start_matches("/dev/");
        ["run", "m.toml", device, "--destroy", name, "--partition", "50%"].map(str::to_owned)
    };
    for device in &devices {
        let words = words(device);
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["--events", "json"]).collect();
        let child = disk.lab.command(&words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut run = Process(child.expect("drivelab starts"));
        let heard = std::io::BufReader::new(run.0.stdout.take().expect("its output"));
        let mut lines = std::io::BufRead::lines(heard).map_while(Result::ok);
        assert!(lines.any(|line| line.contains("step_started")), "it ended too early");
        drop(run);
        assert!(part(device).exists(), "a kill leaves it");
    }
    let runs = disk.lab.runs();
    let [newer, older] = [&runs[0].0, &runs[1].0];
    let both = || devices.each_ref().map(|device| part(device).exists());

    // A run on another drive touches neither, and prints how to undo each.
    let words = words(&third);
    let beside = disk.lab.ok(&words.each_ref().map(String::as_str));
    for (run, device) in [(older, &devices[0]), (newer, &devices[1])] {
        let said = format!("what was set up on {device} for run {run}, which was killed, still exists");
        assert!(beside.stderr.contains(&said), "{}", beside.stderr);
        assert!(beside.stderr.contains(&format!("`drivelab resume {run}` undoes it")), "{}", beside.stderr);
    }
    assert_eq!(both(), [true, true], "{}", beside.stderr);

    // A name that matches both undoes neither.
    let begin: String = older.chars().zip(newer.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    let unclear = disk.lab.run(&["resume", &begin]);
    assert_eq!(unclear.code, 4, "{}", unclear.stderr);
    assert!(unclear.stderr.contains("use more of its characters"), "{}", unclear.stderr);
    assert_eq!(both(), [true, true], "{}", unclear.stderr);

    // Each resume undoes what belongs to its own run.
    for (run, left) in [(older, [false, true]), (newer, [false, false])] {
        let resumed = disk.lab.run(&["resume", run]);
        assert_eq!(resumed.code, 5, "{}", resumed.stderr);
        assert!(resumed.stderr.contains(&format!("The conditions of run {run}, which was killed, are undone")));
        assert_eq!(both(), left, "{}", resumed.stderr);
    }
}
