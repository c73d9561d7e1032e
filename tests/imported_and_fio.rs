//! Randomly drawn job files, run by fio and, imported, by drivelab: both issue the same operations, or the import
//! reported the difference.
//!
//! `DRIVELAB_IMPORTS` sets the number of job files (30), `DRIVELAB_IMPORTS_SEED` the seed; both are printed. A long
//! series may be divided: `DRIVELAB_IMPORTS_PART=2 DRIVELAB_IMPORTS_PARTS=4` takes every fourth, from the third on.
//! The test compares operations, bytes, shares of kinds and sizes, places, order, flushes and the time that a rate
//! takes. In the plan it compares properties that operations do not show with the meaning of the options (the page
//! cache, data, flushes, CPUs, the seed). The comparison is exact if nothing is drawn, otherwise within 4.5 standard
//! deviations. A difference in time alone is measured again, and slower than asked does not count while other programs
//! have the CPUs, because only a busy machine causes it; such a file is measured again too. The number of jobs that
//! were judged by their time is printed, and must be at least a third if other programs took almost no CPU.
//!
//! A series of 300 takes longer than a test may in the usual profile: `DRIVELAB_IMPORTS=300 cargo nextest run
//! --profile long -p drivelab --test imported_and_fio --no-capture`.

#![allow(unreachable_pub, reason = "the parts of one test program")]

#[path = "imported_and_fio/busy.rs"]
mod busy;
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

use busy::Watch;
use compare::{Aspect, Pair, explained};
use draw::{JobFile, job_files};
use drivelab_core::plan::Plan;
use drivelab_rig::{LoopDevice, root_or_skip, skip};
use issued::Issued;
use support::Lab;

/// Default number of job files.
const COUNT: usize = 30;
/// A series in which every case occurs.
const WHOLE: usize = 300;
/// Tries for a file of which only the time differs, and for one whose time cannot be judged because other programs
/// have the CPUs.
const TRIES: usize = 4;
/// If other programs had less than this share of the CPUs over the whole test, a third of all jobs must have been
/// judged by their time. For each file to be missed four times, other programs must have had far more (`busy::BUSY`).
const LITTLE: f64 = 0.15;

