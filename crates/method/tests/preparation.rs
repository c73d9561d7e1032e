//! Preparation between the tests of a methodology: where it runs, what its forms replace, what is refused.

mod common;

use common::{HEAD, TARGET};
use drivelab_core::plan::{Action, Form, Plan, StepRole};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_method::parse;

const FORMS: &str = "[forms.faithful]\n[forms.quick]\n";

fn test(name: &str) -> String {
    format!(
        "[[tests]]\nname = \"{name}\"\ntitle = \"T\"\npurpose = \"p\"\nsources = [\"own\"]\nop = \"read\"\n\
         pattern = \"random\"\nblock_size = \"4 KiB\"\nqueue_depth = 1\ntime = \"1 s\"\n"
    )
}

const BLOCKS: &str = r#"
[[prepare]]
action = "fill"
[[prepare]]
action = "discard"
before = "second"
[[prepare]]
action = "overwrite_random"
before = "second"
pattern = "random_once"
threads = 8
time = "8 h"
[prepare.source_of]
time = "own"
[prepare.approximation]
pattern = "ours"
[prepare.forms.quick]
passes = 1
queue_depth = 4
[prepare.forms.quick.approximation]
queue_depth = "less"
"#;

fn plan(form: Form) -> Plan {
    let text = format!("{HEAD}{TARGET}{FORMS}{BLOCKS}{}{}", test("first"), test("second"));
    common::plan(&common::method(&text), form, Bytes::GIB)
}

#[test]
fn a_block_stands_before_the_test_that_it_names() {
    let plan = plan(Form::Faithful);
    let names: Vec<&str> = plan.tests.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(names, ["prepare", "first", "prepare-second", "second"]);
    let block: Vec<(&str, StepRole)> = plan.tests[2].steps.iter().map(|step| (step.id.as_str(), step.role)).collect();
    let prepare = StepRole::Prepare;
    assert_eq!(block, [("prepare-second/discard", prepare), ("prepare-second/overwrite-random", prepare)]);
}

#[test]
fn a_discard_reaches_the_last_byte_of_its_span() {
    let of = |capacity: u64, span: &str| -> Vec<(String, u64, u64)> {
        let text = format!(
            "{HEAD}{TARGET}{FORMS}[[prepare]]\naction = \"discard\"\nspan = {span}\n{}",
            test("first").replace("op = \"read\"", "op = \"write\"")
        );
        let plan = common::plan(&common::method(&text), Form::Faithful, Bytes::new(capacity));
        let steps = plan.steps().filter(|step| step.role == StepRole::Prepare);
        let spans = steps.map(|step| (step.id.slug().to_owned(), step.workload().expect("a load")));
        spans.map(|(slug, load)| (slug, load.span.offset.get(), load.span.length.get())).collect()
    };
    let (first, rest) = ("discard".to_owned(), "discard-rest".to_owned());
    let whole = "\"100 %\"";
    assert_eq!(of(128 << 20, whole), [(first.clone(), 0, 128 << 20)], "blocks divide it");
    let odd = (400 << 20) + 4096;
    let blocks = 384 << 20;
    assert_eq!(of(odd, whole), [(first.clone(), 0, blocks), (rest.clone(), blocks, odd - blocks)]);
    assert_eq!(of(31 << 20, whole), [(first.clone(), 0, 31 << 20)], "less than a block");
    // A part begins and ends exactly as stated; otherwise data beside it would be discarded too.
    let (from, blocks) = (200 << 20, 64 << 20);
    let end = [(first, from, blocks), (rest, from + blocks, 36 << 20)];
    assert_eq!(of(400 << 20, "{ offset = \"50 %\", length = \"25 %\" }"), end);
}

#[test]
fn a_form_replaces_when_a_step_ends_and_the_marks_follow() {
    let of = |form| {
        let step = plan(form).tests[2].steps[1].clone();
        let Action::Io { workload, stop, .. } = step.action else { panic!("no load") };
        let marks: Vec<(String, String)> =
            step.approximations.into_iter().map(|mark| (mark.parameter, mark.reason)).collect();
        (stop.time, stop.passes, workload.queue_depth.get(), workload.threads.get(), marks)
    };
    let (time, passes, depth, threads, marks) = of(Form::Faithful);
    assert_eq!((time, passes, depth, threads), (Some(Nanos::from_secs(8 * 3600)), None, 32, 8));
    assert_eq!(marks, [("pattern".to_owned(), "ours".to_owned())]);
    let (time, passes, depth, threads, marks) = of(Form::Quick);
    assert_eq!((time, passes, depth, threads), (None, Some(1), 4, 8));
    let names: Vec<&str> = marks.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["passes", "pattern", "queue_depth"]);
    assert!(marks[0].1.contains("shortened"), "{marks:?}");
    assert_eq!(marks[2].1, "less");
}

