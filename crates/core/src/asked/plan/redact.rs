//! A plan without folder names, for a page that is published.
//!
//! Structs are destructured without `..`: a new field does not compile until someone decides whether it is published.

use std::path::PathBuf;

use super::{Action, Plan, Step, TestPlan};
use crate::load::Content;
use crate::redact::{LEFT_OUT, last_part};
use crate::replay::{Replay, TraceSource};
use crate::workload::Workload;

impl Plan {
    /// Removes the folders of trace files and data files and keeps the file names. Returns the folders, so that they
    /// can be removed from messages too.
    pub fn redact(&mut self) -> Vec<PathBuf> {
        let Plan {
            methodology: _,
            title: _,
            profile: _,
            summary: _,
            good_for: _,
            cannot_tell: _,
            form: _,
            longest_form: _,
            capacity: _,
            tests,
            sources: _,
            drives: _,
            scores: _,
            left_out: _,
            limits: _,
            headlines: _,
            set,
        } = self;
        let mut folders = Vec::new();
        tests.iter_mut().flat_map(steps).for_each(|step| redact_step(step, &mut folders));
        set.iter_mut().for_each(|setting| redact_setting(setting, &mut folders));
        folders
    }
}

fn steps(test: &mut TestPlan) -> &mut Vec<Step> {
    let TestPlan {
        name: _,
        title: _,
        purpose: _,
        steps,
        rounds: _,
        repeats: _,
        order: _,
        combine: _,
        sources: _,
        state: _,
        twin: _,
        published_unit: _,
        recovers_to: _,
    } = test;
    steps
}

fn redact_step(step: &mut Step, folders: &mut Vec<PathBuf>) {
    let Step {
        id: _,
        label: _,
        role: _,
        action,
        rest: _,
        start_below: _,
        relative: _,
        axes: _,
        approximations: _,
        seeds: _,
        estimated_time: _,
        estimated_written: _,
    } = step;
    match action {
        Action::Io { workload, stop: _, ramp: _ } => redact_load(workload, folders),
        Action::Idle { time: _ } | Action::CoolDown(_) => {}
    }
}

fn redact_load(load: &mut Workload, folders: &mut Vec<PathBuf>) {
    let Workload {
        write_percent: _,
        other: _,
        block_size: _,
        block_size_mix: _,
        pattern: _,
        locality: _,
        stride: _,
        places: _,
        seek_percent: _,
        streams: _,
        span: _,
        on: _,
        queue_depth: _,
        threads: _,
        pace: _,
        data: _,
        content,
        verify: _,
        direct: _,
        placement: _,
        placement_handle: _,
        seed: _,
        name: _,
        replay,
        beside,
        // Drivelab makes the sets of files, and they have no path.
        files: _,
    } = load;
    let Content { compress_percent: _, dedup_percent: _, pattern: _, file, window: _ } = content;
    if let Some(file) = file {
        last_part(file, LEFT_OUT, folders);
    }
    if let Some(replay) = replay {
        redact_replay(replay, folders);
    }
    beside.iter_mut().for_each(|group| redact_load(group, folders));
}

fn redact_replay(replay: &mut Replay, folders: &mut Vec<PathBuf>) {
    let Replay { trace: _, source, mode: _, fit: _, trims: _, facts: _ } = replay;
    match source {
        TraceSource::File { path, format: _, device } => {
            last_part(path, LEFT_OUT, folders);
            // Some formats record the path of the file that was accessed.
            if let Some(device) = device {
                let mut recorded = PathBuf::from(device.as_str());
                last_part(&mut recorded, LEFT_OUT, folders);
                *device = recorded.display().to_string();
            }
        }
        TraceSource::Synthetic(_) => {}
    }
}

/// A parameter that was set (`KEY=VALUE`), without the folder of its file.
#[must_use]
pub fn redacted_setting(setting: &str) -> String {
    let mut setting = setting.to_owned();
    redact_setting(&mut setting, &mut Vec::new());
    setting
}

