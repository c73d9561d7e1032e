//! What keeps runs apart, what is only named, and which steps stand in one row.

use drivelab_core::condition::{Arm, Condition, ConditionFacts, DataState, Luks2, Series, Share};
use drivelab_core::environment::{BlockDeviceFacts, TargetKind};
use drivelab_core::plan::{Combine, Form};
use drivelab_core::record::Origin;
use drivelab_core::run::RunRecords;
use drivelab_core::units::{Bytes, Percent};
use drivelab_samples::{replayed, sample_resumed_run, sample_run, under_arm};

use super::*;
use crate::analyse;
use crate::digest::Digest;

fn digests(runs: &[RunRecords]) -> Vec<Digest> {
    runs.iter().map(|records| Digest::of(records, &analyse(records))).collect()
}

/// Why the second run may not be compared with the first; nothing where it may.
fn refusals(first: RunRecords, second: RunRecords) -> Vec<Refusal> {
    let digests = digests(&[first, second]);
    let found = side_by_side(&digests.iter().collect::<Vec<_>>());
    match found.refused.as_slice() {
        [] => Vec::new(),
        [Refused::Unlike { because, .. }] => because.clone(),
        other => panic!("{other:?}"),
    }
}

/// What is named of runs that may be compared.
fn named(runs: &[RunRecords]) -> Vec<(Differing, Vec<Value>)> {
    let digests = digests(runs);
    let found = side_by_side(&digests.iter().collect::<Vec<_>>());
    assert!(found.refused.is_empty(), "{:?}", found.refused);
    found.groups[0].differences.iter().map(|one| (one.what, one.values.clone())).collect()
}

fn changed(change: impl FnOnce(&mut RunRecords)) -> RunRecords {
    let mut run = sample_run();
    change(&mut run);
    run
}

#[test]
fn each_part_of_the_key_keeps_runs_apart_by_itself() {
    assert_eq!(refusals(sample_run(), sample_run()), Vec::new());
    let method = refusals(sample_run(), changed(|run| run.plan.methodology.hash = "77".repeat(32)));
    assert!(matches!(method.as_slice(), [Refusal::Method(_)]), "{method:?}");
    let form = refusals(sample_run(), changed(|run| run.plan.form = Form::Faithful));
    assert_eq!(form, [Refusal::Form(Form::Faithful, Form::Quick)]);
    let simulated = changed(|run| run.steps.iter_mut().for_each(|record| record.origin = Origin::Simulated));
    assert_eq!(refusals(sample_run(), simulated), [Refusal::Simulated(true)]);
    let span = Condition { span: "50 %".parse().ok(), ..Condition::default() };
    assert!(span.span.is_some());
    let under = |facts| changed(|run| run.environment.condition = Some(facts));
    let half = refusals(sample_run(), under(ConditionFacts { asked: span, ..ConditionFacts::default() }));
    assert!(matches!(half.as_slice(), [Refusal::Conditions([own, _])] if own.condition.span == span.span), "{half:?}");
    let on_file = Some(Series { loop_on_file: true, ..Series::default() });
    let on_file = refusals(sample_run(), under(ConditionFacts { series: on_file, ..ConditionFacts::default() }));
    assert!(matches!(on_file.as_slice(), [Refusal::Conditions([own, _])] if own.on_file), "{on_file:?}");
}

#[test]
fn an_arm_is_what_is_compared_and_only_named() {
    let runs = [under_arm(sample_run(), Arm::None), under_arm(sample_run(), Arm::Luks2(Luks2::default()))];
    let arms = ["none", "luks2"].map(|arm| Value::Name(arm.to_owned()));
    assert_eq!(named(&runs), [(Differing::Arm, arms.to_vec())]);
}

#[test]
fn firmware_is_named_where_two_drives_are_of_one_model_whatever_the_third_is() {
    let drive = |model: &str, firmware: &str| {
        changed(|run| {
            let drive: &mut BlockDeviceFacts = &mut run.environment.target.devices[0];
            (drive.model, drive.firmware) = (Some(model.to_owned()), Some(firmware.to_owned()));
        })
    };
    let names = |all: &[&str]| all.iter().map(|name| Value::Name((*name).to_owned())).collect::<Vec<_>>();
    let found = named(&[drive("A", "1"), drive("A", "2"), drive("B", "9")]);
    let serial = sample_run().environment.target.devices[0].serial.clone().expect("a serial number");
    let drives = |models: &[&str]| {
        let named = models.iter().map(|model| Value::Name(format!("{model} {serial}")));
        (Differing::Drive, named.collect::<Vec<_>>())
    };
    assert_eq!(found, [drives(&["A", "A", "B"]), (Differing::Firmware, names(&["1", "2", "9"]))]);
    let other = named(&[drive("A", "1"), drive("B", "2")]);
    assert_eq!(other, [drives(&["A", "B"])], "other drives have other firmware");
}

