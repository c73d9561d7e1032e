//! Stopping a run with a key of the live panel, in a real terminal (tmux): the panel asks if the run has gone on for a
//! while, and otherwise stops immediately. The minute after which it asks is a setting, which the tests set to zero.

mod support;

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use drivelab_rig::{LoopFs, Throttle, root_or_skip, skip, tool};
use serde_json::Value;
use support::Lab;

/// Long enough for key presses, and to see a step continue, on a machine on which each look at the terminal takes a
/// second.
const STEP: &str = "20 s";

/// A hang counts as a failure after this time.
const HANGS: Duration = Duration::from_secs(240);

const PROGRAM: &str = env!("CARGO_BIN_EXE_drivelab");

/// drivelab in a terminal of its own.
struct Panel<'l> {
    lab: &'l Lab,
    socket: String,
}

impl<'l> Panel<'l> {
    /// `None` without tmux; in CI that is a failure.
    fn of(lab: &'l Lab, name: &str, arguments: &str, asks_after: Option<&str>) -> Option<Panel<'l>> {
        let asks = asks_after.map_or_else(String::new, |time| format!("DRIVELAB_STOP_ASK_AFTER='{time}' "));
        Panel::running(lab, name, &format!("{asks}'{PROGRAM}' {arguments}"))
    }

    /// The same inside a group that limits what a device serves, with the question from the first second on.
    fn of_group(lab: &'l Lab, name: &str, throttle: &Throttle, arguments: &str) -> Option<Panel<'l>> {
        let enters = format!("echo $$ > {}", throttle.processes().display());
        let command = format!("DRIVELAB_STOP_ASK_AFTER='0 s' sh -c '{enters}; exec {PROGRAM} {arguments}'");
        Panel::running(lab, name, &command)
    }

    fn running(lab: &'l Lab, name: &str, command: &str) -> Option<Panel<'l>> {
        if Command::new("tmux").arg("-V").output().is_err() {
            skip("tmux is not installed, so there is no terminal for the panel");
            return None;
        }
        let panel = Panel { lab, socket: format!("drivelab-quit-{name}-{}", std::process::id()) };
        let shell = format!("trap : HUP INT; {command}; echo \"exit $?\"; cat");
        let made = panel.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "110", "-y", "40", &shell]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Some(panel)
    }

    fn tmux(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        self.lab.dress(&mut command).args(["-L", &self.socket]).args(arguments).output().expect("tmux runs")
    }

    fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// The last row, in which the panel shows the available keys.
    fn wait_for(&self, what: &str) -> String {
        let began = Instant::now();
        loop {
            let text = String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p", "-S", "-"]).stdout).into_owned();
            if text.contains(what) {
                return text;
            }
            assert!(began.elapsed() < HANGS, "'{what}' did not come:\n{text}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Panel<'_> {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

/// A lab with a methodology of a fill and two steps.
fn lab() -> Lab {
    let lab = Lab::new();
    let method = include_str!("support/two_steps.toml");
    // At a rate that leaves the machine to the other tests.
    let slowly = "queue_depth = 4\nrate = \"200 IOPS\"";
    let method = method.replace("600 ms", STEP).replace("rest = \"0 s\"", "rest = \"200 ms\"");
    lab.write("m.toml", method.replace("queue_depth = 4", slowly));
    lab
}

/// The state of the newest run, and how each of its steps ended.
fn came_of(lab: &Lab) -> (String, Vec<String>) {
    let (run, state) = lab.runs().remove(0);
    let events = lab.ok(&["replay", &run, "--events", "json", "--speed", "0"]).stdout;
    let ended = events.lines().filter_map(|line| {
        let event: Value = serde_json::from_str(line).expect("an event");
        event["event"]["step_ended"]["stop_reason"].as_str().map(str::to_owned)
    });
    (state, ended.collect())
}

const QUESTION: &str = "Stop?  s: after this step   n or q: now   g: go on";
const RUN: &str = "run m.toml . --size 32MiB";

#[test]
fn one_key_asks_and_the_run_goes_on_until_it_is_answered() {
    let lab = lab();
    let Some(panel) = Panel::of(&lab, "asks", RUN, Some("0 s")) else { return };
    panel.wait_for("q or Ctrl-C stops");
    panel.keys(&["q"]);
    let asked = panel.wait_for(QUESTION);
    assert!(!asked.contains("q or Ctrl-C stops"), "{asked}");
    // Other keys do nothing, and nothing changes: the next step begins while the question is open.
    panel.keys(&["x", "Enter"]);
    let later = panel.wait_for("step 3 of 3");
    assert!(later.contains(QUESTION), "{later}");
    panel.keys(&["g"]);
    panel.wait_for("q or Ctrl-C stops");
    panel.wait_for("exit 0");
    let (state, ended) = came_of(&lab);
    assert_eq!(state, "complete");
    assert!(!ended.contains(&"stopped".to_owned()), "{ended:?}");
}

#[test]
fn stop_after_this_step_ends_the_step_and_begins_no_other() {
    let lab = lab();
    let Some(panel) = Panel::of(&lab, "after", RUN, Some("0 s")) else { return };
    panel.wait_for("step 2 of 3");
    panel.keys(&["C-c"]);
    panel.wait_for(QUESTION);
    panel.keys(&["s"]);
    panel.wait_for("stops after this step; g: go on");
    // Withdrawn, and requested again.
    panel.keys(&["g"]);
    panel.wait_for("q or Ctrl-C stops");
    panel.keys(&["q", "s"]);
    panel.wait_for("stops after this step; g: go on");
    let text = panel.wait_for("exit 7");
    assert!(text.contains("resume it with: drivelab resume"), "{text}");
    let (state, ended) = came_of(&lab);
    assert_eq!(state, "interrupted");
    assert_eq!(ended.len(), 2, "the fill and the step that went on: {ended:?}");
    assert!(!ended.contains(&"stopped".to_owned()), "both are whole: {ended:?}");
    lab.ok(&["resume", "--last"]);
    assert_eq!(lab.runs()[0].1, "complete");
}

#[test]
fn a_second_key_stops_in_order() {
    let lab = lab();
    for (name, keys) in [("second", &["q", "q"][..]), ("now", &["C-c", "n"]), ("waiting", &["q", "s", "C-c"])] {
        let Some(panel) = Panel::of(&lab, name, RUN, Some("0 s")) else { return };
        panel.wait_for("step 2 of 3");
        panel.keys(keys);
        let text = panel.wait_for("exit 7");
        assert!(text.contains("resume it with: drivelab resume"), "{name}: {text}");
    }
}

/// The drive serves one block a second after an initial 32, so a clean stop has not ended when the third key comes.
#[test]
fn a_third_key_leaves_at_once_while_the_drive_still_owes_its_blocks() {
    if !root_or_skip("a throttled loop device") || !Throttle::possible_or_skip() {
        return;
    }
    let fs = LoopFs::in_memory(400);
    let throttle = Throttle::new(&fs.below.numbers());
    throttle.limit("read_iops", 1);
    let lab = lab();
    lab.write(
        "m.toml",
        include_str!("support/two_steps.toml").replace("600 ms", STEP).replace("depth = 4", "depth = 32"),
    );
    let run = format!("run m.toml {} --size 32MiB", fs.mount_point().display());
    let Some(panel) = Panel::of_group(&lab, "third", &throttle, &run) else { return };
    panel.wait_for("step 2 of 3");
    panel.keys(&["q"]);
    panel.wait_for(QUESTION);
    panel.keys(&["C-c"]);
    panel.wait_for("stopping; q or Ctrl-C leaves immediately");
    panel.keys(&["q"]);
    let text = panel.wait_for("exit 7");
    assert!(text.contains("stopped immediately; the run is kept"), "{text}");
    assert!(!text.contains("resume it with: drivelab resume"), "{text}");
    // The kernel keeps the file until the drive has served all requests.
    throttle.limit("read_iops", 0);
    let began = Instant::now();
    while !Command::new("umount").arg(fs.mount_point()).status().expect("umount runs").success() {
        assert!(began.elapsed() < HANGS, "the file system stays busy");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// The panel restores a terminal that no longer exists.
#[test]
fn a_panel_whose_terminal_is_closed_ends_without_a_panic() {
    let lab = lab();
    lab.ok(&["io", "nop:", "--time", "1s", "--quiet"]);
    let (code, files) = (lab.root().join("code"), lab.files());
    for name in ["replay", "io"] {
        let arguments = if name == "io" { "io . --size 8MiB --time 4s" } else { "replay last --speed 0.2" };
        let noted = format!("{arguments}; echo $? > '{}'; exit", code.display());
        let Some(panel) = Panel::of(&lab, name, &noted, None) else { return };
        panel.wait_for("q or Ctrl-C");
        panel.tmux(&["kill-server"]);
        let began = Instant::now();
        let ended = loop {
            match std::fs::read_to_string(&code) {
                Ok(text) if text.ends_with('\n') => break text,
                _ => std::thread::sleep(Duration::from_millis(50)),
            }
            assert!(began.elapsed() < Duration::from_secs(60), "{name} goes on without its terminal");
        };
        assert_eq!(ended, "0\n", "{name}");
        assert_eq!(lab.files(), files, "{name} leaves something behind");
        std::fs::remove_file(&code).expect("read");
    }
}

#[test]
fn one_key_or_signal_stops_in_order_where_nothing_is_asked() {
    let lab = lab();
    // A run of less than a minute, --yes, a single load, and a signal from outside while the question is open.
    for (name, arguments, asks_after) in [
        ("minute", RUN.to_owned(), None),
        ("yes", format!("{RUN} --yes"), Some("0 s")),
        ("load", "io . --size 32MiB --op write --time 20s".to_owned(), Some("0 s")),
        ("signal", RUN.to_owned(), Some("0 s")),
    ] {
        let Some(panel) = Panel::of(&lab, name, &arguments, asks_after) else { return };
        panel.wait_for("q or Ctrl-C stops");
        panel.wait_for("IOPS   p99");
        panel.keys(&["q"]);
        if name == "signal" {
            panel.wait_for(QUESTION);
            let shell = String::from_utf8_lossy(&panel.tmux(&["list-panes", "-F", "#{pane_pid}"]).stdout).into_owned();
            let children = format!("/proc/{0}/task/{0}/children", shell.trim());
            let child = std::fs::read_to_string(children).expect("the shell's child");
            tool("kill", &["-TERM", child.trim()]);
        }
        let text = panel.wait_for("exit 7");
        assert!(text.contains("stopped by the user") && !text.contains("stopped immediately"), "{name}: {text}");
        assert!(!text.contains(QUESTION) || name == "signal", "{name}: {text}");
    }
}

/// Where nobody sees a panel, one Ctrl-C stops in order, although the question would be asked from the first second on.
#[test]
fn one_ctrl_c_stops_in_order_where_there_is_no_panel() {
    let lab = lab();
    for (name, flag, sign) in [
        ("plain", "--plain --fail-if 'random/rnd-4k-q4t1-read-rate-200-iops:read.iops < 1'", "step 2 of 3"),
        ("events", "--events json", "\"step_started\":{\"key\":{\"step\":\"random/"),
        ("json", "--json", "step 2 of 3"),
    ] {
        let said = lab.root().join(name);
        let arguments = format!("{RUN} {flag} 2>&1 | tee -i '{}'", said.display());
        let command =
            format!("DRIVELAB_STOP_ASK_AFTER='0 s' bash -c \"set -o pipefail; trap : INT; '{PROGRAM}' {arguments}\"");
        let Some(panel) = Panel::running(&lab, name, &command) else { return };
        let began = Instant::now();
        while !std::fs::read_to_string(&said).is_ok_and(|text| text.contains(sign)) {
            assert!(began.elapsed() < HANGS, "{name}: the reads do not begin");
            std::thread::sleep(Duration::from_millis(50));
        }
        panel.keys(&["C-c"]);
        let text = panel.wait_for("exit 7");
        assert!(!text.contains(QUESTION) && !text.contains("stopped immediately"), "{name}: {text}");
        let (state, ended) = came_of(&lab);
        assert_eq!((state.as_str(), ended.last().map(String::as_str)), ("interrupted", Some("stopped")), "{name}");
        // What would have failed the run is in the command that goes on with it.
        let all = std::fs::read_to_string(&said).expect("what it said");
        let limit = "--fail-if 'random/rnd-4k-q4t1-read-rate-200-iops:read.iops < 1'";
        assert_eq!(all.contains(limit), name == "plain", "{name}: {all}");
    }
}
