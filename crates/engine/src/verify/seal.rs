//! The marks that tell a block from any other: a header, and a mark in each of its other sectors.
//!
//! A block is the unit of a stream: the size of its operations or, in a mix, a size that all sizes are multiples of.
//! All numbers are little-endian.
//!
//! | byte | header |
//! |---|---|
//! | 0 | CRC-32 (IEEE 802.3) of all bytes of the block behind it |
//! | 4 | magic `dLaB` |
//! | 8 | version of this layout |
//! | 12 | bytes of the block |
//! | 16 | run |
//! | 24 | address: first byte in the target |
//! | 32 | generation: cursor of the write in its stream, plus one |
//! | 40 | seed |
//! | 48 | mark of the first sector |
//!
//! The first 12 bytes of each further sector are its mark: 8 bytes computed from generation and sector number by
//! bijections, so that both can be recovered, and 4 bytes computed from those, so that a damaged mark can be told
//! from the mark of another write, whichever run wrote it. So a block with sectors of two writes can be told from a
//! block with damaged bytes.

use crate::generate::data::SECTOR;
use crate::generate::{GOLDEN, derive, mix, unmix};

const MAGIC: [u8; 4] = *b"dLaB";
const VERSION: u32 = 2;
/// Bytes of the header.
const HEADER: usize = FIRST_MARK + MARK;
/// Where the mark of the first sector is.
const FIRST_MARK: usize = 48;
/// Bytes of a mark: its content, and a check that it is whole.
const MARK: usize = SAYS + 4;
const SAYS: usize = 8;
/// Bytes of the checksum, which it does not cover.
const SUM: usize = 4;

/// Content of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) run: u64,
    pub(crate) address: u64,
    pub(crate) generation: u64,
    pub(crate) seed: u64,
}

impl Header {
    /// The header of a block, whether the rest of it is right or not; `None` if there is none of this version, or one
    /// for a block of another length.
    pub(super) fn read(block: &[u8]) -> Option<Self> {
        let header = block.first_chunk::<HEADER>()?;
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| header[at + byte]));
        let half = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| header[at + byte]));
        let is_one = header[4..8] == MAGIC && half(8) == VERSION && usize::try_from(half(12)) == Ok(block.len());
        is_one.then(|| Header { run: word(16), address: word(24), generation: word(32), seed: word(40) })
    }

    /// The header of a block that is as it was sealed, whichever run wrote it.
    #[inline]
    pub(crate) fn intact(block: &[u8]) -> Option<Self> {
        let header = Self::read(block)?;
        let sum = block.first_chunk::<SUM>().map(|sum| u32::from_le_bytes(*sum));
        (sum == Some(checksum(block))).then_some(header)
    }

    /// Everything except the checksum. The caller ensures that the block has room for it.
    #[inline]
    fn write(self, block: &mut [u8]) {
        let length = u32::try_from(block.len()).unwrap_or(u32::MAX);
        let Some(header) = block.first_chunk_mut::<HEADER>() else { return };
        header[4..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&length.to_le_bytes());
        for (word, at) in [self.run, self.address, self.generation, self.seed].into_iter().zip((16..).step_by(8)) {
            header[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
    }
}

#[inline]
fn checksum(block: &[u8]) -> u32 {
    crc32fast::hash(block.get(SUM..).unwrap_or_default())
}

/// Makes and reads the marks of a run's sectors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    key: u64,
}

impl Marks {
    pub(super) const fn new(run: u64, seed: u64) -> Self {
        Marks { key: derive(run, seed) }
    }

    /// The generations whose writes the sectors of a block come from, as far as their marks are whole. A sector that
    /// another run or stream wrote gives a meaningless number.
    pub(super) fn generations(self, block: &[u8]) -> impl Iterator<Item = u64> {
        (0_u64..).zip(block.chunks_exact(SECTOR)).filter_map(move |(number, sector)| {
            let (says, shows) = sector.get(place(number)..)?.split_first_chunk::<SAYS>()?;
            let mark = u64::from_le_bytes(*says);
            let is_whole = shows.first_chunk() == Some(&shown(mark));
            is_whole.then(|| unmix(unmix(mark).wrapping_sub(number.wrapping_mul(GOLDEN))) ^ self.key)
        })
    }

    #[inline]
    fn write(self, block: &mut [u8], generation: u64) {
        let base = mix(self.key ^ generation);
        let (sectors, _) = block.as_chunks_mut::<SECTOR>();
        for (number, sector) in (0..).zip(sectors) {
            let (at, mark) = (place(number), mix(base.wrapping_add(number.wrapping_mul(GOLDEN))));
            sector[at..at + SAYS].copy_from_slice(&mark.to_le_bytes());
            sector[at + SAYS..at + MARK].copy_from_slice(&shown(mark));
        }
    }
}

/// Where the mark of this sector is.
const fn place(number: u64) -> usize {
    if number == 0 { FIRST_MARK } else { 0 }
}

/// The check that a mark is whole.
#[inline]
fn shown(mark: u64) -> [u8; MARK - SAYS] {
    let bytes = mix(mark ^ GOLDEN).to_le_bytes();
    std::array::from_fn(|place| bytes[place])
}

/// Seals blocks before they are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sealer {
    run: u64,
    seed: u64,
    unit: usize,
    marks: Marks,
}

impl Sealer {
    /// For blocks of `unit` bytes. `run` differs for everything that must not be taken for this run; `seed` tells
    /// parts of a run apart.
    ///
    /// # Errors
    /// A sentence if blocks of this size cannot be sealed.
    pub(crate) fn new(run: u64, seed: u64, unit: u64) -> Result<Self, String> {
        let size =
            usize::try_from(unit).ok().filter(|unit| unit.is_multiple_of(SECTOR) && u32::try_from(*unit).is_ok());
        let Some(unit) = size.filter(|unit| *unit > 0) else {
            return Err(format!(
                "blocks of {unit} bytes cannot be verified: headers need multiples of {SECTOR} bytes, also \
                 for all sizes of a mix"
            ));
        };
        Ok(Sealer { run, seed, unit, marks: Marks::new(run, seed) })
    }

    /// Bytes of a block.
    pub(crate) const fn unit(&self) -> usize {
        self.unit
    }

    /// Seals the data of a write that starts at `address`, block by block.
    #[inline]
    pub(crate) fn seal(&self, buffer: &mut [u8], address: u64, generation: u64) {
        for (block, address) in buffer.chunks_exact_mut(self.unit).zip((address..).step_by(self.unit)) {
            Header { run: self.run, address, generation, seed: self.seed }.write(block);
            self.marks.write(block, generation);
            let sum = checksum(block).to_le_bytes();
            block[..SUM].copy_from_slice(&sum);
        }
    }
}
