//! Targets that do not exist or are not what they seem: a mistyped name, and a folder whose file system is not
//! mounted. Nothing is created on the disk of the running system by mistake.

mod support;

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use drivelab_rig::{root_or_skip, skip};
use support::{Done, Lab, done, files_of};

/// A run of a few seconds.
const QUICK: &[&str] = &["run", "quick", "--form", "smoke"];

/// A table that replaces the machine's /etc/fstab for one command.
struct Fstab {
    lab: Lab,
}

impl Fstab {
    /// `gone` is a folder in which nothing is mounted, `here` one that is a mount point. `None` if that is not
    /// possible.
    fn new_or_skip() -> Option<Fstab> {
        if !root_or_skip("a mount namespace of its own") {
            return None;
        }
        if !Command::new("unshare").args(["--mount", "true"]).status().is_ok_and(|status| status.success()) {
            skip("no mount namespace can be made here");
            return None;
        }
        let lab = Lab::new();
        for folder in ["gone/deep", "here", "other", "etc"] {
            std::fs::create_dir_all(lab.folder().join(folder)).expect("a folder");
        }
        let at = |name: &str| lab.folder().join(name).display().to_string();
        let table = format!(
            "# what is mounted where\nLABEL=precious {} ext4 noauto 0 2\nLABEL=here {} none bind 0 0\n",
            at("gone"),
            at("here")
        );
        lab.write("etc/fstab", table);
        Some(Fstab { lab })
    }

    /// The command in a namespace where the table is /etc/fstab, and `here` is mounted.
    fn command(&self, arguments: &[&str]) -> Command {
        let script = "mount --bind etc /etc && mount --bind other here && exec \"$0\" \"$@\"";
        let mut command = Command::new("unshare");
        self.lab.dress(&mut command).args(["--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_drivelab")]);
        command.args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Done {
        done(self.command(arguments).output().expect("unshare starts"))
    }

    /// Everything in the folder that is not mounted.
    fn found(&self) -> Vec<String> {
        files_of(&self.lab.folder().join("gone"))
    }
}

#[test]
fn a_target_that_is_not_there_is_refused_with_what_to_do_and_nothing_is_made() {
    let lab = Lab::new();
    for (arguments, code, words) in [
        (&["run", "quick", "nope"][..], 6, &["there is no nope", "mount", "--new-file"][..]),
        (&["run", "quick", "./sda1"], 6, &["there is no ./sda1", "--new-file"]),
        (&["run", "quick", "sdzzy9"], 6, &["there is no device /dev/sdzzy9", "drivelab targets", "--new-file"]),
        (&["review", "nope"], 6, &["there is no nope", "--new-file"]),
        (&["review", "nope", "--time", "10min"], 6, &["there is no nope", "--new-file"]),
        (&["io", "nope"], 6, &["there is no nope", "--new-file"]),
        (&["io", "nvme99n1"], 6, &["there is no device /dev/nvme99n1", "drivelab targets"]),
        (&["io", "nop:xyz"], 2, &["nop: takes nothing after its colon"]),
        (&["io", "nop"], 2, &["did you mean nop:"]),
        (&["methods", "plan", "quick", "nope"], 6, &["there is no nope", "--new-file"]),
        (&["run", "quick", "nope", "neither"], 6, &["there is no nope", "--new-file"]),
        (&["doctor", "nope"], 6, &["there is no nope"]),
        // A file in a folder that does not exist is not created either.
        (&["run", "quick", "no/such", "--new-file"], 6, &["there is no folder no"]),
        (&["run", "quick", "nope/", "--new-file"], 6, &["there is no such folder"]),
        (&["run", "quick", "/dev/nosuch", "--new-file"], 6, &["no such device"]),
    ] {
        let can_be_dry = arguments[0] != "methods" && arguments[0] != "doctor";
        for dry in [&[][..], &["--dry-run"]].into_iter().take(if can_be_dry { 2 } else { 1 }) {
            let done = lab.run(&[arguments, dry].concat());
            assert_eq!(done.code, code, "{arguments:?} {dry:?}\n{}{}", done.stdout, done.stderr);
            for word in words {
                assert!(done.stderr.contains(word), "{arguments:?}: '{word}' is missing in\n{}", done.stderr);
            }
            assert!(lab.files().is_empty(), "{arguments:?} made {:?}", lab.files());
        }
    }
    assert!(!lab.run(&["doctor", "nope"]).stderr.contains("--new-file"), "the doctor makes no file");
    assert!(lab.runs().is_empty());
}

#[test]
fn new_file_makes_only_what_is_not_there() {
    let lab = Lab::new();
    std::fs::create_dir(lab.folder().join("folder")).expect("a folder");
    lab.write("there", vec![7u8; 1 << 20]);
    for (target, code, word) in [
        ("folder", 2, "is an existing folder"),
        ("there", 5, "exists already"),
        ("nop:", 2, "leave the flag out"),
        ("/dev/null", 2, "leave the flag out"),
    ] {
        for command in [&["io", "--operations", "1"][..], QUICK] {
            let done = lab.run(&[command, &[target, "--new-file"]].concat());
            assert_eq!(done.code, code, "{command:?} {target}: {}", done.stderr);
            assert!(done.stderr.contains(word), "{command:?} {target}: {}", done.stderr);
        }
    }
    assert_eq!(lab.files(), ["folder", "there"]);
    assert_eq!(std::fs::read(lab.folder().join("there")).expect("the file"), vec![7u8; 1 << 20]);
    let load = ["io", "folder/new", "--new-file", "--size", "1MiB", "--op", "write", "--operations", "1"];
    let made = lab.json(&[&load[..], &["--json"]].concat());
    assert!(made["target"]["path"].as_str().is_some_and(|path| path.ends_with("folder/new")), "{:#}", made["target"]);
    assert!(files_of(&lab.folder().join("folder")).is_empty(), "it was removed");
    lab.ok(&["io", "sdzzy9", "--new-file", "--size", "1MiB", "--op", "write", "--operations", "1", "--no-save"]);
    lab.ok(&["methods", "plan", "quick", "new", "--new-file"]);
    assert_eq!(lab.files(), ["folder", "there"]);
}

