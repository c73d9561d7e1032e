//! Bad input: each gives one clear error with its exit code, and leaves nothing behind.

#[path = "support/loopfs.rs"]
mod loopfs;
mod support;

use loopfs::LoopFs;
use support::loop_device::LoopDevice;
use support::{Done, Lab, files_of, root_or_skip};

const SHORT: &str = include_str!("support/short.toml");

/// One error: this code, these words, no run, no file, no second error.
fn refused(lab: &Lab, arguments: &[&str], code: i32, words: &[&str]) -> Done {
    let before = files_of(&lab.folder());
    let done = lab.run(arguments);
    assert_eq!(done.code, code, "{arguments:?}\n{}", done.stderr);
    for word in words {
        assert!(done.stderr.contains(word), "{arguments:?}: '{word}' is missing in\n{}", done.stderr);
    }
    assert!(!done.stderr.contains("panicked"), "{}", done.stderr);
    assert!(done.stdout.is_empty(), "{arguments:?}: words on stdout: {}", done.stdout);
    assert_eq!(files_of(&lab.folder()), before, "{arguments:?} left something behind");
    let list = lab.run(&["results", "list", "--json"]);
    assert!(list.stdout.contains("\"runs\": []"), "{arguments:?} left a run: {}", list.stdout);
    done
}

#[test]
fn methods_that_do_not_exist_or_are_wrong() {
    let lab = Lab::new();
    refused(&lab, &["run", "quik", "."], 4, &["quik", "did you mean 'quick'"]);
    refused(&lab, &["run", "./missing.toml", "."], 4, &["missing.toml"]);
    lab.write("broken.toml", "format = 1\nname = \"x\ntitle = 3\n");
    refused(&lab, &["run", "broken.toml", "."], 2, &["broken.toml:2:"]);
    refused(&lab, &["methods", "check", "broken.toml"], 2, &["broken.toml:2:"]);
    for (from, to, line) in [
        ("queue_depth = [1, 8]", "queue_depth = [0, 8]", "queue_depth"),
        ("queue_depth = [1, 8]", "queue_depth = [1, 70000]", "70000"),
        ("queue_depth = [1, 8]", "queue_depht = [1, 8]", "queue_depth"),
        ("pattern = \"random\"", "pattern = \"random\"\nthreads = 0", "threads"),
        ("block_size = \"4 KiB\"", "block_size = \"700 B\"", "block"),
        ("action = \"fill\"", "action = \"cool_down\"", "does not say how cool"),
        ("kind = \"file\"", "kind = \"virtual\"", "not supported yet"),
    ] {
        assert!(SHORT.contains(from));
        lab.write("wrong.toml", SHORT.replacen(from, to, 1));
        refused(&lab, &["run", "wrong.toml", "."], 2, &["wrong.toml:", line]);
    }
    lab.write("binary.toml", [0xff, 0xfe, 0x00]);
    refused(&lab, &["run", "binary.toml", "."], 2, &["not text"]);
}

#[test]
fn targets_that_do_not_exist_or_are_no_files() {
    let lab = Lab::new();
    refused(&lab, &["run", "quick", "no/such/folder"], 6, &["no/such"]);
    refused(&lab, &["review", "/dev/null", "--form", "smoke"], 5, &["/dev/null", "device"]);
    support::tool("mkfifo", &[lab.folder().join("fifo").to_str().expect("text")]);
    refused(&lab, &["run", "quick", "fifo"], 5, &["fifo"]);
    refused(&lab, &["run", "quick", ".", "--size", "2 parsecs"], 2, &["parsecs"]);
    refused(&lab, &["run", "quick", ".", "--form", "slow"], 2, &["slow"]);
    refused(&lab, &["resume", "--last"], 4, &["no interrupted run"]);
    refused(&lab, &["report", "abc"], 4, &["abc"]);
}

