//! Derived files: what is removed with a replaced value, where paths begin, how two files differ, and what a new file
//! offers.
#![expect(clippy::unwrap_used, reason = "helpers of tests: a failed unwrap is a failed test")]

mod common;

use std::path::Path;

use common::{HEAD, TARGET, method, shape};
use drivelab_core::plan::{Form, Plan, Rest};
use drivelab_core::replay::TraceSource;
use drivelab_core::units::{Bytes, Nanos};
use drivelab_method::{Diagnostics, Methodology, derived_text, differences, expand, library, parse};

const FILL: &str = "[[prepare]]\naction = \"fill\"\n";

fn test(name: &str, rest: &str) -> String {
    format!(
        "[[tests]]\nname = \"{name}\"\ntitle = \"T\"\npurpose = \"p\"\nsources = [\"own\"]\nop = \"write\"\n\
         pattern = \"random\"\nblock_size = \"4 KiB\"\nqueue_depth = 1\ntime = \"1 s\"\n{rest}\n"
    )
}

fn read(path: &Path) -> Result<Methodology, Diagnostics> {
    parse(path.to_str().unwrap(), &std::fs::read_to_string(path).unwrap())
}

/// The methodology that `own` derives from the one with the name or path `base`.
fn derived(base: &str, own: &str) -> Result<Methodology, String> {
    let text = format!("format = 1\nname = \"own\"\nversion = \"2.0.0\"\n[include]\nmethod = \"{base}\"\n{own}");
    parse("own.toml", &text).map_err(|errors| errors.to_string())
}

fn built_in(name: &str) -> Methodology {
    parse(name, library::find(name).unwrap().text).unwrap()
}

fn quick(method: &Methodology) -> Plan {
    expand(method, Form::Quick, &shape(Bytes::GIB)).unwrap()
}

#[test]
fn details_go_with_the_key_that_is_replaced() {
    let own = derived("anandtech-2018", "[defaults]\nrest = \"1 s\"\n").unwrap();
    let rests = quick(&own).steps().filter(|step| step.rest == Rest::Fixed { time: Nanos::from_secs(1) }).count();
    assert!(rests > 0);
    // A key that only refines a rest keeps its cap, and an own cap without its key is still an error.
    let other = derived("anandtech-2018", "[defaults]\nduty_cycle = 20\n").unwrap();
    let cap = |rest: Rest| matches!(rest, Rest::DutyCycle { cap, .. } if cap == Nanos::from_secs(3));
    assert!(quick(&other).steps().any(|step| cap(step.rest)), "{other:?}");
    let wrong = derived("anandtech-2018", "[defaults]\nrest = \"1 s\"\nrest_cap = \"2 s\"\n").unwrap_err();
    assert!(wrong.contains("`rest_cap` without `duty_cycle`") && wrong.contains("own.toml"), "{wrong}");
    assert_eq!(wrong.matches("`rest_cap` without").count(), 1, "{wrong}");
}

