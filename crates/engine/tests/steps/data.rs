//! What lies on the drive after writing: nothing that compresses, nothing that repeats.

use std::collections::HashSet;

use drivelab_core::units::{Bytes, Percent};
use drivelab_core::workload::{DataPattern, Pattern, Workload};

use crate::common::*;

const LENGTH: u64 = 24 << 20;

fn filled(choice: drivelab_engine::BackendChoice, data: DataPattern) -> Vec<u8> {
    let mut bench = Bench::new(LENGTH, true, choice);
    let (queue_depth, threads) = depth(4, 2);
    let workload = Workload {
        write_percent: Percent::new(100).unwrap(),
        pattern: Pattern::Sequential,
        block_size: Bytes::new(64 << 10),
        queue_depth,
        threads,
        data,
        ..workload(LENGTH)
    };
    run(&mut bench.engine, &workload, &passes(1));
    std::fs::read(&bench.path).unwrap()
}

#[test]
fn incompressible_data_neither_compresses_nor_repeats() {
    for choice in BOTH {
        let data = filled(choice, DataPattern::Incompressible);
        let distinct: HashSet<&[u8]> = data.chunks(512).collect();
        assert_eq!(distinct.len(), data.len() / 512, "{choice:?}: sectors repeat");
        let squeezed = zstd::bulk::compress(&data, 3).unwrap();
        let ratio = data.len() as f64 / squeezed.len() as f64;
        assert!(ratio < 1.001, "{choice:?}: compresses {ratio} : 1");
    }
}

#[test]
fn the_zero_pattern_writes_zeros() {
    for choice in BOTH {
        assert!(filled(choice, DataPattern::Zero).iter().all(|byte| *byte == 0));
    }
}

/// A read must not land in what is written next: the file holds zeros, and a sector of zeros would compress.
#[test]
fn what_is_read_is_never_written_back_in_a_mix() {
    for choice in BOTH {
        let mut bench = Bench::new(4 << 20, true, choice);
        let workload = Workload { write_percent: Percent::new(50).unwrap(), ..workload(4 << 20) };
        let (record, _) = run(&mut bench.engine, &workload, &volume(64 << 20));
        let data = std::fs::read(&bench.path).unwrap();
        let touched: Vec<&[u8]> = data.chunks(512).filter(|sector| sector.iter().any(|byte| *byte != 0)).collect();
        assert!(record.write.count > 7000 && touched.len() > 8 * 900);
        assert_eq!(touched.iter().collect::<HashSet<_>>().len(), touched.len(), "{choice:?}: sectors repeat");
        let zeros_inside = |sector: &&&[u8]| sector[8..].iter().filter(|byte| **byte == 0).count() > 50;
        assert_eq!(touched.iter().filter(zeros_inside).count(), 0, "a sector of zeros with a stamp was written");
    }
}
