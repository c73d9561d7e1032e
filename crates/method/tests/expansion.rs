//! Checks expansion for what a plan must be: as many steps as the axes multiply to, ids unique, spans inside the
//! target, the smoke form's limits, a hash that follows content and nothing else; and no text makes the parser panic.
#![expect(clippy::unwrap_used, reason = "helpers of tests: a failed unwrap is a failed test")]

mod common;

use std::collections::BTreeSet;

use common::{HEAD, TARGET};
use drivelab_core::plan::{Action, Combine, CoolDown, Form, Plan, PublishedUnit, Rest, Rounds, StepRole, Tracked};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::{Pattern, Streams};
use drivelab_method::{Methodology, TargetShape, expand, json_schema, library, parse};
use proptest::prelude::*;

fn with(rest: &str) -> Methodology {
    common::method(&format!("{HEAD}{TARGET}{rest}"))
}

fn test_of(body: &str) -> Methodology {
    with(&format!(
        "[forms.quick]\n[[prepare]]\naction = \"fill\"\n[[tests]]\nname = \"t\"\ntitle = \"T\"\npurpose = \"p\"\n\
         sources = [\"own\"]\n{body}\n"
    ))
}

fn shape(capacity: u64) -> TargetShape {
    common::shape(Bytes::new(capacity))
}

fn quick() -> Methodology {
    let built_in = library::find("quick").unwrap();
    parse("quick.toml", built_in.text).unwrap()
}

/// Properties of every plan.
fn assert_sound(plan: &Plan, capacity: u64) {
    let ids: BTreeSet<&str> = plan.steps().map(|step| step.id.as_str()).collect();
    assert_eq!(ids.len(), plan.steps().count(), "ids are not unique");
    for step in plan.steps() {
        let id = step.id.as_str();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.' | '/');
        assert!(id.chars().all(plain) && id.matches('/').count() == 1, "{id} is no step id");
        assert!(!step.label.is_empty());
        let Action::Io { workload, stop, ramp } = &step.action else { continue };
        if let Some(files) = &workload.files {
            let cap = Nanos::from_millis(500);
            assert!(plan.form != Form::Smoke || files.set.bytes() <= Bytes::new(8 << 20) && stop.cap <= cap, "{id}");
            assert_eq!((stop.passes, workload.span.length), (Some(1), Bytes::new(0)), "{id}");
            continue;
        }
        let block = workload.block_size.get();
        assert!(workload.span.end() <= capacity, "{id} leaves the target");
        assert!(workload.span.length.get() >= block, "{id} has an empty span");
        // A discard begins and ends exactly where its span does.
        let unit = if workload.other.trim_percent.get() == 100 { 512 } else { block };
        assert_eq!((workload.span.offset.get() % unit, workload.span.length.get() % block), (0, 0), "{id}");
        if workload.pattern == Pattern::Sequential && workload.streams == Streams::Disjoint {
            assert!(workload.span.length.get() >= block * u64::from(workload.threads.get()), "{id}");
        }
        assert!(stop.says_when(), "{id} never ends");
        if plan.form == Form::Smoke {
            assert!(stop.cap <= Nanos::from_millis(500) && stop.cap >= Nanos::from_millis(20), "{id}");
            assert!(stop.volume.unwrap() <= Bytes::new(8 << 20), "{id}");
            assert!(workload.span.end() <= 8 << 20, "{id}");
            assert_eq!((stop.at_least, *ramp, step.rest), (None, Nanos::new(0), Rest::None {}), "{id}");
        }
    }
    if plan.form == Form::Smoke {
        assert!(plan.tests.iter().all(|test| test.max_rounds() == 1));
        let caps = plan.steps().filter(|step| step.role == StepRole::Measure).filter_map(|step| match &step.action {
            Action::Io { stop, .. } => Some(stop.cap.get()),
            Action::Idle { .. } | Action::CoolDown(_) => None,
        });
        let (count, all) = caps.fold((0u64, 0), |(count, all), cap| (count + 1, all + cap));
        assert!(all <= 10_000_000_000.max(count * 20_000_000), "{all} ns for {count} steps of a smoke run");
    }
}

