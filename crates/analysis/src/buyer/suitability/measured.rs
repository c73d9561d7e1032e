//! Which figures of a run are facts about its drive.

use drivelab_core::condition::Arm;
use drivelab_core::content::ContentSample;
use drivelab_core::event::RunState;
use drivelab_core::group::GroupRole;
use drivelab_core::load::{Content, Locality, Pace};
use drivelab_core::metric::Metric;
use drivelab_core::plan::{Form, Step, StepRole};
use drivelab_core::run::RunRecords;
use drivelab_core::verdict_rules::{FactKind, VerdictRules};
use drivelab_core::workload::{DataPattern, Pattern, Workload};

use super::fact::{Fact, Facts, READ_ALONE, SMALL};
use super::judge::judge;
use super::sheet::printed;
use super::types::Suitability;
use crate::analysis::Analysis;
use crate::topics::data_sheet::capacity_of;

/// Share of the drive that a fill must cover before a rate that never fell is its sustained rate.
const WHOLE: f64 = 0.9;

/// What the drive of a run is good for by these rules, or why there are none.
#[must_use]
pub fn of_run(records: &RunRecords, analysis: &Analysis, rules: Result<&VerdictRules, &str>) -> Suitability {
    let facts = facts(records, analysis);
    match rules {
        Ok(rules) => judge(rules, facts, unjudged(records)),
        Err(why) => Suitability {
            none_because: Some(why.to_owned()),
            facts: facts.known,
            did_not_happen: facts.did_not_happen,
            uses: Vec::new(),
        },
    }
}

/// Why a run gives no verdict on a drive; `None` if it gives one.
#[must_use]
pub fn unjudged(records: &RunRecords) -> Option<String> {
    let target = &records.environment.target;
    if records.is_simulated() {
        return Some("the drive is simulated".to_owned());
    }
    if target.devices.is_empty() {
        return Some("the target is not on a drive".to_owned());
    }
    if let Some(device) = target.devices.iter().find(|device| device.virtual_because.is_some()) {
        return Some(format!("{} is a virtual disk on unknown hardware", device.name));
    }
    if let Some(device) = target.devices.iter().find(|device| device.transport == "loop") {
        return Some(format!("{} is a loop device, not a drive", device.name));
    }
    let drives = target.devices.iter().filter(|device| device.lies_on.is_empty()).count();
    if drives > 1 {
        return Some(format!("the target is spread over {drives} drives"));
    }
    let condition = records.environment.asked_condition();
    // What the drive encrypts itself is its own speed.
    if matches!(condition.encryption, Arm::Luks2(_)) {
        return Some(format!("the drive was measured under {}", condition.encryption));
    }
    // A volume that was there before; the drive's own encryption has a mapping too.
    if condition.encryption == Arm::None && target.devices.iter().any(|device| device.encrypts) {
        return Some("the target is encrypted by the host".to_owned());
    }
    if let Some(state) = condition.power_state {
        return Some(format!("the drive was measured in power state {state}"));
    }
    let beside = records.group.as_ref().filter(|group| group.role == GroupRole::Together).map(|group| group.drives());
    if let Some(drives) = beside.filter(|drives| *drives > 1) {
        return Some(format!("{drives} drives were measured at the same time"));
    }
    if records.plan.form == Form::Smoke {
        return Some("the smoke form is too short for a verdict".to_owned());
    }
    (records.state != RunState::Complete).then(|| "the run is not complete".to_owned())
}

/// Everything that a run shows about its drive.
fn facts(records: &RunRecords, analysis: &Analysis) -> Facts {
    let steps = Steps::of(records, analysis);
    let known = FactKind::ALL.into_iter().filter_map(|kind| steps.fact(kind).or_else(|| stated(records, kind)));
    Facts { known: known.collect(), did_not_happen: steps.did_not_happen() }
}

/// The measured steps of a run.
struct Steps<'a> {
    analysis: &'a Analysis,
    steps: Vec<(&'a Step, &'a Workload)>,
    /// Bytes of the drive.
    drive: Option<f64>,
    /// What the places that a check reads held.
    content: Option<&'a ContentSample>,
}

