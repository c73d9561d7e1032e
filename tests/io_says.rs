//! What `drivelab io` prints around its figures: what the load really was, what it was not, and what is refused before
//! anything is created. Each test is something that confused a new user.

mod support;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use drivelab_core::finding::Finding;
use drivelab_core::run::RunRecords;
use drivelab_rig::{root_or_skip, tool};
use serde_json::Value;
use support::{Lab, done};

fn codes(document: &Value) -> Vec<&str> {
    document["findings"].as_array().expect("findings").iter().filter_map(|one| one["code"].as_str()).collect()
}

/// Kind, offset and length of each operation, by thread and number in its stream; not the time.
fn operations(lab: &Lab, trace: &str) -> BTreeMap<(String, String), String> {
    let text = std::fs::read_to_string(lab.folder().join(trace)).expect("a trace");
    let of_line = |line: &str| {
        let words: Vec<&str> = line.split('\t').collect();
        ((words[0].to_owned(), words[1].to_owned()), words[2..5].join(" "))
    };
    text.lines().skip(1).map(of_line).collect()
}

#[test]
fn the_seed_of_the_document_repeats_the_operations() {
    let lab = Lab::new();
    let load = ["io", "nop:", "--op", "mix=50", "--operations", "400", "--no-save", "--json"];
    let two = ["--threads", "2"];
    let group = ["--group", "name=other op=write block=8k"];
    let first = lab.json(&[&load[..], &two, &group, &["--seed", "77", "--trace", "first"]].concat());
    assert_eq!(first["workload"]["seed"], 77);
    assert_eq!(first["workload"]["beside"][0]["seed"], 77);
    assert_ne!(first["derived_seed"], 77);
    let single = |seed: &str, trace: &str| {
        let document = lab.json(&[&load[..], &two, &["--seed", seed, "--trace", trace]].concat());
        document["workload"]["seed"].to_string()
    };
    let seed = single("78", "one");
    single(&seed, "again");
    single("79", "another");
    let [one, again, another] = ["one", "again", "another"].map(|trace| operations(&lab, trace));
    // The scheduler decides how the threads share the number of operations, but not what each thread does first,
    // second and so on.
    assert_eq!([one.len(), again.len(), another.len()], [400; 3]);
    let same = |one: &BTreeMap<_, String>, other: &BTreeMap<_, String>| {
        let both: Vec<bool> = one.iter().filter_map(|(at, it)| Some(other.get(at)? == it)).collect();
        (both.iter().filter(|same| **same).count(), both.len())
    };
    // If one thread did all the work in one run and the other thread in the other run, they have nothing in common.
    let (alike, both) = same(&one, &again);
    assert_eq!(alike, both);
    let (alike, both) = same(&one, &another);
    assert!(both == 0 || alike < both, "another seed, and the same {both} operations");
    // A single thread has nothing to share.
    let of_one = |seed: &str, trace: &str| {
        lab.json(&[&load[..], &["--threads", "1", "--seed", seed, "--trace", trace]].concat());
        operations(&lab, trace)
    };
    assert_eq!(of_one("78", "alone"), of_one("78", "alone-again"));
    assert_ne!(operations(&lab, "alone"), of_one("79", "alone-another"));
}

#[test]
fn reads_of_what_was_never_written_are_named_first_with_what_to_do() {
    let lab = Lab::new();
    let file = lab.write("sparse.img", b"");
    let grow = || std::fs::File::options().write(true).open(&file).expect("a file").set_len(4 << 20).expect("a length");
    grow();
    let flags = ["io", "sparse.img", "--operations", "200"];
    let done = lab.ok(&flags);
    // Where lines are broken depends on the path.
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (before, result) = (joined(&done.stderr), joined(&done.stdout));
    let at = |text: &str, word: &str| text.find(word).unwrap_or_else(|| panic!("no '{word}' in\n{text}"));
    assert!(at(&before, "never written") < at(&before, "Target") && before.contains("--fill --destroy"), "{before}");
    assert!(at(&result, "never written") < at(&result, "IOPS"), "above the figures");
    let document = lab.json(&[&flags[..], &["--json", "--quiet"]].concat());
    // Activity of other programs on this machine may be reported before.
    let of_others = ["busy_machine", "others_used_disk"];
    let found: Vec<&str> = codes(&document).into_iter().filter(|code| !of_others.contains(code)).collect();
    assert!(found.iter().position(|code| *code == "reads_of_holes").is_some_and(|at| at <= 1), "{found:?}");
    let filled = lab.json(&[&flags[..], &["--json", "--fill", "--destroy", "sparse.img"]].concat());
    assert!(!codes(&filled).contains(&"reads_of_holes"), "{:?}", codes(&filled));
    let whole = lab.json(&[&flags[..], &["--json"]].concat());
    assert!(!codes(&whole).contains(&"reads_of_holes"), "it is written now: {:?}", codes(&whole));
}

