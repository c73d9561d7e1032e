//! Keeps the machine from suspending during a run, through `systemd-inhibit` (systemd-inhibit(1), the command-line
//! program for logind's inhibitor locks).
//!
//! A helper process holds the lock and waits for the end of its input, which is a pipe of this process: however this
//! process ends, the pipe closes and the lock is released.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

/// Time limit for logind's answer.
const ANSWER: Duration = Duration::from_secs(2);

/// A held lock.
#[derive(Debug)]
pub(crate) struct Inhibitor {
    child: Child,
    input: Option<ChildStdin>,
}

impl Inhibitor {
    /// Takes the lock against sleep.
    ///
    /// # Errors
    /// Why the lock is not available: no `systemd-inhibit`, no logind, or logind refuses it.
    pub(crate) fn take(why: &str) -> Result<Self, String> {
        Inhibitor::through("systemd-inhibit", why)
    }

    fn through(program: &str, why: &str) -> Result<Self, String> {
        let mut child = Command::new(program)
            .args(["--what=sleep", "--who=drivelab", "--mode=block", &format!("--why={why}")])
            .args(["sh", "-c", "echo held; exec cat >/dev/null"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{program} cannot be started: {error}"))?;
        let input = child.stdin.take();
        let Some(output) = child.stdout.take() else { return Err(format!("{program} has no output")) };
        let mut held = Inhibitor { child, input };
        let (sender, answer) = channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            let _ = BufReader::new(output).read_line(&mut line);
            let _ = sender.send(line);
        });
        match answer.recv_timeout(ANSWER) {
            Ok(line) if line.trim() == "held" => Ok(held),
            Ok(_) => Err(format!("{program}: logind granted no lock (is it running, and may this user request one?)")),
            Err(_) => {
                let _ = held.child.kill();
                Err(format!("{program}: logind does not answer"))
            }
        }
    }
}

impl Drop for Inhibitor {
    fn drop(&mut self) {
        self.input = None;
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_lock_is_held_by_a_helper_that_goes_with_us() {
        match Inhibitor::take("a test of drivelab") {
            Ok(held) => {
                let pid = held.child.id();
                drop(held);
                assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
            }
            Err(error) => eprintln!("skipped: {error}"),
        }
    }

    /// A `systemd-inhibit` that accepts its flags, records that it holds the lock, runs the command, and records its
    /// end.
    fn lock_of(folder: &std::path::Path) -> String {
        let path = folder.join("systemd-inhibit");
        let at = folder.display();
        let script = format!(
            "#!/bin/sh\nfor word; do case $word in --*) echo \"$word\" >> {at}/flags; shift;; *) break;; esac; done\n\
             : > {at}/held\n\"$@\"\nrm {at}/held\n"
        );
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    #[test]
    fn a_lock_that_was_given_is_held_against_sleep_until_our_pipe_closes() {
        let folder = tempfile::tempdir().unwrap();
        let held_file = folder.path().join("held");
        let mut held = Inhibitor::through(&lock_of(folder.path()), "a test of drivelab").unwrap();
        let flags = std::fs::read_to_string(folder.path().join("flags")).unwrap();
        assert_eq!(
            flags.lines().collect::<Vec<_>>(),
            ["--what=sleep", "--who=drivelab", "--mode=block", "--why=a test of drivelab"]
        );
        assert!(held_file.exists() && held.child.try_wait().unwrap().is_none(), "it is held while this process lives");
        // As the kernel does with the pipe of a process that has ended.
        held.input = None;
        assert!(held.child.wait().unwrap().success());
        assert!(!held_file.exists(), "the helper ended, and with it the lock");
    }

    #[test]
    fn the_helper_is_gone_when_the_run_is_over() {
        let folder = tempfile::tempdir().unwrap();
        let held = Inhibitor::through(&lock_of(folder.path()), "x").unwrap();
        let helper = std::path::PathBuf::from(format!("/proc/{}", held.child.id()));
        assert!(helper.exists());
        drop(held);
        assert!(!helper.exists());
    }

    #[test]
    fn without_the_program_or_without_logind_it_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let none = Inhibitor::through("/nonexistent/systemd-inhibit", "x").unwrap_err();
        assert!(none.contains("cannot be started"), "{none}");
        let refuses = folder.path().join("refuses");
        std::fs::write(&refuses, "#!/bin/sh\nexit 1\n").unwrap();
        std::fs::set_permissions(&refuses, std::fs::Permissions::from_mode(0o755)).unwrap();
        let said = Inhibitor::through(refuses.to_str().unwrap(), "x").unwrap_err();
        assert!(said.contains("no lock"), "{said}");
    }
}
