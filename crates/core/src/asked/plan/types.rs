//! The plan of a run as plain types: tests, their steps, and what each does.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::published_unit::PublishedUnit;
use crate::data_sheet::PrintedFigure;
use crate::drive_state::StateWish;
use crate::ids::StepId;
use crate::relative::RelativeRate;
use crate::units::{Bytes, Nanos, Percent};
use crate::workload::Workload;

/// Which form of a methodology: as published, shortened, or a moment per step for tests only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Parameters, quirks and durations as published.
    Faithful,
    /// Shortened, same shape.
    Quick,
    /// Every step for at most 0.5 s and 8 MiB; unusable for comparison.
    Smoke,
}

/// Name of the methodology that `drivelab io` makes of its flags. Such a load is its user's own: no form of anything
/// that somebody published.
pub const OWN_LOAD: &str = "io";

impl Form {
    /// What a result of this form is called: `quick form`, or `own load` for the load of `drivelab io`.
    #[must_use]
    pub fn words(self, method: &str) -> &'static str {
        match self {
            _ if method == OWN_LOAD => "own load",
            Form::Faithful => "faithful form",
            Form::Quick => "quick form",
            Form::Smoke => "smoke form",
        }
    }

    /// The word used on the command line, in files and on results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Form::Faithful => "faithful",
            Form::Quick => "quick",
            Form::Smoke => "smoke",
        }
    }
}

/// What makes two methodologies the same: name, version and the hash of the content.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct MethodIdentity {
    /// Short name, as on the command line.
    pub name: String,
    /// Version the author gave, `major.minor.patch`.
    pub version: String,
    /// BLAKE3 of the parsed content, 64 hexadecimal digits; comments and layout do not change it.
    pub hash: String,
}

/// A source that a methodology cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// Short name by which parameters refer to it.
    pub id: String,
    /// What it is and where: title, version, author, page.
    pub citation: String,
}

/// A parameter that the cited source does not state, or in which the methodology departs from it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Approximation {
    /// Name of the parameter, as in the methodology file.
    pub parameter: String,
    /// Why the value is ours and what it rests on.
    pub reason: String,
}

/// Value of one axis that the step stands for (`queue_depth` = `8`), as written in charts and tables.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct AxisValue {
    /// Name of the axis: the parameter's own name.
    pub axis: String,
    /// Value as text with its unit (`4 KiB`, `30`).
    pub value: String,
}

/// When a step ends: at the first of these that is reached. At least one other than `at_least` and `cap` is set.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct StopRule {
    /// Measured time, ramp not counted.
    pub time: Option<Nanos>,
    /// Bytes moved, reads and writes together, ramp not counted.
    pub volume: Option<Bytes>,
    /// The whole span touched so many times (patterns that touch each block once in a pass).
    pub passes: Option<u32>,
    /// The step does not end before this measured time, even where `volume` or `passes` is reached earlier (a
    /// sequential stream then wraps and goes on); only `cap` and errors are stronger.
    #[serde(default)]
    pub at_least: Option<Nanos>,
    /// Operations completed or failed, ramp not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<u64>,
    /// This share of the span's blocks was touched; for patterns that touch each block once in a pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Percent>,
    /// What errors of single operations do.
    #[serde(default, skip_serializing_if = "OnError::is_tolerate")]
    pub errors: OnError,
    /// The step never lasts longer than this, whatever the rules above say.
    pub cap: Nanos,
}

impl StopRule {
    /// Ends by nothing but its cap.
    #[must_use]
    pub const fn capped(cap: Nanos) -> Self {
        StopRule {
            time: None,
            volume: None,
            passes: None,
            at_least: None,
            operations: None,
            coverage: None,
            errors: OnError::Tolerate,
            cap,
        }
    }

    /// Whether it says when to end, apart from the cap.
    #[must_use]
    pub const fn says_when(&self) -> bool {
        self.time.is_some()
            || self.volume.is_some()
            || self.passes.is_some()
            || self.operations.is_some()
            || self.coverage.is_some()
    }
}

/// What errors of single operations do to a step. They are counted in every case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// Scattered errors are survived; 1,000 in a row, a second of nothing else, or one that no retry can cure (no
    /// space, device gone) end the step.
    #[default]
    Tolerate,
    /// The first one ends it.
    Stop,
    /// None ends it.
    Keep,
}

impl OnError {
    fn is_tolerate(&self) -> bool {
        *self == OnError::Tolerate
    }
}

/// Waiting after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rest {
    /// None: the next step follows at once.
    None {},
    /// A fixed time.
    Fixed {
        /// How long.
        time: Nanos,
    },
    /// So long that the step was active for `percent` of step and rest together, but at most `cap`.
    DutyCycle {
        /// Active share, 1 to 100 per cent.
        percent: Percent,
        /// Longest rest.
        cap: Nanos,
    },
}

