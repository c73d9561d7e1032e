//! Findings about a target as `drivelab show` and a run see it before the test.
//!
//! Owns the thresholds and the words of these findings. Must not know how a probe is made (`device`).

use drivelab_core::finding::{Finding, Severity};
use drivelab_core::probe::{NvmeProbe, QueueFacts, TargetProbe, UplinkRoot};

use super::devices::device_findings;
use crate::evidence::{evidence, plural, words};

/// Endurance used, in per cent, from which a finding reports it: at 100 the vendor's endurance is used up.
const WORN_PERCENT: u8 = 90;
/// Degrees below the warning temperature from which an idle drive counts as warm: a load adds 20 to 40.
const WARM_MARGIN_C: f64 = 15.0;

/// Everything about a target that is worth knowing before it is measured.
#[must_use]
pub fn probe_findings(probe: &TargetProbe) -> Vec<Finding> {
    let mut findings: Vec<Finding> = probe.devices.iter().flat_map(device_findings).collect();
    findings.extend(probe.queues.as_ref().and_then(queue_map));
    findings.extend(warnings(probe));
    findings.extend(uplink(probe));
    findings.extend(contradictions(probe));
    if let Some(nvme) = &probe.nvme {
        findings.extend([granted(nvme, probe.queues.as_ref()), worn(nvme), media_errors(nvme)].into_iter().flatten());
        findings.extend([coalescing(nvme), warm(nvme), metadata(nvme), sanitizing(nvme)].into_iter().flatten());
    }
    findings
}

/// The findings of a probe for a run, without those that the findings about its environment already report.
pub(crate) fn probe_findings_of_run(probe: &TargetProbe) -> Vec<Finding> {
    // The findings of the environment already report links and virtual disks.
    let said = |finding: &Finding| probe.devices.iter().flat_map(device_findings).any(|one| one.code == finding.code);
    probe_findings(probe).into_iter().filter(|finding| !said(finding)).collect()
}

fn queue_map(queues: &QueueFacts) -> Option<Finding> {
    let count = queues.cpus_of_queue.len();
    if queues.is_one_to_one() || count == 0 || queues.cpus_online == 0 {
        return None;
    }
    let seen = evidence("queues", count as f64, Some(f64::from(queues.cpus_online)), "");
    if count < queues.cpus_online as usize {
        let statement =
            format!("CPUs share queues: the device has {} for {} CPUs.", plural(count, "queue"), queues.cpus_online);
        let cause = "The controller grants no more queues, or the driver requested fewer.";
        let action = "Sharing may slow down small reads from many threads. Pin threads to CPUs of different queues, and \
                      state that with the figures.";
        return Some(words(Severity::Note, "fewer_queues_than_cpus", statement, cause, action).about_run(vec![seen]));
    }
    let statement = format!(
        "Not every CPU has a queue of its own: of {count} queues for {} CPUs, some serve several CPUs or none.",
        queues.cpus_online
    );
    let cause = "The kernel spread the queues over CPUs that could be present, or CPUs are offline.";
    let action = "Threads on CPUs that share a queue disturb each other. Look at the map before you pin threads.";
    Some(words(Severity::Note, "queues_not_one_to_one", statement, cause, action).about_run(vec![seen]))
}

fn granted(nvme: &NvmeProbe, queues: Option<&QueueFacts>) -> Option<Finding> {
    let granted = nvme.features.submission_queues?;
    let cpus = queues?.cpus_online;
    if granted >= cpus || cpus == 0 {
        return None;
    }
    let queues = plural(granted as usize, "I/O queue");
    let statement = format!("The controller granted {queues}, fewer than the {cpus} CPUs of this host.");
    let cause = "The controller has a limit (Number of Queues, feature 07h); the driver requests one for each CPU.";
    let action = "Nothing is wrong, but if all CPUs use the drive concurrently, some share a queue.";
    let seen = evidence("queues granted", f64::from(granted), Some(f64::from(cpus)), "");
    Some(words(Severity::Note, "queues_granted", statement, cause, action).about_run(vec![seen]))
}

fn warnings(probe: &TargetProbe) -> Option<Finding> {
    if probe.warnings.is_empty() {
        return None;
    }
    let statement = format!("The drive itself warns: {}.", probe.warnings.join("; "));
    let cause = "Its own counters of wear, errors or heat.";
    let action = "First save the data that it holds, then read its logs (`drivelab show`).";
    Some(words(Severity::Warning, "drive_warns", statement, cause, action).about_run(Vec::new()))
}

fn uplink(probe: &TargetProbe) -> Option<Finding> {
    let path = probe.pcie.as_ref()?;
    let through = match path.root {
        UplinkRoot::Chipset => "the chipset",
        UplinkRoot::Switch => "a switch",
        UplinkRoot::Cpu | UplinkRoot::RootPort | UplinkRoot::RootBus => return None,
    };
    let others = plural(path.shares_uplink_with.len(), "other visible device");
    let statement = format!("The drive is connected through {through} and shares its path to the CPU with {others}.");
    let cause = "Its slot or port is not wired to the CPU directly.";
    let action =
        "For its full rate, put it into a slot of the CPU, or keep other devices on that path idle during the test.";
    Some(words(Severity::Note, "shared_uplink", statement, cause, action).about_run(Vec::new()))
}

