//! Runs the system's own programs (mkfs, cryptsetup, addpart), each in a process group of its own, so that Ctrl-C
//! reaches drivelab and not a program that is writing. The kernel kills such a program when its drivelab has ended,
//! so that none writes to a drive on which `resume` has found nothing (setpriv(1), `--pdeathsig`).
//!
//! Owns where programs are searched, which Debian package contains them, and which part of their output is passed on.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::error::ConditionsError;

/// A program of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) needed_for: &'static str,
    pub(crate) package: &'static str,
}

pub(crate) const ADDPART: Program =
    Program { name: "addpart", needed_for: "a partition (--partition)", package: "util-linux" };
pub(crate) const DELPART: Program =
    Program { name: "delpart", needed_for: "a partition (--partition)", package: "util-linux" };
pub(crate) const MKFS_EXT4: Program =
    Program { name: "mkfs.ext4", needed_for: "--file-system ext4", package: "e2fsprogs" };
pub(crate) const MKFS_XFS: Program = Program { name: "mkfs.xfs", needed_for: "--file-system xfs", package: "xfsprogs" };
pub(crate) const LOSETUP: Program =
    Program { name: "losetup", needed_for: "a loop device on a file", package: "mount" };
pub(crate) const CRYPTSETUP: Program =
    Program { name: "cryptsetup", needed_for: "an encryption arm (--arm)", package: "cryptsetup-bin" };

/// Folders of the administrator's programs, which are not on every user's path.
const ALSO: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];
/// Exists while udev runs: without it, the device-mapper library creates the nodes itself when told to.
const UDEV: &str = "/run/udev/control";

impl Program {
    /// Checks that it exists.
    ///
    /// # Errors
    /// [`ConditionsError::NoProgram`] if it does not.
    pub(crate) fn check(self) -> Result<(), ConditionsError> {
        if is_there(self.name) { Ok(()) } else { Err(self.absent()) }
    }

    /// Runs it with `input` on its stdin; returns its stdout.
    ///
    /// # Errors
    /// It does not exist, cannot be started, or failed; the error contains its output.
    pub(crate) fn run(self, arguments: &[&str], input: &[u8]) -> Result<String, ConditionsError> {
        let (output, stdout) = self.ask(arguments, input)?;
        if output.status.success() { Ok(stdout) } else { Err(self.failed(arguments, &output)) }
    }

    /// Runs it and returns stdout and stderr, whatever its exit status: for asking programs for their version.
    ///
    /// # Errors
    /// It does not exist or cannot be started.
    pub(crate) fn says(self, arguments: &[&str]) -> Result<String, ConditionsError> {
        let (output, stdout) = self.ask(arguments, &[])?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        Ok(format!("{stdout}{stderr}"))
    }

    fn ask(self, arguments: &[&str], input: &[u8]) -> Result<(Output, String), ConditionsError> {
        let output = start(self.name, arguments, input).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => self.absent(),
            _ => self.said(arguments, &error.to_string()),
        })?;
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok((output, stdout))
    }

    fn absent(self) -> ConditionsError {
        let Program { name, needed_for, package } = self;
        ConditionsError::NoProgram { program: name, needed_for, package }
    }

    fn failed(self, arguments: &[&str], output: &Output) -> ConditionsError {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let said = if lines.is_empty() { output.status.to_string() } else { lines.join("; ") };
        self.said(arguments, &said)
    }

    fn said(self, arguments: &[&str], said: &str) -> ConditionsError {
        ConditionsError::Program { command: format!("{} {}", self.name, arguments.join(" ")), said: said.to_owned() }
    }
}

#[cfg(test)]
thread_local! {
    /// A folder of programs that is searched before all others, for tests on this thread.
    pub(crate) static IN_FRONT: std::cell::RefCell<Option<std::path::PathBuf>> = const { std::cell::RefCell::new(None) };
}

/// The user's path, followed by the administrator's folders.
fn path() -> std::ffi::OsString {
    let own = std::env::var_os("PATH").unwrap_or_default();
    #[cfg(test)]
    let own = IN_FRONT.with_borrow(|front| match front {
        Some(folder) => {
            std::env::join_paths(std::iter::once(folder.clone()).chain(std::env::split_paths(&own))).expect("a path")
        }
        None => own.clone(),
    });
    let folders = std::env::split_paths(&own).chain(ALSO.iter().map(|folder| Path::new(folder).to_owned()));
    std::env::join_paths(folders).unwrap_or(own)
}

/// Prefix of a command: makes the kernel kill it when its owner ends. Part of util-linux, as addpart is; without it,
/// undoing still sees a program that has the drive open.
const TIED: [&str; 3] = ["setpriv", "--pdeathsig", "KILL"];

