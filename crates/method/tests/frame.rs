//! What surrounds the tests of a methodology: what it runs on and how much of it, the smoke form's time, and the
//! origin of the values.

mod common;

use common::{HEAD, plan, shape};
use drivelab_core::plan::{Action, Form, Plan, StepRole};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_method::{Mark, MethodTarget, Methodology, expand};

const WRITES: &str = r#"
[[tests]]
name = "writes"
title = "Writes"
purpose = "How fast?"
sources = ["paper"]
op = "write"
pattern = "random"
block_size = "4 KiB"
"#;

fn method(rest: &str) -> Methodology {
    common::method(&format!("{HEAD}{rest}"))
}

fn of_target(target: &str) -> Methodology {
    method(&format!("[target]\n{target}\n[forms.quick]\n{WRITES}queue_depth = 1\ntime = \"1 s\"\n"))
}

const TB: Bytes = Bytes::new(1_000_000_000_000);

#[test]
fn a_share_is_of_the_device_and_a_file_has_a_size_of_its_own() {
    let whole = of_target("kind = \"block_device\"\nsize = \"100 %\"\nminimum_size = \"1 GiB\"");
    assert_eq!(whole.target(), MethodTarget::BlockDevice);
    assert_eq!(whole.device_part(Form::Quick, TB), TB);
    assert_eq!(whole.file_size(Form::Quick), None);
    assert_eq!(whole.nominal_size(Form::Quick), Bytes::GIB, "checked for the smallest device that it takes");
    let both =
        of_target("kind = \"file_or_block\"\nsize = \"12.5 %\"\nfile_size = \"2 GiB\"\nminimum_size = \"1 GiB\"");
    assert_eq!(both.device_part(Form::Quick, TB), Bytes::new(125_000_000_000));
    assert_eq!(both.file_size(Form::Quick), Some(Bytes::new(2 << 30)));
    let plain = of_target("kind = \"file_or_block\"\nsize = \"4 GiB\"\nminimum_size = \"1 GiB\"");
    assert_eq!(plain.device_part(Form::Quick, TB), Bytes::new(4 << 30));
    assert_eq!(plain.device_part(Form::Quick, Bytes::GIB), Bytes::GIB, "no more than there is");
    for method in [&whole, &both, &plain] {
        assert_eq!(method.device_part(Form::Smoke, TB), Bytes::new(8 << 20));
        assert_eq!(method.file_size(Form::Smoke), Some(Bytes::new(8 << 20)));
    }
}

#[test]
fn a_form_has_sizes_of_its_own_and_what_fits_is_said() {
    let method = method(&format!(
        "[target]\nkind = \"block_device\"\nsize = \"100 %\"\nminimum_size = \"64 GiB\"\n[forms.faithful]\n\
         [forms.quick.target]\nsize = \"16 GiB\"\nminimum_size = \"1 GiB\"\n{WRITES}queue_depth = 1\ntime = \"1 s\"\n"
    ));
    assert_eq!(method.device_part(Form::Faithful, TB), TB);
    assert_eq!(method.device_part(Form::Quick, TB), Bytes::new(16 << 30));
    assert_eq!(method.forms_that_fit(TB), [Form::Faithful, Form::Quick, Form::Smoke]);
    assert_eq!(method.forms_that_fit(Bytes::new(2 << 30)), [Form::Quick, Form::Smoke]);
    assert_eq!(method.forms_that_fit(Bytes::new(16 << 20)), [Form::Smoke]);
    let refused = expand(&method, Form::Faithful, &shape(Bytes::new(2 << 30))).unwrap_err().to_string();
    assert!(refused.contains("needs at least 64 GiB") && refused.contains("a form that fits: quick"), "{refused}");
}

fn caps(plan: &Plan) -> Vec<Nanos> {
    let measured = plan.steps().filter(|step| step.role == StepRole::Measure);
    let cap = |action: &Action| match action {
        Action::Io { stop, .. } => stop.cap,
        Action::Idle { .. } | Action::CoolDown(_) => Nanos::new(0),
    };
    measured.map(|step| cap(&step.action)).collect()
}

#[test]
fn a_smoke_run_of_many_steps_shares_ten_seconds_and_leaves_each_twenty_milliseconds() {
    let of = |queue_depth: &str| {
        let target = "[target]\nkind = \"file\"\nsize = \"1 GiB\"\nminimum_size = \"8 MiB\"\n[forms.quick]\n";
        caps(&plan(
            &method(&format!("{target}{WRITES}queue_depth = {queue_depth}\ntime = \"1 min\"\nrounds = 5\n")),
            Form::Smoke,
            Bytes::GIB,
        ))
    };
    let numbers = |most: u32| format!("[{}]", (1..=most).map(|depth| depth.to_string()).collect::<Vec<_>>().join(","));
    assert_eq!(of("1"), [Nanos::from_millis(500)]);
    assert_eq!(of(&numbers(20)), [Nanos::from_millis(500); 20]);
    assert_eq!(of(&numbers(100)), [Nanos::from_millis(100); 100]);
    assert_eq!(of(&numbers(1000)), [Nanos::from_millis(20); 1000]);
}