fn contradictions(probe: &TargetProbe) -> Vec<Finding> {
    let one = |what: &str, seen: &str| {
        let statement = format!("{what} is not credible: {seen}.");
        let cause = "The firmware fills the field with a constant, or does not maintain the counter.";
        let action = "Do not use the figure. A sensor or meter outside the drive may replace it.";
        words(Severity::Note, "drive_contradicts_itself", statement, cause, action).about_run(Vec::new())
    };
    probe.contradictions.iter().map(|found| one(&found.what, &found.evidence)).collect()
}

fn worn(nvme: &NvmeProbe) -> Option<Finding> {
    let used = nvme.health.as_ref()?.used_percent;
    if used < WORN_PERCENT {
        return None;
    }
    let statement = format!("The drive has used {used} % of its endurance, as it reports.");
    let cause = "Much was written to it, or it is older than it looks.";
    let action = "Figures of a worn drive are not those of a new one. State the wear with them, or use another drive.";
    let seen = evidence("endurance used", f64::from(used), Some(f64::from(WORN_PERCENT)), "%");
    Some(words(Severity::Warning, "worn", statement, cause, action).about_run(vec![seen]))
}

fn media_errors(nvme: &NvmeProbe) -> Option<Finding> {
    let errors = nvme.health.as_ref()?.media_errors;
    if errors == 0 {
        return None;
    }
    let counted = plural(usize::try_from(errors).unwrap_or(usize::MAX), "media and data integrity error");
    let statement = format!("The drive has counted {counted} over its life.");
    let cause = "Blocks could not be corrected.";
    let action = "Look at its error log, and read the whole drive once before you trust it with data.";
    let seen = evidence("media errors", errors as f64, Some(0.0), "");
    Some(words(Severity::Warning, "media_errors", statement, cause, action).about_run(vec![seen]))
}

fn coalescing(nvme: &NvmeProbe) -> Option<Finding> {
    let (entries, time) = (nvme.features.coalescing_entries?, nvme.features.coalescing_time_us?);
    let statement = format!(
        "Latencies may include waiting for an interrupt: the controller collects up to {entries} completions, or {time} µs."
    );
    let cause = "Interrupt coalescing (feature 08h) is on.";
    let action = "For latencies at low queue depth, switch it off, or state it with the figures.";
    let seen = evidence("coalescing time", f64::from(time), Some(0.0), "µs");
    Some(words(Severity::Note, "interrupt_coalescing", statement, cause, action).about_run(vec![seen]))
}

fn warm(nvme: &NvmeProbe) -> Option<Finding> {
    let (now, limit) = (nvme.health.as_ref()?.composite_c?, nvme.thermal.warning_c?);
    if now < limit - WARM_MARGIN_C {
        return None;
    }
    let far = match limit - now {
        below if below > 0.0 => format!("{below:.0} below"),
        above => format!("{:.0} above", -above),
    };
    let statement = format!("The drive is at {now:.0} °C, {far} its warning temperature of {limit:.0}.");
    let cause = "It has just been busy, has little airflow, or is next to something hot.";
    let action = "Let it cool before a test, or it may throttle in the first minutes.";
    let seen = evidence("composite temperature", now, Some(limit - WARM_MARGIN_C), "°C");
    Some(words(Severity::Warning, "warm", statement, cause, action).about_run(vec![seen]))
}

fn metadata(nvme: &NvmeProbe) -> Option<Finding> {
    let in_use = |id: u32| {
        let namespace = nvme.namespaces.iter().find(|namespace| namespace.id == id)?;
        namespace.formats.iter().find(|format| format.in_use)
    };
    let (id, format) = nvme.namespaces.iter().find_map(|one| Some((one.id, in_use(one.id)?)))?;
    let best = nvme.namespaces.first()?.formats.iter().find(|one| one.relative_performance == "best")?;
    if format.relative_performance == "best" || format.metadata != best.metadata || format.data == best.data {
        return None;
    }
    let statement = format!(
        "Namespace {id} may not have its fastest format: the drive rates its blocks of {} '{}', and blocks of {} 'best'.",
        format.data, format.relative_performance, best.data
    );
    let cause = "Drives are sold with 512-byte blocks for old systems.";
    let action = "Some drives are faster with the other block size. Formatting to it destroys all data.";
    Some(words(Severity::Note, "lba_format", statement, cause, action).about_run(Vec::new()))
}

fn sanitizing(nvme: &NvmeProbe) -> Option<Finding> {
    let status = nvme.security.sanitize_status.as_ref().filter(|status| status.contains("in progress"))?;
    let statement = format!("The drive is being sanitised now: {status}.");
    let action = "Wait until that is done; until then it serves no I/O.";
    Some(
        words(Severity::Warning, "sanitize_in_progress", statement, "A sanitize command was issued earlier.", action)
            .about_run(Vec::new()),
    )
}

#[cfg(test)]
mod tests;