#[test]
fn reads_need_a_fill_unless_they_take_what_the_target_holds() {
    let tests = "[forms.quick]\n[[tests]]\nname = \"t\"\ntitle = \"T\"\npurpose = \"p\"\nsources = [\"own\"]\n\
                 op = \"read\"\npattern = \"random\"\nblock_size = \"4 KiB\"\nqueue_depth = 1\ntime = \"1 s\"\n";
    assert!(parse("holes.toml", &format!("{HEAD}{TARGET}{tests}")).unwrap_err().to_string().contains("holes"));
    let as_found = parse("found.toml", &format!("{HEAD}{TARGET}content = \"as_found\"\n{tests}")).unwrap();
    assert!(as_found.reads_as_found());
    let plan = expand(&as_found, Form::Quick, &shape(1 << 30)).unwrap();
    assert_eq!(plan.schedule().len(), 1, "nothing is prepared");
}

#[test]
fn quick_is_what_the_issue_asks_for() {
    let method = quick();
    assert_eq!(method.forms(), [Form::Quick, Form::Smoke]);
    assert_eq!(method.file_size(Form::Quick), Some(Bytes::new(4 << 30)));
    let plan = expand(&method, Form::Quick, &shape(4 << 30)).unwrap();
    let ids: Vec<&str> = plan.steps().map(|step| step.id.as_str()).collect();
    insta::assert_snapshot!(ids.join("\n"));
    let first = plan.steps().next().unwrap();
    assert_eq!(first.role, StepRole::Prepare);
    assert_eq!(first.estimated_written, Bytes::new(4 << 30));
    for step in plan.steps().skip(1) {
        let Action::Io { workload, stop, .. } = &step.action else { panic!("{} does nothing", step.id) };
        assert!(stop.time.or(stop.at_least) >= Some(Nanos::from_secs(4)), "{} may be shorter than 4 s", step.id);
        assert!(workload.direct);
    }
    let minutes = plan.estimated_time().as_secs_f64() / 60.0;
    assert!((1.5..=2.5).contains(&minutes), "about two minutes became {minutes}");
    let corner = plan.step(&drivelab_core::ids::StepId::new("corners", "seq-1m-q8t1-read")).unwrap();
    assert_eq!(corner.label, "SEQ 1 MiB Q8T1 read");
    let axes: Vec<&str> = corner.axes.iter().map(|axis| axis.axis.as_str()).collect();
    assert_eq!(axes, ["op", "block_size", "queue_depth", "pattern"]);
    assert!(corner.approximations.iter().any(|mark| mark.parameter == "rounds"));
    let depths = plan.tests.iter().find(|test| test.name == "depths").unwrap();
    let values: Vec<&str> = depths.steps.iter().map(|step| step.axes[0].value.as_str()).collect();
    assert_eq!(values, ["1", "2", "4", "8", "16", "32", "64"]);
}

#[test]
fn built_ins_expand_for_every_target_and_validate() {
    let validator = jsonschema::validator_for(&json_schema()).unwrap();
    for built_in in library::all() {
        let method = parse(built_in.name, built_in.text).unwrap();
        assert_eq!(method.identity().name, built_in.name);
        for capacity in [8 << 20, 64 << 20, (4 << 30) + 512, 1_000_000_000_000] {
            for form in method.forms() {
                let plan = expand(&method, form, &shape(capacity));
                if Bytes::new(capacity) >= method.minimum_size(form) {
                    assert_sound(&plan.unwrap(), capacity);
                } else {
                    assert!(plan.unwrap_err().to_string().contains("needs at least"), "{}", built_in.name);
                }
            }
        }
        let tree: toml::Table = toml::from_str(built_in.text).unwrap();
        let json = serde_json::to_value(tree).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&json).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", built_in.name);
    }
}

