//! Every finding of a probe: a drive without findings, changed in one thing at a time.

use drivelab_core::probe::{
    Contradiction, LbaFormat, NamespaceProbe, NvmeFeatures, NvmeHealth, NvmeSecurity, PciePath, ThermalLimits,
};
use drivelab_core::units::Bytes;
use drivelab_samples::{quiet_nvme, quiet_probe};

use super::*;
use crate::check::testing::figures;

fn queues(of: &[&[u32]], cpus_online: u32) -> QueueFacts {
    QueueFacts {
        cpus_of_queue: of.iter().map(|cpus| cpus.to_vec()).collect(),
        cpus_online,
        entries_each: None,
        polled: None,
        interrupts: Vec::new(),
    }
}

#[test]
fn a_queue_for_each_cpu_is_nothing_to_say_and_anything_else_is() {
    assert_eq!(queue_map(&queues(&[&[0], &[1]], 2)), None);
    let code = |facts: &QueueFacts| queue_map(facts).map(|finding| finding.code);
    assert_eq!(code(&queues(&[&[0, 1]], 2)).as_deref(), Some("fewer_queues_than_cpus"));
    assert_eq!(code(&queues(&[&[0, 1], &[]], 2)).as_deref(), Some("queues_not_one_to_one"));
    assert_eq!(code(&queues(&[&[0], &[1], &[2]], 2)).as_deref(), Some("queues_not_one_to_one"));
}

fn format(number: u8, data: u64, metadata: u16, performance: &str, in_use: bool) -> LbaFormat {
    let relative_performance = performance.to_owned();
    LbaFormat { number, data: Bytes::new(data), metadata, relative_performance, in_use }
}

fn namespace(formats: Vec<LbaFormat>) -> NamespaceProbe {
    NamespaceProbe { formats, ..quiet_nvme().namespaces.swap_remove(0) }
}

/// A new, cool drive with a queue for each of two CPUs, in its best format, on a port of the CPU.
fn good() -> TargetProbe {
    let formats = vec![format(0, 512, 0, "good", false), format(1, 4096, 0, "best", true)];
    let nvme = NvmeProbe {
        features: NvmeFeatures { submission_queues: Some(2), coalescing_known: true, ..NvmeFeatures::default() },
        thermal: ThermalLimits { warning_c: Some(80.0), ..ThermalLimits::default() },
        security: NvmeSecurity { sanitize_status: Some("never sanitised".to_owned()), ..NvmeSecurity::default() },
        namespaces: vec![namespace(formats)],
        ..quiet_nvme()
    };
    let shares_uplink_with = vec!["0000:07:00.0 (network controller)".to_owned()];
    TargetProbe {
        queues: Some(queues(&[&[0], &[1]], 2)),
        pcie: Some(PciePath {
            hops: Vec::new(),
            root: UplinkRoot::Cpu,
            shares_uplink_with,
            bytes_per_second: None,
            numa_node: None,
        }),
        ..quiet_probe(nvme)
    }
}

fn nvme(probe: &mut TargetProbe) -> &mut NvmeProbe {
    probe.nvme.as_mut().expect("an NVMe drive")
}

fn in_life(probe: &mut TargetProbe) -> &mut NvmeHealth {
    nvme(probe).health.as_mut().expect("a log")
}

/// Value, limit and unit of a piece of evidence.
type Figure = (f64, Option<f64>, &'static str);

/// The only finding that a change of the good drive causes, in `show` and in a run, with its evidence.
fn only(code: &str, severity: Severity, evidence: &[Figure], change: impl FnOnce(&mut TargetProbe)) {
    let mut probe = good();
    change(&mut probe);
    let found = probe_findings(&probe);
    let codes: Vec<&str> = found.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, [code], "{found:#?}");
    assert_eq!(found[0].severity, severity, "{found:#?}");
    assert_eq!(figures(&found[0]), evidence);
    assert_eq!(probe_findings_of_run(&probe), found);
}

