//! Printed and measured figures side by side, with their verdicts.

use drivelab_core::data_sheet::PrintedFigure;
use drivelab_core::finding::Evidence;
use drivelab_core::ids::StepId;
use drivelab_core::metric::Wrong;
use schemars::JsonSchema;
use serde::Serialize;

use super::endurance::Endurance;

/// Share by which a measured figure may fall short of a printed one and still count as met: vendors print two or three
/// digits, and two drives of a model differ by as much.
pub(super) const TOLERANCE: f64 = 0.05;

/// How a measured figure compares with the printed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// As good as printed, within 5 %, or better.
    Met,
    /// Worse than printed.
    Missed,
    /// Worse than printed, but the host was the limit, so the drive may be able to do it.
    Undecided,
    /// Printed, but not measured.
    NotMeasured,
    /// Measured, but no printed figure is known.
    NotPrinted,
    /// Not judged: the run has the smoke form.
    NotJudged,
}

impl Verdict {
    /// Its name for people.
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

/// The data sheet of the drive, compared with a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Sheet {
    /// Name of the drive facts; absent if none are known.
    pub facts: Option<String>,
    /// Vendor and model in these facts.
    pub title: Option<String>,
    /// The user named the facts; otherwise the drive's model string fits them.
    pub named_by_user: bool,
    /// Capacity as sold, TB, whose figures apply; absent if the facts have none like the drive's.
    pub capacity_tb: Option<f64>,
    /// One row for each test that is the twin of a figure, and one for each printed figure that nothing measured.
    pub rows: Vec<SheetRow>,
    /// Rated and used endurance; absent if neither is known.
    pub endurance: Option<Endurance>,
}

/// A figure, printed and measured.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SheetRow {
    /// The figure.
    pub figure: PrintedFigure,
    /// Unit of both values.
    pub unit: String,
    /// The test that is its twin; absent if it has none.
    pub test: Option<String>,
    /// The step of the test with the best figure, or the highest power.
    pub step: Option<StepId>,
    /// Its label.
    pub step_label: Option<String>,
    /// Id of the metric that was measured.
    pub metric: Option<String>,
    /// The printed value; absent if none is known.
    pub printed: Option<f64>,
    /// The printed value as text.
    pub printed_text: Option<String>,
    /// How certain it is, and under which conditions it applies.
    pub printed_note: Option<String>,
    /// Its source.
    pub printed_in: Option<String>,
    /// The measured value.
    pub measured: Option<f64>,
    /// The host was the limit of that step: a rate is a lower bound, a latency an upper one.
    pub limited_here: bool,
    /// In which direction the measured value was disturbed; absent if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<Wrong>,
    /// Measured over printed.
    pub ratio: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// Likely causes if it was missed or undecided, the surest first; empty if the records show none.
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
    /// The printed rate is that of the write cache, which ended.
    WriteCache,
    /// The drive was not in the state that the test needs.
    State,
    /// The drive held data.
    Fill,
    /// More threads would have reached more.
    Threads,
    /// More operations in flight would have reached more.
    QueueDepth,
    /// Something is between the test and the drive: a file system, a virtual disk.
    Layer,
}

impl CauseKind {
    /// Its name in tables.
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
            CauseKind::QueueDepth => "too low a queue depth",
            CauseKind::Layer => "a layer in between",
        }
    }
}

/// A likely cause.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Cause {
    /// Its kind.
    pub kind: CauseKind,
    /// The reason, part of a sentence.
    pub why: String,
    /// The figures behind it.
    pub evidence: Vec<Evidence>,
}

/// The metric that measures a figure; none if no step does.
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
