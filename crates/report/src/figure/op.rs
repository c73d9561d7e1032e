//! Which operations a figure is about: a kind, or reads and writes together, with their names and colours.

use drivelab_core::load::OpKind;
use drivelab_core::plan::Step;

use crate::figure::chart::colour;

/// Which operations a figure is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Trims.
    Trim,
    /// Write-zeroes operations.
    WriteZeroes,
    /// Flushes.
    Flush,
    /// Reads and writes together.
    Total,
}

impl Op {
    /// Kinds that move no data.
    pub(crate) const OTHERS: [Op; 3] = [Op::Trim, Op::WriteZeroes, Op::Flush];

    /// A kind of operation.
    pub(crate) const fn from_kind(kind: OpKind) -> Op {
        match kind {
            OpKind::Read => Op::Read,
            OpKind::Write => Op::Write,
            OpKind::Trim => Op::Trim,
            OpKind::WriteZeroes => Op::WriteZeroes,
            OpKind::Flush => Op::Flush,
        }
    }

    /// The kind; `None` for the total.
    pub(crate) const fn kind(self) -> Option<OpKind> {
        match self {
            Op::Read => Some(OpKind::Read),
            Op::Write => Some(OpKind::Write),
            Op::Trim => Some(OpKind::Trim),
            Op::WriteZeroes => Some(OpKind::WriteZeroes),
            Op::Flush => Some(OpKind::Flush),
            Op::Total => None,
        }
    }

    /// The first part of a metric's id.
    pub(crate) const fn prefix(self) -> &'static str {
        match self.kind() {
            Some(kind) => kind.name(),
            None => "total",
        }
    }

    /// At the start of a title.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Op::Read => "Read",
            Op::Write => "Write",
            Op::Trim => "Trim",
            Op::WriteZeroes => "Write-zeroes",
            Op::Flush => "Flush",
            Op::Total => "Total",
        }
    }

    /// In a sentence or after a label.
    pub(crate) const fn plural(self) -> &'static str {
        match self {
            Op::Read => "reads",
            Op::Write => "writes",
            Op::Trim => "trims",
            Op::WriteZeroes => "write-zeroes",
            Op::Flush => "flushes",
            Op::Total => "reads and writes",
        }
    }

    /// Its colour in every chart.
    pub(crate) const fn colour(self) -> u8 {
        match self {
            Op::Read => colour::READ,
            Op::Write => colour::WRITE,
            Op::Trim => colour::TRIM,
            Op::WriteZeroes => colour::WRITE_ZEROES,
            Op::Flush => colour::FLUSH,
            Op::Total => colour::TOTAL,
        }
    }

    /// Every kind of operation that a step issues.
    pub(crate) fn all_of(step: &Step) -> Vec<Op> {
        let workload = step.workload();
        let issued = |kind: &OpKind| workload.is_some_and(|workload| workload.issues(*kind));
        OpKind::ALL.into_iter().filter(issued).map(Op::from_kind).collect()
    }

    /// The operations of a step's main figures: the one kind that it issues or that moves data, or the total if it
    /// reads and writes.
    pub(crate) fn of(step: &Step) -> Op {
        Op::among(&Op::all_of(step))
    }

    /// The operations of the main figures, given all kinds that a step issues.
    pub(crate) fn among(all: &[Op]) -> Op {
        match (all.contains(&Op::Read), all.contains(&Op::Write)) {
            (true, true) => Op::Total,
            (false, true) => Op::Write,
            (true, false) => Op::Read,
            (false, false) => all.first().copied().unwrap_or(Op::Read),
        }
    }
}
