//! Traces as the engine uses them: operations with times that start at 0 and never decrease, for one device if one is
//! given.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use drivelab_core::input;
use drivelab_core::load::OpKind;
use drivelab_core::replay::{Replay, TraceOp, TraceSource, TraceStream};

use crate::error::TraceError;
use crate::format::Format;
use crate::reader::Reader;
use crate::synthetic::Synthetic;

/// Bytes read from the file at a time.
pub(crate) const BUFFER: usize = 256 << 10;

/// Opens the trace of a replay at its beginning.
///
/// # Errors
/// A text: the file cannot be opened, or its beginning is wrong.
pub fn open(replay: &Replay) -> Result<Box<dyn TraceStream>, String> {
    match &replay.source {
        TraceSource::Synthetic(synthetic) => Ok(Box::new(Synthetic::new(synthetic))),
        TraceSource::File { path, format, device } => {
            let format = format.as_deref().map(str::parse::<Format>).transpose()?;
            let stream = file(path, format, device.clone()).map_err(|error| error.to_string())?;
            Ok(Box::new(stream))
        }
    }
}

fn file(path: &Path, format: Option<Format>, device: Option<String>) -> Result<Stream<BufReader<File>>, TraceError> {
    let name = path.display().to_string();
    let file = input::open(path).map_err(|source| TraceError::File { file: name.clone(), source })?;
    Ok(Stream::new(Reader::new(&name, BufReader::with_capacity(BUFFER, file), format)?, device))
}

/// The operations of a reader that are replayed.
#[derive(Debug)]
pub(crate) struct Stream<R> {
    reader: Reader<R>,
    device: Option<String>,
    /// Time of the first operation, by the clock of the trace.
    start_ns: Option<u64>,
    last_ns: u64,
    /// Operations of zero bytes, which are left out.
    pub(crate) empty: u64,
    /// Operations with a time earlier than the latest one so far.
    pub(crate) out_of_order: u64,
}

impl<R: BufRead> Stream<R> {
    pub(crate) const fn new(reader: Reader<R>, device: Option<String>) -> Self {
        Stream { reader, device, start_ns: None, last_ns: 0, empty: 0, out_of_order: 0 }
    }

    /// The next operation; `seen` is called for it with the name of its device.
    pub(crate) fn advance(&mut self, mut seen: impl FnMut(&TraceOp, &str)) -> Result<Option<TraceOp>, TraceError> {
        loop {
            let Some(record) = self.reader.next_record()? else { return Ok(None) };
            if self.device.as_deref().is_some_and(|device| device != record.device) {
                continue;
            }
            if record.bytes == 0 && record.op != OpKind::Flush {
                self.empty += 1;
                continue;
            }
            let since = record.at_ns.saturating_sub(*self.start_ns.get_or_insert(record.at_ns));
            if since < self.last_ns || record.at_ns < self.start_ns.unwrap_or(0) {
                self.out_of_order += 1;
            }
            self.last_ns = self.last_ns.max(since);
            let op = TraceOp { at_ns: self.last_ns, op: record.op, offset: record.offset, length: record.bytes };
            seen(&op, record.device);
            return Ok(Some(op));
        }
    }

    pub(crate) const fn format(&self) -> Format {
        self.reader.format()
    }

    /// Number of operations of unknown kinds, on any device; they are left out.
    pub(crate) const fn unknown(&self) -> u64 {
        self.reader.unknown()
    }

    /// Number of lines that are not operations to replay.
    pub(crate) const fn others(&self) -> u64 {
        self.reader.others()
    }

    pub(crate) fn into_input(self) -> R {
        self.reader.into_input()
    }
}

impl<R: BufRead + Send> TraceStream for Stream<R> {
    fn next_op(&mut self) -> Result<Option<TraceOp>, String> {
        self.advance(|_, _| {}).map_err(|error| error.to_string())
    }
}
