//! The main task, as a new user does it: review, the page, the table, the stored run, and everything made from it.

#[path = "support/schema.rs"]
mod schema;
mod support;

use std::os::unix::fs::MetadataExt;

use drivelab_rig::{LoopDevice, root_or_skip, tool};
use support::{Lab, files_of};

const SMOKE: &[&str] = &["review", "--form", "smoke"];

#[test]
fn a_review_leaves_a_page_a_table_and_a_stored_run_and_no_scratch_file() {
    let lab = Lab::new();
    let done = lab.ok(SMOKE);
    assert_eq!(lab.files(), ["review.html"], "only the page is left in the folder");
    let page = std::fs::read_to_string(lab.folder().join("review.html")).expect("the page");
    assert!(page.len() < 2_000_000, "the page has {} bytes", page.len());
    assert!(page.contains("smoke"), "the form stands on the page");
    assert!(done.stdout.contains("smoke") && done.stdout.contains("MB/s"), "{}", done.stdout);
    for word in ["Target", "Device", "Testbed", "Method", "Engine"] {
        assert!(done.stderr.contains(word), "'{word}' is not said:\n{}", done.stderr);
    }
    assert_eq!(lab.runs().len(), 1);
    assert_eq!(lab.runs()[0].1, "complete");
}

#[test]
fn json_on_stdout_is_one_document_with_metrics_and_findings() {
    let lab = Lab::new();
    let report = lab.json(&["run", "quick", ".", "--form", "smoke", "--json"]);
    assert_eq!(report["schema"], "drivelab.results");
    assert!(report["schema_version"].is_u64());
    assert!(report["metrics"].as_array().is_some_and(|metrics| metrics.len() > 50));
    let findings = report["findings"].as_array().expect("findings");
    assert!(
        findings.iter().any(|finding| finding.to_string().contains("smoke")),
        "smoke must be marked: {findings:#?}"
    );
    schema::fits("results", &report);
}

#[test]
fn events_json_is_one_object_a_line_and_nothing_else_on_stdout() {
    let lab = Lab::new();
    let done = lab.ok(&["run", "quick", ".", "--form", "smoke", "--events", "json"]);
    let events: Vec<serde_json::Value> =
        done.stdout.lines().map(|line| serde_json::from_str(line).expect("every line is one JSON object")).collect();
    assert!(events.iter().enumerate().all(|(index, event)| event["seq"] == index));
    assert!(events.first().is_some_and(|event| event["event"]["run_started"].is_object()));
    assert!(events.last().is_some_and(|event| event["event"]["run_ended"].is_object()));
    let (run, _) = lab.runs().remove(0);
    let replayed = lab.ok(&["replay", &run, "--events", "json", "--speed", "0"]).stdout;
    assert_eq!(replayed, done.stdout, "the stored run is the run that was shown");
}

