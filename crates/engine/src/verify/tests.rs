//! Each fault is made on purpose in a sealed block and must be recognised, whatever the block and wherever the
//! damage; an intact block must never be called bad.

use drivelab_core::load::Verify;
use drivelab_core::record::{DataFault, Verification};
use drivelab_core::units::{Bytes, QueueDepth};
use drivelab_core::workload::{Pattern, Span, Workload};
use proptest::prelude::*;

use super::check::{Checker, Expected, Turn};
use super::findings::Findings;
use super::history::{History, writes_to};
use super::scan::Scan;
use super::seal::{Header, Sealer};
use crate::generate::build::streams;
use crate::generate::data::{DataSource, SECTOR};
use crate::generate::stream::Stream;
use crate::generate::testing::{load, percent, the_one};

const RUN: u64 = 0x0123_4567_89ab_cdef;
const SEED: u64 = 77;
/// The span whose parts are counted: 64 parts of 4 KiB.
const SPAN: Span = Span { offset: Bytes::new(0), length: Bytes::new(64 * 4096) };

/// A block of random bytes, sealed.
fn sealed(size: usize, address: u64, generation: u64) -> Vec<u8> {
    sealed_by(RUN, size, address, generation)
}

/// The same block by another run.
fn sealed_by(run: u64, size: usize, address: u64, generation: u64) -> Vec<u8> {
    let mut block = vec![0; size];
    DataSource::new(&Workload::default(), generation, None).unwrap().fill_pool(&mut block, address, size);
    Sealer::new(run, SEED, size as u64).unwrap().seal(&mut block, address, generation);
    block
}

/// The verdict on a block at an address that should hold a write of generation 9 or later; generations 1 to 20 may
/// have written there.
fn verdict(block: &[u8], address: u64) -> Result<(), (DataFault, Option<u64>)> {
    let checker = Checker::new(RUN, SEED, block.len() as u64).unwrap();
    checker.check(block, address, Expected::Since(Turn { turn: 8, shift: 0 }), |write| (1..=20).contains(&write))
}

fn fault(block: &[u8], address: u64) -> Option<DataFault> {
    verdict(block, address).err().map(|(fault, _)| fault)
}

fn sizes() -> impl Strategy<Value = usize> {
    (1_usize..=16).prop_map(|sectors| sectors * SECTOR)
}

proptest! {
    #[test]
    fn a_block_is_right_where_and_when_it_belongs_and_nowhere_else(
        size in sizes(), address in any::<u64>(), other in any::<u64>(), generation in 1_u64..=20,
    ) {
        prop_assume!(address != other);
        let block = sealed(size, address, generation);
        let stale = (generation < 9).then_some(DataFault::Stale);
        prop_assert_eq!(fault(&block, address), stale);
        prop_assert_eq!(verdict(&block, other), Err((DataFault::Misplaced, Some(address))));
    }

    /// A drive may keep any of the sectors of the earlier write, including the first one, or none; that write may be
    /// an earlier run's.
    #[test]
    fn sectors_of_two_writes_are_torn(
        size in 2_usize..=16, kept in any::<u32>(), before in 0_u64..=20, after in 1_u64..=20, earlier in 0_u64..3,
    ) {
        let all = (1 << size) - 1;
        let kept = kept % (all - 1) + 1;
        prop_assume!(before != after);
        let old = match before {
            0 => vec![0; size * SECTOR],
            _ => sealed_by(RUN - earlier, size * SECTOR, 4096, before),
        };
        let mut block = sealed(size * SECTOR, 4096, after);
        for sector in (0..size).filter(|sector| kept >> sector & 1 == 1) {
            let part = sector * SECTOR..(sector + 1) * SECTOR;
            block[part.clone()].copy_from_slice(&old[part]);
        }
        prop_assert_eq!(fault(&block, 4096), Some(DataFault::Torn));
    }

    /// Up to nearly a sector of other bytes, including header or marks: never taken for another write.
    #[test]
    fn damaged_bytes_are_corrupt(
        size in 2_usize..=16, at in any::<prop::sample::Index>(), damage in prop::collection::vec(1_u8.., 1..=SECTOR - 56),
    ) {
        let mut block = sealed(size * SECTOR, 8192, 15);
        let at = at.index(block.len());
        block[at..].iter_mut().zip(damage).for_each(|(byte, damage)| *byte ^= damage);
        prop_assert_eq!(fault(&block, 8192), Some(DataFault::Corrupt));
    }

    #[test]
    fn one_flipped_bit_anywhere_is_noticed(size in sizes(), at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let mut block = sealed(size, 0, 12);
        let at = at.index(size);
        block[at] ^= 1 << bit;
        let found = fault(&block, 0).expect("a fault");
        prop_assert!(matches!(found, DataFault::Corrupt | DataFault::Foreign), "{found:?}");
        // A block of one sector cannot be recognised otherwise once its header is not one of this run.
        prop_assert!(found == DataFault::Corrupt || size == SECTOR && at < 48);
    }
}