#[test]
fn a_dry_run_refuses_what_the_run_refuses_and_neither_makes_anything() {
    let lab = Lab::new();
    lab.write("there", vec![7u8; 1 << 20]);
    for (flags, code, word) in [
        (&["/dev/nosuch"][..], 6, "no such device"),
        (&["nop"], 2, "did you mean nop:"),
        (&["nop:", "--op", "verify"], 2, "--op verify: nop: stores nothing"),
        (&["nop:", "--op", "write", "--verify", "at-once"], 2, "--verify at-once: nop: stores nothing"),
        (&["/dev/null", "--op", "read"], 6, "/dev/zero"),
        (&["/dev/zero", "--op", "write"], 6, "/dev/null"),
        (&[".", "--size", "4097"], 2, "--size 4097: "),
        (&[".", "--size", "8MiB", "--destroy", "there"], 2, "--destroy"),
        (&[".", "--size", "8MiB", "--trace", "there"], 6, "--trace there: it exists"),
        (&[".", "--size", "8MiB", "--trace", "no/such"], 6, "--trace no/such: "),
        (&[".", "--size", "8MiB", "--cpus", "4095"], 9, "4095"),
        (&["there", "--op", "write"], 5, "--destroy"),
    ] {
        for dry in [&[][..], &["--dry-run"]] {
            let done = lab.run(&[&["io"], flags, dry, &["--operations", "10"]].concat());
            assert_eq!(done.code, code, "{flags:?} {dry:?}\n{}{}", done.stdout, done.stderr);
            assert!(done.stderr.contains(word), "{flags:?} {dry:?}: '{word}' is missing in\n{}", done.stderr);
            assert_eq!(lab.files(), ["there"], "{flags:?} {dry:?} left something behind");
        }
    }
    assert!(!lab.data().join("runs").exists() || lab.runs().is_empty());
}

#[test]
fn a_load_is_its_users_own_and_said_in_a_few_lines() {
    let lab = Lab::new();
    let load = ["io", ".", "--size", "8MiB", "--operations", "100"];
    let first = lab.ok(&[&load[..], &["--plain"]].concat());
    let before = first.stderr.lines().position(|line| line.starts_with('[')).expect("progress");
    // One more than the six lines, for a machine whose drive has a long name.
    assert!(before <= 7, "{before} lines before the load begins:\n{}", first.stderr);
    lab.ok(&[&load[..], &["--qd", "4", "--block", "8k"]].concat());
    let list = lab.ok(&["results", "list"]).stdout;
    assert!(list.contains("Random read, 8k, 4 in flight") && list.contains("Random read, 4k, 1 in flight"), "{list}");
    let markdown = lab.ok(&["report", "last"]).stdout;
    assert!(markdown.contains("own load"), "{markdown}");
    for text in [&first.stderr, &first.stdout, &list, &markdown, &lab.ok(&["results", "show", "last"]).stdout] {
        assert!(!text.contains("faithful") && !text.contains("1 steps"), "{text}");
    }
    for command in [&["results", "path", "last"][..], &["replay", "last", "--speed", "0"]] {
        lab.ok(command);
    }
    let address = lab.json(&["report", "last", "--json"])["metrics"][0]["address"].as_str().map(str::to_owned);
    lab.ok(&["explain", "last", &address.expect("an address")]);
    assert_eq!(lab.run(&["results", "remove", "last", "--yes"]).code, 2, "what is gone for good is named by its id");
    assert_eq!(lab.runs().len(), 2);
}

#[test]
fn a_load_that_is_not_the_one_that_was_typed_says_so_in_its_result() {
    let lab = Lab::new();
    let smaller = lab.json(&["io", ".", "--size", "1500KiB", "--op", "write", "--operations", "50", "-q", "--json"]);
    assert!(codes(&smaller).contains(&"scratch_file_smaller"), "{:?}", codes(&smaller));
    assert_eq!(smaller["target"]["length"], 1 << 20);
    let flags = ["io", "nop:", "--operations", "50", "--compress-percent", "50", "--json"];
    let idle = lab.ok(&flags);
    assert!(idle.stderr.contains("have no effect: this load writes nothing"), "{}", idle.stderr);
    let idle: Value = serde_json::from_str(&idle.stdout).expect("one document");
    assert!(codes(&idle).contains(&"data_without_writes"), "{:?}", codes(&idle));
    // A fill before the load uses that data, so there is one.
    let read = lab.ok(&["io", ".", "--size", "4MiB", "--operations", "50", "--compress-percent", "50", "--json"]);
    assert!(!read.stdout.contains("data_without_writes") && !read.stderr.contains("no effect"), "{}", read.stderr);
    // Headers in a file that is removed are of no use to anybody; headers that are read back immediately, or in a file
    // that stays, are.
    let unread = |flags: &[&str]| {
        let quick = ["--op", "write", "--size", "1M", "--operations", "20"];
        lab.ok(&[&["io"], flags, &quick[..]].concat()).stderr.contains("Nothing will check the headers")
    };
    assert!(unread(&[".", "--verify", "headers"]) && !unread(&[".", "--verify", "at-once"]));
}