#[test]
fn a_stored_run_can_be_shown_reported_explained_and_removed() {
    let lab = Lab::new();
    lab.ok(&["run", "quick", ".", "--form", "smoke", "--quiet"]);
    let (run, _) = lab.runs().remove(0);
    assert!(lab.ok(&["results", "show", "--last"]).stdout.contains("MB/s"));
    let bundle = lab.ok(&["results", "path", &run]).stdout;
    assert!(std::path::Path::new(bundle.trim()).join("seal.json").is_file());
    for (format, part) in [("md", "# "), ("csv", "read.throughput"), ("json", "\"metrics\""), ("html", "<html")] {
        assert!(lab.ok(&["report", &run, "--format", format]).stdout.contains(part), "{format}");
    }
    let report = lab.json(&["report", &run, "--format", "json"]);
    let address = report["metrics"][0]["address"].as_str().expect("an address").to_owned();
    let explained = lab.ok(&["explain", &run, &address]).stdout;
    assert!(explained.contains("drivelab_analysis::") && explained.contains("Bundle:"), "{explained}");
    for without in [&["explain"][..], &["explain", "--last"], &["explain", &run]] {
        let wrong = lab.run(without);
        assert_eq!(wrong.code, 2, "{without:?}: {}", wrong.stderr);
        assert!(wrong.stderr.contains("drivelab explain --last METRIC"), "{without:?}: {}", wrong.stderr);
    }
    let wrong = lab.run(&["explain", &run, "corners/no-such:read.throughput"]);
    assert_eq!(wrong.code, 4, "{}", wrong.stderr);

    std::fs::remove_file(lab.data().join("catalog.sqlite")).expect("a catalog to lose");
    lab.ok(&["results", "reindex"]);
    assert_eq!(lab.runs(), [(run.clone(), "complete".to_owned())], "the catalog is made again from the bundles");
    assert_eq!(lab.run(&["results", "remove", &run]).code, 5, "without a terminal and --yes nothing is removed");
    lab.ok(&["results", "remove", &run, "--dry-run"]);
    assert_eq!(lab.runs().len(), 1);
    lab.ok(&["results", "remove", &run, "--yes"]);
    assert!(lab.runs().is_empty() && !std::path::Path::new(bundle.trim()).exists());
}

#[test]
fn a_report_is_of_one_run_and_shows_what_its_user_says_of_it() {
    let lab = Lab::new();
    let load = ["io", "nop:", "--operations", "1000", "--quiet"];
    lab.ok(&load);
    lab.ok(&load);
    let runs: Vec<String> = lab.runs().into_iter().map(|(run, _)| run).collect();
    let (first, second) = (runs[0].as_str(), runs[1].as_str());
    lab.ok(&["results", "note", first, "--title", "Bench 2", "--condition", "room=21 °C"]);
    lab.ok(&["results", "tag", first, "cold", "cold"]);
    let shown = lab.ok(&["results", "show", first]).stdout;
    for line in ["Title: Bench 2", "room: 21 °C", "Tags: cold"] {
        assert!(shown.lines().any(|one| one.trim() == line), "{line}: {shown}");
    }
    lab.ok(&["compare", first, second, "-o", "both.html"]);
    let page = std::fs::read_to_string(lab.folder().join("both.html")).expect("a page");
    assert!(page.contains(&format!("run {first}, Bench 2")), "the sides are listed with their titles");

    for flags in [&["--format", "md"][..], &["-o", "two.html"], &[]] {
        let refused = lab.run(&[&["report", first, second], flags].concat());
        let hint = format!("drivelab compare {first} {second} -o FILE");
        assert!(refused.code == 2 && refused.stderr.contains(&hint), "{flags:?}: {}", refused.stderr);
    }
    let both = lab.ok(&["report", first, second, "--format", "csv"]).stdout;
    assert!(both.contains(first) && both.contains(second), "{both}");
    let unlike = lab.run(&["report", first, "-o", "page.csv", "--format", "md"]);
    assert!(
        unlike.code == 2 && unlike.stderr.contains("does not have the extension of the requested format"),
        "{}",
        unlike.stderr
    );
    lab.ok(&["report", first, "-o", "short.md", "--format", "brief"]);
    assert_eq!(lab.files(), ["both.html", "short.md"]);

    let absent = lab.ok(&["results", "tag", first, "warm", "--remove"]);
    assert!(absent.stderr.contains("has no tag 'warm'"), "{}", absent.stderr);
    let absent = lab.ok(&["results", "note", first, "--condition", "cooling="]);
    assert!(absent.stderr.contains("has no condition 'cooling'"), "{}", absent.stderr);
}

#[test]
fn a_list_names_the_profile_of_a_run() {
    let lab = Lab::new();
    lab.ok(&["run", "crystaldiskmark", ".", "--profile", "review", "--form", "smoke", "--quiet"]);
    let list = lab.ok(&["results", "list"]).stdout;
    assert!(list.contains("crystaldiskmark review, smoke"), "{list}");
}

