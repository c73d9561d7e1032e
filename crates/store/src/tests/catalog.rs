//! The catalog is right, whatever happened to it or to the bundles without its knowledge.

use std::fs;

use drivelab_core::environment::TestbedFacts;
use drivelab_core::event::{EventBody, RunState};
use drivelab_core::ids::RunId;
use drivelab_core::label::Label;
use drivelab_core::listener::Listener;
use drivelab_core::plan::Form;
use drivelab_core::telemetry::TelemetryBatch;
use drivelab_core::units::Nanos;

use super::sample;
use crate::{
    Bundle, Catalog, DataDir, Filter, Found, NamedTestbed, Recorder, RunRow, StoreError, StoreErrorKind, frame,
    read_testbed, write_label, write_testbed,
};

/// A complete, an interrupted and a cut-down run, oldest first.
fn three_runs(data: &DataDir) -> [RunId; 3] {
    let runs = [RunId::now(), RunId::now(), RunId::now()];
    sample::record_part(data, runs[0], usize::MAX);
    sample::record_part(data, runs[1], 8);
    sample::record_part(data, runs[2], 1);
    runs
}

fn list(data: &DataDir) -> Vec<RunRow> {
    Catalog::open(data).unwrap().list().unwrap()
}

fn drop_catalog(data: &DataDir) {
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(data.root().join(format!("catalog.sqlite{suffix}")));
    }
}

#[test]
fn a_lost_catalog_is_made_again_and_is_the_same() {
    let (_folder, data) = sample::data();
    let runs = three_runs(&data);
    let before = list(&data);
    assert_eq!(before.iter().map(|row| row.id).collect::<Vec<_>>(), [runs[2], runs[1], runs[0]], "newest first");
    assert_eq!(before.iter().map(|row| row.steps_done).collect::<Vec<_>>(), [0, 1, 3]);
    assert_eq!(before[2].state, RunState::Complete);
    drop_catalog(&data);
    assert_eq!(list(&data), before);
    drop_catalog(&data);
    let mut catalog = Catalog::rebuild(&data).unwrap();
    assert_eq!(catalog.list().unwrap(), before);
    let done = catalog.reindex().unwrap();
    assert_eq!((done.indexed, done.damaged.len()), (3, 0));
}

/// On a full file system a store to a mapped file raises SIGBUS: it ended runs whose data disk was full.
#[test]
fn the_catalog_maps_no_file_and_leaves_the_log_of_an_earlier_drivelab() {
    let (_folder, data) = sample::data();
    let runs = three_runs(&data);
    let before = list(&data);
    let file = data.root().join("catalog.sqlite");
    let old = rusqlite::Connection::open(&file).unwrap();
    let mode: String = old.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
    old.execute("INSERT OR REPLACE INTO probe (id, value) VALUES (1, 1)", []).unwrap();
    drop(old);
    let catalog = Catalog::open(&data).unwrap();
    assert_eq!(catalog.list().unwrap(), before);
    sample::record_part(&data, RunId::now(), 8);
    assert_eq!(catalog.list().unwrap().len(), runs.len() + 1);
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let folder = data.root().display().to_string();
    let mapped: Vec<&str> = maps.lines().filter(|line| line.contains(&folder)).collect();
    assert!(mapped.is_empty(), "{mapped:?}");
    let beside = |suffix: &str| data.root().join(format!("catalog.sqlite-{suffix}"));
    assert!(!beside("shm").exists() && !beside("wal").exists());
    assert_ne!(fs::read(&file).unwrap()[18], 2, "it is out of the log for good");
}

#[test]
fn a_run_is_listed_from_its_first_second() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    let mut recorder = sample::create(&data, run).unwrap();
    let rows = list(&data);
    assert_eq!((rows[0].id, rows[0].live, rows[0].state), (run, true, RunState::Interrupted));
    assert_eq!((rows[0].steps_done, rows[0].steps_total), (0, 3));
    for event in sample::whole_run(run) {
        recorder.event(&event).unwrap();
    }
    let rows = list(&data);
    assert_eq!((rows[0].live, rows[0].state, rows[0].steps_done), (false, RunState::Complete, 3));
    assert_eq!((rows[0].method.as_str(), rows[0].drive.as_deref()), ("sample", Some("Sample Drive 1TB")));
}

