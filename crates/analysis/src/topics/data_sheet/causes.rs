//! Why a figure fell short of the printed one: what the records of the run show, each cause with its evidence.
//!
//! A cause is named only if something on record supports it; that nothing does is an answer too.

use drivelab_core::data_sheet::PrintedFigure;
use drivelab_core::environment::{BlockDeviceFacts, LinkFacts};
use drivelab_core::event::Steadiness;
use drivelab_core::finding::Evidence;
use drivelab_core::load::OpKind;
use drivelab_core::plan::{Step, StepRole, TestPlan};
use drivelab_core::run::RunRecords;

use super::row::{Cause, CauseKind, SheetRow, TOLERANCE, metric_of};
use crate::analysis::Analysis;
use crate::evidence::evidence;
use crate::steady::{MAX_RANGE_PERCENT, MAX_SLOPE_PERCENT};

/// Share of the raw rate of a link from which a measured rate counts as near to what the link carries: packet headers
/// and flow control take the rest.
const LINK_FULL: f64 = 0.8;
/// A rate that grew by more than this share from the last step but one to the last was still growing.
const STILL_GROWING: f64 = 0.05;
/// Share of the target that holds data, from which a drive counts as filled.
const FILLED: f64 = 0.5;
/// Bytes of a megabyte.
const MB: f64 = 1e6;

/// Where the causes of one row are searched.
struct Look<'a> {
    records: &'a RunRecords,
    analysis: &'a Analysis,
    test: &'a TestPlan,
    step: &'a Step,
    row: &'a SheetRow,
}

/// The causes of a row that fell short, the surest first.
pub(super) fn of(records: &RunRecords, analysis: &Analysis, test: Option<&TestPlan>, row: &SheetRow) -> Vec<Cause> {
    let step = test.and_then(|test| test.steps.iter().find(|step| Some(&step.id) == row.step.as_ref()));
    let Some((test, step)) = test.zip(step) else { return Vec::new() };
    let look = Look { records, analysis, test, step, row };
    let found = [
        look.host(),
        look.link(),
        look.heat(),
        look.write_cache(),
        look.state(),
        look.fill(),
        look.threads(),
        look.queue_depth(),
        look.layer(),
    ];
    found.into_iter().flatten().collect()
}

