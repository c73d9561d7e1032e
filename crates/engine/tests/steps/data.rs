//! What is on the drive after writing: nothing that compresses or repeats, or as much of it as was asked.

use std::collections::{HashMap, HashSet};

use drivelab_core::clock::StopToken;
use drivelab_core::load::{Content, SizeShare};
use drivelab_core::units::{Bytes, Percent};
use drivelab_core::workload::{DataPattern, Pattern, Streams, Workload};
use drivelab_engine::BackendChoice;
use zstd::zstd_safe::CParameter;

use crate::common::*;

const LENGTH: u64 = 16 << 20;

/// One sequential pass of two threads with four operations in flight each, by either backend.
fn filled(choice: BackendChoice, data: DataPattern, content: &Content, block_size: u64) -> Vec<u8> {
    filled_to(LENGTH, (4, 2), choice, data, content, block_size)
}

/// One sequential pass of another length, with a given depth and number of threads.
fn filled_to(
    length: u64,
    (queue_depth, threads): (u64, u64),
    choice: BackendChoice,
    data: DataPattern,
    content: &Content,
    block_size: u64,
) -> Vec<u8> {
    let mut bench = Bench::new(length, true, choice);
    let (queue_depth, threads) = depth(queue_depth, threads);
    let workload = Workload {
        write_percent: Percent::new(100).unwrap(),
        pattern: Pattern::Sequential,
        block_size: Bytes::new(block_size),
        queue_depth,
        threads,
        data,
        content: content.clone(),
        ..workload(length)
    };
    run(&mut bench.engine, &workload, &passes(1));
    std::fs::read(&bench.path).unwrap()
}

fn percent(value: u64) -> Percent {
    Percent::new(value).unwrap()
}

/// How many of the parts of this size repeat an earlier one.
fn repeats(data: &[u8], size: usize) -> usize {
    data.len() / size - data.chunks_exact(size).collect::<HashSet<_>>().len()
}

/// Share that zstd saves, per cent, if each unit of this size is compressed by itself, as drives do.
fn saved_percent(data: &[u8], unit: usize) -> f64 {
    let squeezed: usize = data.chunks(unit).map(|part| zstd::bulk::compress(part, 3).unwrap().len()).sum();
    100.0 - squeezed as f64 * 100.0 / data.len() as f64
}

/// How many times smaller zstd makes the data if it looks back this far, in powers of two.
fn ratio(data: &[u8], window_log: u32) -> f64 {
    let mut compressor = zstd::bulk::Compressor::new(1).unwrap();
    compressor.set_parameter(CParameter::WindowLog(window_log)).unwrap();
    compressor.set_parameter(CParameter::EnableLongDistanceMatching(true)).unwrap();
    // Looks at every place, so that no repeat is missed.
    compressor.set_parameter(CParameter::LdmHashRateLog(0)).unwrap();
    data.len() as f64 / compressor.compress(data).unwrap().len() as f64
}

/// Threads, depths, orders and sizes in which every byte of the file is written once.
fn whole_files() -> Vec<(&'static str, BackendChoice, Workload)> {
    let base = |pattern, block_size: u64| Workload {
        write_percent: percent(100),
        pattern,
        block_size: Bytes::new(block_size),
        ..workload(LENGTH / block_size * block_size)
    };
    let deep = |load: Workload, queue_depth, threads| {
        let (queue_depth, threads) = depth(queue_depth, threads);
        Workload { queue_depth, threads, ..load }
    };
    let (in_order, anyhow) = (Pattern::Sequential, Pattern::RandomOnce);
    let shared = |load: Workload| Workload { streams: Streams::Shared, ..load };
    let mixed = |load: Workload| Workload {
        block_size_mix: [4_u64, 16, 64]
            .map(|kib| SizeShare { block_size: Bytes::new(kib << 10), operations: 1 })
            .to_vec(),
        ..load
    };
    let (ring, sync) = (BackendChoice::Uring, BackendChoice::Sync);
    vec![
        ("one in flight", ring, base(in_order, 4096)),
        ("one in flight in any order", ring, base(anyhow, 4096)),
        ("64 in flight in any order", ring, deep(base(anyhow, 4096), 64, 1)),
        ("sectors", ring, deep(base(anyhow, 512), 16, 1)),
        ("4 threads, each in its part", ring, deep(base(in_order, 16 << 10), 8, 4)),
        ("4 threads together in any order", ring, deep(base(anyhow, 4096), 8, 4)),
        ("16 threads on one stream", ring, shared(deep(base(in_order, 4096), 2, 16))),
        ("32 OS threads", sync, deep(base(anyhow, 4096), 8, 4)),
        ("blocks of 1 MiB", ring, deep(base(in_order, 1 << 20), 4, 1)),
        ("sizes mixed", ring, mixed(deep(base(in_order, 64 << 10), 4, 1))),
        ("a size that is no power of two", ring, deep(base(in_order, 6144), 4, 1)),
    ]
}

