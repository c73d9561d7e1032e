//! Kills the writing process at every change of the disk, and at random times; then reads, resumes and compares.
//!
//! The writer is this test executable again: the test `child` does its work only if `DRIVELAB_STORE_CHILD` is set.
//! Each event that the recorder has acknowledged is written to a file that survives the kill; that file is the
//! reference.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use drivelab_core::event::RunState;
use drivelab_core::ids::RunId;
use drivelab_core::listener::Listener;

use super::crash::DIE_AT;
use super::sample;
use crate::{Bundle, Catalog, DataDir, Recorder, StoreError, StoreErrorKind, segment};

const CHILD: &str = "DRIVELAB_STORE_CHILD";
const HOLD: &str = "DRIVELAB_STORE_HOLD";
const RUN: &str = "01936e3f-7c00-7000-8000-000000000001";
const ACKNOWLEDGED: &str = "acknowledged";

/// The writer: begins the run, or continues it, to its end.
#[test]
fn child() {
    let Some(root) = env::var_os(CHILD) else { return };
    let root = Path::new(&root);
    let data = DataDir::open(&root.join("data")).unwrap();
    let run: RunId = RUN.parse().unwrap();
    let (mut recorder, records) = if data.bundle_path(run).join("manifest.json").exists() {
        match Recorder::resume(&data, run) {
            Ok((recorder, records)) => (recorder, Some(records)),
            Err(StoreError::Sealed { .. }) => return,
            Err(error) => panic!("{error}"),
        }
    } else {
        (sample::create(&data, run).unwrap(), None)
    };
    let first = records.as_ref().map_or(0, |records| records.last_seq + 1);
    let mut acknowledged = OpenOptions::new().create(true).append(true).open(root.join(ACKNOWLEDGED)).unwrap();
    for event in sample::numbered(first, sample::rest_of_run(run, records.as_ref())) {
        recorder.event(&event).unwrap();
        // Every event except intervals has left the process when the recorder returns.
        if segment::is_durable(&event.event) {
            writeln!(acknowledged, "{}", event.seq).unwrap();
        }
        if env::var_os(HOLD).is_some() {
            println!("holding");
            let _ = std::io::stdin().read(&mut [0]);
        }
    }
    recorder.finish().unwrap();
}

fn spawn(root: &Path, variables: &[(&str, &str)]) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "tests::kill::child", "--nocapture"])
        .env(CHILD, root)
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Reads what a kill left and compares it with what was acknowledged. `false` for an incomplete bundle.
fn judge(root: &Path, story: &str) -> bool {
    let data = DataDir::open(&root.join("data")).unwrap();
    let run: RunId = RUN.parse().unwrap();
    let rows = Catalog::open(&data).unwrap().list().unwrap_or_else(|error| panic!("{story}: {error}"));
    let acknowledged = fs::read_to_string(root.join(ACKNOWLEDGED)).unwrap_or_default();
    let last: Option<u64> = acknowledged.lines().last().map(|line| line.parse().unwrap());
    let bundle = match Bundle::open(&data.bundle_path(run)) {
        Ok(bundle) => bundle,
        Err(error) => {
            assert!(matches!(error.kind(), StoreErrorKind::Damaged | StoreErrorKind::NotFound), "{story}: {error}");
            assert!(last.is_none(), "{story}: an acknowledged run has no bundle");
            assert!(rows.iter().all(|row| row.damaged.is_some()), "{story}");
            return false;
        }
    };
    assert_eq!(rows.len(), 1, "{story}");
    assert_eq!((rows[0].live, rows[0].state, &rows[0].damaged), (false, bundle.state(), &None), "{story}");
    let records = bundle.records().unwrap_or_else(|error| panic!("{story}: {error}"));
    assert!(last.is_none_or(|last| records.last_seq >= last), "{story}: event {last:?} was acknowledged and is lost");
    assert_eq!(rows[0].steps_done as usize, records.steps.len(), "{story}");
    for record in &records.steps {
        assert_eq!(*record, sample::step_record(&record.key), "{story}");
    }
    bundle.verify().unwrap_or_else(|error| panic!("{story}: {error}"));
    true
}

/// After the writer reached its end: everything is there exactly once.
fn judge_end(root: &Path, story: &str) {
    assert!(judge(root, story), "{story}");
    let data = DataDir::open(&root.join("data")).unwrap();
    let bundle = Bundle::open(&data.bundle_path(RUN.parse().unwrap())).unwrap();
    let records = bundle.records().unwrap();
    assert_eq!((records.state, records.steps.len()), (RunState::Complete, 3), "{story}");
    let begun = records.plan.schedule();
    assert!(begun.iter().all(|(key, _)| records.is_finished(key)), "{story}");
}

/// Runs the writer without killing it.
fn finish(root: &Path, story: &str) {
    let done = spawn(root, &[]).wait_with_output().unwrap();
    assert!(done.status.success(), "{story}: {}", String::from_utf8_lossy(&done.stderr));
    judge_end(root, story);
}

#[test]
fn a_kill_at_every_change_of_the_disk_can_be_read_and_resumed() {
    let mut husks = 0;
    for point in 1.. {
        let folder = tempfile::tempdir().unwrap();
        let story = format!("killed at point {point}");
        let killed =
            !spawn(folder.path(), &[(DIE_AT, &point.to_string())]).wait_with_output().unwrap().status.success();
        if !killed {
            judge_end(folder.path(), "not killed");
            println!("{} points, {husks} of them before the manifest", point - 1);
            assert!(point > 50 && husks < 30, "{point} points, {husks} husks: the points are not where they should be");
            return;
        }
        husks += u32::from(!judge(folder.path(), &story));
        finish(folder.path(), &story);
    }
}

