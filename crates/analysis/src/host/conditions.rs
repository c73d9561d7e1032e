//! What may disturb a run, judged from facts collected before it.
//!
//! Owns the thresholds. Must not know how facts are collected: that is `device`.

use drivelab_core::environment::{Environment, TargetKind, TestbedFacts, ToolVersion};
use drivelab_core::finding::Finding;
use drivelab_core::load::{Content, Verify};
use drivelab_core::namespace::OtherNamespace;
use drivelab_core::plan::{Plan, Step};
use drivelab_core::units::Bytes;
use drivelab_core::workload::{DataPattern, Workload};

use super::devices::device_findings;
use super::probe::probe_findings_of_run;
use super::{series, words as text};

/// Runnable tasks for each CPU above which the machine is busy: at a quarter of its CPUs, a thread that issues I/O
/// often meets another one on its core.
const BUSY_LOAD_PER_CPU: f64 = 0.25;
/// A load up to this is never called busy: a shell and a desktop cause one runnable task half of the time.
const QUIET_LOAD: f64 = 0.5;
/// Bytes per second of other programs above which a finding reports them. Logs and browsers stay below; a megabyte per
/// second is one per cent of the rate of the slowest drives in the tests here.
const FOREIGN_IO_BYTES_PER_SECOND: f64 = 1e6;
/// File systems that are in memory.
const MEMORY_FILE_SYSTEMS: [&str; 2] = ["tmpfs", "ramfs"];
/// Share of the time of all CPUs above which the machine was busy. The issuing thread needs a CPU of its own; a tenth
/// of two CPUs is what the clock, network and logs of a desktop use.
const BUSY_SHARE: f64 = 0.10;

/// Everything about target and testbed that may change the figures or their meaning.
#[must_use]
pub fn disturbances(environment: &Environment) -> Vec<Finding> {
    let mut findings = testbed(&environment.testbed);
    findings.extend(target(environment));
    for device in &environment.target.devices {
        findings.extend(device_findings(device));
    }
    let series = environment.condition.as_ref().and_then(|facts| facts.series.as_ref());
    findings.extend(series.map(series::all).unwrap_or_default());
    findings.extend(environment.probe.as_deref().map(probe_findings_of_run).unwrap_or_default());
    findings
}

/// Findings that follow from target and plan together, for the top of a result: reads of data that was never written,
/// or requests that cannot have an effect.
#[must_use]
pub fn contradictions(environment: &Environment, plan: &Plan) -> Vec<Finding> {
    let target = &environment.target;
    let holes = target.holes.filter(|_| reads_as_found(plan));
    let holes = holes.map(|holes| text::reads_of_holes(&target.path.display().to_string(), holes, target.length));
    let loads = || plan.steps().filter_map(Step::workload).flat_map(Workload::groups);
    let idle = loads().any(states_data) && !loads().any(|load| load.write_percent.get() > 0);
    let sealed = loads().any(|load| load.verify == Verify::Headers);
    let unread = sealed && target.kind == TargetKind::ScratchFile && !loads().any(|load| load.verify == Verify::Check);
    let set = (!plan.set.is_empty()).then(|| text::parameters_set(&plan.methodology.name, &plan.set));
    let left_out = (!plan.left_out.is_empty()).then(|| text::tests_left_out(&plan.left_out));
    let other = plan.other_namespace().map(|other| text::other_namespace_read(other, allocated(environment, other)));
    let notes = [set, left_out, other, idle.then(text::data_without_writes), unread.then(text::headers_unread)];
    holes.into_iter().chain(notes.into_iter().flatten()).collect()
}

/// The bytes that a namespace reports as allocated, if the drive was queried.
fn allocated(environment: &Environment, other: &OtherNamespace) -> Option<Bytes> {
    let nvme = environment.probe.as_ref()?.nvme.as_ref()?;
    nvme.namespaces.iter().find(|one| one.id == other.nsid).map(|one| one.used)
}

