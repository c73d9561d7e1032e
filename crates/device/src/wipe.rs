//! Wiping a device that the guard released: discard, write zeroes, overwrite; and the check afterwards.
//!
//! Goes from the first byte to the last in pieces, so that progress can be shown and a stop takes effect soon.
//! Commands of an NVMe controller (format, sanitize) are in [`drive`]: they are commands of the drive and not of the
//! block layer. Must not know screens, nor how the device was released.

pub mod drive;
mod ioctl;

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::fs::FileExt;

use drivelab_core::clock::StopToken;
use drivelab_core::target::WritableTarget;
use drivelab_core::units::Bytes;
use rustix::fs::{Advice, fadvise, fsync};
use rustix::io::Errno;

use crate::guard::sampling;

/// How the block layer wipes a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// BLKDISCARD: the device may forget its content; most drives return zeros afterwards, some do not.
    Discard,
    /// BLKZEROOUT: the device returns zeros afterwards, by its own command or because zeros are written.
    WriteZeroes,
    /// Writes incompressible data to every block, past the page cache.
    Overwrite,
}

impl How {
    /// Bytes per call.
    const fn piece(self) -> u64 {
        match self {
            How::Discard => 1 << 30,
            How::WriteZeroes => 128 << 20,
            How::Overwrite => 8 << 20,
        }
    }
}

/// Result of a wipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wiped {
    /// Wiped bytes, from the start of the device without a gap.
    pub done: Bytes,
    /// Whether it was stopped before the end.
    pub stopped: bool,
}

/// Result of the check after a wipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checked {
    /// Number of 4 KiB blocks that were read.
    pub blocks: u64,
    /// Number of these blocks with wrong content.
    pub wrong: u64,
    /// Offset of the first of these.
    pub first_wrong: Option<u64>,
}

/// Why a device was not wiped.
#[derive(Debug, thiserror::Error)]
#[error("{what} of {path} failed at byte {offset}: {source}; {}", advice(*how, source))]
pub struct WipeError {
    what: &'static str,
    path: String,
    offset: u64,
    how: How,
    source: io::Error,
}

impl WipeError {
    /// Whether the device does not support this way.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        unsupported(&self.source)
    }
}

fn unsupported(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::OPNOTSUPP | Errno::NOTTY))
}

fn advice(how: How, error: &io::Error) -> &'static str {
    match how {
        How::Discard if unsupported(error) => "it does not support discards: use --how write-zeroes or --how overwrite",
        _ => "the system log (dmesg) may say more",
    }
}

/// Wipes the device; `progress` is told after each piece how much is done. The seed makes the overwriting data
/// different from what another run wrote.
///
/// # Errors
/// The device's error, with its offset.
pub fn wipe(
    target: &WritableTarget,
    how: How,
    seed: u64,
    stop: &StopToken,
    progress: &mut dyn FnMut(Bytes),
) -> Result<Wiped, WipeError> {
    let length = target.length().get();
    let failed = |what: &'static str, offset: u64| {
        let path = target.path().display().to_string();
        move |source: io::Error| WipeError { what, path, offset, how, source }
    };
    let Some(handle) = target.handle(how == How::Overwrite).or_else(|| target.handle(false)) else {
        return Err(failed("opening", 0)(io::Error::other("there is no handle")));
    };
    let mut pattern = (how == How::Overwrite).then(|| Pattern::new(seed, How::Overwrite.piece()));
    let file = File::from(handle.try_clone_to_owned().map_err(failed("opening", 0))?);
    let mut at = 0;
    while at < length && !stop.is_stopped() {
        let size = how.piece().min(length - at);
        match (how, &mut pattern) {
            (How::Discard, _) => ioctl::discard(handle, at, size).map_err(io::Error::from),
            (How::Overwrite, Some(pattern)) => file.write_all_at(pattern.at(at, size), at),
            (How::WriteZeroes | How::Overwrite, _) => ioctl::write_zeroes(handle, at, size).map_err(io::Error::from),
        }
        .map_err(failed("wiping", at))?;
        at += size;
        progress(Bytes::new(at));
    }
    fsync(handle).map_err(|error| failed("making the wipe durable", at)(error.into()))?;
    // If the device had partitions, the kernel still shows them; a partition has none, and then this call returns an
    // error.
    let _ = target.handle(false).map(ioctl::read_partitions_again);
    Ok(Wiped { done: Bytes::new(at), stopped: at < length })
}

/// Reads samples and checks them: zeros after write-zeroes, one repeated byte after a discard, the written data after
/// an overwrite.
///
/// # Errors
/// The device's error, with its offset.
pub fn check(target: &WritableTarget, how: How, seed: u64) -> Result<Checked, WipeError> {
    let mut pattern = Pattern::new(seed, sampling::BLOCK);
    let mut checked = Checked::default();
    for_samples(target, &mut |offset, block| {
        let right = match how {
            How::Discard => sampling::is_empty(block),
            How::WriteZeroes => sampling::is_empty(block) && block.first() == Some(&0),
            How::Overwrite => block == pattern.at(offset, block.len() as u64),
        };
        checked.blocks += 1;
        if !right {
            checked.wrong += 1;
            checked.first_wrong.get_or_insert(offset);
        }
    })?;
    Ok(checked)
}

/// Content of some blocks before a drive wiped itself: their offsets, and a hash of the content. Empty blocks are
/// left out.
#[derive(Debug, Clone)]
pub struct Remembered {
    looked_at: u64,
    blocks: Vec<(u64, u64)>,
    hasher: RandomState,
}

