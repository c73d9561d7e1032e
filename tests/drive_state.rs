//! The account of a drive's state, through the real program on loop devices: a preparation that still applies is left
//! out, writes of other programs are noticed between runs and before a run is resumed, and preparation measures its
//! own completion.

#[path = "support/disk.rs"]
mod disk;
mod support;

use std::io::BufRead;
use std::process::Stdio;

use disk::{Disk, Process};
use drivelab_rig::root_or_skip;
use serde_json::Value;

/// Reads for a moment after a fill that need not be repeated.
const READS: &str = r#"
format = 1
name = "reads"
title = "Reads of a filled device"
version = "1.0.0"
summary = "Fills and reads."
good_for = "Tests of drivelab."
cannot_tell = "Anything about a drive."
[[sources]]
id = "own"
citation = "drivelab's own tests"
[target]
kind = "block_device"
size = "100 %"
minimum_size = "8 MiB"
[forms.quick]
"#;
const TEST: &str = r#"
[[tests]]
name = "reads"
title = "Reads"
purpose = "Does it read?"
sources = ["own"]
op = "read"
pattern = "random"
block_size = "4 KiB"
queue_depth = 4
time = "2 s"
"#;
const REUSED: &str = "[[prepare]]\naction = \"fill\"\nreuse = true\n";

/// A run on the whole device; returns what it recorded.
fn run(disk: &Disk) -> Value {
    disk.lab.ok(&["run", "reads.toml", &disk.device, "--destroy", disk.name()]);
    disk.lab.json(&["report", "--last", "--format", "json"])
}

fn codes(document: &Value) -> Vec<&str> {
    let findings = document["findings"].as_array().expect("findings");
    findings.iter().filter_map(|finding| finding["code"].as_str()).collect()
}

/// Bytes that the kernel counted as written to the device.
fn written(disk: &Disk) -> u64 {
    let stat = std::fs::read_to_string(format!("/sys/block/{}/stat", disk.name())).expect("counters");
    512 * stat.split_whitespace().nth(6).and_then(|sectors| sectors.parse::<u64>().ok()).expect("sectors written")
}

#[test]
fn a_fill_that_still_holds_is_left_out_until_somebody_writes() {
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = Disk::new(32, &["--direct-io=on"]);
    disk.lab.write("reads.toml", format!("{READS}{REUSED}{TEST}"));
    let wrote = |of: &dyn Fn()| {
        let before = written(&disk);
        of();
        written(&disk) - before
    };
    assert_eq!(wrote(&|| assert!(!codes(&run(&disk)).contains(&"foreign_writes"))), 32 << 20, "the first fills");
    assert_eq!(wrote(&|| drop(run(&disk))), 0, "the second finds it filled");
    disk.write(4096, &[7; 4096]);
    let again = wrote(&|| {
        let document = run(&disk);
        assert!(codes(&document).contains(&"foreign_writes"), "{:#}", document["findings"]);
    });
    assert_eq!(again, 32 << 20, "after a foreign write it is filled again");
    // Emptied by drivelab itself: no finding, and nothing to leave out.
    disk.lab.ok(&["wipe", &disk.device, "--how", "discard", "--destroy", disk.name()]);
    assert_eq!(wrote(&|| assert!(!codes(&run(&disk)).contains(&"foreign_writes"))), 32 << 20);
}

#[test]
fn what_a_run_wrote_through_the_page_cache_is_no_foreign_write_of_the_next() {
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = Disk::new(32, &["--direct-io=on"]);
    let cached = TEST.replace("\"reads\"", "\"writes\"").replace("\"read\"", "\"write\"") + "direct = false\n";
    let filled = format!("{READS}[[prepare]]\naction = \"fill\"\n");
    disk.lab.write("reads.toml", format!("{filled}{cached}{TEST}"));
    disk.lab.write("ends.toml", format!("{filled}{TEST}{cached}"));
    for methodology in ["reads.toml", "ends.toml", "reads.toml"] {
        let before = written(&disk);
        disk.lab.ok(&["run", methodology, &disk.device, "--destroy", disk.name()]);
        let document = disk.lab.json(&["report", "--last", "--format", "json"]);
        assert!(!codes(&document).contains(&"foreign_writes"), "{methodology}: {:#}", document["findings"]);
        assert!(written(&disk) > before, "{methodology} writes");
    }
}

