//! The plan of a run as plain types: tests, their steps, and what each step does.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::published_unit::PublishedUnit;
use super::repetition::Repeats;
use crate::data_sheet::PrintedFigure;
use crate::drive_state::StateWish;
use crate::ids::StepId;
use crate::relative::RelativeRate;
use crate::units::{Bytes, Nanos, Percent};
use crate::workload::Workload;

/// The form of a methodology: as published, shortened, or a moment for each step for tests only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Parameters, quirks and durations as published.
    Faithful,
    /// Shortened, same shape.
    Quick,
    /// Every step for at most 0.5 s and 8 MiB; not usable for comparisons.
    Smoke,
}

/// Name of the methodology that `drivelab io` makes from its flags. Such a load is the user's own, and not a form of
/// anything published.
pub const OWN_LOAD: &str = "io";

impl Form {
    /// What results of this form are called: `quick form`, or `own load` for the load of `drivelab io`.
    #[must_use]
    pub fn words(self, method: &str) -> &'static str {
        match self {
            _ if method == OWN_LOAD => "own load",
            Form::Faithful => "faithful form",
            Form::Quick => "quick form",
            Form::Smoke => "smoke form",
        }
    }

    /// The name on the command line, in files and on results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Form::Faithful => "faithful",
            Form::Quick => "quick",
            Form::Smoke => "smoke",
        }
    }
}

/// What identifies a methodology: name, version and the hashes of its content.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct MethodIdentity {
    /// Short name, as on the command line.
    pub name: String,
    /// Version given by the author, `major.minor.patch`.
    pub version: String,
    /// BLAKE3 of the parsed content, 64 hexadecimal digits; comments and layout do not change it.
    pub hash: String,
    /// BLAKE3 of the part that decides what is measured: load, order, preparation, evaluation. Titles, explanations,
    /// sources and the version do not change it. Absent in recordings of drivelab up to 0.1.0 of November 2026, for
    /// which the stored methodology is read again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared_hash: Option<String>,
}

impl MethodIdentity {
    /// The hash that must be equal for two runs to be compared.
    #[must_use]
    pub fn compared_by(&self) -> &str {
        self.compared_hash.as_deref().unwrap_or(&self.hash)
    }
}

/// A source that a methodology cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// Short name that parameters refer to.
    pub id: String,
    /// What the source is and where to find it: title, version, author, page.
    pub citation: String,
}

/// A parameter that the cited source does not state, or in which the methodology departs from it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Approximation {
    /// Name of the parameter, as in the methodology file.
    pub parameter: String,
    /// Why drivelab chose the value, and what it is based on.
    pub reason: String,
}

/// Value of one axis for this step (`queue_depth` = `8`), as written in charts and tables.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct AxisValue {
    /// Name of the axis: the parameter's own name.
    pub axis: String,
    /// Value as text with its unit (`4 KiB`, `30`).
    pub value: String,
}

/// When a step ends: at the first of these that is reached. At least one besides `at_least` and `cap` is set.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct StopRule {
    /// Measured time, without the ramp.
    pub time: Option<Nanos>,
    /// Bytes moved, reads and writes together, without the ramp.
    pub volume: Option<Bytes>,
    /// Number of passes over the whole span (for patterns that touch each block once in a pass).
    pub passes: Option<u32>,
    /// The step does not end before this measured time, even if `volume` or `passes` is reached earlier (a sequential
    /// stream then wraps and continues). Only `cap` and errors end it earlier.
    #[serde(default)]
    pub at_least: Option<Nanos>,
    /// Operations completed or failed, without the ramp.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<u64>,
    /// This share of the span's blocks was touched (for patterns that touch each block once in a pass).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Percent>,
    /// Effect of errors of single operations.
    #[serde(default, skip_serializing_if = "OnError::is_tolerate")]
    pub errors: OnError,
    /// The step never lasts longer than this, whatever the rules above say.
    pub cap: Nanos,
}

impl StopRule {
    /// Ends only at its cap.
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

    /// Whether it states when to end, apart from the cap.
    #[must_use]
    pub const fn says_when(&self) -> bool {
        self.time.is_some()
            || self.volume.is_some()
            || self.passes.is_some()
            || self.operations.is_some()
            || self.coverage.is_some()
    }
}

