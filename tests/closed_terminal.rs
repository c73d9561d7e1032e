//! Terminals that disappear and signals at any moment: a question that is answered by Ctrl-C, a terminal that is
//! closed while something runs in it, and the resulting exit code. Uses terminals of script(1).

#[path = "support/disk.rs"]
mod disk;
mod support;

use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use disk::{Disk, Process, has};
use drivelab_rig::{root_or_skip, skip, tool};
use support::Lab;

/// Longer than anything here takes; a process that still runs after this never ends.
const PATIENCE: Duration = Duration::from_secs(60);

/// Records the process and its exit code: script(1) is gone when the process ends. Readers see the end of a closed
/// terminal before the kernel sends SIGHUP, so the signal may hit the `mv` after drivelab, which must survive it.
const WRAPPER: &str = r#"trap : HUP INT
sh -c 'echo $$ > "$AT/pid.new"; mv "$AT/pid.new" "$AT/pid"; exec "$0" "$@"' "$@"
code=$?
trap '' HUP INT
echo $code > "$AT/code.new"
mv "$AT/code.new" "$AT/code"
exit $code
"#;

/// drivelab in a terminal of its own.
struct Terminal {
    script: Process,
    at: PathBuf,
}

impl Terminal {
    /// `None` if no terminal is available.
    fn with(lab: &Lab, arguments: &[&str]) -> Option<Terminal> {
        if !has("script") {
            return None;
        }
        let at = tempfile::tempdir_in(lab.root()).expect("a folder").keep();
        fs::write(at.join("wrapper"), WRAPPER).expect("a script");
        let words = [&[env!("CARGO_BIN_EXE_drivelab")][..], arguments].concat().join(" ");
        let line = format!("sh {} {words}", at.join("wrapper").display());
        let mut command = Command::new("script");
        lab.dress(&mut command).env("AT", &at).args([
            "--quiet",
            "--flush",
            "--return",
            "--command",
            &line,
            "/dev/null",
        ]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        Some(Terminal { script: Process(child.expect("script starts")), at })
    }

    /// The output until these words appear.
    fn until(&mut self, words: &str) -> String {
        let output = self.script.0.stdout.as_mut().expect("its output");
        let (mut heard, mut byte) = (Vec::new(), [0]);
        while !String::from_utf8_lossy(&heard).contains(words) && output.read(&mut byte).expect("read") == 1 {
            heard.push(byte[0]);
        }
        let heard = String::from_utf8_lossy(&heard).into_owned();
        assert!(heard.contains(words), "{heard}");
        heard
    }

    fn types(&mut self, text: &str) {
        let input = self.script.0.stdin.as_mut().expect("its input");
        input.write_all(text.as_bytes()).and_then(|()| input.flush()).expect("typed");
    }

    fn close(&mut self) {
        self.script.0.kill().and_then(|()| self.script.0.wait()).expect("it ends");
    }

    /// What the wrapper recorded, once it exists.
    fn noted(&self, name: &str) -> String {
        let began = Instant::now();
        loop {
            if let Ok(text) = fs::read_to_string(self.at.join(name)) {
                return text.trim().to_owned();
            }
            if began.elapsed() > PATIENCE {
                let pid = fs::read_to_string(self.at.join("pid")).unwrap_or_default();
                let waits_in = fs::read_to_string(format!("/proc/{}/stack", pid.trim()));
                let _ = Command::new("kill").args(["-KILL", pid.trim()]).output();
                panic!("after {PATIENCE:?} there is no {name}; drivelab waits in {waits_in:?}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn signal(&self, signal: &str) {
        tool("kill", &[signal, &self.noted("pid")]);
    }

    fn code(&self) -> i32 {
        self.noted("code").parse().expect("a number")
    }
}

/// A signal at a question counts as its answer, and one is enough.
fn one_signal_ends(lab: &Lab, arguments: &[&str], question: &str) {
    for how in ["ctrl-c", "-TERM", "closed"] {
        let Some(mut terminal) = Terminal::with(lab, arguments) else { return };
        terminal.until(question);
        match how {
            "ctrl-c" => terminal.types("\x03"),
            "closed" => terminal.close(),
            signal => terminal.signal(signal),
        }
        let code = terminal.code();
        // A closed terminal is a signal and the end of the input; either may come first.
        assert!(code == 7 || (how == "closed" && [2, 5, 6].contains(&code)), "{arguments:?} {how}: {code}");
    }
}

#[test]
fn one_signal_ends_a_question_and_nothing_is_touched() {
    let lab = Lab::new();
    lab.ok(&["io", "nop:", "--time", "50ms", "--quiet"]);
    let (run, _) = lab.runs().remove(0);
    one_signal_ends(&lab, &["results", "remove", &run], "[y/N]");
    assert_eq!(lab.runs().len(), 1, "the run is still there");
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = Disk::new(64, &[]);
    let before = disk.checksum();
    one_signal_ends(&disk.lab, &["io", &disk.device, "--op", "write", "--time", "100ms"], "leave it unchanged");
    one_signal_ends(&disk.lab, &["wipe", &disk.device, "--how", "discard"], "leave it unchanged");
    assert_eq!(disk.checksum(), before);
}

#[test]
fn a_run_whose_terminal_is_closed_ends_with_the_code_that_it_would_have_had() {
    let lab = Lab::new();
    let Some(mut stopped) = Terminal::with(&lab, &["io", "nop:", "--time", "60s", "--plain"]) else { return };
    stopped.until("\n");
    stopped.close();
    stopped.signal("-TERM");
    assert_eq!(stopped.code(), 7);
    let Some(mut complete) = Terminal::with(&lab, &["io", "nop:", "--time", "1500ms", "--plain"]) else { return };
    // Before its first step begins, a closed terminal ends the command: nothing is lost.
    complete.until("step 1 of 1");
    complete.close();
    assert_eq!(complete.code(), 0);
    let Some(mut events) = Terminal::with(&lab, &["io", "nop:", "--time", "1500ms", "--events", "json"]) else {
        return;
    };
    events.until("run_started");
    events.close();
    assert_eq!(events.code(), 0);
}

#[test]
fn a_watch_ends_with_its_terminal_and_says_whether_it_was_stopped() {
    let lab = Lab::new();
    if lab.run(&["watch", ".", "--time", "10ms"]).code != 0 {
        skip("no drive is below this folder, so there is nothing to watch");
        return;
    }
    let Some(mut closed) = Terminal::with(&lab, &["watch", ".", "--plain"]) else { return };
    closed.until("Watching");
    closed.close();
    assert_eq!(closed.code(), 0);
    for (time, code) in [(&["--time", "60s"][..], 7), (&[], 0)] {
        let Some(mut terminal) = Terminal::with(&lab, &[&["watch", ".", "--plain"][..], time].concat()) else { return };
        terminal.until("Watching");
        terminal.signal("-TERM");
        assert_eq!(terminal.code(), code, "{time:?}");
    }
}

/// Also a command that measures nothing, at a moment that no signal could hit more exactly.
#[test]
fn sigterm_has_the_same_code_in_every_command_and_from_the_first_moment() {
    let lab = Lab::new();
    for arguments in [&["doctor"][..], &["io", "nop:", "--time", "60s", "--no-save"]] {
        let mut command = lab.command(arguments);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("drivelab starts");
        let mut child = Process(child);
        let pid = child.0.id().to_string();
        let began = Instant::now();
        let is_caught = || {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or_default().trim();
            u64::from_str_radix(mask, 16).is_ok_and(|mask| mask >> 14 & 1 == 1)
        };
        while !is_caught() {
            assert!(began.elapsed() < PATIENCE, "{arguments:?} takes no signal");
        }
        tool("kill", &["-TERM", &pid]);
        while child.0.try_wait().expect("its state").is_none() {
            assert!(began.elapsed() < PATIENCE, "{arguments:?} goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(child.0.wait().expect("ended").code(), Some(7), "{arguments:?}");
    }
}
