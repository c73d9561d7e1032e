//! From counts to records: classes of all groups combined by kind of operation.

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::load::OpKind;
use drivelab_core::record::{GroupRecord, OpRecord, OtherRecord, Response, SizeRecord};
use drivelab_core::units::{Bytes, Nanos};

use crate::host::held::Still;
use crate::load::job::{Group, Job};
use crate::load::schedule::Timing;
use crate::thread::meter::Meter;

/// Sums over the measured part of a step, times in CLOCK_MONOTONIC_RAW.
#[derive(Debug)]
pub(crate) struct Totals {
    /// By group, in their order.
    pub(crate) groups: Vec<Meter>,
    /// Bytes written in the ramp.
    pub(crate) ramp_written: u64,
    /// Backlog at the end of each measured interval, and the time of that end.
    pub(crate) backlogs: Vec<(u64, u64)>,
    /// Arrivals that had not been submitted when the step ended.
    pub(crate) backlog_at_end: u64,
    /// End of the ramp, or start of the step.
    pub(crate) measured_from: u64,
    /// End of the last interval.
    pub(crate) end: u64,
    /// Time for which the whole process was stopped.
    pub(crate) stood_still: Still,
    /// Run clock minus CLOCK_MONOTONIC_RAW, modulo 2^64.
    pub(crate) clock_offset: u64,
}

impl Totals {
    /// Before anything was counted.
    pub(crate) fn none(job: &Job<'_>, timing: Timing) -> Self {
        Totals {
            groups: empty(job),
            ramp_written: 0,
            backlogs: Vec::new(),
            backlog_at_end: 0,
            measured_from: timing.ramp_end,
            end: timing.start,
            stood_still: Still::default(),
            clock_offset: 0,
        }
    }

    /// Operations in flight, integrated over time.
    pub(crate) fn depth_ns(&self) -> u128 {
        self.groups.iter().map(|meter| u128::from(meter.depth_ns)).sum()
    }
}

/// One empty meter for each group.
pub(crate) fn empty(job: &Job<'_>) -> Vec<Meter> {
    job.groups.iter().map(|group| *group.layout.without_trace().meter()).collect()
}

/// Records of all kinds, from the counts of some groups.
pub(crate) struct Kinds {
    pub(crate) read: OpRecord,
    pub(crate) write: OpRecord,
    pub(crate) others: Vec<OtherRecord>,
}

/// Combines the counts of groups.
pub(crate) fn kinds(counted: &[(&Group, &Meter)], elapsed: Nanos) -> Kinds {
    let record = |kind| of_kind(counted, kind, elapsed);
    let issued =
        |kind: &OpKind| counted.iter().any(|(group, _)| group.layout.classes().iter().any(|class| class.kind == *kind));
    let others = OpKind::ALL.into_iter().filter(|kind| !matches!(kind, OpKind::Read | OpKind::Write));
    let others = others.filter(issued).map(|op| OtherRecord::new(op, record(op)));
    Kinds { read: record(OpKind::Read), write: record(OpKind::Write), others: others.collect() }
}

/// By group, if there are several.
pub(crate) fn by_group(job: &Job<'_>, meters: &[Meter], elapsed: Nanos) -> Vec<GroupRecord> {
    if job.groups.len() < 2 {
        return Vec::new();
    }
    let one = |(group, meter): (&Group, &Meter)| {
        let Kinds { read, write, others } = kinds(&[(group, meter)], elapsed);
        GroupRecord { name: group.name.clone(), read, write, others }
    };
    job.groups.iter().zip(meters).map(one).collect()
}

fn of_kind(counted: &[(&Group, &Meter)], kind: OpKind, elapsed: Nanos) -> OpRecord {
    let (mut latency, mut response) = (SparseHistogram::default(), None::<SparseHistogram>);
    let (mut bytes, mut errors) = (0, 0);
    let mut sizes: Vec<(u32, SparseHistogram)> = Vec::new();
    for (group, meter) in counted {
        for (class, counts) in group.layout.classes().iter().zip(&meter.classes).filter(|(class, _)| class.kind == kind)
        {
            let histogram = counts.latency.sparse();
            let moved = histogram.count * u64::from(class.length);
            bytes += if group.layout.varies() { counts.bytes } else { moved };
            errors += counts.errors;
            latency.merge(&histogram);
            if let Some(of_class) = &counts.response {
                response.get_or_insert_default().merge(&of_class.sparse());
            }
            match sizes.iter_mut().find(|(length, _)| *length == class.length) {
                Some((_, known)) => known.merge(&histogram),
                None => sizes.push((class.length, histogram)),
            }
        }
    }
    let mut record = OpRecord::new(latency.count, Bytes::new(bytes), errors, latency, elapsed);
    record.response = response.map(Response::new);
    if sizes.len() > 1 {
        record.sizes = sizes.into_iter().map(|(length, histogram)| of_size(length, histogram)).collect();
    }
    record
}

fn of_size(length: u32, histogram: SparseHistogram) -> SizeRecord {
    let block_size = Bytes::new(u64::from(length));
    SizeRecord { block_size, count: histogram.count, latency: histogram.summary(), histogram }
}
