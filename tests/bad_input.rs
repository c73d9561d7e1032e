//! Bad input: each case gives one clear error with its exit code, and leaves nothing behind.

mod support;

use drivelab_core::units::Bytes;
use drivelab_report::format;
use drivelab_rig::{LoopDevice, LoopFs, Mount, root_or_skip, skip, tool};
use support::{Done, Lab, ext4, files_of};

const SHORT: &str = include_str!("support/short.toml");

/// Exactly one error: this code, these words, no run, no file, no second error.
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
    // Files of other tools, and a form that is not there: no line of a methodology is to blame.
    lab.write("job.fio", "[global]\nsize=1m\n[j]\nrw=read\n");
    refused(&lab, &["run", "job.fio", "."], 2, &["is a fio file", "drivelab methods import job.fio"]);
    lab.write("parm.txt", "sd=sd1,lun=/dev/x\nwd=wd1,sd=sd1\nrd=rd1,wd=wd1,elapsed=1\n");
    refused(&lab, &["methods", "check", "parm.txt"], 2, &["is a Vdbench file", "drivelab methods import parm.txt"]);
    let form = refused(
        &lab,
        &["run", "quick", ".", "--form", "faithful"],
        2,
        &["--form faithful: ", "has no faithful form", "quick, smoke"],
    );
    assert!(!form.stderr.contains("methods/quick.toml"), "{}", form.stderr);
    for last in ["last", "--last"] {
        refused(&lab, &["results", "remove", last], 2, &["does not accept `last`", "results list"]);
    }
    // What follows `--` is another program's.
    refused(&lab, &["watch", "--bogus", ".", "--", "nice", "-5", "cp"], 2, &["unexpected argument '--bogus'"]);
    let unknown = refused(&lab, &["results", "remove", "--lats"], 2, &["unexpected argument '--lats'"]);
    assert!(!unknown.stderr.contains("to pass"), "{}", unknown.stderr);
}

/// Each of these once printed the whole input.
#[test]
fn a_value_of_any_length_is_not_printed_whole() {
    let lab = Lab::new();
    let long = "y".repeat(100_000);
    let set = format!("size={long}");
    for (arguments, code) in [
        (&["io", &long][..], 6),
        (&["run", "quick", ".", "--set", &set], 2),
        (&["run", "quick", ".", "--set", &long], 2),
        (&["results", "show", &long], 4),
        (&["explain", &long, "read.throughput"], 4),
        (&["io", ".", "--op", &long], 2),
    ] {
        let said = refused(&lab, arguments, code, &[]).stderr;
        assert!(said.len() < 3000 && !said.contains(&long[..201]), "{}: {} bytes", arguments[0], said.len());
        assert!(said.contains(&long[..30]), "the beginning tells which: {said}");
    }
}

#[test]
fn targets_that_do_not_exist_or_are_no_files() {
    let lab = Lab::new();
    refused(&lab, &["run", "quick", "no/such/folder"], 6, &["no/such"]);
    refused(&lab, &["review", "/dev/null", "--form", "smoke"], 6, &["/dev/null", "stores nothing"]);
    tool("mkfifo", &[lab.folder().join("fifo").to_str().expect("text")]);
    for command in [vec!["run", "quick", "fifo"], vec!["show", "fifo"], vec!["io", "fifo"]] {
        let said = refused(&lab, &command, 6, &["fifo is a named pipe", "cannot be measured"]);
        assert!(!said.stderr.contains("writes only"), "{command:?} may not write at all: {}", said.stderr);
    }
    let _listener = std::os::unix::net::UnixListener::bind(lab.folder().join("socket")).expect("a socket");
    refused(&lab, &["show", "socket"], 6, &["socket"]);
    for command in [vec!["run", "quick", "/dev/random"], vec!["io", "/dev/random"]] {
        let said = refused(&lab, &command, 6, &["/dev/random", "character device"]);
        assert!(!said.stderr.contains("writes only"), "{command:?}: {}", said.stderr);
    }
    refused(&lab, &["run", "quick", "/proc/version"], 6, &["/proc/version"]);
    refused(&lab, &["run", "quick", "/proc"], 6, &["/proc"]);
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
    refused(&lab, &["review", &path], 6, &["direct I/O", "tmpfs", "a suitable folder"]);
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
    let fs = ext4(192);
    let lab = Lab::new();
    let mount = fs.mount_point();
    let path = mount.to_str().expect("text").to_owned();
    let before = files_of(mount);
    std::fs::write(mount.join("eater"), vec![1u8; 120 << 20]).expect("a file that takes the room");
    refused(&lab, &["review", &path], 6, &["space", &path]);
    refused(&lab, &["run", "quick", &path, "--size", "1 GiB"], 6, &["space"]);
    std::fs::remove_file(mount.join("eater")).expect("room again");
    assert_eq!(files_of(mount), before);
    fs.mount.remount_read_only();
    refused(&lab, &["review", &path, "--form", "smoke"], 6, &["read-only"]);
    assert_eq!(files_of(mount), before);
}