#[test]
fn a_folder_whose_file_system_is_not_mounted_is_refused_without_a_terminal_unless_yes_is_said() {
    let Some(fstab) = Fstab::new_or_skip() else { return };
    let load = ["io", "--size", "1MiB", "--op", "write", "--operations", "1", "--no-save"];
    for target in ["gone", "gone/deep", "gone/new", "gone/deep/new"] {
        let new: &[&str] = if target.ends_with("new") { &["--new-file"] } else { &[] };
        for command in [&load[..], QUICK, &["review", "--form", "smoke", "-o", "page.html"]] {
            for dry in [&[][..], &["--dry-run"]] {
                let refused = fstab.run(&[command, &[target], new, dry].concat());
                assert_eq!(refused.code, 6, "{command:?} {target} {dry:?}\n{}", refused.stderr);
                for word in ["/etc/fstab mounts LABEL=precious", "Nothing was touched", "--yes"] {
                    assert!(refused.stderr.contains(word), "{command:?}: '{word}' is missing in\n{}", refused.stderr);
                }
            }
        }
        let yes = fstab.run(&[&load[..], &[target, "--yes"], new].concat());
        assert_eq!(yes.code, 0, "{target}: {}", yes.stderr);
        assert!(yes.stderr.contains("/etc/fstab mounts LABEL=precious"), "it is said: {}", yes.stderr);
    }
    let both = fstab.run(&["run", "quick", "--form", "smoke", "other", "gone"]);
    assert!(both.code == 6 && both.stderr.contains("LABEL=precious"), "{}", both.stderr);
    assert_eq!(fstab.found(), ["deep"]);
    // A command that only looks names the disk that it looks at.
    for command in [&["show"][..], &["check", "--no-read"], &["watch", "--time", "10ms"]] {
        let said = |target: &str| fstab.run(&[command, &[target]].concat()).stderr;
        assert!(said("gone").contains("warning: ") && said("gone").contains("LABEL=precious"), "{}", said("gone"));
        assert!(!said("here").contains("fstab"), "{}", said("here"));
    }
    // A mounted folder is measured without a warning, and so is one that the table does not name.
    for target in ["here", "other"] {
        let done = fstab.run(&[&load[..], &[target]].concat());
        assert_eq!(done.code, 0, "{target}: {}", done.stderr);
        assert!(!done.stderr.contains("fstab"), "{target}: {}", done.stderr);
    }
    // Results that go to the wrong disk are no reason to refuse, but they are reported.
    let kept = fstab.run(&["run", "quick", "--form", "smoke", "other", "--data", "gone/deep"]);
    assert_eq!(kept.code, 0, "{}", kept.stderr);
    assert!(kept.stderr.contains("gone/deep: /etc/fstab mounts LABEL=precious"), "{}", kept.stderr);
    assert!(kept.stderr.contains("results go to the file system at"), "{}", kept.stderr);
    // A name that leads to nothing is explained by it.
    std::fs::remove_dir_all(fstab.lab.folder().join("gone")).expect("removed");
    for target in ["gone", "gone/", "gone/deep"] {
        let missing = fstab.run(&[&load[..], &[target]].concat());
        assert_eq!(missing.code, 6, "{target}: {}", missing.stderr);
        assert!(missing.stderr.contains("it is not mounted: `mount "), "{target}: {}", missing.stderr);
    }
}

#[test]
fn at_a_terminal_a_folder_whose_file_system_is_not_mounted_is_asked_about() {
    let Some(fstab) = Fstab::new_or_skip() else { return };
    if Command::new("script").arg("--version").output().is_err() {
        skip("script(1) is not installed, so there is no terminal to ask at");
        return;
    }
    for (answer, code) in [("y", 0), ("n", 6), ("", 6)] {
        let load = ["io", "gone", "--size", "1MiB", "--op", "write", "--operations", "1", "--no-save", "--plain"];
        let inner = fstab.command(&load);
        let line: Vec<String> =
            std::iter::once(inner.get_program()).chain(inner.get_args()).map(|word| quoted(word.to_str())).collect();
        let mut command = Command::new("script");
        fstab.lab.dress(&mut command).args([
            "--quiet",
            "--flush",
            "--return",
            "--command",
            &line.join(" "),
            "/dev/null",
        ]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("script starts");
        let mut output = child.stdout.take().expect("its output");
        let (mut heard, mut byte) = (Vec::new(), [0]);
        while !String::from_utf8_lossy(&heard).contains("[y/N]") && output.read(&mut byte).expect("read") == 1 {
            heard.push(byte[0]);
        }
        let heard = String::from_utf8_lossy(&heard).into_owned();
        assert!(heard.contains("Measure there anyway?"), "{heard}");
        let mut input = child.stdin.take().expect("its input");
        writeln!(input, "{answer}").expect("typed");
        let mut shown = String::new();
        output.read_to_string(&mut shown).expect("what is shown");
        drop(input);
        assert_eq!(child.wait().expect("ended").code(), Some(code), "'{answer}': {shown}");
        assert_eq!(fstab.found(), ["deep"], "'{answer}'");
    }
}

/// A word quoted for a shell.
fn quoted(word: Option<&str>) -> String {
    format!("'{}'", word.expect("text").replace('\'', "'\\''"))
}
