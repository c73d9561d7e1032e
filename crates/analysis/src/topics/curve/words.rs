//! Findings about curves: where their knees lie, and which points were not run.

use drivelab_core::finding::{Finding, Severity};
use drivelab_core::ids::StepKey;
use drivelab_core::metric::Metric;
use drivelab_core::plan::TestPlan;
use drivelab_core::run::RunRecords;

use super::points::{Curve, curves};
use crate::evidence::{Words, evidence, plural};

/// The knees of a test's curves; `None` if no curve has a knee.
pub(crate) fn knees(test: &TestPlan, curves: &[Curve]) -> Option<Finding> {
    let found: Vec<(&Curve, &crate::topics::curve::Knee)> =
        curves.iter().filter_map(|curve| Some((curve, curve.knee.as_ref()?))).collect();
    let (first, rest) = found.split_first()?;
    let name = |(curve, knee): &(&Curve, &crate::topics::curve::Knee)| {
        format!(
            "of '{}' lies at {} % of full speed ({:.0} operations per second at {:.0} µs)",
            curve.label, knee.percent, knee.iops, knee.latency_us
        )
    };
    let mut statement = format!("'{}': the knee {}", test.title, name(first));
    match rest {
        [] => {}
        [second] => statement.push_str(&format!(", and that {}", name(second))),
        more => statement.push_str(&format!("; the evidence lists those of {}", plural(more.len(), "other curve"))),
    }
    let without = curves.iter().filter(|curve| curve.knee.is_none() && curve.points.len() > 4).count();
    if without > 0 {
        statement.push_str(&format!("; no knee was found in {}", plural(without, "curve")));
    }
    statement.push('.');
    let keys = found.iter().map(|(_, knee)| StepKey { step: knee.step.clone(), round: 1 }).collect();
    let full = |curve: &Curve| curve.points.first().filter(|point| point.percent.is_none())?.done_iops;
    let piece = |(curve, knee): &(&Curve, &crate::topics::curve::Knee)| {
        evidence(&format!("knee of '{}' (limit: full speed)", curve.label), knee.iops, full(curve), "IOPS")
    };
    let words = Words {
        code: "curve_knee",
        severity: Severity::Note,
        statement,
        cause: "Beyond the knee, more load mostly adds waiting time.",
        action: "",
    };
    Some(words.finding(keys, found.iter().map(piece).collect()))
}

/// Points that were not run.
pub(crate) fn left_out(test: &TestPlan, curves: &[Curve]) -> Option<Finding> {
    let count: usize = curves.iter().map(|curve| curve.left_out.len()).sum();
    let (curve, first) = curves.iter().find_map(|curve| Some((curve, curve.left_out.first()?)))?;
    let statement = format!(
        "'{}': {} of its curves {} not run. The first is {} % of '{}': {}.",
        test.title,
        plural(count, "point"),
        if count == 1 { "was" } else { "were" },
        first.percent,
        curve.label,
        first.why
    );
    let pieces = curves.iter().flat_map(|curve| {
        let piece = |out: &crate::topics::curve::LeftOut| {
            evidence(&format!("left out of '{}': {}", curve.label, out.why), f64::from(out.percent), None, "%")
        };
        curve.left_out.iter().map(piece)
    });
    let words = Words { code: "curve_points_left_out", severity: Severity::Note, statement, cause: "", action: "" };
    Some(words.about_run(pieces.collect()))
}

/// What the curves of each test show, and which of their points were not run.
pub(crate) fn findings(records: &RunRecords, metrics: &[Metric]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for test in &records.plan.tests {
        let curves = curves(records, metrics, test);
        findings.extend(knees(test, &curves));
        findings.extend(left_out(test, &curves));
    }
    findings
}

#[cfg(test)]
mod tests;
