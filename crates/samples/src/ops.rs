//! Made-up operations of one second, by kind and size, with latencies in a fixed distribution around their means.

use drivelab_core::histogram::{SparseHistogram, bucket_of};
use drivelab_core::load::OpKind;
use drivelab_core::record::{OpRecord, Response, SizeRecord};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::Workload;

/// Share of operations in thousandths, and their latency in thousandths of the mean; the mean of the distribution is 1.
const SHAPE: [(u64, u64); 9] =
    [(100, 700), (200, 820), (250, 930), (200, 1_010), (150, 1_120), (80, 1_340), (11, 1_900), (8, 2_660), (1, 5_260)];

/// Operations of one kind and size.
#[derive(Debug, Clone)]
struct Part {
    kind: OpKind,
    size: u64,
    /// Whether it is one size of a mix of sizes.
    mixed: bool,
    count: u64,
    /// Latency relative to that of a write.
    factor: f64,
    latencies: SparseHistogram,
    /// Response times; only in an open loop.
    responses: Option<SparseHistogram>,
}

/// Operations of one group, or of all groups, in a second.
#[derive(Debug, Clone, Default)]
pub(super) struct Issued {
    parts: Vec<Part>,
}

/// This many operations of a load that keeps its depth in flight for `elapsed_ns`.
pub(super) fn closed(load: &Workload, operations: u64, elapsed_ns: u64) -> Issued {
    let parts = parts(load, operations);
    let weight: f64 = parts.iter().map(|part| part.factor * part.count as f64).sum();
    let depth = f64::from(load.queue_depth.get()) * f64::from(load.threads.get());
    with_latencies(parts, depth * elapsed_ns as f64 / weight, None)
}

/// This many operations of a load with a mean latency (of its writes), after waiting if it is an open loop.
pub(super) fn issued(load: &Workload, operations: u64, mean_ns: f64, waited_ns: Option<u64>) -> Issued {
    with_latencies(parts(load, operations), mean_ns, waited_ns)
}

fn with_latencies(mut parts: Vec<Part>, base_ns: f64, waited_ns: Option<u64>) -> Issued {
    for part in &mut parts {
        part.latencies = latencies(part.count, part.factor * base_ns);
        part.responses = waited_ns.map(|waited| shifted(&part.latencies, waited));
    }
    Issued { parts }
}

impl Issued {
    /// The same operations in an open loop, after waiting this long before their submission.
    pub(super) fn after_waiting(mut self, waited_ns: u64) -> Self {
        for part in &mut self.parts {
            part.responses = Some(shifted(&part.latencies, waited_ns));
        }
        self
    }

    /// Several groups added together.
    pub(super) fn together(groups: &[Issued]) -> Self {
        Issued { parts: groups.iter().flat_map(|group| group.parts.clone()).collect() }
    }

    /// Sum of the latencies of all operations.
    pub(super) fn busy_ns(&self) -> f64 {
        self.parts.iter().map(|part| part.latencies.sum.get() as f64).sum()
    }

    /// The record of the operations of one kind.
    pub(super) fn record(&self, kind: OpKind, elapsed: Nanos) -> OpRecord {
        let mut record = OpRecord::default();
        for part in self.parts.iter().filter(|part| part.kind == kind) {
            add(&mut record, &part.record());
        }
        finished(record, elapsed)
    }
}

impl Part {
    fn record(&self) -> OpRecord {
        let size = SizeRecord {
            block_size: Bytes::new(self.size),
            count: self.count,
            latency: self.latencies.summary(),
            histogram: self.latencies.clone(),
        };
        OpRecord {
            count: self.count,
            bytes: Bytes::new(self.count * self.size),
            histogram: self.latencies.clone(),
            response: self.responses.clone().map(Response::new),
            sizes: if self.mixed { vec![size] } else { Vec::new() },
            ..OpRecord::default()
        }
    }
}

/// The sum of records of one kind.
pub(super) fn summed<'r>(parts: impl Iterator<Item = &'r OpRecord>, elapsed: Nanos) -> OpRecord {
    let mut all = OpRecord::default();
    parts.for_each(|part| add(&mut all, part));
    finished(all, elapsed)
}

fn add(all: &mut OpRecord, part: &OpRecord) {
    all.count += part.count;
    all.bytes = Bytes::new(all.bytes.get() + part.bytes.get());
    all.histogram.merge(&part.histogram);
    if let Some(more) = &part.response {
        all.response.get_or_insert_default().histogram.merge(&more.histogram);
    }
    for more in &part.sizes {
        match all.sizes.iter_mut().find(|size| size.block_size == more.block_size) {
            Some(size) => {
                size.count += more.count;
                size.histogram.merge(&more.histogram);
                size.latency = size.histogram.summary();
            }
            None => all.sizes.push(more.clone()),
        }
    }
}

