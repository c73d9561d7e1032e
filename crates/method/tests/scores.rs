//! `[[scores]]`: what a plan contains of them, and what is left out of a methodology if a target is too small or has
//! too large a logical block.

mod common;

use common::{HEAD, TARGET, plan, shape};
use drivelab_core::metric::Better;
use drivelab_core::plan::{Form, Plan};
use drivelab_core::score::{Score, ScoreRates, ScoreRule};
use drivelab_core::units::Bytes;
use drivelab_method::{Methodology, SpeedGuess, TargetShape, expand, library, parse};

/// What the quick form needs before its tests.
const FORM: &str = "[forms.quick]\n[[prepare]]\naction = \"fill\"\n";

fn test(name: &str, more: &str) -> String {
    format!(
        "[[tests]]\nname = \"{name}\"\ntitle = \"T\"\npurpose = \"p\"\nsources = [\"paper\"]\npattern = \"random\"\n\
         block_size = \"4 KiB\"\ntime = \"1 s\"\n{more}\n"
    )
}

fn score(name: &str, more: &str) -> String {
    format!("[[scores]]\nname = \"{name}\"\ntitle = \"S\"\nsources = [\"paper\"]\n{more}\n")
}

fn part(test: &str, more: &str) -> String {
    format!("[[scores.parts]]\ntest = \"{test}\"\nfigure = \"read.iops\"\n{more}\n")
}

fn of(body: &str) -> Result<Methodology, String> {
    parse("example.toml", &format!("{HEAD}{TARGET}{FORM}{body}")).map_err(|errors| errors.to_string())
}

fn depths() -> String {
    test("depths", "op = \"read\"\nqueue_depth = [1, 2, 4, 8]")
}

#[test]
fn a_score_names_the_steps_that_it_is_made_of() {
    let listed = part("depths", "steps = [\"rnd-4k-q4t1-read\", \"rnd-4k-q1t1-read\"]\nweight = 0.15");
    let body =
        [depths(), score("all", "rule = \"mean\""), part("depths", ""), score("two", "rates_in = \"MiB/s\""), listed];
    let found = plan(&of(&body.concat()).unwrap(), Form::Quick, Bytes::GIB);
    let [all, two]: [Score; 2] = found.scores.try_into().unwrap();
    assert_eq!((all.rule, all.rates, all.unit.as_str()), (ScoreRule::Mean, ScoreRates::Decimal, "IOPS"));
    assert_eq!((all.parts[0].steps.len(), all.parts[0].weight_thousandths), (4, 1_000));
    assert_eq!((two.rule, two.rates, two.better), (ScoreRule::Sum, ScoreRates::Binary, Better::Higher));
    let ids: Vec<&str> = two.parts[0].steps.iter().map(|id| id.as_str()).collect();
    assert_eq!(ids, ["depths/rnd-4k-q4t1-read", "depths/rnd-4k-q1t1-read"]);
    assert_eq!((two.parts[0].weight_thousandths, two.address().as_str()), (150, "score/two:score.sum"));
}

/// Bytes alone say nothing about a drive; over a time they are a bandwidth.
#[test]
fn a_score_of_bytes_alone_is_better_in_neither_direction() {
    let built_in = library::find("application-traces").expect("built in");
    let method = parse("application-traces", built_in.text).expect("it can be read");
    let found = plan(&method, Form::Faithful, Bytes::new(500_000_000_000));
    let better = |name: &str| found.scores.iter().find(|score| score.name == name).expect("a score").better;
    assert_eq!(better("applications-data"), Better::Neutral);
    assert_eq!(better("applications-busy"), Better::Lower);
    assert_eq!(better("applications-bandwidth"), Better::Higher);
}