#[test]
fn zeros_other_runs_and_other_content_are_told_apart() {
    let foreign = |run, seed| {
        let mut block = vec![5; 4096];
        Sealer::new(run, seed, 4096).unwrap().seal(&mut block, 0, 9);
        block
    };
    assert_eq!(fault(&[0; 4096], 0), Some(DataFault::Zero));
    assert_eq!(fault(&foreign(RUN + 1, SEED), 0), Some(DataFault::Foreign), "of a later run");
    assert_eq!(fault(&foreign(RUN - 1, SEED), 0), Some(DataFault::Stale), "of an earlier run");
    assert_eq!(fault(&foreign(RUN, SEED + 1), 0), Some(DataFault::Stale), "of another step or round of this run");
    assert_eq!(fault(&foreign(RUN, SEED), 0), None);
    assert_eq!(fault(&[0xff; 4096], 0), Some(DataFault::Foreign));
    assert_eq!(fault(&sealed(8192, 0, 9)[..4096], 0), Some(DataFault::Corrupt), "half of a larger block");
}

#[test]
fn where_nothing_was_written_only_a_block_from_elsewhere_is_wrong() {
    let checker = Checker::new(RUN, SEED, 4096).unwrap();
    let check = |block: &[u8], expected| checker.check(block, 0, expected, |_| true).err().map(|(fault, _)| fault);
    for block in [vec![0; 4096], vec![3; 4096], sealed(4096, 0, 3)] {
        assert_eq!(check(&block, Expected::Nothing), None);
    }
    assert_eq!(check(&sealed(4096, 512, 3), Expected::Nothing), Some(DataFault::Misplaced));
    let zeroed = Expected::ZerosSince(Turn { turn: 5, shift: 0 });
    assert_eq!(check(&[0; 4096], zeroed), None);
    assert_eq!(check(&sealed(4096, 0, 6), zeroed), Some(DataFault::Stale), "turn 5 is the zeroing itself");
    assert_eq!(check(&sealed(4096, 0, 7), zeroed), None);
    assert_eq!(check(&sealed(4096, 0, 7), Expected::Exactly(8)), Some(DataFault::Stale));
    assert_eq!(check(&[0; 4096], Expected::Exactly(8)), Some(DataFault::Zero));
}

/// This layout is on people's drives: the text below is the format, and changing it needs a new version.
#[test]
fn the_header_is_laid_out_as_documented() {
    let mut block = vec![0xaa; 1024];
    Sealer::new(0x1111, 0x4444, 1024).unwrap().seal(&mut block, 0x2222, 0x3333);
    assert_eq!(block[..4], crc32fast::hash(&block[4..]).to_le_bytes());
    assert_eq!(&block[4..8], b"dLaB");
    assert_eq!(block[8..16], [2, 0, 0, 0, 0, 4, 0, 0]);
    let word = |at: usize| u64::from_le_bytes(block[at..at + 8].try_into().unwrap());
    assert_eq!([16, 24, 32, 40].map(word), [0x1111, 0x2222, 0x3333, 0x4444]);
    assert_eq!([word(48), word(512)], [0x327A_5A35_2C49_5BFA, 0x9955_92E1_DC9E_4DFD]);
    let shown = |at: usize| u32::from_le_bytes(block[at..at + 4].try_into().unwrap());
    assert_eq!([shown(56), shown(520)], [0x4B65_CA32, 0x50DB_8D77]);
    assert_eq!(block.iter().filter(|byte| **byte == 0xaa).count(), 1024 - 60 - 12);
    assert_eq!(Header::intact(&block).map(|header| header.generation), Some(0x3333));
}

#[test]
fn sizes_that_cannot_be_sealed_are_refused_in_words() {
    for unit in [0, 100, 1000] {
        assert!(Sealer::new(1, 1, unit).unwrap_err().contains("multiples of 512"));
    }
}

/// A drive that reports more blocks than it has, and takes addresses modulo its real size.
struct Counterfeit {
    real: Vec<u8>,
}

impl Counterfeit {
    fn part(&mut self, address: u64, length: usize) -> &mut [u8] {
        let at = usize::try_from(address).unwrap() % self.real.len();
        &mut self.real[at..at + length]
    }
}

fn found_on_counterfeit(pattern: Pattern, claimed: u64, real: u64, seed: u64) -> Verification {
    let workload =
        Workload { write_percent: percent(100), verify: Verify::Headers, seed, ..load(pattern, claimed / 4096) };
    let stream = the_one(&workload);
    let sealer = Sealer::new(RUN, SEED, 4096).unwrap();
    let mut drive = Counterfeit { real: vec![0; usize::try_from(real).unwrap()] };
    let mut cursor = 0;
    for _ in 0..claimed / 4096 {
        let (op, next) = stream.op(cursor);
        sealer.seal(drive.part(op.offset, 4096), op.offset, cursor + 1);
        cursor = next;
    }
    let history = History::replay(&[stream], &[cursor], 0).unwrap();
    let checker = Checker::new(RUN, SEED, 4096).unwrap();
    // Two threads, each of which reads half of the drive.
    let [mut first, second] = [0, 1].map(|half| {
        let mut findings = Findings::new(SPAN);
        for address in (half * claimed / 2..(half + 1) * claimed / 2).step_by(4096) {
            findings.check(&checker, drive.part(address, 4096), address, &history);
        }
        findings
    });
    first.merge(second);
    first.into_verification()
}

