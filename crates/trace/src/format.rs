//! The formats, their names, and how the format of a file is detected.

use std::fmt;
use std::str::FromStr;

use crate::blkparse;
use crate::csv::{ALIBABA, Columns, MSR, SPC, SYSTOR, TENCENT};

/// A format of traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// fio's I/O log, version 2: times are waits between operations.
    FioV2,
    /// fio's I/O log, version 3: every line begins with its time.
    FioV3,
    /// The text of `blkparse` in its default layout; queued operations (Q) are replayed.
    Blkparse,
    /// Microsoft Research Cambridge, CSV.
    Msr,
    /// Alibaba Cloud block traces, CSV.
    Alibaba,
    /// Systor '17 (Fujitsu), CSV.
    Systor,
    /// Tencent CBS, CSV.
    Tencent,
    /// UMass trace repository, CSV of the Storage Performance Council.
    Spc,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 8] = [
        Format::FioV2,
        Format::FioV3,
        Format::Blkparse,
        Format::Msr,
        Format::Alibaba,
        Format::Systor,
        Format::Tencent,
        Format::Spc,
    ];

    /// The name in files, on the command line and in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Format::FioV2 => "fio_v2",
            Format::FioV3 => "fio_v3",
            Format::Blkparse => "blkparse",
            Format::Msr => "msr",
            Format::Alibaba => "alibaba",
            Format::Systor => "systor17",
            Format::Tencent => "tencent",
            Format::Spc => "spc",
        }
    }

    /// The names of all formats, for messages.
    #[must_use]
    pub fn words() -> String {
        Format::ALL.map(Format::name).join(", ")
    }

    /// The columns of a CSV format.
    pub(crate) const fn columns(self) -> Option<&'static Columns> {
        match self {
            Format::Msr => Some(&MSR),
            Format::Alibaba => Some(&ALIBABA),
            Format::Systor => Some(&SYSTOR),
            Format::Tencent => Some(&TENCENT),
            Format::Spc => Some(&SPC),
            Format::FioV2 | Format::FioV3 | Format::Blkparse => None,
        }
    }

    /// The format that a file with this first line (ignoring blank lines) has. A header counts as a first line.
    pub(crate) fn of_first_line(line: &str) -> Option<Format> {
        let line = line.trim();
        match line {
            "fio version 2 iolog" => return Some(Format::FioV2),
            "fio version 3 iolog" => return Some(Format::FioV3),
            _ => {}
        }
        if blkparse::begins(line) {
            return Some(Format::Blkparse);
        }
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        Format::ALL.into_iter().find(|format| format.columns().is_some_and(|columns| columns.suits(&fields)))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let found = Format::ALL.into_iter().find(|format| format.name() == word);
        found.ok_or_else(|| format!("'{word}' is not a trace format; the formats are {}", Format::words()))
    }
}