#[test]
fn an_existing_file_is_refused_untouched_unless_destroy_names_it() {
    let lab = Lab::new();
    lab.write("other.bin", "another file");
    let file = lab.write("precious.bin", vec![7u8; 16 << 20]);
    let before = std::fs::metadata(&file).expect("metadata");
    for arguments in [
        vec!["review", "precious.bin", "--form", "smoke"],
        vec!["run", "quick", "precious.bin", "--form", "smoke"],
        vec!["run", "quick", "precious.bin", "--form", "smoke", "--destroy", "other.bin"],
        vec!["review", "precious.bin", "--form", "smoke", "--dry-run"],
    ] {
        let done = lab.run(&arguments);
        assert_eq!(done.code, 5, "{arguments:?}: {}", done.stderr);
        assert!(done.stderr.contains("--destroy"), "{}", done.stderr);
    }
    let after = std::fs::metadata(&file).expect("metadata");
    assert_eq!(std::fs::read(&file).expect("content"), vec![7u8; 16 << 20]);
    assert_eq!(
        (before.mtime(), before.mtime_nsec(), before.ctime(), before.ctime_nsec(), before.ino()),
        (after.mtime(), after.mtime_nsec(), after.ctime(), after.ctime_nsec(), after.ino())
    );
    assert_eq!(lab.files(), ["other.bin", "precious.bin"]);
    lab.ok(&["review", "precious.bin", "--form", "smoke", "--destroy", "precious.bin"]);
    assert_ne!(std::fs::read(&file).expect("content"), vec![7u8; 16 << 20], "named, so it was overwritten");
    assert_eq!(std::fs::metadata(&file).expect("metadata").len(), 16 << 20, "but neither grown nor removed");
}

#[test]
fn a_page_that_drivelab_did_not_write_is_never_replaced() {
    let lab = Lab::new();
    lab.write("review.html", "<html>my holiday</html>");
    let done = lab.run(SMOKE);
    assert_eq!(done.code, 5, "{}", done.stderr);
    assert!(lab.runs().is_empty(), "refused before two minutes were spent");
    assert_eq!(std::fs::read_to_string(lab.folder().join("review.html")).expect("kept"), "<html>my holiday</html>");
    lab.ok(&["review", "--form", "smoke", "-o", "other.html"]);
    lab.ok(&["review", "--form", "smoke", "-o", "other.html"]);
    assert_eq!(lab.run(&["report", "--last", "-o", "review.html"]).code, 5);
    lab.ok(&["review", "--form", "smoke", "-o", "other.md"]);
    let markdown = std::fs::read_to_string(lab.folder().join("other.md")).expect("the report");
    assert!(!markdown.contains("<html") && markdown.contains("# "), "the ending says the format");
}

#[test]
fn a_new_file_name_makes_that_scratch_file_and_removes_it() {
    let lab = Lab::new();
    let named = ["run", "quick", "scratch.bin", "--form", "smoke"];
    let refused = lab.run(&named);
    assert!(refused.code == 6 && refused.stderr.contains("--new-file"), "{}: {}", refused.code, refused.stderr);
    assert!(lab.files().is_empty() && lab.runs().is_empty(), "{:?}", lab.files());
    let report = lab.json(&[&named[..], &["--new-file", "--json"]].concat());
    assert!(report.to_string().contains("/scratch.bin"), "{:#}", report["run"]);
    assert!(lab.files().is_empty(), "{:?}", lab.files());
}

#[test]
fn a_page_in_a_folder_that_does_not_exist_is_named_as_the_user_named_it() {
    let lab = Lab::new();
    for arguments in [&["review", "--form", "smoke", "-o", "gone/x.html"][..], &["report", "--last", "-o", "gone/x.md"]]
    {
        let done = lab.run(arguments);
        assert_eq!(done.code, 6, "{}", done.stderr);
        assert!(done.stderr.contains("/gone does not exist") && done.stderr.contains("/gone/x."), "{}", done.stderr);
        assert!(!done.stderr.contains(".drivelab-report"), "{}", done.stderr);
    }
    assert!(lab.files().is_empty() && lab.runs().is_empty());
}

