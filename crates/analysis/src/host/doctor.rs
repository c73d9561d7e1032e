//! The findings of `drivelab doctor` about a host: each fact that costs accuracy or speed, with its remedy.
//!
//! Owns the thresholds and the words. Must not know how facts are collected (`device`) or what was measured (`cli`).

use drivelab_core::environment::{BlockDeviceFacts, HostFacts, TestbedFacts};
use drivelab_core::finding::{Finding, Severity};
use drivelab_core::load::DATA_WINDOW;
use drivelab_core::units::Bytes;

use super::conditions;
use super::devices::device_findings;
use crate::evidence::{evidence, words};

/// The least memory that one issuing thread registers if it writes incompressible data: its pool is one block longer
/// than the window, and with one block in flight it registers nothing else.
const REGISTERED_PER_THREAD: Bytes = Bytes::new(DATA_WINDOW.get() + 4096);
/// Requests that a device's queue should hold: the deepest common methods keep this many in flight.
const REQUESTS: u32 = 64;

/// Everything worth fixing about the host, and about the block devices below a target if one was named.
#[must_use]
pub fn host_findings(testbed: &TestbedFacts, devices: &[BlockDeviceFacts]) -> Vec<Finding> {
    let mut findings = conditions::testbed(testbed);
    if let Some(host) = &testbed.host {
        findings.extend([clock(host), ring(host), memlock(host), huge_pages(host)].into_iter().flatten());
        findings.extend(allowed_cpus(testbed.cpus, host));
        findings.extend(governors(host));
        findings.extend(programs(host));
    }
    for device in devices {
        findings.extend(device_findings(device));
        findings.extend(requests(device));
    }
    findings
}

fn clock(host: &HostFacts) -> Option<Finding> {
    let source = host.clock_source.as_deref().unwrap_or("unknown");
    if host.constant_tsc && source == "tsc" {
        return None;
    }
    let why = if host.constant_tsc {
        format!("the kernel keeps time with '{source}'")
    } else {
        "the CPU does not report constant_tsc and nonstop_tsc".to_owned()
    };
    let statement = format!("Operations are timed with CLOCK_MONOTONIC_RAW instead of the time-stamp counter: {why}.");
    let cause = "A hypervisor hides the counter, or the kernel found it unstable (look for 'tsc' in dmesg).";
    let action = "If the CPU is sound, boot with clocksource=tsc tsc=reliable. Figures are correct as they are, but each \
                  time stamp takes about 50 ns more.";
    Some(words(Severity::Note, "clock_not_tsc", statement, cause, action).about_run(Vec::new()))
}

fn ring(host: &HostFacts) -> Option<Finding> {
    let refusal = host.io_uring_refused.as_deref()?;
    let statement = format!("This process cannot use io_uring: {refusal}. Loads run on threads with pread and pwrite.");
    let cause = match host.io_uring_disabled {
        Some(1 | 2) => "The administrator has switched it off: kernel.io_uring_disabled is not 0.",
        _ => "Most likely the seccomp filter of a container.",
    };
    let action = "As root: sysctl kernel.io_uring_disabled=0; in a container: --security-opt seccomp=unconfined, or a \
                  profile that allows io_uring_setup, io_uring_enter and io_uring_register.";
    Some(words(Severity::Warning, "io_uring_refused", statement, cause, action).about_run(Vec::new()))
}

fn memlock(host: &HostFacts) -> Option<Finding> {
    let limit = host.memlock.filter(|limit| !host.may_lock_all && *limit < REGISTERED_PER_THREAD)?;
    let statement = format!(
        "This process may lock only {limit} of memory. A thread that writes registers at least {REGISTERED_PER_THREAD} \
         with the kernel, and more for large blocks and deep queues."
    );
    let cause = "Registered buffers count against the limit on locked memory (RLIMIT_MEMLOCK).";
    let action = "Run `ulimit -l unlimited` first, set memlock in /etc/security/limits.conf, or run as root.";
    let seen = evidence("locked memory", limit.as_f64(), Some(REGISTERED_PER_THREAD.as_f64()), "B");
    Some(words(Severity::Note, "memlock_small", statement, cause, action).about_run(vec![seen]))
}

fn huge_pages(host: &HostFacts) -> Option<Finding> {
    let never = host.transparent_huge_pages.as_deref() == Some("never") && host.huge_pages_free.unwrap_or(0) == 0;
    let statement = "Large blocks are split into many segments: buffers are in pages of 4 KiB.".to_owned();
    let cause = "Transparent huge pages are switched off, and no huge pages are reserved.";
    let action = "As root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, or reserve some with sysctl \
                  vm.nr_hugepages=128.";
    never.then(|| words(Severity::Note, "no_huge_pages", statement, cause, action).about_run(Vec::new()))
}