#[test]
fn every_parameter_is_listed_with_its_value_in_each_form_and_its_mark() {
    let method = method(&format!(
        "[target]\nkind = \"file\"\nsize = \"1 GiB\"\nminimum_size = \"8 MiB\"\n[defaults]\nthreads = 2\n\
         approximation = {{ threads = \"the paper names none\" }}\n[forms.faithful]\n[forms.quick]\ntime = \"5 s\"\n\
         [[prepare]]\naction = \"fill\"\nblock_size = \"1 MiB\"\nsource_of = {{ block_size = \"paper\" }}\n\
         {WRITES}queue_depth = [1, 8]\ntime = \"1 min\"\nsource_of = {{ time = \"paper\", block_size = \"paper\" }}\n\
         derived = {{ queue_depth = \"16 in flight over 2 threads\" }}\n"
    ));
    let all = method.tests();
    let names: Vec<(&str, &str)> = all.iter().map(|test| (test.name.as_str(), test.title.as_str())).collect();
    assert_eq!(names, [("prepare 1", "fill"), ("writes", "Writes")]);
    let of = |test: usize, name: &str| {
        let found = all[test].parameters.iter().find(|parameter| parameter.name == name).unwrap();
        let text = |form: &drivelab_method::ValueInForm| (form.form, form.value.clone().unwrap(), form.mark.clone());
        found.forms.iter().map(text).collect::<Vec<_>>()
    };
    let both = |value: &str, mark: Mark| {
        vec![(Form::Faithful, value.to_owned(), mark.clone()), (Form::Quick, value.to_owned(), mark)]
    };
    assert_eq!(of(0, "block_size"), both("1 MiB", Mark::Stated("paper".to_owned())));
    assert_eq!(of(1, "queue_depth"), both("1, 8", Mark::Derived("16 in flight over 2 threads".to_owned())));
    assert_eq!(of(1, "threads"), both("2", Mark::Approximation("the paper names none".to_owned())));
    assert_eq!(of(1, "op"), both("write", Mark::Unmarked));
    let time = of(1, "time");
    assert_eq!(time[0], (Form::Faithful, "60 s".to_owned(), Mark::Stated("paper".to_owned())));
    assert_eq!((time[1].0, time[1].1.as_str()), (Form::Quick, "5 s"));
    assert!(matches!(&time[1].2, Mark::Approximation(why) if why.contains("shortened")));
    assert_eq!(
        all[1].parameters.iter().filter(|parameter| parameter.name == "seed").count(),
        0,
        "not stated, not marked"
    );
}

/// The quick form of a test overrides its cases, and the page states what a step then does.
#[test]
fn a_page_shows_the_value_that_a_case_has_in_each_form_and_steps_that_are_alike_once() {
    let method = method(&format!(
        "[target]\nkind = \"file\"\nsize = \"1 GiB\"\nminimum_size = \"8 MiB\"\n[forms.faithful]\n[forms.quick]\n\
         [drives]\ntogether = true\n\
         [[prepare]]\naction = \"discard\"\nsources = [\"paper\"]\n\
         [[prepare]]\naction = \"idle\"\ntime = \"1 s\"\n[[prepare]]\naction = \"idle\"\ntime = \"1 s\"\n\
         {WRITES}queue_depth = 1\ntime = \"1 h\"\n\
         [[tests.cases]]\nname = \"many\"\nthreads = 8\ntime = \"15 min\"\n[tests.forms.quick]\ntime = \"45 s\"\n"
    ));
    let page = method.page(Some("example-example.md"));
    assert!(page.contains("| many: `time` | 900 s | 45 s |"), "{page}");
    assert!(page.contains("**Size.** faithful: a file of 1 GiB; at least 8 MiB. quick: a file of 1 GiB;"), "{page}");
    assert!(page.contains("| many: `threads` | 8 | 8 |"), "{page}");
    assert!(page.contains("[example-example.md](example-example.md)"), "{page}");
    assert!(page.contains("### Preparation 1: discard\n\n(Source: paper.)\n\n###"), "no table without a row: {page}");
    assert!(page.contains("### Preparation 2 to 3: idle\n\n| Parameter |") && page.matches(": idle").count() == 1);
    // A Markdown table needs an empty line before it.
    assert!(
        !page
            .lines()
            .zip(page.lines().skip(1))
            .any(|(one, next)| { next.starts_with("| Parameter") && !one.is_empty() })
    );
}

#[test]
fn what_is_derived_is_no_approximation_of_a_step() {
    let method = method(&format!(
        "[target]\nkind = \"file\"\nsize = \"1 GiB\"\nminimum_size = \"8 MiB\"\n[forms.faithful]\n{WRITES}queue_depth = 8\n\
         time = \"1 s\"\nderived = {{ queue_depth = \"16 over 2\" }}\napproximation = {{ time = \"ours\" }}\n"
    ));
    let plan = plan(&method, Form::Faithful, Bytes::GIB);
    let marks: Vec<&str> =
        plan.steps().flat_map(|step| &step.approximations).map(|mark| mark.parameter.as_str()).collect();
    assert_eq!(marks, ["time"]);
}
