//! Truncated and changed files: never a wrong record, never a crash, always an error that names the damage.
//!
//! Background: a zstd stream that is cut at a frame boundary looks complete to zstd, and a result file that is
//! rewritten only at the end leaves nothing after a kill. Frames, event numbers and the seal exist because of these
//! two cases.

use std::fs;
use std::path::Path;

use drivelab_core::event::{Event, RunState};
use drivelab_core::ids::RunId;
use drivelab_core::listener::Listener;
use drivelab_rig::{Mount, or_skip};

use super::sample;
use crate::{Bundle, Catalog, DataDir, Recorder, StoreError, StoreErrorKind, frame, seal_ended};

/// Offsets of the ends of the frames, with the number of events up to each.
fn borders(bytes: &[u8]) -> Vec<(usize, usize)> {
    let (mut borders, mut offset, mut events) = (vec![(0, 0)], 0, 0);
    while offset < bytes.len() {
        let frame = frame::decode(bytes, offset, None).unwrap();
        (offset, events) = (frame.end, events + frame.records as usize);
        borders.push((offset, events));
    }
    borders
}

#[test]
fn a_segment_cut_at_any_byte_gives_the_events_before_the_cut() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    let truth = sample::record_part(&data, run, 8);
    let path = data.bundle_path(run);
    let bytes = fs::read(sample::segment_zero(&path)).unwrap();
    let borders = borders(&bytes);
    for cut in 0..=bytes.len() {
        fs::write(sample::segment_zero(&path), &bytes[..cut]).unwrap();
        let expected = borders.iter().rev().find(|(offset, _)| *offset <= cut).unwrap();
        let bundle = Bundle::open(&path).unwrap();
        // Without its first frame a run still has its start, from the copies.
        assert_eq!(bundle.events().unwrap(), truth[..expected.1.max(1)], "cut at byte {cut}");
        assert_eq!(bundle.torn().unwrap().is_empty(), expected.0 == cut, "cut at byte {cut}");
        let records = bundle.records().unwrap();
        assert_eq!((records.run, records.last_seq), (run, (expected.1 as u64).saturating_sub(1)));
    }
}

#[test]
fn any_cut_can_be_resumed_to_a_whole_run() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    sample::record_part(&data, run, 8);
    let path = data.bundle_path(run);
    let bytes = fs::read(sample::segment_zero(&path)).unwrap();
    for cut in (0..=bytes.len()).step_by(97) {
        fs::write(sample::segment_zero(&path), &bytes[..cut]).unwrap();
        for file in ["seal.json", "events/0001.jsonl.zst"] {
            let _ = fs::remove_file(path.join(file));
        }
        sample::go_on(&data, run);
        let bundle = Bundle::open(&path).unwrap();
        bundle.verify().unwrap();
        let records = bundle.records().unwrap();
        assert_eq!((records.state, records.steps.len(), records.breaks.len()), (RunState::Complete, 3, 1));
        assert_eq!(fs::read(sample::segment_zero(&path)).unwrap(), bytes[..cut], "old segments are never touched");
    }
}

/// Changes byte `at` of the file, runs `judge`, and restores the file.
fn with_flips(file: &Path, mut judge: impl FnMut(usize)) {
    let bytes = fs::read(file).unwrap();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(file, &changed).unwrap();
        judge(at);
    }
    fs::write(file, bytes).unwrap();
}

#[test]
fn any_changed_byte_of_an_unsealed_segment_is_noticed() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    let truth = sample::record_part(&data, run, 8);
    let path = data.bundle_path(run);
    let borders = borders(&fs::read(sample::segment_zero(&path)).unwrap());
    with_flips(&sample::segment_zero(&path), |at| {
        let frame = borders.iter().rposition(|(offset, _)| *offset <= at).unwrap();
        let bundle = Bundle::open(&path).unwrap();
        match bundle.events() {
            // After the last durable event a changed frame looks like the effect of a power cut.
            Ok(events) => {
                assert_eq!(events, truth[..borders[frame].1.max(1)], "byte {at}");
                assert_eq!(bundle.torn().unwrap()[0].offset, borders[frame].0 as u64, "byte {at}");
            }
            Err(error) => {
                let StoreError::Damaged { frame: Some(named), offset: Some(offset), .. } = &error else {
                    panic!("byte {at}: {error}");
                };
                assert_eq!((*named as usize, *offset), (frame, borders[frame].0 as u64), "byte {at}: {error}");
            }
        }
    });
    // Every frame up to the one with the end of the first step must have been reported as damaged, not as torn.
    let bytes = fs::read(sample::segment_zero(&path)).unwrap();
    let mut changed = bytes.clone();
    changed[borders[1].0 + 40] ^= 1;
    fs::write(sample::segment_zero(&path), changed).unwrap();
    let error = Bundle::open(&path).unwrap().events().unwrap_err();
    let text = error.to_string();
    assert!(text.contains("frame 1 at byte") && text.contains("1 events before it"), "{text}");
    assert_eq!(error.kind(), StoreErrorKind::Damaged);
}

