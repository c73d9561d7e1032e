//! Figures do not change: runs that an earlier drivelab recorded give, to twelve digits, the figures, verdicts and
//! findings that they gave then, whatever has been rebuilt since.
//!
//! `tests/golden/NAME.tar.zst` contains the bundles of one real command and `figures.txt`, the figures at the time
//! when they were added (tests/golden/README.md). Statements may be reworded; codes, evidence and figures may not
//! change. A deliberate change is recorded with `DRIVELAB_GOLDEN=write` and named in CHANGELOG.md under *Numbers*.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use drivelab_analysis::digest::Digest;
use drivelab_analysis::{LiveOthers, analyse};
use drivelab_core::ids::StepKey;
use drivelab_core::metric::Metric;
use drivelab_store::Bundle;
use serde_json::Value;
use support::Lab;

/// The file of an archive that contains the figures of its bundles.
const FIGURES: &str = "figures.txt";
/// Parts of a document besides the results of the analysis (rules may change); each of several runs is also read by itself.
const RECORDED: [&str; 7] = ["schema", "schema_version", "environment", "steps", "telemetry", "runs", "suitability"];
/// Texts, and who made the run, wherever they are in a document.
const WORDS: [&str; 16] = [
    "title",
    "label",
    "unit",
    "statement",
    "likely_cause",
    "next_action",
    "reason",
    "text",
    "what",
    "because",
    "action",
    "summary",
    "sources",
    "method",
    "tool",
    "analysis_version",
];
/// A text line that the archives contain anyway.
const REASONS: &str = "/not_comparable_because ";
/// Lines that a failure shows.
const SHOWN: usize = 12;

fn archives() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    let entries = std::fs::read_dir(&folder).expect("tests/golden").map(|entry| entry.expect("an entry").path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|kind| kind == "zst")).collect();
    found.sort();
    assert!(!found.is_empty(), "no archive in {}", folder.display());
    found
}

/// Unpacks an archive as the data folder of this lab.
fn unpack(archive: &Path, lab: &Lab) {
    let packed = zstd::Decoder::new(File::open(archive).expect("an archive")).expect("zstd");
    tar::Archive::new(packed).unpack(lab.data()).unwrap_or_else(|error| panic!("{}: {error}", archive.display()));
}

/// Packs the data folder of this lab again: its runs and its figures.
fn pack(lab: &Lab, archive: &Path) {
    let mut builder =
        tar::Builder::new(zstd::Encoder::new(File::create(archive).expect("an archive"), 19).expect("zstd"));
    builder.mode(tar::HeaderMode::Deterministic);
    builder.append_dir_all("runs", lab.data().join("runs")).expect("the runs");
    builder.append_path_with_name(lab.data().join(FIGURES), FIGURES).expect("the figures");
    builder.into_inner().expect("tar").finish().expect("zstd");
}

