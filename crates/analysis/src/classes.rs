//! The operations of a step by size and by group: the figures of a step for a part of its operations.
//!
//! Owns what belongs to a class. Over several rounds, operations and times are added up and distributions merged; the
//! best round of a class would differ from that of the step.

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::load::OpKind;
use drivelab_core::plan::{Step, TestPlan};
use drivelab_core::record::{OpRecord, StepRecord};
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use crate::topics::rounds::used_rounds;
use crate::values;

/// The figures of one class of operations of a step.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OpClass {
    /// Name of the group of threads; empty if the class covers the whole step.
    pub group: String,
    /// Kind of operation.
    pub kind: OpKind,
    /// Size of the operations; absent if the class covers all sizes.
    pub block_size: Option<Bytes>,
    /// Completed operations.
    pub operations: u64,
    /// Share of them among all completed operations of the step, per cent.
    pub operations_percent: f64,
    /// Completed operations per second.
    pub iops: f64,
    /// MB/s (10^6 bytes) moved or covered.
    pub mb_s: f64,
    /// Exact mean of the latency, microseconds; absent if there were no operations.
    pub latency_mean_us: Option<f64>,
    /// Median of the latency.
    pub latency_p50_us: Option<f64>,
    /// 99th percentile of the latency.
    pub latency_p99_us: Option<f64>,
    /// 99.9th percentile of the latency.
    pub latency_p999_us: Option<f64>,
    /// Longest latency.
    pub latency_max_us: Option<f64>,
}

/// Operations by kind and size; empty if sizes were not mixed.
#[must_use]
pub fn by_size(records: &RunRecords, test: &TestPlan, step: &Step) -> Vec<OpClass> {
    let mut sums: Vec<Sum> = Vec::new();
    let rounds = used_rounds(records, test, step);
    for (kind, size) in rounds
        .iter()
        .flat_map(|record| record.kinds())
        .flat_map(|(kind, op)| op.sizes.iter().map(move |size| (kind, size)))
    {
        let bytes = size.count.saturating_mul(size.block_size.get());
        sum_of(&mut sums, "", kind, Some(size.block_size)).add(size.count, bytes, &size.histogram);
    }
    classes(sums, &rounds)
}

/// Operations by group and kind; empty if only one group ran.
#[must_use]
pub fn by_group(records: &RunRecords, test: &TestPlan, step: &Step) -> Vec<OpClass> {
    let mut sums: Vec<Sum> = Vec::new();
    let rounds = used_rounds(records, test, step);
    for group in rounds.iter().flat_map(|record| &record.groups) {
        let kinds = OpKind::ALL.into_iter().filter_map(|kind| Some((kind, group.op(kind)?)));
        for (kind, op) in kinds.filter(|(_, op)| op.count + op.errors > 0) {
            let OpRecord { count, bytes, histogram, .. } = op;
            sum_of(&mut sums, &group.name, kind, None).add(*count, bytes.get(), histogram);
        }
    }
    classes(sums, &rounds)
}

/// A class while it is added up.
struct Sum {
    group: String,
    kind: OpKind,
    block_size: Option<Bytes>,
    count: u64,
    bytes: u64,
    latencies: SparseHistogram,
}

impl Sum {
    fn add(&mut self, count: u64, bytes: u64, latencies: &SparseHistogram) {
        self.count = self.count.saturating_add(count);
        self.bytes = self.bytes.saturating_add(bytes);
        self.latencies.merge(latencies);
    }
}

fn sum_of<'s>(sums: &'s mut Vec<Sum>, group: &str, kind: OpKind, block_size: Option<Bytes>) -> &'s mut Sum {
    let known = sums.iter().position(|sum| sum.group == group && sum.kind == kind && sum.block_size == block_size);
    let place = known.unwrap_or_else(|| {
        let latencies = SparseHistogram::default();
        sums.push(Sum { group: group.to_owned(), kind, block_size, count: 0, bytes: 0, latencies });
        sums.len() - 1
    });
    &mut sums[place]
}

