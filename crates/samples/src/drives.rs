//! A made-up group of runs for tests and sample pages: the sample run, slowed by known factors.

use drivelab_core::group::{CoreTime, Group, GroupRole, GroupRun, HostCpu};
use drivelab_core::run::RunRecords;

use crate::{sample_id, slowed};

/// How much slower each drive is when measured together with the others.
pub const SLOWED: [f64; 3] = [2.0, 1.25, 1.0];

/// The runs of three drives, each alone and together. Together, the first keeps 50 %, the second 80 %, the third all.
/// The first two are on one device.
#[must_use]
pub fn sample_group() -> Vec<RunRecords> {
    let roles = [GroupRole::Alone, GroupRole::Together];
    let runs: Vec<GroupRun> = roles
        .into_iter()
        .flat_map(|role| (0u32..3).map(move |drive| GroupRun { run: sample_id(), role, drive }))
        .collect();
    let member = |one: &GroupRun| {
        let factor = if one.role == GroupRole::Together { SLOWED[one.drive as usize] } else { 1.0 };
        let mut records = slowed(factor);
        records.group = Some(Group { role: one.role, drive: one.drive, runs: runs.clone() });
        if one.drive == 2 {
            for device in &mut records.environment.target.devices {
                device.name = format!("{}-other", device.name);
            }
        }
        let cpu = |record: &drivelab_core::record::StepRecord| HostCpu {
            key: record.key.clone(),
            from_ns: record.start_ns,
            to_ns: record.end_ns,
            cores: vec![
                CoreTime {
                    cpu: 0,
                    user_ms: 200,
                    system_ms: 300,
                    interrupt_ms: 100,
                    idle_ms: 400,
                    ..CoreTime::default()
                },
                CoreTime { cpu: 1, user_ms: 100, system_ms: 100, idle_ms: 800, ..CoreTime::default() },
            ],
        };
        records.host_cpu = records.steps.iter().map(cpu).collect();
        records
    };
    runs.iter().map(member).collect()
}