/// Every parameter that a built-in methodology states has its own source or mark, in the table that states it.
#[test]
fn built_ins_say_where_every_value_comes_from() {
    const MARKS: [&str; 3] = ["source_of", "derived", "approximation"];
    fn marked(table: &toml::Table, outer: &[&toml::Table], place: &str) {
        let schema = json_schema();
        let parameters = &schema["properties"]["defaults"]["properties"];
        let is_mark = |key: &str| MARKS.contains(&key);
        for key in table.keys().filter(|key| !is_mark(key) && !parameters[key.as_str()].is_null()) {
            let has = |table: &&toml::Table, kind: &str| table.get(kind).is_some_and(|marks| marks.get(key).is_some());
            let found = outer.iter().chain([&table]).any(|table| MARKS.iter().any(|kind| has(table, kind)));
            assert!(found, "{place}: `{key}` has neither a source nor a mark that it is derived or approximated");
        }
    }
    for built_in in library::all() {
        let file: toml::Table = toml::from_str(built_in.text).unwrap();
        let tables = |table: &toml::Table, key: &str| -> Vec<toml::Table> {
            let list = table.get(key).and_then(|value| value.as_array()).cloned().unwrap_or_default();
            list.into_iter().filter_map(|one| one.as_table().cloned()).collect()
        };
        if let Some(defaults) = file.get("defaults").and_then(toml::Value::as_table) {
            marked(defaults, &[], "defaults");
        }
        if let Some(drives) = file.get("drives").and_then(toml::Value::as_table) {
            let has = |key: &String| MARKS.iter().any(|mark| drives.get(*mark).is_some_and(|of| of.get(key).is_some()));
            let unmarked: Vec<&String> =
                drives.keys().filter(|key| !MARKS.contains(&key.as_str()) && !has(key)).collect();
            assert!(unmarked.is_empty(), "{}: [drives] has no source or mark for {unmarked:?}", built_in.name);
        }
        for step in tables(&file, "prepare") {
            marked(&step, &[], "prepare");
            // A value that the quick form shortens is marked automatically; a value of the faithful form is not.
            if let Some(form) = step.get("forms").and_then(|forms| forms.get("faithful")) {
                marked(form.as_table().unwrap(), &[&step], "a form of prepare");
            }
        }
        for test in tables(&file, "tests") {
            marked(&test, &[], test["name"].as_str().unwrap());
            for case in tables(&test, "cases").into_iter().chain(tables(&test, "groups")) {
                marked(&case, &[&test], test["name"].as_str().unwrap());
            }
        }
    }
}

#[test]
fn the_schema_is_the_checked_in_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats/method.schema.json");
    let text = format!("{}\n", serde_json::to_string_pretty(&json_schema()).unwrap());
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap();
    assert_eq!(stored, text, "run `UPDATE_SCHEMA=1 cargo test -p drivelab-method` and commit the file");
}