impl Rest {
    /// How long to wait after a step that was active for so long.
    #[must_use]
    pub fn after(self, active: Nanos) -> Nanos {
        match self {
            Rest::None {} => Nanos::new(0),
            Rest::Fixed { time } => time,
            Rest::DutyCycle { percent, cap } => {
                let (active, percent) = (u128::from(active.get()), u128::from(percent.get().clamp(1, 100)));
                Nanos::new(u64::try_from(active * (100 - percent) / percent).unwrap_or(u64::MAX)).min(cap)
            }
        }
    }
}

/// Waiting until the drive is cool enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct CoolDown {
    /// Until its temperature is below this, in °C.
    pub below_c: u32,
    /// At most so long; then the run goes on and a finding says so.
    pub cap: Nanos,
}

/// Why a step is in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepRole {
    /// Its figures are results.
    Measure,
    /// It brings the target into the state that the measured steps ask for; repeated when that state is lost.
    Prepare,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "a plan holds some dozens of them, most of them the large one")]
pub enum Action {
    /// Issues I/O.
    Io {
        /// The load.
        workload: Workload,
        /// When it ends.
        stop: StopRule,
        /// Time at the start that is issued and recorded but left out of the results.
        ramp: Nanos,
    },
    /// Does nothing for a while.
    Idle {
        /// How long.
        time: Nanos,
    },
    /// Does nothing until the drive is cool enough.
    CoolDown(CoolDown),
}

/// One workload with one stop rule and fixed parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Unique in the plan.
    pub id: StepId,
    /// Short text for people: `SEQ 1 MiB Q8T1 read`.
    pub label: String,
    /// Measured or preparing.
    pub role: StepRole,
    /// What it does.
    pub action: Action,
    /// Waiting after it.
    pub rest: Rest,
    /// It begins only when the drive is cooler than this; absent where that does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_below: Option<CoolDown>,
    /// Its rate follows from what another step did at full speed; absent where it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative: Option<RelativeRate>,
    /// The axes of the test and this step's place on them.
    pub axes: Vec<AxisValue>,
    /// Parameters that the source does not state, or in which the methodology departs from it.
    pub approximations: Vec<Approximation>,
    /// Seeds as stated, of the load and of those beside it in their order. The workload's own are derived from them, so
    /// that no two steps visit the same offsets in the same order. Empty in older recordings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<u64>,
    /// Time the step is expected to take, its rest included.
    pub estimated_time: Nanos,
    /// Bytes it is expected to write.
    pub estimated_written: Bytes,
}

impl Step {
    /// Whether a faster drive is written more: it ends by time, or what ends it is not what writes.
    #[must_use]
    pub fn writes_by_time(&self) -> bool {
        let Action::Io { workload, stop, ramp } = &self.action else { return false };
        if self.estimated_written.get() == 0 || workload.files.is_some() {
            return false;
        }
        let by_volume = stop.volume.is_some() || stop.passes.is_some() || stop.coverage.is_some();
        let counted = by_volume || stop.operations.is_some() || workload.replay.is_some();
        let timed = stop.time.is_some() || stop.at_least.is_some() || ramp.get() > 0;
        !counted || timed || !workload.beside.is_empty()
    }

    /// Whether a slower drive takes longer for it: it ends by what it moves, and not by a clock alone.
    #[must_use]
    pub fn timed_by_rate(&self) -> bool {
        let Action::Io { workload, stop, .. } = &self.action else { return false };
        if let Some(replay) = &workload.replay {
            return replay.longest().is_none();
        }
        let by_volume = stop.volume.is_some() || stop.passes.is_some() || stop.coverage.is_some();
        by_volume || stop.operations.is_some() || workload.files.is_some()
    }

    /// The workload, where the step issues I/O.
    #[must_use]
    pub const fn workload(&self) -> Option<&Workload> {
        match &self.action {
            Action::Io { workload, .. } => Some(workload),
            Action::Idle { .. } | Action::CoolDown(_) => None,
        }
    }

    /// What must be waited for before it begins or as what it does.
    pub fn cool_downs(&self) -> impl Iterator<Item = CoolDown> + use<> {
        let own = if let Action::CoolDown(own) = self.action { Some(own) } else { None };
        self.start_below.into_iter().chain(own)
    }
}

/// Quantity by which steadiness is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tracked {
    /// Operations per second.
    Iops,
    /// Bytes per second.
    Throughput,
    /// Mean latency.
    LatencyMean,
}

