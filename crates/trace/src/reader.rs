//! Reads a file into records, one at a time.

use std::io::BufRead;

use crate::error::{TraceError, Wrong, shown};
use crate::format::Format;
use crate::lines::Lines;
use crate::record::{Line, Record};
use crate::{blkparse, fio};

/// Reads the records of one trace.
#[derive(Debug)]
pub struct Reader<R> {
    file: String,
    lines: Lines<R>,
    format: Format,
    waited: fio::Waited,
    /// Whether the first line may be a header.
    at_start: bool,
    ended: bool,
    unknown: u64,
    others: u64,
}

impl<R: BufRead> Reader<R> {
    /// Starts reading. If `format` is `None`, the first line determines it. `file` is the name of the trace in
    /// messages.
    ///
    /// # Errors
    /// If the file cannot be read or its format is unknown.
    pub fn new(file: &str, input: R, format: Option<Format>) -> Result<Self, TraceError> {
        let mut lines = Lines::new(input);
        let unreadable = |source| TraceError::File { file: file.to_owned(), source };
        if !lines.advance().map_err(unreadable)? {
            let advice = "the file has no content".to_owned();
            return Err(TraceError::Empty { file: file.to_owned(), of_device: String::new(), advice });
        }
        if let Some((what, advice)) = packed(lines.line()) {
            return Err(TraceError::NoText { file: file.to_owned(), what, advice });
        }
        let (found, first) = (shown(lines.line()), of_line(&lines));
        // The output of blkparse may have lines of other programs before it.
        let may_have_head = format.map_or(first.is_none(), |format| format == Format::Blkparse);
        let mut head = 0;
        while may_have_head && of_line(&lines) != Some(Format::Blkparse) && head < LONGEST_HEAD {
            head += 1;
            if !lines.advance().map_err(unreadable)? {
                break;
            }
        }
        let behind = of_line(&lines).filter(|format| *format == Format::Blkparse);
        let Some(format) = format.or(first).or(behind) else {
            return Err(TraceError::Unknown { file: file.to_owned(), found, known: Format::words() });
        };
        lines.keep();
        Ok(Reader {
            file: file.to_owned(),
            lines,
            format,
            waited: fio::Waited::default(),
            at_start: true,
            ended: false,
            unknown: 0,
            others: 0,
        })
    }

    /// The format in which it is read.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Number of the line that was read last, from 1.
    #[must_use]
    pub const fn line(&self) -> u64 {
        self.lines.number()
    }

    /// Number of operations of unknown kinds so far; they are left out.
    #[must_use]
    pub const fn unknown(&self) -> u64 {
        self.unknown
    }

    /// Number of lines so far that are not operations to replay.
    #[must_use]
    pub(crate) const fn others(&self) -> u64 {
        self.others
    }

    /// The next record; `None` at the end.
    ///
    /// # Errors
    /// The faulty line.
    // A loop that is left only by `return`, because a record borrows the buffer of lines.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, TraceError> {
        loop {
            if self.ended || !self.advance()? {
                self.ended = true;
                return Ok(None);
            }
            let at_start = std::mem::take(&mut self.at_start);
            match self.parse(at_start) {
                Ok(Found::Record) => break,
                Ok(Found::Other) => self.others += 1,
                Ok(Found::Unknown) => self.unknown += 1,
                Ok(Found::End) => self.ended = true,
                Err(wrong) => return Err(self.wrong(wrong)),
            }
        }
        // The line is valid; it is parsed again for a record that borrows it. fio's waits are not counted twice,
        // because a wait is not a record.
        match std::str::from_utf8(self.lines.line()).map(|line| parse(self.format, line, &mut self.waited)) {
            Ok(Ok(Line::Record(record))) => Ok(Some(record)),
            _ => Ok(None),
        }
    }

    fn advance(&mut self) -> Result<bool, TraceError> {
        self.lines.advance().map_err(|source| TraceError::File { file: self.file.clone(), source })
    }

    fn parse(&mut self, at_start: bool) -> Result<Found, Wrong> {
        if self.lines.too_long {
            return Err(Wrong::new("the line does not end", "lines of at most 16 KiB"));
        }
        let line =
            std::str::from_utf8(self.lines.line()).map_err(|_| Wrong::new("the line is not text", "UTF-8 text"))?;
        if at_start && is_head(self.format, line) {
            return Ok(Found::Other);
        }
        Ok(match parse(self.format, line, &mut self.waited)? {
            Line::Record(record) => {
                within_reach(&record)?;
                if self.lines.open && line.ends_with(|last: char| last.is_ascii_digit()) {
                    let expected =
                        "a line ending after the last number (`echo >> FILE` adds it if the file is complete)";
                    return Err(Wrong::new("the file ends inside this line, so its last number may be cut", expected));
                }
                Found::Record
            }
            Line::Other => Found::Other,
            Line::Unknown => Found::Unknown,
            Line::End => Found::End,
        })
    }

    /// The error for the last line.
    fn wrong(&self, wrong: Wrong) -> TraceError {
        let Wrong { problem, expected } = wrong;
        TraceError::Line {
            file: self.file.clone(),
            line: self.lines.number(),
            problem,
            expected,
            found: shown(self.lines.line()),
        }
    }

    /// The input that it reads from.
    pub(crate) fn into_input(self) -> R {
        self.lines.into_input()
    }
}