impl<'a> Steps<'a> {
    fn of(records: &'a RunRecords, analysis: &'a Analysis) -> Self {
        let measured = records.plan.steps().filter(|step| step.role == StepRole::Measure);
        let steps = measured.filter_map(|step| Some((step, step.workload()?)));
        let content = records.environment.content.as_deref();
        Steps { analysis, steps: steps.collect(), drive: capacity_of(&records.environment), content }
    }

    fn fact(&self, kind: FactKind) -> Option<Fact> {
        match kind {
            FactKind::SequentialRead => self.best(kind, "read.throughput", |load| is_sequential(load, 0)),
            FactKind::SequentialWrite => self.best(kind, "write.throughput", |load| is_sequential(load, 100)),
            FactKind::RandomRead => self.best(kind, "read.iops", |load| is_small_random(load, 0)),
            FactKind::RandomWrite => self.best(kind, "write.iops", |load| is_small_random(load, 100)),
            FactKind::SequentialReadQd1 => self.smallest(kind, "read.throughput", |load| {
                let [least, most] = READ_ALONE;
                is_sequential(load, 0) && is_alone(load) && load.block_size >= least && load.block_size <= most
            }),
            FactKind::RandomReadLatency => {
                self.smallest(kind, "read.latency_mean", |load| is_small_random(load, 0) && is_alone(load))
            }
            FactKind::RandomReadTail => {
                self.smallest(kind, "read.latency_p999", |load| is_small_random(load, 0) && is_alone(load))
            }
            FactKind::WriteCache => self.best(kind, "fill.cache_size", |_| true),
            FactKind::SustainedWrite => self.sustained(),
            FactKind::Hottest => self.extreme(kind, "temperature.max", |_, _| true, f64::total_cmp),
            FactKind::HottestUnchecked if self.throttled() || self.warned() => None,
            FactKind::HottestUnchecked => {
                self.extreme(kind, "temperature.max", |step, _| self.shows_heat(step), f64::total_cmp)
            }
            FactKind::ThrottledAfter => {
                self.extreme(kind, "heat.time_to_throttle", |_, _| true, |one, other| other.total_cmp(one))
            }
            FactKind::FullWrites | FactKind::DriveWritesPerDay | FactKind::Used | FactKind::PricePerTb => None,
        }
    }

    /// The values of a metric in the steps whose load is of a kind.
    fn valued(
        &self,
        id: &str,
        keep: impl Fn(&Step, &Workload) -> bool,
    ) -> impl Iterator<Item = (&'a Step, &'a Workload, &'a Metric, f64)> {
        // Reads of a place without data are answered without the flash.
        let of_reads = id.starts_with("read.");
        let empty = |load: &Workload| self.content.and_then(|all| all.holds_data_at(load.span.offset)) == Some(false);
        let real = self.steps.iter().copied().filter(move |(_, load)| !(of_reads && empty(load)));
        let kept = real.filter(move |(step, load)| keep(step, load));
        kept.filter_map(move |(step, load)| {
            let metric = self.analysis.step_metric(&step.id, id)?;
            Some((step, load, metric, metric.value?))
        })
    }

    /// The fact of the step with the most extreme value in this order.
    fn extreme(
        &self,
        kind: FactKind,
        id: &str,
        keep: impl Fn(&Step, &Workload) -> bool,
        order: impl Fn(&f64, &f64) -> std::cmp::Ordering,
    ) -> Option<Fact> {
        let (step, _, metric, _) = self.valued(id, keep).max_by(|(.., one), (.., other)| order(one, other))?;
        Fact::measured(kind, metric, &step.label)
    }

    /// The fact of the step with the highest value among plain loads of a kind.
    fn best(&self, kind: FactKind, id: &str, keep: impl Fn(&Workload) -> bool) -> Option<Fact> {
        self.extreme(kind, id, |_, load| is_plain(load) && keep(load), f64::total_cmp)
    }

    /// The fact of the first step with the smallest blocks among plain loads of a kind.
    fn smallest(&self, kind: FactKind, id: &str, keep: impl Fn(&Workload) -> bool) -> Option<Fact> {
        let plain = self.valued(id, |_, load| is_plain(load) && keep(load));
        let (step, _, metric, _) = plain.min_by_key(|(_, load, ..)| load.block_size)?;
        Fact::measured(kind, metric, &step.label)
    }

