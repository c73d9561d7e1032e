//! The I/O workload engine: issues the operations of one step on a real target and times each of them.
//!
//! Owns issuing, timing, the data of writes, intervals, and the engine's record of its own effort. Must not know
//! plans, rounds, listeners or formatting. Writes go only through a [`drivelab_core::target::WritableTarget`]. Facts
//! about io_uring and the block layer come from research notes, engine, section 4.1, and the man pages
//! io_uring_setup(2), io_uring_enter(2), open(2), mmap(2).
//!
//! The control plane allocates, checks and reports. The data plane gets everything before the start; from then on it
//! does not allocate, lock, log or format. ARCHITECTURE.md, "Inside the engine", says which file belongs to which.
//! Both backends draw from the same streams, so the same seed gives the same operations on both.
//!
//! `unsafe` is allowed in small modules only: `uring::ring` (the kernel reads and writes our buffers),
//! `memory::buffer` (mmap), `step::crew` (threads that may have to be left behind), `clock::tsc` (the CPU's counter),
//! `sync::discard`, `host::rusage` and `host::own_files` (calls that rustix does not have, or not as safe ones). The
//! tidy rule *words* holds the list.
#![deny(unsafe_code)]

mod clock;
mod files;
mod generate;
mod host;
mod load;
mod memory;
mod replay;
mod step;
mod sync;
mod thread;
mod uring;
mod verify;

pub use files::Folders;
pub use load::checks::check_cpus;
pub use load::fit::DATA_FILE_MAX;
pub use load::sealing::Written;
pub use step::engine::{BackendChoice, Engine, EngineError, Options, check, check_placement};
pub use step::outlets::StuckSink;
pub use thread::trace::{TraceEntry, TraceSink};