/// The classes; none if no time passed.
fn classes(sums: Vec<Sum>, rounds: &[&StepRecord]) -> Vec<OpClass> {
    let elapsed: f64 = rounds.iter().map(|record| record.active().as_secs_f64()).sum();
    let all: u64 = rounds.iter().flat_map(|record| record.kinds()).map(|(_, op)| op.count).sum();
    if elapsed <= 0.0 || all == 0 {
        return Vec::new();
    }
    let class = |sum: Sum| OpClass {
        group: sum.group,
        kind: sum.kind,
        block_size: sum.block_size,
        operations: sum.count,
        operations_percent: 100.0 * sum.count as f64 / all as f64,
        iops: sum.count as f64 / elapsed,
        mb_s: sum.bytes as f64 / 1e6 / elapsed,
        latency_mean_us: values::latency_mean(&sum.latencies),
        latency_p50_us: values::latency_p50(&sum.latencies),
        latency_p99_us: values::latency_p99(&sum.latencies),
        latency_p999_us: values::latency_p999(&sum.latencies),
        latency_max_us: values::latency_max(&sum.latencies),
    };
    sums.into_iter().map(class).collect()
}

#[cfg(test)]
mod tests {
    //! Classes of the sample runs add up to their steps, and are the known ones of a hand-made record.

    use drivelab_samples::{sample_mixed_run, sample_run};

    use super::*;

    fn of(run: &RunRecords, id: &str, by: fn(&RunRecords, &TestPlan, &Step) -> Vec<OpClass>) -> Vec<OpClass> {
        let step = run.plan.steps().find(|step| step.id.as_str() == id).expect("a step");
        by(run, run.plan.test_of(&step.id).expect("a test"), step)
    }

    #[test]
    fn sizes_and_groups_add_up_to_the_step() {
        let run = sample_mixed_run();
        let analysis = crate::analyse(&run);
        let sizes = of(&run, "mixed/r60w30t10", by_size);
        let names: Vec<(&str, u64)> =
            sizes.iter().map(|class| (class.kind.name(), class.block_size.map_or(0, Bytes::get) >> 10)).collect();
        assert_eq!(names, [("read", 4), ("read", 64), ("write", 4), ("write", 64), ("trim", 4), ("trim", 64)]);
        let sum = |classes: &[OpClass], kind: OpKind, of: fn(&OpClass) -> f64| -> f64 {
            classes.iter().filter(|class| class.kind == kind).map(of).sum()
        };
        let metric = |address: &str| analysis.metric(address).and_then(|metric| metric.value).expect("a figure");
        let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * b, "{a} {b}");
        near(sum(&sizes, OpKind::Read, |class| class.iops), metric("mixed/r60w30t10:read.iops"));
        near(sum(&sizes, OpKind::Trim, |class| class.iops), metric("mixed/r60w30t10:trim.iops"));
        let groups = of(&run, "groups/oltp", by_group);
        let names: Vec<(&str, &str)> = groups.iter().map(|class| (class.group.as_str(), class.kind.name())).collect();
        assert_eq!(names, [("data", "read"), ("data", "write"), ("log", "write")]);
        near(sum(&groups, OpKind::Write, |class| class.mb_s), metric("groups/oltp:write.throughput"));
        near(groups.iter().map(|class| class.operations_percent).sum(), 100.0);
    }

    #[test]
    fn a_class_has_the_figures_of_its_own_operations() {
        let mut run = sample_mixed_run();
        let record = &mut run.steps[0];
        record.end_ns = record.start_ns + 2_000_000_000;
        let mut histogram = drivelab_core::histogram::Histogram::default();
        (1..=100).for_each(|value| histogram.record(value));
        record.read.sizes.truncate(1);
        (record.write.sizes, record.others) = (Vec::new(), Vec::new());
        (record.read.count, record.write.count) = (150, 50);
        (record.read.sizes[0].count, record.read.sizes[0].histogram) = (100, histogram.sparse());
        let classes = of(&run, "mixed/r60w30t10", by_size);
        let [class] = classes.as_slice() else { panic!("one class") };
        assert_eq!((class.operations, class.operations_percent, class.iops), (100, 50.0, 50.0));
        assert_eq!(class.mb_s, 50.0 * 4096.0 / 1e6);
        let us = |value: f64| Some(value / 1e3);
        assert_eq!((class.latency_mean_us, class.latency_p50_us), (us(50.5), us(50.0)));
        let tails = (class.latency_p99_us, class.latency_p999_us, class.latency_max_us);
        assert_eq!(tails, (None, None, us(100.0)), "of 100 operations one lies beyond the 99th percentile");
    }

    #[test]
    fn plain_steps_have_no_classes() {
        let run = sample_run();
        assert!(of(&run, "mixes/w30", by_size).is_empty() && of(&run, "mixes/w30", by_group).is_empty());
    }
}