/// How often the steps of a test are executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rounds {
    /// So many times.
    Fixed {
        /// At least 1.
        count: u32,
    },
    /// Until one step's figure is steady by the SNIA window (last 5 rounds: range at most 20 % of their mean and the
    /// least-squares line moves at most 10 % of it), or `max` rounds; results then come from that window.
    Steady {
        /// The step that is watched.
        step: StepId,
        /// The figure that is watched.
        tracked: Tracked,
        /// Most rounds, after which "not reached" is the result.
        max: u32,
        /// Bytes after which it is too, counted after each round; absent where that does not matter.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        written: Option<Bytes>,
        /// Bytes that it writes at least, steady or not; absent where that does not matter.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_least: Option<Bytes>,
    },
    /// Until each step's highest rate is known at which a percentile of its response time keeps a bound; every round
    /// has another rate, and the step's own is the first.
    FindRate(RateSearch),
}

/// A search for the highest rate at which a percentile of the response time keeps a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RateSearch {
    /// The percentile in thousandths of a per cent: 99,900 is p99.9.
    pub percentile_thousandths: u32,
    /// Longest response time that it may have.
    pub bound: Nanos,
    /// Lowest rate tried, in arrivals per 1,000 seconds (as [`crate::load::Rate::per_1000_s`]).
    pub lowest: u64,
    /// Highest rate tried, likewise.
    pub highest: u64,
    /// Most rounds; with fewer the two rates between which the bound lies are further apart.
    pub max: u32,
}

impl RateSearch {
    /// The percentile as people write it: `p99`, `p99.9`.
    #[must_use]
    pub fn percentile_name(&self) -> String {
        let (whole, thousandths) = (self.percentile_thousandths / 1000, self.percentile_thousandths % 1000);
        let digits = format!("{whole}.{thousandths:03}");
        format!("p{}", digits.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// Order of execution when a test has several steps and several rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// All steps once, then all steps again.
    RoundByRound,
    /// A step in all its rounds, then the next step.
    StepByStep,
}

/// How the rounds of a step become one figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Combine {
    /// Arithmetic mean of the rounds.
    Mean,
    /// The best round (highest rate, lowest latency), as CrystalDiskMark shows it.
    Best,
    /// Median of the rounds.
    Median,
}

/// A test: steps that belong together on one chart or table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestPlan {
    /// Name, the first part of its steps' ids.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// What the test asks, in a sentence.
    pub purpose: String,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// How often.
    pub rounds: Rounds,
    /// Rounds before those that count, and the whole set again.
    #[serde(default, skip_serializing_if = "Repeats::is_plain")]
    pub repeats: Repeats,
    /// In which order.
    pub order: Order,
    /// How rounds become one figure.
    pub combine: Combine,
    /// Ids of the sources that describe it.
    pub sources: Vec<String>,
    /// What it has to do with the target's state.
    #[serde(default, skip_serializing_if = "StateWish::is_none")]
    pub state: StateWish,
    /// The figure of the drive's data sheet that its best step is held against; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin: Option<PrintedFigure>,
    /// The unit in which its source published rates: charts are drawn in it, and tables show it where it is not MB/s.
    /// Absent where the source does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_unit: Option<PublishedUnit>,
    /// Name of an earlier test with the same load, whose mean rate it is to come back to; absent where that is no
    /// question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovers_to: Option<String>,
}

/// A test of a methodology that does not run, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Name of the test, or of the methodology whose tests are all left out.
    pub test: String,
    /// Its title for people.
    pub title: String,
    /// Why, as a part of a sentence: `it needs a block device, and the target is a file`.
    pub reason: String,
}

/// A methodology expanded for one target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The methodology.
    pub methodology: MethodIdentity,
    /// Its title for people.
    pub title: String,
    /// Which of its profiles; empty where it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub profile: String,
    /// What it is for, in a sentence or two.
    pub summary: String,
    /// Which question it answers well.
    #[serde(default)]
    pub good_for: String,
    /// What its results do not show.
    #[serde(default)]
    pub cannot_tell: String,
    /// Which form.
    pub form: Form,
    /// Bytes of the target that the plan was made for.
    pub capacity: Bytes,
    /// Tests in order; preparation is a test whose steps have the role [`StepRole::Prepare`].
    pub tests: Vec<TestPlan>,
    /// What the methodology cites.
    pub sources: Vec<Source>,
    /// What it asks of several drives; absent where it says nothing of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drives: Option<crate::group::MethodDrives>,
    /// Figures made of those of several steps, in the order of the methodology.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<crate::score::Score>,
    /// Tests that do not run, in the order of the methodology.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Parameters that were set on the command line (`queue_depth=1..64`), strongest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
}

