//! The picture as snapshots, and the panel in a real terminal (tmux), where key presses and size changes come from
//! outside. The ignored test here is the demo that runs in tmux; it can also be viewed by hand: `cargo test -p
//! drivelab --lib -- --ignored --exact screens::panel::tests::demo --nocapture`.

use std::process::{Command, Output};
use std::time::Duration;

use drivelab_core::clock::{MonotonicClock, RunClock};
use drivelab_core::event::Event;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::screens::testing::{SECOND, broken_run, run, short_run, usual};

/// The panel after the first event that satisfies `until`, `late_ns` after it.
fn picture(events: &[Event], width: u16, late_ns: u64, until: impl Fn(&EventBody) -> bool) -> String {
    picture_of(events, (width, Stopping::No), late_ns, until)
}

fn picture_of(
    events: &[Event],
    (width, stopping): (u16, Stopping),
    late_ns: u64,
    until: impl Fn(&EventBody) -> bool,
) -> String {
    let mut progress = Progress::default();
    let mut finding = None;
    let mut now_ns = 0;
    for event in events {
        progress.event(event);
        now_ns = event.at_ns + late_ns;
        if let EventBody::Finding(found) = &event.event {
            finding = Some(lines::finding(found));
        }
        if until(&event.event) {
            break;
        }
    }
    let mut terminal = Terminal::new(TestBackend::new(width, draw::HEIGHT)).expect("a terminal in memory");
    let left = progress.left(now_ns).filter(|left| left.at_least == left.at_most && left.at_most.get() > 0);
    let ends = left.map(|_| "14:32".to_owned());
    let view = View { progress: &progress, now_ns, ends, finding: finding.as_ref(), live: true, stopping, color: true };
    terminal.draw(|frame| draw::draw(frame, &view)).expect("drawn");
    terminal.backend().to_string()
}

fn interval_of(test: &'static str, index: u32) -> impl Fn(&EventBody) -> bool {
    move |body| matches!(body, EventBody::Interval(it) if it.key.step.as_str().starts_with(test) && it.index == index)
}

#[test]
fn a_mixed_step_shows_reads_and_writes() {
    insta::assert_snapshot!(picture(&short_run(), 80, 300_000_000, interval_of("mixes", 3)));
}

#[test]
fn the_first_step_shows_a_range_because_a_steady_test_lies_ahead() {
    insta::assert_snapshot!(picture(&short_run(), 80, 0, interval_of("prepare", 15)));
}

#[test]
fn a_ramp_is_said_to_be_one() {
    insta::assert_snapshot!(picture(&short_run(), 80, 0, interval_of("corners", 0)));
}

#[test]
fn a_rest_shows_how_long_and_what_comes() {
    let picture = picture(&short_run(), 80, SECOND, |body| matches!(body, EventBody::RestStarted { .. }));
    insta::assert_snapshot!(picture);
}

#[test]
fn the_narrowest_terminal_cuts_and_does_not_wrap() {
    insta::assert_snapshot!(picture(&broken_run(), 60, 0, interval_of("corners", 1)));
}

#[test]
fn a_single_estimate_has_a_time_of_day_and_an_idle_step_says_that_it_is_one() {
    let last_round = |body: &EventBody| matches!(body, EventBody::StepStarted { key } if key.round == 8);
    insta::assert_snapshot!("single_estimate", picture(&run(usual, 8), 80, 0, last_round));
    let idle = |body: &EventBody| matches!(body, EventBody::StepStarted { key } if key.step.as_str() == "pause/idle");
    insta::assert_snapshot!("idle", picture(&short_run(), 80, SECOND, idle));
}

#[test]
fn the_end_and_the_unknown_can_be_drawn() {
    insta::assert_snapshot!("end", picture(&short_run(), 80, 0, |_| false));
    insta::assert_snapshot!("no_plan", picture(&short_run()[1..], 80, 0, interval_of("prepare", 2)));
}

#[test]
fn the_question_and_its_answer_stand_in_the_last_row_of_the_narrowest_terminal() {
    for (stopping, words) in [
        (Stopping::Asking, "Stop?  s: after this step   n or q: now   g: go on"),
        (Stopping::AfterStep, "stops after this step; g: go on   q or Ctrl-C: stop now"),
        (Stopping::Now, "stopping; q or Ctrl-C leaves immediately"),
    ] {
        let picture = picture_of(&short_run(), (60, stopping), 0, interval_of("corners", 1));
        assert!(picture.contains(words) && picture.contains("IOPS"), "it goes on measuring:\n{picture}");
    }
}

