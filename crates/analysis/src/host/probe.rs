//! What is worth saying about a target as it was found: `drivelab show`, and the findings of a run on it.
//!
//! Owns the thresholds and the words of these findings. Must not know how a probe is made (`device`).

use drivelab_core::finding::{Finding, Severity};
use drivelab_core::probe::{NvmeProbe, QueueFacts, TargetProbe, UplinkRoot};

use super::devices::device_findings;
use crate::evidence::{evidence, plural, words};

/// Endurance used, per cent, from which it is said: the maker's own figure is spent at 100.
const WORN_PERCENT: u8 = 90;
/// Degrees below the warning temperature from which an idle drive is called warm: a load adds 20 to 40.
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

/// The same for a run on it, whose findings about its devices say the rest.
pub(crate) fn probe_findings_of_run(probe: &TargetProbe) -> Vec<Finding> {
    // Links and virtual disks are said by the findings of the environment already.
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
            format!("The device has {} for {} CPUs: CPUs share them.", plural(count, "queue"), queues.cpus_online);
        let cause = "The controller grants no more queues, or the driver asked for fewer.";
        let action = "Small reads from many threads may be held up by it: pin threads to CPUs of different queues, and \
                      say so beside the figures.";
        return Some(words(Severity::Note, "fewer_queues_than_cpus", statement, cause, action).about_run(vec![seen]));
    }
    let statement = format!(
        "The queues are not one for each CPU: {count} queues, {} CPUs, and some serve several or none.",
        queues.cpus_online
    );
    let cause = "The kernel spread the queues over CPUs that could be present, or CPUs are offline.";
    let action = "Threads on CPUs that share a queue disturb each other: look at the map before you pin threads.";
    Some(words(Severity::Note, "queues_not_one_to_one", statement, cause, action).about_run(vec![seen]))
}

fn granted(nvme: &NvmeProbe, queues: Option<&QueueFacts>) -> Option<Finding> {
    let granted = nvme.features.submission_queues?;
    let cpus = queues?.cpus_online;
    if granted >= cpus || cpus == 0 {
        return None;
    }
    let statement = format!("The controller granted {granted} I/O queues, fewer than the {cpus} CPUs of this host.");
    let cause = "A limit of the controller (Number of Queues, feature 07h); the driver asks for one for each CPU.";
    let action = "Nothing is wrong; the drive cannot be asked from all CPUs at once without sharing.";
    let seen = evidence("queues granted", f64::from(granted), Some(f64::from(cpus)), "");
    Some(words(Severity::Note, "queues_granted", statement, cause, action).about_run(vec![seen]))
}

fn warnings(probe: &TargetProbe) -> Option<Finding> {
    if probe.warnings.is_empty() {
        return None;
    }
    let statement = format!("The drive itself warns: {}.", probe.warnings.join("; "));
    let cause = "What it counted of its own wear, errors or heat.";
    let action = "Save what it holds before anything else, and read its logs (`drivelab show`).";
    Some(words(Severity::Warning, "drive_warns", statement, cause, action).about_run(Vec::new()))
}

fn uplink(probe: &TargetProbe) -> Option<Finding> {
    let path = probe.pcie.as_ref()?;
    let through = match path.root {
        UplinkRoot::Chipset => "the chipset",
        UplinkRoot::Switch => "a switch",
        UplinkRoot::Cpu | UplinkRoot::RootPort | UplinkRoot::RootBus => return None,
    };
    let others = path.shares_uplink_with.len();
    let statement = format!(
        "The drive hangs on {through} and shares the way to the CPU with {others} other devices that can be seen."
    );
    let cause = "The slot or port that it sits in.";
    let action =
        "For its full rate put it into a slot of the CPU, or let nothing else use that way while it is measured.";
    Some(words(Severity::Note, "shared_uplink", statement, cause, action).about_run(Vec::new()))
}

fn contradictions(probe: &TargetProbe) -> Vec<Finding> {
    let one = |what: &str, seen: &str| {
        let statement = format!("{what} cannot be believed: {seen}.");
        let cause = "Firmware that fills fields with constants or does not keep the counter.";
        let action = "Do not use the figure; a sensor or meter outside the drive may serve.";
        words(Severity::Note, "drive_contradicts_itself", statement, cause, action).about_run(Vec::new())
    };
    probe.contradictions.iter().map(|found| one(&found.what, &found.evidence)).collect()
}

fn worn(nvme: &NvmeProbe) -> Option<Finding> {
    let used = nvme.health.as_ref()?.used_percent;
    if used < WORN_PERCENT {
        return None;
    }
    let statement = format!("The drive has used {used} % of its endurance, by its own count.");
    let cause = "It was written much, or it is older than it looks.";
    let action = "Figures of a worn drive are not those of a new one: say so, or take another.";
    let seen = evidence("endurance used", f64::from(used), Some(f64::from(WORN_PERCENT)), "%");
    Some(words(Severity::Warning, "worn", statement, cause, action).about_run(vec![seen]))
}

fn media_errors(nvme: &NvmeProbe) -> Option<Finding> {
    let errors = nvme.health.as_ref()?.media_errors;
    if errors == 0 {
        return None;
    }
    let statement = format!("The drive counts {errors} media and data integrity errors over its life.");
    let cause = "Blocks that could not be corrected.";
    let action = "Look at its error log, and read the whole drive once before you trust it with data.";
    let seen = evidence("media errors", errors as f64, Some(0.0), "");
    Some(words(Severity::Warning, "media_errors", statement, cause, action).about_run(vec![seen]))
}

fn coalescing(nvme: &NvmeProbe) -> Option<Finding> {
    let (entries, time) = (nvme.features.coalescing_entries?, nvme.features.coalescing_time_us?);
    let statement = format!("The controller gathers completions: up to {entries}, or {time} µs, before it interrupts.");
    let cause = "Interrupt coalescing (feature 08h) is on.";
    let action =
        "Latencies at low queue depth hold that wait: switch it off for latency figures, or say so beside them.";
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
    let cause = "Work just done, little air, or a hot neighbour.";
    let action = "Let it cool before a test, or its first minutes are throttled.";
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
        "Namespace {id} is formatted with blocks of {}, which the drive calls '{}'; blocks of {} it calls 'best'.",
        format.data, format.relative_performance, best.data
    );
    let cause = "Drives are sold with 512-byte blocks for old systems.";
    let action = "A format to the other block size destroys all data; some drives are faster after it.";
    Some(words(Severity::Note, "lba_format", statement, cause, action).about_run(Vec::new()))
}

fn sanitizing(nvme: &NvmeProbe) -> Option<Finding> {
    let status = nvme.security.sanitize_status.as_ref().filter(|status| status.contains("in progress"))?;
    let statement = format!("The drive is being sanitised now: {status}.");
    let action = "Wait until it is done; until then it serves no I/O.";
    Some(
        words(
            Severity::Warning,
            "sanitize_in_progress",
            statement,
            "A sanitize command that was given before.",
            action,
        )
        .about_run(Vec::new()),
    )
}

#[cfg(test)]
mod tests;