#[test]
fn a_best_of_rounds_is_no_mean_and_a_best_of_more_is_another_figure() {
    let best_of = |combine: Combine, rounds: usize| {
        let run = sample_run();
        let mut digest = Digest::of(&run, &analyse(&run));
        let test = &mut digest.tests[0];
        test.combine = combine;
        let metrics = test.steps.iter_mut().flat_map(|step| &mut step.metrics);
        metrics.for_each(|metric| metric.rounds = vec![1.0; rounds]);
        digest
    };
    let found = |digests: &[Digest]| {
        let groups = side_by_side(&digests.iter().collect::<Vec<_>>()).groups;
        groups[0].differences.iter().map(|one| (one.what.kind(), one.values.clone())).collect::<Vec<_>>()
    };
    let names = |words: [&str; 2]| words.map(|word| Value::Name(word.to_owned())).to_vec();
    let unlike = [best_of(Combine::Best, 9), best_of(Combine::Best, 5)];
    assert_eq!(found(&unlike), [(Some(Kind::Statistic), names(["best of 9", "best of 5"]))]);
    assert_eq!(found(&[best_of(Combine::Best, 9), best_of(Combine::Mean, 9)]).len(), 1);
    assert_eq!(found(&[best_of(Combine::Mean, 9), best_of(Combine::Mean, 5)]), []);
    let (mut lacks, mut failed) = (best_of(Combine::Mean, 5), best_of(Combine::Best, 9));
    lacks.tests.remove(0);
    failed.tests[0].steps.iter_mut().for_each(|step| step.metrics.clear());
    for other in [lacks, failed] {
        assert_eq!(found(&[best_of(Combine::Best, 9), other]), [], "what only one has is no other statistic");
    }
}

#[test]
fn a_run_that_went_on_elsewhere_and_another_trace_are_named() {
    let mut later = sample_resumed_run();
    let resumed = later.breaks[0].resumed.as_mut().expect("it went on");
    resumed.environment.testbed.kernel = "7.0".to_owned();
    let kernel = later.environment.testbed.kernel.clone();
    let found = named(&[sample_resumed_run(), later]);
    let both = format!("{kernel} and 7.0");
    assert_eq!(found, [(Differing::Kernel, vec![Value::Name(kernel), Value::Name(both)])]);
    let replays = |hash: &str| {
        let mut run = replayed(sample_run(), "sustained");
        let steps = run.plan.tests.iter_mut().flat_map(|test| &mut test.steps);
        for load in steps.filter_map(|step| match &mut step.action {
            drivelab_core::plan::Action::Io { workload, .. } => workload.replay.as_mut(),
            _ => None,
        }) {
            load.facts.hash = hash.repeat(32);
        }
        run
    };
    let traces = ["aaaaaaaa", "bbbbbbbb"].map(|hash| Value::Name(hash.to_owned()));
    assert_eq!(named(&[replays("aa"), replays("bb")]), [(Differing::Traces, traces.to_vec())]);
}

#[test]
fn groups_are_made_by_the_key_and_name_runs_by_their_place() {
    let (small, other) = (sample_run(), changed(|run| run.plan.methodology.hash = "77".repeat(32)));
    let mut large = sample_run();
    large.plan.capacity = Bytes::new(1 << 40);
    let digests = digests(&[other.clone(), small, other, large]);
    let found = side_by_side(&digests.iter().collect::<Vec<_>>());
    let places: Vec<&[usize]> = found.groups.iter().map(|group| group.places.as_slice()).collect();
    assert_eq!(places, [[0, 2], [1, 3]]);
    assert_eq!(found.groups[1].differences[0].what, Differing::TestedSize);
    assert!(matches!(&found.refused[..], [Refused::Unlike { runs, than, .. }] if *runs == [1, 3] && *than == [0, 2]));
}

#[test]
fn data_states_stand_side_by_side_and_other_conditions_do_not() {
    let filled = |percent| DataState::Filled { percent: Percent::new(percent).expect("a share") };
    let with = |change: &dyn Fn(&mut Condition)| {
        let mut run = under_arm(sample_run(), Arm::None);
        change(&mut run.environment.condition.as_mut().expect("a condition").asked);
        run
    };
    let states = [DataState::Fresh, filled(80)];
    let found = named(&states.map(|state| with(&|asked| asked.data_state = state)));
    let values = ["fresh", "filled:80%"].map(|name| Value::Name(name.to_owned()));
    assert_eq!(found, [(Differing::DataState, values.to_vec())]);
    assert_eq!(Differing::DataState.kind(), Some(Kind::State));
    let half = with(&|asked| asked.partition = Some(Share::Percent(Percent::new(50).expect("a share"))));
    let refused = refusals(with(&|_| {}), half);
    assert!(matches!(refused.as_slice(), [Refusal::Conditions(_)]), "{refused:?}");
}

