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
    let later = ["conditions", "acceptance"];
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

/// Every content that a built-in methodology has had: name, version, hash. Results under one name and version can be
/// compared, so a new content gets a new version and a new row, and no row is ever changed.
const CONTENTS: &[(&str, &str, &str)] = &[
    ("quick", "1.0.0", "c826dc6b75db3d797114ec23660144366e190c96107e91bac9bd76f8aa872fa5"),
    ("file-transfer", "1.0.0", "986c7490d9707c136b67f529e8b0688aa5fc602784eec0b1929d847339951980"),
    ("as-ssd", "1.0.0", "8ca4bc908f3c482f461a1a99e84a420b780e63a7c0ff68ecd3af4c2c72a3830f"),
    // Also takes block devices, can have power and temperature beside it, and states how long it writes instead of how
    // much.
    ("quick", "1.1.0", "4438bfa48862033a060c5c396158ef61e26b103810d19711beab077558a2da06"),
    ("encryption-cost", "1.0.0", "e9f2630295ad99d83a94fee389b04a22fd3e067a57d767f7507a048474bd79cd"),
    ("power-states", "1.0.0", "a22aeabeea031bde19ac38f30d91a98a81185e3bcf318bd189dd48dee8423c77"),
    ("gpu-feed", "1.0.0", "e9ca536f9c2fc852c35f2c319d96f47812e96f11f74d37cbb0b56bfe24a25d27"),
    ("all-aboard", "1.0.0", "83761d441b6a31bbbf8eb376b520d2b808489d96efeb80941c3c96b5fb9ee47e"),
    ("capacity-scaling", "1.0.0", "e7966bb9dbf8bfac4325e3397354440c832eb7be400d987fcdda4a7b710c9070"),
    ("anandtech-2018", "1.0.0", "152d92ad76ba13df47646b4840f1ebd11cbc993e6c29953b30a0ebacf300e883"),
    ("crystaldiskmark", "1.0.0", "36578abfe131588182ca42614a630c985a2b164e455e18ccb4cda86023a3c2d4"),
    ("disk-fill", "1.0.0", "748c5a8ad0403082e624cc369f423b919069ff13c4103c5bacc62ab289d7649c"),
    // Its hash covers every methodology that it includes.
    ("review", "1.0.0", "a6b282e7804d69dc20d12c2e2d9b847023bc36d3052ea50be04c26eed7fd8f33"),
    // Further methodologies in its suite.
    ("review", "1.1.0", "591913d1c61747f9f87e4815942e4dff771593fc32226a7e2c8dd99a1491b325"),
    ("random-read-sweep", "1.0.0", "e47f3403f96976c6d5465de0f576cd407a3bbef783ea0db78e02473853a1ee7b"),
    ("snia-pts", "1.0.0", "ab9e44456452b066565c19d23620703a940e3ebd05bf1710f0c4b0c350db9e8f"),
    ("write-amplification", "1.0.0", "a38161fcd5552d3c7fee324dabca21603c542e86924b6ff337ec6408406efc74"),
    ("four-corners", "1.0.0", "137356465d8f272d091aad0ad38f7be0847e2757d1cddf4352a8b075a8ae7c74"),
    ("load-curves", "1.0.0", "9f5aa9bfe9e6f536feaab64dfbbaa9c93d5ce16235422ee79cea06a030f5a9e6"),
    ("heat-soak", "1.0.0", "bf08ee71d42782e270e0fc4308795c95c92cc80142068812a5123a92ca0b5932"),
    // Scores by formula; AnandTech's also with traces, idle, and spans of the working set up to any drive.
    ("as-ssd", "1.1.0", "2c0010c05454226d5632ca832961bace684f8c6e147e460a15a0fa1025bd6e0b"),
    ("anandtech-2018", "1.1.0", "7ae4f0144fb9b87a9cf37f3a040d4b72ee67f21557ff2226a5fc65617909071f"),
    ("anandtech-2021", "1.0.0", "a83d0f84a1dcf777742b1d304d534ac4ba78a0e23eed550b6a9a3909687bfb27"),
    ("data-sheet", "1.0.0", "4917c1a92cc5acb1a3ea524f68533dda35dbfa800383cf507c55623cec996b64"),
    ("application-traces", "1.0.0", "bfaaa37d34fcd132d1e3d49f7e8fd6cacf75d4384ac30d5f2fde84ec7ab9a7bf"),
    // State the unit in which their sources published.
    ("all-aboard", "1.1.0", "100d02a68c67a13312993a940e5ba3691882dff0ff1e6dd1ce5cdda98b1820fd"),
    ("load-curves", "1.1.0", "cf2895bd5c1bf8b85b30b63ddc11b05eacb00c22736eba6582033dc09191e2cb"),
    ("heat-soak", "1.1.0", "f67903199fffc8cefc9aa1f4d308de3f4cf3035e98430405400aca5e75f6ca40"),
    ("random-read-sweep", "1.1.0", "93e9cf90aa378ce8beb005b7ffcff6608d82ca22ccc30d8369f7fba2c368c31d"),
    // States why it does not place data.
    ("write-amplification", "1.0.1", "4edf4fc3e541f73005212c869c2af882786a25c9ea531a6fb34e6a40a9ed6568"),
    // Mixed lifetimes and the cache again, placed by handle; reads another namespace while the tested one is written.
    ("write-amplification", "1.1.0", "e041c5eb1bbf62b36e9733dd1143329b34a68c84ec124748afa0c8735e6e3692"),
    // Its times of recovery and its tables of blocks and mixes.
    ("snia-pts", "1.1.0", "138ed80324d30885f441633e2047104bf49e0b3a69db28220c3f03a8adabffd4"),
    // Considers every built-in methodology, and uses long forms if there is time.
    ("review", "1.2.0", "78f39de08a92a0a3b08a8a53e840797370d9faeb93fbea3ef0c6b9a9c1b9c5f3"),
    ("check", "1.0.0", "1867c362eeb03cc3c2aacc954a92f19fa0b872e2e0b704d92caf3b9dcb84621f"),
    ("genuine", "1.0.0", "bc478e288134af4d895fc256afe40579c8f567d8dff928bbbd585ec8f87c763f"),
    // State when nothing measures the temperature.
    ("all-aboard", "1.2.0", "bf1e2bd90930979fc2fe21c83472e3f485f0bf1e68d381be8645427b178e5c79"),
    ("heat-soak", "1.2.0", "5840af13f34a3ed87544a623bd24e6d52c9b1b3c7516e2d8a0443ac6f187b6b1"),
    ("anandtech-2018", "1.2.0", "6c945d49b8a891016e45077434deeddc19af9cebe3998f43cd1d9e1c44318fe5"),
    ("anandtech-2021", "1.1.0", "c1f0cff2eec0aabaeac301288fed092bfcaabb4627872636701121a5dfc42153"),
    ("encryption-cost", "1.1.0", "4545251db8748be9dc69aa9ead435af2a69f12dcee6d5488a78bd2b181e5192c"),
    ("four-corners", "1.0.1", "d9e09580317211a4997baf7e1733dc46bfd236c8c0c3a087e8b74ae44b5130cd"),
    ("load-curves", "1.2.0", "5aae1c51940536f3b6108ae490194caa02255d1a41224c359d269b9f575b486b"),
    ("as-ssd", "1.1.1", "1010ad5580bbf495d94098c113086b9c87152ca7fb63169ae32b980efe897943"),
    ("random-read-sweep", "1.2.0", "b6dfcb1ed6d9b5d5a3ac4b30b37e61db15318caaac99e8fba5d4eda0b8f09259"),
    ("snia-pts", "1.2.0", "bc426bdc6ef505471a92366be0337b9b213324e31addb2e474920ae3408a27a4"),
    ("disk-fill", "1.0.1", "21a52a2664c79a47b58421f84b4929e2490dea0f9dd4e50e53608d6517dcbe7a"),
    ("data-sheet", "1.0.1", "fb8ee5f7d0639dbc185b9d1a55a36f4bc36c7a8b7f388d914d674fa44f23e82d"),
    ("review", "1.3.0", "738b2f29e41a61247a3774d9da7f08d749f68b4d3075795244c9bdd986c4aa1c"),
    // Traces run to their end; the writes of the consistency test are random loads over all of the target.
    ("anandtech-2018", "1.3.0", "f8e5bc491a4f76a08f0295ebfdfe07bf7f0aa09931351cfbaeab3ce8e4395785"),
    ("anandtech-2021", "1.2.0", "74d78d650b9522894480c8ed6ce0ee59a3b722dc322f4283a7216d69cdeb2c87"),
    ("application-traces", "1.1.0", "e9a8590cb4d0808724825821d591f2d8795fb063dfa35578a54c5a1789911c8b"),
    ("data-sheet", "1.0.2", "a8052a5fb9c66a06597ba1af42403025bcbaf2ebc0a8151382df0d8416dbcf3a"),
    ("review", "1.4.0", "78bf4c22443231dd52e07c46a17f6e9ee51c03e73f165bdfbe0c6678daf20da0"),
    ("snia-pts", "1.2.1", "4a0510afb3d11e463d44346cb4850600a19ca2acb4ab34a69ea7874f871a6717"),
    ("heat-soak", "1.3.0", "461b8642c83203876dbea5417c611e808149d8bfb23bed92c5a63dbe13ddb448"),
    ("snia-pts", "1.2.2", "20a570b8bba3ec63ecf76ecebf1927e2b91d65a280071ae4fbda174bf352882e"),
    ("review", "1.5.0", "b8e159439f98e18f3f5691a62f1fc518cfa78f0fde9bd59dce0e6b13e87cb808"),
    // Preparations are described completely, and marks that no source supports are ours; the steps are unchanged,
    // except in write-amplification, which writes twice all that its threads write to, in each arm of a pair.
    ("anandtech-2018", "1.3.1", "a184df36d22538dcd738f471fbdb2624d734c1d396e6d484be8404628890ddcf"),
    ("anandtech-2021", "1.2.1", "9209f4c3515c045ae84cf68671886bff24dbedc7a8647201f3e5d82865223fb5"),
    ("application-traces", "1.1.1", "5117c9ad8d7a852dc7beb4a83e1d8da2612022bbe980edd7d0f3dfe1e6cea0ee"),
    ("as-ssd", "1.1.2", "867a4f50bf52bc6e62094517bae34861e83f8a1093042352a4b7dc6562aae8a7"),
    ("data-sheet", "1.0.3", "9e287cf6ce087ac8e082c92d1a7447696513621734de64248387a47fcebb081c"),
    ("disk-fill", "1.0.2", "78039ae9b0341c9852a4c35588770a022515c76fc6d5a921ee47ceda0d85491e"),
    ("four-corners", "1.0.2", "29dcac3128af5bf1741f2a5eab21a6fd959e65af4df022e6878cc8dddb6f51a0"),
    ("heat-soak", "1.3.1", "010b2731163c0620fc69f6e1ffd63150bfcac6b56c87b186d1c1e8d4642b626e"),
    ("load-curves", "1.2.1", "900a18a802dbe5a0e40ebfbea4983761589345c6332526c8740c533e78011b86"),
    ("random-read-sweep", "1.2.1", "304dcb527e3cf42730519b946c8f5290d49c5e074835f788c25533f0e842e383"),
    ("review", "1.5.1", "cd5472edafc8c0b2e0320eab5f45342cf60a4d99d542eafadf133c5a7e4442df"),
    ("snia-pts", "1.2.3", "d1209cbc9dfd1eea750217272b928db33fd8654151537c0f5ee49ef2e285d50c"),
    ("write-amplification", "1.2.0", "9329263a0e5328d9e9d19f9706ac3c17f2aadd4e1669d7f0359536b2931d3cd2"),
    // Marks and names that their sources support, the ten applications alone, five rounds for AS SSD, larger blocks
    // for the heat soak, readers of 64 KiB, and charts in the unit of the source.
    ("all-aboard", "1.2.1", "417e4234340a130e90e21b6dfd38ef67af8693b19c17fda405059549cef04467"),
    ("anandtech-2018", "1.3.2", "146d6639a9880a6ab0abf13b8b7555d1164402257ffc6be78f63987519b74686"),
    ("anandtech-2021", "1.2.2", "ab6b3d539660018c6d07546a5c90a008a849c1ed06ed6b3444684a7aa0dfe61c"),
    ("application-traces", "1.1.2", "622770f14a3a273d8fbdcc0ac1622ff1730d4309aaca0fdb49d44494a22a1074"),
    ("as-ssd", "1.2.0", "ddd87dbf00956d952e13446159c4e792cbe2e1de5a08ce901dc3f87cb9a56f15"),
    ("capacity-scaling", "1.0.1", "518a91ad01ca04924420c607ba810aea4dd3d27a0dee76dba246b568e048bb8c"),
    ("crystaldiskmark", "1.0.1", "95cbd2a87c434bc0ab08489da8048e7946e422cc9f0397c81f8fbd95e1c790b2"),
    ("four-corners", "1.0.3", "b0d161100e3c16cb52912ac4a99bb5c1a23ee6b40e0f51270d8cba0f4c8ffc90"),
    ("gpu-feed", "1.0.1", "d96e6557a07655aa47091dccc0611121f4ea8c4319300d04aeb4a50bbe422995"),
    ("heat-soak", "1.4.0", "bbe665fad1849bbb9783f58effe0354329db5c9a2b88453bb81d3887484b1e8a"),
    ("load-curves", "1.2.2", "be48cef373b3404dd7e646997a05e85688a79ac2088a189dda8c899d38f46527"),
    ("power-states", "1.0.1", "2c298b8c6e5a38320c5e1d753a2d1c4eb8f3eb055d40dff1de4d6d928bed3ab4"),
    ("random-read-sweep", "1.3.0", "7976fa8823b58132b3f1e6b68bc087cf09f9d5306f491322b025c6407b3f2dbd"),
    ("review", "1.5.2", "80ef63900b3385a769909f8a8fb4435df0d9feedcdf87420b9dedeedacc3ecd5"),
    // States the unit in which its sources published.
    ("snia-pts", "1.2.4", "ca34090340b562b3bb8a80a2bb2f0e4e2c9fffbc1c114c009748527e4250e3af"),
    ("review", "1.5.3", "2b30a82842b1210340cd405b971476d6cc38d669861fdf40092ba68a1590c3be"),
];

#[test]
fn a_built_in_methodology_that_changes_gets_a_new_version() {
    let mut changed = Vec::new();
    for built_in in library::all() {
        let method = parse(built_in.name, built_in.text).unwrap();
        let identity = method.identity();
        let known: Vec<&str> = CONTENTS
            .iter()
            .filter(|(name, version, _)| (*name, *version) == (built_in.name, identity.version.as_str()))
            .map(|(_, _, hash)| *hash)
            .collect();
        if known != [identity.hash.as_str()] {
            changed.push(format!("(\"{}\", \"{}\", \"{}\"),", built_in.name, identity.version, identity.hash));
        }
    }
    assert!(
        changed.is_empty(),
        "the content changed; raise 'version' in methods/NAME.toml, and add a row to CONTENTS:\n{}",
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
