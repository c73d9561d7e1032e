//! A drive that lies: a loop device on a file in user space that claims more than it keeps. The file is opened so that
//! no page cache answers for it. Needs root and /dev/fuse.
#![allow(dead_code, unreachable_pub, reason = "shared by several test programs, each of which uses its part")]

#[path = "one_file.rs"]
mod one_file;

use drivelab_rig::LoopDevice;

use crate::support::Lab;
use one_file::{Mounted, OneFile};

/// What it does beyond the end of the capacity that it keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Behind {
    /// It keeps everything.
    Nothing,
    /// Addresses wrap around.
    Wraps,
    /// Writes are dropped, reads return zeros.
    Drops,
    /// Writes succeed, reads fail.
    CannotRead,
    /// Writes fail.
    CannotWrite,
}

/// The device, and then its file, unmounted.
pub struct FakeDrive {
    pub disk: LoopDevice,
    _file: Mounted,
}

impl FakeDrive {
    /// A drive that claims this many bytes and keeps this many, in the lab's folder.
    pub fn new(lab: &Lab, claimed: u64, kept: u64, behind: Behind) -> FakeDrive {
        let bytes = vec![0; usize::try_from(kept).expect("small")];
        let file = Mounted::on(&lab.data().with_file_name("fake.img"), Flash { claimed, kept, behind, bytes });
        let file = file.expect("mounted");
        let disk = LoopDevice::on(file.path(), &[]).expect("a loop device");
        FakeDrive { disk, _file: file }
    }
}

/// The data that it keeps.
struct Flash {
    claimed: u64,
    kept: u64,
    behind: Behind,
    bytes: Vec<u8>,
}

const EIO: i32 = 5;

impl Flash {
    /// Pieces of a transfer, each with its length and the place where it is kept, if it is kept.
    fn pieces(&self, offset: u64, length: u64) -> Vec<(usize, Option<usize>)> {
        let (mut at, end, mut pieces) = (offset, offset + length, Vec::new());
        while at < end {
            let place = if self.behind == Behind::Wraps { at % self.kept } else { at };
            let here = if place < self.kept { (end - at).min(self.kept - place) } else { end - at };
            let kept = usize::try_from(place).ok().filter(|_| place < self.kept);
            pieces.push((usize::try_from(here).expect("small"), kept));
            at += here;
        }
        pieces
    }
}

impl OneFile for Flash {
    const PAST_THE_CACHE: bool = true;

    fn length(&self) -> u64 {
        self.claimed
    }

    fn read(&mut self, _: u32, offset: u64, length: u32) -> Result<Vec<u8>, i32> {
        let end = (offset + u64::from(length)).min(self.claimed);
        if end > self.kept && self.behind == Behind::CannotRead {
            return Err(EIO);
        }
        let mut read = Vec::new();
        for (length, kept) in self.pieces(offset, end.saturating_sub(offset)) {
            match kept {
                Some(place) => read.extend_from_slice(&self.bytes[place..place + length]),
                None => read.resize(read.len() + length, 0),
            }
        }
        Ok(read)
    }

    fn write(&mut self, _: u32, offset: u64, data: &[u8]) -> Result<u32, i32> {
        if offset + data.len() as u64 > self.kept && self.behind == Behind::CannotWrite {
            return Err(EIO);
        }
        let mut rest = data;
        for (length, kept) in self.pieces(offset, data.len() as u64) {
            let (piece, after) = rest.split_at(length);
            if let Some(place) = kept {
                self.bytes[place..place + length].copy_from_slice(piece);
            }
            rest = after;
        }
        Ok(u32::try_from(data.len()).expect("small"))
    }
}