#[test]
fn what_a_score_refers_to_must_be_there() {
    let wrong = |score: &str| of(&[&depths(), score].concat()).unwrap_err();
    let test = wrong(&[score("s", ""), part("depth", "")].concat());
    assert!(test.contains("there is no test 'depth'") && test.contains("depths"), "{test}");
    let step = wrong(&[score("s", ""), part("depths", "steps = [\"rnd-4k-q3t1-read\"]")].concat());
    assert!(step.contains("'depths' has no step 'rnd-4k-q3t1-read'") && step.contains("rnd-4k-q2t1-read"), "{step}");
    let over = wrong(&[score("s", "over = \"t\""), part("depths", ""), score("t", ""), part("depths", "")].concat());
    assert!(over.contains("no score 't' before"), "{over}");
    let source = wrong(&[score("s", "source_of = { parts = \"book\" }"), part("depths", "")].concat());
    assert!(source.contains("no source 'book'"), "{source}");
    let twice = wrong(&[score("s", ""), part("depths", ""), score("s", ""), part("depths", "")].concat());
    assert!(twice.contains("two scores"), "{twice}");
}

#[test]
fn a_score_whose_test_is_left_out_is_left_out_by_name() {
    let fine = test("fine", "op = \"read\"\nqueue_depth = 1\nrequires = { logical_block = \"512 B\" }");
    let scores = [
        score("both", ""),
        part("depths", ""),
        part("fine", ""),
        score("ratio", "over = \"both\""),
        part("depths", ""),
    ];
    let method = of(&[depths(), fine, scores.concat(), score("own", ""), part("fine", "")].concat()).unwrap();
    let coarse = TargetShape { offset_align: Bytes::new(4096), ..shape(Bytes::GIB) };
    let found = expand(&method, Form::Quick, &coarse).unwrap();
    assert_eq!(found.scores, []);
    let out: Vec<(&str, &str)> = found.left_out.iter().map(|out| (out.test.as_str(), out.reason.as_str())).collect();
    // 'own' is not reported, because its only test is.
    assert_eq!(out[0], ("fine", "it needs a logical block of at most 512 B, and the target's is 4 KiB"));
    assert_eq!(out[1], ("both", "it needs the test 'fine', which is not in the plan"));
    assert_eq!(out[2], ("ratio", "it is divided by 'both', which is left out"));
    assert_eq!(out.len(), 3);
    assert_eq!(plan(&method, Form::Quick, Bytes::GIB).scores.len(), 3);
}

#[test]
fn of_a_list_of_spans_those_that_are_too_large_are_left_out_by_name() {
    let spans = "op = \"read\"\nqueue_depth = 1\nspan = [\"512 MiB\", \"1 GiB\", \"2 GiB\", \"4 GiB\", \"100 %\"]";
    let method = of(&test("set", spans)).unwrap();
    let found = plan(&method, Form::Quick, Bytes::new(2 << 30));
    let of_test = found.tests.iter().find(|test| test.name == "set").unwrap();
    assert_eq!(of_test.steps.len(), 4);
    assert_eq!(found.left_out.len(), 1);
    assert_eq!(found.left_out[0].reason, "spans larger than the target: 4 GiB");
    let none = of(&test("set", "op = \"read\"\nqueue_depth = 1\nspan = [\"8 GiB\", \"9 GiB\"]")).unwrap_err();
    assert!(none.contains("larger than the target"), "{none}");
}

#[test]
fn scores_of_as_ssd_are_its_authors_formula() {
    let method = parse("as-ssd", library::find("as-ssd").unwrap().text).unwrap();
    let found = plan(&method, Form::Faithful, Bytes::GIB);
    let total = found.scores.iter().find(|score| score.name == "total").unwrap();
    let weights: Vec<(&str, u64)> =
        total.parts.iter().map(|part| (part.steps[0].as_str(), part.weight_thousandths)).collect();
    assert_eq!(
        weights,
        [
            ("seq/seq-16m-q1t1-read", 100),
            ("seq/seq-16m-q1t1-write", 150),
            ("4k/once-4k-q1t1-read", 2_000),
            ("4k/once-4k-q1t1-write", 1_000),
            ("4k-64/once-4k-q1t64-read", 1_500),
            ("4k-64/once-4k-q1t64-write", 1_000),
        ]
    );
    assert!(total.rates == ScoreRates::Binary && total.approximation.contains("MiB/s"), "{}", total.approximation);
    // 4K blocks: the test with 512 bytes is left out, and no score needs it.
    let coarse = TargetShape { offset_align: Bytes::new(4096), ..shape(Bytes::GIB) };
    let found = expand(&method, Form::Faithful, &coarse).unwrap();
    let out: Vec<&str> = found.left_out.iter().map(|out| out.test.as_str()).collect();
    assert_eq!((out, found.scores.len()), (vec!["access-write"], 6));
}