/// Effect of errors of single operations on a step. Errors are counted in every case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// Single errors do not end the step. It ends after 1,000 errors in a row, after a second with only errors, or at
    /// an error that no retry can fix (no space, device gone).
    #[default]
    Tolerate,
    /// The first error ends it.
    Stop,
    /// No error ends it.
    Keep,
}

impl OnError {
    fn is_tolerate(&self) -> bool {
        *self == OnError::Tolerate
    }
}

/// Waiting time after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rest {
    /// None: the next step follows immediately.
    None {},
    /// A fixed time.
    Fixed {
        /// How long.
        time: Nanos,
    },
    /// The step is active for `percent` of step and rest together; the rest is at most `cap`.
    DutyCycle {
        /// Active share, 1 to 100 per cent.
        percent: Percent,
        /// Longest rest.
        cap: Nanos,
    },
}

impl Rest {
    /// The waiting time after a step with this active time.
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
    /// Wait until its temperature is below this, in °C.
    pub below_c: u32,
    /// Longest wait; after that the run continues and a finding reports it.
    pub cap: Nanos,
}

/// The purpose of a step in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepRole {
    /// Its figures are results.
    Measure,
    /// It brings the target into the state that the measured steps need; repeated if that state is lost.
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
        /// Time at the start that is recorded but not included in the results.
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
    /// Short text for display: `SEQ 1 MiB Q8T1 read`.
    pub label: String,
    /// Whether it measures or prepares.
    pub role: StepRole,
    /// What it does.
    pub action: Action,
    /// Waiting time after it.
    pub rest: Rest,
    /// It starts only when the drive is cooler than this; absent if the temperature does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_below: Option<CoolDown>,
    /// Its rate is a share of the rate of another step at full speed; absent if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative: Option<RelativeRate>,
    /// The axes of the test and this step's values on them.
    pub axes: Vec<AxisValue>,
    /// Parameters that the source does not state, or in which the methodology departs from it.
    pub approximations: Vec<Approximation>,
    /// Seeds as stated, of the load and of the groups beside it, in their order. The workload's own seeds are derived
    /// from them, so that no two steps use the same sequence of offsets. Empty in older recordings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<u64>,
    /// Expected time of the step, including its rest.
    pub estimated_time: Nanos,
    /// Expected bytes written.
    pub estimated_written: Bytes,
}

impl Step {
    /// Whether it writes more on a faster drive: it ends by time, or the operations that end it are not the writes.
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

    /// Whether it takes longer on a slower drive: it ends by the amount moved, not by a clock alone.
    #[must_use]
    pub fn timed_by_rate(&self) -> bool {
        let Action::Io { workload, stop, .. } = &self.action else { return false };
        if let Some(replay) = &workload.replay {
            return replay.longest().is_none();
        }
        let by_volume = stop.volume.is_some() || stop.passes.is_some() || stop.coverage.is_some();
        by_volume || stop.operations.is_some() || workload.files.is_some()
    }

    /// The workload, if the step issues I/O.
    #[must_use]
    pub const fn workload(&self) -> Option<&Workload> {
        match &self.action {
            Action::Io { workload, .. } => Some(workload),
            Action::Idle { .. } | Action::CoolDown(_) => None,
        }
    }

    /// The cool-downs to wait for before it begins, or as its action.
    pub fn cool_downs(&self) -> impl Iterator<Item = CoolDown> + use<> {
        let own = if let Action::CoolDown(own) = self.action { Some(own) } else { None };
        self.start_below.into_iter().chain(own)
    }
}

/// Figure by which steady state is judged.
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

/// Number of executions of the steps of a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rounds {
    /// A fixed number of times.
    Fixed {
        /// At least 1.
        count: u32,
    },
    /// Until one step's figure is steady by the SNIA window (last 5 rounds: the range is at most 20 % of their mean,
    /// and the least-squares line changes by at most 10 % of it), or until `max` rounds. Results then come from that
    /// window.
    Steady {
        /// The step that is judged.
        step: StepId,
        /// The figure that is judged.
        tracked: Tracked,
        /// Most rounds; if it is not steady by then, the result is "not reached".
        max: u32,
        /// Bytes after which the result is "not reached" as well, counted after each round; absent if there is no
        /// such limit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        written: Option<Bytes>,
        /// Least bytes that it writes, steady or not; absent if there is no such limit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_least: Option<Bytes>,
    },
    /// Until the search has found each step's highest rate at which a percentile of its response time stays within a
    /// bound. Every round has another rate; the step's own rate is the first.
    FindRate(RateSearch),
}