/// A run with samples among its steps that two processes recorded, and that has not ended.
fn resumed_with_samples(data: &DataDir, run: RunId) {
    sample::record_part(data, run, 6);
    let (mut recorder, records) = Recorder::resume(data, run).unwrap();
    let mut bodies = sample::rest_of_run(run, Some(&records));
    bodies.pop();
    let batch = TelemetryBatch { cpu: Nanos::new(1), sources: Vec::new() };
    bodies.insert(2, EventBody::Telemetry(batch));
    let events = sample::numbered(records.last_seq + 1, bodies);
    events.iter().for_each(|event| recorder.event(event).unwrap());
    recorder.finish().unwrap();
}

/// Reading the intervals of a day takes longer than a session waits for the row of its run.
#[test]
fn the_row_of_an_unsealed_run_is_the_same_without_its_intervals() {
    let (_folder, data) = sample::data();
    let runs: Vec<RunId> = (1..sample::whole_run(RunId::now()).len()).map(|_| RunId::now()).collect();
    runs.iter().enumerate().for_each(|(at, run)| drop(sample::record_part(&data, *run, at + 1)));
    let resumed = RunId::now();
    resumed_with_samples(&data, resumed);
    let rows = list(&data);
    for run in runs.iter().chain([&resumed]) {
        let bundle = Bundle::open(&data.bundle_path(*run)).unwrap();
        let (all, outline) = (bundle.records().unwrap(), bundle.outline().unwrap());
        assert!(outline.intervals.is_empty());
        assert_eq!((&outline.steps, outline.unfinished()), (&all.steps, all.unfinished()));
        let row = rows.iter().find(|row| row.id == *run).unwrap();
        assert_eq!((row.steps_done as usize, &row.damaged), (all.finished_count(), &None), "{row:?}");
    }
    assert_eq!(rows.iter().map(|row| row.steps_done).max(), Some(3));
}

#[test]
fn an_interval_that_cannot_be_read_is_found_by_a_full_check() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    sample::record_part(&data, run, 8);
    let segment = sample::segment_zero(&data.bundle_path(run));
    let (bytes, mut offset, mut spoilt) = (fs::read(&segment).unwrap(), 0, Vec::new());
    for number in 0.. {
        let Ok(frame) = frame::decode(&bytes, offset, Some(number)) else { break };
        let text = String::from_utf8(frame.plain).unwrap().replace("\"ramp\":false", "\"ramp\":falsy");
        spoilt.extend(frame::encode(number, frame.records, text.as_bytes()).unwrap());
        offset = frame.end;
    }
    fs::write(&segment, spoilt).unwrap();
    let mut catalog = Catalog::open(&data).unwrap();
    let row = catalog.list().unwrap().remove(0);
    assert_eq!((row.steps_done, row.damaged), (1, None), "it is not needed for the row");
    let done = catalog.reindex().unwrap();
    assert!(done.damaged[0].1.contains("an event is not readable"), "{done:?}");
}

#[test]
fn a_run_under_conditions_is_listed_by_its_drive_and_what_was_set_up() {
    use drivelab_core::condition::{Arm, Condition, ConditionFacts, Luks2};
    let (_folder, data) = sample::data();
    let mut environment = sample::environment();
    let asked =
        Condition { partition: "90%".parse().ok(), encryption: Arm::Luks2(Luks2::default()), ..Condition::default() };
    environment.condition = Some(ConditionFacts { asked, ..ConditionFacts::default() });
    // The drive is below the mapping; without a mapping it is the first device.
    environment.target.devices[0].transport = "device-mapper".to_owned();
    drop(sample::create_in(&data, RunId::now(), &environment).unwrap());
    assert_eq!(list(&data)[0].target, "/dev/nvme0n1 (a partition of 90 %, luks2)");
    environment.condition =
        Some(ConditionFacts { asked: Condition { encryption: Arm::None, ..asked }, ..Default::default() });
    environment.target.devices.remove(0);
    assert_eq!(environment.named(), "/dev/nvme0n1 (a partition of 90 %)");
    environment.condition = None;
    assert_eq!(environment.named(), "/mnt/drive", "a scratch file by its folder");
}

