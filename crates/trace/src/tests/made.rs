//! Synthetic traces have the requested content.

use drivelab_core::load::OpKind;
use drivelab_core::replay::{SyntheticTrace, TraceOp, TraceStream};
use drivelab_core::units::{Bytes, Nanos};
use proptest::prelude::*;

use crate::synthetic::Synthetic;

/// The published mix of "Photoshop light".
fn photoshop() -> SyntheticTrace {
    SyntheticTrace {
        sequential_reads: 1508,
        random_reads: 17_525,
        sequential_writes: 18_342,
        random_writes: 1743,
        read: Some(Bytes::new(313_000_000)),
        written: Some(Bytes::new(2_336_000_000)),
        smallest: Bytes::new(4096),
        largest: Bytes::MIB,
        footprint: Bytes::new(4 << 30),
        burst: 4,
        gap: Nanos::from_millis(20),
        seed: 1,
    }
}

fn made(trace: &SyntheticTrace) -> Vec<TraceOp> {
    let mut stream = Synthetic::new(trace);
    std::iter::from_fn(|| stream.next_op().unwrap()).collect()
}

fn of(ops: &[TraceOp], kind: OpKind) -> Vec<TraceOp> {
    ops.iter().copied().filter(|op| op.op == kind).collect()
}

fn following(ops: &[TraceOp]) -> usize {
    ops.windows(2).filter(|pair| pair[1].offset == pair[0].offset + pair[0].length).count()
}

#[test]
fn counts_and_volumes_are_exact_and_the_rest_is_within_its_bounds() {
    let trace = photoshop();
    let ops = made(&trace);
    let (reads, writes) = (of(&ops, OpKind::Read), of(&ops, OpKind::Write));
    assert_eq!((reads.len(), writes.len()), (1508 + 17_525, 18_342 + 1743));
    let volume = |ops: &[TraceOp]| ops.iter().map(|op| op.length).sum::<u64>();
    assert_eq!(volume(&reads), 313_000_000 / 4096 * 4096);
    assert_eq!(volume(&writes), 2_336_000_000 / 4096 * 4096);
    assert!(
        ops.iter().all(|op| (4096..=1 << 20).contains(&op.length) && op.length % 4096 == 0 && op.offset % 4096 == 0)
    );
    assert!(ops.iter().all(|op| op.offset + op.length <= 4 << 30));
    // A few sequential operations jump, at the end of the footprint; no random operation follows by chance.
    assert!((1500..=1508).contains(&following(&reads)), "{}", following(&reads));
    assert!((18_330..=18_342).contains(&following(&writes)), "{}", following(&writes));
}

#[test]
fn operations_come_in_groups_with_gaps_between_them() {
    let ops = made(&photoshop());
    let mut starts: Vec<u64> = ops.iter().map(|op| op.at_ns).collect();
    assert!(starts.windows(2).all(|pair| pair[0] <= pair[1]));
    assert_eq!(starts[0], 0);
    starts.dedup();
    // 39,118 operations in groups of four on average: 9,780 groups, with a deviation of a few dozen.
    assert!((9500..10_060).contains(&starts.len()), "{}", starts.len());
    #[expect(clippy::cast_precision_loss, reason = "small")]
    let mean = starts[starts.len() - 1] as f64 / (starts.len() - 1) as f64 / 1e6;
    assert!((mean - 20.0).abs() < 1.0, "mean gap {mean} ms");
    let facts = photoshop().facts();
    assert!(facts.duration.get().abs_diff(starts[starts.len() - 1]) < facts.duration.get() / 20);
}

#[test]
fn the_same_seed_gives_the_same_trace_and_another_seed_another() {
    let other = SyntheticTrace { seed: 2, ..photoshop() };
    assert_eq!(made(&photoshop()), made(&photoshop()));
    assert_ne!(made(&photoshop()), made(&other));
}

#[test]
fn sizes_without_a_volume_are_uniform() {
    let trace = SyntheticTrace {
        sequential_reads: 0,
        random_reads: 0,
        sequential_writes: 0,
        random_writes: 25_600,
        read: None,
        written: None,
        ..photoshop()
    };
    let mut counts = [0_u32; 256];
    made(&trace).iter().for_each(|op| counts[usize::try_from(op.length / 4096).unwrap() - 1] += 1);
    let chi_square: f64 = counts.iter().map(|count| (f64::from(*count) - 100.0).powi(2) / 100.0).sum();
    // 255 degrees of freedom: mean 255, deviation 22.6.
    assert!((165.0..360.0).contains(&chi_square), "chi-square {chi_square}");
}

proptest! {
    #[test]
    fn whatever_is_asked_for_counts_and_volumes_hold(
        counts in proptest::array::uniform4(0_u64..200), mean_units in 1_u64..200, footprint in 300_u64..2000, seed in any::<u64>(),
    ) {
        let [sequential_reads, random_reads, sequential_writes, random_writes] = counts;
        let volume = |count: u64| Bytes::new(count * mean_units * 4096);
        let trace = SyntheticTrace {
            sequential_reads, random_reads, sequential_writes, random_writes, seed,
            read: Some(volume(sequential_reads + random_reads)),
            written: Some(volume(sequential_writes + random_writes)),
            footprint: Bytes::new(footprint * 4096),
            ..photoshop()
        };
        let ops = made(&trace);
        let of_kind = |kind| {
            let ops = of(&ops, kind);
            (ops.len() as u64, ops.iter().map(|op| op.length).sum::<u64>())
        };
        prop_assert_eq!(of_kind(OpKind::Read), (trace.reads(), volume(trace.reads()).get()));
        prop_assert_eq!(of_kind(OpKind::Write), (trace.writes(), volume(trace.writes()).get()));
        prop_assert!(ops.iter().all(|op| op.offset + op.length <= footprint * 4096));
    }
}
