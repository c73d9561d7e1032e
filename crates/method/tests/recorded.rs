//! What a recording keeps of a methodology: its text, and the hash by which runs are compared.

mod common;

use common::{HEAD, TARGET};
use drivelab_method::{Methodology, library, parse};

/// What follows the head and the target.
const TESTS: &str = r#"
[defaults]
time = "10 s"
source_of = { time = "paper" }
[forms.faithful]
[forms.quick]
time = "2 s"
approximation = { time = "shorter" }
[[prepare]]
action = "fill"
sources = ["paper"]
profiles = ["all", "few"]
[[tests]]
name = "reads"
title = "Reads"
purpose = "How fast are reads?"
sources = ["paper"]
op = "read"
pattern = "random"
block_size = "4 KiB"
queue_depth = [1, 8]
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
[[profiles]]
name = "all"
purpose = "All of it."
tests = ["reads", "writes"]
[[profiles]]
name = "few"
purpose = "A part of it."
tests = ["reads"]
"#;

/// All of it.
fn own_text() -> String {
    [HEAD, TARGET, TESTS].concat()
}

fn own(text: &str) -> Methodology {
    parse("own.toml", text).unwrap_or_else(|errors| panic!("{}", errors.render(false)))
}

#[test]
fn words_can_be_rewritten_and_the_runs_are_still_compared() {
    let own_text = own_text();
    let before = own(&own_text);
    let words = [
        ("title = \"Example\"", "title = \"Other\""),
        ("version = \"1.0.0\"", "version = \"1.0.1\""),
        ("A small methodology.", "A methodology."),
        ("good_for = \"Tests.\"", "good_for = \"Nothing.\""),
        ("Anything else.", "The rest."),
        ("rounds = 3", "rounds = 3\npublished_unit = \"MB/s\""),
        ("citation = \"a paper\"", "citation = \"a paper, 2nd edition\""),
        ("source_of = { time = \"paper\" }", "derived = { time = \"from the paper\" }"),
        ("\"shorter\"", "\"much shorter\""),
        ("action = \"fill\"\nsources = [\"paper\"]", "action = \"fill\""),
        ("title = \"Reads\"", "title = \"Random reads\""),
        ("How fast are reads?", "How many reads a second?"),
        ("purpose = \"A part of it.\"", "purpose = \"Reads.\""),
        ("\"few\"", "\"less\""),
    ];
    for (old, new) in words {
        let text = own_text.replace(old, new);
        assert_ne!(text, own_text, "{old}");
        let after = own(&text);
        assert_ne!(after.identity().hash, before.identity().hash, "{new}: the content is another");
        assert_eq!(after.identity().compared_by(), before.identity().compared_by(), "{new}");
    }
}

#[test]
fn what_changes_the_measurement_keeps_runs_apart() {
    let own_text = own_text();
    let before = own(&own_text);
    let values = [
        ("time = \"10 s\"", "time = \"11 s\""),
        ("queue_depth = [1, 8]", "queue_depth = [8, 1]"),
        ("block_size = \"4 KiB\"", "block_size = \"8 KiB\""),
        ("rounds = 3", "rounds = 4"),
        ("size = \"1 GiB\"", "size = \"2 GiB\""),
        ("\"reads\"", "\"reading\""),
        ("action = \"fill\"", "action = \"fill\"\npasses = 2"),
        ("rounds = 3", "rounds = 3\nneeds = { fill = 50 }"),
        ("tests = [\"reads\", \"writes\"]", "tests = [\"reads\"]"),
        ("tests = [\"reads\", \"writes\"]", "tests = [\"reads\", \"writes\"]\ntime = \"9 s\""),
    ];
    for (old, new) in values {
        let text = own_text.replace(old, new);
        assert_ne!(text, own_text, "{old}");
        assert_ne!(own(&text).identity().compared_by(), before.identity().compared_by(), "{new}");
    }
    let few = before.with_profile("few").unwrap();
    assert_ne!(few.identity().compared_by(), before.identity().compared_by(), "another profile has other tests");
    let set = before.with_settings(&["queue_depth=4".to_owned()]).unwrap();
    assert_ne!(set.identity().compared_by(), few.identity().compared_by());
}

/// Whether the recorded text gives the same methodology back.
fn returns(method: &Methodology) {
    let again = Methodology::of_record(&method.recorded_text(), method.profile());
    let again = again.unwrap_or_else(|| panic!("{}: it cannot be read", method.identity().name));
    assert_eq!(again.identity().hash, method.identity().hash, "{}", method.identity().name);
    assert_eq!(again.identity().compared_hash, method.identity().compared_hash, "{}", method.identity().name);
}

#[test]
fn a_recorded_text_gives_the_methodology_back() {
    for built_in in library::all() {
        let method = parse(built_in.name, built_in.text).unwrap();
        returns(&method);
        for profile in method.profiles() {
            returns(&method.with_profile(&profile.name).unwrap());
        }
    }
    returns(&own(&own_text()).with_profile("few").unwrap().with_settings(&["time=1 s".to_owned()]).unwrap());
    returns(&own(&format!("{}\n# ---- a comment of its own\n\n# and another\n", own_text())));
}

#[test]
fn included_files_are_taken_from_the_record_even_if_they_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let heads = |name: &str| format!("format = 1\nname = \"{name}\"\nversion = \"1.0.0\"\n");
    let derived = heads("derived") + "[include]\nmethod = \"own.toml\"\ndrop_tests = [\"writes\"]\n";
    let without_profiles =
        own_text().split("[[profiles]]").next().unwrap().replace("profiles = [\"all\", \"few\"]\n", "");
    std::fs::write(folder.path().join("own.toml"), format!("# ---- a comment\n\n{without_profiles}")).unwrap();
    std::fs::write(folder.path().join("derived.toml"), &derived).unwrap();
    let suite = "title = \"Both\"\nsummary = \"Both.\"\ngood_for = \"Tests.\"\ncannot_tell = \"The rest.\"\n[[sources]]\n\
                 id = \"own\"\ncitation = \"this file\"\n[target]\nkind = \"file_or_block\"\nsize = \"1 GiB\"\n\
                 minimum_size = \"8 MiB\"\n[forms.faithful]\n[forms.quick]\n[[suite]]\nmethod = \"derived.toml\"\n\
                 [[suite]]\nmethod = \"own.toml\"\n[[suite]]\nmethod = \"crystaldiskmark\"\ntests = [\"default\"]\n";
    let read = |name: &str, text: &str| {
        let file = folder.path().join(name);
        parse(&file.display().to_string(), text).unwrap_or_else(|errors| panic!("{}", errors.render(false)))
    };
    let methods = [
        read("derived.toml", &derived),
        read("both.toml", &(heads("both") + suite)),
        read("both.toml", &(heads("both") + suite)).with_settings(&["time=3 s".to_owned()]).unwrap(),
    ];
    drop(folder);
    methods.iter().for_each(returns);
}

#[test]
fn a_record_that_is_not_understood_gives_nothing() {
    assert!(Methodology::of_record("", "").is_none());
    assert!(Methodology::of_record(&own_text(), "no such profile").is_none());
    let lost = own_text().replace("summary", "include = { method = \"gone.toml\" }\nsummary");
    assert!(Methodology::of_record(&lost, "").is_none(), "the included text is not in the record");
}
