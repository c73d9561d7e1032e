//! A file system in user space with a single file, mounted on a file, whose reads and writes a test answers.
//!
//! The kernel's include/uapi/linux/fuse.h, protocol 7.31. A thread of the test answers until the file system is
//! unmounted. Needs root and /dev/fuse. The engine's tests use it as well.
#![allow(unreachable_pub, reason = "shared by test programs of two crates")]

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, UnmountFlags};

/// The functions that answer for the file. Errors are errno numbers.
pub trait OneFile: Send + 'static {
    /// Nothing of the file is kept in the page cache.
    const PAST_THE_CACHE: bool;

    /// Bytes of the file.
    fn length(&self) -> u64;

    /// The content; `thread` is the asking thread, by the kernel's number.
    fn read(&mut self, thread: u32, offset: u64, length: u32) -> Result<Vec<u8>, i32>;

    /// Bytes that were written.
    fn write(&mut self, thread: u32, offset: u64, data: &[u8]) -> Result<u32, i32>;
}

/// The mounted file; unmounted on drop, which ends its thread.
pub struct Mounted {
    path: PathBuf,
}

impl Mounted {
    /// Creates a file here and mounts on it. The error is a sentence.
    pub fn on(path: &Path, file: impl OneFile) -> Result<Mounted, String> {
        let said = |error: &dyn std::fmt::Display| format!("a file system in user space: {error}");
        let fuse = OpenOptions::new().read(true).write(true).open("/dev/fuse").map_err(|error| said(&error))?;
        File::create(path).map_err(|error| said(&error))?;
        let descriptor = fuse.as_fd().as_raw_fd();
        let options = CString::new(format!("fd={descriptor},rootmode=100600,user_id=0,group_id=0"));
        let options = options.map_err(|error| said(&error))?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        rustix::mount::mount("drivelab-test", path, "fuse", flags, Some(options.as_c_str()))
            .map_err(|error| said(&error))?;
        std::thread::spawn(move || Server { fuse, file }.run());
        Ok(Mounted { path: path.to_path_buf() })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = rustix::mount::unmount(&self.path, UnmountFlags::DETACH);
    }
}

/// The answering side.
struct Server<F> {
    fuse: File,
    file: F,
}

/// Operations of the protocol.
const GETATTR: u32 = 3;
const OPEN: u32 = 14;
const READ: u32 = 15;
const WRITE: u32 = 16;
const INIT: u32 = 26;
/// Operations without an answer: forget, interrupt, forget several.
const SILENT: [u32; 3] = [2, 36, 42];
/// Bytes of the head of a request, and bytes before the data of a write.
const HEAD: usize = 40;
const BEFORE: usize = 40;
/// Most bytes of a write; the kernel asks for room for one page more.
const MOST: u32 = 128 << 10;
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

impl<F: OneFile> Server<F> {
    /// Until the file system is gone: ENODEV.
    fn run(&mut self) {
        let mut request = vec![0; MOST as usize + (64 << 10)];
        while let Ok(length) = self.fuse.read(&mut request) {
            let request = &request[..length];
            let (operation, number) = (u32_at(request, 4), u64_at(request, 8));
            if SILENT.contains(&operation) {
                continue;
            }
            let (error, body) = match self.reply(operation, u32_at(request, 32), &request[HEAD..]) {
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

    fn reply(&mut self, operation: u32, thread: u32, asked: &[u8]) -> Result<Vec<u8>, i32> {
        match operation {
            // Version, no read-ahead and no flags; most bytes of a write, times to 1 ns; the rest is zero.
            INIT => Ok([words(&[7, 31, 0, 0, 0, MOST, 1]), vec![0; 36]].concat()),
            GETATTR => Ok(self.attributes()),
            OPEN => Ok(words(&[1, 0, u32::from(F::PAST_THE_CACHE), 0])),
            READ => self.file.read(thread, u64_at(asked, 8), u32_at(asked, 16)),
            WRITE => {
                let (offset, length) = (u64_at(asked, 8), u32_at(asked, 16));
                let done = self.file.write(thread, offset, &asked[BEFORE..BEFORE + length as usize])?;
                Ok(words(&[done, 0]))
            }
            _ => Err(ENOSYS),
        }
    }

    /// A file of root's; valid for an hour.
    fn attributes(&self) -> Vec<u8> {
        let length = self.file.length();
        let mut out = words(&[3600, 0, 0, 0, 1, 0]);
        out.extend(length.to_ne_bytes());
        out.extend((length / 512).to_ne_bytes());
        // Times, whole and ns.
        out.extend(vec![0; 3 * 8 + 3 * 4]);
        // Mode, links, owner, group, device, block size, flags.
        out.extend(words(&[0o100_600, 1, 0, 0, 0, 4096, 0]));
        out
    }
}