/// A search for the highest rate at which a percentile of the response time stays within a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RateSearch {
    /// The percentile in thousandths of a per cent: 99,900 is p99.9.
    pub percentile_thousandths: u32,
    /// Bound: the longest response time that the percentile may have.
    pub bound: Nanos,
    /// Lowest rate tried, in arrivals per 1,000 seconds (as [`crate::load::Rate::per_1000_s`]).
    pub lowest: u64,
    /// Highest rate tried, in the same unit.
    pub highest: u64,
    /// Most rounds; with fewer rounds, the two rates on both sides of the bound are further apart.
    pub max: u32,
}

impl RateSearch {
    /// The percentile as it is written: `p99`, `p99.9`.
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

/// A test: steps that belong together in one chart or table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestPlan {
    /// Name, the first part of the ids of its steps.
    pub name: String,
    /// Title for display.
    pub title: String,
    /// The question of the test, in one sentence.
    pub purpose: String,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// Number of executions of its steps.
    pub rounds: Rounds,
    /// Discarded rounds before those that count, and repeated sets.
    #[serde(default, skip_serializing_if = "Repeats::is_plain")]
    pub repeats: Repeats,
    /// Order of execution.
    pub order: Order,
    /// How the rounds become one figure.
    pub combine: Combine,
    /// Ids of the sources that describe the test.
    pub sources: Vec<String>,
    /// The state of the target that it needs or prepares.
    #[serde(default, skip_serializing_if = "StateWish::is_none")]
    pub state: StateWish,
    /// The figure of the drive's data sheet with which its best step is compared; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin: Option<PrintedFigure>,
    /// The unit in which its source published rates: its charts use this unit, and tables show it if it is not MB/s.
    /// Absent if the source does not state it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_unit: Option<PublishedUnit>,
    /// Name of an earlier test with the same load, whose mean rate this test should reach again; absent if there is
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovers_to: Option<String>,
}

/// A test of a methodology that does not run, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Name of the test, or of the methodology whose tests are all left out.
    pub test: String,
    /// Title for display.
    pub title: String,
    /// The reason, as a part of a sentence: `it needs a block device, and the target is a file`.
    pub reason: String,
}

/// Most headline figures at the top of a page: more cannot be taken in at a glance.
pub const MOST_HEADLINES: usize = 8;

/// A methodology expanded for one target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The methodology.
    pub methodology: MethodIdentity,
    /// Title for display.
    pub title: String,
    /// The profile that was chosen; empty if the methodology has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub profile: String,
    /// Its purpose, in a sentence or two.
    pub summary: String,
    /// The questions that it answers well.
    #[serde(default)]
    pub good_for: String,
    /// What its results do not show.
    #[serde(default)]
    pub cannot_tell: String,
    /// The form.
    pub form: Form,
    /// Whether this is the longest form of the methodology, or of all those that a suite takes tests from: nothing is
    /// shortened. False in plans made before December 2026, of which it is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub longest_form: bool,
    /// Bytes of the target for which the plan was made.
    pub capacity: Bytes,
    /// Tests in order; preparation is a test whose steps have the role [`StepRole::Prepare`].
    pub tests: Vec<TestPlan>,
    /// The sources that the methodology cites.
    pub sources: Vec<Source>,
    /// What it asks of several drives; absent if it does not mention them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drives: Option<crate::group::MethodDrives>,
    /// Figures made from the figures of several steps, in the order of the methodology.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<crate::score::Score>,
    /// Tests that do not run, in the order of the methodology.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Conditions on figures under which the run fails, as written in the methodology ([`crate::acceptance`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
    /// Names of the tests whose figures are shown at the top of a page, most important first; empty for the first
    /// tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headlines: Vec<String>,
    /// Parameters that were set on the command line (`queue_depth=1..64`); later ones override earlier ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
}

#[cfg(test)]
pub(super) mod tests {
    //! Rests worked out by hand, and what ends a step.

    use super::*;
    use crate::units::Percent;

    /// A step of writes with this stop rule.
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
        // The first of the two ends the step, and the drive decides which one comes first.
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