/// A change that causes no finding.
fn silent(why: &str, change: impl FnOnce(&mut TargetProbe)) {
    let mut probe = good();
    change(&mut probe);
    assert_eq!(probe_findings(&probe), [], "{why}");
}

#[test]
fn a_good_drive_has_no_finding() {
    silent("as it is", |_| {});
}

#[test]
fn what_the_drive_says_of_itself_is_said() {
    let warning = |probe: &mut TargetProbe| probe.warnings = vec!["spare is low".to_owned(), "read-only".to_owned()];
    only("drive_warns", Severity::Warning, &[], warning);
    only("drive_contradicts_itself", Severity::Note, &[], |probe| {
        probe.contradictions =
            vec![Contradiction { what: "sensor 2".into(), evidence: "105 °C beside 60 °C".into() }];
    });
    let mut probe = good();
    let one = Contradiction { what: "a".into(), evidence: "b".into() };
    probe.contradictions = vec![one.clone(), one];
    assert_eq!(probe_findings(&probe).len(), 2, "each by itself");
}

#[test]
fn wear_heat_and_errors_are_said_from_their_thresholds_on() {
    only("worn", Severity::Warning, &[(90.0, Some(90.0), "%")], |probe| in_life(probe).used_percent = 90);
    silent("89 % used", |probe| in_life(probe).used_percent = 89);
    only("media_errors", Severity::Warning, &[(1.0, Some(0.0), "")], |probe| in_life(probe).media_errors = 1);
    // 15 below its warning temperature, and 3 above it.
    for celsius in [65.0, 83.0] {
        let warm = [(celsius, Some(65.0), "°C")];
        only("warm", Severity::Warning, &warm, |probe| in_life(probe).composite_c = Some(celsius));
    }
    silent("16 below its warning", |probe| in_life(probe).composite_c = Some(64.0));
    silent("no limit that it states", |probe| {
        in_life(probe).composite_c = Some(65.0);
        nvme(probe).thermal.warning_c = None;
    });
}

#[test]
fn queues_and_coalescing_are_said_with_their_figures() {
    only("queues_granted", Severity::Note, &[(1.0, Some(2.0), "")], |probe| {
        nvme(probe).features.submission_queues = Some(1);
    });
    silent("more than CPUs", |probe| nvme(probe).features.submission_queues = Some(64));
    only("fewer_queues_than_cpus", Severity::Note, &[(1.0, Some(2.0), "")], |probe| {
        probe.queues = Some(queues(&[&[0, 1]], 2));
    });
    only("interrupt_coalescing", Severity::Note, &[(100.0, Some(0.0), "µs")], |probe| {
        let features = &mut nvme(probe).features;
        (features.coalescing_entries, features.coalescing_time_us) = (Some(8), Some(100));
    });
}

#[test]
fn a_shared_way_to_the_cpu_is_said_and_an_own_port_is_not() {
    for root in [UplinkRoot::Chipset, UplinkRoot::Switch] {
        only("shared_uplink", Severity::Note, &[], |probe| probe.pcie.as_mut().expect("a way").root = root);
    }
    for root in [UplinkRoot::RootPort, UplinkRoot::RootBus] {
        silent("nothing is known to be shared", |probe| probe.pcie.as_mut().expect("a way").root = root);
    }
}

#[test]
fn a_format_that_the_drive_likes_less_is_said_and_a_sanitize_under_way() {
    let formats = |best_data, best_metadata| {
        move |probe: &mut TargetProbe| {
            let formats = vec![format(0, 512, 0, "good", true), format(1, best_data, best_metadata, "best", false)];
            nvme(probe).namespaces = vec![namespace(formats)];
        }
    };
    only("lba_format", Severity::Note, &[], formats(4096, 0));
    silent("the best one has metadata", formats(4096, 8));
    silent("the same blocks", formats(512, 0));
    only("sanitize_in_progress", Severity::Warning, &[], |probe| {
        nvme(probe).security.sanitize_status = Some("in progress, 12 %".to_owned());
    });
}