/// With rates and figures computed.
fn finished(record: OpRecord, elapsed: Nanos) -> OpRecord {
    let response = record.response.map(|response| Response::new(response.histogram));
    let sizes = record.sizes;
    OpRecord { response, sizes, ..OpRecord::new(record.count, record.bytes, 0, record.histogram, elapsed) }
}

/// Operations by kind and size, in the requested shares.
fn parts(load: &Workload, operations: u64) -> Vec<Part> {
    let share = |percent: u8| operations * u64::from(percent) / 100;
    let other = load.other;
    let mut counts = [
        (OpKind::Read, share(load.read_percent()), 1.3),
        (OpKind::Write, share(load.write_percent.get()), 1.0),
        (OpKind::Trim, share(other.trim_percent.get()), 0.4),
        (OpKind::WriteZeroes, share(other.write_zeroes_percent.get()), 0.6),
        (OpKind::Flush, share(other.flush_percent.get()), 4.0),
    ];
    let rest = operations - counts.iter().map(|(_, count, _)| count).sum::<u64>();
    if let Some(first) = counts.iter_mut().find(|(kind, ..)| load.issues(*kind)) {
        first.1 += rest;
    }
    if other.sync_every > 0 {
        counts[4].1 += counts[1].1 / u64::from(other.sync_every);
    }
    counts.into_iter().flat_map(|(kind, count, factor)| by_size(load, kind, count, factor)).collect()
}

fn by_size(load: &Workload, kind: OpKind, count: u64, factor: f64) -> Vec<Part> {
    let part = |size: u64, mixed: bool, count: u64, factor: f64| Part {
        kind,
        size,
        mixed,
        count,
        factor,
        latencies: SparseHistogram::default(),
        responses: None,
    };
    if kind == OpKind::Flush {
        return vec![part(0, false, count, factor)];
    }
    let weights: u64 = load.block_size_mix.iter().map(|share| u64::from(share.operations)).sum();
    if weights == 0 {
        return vec![part(load.block_size.get(), false, count, factor)];
    }
    let mut parts: Vec<Part> = load
        .block_size_mix
        .iter()
        .map(|share| {
            let size = share.block_size;
            let slower = 0.8 + size.as_f64() / 131_072.0;
            part(size.get(), true, count * u64::from(share.operations) / weights, factor * slower)
        })
        .collect();
    let rest = count - parts.iter().map(|part| part.count).sum::<u64>();
    if let Some(first) = parts.first_mut() {
        first.count += rest;
    }
    parts
}

/// `count` latencies around a mean, in the fixed distribution.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "made-up figures, all positive and far below 2^53"
)]
fn latencies(count: u64, mean_ns: f64) -> SparseHistogram {
    let mut all = SparseHistogram::default();
    let mut left = count;
    // The most frequent latency comes last: it takes the remainder of the rounding.
    for (position, index) in [8, 7, 6, 5, 4, 3, 1, 0, 2].into_iter().enumerate() {
        let (share, factor) = SHAPE[index];
        let part = if position == SHAPE.len() - 1 { left } else { count * share / 1000 };
        if part == 0 {
            continue;
        }
        left -= part;
        let value = Nanos::new((mean_ns * factor as f64 / 1000.0) as u64);
        all.merge(&SparseHistogram {
            count: part,
            sum: Nanos::new(value.get() * part),
            min: value,
            max: value,
            buckets: vec![(bucket_of(value.get()) as u32, part)],
        });
    }
    all
}

/// The same distribution with each value larger by about `more_ns`: the sum, the extremes and the middles of the
/// buckets are moved.
#[expect(clippy::cast_possible_truncation, reason = "bucket numbers are below 2^16")]
fn shifted(latencies: &SparseHistogram, more_ns: u64) -> SparseHistogram {
    let mut all = SparseHistogram {
        count: latencies.count,
        sum: Nanos::new(latencies.sum.get() + more_ns * latencies.count),
        min: Nanos::new(latencies.min.get() + more_ns),
        max: Nanos::new(latencies.max.get() + more_ns),
        buckets: Vec::new(),
    };
    if latencies.count == 0 {
        return SparseHistogram::default();
    }
    let mut buckets = std::collections::BTreeMap::new();
    for (bucket, count) in &latencies.buckets {
        let middle = drivelab_core::histogram::bucket_middle(*bucket as usize);
        *buckets.entry(bucket_of(middle + more_ns) as u32).or_default() += count;
    }
    all.buckets = buckets.into_iter().collect();
    all
}
