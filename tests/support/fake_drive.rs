//! A drive that lies: a loop device on a file in user space that claims more than it keeps.
//!
//! Method: a file system in user space with one file and nothing else (the kernel's include/uapi/linux/fuse.h, protocol
//! 7.31), answered by a thread of the test, and a loop device on that file. The file is opened so that no page cache
//! answers for it. Needs root and /dev/fuse.
#![allow(dead_code, unreachable_pub, reason = "shared by several test programs, each of which uses its part")]

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::path::PathBuf;

use rustix::mount::{MountFlags, UnmountFlags};

use crate::support::{Lab, tool};

/// What it does behind the end of what it keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Behind {
    /// It keeps everything.
    Nothing,
    /// Addresses come round.
    Wraps,
    /// Writes are dropped, reads give zeros.
    Drops,
    /// Writes are taken, reads fail.
    CannotRead,
    /// Writes fail.
    CannotWrite,
}

/// The device; detached and unmounted on drop, which ends its thread.
pub struct FakeDrive {
    file: PathBuf,
    /// `/dev/loopN`.
    pub device: String,
}

impl FakeDrive {
    /// A drive that claims so many bytes and keeps so many, in the lab's folder.
    pub fn new(lab: &Lab, claimed: u64, kept: u64, behind: Behind) -> FakeDrive {
        let fuse = OpenOptions::new().read(true).write(true).open("/dev/fuse").expect("/dev/fuse");
        let file = lab.data().with_file_name("fake.img");
        File::create(&file).expect("a place to mount on");
        let descriptor = fuse.as_fd().as_raw_fd();
        let options = CString::new(format!("fd={descriptor},rootmode=100600,user_id=0,group_id=0")).expect("no zero");
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        rustix::mount::mount("drivelab-fake", &file, "fuse", flags, Some(options.as_c_str())).expect("mounted");
        let mut server = Server { fuse, claimed, kept, behind, bytes: vec![0; usize::try_from(kept).expect("small")] };
        std::thread::spawn(move || server.run());
        let path = file.to_str().expect("a text path");
        let device = tool("losetup", &["--find", "--show", path]);
        FakeDrive { file, device }
    }

    pub fn name(&self) -> &str {
        self.device.trim_start_matches("/dev/")
    }
}

impl Drop for FakeDrive {
    fn drop(&mut self) {
        let _ = std::process::Command::new("losetup").args(["--detach", &self.device]).status();
        let _ = rustix::mount::unmount(&self.file, UnmountFlags::DETACH);
    }
}

/// The side that answers.
struct Server {
    fuse: File,
    claimed: u64,
    kept: u64,
    behind: Behind,
    bytes: Vec<u8>,
}

/// Operations of the protocol.
const GETATTR: u32 = 3;
const OPEN: u32 = 14;
const READ: u32 = 15;
const WRITE: u32 = 16;
const INIT: u32 = 26;
/// Those that get no answer: forget, interrupt, forget several.
const SILENT: [u32; 3] = [2, 36, 42];
/// Bytes of the head of a request, and of what stands before the bytes of a write.
const HEAD: usize = 40;
const BEFORE: usize = 40;
/// Most bytes of a write.
const MOST: u32 = 128 << 10;
/// Of an opened file: nothing of it is kept in the page cache.
const DIRECT: u32 = 1;
const EIO: i32 = 5;
const ENOSYS: i32 = 38;

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

impl Server {
    /// Until the file system is gone.
    fn run(&mut self) {
        let mut request = vec![0; MOST as usize + (64 << 10)];
        while let Ok(length) = self.fuse.read(&mut request) {
            let (operation, number) = (u32_at(&request, 4), u64_at(&request, 8));
            if SILENT.contains(&operation) {
                continue;
            }
            let (error, body) = match self.reply(operation, &request[HEAD..length]) {
                Ok(body) => (0, body),
                Err(errno) => (-errno, Vec::new()),
            };
            let all = u32::try_from(16 + body.len()).expect("short");
            let head = [&all.to_ne_bytes()[..], &error.to_ne_bytes(), &number.to_ne_bytes()].concat();
            if self.fuse.write(&[head, body].concat()).is_err() {
                return;
            }
        }
    }

    fn reply(&mut self, operation: u32, asked: &[u8]) -> Result<Vec<u8>, i32> {
        match operation {
            // Version, no read-ahead and no flags; most bytes of a write, times to 1 ns; the rest is zero.
            INIT => Ok([words(&[7, 31, 0, 0, 0, MOST, 1]), vec![0; 36]].concat()),
            GETATTR => Ok(self.attributes()),
            OPEN => Ok(words(&[1, 0, DIRECT, 0])),
            READ => self.read(u64_at(asked, 8), u64::from(u32_at(asked, 16))),
            WRITE => {
                let (offset, length) = (u64_at(asked, 8), u32_at(asked, 16));
                self.write(offset, &asked[BEFORE..BEFORE + length as usize])?;
                Ok(words(&[length, 0]))
            }
            _ => Err(ENOSYS),
        }
    }

    /// Pieces of a transfer, each with its length and where it is kept, if anywhere.
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

    fn read(&self, offset: u64, length: u64) -> Result<Vec<u8>, i32> {
        let end = (offset + length).min(self.claimed);
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

    fn write(&mut self, offset: u64, mut data: &[u8]) -> Result<(), i32> {
        if offset + data.len() as u64 > self.kept && self.behind == Behind::CannotWrite {
            return Err(EIO);
        }
        for (length, kept) in self.pieces(offset, data.len() as u64) {
            let (piece, rest) = data.split_at(length);
            if let Some(place) = kept {
                self.bytes[place..place + length].copy_from_slice(piece);
            }
            data = rest;
        }
        Ok(())
    }

    /// A file of root's; valid for an hour.
    fn attributes(&self) -> Vec<u8> {
        let mut out = words(&[3600, 0, 0, 0, 1, 0]);
        out.extend(self.claimed.to_ne_bytes());
        out.extend((self.claimed / 512).to_ne_bytes());
        // Times, whole and ns.
        out.extend(vec![0; 3 * 8 + 3 * 4]);
        // Mode, links, owner, group, device, block size, flags.
        out.extend(words(&[0o100_600, 1, 0, 0, 0, 4096, 0]));
        out
    }
}