#[test]
fn a_kill_at_every_change_while_resuming_can_be_resumed_again() {
    for point in 1.. {
        let folder = tempfile::tempdir().unwrap();
        let data = DataDir::open(&folder.path().join("data")).unwrap();
        sample::record_part(&data, RUN.parse().unwrap(), 8);
        let segment = sample::segment_zero(&data.bundle_path(RUN.parse().unwrap()));
        OpenOptions::new().append(true).open(segment).unwrap().write_all(b"half a frame").unwrap();
        let story = format!("resumed and killed at point {point}");
        let killed =
            !spawn(folder.path(), &[(DIE_AT, &point.to_string())]).wait_with_output().unwrap().status.success();
        assert!(judge(folder.path(), &story));
        if !killed {
            assert!(point > 20, "{point} points");
            return;
        }
        finish(folder.path(), &story);
    }
}

#[test]
fn thirty_kills_at_random_moments_lose_nothing_that_was_acknowledged() {
    let begun = Instant::now();
    finish(tempfile::tempdir().unwrap().path(), "undisturbed");
    let whole = u64::try_from(begun.elapsed().as_micros()).unwrap();
    let seed = env::var("DRIVELAB_STORE_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(|| u64::from(std::process::id()) << 20 | whole & 0xFFFFF);
    println!("repeat with DRIVELAB_STORE_SEED={seed} cargo test -p drivelab-store thirty_kills");
    let mut state = seed | 1;
    let mut random = move |below: u64| {
        // SplitMix64 (Steele, Lea, Flood 2014): one multiply-xor chain, enough to spread the times.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % below
    };
    let mut kills = 0;
    while kills < 30 {
        let folder = tempfile::tempdir().unwrap();
        for again in 0..5 {
            let mut child = spawn(folder.path(), &[]);
            std::thread::sleep(Duration::from_micros(random(whole)));
            child.kill().unwrap();
            let ended = child.wait().unwrap().success();
            kills += u32::from(!ended);
            judge(folder.path(), &format!("seed {seed}, kill {kills}, process {again} of its run"));
            if ended {
                break;
            }
        }
        finish(folder.path(), &format!("seed {seed}, after kill {kills}"));
    }
}

#[test]
fn a_run_that_another_process_records_is_live_until_that_process_dies() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataDir::open(&folder.path().join("data")).unwrap();
    let run: RunId = RUN.parse().unwrap();
    let mut child = spawn(folder.path(), &[(HOLD, "1")]);
    wait_for_line(child.stdout.as_mut().unwrap(), "holding");
    let mut catalog = Catalog::open(&data).unwrap();
    let rows = catalog.list().unwrap();
    assert_eq!((rows[0].live, rows[0].state), (true, RunState::Interrupted));
    assert!(Bundle::open(&data.bundle_path(run)).unwrap().is_live());
    assert_eq!(Recorder::resume(&data, run).unwrap_err().kind(), StoreErrorKind::Live);
    assert_eq!(crate::seal_ended(&data, run).unwrap_err().kind(), StoreErrorKind::Live);
    assert_eq!(catalog.remove(run).unwrap_err().kind(), StoreErrorKind::Live);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!catalog.list().unwrap()[0].live);
    sample::go_on(&data, run);
    judge_end(folder.path(), "held and killed");
}

#[test]
fn two_handles_in_one_process_exclude_each_other_too() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    let recorder = sample::create(&data, run).unwrap();
    assert_eq!(Recorder::resume(&data, run).unwrap_err().kind(), StoreErrorKind::Live);
    assert!(matches!(sample::create(&data, run).unwrap_err(), StoreError::Exists { .. }));
    drop(recorder);
    assert!(Recorder::resume(&data, run).is_ok());
}

fn wait_for_line(from: &mut impl Read, line: &str) {
    let mut seen = String::new();
    let mut byte = [0];
    while !seen.contains(line) {
        assert_eq!(from.read(&mut byte).unwrap(), 1, "the child ended: {seen}");
        seen.push(char::from(byte[0]));
    }
}

/// Writes the golden bundle of this format version, for `tests/golden.rs`; run by hand once per version.
#[test]
#[ignore = "writes files into the repository; run by hand when the format gets a new version"]
fn make_golden() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/v{}", crate::FORMAT_VERSION));
    assert!(!golden.exists(), "a released golden bundle is never written over");
    let (_folder, data) = sample::data();
    let run: RunId = RUN.parse().unwrap();
    sample::record_part(&data, run, 8);
    let segment = sample::segment_zero(&data.bundle_path(run));
    let whole = fs::read(&segment).unwrap();
    OpenOptions::new().append(true).open(segment).unwrap().write_all(&whole[..77]).unwrap();
    sample::go_on(&data, run);
    let bundle = Bundle::open(&data.bundle_path(run)).unwrap();
    let copy = |name: &str| {
        let to = golden.join("bundle").join(name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(bundle.path().join(name), to).unwrap();
    };
    let segments = ["events/0000.jsonl.zst", "events/0001.jsonl.zst"];
    ["manifest.json", "seal.json", "plan.json", "methodology.toml", "environment.toml"]
        .into_iter()
        .chain(segments)
        .for_each(copy);
    let mut lines = File::create(golden.join("events.jsonl")).unwrap();
    for event in bundle.events().unwrap() {
        writeln!(lines, "{}", serde_json::to_string(&event).unwrap()).unwrap();
    }
}