#[test]
fn a_counterfeit_drive_is_seen_through_and_its_real_size_is_named() {
    for (claimed, real) in [(8_u64 << 20, 2_u64 << 20), (9 << 20, 2 << 20), (3 << 20, 2 << 20), (200 << 20, 1 << 20)] {
        for pattern in [Pattern::Sequential, Pattern::Reverse, Pattern::RandomOnce, Pattern::Random] {
            let found = found_on_counterfeit(pattern, claimed, real, 5);
            let what = format!("{claimed} bytes claimed, {real} there, {}", pattern.name());
            assert_eq!(found.wraps_at, Some(Bytes::new(real)), "{what}");
            assert_eq!(found.faults.keys().collect::<Vec<_>>(), [&DataFault::Wrapped], "{what}");
            if pattern != Pattern::Random {
                assert_eq!(found.faults[&DataFault::Wrapped], (claimed - real) / 4096, "{what}");
            }
            assert_eq!((found.first.len(), found.first[0].fault), (64, DataFault::Wrapped), "{what}");
            assert!(found.first.is_sorted_by_key(|block| block.offset), "{what}");
        }
    }
}

#[test]
fn blocks_that_are_misplaced_one_by_one_are_not_called_wrapped() {
    let mut findings = Findings::new(SPAN);
    let stream = the_one(&Workload { write_percent: percent(100), ..load(Pattern::Sequential, 1 << 20) });
    let history = History::replay(&[stream], &[1 << 20], 0).unwrap();
    let checker = Checker::new(RUN, SEED, 4096).unwrap();
    // Distances of 7, 14, 28, ... MiB, each twice, and many of 4 KiB.
    for number in 0..20_u64 {
        let distance = if number < 8 { 7 << 20 << (number / 2) } else { 4096 };
        findings.check(&checker, &sealed(4096, number * 8192 + distance, 1), number * 8192, &history);
    }
    let found = findings.into_verification();
    assert_eq!((found.checked, found.wraps_at), (20, None));
    assert_eq!(found.faults.into_iter().collect::<Vec<_>>(), [(DataFault::Misplaced, 20)]);
    assert_eq!(found.first[0].belongs_at, Some(7 << 20));
    let in_span: Vec<u64> = (0..64).map(|part| u64::from(part % 2 == 0 && part < 40)).collect();
    assert_eq!(found.bad_by_part, in_span, "every second block of the first 40 is bad");
}

#[test]
fn what_is_read_back_at_once_must_be_the_write_itself() {
    let stream = the_one(&Workload { write_percent: percent(100), ..load(Pattern::Sequential, 4) });
    let checker = Checker::new(RUN, SEED, 4096).unwrap();
    let mut findings = Findings::new(SPAN);
    // Blocks 0 and 1 in lap 1; a lap of 4 places is 2 bits of the cursor.
    findings.check_at_once(&checker, &sealed(4096, 0, 5), 0, 5, &stream);
    findings.check_at_once(&checker, &sealed(4096, 4096, 2), 4096, 6, &stream);
    let torn = [&sealed(4096, 0, 1)[..2048], &sealed(4096, 0, 5)[2048..]].concat();
    findings.check_at_once(&checker, &torn, 0, 5, &stream);
    let found = findings.into_verification();
    assert_eq!(found.checked, 3);
    assert_eq!(found.faults.into_iter().collect::<Vec<_>>(), [(DataFault::Stale, 1), (DataFault::Torn, 1)]);
}

/// From the headers alone, with three threads.
#[test]
fn a_scan_finds_how_far_each_stream_came() {
    let workload = Workload {
        write_percent: percent(100),
        verify: Verify::Headers,
        threads: drivelab_core::units::Threads::new(3).unwrap(),
        queue_depth: QueueDepth::ONE,
        ..load(Pattern::Random, 300)
    };
    let streams: Vec<Stream> = streams(&workload, 9).unwrap();
    let mut scan = Scan::new(&streams);
    let mut ends = Vec::new();
    for (stream, operations) in streams.iter().zip([5, 400, 0]) {
        let mut cursor = 0;
        for _ in 0..operations {
            let (op, next) = stream.op(cursor);
            assert!(writes_to(stream, op.offset, cursor + 1));
            scan.note(Header { run: RUN, seed: SEED, address: op.offset, generation: cursor + 1 });
            cursor = next;
        }
        ends.push(cursor);
    }
    // A generation that never wrote there is ignored, and so is an address outside.
    scan.note(Header { run: RUN, seed: SEED, address: 0, generation: u64::MAX });
    scan.note(Header { run: RUN, seed: SEED, address: 1 << 40, generation: 3 });
    assert_eq!(scan.cursors, ends);
}