/// Whether programs can be tied to their owner here: BusyBox has a setpriv too, but without this option.
fn can_be_tied() -> bool {
    let [setpriv, how, signal] = TIED;
    let mut tried = Command::new(setpriv);
    tried.args([how, signal, "true"]).env("PATH", path());
    tried.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    is_there(setpriv) && tried.status().is_ok_and(|status| status.success())
}

fn is_there(name: &str) -> bool {
    std::env::split_paths(&path()).any(|folder| folder.join(name).is_file())
}

fn start(name: &str, arguments: &[impl AsRef<OsStr>], input: &[u8]) -> io::Result<Output> {
    let [setpriv, how, signal] = TIED;
    // setpriv's error for a missing program differs from the system's.
    let mut command = if is_there(name) && can_be_tied() {
        let mut tied = Command::new(setpriv);
        tied.args([how, signal, name]);
        tied
    } else {
        Command::new(name)
    };
    command.args(arguments).env("PATH", path()).env("LC_ALL", "C").process_group(0);
    if !Path::new(UDEV).exists() {
        command.env("DM_DISABLE_UDEV", "1");
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input does not need it.
        let _ = stdin.write_all(input);
    }
    child.wait_with_output()
}

/// A path as an argument of a program.
///
/// # Errors
/// It is not valid UTF-8.
pub(crate) fn text(path: &Path) -> Result<&str, ConditionsError> {
    path.to_str().ok_or_else(|| ConditionsError::Target(format!("{} is not valid UTF-8", path.display())))
}

/// Text of a file that the kernel may have compressed; `None` if it cannot be read.
pub(crate) fn unpacked(file: &str) -> Option<String> {
    let output = start("zcat", &[file], &[]).ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_says_is_passed_on_and_a_missing_one_is_named_with_its_package() {
        let shell = Program { name: "sh", needed_for: "a test", package: "dash" };
        assert_eq!(shell.run(&["-c", "cat"], b"hello").expect("it runs"), "hello");
        let error = shell.run(&["-c", "echo this is why >&2; exit 3"], &[]).expect_err("it fails");
        assert!(error.to_string().ends_with("failed: this is why"), "{error}");
        let error = shell.run(&["-c", "exit 3"], &[]).expect_err("it fails");
        assert!(error.to_string().contains("exit status: 3"), "{error}");
        let missing = Program { name: "drivelab-no-such", needed_for: "a test", package: "none-such" };
        for error in [missing.check().expect_err("missing"), missing.run(&[], &[]).expect_err("missing")] {
            assert!(error.to_string().contains("package none-such"), "{error}");
        }
    }

    #[test]
    fn a_setpriv_that_cannot_tie_is_left_out() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().expect("a folder");
        let stub = folder.path().join(TIED[0]);
        std::fs::write(&stub, "#!/bin/sh\necho \"unrecognized option '$1'\" >&2\nexit 1\n").expect("written");
        std::fs::set_permissions(&stub, std::fs::Permissions::from_mode(0o755)).expect("made a program");
        IN_FRONT.set(Some(folder.path().to_owned()));
        let shell = Program { name: "sh", needed_for: "a test", package: "dash" };
        let said = shell.run(&["-c", "echo it runs"], &[]);
        IN_FRONT.set(None);
        assert_eq!(said.expect("as BusyBox has it"), "it runs\n");
    }

    /// This test again, in a process of its own that is killed while one of its programs runs.
    #[test]
    fn a_program_ends_with_its_owner() {
        const OWNER: &str = "DRIVELAB_TEST_OWNER";
        let shell = Program { name: "sh", needed_for: "a test", package: "dash" };
        if let Some(begun) = std::env::var_os(OWNER) {
            let begun = begun.to_string_lossy().into_owned();
            let _ = shell.run(&["-c", "echo $$ > \"$0\"; while :; do sleep 1; done", &begun], &[]);
            return;
        }
        if !is_there(TIED[0]) {
            println!("skipped: setpriv is not on this machine");
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let begun = folder.path().join("begun");
        let mut owner = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "programs::tests::a_program_ends_with_its_owner", "--nocapture"])
            .env(OWNER, &begun)
            .stdout(Stdio::null())
            .spawn()
            .expect("a process");
        let wait = || std::thread::sleep(std::time::Duration::from_millis(50));
        let child = loop {
            let text = std::fs::read_to_string(&begun).unwrap_or_default();
            if text.ends_with('\n') {
                break text.trim().to_owned();
            }
            wait();
        };
        owner.kill().and_then(|()| owner.wait()).expect("killed");
        // A dead process that its new parent has not reaped yet has no command line any more.
        let line = Path::new("/proc").join(&child).join("cmdline");
        let lives = || std::fs::read(&line).is_ok_and(|line| !line.is_empty());
        (0..400).take_while(|_| lives()).for_each(|_| wait());
        let outlived = lives();
        if outlived {
            let _ = Command::new("kill").args(["-KILL", &child]).status();
        }
        assert!(!outlived, "the program outlived its owner");
    }
}