#[test]
fn the_guide_has_every_key_and_every_word() {
    fn collect(schema: &serde_json::Value, names: &mut BTreeSet<String>) {
        match schema {
            serde_json::Value::Object(map) => {
                if let Some(serde_json::Value::Object(properties)) = map.get("properties") {
                    names.extend(properties.keys().cloned());
                }
                names.extend(map.get("const").and_then(|word| word.as_str()).map(str::to_owned));
                map.values().for_each(|value| collect(value, names));
            }
            serde_json::Value::Array(list) => list.iter().for_each(|value| collect(value, names)),
            _ => {}
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/methodology-language.md");
    let guide = std::fs::read_to_string(path).unwrap();
    let mut names = BTreeSet::new();
    collect(&json_schema(), &mut names);
    assert!(names.len() > 60, "the walk over the schema has lost its way");
    let later = ["conditions"];
    let absent: Vec<&str> =
        names.iter().map(String::as_str).chain(later).filter(|name| !guide.contains(&format!("`{name}`"))).collect();
    assert!(absent.is_empty(), "docs/methodology-language.md does not explain: {absent:?}");
}

/// Every complete TOML example of the guide is accepted.
#[test]
fn the_guide_s_whole_examples_are_sound() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/methodology-language.md");
    let guide = std::fs::read_to_string(path).unwrap();
    let blocks = guide.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let whole: Vec<&str> = blocks.filter(|block| block.contains("format = 1")).collect();
    assert!(!whole.is_empty());
    for block in whole {
        parse("guide", block).unwrap();
    }
}

#[test]
fn the_hash_follows_content_and_nothing_else() {
    let text = library::find("quick").unwrap().text;
    let hash = |text: &str| parse("x", text).unwrap().identity().hash.clone();
    let same = [
        format!("# another comment\n\n{text}"),
        text.replace("block_size = \"1 MiB\"", "block_size  =  '1024k' # kibibytes"),
        text.replace("threads = 1\ndata = \"incompressible\"", "data = \"incompressible\"\nthreads = 1"),
    ];
    for other in &same {
        assert_ne!(other, text);
        assert_eq!(hash(other), hash(text), "layout changed the hash");
    }
    let others = [
        text.replace("time = \"5 s\"", "time = \"6 s\""),
        text.replace("[1, 2, 4, 8, 16, 32, 64]", "[2, 1, 4, 8, 16, 32, 64]"),
        text.replace("title = \"First look\"", "title = \"First  look\""),
        text.replace("CrystalDiskMark waits 5 s", "CrystalDiskMark rests 5 s"),
        text.replace("direct = true", "direct = false"),
    ];
    for other in &others {
        assert_ne!(hash(other), hash(text), "a value changed and the hash did not");
    }
}

/// What each built-in methodology measures: name, version, `compared_hash`. Results under one name and version can be
/// compared, so what measures something else gets a new version; titles, explanations and sources may change without.
const MEASURED: &[(&str, &str, &str)] = &[
    ("quick", "1.1.0", "9a9a4d4b9fd256a5fc00bac859ca7a07d9ac8b0049bf077e441aa2b2ca18fda5"),
    ("anandtech-2018", "1.3.2", "1a5918870de4093aa0c945ab8d78e09358bb633d47dc011e6c062e7c391ff92e"),
    ("anandtech-2021", "1.2.2", "092625f3a880e37d14daffbd9187b4202167ef89e893b5bac1ca8fb29c62e485"),
    ("crystaldiskmark", "1.0.1", "e21b37a1b626404a2ceb9c850b279a46782c9e0068bd64c00a6fda28d8b77cf7"),
    ("encryption-cost", "1.1.0", "7ae7d32252f48b9376e74d906b05f461a8744072788bbf0d85b20c172e8b229e"),
    ("gpu-feed", "1.0.1", "ecc1b84ebab1b8eeb8283a6d1a56b4466e52f6628dfbb3b7560f8461eecc5c71"),
    ("all-aboard", "1.2.1", "4957e3aa05ea84b5ed1ec1fc18729f088609e569167c69ef01933df57d1f818d"),
    ("capacity-scaling", "1.0.1", "6ec1c89da4d310dec6602e78aa760da20feef512294f86d8db8d3232822ae1bd"),
    ("power-states", "1.0.1", "eedff1668c49552e51c8aa38b67058fb8b5354062ce2e7e1e600db52e775eaad"),
    ("application-traces", "1.1.2", "0c506672d101b4b6a338eaf95c6a0f869b6764fcb6b35ee0b71d3c2ee0a716f0"),
    ("four-corners", "1.0.3", "1e9932ab03ced0f5d8b850b9e2f9f36ac29a5eab551c9f103901b675abe2e3ca"),
    ("load-curves", "1.2.3", "1fbbb61778c6db288f6af4fb1771ac0d6bc82890730359380067adbff291c8d2"),
    ("heat-soak", "1.4.0", "10b95838ba9b4b498c3ec10674e1996e581895d0719c7d403263eae9a63e672f"),
    ("file-transfer", "1.0.0", "a69e79f6adb24ce35ec05db674e71b049e23141c1a89315671560b5a96066f38"),
    ("as-ssd", "1.2.0", "955dc8efe7e4e5e1684cc81c47fe15f3593989a12a0aac56383270ce1d6ae919"),
    ("random-read-sweep", "1.3.0", "6e599dcaf4d0358591093a72ab8ec190b5d53f92c293a65aa303cfa9683c3fae"),
    ("snia-pts", "1.2.4", "d7b13f1ef10145dd8c8e291fc54244f4203ed215388c681c069d028b960c15bd"),
    ("write-amplification", "1.2.0", "a8eedbe0671c979ecfddd5ba4154e0d6ecf887aa1c9d89fc87618e5d2f1e7b85"),
    ("disk-fill", "1.0.2", "474cc905ad37b7155ddda395bb46bfb19906953662d5d54309a1d0fff429ec35"),
    ("check", "1.0.0", "8bbc638b32b4b4caeb486164c60f96b6050d0e4aa860c91cbe91042ef47b7ded"),
    ("data-sheet", "1.0.3", "22c82bb3a5e7350e7262ee972ecc9a22f4e9dcaff5612686d527fe1b2fee532e"),
    ("genuine", "1.0.0", "81a6089e5610f42661e40104b6970d198febc5fe715e41f6cba71c61e72d165d"),
    ("review", "1.5.4", "3786e7ce9ce49688d7bda015372f16142b24a11d875cab12f4461252799ba0a0"),
];

#[test]
fn a_built_in_methodology_that_measures_something_else_gets_a_new_version() {
    let mut changed = Vec::new();
    for built_in in library::all() {
        let method = parse(built_in.name, built_in.text).unwrap();
        let identity = method.identity();
        let row = (built_in.name, identity.version.as_str(), identity.compared_by());
        if !MEASURED.contains(&row) {
            changed.push(format!("    {row:?},"));
        }
    }
    assert!(
        changed.is_empty(),
        "they measure something else; raise 'version' in methods/NAME.toml, and replace the rows in MEASURED:\n{}",
        changed.join("\n")
    );
}

#[test]
fn forms_replace_what_they_state_and_mark_it() {
    let method = with(
        "[forms.faithful]\n[forms.quick]\ntime = \"10 s\"\n[forms.quick.target]\nsize = \"256 MiB\"\n\
         [[tests]]\nname = \"t\"\ntitle = \"T\"\npurpose = \"p\"\nsources = [\"own\"]\nop = \"write\"\n\
         pattern = \"sequential\"\nblock_size = \"1 MiB\"\nqueue_depth = [1, 2, 4]\nvolume = \"16 GiB\"\n\
         [tests.forms.quick]\nqueue_depth = [1, 4]\n",
    );
    assert_eq!(method.file_size(Form::Faithful), Some(Bytes::new(1 << 30)));
    assert_eq!(method.file_size(Form::Quick), Some(Bytes::new(256 << 20)));
    let faithful = expand(&method, Form::Faithful, &shape(1 << 30)).unwrap();
    let quick = expand(&method, Form::Quick, &shape(1 << 30)).unwrap();
    assert_eq!((faithful.steps().count(), quick.steps().count()), (3, 2));
    let stop = |plan: &Plan| match &plan.steps().next().unwrap().action {
        Action::Io { stop, .. } => (stop.time, stop.volume),
        Action::Idle { .. } | Action::CoolDown(_) => panic!("no load"),
    };
    assert_eq!(stop(&faithful), (None, Some(Bytes::new(16 << 30))));
    assert_eq!(stop(&quick), (Some(Nanos::from_secs(10)), None), "a stated stop rule replaces the whole rule");
    let marks = |plan: &Plan| plan.steps().next().unwrap().approximations.iter().map(|m| m.parameter.clone()).collect();
    let (none, some): (Vec<String>, Vec<String>) = (marks(&faithful), marks(&quick));
    assert!(none.is_empty(), "{none:?}");
    assert_eq!(some, ["queue_depth", "time"]);
}

#[test]
fn a_test_states_the_unit_of_its_source_where_it_is_not_that_of_the_file() {
    let test = |name: &str, more: &str| {
        format!(
            "[[tests]]\nname = \"{name}\"\ntitle = \"T\"\npurpose = \"p\"\nsources = [\"own\"]\nop = \"write\"\n\
             pattern = \"random\"\nblock_size = \"4 KiB\"\nqueue_depth = 1\ntime = \"1 s\"\n{more}"
        )
    };
    let tests =
        [test("plain", ""), test("mib", "published_unit = \"MiB/s\"\n"), test("iops", "published_unit = \"IOPS\"\n")];
    let method = with(&format!("[forms.quick]\n{}", tests.concat()));
    let plan = expand(&method, Form::Quick, &shape(1 << 30)).unwrap();
    let unit = |name: &str| plan.tests.iter().find(|test| test.name == name).unwrap().published_unit;
    assert_eq!(unit("plain"), None);
    assert_eq!(
        (unit("mib"), unit("iops")),
        (Some(PublishedUnit::MebibytesPerSecond), Some(PublishedUnit::OperationsPerSecond))
    );
}

#[test]
fn spans_steady_rounds_and_rests_arrive() {
    let method = test_of(
        "op = [\"read\", \"write\"]\npattern = \"random\"\nblock_size = \"8 KiB\"\nqueue_depth = 4\ntime = \"60 s\"\n\
         span = { offset = \"12.5 %\", length = \"25 %\" }\nsteady = { tracked = \"iops\", max_rounds = 25, step = \
         \"rnd-8k-q4t1-write\" }\nduty_cycle = 50\ncombine = \"median\"",
    );
    let plan = expand(&method, Form::Quick, &shape(64 << 20)).unwrap();
    assert_sound(&plan, 64 << 20);
    let test = &plan.tests[1];
    let workload = test.steps[0].workload().unwrap();
    assert_eq!((workload.span.offset, workload.span.length), (Bytes::new(8 << 20), Bytes::new(16 << 20)));
    assert_eq!(
        test.rounds,
        Rounds::Steady {
            step: test.steps[1].id.clone(),
            tracked: Tracked::Iops,
            max: 25,
            written: None,
            at_least: None
        },
    );
    assert_eq!(test.combine, Combine::Median);
    assert!(matches!(test.steps[0].rest, Rest::DutyCycle { percent, .. } if percent.get() == 50));
    assert!(test.steps[0].estimated_time >= Nanos::from_secs(120), "the rest is not in the estimate");
    let seeds: BTreeSet<u64> = plan.steps().filter_map(|step| step.workload()).map(|load| load.seed).collect();
    assert_eq!(seeds.len(), 3, "steps share their offsets");
}

/// As in the engine: the cap counts from the start of the step and includes the ramp.
#[test]
fn the_estimate_never_exceeds_the_cap() {
    let of = |stop: &str| {
        let body = "op = \"write\"\npattern = \"sequential\"\nblock_size = \"1 MiB\"\nqueue_depth = 1\n";
        let plan = expand(&test_of(&format!("{body}{stop}")), Form::Quick, &shape(64 << 20)).unwrap();
        let step = &plan.tests[1].steps[0];
        (step.estimated_time.get() / 1_000_000_000, step.estimated_written.get() / 500_000_000)
    };
    assert_eq!(of("time = \"60 s\"\nramp = \"10 s\"\ncap = \"80 s\""), (70, 70));
    assert_eq!(of("volume = \"1 TiB\"\nramp = \"10 s\"\ncap = \"30 s\""), (30, 30));
    assert_eq!(of("volume = \"1 TiB\"\nramp = \"10 s\"\nat_least = \"25 s\"\ncap = \"30 s\""), (30, 30));
}

#[test]
fn the_smoke_form_takes_what_is_far_too_large() {
    let method = test_of(
        "op = \"write\"\npattern = \"sequential\"\nblock_size = [\"1 MiB\", \"16 MiB\"]\nqueue_depth = 32\n\
         threads = 64\ntime = \"1 h\"\nspan = { offset = \"256 MiB\", length = \"600 MiB\" }\n\
         rounds = 9\nramp = \"5 s\"\n\
         rest = \"1 min\"\n[tests.forms.quick]\nspan = \"100 %\"\nthreads = 4",
    );
    assert_sound(&expand(&method, Form::Smoke, &shape(8 << 20)).unwrap(), 8 << 20);
    assert_sound(&expand(&method, Form::Smoke, &shape(1 << 40)).unwrap(), 1 << 40);
}

fn list<T: std::fmt::Debug>(values: &[T]) -> String {
    format!("{values:?}")
}

/// Keys that take a quantity, a count or a table.
const KEYS: [&str; 29] = [
    "span",
    "block_size",
    "time",
    "queue_depth",
    "rest",
    "volume",
    "seed",
    "cap",
    "axes",
    "cases",
    "steady",
    "ramp",
    "at_least",
    "passes",
    "rate",
    "locality",
    "block_size_mix",
    "bursts",
    "cpus",
    "stride",
    "places",
    "data_pattern",
    "coverage",
    "operations",
    "find_rate",
    "groups",
    "weight",
    "think_time",
    "trim_percent",
];

/// Quantities, whole numbers (also hexadecimal), empty lists and tables, and texts that are almost numbers.
const VALUES: &str = concat!(
    r#"("[0-9]{1,20}[.]?[0-9]{0,3} ?[a-zA-Z%]{0,3}"|[0-9]{1,20}|[-+]?0x[0-9a-f]{1,18}"#,
    r"|\[\]|\{ ?\}|[0-9.e-]{1,6})",
);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn steps_are_the_product_of_the_axes(
        depths in proptest::sample::subsequence(vec![1u32, 2, 3, 8, 64, 65_535], 1..=6),
        mixes in proptest::sample::subsequence(vec![0u8, 1, 30, 99, 100], 1..=5),
        blocks in proptest::sample::subsequence(vec!["512 B", "4 KiB", "12 KiB", "1 MiB", "3 MiB"], 1..=5),
        threads in proptest::sample::subsequence(vec![1u32, 2, 7], 1..=3),
        spans in proptest::sample::subsequence(vec!["100 %", "50 %", "33.33 %", "60 MiB"], 1..=4),
        sequential in any::<bool>(),
        capacity in (64u64 << 20)..(1 << 42),
    ) {
        let pattern = if sequential { "sequential" } else { "random" };
        let method = test_of(&format!(
            "axes = [\"span\", \"threads\", \"write_percent\", \"block_size\", \"queue_depth\"]\nqueue_depth = {}\n\
             write_percent = {}\nblock_size = {}\nthreads = {}\nspan = {}\npattern = \"{pattern}\"\ntime = \"1 s\"",
            list(&depths), list(&mixes), list(&blocks), list(&threads), list(&spans),
        ));
        let plan = expand(&method, Form::Quick, &shape(capacity)).unwrap();
        assert_sound(&plan, capacity);
        let product = depths.len() * mixes.len() * blocks.len() * threads.len() * spans.len();
        prop_assert_eq!(plan.tests[1].steps.len(), product);
        let inner: Vec<u32> = plan.tests[1].steps.iter().take(depths.len())
            .map(|step| step.workload().unwrap().queue_depth.get()).collect();
        prop_assert_eq!(inner, depths, "the last axis runs innermost");
        let fill = plan.steps().next().unwrap().workload().unwrap().span;
        let inside = plan.steps().all(|step| step.workload().unwrap().span.end() <= fill.end());
        prop_assert!(inside, "unwritten bytes are read");
        assert_sound(&expand(&method, Form::Smoke, &shape(capacity)).unwrap(), capacity);
    }

    /// A break anywhere in a good file gives errors or another good file, never a panic, and every error has a place.
    #[test]
    fn broken_files_never_panic(at in 0usize..4000, cut in 0usize..40, put in "[ -~\n\u{e9}\u{4e2d}]{0,8}") {
        let text: Vec<char> = library::find("quick").unwrap().text.chars().collect();
        let at = at.min(text.len());
        let end = (at + cut).min(text.len());
        let broken: String = text[..at].iter().copied().chain(put.chars()).chain(text[end..].iter().copied()).collect();
        match parse("broken.toml", &broken) {
            Ok(method) => for form in method.forms() {
                let _ = expand(&method, form, &shape(1 << 30)).map_err(|errors| errors.render(true));
            },
            Err(errors) => prop_assert!(errors.render(false).contains("--> broken.toml:"), "{errors}"),
        }
    }

    #[test]
    fn any_text_never_panics(text in "(?s).{0,200}") {
        let _ = parse("any", &text).map_err(|errors| errors.render(true));
    }

    #[test]
    fn any_values_never_panic(
        key in proptest::sample::select(KEYS.to_vec()),
        value in VALUES,
    ) {
        let text = format!(
            "{HEAD}{TARGET}[forms.quick]\n[[prepare]]\naction = \"fill\"\n[[tests]]\nname = \"t\"\ntitle = \"T\"\n\
             purpose = \"p\"\nsources = [\"own\"]\nop = \"read\"\npattern = \"random\"\n{key} = {value}\n",
        );
        if let Err(errors) = parse("any", &text) {
            let _ = errors.render(true);
        }
    }
}

