//! Curves: shares of a rate that is known only after the step at full speed was measured, on a target with a known
//! answer.

use drivelab_core::backend::{Backend, BackendError, StepRequest};
use drivelab_core::clock::StopCause;
use drivelab_core::histogram::Histogram;
use drivelab_core::ids::StepId;
use drivelab_core::load::Arrivals;
use drivelab_core::plan::{Plan, Step};
use drivelab_core::record::{GroupRecord, IntervalRecord, OpRecord, StepRecord, StopReason};
use drivelab_core::relative::{RelativeRate, Rounding, Skip, skipped};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_samples::sample_run;
use drivelab_session::Outcome;

use super::common::{Keep, resumed, run_through, started};

/// Operations per second of the load, and of the group beside it, at full speed.
const FULL: (u64, u64) = (3_000, 1_234);

/// Answers immediately with the record's time; slower the more it is loaded.
struct Target {
    /// Step and requested rates, in arrivals per 1,000 seconds.
    asked: Vec<(String, Vec<Option<u64>>)>,
    full: (u64, u64),
    stop_before: usize,
}

impl Target {
    fn of(full: (u64, u64)) -> Self {
        Target { asked: Vec::new(), full, stop_before: usize::MAX }
    }
}

impl Backend for Target {
    fn describe(&self) -> String {
        "target".to_owned()
    }

    fn run_step(
        &mut self,
        request: StepRequest<'_>,
        _: &mut dyn FnMut(IntervalRecord),
    ) -> Result<StepRecord, BackendError> {
        let mut record = sample_run().steps.swap_remove(1);
        record.key = request.key.clone();
        record.end_ns = record.start_ns + 10_000_000_000;
        if self.asked.len() == self.stop_before {
            request.stop.stop(StopCause::Person);
            record.stop_reason = StopReason::Stopped;
            return Ok(record);
        }
        record.stop_reason = StopReason::Time;
        let asked: Vec<Option<u64>> =
            request.workload.groups().map(|load| load.pace.rate.map(|rate| rate.per_1000_s)).collect();
        let share = asked[0].map_or(1.0, |rate| rate as f64 / (self.full.0 as f64 * 1000.0));
        // One millisecond at full speed, plus 1 ms for each 10 % above it: 2 ms at 110 %.
        let latency = (1e6 * share.max(1.0) + 1e7 * (share - 1.0).max(0.0)) as u64;
        let op = |count: u64| {
            let mut histogram = Histogram::default();
            histogram.record_many(latency, count);
            OpRecord::new(count, Bytes::new(count * 4096), 0, histogram.sparse(), Nanos::from_secs(10))
        };
        let counts = [self.full.0 * 10, self.full.1 * 10];
        let beside = request.workload.beside.len();
        record.read = op(counts[..=beside].iter().sum());
        record.write = OpRecord::default();
        record.groups = Vec::new();
        if beside > 0 {
            let group = |(load, count): (&drivelab_core::workload::Workload, &u64)| GroupRecord {
                name: load.name.clone(),
                read: op(*count),
                write: OpRecord::default(),
                others: Vec::new(),
            };
            record.groups = request.workload.groups().zip(&counts).map(group).collect();
        }
        self.asked.push((request.key.step.slug().to_owned(), asked));
        Ok(record)
    }

    fn sync(&mut self) -> Result<(), BackendError> {
        Ok(())
    }
}

/// Full speed and these shares, with or without a group beside it.
fn plan(points: &[u32], group: bool, stop_above: Option<Nanos>) -> Plan {
    let mut plan = sample_run().plan;
    plan.tests.retain(|test| test.name == "depths");
    let test = &mut plan.tests[0];
    let mut base = Step { id: StepId::new("depths", "full"), ..test.steps[0].clone() };
    if let drivelab_core::plan::Action::Io { workload, .. } = &mut base.action
        && group
    {
        let mut beside = workload.clone();
        beside.name = "log".to_owned();
        workload.name = "main".to_owned();
        workload.beside = vec![beside];
    }
    let point = |percent: &u32| Step {
        id: StepId::new("depths", &format!("at-{percent}")),
        relative: Some(RelativeRate {
            of: base.id.clone(),
            percent: *percent,
            rounding: Rounding::Vdbench,
            arrivals: Arrivals::Exponential,
            stop_above,
        }),
        ..base.clone()
    };
    test.steps = std::iter::once(base.clone()).chain(points.iter().map(point)).collect();
    plan
}