#[test]
fn stale_rows_are_corrected_and_rows_without_a_bundle_vanish() {
    let (_folder, data) = sample::data();
    let runs = three_runs(&data);
    list(&data);
    // Without the catalog's knowledge: one run ends, one is deleted, one is copied in from another folder.
    let catalog = fs::read(data.root().join("catalog.sqlite")).unwrap();
    sample::go_on(&data, runs[1]);
    drop_catalog(&data);
    fs::write(data.root().join("catalog.sqlite"), catalog).unwrap();
    fs::remove_dir_all(data.bundle_path(runs[2])).unwrap();
    let (_elsewhere, other) = sample::data();
    let copied = RunId::now();
    sample::record_part(&other, copied, usize::MAX);
    fs::rename(other.bundle_path(copied), data.bundle_path(copied)).unwrap();
    let seen: Vec<_> = list(&data).into_iter().map(|row| (row.id, row.state)).collect();
    let complete = |run| (run, RunState::Complete);
    assert_eq!(seen, [complete(copied), complete(runs[1]), complete(runs[0])]);
}

#[test]
fn damaged_bundles_are_listed_with_the_reason() {
    let (_folder, data) = sample::data();
    let runs = three_runs(&data);
    let husk = RunId::now();
    fs::create_dir(data.bundle_path(husk)).unwrap();
    fs::create_dir(data.runs_dir().join("holiday-pictures")).unwrap();
    let segment = sample::segment_zero(&data.bundle_path(runs[0]));
    let mut bytes = fs::read(&segment).unwrap();
    bytes.pop();
    fs::write(&segment, &bytes).unwrap();
    let rows = list(&data);
    let damaged = |run: RunId| rows.iter().find(|row| row.id == run).unwrap().damaged.clone().unwrap_or_default();
    assert!(damaged(husk).contains("no manifest.json"));
    assert!(damaged(runs[0]).contains("0000.jsonl.zst is damaged"), "a cut file shows without a full check");
    // A full check finds a changed byte, and the catalog keeps the result.
    bytes.push(0);
    fs::write(&segment, &bytes).unwrap();
    let mut catalog = Catalog::open(&data).unwrap();
    let done = catalog.reindex().unwrap();
    assert_eq!((done.indexed, done.damaged.len()), (4, 3), "{done:?}");
    let row = catalog.list().unwrap().into_iter().find(|row| row.id == runs[0]).unwrap();
    assert!(row.damaged.unwrap().contains("BLAKE3"));
    catalog.remove(husk).unwrap();
    assert_eq!(catalog.list().unwrap().len(), 3);
}

#[test]
fn a_run_is_found_by_either_end_of_its_id() {
    let (_folder, data) = sample::data();
    let runs = three_runs(&data);
    let catalog = Catalog::open(&data).unwrap();
    let id = runs[1].to_string();
    let one = |part: &str| match Found::among(&catalog.list().unwrap(), part) {
        Found::One(row) => Some(row.id),
        _ => None,
    };
    assert_eq!(one(&id), Some(runs[1]));
    assert_eq!(one(&id[24..]), Some(runs[1]), "the end");
    assert_eq!(one(&id.to_uppercase().replace('-', "")), Some(runs[1]));
    assert_eq!(Found::among(&catalog.list().unwrap(), "no-such-run"), Found::None);
    assert_eq!(Found::among(&catalog.list().unwrap(), ""), Found::None);
    assert_eq!(Found::among(&catalog.list().unwrap(), &id[..6]), Found::Several(vec![runs[2], runs[1], runs[0]]));
}

#[test]
fn removing_takes_bundle_and_row_and_finishes_what_a_kill_left() {
    let (_folder, data) = sample::data();
    let runs = three_runs(&data);
    let mut catalog = Catalog::open(&data).unwrap();
    catalog.remove(runs[0]).unwrap();
    assert!(!data.bundle_path(runs[0]).exists());
    assert_eq!(catalog.remove(runs[0]).unwrap_err().kind(), StoreErrorKind::NotFound);
    let half = data.runs_dir().join(format!(".removed-{}", runs[1]));
    fs::rename(data.bundle_path(runs[1]), &half).unwrap();
    assert_eq!(catalog.list().unwrap().len(), 1);
    assert_eq!(catalog.reindex().unwrap().indexed, 1);
    assert!(!half.exists());
    // The next removal also completes it, because users seldom reindex.
    fs::rename(data.bundle_path(runs[2]), &half).unwrap();
    let other = RunId::now();
    sample::record_part(&data, other, 1);
    catalog.remove(other).unwrap();
    assert!(!half.exists() && catalog.list().unwrap().is_empty());
}

