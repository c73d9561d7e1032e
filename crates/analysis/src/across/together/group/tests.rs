//! Known answers: what drives that are slowed by known factors keep, and what is said about groups that are not whole.

use drivelab_core::event::{RunResumed, RunState};
use drivelab_core::run::{Break, RunRecords};
use drivelab_samples::{SLOWED, sample_group};

use super::*;
use crate::Analysis;
use crate::analyse;

fn group_of(runs: &[RunRecords]) -> Together {
    let analyses: Vec<Analysis> = runs.iter().map(analyse).collect();
    let members: Vec<Member<'_>> = runs.iter().zip(&analyses).collect();
    together(&members).expect("a group")
}

fn codes(group: &Together) -> Vec<&str> {
    group.findings.iter().map(|finding| finding.code.as_str()).collect()
}

#[test]
fn each_drive_keeps_what_it_was_left() {
    let group = group_of(&sample_group());
    assert_eq!(group.drives.len(), 3);
    assert!(group.steps.len() > 3);
    let mut compared = 0;
    for step in &group.steps {
        for (share, factor) in step.drives.iter().zip(SLOWED) {
            let Some(kept) = share.kept_percent else { continue };
            assert!((kept - 100.0 / factor).abs() < 1.5, "{}: {kept}", step.label);
            assert_eq!(share.lost_percent, Some(100.0 - kept));
            compared += 1;
        }
        if let (Some(alone), Some(together)) = (step.total.alone_mb_s, step.total.together_mb_s) {
            let sum = |of: fn(&Share) -> Option<f64>| step.drives.iter().filter_map(of).sum::<f64>();
            assert!((alone - sum(|share| share.alone_mb_s)).abs() < 1e-6);
            assert!((together - sum(|share| share.together_mb_s)).abs() < 1e-6);
        }
    }
    for (drive, factor) in group.drives.iter().zip(SLOWED) {
        let kept = drive.kept.expect("a range");
        assert!((kept.median_percent - 100.0 / factor).abs() < 1.5 && kept.least_percent <= kept.most_percent);
    }
    let most = group.steps.iter().filter_map(|step| step.total.together_mb_s).fold(0.0, f64::max);
    let highest = group.steps.iter().find(|step| Some(&step.step) == group.highest.as_ref()).expect("a step");
    assert_eq!(highest.total.together_mb_s, Some(most));
    assert!(compared >= 9, "only {compared} figures could be compared");
}

#[test]
fn what_a_drive_keeps_has_the_signs_of_the_rates_that_it_is_made_of() {
    const DISTURBED: &str = "corners/seq-1m-q8t1-read";
    const LIMITED: &str = "depths/q8";
    // All of the time of the threads went in drivelab's own code.
    let limit = |run: &mut RunRecords| {
        let of_step = run.steps.iter_mut().filter(|record| record.key.step.as_str() == LIMITED);
        of_step.for_each(|record| record.engine.cpu_user = record.elapsed());
    };
    // The third drive is the one that company costs nothing; what was not issued makes those of the others lower bounds.
    let of = |group: &Together, step: &str| {
        let of_step = group.steps.iter().find(|one| one.step.as_str() == step).expect("the step");
        [of_step.drives[2].kept_signs(), of_step.total.kept_signs()]
    };
    let of_drive = |group: &Together, drive: usize| group.drives[drive].kept.expect("a range").signs;
    let plain = Signs::default();
    let (spoiled, at_least) = (Signs { spoiled: true, ..plain }, Signs { at_least: true, ..plain });
    let mut runs = sample_group();
    runs[2].environment = runs[0].environment.clone();
    let quiet = group_of(&runs);
    assert_eq!((of(&quiet, DISTURBED), of(&quiet, LIMITED)), ([plain, at_least], [plain, at_least]));
    assert_eq!((of_drive(&quiet, 0), of_drive(&quiet, 2)), (at_least, plain));

    runs[2] = drivelab_samples::beside_others(runs[2].clone(), |key| key.step.as_str() == DISTURBED);
    limit(&mut runs[5]);
    let group = group_of(&runs);
    assert_eq!(of(&group, DISTURBED), [spoiled, at_least.and(spoiled)]);
    assert_eq!(of(&group, LIMITED), [at_least, at_least], "together it may be more");
    assert_eq!(at_least.turned(), Signs { at_most: true, ..plain }, "and then less is lost");
    assert_eq!((of_drive(&group, 0), of_drive(&group, 2)), (at_least, at_least.and(spoiled)));

    limit(&mut runs[2]);
    let both = group_of(&runs);
    assert!(of(&both, LIMITED)[0].at_most && of_drive(&both, 2).at_most, "alone it may be more: less is kept");
}

