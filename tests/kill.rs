//! SIGKILL at random moments, then `resume`: finished steps stay unchanged, the run is completed, and the report names
//! the interruption.
//!
//! The scenario: a reviewer's machine loses power, or the kernel kills the process, hours into a run. Everything that
//! was finished must survive bit for bit, and the second process must neither repeat it nor skip unfinished steps.
//! Kills come at any time from the first millisecond (before a bundle exists) over fill, steps and rests to the seal
//! and the catalog. `DRIVELAB_KILL_SEED=N` repeats one sequence of moments.
//!
//! A report that is killed while it is being written leaves no half page: there the moments are its system calls, one
//! after the other.

mod support;

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use drivelab_rig::skip;
use rustix::fs::{Mode, OFlags};
use support::{Lab, done, files_of};

const KILLS: u32 = 26;
const METHOD: &str = include_str!("support/short.toml");

/// A small generator of moments (xorshift), so that a failing sequence can be repeated.
struct Moments(u64);

impl Moments {
    fn next_below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound.max(1)
    }
}

fn start(lab: &Lab, arguments: &[&str]) -> Child {
    lab.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("drivelab starts")
}

/// Kills after this time. Returns the time after which the process had ended by itself, if it was no longer running.
fn kill_after(mut child: Child, after: Duration) -> Option<Duration> {
    let born = Instant::now();
    while born.elapsed() < after {
        if child.try_wait().expect("the child's state").is_some() {
            return Some(born.elapsed());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("the child can be killed");
    let killed = child.wait().expect("the child ends").signal() == Some(9);
    (!killed).then(|| born.elapsed())
}

/// Figures of every finished execution: from step and round to count, bytes and exact times.
fn finished(lab: &Lab, run: &str) -> BTreeMap<String, serde_json::Value> {
    let events = lab.ok(&["replay", run, "--events", "json", "--speed", "0"]).stdout;
    let mut ended = BTreeMap::new();
    for line in events.lines() {
        let event: serde_json::Value = serde_json::from_str(line).expect("every line is JSON");
        let body = &event["event"];
        if let Some(record) = body.get("step_ended").filter(|record| record["stop_reason"] != "stopped") {
            ended.insert(record["key"].to_string(), record.clone());
        }
    }
    ended
}

fn no_leftovers(lab: &Lab) {
    let left: Vec<String> = lab.files().into_iter().filter(|name| name.starts_with(".drivelab")).collect();
    assert!(left.is_empty(), "left behind: {left:?}");
}

#[test]
fn a_killed_run_resumes_keeps_finished_steps_and_names_the_break() {
    let seed = std::env::var("DRIVELAB_KILL_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(|| {
        u64::from(std::process::id()) << 20
            | u64::from(
                std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |d| d.subsec_nanos()),
            )
    });
    println!("repeat with DRIVELAB_KILL_SEED={seed}");
    let mut moments = Moments(seed | 1);
    let mut whole = usual_length();
    let (mut killed, mut with_bundle) = (0, 0);
    let mut attempts = 0;
    while killed < KILLS || with_bundle < KILLS / 2 {
        attempts += 1;
        assert!(attempts < 8 * KILLS, "{killed} kills met a running process, {with_bundle} a run that was under way");
        // Every third moment targets the very end: last fsync, seal, catalog, page.
        let after =
            if attempts % 3 == 0 { whole * 9 / 10 + moments.next_below(whole / 5) } else { moments.next_below(whole) };
        let lab = Lab::new();
        lab.write("short.toml", METHOD);
        // The duration of a run varies with the machine's other work: the moment follows the last duration, and comes
        // later if a kill was too early.
        if let Some(ended) = kill_after(start(&lab, &["run", "short.toml", "."]), Duration::from_micros(after)) {
            whole = u64::try_from(ended.as_micros()).expect("a short run");
            continue;
        }
        killed += 1;
        let is_run = check_killed(&lab, &mut moments, whole);
        with_bundle += u32::from(is_run);
        if !is_run {
            whole += whole / 8;
        }
    }
    println!("{killed} kills, {with_bundle} of them left a run to go on with, in {attempts} attempts");
}

/// How long an undisturbed run takes here, in microseconds.
fn usual_length() -> u64 {
    let lab = Lab::new();
    lab.write("short.toml", METHOD);
    let born = Instant::now();
    lab.ok(&["run", "short.toml", "."]);
    no_leftovers(&lab);
    u64::try_from(born.elapsed().as_micros()).expect("a short run")
}

