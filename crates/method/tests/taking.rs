//! Which tests stay if not all can: a test brings the tests that write what it needs, the time is the plan's own
//! estimate, and everything that is left out of a suite has a name.
#![expect(clippy::unwrap_used, reason = "helpers of tests: a failed unwrap is a failed test")]

mod common;

use common::{HEAD, method, shape};
use drivelab_core::plan::{Form, Plan};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_method::{Ground, Means, Methodology, expand_with, library, parse};

const DEVICE: &str = "[target]\nkind = \"block_device\"\nsize = \"100 %\"\nminimum_size = \"8 MiB\"\n[forms.quick]\n";

fn test(name: &str, rest: &str) -> String {
    format!(
        "[[tests]]\nname = \"{name}\"\ntitle = \"T\"\npurpose = \"p\"\nsources = [\"own\"]\nblock_size = \"1 MiB\"\n\
         queue_depth = 8\n{rest}\n"
    )
}

/// One pass over the device: 2.1 s for a GiB at 500 MB/s.
const FILLS: &str = "op = \"write\"\npattern = \"sequential\"\npasses = 1";
const READS: &str = "op = \"read\"\npattern = \"random\"\ntime = \"1 s\"";
const WRITES: &str = "op = \"write\"\npattern = \"random\"\ntime = \"1 s\"";

fn device(tests: &[String]) -> Methodology {
    method(&format!("{HEAD}{DEVICE}{}", tests.concat()))
}

fn within(method: &Methodology, time: Nanos, form: Form, capacity: Bytes) -> Plan {
    expand_with(method, form, &shape(capacity), &Means { time: Some(time), ..Means::default() }).unwrap()
}

fn seconds(method: &Methodology, seconds: f64) -> Plan {
    within(method, Nanos::from_millis((seconds * 1000.0) as u64), Form::Quick, Bytes::GIB)
}

fn names(plan: &Plan) -> Vec<&str> {
    plan.tests.iter().map(|test| test.name.as_str()).collect()
}

fn left(plan: &Plan) -> Vec<(&str, &str)> {
    plan.left_out.iter().map(|out| (out.test.as_str(), out.reason.as_str())).collect()
}

#[test]
fn what_reads_a_fill_that_does_not_fit_the_time_is_left_out_with_it() {
    let sheet = parse("data-sheet", library::find("data-sheet").unwrap().text).unwrap();
    let plan = within(&sheet, Nanos::from_secs(33), Form::Quick, Bytes::new(16 << 30));
    let reasons = left(&plan);
    assert!(reasons[0].0 == "cache" && reasons[0].1.starts_with("it would take about"), "{reasons:?}");
    for reader in ["sequential-read", "read-latency", "random-read"] {
        assert!(reasons.contains(&(reader, "it needs what 'cache' writes")), "{reader}: {reasons:?}");
    }
    assert_eq!(names(&plan)[..2], ["prepare", "sequential-write"], "the time goes to what needs no fill");
    let all = within(&sheet, Nanos::from_secs(3600), Form::Quick, Bytes::new(16 << 30));
    assert!(names(&all).contains(&"read-latency") && names(&all).contains(&"cache"), "{:?}", left(&all));
}

#[test]
fn a_test_brings_what_it_needs_whatever_the_priority_of_that() {
    let priority = |of: &str, priority: u32| format!("{of}\npriority = {priority}");
    let all = device(&[test("fill", FILLS), test("reads", &priority(READS, 9)), test("writes", &priority(WRITES, 5))]);
    // With the fill the reads take 3.3 s, and the writes one second more.
    let plan = seconds(&all, 3.8);
    assert_eq!(names(&plan), ["fill", "reads"], "{:?}", left(&plan));
    let plan = seconds(&all, 2.0);
    assert_eq!(names(&plan), ["writes"], "{:?}", left(&plan));
    let reason = "it would take about 3 s with 'fill', whose data it needs, and 2 s of 2 s are left";
    assert_eq!(left(&plan)[1], ("reads", reason));
    // What fills the drive before is enough.
    let filled = format!("[[prepare]]\naction = \"fill\"\n{}", test("fill", FILLS));
    let plan = seconds(&device(&[filled, test("reads", &priority(READS, 9))]), 3.8);
    assert_eq!(names(&plan), ["prepare", "reads"], "{:?}", left(&plan));
    // A fill that a discard undoes is not enough.
    let emptied = "[[prepare]]\naction = \"discard\"\nblock_size = \"1 MiB\"\nbefore = \"between\"\n";
    let between = [test("between", &priority(WRITES, 9)), test("again", FILLS)].concat();
    let tests = [test("fill", &priority(FILLS, 9)), between, test("reads", READS)];
    let method = device(&[emptied.to_owned(), tests.concat()]);
    let plan = seconds(&method, 5.0);
    assert_eq!(names(&plan), ["fill", "prepare-between", "between"], "{:?}", left(&plan));
    assert_eq!(left(&plan)[1], ("reads", "it needs what 'again' writes"));
}