#[test]
fn memory_file_systems_have_no_direct_io_and_a_better_folder_is_named() {
    let lab = Lab::new();
    let shm = tempfile::tempdir_in("/dev/shm").expect("a folder on tmpfs");
    let path = shm.path().to_str().expect("text").to_owned();
    refused(&lab, &["review", &path], 6, &["direct I/O", "tmpfs", "would do"]);
    assert!(files_of(shm.path()).is_empty());
    lab.write(
        "buffered.toml",
        SHORT
            .replace("[defaults]", "[defaults]\ndirect = false")
            .replace("action = \"fill\"", "action = \"fill\"\ndirect = false"),
    );
    let report = lab.json(&["run", "buffered.toml", &path, "--json"]);
    assert!(report["findings"].to_string().contains("buffered"), "marked as buffered: {:#}", report["findings"]);
}

#[test]
fn full_and_read_only_file_systems() {
    if !root_or_skip("a loop device with a file system") {
        return;
    }
    let fs = LoopFs::ext4(192);
    let lab = Lab::new();
    let mount = fs.mount_point();
    let path = mount.to_str().expect("text").to_owned();
    let before = files_of(&mount);
    std::fs::write(mount.join("eater"), vec![1u8; 120 << 20]).expect("a file that takes the room");
    refused(&lab, &["review", &path], 6, &["space", &path]);
    refused(&lab, &["run", "quick", &path, "--size", "1 GiB"], 6, &["space"]);
    std::fs::remove_file(mount.join("eater")).expect("room again");
    assert_eq!(files_of(&mount), before);
    fs.remount_read_only();
    refused(&lab, &["review", &path, "--form", "smoke"], 6, &["read-only"]);
    assert_eq!(files_of(&mount), before);
}

#[test]
fn a_disk_that_fills_up_under_the_results_stops_the_run_and_keeps_what_was_recorded() {
    if !root_or_skip("a loop device with a file system") {
        return;
    }
    let fs = LoopFs::ext4(32);
    let lab = Lab::new();
    let data = fs.mount_point().join("data");
    // Room for the start of a bundle, not for the whole of it: the rest is eaten by a file.
    std::fs::create_dir(&data).expect("a data folder");
    lab.ok(&["results", "list", "--data", data.to_str().expect("text")]);
    let mut eater = std::fs::File::create(fs.mount_point().join("eater")).expect("a file");
    let mut child = lab
        .command(&["run", "quick", ".", "--size", "64 MiB", "--data", data.to_str().expect("text"), "--events", "json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("drivelab starts");
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().expect("stdout")));
    assert!(lines.by_ref().map_while(Result::ok).any(|line| line.contains("\"step_ended\"")));
    while std::io::Write::write_all(&mut eater, &[0; 4096]).is_ok() {}
    lines.for_each(drop);
    let done = support::done(child.wait_with_output().expect("drivelab ends"));
    assert_eq!(done.code, 6, "{}", done.stderr);
    assert!(done.stderr.contains("space"), "{}", done.stderr);
    assert!(lab.files().is_empty(), "{:?}", lab.files());
    drop(eater);
    std::fs::remove_file(fs.mount_point().join("eater")).expect("room again");
    let list = lab.json(&["results", "list", "--json", "--data", data.to_str().expect("text")]);
    assert_eq!(list["runs"][0]["state"], "interrupted", "{list:#}");
}

#[test]
fn a_flipped_byte_in_a_bundle_is_found_and_named() {
    let lab = Lab::new();
    lab.ok(&["run", "quick", ".", "--form", "smoke", "--quiet"]);
    let bundle = lab.ok(&["results", "path", "--last"]).stdout;
    let events = std::path::Path::new(bundle.trim()).join("events/0000.jsonl.zst");
    let mut bytes = std::fs::read(&events).expect("events");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    std::fs::write(&events, bytes).expect("a damaged file");
    let done = lab.run(&["results", "show", "--last"]);
    assert_eq!(done.code, 1, "{}", done.stderr);
    assert!(done.stderr.contains("0000.jsonl.zst"), "{}", done.stderr);
    assert!(done.stdout.is_empty(), "no figures from a damaged recording");
}

