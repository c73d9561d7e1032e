//! The words of each finding, those about drives that feed included.

use drivelab_core::event::RunState;
use drivelab_core::group::MethodDrives;
use drivelab_core::ids::StepId;
use drivelab_core::metric::Wrong;
use drivelab_core::run::RunRecords;
use drivelab_samples::{sample_group, sample_resumed_run, sample_run};

use super::super::share::{CoreShare, CpuShare, Share};
use super::*;
use crate::across::together::feed_of_run;
use crate::check::testing::in_words;
use crate::{Analysis, analyse};

/// A step on three drives with this share of time together, in which one of two CPUs was this busy.
fn step(name: &str, overlap_percent: f64, busy_percent: f64) -> StepTogether {
    let core = |cpu, busy_percent| CoreShare {
        cpu,
        busy_percent,
        user_percent: busy_percent,
        system_percent: 0.0,
        interrupt_percent: 0.0,
        steal_percent: 0.0,
    };
    StepTogether {
        step: StepId::new("corners", name),
        test: "Four corners".to_owned(),
        label: name.to_owned(),
        metric: "read.throughput".to_owned(),
        drives: vec![Share { overlap_percent: Some(overlap_percent), ..Share::default() }; 3],
        total: Share::default(),
        apart: overlap_percent < LEAST_OVERLAP_PERCENT,
        cpu: Some(CpuShare { busy_percent, cores: vec![core(0, 20.0), core(1, busy_percent)] }),
        cpu_alone: Vec::new(),
    }
}

fn of_steps() -> Vec<Finding> {
    let apart = [step("read", 50.0, 20.0), step("write", 0.0, 20.0)];
    let busy = [step("mix", 100.0, 99.0), step("copy", 100.0, 100.0)];
    let found = |steps: &[StepTogether]| all(&[], steps, Form::Quick, false);
    [found(&apart[..1]), found(&apart), found(&busy[..1]), found(&busy)].concat()
}

/// What is said of three drives, each measured alone and then together on a device of its own, if `change` is made to
/// the first `count` runs together.
fn of_group(count: usize, change: fn(&mut RunRecords)) -> Vec<Finding> {
    let mut runs = sample_group();
    for (at, run) in runs.iter_mut().enumerate() {
        run.environment.target.devices[0].name = format!("nvme{}n1", at % 3);
    }
    runs[3..3 + count].iter_mut().for_each(change);
    let analyses: Vec<Analysis> = runs.iter().map(analyse).collect();
    let member = |at: usize| Some((&runs[at], &analyses[at]));
    let pairs: Vec<Pair<'_>> = (0..3).map(|at| Pair { alone: member(at), together: member(at + 3) }).collect();
    all(&pairs, &[], Form::Quick, false)
}

fn of_groups() -> Vec<Finding> {
    let on_one = |run: &mut RunRecords| run.environment.target.devices[0].name = "nvme0n1".to_owned();
    let stopped = |run: &mut RunRecords| run.state = RunState::Interrupted;
    let went_on = |run: &mut RunRecords| run.breaks = sample_resumed_run().breaks;
    assert_eq!(of_group(0, stopped), [], "a whole group");
    let [shared, unfinished, resumed] = [(2, on_one as fn(&mut RunRecords)), (1, stopped), (1, went_on)]
        .map(|(first, change)| (first..=3).flat_map(|count| of_group(count, change)).collect::<Vec<Finding>>());
    let alone = |count: usize| all(&vec![Pair::default(); count], &[], Form::Quick, true);
    let without_alone = [1, 3].map(alone).concat();
    [shared, unfinished, resumed, without_alone].concat()
}

/// How many drives feed what needs this rate through a link of this rate, if the first two reads are wrong like this.
fn of_feeding(feed_link: Option<u64>, lanes: bool, wrong: [Option<Wrong>; 2], lower_bound: bool) -> Finding {
    let mut run = sample_run();
    run.plan.drives = Some(MethodDrives { feed_rate: Some(64_000_000_000), feed_link, ..MethodDrives::default() });
    if !lanes {
        run.environment.target.devices[0].link = None;
    }
    let mut analysis = analyse(&run);
    let keep = ["corners/seq-1m-q8t1-read", "corners/rnd-4k-q32t1-read"];
    let of = |id: &str| format!("{id}:read.throughput");
    analysis.metrics.retain(|one| one.id != "read.throughput" || keep.map(of).contains(&one.address));
    for (metric, wrong) in analysis.metrics.iter_mut().filter(|one| one.id == "read.throughput").zip(wrong) {
        (metric.wrong, metric.lower_bound) = (wrong, lower_bound);
    }
    feed_of_run(&run, &analysis).expect("the sample reads")
}

fn of_feeds() -> Vec<Finding> {
    let (low, high, either) = (Some(Wrong::TooLow), Some(Wrong::TooHigh), Some(Wrong::EitherWay));
    vec![
        of_feeding(None, true, [None, None], false),
        of_feeding(Some(63_000_000_000), true, [None, None], true),
        of_feeding(Some(128_000_000_000), true, [low, high], false),
        of_feeding(None, false, [either, None], false),
    ]
}

#[test]
fn each_finding_in_its_words() {
    insta::assert_snapshot!(in_words(&[of_groups(), of_steps(), of_feeds()].concat()));
}