/// A compressor that looks back at most 1 MiB finds nothing, whatever wrote the file, and no part of it repeats.
/// Beyond that the pools repeat, and zstd finds them, which shows that it could.
#[test]
fn nothing_compresses_within_a_mebibyte_and_nothing_repeats_at_all() {
    for (name, choice, load) in whole_files() {
        let mut bench = Bench::new(LENGTH, true, choice);
        let (record, _) = run(&mut bench.engine, &load, &passes(1));
        let data = std::fs::read(&bench.path).unwrap();
        // Blocks of odd sizes leave the end of the file untouched.
        let data = &data[..usize::try_from(record.write.bytes.get()).unwrap()];
        assert!(data.len() as u64 > LENGTH - 65536, "{name}: {} bytes", data.len());
        for size in [512, 4096, 64 << 10, 1 << 20] {
            assert_eq!(repeats(data, size), 0, "{name}: parts of {size} bytes repeat");
        }
        for window_log in [12, 15, 17, 20] {
            let ratio = ratio(data, window_log);
            assert!(ratio < 1.0005, "{name}: {ratio} : 1 looking back 2^{window_log} bytes");
        }
        let window = record.engine.effort.unwrap().data_window.expect("random data has a window");
        assert!(window.get() > 1 << 20 && window.get() <= 2 << 20, "{name}: {window}");
        let one_pool = load.threads.get() == 1;
        assert!(!one_pool || ratio(data, 23) > 2.0, "{name}: repeats would not be found");
    }
}

/// If a larger distance is asked for, the pools repeat only after it.
#[test]
fn a_window_that_is_asked_for_is_kept() {
    // 2 MiB are chosen on bcachefs, 16 MiB on ZFS and where storage is out of sight.
    for window_log in [21, 23, 24] {
        let window = 1_u64 << window_log;
        let content = Content { window: Some(Bytes::new(window)), ..Content::default() };
        let data = filled_to(4 * window, (4, 1), BackendChoice::Uring, DataPattern::Incompressible, &content, 64 << 10);
        let (within, beyond) = (ratio(&data, window_log), ratio(&data, window_log + 2));
        assert!(within < 1.0005 && beyond > 1.5, "{window} bytes: {within} within, {beyond} beyond");
    }
    let content = Content { window: Some(Bytes::new(8 << 20)), ..Content::default() };
    let mut bench = Bench::new(LENGTH, true, BackendChoice::Uring);
    let (_, _, load) = whole_files().into_iter().next().unwrap();
    let (record, _) = run(&mut bench.engine, &Workload { content, ..load }, &passes(1));
    let said = record.engine.effort.unwrap().data_window.expect("random data has a window");
    assert!(said.get() >= 8 << 20, "the result says {said}");
}

/// By the unit in which drives compress and over the whole file; the rest of each sector is still unique.
#[test]
fn data_compresses_by_the_share_that_was_asked() {
    for (asked, choice) in [10, 50, 75, 99].into_iter().zip(BOTH.into_iter().cycle()) {
        let content = Content { compress_percent: percent(asked), ..Content::default() };
        let data = filled(choice, DataPattern::Incompressible, &content, 64 << 10);
        assert_eq!(repeats(&data, 512), 0, "{choice:?}, {asked} %: sectors repeat");
        for unit in [4096, 1 << 20] {
            let saved = saved_percent(&data, unit);
            assert!((saved - asked as f64).abs() < 2.0, "{choice:?}, {asked} %: zstd saves {saved} % of {unit} bytes");
        }
    }
}

/// Counted in blocks, as a drive that removes duplicates counts; everything else is unique down to the sector.
#[test]
fn blocks_repeat_by_the_share_that_was_asked() {
    const BLOCK: usize = 16 << 10;
    for (asked, choice) in [1, 50, 80, 95].into_iter().zip(BOTH.into_iter().cycle()) {
        let content = Content { dedup_percent: percent(asked), ..Content::default() };
        let data = filled(choice, DataPattern::Incompressible, &content, BLOCK as u64);
        let share = repeats(&data, BLOCK) as f64 * 100.0 / (data.len() / BLOCK) as f64;
        assert!((share - asked as f64).abs() < 1.0, "{choice:?}: {share} % repeat, {asked} % were asked");
        let distinct: HashSet<&[u8]> = data.chunks(BLOCK).collect();
        let mut sectors = HashSet::new();
        let is_new = |sector: &[u8]| sectors.insert(sector.to_vec());
        assert!(distinct.into_iter().flat_map(|block| block.chunks(512)).all(is_new), "{choice:?}: sectors repeat");
    }
}

