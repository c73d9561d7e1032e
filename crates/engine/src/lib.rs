//! The I/O workload engine: issues the operations of one step on a real target and times each of them.
//!
//! Owns issuing, timing, data for writes, intervals and the engine's own account of itself. Must not know plans,
//! rounds, listeners or formatting. Writes go through a [`drivelab_core::target::WritableTarget`] alone.
//! Facts about io_uring and the block layer come from research notes, engine, section 4.1, and the man pages
//! io_uring_setup(2), io_uring_enter(2), open(2), mmap(2).
//!
//! The control plane allocates, checks and talks; the data plane gets everything before the start and then neither
//! allocates, locks, logs nor formats. Which file belongs to which: ARCHITECTURE.md, "Inside the engine". Both backends
//! draw from the same streams, so the same seed gives the same operations on both.
//!
//! `unsafe` is allowed in small modules only: `uring::ring` (the kernel reads and writes our buffers), `buffer` (mmap),
//! `crew` (threads that may have to be left behind), `tsc` (the CPU's counter), `discard`, `rusage` and `own_files`
//! (calls that rustix does not have, or not as safe ones). The tidy rule *words* holds the list.
#![deny(unsafe_code)]

mod account;
mod buffer;
mod bursts;
mod collect;
mod crew;
mod discard;
mod engine;
mod errno;
mod faults;
mod feed;
mod files;
mod fit;
mod generate;
mod ground;
mod held;
mod look_back;
mod meter;
mod own_files;
mod page_cache;
mod placed;
mod pool;
mod record;
mod replay;
mod rusage;
mod schedule;
mod sealing;
mod selfcheck;
mod shared;
mod slots;
mod step;
mod sync_io;
mod tally;
mod time;
mod totals;
mod trace;
mod tsc;
mod uring;
mod verify;
mod wait;

pub use engine::{BackendChoice, Engine, EngineError, Options, check, check_placement};
pub use files::Folders;
pub use fit::{DATA_FILE_MAX, check_cpus};
pub use sealing::Written;
pub use step::StuckSink;
pub use trace::{TraceEntry, TraceSink};