#[test]
fn what_checks_the_headers_of_a_test_that_is_left_out_is_left_out_too() {
    let fill = "[[prepare]]\naction = \"fill\"\n".to_owned();
    let writer = format!("{FILLS}\nverify = \"headers\"\nrequires = {{ time = \"1 h\" }}");
    let checker = "op = \"verify\"\npattern = \"sequential\"\npasses = 1";
    let all = device(&[fill, test("headers", &writer), test("check", checker), test("reads", READS)]);
    let plan = seconds(&all, 60.0);
    assert_eq!(names(&plan), ["prepare", "reads"], "{:?}", left(&plan));
    assert_eq!(left(&plan)[1], ("check", "it needs what 'headers' writes"));
    assert_eq!(names(&seconds(&all, 7200.0)), ["prepare", "headers", "check", "reads"]);
}

#[test]
fn preparation_of_a_later_test_fills_nothing_for_an_earlier_one() {
    let later = "[[prepare]]\naction = \"overwrite_random\"\nbefore = \"second\"\n";
    let text = |reads: &str| format!("{HEAD}{DEVICE}{later}{}{}", test("first", reads), test("second", READS));
    let errors = parse("later.toml", &text(READS)).unwrap_err().to_string();
    assert!(errors.contains("'first' reads, and nothing fills the target first"), "{errors}");
    assert!(!errors.contains("'second' reads"), "{errors}");
    parse("later.toml", &text(WRITES)).unwrap();
}

#[test]
fn writes_that_may_leave_holes_fill_nothing() {
    let text = |writes: &str| format!("{HEAD}{DEVICE}{}{}", test("first", writes), test("second", READS));
    let sequential = "op = \"write\"\npattern = \"sequential\"\n";
    parse("whole.toml", &text(&format!("{sequential}passes = 1"))).unwrap();
    for holes in ["passes = 1\ntime = \"1 s\"", "volume = \"1 GiB\"\nseek_percent = 10"] {
        let errors = parse("holes.toml", &text(&format!("{sequential}{holes}"))).unwrap_err().to_string();
        assert!(errors.contains("'second' reads, and nothing fills the target first"), "{holes}: {errors}");
    }
}

/// A suite of the methodology `of.toml`.
fn suite_of(of: &str, entry: &str) -> Methodology {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("of.toml"), of).unwrap();
    let text = format!("{HEAD}{DEVICE}[[suite]]\nmethod = \"of.toml\"\nprefix = \"of\"\n{entry}\n");
    parse(folder.path().join("suite.toml").to_str().unwrap(), &text).unwrap()
}

#[test]
fn a_suite_that_takes_what_reads_and_not_what_fills_is_told_so() {
    let of = format!("{HEAD}{DEVICE}{}{}{}", test("fill", FILLS), test("reads", READS), test("writes", WRITES));
    let plan = |tests: &str, form: Form| {
        let suite = suite_of(&of, &format!("tests = [{tests}]"));
        let plan = expand_with(&suite, form, &shape(Bytes::GIB), &Means::default()).unwrap();
        let left: Vec<String> = left(&plan).into_iter().map(|(test, why)| format!("{test}: {why}")).collect();
        (names(&plan).join(" "), left)
    };
    let needs = "of-reads: it needs what 'of-fill' writes".to_owned();
    assert_eq!(plan("\"reads\", \"writes\"", Form::Quick), ("of-writes".to_owned(), vec![needs]));
    assert_eq!(plan("\"writes\"", Form::Quick), ("of-writes".to_owned(), Vec::new()));
    assert_eq!(plan("\"fill\", \"reads\"", Form::Quick), ("of-fill of-reads".to_owned(), Vec::new()));
    assert_eq!(plan("\"writes\"", Form::Smoke), ("of-writes".to_owned(), Vec::new()));
}

