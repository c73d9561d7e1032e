//! Whether direct I/O on a file really bypasses the page cache, and the alignment that it needs.
//!
//! The kernel's answer (statx(2), STATX_DIOALIGN, Linux 6.1; 0 means no direct I/O) is used first and then tested
//! with a real aligned transfer. If the kernel gives no answer, a block device behind the file system decides: tmpfs
//! accepts O_DIRECT since Linux 6.6 and answers from memory, so a successful open proves nothing.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use drivelab_core::target::DirectIo;
use drivelab_core::units::Bytes;
use rustix::fs::{AtFlags, StatxFlags, statx};

use crate::error::ErrorKind;

/// Smallest alignment of buffers, even if the kernel accepts less (it is the page size nearly everywhere, and the
/// size at which NVMe controllers split).
const BLOCK: usize = 4096;

/// How the trial transfer is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trial {
    /// Only a read: the file holds a user's data.
    Read,
    /// A write of zeros at offset 0, then a read: the file is drivelab's.
    WriteAndRead,
}

fn unsupported(reason: String) -> DirectIo {
    let align = Bytes::new(BLOCK as u64);
    DirectIo { supported: false, memory_align: align, offset_align: align, reason }
}

/// STATX_DIOALIGN of an open file: buffer and offset alignment; `None` if the kernel or file system gives no answer.
fn kernel_alignment(file: &File) -> Option<(u32, u32)> {
    let status = statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN).ok()?;
    (status.stx_mask & StatxFlags::DIOALIGN.bits() != 0)
        .then_some((status.stx_dio_mem_align, status.stx_dio_offset_align))
}

/// The answer without a transfer: alignments and their source, or why direct I/O is not supported. `logical_block` is
/// that of the block device behind the file system, if there is one.
fn expected(kernel: Option<(u32, u32)>, logical_block: Option<Bytes>) -> Result<(u64, u64, String), DirectIo> {
    match (kernel, logical_block) {
        (Some((0, _) | (_, 0)), _) => {
            Err(unsupported("the kernel reports that this file does not support direct I/O".into()))
        }
        (Some((memory, offset)), _) => Ok((memory.into(), offset.into(), "reported by the kernel (statx)".into())),
        (None, Some(block)) => {
            let text = "the kernel does not report the alignment; the device's logical block size is used";
            Ok((block.get(), block.get(), text.into()))
        }
        (None, None) => Err(unsupported(
            "no block device behind this file system (as on tmpfs): even with O_DIRECT, memory would be measured"
                .into(),
        )),
    }
}

/// Moves one block with O_DIRECT.
fn try_transfer(direct: &File, memory: u64, offset: u64, trial: Trial) -> io::Result<()> {
    let size = |align: u64| usize::try_from(align).ok().filter(|align| align.is_power_of_two() && *align <= 1 << 24);
    let (Some(memory), Some(offset)) = (size(memory), size(offset)) else {
        return Err(io::Error::other("the alignment is not a power of two up to 16 MiB"));
    };
    let (align, length) = (memory.max(BLOCK), offset.max(BLOCK));
    let mut buffer = vec![0u8; length + align];
    let start = buffer.as_ptr().align_offset(align);
    let block = buffer.get_mut(start..start + length).ok_or_else(|| io::Error::other("no aligned buffer"))?;
    if trial == Trial::WriteAndRead {
        match direct.write_all_at(block, 0) {
            // On a full disk, the read alone, which returns nothing, still shows whether the kernel accepts the
            // alignment.
            Err(error) if ErrorKind::of(&error) == ErrorKind::NoSpace => {}
            written => written?,
        }
    }
    direct.read_at(block, 0).map(drop)
}

/// Checks an open file; `direct` is the same file opened with O_DIRECT, or the kernel's error.
pub(crate) fn examine(file: &File, direct: &io::Result<File>, logical_block: Option<Bytes>, trial: Trial) -> DirectIo {
    let (memory, offset, source) = match expected(kernel_alignment(file), logical_block) {
        Ok(expected) => expected,
        Err(answer) => return answer,
    };
    let direct = match direct {
        Ok(direct) => direct,
        Err(error) => return unsupported(format!("opening with O_DIRECT was refused: {error}")),
    };
    match try_transfer(direct, memory, offset, trial) {
        Ok(()) => DirectIo {
            supported: true,
            memory_align: Bytes::new(memory),
            offset_align: Bytes::new(offset),
            reason: format!("{source}; a transfer of one block with O_DIRECT worked"),
        },
        Err(error) => unsupported(format!("a transfer of one block with O_DIRECT failed: {error}")),
    }
}

/// The answer for a folder in which no file can be created: the likely one, from the device behind it.
pub(crate) fn guess(logical_block: Option<Bytes>) -> DirectIo {
    match expected(None, logical_block) {
        Ok((memory, offset, _)) => DirectIo {
            supported: true,
            memory_align: Bytes::new(memory),
            offset_align: Bytes::new(offset),
            reason: "not tested: no file could be created here; there is a block device behind the file system".into(),
        },
        Err(answer) => answer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_from_the_kernel_means_no_direct_io_even_on_a_block_device() {
        let answer = expected(Some((0, 0)), Some(Bytes::new(512))).expect_err("no direct I/O");
        assert!(!answer.supported);
    }

    #[test]
    fn silence_of_the_kernel_is_decided_by_the_block_device() {
        assert!(matches!(expected(None, Some(Bytes::new(4096))), Ok((4096, 4096, _))));
        let answer = expected(None, None).expect_err("no direct I/O");
        assert!(answer.reason.contains("no block device"), "{}", answer.reason);
    }

    #[test]
    fn an_alignment_that_makes_no_sense_is_an_error_and_no_panic() {
        let file = tempfile::tempfile().expect("a file");
        assert!(try_transfer(&file, 3, 512, Trial::Read).is_err());
        assert!(try_transfer(&file, 512, u64::MAX, Trial::Read).is_err());
    }
}
