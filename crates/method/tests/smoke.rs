//! The smoke form of the built-in methodologies: short, still with each kind of step, and with labels that show what
//! is moved. Also what a profile sets up around its target.
#![expect(clippy::unwrap_used, reason = "helpers of tests: a failed unwrap is a failed test")]

use std::collections::BTreeSet;

use drivelab_core::plan::{Form, Plan, Step};
use drivelab_core::units::Bytes;
use drivelab_method::{MethodTarget, Methodology, SpeedGuess, TargetShape, expand, library, parse};

fn method(name: &str) -> Methodology {
    let built_in = library::all().iter().find(|built_in| built_in.name == name).unwrap();
    parse(name, built_in.text).unwrap()
}

fn plan(name: &str, form: Form) -> Plan {
    let shape =
        TargetShape { capacity: Bytes::new(64 << 30), offset_align: Bytes::new(512), guess: SpeedGuess::default() };
    expand(&method(name), form, &shape).unwrap()
}

/// Trace and mode of each replay.
fn replays(plan: &Plan) -> BTreeSet<String> {
    let of = |step: &Step| step.workload()?.replay.as_ref().map(|it| format!("{} {}", it.trace, it.mode.words()));
    plan.steps().filter_map(of).collect()
}

/// Eighteen passes over the same ten traces become one of each, and every test still exists.
#[test]
fn a_trace_is_replayed_once_in_each_way() {
    let (quick, smoke) = (plan("application-traces", Form::Quick), plan("application-traces", Form::Smoke));
    let names = |plan: &Plan| plan.tests.iter().map(|test| test.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&quick), names(&smoke));
    assert_eq!(replays(&quick), replays(&smoke));
    let (all, kept) = (quick.steps().count(), smoke.steps().count());
    assert!(all > 200 && kept < 70, "{kept} of {all} steps");
}

#[test]
fn a_label_says_what_is_moved_instead() {
    let steps = |form| -> Vec<(String, String)> {
        let plan = plan("as-ssd", form);
        let seq = plan.tests.iter().find(|test| test.name == "seq").unwrap();
        seq.steps.iter().map(|step| (step.id.slug().to_owned(), step.label.clone())).collect()
    };
    let (quick, smoke) = (steps(Form::Quick), steps(Form::Smoke));
    assert_eq!(quick[0], ("seq-16m-q1t1-write".to_owned(), "SEQ 16 MiB Q1T1 write".to_owned()));
    assert_eq!(smoke[0].0, quick[0].0, "scores know steps by their ids");
    assert_eq!(smoke[0].1, "SEQ 8 MiB (instead of 16 MiB) Q1T1 write");
}

/// The name of a case that is named after its operations is not repeated.
#[test]
fn a_case_stands_once_in_a_label() {
    let plan = plan("load-curves", Form::Quick);
    let labels: Vec<&str> = plan.steps().map(|step| step.label.as_str()).collect();
    assert!(labels.contains(&"SEQ 16 KiB Q16T2 read, full speed"), "{labels:?}");
}

#[test]
fn a_profile_has_conditions_and_a_target_of_its_own() {
    let raw = method("random-read-sweep");
    assert_eq!((raw.profile(), raw.target()), ("raw", MethodTarget::BlockDevice));
    assert!(raw.conditions(Form::Faithful).is_none());
    let file = raw.with_profile("file-system").unwrap();
    let sizes = [Form::Faithful, Form::Quick].map(|form| file.file_size(form).map(|size| size.get() >> 30));
    assert_eq!((file.target(), sizes), (MethodTarget::FileOrBlock, [Some(16), Some(4)]));
    let asked = file.conditions(Form::Faithful).unwrap();
    assert_eq!(asked.file_system.map(|system| system.name()), Some("ext4"));
    assert_ne!(raw.identity().hash, file.identity().hash);
}
