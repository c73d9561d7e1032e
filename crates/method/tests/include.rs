//! Methodologies made from others: derivation, suites, settings of the command line, and what is left out.
#![expect(clippy::unwrap_used, reason = "helpers of tests: a failed unwrap is a failed test")]

mod common;

use std::path::Path;

use common::shape;
use drivelab_core::namespace::OtherNamespace;
use drivelab_core::plan::{Action, Form, Plan, Rounds};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_method::{
    Capability, Diagnostics, Ground, Mark, Means, Methodology, expand, expand_with, nothing_left, parse, parts,
};

const BASE: &str = r#"
format = 1
name = "base"
title = "Base"
version = "1.0.0"
summary = "A methodology that others include."
good_for = "Tests."
cannot_tell = "Anything else."
[[sources]]
id = "paper"
citation = "a paper"
[target]
kind = "file_or_block"
size = "1 GiB"
minimum_size = "8 MiB"
[defaults]
time = "10 s"
source_of = { time = "paper" }
[forms.faithful]
[forms.quick]
time = "2 s"
[[prepare]]
action = "fill"
[[tests]]
name = "reads"
title = "Reads"
purpose = "How fast are reads?"
sources = ["paper"]
op = "read"
pattern = "random"
block_size = "4 KiB"
queue_depth = [1, 8]
source_of = { queue_depth = "paper", block_size = "paper" }
[[tests]]
name = "writes"
title = "Writes"
purpose = "How fast are writes?"
sources = ["paper"]
op = "write"
pattern = "sequential"
block_size = "1 MiB"
queue_depth = 8
rounds = 3
"#;

/// A folder with files; the first one is read.
struct Files(tempfile::TempDir);