fn with_profile(profile: &str, hash: &str) -> RunRecords {
    changed(|run| {
        run.plan.profile = profile.to_owned();
        run.plan.methodology.hash = hash.repeat(32);
    })
}

#[test]
fn profiles_of_one_version_stand_side_by_side_and_an_edited_file_does_not() {
    let found = named(&[with_profile("empty", "11"), with_profile("full", "22")]);
    let profiles = ["empty", "full"].map(|name| Value::Name(name.to_owned()));
    assert_eq!(found, [(Differing::Profile, profiles.to_vec())]);
    assert_eq!(Differing::Profile.kind(), Some(Kind::Profile));
    // The same profile with another content, and another version.
    let edited = refusals(with_profile("full", "22"), with_profile("full", "33"));
    assert!(matches!(edited.as_slice(), [Refusal::Method(_)]), "{edited:?}");
    let mut newer = with_profile("full", "22");
    newer.plan.methodology.version = "9.9.9".to_owned();
    assert!(matches!(refusals(with_profile("empty", "11"), newer).as_slice(), [Refusal::Method(_)]));
    // It is like the first of the group and unlike another of it: the reason names the other.
    let digests = digests(&[with_profile("empty", "11"), with_profile("full", "22"), with_profile("full", "33")]);
    let found = side_by_side(&digests.iter().collect::<Vec<_>>());
    assert_eq!(found.groups[0].places, [0, 1]);
    let [Refused::Unlike { runs, because, .. }] = found.refused.as_slice() else { panic!("{:?}", found.refused) };
    assert!(*runs == [2] && matches!(because.as_slice(), [Refusal::Method(_)]), "{because:?}");
}

#[test]
fn the_tested_size_is_refused_unless_every_run_tested_the_same_share_of_its_drive() {
    let run = |capacity: u64, length: u64| {
        changed(|run| {
            let target = &mut run.environment.target;
            target.kind = TargetKind::BlockDevice;
            target.devices[0].capacity = Bytes::new(capacity);
            target.length = Bytes::new(capacity);
            run.plan.capacity = Bytes::new(length);
        })
    };
    let differing = |runs: &[RunRecords]| named(runs).into_iter().map(|(what, _)| what).collect::<Vec<_>>();
    let whole = differing(&[run(1 << 40, 1 << 40), run(2 << 40, 2 << 40)]);
    assert_eq!((whole.as_slice(), whole[0].kind()), (&[Differing::SameShare][..], None));
    assert_eq!(differing(&[run(1 << 40, 1 << 38), run(2 << 40, 2 << 38)]), [Differing::SameShare], "a quarter of each");
    // As much of each, and different amounts of one.
    assert_eq!(differing(&[run(1 << 40, 1 << 30), run(2 << 40, 1 << 30)]), Vec::new());
    assert_eq!(differing(&[run(1 << 40, 1 << 38), run(1 << 40, 1 << 36)]), [Differing::TestedSize]);
    let part = differing(&[run(1 << 40, 1 << 40), run(2 << 40, 1 << 30)]);
    assert_eq!((part.as_slice(), part[0].kind()), (&[Differing::TestedSize][..], Some(Kind::Size)));
    // A volume is a device of its own, but no drive.
    let volume = |length: u64| {
        let mut run = run(1 << 40, length);
        let target = &mut run.environment.target;
        target.length = Bytes::new(length);
        let volume = BlockDeviceFacts { capacity: target.length, model: None, ..target.devices[0].clone() };
        target.devices[0].model = Some("X".to_owned());
        target.devices.insert(0, volume);
        run
    };
    assert_eq!(differing(&[volume(1 << 30), volume(2 << 30)]), [Differing::TestedSize]);
    // The header of an encryption is no part of what is tested.
    assert_eq!(differing(&[volume(1 << 40), volume((1 << 40) - (16 << 20))]), [Differing::SameShare]);
}

#[test]
fn a_testbed_without_a_name_is_not_another_one() {
    let run = |tag: Option<&str>| changed(|run| run.environment.testbed.tag = tag.map(str::to_owned));
    assert_eq!(named(&[run(None), run(Some("v1")), run(Some("v1"))]), Vec::new());
    let found = named(&[run(None), run(Some("v1")), run(Some("v2"))]);
    assert_eq!(found.iter().map(|(what, _)| what.kind()).collect::<Vec<_>>(), [Some(Kind::Testbed)]);
}
