//! A file system that answers EAGAIN to threads that must not wait. Reads and writes by threads that may wait are
//! answered by the test: completely, in part, or with EAGAIN.
//!
//! Method: a file system in user space with one file and nothing else. A thread that issues through a ring gets
//! EAGAIN for everything, as from a layer that would have to wait. io_uring tries again and again (129 times with
//! Linux 6.18) and then lets one of its own threads (`iou-wrk-N`) wait, and the test answers that thread. If that
//! thread gets EAGAIN, so does the engine. Needs root and /dev/fuse.

#[path = "../../../../tests/support/one_file.rs"]
mod one_file;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use drivelab_core::load::OpKind;
use one_file::{Mounted, OneFile};

/// The answer to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Whole,
    /// This many bytes of it.
    Part(u32),
    Eagain,
}

/// A read or a write by a thread that may wait, and the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Asked {
    pub(crate) kind: OpKind,
    pub(crate) offset: u64,
    pub(crate) length: u32,
    pub(crate) answer: Answer,
}

/// All requests by threads that may wait, in order.
pub(crate) type Log = Arc<Mutex<Vec<Asked>>>;

/// The file; unmounted on drop, which ends its thread.
pub(crate) struct Answering {
    mounted: Mounted,
    _folder: tempfile::TempDir,
    pub(crate) log: Log,
}

impl Answering {
    /// `answer` gets the kind, offset and length of a request, and how often exactly that request was made before by
    /// a thread that may wait.
    pub(crate) fn new(
        length: u64,
        answer: impl Fn(OpKind, u64, u32, usize) -> Answer + Send + 'static,
    ) -> Result<Self, String> {
        let (folder, log) = (crate::common::folder(), Log::default());
        let answered = Answered { length, log: Arc::clone(&log), answer: Box::new(answer) };
        Ok(Answering { mounted: Mounted::on(&folder.path().join("target"), answered)?, _folder: folder, log })
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.mounted.path().to_path_buf()
    }

    pub(crate) fn take(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }
}

type Answers = Box<dyn Fn(OpKind, u64, u32, usize) -> Answer + Send>;

/// The side that answers.
struct Answered {
    length: u64,
    log: Log,
    answer: Answers,
}

/// Whether it is one of io_uring's own threads.
fn may_wait(thread: u32) -> bool {
    let name = std::fs::read_to_string(format!("/proc/self/task/{thread}/comm"));
    name.is_ok_and(|name| name.starts_with("iou-wrk"))
}

impl Answered {
    /// Bytes that are done of a transfer.
    fn done(&self, thread: u32, kind: OpKind, offset: u64, length: u32) -> Result<u32, i32> {
        if !may_wait(thread) {
            return Err(libc::EAGAIN);
        }
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
}

impl OneFile for Answered {
    const PAST_THE_CACHE: bool = false;

    fn length(&self) -> u64 {
        self.length
    }

    fn read(&mut self, thread: u32, offset: u64, length: u32) -> Result<Vec<u8>, i32> {
        let inside = self.length.saturating_sub(offset).min(u64::from(length));
        let done = self.done(thread, OpKind::Read, offset, u32::try_from(inside).unwrap())?;
        Ok(vec![0; done as usize])
    }

    fn write(&mut self, thread: u32, offset: u64, data: &[u8]) -> Result<u32, i32> {
        self.done(thread, OpKind::Write, offset, u32::try_from(data.len()).unwrap())
    }
}
