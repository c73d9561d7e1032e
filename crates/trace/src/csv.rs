//! The comma-separated formats: a table of columns for each, and one reader for all.
//!
//! Fields are numbers and short names; none of these formats uses quotes.

use drivelab_core::load::OpKind;

use crate::error::Wrong;
use crate::kind::read_or_write;
use crate::number::{seconds, times, whole};
use crate::record::{Line, Record};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    /// Time as a whole number of units of this many nanoseconds.
    Ticks(u64),
    /// Time as decimal seconds.
    Seconds,
    /// First byte, in units of this many bytes.
    Offset(u64),
    /// Length, in units of this many bytes.
    Length(u64),
    /// `Read`, `Write`, `R`, `W`.
    Word,
    /// 0 is a read, 1 is a write.
    Digit,
    /// Device or volume.
    Device,
    /// A field that the replay does not need.
    Unused,
}

/// The columns of a format.
#[derive(Debug)]
pub(crate) struct Columns {
    fields: &'static [Field],
    /// The column names in the documentation of the format.
    head: &'static str,
    /// Whether more fields than these may follow.
    more: bool,
}

const SECTOR: u64 = 512;
/// Windows file time counts units of 100 ns.
const FILE_TIME_NS: u64 = 100;
const MICROSECOND_NS: u64 = 1000;
const SECOND_NS: u64 = 1_000_000_000;

/// Microsoft Research Cambridge (SNIA IOTTA, trace set 388, README): bytes, Windows file time.
pub(crate) static MSR: Columns = Columns {
    head: "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
    fields: &[
        Field::Ticks(FILE_TIME_NS),
        Field::Unused,
        Field::Device,
        Field::Word,
        Field::Offset(1),
        Field::Length(1),
        Field::Unused,
    ],
    more: false,
};

/// Alibaba Cloud (alibaba/block-traces, README): bytes, microseconds.
pub(crate) static ALIBABA: Columns = Columns {
    head: "device_id,opcode,offset,length,timestamp",
    fields: &[Field::Device, Field::Word, Field::Offset(1), Field::Length(1), Field::Ticks(MICROSECOND_NS)],
    more: false,
};

/// Systor '17 (SNIA IOTTA, trace set 4964): bytes, decimal seconds.
pub(crate) static SYSTOR: Columns = Columns {
    head: "Timestamp,Response,IOType,LUN,Offset,Size",
    fields: &[Field::Seconds, Field::Unused, Field::Word, Field::Device, Field::Offset(1), Field::Length(1)],
    more: false,
};

/// Tencent CBS (SNIA IOTTA, trace set 27917, README): sectors, whole seconds.
pub(crate) static TENCENT: Columns = Columns {
    head: "Timestamp,Offset,Size,IOType,VolumeID",
    fields: &[Field::Ticks(SECOND_NS), Field::Offset(SECTOR), Field::Length(SECTOR), Field::Digit, Field::Device],
    more: false,
};

/// Storage Performance Council (SPC Trace File Format Specification 1.0.1): addresses in sectors, sizes in bytes,
/// decimal seconds; user-defined fields may follow.
pub(crate) static SPC: Columns = Columns {
    head: "ASU,LBA,size,opcode,time",
    fields: &[Field::Device, Field::Offset(SECTOR), Field::Length(1), Field::Word, Field::Seconds],
    more: true,
};

impl Columns {
    /// Whether a first line has this format: its header, or a line with the kind of operation in the right column.
    pub(crate) fn suits(&self, fields: &[&str]) -> bool {
        self.is_head(fields)
            || self.has_width(fields.len()) && self.fields.iter().zip(fields).all(|(kind, field)| kind.takes(field))
    }

    fn is_head(&self, fields: &[&str]) -> bool {
        let names: Vec<&str> = self.head.split(',').collect();
        names.len() == fields.len()
            && names.iter().zip(fields).all(|(name, field)| name.eq_ignore_ascii_case(field.trim()))
    }

    fn has_width(&self, fields: usize) -> bool {
        fields == self.fields.len() || self.more && fields > self.fields.len()
    }

    /// A line; a header is not a record.
    pub(crate) fn line<'l>(&self, line: &'l str) -> Result<Line<'l>, Wrong> {
        let mut record = Record { at_ns: 0, op: OpKind::Read, offset: 0, bytes: 0, device: "" };
        let mut fields = line.split(',').map(str::trim);
        for (number, kind) in self.fields.iter().enumerate() {
            let Some(field) = fields.next() else {
                return Err(Wrong::new(
                    format!("only {number} fields"),
                    format!("{}: {}", self.fields.len(), self.head),
                ));
            };
            match kind {
                Field::Ticks(unit) => record.at_ns = times(whole(field, "the time")?, *unit, "the time")?,
                Field::Seconds => record.at_ns = seconds(field, "the time")?,
                Field::Offset(unit) => record.offset = times(whole(field, "the offset")?, *unit, "the offset")?,
                Field::Length(unit) => record.bytes = times(whole(field, "the size")?, *unit, "the size")?,
                Field::Word => record.op = read_or_write(field).ok_or_else(|| no_kind(field, "Read, Write, R or W"))?,
                Field::Digit => record.op = digit(field).ok_or_else(|| no_kind(field, "0 for reads, 1 for writes"))?,
                Field::Device => record.device = field,
                Field::Unused => {}
            }
        }
        if !self.more && fields.next().is_some() {
            let expected = format!("{}: {}", self.fields.len(), self.head);
            return Err(Wrong::new(format!("more than {} fields", self.fields.len()), expected));
        }
        Ok(Line::Record(record))
    }

    /// Whether a line is the header that some files begin with.
    pub(crate) fn is_head_line(&self, line: &str) -> bool {
        let fields: Vec<&str> = line.split(',').collect();
        self.is_head(&fields)
    }
}

impl Field {
    /// Whether a column of this kind can contain this text.
    fn takes(self, field: &str) -> bool {
        match self {
            Field::Ticks(_) | Field::Offset(_) | Field::Length(_) => whole(field, "").is_ok(),
            Field::Seconds => seconds(field, "").is_ok(),
            Field::Word => read_or_write(field).is_some(),
            Field::Digit => digit(field).is_some(),
            Field::Device => !field.is_empty(),
            Field::Unused => true,
        }
    }
}

fn digit(field: &str) -> Option<OpKind> {
    match field {
        "0" => Some(OpKind::Read),
        "1" => Some(OpKind::Write),
        _ => None,
    }
}

fn no_kind(field: &str, expected: &str) -> Wrong {
    let shown: String = field.chars().take(40).collect();
    Wrong::new(format!("the kind of operation is '{shown}'"), expected)
}