#[test]
fn repeated_and_compressible_data_is_both() {
    const BLOCK: usize = 16 << 10;
    let content = Content { compress_percent: percent(50), dedup_percent: percent(50), ..Content::default() };
    let data = filled(BOTH[0], DataPattern::Incompressible, &content, BLOCK as u64);
    let share = repeats(&data, BLOCK) as f64 * 100.0 / (data.len() / BLOCK) as f64;
    let saved = saved_percent(&data, 4096);
    assert!((share - 50.0).abs() < 1.0 && (saved - 50.0).abs() < 2.0, "{share} % repeat, {saved} % compress");
}

#[test]
fn the_zero_pattern_writes_zeros() {
    for choice in BOTH {
        let data = filled(choice, DataPattern::Zero, &Content::default(), 64 << 10);
        assert!(data.iter().all(|byte| *byte == 0));
    }
}

/// Two threads: two blocks, each as often as its thread wrote, and neither of them compressible.
#[test]
fn one_block_is_written_again_and_again_by_each_thread() {
    for choice in BOTH {
        let data = filled(choice, DataPattern::OneBlock, &Content::default(), 4096);
        let mut times: HashMap<&[u8], u64> = HashMap::new();
        data.chunks(4096).for_each(|block| *times.entry(block).or_default() += 1);
        assert_eq!(times.values().copied().collect::<Vec<_>>(), [LENGTH / 4096 / 2; 2], "{choice:?}");
        assert!(times.keys().all(|block| saved_percent(block, 4096) < 1.0), "{choice:?}");
    }
}

#[test]
fn a_pattern_is_repeated_in_each_block() {
    let content = Content { pattern: vec![0xde, 0xad, 0xbe, 0xef, 0x01], ..Content::default() };
    for choice in BOTH {
        let data = filled(choice, DataPattern::Pattern, &content, 4096);
        let is_pattern = |block: &[u8]| block.chunks(5).all(|part| content.pattern.starts_with(part));
        assert!(data.chunks(4096).all(is_pattern), "{choice:?}");
    }
}

/// Threads and slots take turns by count, not by place, so the parts of the file may be in any order.
#[test]
fn a_file_is_written_whole_and_in_equal_shares() {
    let folder = folder();
    let file = folder.path().join("sample");
    let sample: Vec<u8> = (0..1_u64 << 17).flat_map(|number| (number * number).to_le_bytes()).collect();
    std::fs::write(&file, &sample).unwrap();
    let content = Content { file: Some(file), ..Content::default() };
    for choice in BOTH {
        // Slots take turns through the file. With one OS thread per slot, the scheduler decides how often a slot gets
        // its turn: only with one operation in flight is that the same each time.
        let depth = if choice == BackendChoice::Sync { 1 } else { 4 };
        let data = filled_to(LENGTH, (depth, 2), choice, DataPattern::File, &content, 4096);
        let mut times: HashMap<&[u8], usize> = sample.chunks(4096).map(|part| (part, 0)).collect();
        for block in data.chunks(4096) {
            *times.get_mut(block).expect("a block of the file") += 1;
        }
        let once = data.len() / sample.len();
        assert!(
            times.values().all(|times| times.abs_diff(once) <= once / 2),
            "{choice:?}: {times:?}",
            times = times.values()
        );
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = folder();
    let empty = folder.path().join("empty");
    std::fs::write(&empty, []).unwrap();
    for (file, word) in [(folder.path().join("missing"), "No such file"), (empty, "empty")] {
        let mut bench = Bench::new(1 << 20, true, BOTH[0]);
        let workload = Workload {
            write_percent: percent(100),
            data: DataPattern::File,
            content: Content { file: Some(file), ..Content::default() },
            ..workload(1 << 20)
        };
        let refused = run_with(&mut bench.engine, &workload, &passes(1), (0, 100), &StopToken::default()).unwrap_err();
        assert!(refused.to_string().contains(word), "{refused}");
    }
}

/// A read must not land in the data of the next write: the file holds zeros, and a sector of zeros would compress.
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