#[test]
fn a_disk_that_fills_up_under_the_results_stops_the_run_and_keeps_what_was_recorded() {
    if !root_or_skip("a loop device with a file system") {
        return;
    }
    let fs = ext4(32);
    let lab = Lab::new();
    let data = fs.mount_point().join("data");
    // Room for the start of a bundle only: a file takes the rest.
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
        skip("this kernel has no kernel.io_uring_disabled");
        return;
    };
    struct Restore(&'static str, String);
    impl Drop for Restore {
        fn drop(&mut self) {
            let _ = std::fs::write(self.0, &self.1);
        }
    }
    let _restore = Restore(knob, before);
    // 1 denies io_uring only to users without privileges, so that concurrent tests are not disturbed.
    std::fs::write(knob, "1").expect("io_uring switched off for ordinary users");
    let lab = Lab::in_folder(std::path::Path::new("/var/tmp"));
    let binary = lab.folder().join("../drivelab");
    std::fs::copy(env!("CARGO_BIN_EXE_drivelab"), &binary).expect("a copy that anybody may run");
    tool("chmod", &["-R", "a+rwX", lab.folder().join("..").to_str().expect("text")]);
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
fn an_import_that_a_full_disk_stops_leaves_no_file() {
    if !root_or_skip("a loop device with a file system") {
        return;
    }
    let fs = ext4(16);
    let lab = Lab::new();
    let job = lab.write("job.fio", "[a]\nrw=randread\nbs=4k\nsize=16m\n");
    let mut eater = std::fs::File::create(fs.mount_point().join("eater")).expect("a file");
    while std::io::Write::write_all(&mut eater, &[1; 1024]).is_ok() {}
    let output = fs.mount_point().join("job.toml");
    let import = ["methods", "import", job.to_str().expect("text"), "-o", output.to_str().expect("text")];
    let done = lab.run(&import);
    assert_eq!(done.code, 6, "{}", done.stderr);
    assert!(!output.exists(), "an empty file would be in the way of the next try");
    eater.set_len(0).expect("room again");
    lab.ok(&import);
}

#[test]
fn traces_that_cannot_be_replayed_start_nothing() {
    let lab = Lab::new();
    let with = |line: &str| format!("fio version 2 iolog\nf add\nf open\nf read 0 4096\n{line}\nf close\n");
    for (line, words) in [
        ("f read 4096", "line 5: the length in bytes is ''; expected the length in bytes"),
        ("f read 18446744073709551615 4096", "line 5: 4096 bytes at byte 18446744073709551615, beyond any drive"),
    ] {
        lab.write("t.log", with(line));
        refused(&lab, &["io", ".", "--trace-in", "t.log", "--size", "8MiB"], 2, &["t.log', ", words]);
        let own = ["run", "application-traces", ".", "--form", "smoke", "--yes", "--trace", "t.log"];
        refused(&lab, &own, 2, &["t.log', ", words]);
    }
    // An address that is wrong only for this target is adjusted to it, and the result states that.
    lab.write("t.log", with("f write 33554432 8192"));
    let load = ["io", ".", "--size", "8MiB", "--trace-in", "t.log", "--qd", "1", "--replay", "closed-loop", "--json"];
    let done = lab.json(&load);
    assert_eq!(done["replay"]["moved"], 1, "{:#}", done["replay"]);
    assert!(done["findings"].to_string().contains("at another address than recorded"), "{:#}", done["findings"]);
}

#[test]
fn a_built_in_methodology_refuses_what_it_cannot_use_and_names_what_would_fit() {
    let lab = Lab::new();
    for method in ["four-corners", "heat-soak", "write-amplification"] {
        refused(&lab, &["run", method, "."], 6, &["runs on block devices only", "losetup"]);
        refused(&lab, &["run", method, "model:one"], 6, &["virtual drives are not supported yet"]);
    }
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = LoopDevice::new(lab.data().parent().expect("a folder"), "small.img", 32);
    let small = ["run", "four-corners", &disk.device, "--form", "quick", "--destroy", disk.name(), "--yes"];
    let used = format!("32 MiB (33.55 MB) of {} would be used", disk.device);
    let words = ["needs at least 64 MiB", used.as_str(), "these forms fit: --form smoke"];
    refused(&lab, &small, 6, &words);
    // To ask for more than the device has does not make a form fit.
    let more = refused(&lab, &[&small[..], &["--size", "1TiB"]].concat(), 6, &words);
    assert!(!more.stderr.contains("--form faithful"), "{}", more.stderr);
    let bytes = std::fs::read(&disk.image).expect("the image");
    assert!(bytes.iter().all(|byte| *byte == 0), "something was written");
    let sweep = LoopDevice::new(lab.data().parent().expect("a folder"), "smaller.img", 300);
    let dry = ["run", "random-read-sweep", &sweep.device, "--form", "faithful", "--destroy", sweep.name(), "--dry-run"];
    let said = lab.ok(&dry);
    let words = "300 MiB (314.6 MB) are tested, and the methodology uses 64 GiB (68.72 GB) in this form";
    assert!(said.stdout.contains(words), "{}", said.stdout);
}

/// A published profile wants 64 GiB; if less is free, plan and dry run state the size that they use.
#[test]
fn a_plan_in_a_folder_without_room_for_it_says_both_sizes() {
    if !root_or_skip("a file system of its own") {
        return;
    }
    let (lab, system) = (Lab::new(), LoopFs::in_memory(400));
    let folder = system.mount_point();
    let folder = folder.to_str().expect("a text path");
    let words = ["crystaldiskmark", folder, "--profile", "review", "--form", "faithful"];
    let plan = [&["methods", "plan"], &words[..]].concat();
    let planned = lab.json(&[&plan[..], &["--json"]].concat());
    let bytes = planned["plan"]["capacity"].as_u64().expect("a size");
    assert!(bytes < 400 << 20, "{bytes} bytes of a file system of 400 MiB");
    let size = |bytes| format::bytes(Bytes::new(bytes));
    let both = format!("the scratch file is {} instead of {}", size(bytes), size(64 << 30));
    assert!(planned["remarks"].to_string().contains(&both), "{both}: {}", planned["remarks"]);
    for words in [plan, [&["run"], &words[..], &["--dry-run"]].concat()] {
        let said = lab.ok(&words).stdout;
        assert!(said.contains(&both), "{both}: {said}");
    }
}

/// A pipe that nobody writes to, given as a file: an error instead of endless waiting.
#[test]
fn a_pipe_in_the_place_of_a_file_is_refused_and_never_waited_for() {
    let lab = Lab::new();
    tool("mkfifo", &[lab.folder().join("pipe").to_str().expect("text")]);
    tool("mkfifo", &[lab.folder().join("pipe.toml").to_str().expect("text")]);
    let uses: [&[&str]; 8] = [
        &["trace", "check", "pipe"],
        &["io", ".", "--trace-in", "pipe"],
        &["methods", "plan", "application-traces", ".", "--trace", "pipe"],
        &["methods", "check", "./pipe.toml"],
        &["methods", "import", "pipe"],
        &["drives", "--check", "pipe.toml"],
        &["io", "nop:", "--op", "write", "--data-file", "pipe"],
        &["report", "last", "-o", "pipe"],
    ];
    for arguments in uses {
        ends(&lab, arguments, "pipe");
    }
    tool("mkfifo", &[lab.folder().join("drivelab.toml").to_str().expect("text")]);
    ends(&lab, &["results", "list"], "drivelab.toml");
}

/// An input that never ends, and one that has as many bytes as a drive: read no further than a file of its kind may be.
#[test]
fn an_endless_input_is_refused_by_its_size() {
    let lab = Lab::new();
    let sparse = std::fs::File::create(lab.folder().join("sparse.toml")).expect("a file");
    sparse.set_len(1 << 40).expect("a sparse file");
    for input in ["/dev/zero", "./sparse.toml"] {
        for before in [
            &["trace", "check"][..],
            &["io", ".", "--trace-in"],
            &["methods", "check"],
            &["methods", "import"],
            &["drives", "--check"],
            &["article", "check"],
        ] {
            ends(&lab, &[before, &[input]].concat(), "");
        }
    }
    let settings = lab.folder().join("drivelab.toml");
    std::fs::rename(lab.folder().join("sparse.toml"), settings).expect("renamed");
    ends(&lab, &["results", "list"], "drivelab.toml");
}

/// A pipe in the data folder, where drivelab looks for its own files.
#[test]
fn a_pipe_in_the_place_of_a_file_of_the_data_folder_is_never_waited_for() {
    let lab = Lab::new();
    lab.ok(&["io", "nop:", "--time", "50ms", "--quiet"]);
    let pipe = |path: &std::path::Path| {
        let _ = std::fs::remove_file(path);
        tool("mkfifo", &[path.to_str().expect("text")]);
    };
    let bundle = lab.ok(&["results", "path", "last"]).stdout;
    pipe(&std::path::Path::new(bundle.trim()).join("lock"));
    for arguments in [&["results", "list"][..], &["results", "show", "last"], &["report", "last", "--format", "md"]] {
        let done = ended(&lab, arguments);
        assert_eq!(done.code, 0, "{arguments:?}: {}", done.stderr);
    }
    pipe(&lab.data().join("catalog.sqlite"));
    let done = ended(&lab, &["results", "list"]);
    assert_eq!(done.code, 1, "{}", done.stderr);
    assert!(done.stderr.contains("catalog.sqlite") && done.stderr.contains("results reindex"), "{}", done.stderr);
    ended(&lab, &["io", "nop:", "--time", "50ms", "--quiet"]);
    assert_eq!(ended(&lab, &["results", "reindex"]).code, 0);
    assert!(!lab.runs().is_empty());
}

/// Ends by itself within a few minutes, with an error that names this.
fn ends(lab: &Lab, arguments: &[&str], word: &str) {
    let done = ended(lab, arguments);
    assert!([2, 4, 5, 6].contains(&done.code), "{arguments:?}: {}: {}", done.code, done.stderr);
    assert!(done.stderr.contains(word) || done.code == 4, "{arguments:?}: {}", done.stderr);
}

/// Ends by itself within a few minutes.
fn ended(lab: &Lab, arguments: &[&str]) -> Done {
    let mut command = lab.command(arguments);
    let mut child =
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped()).spawn().expect("it");
    let began = std::time::Instant::now();
    while child.try_wait().expect("its state").is_none() {
        if began.elapsed() > std::time::Duration::from_secs(240) {
            child.kill().expect("it ends");
            panic!("{arguments:?} waits for ever");
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    support::done(child.wait_with_output().expect("it ended"))
}

/// docs/exit-codes.md, for the cases that once returned a different code.
#[test]
fn exit_codes_are_those_of_the_page() {
    let lab = Lab::new();
    lab.write("a-file", "x");
    let folder = lab.folder();
    std::os::unix::fs::symlink("round", folder.join("round")).expect("a link to itself");
    for data in ["a-file", "a-file/below", "/proc/nowhere/data", "round"] {
        let done = lab.run(&["results", "list", "--data", data]);
        assert_eq!(done.code, 6, "--data {data}: {}", done.stderr);
        assert!(done.stderr.contains("--data DIR"), "{data}: {}", done.stderr);
    }
    for missing in [
        &["trace", "check", "none.csv"][..],
        &["io", ".", "--trace-in", "none.csv"],
        &["methods", "import", "none.fio"],
        &["methods", "check", "./none.toml"],
        &["io", "nop:", "--op", "write", "--data-file", "none.bin"],
    ] {
        refused(&lab, missing, 4, &["none."]);
    }
    for missing in
        [&["wipe", "none", "--how", "discard"][..], &["check", "none"], &["show", "none"], &["watch", "none"]]
    {
        refused(&lab, missing, 6, &["none"]);
    }
    for meter in ["--power-file", "--temperature-file"] {
        refused(&lab, &["io", "nop:", meter, "none"], 4, &["the meter cannot be used", "none"]);
    }
    refused(&lab, &["check", "/proc/version"], 6, &["/proc/version holds 0 B"]);
    refused(&lab, &["review", ".", "-o", "none/x.html"], 6, &["/none does not exist"]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
    let help = support::done(lab.command(&["--help"]).stdout(full).output().expect("drivelab runs"));
    assert!(help.code == 6 && help.stderr.contains("cannot write to standard output"), "{}", help.stderr);
    for unfit in [&["io", "nop:", "--cpus", "4000"][..], &["io", "nop:", "--numa", "4000"]] {
        refused(&lab, unfit, 9, &["4000"]);
    }
    for place in [".", "/dev/zero"] {
        refused(&lab, &["io", "nop:", "--op", "write", "--data-file", place], 2, &["--data-file", "a regular file"]);
    }
    let file = lab.folder().join("a-file");
    std::fs::write(&file, vec![1; 1 << 20]).expect("a file");
    let wrongly_named = ["io", "a-file", "--op", "write", "--destroy", "no-such-file"];
    refused(&lab, &wrongly_named, 5, &["there is no such file", "Nothing was touched"]);
    for name in ["notes.toml", "drivelab.1"] {
        lab.write(name, "my notes");
    }
    lab.write("a.fio", "[a]\nrw=read\nsize=1m\n");
    for (standing, code, said) in [
        (&["report", "--last", "-o", "a-file"][..], 5, "was not written by drivelab"),
        (&["run", "quick", ".", "-o", "a-file"], 5, "was not written by drivelab"),
        (&["man", "."], 5, "nothing was written"),
        (&["io", "nop:", "--trace", "a-file"], 6, "never replaces an existing file"),
        (&["methods", "import", "a.fio", "-o", "a-file"], 2, "is not replaced"),
        (&["methods", "new", "notes"], 2, "already exists and was not changed"),
    ] {
        refused(&lab, standing, code, &[said]);
    }
    let most = ["io", "nop:", "--qd", "99999999999999999999"];
    refused(&lab, &most, 2, &["--qd", "1 to 65535"]);
    refused(&lab, &["io", "nop:", "--qd", "-1"], 2, &["--qd -1", "1 to 65535"]);
    lab.ok(&["io", "nop:", "--time", "100ms"]);
    let of_io = lab.run(&["report", "--last", "--format", "cdm"]);
    assert_eq!(of_io.code, 2, "{}", of_io.stderr);
    assert!(
        of_io.stderr.contains("'crystaldiskmark'") && of_io.stderr.contains("use another format"),
        "{}",
        of_io.stderr
    );
}

/// Data that a full disk behind a redirection does not accept are an error, as for every other output.
#[test]
fn events_that_the_disk_does_not_take_are_an_error() {
    let lab = Lab::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
    let mut command = lab.command(&["io", "nop:", "--time", "200ms", "--events", "json"]);
    let done = support::done(command.stdout(full).output().expect("drivelab runs"));
    assert_eq!(done.code, 6, "{}", done.stderr);
    assert!(done.stderr.contains("events are missing from standard output"), "{}", done.stderr);
    assert_eq!(lab.runs()[0].1, "complete", "the run is whole all the same");
    let run = lab.runs().remove(0).0;
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
    let mut command = lab.command(&["replay", &run, "--events", "json", "--speed", "0"]);
    assert_eq!(support::done(command.stdout(full).output().expect("drivelab runs")).code, 6);
}

#[test]
fn a_man_page_of_somebody_elses_stays_and_a_home_that_is_no_path_makes_no_folder() {
    let lab = Lab::new();
    let foreign = lab.folder().join("man/drivelab.1");
    std::fs::create_dir(lab.folder().join("man")).expect("a folder");
    std::fs::write(&foreign, "my notes\n").expect("a file");
    let done = lab.run(&["man", "man"]);
    assert_eq!(done.code, 5, "{}", done.stderr);
    assert_eq!(std::fs::read_to_string(&foreign).expect("the file"), "my notes\n");
    assert_eq!(files_of(&lab.folder().join("man")), ["drivelab.1"], "none or all");
    std::fs::remove_file(&foreign).expect("gone");
    lab.ok(&["man", "man"]);
    lab.ok(&["man", "man"]);
    let before = files_of(&lab.folder());
    let mut command = lab.command(&["results", "list"]);
    command.env_remove("DRIVELAB_DATA").env("HOME", "relative");
    let done = support::done(command.output().expect("drivelab runs"));
    assert_eq!(done.code, 6, "{}", done.stderr);
    assert_eq!(files_of(&lab.folder()), before);
}

/// Blocks of 4 KiB, of which the growing database gets none.
#[test]
fn what_must_write_to_a_full_disk_says_so_and_what_only_reads_works() {
    if !root_or_skip("a file system in memory") {
        return;
    }
    let lab = Lab::new();
    let small = Mount::tmpfs("4m", &lab.folder().join("small")).expect("a file system in memory");
    let path = small.folder.to_str().expect("text").to_owned();
    lab.ok(&["io", "nop:", "--time", "100ms", "--data", &path]);
    let mut eater = std::fs::File::create(small.folder.join("eater")).expect("a file");
    while std::io::Write::write_all(&mut eater, &[1; 4096]).is_ok() {}
    lab.ok(&["results", "list", "--data", &path]);
    // Without a catalog, and without room for one, the list is made from the bundles alone.
    std::fs::remove_file(small.folder.join("catalog.sqlite")).expect("the catalog");
    while std::io::Write::write_all(&mut eater, &[1; 4096]).is_ok() {}
    assert!(lab.ok(&["results", "list", "--data", &path]).stdout.contains("io: "));
    refused(&lab, &["results", "reindex", "--data", &path], 6, &["no space left"]);
}

/// A file system with the smallest blocks, full: a store to a mapped file there was a SIGBUS.
#[test]
fn a_full_data_disk_is_named_and_kills_nothing() {
    if !root_or_skip("a loop device with a file system") {
        return;
    }
    let fs = LoopFs::ext4(env!("CARGO_TARGET_TMPDIR"), 16, &["-b", "1024", "-m", "0"]);
    let lab = Lab::new();
    let data = fs.mount_point().join("data");
    let data = data.to_str().expect("text");
    lab.ok(&["io", "nop:", "--time", "100ms", "--data", data]);
    let before = lab.json(&["results", "list", "--json", "--data", data]);
    let eaten = fs.mount_point().join("eater");
    let mut eater = std::fs::File::create(&eaten).expect("a file");
    for size in [4096, 1024] {
        while std::io::Write::write_all(&mut eater, &vec![1; size]).is_ok() {}
    }
    // 2 and 6 KiB are enough for the folder of a run, but too little for the files that it begins with.
    for room in [0_u64, 2 << 10, 6 << 10, 64 << 10] {
        let length = eater.metadata().expect("facts").len();
        eater.set_len(length - room).expect("some room");
        for _ in 0..2 {
            let done = lab.run(&["io", ".", "--size", "8MiB", "--time", "300ms", "--data", data]);
            assert!([0, 6].contains(&done.code), "{room}: {} {}", done.code, done.stderr);
            assert!(done.code == 0 || done.stderr.contains("no space left"), "{room}: {}", done.stderr);
            assert!(lab.files().is_empty(), "{room}: {:?}", lab.files());
        }
        for command in [&["results", "list"][..], &["results", "show", "last"], &["report", "last", "--format", "md"]] {
            let done = lab.run(&[command, &["--data", data]].concat());
            assert_eq!(done.code, 0, "{room}: {command:?}: {}", done.stderr);
        }
    }
    drop(eater);
    std::fs::remove_file(&eaten).expect("room again");
    let after = lab.json(&["results", "list", "--json", "--data", data]);
    let runs = |list: &serde_json::Value| list["runs"].as_array().expect("runs").clone();
    assert!(runs(&after).iter().all(|run| run["damaged"].is_null()), "what did not begin is no run: {after:#}");
    assert!(runs(&after).contains(&runs(&before)[0]), "{after:#}");
}