#[test]
fn waiting_for_a_cool_drive_is_a_step_of_the_preparation_or_a_condition_of_a_step() {
    let methodology = with(
        "[forms.quick]\n[[prepare]]\naction = \"fill\"\n[[prepare]]\naction = \"cool_down\"\nbelow = \"45 C\"\n\
         cap = \"10 min\"\n[[tests]]\nname = \"t\"\ntitle = \"T\"\npurpose = \"p\"\nsources = [\"own\"]\nop = \"read\"\n\
         pattern = \"random\"\nblock_size = \"4 KiB\"\nqueue_depth = [1, 4]\ntime = \"4 s\"\nstart_below = \"50 C\"\n",
    );
    let plan = expand(&methodology, Form::Quick, &shape(1 << 30)).unwrap();
    let cool = plan.steps().find(|step| step.id.as_str() == "prepare/cool-down").unwrap();
    assert_eq!(cool.action, Action::CoolDown(CoolDown { below_c: 45, cap: Nanos::from_secs(600) }));
    let below = Some(CoolDown { below_c: 50, cap: Nanos::from_secs(1800) });
    let reads = || plan.steps().filter(|step| step.role == StepRole::Measure);
    assert!(reads().count() == 2 && reads().all(|step| step.start_below == below));
    let smoke = expand(&methodology, Form::Smoke, &shape(1 << 30)).unwrap();
    assert!(smoke.steps().all(|step| step.start_below.is_none()), "a smoke run waits for nobody");
}

