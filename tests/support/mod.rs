//! Runs the real `drivelab` binary as a user does: its own folder, its own data folder, no terminal.
#![allow(dead_code, unreachable_pub, reason = "shared by several test programs, each of which uses its part")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use drivelab_rig::LoopFs;

/// A process that ends with the test.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// A folder on the file system of the build folder (direct I/O works there), with a data folder beside it.
pub struct Lab {
    root: tempfile::TempDir,
}

/// What a command did.
pub struct Done {
    /// Exit code; -1 if a signal ended it.
    pub code: i32,
    /// Everything on stdout.
    pub stdout: String,
    /// Everything on stderr.
    pub stderr: String,
}

impl Lab {
    pub fn new() -> Lab {
        Lab::in_folder(Path::new(env!("CARGO_TARGET_TMPDIR")))
    }

    pub fn in_folder(folder: &Path) -> Lab {
        let root = tempfile::Builder::new().prefix("e2e-").tempdir_in(folder).expect("a folder for the test");
        std::fs::create_dir(root.path().join("target")).expect("a target folder");
        Lab { root }
    }

    /// The folder that is measured, which is also the current folder of every command.
    pub fn folder(&self) -> PathBuf {
        self.root.path().join("target")
    }

    /// The folder that contains the measured folder and the test's other files.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    pub fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder().join(name);
        std::fs::write(&path, content).expect("a file for the test");
        path
    }

    /// Files in the measured folder, hidden ones too, sorted.
    pub fn files(&self) -> Vec<String> {
        files_of(&self.folder())
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_drivelab"));
        self.dress(&mut command).args(arguments);
        command
    }

    /// Environment and current folder for a command, so that nothing of the machine's user affects it.
    pub fn dress<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        for name in [
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
            "DRIVELAB_COLOR",
            "DRIVELAB_PLAIN",
            "DRIVELAB_BACKEND",
            "DRIVELAB_TELEMETRY",
            "DRIVELAB_STOP_ASK_AFTER",
        ] {
            command.env_remove(name);
        }
        command
            .current_dir(self.folder())
            .env("HOME", self.root.path())
            .env("DRIVELAB_DATA", self.data())
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
    }

    pub fn run(&self, arguments: &[&str]) -> Done {
        done(self.command(arguments).output().expect("drivelab starts"))
    }

    /// Runs and demands exit 0.
    pub fn ok(&self, arguments: &[&str]) -> Done {
        let done = self.run(arguments);
        assert_eq!(done.code, 0, "{arguments:?}\n{}", done.stderr);
        done
    }

    /// Runs, demands exit 0 and one JSON document on stdout.
    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let done = self.ok(arguments);
        serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{}", done.stdout))
    }

    /// Starts a run that prints its events; returns the process and its lines.
    pub fn start_with_events(&self, arguments: &[&str]) -> (Child, impl Iterator<Item = String> + use<>) {
        let mut child = self
            .command(&[&["run", "quick", "--events", "json"], arguments].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("drivelab starts");
        let lines = BufReader::new(child.stdout.take().expect("stdout")).lines().map_while(Result::ok);
        (child, lines)
    }

    /// Ids and states of all runs, newest first.
    pub fn runs(&self) -> Vec<(String, String)> {
        let list = self.json(&["results", "list", "--json"]);
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        list["runs"].as_array().expect("runs").iter().map(|run| (text(&run["id"]), text(&run["state"]))).collect()
    }
}

/// Whether the kernel can make device mappings, which encryption by dm-crypt needs.
pub fn has_device_mapper() -> bool {
    std::fs::read_to_string("/proc/devices").is_ok_and(|text| text.contains("device-mapper"))
}

/// Most resident memory of a command, in KiB, as seen every 2 ms.
pub fn peak_kib(command: &mut Command) -> u64 {
    let mut child = command.spawn().expect("the program");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().expect("a child").is_none() {
        let text = std::fs::read_to_string(Path::new(&status)).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0);
        peak = peak.max(kib);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    assert!(child.wait().expect("a child").success());
    peak
}

pub fn done(output: Output) -> Done {
    Done {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("stdout is text"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

pub fn files_of(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// An ext4 file system on the disk of the build folder.
pub fn ext4(mebibytes: u64) -> LoopFs {
    LoopFs::ext4(env!("CARGO_TARGET_TMPDIR"), mebibytes, &[])
}

/// The middle of a list that is not empty; of two in the middle, the upper one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