#[test]
fn details_of_data_and_replay_go_with_another_word() {
    let folder = tempfile::tempdir().unwrap();
    let trace = "[[traces]]\nname = \"made\"\n[traces.synthetic]\nsequential_reads = 10\nread = \"40 KiB\"\n\
                 footprint = \"1 MiB\"\n";
    let replays = "[[tests]]\nname = \"replay\"\ntitle = \"T\"\npurpose = \"p\"\nsources = [\"own\"]\ntrace = \"made\"\n\
                   queue_depth = 1\nreplay = \"capped_idle\"\nidle_cap = \"25 ms\"\nsource_of = { idle_cap = \"own\" }\n";
    let pattern = "data = \"pattern\"\ndata_pattern = \"00ff\"\n[tests.forms.quick]\ndata_pattern = \"ff\"\n";
    let mixed = test("mixed", "block_size_shares_of = \"bytes\"")
        .replace("block_size = \"4 KiB\"", "block_size_mix = [{ block_size = \"4 KiB\", share = 1 }]");
    let base = [HEAD, TARGET, "[forms.quick]\n", FILL, trace, replays, &test("data", pattern), &mixed].concat();
    std::fs::write(folder.path().join("base.toml"), base).unwrap();
    let of = |own: &str| derived(folder.path().join("base.toml").to_str().unwrap(), own);
    of("").unwrap();
    let own = "[[tests]]\nname = \"data\"\ndata = \"zero\"\n[[tests]]\nname = \"replay\"\nreplay = \"timed\"\n\
               [[tests]]\nname = \"mixed\"\nblock_size = \"8 KiB\"\n";
    let own = of(own).unwrap();
    let told = |name: &str| own.tests().iter().flat_map(|test| test.parameters.clone()).any(|one| one.name == name);
    assert!(!told("data_pattern") && !told("idle_cap") && !told("block_size_shares_of"));
    // Stating the key itself again keeps them.
    of("[[tests]]\nname = \"data\"\ndata = \"pattern\"\n[[tests]]\nname = \"replay\"\nreplay = \"capped_idle\"\n")
        .unwrap();
    let wrong = of("[[tests]]\nname = \"data\"\ndata = \"zero\"\ndata_pattern = \"0f\"\n").unwrap_err();
    assert!(wrong.contains("`data_pattern` does not apply"), "{wrong}");
}

#[test]
fn relative_paths_begin_in_the_folder_of_the_file_that_states_them() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("sub/deep");
    std::fs::create_dir_all(&deep).unwrap();
    let marked = "data = \"file\"\ndata_file = \"bytes.bin\"\nsource_of = { data_file = \"own\" }\n";
    let trace = "[[traces]]\nname = \"mail\"\nfile = \"mail.log\"\n";
    std::fs::write(
        deep.join("base.toml"),
        [HEAD, TARGET, "[forms.quick]\n", FILL, trace, &test("data", marked)].concat(),
    )
    .unwrap();
    let includes = |name: &str, method: &str, rest: &str| {
        format!("format = 1\nname = \"{name}\"\nversion = \"2.0.0\"\n[include]\nmethod = \"{method}\"\n{rest}")
    };
    std::fs::write(folder.path().join("sub/middle.toml"), includes("middle", "deep/base.toml", "")).unwrap();
    let own = folder.path().join("own.toml");
    std::fs::write(&own, includes("own", "sub/middle.toml", "")).unwrap();
    for method in [read(&own).unwrap(), read(&deep.join("base.toml")).unwrap()] {
        let file = quick(&method).steps().find_map(|step| step.workload()?.content.file.clone());
        assert_eq!(file, Some(deep.join("bytes.bin")), "{}", method.file_name());
        let Some(TraceSource::File { path, .. }) = method.traces()[0].source.clone() else { panic!("no file") };
        assert_eq!(path, deep.join("mail.log"));
    }
    // Paths that the outer file states itself begin beside that file.
    let rest = "[[tests]]\nname = \"data\"\ndata_file = \"mine.bin\"\n";
    std::fs::write(&own, includes("own", "sub/middle.toml", rest)).unwrap();
    let file = quick(&read(&own).unwrap()).steps().find_map(|step| step.workload()?.content.file.clone());
    assert_eq!(file, Some(folder.path().join("mine.bin")));
}