/// One line for each figure, verdict, finding and piece of evidence.
fn figures(lab: &Lab) -> String {
    let mut runs: Vec<String> = lab.runs().into_iter().map(|(run, _)| run).collect();
    runs.sort();
    let mut lines = Vec::new();
    for run in &runs {
        lines.push(format!("run {run}"));
        let document = lab.json(&["report", run, "--format", "json"]);
        assert!(document["run"]["method"]["compared_hash"].is_string(), "{run}: {}", document["run"]["method"]);
        flatten("", &document, &mut lines);
    }
    if runs.len() > 1 {
        let runs: Vec<&str> = runs.iter().map(String::as_str).collect();
        let together = lab.run(&[&["report", "--format", "json"][..], &runs].concat());
        lines.push(format!("together {}", together.code));
        if together.code == 0 {
            flatten("", &serde_json::from_str(&together.stdout).expect("JSON"), &mut lines);
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

fn flatten(path: &str, value: &Value, lines: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let recorded = |key: &str| path.is_empty() && RECORDED.contains(&key);
            let kept = fields.iter().filter(|(key, _)| !WORDS.contains(&key.as_str()) && !recorded(key));
            match fields.get("address").and_then(Value::as_str) {
                Some(address) => {
                    let rest =
                        kept.filter(|(key, value)| !["address", "id", "step"].contains(&key.as_str()) && !empty(value));
                    let rest: Vec<String> = rest.map(|(key, value)| format!("{key} {value}")).collect();
                    lines.push(format!("{path} {address} {}", rest.join(" ")));
                }
                None => kept.for_each(|(key, value)| flatten(&format!("{path}/{key}"), value, lines)),
            }
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            for (at, item) in items.iter().enumerate() {
                let name = ["address", "code"].iter().find_map(|key| item.get(key)).and_then(Value::as_str);
                match name {
                    Some(_) if item.get("address").is_some() => flatten(path, item, lines),
                    Some(name) => flatten(&format!("{path}/{name}"), item, lines),
                    None => flatten(&format!("{path}/{at}"), item, lines),
                }
            }
        }
        other if empty(other) => {}
        other => lines.push(format!("{path} {other}")),
    }
}

/// Values that state nothing: a missing figure may be left out of a document or be null.
fn empty(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

/// The line with its fractions in twelve digits: the last digits depend on the order in which sums are added up.
fn rounded(line: &str) -> String {
    let number = |c: char| c.is_ascii_digit() || c == '.';
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        let (text, behind) = from.split_at(from.find(|c| !number(c)).unwrap_or(from.len()));
        out.push_str(before);
        match text.parse::<f64>() {
            Ok(value) if text.contains('.') => out.push_str(&format!("{value:.11e}")),
            _ => out.push_str(text),
        }
        rest = behind;
    }
    out + rest
}

#[test]
fn fractions_are_held_to_twelve_digits() {
    assert_eq!(rounded("/a/0/mb_s 41.94304"), rounded("/a/0/mb_s 41.943039999999996"));
    assert_ne!(rounded("/a mb_s 41.9430401"), rounded("/a mb_s 41.94304"));
    assert_eq!(rounded("run 01a2 [1,2] x"), "run 01a2 [1,2] x");
}

#[test]
fn every_golden_run_gives_the_figures_that_it_gave() {
    let write = std::env::var_os("DRIVELAB_GOLDEN").is_some_and(|word| word == "write");
    let mut wrong = Vec::new();
    for archive in archives() {
        let lab = Lab::new();
        unpack(&archive, &lab);
        let (now, file) = (figures(&lab), lab.data().join(FIGURES));
        if write {
            std::fs::write(&file, &now).expect("room");
            pack(&lab, &archive);
            continue;
        }
        let then = std::fs::read_to_string(&file).expect("an archive has its figures");
        let lines = |text: &str| -> BTreeSet<String> {
            text.lines().filter(|line| !line.starts_with(REASONS)).map(rounded).collect()
        };
        let (now, then) = (lines(&now), lines(&then));
        let gone = then.difference(&now).map(|line| format!("- {line}"));
        let new = now.difference(&then).map(|line| format!("+ {line}"));
        let (gone, new): (Vec<String>, Vec<String>) = (gone.collect(), new.collect());
        if gone.len() + new.len() > 0 {
            let shown: Vec<String> = gone.iter().take(SHOWN).chain(new.iter().take(SHOWN)).cloned().collect();
            let counts = format!("{} lines are gone, {} are new", gone.len(), new.len());
            wrong.push(format!("{}: {counts}\n{}", archive.display(), shown.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// So that no methodology can change its meaning unnoticed.
#[test]
fn every_built_in_methodology_has_a_golden_run() {
    let mut golden = BTreeSet::new();
    for archive in archives() {
        let lab = Lab::new();
        unpack(&archive, &lab);
        let list = lab.json(&["results", "list", "--json"]);
        let names = list["runs"].as_array().expect("runs").iter().filter_map(|run| run["method"].as_str());
        golden.extend(names.map(str::to_owned));
    }
    let list = Lab::new().json(&["methods", "list", "--json"]);
    let names = list["methods"].as_array().expect("methods").iter().filter_map(|method| method["name"].as_str());
    let missing: Vec<&str> = names.filter(|name| !golden.contains(*name)).collect();
    assert!(missing.is_empty(), "no golden run of {missing:?}");
}

/// The steps named while a run goes on are those marked at its end. No other program disturbed these runs.
#[test]
fn golden_runs_name_the_same_disturbed_steps_while_they_go_on_and_at_their_end() {
    for archive in archives() {
        let lab = Lab::new();
        unpack(&archive, &lab);
        for (run, _) in lab.runs() {
            let bundle = Bundle::open(&lab.data().join("runs").join(&run)).expect("a bundle");
            let findings = analyse(&bundle.records().expect("records")).findings;
            let at_end: BTreeSet<StepKey> = findings
                .into_iter()
                .filter(|finding| finding.code == "others_used_disk")
                .flat_map(|finding| finding.steps)
                .collect();
            let (mut live, mut seen) = (LiveOthers::default(), BTreeSet::new());
            let all = bundle.each_event(|event| {
                seen.extend(live.event(&event).into_iter().map(|one| one.key));
                ControlFlow::Continue(())
            });
            all.expect("events");
            assert_eq!(seen, at_end, "{run}");
        }
    }
}

/// Bytes that a digest may take where it is kept.
const MOST_OF_A_DIGEST: usize = 200 << 10;

#[test]
fn the_digest_of_every_golden_run_is_small_and_loses_no_figure() {
    let mut largest = (0, String::new());
    for archive in archives() {
        let lab = Lab::new();
        unpack(&archive, &lab);
        for (run, _) in lab.runs() {
            let path = lab.data().join("runs").join(&run);
            let records = Bundle::open(&path).and_then(|bundle| bundle.records()).expect("a bundle");
            let analysis = analyse(&records);
            let digest = Digest::of(&records, &analysis);
            let document = serde_json::to_vec(&digest).expect("JSON");
            let read: Digest = serde_json::from_slice(&document).expect("a digest");
            assert_eq!(read, digest, "{run}");
            let kept = read.steps().flat_map(|step| &step.metrics).chain(&read.metrics);
            let kept: BTreeMap<&str, &Metric> = kept.map(|metric| (metric.address.as_str(), metric)).collect();
            assert_eq!(kept.len(), analysis.metrics.len(), "{run}");
            for metric in &analysis.metrics {
                let own = kept[metric.address.as_str()];
                let near = |one: Option<f64>, other: Option<f64>| match (one, other) {
                    (Some(one), Some(other)) => (one - other).abs() <= 1e-8 * other.abs(),
                    (one, other) => one.is_none() && other.is_none(),
                };
                let rounds = own.rounds.iter().zip(&metric.rounds).all(|(one, other)| near(Some(*one), Some(*other)));
                assert!(rounds && own.rounds.len() == metric.rounds.len(), "{run}: {own:?}\n{metric:?}");
                assert!(near(own.value, metric.value), "{run}: {own:?}\n{metric:?}");
                let marks = |one: &Metric| (one.voided_by.clone(), one.spoiled_by.clone(), one.wrong, one.lower_bound);
                assert_eq!(marks(own), marks(metric), "{run}: {}", metric.address);
            }
            let kept = zstd::encode_all(document.as_slice(), 3).expect("zstd").len();
            largest =
                largest.max((kept, format!("{} ({} bytes of JSON)", records.plan.methodology.name, document.len())));
        }
    }
    println!("the largest digest: {} bytes, {}", largest.0, largest.1);
    assert!(largest.0 < MOST_OF_A_DIGEST, "{largest:?}");
}