#[test]
fn a_plan_that_fits_the_time_by_its_own_estimate_is_taken_whole() {
    let disk_mark = parse("crystaldiskmark", library::find("crystaldiskmark").unwrap().text).unwrap();
    let day = within(&disk_mark, Nanos::from_secs(86_400), Form::Faithful, Bytes::GIB);
    let fits = within(&disk_mark, day.estimated_time(), Form::Faithful, Bytes::GIB);
    assert_eq!((left(&fits), names(&fits)), (Vec::new(), names(&day)));
    let short = Nanos::new(day.estimated_time().get() - 1);
    let short = within(&disk_mark, short, Form::Faithful, Bytes::GIB);
    assert_eq!(left(&short).len(), 1, "{:?}", left(&short));
}

const SCORES: &str = r#"
[[scores]]
name = "deep"
title = "Deep"
sources = ["own"]
[[scores.parts]]
test = "reads"
figure = "read.iops"
steps = ["rnd-1m-q8t1-read"]
[[scores]]
name = "both"
title = "Both"
sources = ["own"]
[[scores.parts]]
test = "reads"
figure = "read.iops"
[[scores.parts]]
test = "writes"
figure = "write.iops"
"#;

#[test]
fn a_score_of_a_suite_s_methodology_is_left_out_by_name_where_a_step_was_set_away() {
    let fill = "[[prepare]]\naction = \"fill\"\n";
    let of = format!("{HEAD}{DEVICE}{fill}{}{}{SCORES}", test("reads", READS), test("writes", WRITES));
    let plain = || suite_of(&of, "");
    let set = plain().with_settings(&["of-reads.queue_depth=2".to_owned()]).unwrap();
    let plan = expand_with(&set, Form::Quick, &shape(Bytes::GIB), &Means::default()).unwrap();
    let scores: Vec<&str> = plan.scores.iter().map(|score| score.name.as_str()).collect();
    assert_eq!(scores, ["of-both"]);
    assert_eq!(left(&plan), [("of-deep", "'of-reads' has no step 'rnd-1m-q8t1-read'")]);
    assert_eq!(plan.left_out[0].title, "Example: Deep");
    // Also by what needs the time.
    let slow = of.replace("op = \"write\"", "requires = { time = \"1 h\" }\nop = \"write\"");
    let plan = seconds(&suite_of(&slow, ""), 60.0);
    assert_eq!(left(&plan)[1], ("of-both", "it needs the test 'of-writes', which is not in the plan"));
}

#[test]
fn files_of_tests_that_a_suite_does_not_take_need_no_room() {
    let set = |name: &str, size: &str| format!("[[file_sets]]\nname = \"{name}\"\ncount = 4\nsize = \"{size}\"\n");
    let copy = |name: &str| {
        format!(
            "[[tests]]\nname = \"{name}\"\ntitle = \"C\"\npurpose = \"Q?\"\nsources = [\"own\"]\n[[tests.files]]\n\
             set = \"{name}\"\nwork = \"copy\"\nof = \"source\"\n"
        )
    };
    let target = "[target]\nkind = \"directory\"\nsize = \"1 MiB\"\nminimum_size = \"1 MiB\"\n[forms.quick]\n";
    let sets = [set("large", "1 GiB"), set("small", "1 MiB"), copy("large"), copy("small")].concat();
    let of = format!("{HEAD}{target}{sets}");
    let means = Means { ground: Some(Ground::File), folder: Some(true), free: Some(Bytes::GIB), ..Means::default() };
    let plan = |entry: &str| expand_with(&suite_of(&of, entry), Form::Quick, &shape(Bytes::new(64 << 20)), &means);
    assert_eq!(names(&plan("tests = [\"small\"]").unwrap()), ["of-small"]);
    assert!(plan("").unwrap_err().to_string().contains("its files take up to 4.0 GiB"));
}