#[test]
fn any_changed_byte_of_a_sealed_bundle_is_noticed_or_harmless() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    let truth = sample::record_part(&data, run, usize::MAX);
    let path = data.bundle_path(run);
    let manifest = Bundle::open(&path).unwrap().manifest().clone();
    let seal = Bundle::open(&path).unwrap().seal().unwrap().clone();
    let files = ["manifest.json", "seal.json", "plan.json", "methodology.toml", "environment.toml"];
    for name in files.into_iter().chain(["events/0000.jsonl.zst"]) {
        let mut harmless = 0;
        with_flips(&path.join(name), |at| {
            let read = Bundle::open(&path).and_then(|bundle| bundle.verify().map(|()| bundle));
            match read {
                Err(error) => assert!(
                    matches!(error.kind(), StoreErrorKind::Damaged | StoreErrorKind::Newer),
                    "{name}, byte {at}: {error}"
                ),
                Ok(bundle) => {
                    harmless += 1;
                    assert_eq!((bundle.manifest(), bundle.seal()), (&manifest, Some(&seal)), "{name}, byte {at}");
                    assert_eq!(bundle.events().unwrap(), truth, "{name}, byte {at}");
                }
            }
        });
        // Only white space of the seal itself is not covered by a checksum.
        assert!(harmless == 0 || name == "seal.json", "{harmless} changes of {name} went unnoticed");
    }
    Bundle::open(&path).unwrap().verify().unwrap();
}

#[test]
fn a_lost_frame_between_segments_is_damage() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    sample::record_part(&data, run, 6);
    sample::go_on(&data, run);
    let path = data.bundle_path(run);
    fs::remove_file(path.join("seal.json")).unwrap();
    let bytes = fs::read(sample::segment_zero(&path)).unwrap();
    let last_border = borders(&bytes).iter().rev().nth(1).unwrap().0;
    fs::write(sample::segment_zero(&path), &bytes[..last_border]).unwrap();
    let error = Bundle::open(&path).unwrap().records().unwrap_err();
    assert!(error.to_string().contains("events are missing"), "{error}");
    fs::remove_file(sample::segment_zero(&path)).unwrap();
    let error = Bundle::open(&path).unwrap().records().unwrap_err();
    assert!(error.to_string().contains("0000.jsonl.zst is damaged: it is missing"), "{error}");
}

/// Frame n is lost and frame n + 1 is the last one. If that one holds a durable event, frame n had been fsynced; if
/// not, this is the effect of a power cut.
#[test]
fn a_lost_frame_before_a_last_one_with_a_durable_event_is_damage() {
    for (count, is_damage) in [(6, true), (3, false)] {
        let (_folder, data) = sample::data();
        let run = RunId::now();
        let truth = sample::record_part(&data, run, count);
        let path = data.bundle_path(run);
        let bytes = fs::read(sample::segment_zero(&path)).unwrap();
        let borders = borders(&bytes);
        let [.., (lost, events), (last, _), _] = borders[..] else { panic!("too few frames: {borders:?}") };
        fs::write(sample::segment_zero(&path), [&bytes[..lost], &bytes[last..]].concat()).unwrap();
        let read = Bundle::open(&path).unwrap().events();
        if is_damage {
            let error = read.unwrap_err();
            assert_eq!(error.kind(), StoreErrorKind::Damaged);
            assert!(error.to_string().contains("frames before it are missing"), "{error}");
        } else {
            assert_eq!(read.unwrap(), truth[..events]);
        }
    }
}

