//! Printed and measured figures side by side, and what they mean.

use drivelab_core::data_sheet::PrintedFigure;
use drivelab_core::finding::Evidence;
use drivelab_core::ids::StepId;
use drivelab_core::metric::Wrong;
use schemars::JsonSchema;
use serde::Serialize;

use super::endurance::Endurance;

/// Share by which a measured figure may fall short of a printed one and still count as met: makers print two or three
/// digits, and two drives of a model differ by as much.
pub(super) const TOLERANCE: f64 = 0.05;

/// How a measured figure stands to the printed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// As good as printed, or better; 5 % are allowed for.
    Met,
    /// Worse than printed.
    Missed,
    /// Worse than printed, but the limit was on this side, so the drive may be able to do it.
    Undecided,
    /// Printed, and nothing measured it.
    NotMeasured,
    /// Measured, and nothing printed is known.
    NotPrinted,
    /// The smoke form measures nothing that could be judged.
    NotJudged,
}

impl Verdict {
    /// For people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Verdict::Met => "met",
            Verdict::Missed => "missed",
            Verdict::Undecided => "undecided",
            Verdict::NotMeasured => "not measured",
            Verdict::NotPrinted => "nothing printed",
            Verdict::NotJudged => "not judged",
        }
    }
}

/// The data sheet of the drive beside what a run measured.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Sheet {
    /// Name of the drive facts; absent where none are known.
    pub facts: Option<String>,
    /// Maker and model by these facts.
    pub title: Option<String>,
    /// The user named the facts; otherwise the drive's model string fits them.
    pub named_by_user: bool,
    /// Capacity as sold, TB, whose figures hold; absent where the facts have none like the drive's.
    pub capacity_tb: Option<f64>,
    /// One row a test that is the twin of a figure, and one a printed figure that nothing measured.
    pub rows: Vec<SheetRow>,
    /// What the drive is rated to bear and what it has borne; absent where neither is known.
    pub endurance: Option<Endurance>,
}

/// A figure, printed and measured.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SheetRow {
    /// Which.
    pub figure: PrintedFigure,
    /// Unit of both values.
    pub unit: String,
    /// The test that is its twin; absent where there is none.
    pub test: Option<String>,
    /// The step of it that did best, or drew the most power.
    pub step: Option<StepId>,
    /// Its label.
    pub step_label: Option<String>,
    /// Id of the metric that was measured.
    pub metric: Option<String>,
    /// As printed; absent where nothing is.
    pub printed: Option<f64>,
    /// As printed, in words.
    pub printed_text: Option<String>,
    /// How sure that is, and under which conditions it holds.
    pub printed_note: Option<String>,
    /// Where it is printed.
    pub printed_in: Option<String>,
    /// As measured.
    pub measured: Option<f64>,
    /// The limit of that step was on this side: a rate is a lower bound, a latency an upper one.
    pub limited_here: bool,
    /// In which direction something beside the test disturbed what was measured; absent where nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<Wrong>,
    /// Measured over printed.
    pub ratio: Option<f64>,
    /// What that means.
    pub verdict: Verdict,
    /// Likely causes where it was missed or undecided, the surest first; empty where nothing on record tells.
    pub causes: Vec<Cause>,
}

/// What kept a figure below the printed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CauseKind {
    /// This host, or the load generator.
    Host,
    /// The link between drive and host.
    Link,
    /// The drive slowed down as it became warm.
    Heat,
    /// The printed rate is that of the write cache, which came to its end.
    WriteCache,
    /// The drive was not in the state that the test asks for.
    State,
    /// The drive held data.
    Fill,
    /// More threads would have had more.
    Threads,
    /// More operations in flight would have had more.
    QueueDepth,
    /// Something lies between the test and the drive: a file system, a virtual disk.
    Layer,
}

impl CauseKind {
    /// For people, in a table.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            CauseKind::Host => "this host",
            CauseKind::Link => "the link",
            CauseKind::Heat => "heat",
            CauseKind::WriteCache => "the write cache",
            CauseKind::State => "the drive's state",
            CauseKind::Fill => "a filled drive",
            CauseKind::Threads => "too few threads",
            CauseKind::QueueDepth => "too little in flight",
            CauseKind::Layer => "a layer between",
        }
    }
}

/// A likely cause.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Cause {
    /// Which.
    pub kind: CauseKind,
    /// What speaks for it, a part of a sentence.
    pub why: String,
    /// The figures behind it.
    pub evidence: Vec<Evidence>,
}

/// The metric that measures a figure; none where no step does.
pub(super) const fn metric_of(figure: PrintedFigure) -> Option<&'static str> {
    match figure {
        PrintedFigure::SequentialRead => Some("read.throughput"),
        PrintedFigure::SequentialWrite => Some("write.throughput"),
        PrintedFigure::RandomRead => Some("read.iops"),
        PrintedFigure::RandomWrite => Some("write.iops"),
        PrintedFigure::ReadLatency => Some("read.latency_mean"),
        PrintedFigure::WriteLatency => Some("write.latency_mean"),
        PrintedFigure::SlcCache => Some("fill.cache_size"),
        PrintedFigure::PowerActive => Some("power.mean"),
        PrintedFigure::PowerIdle => None,
    }
}