fn asked(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

/// The notes of the import on one job file, and its methodology.
fn imported(lab: &Lab, path: &str) -> Result<(String, serde_json::Value), String> {
    let done = lab.run(&["methods", "import", path, "--json", "-o", "imported.toml"]);
    if done.code != 0 {
        return Err(format!("drivelab refuses it: {}", done.stderr));
    }
    let text = std::fs::read_to_string(lab.folder().join("imported.toml")).expect("a methodology");
    Ok((text, serde_json::from_str(&done.stdout).expect("one document")))
}

/// The notes of the import on the options at these lines.
fn said(document: &serde_json::Value, lines: std::ops::Range<u64>) -> String {
    let notes = ["changed", "not_carried"].iter().flat_map(|fate| document[*fate].as_array().expect("a list"));
    let here = notes.filter(|note| lines.contains(&note["line"].as_u64().unwrap_or(0)));
    here.map(|note| note["why"].as_str().unwrap_or_default()).collect::<Vec<_>>().join("; ")
}

/// What both programs did with a file.
struct Both {
    toml: String,
    /// The notes of the import on it.
    document: serde_json::Value,
    plan: Plan,
    /// For each batch of jobs.
    issued: Vec<[Issued; 2]>,
    /// Other programs had the CPUs just before, meanwhile or just after.
    busy: bool,
}

fn both(lab: &Lab, file: &JobFile, text: &str) -> Result<Both, String> {
    let folder = lab.folder();
    let path = folder.join("drawn.fio").display().to_string();
    std::fs::write(&path, text).expect("a job file");
    let (toml, document) = imported(lab, &path)?;
    let plan = issued::plan(&toml, file.device)?;
    let tests = issued::tests(&plan).count();
    if tests != file.batches.len() {
        return Err(format!("{tests} tests for {} batches", file.batches.len()));
    }
    let before = busy::wanted();
    let watch = Watch::begin();
    let by_fio = issued::by_fio(file, &path, &plan)?;
    let by_drivelab = issued::tests(&plan).map(issued::by_drivelab).collect::<Result<Vec<Issued>, String>>()?;
    let meanwhile = watch.others() >= busy::BUSY;
    let busy = before || meanwhile || busy::wanted();
    let issued = by_fio.into_iter().zip(by_drivelab).map(|(fio, lab)| [fio, lab]).collect();
    Ok(Both { toml, document, plan, issued, busy })
}

/// The result for a file.
#[derive(Default)]
struct Measured {
    /// Differences that the import did not report; no aspect means that one of the programs refuses the file.
    found: Vec<(Option<Aspect>, String)>,
    /// Jobs that end by time or keep a pace.
    timed: usize,
    /// Jobs that were not judged by their time, because other programs had the CPUs.
    busy: bool,
}

/// Differences between the two programs that the import did not report.
fn measured(lab: &Lab, file: &JobFile, text: &str) -> Measured {
    let both = match both(lab, file, text) {
        Ok(both) => both,
        Err(why) => return Measured { found: vec![(None, why)], ..Measured::default() },
    };
    let starts: Vec<u64> =
        (1..).zip(text.lines()).filter(|(_, line)| line.starts_with('[')).map(|(at, _)| at).collect();
    let mut all = Measured { busy: both.busy, ..Measured::default() };
    let seeds = settings::seeds(&both.toml);
    let generated = !file.cases.is_empty();
    let mut job = 1;
    for (((sections, test), [fio, lab]), seed) in
        file.batches.iter().zip(issued::tests(&both.plan)).zip(&both.issued).zip(seeds)
    {
        let begin = starts[job];
        job += sections.len();
        let end = starts.get(job).copied().unwrap_or(u64::MAX);
        let words = said(&both.document, begin..end);
        let known = explained(&words, generated);
        let pair = Pair { sections, test, fio, lab, busy: both.busy, generated };
        all.timed += usize::from(pair.keeps_time());
        // Other people's files express these things in more ways than the table contains.
        let settings = if generated { settings::differences(&pair, seed, &words) } else { Vec::new() };
        let differ = pair.differences().into_iter().chain(settings);
        let unknown = differ.filter(|(aspect, _)| !known.contains(aspect));
        let jobs: Vec<String> = sections.iter().map(|section| section.options.join(";")).collect();
        all.found.extend(unknown.map(|(aspect, why)| {
            (Some(aspect), format!("{aspect:?} of {}: {why}\n    the import says: {words}", jobs.join(" | ")))
        }));
    }
    all
}

/// The differences of a file; differences in time alone only if they occur again and again on a calm machine.
fn lasting(file: &JobFile, disk: Option<&LoopDevice>) -> Measured {
    let mut tries = [0, 0];
    loop {
        let lab = Lab::new();
        let mut text = file.text(&lab.folder().display().to_string());
        if let Some(disk) = disk {
            text = text.replace("DEVICE", &disk.device);
        }
        let measured = measured(&lab, file, &text);
        let in_time = |aspect: &Option<Aspect>| matches!(aspect, Some(Aspect::Pace | Aspect::Amount));
        let is_sure = !measured.found.iter().all(|(aspect, _)| in_time(aspect));
        let judged = !measured.busy || measured.timed == 0;
        let tried = &mut tries[usize::from(measured.busy)];
        *tried += 1;
        if is_sure || (measured.found.is_empty() && judged) || *tried == TRIES {
            return measured;
        }
    }
}

/// How many jobs were judged by their time, of all that have a time to be judged by.
#[derive(Default)]
struct Tally {
    judged: usize,
    not: usize,
}

impl Tally {
    fn count(&mut self, measured: &Measured) {
        *(if measured.busy { &mut self.not } else { &mut self.judged }) += measured.timed;
    }

    /// Prints the share, and demands a third if the CPUs were almost idle: otherwise two counts of the kernel
    /// contradict each other, or this test's own work was taken for that of other programs.
    fn tell(&self, watch: &Watch) {
        let (Tally { judged, not }, others) = (self, watch.others());
        println!(
            "of {} jobs that end by time or keep a pace, {judged} were judged by it and {not} were not, since others \
             had the CPUs; of all the time of the test others had {:.0} % of them",
            judged + not,
            others * 100.0
        );
        assert!(judged * 2 >= *not || others > LITTLE, "{judged} judged, {not} not, and others had next to nothing");
    }
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
    let disk = devices.then(|| LoopDevice::new(lab.root(), "device", issued::DEVICE >> 20));
    let (mut wrong, mut tally, watch) = (Vec::new(), Tally::default(), Watch::begin());
    let (part, parts) = (asked("DRIVELAB_IMPORTS_PART", 0), asked("DRIVELAB_IMPORTS_PARTS", 1));
    let here = |(number, _): &(usize, _)| *number as u64 % parts == part;
    for (number, file) in job_files(count, seed, devices).iter().enumerate().filter(here) {
        let measured = lasting(file, disk.as_ref().filter(|_| file.device));
        tally.count(&measured);
        if !measured.found.is_empty() {
            println!("file {number}:\n{}", file.text("FOLDER"));
        }
        measured.found.iter().for_each(|(_, why)| println!("file {number}: {why}"));
        wrong.extend(measured.found);
    }
    tally.tell(&watch);
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
    let (mut tally, watch) = (Tally::default(), Watch::begin());
    for path in &paths {
        let file = JobFile::of_text(&std::fs::read_to_string(path).expect("a job file"));
        let measured = lasting(&file, None);
        tally.count(&measured);
        let found = measured.found;
        let unread = found.iter().any(|(aspect, _)| aspect.is_none());
        match (found.is_empty(), unread) {
            (true, _) => alike += 1,
            (_, true) => refused += 1,
            _ => wrong += 1,
        }
        found.iter().for_each(|(_, why)| println!("{}: {why}", path.display()));
    }
    println!("{} files: {alike} alike, {refused} that one of both refuses, {wrong} different", paths.len());
    tally.tell(&watch);
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