#[test]
fn a_catalog_that_cannot_be_used_names_the_remedy_and_is_moved_aside() {
    let (_folder, data) = sample::data();
    three_runs(&data);
    let before = list(&data);
    let path = data.root().join("catalog.sqlite");
    let newer = || {
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.pragma_update(None, "user_version", 99).unwrap();
    };
    let garbage = || {
        drop_catalog(&data);
        fs::write(&path, "no database at all, but long enough to look like a header of one. ".repeat(40)).unwrap();
    };
    let empty_inside = || {
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch("DROP TABLE run").unwrap();
    };
    let spoilers: [(&dyn Fn(), StoreErrorKind); 3] = [
        (&newer, StoreErrorKind::Newer),
        (&garbage, StoreErrorKind::Damaged),
        (&empty_inside, StoreErrorKind::Damaged),
    ];
    for (spoil, kind) in spoilers {
        spoil();
        let error: StoreError = match Catalog::open(&data).and_then(|catalog| catalog.list()) {
            Err(error) => error,
            Ok(rows) => panic!("{kind:?} went unnoticed: {rows:?}"),
        };
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains("drivelab results reindex"), "{error}");
        // Recording continues without it.
        let run = RunId::now();
        sample::record_part(&data, run, usize::MAX);
        assert_eq!(Catalog::rebuild(&data).unwrap().list().unwrap().len(), before.len() + 1);
        Catalog::open(&data).unwrap().remove(run).unwrap();
        assert_eq!(list(&data), before);
    }
    let aside = fs::read_dir(data.root()).unwrap().flatten();
    assert!(aside.into_iter().any(|entry| entry.file_name().to_string_lossy().contains(".aside-")));
}

#[test]
fn runs_are_found_by_drive_method_form_state_tags_and_time() {
    let (_folder, data) = sample::data();
    let runs = three_runs(&data);
    let rows = list(&data);
    let catalog = Catalog::open(&data).unwrap();
    let ids = |filter: &Filter| -> Vec<RunId> { catalog.filtered(filter).unwrap().iter().map(|row| row.id).collect() };
    let all = Filter::default();
    assert!(all.is_empty() && ids(&all) == [runs[2], runs[1], runs[0]]);
    assert_eq!(ids(&Filter { state: Some(RunState::Complete), ..all.clone() }), [runs[0]]);
    let method = Some(rows[0].method.clone());
    assert_eq!(ids(&Filter { method, ..all.clone() }).len(), 3);
    assert!(ids(&Filter { method: Some("other".to_owned()), ..all.clone() }).is_empty());
    let form = [Form::Faithful, Form::Quick, Form::Smoke].into_iter().find(|form| *form != rows[0].form);
    assert!(ids(&Filter { form, ..all.clone() }).is_empty());
    let drive = rows[0].drive.clone().expect("the sample has a drive");
    for word in [drive.clone(), drive.to_uppercase(), rows[0].serial.clone().expect("a serial number")] {
        assert_eq!(ids(&Filter { drive: Some(word), ..all.clone() }).len(), 3);
    }
    assert!(ids(&Filter { drive: Some("no such drive".to_owned()), ..all.clone() }).is_empty());
    assert_eq!(ids(&Filter { since: Some("2000-01-01".to_owned()), ..all.clone() }).len(), 3);
    assert!(ids(&Filter { since: Some("9000-01-01".to_owned()), ..all.clone() }).is_empty());
    // A complete run is sealed, but its tags can still change.
    let tags = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    write_label(&data, runs[0], &tagged(&["heatsink", "bench-2"])).unwrap();
    write_label(&data, runs[1], &tagged(&["heatsink"])).unwrap();
    assert_eq!(ids(&Filter { tags: tags(&["heatsink"]), ..all.clone() }), [runs[1], runs[0]]);
    assert_eq!(ids(&Filter { tags: tags(&["heatsink", "bench-2"]), ..all.clone() }), [runs[0]]);
    write_label(&data, runs[0], &tagged(&[])).unwrap();
    assert_eq!(ids(&Filter { tags: tags(&["heatsink"]), ..all }), [runs[1]]);
    Bundle::open(&data.bundle_path(runs[0])).unwrap().verify().unwrap();
}