#[test]
fn without_permission_for_io_uring_the_sync_engine_runs_and_says_so() {
    if !root_or_skip("kernel.io_uring_disabled") {
        return;
    }
    let knob = "/proc/sys/kernel/io_uring_disabled";
    let Ok(before) = std::fs::read_to_string(knob) else {
        support::skip("this kernel has no kernel.io_uring_disabled");
        return;
    };
    struct Restore(&'static str, String);
    impl Drop for Restore {
        fn drop(&mut self) {
            let _ = std::fs::write(self.0, &self.1);
        }
    }
    let _restore = Restore(knob, before);
    // 1 refuses io_uring to users without privileges only, so that tests beside this one are not disturbed.
    std::fs::write(knob, "1").expect("io_uring switched off for ordinary users");
    let lab = Lab::in_folder(std::path::Path::new("/var/tmp"));
    let binary = lab.folder().join("../drivelab");
    std::fs::copy(env!("CARGO_BIN_EXE_drivelab"), &binary).expect("a copy that anybody may run");
    support::tool("chmod", &["-R", "a+rwX", lab.folder().join("..").to_str().expect("text")]);
    let mut command = std::process::Command::new("setpriv");
    let user = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
    lab.dress(&mut command).args(user).arg(&binary).args(["run", "quick", ".", "--form", "smoke"]);
    let done = support::done(command.output().expect("setpriv starts"));
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stderr.contains("sync") && done.stderr.contains("io_uring"), "{}", done.stderr);
    let report = lab.json(&["report", "--last", "--format", "json"]);
    assert!(report.to_string().contains("sync"), "the result names the engine");
}

#[test]
fn traces_that_cannot_be_replayed_start_nothing() {
    let lab = Lab::new();
    let with = |line: &str| format!("fio version 2 iolog\nf add\nf open\nf read 0 4096\n{line}\nf close\n");
    for (line, words) in [
        ("f read 4096", "line 5: the length in bytes is ''; expected the length in bytes"),
        ("f read 18446744073709551615 4096", "line 5: 4096 bytes at byte 18446744073709551615, where no drive ends"),
    ] {
        lab.write("t.log", with(line));
        refused(&lab, &["io", ".", "--trace-in", "t.log", "--size", "8MiB"], 2, &["t.log', ", words]);
        let own = ["run", "application-traces", ".", "--form", "smoke", "--yes", "--trace", "t.log"];
        refused(&lab, &own, 2, &["t.log', ", words]);
    }
    // An address that only this target lacks is fitted to it, and the result says so.
    lab.write("t.log", with("f write 33554432 8192"));
    let load = ["io", ".", "--size", "8MiB", "--trace-in", "t.log", "--qd", "1", "--replay", "closed-loop", "--json"];
    let done = lab.json(&load);
    assert_eq!(done["replay"]["moved"], 1, "{:#}", done["replay"]);
    assert!(done["findings"].to_string().contains("at another place than recorded"), "{:#}", done["findings"]);
}

#[test]
fn a_built_in_methodology_refuses_what_it_cannot_use_and_names_what_would_fit() {
    let lab = Lab::new();
    for method in ["four-corners", "heat-soak", "write-amplification"] {
        refused(&lab, &["run", method, "."], 6, &["runs on block devices only", "losetup"]);
        refused(&lab, &["run", method, "virtual:one"], 6, &["virtual drives are not supported yet"]);
    }
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = LoopDevice::new(lab.data().parent().expect("a folder"), "small.img", 32);
    let small = ["run", "four-corners", &disk.node, "--form", "quick", "--destroy", disk.name(), "--yes"];
    let words = ["needs at least 64 MiB", "32 MiB (33.55 MB) would be used of", "what fits there: --form smoke"];
    refused(&lab, &small, 6, &words);
    let bytes = std::fs::read(&disk.image).expect("the image");
    assert!(bytes.iter().all(|byte| *byte == 0), "something was written");
    let sweep = LoopDevice::new(lab.data().parent().expect("a folder"), "smaller.img", 300);
    let dry = ["run", "random-read-sweep", &sweep.node, "--form", "faithful", "--destroy", sweep.name(), "--dry-run"];
    let said = lab.ok(&dry);
    let words = "300 MiB (314.6 MB) are tested, and the methodology takes 64 GiB (68.72 GB) in this form";
    assert!(said.stdout.contains(words), "{}", said.stdout);
}
