//! What limited each step: the target, the host's CPU, the load generator, or nobody can tell.
//!
//! Judged from CPU time and operations in flight of the engine's own report. Thresholds as named constants.

use drivelab_core::run::RunRecords;

use crate::conduct::DEPTH_KEPT;
use crate::metrics::used_rounds;
use crate::values::{self, Execution};
use crate::{LimitedBy, StepLimit, stats};

/// User-mode share of the issuing threads' time above which the generator is the limit: more than half of the time,
/// no operation was being asked for.
pub(crate) const GENERATOR_PERCENT: f64 = 50.0;
/// CPU share, user and kernel, of the issuing threads above which the host is the limit: a thread that waits for its
/// device is idle part of the time, and a tenth is the least that can be told from none in steps of a few seconds.
pub(crate) const HOST_CPU_PERCENT: f64 = 90.0;

/// The limit of every step with a record, in the order of the plan.
pub(crate) fn all(records: &RunRecords) -> Vec<StepLimit> {
    let mut limits = Vec::new();
    for test in &records.plan.tests {
        for step in &test.steps {
            let used = used_rounds(records, test, step);
            let executions: Vec<Execution<'_>> =
                used.iter().filter_map(|record| Execution::new(step, record)).collect();
            if let Some((limited_by, reason)) = judge(&executions) {
                limits.push(StepLimit { step: step.id.clone(), limited_by, reason });
            }
        }
    }
    limits
}

/// Judges the rounds of a step by their means; `None` without rounds.
fn judge(executions: &[Execution<'_>]) -> Option<(LimitedBy, String)> {
    let mean = |of: fn(Execution<'_>) -> Option<f64>| {
        stats::mean(&executions.iter().filter_map(|execution| of(*execution)).collect::<Vec<f64>>())
    };
    let asked = executions.first()?.workload.total_depth();
    let (Some(user), Some(busy)) = (mean(values::cpu_user_share), mean(values::cpu_share)) else {
        return Some((LimitedBy::Unknown, "no time passed in the step's record".to_owned()));
    };
    let depth = mean(values::in_flight_mean).unwrap_or(0.0);
    let verdict = if user > GENERATOR_PERCENT {
        let reason = format!("issuing threads spent {user:.0} % of the time in drivelab's own code (limit 50 %)");
        (LimitedBy::Generator, reason)
    } else if busy > HOST_CPU_PERCENT {
        (LimitedBy::HostCpu, format!("issuing threads were busy {busy:.0} % of the time (limit 90 %)"))
    } else if depth >= DEPTH_KEPT * asked as f64 {
        let reason =
            format!("{depth:.1} of {asked} operations were in flight and the host had time left ({busy:.0} % busy)");
        (LimitedBy::Target, reason)
    } else {
        (LimitedBy::Unknown, format!("only {depth:.1} of {asked} operations were in flight, with {busy:.0} % CPU time"))
    };
    Some(verdict)
}