#[test]
fn what_cannot_be_prepared_for_is_refused_with_its_place() {
    let refused = |prepare: &str, tests: &str| {
        parse("wrong.toml", &format!("{HEAD}{TARGET}{FORMS}{prepare}{tests}")).unwrap_err()
    };
    let fill = "[[prepare]]\naction = \"fill\"\n";
    let text = refused(&format!("{fill}before = \"secnd\"\n"), &test("second")).to_string();
    assert!(text.contains("no test 'secnd'") && text.contains("second"), "{text}");
    let both = format!("{fill}before = \"a\"\n");
    let text = refused(&both, &[test("a"), test("prepare-a")].concat()).to_string();
    assert!(text.contains("name of the preparation of 'a'"), "{text}");
    let text = refused(&format!("{fill}[prepare.forms.quick]\ntime = \"1 s\"\n"), &test("a")).to_string();
    assert!(text.contains("`fill` has no `time`"), "{text}");
    let both = "[[prepare]]\naction = \"overwrite_random\"\ntime = \"1 s\"\npasses = 2\n";
    let text = refused(both, &test("a")).to_string();
    assert!(text.contains("`time` and `passes`"), "{text}");
}

#[test]
fn tests_keep_to_whole_blocks_of_the_fill_as_their_form_has_it() {
    let fill = "[[prepare]]\naction = \"fill\"\n[prepare.forms.quick]\nblock_size = \"8 MiB\"\n";
    let method = common::method(&format!("{HEAD}{TARGET}{FORMS}{fill}{}", test("first")));
    let spans = |form| -> Vec<u64> {
        let plan = common::plan(&method, form, Bytes::new(103 << 20));
        plan.steps().filter_map(|step| Some(step.workload()?.span.length.get() >> 20)).collect()
    };
    assert_eq!((spans(Form::Faithful), spans(Form::Quick)), (vec![103, 103], vec![96, 96]));
}

#[test]
fn what_ends_a_flat_preparation_is_not_replaced_by_a_form() {
    let until = "[[prepare]]\naction = \"overwrite_random\"\npattern = \"random_once\"\nuntil = \"flat\"\n";
    for (key, value) in [("passes", "2"), ("time", "\"1 min\""), ("verify", "\"headers\"")] {
        let text = format!("{until}[prepare.forms.quick]\n{key} = {value}\n");
        let refused = parse("wrong.toml", &format!("{HEAD}{TARGET}{FORMS}{text}{}", test("first"))).unwrap_err();
        assert!(refused.to_string().contains(&format!("`until` and `{key}` exclude each other")), "{refused}");
    }
}

/// Reads of a file return what filled it: a file that is to be read as zeros must be written with zeros.
#[test]
fn data_that_are_set_for_all_tests_are_those_that_the_same_fill_writes() {
    let written = |fill: &str, settings: &[&str]| {
        let method = parse("m.toml", &format!("{HEAD}{TARGET}[forms.quick]\n{fill}{}", test("reads"))).unwrap();
        let settings: Vec<String> = settings.iter().map(|one| (*one).to_owned()).collect();
        let method = method.with_settings(&settings).unwrap();
        let shape = drivelab_method::TargetShape {
            capacity: Bytes::GIB,
            offset_align: Bytes::new(4096),
            guess: drivelab_method::SpeedGuess::default(),
        };
        let plan = drivelab_method::expand(&method, Form::Quick, &shape).unwrap();
        let fill = plan.steps().find(|step| step.role == StepRole::Prepare).cloned().unwrap();
        let marked = fill.approximations.iter().any(|one| one.parameter == "data");
        (fill.workload().unwrap().data.name().to_owned(), marked)
    };
    let same = "[defaults]\ndata = \"one_block\"\n[[prepare]]\naction = \"fill\"\ndata = \"one_block\"\n";
    assert_eq!(written(same, &[]), ("one_block".to_owned(), false));
    assert_eq!(written(same, &["data=zero"]), ("zero".to_owned(), true));
    assert_eq!(written(same, &["reads.data=zero"]).0, "one_block", "of one test");
    let unsaid = "[[prepare]]\naction = \"fill\"\n";
    assert_eq!(written(unsaid, &["data=zero"]), ("zero".to_owned(), true), "incompressible both, without a word");
    let half = unsaid.replace("[[prepare]]", "[defaults]\ndata = \"incompressible\"\n[[prepare]]");
    assert_eq!(written(&half, &["data=zero"]).0, "zero");
    let another =
        same.replace("action = \"fill\"\ndata = \"one_block\"", "action = \"fill\"\ndata = \"incompressible\"");
    assert_eq!(written(&another, &["data=zero"]).0, "incompressible", "a state of its own, which the file asks for");
}