/// Whether the first step that moves data reads: it then reads what the target held before the run.
fn reads_as_found(plan: &Plan) -> bool {
    let mut loads = plan.steps().filter_map(Step::workload);
    let moves = |load: &&Workload| load.groups().any(|one| one.read_percent() > 0 || one.write_percent.get() > 0);
    // A check of headers reads blocks that are known to have been written.
    let reads = |group: &Workload| group.read_percent() > 0 && group.verify != Verify::Check;
    loads.find(moves).is_some_and(|load| load.on_target().any(reads))
}

fn states_data(load: &Workload) -> bool {
    load.data != DataPattern::Incompressible || load.content != Content::default()
}

/// A finding about the build of drivelab, if it is not one to measure with.
#[must_use]
pub fn tool(tool: &ToolVersion) -> Option<Finding> {
    (tool.profile != "release").then(|| text::debug_build(&tool.profile))
}

/// Judged by what the CPUs did while they were observed before the run. The load average still counts work that ended
/// minutes ago (such as the build of drivelab itself), so it is used only if the CPUs were not observed.
fn busy(testbed: &TestbedFacts) -> Option<Finding> {
    if let Some(busy) = testbed.cpu_busy {
        // The load generator cannot use stolen time either.
        let busy = busy + testbed.cpu_stolen.unwrap_or(0.0);
        return (busy > BUSY_SHARE).then(|| text::busy_cpus(busy, testbed.cpus, BUSY_SHARE));
    }
    let (load, limit) = (testbed.load_average_1m, (BUSY_LOAD_PER_CPU * f64::from(testbed.cpus)).max(QUIET_LOAD));
    (load > limit).then(|| text::busy_machine(load, testbed.cpus, limit))
}

/// Everything about the host that may change the figures.
pub(crate) fn testbed(testbed: &TestbedFacts) -> Vec<Finding> {
    let foreign = testbed.foreign_io.filter(|rate| *rate > FOREIGN_IO_BYTES_PER_SECOND);
    let governor = testbed.governor.as_deref().filter(|governor| *governor != "performance");
    let findings = [
        busy(testbed),
        foreign.map(|rate| text::foreign_io(rate, FOREIGN_IO_BYTES_PER_SECOND)),
        governor.map(text::governor),
        testbed.hypervisor.as_deref().map(text::virtual_machine),
    ];
    findings.into_iter().flatten().collect()
}

