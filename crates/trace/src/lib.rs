//! I/O traces as streams of operations: readers of the formats in which traces are published, and generators of
//! synthetic traces.
//! Owns: formats, the check of a whole trace before it is used, the content of synthetic traces. Nothing here holds a
//! trace in memory: one line is read at a time, and a file of any size needs the same few kilobytes. Must not know:
//! targets, how and when operations are issued, rendering.
//!
//! For the fields of each format and their sources see docs/formats/traces.md.
#![forbid(unsafe_code)]

mod blkparse;
mod csv;
mod error;
mod fio;
mod format;
mod kind;
mod lines;
mod number;
mod reader;
mod record;
mod stream;
mod survey;
mod synthetic;

pub use error::TraceError;
pub use format::Format;
pub use reader::Reader;
pub use record::Record;
pub use stream::open;
pub use survey::{SizeClass, Survey, survey, survey_of};

#[cfg(test)]
mod tests;