/// Plays a made-up run, eight times as fast as its own times. Prints what stopped it.
#[test]
#[ignore = "a demo for eyes, and run by the test below inside tmux"]
fn demo() {
    const SPEED: u64 = 8;
    println!();
    crate::screens::is_kept(drivelab_core::ids::RunId::now());
    let stop = StopToken::default();
    let mut panel = Panel::open(stop.clone(), true).expect("a terminal");
    let clock = MonotonicClock::starting_at(0);
    for event in short_run() {
        while clock.now_ns() < event.at_ns / SPEED && !stop.is_stopped() {
            panel.idle().expect("drawn");
            clock.sleep_until(clock.now_ns() + SECOND / 20, &stop);
        }
        if stop.is_stopped() {
            break;
        }
        panel.event(&event).expect("drawn");
    }
    // What a session does between the stop and its end; a test that looks at this sets when it ends.
    if stop.is_stopped() {
        let (until, told) = (clock.now_ns() + SECOND, std::env::var_os("DRIVELAB_DEMO_ENDS"));
        let goes_on = |now: u64| told.as_ref().map_or(now < until, |file| !std::path::Path::new(file).exists());
        while goes_on(clock.now_ns()) {
            panel.idle().expect("drawn");
            clock.sleep_until(clock.now_ns() + SECOND / 20, &StopToken::default());
        }
    }
    panel.finish().expect("closed");
    println!("cause {:?}", stop.cause());
}

/// A terminal of its own for the demo.
struct Tmux {
    socket: String,
}

impl Tmux {
    /// `None` without tmux; in CI that is a failure.
    fn start(name: &str) -> Option<Tmux> {
        Tmux::start_with(name, |demo| format!("stty -a > /dev/null; {demo}; echo \"exit $?\"; stty -a; cat"))
    }

    /// Like [`Tmux::start`], with the shell command that runs the demo in the terminal.
    fn start_with(name: &str, shell: impl Fn(&str) -> String) -> Option<Tmux> {
        if Command::new("tmux").arg("-V").output().is_err() {
            drivelab_rig::skip("tmux is not installed, the panel was not tested in a real terminal");
            return None;
        }
        let tmux = Tmux { socket: format!("drivelab-{name}-{}", std::process::id()) };
        let program = std::env::current_exe().expect("this test");
        let demo = "--ignored --exact screens::panel::tests::demo --nocapture --test-threads=1";
        let shell = shell(&format!("'{}' {demo}", program.display()));
        let made = tmux.command(&["-f", "/dev/null", "new-session", "-d", "-x", "90", "-y", "30", &shell]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Some(tmux)
    }

    fn command(&self, arguments: &[&str]) -> Output {
        Command::new("tmux").args(["-L", &self.socket]).args(arguments).output().expect("tmux runs")
    }

    /// Screen and scrollback.
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.command(&["capture-pane", "-p", "-S", "-"]).stdout).into_owned()
    }

    /// Waits until this text appears.
    fn wait_for(&self, what: &str) -> String {
        self.wait_until(what, |text| text.contains(what))
    }

    /// Waits until this holds; a test that hangs is worse than one that fails.
    fn wait_until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let clock = MonotonicClock::starting_at(0);
        loop {
            let text = self.text();
            if is_so(&text) {
                return text;
            }
            assert!(clock.now_ns() < 240 * SECOND, "'{what}' did not come:\n{text}");
            clock.sleep_until(clock.now_ns() + SECOND / 20, &StopToken::default());
        }
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.command(&["kill-server"]);
    }
}

fn pause(time: Duration) {
    let clock = MonotonicClock::starting_at(0);
    clock.sleep_until(u64::try_from(time.as_nanos()).expect("short"), &StopToken::default());
}

fn assert_given_back(text: &str) {
    assert!(text.contains(" icanon"), "line mode is back:\n{text}");
    assert!(text.contains(" echo "), "echo is back:\n{text}");
}