#[test]
fn points_ask_for_their_share_of_what_the_first_step_did() {
    let (keep, mut target) = (Keep::default(), Target::of(FULL));
    assert!(matches!(
        run_through(started(plan(&[10, 51, 120], false, None)), &mut target, &keep),
        Outcome::Complete { .. }
    ));
    // 10 % of 3,000 is 300; 51 % is 1,530, rounded up to 1,600; 120 % is 3,600.
    let asked: Vec<Option<u64>> = target.asked.iter().map(|(_, rates)| rates[0]).collect();
    assert_eq!(asked, [None, Some(300_000), Some(1_600_000), Some(3_600_000)]);
    let records = keep.records();
    let of = |slug: &str| {
        records.plan.step(&StepId::new("depths", slug)).and_then(Step::workload).expect("a load").pace.rate
    };
    assert_eq!(of("at-51").map(|rate| (rate.per_1000_s, rate.arrivals)), Some((1_600_000, Arrivals::Exponential)));
    assert_eq!(of("full"), None);
}

#[test]
fn with_groups_each_keeps_its_part() {
    let (keep, mut target) = (Keep::default(), Target::of(FULL));
    assert!(matches!(run_through(started(plan(&[50], true, None)), &mut target, &keep), Outcome::Complete { .. }));
    // Half of 4,234 is 2,117, rounded up to 2,200: 3,000/4,234 and 1,234/4,234 of it, rounded down.
    assert_eq!(target.asked[1].1, [Some(1_558_809), Some(641_190)]);
}

#[test]
fn a_curve_that_was_stopped_goes_on_with_the_same_rates() {
    let whole = {
        let (keep, mut target) = (Keep::default(), Target::of(FULL));
        assert!(matches!(
            run_through(started(plan(&[20, 80, 110], false, None)), &mut target, &keep),
            Outcome::Complete { .. }
        ));
        target.asked
    };
    for stop_before in 0..4 {
        let keep = Keep::default();
        let mut first = Target { stop_before, ..Target::of(FULL) };
        let outcome = run_through(started(plan(&[20, 80, 110], false, None)), &mut first, &keep);
        assert!(matches!(outcome, Outcome::Interrupted { .. }));
        // If full speed were measured again, its rate would be different.
        let full = if stop_before == 0 { FULL } else { (999, 0) };
        let mut rest = Target::of(full);
        assert!(matches!(run_through(resumed(keep.records(), false), &mut rest, &keep), Outcome::Complete { .. }));
        assert_eq!([first.asked, rest.asked].concat(), whole, "stopped before execution {stop_before}");
    }
}

#[test]
fn a_bound_ends_the_curve_and_a_rate_that_is_none_is_left_out() {
    let (keep, mut target) = (Keep::default(), Target::of(FULL));
    let bound = Some(Nanos::from_millis(2));
    assert!(matches!(
        run_through(started(plan(&[50, 120, 130, 80], false, bound)), &mut target, &keep),
        Outcome::Complete { .. }
    ));
    let ran: Vec<&str> = target.asked.iter().map(|(slug, _)| slug.as_str()).collect();
    assert_eq!(ran, ["full", "at-50", "at-120"], "120 % takes 3.2 ms, more than the bound");
    let records = keep.records();
    let why = skipped(&records, &StepId::new("depths", "at-80"));
    assert!(matches!(why, Some(Skip::StoppedAbove(at, _)) if at.slug() == "at-120"));
    assert!(drivelab_session::left(&records, true).is_empty());

    let (keep, mut slow) = (Keep::default(), Target::of((50, 0)));
    assert!(matches!(run_through(started(plan(&[10, 50], false, None)), &mut slow, &keep), Outcome::Complete { .. }));
    assert_eq!(slow.asked.len(), 2, "10 % of 50 are 5, which Vdbench drops: {:?}", slow.asked);
    assert_eq!(skipped(&keep.records(), &StepId::new("depths", "at-10")), Some(Skip::TooSlow(50_000)));
}