#[test]
fn steadiness_weights_and_rests_are_flags_too() {
    let lab = Lab::new();
    let steady = lab.json(&["io", "nop:", "--time", "100ms", "--steady", "iops", "--rounds", "6", "--json"]);
    // Whether it is steady depends on the machine: the last window that was judged.
    let window = &steady["steadiness"];
    let (first, last) = (window["first_round"].as_u64().expect("a round"), window["last_round"].as_u64().expect("one"));
    assert_eq!(last - first, 4, "{window:#}");
    let rounds = steady["rounds"].as_array().expect("rounds").iter();
    let in_window = rounds.filter(|round| round["round"].as_u64().is_some_and(|it| it >= first));
    let count: u64 = in_window.filter_map(|round| round["operations"]["read"]["count"].as_u64()).sum();
    assert_eq!(steady["operations"]["read"]["count"], count, "the figures are of the window");
    let group = "name=other op=write weight=1";
    let weighed = ["io", "nop:", "--rate", "1k", "--weight", "3", "--group", group, "--time", "200ms", "--json"];
    let rate = &lab.json(&weighed)["workload"]["pace"]["rate"]["per_1000_s"];
    assert_eq!(rate, 750_000);
    let begun = std::time::Instant::now();
    lab.ok(&["io", "nop:", "--time", "200ms", "--rounds", "2", "--duty-cycle", "25", "--quiet"]);
    assert!(begun.elapsed().as_millis() >= 1000, "200 ms of work and 600 ms of rest, at least once between");
    let alone = lab.run(&["io", "nop:", "--duty-cycle", "25"]);
    assert!(alone.code == 2 && alone.stderr.contains("--bursts"), "{}", alone.stderr);
}

#[test]
fn a_file_is_read_where_the_folder_may_not_be_listed_and_home_is_somebody_elses() {
    if !root_or_skip("another user") {
        return;
    }
    let lab = Lab::in_folder(std::path::Path::new("/var/tmp"));
    let root = lab.folder().join("..");
    std::fs::copy(env!("CARGO_BIN_EXE_drivelab"), root.join("drivelab")).expect("a copy that anybody may run");
    tool("chmod", &["-R", "a+rX", root.to_str().expect("text")]);
    let locked = lab.folder().join("locked");
    std::fs::create_dir(&locked).expect("a folder");
    std::fs::write(locked.join("file"), vec![7u8; 1 << 20]).expect("a file");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o711)).expect("a mode");
    let home = lab.folder().join("home");
    std::fs::create_dir(&home).expect("a folder");
    std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o700)).expect("a mode");
    let as_nobody = |arguments: &[&str]| {
        let mut command = std::process::Command::new("setpriv");
        lab.dress(&mut command).env("HOME", &home).env_remove("DRIVELAB_DATA");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(root.join("drivelab"));
        done(command.args(arguments).output().expect("setpriv starts"))
    };
    let file = locked.join("file");
    let file = file.to_str().expect("text");
    for arguments in [
        &["io", file, "--operations", "50", "--no-save", "--direct", "off"][..],
        &["io", "nop:", "--operations", "50", "--no-save"],
        &["methods", "list"],
        &["config"],
        &["version"],
    ] {
        let done = as_nobody(arguments);
        assert_eq!(done.code, 0, "{arguments:?}\n{}", done.stderr);
    }
    let kept = as_nobody(&["io", "nop:", "--operations", "50"]);
    assert!(kept.code == 6 && kept.stderr.contains("--data"), "{} {}", kept.code, kept.stderr);
}

/// Far more operations arrive than complete: the schedule is not the limit, and the response times are not results.
#[test]
fn an_overload_is_called_one_by_either_backend() {
    let lab = Lab::new();
    for (target, backend, rate) in [("nop:", "uring", "40M"), ("/dev/zero", "sync", "8M")] {
        let load = ["--qd", "1", "--rate", rate, "--time", "1s", "--backend", backend, "--no-save", "--json"];
        // A thread that gets no CPU for a while makes the slope differ from the mean, and so decides whether an
        // overload is seen: then it is measured again.
        let fits = (0..8).any(|_| {
            let done = lab.json(&[&["io", target], &load[..]].concat());
            println!("{backend}: by {}, {:?}", done["limited_by"], codes(&done));
            if done["limited_by"] == "schedule" || !codes(&done).contains(&"open_loop_overloaded") {
                return false;
            }
            let backlog = &done["backlog"];
            let figure = |name: &str| backlog[name].as_f64().expect("a number");
            let grown = figure("backlog_growth_per_second") * done["elapsed_ns"].as_f64().expect("a time") / 1e9;
            let ratio = grown / figure("backlog_at_end");
            println!("{backend}: {ratio} {backlog:#}");
            (0.9..1.1).contains(&ratio)
        });
        assert!(fits, "{backend}: no overload, or the backlog's growth is not what it came to, eight times");
    }
}