    /// The lowest sustained rate of all fills that show one: a cache ended in them, or they cover the drive.
    fn sustained(&self) -> Option<Fact> {
        let shows = |step: &Step, load: &Workload| {
            let ended = self.analysis.step_metric(&step.id, "fill.cache_size").is_some_and(|size| size.value.is_some());
            ended || self.drive.is_some_and(|drive| load.span.length.as_f64() >= WHOLE * drive)
        };
        let fills = self.valued("fill.sustained", |step, load| is_plain(load) && shows(step, load));
        let (step, _, metric, _) = fills.min_by(|(.., one), (.., other)| one.total_cmp(other))?;
        Fact::measured(FactKind::SustainedWrite, metric, &step.label)
    }

    /// Whether a step was long and steady enough to show what heat does.
    fn shows_heat(&self, step: &Step) -> bool {
        self.analysis.step_metric(&step.id, "heat.throttle_steps").is_some_and(|steps| steps.value.is_some())
    }

    /// Whether a value of any step is above zero.
    fn any_above_zero(&self, id: &str) -> bool {
        self.valued(id, |_, _| true).any(|(.., value)| value > 0.0)
    }

    /// Whether heat lowered the rate.
    fn throttled(&self) -> bool {
        self.any_above_zero("heat.throttle_steps")
    }

    /// Whether the drive reached the limit from which it warns.
    fn warned(&self) -> bool {
        self.any_above_zero("heat.warning_minutes")
    }

    /// What was looked for and did not happen; nothing if no step shows what heat does.
    fn did_not_happen(&self) -> Vec<FactKind> {
        if !self.steps.iter().any(|(step, _)| self.shows_heat(step)) {
            return Vec::new();
        }
        let cool = (!self.throttled()).then_some(FactKind::ThrottledAfter);
        let checked = (self.throttled() || self.warned()).then_some(FactKind::HottestUnchecked);
        cool.into_iter().chain(checked).collect()
    }
}

/// One group of threads that reads or writes blocks of one size as fast as it can, past the page cache: data that no
/// drive can compress, and no place more often than another.
fn is_plain(load: &Workload) -> bool {
    // Without `..`: a new field of a load must be decided here too. Those with a name of their own change nothing that
    // makes a figure unlike another, or are looked at by the kind of the fact.
    let Workload {
        write_percent: _,
        other,
        block_size: _,
        block_size_mix,
        pattern: _,
        locality,
        stride: _,
        places: _,
        seek_percent: _,
        streams: _,
        span: _,
        on,
        queue_depth: _,
        threads: _,
        pace,
        data,
        content: Content { compress_percent, dedup_percent, pattern: _, file: _, window: _ },
        verify,
        direct,
        placement: _,
        placement_handle: _,
        seed: _,
        name: _,
        replay,
        beside,
        files,
    } = load;
    let one = beside.is_empty() && block_size_mix.is_empty() && on.is_none();
    let random_data = matches!(data, DataPattern::Incompressible | DataPattern::OneBlock);
    let data = random_data && compress_percent.is_zero() && dedup_percent.is_zero() && verify.is_off();
    let free = *pace == Pace::default() && *locality == Locality::Uniform && other.percent() == 0;
    one && data && free && *direct && replay.is_none() && files.is_none()
}

fn is_sequential(load: &Workload, write_percent: u8) -> bool {
    load.write_percent.get() == write_percent && load.pattern == Pattern::Sequential && load.goes_in_order()
}

fn is_small_random(load: &Workload, write_percent: u8) -> bool {
    let random = matches!(load.pattern, Pattern::Random | Pattern::RandomOnce);
    load.write_percent.get() == write_percent && random && load.block_size <= SMALL
}

fn is_alone(load: &Workload) -> bool {
    load.total_depth() == 1
}

/// A fact that the data sheet or the drive itself states.
fn stated(records: &RunRecords, kind: FactKind) -> Option<Fact> {
    let environment = &records.environment;
    let fact = |value: f64, rests_on: &str| Fact::stated(kind, value, rests_on);
    if kind == FactKind::Used {
        let health = environment.probe.as_ref()?.nvme.as_ref()?.health.as_ref()?;
        return Some(fact(f64::from(health.used_percent), "the drive's own count"));
    }
    let sheet = environment.data_sheet.as_deref()?;
    printed(kind, sheet, capacity_of(environment))
}

#[cfg(test)]
mod tests;