impl Look<'_> {
    fn figure(&self) -> PrintedFigure {
        self.row.figure
    }

    /// Whether the figure is a rate.
    fn is_rate(&self) -> bool {
        matches!(
            self.figure(),
            PrintedFigure::SequentialRead
                | PrintedFigure::SequentialWrite
                | PrintedFigure::RandomRead
                | PrintedFigure::RandomWrite
        )
    }

    fn host(&self) -> Option<Cause> {
        let limit = self.analysis.limits.iter().find(|limit| limit.step == self.step.id)?;
        let why = format!("{} was the limit: {}", limit.limit.limited_by.title(), limit.limit.reason);
        self.row.limited_here.then(|| Cause { kind: CauseKind::Host, why, evidence: Vec::new() })
    }

    /// A value of the row in bytes per second: MB/s as they are, operations times their size.
    fn bytes_per_second(&self, value: f64) -> Option<f64> {
        match self.figure() {
            PrintedFigure::SequentialRead | PrintedFigure::SequentialWrite => Some(value * MB),
            PrintedFigure::RandomRead | PrintedFigure::RandomWrite => {
                Some(value * self.step.workload()?.block_size.as_f64())
            }
            _ => None,
        }
    }

    fn link(&self) -> Option<Cause> {
        let (printed, measured) =
            (self.bytes_per_second(self.row.printed?)?, self.bytes_per_second(self.row.measured?)?);
        let (device, link) = linked(&self.records.environment.target.devices)?;
        let own = link.bytes_per_second?;
        let way = self.records.environment.probe.as_ref().and_then(|probe| probe.pcie.as_ref()?.bytes_per_second);
        let carries = way.map_or(own, |way| way.min(own));
        let found = vec![
            evidence("maximum rate of the link", carries / MB, None, "MB/s"),
            evidence("printed", printed / MB, None, "MB/s"),
            evidence("measured", measured / MB, None, "MB/s"),
        ];
        let below = link.possible.as_ref().filter(|possible| **possible != link.negotiated);
        let why = if printed > carries {
            format!("the link of {} runs at {}, which carries less than the printed rate", device.name, link.negotiated)
        } else if let Some(possible) = below.filter(|_| measured >= LINK_FULL * carries) {
            format!(
                "the link of {} runs at {} and is nearly full, but {possible} is possible",
                device.name, link.negotiated
            )
        } else {
            return None;
        };
        Some(Cause { kind: CauseKind::Link, why, evidence: found })
    }

    fn heat(&self) -> Option<Cause> {
        let hot = |finding: &&drivelab_core::finding::Finding| {
            finding.code == "throttled_by_heat" && finding.steps.iter().any(|key| key.step == self.step.id)
        };
        let finding = self.analysis.findings.iter().find(hot)?;
        let why = "the rate fell while the drive did not become cooler (finding `throttled_by_heat`)".to_owned();
        Some(Cause { kind: CauseKind::Heat, why, evidence: finding.evidence.clone() })
    }

    fn write_cache(&self) -> Option<Cause> {
        let printed = self.row.printed?;
        // A steady write that is measured after a fill has no course of its own: the run's fill shows the cache.
        let of = |step: &Step, id: &str| self.analysis.step_metric(&step.id, id)?.value;
        let course = |step: &Step| of(step, "fill.peak").zip(of(step, "fill.cache_size"));
        let measured = self.records.plan.steps().filter(|step| step.role == StepRole::Measure);
        let (peak, cache) = std::iter::once(self.step).chain(measured).find_map(course)?;
        let is_it = self.figure() == PrintedFigure::SequentialWrite && peak >= (1.0 - TOLERANCE) * printed;
        let found = vec![
            evidence("rate before the cache ends (limit: printed)", peak, Some(printed), "MB/s"),
            evidence("written when it ended", cache, None, "GB"),
        ];
        let why = "the printed rate was reached until the write cache ended".to_owned();
        is_it.then_some(Cause { kind: CauseKind::WriteCache, why, evidence: found })
    }

    fn state(&self) -> Option<Cause> {
        if let Some(verdict) = self.steadiness().filter(|verdict| !verdict.reached) {
            let found = vec![
                evidence("range of the last rounds", verdict.range_percent, Some(MAX_RANGE_PERCENT), "%"),
                evidence("slope over the last rounds", verdict.slope_percent, Some(MAX_SLOPE_PERCENT), "%"),
            ];
            let why = format!("'{}' did not become steady", verdict.test);
            return Some(Cause { kind: CauseKind::State, why, evidence: found });
        }
        let of_test = |finding: &&drivelab_core::finding::Finding| {
            finding.code == "state_unmet"
                && finding.steps.iter().any(|key| self.test.steps.iter().any(|step| step.id == key.step))
        };
        let finding = self.records.findings.iter().find(of_test)?;
        let why = "the drive was not in the state that the test needs (finding `state_unmet`)".to_owned();
        Some(Cause { kind: CauseKind::State, why, evidence: finding.evidence.clone() })
    }

    /// The verdict about the test itself, or else about the last preparation before it, which determined the drive's
    /// state.
    fn steadiness(&self) -> Option<&Steadiness> {
        let verdict = |test: &TestPlan| self.records.steadiness.iter().find(|verdict| verdict.test == test.name);
        let prepares = |test: &&TestPlan| test.steps.iter().all(|step| step.role == StepRole::Prepare);
        let before = self.records.plan.tests.iter().take_while(|test| test.name != self.test.name).filter(prepares);
        verdict(self.test).or_else(|| before.filter_map(verdict).last())
    }

    fn fill(&self) -> Option<Cause> {
        let asked = self.test.state.needs.is_some_and(|needs| needs.fill.is_some());
        let seen = self.records.drive_states.iter().find(|seen| seen.key.step == self.step.id)?;
        let fill = seen.state.fill();
        let is_it = self.figure().op() == Some(OpKind::Write) && !asked && fill >= FILLED;
        let found = vec![evidence("share of the target that held data", 100.0 * fill, Some(100.0 * FILLED), "%")];
        let why = "the drive held data, which leaves it less free space for writes".to_owned();
        is_it.then_some(Cause { kind: CauseKind::Fill, why, evidence: found })
    }

    /// By how much the rate grew from the step below this one, if this one is the last: the two differ in `axis` and
    /// have the same `other`.
    fn growth(&self, axis: fn(&Step) -> Option<u64>, other: fn(&Step) -> Option<u64>) -> Option<(u64, f64)> {
        let (here, beside) = (axis(self.step)?, other(self.step)?);
        let same = self.test.steps.iter().filter(|step| other(step) == Some(beside));
        let places: Vec<(u64, &Step)> = same.filter_map(|step| Some((axis(step)?, step))).collect();
        if places.iter().any(|(place, _)| *place > here) {
            return None;
        }
        let (_, below) = places.iter().filter(|(place, _)| *place < here).max_by_key(|(place, _)| *place)?;
        let before = self.analysis.step_metric(&below.id, metric_of(self.figure())?)?.value?;
        let growth = self.row.measured? / before - 1.0;
        (self.is_rate() && growth > STILL_GROWING).then_some((here, growth))
    }

    fn threads(&self) -> Option<Cause> {
        let (threads, growth) = self.growth(threads, queue_depth)?;
        let why = format!("the rate was still growing at {threads} threads, the most that were measured");
        Some(Cause { kind: CauseKind::Threads, why, evidence: vec![grown(growth)] })
    }

    fn queue_depth(&self) -> Option<Cause> {
        let (depth, growth) = self.growth(queue_depth, threads)?;
        let why =
            format!("the rate was still growing at queue depth {depth} for each thread, the highest that was measured");
        Some(Cause { kind: CauseKind::QueueDepth, why, evidence: vec![grown(growth)] })
    }

    fn layer(&self) -> Option<Cause> {
        let target = &self.records.environment.target;
        let virtual_disk = target.devices.first().and_then(|device| Some((device, device.virtual_because.as_ref()?)));
        let why = match (virtual_disk, &target.file_system) {
            (Some((device, because)), _) => format!("{} is a virtual disk ({because})", device.name),
            (None, Some(system)) if target.kind.is_file() => {
                format!("it was measured in a file on {}, not on the drive itself", system.kind)
            }
            _ => return None,
        };
        Some(Cause { kind: CauseKind::Layer, why, evidence: Vec::new() })
    }
}

fn grown(growth: f64) -> Evidence {
    evidence("growth from the step below", 100.0 * growth, Some(100.0 * STILL_GROWING), "%")
}

fn threads(step: &Step) -> Option<u64> {
    step.workload().map(|load| u64::from(load.threads.get()))
}

fn queue_depth(step: &Step) -> Option<u64> {
    step.workload().map(|load| u64::from(load.queue_depth.get()))
}

/// The device below the target with the slowest link.
fn linked(devices: &[BlockDeviceFacts]) -> Option<(&BlockDeviceFacts, &LinkFacts)> {
    let with_link = devices.iter().filter_map(|device| Some((device, device.link.as_ref()?)));
    let known = with_link.filter(|(_, link)| link.bytes_per_second.is_some());
    known.min_by(|a, b| a.1.bytes_per_second.unwrap_or(0.0).total_cmp(&b.1.bytes_per_second.unwrap_or(0.0)))
}
