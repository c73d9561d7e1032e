//! Made-up runs under arms.

use drivelab_core::condition::{Arm, Condition, ConditionFacts, Luks2};
use drivelab_core::group::{CoreTime, HostCpu};
use drivelab_core::ids::RunId;
use drivelab_core::record::StepRecord;
use drivelab_core::run::RunRecords;

use crate::sample_run;
use crate::slowed::slowed;

/// The run under this arm.
#[must_use]
pub fn under_arm(mut records: RunRecords, encryption: Arm) -> RunRecords {
    let asked = Condition { encryption, ..Condition::default() };
    records.environment.condition = Some(ConditionFacts { asked, ..ConditionFacts::default() });
    records
}

/// The run with records of two CPUs, each busy for this long in every execution, with much more stolen, iowait and
/// idle time.
#[must_use]
pub fn with_host_cpu(mut records: RunRecords, used_ms: [u64; 2]) -> RunRecords {
    let core = |(cpu, ms): (u32, u64)| CoreTime {
        cpu,
        user_ms: ms / 2,
        system_ms: ms - ms / 2 - ms / 10,
        interrupt_ms: ms / 10,
        steal_ms: 7_000,
        wait_ms: 70_000,
        idle_ms: 700_000,
    };
    let of = |record: &StepRecord| HostCpu {
        key: record.key.clone(),
        from_ns: record.start_ns,
        to_ns: record.end_ns,
        cores: (0..).zip(used_ms).map(core).collect(),
    };
    records.host_cpu = records.steps.iter().map(of).collect();
    records
}

/// Three runs of one drive: without encryption, with LUKS2 at four fifths of the rates and five times the CPU time,
/// and again without encryption.
#[must_use]
pub fn sample_arms() -> Vec<RunRecords> {
    let without = || with_host_cpu(under_arm(sample_run(), Arm::None), [100, 100]);
    let luks = with_host_cpu(under_arm(slowed(1.25), Arm::Luks2(Luks2::default())), [500, 500]);
    let mut runs = vec![without(), luks, without()];
    runs.iter_mut().for_each(|records| records.run = RunId::now());
    runs
}
