//! What stamped pools hold: nothing twice, or exactly the requested repeats, compressible or not.

use std::collections::{HashMap, HashSet};

use drivelab_core::load::SizeShare;
use drivelab_core::units::{Bytes, Percent, QueueDepth};
use proptest::prelude::*;

use super::*;

fn source(data: DataPattern, content: Content) -> DataSource {
    let workload = Workload { data, content, queue_depth: QueueDepth::new(2).unwrap(), ..Workload::default() };
    DataSource::new(&workload, 42, Some(b"0123456789".as_slice().into())).unwrap()
}

/// What a slot with a pool of `blocks` writes, with the block chosen in turn as `slots` does.
fn written(source: &DataSource, slot: u64, blocks: usize, sizes: &[usize]) -> Vec<Vec<u8>> {
    let stride = sizes.iter().max().unwrap().next_multiple_of(SECTOR);
    let (mut pool, mut trail, mut block) = (vec![0; blocks * stride], source.trail(slot), blocks - 1);
    source.fill_pool(&mut pool, slot, stride);
    let write = |size: &usize| {
        if !source.repeats(&mut trail, *size) {
            block = (block + 1) % blocks;
        }
        let part = &mut pool[block * stride..][..*size];
        source.stamp(part, block * stride, &mut trail);
        part.to_vec()
    };
    sizes.iter().map(write).collect()
}

/// Sixty-four writes from a pool of one block by two slots: without the stamp only sixteen sectors would differ.
#[test]
fn no_sector_repeats_even_when_the_pool_does_and_whatever_share_is_zeros() {
    for percent in [0, 1, 50, 99] {
        let content = Content { compress_percent: Percent::new(percent).unwrap(), ..Content::default() };
        let source = source(DataPattern::Incompressible, content);
        let mut seen = HashSet::new();
        for block in (0..2).flat_map(|slot| written(&source, slot, 1, &[4096; 32])) {
            assert!(block.chunks(SECTOR).all(|sector| seen.insert(sector.to_vec())), "{percent} %");
        }
    }
}

#[test]
fn two_executions_write_different_bytes_and_the_same_one_the_same() {
    let first = |key| {
        let source = DataSource::new(&Workload::default(), key, None).unwrap();
        written(&source, 3, 1, &[4096])
    };
    assert_eq!(first(1), first(1));
    assert_ne!(first(1), first(2));
}

proptest! {
    /// Any share, any number of slots, also if each writes little: the repeats are within one write per slot of the
    /// requested number, and on average far closer (the test that writes a file checks one point).
    #[test]
    fn as_many_blocks_repeat_as_was_asked(percent in 0_u64..=100, slots in 1_u64..9, writes in 1_usize..80) {
        let content = Content { dedup_percent: Percent::new(percent).unwrap(), ..Content::default() };
        let source = source(DataPattern::Incompressible, content);
        let mut times: HashMap<Vec<u8>, u64> = HashMap::new();
        let mut sectors = HashSet::new();
        for block in (0..slots).flat_map(|slot| written(&source, slot, 3, &vec![512; writes])) {
            *times.entry(block).or_default() += 1;
        }
        prop_assert!(times.keys().all(|block| sectors.insert(block.clone())));
        let (all, distinct) = (slots as f64 * writes as f64, times.len() as f64);
        let asked = all * percent as f64 / 100.0;
        prop_assert!((all - distinct - asked).abs() <= slots as f64, "{} of {all} repeat", all - distinct);
    }

    /// With mixed sizes, a repeat is a block written before or the beginning of one, and each sector outside a repeat
    /// is new.
    #[test]
    fn a_repeat_is_never_longer_than_what_it_repeats(
        percent in 1_u64..100,
        sizes in proptest::collection::vec(proptest::sample::select(vec![512_usize, 1024, 4096]), 1..200),
    ) {
        let content = Content { dedup_percent: Percent::new(percent).unwrap(), ..Content::default() };
        let source = source(DataPattern::Incompressible, content);
        let (mut before, mut sectors): (Vec<Vec<u8>>, HashSet<Vec<u8>>) = Default::default();
        let mut repeats = 0;
        for block in written(&source, 0, 4, &sizes) {
            if before.iter().any(|earlier| earlier.starts_with(&block)) {
                repeats += 1;
            } else {
                prop_assert!(block.chunks(SECTOR).all(|sector| sectors.insert(sector.to_vec())));
            }
            before.push(block);
        }
        prop_assert!(repeats as f64 <= sizes.len() as f64 * percent as f64 / 100.0 + 1.0);
    }

    /// Both slots together write the file's bytes in turn, also if the file is not a multiple of the block size.
    #[test]
    fn a_file_is_written_in_turn_and_begins_again(length in 1_usize..5000, size in 1_usize..3000) {
        let file: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        let workload = Workload {
            data: DataPattern::File,
            block_size: Bytes::new(size as u64),
            queue_depth: QueueDepth::new(2).unwrap(),
            ..Workload::default()
        };
        let source = DataSource::new(&workload, 1, Some(file.as_slice().into())).unwrap();
        let (even, odd) = (written(&source, 0, 1, &[size; 9]), written(&source, 1, 1, &[size; 9]));
        let together: Vec<u8> = even.into_iter().zip(odd).flat_map(|(even, odd)| [even, odd].concat()).collect();
        let asked: Vec<u8> = file.iter().copied().cycle().take(18 * size).collect();
        prop_assert!(together == asked);
    }
}