#[test]
fn in_a_real_terminal_finished_steps_stay_once_and_the_terminal_is_given_back() {
    let Some(tmux) = Tmux::start("whole") else { return };
    let live = tmux.wait_for("IOPS   p99");
    assert!(live.contains("q or Ctrl-C stops"), "{live}");
    // By the time of the look, a later step may be running.
    tmux.wait_until("another step", |text| !text.contains("step 1 of 13"));
    // Narrower, wider, too small, and back: each leaves one panel and every finished step once.
    for (width, height) in [("70", "30"), ("110", "24"), ("40", "30"), ("90", "20")] {
        tmux.command(&["resize-window", "-x", width, "-y", height]);
        pause(Duration::from_millis(900));
    }
    // On a busy machine it may still be drawing, or have ended.
    tmux.wait_until("one panel", |text| text.matches("q or Ctrl-C stops").count() == 1 || text.contains("exit 0"));
    let text = tmux.wait_for("exit 0");
    let text = if text.contains("icanon") { text } else { tmux.wait_for("icanon") };
    assert_eq!(text.matches("fill the target").count(), 1, "{text}");
    for round in ["(1/2)", "(2/2)", "(1/≤8)", "(6/≤8)"] {
        assert_eq!(text.matches(round).count(), 1, "{round}:\n{text}");
    }
    assert!(text.contains("steady: steady in rounds 2 to 6"), "{text}");
    assert!(!text.contains("q or Ctrl-C stops"), "no panel is left:\n{text}");
    assert_given_back(&text);
}

#[test]
fn in_a_real_terminal_ctrl_c_stops_and_a_second_one_leaves_at_once() {
    // It keeps stopping until the test has seen it, or until it is left.
    let folder = tempfile::tempdir().expect("a folder");
    let ends = folder.path().join("ends");
    let start = |name| {
        let shell = |demo: &str| {
            let ends = ends.display();
            format!("stty -a > /dev/null; DRIVELAB_DEMO_ENDS='{ends}' {demo}; echo \"exit $?\"; stty -a; cat")
        };
        Tmux::start_with(name, shell)
    };
    let Some(tmux) = start("once") else { return };
    tmux.wait_for("IOPS   p99");
    tmux.command(&["send-keys", "C-c"]);
    tmux.wait_for("stopping; q or Ctrl-C leaves immediately");
    std::fs::write(&ends, "").expect("a file");
    assert!(tmux.wait_for("exit 0").contains("cause Some(Person)"));
    assert_given_back(&tmux.wait_for("icanon"));

    std::fs::remove_file(&ends).expect("the file");
    let Some(tmux) = start("twice") else { return };
    tmux.wait_for("IOPS   p99");
    tmux.command(&["send-keys", "C-c", "q"]);
    tmux.wait_for("exit 7");
    let text = tmux.wait_for("icanon");
    assert!(text.contains("stopped immediately; the run is kept"), "it says so where it can be read:\n{text}");
    assert!(!text.contains("q or Ctrl-C"), "no panel is left:\n{text}");
    assert_given_back(&text);
}

/// Whether a process still runs; one that has ended but was not waited for does not.
fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// On a closed terminal crossterm's reader looped for ever, in five of thirteen closings; so several are tried.
#[test]
fn a_terminal_that_is_closed_costs_the_panel_and_never_hangs_it() {
    for closing in 0..6 {
        // Like the program, the demo continues after SIGHUP.
        let name = format!("closed{closing}");
        let Some(tmux) = Tmux::start_with(&name, |demo| format!("trap '' HUP; exec {demo}")) else { return };
        tmux.wait_for("IOPS   p99");
        let pid = String::from_utf8_lossy(&tmux.command(&["list-panes", "-F", "#{pane_pid}"]).stdout).trim().to_owned();
        assert!(runs(&pid), "'{pid}' is the demo");
        drop(tmux);
        let clock = MonotonicClock::starting_at(0);
        while runs(&pid) {
            if clock.now_ns() > 120 * SECOND {
                // This one would continue for ever.
                let _ = Command::new("kill").args(["-9", &pid]).status();
                panic!("closing {closing}: the panel hangs on a terminal that has gone");
            }
            clock.sleep_until(clock.now_ns() + SECOND / 50, &StopToken::default());
        }
    }
}