#[test]
fn a_review_of_which_nothing_can_run_says_what_is_lacking_and_each_reason_once() {
    let lab = Lab::new();
    let in_time = |time: &str| lab.run(&["review", ".", "--size", "64 MiB", "--time", time, "--dry-run"]);
    let short = in_time("50 ms");
    assert_eq!(short.code, 2, "{}", short.stderr);
    assert!(short.stderr.contains("--time") && !short.stderr.contains("mistake"), "{}", short.stderr);
    let reasons: Vec<&str> =
        short.stderr.lines().filter_map(|line| line.split_once("): ")).map(|(_, why)| why).collect();
    assert!(reasons.contains(&"it takes longer than the time available"), "{reasons:?}");
    assert!((2..20).contains(&reasons.len()), "{reasons:?}");
    assert!(reasons.iter().enumerate().all(|(at, why)| !reasons[..at].contains(why)), "{reasons:?}");
    // The suggested time is enough.
    let (_, needed) = short.stderr.split_once("needs ").expect("the shortest time");
    let (needed, _) = needed.split_once(';').expect("its end");
    let enough = in_time(needed);
    assert_eq!(enough.code, 0, "{needed}: {}", enough.stderr);
    assert!(enough.stdout.contains("Note     runs "), "{}", enough.stdout);

    if !root_or_skip("a loop device") {
        return;
    }
    let disk = LoopDevice::new(lab.data().parent().expect("a folder"), "image", 64);
    for more in [&[][..], &["--dry-run"]] {
        let refused = lab.run(&[&["review", &disk.device, "--time", "10m"], more].concat());
        assert_eq!((refused.code, refused.stdout.as_str()), (5, ""), "{}", refused.stderr);
        assert!(refused.stderr.contains(&format!("add `--destroy {}`", disk.name())), "{}", refused.stderr);
        assert!(!refused.stderr.contains("mistake"), "{}", refused.stderr);
    }
    assert!(std::fs::read(&disk.image).expect("the image").iter().all(|byte| *byte == 0), "something was written");
    assert!(lab.runs().is_empty());
}

#[test]
fn a_dry_run_of_a_review_with_a_time_says_what_is_in_it() {
    let lab = Lab::new();
    let dry = ["review", ".", "--size", "64 MiB", "--time", "10m", "--dry-run"];
    let text = lab.ok(&dry).stdout;
    assert!(text.contains("Note     runs quick (First look): 4 tests in about "), "{text}");
    assert!(text.contains(": corners, mixes, depths, sustained"), "{text}");
    let document = lab.json(&[&dry[..], &["--json"]].concat());
    let remarks = document["remarks"].as_array().expect("remarks");
    assert!(
        remarks.iter().any(|one| one.as_str().is_some_and(|one| one.starts_with("runs disk-fill ("))),
        "{remarks:?}"
    );
    let plain = lab.json(&["review", ".", "--size", "64 MiB", "--dry-run", "--json"]);
    assert!(!plain["remarks"].to_string().contains("\"runs "), "one methodology needs no such line: {plain:#}");
}

#[test]
fn a_run_whose_folder_is_gone_is_not_called_a_typing_error() {
    let lab = Lab::new();
    let folder = lab.folder().join("drive");
    std::fs::create_dir(&folder).expect("a folder");
    let (child, mut lines) = lab.start_with_events(&["drive", "--size", "64 MiB"]);
    assert!(lines.by_ref().any(|line| line.contains("\"step_ended\"")), "a step is measured");
    tool("kill", &["-INT", &child.id().to_string()]);
    lines.for_each(drop);
    assert_eq!(support::done(child.wait_with_output().expect("drivelab ends")).code, 7);
    std::fs::remove_dir(&folder).expect("an empty folder");
    for more in [&[][..], &["--dry-run"]] {
        let gone = lab.run(&[&["resume", "--last"], more].concat());
        assert_eq!(gone.code, 6, "{}", gone.stderr);
        assert!(gone.stderr.contains("no longer exists") && gone.stderr.contains("mount"), "{}", gone.stderr);
        assert!(!gone.stderr.contains("typing"), "{}", gone.stderr);
    }
    std::fs::create_dir(&folder).expect("mounted again");
    lab.ok(&["resume", "--last", "--dry-run"]);
}