fn allowed_cpus(online: u32, host: &HostFacts) -> Option<Finding> {
    let allowed = host.cpus_allowed;
    if allowed == 0 || allowed >= online {
        return None;
    }
    let statement = format!("This process may use {allowed} of {online} CPUs.");
    let cause = "A CPU set (taskset, cgroup, container) restricts it.";
    let action = "Lift the restriction to measure with more threads than that.";
    let seen = evidence("CPUs", f64::from(allowed), Some(f64::from(online)), "");
    Some(words(Severity::Note, "few_cpus", statement, cause, action).about_run(vec![seen]))
}

fn governors(host: &HostFacts) -> Option<Finding> {
    if host.governors.is_empty() {
        return None;
    }
    let statement = format!("The CPUs have different frequency governors: {}.", host.governors.join(", "));
    let action = "As root, for all CPUs: cpupower frequency-set -g performance.";
    let cause = "They were set one by one.";
    Some(words(Severity::Warning, "mixed_governors", statement, cause, action).about_run(Vec::new()))
}

fn programs(host: &HostFacts) -> Option<Finding> {
    let first = host.programs.first()?;
    let named: Vec<String> =
        host.programs.iter().map(|program| format!("{} ({})", program.name, program.pid)).collect();
    let statement = format!("Other programs are running: {}.", named.join(", "));
    let cause = "They share CPUs, caches and perhaps the drive with the load.";
    let action = "Stop them, or wait until they have finished.";
    let seen = evidence(&format!("CPU time of {}", first.name), 100.0 * first.cpus, None, "% of one CPU");
    Some(words(Severity::Note, "busy_programs", statement, cause, action).about_run(vec![seen]))
}

fn requests(device: &BlockDeviceFacts) -> Option<Finding> {
    let requests = device.nr_requests.filter(|requests| *requests < REQUESTS)?;
    let statement =
        format!("The queue of {} holds only {requests} requests; further ones wait outside it.", device.name);
    let action = format!("As root: echo {} > /sys/block/{}/queue/nr_requests", REQUESTS * 4, device.name);
    let seen = evidence("requests", f64::from(requests), Some(f64::from(REQUESTS)), "");
    let cause = "This is the driver's default, or a setting.";
    Some(words(Severity::Note, "few_requests", statement, cause, &action).about_run(vec![seen]))
}

#[cfg(test)]
mod tests {
    use drivelab_samples::sample_run;

    use super::*;

    fn codes(host: HostFacts) -> Vec<String> {
        let mut testbed = sample_run().environment.testbed;
        testbed.host = None;
        let before = host_findings(&testbed, &[]).len();
        testbed.host = Some(host);
        host_findings(&testbed, &[]).into_iter().skip(before).map(|finding| finding.code).collect()
    }

    fn sound(cpus: u32) -> HostFacts {
        HostFacts {
            clock_source: Some("tsc".to_owned()),
            constant_tsc: true,
            may_lock_all: true,
            transparent_huge_pages: Some("madvise".to_owned()),
            cpus_allowed: cpus,
            ..HostFacts::default()
        }
    }

    #[test]
    fn a_sound_host_gets_no_finding_and_each_fault_its_own() {
        let cpus = sample_run().environment.testbed.cpus;
        assert_eq!(codes(sound(cpus)), Vec::<String>::new());
        let clock = HostFacts { clock_source: Some("hpet".to_owned()), ..sound(cpus) };
        assert_eq!(codes(clock), ["clock_not_tsc"]);
        let refused = HostFacts { io_uring_refused: Some("EPERM".to_owned()), ..sound(cpus) };
        assert_eq!(codes(refused), ["io_uring_refused"]);
        // The kernel's limit before 5.16, and since.
        for (limit, expected) in [(64 << 10, vec!["memlock_small"]), (8 << 20, vec![])] {
            let locked = HostFacts { memlock: Some(Bytes::new(limit)), may_lock_all: false, ..sound(cpus) };
            assert_eq!(codes(locked), expected, "{limit} bytes: a pool is 1 MiB and a block");
        }
        let pages = HostFacts { transparent_huge_pages: Some("never".to_owned()), ..sound(cpus) };
        assert_eq!(codes(pages), ["no_huge_pages"]);
        assert_eq!(codes(HostFacts { cpus_allowed: cpus - 1, ..sound(cpus) }), ["few_cpus"]);
    }

    #[test]
    fn every_finding_says_what_to_do() {
        let mut testbed = sample_run().environment.testbed;
        testbed.host = Some(HostFacts::default());
        for finding in host_findings(&testbed, &[]) {
            assert!(!finding.statement.is_empty() && !finding.next_action.is_empty(), "{finding:?}");
        }
    }
}