#[test]
fn anandtech_2021_has_the_suite_of_2018_with_its_own_spans_and_bursts() {
    let method = parse("anandtech-2021", library::find("anandtech-2021").unwrap().text).unwrap();
    let tb = Bytes::new(1_000_000_000_000);
    let of_profile = |profile: &str| plan(&method.with_profile(profile).unwrap(), Form::Faithful, tb);
    let spans = |plan: &Plan| -> Vec<u64> {
        let measured = plan.tests.iter().filter(|test| !test.name.starts_with("prepare"));
        measured.flat_map(|test| &test.steps).filter_map(|step| Some(step.workload()?.span.length.get())).collect()
    };
    let (empty, full) = (of_profile("empty"), of_profile("full-80"));
    assert!(spans(&empty).iter().all(|span| *span <= 32_000_000_000 && *span > 31_900_000_000), "{:?}", spans(&empty));
    assert!(spans(&full).iter().all(|span| *span <= 800_000_000_000 && *span > 799_000_000_000), "{:?}", spans(&full));
    assert_eq!(empty.scores.len(), 21, "seven tests with rate, power and efficiency");
    let burst = empty.tests.iter().find(|test| test.name == "burst-random-read").unwrap();
    let bursts = burst.steps[0].workload().unwrap().pace.volume_bursts.unwrap();
    assert_eq!((bursts.volume.get(), bursts.on_at_most.map(|most| most.get())), (64_000_000, Some(1_000_000_000)));
    let whole = of_profile("whole-drive");
    let order: Vec<&str> = whole.tests.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(order, ["prepare", "fill", "working-set", "fill-again"]);
    // 1 to 512 GB and all of it.
    assert_eq!(whole.tests[2].steps.len(), 11);
    assert_eq!(whole.left_out.len(), 1, "{:?}", whole.left_out);
}

/// A drive with blocks of 4 KiB runs every methodology, except for tests that need smaller blocks.
#[test]
fn block_sizes_that_are_no_whole_blocks_are_left_out_by_name() {
    let shape = |align| TargetShape {
        capacity: Bytes::new(64 << 30),
        offset_align: Bytes::new(align),
        guess: SpeedGuess::default(),
    };
    let mut named = Vec::new();
    for built_in in library::all() {
        let method = parse(built_in.name, built_in.text).unwrap();
        for form in method.forms() {
            let plan = expand(&method, form, &shape(4096)).unwrap_or_else(|wrong| panic!("{}: {wrong}", built_in.name));
            let fine = expand(&method, form, &shape(512)).unwrap();
            let reasons = plan.left_out.iter().filter(|out| out.reason.contains("logical block"));
            let less = reasons.map(|out| format!("{} {}: {}", built_in.name, out.test, out.reason)).collect::<Vec<_>>();
            assert_eq!(less.is_empty(), plan.steps().count() == fine.steps().count(), "{} {less:?}", built_in.name);
            named.extend(less);
        }
    }
    let sizes = "block sizes that are not whole logical blocks of 4 KiB";
    for wanted in [
        format!("snia-pts iops: {sizes}: 512 B"),
        format!("random-read-sweep sweep: {sizes}: 512 B, 1 KiB, 2 KiB"),
        "snia-pts composite: it needs a logical block of at most 512 B, and the target's is 4 KiB".to_owned(),
    ] {
        assert!(named.contains(&wanted), "{wanted}: {named:#?}");
    }
}