#[test]
fn a_dry_run_says_time_bytes_and_wear_and_touches_nothing() {
    let lab = Lab::new();
    let done = lab.ok(&["review", "--dry-run"]);
    for word in ["Time", "Written", "Wear"] {
        assert!(done.stdout.contains(word), "{}", done.stdout);
    }
    assert!(lab.files().is_empty() && !lab.data().join("runs").exists());
    let document = lab.json(&["run", "quick", ".", "--dry-run", "--json"]);
    assert!(document["estimated_written"].as_u64().is_some_and(|bytes| bytes > 0));
}

#[test]
fn ctrl_c_stops_at_once_keeps_what_is_measured_and_removes_the_scratch_file() {
    let lab = Lab::new();
    let (child, mut lines) = lab.start_with_events(&[".", "--size", "64 MiB"]);
    let pid = child.id();
    let measured = lines.by_ref().find(|line| line.contains("\"step_ended\"") && line.contains("corners/"));
    assert!(measured.is_some(), "a corner is measured");
    tool("kill", &["-HUP", &pid.to_string()]);
    let next = lines.by_ref().find(|line| line.contains("\"interval\""));
    assert!(next.is_some(), "SIGHUP stops nothing");
    tool("kill", &["-INT", &pid.to_string()]);
    lines.for_each(drop);
    let done = support::done(child.wait_with_output().expect("drivelab ends"));
    assert_eq!(done.code, 7, "{}", done.stderr);
    assert!(done.stderr.contains("drivelab resume"), "{}", done.stderr);
    assert!(lab.files().is_empty(), "{:?}", lab.files());
    assert_eq!(lab.runs()[0].1, "interrupted");
    let report = lab.json(&["report", "--last", "--format", "json"]);
    assert!(report["metrics"].as_array().is_some_and(|metrics| !metrics.is_empty()));
}

#[test]
fn a_run_is_listed_from_its_first_second() {
    let lab = Lab::new();
    let (mut child, mut lines) = lab.start_with_events(&[".", "--size", "64 MiB"]);
    assert!(lines.next().is_some());
    let list = lab.json(&["results", "list", "--json"]);
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert_eq!(list["runs"][0]["state"], "interrupted");
    assert_eq!(list["runs"][0]["live"], true);
    assert_eq!(lab.json(&["results", "list", "--json"])["runs"][0]["live"], false);
}

#[test]
fn a_scratch_file_of_a_killed_run_is_removed_by_the_next_and_a_stranger_with_its_name_is_not() {
    let lab = Lab::new();
    let (mut child, mut lines) = lab.start_with_events(&[".", "--size", "64 MiB"]);
    assert!(lines.by_ref().any(|line| line.contains("\"interval\"")));
    child.kill().expect("killed");
    child.wait().expect("ended");
    let left = lab.files();
    assert!(left.iter().any(|name| name.starts_with(".drivelab-scratch-")), "{left:?}");
    let stranger = ".drivelab-scratch-01980000-0000-7000-8000-000000000000";
    lab.write(stranger, "not drivelab's");
    let done = lab.ok(&["run", "quick", ".", "--form", "smoke"]);
    assert!(done.stderr.contains("removed") && done.stderr.contains(".drivelab-scratch-"), "{}", done.stderr);
    assert_eq!(files_of(&lab.folder()), [stranger]);
}
