//! What the built-in methodologies say about the reviews that they follow: drives, dates and counts that were wrong once.

use drivelab_core::plan::Form;
use drivelab_method::{Mark, Methodology, library, parse};

fn method(name: &str) -> Methodology {
    let built_in = library::find(name).expect("a built-in methodology");
    parse(name, built_in.text).expect("it can be read")
}

/// Words that the citation of a methodology's review must have, and words that it must not have.
const CITED: &[(&str, &str, &str)] = &[
    ("four-corners", "Western Digital Ultrastar DC SN861", "SanDisk"),
    ("load-curves", "Western Digital Ultrastar DC SN861", "SanDisk"),
    ("gpu-feed", "(the U.2 drive; E1.S is only mentioned)", "SN861 E1.S"),
    ("power-states", "(the U.2 drive)", "E1.S"),
    ("crystaldiskmark", "undated", "2025"),
    ("all-aboard", "(about 2017)", "(2017)"),
];

#[test]
fn reviews_are_cited_by_the_drive_and_the_date_that_they_have() {
    let mut wrong = Vec::new();
    for (name, has, lacks) in CITED {
        let cited: Vec<String> = method(name).sources().iter().map(|source| source.citation.clone()).collect();
        if !cited.iter().any(|one| one.contains(has)) || cited.iter().any(|one| one.contains(lacks)) {
            wrong.push(format!("{name} must cite its review with '{has}', not with '{lacks}': {cited:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn load_curves_says_how_many_loads_it_has() {
    let built_in = library::find("load-curves").expect("built in");
    let file: toml::Table = toml::from_str(built_in.text).expect("TOML");
    let tests = file["tests"].as_array().expect("its tests").iter();
    let count = |test: &toml::Value, key: &str| test.get(key).and_then(toml::Value::as_array).map_or(1, Vec::len);
    // A load for each case of a test, and for each block size.
    let loads: usize = tests.map(|test| count(test, "cases") * count(test, "block_size")).sum();
    assert_eq!(loads, 17, "its summary says seventeen");
    let summary = method("load-curves").summary().to_owned();
    assert!(summary.contains("Each of seventeen loads"), "{summary}");
}

#[test]
fn the_gain_per_doubling_is_derived_and_not_stated_by_the_review() {
    let method = method("capacity-scaling");
    let tests = method.tests();
    let gain = tests.iter().flat_map(|test| &test.parameters).find(|one| one.name == "per_doubling");
    let gain = gain.expect("the methodology states it");
    let faithful = gain.forms.iter().find(|one| one.form == Form::Faithful).expect("its strictest form");
    assert!(matches!(&faithful.mark, Mark::Derived(why) if why.contains("a factor of two or four")), "{gain:?}");
}

/// Both suites draw their mixes in MB/s, and so do their charts here.
#[test]
fn suites_whose_reviews_draw_megabytes_say_so() {
    for name in ["anandtech-2018", "anandtech-2021"] {
        let file: toml::Table = toml::from_str(library::find(name).expect("built in").text).expect("TOML");
        assert_eq!(file.get("published_unit").and_then(toml::Value::as_str), Some("MB/s"), "{name}");
    }
}

/// What the reviews have and the methodologies once lacked.
#[test]
fn what_was_missing_for_a_review_is_there() {
    let file =
        |name: &str| -> toml::Table { toml::from_str(library::find(name).expect("built in").text).expect("TOML") };
    let named = |file: &toml::Table, list: &str, name: &str| {
        let all = file[list].as_array().expect("a list").iter();
        let is_it = |one: &&toml::Value| one.get("name").and_then(toml::Value::as_str) == Some(name);
        all.into_iter().find(is_it).cloned().expect("one of this name")
    };
    assert_eq!(file("as-ssd")["defaults"]["rounds"].as_integer(), Some(5));
    let larger = named(&file("heat-soak"), "tests", "larger-reads");
    assert_eq!(larger["block_size"], toml::Value::from(vec!["64 KiB", "128 KiB", "256 KiB"]));
    let traces = file("application-traces");
    assert_eq!(named(&traces, "profiles", "applications")["tests"], toml::Value::from(vec!["applications"]));
    let over_all = named(&traces, "scores", "applications-bandwidth");
    assert_eq!(over_all["over"].as_str(), Some("applications-busy"));
    let streams = named(&file("random-read-sweep"), "tests", "streams");
    assert_eq!(streams["block_size"].as_str(), Some("64 KiB"));
    assert!(streams["derived"]["block_size"].as_str().is_some_and(|why| why.contains("for one reader")), "{streams}");
}