/// What is repeated beside a test's rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Repeats {
    /// Rounds at the start of each set that are run and recorded and left out of the figures; with fixed rounds only.
    #[serde(skip_serializing_if = "is_none")]
    pub warm_up_rounds: u32,
    /// How often the whole set of tests is run, one after the other; with fixed rounds only. At least 1.
    pub sets: u32,
    /// What the rest of a step follows.
    pub rest_after: RestAfter,
}

/// What the rest of a step follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RestAfter {
    /// Each of its executions.
    #[default]
    Rounds,
    /// The last round of a step, and not that of the last step of the last test; with [`Order::StepByStep`] only.
    Steps,
}

impl Default for Repeats {
    fn default() -> Self {
        Repeats { warm_up_rounds: 0, sets: 1, rest_after: RestAfter::Rounds }
    }
}

impl Repeats {
    /// Whether nothing is repeated beside the rounds.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Repeats::default()
    }
}

const fn is_none(count: &u32) -> bool {
    *count == 0
}

#[cfg(test)]
pub(super) mod tests {
    //! Rests by hand-worked examples, and what ends a step.

    use super::*;
    use crate::units::Percent;

    /// A step of writes that ends so.
    pub(in crate::asked::plan) fn writes(stop: StopRule, ramp: Nanos) -> Step {
        let write_percent = Percent::new(100).expect("a per cent");
        Step {
            id: StepId::new("t", "s"),
            label: String::new(),
            role: StepRole::Measure,
            action: Action::Io { workload: Workload { write_percent, ..Workload::default() }, stop, ramp },
            rest: Rest::None {},
            start_below: None,
            relative: None,
            axes: Vec::new(),
            approximations: Vec::new(),
            seeds: Vec::new(),
            estimated_time: Nanos::from_secs(1),
            estimated_written: Bytes::GIB,
        }
    }

    #[test]
    fn a_faster_drive_is_written_more_wherever_a_clock_may_end_the_step() {
        let (capped, none) = (StopRule::capped(Nanos::from_secs(60)), Nanos::new(0));
        let second = Some(Nanos::from_secs(1));
        let volume = StopRule { volume: Some(Bytes::GIB), ..capped.clone() };
        let by_time = |stop: &StopRule, ramp| writes(stop.clone(), ramp).writes_by_time();
        assert!(by_time(&StopRule { time: second, ..capped.clone() }, none) && by_time(&capped, none));
        assert!(!by_time(&volume, none) && !by_time(&StopRule { passes: Some(1), ..capped.clone() }, none));
        // The first of both ends it, and which comes first hangs on the drive.
        assert!(by_time(&StopRule { time: second, ..volume.clone() }, none));
        assert!(
            by_time(&StopRule { at_least: second, ..volume.clone() }, none) && by_time(&volume, Nanos::from_secs(1))
        );
        let nothing =
            Step { estimated_written: Bytes::new(0), ..writes(StopRule { time: second, ..capped.clone() }, none) };
        assert!(!nothing.writes_by_time());
    }

    #[test]
    fn a_slower_drive_takes_longer_wherever_an_amount_may_end_the_step() {
        let capped = StopRule::capped(Nanos::from_secs(60));
        let time = StopRule { time: Some(Nanos::from_secs(1)), ..capped.clone() };
        let by_rate = |stop: &StopRule| writes(stop.clone(), Nanos::new(0)).timed_by_rate();
        assert!(!by_rate(&time) && !by_rate(&capped));
        assert!(
            by_rate(&StopRule { volume: Some(Bytes::GIB), ..time.clone() })
                && by_rate(&StopRule { passes: Some(1), ..capped.clone() })
        );
        assert!(by_rate(&StopRule { operations: Some(1), ..capped.clone() }));
        let idle = Action::Idle { time: Nanos::from_secs(1) };
        assert!(!Step { action: idle, ..writes(capped, Nanos::new(0)) }.timed_by_rate());
    }

    #[test]
    fn a_duty_cycle_of_fifty_per_cent_rests_as_long_as_it_worked_up_to_its_cap() {
        let rest = |percent, cap, active| {
            let percent = Percent::new(percent).expect("a per cent");
            Rest::DutyCycle { percent, cap: Nanos::from_secs(cap) }.after(Nanos::from_secs(active))
        };
        assert_eq!(rest(50, 60, 20), Nanos::from_secs(20));
        assert_eq!(rest(50, 60, 90), Nanos::from_secs(60));
        assert_eq!(rest(20, 600, 10), Nanos::from_secs(40));
        assert_eq!(rest(100, 600, 10), Nanos::new(0));
        assert_eq!(Rest::None {}.after(Nanos::from_secs(9)), Nanos::new(0));
    }
}