/// Reads samples before a drive wipes itself: afterwards it may return zeros, ones or noise, so only a comparison
/// shows whether any data is left.
///
/// # Errors
/// The device's error, with its offset.
pub fn remember(target: &WritableTarget) -> Result<Remembered, WipeError> {
    let hasher = RandomState::new();
    let (mut looked_at, mut blocks) = (0, Vec::new());
    for_samples(target, &mut |offset, block| {
        looked_at += 1;
        if !sampling::is_empty(block) {
            blocks.push((offset, hasher.hash_one(block)));
        }
    })?;
    Ok(Remembered { looked_at, blocks, hasher })
}

/// Reads the same blocks again: counts those that held data and still hold it.
///
/// # Errors
/// The device's error, with its offset.
pub fn forgotten(target: &WritableTarget, before: &Remembered) -> Result<Checked, WipeError> {
    let mut checked = Checked { blocks: before.looked_at, ..Checked::default() };
    let mut hashes = before.blocks.iter();
    let offsets: Vec<u64> = before.blocks.iter().map(|(offset, _)| *offset).collect();
    for_blocks(target, &offsets, &mut |offset, block| {
        let same = hashes.next().is_some_and(|(_, hash)| *hash == before.hasher.hash_one(block));
        if same && !sampling::is_empty(block) {
            checked.wrong += 1;
            checked.first_wrong.get_or_insert(offset);
        }
    })?;
    Ok(checked)
}

fn for_samples(target: &WritableTarget, look: &mut dyn FnMut(u64, &[u8])) -> Result<(), WipeError> {
    for_blocks(target, &sampling::of_device(target.length().get()), look)
}

/// Reads blocks past the page cache if possible.
fn for_blocks(target: &WritableTarget, offsets: &[u64], look: &mut dyn FnMut(u64, &[u8])) -> Result<(), WipeError> {
    let failed = |offset: u64| {
        let path = target.path().display().to_string();
        move |source: io::Error| WipeError { what: "reading back", path, offset, how: How::Overwrite, source }
    };
    let handle = target.handle(true).or_else(|| target.handle(false));
    let handle = handle.ok_or_else(|| failed(0)(io::Error::other("there is no handle")))?;
    let file = File::from(handle.try_clone_to_owned().map_err(failed(0))?);
    let _ = fadvise(&file, 0, None, Advice::DontNeed);
    let mut buffer = Aligned::new(sampling::BLOCK);
    for offset in offsets.iter().copied() {
        let block = buffer.part(sampling::BLOCK.min(target.length().get() - offset));
        file.read_exact_at(block, offset).map_err(failed(offset))?;
        look(offset, block);
    }
    Ok(())
}

/// A seed that no other run uses.
#[must_use]
pub fn new_seed() -> u64 {
    sampling::seed()
}

/// Memory that is aligned for direct I/O.
struct Aligned {
    memory: Vec<u8>,
    start: usize,
}

impl Aligned {
    /// Largest alignment that direct I/O needs.
    const ALIGN: usize = 4096;

    fn new(length: u64) -> Aligned {
        let memory = vec![0; length as usize + Aligned::ALIGN];
        let start = memory.as_ptr().align_offset(Aligned::ALIGN);
        Aligned { memory, start }
    }

    fn part(&mut self, length: u64) -> &mut [u8] {
        &mut self.memory[self.start..self.start + length as usize]
    }
}

/// Incompressible data in which every 4 KiB block depends on its offset: the same random block everywhere, mixed with
/// a number from seed and offset, so that any block can be generated alone.
struct Pattern {
    seed: u64,
    buffer: Aligned,
    /// 512 random words.
    block: Vec<u64>,
}

impl Pattern {
    fn new(seed: u64, length: u64) -> Pattern {
        let words = sampling::random(seed).take(sampling::BLOCK as usize / 8);
        Pattern { seed, buffer: Aligned::new(length), block: words.collect() }
    }

    /// The data at an offset of the device.
    fn at(&mut self, offset: u64, length: u64) -> &[u8] {
        let (seed, words) = (self.seed, &self.block);
        let part = self.buffer.part(length);
        for (block, place) in
            part.chunks_mut(sampling::BLOCK as usize).zip((offset..).step_by(sampling::BLOCK as usize))
        {
            let mix = sampling::random(seed ^ place).next().unwrap_or_default();
            for (bytes, word) in block.chunks_mut(8).zip(words) {
                bytes.copy_from_slice(&(word ^ mix).to_le_bytes()[..bytes.len()]);
            }
        }
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_of_what_is_written_can_be_made_again_and_no_two_are_alike() {
        let mut long = Pattern::new(7, 1 << 20);
        let all = long.at(1 << 20, 1 << 20).to_vec();
        let mut short = Pattern::new(7, 4096);
        let mut blocks: Vec<&[u8]> = all.chunks(4096).collect();
        for (index, block) in (0u64..).zip(&blocks) {
            assert_eq!(short.at((1 << 20) + index * 4096, 4096), *block);
            assert!(!sampling::is_empty(block));
        }
        blocks.sort_unstable();
        blocks.dedup();
        assert_eq!(blocks.len(), 256);
        assert_ne!(Pattern::new(8, 4096).at(1 << 20, 4096), &all[..4096]);
    }

    #[test]
    fn a_device_that_takes_no_discards_is_told_what_to_do() {
        let source = io::Error::from(Errno::OPNOTSUPP);
        let error = WipeError { what: "wiping", path: "/dev/x".to_owned(), offset: 0, how: How::Discard, source };
        assert!(error.is_unsupported() && error.to_string().contains("--how write-zeroes"), "{error}");
    }
}
