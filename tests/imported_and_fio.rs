//! Job files made by chance, run by fio and, imported, by drivelab: both issue the same, or the import said what differs.
//!
//! `DRIVELAB_IMPORTS` says how many job files (30), `DRIVELAB_IMPORTS_SEED` with which seed; both are printed. A long series
//! may be shared out: `DRIVELAB_IMPORTS_PART=2 DRIVELAB_IMPORTS_PARTS=4` takes every fourth, from the third on. What is
//! compared are operations, bytes, shares of kinds and sizes, places, order, flushes and the time that a rate takes, and
//! in the plan what operations do not show, by what the options mean (the page cache, data, flushes, CPUs, the seed):
//! exactly where nothing is drawn, else within 4.5 standard deviations. A difference in time alone is looked at again, and
//! where others have the CPUs, slower than asked is none: only a busy machine makes it so.

#![allow(unreachable_pub, reason = "the parts of one test program")]

#[path = "imported_and_fio/compare.rs"]
mod compare;
#[path = "imported_and_fio/draw.rs"]
mod draw;
#[path = "imported_and_fio/issued.rs"]
mod issued;
#[path = "imported_and_fio/options.rs"]
mod options;
#[path = "imported_and_fio/settings.rs"]
mod settings;
mod support;

use std::collections::BTreeSet;

use compare::{Aspect, Pair, explained};
use draw::{JobFile, job_files};
use support::loop_device::LoopDevice;
use support::{Lab, root_or_skip, skip};

/// Job files where nobody asks for more.
const COUNT: usize = 30;
/// A series in which every case occurs.
const WHOLE: usize = 300;
/// Tries of a file of which only the time differs.
const TRIES: usize = 4;