/// Begins a run and kills it in its measured step, which only reads.
fn kill_while_reading(disk: &Disk) {
    let words = ["run", "reads.toml", &disk.device, "--destroy", disk.name(), "--events", "json"];
    let child = disk.lab.command(&words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.expect("it starts");
    let mut heard = std::io::BufReader::new(child.stdout.take().expect("its output"));
    let running = Process(child);
    let mut line = String::new();
    while !(line.contains("\"interval\"") && line.contains("reads/")) {
        line.clear();
        assert_ne!(heard.read_line(&mut line).expect("a line"), 0, "it ended too early");
    }
    drop(running);
}

#[test]
fn a_killed_run_goes_on_without_preparing_again_unless_somebody_wrote() {
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = Disk::new(32, &["--direct-io=on"]);
    disk.lab.write("reads.toml", format!("{READS}[[prepare]]\naction = \"fill\"\n{TEST}"));
    kill_while_reading(&disk);
    let resume = |more: &[&str]| disk.lab.ok(&[&["resume", "--last", "--destroy", disk.name()], more].concat()).stdout;
    let said = resume(&["--dry-run"]);
    assert!(said.contains("as this run left it") && !said.contains("prepared again"), "{said}");
    let before = written(&disk);
    resume(&[]);
    assert_eq!(written(&disk), before, "nothing was prepared again");
    kill_while_reading(&disk);
    disk.write(8192, &[1; 512]);
    let said = resume(&["--dry-run"]);
    assert!(said.contains("prepared again") && said.contains("another program wrote"), "{said}");
    let before = written(&disk);
    resume(&[]);
    assert_eq!(written(&disk) - before, 32 << 20, "it was filled again");
}

#[test]
fn runs_that_only_read_leave_a_device_to_the_runs_before_them() {
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = Disk::new(32, &["--direct-io=on"]);
    disk.lab.write("reads.toml", format!("{READS}{REUSED}{TEST}"));
    let looks = format!("{READS}{TEST}").replace("\"8 MiB\"", "\"8 MiB\"\ncontent = \"as_found\"");
    disk.lab.write("looks.toml", looks.replace("\"reads\"", "\"looks\""));
    kill_while_reading(&disk);
    let prepared = disk.lab.runs()[0].0.clone();
    disk.lab.ok(&["run", "looks.toml", &disk.device, "--destroy", disk.name()]);
    // A further run finds it filled, and only reads, too.
    kill_while_reading(&disk);
    for run in [prepared.as_str(), "--last"] {
        let said = disk.lab.ok(&["resume", run, "--destroy", disk.name(), "--dry-run"]).stdout;
        assert!(said.contains("as this run left it"), "{run}: {said}");
    }
    let before = written(&disk);
    disk.lab.ok(&["resume", "--last", "--destroy", disk.name()]);
    disk.lab.ok(&["resume", &prepared, "--destroy", disk.name()]);
    assert_eq!(written(&disk), before, "nothing was prepared again");
}

#[test]
fn what_others_may_have_overwritten_is_written_again_and_not_blamed_on_the_drive() {
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = Disk::new(32, &["--direct-io=on"]);
    let part = |name: &str, op: &str, more: &str| {
        TEST.replace("\"reads\"", &format!("\"{name}\"")).replace("\"read\"", &format!("\"{op}\"")) + more
    };
    let in_order = |text: String| text.replace("\"random\"", "\"sequential\"").replace("time = \"2 s\"", "passes = 1");
    let stamp = in_order(part("stamp", "write", "verify = \"headers\"\n"));
    let look = in_order(part("look", "verify", "verify = \"headers\"\n"));
    disk.lab.write("reads.toml", format!("{READS}{stamp}{TEST}{look}"));
    kill_while_reading(&disk);
    let resume = |words: &[&str]| disk.lab.run(&[&["resume", "--last", "--destroy", disk.name()], words].concat());
    assert!(resume(&["--dry-run"]).stdout.contains("as this run left it"));
    disk.write(8192, &[1; 512]);
    let said = resume(&["--dry-run"]).stdout;
    assert!(said.contains("prepared again") || said.contains("not as the run left it"), "{said}");
    let before = written(&disk);
    let done = resume(&[]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert_eq!(written(&disk) - before, 32 << 20, "what is checked was written again");
    let document = disk.lab.json(&["report", "--last", "--format", "json"]);
    let faults: Vec<&str> = codes(&document).into_iter().filter(|code| code.starts_with("data_")).collect();
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn a_preparation_goes_on_until_it_is_flat_or_given_up_and_says_which() {
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = Disk::new(32, &["--direct-io=on"]);
    let flat = "[[prepare]]\naction = \"fill\"\n[[prepare]]\naction = \"overwrite_random\"\nblock_size = \"64 KiB\"\n\
                until = \"flat\"\nslice = 50\nat_most = 4\n";
    disk.lab.write("reads.toml", format!("{READS}{flat}{TEST}"));
    let before = written(&disk);
    let document = run(&disk);
    let codes = codes(&document);
    let told: Vec<&&str> = codes.iter().filter(|code| code.ends_with("prepared_flat")).collect();
    assert_eq!(told.len(), 1, "{codes:?}");
    // A fill, and five to eight slices of half a span.
    let (least, most) = ((32 + 5 * 16) << 20, (32 + 8 * 16) << 20);
    assert!((least..=most).contains(&(written(&disk) - before)), "{} bytes", written(&disk) - before);
}
