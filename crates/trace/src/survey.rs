//! One pass through a whole trace before anything is replayed: its content, and the first faulty line.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use drivelab_core::input;
use drivelab_core::load::OpKind;
use drivelab_core::replay::{TraceFacts, TraceOp};
use drivelab_core::units::{Bytes, Nanos};

use crate::error::TraceError;
use crate::format::Format;
use crate::reader::Reader;
use crate::stream::{BUFFER, Stream};

/// Devices that are counted separately; further devices are counted together.
const DEVICES: usize = 64;

/// Content of a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// Facts that a replay needs.
    pub facts: TraceFacts,
    /// Operations by device, volume or file, for the first 64 of them; those of further devices are under an empty
    /// name.
    pub devices: BTreeMap<String, u64>,
    /// Reads and writes by size.
    pub sizes: BTreeMap<u64, SizeClass>,
    /// Reads that begin where the previous read ended.
    pub sequential_reads: u64,
    /// Writes that begin where the previous write ended.
    pub sequential_writes: u64,
    /// Operations of unknown kinds, on any device, which are left out.
    pub unknown: u64,
}

/// Operations with a size above half of a power of two and at most that power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SizeClass {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
}

/// Reads a whole trace.
///
/// # Errors
/// [`TraceError`]: a file that cannot be read, an unknown format, the first faulty line, or no operation at all.
pub fn survey(path: &Path, format: Option<Format>, device: Option<&str>) -> Result<Survey, TraceError> {
    let name = path.display().to_string();
    let file = input::open(path).map_err(|source| TraceError::File { file: name.clone(), source })?;
    survey_of(&name, BufReader::with_capacity(BUFFER, file), format, device)
}

/// The same for any input; `name` is its name in messages.
///
/// # Errors
/// As for [`survey`].
pub fn survey_of(
    name: &str,
    input: impl BufRead,
    format: Option<Format>,
    device: Option<&str>,
) -> Result<Survey, TraceError> {
    let input = Hashed { input, hasher: blake3::Hasher::new() };
    let mut stream = Stream::new(Reader::new(name, input, format)?, device.map(str::to_owned));
    let mut count = Count::default();
    while stream.advance(|op, device| count.add(op, device))?.is_some() {}
    let (empty, out_of_order, format) = (stream.empty, stream.out_of_order, stream.format());
    let unknown = stream.unknown();
    let Count { mut facts, devices, sizes, sequential_reads, sequential_writes, .. } = count;
    if facts.reads + facts.writes + facts.trims == 0 {
        let of_device = device.map_or_else(String::new, |device| format!(" of device '{device}'"));
        let advice = match device {
            Some(_) => "`drivelab trace check` without `--device` lists its devices".to_owned(),
            None if format == Format::Blkparse && stream.others() > 0 => format!(
                "its {} lines are other actions (such as C, completed, or D, issued), but a replay needs those of queued \
                 operations (Q): record without `-a`, or with `-a queue` too",
                stream.others()
            ),
            None => "no line of it reads, writes or trims".to_owned(),
        };
        return Err(TraceError::Empty { file: name.to_owned(), of_device, advice });
    }
    let mut rest = stream.into_input();
    // What follows a summary is part of the file, and therefore of its hash.
    io::copy(&mut rest, &mut io::sink()).map_err(|source| TraceError::File { file: name.to_owned(), source })?;
    facts.hash = rest.hasher.finalize().to_hex().to_string();
    (facts.format, facts.empty, facts.out_of_order) = (format.name().to_owned(), empty, out_of_order);
    Ok(Survey { facts, devices, sizes, sequential_reads, sequential_writes, unknown })
}

/// Counts of a pass.
struct Count {
    facts: TraceFacts,
    devices: BTreeMap<String, u64>,
    sizes: BTreeMap<u64, SizeClass>,
    sequential_reads: u64,
    sequential_writes: u64,
    read_end: Option<u64>,
    write_end: Option<u64>,
}

impl Default for Count {
    fn default() -> Self {
        Count {
            facts: TraceFacts {
                format: String::new(),
                hash: String::new(),
                reads: 0,
                writes: 0,
                trims: 0,
                flushes: 0,
                read: Bytes::new(0),
                written: Bytes::new(0),
                largest: Bytes::new(0),
                end: Bytes::new(0),
                duration: Nanos::new(0),
                empty: 0,
                out_of_order: 0,
            },
            devices: BTreeMap::new(),
            sizes: BTreeMap::new(),
            sequential_reads: 0,
            sequential_writes: 0,
            read_end: None,
            write_end: None,
        }
    }
}

impl Count {
    fn add(&mut self, op: &TraceOp, device: &str) {
        self.of_device(device);
        let facts = &mut self.facts;
        let end = op.offset.saturating_add(op.length);
        facts.duration = Nanos::new(op.at_ns);
        facts.end = facts.end.max(Bytes::new(end));
        let plus = |sum: Bytes| Bytes::new(sum.get().saturating_add(op.length));
        match op.op {
            OpKind::Read => {
                facts.reads += 1;
                facts.read = plus(facts.read);
                self.sequential_reads += u64::from(self.read_end.replace(end) == Some(op.offset));
            }
            OpKind::Write | OpKind::WriteZeroes => {
                facts.writes += 1;
                facts.written = plus(facts.written);
                self.sequential_writes += u64::from(self.write_end.replace(end) == Some(op.offset));
            }
            OpKind::Trim => facts.trims += 1,
            OpKind::Flush => facts.flushes += 1,
        }
        if matches!(op.op, OpKind::Read | OpKind::Write) {
            facts.largest = facts.largest.max(Bytes::new(op.length));
            let class = self.sizes.entry(op.length.checked_next_power_of_two().unwrap_or(1 << 63)).or_default();
            class.reads += u64::from(op.op == OpKind::Read);
            class.writes += u64::from(op.op == OpKind::Write);
        }
    }

    fn of_device(&mut self, device: &str) {
        if let Some(count) = self.devices.get_mut(device) {
            *count += 1;
            return;
        }
        let name = if self.devices.len() < DEVICES { device } else { "" };
        *self.devices.entry(name.to_owned()).or_default() += 1;
    }
}

/// A reader that hashes everything read through it.
#[derive(Debug)]
struct Hashed<R> {
    input: R,
    hasher: blake3::Hasher,
}

impl<R: BufRead> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.hasher.update(&buffer[..read]);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Hashed<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        // The filled buffer is still there; calling this again reads nothing.
        if let Ok(filled) = self.input.fill_buf() {
            self.hasher.update(&filled[..bytes.min(filled.len())]);
        }
        self.input.consume(bytes);
    }
}
