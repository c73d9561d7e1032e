//! A search for the rate at which the response time reaches a bound, on a target with a known answer: it serves a
//! fixed number of operations per second, gets slower as the rate approaches that, and falls behind above it.

use drivelab_analysis::search::found;
use drivelab_core::backend::{Backend, BackendError, StepRequest};
use drivelab_core::clock::StopCause;
use drivelab_core::histogram::Histogram;
use drivelab_core::load::{Arrivals, Rate};
use drivelab_core::plan::{Action, Plan, RateSearch, Rounds};
use drivelab_core::record::{IntervalRecord, OpRecord, OpenLoop, Response, StepRecord, StopReason};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_samples::sample_run;
use drivelab_session::Outcome;

use super::common::{Keep, resumed, run_through, started};

const CAPACITY_IOPS: f64 = 50_000.0;
/// Time of a single operation on an idle target. The bound is ten times as long, which a queue reaches at nine tenths
/// of its capacity.
const SERVICE_NS: f64 = 100_000.0;
const SECONDS: f64 = 10.0;

/// Answers immediately with the result of ten seconds.
struct Queue {
    asked: Vec<u64>,
    stop_before: usize,
}

impl Backend for Queue {
    fn describe(&self) -> String {
        "queue".to_owned()
    }

    fn run_step(
        &mut self,
        request: StepRequest<'_>,
        _: &mut dyn FnMut(IntervalRecord),
    ) -> Result<StepRecord, BackendError> {
        let rate = request.workload.pace.rate.ok_or(BackendError::Unfit("no rate".into()))?;
        let stopped = self.asked.len() == self.stop_before;
        if stopped {
            request.stop.stop(StopCause::Person);
        } else {
            self.asked.push(rate.per_1000_s);
        }
        let mut record = sample_run().steps.swap_remove(1);
        let (arrived, served) = (rate.iops() * SECONDS, rate.iops().min(CAPACITY_IOPS) * SECONDS);
        let busy = rate.iops() / CAPACITY_IOPS;
        let mut histogram = Histogram::default();
        for operation in 0..served as u64 {
            let waited =
                if busy < 1.0 { SERVICE_NS / (1.0 - busy) } else { operation as f64 * (busy - 1.0) * 20_000.0 };
            histogram.record(waited as u64);
        }
        let sparse = histogram.sparse();
        record.key = request.key.clone();
        record.stop_reason = if stopped { StopReason::Stopped } else { StopReason::Time };
        let elapsed = Nanos::new(record.elapsed().get());
        record.read = OpRecord {
            response: Some(Response::new(sparse.clone())),
            ..OpRecord::new(sparse.count, Bytes::new(sparse.count * 4096), 0, sparse, elapsed)
        };
        record.write = OpRecord::default();
        record.open_loop = Some(OpenLoop {
            asked_iops: rate.iops(),
            arrived: arrived as u64,
            backlog_at_end: (arrived - served) as u64,
            backlog_max: (arrived - served) as u64,
            backlog_growth_per_second: (arrived - served) / SECONDS,
            lateness_mean: Nanos::new(0),
            lateness_max: Nanos::new(0),
        });
        Ok(record)
    }

    fn sync(&mut self) -> Result<(), BackendError> {
        Ok(())
    }
}

fn search() -> RateSearch {
    let bound = Nanos::from_millis(1);
    RateSearch { percentile_thousandths: 99_000, bound, lowest: 1_000_000, highest: 200_000_000, max: 12 }
}

/// Two steps of the sample, each with its own search.
fn plan() -> Plan {
    let mut plan = sample_run().plan;
    plan.tests.retain(|test| test.name == "depths");
    let test = plan.tests.first_mut().expect("the sample has it");
    test.steps.truncate(2);
    for step in &mut test.steps {
        let Action::Io { workload, .. } = &mut step.action else { continue };
        workload.pace.rate = Some(Rate { per_1000_s: search().lowest, arrivals: Arrivals::Constant });
    }
    test.rounds = Rounds::FindRate(search());
    plan
}

#[test]
fn the_rate_at_nine_tenths_of_the_capacity_is_found_for_each_step() {
    let (keep, mut queue) = (Keep::default(), Queue { asked: Vec::new(), stop_before: usize::MAX });
    assert!(matches!(run_through(started(plan()), &mut queue, &keep), Outcome::Complete { .. }));
    let run = keep.records();
    let test = &run.plan.tests[0];
    for step in &test.steps {
        let found = found(test, step, &run).expect("it was searched");
        let (held, missed) = (found.held.expect("one held"), found.missed.expect("one missed"));
        let limit = 0.9 * CAPACITY_IOPS * 1000.0;
        // The histogram is off by at most 0.39 %, which moves the limit by a twentieth of that.
        assert!(held.per_1000_s as f64 <= limit * 1.001 && limit <= missed.per_1000_s as f64 * 1.001, "{found:?}");
        assert!(missed.per_1000_s as f64 / held.per_1000_s as f64 <= 1.01, "{found:?}");
        assert!(found.finished && found.tries.len() <= 12);
        let asked: Vec<f64> = found
            .tries
            .iter()
            .map(|one| {
                let of_round = |record: &&StepRecord| record.key.step == step.id && record.key.round == one.round;
                let record = run.steps.iter().find(of_round).expect("a record of each round");
                record.open_loop.expect("an open loop").asked_iops * 1000.0
            })
            .collect();
        let tried: Vec<f64> = found.tries.iter().map(|one| one.per_1000_s as f64).collect();
        assert_eq!(asked, tried, "the records say which rate each round had");
        assert_eq!((tried[0], tried[1]), (1_000_000.0, 200_000_000.0));
    }
    assert!(drivelab_session::left(&run, true).is_empty());
    let analysis = drivelab_analysis::analyse(&run);
    let findings = analysis.findings.iter().filter(|finding| finding.code == "rate_found").count();
    assert_eq!(findings, 2);
    let length = analysis.step_metric(&test.steps[0].id, "duration").expect("it ran");
    assert_eq!(length.rounds.len(), 1, "the figures are of the one round that held");
}

#[test]
fn a_search_that_was_stopped_goes_on_with_the_rate_it_was_at() {
    let (keep, mut whole) = (Keep::default(), Queue { asked: Vec::new(), stop_before: usize::MAX });
    assert!(matches!(run_through(started(plan()), &mut whole, &keep), Outcome::Complete { .. }));
    for stop_before in [0, 1, 4, 9] {
        let (keep, mut first) = (Keep::default(), Queue { asked: Vec::new(), stop_before });
        assert!(matches!(run_through(started(plan()), &mut first, &keep), Outcome::Interrupted { .. }));
        let mut rest = Queue { asked: Vec::new(), stop_before: usize::MAX };
        assert!(matches!(run_through(resumed(keep.records(), false), &mut rest, &keep), Outcome::Complete { .. }));
        assert_eq!([first.asked, rest.asked].concat(), whole.asked, "stopped before execution {stop_before}");
    }
}