#[test]
fn a_newer_bundle_is_refused_by_name() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    sample::record_part(&data, run, usize::MAX);
    let manifest = data.bundle_path(run).join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let newer = text.replace("\"format_version\": 1", "\"format_version\": 2").replace("\"0.1.0\"", "\"7.3.0\"");
    fs::write(&manifest, newer).unwrap();
    let error = Bundle::open(&data.bundle_path(run)).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Newer);
    let text = error.to_string();
    assert!(text.contains("version 2") && text.contains("drivelab 7.3.0 wrote it"), "{text}");
    let rows = Catalog::open(&data).unwrap().list().unwrap();
    assert!(rows[0].damaged.as_ref().unwrap().contains("7.3.0"));
}

#[test]
fn what_is_no_bundle_is_said_to_be_none() {
    let (_folder, data) = sample::data();
    let kind = |path: &Path| Bundle::open(path).unwrap_err().kind();
    assert_eq!(kind(&data.root().join("nowhere")), StoreErrorKind::NotFound);
    assert_eq!(kind(data.root()), StoreErrorKind::NotFound);
    let husk = data.bundle_path(RunId::now());
    fs::create_dir(&husk).unwrap();
    let error = Bundle::open(&husk).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Damaged);
    assert!(error.to_string().contains("killed in the first moment"), "{error}");
    let error = Recorder::resume(&data, RunId::now()).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::NotFound);
}

/// Advice to remove the run would lose its recording.
#[test]
fn a_recording_without_its_manifest_is_damaged_and_not_empty() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    sample::record_part(&data, run, 8);
    sample::go_on(&data, run);
    let bundle = data.bundle_path(run);
    for also in [None, Some("seal.json")] {
        if let Some(file) = also {
            fs::remove_file(bundle.join(file)).unwrap();
        }
        let _ = fs::remove_file(bundle.join("manifest.json"));
        let error = Bundle::open(&bundle).unwrap_err().to_string();
        assert!(error.contains("manifest.json is missing") && error.contains("do not remove the run"), "{error}");
    }
}

#[test]
fn a_run_killed_between_its_end_and_its_seal_is_sealed_later() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    sample::record_part(&data, run, usize::MAX);
    let path = data.bundle_path(run);
    fs::remove_file(path.join("seal.json")).unwrap();
    assert_eq!(Bundle::open(&path).unwrap().records().unwrap().state, RunState::Interrupted);
    let error = Recorder::resume(&data, run).unwrap_err();
    assert!(matches!(error, StoreError::Sealed { just_now: true, .. }), "{error}");
    assert_eq!(Bundle::open(&path).unwrap().records().unwrap().state, RunState::Complete);
    fs::remove_file(path.join("seal.json")).unwrap();
    assert_eq!(seal_ended(&data, run).unwrap(), Some(RunState::Complete));
    assert_eq!(seal_ended(&data, run).unwrap(), Some(RunState::Complete));
    Bundle::open(&path).unwrap().verify().unwrap();
    assert_eq!(Catalog::open(&data).unwrap().list().unwrap()[0].state, RunState::Complete);
}

#[test]
fn a_full_disk_stops_the_recording_and_loses_nothing_written() {
    let folder = tempfile::tempdir().unwrap();
    let disk = Mount::tmpfs("1m", folder.path());
    let disk = disk.map_err(|_| "a full disk needs a mount of its own, and that needs root");
    let Some(disk) = or_skip(disk) else { return };
    let data = DataDir::open(&disk.folder.join("data")).unwrap();
    let run = RunId::now();
    let events = sample::whole_run(run);
    let mut recorder = sample::create(&data, run).unwrap();
    events[..5].iter().for_each(|event| recorder.event(event).unwrap());
    let ballast = disk.folder.join("ballast");
    assert!(fs::write(&ballast, vec![1; 4 << 20]).is_err(), "the disk is full now");
    let mut written = 5;
    let error = loop {
        let key = sample::plan().schedule()[0].0.clone();
        let event = Event {
            seq: written,
            at_ns: 0,
            event: drivelab_core::event::EventBody::StepEnded(sample::step_record(&key)),
        };
        written += 1;
        if let Err(error) = recorder.event(&event) {
            break error;
        }
    };
    let bundle = Bundle::open(&data.bundle_path(run)).unwrap();
    let segment = sample::segment_zero(bundle.path());
    let start = format!("no space left to write to {}: ", segment.display());
    assert!(error.message.starts_with(&start) && error.message.contains("--data"), "{error}");
    assert_eq!(bundle.events().unwrap().len() as u64, written - 1);
    assert!(bundle.torn().unwrap().is_empty(), "half a frame was cut off");
    let other = RunId::now();
    assert_eq!(sample::create(&data, other).unwrap_err().kind(), StoreErrorKind::Full);
    assert!(!data.bundle_path(other).exists(), "a run that could not begin leaves nothing");
    // When there is space again, the waiting events are written.
    fs::remove_file(&ballast).unwrap();
    recorder.finish().unwrap();
    assert_eq!(bundle.events().unwrap().len() as u64, written);
}