/// A flush has no offset: threads with stretches of their own keep to them. Once, a release build was told that its
/// build may be the cause. A debug build has a finding of its own.
#[test]
fn what_limits_a_release_build_is_never_said_to_be_its_build() {
    let mut run = drivelab_samples::sample_limited_run();
    let told = |run: &RunRecords| drivelab_analysis::analyse(run).findings;
    assert_eq!(run.tool.profile, "release");
    let of_release = told(&run);
    assert!(of_release.iter().any(|finding| finding.code == "generator_limited"), "{of_release:#?}");
    let speaks = |finding: &Finding| {
        [&finding.statement, &finding.likely_cause, &finding.next_action].iter().any(|text| text.contains("build"))
    };
    assert!(!of_release.iter().any(speaks), "{of_release:#?}");
    run.tool.profile = "debug".to_owned();
    let of_debug: Vec<String> = told(&run).into_iter().filter(speaks).map(|finding| finding.code).collect();
    assert_eq!(of_debug, ["debug_build"]);
}

#[test]
fn flushes_do_not_make_threads_overlap() {
    let lab = Lab::new();
    let order = ["--op", "write", "--pattern", "sequential", "--threads", "2", "--sync-every", "8"];
    let done = lab.json(&[&["io", ".", "--size", "4M", "--operations", "400", "--json"], &order[..]].concat());
    assert!(!codes(&done).contains(&"streams_overlap"), "{:?}", codes(&done));
    assert!(done["operations"]["write"]["iops"].as_f64().is_some_and(|iops| iops > 0.0), "{:#}", done["operations"]);
    // A pass covers every block, however many flushes are in between.
    let pass = ["--write-percent", "80", "--flush-percent", "20", "--pattern", "random-once", "--passes", "1"];
    let done = lab.json(&[&["io", ".", "--size", "4M", "--json"], &pass[..]].concat());
    assert_eq!(done["operations"]["write"]["count"], 1024, "{:#}", done["operations"]);
}

#[test]
fn fios_flags_are_answered_with_ours() {
    let lab = Lab::new();
    for (theirs, ours) in [("--bs=4k", "--block"), ("--iodepth=32", "--qd"), ("--rw=randread", "--op and --pattern")] {
        let done = lab.run(&["io", ".", theirs]);
        assert!(done.code == 2 && done.stderr.contains(ours), "{theirs}: {}", done.stderr);
        assert_eq!(done.stderr.lines().count(), 1, "{}", done.stderr);
    }
}

/// The available hardware can only show that these modes issue what was asked and report what they are.
#[test]
fn modes_that_no_hardware_has_tried_say_so() {
    let lab = Lab::new();
    for backend in ["uring-sqpoll", "uring-polled"] {
        let flags = ["io", "nop:", "--operations", "2000", "--backend", backend, "--no-save", "--json"];
        let done = lab.json(&flags);
        assert_eq!(done["operations"]["read"]["count"], 2000, "{backend}");
        assert!(codes(&done).contains(&"untried_mode"), "{backend}: {:?}", codes(&done));
    }
}

#[test]
fn a_mode_that_this_host_cannot_do_is_the_hosts_fault() {
    let lab = Lab::new();
    let done = lab.run(&["io", ".", "--size", "8MiB", "--operations", "100", "--backend", "uring-polled"]);
    // If the driver has poll queues, it is done.
    assert!(done.code == 9 && done.stderr.contains("cannot be polled for") || done.code == 0, "{}", done.stderr);
}

#[test]
fn quiet_leaves_the_result_and_nothing_else() {
    let lab = Lab::new();
    let load = ["io", ".", "--size", "8MiB", "--operations", "100"];
    let (loud, quiet) = (lab.ok(&load), lab.ok(&[&load[..], &["--quiet"]].concat()));
    assert!(!loud.stderr.is_empty(), "progress and what may disturb");
    assert_eq!(quiet.stderr, "", "no progress, no warning, no hint");
    let first = |text: &str| text.lines().next().map(str::to_owned);
    assert_eq!(first(&quiet.stdout), first(&loud.stdout), "the result is what the command is called for");
    let help = lab.ok(&["io", "--help"]).stdout;
    assert!(help.contains("only the result and errors"), "{help}");
}
