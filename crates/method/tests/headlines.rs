//! `headlines`: the tests at the top of a page, of every built-in methodology and of wrong files.

mod common;

use common::{HEAD, TARGET, shape};
use drivelab_core::plan::{Form, StepRole};
use drivelab_core::units::Bytes;
use drivelab_method::{expand, library, parse};

/// Most figures that can be taken in at a glance.
const MOST: usize = 8;

#[test]
fn every_built_in_methodology_has_at_most_eight_headlines_and_names_them_if_it_has_more_tests() {
    let mut named = 0;
    for built_in in library::all() {
        let method = parse(built_in.name, built_in.text).unwrap();
        let profiles: Vec<String> = method.profiles().iter().map(|profile| profile.name.clone()).collect();
        let all = profiles.iter().filter_map(|profile| method.with_profile(profile).ok()).chain([method.clone()]);
        for (method, form) in all.flat_map(|one| [(one.clone(), Form::Faithful), (one, Form::Quick)]) {
            let Ok(plan) = expand(&method, form, &shape(Bytes::new(8 << 40))) else { continue };
            let what = format!("{}, {form:?}", plan.title);
            let is_measured = |step: &&drivelab_core::plan::Step| step.role == StepRole::Measure;
            let measured = plan.tests.iter().filter(|test| test.steps.iter().filter(is_measured).count() > 0).count();
            assert!(plan.headlines.len() <= MOST, "{what}: {:?}", plan.headlines);
            // A suite shows the tests of its first methodologies.
            let chooses = !plan.headlines.is_empty() || built_in.name == "review";
            assert!(chooses || measured <= MOST + 1, "{what} has {measured} tests and names no headlines");
            named += usize::from(!plan.headlines.is_empty());
        }
    }
    assert!(named > 10, "{named} plans have headlines");
}

#[test]
fn a_headline_of_no_test_and_too_many_are_errors_with_their_place() {
    let test = |name: &str| {
        format!(
            "[[tests]]\nname = \"{name}\"\ntitle = \"T\"\npurpose = \"p\"\nsources = [\"own\"]\nop = \"write\"\n\
             pattern = \"random\"\nblock_size = \"4 KiB\"\nqueue_depth = 1\ntime = \"1 s\"\n"
        )
    };
    let names: Vec<String> = (0..9).map(|at| format!("t{at}")).collect();
    let file = |headlines: &str| {
        let (before, sources) = HEAD.split_once("[[sources]]").unwrap();
        let tests: String = names.iter().map(|name| test(name)).collect();
        format!("{before}headlines = [{headlines}]\n[[sources]]{sources}{TARGET}[forms.quick]\n{tests}")
    };
    let wrong = |headlines: &str| parse("own.toml", &file(headlines)).map_err(|errors| errors.to_string()).unwrap_err();
    let error = wrong("\"t1\", \"t11\"");
    assert!(error.contains("there is no test 't11'") && error.contains("own.toml:"), "{error}");
    assert!(wrong("\"t1\", \"t2\", \"t1\"").contains("t1"), "a test is named once");
    let all = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    assert!(wrong(&all).contains("has 9 headlines"), "{}", wrong(&all));
    let sound = parse("own.toml", &file("\"t3\", \"t1\"")).unwrap();
    assert_eq!(expand(&sound, Form::Quick, &shape(Bytes::GIB)).unwrap().headlines, ["t3", "t1"]);
}