fn asked(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

/// The words of the import about one job file, and its methodology.
fn imported(lab: &Lab, path: &str) -> Result<(String, serde_json::Value), String> {
    let done = lab.run(&["methods", "import", path, "--json", "-o", "imported.toml"]);
    if done.code != 0 {
        return Err(format!("drivelab refuses it: {}", done.stderr));
    }
    let text = std::fs::read_to_string(lab.folder().join("imported.toml")).expect("a methodology");
    Ok((text, serde_json::from_str(&done.stdout).expect("one document")))
}

/// What the import says of the options at these lines.
fn said(document: &serde_json::Value, lines: std::ops::Range<u64>) -> String {
    let notes = ["changed", "not_carried"].iter().flat_map(|fate| document[*fate].as_array().expect("a list"));
    let here = notes.filter(|note| lines.contains(&note["line"].as_u64().unwrap_or(0)));
    here.map(|note| note["why"].as_str().unwrap_or_default()).collect::<Vec<_>>().join("; ")
}

/// Whether more wants to run than there are CPUs, by the mean of the last minute.
fn busy() -> bool {
    let text = std::fs::read_to_string("/proc/loadavg").expect("the mean load");
    let load: f64 = text.split(' ').next().and_then(|word| word.parse().ok()).expect("a number");
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    load > cpus as f64 * 0.75
}

/// What differs between both programs without a word.
fn differences(lab: &Lab, file: &JobFile, text: &str) -> Vec<(Option<Aspect>, String)> {
    let refused = |why| vec![(None, why)];
    let folder = lab.folder();
    let path = folder.join("drawn.fio").display().to_string();
    std::fs::write(&path, text).expect("a job file");
    let _ = std::fs::remove_file(folder.join("imported.toml"));
    let (toml, document) = match imported(lab, &path) {
        Ok(imported) => imported,
        Err(why) => return refused(why),
    };
    let plan = match issued::plan(&toml, file.device) {
        Ok(plan) => plan,
        Err(why) => return refused(why),
    };
    if issued::tests(&plan).count() != file.batches.len() {
        return refused(format!("{} tests for {} batches", issued::tests(&plan).count(), file.batches.len()));
    }
    let by_fio = match issued::by_fio(file, &path, &plan) {
        Ok(issued) => issued,
        Err(why) => return refused(why),
    };
    let starts: Vec<u64> =
        (1..).zip(text.lines()).filter(|(_, line)| line.starts_with('[')).map(|(at, _)| at).collect();
    let mut found = Vec::new();
    let busy = busy();
    let seeds = settings::seeds(&toml);
    let mut job = 1;
    for (((sections, test), fio), seed) in file.batches.iter().zip(issued::tests(&plan)).zip(&by_fio).zip(seeds) {
        let begin = starts[job];
        job += sections.len();
        let end = starts.get(job).copied().unwrap_or(u64::MAX);
        let words = said(&document, begin..end);
        let known = explained(&words);
        if busy {
            println!(
                "the machine is busy: of jobs that end by time, sizes and settings are compared, and no time is judged"
            );
        }
        let pair = Pair { sections, test, fio, lab: &issued::by_drivelab(test), busy };
        // Files of others say these things in more ways than the table has.
        let drawn = !file.cases.is_empty();
        let settings = if drawn { settings::differences(&pair, seed, &words) } else { Vec::new() };
        let all = pair.differences().into_iter().chain(settings);
        let unknown = all.filter(|(aspect, _)| !known.contains(aspect));
        let jobs: Vec<String> = sections.iter().map(|section| section.options.join(";")).collect();
        found.extend(unknown.map(|(aspect, why)| {
            (Some(aspect), format!("{aspect:?} of {}: {why}\n    the import says: {words}", jobs.join(" | ")))
        }));
    }
    found
}

/// The differences of a file; those in time alone only where they are there again and again.
fn lasting(file: &JobFile, device: Option<&LoopDevice>) -> Vec<(Option<Aspect>, String)> {
    let mut found = Vec::new();
    for _ in 0..TRIES {
        let lab = Lab::new();
        let mut text = file.text(&lab.folder().display().to_string());
        if let Some(device) = device {
            text = text.replace("DEVICE", &device.node);
        }
        found = differences(&lab, file, &text);
        if !found.iter().all(|(aspect, _)| matches!(aspect, Some(Aspect::Pace | Aspect::Amount))) || found.is_empty() {
            break;
        }
    }
    found
}

#[test]
fn job_files_made_by_chance_issue_what_fio_issues() {
    if std::process::Command::new("fio").arg("--version").output().is_err() {
        skip("fio is not installed (cargo xtask setup)");
        return;
    }
    let devices = root_or_skip("a loop device for jobs that trim");
    let seed = asked("DRIVELAB_IMPORTS_SEED", 17);
    let count = usize::try_from(asked("DRIVELAB_IMPORTS", COUNT as u64)).expect("a small number");
    println!("{count} job files, DRIVELAB_IMPORTS_SEED={seed}");
    let lab = Lab::new();
    let device = devices.then(|| LoopDevice::new(lab.root(), "device", issued::DEVICE >> 20));
    let mut wrong = Vec::new();
    let (part, parts) = (asked("DRIVELAB_IMPORTS_PART", 0), asked("DRIVELAB_IMPORTS_PARTS", 1));
    let here = |(number, _): &(usize, _)| *number as u64 % parts == part;
    for (number, file) in job_files(count, seed, devices).iter().enumerate().filter(here) {
        let found = lasting(file, device.as_ref().filter(|_| file.device));
        if !found.is_empty() {
            println!("file {number}:\n{}", file.text("FOLDER"));
        }
        found.iter().for_each(|(_, why)| println!("file {number}: {why}"));
        wrong.extend(found);
    }
    assert!(wrong.is_empty(), "{} differences of which the import says nothing", wrong.len());
}

#[test]
fn job_files_of_others_issue_what_fio_issues() {
    let Ok(folder) = std::env::var("DRIVELAB_IMPORTS_OF") else {
        return println!(
            "skipped: DRIVELAB_IMPORTS_OF names no folder of job files, cut down to what runs in a moment"
        );
    };
    let mut paths: Vec<_> = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let (mut alike, mut refused, mut wrong) = (0, 0, 0);
    for path in &paths {
        let file = JobFile::of_text(&std::fs::read_to_string(path).expect("a job file"));
        let found = lasting(&file, None);
        let unread = found.iter().any(|(aspect, _)| aspect.is_none());
        match (found.is_empty(), unread) {
            (true, _) => alike += 1,
            (_, true) => refused += 1,
            _ => wrong += 1,
        }
        found.iter().for_each(|(_, why)| println!("{}: {why}", path.display()));
    }
    println!("{} files: {alike} alike, {refused} that one of both refuses, {wrong} different", paths.len());
    assert_eq!(wrong, 0);
}

#[test]
fn every_option_that_is_carried_over_is_drawn_and_each_with_those_it_depends_on() {
    for seed in [1, 17, 12_345] {
        let drawn =
            |count| job_files(count, seed, true).into_iter().flat_map(|file| file.cases).collect::<BTreeSet<_>>();
        let keys: BTreeSet<&str> = drawn(COUNT).into_iter().map(|(key, _)| key).collect();
        let known: BTreeSet<&str> = drivelab_interop::fio::CARRIED.into_iter().collect();
        let missing: Vec<&&str> =
            known.iter().filter(|key| !keys.contains(*key) && !options::NOT_DRAWN.contains(key)).collect();
        assert!(missing.is_empty(), "seed {seed}: {missing:?} are read by the import and not drawn");
        let strange: Vec<&&str> = keys.iter().filter(|key| !known.contains(*key)).collect();
        assert!(strange.is_empty(), "{strange:?} are drawn, and the import does not read them");
        let all: BTreeSet<_> = options::ROWS
            .iter()
            .chain(&options::ON_DEVICE)
            .flat_map(|row| row.jobs.iter().map(|job| (row.key, *job)))
            .collect();
        assert_eq!(drawn(WHOLE), all, "seed {seed}");
    }
}