/// `data_file=/media/anna/sample.bin`, also for a single test: the only parameter that is a path.
fn redact_setting(setting: &mut String, folders: &mut Vec<PathBuf>) {
    let Some((key, value)) = setting.split_once('=') else { return };
    if key.trim().rsplit('.').next() != Some("data_file") {
        return;
    }
    let mut file = PathBuf::from(value.trim().trim_matches(['"', '\'']));
    last_part(&mut file, LEFT_OUT, folders);
    *setting = format!("{key}={}", file.display());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::StopRule;
    use crate::plan::types::tests::writes;
    use crate::replay::{ReplayMode, TraceFacts, TraceFit, TraceTrims};
    use crate::units::{Bytes, Nanos};
    use serde_json::json;

    fn writes_from(file: &str) -> Workload {
        let content = Content { file: Some(file.into()), ..Content::default() };
        Workload { content, ..Workload::default() }
    }

    fn replays(file: &str, device: &str) -> Workload {
        let facts = TraceFacts {
            format: "fio".to_owned(),
            hash: String::new(),
            reads: 1,
            writes: 0,
            trims: 0,
            flushes: 0,
            read: Bytes::new(4096),
            written: Bytes::new(0),
            largest: Bytes::new(4096),
            end: Bytes::new(4096),
            duration: Nanos::new(0),
            empty: 0,
            out_of_order: 0,
        };
        let replay = Replay {
            trace: "own".to_owned(),
            source: TraceSource::File { path: file.into(), format: None, device: Some(device.to_owned()) },
            mode: ReplayMode::Timed {},
            fit: TraceFit::Wrap,
            trims: TraceTrims::Skip,
            facts,
        };
        Workload { replay: Some(replay), ..Workload::default() }
    }

    fn step(workload: Workload) -> Step {
        let (stop, ramp) = (StopRule::capped(Nanos::from_secs(1)), Nanos::new(0));
        Step { action: Action::Io { workload, stop: stop.clone(), ramp }, ..writes(stop, ramp) }
    }

    fn plan(steps: &[Step], set: &[&str]) -> Plan {
        serde_json::from_value(json!({
            "methodology": {"name": "example", "version": "1.0.0", "hash": "0"},
            "title": "Example", "summary": "None.", "form": "quick", "capacity": 4096, "sources": [], "set": set,
            "tests": [{
                "name": "t", "title": "T", "purpose": "None.", "steps": steps, "rounds": {"fixed": {"count": 1}},
                "order": "round_by_round", "combine": "mean", "sources": [],
            }],
        }))
        .unwrap()
    }

    #[test]
    fn a_parameter_keeps_its_file_and_loses_its_folder() {
        let shown = redacted_setting("fill.data_file=/media/anna/sample.bin");
        assert!(shown.starts_with("fill.data_file=") && !shown.contains("anna"), "{shown}");
        assert_eq!(redacted_setting("queue_depth=1..64"), "queue_depth=1..64");
    }

    #[test]
    fn no_folder_of_a_trace_or_of_data_is_left_in_any_group_and_file_names_are() {
        let load =
            Workload { beside: vec![replays("/secret/b/t.log", "/secret/c/base.db")], ..writes_from("/secret/a.bin") };
        let mut plan = plan(&[step(load)], &["queue_depth=4", "t.data_file=\"/secret/d/x.bin\"", "rate=5MB/s"]);
        let folders = plan.redact();
        let text = serde_json::to_string(&plan).unwrap();
        assert!(!text.contains("secret"), "{text}");
        assert!(["a.bin", "t.log", "base.db"].iter().all(|name| text.contains(&format!("\"{name}\""))), "{text}");
        assert_eq!(plan.set, ["queue_depth=4", "t.data_file=x.bin", "rate=5MB/s"]);
        assert_eq!(folders, ["/secret", "/secret/b", "/secret/c", "/secret/d"].map(PathBuf::from));
    }
}
