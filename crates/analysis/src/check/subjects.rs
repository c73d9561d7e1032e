//! The executions of a run, each with everything that a check may use.

use std::collections::BTreeMap;

use drivelab_core::environment::Environment;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::Form;
use drivelab_core::record::{IntervalRecord, StepRecord};
use drivelab_core::run::RunRecords;

use crate::check::Subject;
use crate::topics::search;
use crate::values::{self, Execution};

/// Every finished execution whose step is in the plan.
pub(crate) fn subjects(records: &RunRecords) -> Vec<Subject<'_>> {
    let mut intervals: BTreeMap<&StepKey, Vec<&IntervalRecord>> = BTreeMap::new();
    for interval in &records.intervals {
        intervals.entry(&interval.key).or_default().push(interval);
    }
    let link = link_rate(&records.environment);
    let target = &records.environment.target;
    let (devices, file_system) = (&target.devices[..], target.file_system.as_ref().map(|one| one.kind.as_str()));
    let subject = |record| {
        let record: &StepRecord = record;
        let step = records.plan.step(&record.key.step)?;
        let execution = Execution::new(step, record)?.within(records);
        let intervals = intervals.remove(&record.key).unwrap_or_default();
        let (memory, probe) = (records.environment.testbed.memory, search::is_probe(records, &record.key));
        let stores_nothing = records.environment.target.kind.stores_nothing();
        let moment = records.plan.form == Form::Smoke;
        Some(Subject { step, execution, intervals, link, devices, file_system, memory, stores_nothing, probe, moment })
    };
    records.steps.iter().filter(|record| !values::is_empty(record)).filter_map(subject).collect()
}

/// The maximum rate of the links below the target together; `None` if a device at the bottom has no known link.
fn link_rate(environment: &Environment) -> Option<f64> {
    let bottom = environment.target.devices.iter().filter(|device| device.lies_on.is_empty());
    let rates = bottom.map(|device| device.link.as_ref().and_then(|link| link.bytes_per_second));
    rates.sum::<Option<f64>>().filter(|rate| *rate > 0.0)
}