/// Most lines that may come before the output of blkparse.
const LONGEST_HEAD: u32 = 32;

/// The format that a line starts, if the line is text.
fn of_line<R: BufRead>(lines: &Lines<R>) -> Option<Format> {
    std::str::from_utf8(lines.line()).ok().and_then(Format::of_first_line)
}

/// The kind of a file that is not text, by its first bytes, and how to make text of it.
fn packed(line: &[u8]) -> Option<(&'static str, &'static str)> {
    // blktrace_api.h: BLK_IO_TRACE_MAGIC 0x65617400; its lowest byte is the version, in the byte order of the machine.
    let blktrace = line.get(1..4) == Some(b"\x74\x61\x65") || line.get(..3) == Some(b"\x65\x61\x74");
    match line {
        _ if blktrace => Some((
            "the binary output of blktrace",
            "convert it to text with `blkparse -i NAME > FILE`, and use that file",
        )),
        [0x1f, 0x8b, ..] => Some(("compressed (gzip)", "unpack it with `gunzip`")),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(("compressed (zstd)", "unpack it with `unzstd`")),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => Some(("compressed (xz)", "unpack it with `unxz`")),
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, ..] => Some(("compressed (bzip2)", "unpack it with `bunzip2`")),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            Some(("text in UTF-16", "convert it to UTF-8 with `iconv -f UTF-16 -t UTF-8`"))
        }
        _ => None,
    }
}

enum Found {
    Record,
    Other,
    Unknown,
    End,
}

/// An operation that ends beyond any file or drive (Linux has signed 64-bit offsets) is an error in the trace: fitted
/// to a target it would become another operation.
fn within_reach(record: &Record<'_>) -> Result<(), Wrong> {
    let (offset, length) = (record.offset, record.bytes);
    let end = offset.checked_add(length).filter(|end| i64::try_from(*end).is_ok());
    end.map(drop).ok_or_else(|| {
        Wrong::new(
            format!("{length} bytes at byte {offset}, beyond any drive"),
            "an offset and a length with a sum below 2^63 bytes",
        )
    })
}

fn is_head(format: Format, line: &str) -> bool {
    match format {
        Format::FioV2 => line.trim() == "fio version 2 iolog",
        Format::FioV3 => line.trim() == "fio version 3 iolog",
        Format::Blkparse => false,
        _ => format.columns().is_some_and(|columns| columns.is_head_line(line)),
    }
}

fn parse<'l>(format: Format, line: &'l str, waited: &mut fio::Waited) -> Result<Line<'l>, Wrong> {
    match format {
        Format::FioV2 => fio::version_2(line, waited),
        Format::FioV3 => fio::version_3(line),
        Format::Blkparse => blkparse::line(line),
        _ => format.columns().map_or(Ok(Line::Other), |columns| columns.line(line)),
    }
}
