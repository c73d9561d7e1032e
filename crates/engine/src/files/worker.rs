//! The work of one thread: it takes the next file of the set, does the step's work with it, and reports that it
//! ended.
//!
//! Buffers and names are made before the start: the loop does not allocate, format or log. The end of a file is
//! reported through a channel with bounded room. Sending takes a lock for a moment to wake the receiver and, if the
//! channel is full, waits for it. This falls between the end of one file and the start of the next, so it is in the
//! step's time and in no latency.

use std::sync::atomic::Ordering;
use std::sync::mpsc::SyncSender;

use drivelab_core::backend::BackendError;
use drivelab_core::files::{FileSync, FileWork};
use drivelab_core::load::OpKind;
use drivelab_core::record::{BadBlock, DataFault, IoError, StopReason, Verification};
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;
use rustix::fd::OwnedFd;
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::common::Common;
use super::content::{BLOCK, Content, fault};
use super::set::Files;
use super::told::{Ended, Told};
use crate::host::rusage::CpuTime;
use crate::memory::buffer::Arena;
use crate::thread::faults::{Attempt, Broken, Faults};
use crate::verify::findings::NAMED;

/// Memory of a thread.
#[derive(Debug)]
pub(crate) struct Tools {
    data: Arena,
    /// What should have been read, if that is checked.
    expected: Option<Arena>,
    length: usize,
    refused: Vec<String>,
}

impl Tools {
    pub(crate) fn new(workload: &Workload, checks: bool) -> Result<Self, BackendError> {
        let mut refused = Vec::new();
        let length = usize::try_from(workload.block_size.get()).unwrap_or(usize::MAX);
        let mut arena = || Arena::map(length, &mut refused).map_err(|source| Broken { what: Attempt::Buffers, source });
        let data = arena()?;
        let expected = if checks { Some(arena()?) } else { None };
        Ok(Tools { data, expected, length, refused })
    }
}

/// How work on a file ended, other than well.
enum Broke {
    /// The step ends: the file does not count as an operation and has no latency and no error. The bytes moved of it
    /// still count in the step's bytes and throughput, as do those of a file that failed.
    Cut,
    /// At this byte of the file with this error; 0 for fewer bytes than there should be.
    At(u64, i32),
}

