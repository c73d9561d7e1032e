//! From records and analysis to a digest.

use drivelab_core::environment::{Environment, ToolVersion};
use drivelab_core::load::OpKind;
use drivelab_core::metric::{Interval95, Metric, Spread};
use drivelab_core::plan::{Rounds, Step, StepRole};
use drivelab_core::run::RunRecords;

use super::courses::courses;
use super::digits::nine_digits;
use super::{DIGEST_VERSION, Digest, RateSetBy, RunFacts, ScoreFacts, StepDigest, StepFacts, TestDigest};
use crate::analysis::Analysis;
use crate::rate::rate_metric;
use crate::topics::telemetry::spent::{cpu_s_per_gb, idle_watts};

impl Digest {
    /// The digest of a run.
    #[must_use]
    pub fn of(records: &RunRecords, analysis: &Analysis) -> Digest {
        let tests = records.plan.tests.iter().map(|test| TestDigest {
            name: test.name.clone(),
            title: test.title.clone(),
            combine: test.combine,
            steps: test.steps.iter().filter_map(|step| of_step(records, analysis, step)).collect(),
        });
        Digest {
            run: facts(records, analysis),
            tests: tests.filter(|test| !test.steps.is_empty()).collect(),
            metrics: analysis.metrics.iter().filter(|metric| metric.step.is_none()).map(short).collect(),
            courses: courses(records, analysis),
            findings: analysis.findings.clone(),
            limits: analysis.limits.clone(),
        }
    }
}

fn facts(records: &RunRecords, analysis: &Analysis) -> RunFacts {
    let plan = &records.plan;
    let mut backends: Vec<String> = records.steps.iter().map(|record| record.engine.backend.clone()).collect();
    backends.sort();
    backends.dedup();
    let measured: Vec<&Step> = plan.steps().filter(|step| is_measured(step)).collect();
    RunFacts {
        digest_version: DIGEST_VERSION,
        analysis_version: analysis.analysis_version,
        id: records.run,
        started: records.started.clone(),
        duration_ns: records.last_at_ns,
        state: records.state,
        simulated: records.is_simulated(),
        breaks: records.breaks.len(),
        tool: records.tool.clone(),
        resumed_with: resumed_with(records),
        method: plan.methodology.clone(),
        title: plan.title.clone(),
        profile: plan.profile.clone(),
        form: plan.form,
        set: plan.set.clone(),
        environment: Box::new(slim(&records.environment)),
        tested: plan.capacity,
        group: records.group.clone(),
        backends,
        idle_watts: idle_watts(records),
        cpu_s_per_gb: cpu_s_per_gb(records, &measured),
        scores: plan
            .scores
            .iter()
            .map(|score| ScoreFacts { address: score.address(), title: score.title.clone(), better: score.better })
            .collect(),
    }
}

/// Builds of drivelab and kernels that resumed the run.
fn resumed_with(records: &RunRecords) -> Vec<(ToolVersion, String)> {
    let resumed = records.breaks.iter().filter_map(|pause| pause.resumed.as_ref());
    resumed.map(|resumed| (resumed.tool.clone(), resumed.environment.testbed.kernel.clone())).collect()
}

fn is_measured(step: &Step) -> bool {
    step.role == StepRole::Measure && step.workload().is_some()
}

/// The parts of the environment that comparisons need: the rest is large.
fn slim(environment: &Environment) -> Environment {
    Environment {
        target: environment.target.clone(),
        testbed: environment.testbed.clone(),
        guard: None,
        bundle_on_same_device: environment.bundle_on_same_device,
        ceilings: None,
        watching_cost: None,
        probe: None,
        drive_facts: None,
        condition: environment.condition.clone(),
        source: environment.source.clone(),
        content: None,
        data_sheet: None,
    }
}

fn of_step(records: &RunRecords, analysis: &Analysis, step: &Step) -> Option<StepDigest> {
    let load = step.workload()?;
    let metrics = analysis.metrics.iter().filter(|metric| metric.step.as_ref() == Some(&step.id)).map(short);
    let searched = records.plan.test_of(&step.id).is_some_and(|test| matches!(test.rounds, Rounds::FindRate(_)));
    let facts = StepFacts {
        id: step.id.clone(),
        label: step.label.clone(),
        measured: is_measured(step),
        ops: OpKind::ALL.into_iter().filter(|kind| load.issues(*kind)).collect(),
        rate: rate_metric(step).map(str::to_owned),
        trace: load.replay.as_ref().map(|replay| replay.facts.hash.clone()),
        rate_set_by: match () {
            () if searched => RateSetBy::Search,
            () if load.is_open_loop() => RateSetBy::Schedule,
            () => RateSetBy::Target,
        },
        axes: step.axes.clone(),
        relative: step.relative.clone(),
        approximations: step.approximations.clone(),
        cpu_s_per_gb: cpu_s_per_gb(records, &[step]),
    };
    Some(StepDigest { facts, metrics: metrics.collect() })
}

/// The metric in nine significant digits.
fn short(metric: &Metric) -> Metric {
    let mut metric = metric.clone();
    metric.value = metric.value.map(nine_digits);
    metric.rounds.iter_mut().chain(&mut metric.sets).for_each(|value| *value = nine_digits(*value));
    if let Some(spread) = &mut metric.spread {
        let told = if metric.sets.is_empty() { &metric.rounds } else { &metric.sets };
        let confidence =
            spread.confidence.map(|ends| Interval95 { low: nine_digits(ends.low), high: nine_digits(ends.high) });
        if let Some(again) = crate::stats::spread(told) {
            *spread = Spread { confidence, ..again };
        }
    }
    metric
}
