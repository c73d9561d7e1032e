//! The edges of the command line: exit codes that need a failing device or host, settings and their precedence, sudo,
//! completions and man pages, redacted reports, JSON on errors.

mod support;

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use drivelab_core::units::Bytes;
use drivelab_report::format;
use drivelab_rig::{root_or_skip, skip, text, tool};
use support::{Lab, Process};

#[test]
fn completions_and_man_pages_come_from_the_command_line_itself() {
    let lab = Lab::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(lab.ok(&["completions", shell]).stdout.contains("drivelab"), "{shell}");
    }
    lab.ok(&["man", "pages", "--dry-run"]);
    assert!(lab.files().is_empty());
    lab.ok(&["man", "pages"]);
    let page = std::fs::read_to_string(lab.folder().join("pages/drivelab-review.1")).expect("a page for review");
    assert!(page.contains("destroy") && page.contains("dry\\-run"), "{page}");
}

/// What bash offers for the last of these words, which it has split as it does on a command line.
fn offered(lab: &Lab, words: &[&str]) -> Vec<String> {
    let line = format!("drivelab {}", words.join(" "));
    let words: Vec<&str> = words.iter().flat_map(|word| split(word)).collect();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_drivelab"));
    let path = format!("{}:{}", text(program.parent().expect("a folder")), std::env::var("PATH").expect("a path"));
    let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let script = format!(
        "source <(drivelab completions bash)
         COMP_WORDS=(drivelab {}); COMP_CWORD={}; COMP_TYPE=9; COMP_LINE='{line}'
         _drivelab drivelab {}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.join(" "),
        words.len(),
        words.last().filter(|word| !["'='", "':'"].contains(&word.as_str())).map_or("''", String::as_str)
    );
    let mut command = std::process::Command::new("bash");
    lab.dress(&mut command).args(["--norc", "-c", &script]).env("PATH", path).env("DRIVELAB_DATA", lab.data());
    let done = support::done(command.current_dir(lab.folder()).output().expect("bash starts"));
    assert!(done.stderr.is_empty(), "{}", done.stderr);
    done.stdout.lines().map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// A word as bash sees it, with `=` and `:` as words of their own.
fn split(word: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = word;
    while let Some(at) = rest.find(['=', ':']) {
        parts.extend([&rest[..at], &rest[at..=at]].into_iter().filter(|part| !part.is_empty()));
        rest = &rest[at + 1..];
    }
    if !rest.is_empty() || parts.is_empty() {
        parts.push(rest);
    }
    parts
}

#[test]
fn a_shell_completes_methodologies_runs_tags_and_sides() {
    let lab = Lab::new();
    assert_eq!(offered(&lab, &["results", "show", "l"]), Vec::<String>::new());
    assert!(!lab.data().exists(), "a question creates nothing");
    lab.ok(&["io", "nop:", "--operations", "100", "--quiet"]);
    lab.ok(&["results", "tag", "last", "heatsink=none"]);
    let id = lab.runs()[0].0.clone();
    assert_eq!(offered(&lab, &["run", "rand"]), ["random-read-sweep"]);
    assert_eq!(offered(&lab, &["results", "show", "l"]), ["last"]);
    let ends = offered(&lab, &["results", "show", ""]);
    assert!(ends.iter().any(|end| id.ends_with(end.as_str())), "{ends:?}");
    assert_eq!(offered(&lab, &["results", "list", "--tag", "heat"]), ["heatsink=none"]);
    // Bash replaces only what stands behind the last `=` or `:`.
    assert_eq!(offered(&lab, &["compare", "tag=h"]), ["heatsink=none"]);
    assert_eq!(offered(&lab, &["compare", "tag="]), ["heatsink=none"]);
    assert_eq!(offered(&lab, &["compare", "tag=heatsink=n"]), ["none"]);
    assert_eq!(offered(&lab, &["rank", "quick", "published:beeler-w"]).len(), 0);
    assert!(offered(&lab, &["rank", "quick", "published:beeler"]).contains(&"beeler-sn861".to_owned()));
    std::fs::write(lab.folder().join("mine.toml"), "").expect("a file");
    assert_eq!(offered(&lab, &["run", "min"]), ["mine.toml"]);
    let script = lab.ok(&["completions", "bash"]).stdout;
    assert!(script.contains("-o filenames") && !script.contains("-F _clap"), "bash quotes, words are whole: {script}");
    assert_eq!(offered(&lab, &["results", "remove", "la"]), Vec::<String>::new(), "it needs an id");
    assert_eq!(offered(&lab, &["rank", "min"]), Vec::<String>::new(), "no run is of this file");
    let here = format!("--data={}", text(&lab.data()));
    assert_eq!(offered(&lab, &[&here, "results", "show", "la"]), ["last"]);
    let elsewhere = lab.folder().join("elsewhere");
    let flags = offered(&lab, &["--data", text(&elsewhere), "results", "show", ""]);
    assert!(flags.iter().all(|flag| flag.starts_with("--")), "no run is there: {flags:?}");
    let joined = format!("--data={}", text(&elsewhere));
    assert_eq!(offered(&lab, &[&joined, "results", "show", ""]), flags);
}

#[test]
fn settings_come_from_the_strongest_that_names_them() {
    let lab = Lab::new();
    let explain = |lab: &Lab, flags: &[&str], variable: Option<&str>| {
        let mut command = lab.command(&[flags, &["config", "--json"]].concat());
        command.env_remove("DRIVELAB_DATA").env("XDG_CONFIG_HOME", lab.data().join("config"));
        if let Some(variable) = variable {
            command.env("DRIVELAB_DATA", variable);
        }
        let done = support::done(command.output().expect("drivelab starts"));
        assert_eq!(done.code, 0, "{}", done.stderr);
        let document: serde_json::Value = serde_json::from_str(&done.stdout).expect("JSON");
        let data = document["settings"].as_array().expect("settings").iter().find(|s| s["setting"] == "data").cloned();
        let data = data.expect("the data folder");
        (data["value"].as_str().expect("a path").to_owned(), data["source"].as_str().expect("a source").to_owned())
    };
    assert_eq!(explain(&lab, &[], None).1, "default");
    std::fs::create_dir_all(lab.data().join("config/drivelab")).expect("a folder");
    std::fs::write(lab.data().join("config/drivelab/config.toml"), "data = \"/user\"").expect("a file");
    assert_eq!(explain(&lab, &[], None).0, "/user");
    lab.write("drivelab.toml", "data = \"/project\"");
    assert_eq!(explain(&lab, &[], None), ("/project".to_owned(), "drivelab.toml".to_owned()));
    assert_eq!(explain(&lab, &[], Some("/env")), ("/env".to_owned(), "DRIVELAB_DATA".to_owned()));
    assert_eq!(explain(&lab, &["--data", "/flag"], Some("/env")), ("/flag".to_owned(), "flag --data".to_owned()));
    lab.write("drivelab.toml", "dta = \"/project\"");
    let wrong = lab.run(&["config"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("drivelab.toml") && wrong.stderr.contains("dta"), "{}", wrong.stderr);
}

#[test]
fn a_wrong_methodology_is_json_too_where_json_is_asked_for() {
    let lab = Lab::new();
    lab.write("bad.toml", "format = 1\nnmae = \"x\"\n");
    let done = lab.run(&["methods", "check", "bad.toml", "--json"]);
    assert_eq!(done.code, 2);
    let document: serde_json::Value = serde_json::from_str(&done.stdout).expect("one JSON document");
    assert_eq!(document["ok"], false);
    let errors = document["errors"].as_array().expect("errors");
    assert!(errors.iter().any(|error| error["line"] == 2 && error["column"] == 1), "{document:#}");
}

#[test]
fn errors_of_the_target_end_with_code_8_and_stay_readable() {
    let lab = Lab::new();
    let (child, mut lines) = lab.start_with_events(&["victim.bin", "--new-file", "--size", "64 MiB"]);
    let filled = lines.by_ref().any(|line| line.contains("\"step_ended\""));
    assert!(filled, "the fill ends");
    // Another program truncates the file while it is being read.
    let file = std::fs::OpenOptions::new().write(true).open(lab.folder().join("victim.bin")).expect("the scratch file");
    file.set_len(0).expect("cut off");
    lines.for_each(drop);
    let done = support::done(child.wait_with_output().expect("drivelab ends"));
    assert_eq!(done.code, 8, "{}", done.stderr);
    assert!(done.stderr.contains("fewer bytes than asked"), "{}", done.stderr);
    let report = lab.json(&["report", "--last", "--format", "json"]);
    assert!(report["findings"].to_string().contains("io_errors"), "{:#}", report["findings"]);
}

#[test]
fn a_backend_that_is_demanded_and_not_to_be_had_ends_with_code_9_before_anything_is_made() {
    if !root_or_skip("prlimit and setpriv") {
        return;
    }
    let knob = "/proc/sys/kernel/io_uring_disabled";
    let Ok(before) = std::fs::read_to_string(knob) else {
        skip("this kernel has no kernel.io_uring_disabled");
        return;
    };
    let lab = Lab::in_folder(std::path::Path::new("/var/tmp"));
    let binary = lab.folder().join("../drivelab");
    std::fs::copy(env!("CARGO_BIN_EXE_drivelab"), &binary).expect("a copy that anybody may run");
    tool("chmod", &["-R", "a+rwX", lab.folder().join("..").to_str().expect("text")]);
    let mut command = std::process::Command::new("setpriv");
    let user = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
    lab.dress(&mut command).args(user).arg(&binary);
    command.args(["run", "quick", ".", "--form", "smoke", "--backend", "uring"]);
    std::fs::write(knob, "1").expect("io_uring switched off for ordinary users");
    let output = command.output();
    std::fs::write(knob, before).expect("as it was");
    let done = support::done(output.expect("setpriv starts"));
    assert_eq!(done.code, 9, "{}", done.stderr);
    assert!(done.stderr.contains("io_uring"), "{}", done.stderr);
    assert!(lab.files().is_empty() && lab.runs().is_empty());
}

#[test]
fn under_sudo_everything_belongs_to_the_caller() {
    if !root_or_skip("being root for another user") {
        return;
    }
    let lab = Lab::new();
    let before = lab.data().join("runs/before");
    std::fs::create_dir_all(&before).expect("somebody's folder");
    // File times have the resolution of a timer tick: a file older than that is older than the command.
    std::thread::sleep(std::time::Duration::from_millis(50));
    let mut command = lab.command(&["review", "--form", "smoke", "--quiet"]);
    command.env("SUDO_UID", "65534").env("SUDO_GID", "65534");
    let done = support::done(command.output().expect("drivelab starts"));
    assert_eq!(done.code, 0, "{}", done.stderr);
    let (run, _) = lab.runs().remove(0);
    let bundle = lab.data().join("runs").join(run);
    assert_eq!(std::fs::metadata(&before).expect("it exists").uid(), 0, "what was there before keeps its owner");
    for path in [lab.folder().join("review.html"), lab.data().join("catalog.sqlite"), bundle.clone()] {
        assert_eq!(std::fs::metadata(&path).expect("it exists").uid(), 65534, "{}", path.display());
    }
    assert_eq!(std::fs::metadata(bundle.join("seal.json")).expect("a seal").uid(), 65534);
}

#[test]
fn resume_overwrites_the_very_file_that_was_named_and_no_other_at_its_path() {
    let lab = Lab::new();
    for replaced in [true, false] {
        let file = lab.write("named.bin", vec![7u8; 16 << 20]);
        let (child, mut lines) = lab.start_with_events(&["named.bin", "--destroy", "named.bin"]);
        assert!(lines.by_ref().any(|line| line.contains("\"step_ended\"") && line.contains("corners/")));
        tool("kill", &["-INT", &child.id().to_string()]);
        lines.for_each(drop);
        assert_eq!(support::done(child.wait_with_output().expect("drivelab ends")).code, 7);
        if replaced {
            std::fs::remove_file(&file).expect("removed");
            lab.write("another.bin", vec![9u8; 16 << 20]);
            std::fs::rename(lab.folder().join("another.bin"), &file).expect("another file at the same path");
            let done = lab.run(&["resume", "--last"]);
            assert_eq!(done.code, 5, "{}", done.stderr);
            assert_eq!(std::fs::read(&file).expect("content"), vec![9u8; 16 << 20], "left alone");
        } else {
            // Without a second stop this would take two minutes: it is enough that it continues.
            let mut resumed = lab.command(&["resume", "--last", "--events", "json"]);
            let mut child = resumed.stdout(std::process::Stdio::piped()).spawn().expect("drivelab starts");
            let out = child.stdout.take().expect("stdout");
            let mut lines = std::io::BufRead::lines(std::io::BufReader::new(out)).map_while(Result::ok);
            assert!(lines.by_ref().any(|line| line.contains("\"interval\"")), "the named file is measured again");
            tool("kill", &["-INT", &child.id().to_string()]);
            lines.for_each(drop);
            child.wait().expect("drivelab ends");
        }
    }
}

#[test]
fn a_redacted_report_names_neither_folders_nor_serial_numbers() {
    let lab = Lab::new();
    lab.ok(&["review", "--form", "smoke", "--redact", "--quiet"]);
    let page = std::fs::read_to_string(lab.folder().join("review.html")).expect("the page");
    let whole = lab.ok(&["report", "--last", "--format", "json"]).stdout;
    let folder = lab.folder();
    let folder = folder.to_str().expect("text");
    assert!(whole.contains(folder) && !page.contains(folder));
    let whole: serde_json::Value = serde_json::from_str(&whole).expect("JSON");
    let redacted = lab.json(&["report", "--last", "--format", "json", "--redact"]);
    assert_eq!(whole["metrics"], redacted["metrics"], "the figures are the same");
    for device in redacted["environment"]["target"]["devices"].as_array().expect("devices") {
        assert!(device["serial"].is_null(), "{device:#}");
    }
}

/// The folder that no redacted report may name.
const PRIVATE: &str = "holiday-in-ruritania";

#[test]
fn a_redacted_report_names_no_folder_of_a_source_a_trace_or_data() {
    let lab = Lab::new();
    let private = lab.root().join(PRIVATE);
    std::fs::create_dir_all(private.join("films-of-zenda")).expect("a folder");
    let text = |name: &str| private.join(name).to_str().expect("text").to_owned();
    let iolog = "fio version 2 iolog\nd add\nd open\nd read 0 4096\nd read 4096 4096\nd close\n";
    std::fs::write(text("t.log"), iolog).expect("a trace");
    std::fs::write(text("sample.bin"), [7_u8; 4096]).expect("data");
    let (source, trace, data) = (text("films-of-zenda"), text("t.log"), text("sample.bin"));
    let (copies, replays, writes) = (
        ["run", "file-transfer", ".", "--form", "smoke", "--source", &source, "--quiet"],
        ["io", "nop:", "--trace-in", &trace, "--qd", "1", "--quiet"],
        ["io", "nop:", "--op", "write", "--operations", "1000", "--data-file", &data, "--quiet"],
    );
    for (arguments, file) in [(&copies[..], None), (&replays[..], Some("t.log")), (&writes[..], Some("sample.bin"))] {
        lab.ok(arguments);
        let report = |more: &[&str]| lab.ok(&[&["report", "--last"], more].concat()).stdout;
        let whole = report(&["--format", "json"]);
        assert!(whole.contains(PRIVATE), "{arguments:?}: nothing is left out of what names nothing");
        for format in ["json", "html", "md"] {
            let redacted = report(&["--redact", "--format", format]);
            assert!(!redacted.contains(PRIVATE) && !redacted.contains("zenda"), "{arguments:?}: {format}");
        }
        let redacted = report(&["--redact", "--format", "json"]);
        assert!(file.is_none_or(|file| redacted.contains(file)), "{arguments:?}: names of files stay: {file:?}");
        let redacted: serde_json::Value = serde_json::from_str(&redacted).expect("JSON");
        let whole: serde_json::Value = serde_json::from_str(&whole).expect("JSON");
        assert_eq!(whole["metrics"], redacted["metrics"], "{arguments:?}: the figures are the same");
    }
}

#[test]
fn a_size_that_cannot_be_is_a_usage_error_and_one_that_is_cut_is_said() {
    let lab = Lab::new();
    for size in ["0", "12", "1 MiB"] {
        let done = lab.run(&["run", "quick", ".", "--size", size]);
        assert_eq!(done.code, 2, "{size}: {}", done.stderr);
        assert!(done.stderr.contains("at least"), "{}", done.stderr);
    }
    for command in [&["run", "quick", "."][..], &["review", "."], &["review"]] {
        let dry = [command, &["--size", "900 TiB", "--dry-run"]].concat();
        let size = |bytes| format::bytes(Bytes::new(bytes));
        let wanted = format!("instead of {}", size(900 << 40));
        let document = lab.json(&[&dry[..], &["--json"]].concat());
        let both = format!("the scratch file is {} {wanted}", size(document["length"].as_u64().expect("a length")));
        assert!(document["remarks"].to_string().contains(&both), "{both}: {document:#}");
        // Other programs may have taken some of the free space by now.
        let cut = lab.ok(&dry).stdout;
        assert!(cut.contains(&wanted) && cut.contains("10 % of the free space"), "{wanted}: {cut}");
    }
    let new = lab.ok(&["run", "quick", "new-drive", "--new-file", "--dry-run"]);
    assert!(new.stdout.contains("is a new scratch file"), "{}", new.stdout);
}

#[test]
fn runs_are_listed_by_their_facts_and_tags() {
    let lab = Lab::new();
    for _ in 0..2 {
        lab.ok(&["io", "nop:", "--operations", "100"]);
    }
    let ids = |flags: &[&str]| -> Vec<String> {
        let document = lab.json(&[&["results", "list", "--json"], flags].concat());
        let runs = document["runs"].as_array().expect("runs");
        runs.iter().map(|run| run["id"].as_str().expect("an id").to_owned()).collect()
    };
    let both = ids(&[]);
    assert_eq!(both.len(), 2);
    assert_eq!(ids(&["--method", "io", "--state", "complete", "--since", "24 h"]), both);
    lab.ok(&["results", "tag", &both[1], "bench-2", "heatsink=none", "bench-2"]);
    assert_eq!(ids(&["--tag", "bench-2", "--tag", "heatsink=none"]), both[1..]);
    assert!(lab.ok(&["results", "list"]).stdout.contains("  bench-2 heatsink=none\n"));
    lab.ok(&["results", "tag", &both[1], "bench-2", "--remove"]);
    for flags in [
        ["--tag", "bench-2"],
        ["--state", "failed"],
        ["--drive", "none"],
        ["--since", "2999-01-01"],
        ["--form", "faithful"],
    ] {
        let none = lab.run(&[&["results", "list"], &flags[..]].concat());
        assert_eq!(
            (none.code, none.stderr.contains("no run matches these filters")),
            (4, true),
            "{flags:?}: {}",
            none.stderr
        );
    }
    for flags in [["--since", "yesterday"], ["--since", "2026-1-1"], ["--since", "2026-02-30"], ["--tag", "two words"]]
    {
        assert_eq!(lab.run(&[&["results", "list"], &flags[..]].concat()).code, 2, "{flags:?}");
    }
}

#[test]
fn runs_are_compared_by_their_digests_alone() {
    let lab = Lab::new();
    for _ in 0..2 {
        lab.ok(&["io", "nop:", "--time", "200ms", "--quiet"]);
    }
    lab.ok(&["io", "nop:", "--time", "200ms", "--qd", "4", "--quiet"]);
    let runs: Vec<String> = lab.runs().into_iter().map(|(run, _)| run).collect();
    let compare = || lab.ok(&["compare", &runs[2], &runs[1]]).stdout;
    let text = compare();
    let (a, b) = text.split_once("B  nop:").expect("two sides");
    assert!(a.starts_with("A  nop:") && a.contains(&runs[2]) && b.contains(&runs[1]), "{text}");
    assert!(text.contains("Headline figures") && text.contains("RND 4 KiB Q1T1 read"), "{text}");
    // The recordings are destroyed, each file keeping its length and time: nothing of them is read.
    for run in &runs {
        let events = lab.data().join("runs").join(run).join("events");
        for entry in std::fs::read_dir(events).expect("segments").flatten() {
            let facts = entry.metadata().expect("facts");
            std::fs::write(entry.path(), vec![0; usize::try_from(facts.len()).expect("small")]).expect("spoiled");
            let file = std::fs::File::options().write(true).open(entry.path()).expect("the segment");
            file.set_modified(facts.modified().expect("a time")).expect("its time");
        }
    }
    assert_eq!(compare(), text);
    let unlike = lab.run(&["compare", &runs[0], &runs[1]]);
    assert_eq!(unlike.code, 4, "{}", unlike.stderr);
    let why = unlike.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(why.contains("another load ('Random read, 4k, 1 in flight' instead of"), "{why}");
    for (words, code) in [
        (&["last"][..], 2),
        (&[], 2),
        (&["last", "last"], 2),
        (&["last", "--method", "io"], 2),
        (&["--method", "nope"], 4),
    ] {
        assert_eq!(lab.run(&[&["compare"], words].concat()).code, code, "{words:?}");
    }
    let all = lab.ok(&["compare", "--method", "io"]).stdout;
    assert!(all.lines().any(|line| line.starts_with("C  ")) && all.contains("Not comparable:"), "{all}");
    // A changed recording is read again; an unreadable one is left out by name, and so is a run in progress.
    std::fs::remove_dir_all(lab.data().join("runs").join(&runs[0]).join("events")).expect("gone");
    let mut running = Process(lab.command(&["io", "nop:", "--time", "60s", "--quiet"]).spawn().expect("starts"));
    let live = || lab.json(&["results", "list", "--json"])["runs"][0].clone();
    let deadline = Instant::now() + Duration::from_secs(60);
    while live()["live"] != true {
        assert!(Instant::now() < deadline, "the run is not listed as one in progress");
    }
    let id = live()["id"].as_str().expect("an id").to_owned();
    let some = lab.ok(&["compare", "--method", "io"]);
    tool("kill", &["-TERM", &running.0.id().to_string()]);
    running.0.wait().expect("its end");
    assert!(some.stderr.contains(&format!("run {} is left out: ", runs[0])), "{}", some.stderr);
    assert!(some.stderr.contains(&format!("run {id} is left out: it is still running")), "{}", some.stderr);
    assert!(some.stdout.contains("\nB  ") && !some.stdout.contains("\nC  "), "{}", some.stdout);
}

#[test]
fn a_filter_leaves_out_runs_that_are_not_complete_unless_it_asks_for_their_state() {
    let lab = Lab::new();
    let load = ["io", "nop:", "--operations", "1000", "--quiet"];
    lab.ok(&load);
    lab.ok(&load);
    let mut stopped = Process(lab.command(&["io", "nop:", "--time", "60s", "--quiet"]).spawn().expect("starts"));
    let runs = || lab.json(&["results", "list", "--json"])["runs"].as_array().expect("runs").clone();
    let deadline = Instant::now() + Duration::from_secs(60);
    while runs().len() < 3 || runs()[0]["live"] != true {
        assert!(Instant::now() < deadline, "the third run is not listed");
    }
    tool("kill", &["-TERM", &stopped.0.id().to_string()]);
    stopped.0.wait().expect("its end");
    let id = runs()[0]["id"].as_str().expect("an id").to_owned();
    let done = lab.ok(&["compare", "--method", "io"]);
    assert!(done.stderr.contains(&format!("run {id} is left out: it is not complete")), "{}", done.stderr);
    assert!(!done.stdout.contains(&id), "{}", done.stdout);
    let asked = lab.run(&["compare", "--method", "io", "--state", "interrupted"]);
    assert!(asked.code == 4 && !asked.stderr.contains("is left out"), "one run is no comparison: {}", asked.stderr);
}

/// The page of the reviews: each command of it has its flags and its methodology, and its counts are those of its rows.
#[test]
fn the_page_of_the_reviews_names_commands_that_exist_and_counts_right() {
    let lab = Lab::new();
    let page = include_str!("../docs/reviews.md");
    let commands = page.split('`').skip(1).step_by(2).filter_map(|span| {
        let span = span.strip_prefix("sudo ").unwrap_or(span);
        Some(span.strip_prefix("drivelab ")?.split_whitespace().collect::<Vec<&str>>())
    });
    let methods = lab.ok(&["methods", "list"]).stdout;
    let (mut helps, mut count) = (BTreeMap::new(), 0);
    for words in commands {
        let nested = ["results", "methods", "article", "testbed"].contains(&words[0]);
        let path = &words[..words.len().min(1 + usize::from(nested))];
        let help = helps.entry(path.to_vec()).or_insert_with(|| lab.ok(&[path, &["--help"]].concat()).stdout);
        let flags = words.iter().filter(|word| word.starts_with("--") && word.len() > 2);
        for flag in flags.map(|flag| flag.trim_end_matches(['.', ',', '…'])) {
            let mut known = help.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
            assert!(known.any(|word| word == flag), "{words:?}: no {flag}");
        }
        if words[0] == "run" && words.len() > 1 && words[1].starts_with(|first: char| first.is_ascii_lowercase()) {
            assert!(methods.split_whitespace().any(|word| word == words[1]), "{words:?}: no such methodology");
        }
        count += 1;
    }
    assert!(count > 132, "{count} commands");
    let cells = |line: &str| -> Vec<String> { line.split('|').map(|cell| cell.trim().to_owned()).collect() };
    let statuses: Vec<String> = page
        .lines()
        .filter(|line| {
            line.strip_prefix("| ").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
        })
        .map(|line| cells(line)[3].clone())
        .collect();
    let of = |status: &str| statuses.iter().filter(|one| *one == status).count().to_string();
    let all = page.lines().find(|line| line.starts_with("| All |")).expect("the last row of the counts");
    let counted = [statuses.len().to_string(), of("there"), of("stand-in"), of("later"), of("impossible")];
    assert_eq!(&cells(all)[2..7], counted.as_slice());
}