#[test]
fn a_read_only_data_folder_can_be_listed_and_read_but_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let disk = Mount::tmpfs("8m", folder.path());
    let disk = disk.map_err(|_| "a read-only file system needs a mount of its own, and that needs root");
    let Some(disk) = or_skip(disk) else { return };
    let data = DataDir::open(&disk.folder.join("data")).unwrap();
    let run = RunId::now();
    sample::record_part(&data, run, usize::MAX);
    disk.remount_read_only();
    let data = DataDir::open(data.root()).unwrap();
    let rows = Catalog::open(&data).unwrap().list().unwrap();
    assert_eq!((rows.len(), rows[0].id, rows[0].state), (1, run, RunState::Complete));
    Bundle::open(&data.bundle_path(run)).unwrap().verify().unwrap();
    let error = sample::create(&data, RunId::now()).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::ReadOnly);
    assert!(error.to_string().contains("--data"), "{error}");
    assert_eq!(Catalog::open(&data).unwrap().remove(run).unwrap_err().kind(), StoreErrorKind::ReadOnly);
}

/// Every file that a run leaves, with one byte changed.
#[test]
fn a_changed_byte_in_any_file_that_a_run_leaves_is_noticed() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    crate::write_note(&data, run, "scratch", &serde_json::json!({ "name": "made before the run" })).unwrap();
    sample::record_part(&data, run, usize::MAX);
    let path = data.bundle_path(run);
    let mut files: Vec<String> = ["events/0000.jsonl.zst", "notes/scratch.json"].map(str::to_owned).into();
    for entry in fs::read_dir(&path).unwrap().flatten() {
        let name = entry.file_name().to_str().unwrap().to_owned();
        if entry.path().is_file() && name != "lock" {
            files.push(name);
        }
    }
    assert!(files.len() >= 7, "{files:?}");
    let whole = Bundle::open(&path).unwrap().records().unwrap();
    for name in &files {
        let file = path.join(name);
        let bytes = fs::read(&file).unwrap();
        let mut changed = bytes.clone();
        let at = bytes.iter().rposition(u8::is_ascii_alphanumeric).unwrap();
        changed[at] ^= 1;
        fs::write(&file, changed).unwrap();
        let read = Bundle::open(&path).and_then(|bundle| bundle.records());
        let error = read.err().unwrap_or_else(|| panic!("{name} was changed and nobody noticed")).to_string();
        assert!(error.contains(name.as_str()), "{name}: {error}");
        fs::write(&file, bytes).unwrap();
    }
    // Files added later are outside the seal: they can be added, and no figure changes.
    assert!(crate::write_note(&data, run, "scratch", &serde_json::json!({})).is_err(), "the seal covers it");
    crate::write_note(&data, run, "later", &serde_json::json!({ "tag": "mine" })).unwrap();
    assert_eq!(Bundle::open(&path).unwrap().records().unwrap(), whole);
    fs::write(path.join("notes/later.json"), "damaged").unwrap();
    fs::write(path.join("page.html"), "added").unwrap();
    assert_eq!(Bundle::open(&path).unwrap().records().unwrap(), whole);
}

/// A bundle of an earlier drivelab, whose seal lists fewer files, opens; damage that its manifest shows is reported
/// there too.
#[test]
fn an_older_seal_that_lists_less_still_opens() {
    let (_folder, data) = sample::data();
    let run = RunId::now();
    sample::record_part(&data, run, usize::MAX);
    let path = data.bundle_path(run);
    let mut seal: crate::document::Seal = crate::document::read(&path.join("seal.json")).unwrap();
    seal.files.retain(|entry| entry.frames.is_some() || entry.path == "manifest.json");
    fs::write(path.join("seal.json"), crate::document::write(seal).unwrap()).unwrap();
    Bundle::open(&path).unwrap().verify().unwrap();
    let plan = path.join("plan.json");
    let bytes = fs::read(&plan).unwrap();
    fs::write(&plan, [&bytes[..bytes.len() - 1], b" "].concat()).unwrap();
    let error = Bundle::open(&path).unwrap().records().unwrap_err().to_string();
    assert!(error.contains("plan.json"), "{error}");
}