#[test]
fn zeros_stay_zeros_and_a_pattern_begins_in_each_block() {
    assert!(written(&source(DataPattern::Zero, Content::default()), 0, 2, &[4096; 3]).concat().iter().all(|b| *b == 0));
    let content = Content { pattern: vec![0xde, 0xad, 0xbe], ..Content::default() };
    for block in written(&source(DataPattern::Pattern, content), 5, 2, &[1024; 5]) {
        assert!(block.chunks(3).all(|part| part == &[0xde, 0xad, 0xbe][..part.len()]));
    }
}

#[test]
fn one_block_is_one_per_thread() {
    let source = source(DataPattern::OneBlock, Content::default());
    let blocks = |thread, slot| written(&source.of_thread(thread), slot, 3, &[4096; 7]);
    let distinct: HashSet<Vec<u8>> = [blocks(4, 9), blocks(4, 10)].concat().into_iter().collect();
    assert_eq!(distinct.len(), 1);
    assert!(!distinct.contains(&blocks(5, 11)[0]));
}

#[test]
fn what_contradicts_itself_or_is_missing_is_refused_in_words() {
    let content = |compress, dedup| Content {
        compress_percent: Percent::new(compress).unwrap(),
        dedup_percent: Percent::new(dedup).unwrap(),
        ..Content::default()
    };
    let refused = |workload: Workload| DataSource::new(&workload, 1, None).unwrap_err();
    let plain = Workload::default;
    let zero = Workload { data: DataPattern::Zero, content: content(50, 0), ..plain() };
    assert!(refused(zero).contains("data = \"zero\""));
    assert!(refused(Workload { content: content(100, 0), ..plain() }).contains("at most 99"));
    let sealed = Workload { verify: Verify::Headers, content: content(0, 10), ..plain() };
    assert!(refused(sealed).contains("dedup_percent"));
    assert!(refused(Workload { data: DataPattern::Pattern, ..plain() }).contains("data_pattern"));
    assert!(refused(Workload { data: DataPattern::File, ..plain() }).contains("data_file"));
}

#[test]
fn zeros_are_laid_out_for_the_sizes_of_a_mix() {
    let share = |size| SizeShare { block_size: Bytes::new(size), operations: 1 };
    let workload = Workload {
        block_size: Bytes::new(65536),
        block_size_mix: vec![share(512), share(65536)],
        content: Content { compress_percent: Percent::new(50).unwrap(), ..Content::default() },
        ..Workload::default()
    };
    let source = DataSource::new(&workload, 1, None).unwrap();
    for block in written(&source, 0, 2, &[512, 65536, 512, 512]) {
        let zeros = block.iter().filter(|byte| **byte == 0).count() as f64 / block.len() as f64;
        assert!((zeros - 0.5).abs() < 0.01, "{} bytes: {zeros}", block.len());
    }
}