impl Files {
    fn new(files: &[(&str, &str)]) -> Files {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Files(folder)
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn parse(&self, name: &str) -> Result<Methodology, Diagnostics> {
        read(&self.path(name))
    }
}

fn read(path: &Path) -> Result<Methodology, Diagnostics> {
    parse(path.to_str().unwrap(), &std::fs::read_to_string(path).unwrap())
}

fn derived(rest: &str) -> String {
    format!("format = 1\nname = \"own\"\nversion = \"2.0.0\"\n[include]\nmethod = \"base.toml\"\n{rest}")
}

fn suite(rest: &str) -> String {
    let head: String = BASE.split("[defaults]").next().unwrap().replace("\"base\"", "\"both\"");
    format!("{head}[forms.quick]\n{rest}")
}

fn plan(method: &Methodology, form: Form) -> Plan {
    expand(method, form, &shape(Bytes::GIB)).unwrap()
}

fn ids(plan: &Plan) -> Vec<&str> {
    plan.steps().map(|step| step.id.as_str()).collect()
}

fn time_of(plan: &Plan, id: &str) -> Option<Nanos> {
    match &plan.steps().find(|step| step.id.as_str() == id).unwrap().action {
        Action::Io { stop, .. } => stop.time,
        Action::Idle { .. } | Action::CoolDown(_) => None,
    }
}

#[test]
fn a_derived_methodology_replaces_key_by_key_and_keeps_the_rest() {
    let files = Files::new(&[
        ("base.toml", BASE),
        (
            "own.toml",
            &derived(
                "drop_tests = [\"writes\"]\n[forms.quick]\nramp = \"1 s\"\n[[tests]]\nname = \"reads\"\nblock_size = \"8 KiB\"\n\
                 approximation = { queue_depth = \"doubtful\" }\n[[tests]]\nname = \"trims\"\ntitle = \"Trims\"\n\
                 purpose = \"?\"\nsources = [\"paper\"]\nop = \"trim\"\npattern = \"sequential\"\nblock_size = \"1 MiB\"\n\
                 queue_depth = 1\n",
            ),
        ),
    ]);
    let own = files.parse("own.toml").unwrap();
    let base = files.parse("base.toml").unwrap();
    assert_eq!((own.identity().name.as_str(), own.identity().version.as_str()), ("own", "2.0.0"));
    assert_ne!(own.identity().hash, base.identity().hash);
    assert_eq!(own.summary(), base.summary(), "texts come from the included one");
    let quick = plan(&own, Form::Quick);
    assert_eq!(
        ids(&quick),
        ["prepare/fill", "reads/rnd-8k-q1t1-read", "reads/rnd-8k-q8t1-read", "trims/seq-1m-q1t1-trim"]
    );
    assert_eq!(time_of(&quick, "reads/rnd-8k-q1t1-read"), Some(Nanos::from_secs(2)), "of the included quick form");
    let tests = own.tests();
    let reads = tests.iter().find(|test| test.name == "reads").unwrap();
    let mark = |name: &str| reads.parameters.iter().find(|one| one.name == name).unwrap().forms[0].mark.clone();
    assert_eq!(mark("block_size"), Mark::Unmarked, "the source says nothing about a value that was replaced");
    assert_eq!(mark("queue_depth"), Mark::Approximation("doubtful".to_owned()), "a mark replaces a mark");
    let recorded = own.recorded_text();
    assert!(recorded.starts_with(own.source_text()) && recorded.contains("# name = \"base\""), "{recorded}");
    assert_eq!(recorded.parse::<toml::Table>().unwrap(), own.source_text().parse::<toml::Table>().unwrap());
}

#[test]
fn what_an_included_file_says_is_part_of_the_hash() {
    let files = Files::new(&[("base.toml", BASE), ("own.toml", &derived("")), ("both.toml", &suite(TWO))]);
    let hash = |name: &str| files.parse(name).unwrap().identity().hash.clone();
    let before = (hash("own.toml"), hash("both.toml"));
    std::fs::write(files.path("base.toml"), BASE.replace("rounds = 3", "rounds = 4")).unwrap();
    assert_ne!(hash("own.toml"), before.0);
    assert_ne!(hash("both.toml"), before.1);
    std::fs::write(files.path("base.toml"), format!("# a comment\n{BASE}")).unwrap();
    assert_eq!((hash("own.toml"), hash("both.toml")), before, "comments count nowhere");
}

const TWO: &str = "[[suite]]\nmethod = \"base.toml\"\ntests = [\"reads\"]\npriority = 5\n[[suite]]\nmethod = \"base.toml\"\n\
                   prefix = \"other\"\ntests = [\"writes\"]\n";

#[test]
fn a_suite_runs_the_tests_of_others_under_their_names_with_their_own_defaults() {
    let files = Files::new(&[("base.toml", BASE), ("both.toml", &suite(TWO))]);
    let both = files.parse("both.toml").unwrap();
    let plan = plan(&both, Form::Quick);
    assert_eq!(
        ids(&plan),
        [
            "base-prepare/fill",
            "base-reads/rnd-4k-q1t1-read",
            "base-reads/rnd-4k-q8t1-read",
            "other-prepare/fill",
            "other-writes/seq-1m-q8t1-write"
        ]
    );
    assert_eq!(time_of(&plan, "base-reads/rnd-4k-q1t1-read"), Some(Nanos::from_secs(2)));
    let alone = files.parse("base.toml").unwrap();
    let alone = expand(&alone, Form::Quick, &shape(Bytes::GIB)).unwrap();
    let seed = |plan: &Plan, at: usize| plan.steps().nth(at).unwrap().workload().unwrap().seed;
    assert_eq!(seed(&plan, 1), seed(&alone, 1), "the same offsets as in the methodology itself");
    assert_eq!(plan.sources.len(), 1, "the same source is cited once");
    let about = both.suite();
    assert_eq!((about[0].method.as_str(), about[0].priority, about[1].prefix.as_str()), ("base", 5, "other"));
    let smoke = expand(&both, Form::Smoke, &shape(Bytes::GIB)).unwrap();
    assert_eq!(smoke.steps().count(), 5);
}

#[test]
fn what_steps_say_of_each_other_follows_their_new_names() {
    let files = Files::new(&[
        ("base.toml", BASE),
        ("both.toml", &suite("[[suite]]\nmethod = \"base.toml\"\ntests = [\"writes\"]\n")),
    ]);
    let curve = "curve = { points = [50, 100] }";
    let steady = "steady = { tracked = \"iops\", max_rounds = 9 }";
    std::fs::write(files.path("base.toml"), BASE.replace("rounds = 3", curve)).unwrap();
    let both = plan(&files.parse("both.toml").unwrap(), Form::Quick);
    let bases: Vec<&str> =
        both.steps().filter_map(|step| step.relative.as_ref()).map(|relative| relative.of.as_str()).collect();
    assert_eq!(bases, ["base-writes/seq-1m-q8t1-write-full-speed"; 2]);
    assert!(both.step(&both.steps().find_map(|step| step.relative.clone()).unwrap().of).is_some());
    std::fs::write(files.path("base.toml"), BASE.replace("rounds = 3", steady)).unwrap();
    let both = plan(&files.parse("both.toml").unwrap(), Form::Quick);
    let watched = both.tests.iter().find_map(|test| match &test.rounds {
        Rounds::Steady { step, .. } => Some(step.as_str()),
        _ => None,
    });
    assert_eq!(watched, Some("base-writes/seq-1m-q8t1-write"));
}

#[test]
fn with_a_time_the_highest_priorities_stay_and_the_rest_is_named() {
    let files = Files::new(&[("base.toml", BASE), ("both.toml", &suite(TWO))]);
    let both = files.parse("both.toml").unwrap();
    let of = |seconds| {
        let means = Means { time: Some(Nanos::from_secs(seconds)), ..Means::default() };
        expand_with(&both, Form::Quick, &shape(Bytes::GIB), &means)
    };
    // A fill of 1 GiB at 500 MB/s takes 2.1 s, a step its two and 0.1: reads 6.4 s, writes 2.3 + 3 × 2.1 s.
    let all = of(60).unwrap();
    assert!(all.left_out.is_empty() && all.estimated_time() <= Nanos::from_secs(60));
    let some = of(10).unwrap();
    assert_eq!(ids(&some), ["base-prepare/fill", "base-reads/rnd-4k-q1t1-read", "base-reads/rnd-4k-q8t1-read"]);
    assert_eq!(some.left_out.len(), 1);
    assert_eq!(some.left_out[0].test, "other-writes");
    assert!(some.left_out[0].reason.contains("with its preparation, and 3 s of 10 s are left"), "{:?}", some.left_out);
    let none = of(1).unwrap_err();
    let none = nothing_left(&none).expect("the file is fine");
    assert_eq!(none.title(), "nothing of 'both' can run here: the shortest test, 'base-reads', needs 7 s");
    assert_eq!(none.advice(), ["2 tests (base-reads, other-writes): it takes longer than the time available"]);
    assert!(of(7).is_ok(), "the time that is named is enough");
    let means = Means { read_only: Some("nobody said so".to_owned()), ..Means::default() };
    let none = expand_with(&both, Form::Quick, &shape(Bytes::GIB), &means).unwrap_err();
    let none = nothing_left(&none).expect("the file is fine");
    let title = "nothing of 'both' can run here: everything that suits the target writes or needs written data, and \
                 nothing may be written";
    assert_eq!(none.title(), title);
    assert_eq!(none.advice(), ["2 tests (base-reads, other-writes): it writes, and nobody said so"]);
}

#[test]
fn of_a_plan_it_is_known_what_comes_of_which_methodology() {
    let files = Files::new(&[("base.toml", BASE), ("both.toml", &suite(TWO))]);
    let both = files.parse("both.toml").unwrap();
    let all = plan(&both, Form::Quick);
    let parts = parts(&both, &all);
    let named: Vec<(&str, String)> = parts.iter().map(|part| (part.name.as_str(), part.tests.join(" "))).collect();
    assert_eq!(named, [("base", "reads".to_owned()), ("other", "writes".to_owned())]);
    let sum: u64 = parts.iter().map(|part| part.time.get()).sum();
    assert_eq!(sum, all.estimated_time().get(), "no time is lost or counted twice");
}

#[test]
fn unmet_needs_leave_a_test_out_and_refuse_a_methodology() {
    let needs = |what: &str| BASE.replace("rounds = 3", &format!("rounds = 3\nrequires = {{ {what} }}"));
    let reason = |what: &str, means: &Means| {
        let method = parse("needs.toml", &needs(what)).unwrap();
        assert_eq!(plan(&method, Form::Quick).left_out, [], "what is not known is taken to be there");
        let plan = expand_with(&method, Form::Quick, &shape(Bytes::GIB), means).unwrap();
        let left: Vec<(String, String)> = plan.left_out.into_iter().map(|out| (out.test, out.reason)).collect();
        left.into_iter().map(|(test, reason)| format!("{test}: {reason}")).collect::<Vec<_>>().join("; ")
    };
    let file = Means { ground: Some(Ground::File), ..Means::default() };
    assert_eq!(reason("target = \"block_device\"", &file), "writes: it needs a block device, and the target is a file");
    assert_eq!(reason("target = \"file\"", &file), "");
    let lacks = vec![(Capability::Fdp, "the drive has no FDP".to_owned())];
    let lacking = Means { lacks, root: Some(false), free: Some(Bytes::GIB), ..Means::default() };
    assert_eq!(reason("capability = [\"nvme\", \"fdp\"]", &lacking), "writes: it needs `fdp`: the drive has no FDP");
    assert_eq!(reason("privilege = \"root\"", &lacking), "writes: it needs administrator rights (root)");
    assert!(reason("free = \"2 GiB\"", &lacking).contains("of free space"));
    let places = |handles| Means { placement_handles: Some(handles), ..Means::default() };
    let none = places(Err("loop0 is no NVMe drive".to_owned()));
    let needs_two = "placement_handles = 2";
    assert_eq!(reason(needs_two, &none), "writes: it needs 2 placement handles: loop0 is no NVMe drive");
    assert_eq!(reason(needs_two, &places(Ok(1))), "writes: it needs 2 placement handles, and there is 1");
    assert_eq!(reason(needs_two, &places(Ok(2))), "");
    let soon = Means { time: Some(Nanos::from_secs(600)), ..Means::default() };
    assert!(
        reason("time = \"1 h\"", &soon).contains("it needs at least 60 min to be useful, and 10 min are available")
    );
    let read_only = Means { read_only: Some("no device was named".to_owned()), ..Means::default() };
    let whole = parse("needs.toml", &format!("{BASE}[requires]\ntarget = \"block_device\"\n")).unwrap();
    let refused = expand_with(&whole, Form::Quick, &shape(Bytes::GIB), &file).unwrap_err().to_string();
    assert!(refused.contains("'base' cannot run here: it needs a block device"), "{refused}");
    let nothing = expand_with(&whole, Form::Quick, &shape(Bytes::GIB), &read_only).unwrap_err().to_string();
    assert!(nothing.contains("reads: it writes, and no device was named"), "its fill writes too: {nothing}");
}

#[test]
fn a_group_on_another_namespace_reads_that_one_and_needs_it_without_a_word() {
    let text = format!("{BASE}[[tests.groups]]\nname = \"readers\"\non = \"other_namespace\"\nop = \"read\"\n");
    let method = parse("beside.toml", &format!("{text}span = {{ offset = \"50 %\", length = \"50 %\" }}\n")).unwrap();
    assert!(method.asks_for_other_namespace() && !parse("base.toml", BASE).unwrap().asks_for_other_namespace());
    let other = OtherNamespace {
        name: "nvme0n3".to_owned(),
        nsid: 3,
        capacity: Bytes::new(4 << 30),
        logical_block: Bytes::new(4096),
    };
    let known = Means { other_namespace: Some(other.clone()), ..Means::default() };
    let plan = expand_with(&method, Form::Quick, &shape(Bytes::GIB), &known).unwrap();
    assert_eq!(plan.other_namespace(), Some(&other));
    let step = plan.tests.iter().find(|test| test.name == "writes").unwrap().steps.first().unwrap();
    assert_eq!(step.label, "SEQ 1 MiB Q8T1 write; beside it: readers (on another namespace)");
    let load = step.workload().unwrap();
    let of = |load: &drivelab_core::workload::Workload| (load.span.offset.get(), load.span.length.get());
    assert_eq!((of(load), of(&load.beside[0])), ((0, 1 << 30), (2 << 30, 2 << 30)), "each by its own size");
    assert!(load.on.is_none() && load.on_target().count() == 1);
    // If nobody looked for another namespace, it is planned as if it were like the target.
    let stand_in = expand(&method, Form::Quick, &shape(Bytes::GIB)).unwrap();
    assert!(!stand_in.other_namespace().unwrap().is_known());
    let smoke = expand_with(&method, Form::Smoke, &shape(Bytes::GIB), &known).unwrap();
    let smoke = smoke.steps().find_map(|step| step.workload()?.beside.first().map(of)).unwrap();
    assert_eq!(smoke, (4 << 20, 4 << 20), "the smoke form keeps to the first 8 MiB");
    // The other namespace has its own block size: 512 bytes suit only the target.
    let fine = text.replace("block_size = \"1 MiB\"", "block_size = \"512\"");
    let refused =
        expand_with(&parse("fine.toml", &fine).unwrap(), Form::Quick, &shape(Bytes::GIB), &known).unwrap_err();
    assert!(refused.to_string().contains("512 B is not a multiple of"), "{refused}");
    // Larger than the target, which does not matter here; the size of the other namespace is known only if it was
    // looked for.
    let large = parse("large.toml", &format!("{text}span = \"8 GiB\"\n")).unwrap();
    assert!(expand(&large, Form::Quick, &shape(Bytes::GIB)).is_ok());
    let refused = expand_with(&large, Form::Quick, &shape(Bytes::GIB), &known).unwrap_err().to_string();
    assert!(refused.contains("8 GiB is larger") && refused.contains("is the other namespace"), "{refused}");
    let lacks = vec![(Capability::OtherNamespace, "the drive of nvme0n1 has no other namespace".to_owned())];
    let without = Means { lacks, ..Means::default() };
    let plan = expand_with(&method, Form::Quick, &shape(Bytes::GIB), &without).unwrap();
    assert_eq!(plan.left_out.len(), 1);
    assert_eq!(plan.left_out[0].test, "writes");
    let reason = "it needs `other_namespace`: the drive of nvme0n1 has no other namespace";
    assert_eq!(plan.left_out[0].reason, reason);
}

#[test]
fn settings_are_the_strongest_and_a_list_is_a_further_axis() {
    let base = || parse("base.toml", BASE).unwrap();
    let set =
        |settings: &[&str]| base().with_settings(&settings.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>());
    let one = set(&["time=1s", "reads.block_size=4k..16k", "writes.rounds=1"]).unwrap();
    assert_eq!(one.identity().version, "1.0.0+set");
    assert_ne!(one.identity().hash, base().identity().hash);
    let quick = plan(&one, Form::Quick);
    assert_eq!(quick.set, ["time=1s", "reads.block_size=4k..16k", "writes.rounds=1"]);
    assert_eq!(
        ids(&quick)[1..],
        [
            "reads/rnd-4k-q1t1-read",
            "reads/rnd-8k-q1t1-read",
            "reads/rnd-16k-q1t1-read",
            "reads/rnd-4k-q8t1-read",
            "reads/rnd-8k-q8t1-read",
            "reads/rnd-16k-q8t1-read",
            "writes/seq-1m-q8t1-write"
        ]
    );
    assert_eq!(time_of(&quick, "writes/seq-1m-q8t1-write"), Some(Nanos::from_secs(1)), "stronger than the form");
    assert_eq!(quick.tests[2].max_rounds(), 1);
    let marks: Vec<&str> = quick.tests[2].steps[0].approximations.iter().map(|mark| mark.reason.as_str()).collect();
    assert_eq!(marks, ["set on the command line"; 2]);
    let hash = |settings: &[&str]| set(settings).unwrap().identity().hash.clone();
    assert_eq!(
        hash(&["queue_depth=1..8"]),
        hash(&["queue_depth = [1, 2, 4, 8]"]),
        "the value counts, not its spelling"
    );
    assert_eq!(hash(&["queue_depth=1", "queue_depth=4"]), hash(&["queue_depth=4"]), "the last one holds");
    assert!(plan(&set(&["op=write"]).unwrap(), Form::Quick).steps().all(|step| !step.label.contains("read")));
}

#[test]
fn a_suite_is_set_by_the_names_that_its_tests_have_there() {
    let files = Files::new(&[("base.toml", BASE), ("both.toml", &suite(TWO))]);
    let both = files.parse("both.toml").unwrap();
    let set = both.with_settings(&["base-reads.queue_depth=4".to_owned(), "time=1s".to_owned()]).unwrap();
    let plan = plan(&set, Form::Quick);
    assert_eq!(ids(&plan)[1], "base-reads/rnd-4k-q4t1-read");
    assert_eq!(time_of(&plan, "other-writes/seq-1m-q8t1-write"), Some(Nanos::from_secs(1)));
}

/// Profiles, preparation before a test, and `recovers_to` refer to tests by name.
#[test]
fn any_test_of_a_built_in_methodology_can_be_dropped() {
    let mut dropped = 0;
    for built_in in drivelab_method::library::all() {
        let method = parse(built_in.name, built_in.text).unwrap();
        let tests: Vec<String> = method
            .tests()
            .iter()
            .filter(|one| one.kind == drivelab_method::AboutKind::Test)
            .map(|one| one.name.clone())
            .collect();
        // The tests of a suite are those of its parts.
        if tests.len() < 2 || built_in.text.contains("[[suite]]") {
            continue;
        }
        let named = |test: &String| built_in.text.matches(&format!("\"{test}\"")).count() > 1;
        for test in tests.into_iter().filter(named) {
            let text = derived(&format!("drop_tests = [\"{test}\"]\n")).replace("base.toml", built_in.name);
            let files = Files::new(&[("own.toml", &text)]);
            match files.parse("own.toml") {
                Ok(own) => assert!(own.tests().iter().all(|one| one.name != test)),
                // A test that needs what the dropped one left behind is reported.
                Err(error) => {
                    let said = error.to_string();
                    let needs = said.contains("nothing fills the target first") || said.contains("headers");
                    assert!(needs, "{} without {test}: {said}", built_in.name);
                }
            }
            dropped += 1;
        }
    }
    assert!(dropped > 20, "{dropped}");
}

/// Wrong files, each with the part of the message that helps.
#[test]
fn what_is_wrong_points_to_its_place() {
    let files = Files::new(&[
        ("base.toml", BASE),
        ("broken.toml", &BASE.replace("queue_depth = 8", "queue_depth = \"deep\"")),
        ("itself.toml", &derived("").replace("base.toml", "itself.toml")),
        ("unknown.toml", &derived("").replace("base.toml", "quik")),
        ("absent.toml", &derived("").replace("base.toml", "absent/x.toml")),
        ("dropped.toml", &derived("drop_tests = [\"write\"]\n")),
        ("of-broken.toml", &derived("").replace("base.toml", "broken.toml")),
        ("nameless.toml", "format = 1\nversion = \"1.0.0\"\n[include]\nmethod = \"base.toml\"\n"),
        ("incomplete.toml", &derived("[[tests]]\nname = \"new\"\n")),
        ("twice.toml", &suite("[[suite]]\nmethod = \"base.toml\"\n[[suite]]\nmethod = \"base.toml\"\n")),
        ("subset.toml", &suite("[[suite]]\nmethod = \"base.toml\"\ntests = [\"red\"]\n")),
        ("nested.toml", &suite("[[suite]]\nmethod = \"twice.toml\"\n")),
        ("neither.toml", &suite("")),
    ]);
    for (name, says) in [
        ("itself.toml", "includes itself"),
        ("unknown.toml", "did you mean `quick`?"),
        ("absent.toml", "cannot read the included methodology"),
        ("dropped.toml", "did you mean `writes`?"),
        ("of-broken.toml", "broken.toml:"),
        ("nameless.toml", "`name` is missing in a derived methodology"),
        ("incomplete.toml", "`title`, `purpose`, `sources` are missing in a test"),
        ("twice.toml", "two tests of the suite are called 'base-prepare'"),
        ("subset.toml", "has no test 'red'"),
        ("nested.toml", "a suite cannot hold another suite"),
        ("neither.toml", "`tests` is missing"),
    ] {
        let errors = files.parse(name).expect_err(name).to_string();
        assert!(errors.contains(says), "{name}: {errors}");
        assert!(errors.contains("--> "), "{name}: {errors}");
    }
    let of_broken = files.parse("of-broken.toml").unwrap_err();
    let error = &of_broken.all()[0];
    assert!(of_broken.file_of(error).ends_with("/broken.toml"), "{}", of_broken.file_of(error));
    assert!(of_broken.to_string().contains("queue_depth = \"deep\""), "the line of the included file: {of_broken}");
    for (setting, says) in [
        ("depth", "sets nothing"),
        ("queue_dept=4", "did you mean `queue_depth`?"),
        ("read.queue_depth=4", "did you mean `reads`?"),
        ("queue_depth=deep", "is a text"),
        ("queue_depth=1..5", "is not a row of doublings"),
        ("queue_depth=70000", "out of range"),
        ("name=x", "unknown key `name`"),
    ] {
        let base = parse("base.toml", BASE).unwrap();
        let errors = base.with_settings(&[setting.to_owned()]).expect_err(setting).to_string();
        assert!(errors.contains(says) && errors.contains("--> --set"), "{setting}: {errors}");
    }
}

const FOLDER: &str = "format = 1\nname = \"copies\"\ntitle = \"Copies\"\nversion = \"1.0.0\"\nsummary = \"Copies.\"\n\
                      good_for = \"Tests.\"\ncannot_tell = \"Else.\"\n[[sources]]\nid = \"own\"\ncitation = \"ours\"\n\
                      [target]\nkind = \"directory\"\nsize = \"1 MiB\"\nminimum_size = \"1 MiB\"\n[forms.quick]\n\
                      [[file_sets]]\nname = \"large\"\ncount = 4\nsize = \"64 MiB\"\n[[tests]]\nname = \"copy\"\n\
                      title = \"Copy\"\npurpose = \"Q?\"\nsources = [\"own\"]\n[[tests.files]]\nset = \"large\"\n\
                      work = \"copy\"\nof = \"source\"\n";

/// What a suite of these two methodologies leaves out, by name and reason.
fn suits(first: &str, second: &str, means: &Means) -> (Plan, Vec<String>) {
    let entries = "[[suite]]\nmethod = \"first.toml\"\n[[suite]]\nmethod = \"second.toml\"\nprefix = \"other\"\n";
    let files = Files::new(&[("first.toml", first), ("second.toml", second), ("both.toml", &suite(entries))]);
    let plan =
        expand_with(&files.parse("both.toml").unwrap(), Form::Quick, &shape(Bytes::new(64 << 20)), means).unwrap();
    let left = plan.left_out.iter().map(|out| format!("{}: {}", out.test, out.reason)).collect();
    (plan, left)
}

#[test]
fn a_suite_on_a_folder_works_on_sets_of_files_too_each_methodology_on_its_own() {
    let folder = Means { ground: Some(Ground::File), folder: Some(true), free: Some(Bytes::GIB), ..Means::default() };
    let (plan, left) = suits(FOLDER, FOLDER, &folder);
    assert_eq!(left, Vec::<String>::new());
    let sets: Vec<&str> =
        plan.steps().filter_map(|step| Some(step.workload()?.files.as_deref()?.set.name.as_str())).collect();
    assert_eq!(sets, ["copies-large", "other-large"], "two sets of one name do not share a folder");
    // 256 MiB of files each, beside the scratch file of 64 MiB and 32 MiB of reserve.
    let tight = Means { free: Some(Bytes::new(600 << 20)), ..folder.clone() };
    let (_, left) = suits(FOLDER, FOLDER, &tight);
    let said =
        "other: its files take up to 256 MiB, with the scratch file and other files 608 MiB, and 600 MiB are free";
    assert_eq!(left, [said]);
    let file = Means { folder: Some(false), ..folder };
    let (_, left) = suits(BASE, FOLDER, &file);
    assert_eq!(left, ["other: it works on many files in a folder, and the target is a single file"]);
    let device = Means { ground: Some(Ground::BlockDevice), ..file };
    let (_, left) = suits(BASE, FOLDER, &device);
    assert_eq!(left, ["other: it works on many files in a folder, and the target is a block device"]);
}

#[test]
fn what_a_suite_would_have_to_ignore_it_leaves_out_by_reason() {
    let around = BASE.replace("[forms.quick]", "[conditions]\narms = [\"none\", \"luks2\"]\n[forms.quick]");
    let (_, left) = suits(BASE, &around, &Means::default());
    assert!(left[0].starts_with("other: it sets up conditions around its target") && left.len() == 1, "{left:?}");
    let several = BASE.replace("[forms.quick]", "[drives]\neach = false\n[forms.quick]");
    let (_, left) = suits(BASE, &several, &Means::default());
    assert!(left[0].contains("`drivelab run base` does that") && left.len() == 1, "{left:?}");
}

#[test]
fn traces_and_needs_that_differ_are_differences() {
    let with = |file: &str, fill: u32| {
        let text = format!(
            "{BASE}\n[[traces]]\nname = \"mail\"\nfile = \"{file}\"\n[[tests]]\nname = \"full\"\ntitle = \"F\"\n\
             purpose = \"Q?\"\nsources = [\"paper\"]\nop = \"read\"\npattern = \"random\"\nblock_size = \"4 KiB\"\n\
             queue_depth = 1\ntime = \"1 s\"\n[tests.needs]\nfill = {fill}\n"
        );
        parse("base.toml", &text).unwrap()
    };
    let one = with("a.log", 50);
    let named = |other: &Methodology| -> Vec<(String, Option<String>)> {
        drivelab_method::differences(&one, other).into_iter().map(|one| (one.test, one.parameter)).collect()
    };
    assert_eq!(named(&with("a.log", 50)), []);
    assert_eq!(named(&with("b.log", 50)), [("traces".to_owned(), Some("mail".to_owned()))]);
    assert_eq!(named(&with("a.log", 60)), [("full".to_owned(), Some("needs".to_owned()))]);
}

#[test]
fn an_entry_of_a_suite_may_have_a_form_of_its_own() {
    let form = |word: &str| {
        let entry = format!("[[suite]]\nmethod = \"base.toml\"\ntests = [\"reads\"]\nform = \"{word}\"\n");
        let files = Files::new(&[("base.toml", BASE), ("both.toml", &suite(&entry))]);
        let both = files.parse("both.toml").unwrap();
        (time_of(&plan(&both, Form::Quick), "base-reads/rnd-4k-q1t1-read"), both.suite()[0].form.clone())
    };
    assert_eq!(form("faithful"), (Some(Nanos::from_secs(10)), "faithful".to_owned()));
    assert_eq!(form("quick").0, Some(Nanos::from_secs(2)));
}

#[test]
fn the_smoke_form_of_a_suite_has_the_first_test_of_each_methodology_once() {
    let entries = "[[suite]]\nmethod = \"base.toml\"\n[[suite]]\nmethod = \"base.toml\"\nprefix = \"long\"\n\
                   form = \"faithful\"\n";
    let files = Files::new(&[("base.toml", BASE), ("both.toml", &suite(entries))]);
    let smoke = plan(&files.parse("both.toml").unwrap(), Form::Smoke);
    let tests: Vec<&str> = smoke.tests.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(tests, ["base-prepare", "base-reads"]);
    let left: Vec<&str> = smoke.left_out.iter().map(|out| out.test.as_str()).collect();
    assert_eq!(left, ["base", "long"], "{:?}", smoke.left_out);
}

#[test]
fn a_quick_form_is_the_longest_one_only_without_a_faithful_form_in_it_and_in_its_suite() {
    let longest = |name: &str, form| {
        let known = drivelab_method::library::find(name).unwrap();
        plan(&parse(name, known.text).unwrap(), form).longest_form
    };
    assert!(longest("quick", Form::Quick), "it has no other");
    assert!(!longest("four-corners", Form::Quick) && longest("four-corners", Form::Faithful));
    assert!(!longest("review", Form::Quick), "it takes quick forms of methodologies with faithful ones");
    assert!(!longest("quick", Form::Smoke));
}

#[test]
fn the_built_in_review_considers_every_built_in_methodology() {
    let review = drivelab_method::library::find("review").unwrap();
    let suite = parse("review.toml", review.text).unwrap().suite();
    // A methodology with a command of its own (`drivelab check`) need not be in it.
    let others = ["review", "check", "genuine"];
    for built_in in drivelab_method::library::all().iter().filter(|built_in| !others.contains(&built_in.name)) {
        let is_there = suite.iter().any(|entry| entry.method == built_in.name);
        assert!(
            is_there,
            "{} has no [[suite]] in methods/review.toml: what does not suit is left out there",
            built_in.name
        );
    }
}

#[test]
fn a_methodology_of_which_nothing_fits_is_left_out_in_one_line() {
    let tests = (0..5).map(|at| {
        format!(
            "[[tests]]\nname = \"t{at}\"\ntitle = \"T\"\npurpose = \"Q?\"\nsources = [\"paper\"]\nop = \"write\"\n\
             pattern = \"sequential\"\nblock_size = \"1 MiB\"\nqueue_depth = 1\n[tests.forms.quick]\ntime = \"1 h\"\n"
        )
    });
    let many = format!("{BASE}{}", tests.collect::<String>());
    let means = Means { time: Some(Nanos::from_secs(60)), ..Means::default() };
    let entry = "[[suite]]\nmethod = \"base.toml\"\n[[suite]]\nmethod = \"many.toml\"\nprefix = \"many\"\n\
                 tests = [\"t0\", \"t1\", \"t2\", \"t3\", \"t4\"]\n";
    let files = Files::new(&[("base.toml", BASE), ("many.toml", &many), ("both.toml", &suite(entry))]);
    let plan = expand_with(&files.parse("both.toml").unwrap(), Form::Quick, &shape(Bytes::GIB), &means).unwrap();
    let [only] = &plan.left_out[..] else { panic!("{:?}", plan.left_out) };
    assert_eq!((only.test.as_str(), only.title.as_str()), ("many", "Base"));
    assert!(only.reason.starts_with("none of its 5 tests can run; 'many-t0': it would take"), "{}", only.reason);
}

#[test]
fn a_test_recovers_to_an_earlier_one_under_the_names_that_both_have() {
    let tests = |before: &str| BASE.replace("rounds = 3", &format!("rounds = 3\nrecovers_to = \"{before}\""));
    let files = Files::new(&[
        ("base.toml", &tests("reads")),
        ("both.toml", &suite("[[suite]]\nmethod = \"base.toml\"\nprefix = \"own\"\n")),
    ]);
    let of = |plan: &Plan| plan.tests.iter().find_map(|test| test.recovers_to.clone());
    assert_eq!(of(&plan(&files.parse("base.toml").unwrap(), Form::Quick)).as_deref(), Some("reads"));
    assert_eq!(of(&plan(&files.parse("both.toml").unwrap(), Form::Quick)).as_deref(), Some("own-reads"));
    for wrong in ["writes", "read"] {
        let errors = parse("base.toml", &tests(wrong)).unwrap_err().to_string();
        assert!(errors.contains(&format!("there is no test '{wrong}' before 'writes'")), "{errors}");
    }
}