/// Threads beside the main ones write too: two passes cover everything that is written to, and both arms of a pair,
/// with and without placement, write the same amount.
#[test]
fn every_pattern_of_write_amplification_writes_the_drive_twice() {
    let built_in = library::find("write-amplification").unwrap();
    let capacity = Bytes::new(1 << 40);
    let method = parse("write-amplification.toml", built_in.text).unwrap();
    let plan = expand(&method, Form::Faithful, &shape(1 << 40)).unwrap();
    let mut seen = 0;
    for test in &plan.tests {
        let Rounds::Steady { written, at_least, .. } = &test.rounds else { continue };
        let share = written.expect("an end").as_f64() / capacity.as_f64();
        assert!((share - 2.0).abs() < 0.01 && at_least == written, "{}: {share}", test.name);
        seen += 1;
    }
    assert!(seen >= 5, "{seen} patterns");
    let drive_writes = plan.estimated_written().as_f64() / capacity.as_f64();
    assert!(drive_writes < 30.0, "two of each pattern and their fills, not the most rounds: {drive_writes}");
}

#[test]
fn a_setting_that_takes_an_axis_away_is_named_and_not_the_file() {
    let method = test_of(
        "axes = [\"op\", \"queue_depth\"]\nop = [\"read\", \"write\"]\nqueue_depth = [1, 8]\ntime = \"1 s\"\n\
         pattern = \"random\"\nblock_size = \"4 KiB\"",
    );
    let error = method.with_settings(&["write_percent=50".to_owned()]).unwrap_err().to_string();
    assert!(
        error.contains("`write_percent` was set for all tests") && error.contains("--set TEST.write_percent"),
        "{error}"
    );
}

#[test]
fn a_key_by_its_name_elsewhere_is_told_its_own() {
    for (other, own) in [("qd = 4", "queue_depth"), ("bs = \"4 KiB\"", "block_size"), ("numjobs = 2", "threads")] {
        let text = format!("{HEAD}{TARGET}[defaults]\n{other}\n[forms.quick]\n");
        let error = parse("made.toml", &text).unwrap_err().to_string();
        assert!(error.contains(&format!("did you mean `{own}`")), "{other}: {error}");
    }
}