fn target(environment: &Environment) -> Vec<Finding> {
    let (target, memory) = (&environment.target, environment.testbed.memory);
    if target.kind.stores_nothing() {
        return vec![text::stores_nothing(&target.path.display().to_string())];
    }
    let system = target.file_system.as_ref();
    let memory_system = system.map(|system| system.kind.as_str()).filter(|kind| MEMORY_FILE_SYSTEMS.contains(kind));
    let in_memory = memory_system.is_some();
    let cached_below = environment.testbed.hypervisor.is_some()
        || target.devices.iter().any(|device| device.virtual_because.is_some() || device.transport == "loop");
    let nowhere = system.filter(|_| target.devices.is_empty() && !in_memory);
    let findings = [
        memory_system.map(text::memory_file_system),
        (!target.direct_io.supported).then(|| text::no_direct_io(&target.direct_io.reason)),
        nowhere.map(|system| text::no_block_device(&system.kind, &system.source)),
        (memory >= target.length && !in_memory)
            .then(|| text::memory_larger_than_target(memory, target.length, cached_below)),
        (!target.used_by.is_empty()).then(|| text::used_by_others(&target.used_by)),
        environment.bundle_on_same_device.then(|| text::bundle_on_target(None)),
    ];
    findings.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    //! A quiet testbed has no finding; each disturbance alone has its own.

    use drivelab_core::finding::Severity;
    use drivelab_samples::{sample_environment, sample_tool};

    use super::*;
    use crate::check::testing::figures;

    fn codes(change: impl FnOnce(&mut Environment)) -> Vec<String> {
        let mut environment = sample_environment();
        change(&mut environment);
        disturbances(&environment).into_iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn a_quiet_testbed_with_a_physical_drive_gives_no_finding() {
        assert!(codes(|_| {}).is_empty());
        assert_eq!(tool(&sample_tool()), None);
    }

    #[test]
    fn each_disturbance_of_the_testbed_has_its_own_finding() {
        let without_a_look = |load: f64| codes(move |e| (e.testbed.cpu_busy, e.testbed.load_average_1m) = (None, load));
        assert_eq!(without_a_look(4.1), ["busy_machine"], "a quarter of 16 CPUs is 4");
        assert!(without_a_look(3.9).is_empty());
        assert_eq!(codes(|e| e.testbed.cpu_busy = Some(0.11)), ["busy_machine"]);
        let stolen =
            |share: f64| codes(move |e| (e.testbed.cpu_busy, e.testbed.cpu_stolen) = (Some(0.02), Some(share)));
        assert_eq!(stolen(0.09), ["busy_machine"], "stolen time cannot be used either");
        assert!(stolen(0.07).is_empty());
        assert!(codes(|e| e.testbed.load_average_1m = 9.0).is_empty(), "the CPUs are idle by now");
        assert_eq!(codes(|e| e.testbed.foreign_io = Some(1.1e6)), ["foreign_io"]);
        assert!(codes(|e| e.testbed.foreign_io = None).is_empty());
        assert_eq!(codes(|e| e.testbed.governor = Some("powersave".to_owned())), ["governor_not_performance"]);
        assert!(codes(|e| e.testbed.governor = None).is_empty(), "unknown is not a finding");
        assert_eq!(codes(|e| e.testbed.hypervisor = Some("kvm".to_owned())), ["virtual_machine"]);
        let mut debug = sample_tool();
        debug.profile = "debug".to_owned();
        assert_eq!(tool(&debug).map(|finding| finding.code).as_deref(), Some("debug_build"));
    }

    #[test]
    fn reads_of_holes_and_data_that_nobody_writes_are_told_and_only_where_they_are() {
        let codes = |holes: Option<u64>, change: fn(&mut Plan)| -> Vec<String> {
            let mut run = drivelab_samples::sample_run();
            run.environment.target.holes = holes.map(Bytes::new);
            change(&mut run.plan);
            contradictions(&run.environment, &run.plan).into_iter().map(|finding| finding.code).collect()
        };
        let only_reads = |plan: &mut Plan| {
            plan.tests.retain_mut(|test| {
                test.steps.retain(|step| step.workload().is_some_and(|load| load.write_percent.get() == 0));
                !test.steps.is_empty()
            });
        };
        assert!(codes(Some(4096), |_| {}).is_empty(), "the sample fills its target first");
        assert_eq!(codes(Some(4096), only_reads), ["reads_of_holes"]);
        assert!(codes(None, only_reads).is_empty());
        let zeros = |plan: &mut Plan| {
            for step in plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
                if let drivelab_core::plan::Action::Io { workload, .. } = &mut step.action {
                    workload.data = DataPattern::Zero;
                }
            }
        };
        assert!(codes(None, zeros).is_empty(), "the sample writes");
        let mut run = drivelab_samples::sample_run();
        zeros(&mut run.plan);
        only_reads(&mut run.plan);
        let found = contradictions(&run.environment, &run.plan);
        assert_eq!(found.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(), ["data_without_writes"]);
    }

    #[test]
    fn another_namespace_that_is_read_is_noted_and_an_empty_one_warned_of() {
        let found = |used: Option<u64>| {
            let mut run = drivelab_samples::sample_run();
            let step = run.plan.tests.iter_mut().flat_map(|test| &mut test.steps).next().expect("a step");
            let drivelab_core::plan::Action::Io { workload, .. } = &mut step.action else { panic!("no I/O") };
            let (name, capacity) = ("nvme0n2".to_owned(), Bytes::GIB);
            let on = OtherNamespace { name, nsid: 2, capacity, logical_block: Bytes::new(512) };
            workload.beside.push(Workload {
                name: "readers".to_owned(),
                on: Some(Box::new(on)),
                ..Workload::default()
            });
            let other = run.plan.other_namespace().cloned().expect("one");
            text::other_namespace_read(&other, used.map(Bytes::new))
        };
        let known = found(Some(1 << 20));
        let (unknown, empty) = (found(None), found(Some(0)));
        assert_eq!((known.severity, unknown.severity), (Severity::Note, Severity::Note));
        assert_eq!(empty.severity, Severity::Warning);
        for finding in [known, unknown, empty] {
            assert_eq!(figures(&finding), [(1.074e9, None, "B")], "1 GiB");
        }
    }

    #[test]
    fn one_runnable_task_makes_two_cpus_busy_and_a_shell_does_not() {
        let small = |load: f64| {
            codes(move |e| {
                e.testbed.cpus = 1;
                e.testbed.cpu_busy = None;
                e.testbed.load_average_1m = load;
            })
        };
        assert!(small(0.4).is_empty());
        assert_eq!(small(0.6), ["busy_machine"]);
    }

    #[test]
    fn each_disturbance_of_the_target_has_its_own_finding() {
        assert_eq!(codes(|e| e.testbed.memory = e.target.length), ["memory_larger_than_target"]);
        assert_eq!(codes(|e| e.bundle_on_same_device = true), ["bundle_on_target_device"]);
        assert_eq!(codes(|e| e.target.direct_io.supported = false), ["no_direct_io"]);
        assert_eq!(codes(|e| e.target.devices.clear()), ["no_block_device"]);
        let in_memory = codes(|e| {
            if let Some(system) = &mut e.target.file_system {
                system.kind = "tmpfs".to_owned();
            }
            e.target.devices.clear();
            e.target.direct_io.supported = false;
        });
        assert_eq!(in_memory, ["memory_file_system", "no_direct_io"]);
        assert_eq!(codes(|e| e.target.used_by = vec!["/dev/x is mounted at /".to_owned()]), ["target_in_use"]);
    }

    #[test]
    fn a_target_that_stores_nothing_has_one_finding_and_a_bare_device_none() {
        use drivelab_core::environment::TargetKind;
        for kind in [TargetKind::NullDevice, TargetKind::ZeroDevice, TargetKind::Nop] {
            let found = codes(|e| {
                e.target.kind = kind;
                e.target.file_system = None;
                e.target.devices.clear();
                e.target.direct_io.supported = false;
                e.target.length = Bytes::new(1 << 20);
            });
            assert_eq!(found, ["stores_nothing"]);
        }
        let device = codes(|e| {
            e.target.kind = TargetKind::BlockDevice;
            e.target.file_system = None;
            e.guard = None;
        });
        assert!(device.is_empty(), "{device:?}");
    }

    #[test]
    fn each_disturbance_of_a_device_has_its_own_finding() {
        assert_eq!(codes(|e| e.target.devices[0].virtual_because = Some("virtio".to_owned())), ["virtual_disk"]);
        assert_eq!(codes(|e| e.target.devices[0].transport = "loop".to_owned()), ["stacked_device"]);
        assert_eq!(codes(|e| e.target.devices[0].scheduler = Some("bfq".to_owned())), ["scheduler_not_none"]);
        let slow = codes(|e| {
            if let Some(link) = &mut e.target.devices[0].link {
                link.negotiated = "PCIe 3.0 x2".to_owned();
            }
        });
        assert_eq!(slow, ["link_below_possible"]);
    }

    #[test]
    fn a_small_target_is_graver_where_a_cache_lies_below() {
        let severity = |looped: bool| {
            let mut environment = sample_environment();
            environment.target.length = Bytes::new(1 << 30);
            if looped {
                environment.target.devices[0].transport = "loop".to_owned();
            }
            let found = disturbances(&environment);
            found.into_iter().find(|f| f.code == "memory_larger_than_target").map(|finding| finding.severity)
        };
        assert!(severity(true) > severity(false));
    }
}
