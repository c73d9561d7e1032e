//! Traces of I/O as streams of operations: readers of the formats in which traces are published, and generators of
//! synthetic ones.
//!
//! Owns: formats, the check of a whole trace before it is used, what a synthetic trace is made of. Nothing here holds a
//! trace in memory: a line at a time is read, and a file of any size takes the same few kilobytes. Must not know:
//! targets, how and when operations are issued, rendering.
//!
//! Field by field, with the sources of each format: docs/formats/traces.md.
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
