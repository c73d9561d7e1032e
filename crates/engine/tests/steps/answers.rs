//! A file that never does what must not wait, and whose other reads and writes are answered by the test: whole, in
//! part, or with EAGAIN.
//!
//! Method: a file system in user space with one file and nothing else, mounted on a file (the kernel's
//! include/uapi/linux/fuse.h, protocol 7.31). A thread that issues through a ring gets EAGAIN for everything, as from a
//! layer that would have to wait; io_uring tries over and over (129 times with Linux 6.18) and then lets one of its own
//! threads (`iou-wrk-N`) wait, whom the test answers. EAGAIN to that one is what the engine gets. Needs root and
//! /dev/fuse.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use drivelab_core::load::OpKind;
use rustix::mount::{MountFlags, UnmountFlags};

/// What a request is answered with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Whole,
    /// So many bytes of it.
    Part(u32),
    Eagain,
}

/// A read or a write by a thread that may wait, and what was answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Asked {
    pub(crate) kind: OpKind,
    pub(crate) offset: u64,
    pub(crate) length: u32,
    pub(crate) answer: Answer,
}

/// Everything that threads that may wait asked for, in order.
pub(crate) type Log = Arc<Mutex<Vec<Asked>>>;

/// The file; unmounted on drop, which ends its thread.
pub(crate) struct Answering {
    folder: tempfile::TempDir,
    pub(crate) log: Log,
}

impl Answering {
    /// `answer` gets the kind, offset and length of a request, and how often exactly that was asked before by a thread
    /// that may wait.
    pub(crate) fn new(
        length: u64,
        answer: impl Fn(OpKind, u64, u32, usize) -> Answer + Send + 'static,
    ) -> Result<Self, String> {
        let said = |error: &dyn std::fmt::Display| format!("a file system in user space: {error}");
        let device = OpenOptions::new().read(true).write(true).custom_flags(libc::O_CLOEXEC).open("/dev/fuse");
        let device = device.map_err(|error| said(&error))?;
        let made = Answering { folder: crate::common::folder(), log: Log::default() };
        File::create(made.path()).map_err(|error| said(&error))?;
        let descriptor = device.as_fd().as_raw_fd();
        let options = format!("fd={descriptor},rootmode=100600,user_id=0,group_id=0");
        let options = CString::new(options).map_err(|error| said(&error))?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        rustix::mount::mount("drivelab-test", made.path(), "fuse", flags, Some(options.as_c_str()))
            .map_err(|error| said(&error))?;
        let mut served = Served { device, length, log: Arc::clone(&made.log), answer: Box::new(answer) };
        std::thread::spawn(move || served.run());
        Ok(made)
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("target")
    }

    pub(crate) fn take(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let _ = rustix::mount::unmount(self.path(), UnmountFlags::DETACH);
    }
}

type Answers = Box<dyn Fn(OpKind, u64, u32, usize) -> Answer + Send>;

/// The side that answers.
struct Served {
    device: File,
    length: u64,
    log: Log,
    answer: Answers,
}

/// Operations of the protocol.
const GETATTR: u32 = 3;
const OPEN: u32 = 14;
const READ: u32 = 15;
const WRITE: u32 = 16;
const INIT: u32 = 26;
/// Those that get no answer: forget, interrupt, forget several.
const SILENT: [u32; 3] = [2, 36, 42];
/// Bytes of the head of a request.
const HEAD: usize = 40;
/// Most bytes of a write; the kernel asks for room for a page more.
const MOST: u32 = 128 << 10;

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap())
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

/// Whether it is one of io_uring's own threads.
fn may_wait(thread: u32) -> bool {
    let name = std::fs::read_to_string(format!("/proc/self/task/{thread}/comm"));
    name.is_ok_and(|name| name.starts_with("iou-wrk"))
}

impl Served {
    /// Until the file system is gone: ENODEV.
    fn run(&mut self) {
        let mut request = vec![0; MOST as usize + (64 << 10)];
        while let Ok(length) = self.device.read(&mut request) {
            let request = &request[..length];
            let (operation, number) = (u32_at(request, 4), u64_at(request, 8));
            if SILENT.contains(&operation) {
                continue;
            }
            let (error, body) = match self.reply(operation, u32_at(request, 32), &request[HEAD..]) {
                Ok(body) => (0, body),
                Err(errno) => (-errno, Vec::new()),
            };
            let all = u32::try_from(16 + body.len()).unwrap();
            let head = [&all.to_ne_bytes()[..], &error.to_ne_bytes(), &number.to_ne_bytes()].concat();
            if self.device.write(&[head, body].concat()).is_err() {
                return;
            }
        }
    }

    fn reply(&self, operation: u32, thread: u32, asked: &[u8]) -> Result<Vec<u8>, i32> {
        match operation {
            // Version, no read-ahead and no flags; most bytes of a write, times to 1 ns; the rest is zero.
            INIT => Ok([words(&[7, 31, 0, 0, 0, MOST, 1]), vec![0; 36]].concat()),
            GETATTR => Ok(self.attributes()),
            OPEN => Ok(words(&[1, 0, 0, 0])),
            READ | WRITE if !may_wait(thread) => Err(libc::EAGAIN),
            READ => {
                let (offset, length) = (u64_at(asked, 8), u32_at(asked, 16));
                let inside = self.length.saturating_sub(offset).min(u64::from(length));
                let done = self.done(OpKind::Read, offset, u32::try_from(inside).unwrap())?;
                Ok(vec![0; done as usize])
            }
            WRITE => {
                let done = self.done(OpKind::Write, u64_at(asked, 8), u32_at(asked, 16))?;
                Ok(words(&[done, 0]))
            }
            _ => Err(libc::ENOSYS),
        }
    }

    /// Bytes that are done of a transfer.
    fn done(&self, kind: OpKind, offset: u64, length: u32) -> Result<u32, i32> {
        let mut log = self.log.lock().unwrap();
        let before = log.iter().filter(|one| (one.kind, one.offset, one.length) == (kind, offset, length)).count();
        let answer = (self.answer)(kind, offset, length, before);
        log.push(Asked { kind, offset, length, answer });
        match answer {
            Answer::Whole => Ok(length),
            Answer::Part(bytes) => Ok(bytes.min(length)),
            Answer::Eagain => Err(libc::EAGAIN),
        }
    }

    /// A file of root's; valid for an hour.
    fn attributes(&self) -> Vec<u8> {
        let mut out = words(&[3600, 0, 0, 0, 1, 0]);
        out.extend(self.length.to_ne_bytes());
        out.extend((self.length / 512).to_ne_bytes());
        // Times, whole and ns.
        out.extend(vec![0; 3 * 8 + 3 * 4]);
        // Mode, links, owner, group, device, block size, flags.
        out.extend(words(&[0o100_600, 1, 0, 0, 0, 4096, 0]));
        out
    }
}