/// A label of tags alone.
fn tagged(tags: &[&str]) -> Label {
    Label { tags: tags.iter().map(|tag| (*tag).to_owned()).collect(), ..Label::default() }
}

/// Tags that exist when a run is sealed are not covered by its seal.
#[test]
fn tags_of_an_interrupted_run_can_change_after_its_end() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    sample::record_part(&data, run, 8);
    write_label(&data, run, &tagged(&["first"])).unwrap();
    sample::go_on(&data, run);
    assert!(Bundle::open(&data.bundle_path(run)).unwrap().seal().is_some());
    let label = Label { title: "Bench 2".to_owned(), note: "with heat sink".to_owned(), ..tagged(&["second"]) };
    write_label(&data, run, &label).unwrap();
    assert_eq!(list(&data)[0].label, label);
    Bundle::open(&data.bundle_path(run)).unwrap().verify().unwrap();
    // A rebuilt catalog has it from the bundle.
    Catalog::rebuild(&data).unwrap();
    assert_eq!(list(&data)[0].label, label);
    write_label(&data, run, &Label::default()).unwrap();
    assert_eq!(list(&data)[0].label, Label::default());
}

#[test]
fn a_digest_is_kept_until_its_run_or_its_version_changes() {
    let (_folder, data) = sample::data();
    let runs = three_runs(&data);
    let catalog = Catalog::open(&data).unwrap();
    catalog.keep_digest(runs[0], "1", catalog.recorded(runs[0]), b"of the first");
    catalog.keep_digest(runs[1], "1", catalog.recorded(runs[1]), b"of the second");
    assert_eq!(catalog.digest(runs[0], "1").as_deref(), Some(b"of the first".as_slice()));
    assert_eq!(catalog.digest(runs[0], "2"), None, "made by another version");
    assert_eq!(catalog.digest(runs[2], "1"), None, "never made");
    write_label(&data, runs[0], &tagged(&["heatsink"])).unwrap();
    assert!(catalog.digest(runs[0], "1").is_some(), "a tag changes no figure");
    // The bundle differs from the one that the digest was made of.
    let segment = data.bundle_path(runs[1]).join("events");
    let segment = fs::read_dir(segment).unwrap().flatten().next().unwrap().path();
    let bytes = fs::read(&segment).unwrap();
    fs::write(&segment, &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(catalog.digest(runs[1], "1"), None);
    let mut catalog = catalog;
    catalog.reindex().unwrap();
    assert_eq!(catalog.digest(runs[0], "1"), None, "a rebuilt catalog has none");
    catalog.keep_digest(runs[0], "1", catalog.recorded(runs[0]), b"again");
    catalog.remove(runs[0]).unwrap();
    assert_eq!(catalog.digest(runs[0], "1"), None);
}

#[test]
fn a_named_testbed_is_kept_and_another_kernel_is_a_change() {
    let (_folder, data) = sample::data();
    let facts = sample::environment().testbed;
    let named = NamedTestbed { tag: "Testbed-v1".to_owned(), note: "open bench".to_owned(), facts: facts.clone() };
    write_testbed(&data, &named).unwrap();
    let kept = read_testbed(data.root()).expect("it can be read").expect("it was written");
    assert_eq!(kept, named);
    let busy = TestbedFacts { load_average_1m: 9.0, cpu_busy: Some(0.9), ..facts.clone() };
    assert!(kept.changes(&busy).is_empty());
    let changes = kept.changes(&TestbedFacts { kernel: "9.9".to_owned(), ..facts });
    assert!(changes.len() == 1 && changes[0].ends_with("now 9.9"), "{changes:?}");
    std::fs::write(data.root().join(crate::layout::TESTBED), "{").expect("half a file");
    let why = read_testbed(data.root()).expect_err("half a file").to_string();
    assert!(why.contains("testbed.json cannot be read") && why.contains("drivelab testbed set"), "{why}");
}