#[test]
fn a_suite_that_is_derived_has_the_methodologies_of_the_other_once_or_its_own() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("sub/one.toml", &[HEAD, TARGET, "[forms.quick]\n", &test("writes", "")].concat());
    write("sub/suite.toml", &[HEAD, TARGET, "[forms.quick]\n[[suite]]\nmethod = \"one.toml\"\n"].concat());
    let own = |rest: &str| {
        let head = "format = 1\nname = \"own\"\nversion = \"2.0.0\"\n[include]\nmethod = \"sub/suite.toml\"\n";
        write("own.toml", &format!("{head}{rest}"));
        let method = read(&folder.path().join("own.toml")).unwrap();
        quick(&method).tests.iter().map(|test| test.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(own(""), ["example-writes"]);
    assert_eq!(own("[[suite]]\nmethod = \"sub/one.toml\"\nprefix = \"mine\"\n"), ["mine-writes"]);
}

/// The differences between two files that both have `[target]`, a form and these texts.
fn differ(one: &str, other: &str) -> Vec<(String, String)> {
    let of = |text: &str| {
        let (top, rest) = text.split_once("---").unwrap_or(("", text));
        method(&[HEAD.replacen("[[sources]]", &format!("{top}\n[[sources]]"), 1).as_str(), TARGET, rest].concat())
    };
    let (one, other) = (of(one), of(other));
    let found = differences(&one, &other).into_iter();
    found.map(|one| (one.test, one.parameter.unwrap_or_default())).collect()
}

#[test]
fn files_with_different_steps_or_needs_differ_in_words() {
    let tests = [test("one", ""), test("two", "rounds = 3\nsteady = { tracked = \"iops\", max_rounds = 9 }")];
    let tests = [tests[0].clone(), tests[1].replace("rounds = 3\n", "")].concat();
    let forms = format!("[forms.quick]\n{tests}");
    let differs = |one: &str, other: &str| differ(&format!("{one}{forms}"), &format!("{other}{forms}"));
    let is = |test: &str, parameter: &str| vec![(test.to_owned(), parameter.to_owned())];
    assert_eq!(differs("", "[requires]\nfree = \"2 GiB\"\n"), is("requires", "free"));
    assert_eq!(differs("---", "published_unit = \"MiB/s\"\n---"), is("results", "published_unit"));
    let in_iops = forms.replacen("name = \"one\"", "name = \"one\"\npublished_unit = \"IOPS\"", 1);
    assert_eq!(differ(&forms, &in_iops), is("one", "published_unit"));
    let profile = |name: &str, rest: &str| {
        format!("[[profiles]]\nname = \"{name}\"\npurpose = \"Some.\"\ntests = [\"{name}\"]\n{rest}\n")
    };
    let (one, two) = (profile("one", ""), profile("two", ""));
    let both = |first: &str, second: &str| format!("{first}{second}");
    let longer = both(&one, &profile("two", "time = \"9 s\"\nsource_of = { time = \"own\" }"));
    assert_eq!(differs(&both(&one, &two), &longer), is("profiles", "two"));
    assert_eq!(differs(&both(&one, &two), &both(&two, &one)), is("profiles", "first"));
    // Its purpose changes no step.
    let worded = both(&one, &two.replace("Some.", "Another."));
    let files = [both(&one, &two), worded].map(|text| format!("{text}{forms}"));
    assert_eq!(differ(&files[0], &files[1]), Vec::new());
    // Also tests and preparation of a profile that is not chosen.
    let steadier = files[0].replace("max_rounds = 9", "max_rounds = 8");
    assert_eq!(differ(&files[0], &steadier), is("two", "steady"));
    let prepared = |of: &str| format!("{}{FILL}profiles = [\"{of}\"]\n", files[0]);
    assert_eq!(differ(&prepared("one"), &prepared("two")), is("prepare 1", "profiles"));
}

#[test]
fn a_new_file_offers_the_tests_of_the_other_and_nothing_else() {
    let offered = |name: &str| -> Vec<String> {
        let text = derived_text("own", name, &built_in(name));
        let lines = text.lines().filter_map(|line| line.strip_prefix("# name = \""));
        lines.map(|line| line.trim_end_matches('"').to_owned()).collect()
    };
    let names = |name: &str| -> Vec<String> {
        let file: toml::Table = library::find(name).unwrap().text.parse().unwrap();
        let tests = file["tests"].as_array().unwrap().iter();
        tests.map(|test| test["name"].as_str().unwrap().to_owned()).collect()
    };
    // With scores, with conditions, with several drives, and with preparation alone.
    for name in ["as-ssd", "encryption-cost", "all-aboard", "data-sheet"] {
        assert_eq!(offered(name), names(name), "{name}");
    }
}

#[test]
fn methods_of_unlike_forms_differ_in_their_forms_and_not_in_every_value() {
    let files = ["faithful", "quick"].map(|form| format!("[forms.{form}]\n{}", test("one", "")));
    let found = differ(&files[0], &files[1]);
    assert!(found.iter().all(|(test, _)| test != "one"), "{found:?}");
}