/// One thread.
pub(crate) struct Worker<'a> {
    common: &'a Common<'a>,
    number: usize,
    tools: Tools,
    faults: Faults,
    syscalls: u64,
    checked: u64,
    bad: u64,
    zero: u64,
    first: Vec<BadBlock>,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(common: &'a Common<'a>, number: usize, tools: Tools) -> Self {
        let faults = Faults::new(common.policy);
        let first = Vec::with_capacity(NAMED);
        Worker { common, number, tools, faults, syscalls: 0, checked: 0, bad: 0, zero: 0, first }
    }

    /// Works until the set is done or the step ends.
    pub(crate) fn run(mut self, told: Option<&SyncSender<Told>>) -> Ended {
        let (began, cpu) = (self.common.clock.now_ns(), CpuTime::of_this_thread());
        let mut operations = 0;
        loop {
            let start_ns = self.common.clock.now_ns();
            if self.common.must_end(start_ns) {
                break;
            }
            let file = self.common.next.fetch_add(1, Ordering::Relaxed);
            if file >= self.common.load.set.count {
                break;
            }
            self.common.since[self.number].store(start_ns, Ordering::Release);
            let done = self.one(file);
            let end_ns = self.common.clock.now_ns();
            self.common.since[self.number].store(0, Ordering::Release);
            let ok = match done {
                Ok(()) => {
                    self.faults.succeeded();
                    true
                }
                Err(Broke::Cut) => break,
                Err(Broke::At(at, errno)) => {
                    self.failed(file, at, errno, end_ns);
                    false
                }
            };
            operations += 1;
            if let Some(told) = told {
                let latency_ns = end_ns.saturating_sub(start_ns);
                // The receiver is gone only if the step's thread unwinds.
                let _ = told.send(Told { thread: self.number, end_ns, latency_ns, ok });
            }
        }
        self.ended(began, cpu, operations)
    }

    fn ended(self, began: u64, cpu: CpuTime, operations: u64) -> Ended {
        let (errors, by_number) = self.faults.into_kept();
        let checks = self.tools.expected.is_some();
        let faults = [(DataFault::Corrupt, self.bad), (DataFault::Zero, self.zero)];
        let verification = checks.then(|| Verification {
            checked: self.checked,
            faults: faults.into_iter().filter(|(_, count)| *count > 0).collect(),
            first: self.first,
            wraps_at: None,
            bad_by_part: Vec::new(),
        });
        Ended {
            errors,
            by_number: by_number.into_iter().collect(),
            cpu: CpuTime::of_this_thread().since(cpu),
            thread_ns: self.common.clock.now_ns().saturating_sub(began),
            syscalls: self.syscalls,
            operations,
            verification,
            refused: self.tools.refused,
        }
    }

    fn failed(&mut self, file: u32, at: u64, errno: i32, at_ns: u64) {
        let op = if self.common.load.work.reads() { OpKind::Read } else { OpKind::Write };
        let start = self.common.starts.get(file as usize).copied().unwrap_or(0);
        let length = Bytes::new(self.common.sizes.get(file as usize).copied().unwrap_or(0));
        if self.faults.failed(IoError { at_ns, op, offset: start + at, length, errno }) {
            self.common.halt(StopReason::Errors);
        }
    }

    /// Does the step's work with one file.
    fn one(&mut self, file: u32) -> Result<(), Broke> {
        let start = |error: Errno| Broke::At(0, error.raw_os_error());
        let common = self.common;
        if common.load.work == FileWork::Delete {
            self.syscalls += 1;
            return common.from.map_or(Ok(()), |files| files.unlink(file)).map_err(start);
        }
        let from = common.from.map(|files| self.open(files, file, OFlags::RDONLY)).transpose().map_err(start)?;
        let new = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let to = common.to.map(|files| self.open(files, file, new)).transpose().map_err(start)?;
        let size = common.sizes.get(file as usize).copied().unwrap_or(0);
        let content = Content::of(&common.load.set, file);
        let mut at = 0;
        while at < size {
            if common.must_end(common.clock.now_ns()) {
                return Err(Broke::Cut);
            }
            let length = usize::try_from(size - at).unwrap_or(usize::MAX).min(self.tools.length);
            match &from {
                Some(from) => self.read(from, at, length)?,
                None => content.fill(at, self.tools.data.slice_mut(0, length.next_multiple_of(BLOCK))),
            }
            if common.load.work == FileWork::Verify {
                self.check(content, file, at, length);
            }
            if let Some(to) = &to {
                self.write(to, at, length)?;
            }
            at += length as u64;
            common.moved.fetch_add(length as u64, Ordering::Relaxed);
        }
        to.map_or(Ok(()), |to| self.close(&to, size))
    }

    /// Opens a file, with direct I/O if that is asked for.
    fn open(&mut self, files: &Files, file: u32, flags: OFlags) -> Result<OwnedFd, Errno> {
        // Opened and closed.
        self.syscalls += 2;
        files.file(file, if self.common.direct { flags | OFlags::DIRECT } else { flags })
    }

    /// Bytes of a transfer: direct I/O moves whole blocks.
    fn transfer(&self, length: usize) -> usize {
        if self.common.direct { length.next_multiple_of(BLOCK) } else { length }
    }

    fn read(&mut self, from: &OwnedFd, at: u64, length: usize) -> Result<(), Broke> {
        let wanted = self.transfer(length);
        let mut done = 0;
        while done < length {
            let position = at + done as u64;
            self.syscalls += 1;
            match rustix::io::pread(from, self.tools.data.slice_mut(done, wanted - done), position) {
                Ok(0) => return Err(Broke::At(position, 0)),
                Ok(moved) => done += moved,
                Err(Errno::INTR) => {}
                Err(error) => return Err(Broke::At(position, error.raw_os_error())),
            }
        }
        Ok(())
    }

    fn write(&mut self, to: &OwnedFd, at: u64, length: usize) -> Result<(), Broke> {
        let wanted = self.transfer(length);
        let mut done = 0;
        while done < wanted {
            let position = at + done as u64;
            self.syscalls += 1;
            match rustix::io::pwrite(to, self.tools.data.slice_mut(done, wanted - done), position) {
                Ok(0) => return Err(Broke::At(position, 0)),
                Ok(moved) => done += moved,
                Err(Errno::INTR) => {}
                Err(error) => return Err(Broke::At(position, error.raw_os_error())),
            }
        }
        Ok(())
    }

    /// Cuts off the padding of the last block, and makes the file durable if each file must be.
    fn close(&mut self, to: &OwnedFd, size: u64) -> Result<(), Broke> {
        let broke = |error: Errno| Broke::At(size, error.raw_os_error());
        if self.common.direct && !size.is_multiple_of(BLOCK as u64) {
            self.syscalls += 1;
            rustix::fs::ftruncate(to, size).map_err(broke)?;
        }
        if self.common.load.sync == FileSync::Each {
            self.syscalls += 1;
            rustix::fs::fsync(to).map_err(broke)?;
        }
        Ok(())
    }

    /// Compares what was read with what was written, block by block.
    fn check(&mut self, content: Content, file: u32, at: u64, length: usize) {
        let Some(expected) = &mut self.tools.expected else { return };
        let expected = expected.slice_mut(0, length.next_multiple_of(BLOCK));
        content.fill(at, expected);
        let found = self.tools.data.slice_mut(0, length);
        let start = self.common.starts.get(file as usize).copied().unwrap_or(0) + at;
        for (block, (found, expected)) in (0..).zip(found.chunks(BLOCK).zip(expected.chunks(BLOCK))) {
            self.checked += 1;
            if *found == expected[..found.len()] {
                continue;
            }
            let fault = fault(found);
            if fault == DataFault::Zero {
                self.zero += 1;
            } else {
                self.bad += 1;
            }
            if self.first.len() < NAMED {
                self.first.push(BadBlock { offset: start + block * BLOCK as u64, fault, belongs_at: None });
            }
        }
    }
}