#[test]
fn every_byte_of_the_intervals_is_in_one_second() {
    let runs = sample_group();
    let group = group_of(&runs);
    for drive in 0..3 {
        let records = runs.iter().find(|run| {
            run.group.as_ref().is_some_and(|own| own.role == GroupRole::Together && own.drive as usize == drive)
        });
        let moved: f64 = records
            .expect("the run")
            .intervals
            .iter()
            .map(|interval| interval.read.bytes.as_f64() + interval.write.bytes.as_f64())
            .sum();
        let shown: f64 = group.seconds.iter().map(|second| second.drives_mb_s[drive] * 1e6).sum();
        assert!((moved - shown).abs() <= moved * 1e-9, "drive {drive}: {moved} and {shown}");
    }
    let sums = group
        .seconds
        .iter()
        .all(|second| (second.drives_mb_s.iter().sum::<f64>() - second.total_mb_s).abs() <= second.total_mb_s * 1e-9);
    assert!(sums && group.seconds.iter().enumerate().all(|(at, second)| second.at_s as usize == at));
}

#[test]
fn cpus_are_shares_of_their_time() {
    let group = group_of(&sample_group());
    let cpu = group.steps.iter().find_map(|step| step.cpu.as_ref()).expect("CPUs");
    assert_eq!((cpu.cores[0].busy_percent, cpu.cores[1].busy_percent, cpu.busy_percent), (60.0, 20.0, 40.0));
    assert_eq!(cpu.cores[0].interrupt_percent, 10.0);
}

/// The step with the most counts as the highest only where every drive worked in it at once for nine tenths of it: a
/// sum of what was measured one after the other never flowed at any time.
#[test]
fn the_highest_total_is_one_of_drives_that_worked_at_once() {
    let runs = sample_group();
    let whole = group_of(&runs);
    let rate = |step: &StepId| {
        let of_step = whole.steps.iter().find(|known| known.step == *step).expect("a step");
        of_step.total.together_mb_s.expect("a total")
    };
    let mut order: Vec<StepId> =
        whole.steps.iter().filter(|step| step.total.together_mb_s.is_some()).map(|step| step.step.clone()).collect();
    order.sort_by(|one, other| rate(other).total_cmp(&rate(one)));
    assert!(rate(&order[0]) > rate(&order[1]), "the first two must differ for this to say anything");
    assert_eq!(whole.highest.as_ref(), Some(&order[0]));

    // The second drive begins so much later in that step, per cent of its length.
    let late = |percent: u64| {
        let mut runs = runs.clone();
        let own = |run: &&mut RunRecords| {
            run.group.as_ref().is_some_and(|own| own.role == GroupRole::Together && own.drive == 1)
        };
        let record = runs
            .iter_mut()
            .find(own)
            .and_then(|run| run.steps.iter_mut().find(|record| record.key.step == order[0]))
            .expect("the step");
        let by = record.elapsed().get() * percent / 100;
        (record.start_ns, record.end_ns) = (record.start_ns + by, record.end_ns + by);
        group_of(&runs)
    };
    let overlap = |group: &Together| {
        let step = group.steps.iter().find(|step| step.step == order[0]).expect("the step");
        step.drives.iter().map(|share| share.overlap_percent.expect("a share")).fold(100.0, f64::min)
    };
    let (most, less) = (late(9), late(11));
    assert!((overlap(&most) - 91.0).abs() < 0.1 && (overlap(&less) - 89.0).abs() < 0.1);
    assert_eq!(most.highest.as_ref(), Some(&order[0]), "91 % of the step at once");
    assert_eq!(less.highest.as_ref(), Some(&order[1]), "89 % of the step at once: the next one counts");
    let total =
        |group: &Together| group.steps.iter().find(|step| step.step == order[0]).expect("the step").total.clone();
    assert!(total(&most).together_mb_s.is_some() && total(&most).kept_percent.is_some());
    assert_eq!((total(&less).together_mb_s, total(&less).kept_percent), (None, None), "nothing to sum");
    assert_eq!(total(&less).alone_mb_s, total(&most).alone_mb_s);
    let kept = |group: &Together| {
        let step = group.steps.iter().find(|step| step.step == order[0]).expect("the step");
        step.drives.iter().map(|share| share.kept_percent.is_some()).collect::<Vec<bool>>()
    };
    assert!(kept(&most).iter().all(|there| *there));
    assert!(!kept(&less)[1], "what was not in company kept nothing in company");
    let apart = late(100);
    assert_eq!((overlap(&apart), apart.highest.as_ref()), (0.0, Some(&order[1])));
}