/// After a kill: the run is listed, can be resumed (and killed and resumed again), and is complete. `false` if the
/// kill came before a run existed.
fn check_killed(lab: &Lab, moments: &mut Moments, whole: u64) -> bool {
    let runs = lab.runs();
    let Some((run, state)) = runs.first().cloned() else {
        // Killed before the bundle existed: the next run in the folder cleans up.
        lab.ok(&["run", "short.toml", "."]);
        no_leftovers(lab);
        return false;
    };
    if state == "complete" {
        no_leftovers_after_next_run(lab);
        return true;
    }
    assert_eq!(state, "interrupted", "{runs:?}");
    let mut kept = finished_or_husk(lab, &run);
    if moments.next_below(3) == 0 && kept.is_some() {
        // Kill the resumed process too.
        kill_after(start(lab, &["resume", "--last"]), Duration::from_micros(moments.next_below(whole)));
        let now = finished(lab, &run);
        let before = kept.take().expect("checked above");
        for (key, record) in before.iter().filter(|(key, _)| !key.contains("prepare")) {
            assert_eq!(now.get(key), Some(record), "{key} changed when the resumed process was killed");
        }
        kept = Some(now);
    }
    let Some(kept) = kept else {
        lab.ok(&["run", "short.toml", "."]);
        no_leftovers(lab);
        return false;
    };
    if lab.runs().iter().any(|(id, state)| *id == run && state == "complete") {
        return true;
    }
    let resumed = done(lab.command(&["resume", &run]).output().expect("drivelab starts"));
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    let all = finished(lab, &run);
    for (key, record) in kept.iter().filter(|(key, _)| !key.contains("prepare")) {
        assert_eq!(all.get(key), Some(record), "{key} was measured again or changed");
    }
    assert_eq!(all.len(), 6, "one preparation and five steps: {:?}", all.keys());
    // Killed between its last event and its seal, which a busy disk delays: there is no interruption to name.
    if resumed.stderr.contains("was killed at its very end") {
        assert_eq!(kept.len(), all.len(), "{kept:?}");
        no_leftovers_after_next_run(lab);
        return true;
    }
    let report = lab.json(&["report", &run, "--format", "json"]);
    let findings = report["findings"].as_array().expect("findings");
    let named =
        findings.iter().find(|finding| finding["code"] == "run_resumed").expect("the report must name the break");
    assert!(named["statement"].as_str().is_some_and(|text| text.contains("interrupted at")), "{named:#}");
    assert!(lab.ok(&["report", &run, "--format", "md"]).stdout.contains("killed"), "the break in words");
    no_leftovers(lab);
    true
}

/// The finished steps, or `None` if the kill came before the first event was on disk and there is nothing to resume.
fn finished_or_husk(lab: &Lab, run: &str) -> Option<BTreeMap<String, serde_json::Value>> {
    let replayed = lab.run(&["replay", run, "--events", "json", "--speed", "0"]);
    if replayed.code == 0 {
        return Some(finished(lab, run));
    }
    let listed = lab.json(&["results", "list", "--json"]);
    assert!(
        listed["runs"][0]["damaged"].is_string(),
        "unreadable but not called damaged: {listed:#}\n{}",
        replayed.stderr
    );
    let resumed = lab.run(&["resume", run]);
    assert!(resumed.code != 0 && resumed.stderr.contains("error: "), "{}", resumed.stderr);
    None
}

fn no_leftovers_after_next_run(lab: &Lab) {
    if lab.files().iter().any(|name| name.starts_with(".drivelab")) {
        lab.ok(&["run", "short.toml", "."]);
        no_leftovers(lab);
    }
}

/// Calls that write a page or name it; calls with a question mark do not exist on every processor.
const WRITES: [&str; 6] = ["write", "fsync", "linkat", "?rename", "?renameat", "?renameat2"];
/// Possible names of a page that is not complete yet, if it needs a name.
const DRAFT: &str = ".drivelab-draft-";

/// strace sends the signal at the call itself, so each moment is met on every machine.
#[test]
fn a_report_that_is_killed_while_it_is_written_leaves_no_half_page() {
    if Command::new("strace").arg("-V").output().is_err() {
        skip("strace is not installed (cargo xtask setup)");
        return;
    }
    let lab = Lab::new();
    let folder = lab.folder().join("pages");
    std::fs::create_dir(&folder).expect("a folder for the page");
    let unnamed = rustix::fs::open(&folder, OFlags::TMPFILE | OFlags::RDWR, Mode::RUSR | Mode::WUSR).is_ok();
    let page = folder.join("page.html");
    let report = ["report", "last", "-o", page.to_str().expect("a text path")];
    let [older, whole] = [(); 2].map(|()| {
        lab.ok(&["io", "nop:", "--operations", "1000", "--quiet"]);
        lab.ok(&report);
        std::fs::read(&page).expect("the page")
    });
    assert!(older != whole && whole.trim_ascii_end().ends_with(b"</html>"), "two whole pages");
    for replaces in [false, true] {
        let mut before_its_name = 0;
        for call in WRITES {
            for nth in 1.. {
                std::fs::remove_dir_all(&folder).and_then(|()| std::fs::create_dir(&folder)).expect("an empty folder");
                if replaces {
                    std::fs::write(&page, &older).expect("the older page");
                }
                let mut command = Command::new("strace");
                let (traced, killed) = (format!("trace={call}"), format!("inject={call}:signal=KILL:when={nth}"));
                lab.dress(&mut command).args(["-f", "-qq", "-o", "/dev/null", "-e", &traced, "-e", &killed]);
                let done =
                    done(command.arg(env!("CARGO_BIN_EXE_drivelab")).args(report).output().expect("strace starts"));
                if done.code == 0 {
                    // It makes no more of these calls.
                    break;
                }
                assert_eq!(done.code, -1, "{call} {nth}: {}", done.stderr);
                let left = files_of(&folder);
                let is_new = match std::fs::read(&page) {
                    Ok(bytes) => {
                        assert!(bytes == whole || replaces && bytes == older, "{call} {nth}: half a page: {left:?}");
                        bytes == whole
                    }
                    Err(_) => {
                        assert!(!replaces, "{call} {nth}: the older page is gone: {left:?}");
                        false
                    }
                };
                before_its_name += usize::from(!is_new);
                // Only a page that replaces another one temporarily has a different name.
                let may_have_draft = replaces || !unnamed;
                let is_draft = |name: &String| may_have_draft && name.starts_with(DRAFT);
                assert!(left.iter().all(|name| name == "page.html" || is_draft(name)), "{call} {nth}: {left:?}");
                lab.ok(&report);
                assert!(std::fs::read(&page).expect("the page") == whole, "{call} {nth}: the next report is whole");
            }
        }
        assert!(before_its_name > 2, "killed before the page had its name: {before_its_name} times");
    }
}