#[test]
fn stolen_time_is_not_busy_but_leaves_a_cpu_with_nothing_to_give() {
    let mut runs = sample_group();
    assert!(!codes(&group_of(&runs)).contains(&"host_full_together"));
    for core in runs.iter_mut().flat_map(|run| &mut run.host_cpu).flat_map(|one| &mut one.cores) {
        *core = CoreTime { cpu: core.cpu, user_ms: 60, steal_ms: 36, idle_ms: 4, ..CoreTime::default() };
    }
    let group = group_of(&runs);
    let cpu = group.steps.iter().find_map(|step| step.cpu.as_ref()).expect("CPUs");
    assert_eq!((cpu.busy_percent, cpu.cores[0].busy_percent, cpu.cores[0].taken_percent()), (60.0, 60.0, 96.0));
    let said = group.findings.iter().find(|finding| finding.code == "host_full_together").expect("said");
    assert!((said.evidence[0].value - 96.0).abs() < 1e-9, "{said:?}");
}

#[test]
fn what_keeps_a_group_from_being_whole_is_said() {
    let runs = sample_group();
    let whole = group_of(&runs);
    assert!(
        codes(&whole).contains(&"shared_device") && !codes(&whole).contains(&"group_unfinished"),
        "{:?}",
        codes(&whole)
    );
    let shared = whole.findings.iter().find(|finding| finding.code == "shared_device").expect("said");
    assert!(shared.statement.starts_with("A and B "), "who they are shows nowhere else: {}", shared.statement);
    assert!(!codes(&whole).contains(&"drives_apart"), "all steps lie at the same time");

    let mut late = runs.clone();
    let last = late[4].steps.last_mut().expect("steps");
    let half = last.elapsed().get() / 2;
    (last.start_ns, last.end_ns) = (last.start_ns + half, last.end_ns + half);
    let apart = group_of(&late);
    assert!(codes(&apart).contains(&"drives_apart"));
    let least = apart.steps.iter().flat_map(|step| &step.drives).filter_map(|share| share.overlap_percent);
    assert!((least.fold(100.0, f64::min) - 50.0).abs() < 0.1);

    let together_only: Vec<RunRecords> = runs[3..].to_vec();
    let group = group_of(&together_only);
    assert!(codes(&group).contains(&"group_without_alone"));
    assert!(group.steps.iter().all(|step| step.drives.iter().all(|share| share.kept_percent.is_none())));
    assert!(group.steps.iter().any(|step| step.total.together_mb_s.is_some()));

    let mut unfinished = runs.clone();
    unfinished[4].state = RunState::Interrupted;
    assert!(codes(&group_of(&unfinished)).contains(&"group_unfinished"));

    let alone = &runs[..3];
    let analyses: Vec<Analysis> = alone.iter().map(analyse).collect();
    assert!(together(&alone.iter().zip(&analyses).collect::<Vec<_>>()).is_none(), "nothing was together");
}

#[test]
fn what_was_measured_after_a_break_is_not_in_company() {
    let mut runs = sample_group();
    let (middle, environment) = (runs[5].last_at_ns / 2, runs[5].environment.clone());
    let before = group_of(&runs);
    runs[5].breaks.push(Break {
        made_again: Vec::new(),
        at_ns: middle,
        cause: "stopped by the user".to_owned(),
        resumed: Some(RunResumed {
            segment: 1,
            resumed: "2026-03-01T10:07:30Z".to_owned(),
            tool: drivelab_samples::sample_tool(),
            environment,
            target_state: "it was still there".to_owned(),
            prepared_again: false,
            kept_steps: 1,
        }),
    });
    let after = group_of(&runs);
    assert!(codes(&after).contains(&"group_resumed"));
    let there = |group: &Together| group.steps.iter().filter(|step| step.drives[2].together_mb_s.is_some()).count();
    assert!(there(&after) < there(&before) && there(&after) > 0, "{} and {}", there(&after), there(&before));
    let moved = |group: &Together| group.seconds.iter().map(|second| second.drives_mb_s[2]).sum::<f64>();
    assert!(moved(&after) < moved(&before));
}

#[test]
fn a_replayed_trace_is_compared_by_its_rate_without_its_pauses() {
    let runs: Vec<RunRecords> =
        sample_group().into_iter().map(|run| drivelab_samples::replayed(run, "sustained")).collect();
    let group = group_of(&runs);
    let step = group.steps.iter().find(|step| step.step.as_str().starts_with("sustained/")).expect("it is there");
    assert_eq!(step.metric, crate::rate::BUSY_RATE);
    let analysis = crate::analyse(&runs[0]);
    let busy = analysis.step_metric(&step.step, crate::rate::BUSY_RATE).and_then(|metric| metric.value);
    // A digest has nine significant digits.
    let busy = busy.map(|busy| format!("{busy:.8e}").parse().expect("a number"));
    assert!(busy.is_some() && step.drives[0].alone_mb_s == busy, "{:?} {busy:?}", step.drives[0]);
}
