//! All facts about a target, in sections: for `drivelab show` and for the drive's section of a page.
//!
//! Owns the order and the words. A fact that the drive does not report is left out; what could not be read is in the
//! section 'Not known'. Layout for a terminal is in `formats::probe`.

mod nvme;
pub(crate) mod section;

use drivelab_core::environment::{BlockDeviceFacts, LinkFacts};
use drivelab_core::probe::{
    AtaProbe, Health, InterruptFacts, PciePath, QueueFacts, TargetProbe, Temperature, UplinkRoot, WriteOutlook,
};
use drivelab_core::units::Bytes;

use crate::figure::format;
use crate::words::probe::section::Section;

/// Queues whose CPUs are listed one by one; the others are only counted.
const MOST_QUEUES_NAMED: usize = 8;
/// Interrupts that are listed one by one.
const MOST_INTERRUPTS_NAMED: usize = 9;
/// CPUs of an interrupt that are listed.
const MOST_CPUS_NAMED: usize = 8;

/// The drive's model, or the kernel's name if it has none.
pub(crate) fn probe_of(probe: &TargetProbe) -> String {
    let device = probe.device();
    let model = device.and_then(|device| device.model.as_deref().map(str::trim));
    let name = model.or(device.map(|device| device.name.as_str()));
    name.map_or_else(|| probe.path.display().to_string(), str::to_owned)
}

/// All sections, the most important first.
pub(crate) fn sections(probe: &TargetProbe) -> Vec<Section> {
    let mut sections = vec![what(probe), use_of(probe)];
    sections.extend(probe.queues.as_ref().map(queues));
    sections.extend(probe.pcie.as_ref().map(pcie));
    if let Some(nvme) = &probe.nvme {
        sections.extend(nvme::sections(nvme));
    }
    sections.extend(probe.ata.as_ref().map(ata));
    sections.extend(probe.ata.as_ref().and_then(attributes));
    sections.extend(probe.devices.iter().skip(1).map(below));
    sections.retain(|section| !section.facts.is_empty());
    sections
}

fn what(probe: &TargetProbe) -> Section {
    let mut section = Section::new("The target");
    section.fact("Node", probe.path.display().to_string());
    let Some(device) = probe.device() else { return section };
    let identity = &probe.identity;
    section
        .some("Model", device.model.as_deref().map(str::trim))
        .some("Serial", device.serial.as_deref())
        .some("Firmware", device.firmware.as_deref())
        .fact("Capacity", capacity(device.capacity))
        .fact("Interface", interface(probe))
        .some("Link", device.link.as_ref().map(link))
        .fact("Block size", format!("{} logical, {} physical", device.logical_block_size, device.physical_block_size))
        .some("World-wide name", identity.wwid.as_deref())
        .list("By id", &identity.by_id)
        .fact("Health", health(probe))
        .some("Temperature", temperatures(&probe.temperatures))
        .some("Virtual", device.virtual_because.as_deref());
    section
}

/// `3.64 TiB (4.0 TB), 4000787030016 B`.
fn capacity(capacity: Bytes) -> String {
    format!("{}, {} B", format::bytes(capacity), capacity.get())
}

/// How it is attached: `NVMe over PCIe`, `SATA`.
pub(crate) fn interface(probe: &TargetProbe) -> String {
    let transport = probe.device().map_or("unknown", |device| device.transport.as_str());
    match transport {
        "nvme" => "NVMe over PCIe".to_owned(),
        "nvme-tcp" => "NVMe over TCP".to_owned(),
        "nvme-rdma" => "NVMe over RDMA".to_owned(),
        "nvme-fc" => "NVMe over Fibre Channel".to_owned(),
        "nvme-loop" => "NVMe loopback in this host".to_owned(),
        "sata" => "SATA".to_owned(),
        "usb" => "USB".to_owned(),
        "scsi" => "SCSI or SAS".to_owned(),
        other => other.to_owned(),
    }
}

/// `PCIe 4.0 x4, running 3.0 x4`.
pub(crate) fn link(link: &LinkFacts) -> String {
    match &link.possible {
        Some(possible) if *possible != link.negotiated => {
            let family = possible.split(' ').next().unwrap_or_default();
            let running = link.negotiated.strip_prefix(family).unwrap_or(&link.negotiated).trim();
            format!("{possible}, running {running}")
        }
        _ => link.negotiated.clone(),
    }
}

/// Good, unknown, or the drive's own warnings.
pub(crate) fn health(probe: &TargetProbe) -> String {
    match probe.health {
        Health::Good => "good, as the drive reports".to_owned(),
        Health::Warning => format!("warning: {}", probe.warnings.join("; ")),
        Health::Unknown if probe.not_known.is_empty() => "unknown".to_owned(),
        Health::Unknown => "unknown; see 'Not known' below".to_owned(),
    }
}

fn temperatures(temperatures: &[Temperature]) -> Option<String> {
    let named: Vec<String> =
        temperatures.iter().map(|one| format!("{:.0} °C ({}, {})", one.celsius, one.sensor, one.source)).collect();
    (!named.is_empty()).then(|| named.join(", "))
}

fn use_of(probe: &TargetProbe) -> Section {
    let mut section = Section::new("Use");
    let used = if probe.used_by.is_empty() { "nothing found".to_owned() } else { probe.used_by.join("; ") };
    section.fact("Used by", used).fact("May be written", writing(&probe.writing));
    section.list("Partitions", &probe.identity.partitions);
    if probe.identity.removable {
        section.fact("Removable", "yes");
    }
    if let Some(device) = probe.device() {
        section
            .some("Scheduler", device.scheduler.as_deref())
            .some("Block layer queue", device.nr_requests.map(|requests| format!("{requests} requests")))
            .some("Write cache, as the kernel reports", device.write_cache.as_deref());
        section.list("Lies on", &device.lies_on);
    }
    section
}

/// What prevents writing, or what writing needs.
pub(crate) fn writing(outlook: &WriteOutlook) -> String {
    match outlook {
        WriteOutlook::Never { why } => format!("never: {why}"),
        WriteOutlook::NotNow { why } => format!("not now: {why}"),
        WriteOutlook::WithDestroy { id } => format!("only with --destroy {id}"),
    }
}

fn queues(queues: &QueueFacts) -> Section {
    let mut section = Section::new("Queues and interrupts");
    let count = queues.cpus_of_queue.len();
    let map = if queues.is_one_to_one() {
        "one for each CPU".to_owned()
    } else {
        format!("not one for each of the {} CPUs", queues.cpus_online)
    };
    section.fact("Used by the kernel", format!("{}, {map}", format::counted(count, "queue")));
    for (number, cpus) in queues.cpus_of_queue.iter().enumerate().take(MOST_QUEUES_NAMED) {
        let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
        section.fact(format!("Queue {number}"), format!("CPU {}", cpus.join(", ")));
    }
    if count > MOST_QUEUES_NAMED {
        section.fact("Further queues", format!("{} (all are in --json)", count - MOST_QUEUES_NAMED));
    }
    section
        .some("Entries per queue, as the kernel uses them", queues.entries_each.map(|entries| entries.to_string()))
        .some("Polled queues", queues.polled.filter(|polled| *polled > 0).map(|polled| polled.to_string()));
    for interrupt in queues.interrupts.iter().take(MOST_INTERRUPTS_NAMED) {
        let name = format!("Interrupt {}", interrupt.number);
        section.fact(name, self::interrupt(interrupt));
    }
    if queues.interrupts.len() > MOST_INTERRUPTS_NAMED {
        let more = queues.interrupts.len() - MOST_INTERRUPTS_NAMED;
        section.fact("Further interrupts", format!("{more} (all are in --json)"));
    }
    section
}

/// Name, target CPUs, count, and count per CPU; CPUs without any are left out.
fn interrupt(facts: &InterruptFacts) -> String {
    let InterruptFacts { name, delivered_to, count, .. } = facts;
    let mut cpus: Vec<String> = facts
        .per_cpu
        .iter()
        .filter(|one| one.count > 0)
        .map(|one| format!("{} on CPU {}", format::count(one.count), one.cpu))
        .collect();
    if cpus.len() > MOST_CPUS_NAMED {
        let more = cpus.len() - MOST_CPUS_NAMED;
        cpus.truncate(MOST_CPUS_NAMED);
        cpus.push(format!("and on {more} more (all are in --json)"));
    }
    let by_cpu = if cpus.is_empty() { String::new() } else { format!(": {}", cpus.join(", ")) };
    format!("{name}, to CPU {delivered_to}, {} times{by_cpu}", format::count(*count))
}

fn pcie(path: &PciePath) -> Section {
    let mut section = Section::new("PCIe path");
    let root = match path.root {
        UplinkRoot::Cpu => "a root port of the CPU",
        UplinkRoot::Chipset => "the chipset, whose uplink it shares",
        UplinkRoot::Switch => "a switch",
        UplinkRoot::RootPort => "a root port (of the CPU or of the chipset: PCI does not report which)",
        UplinkRoot::RootBus => "the root bus itself, without a port",
    };
    section.fact("Connected to", root);
    for hop in &path.hops {
        let link = hop.link.as_ref().map_or_else(String::new, |hop_link| format!(", {}", link(hop_link)));
        section.fact(hop.address.clone(), format!("{} {}{link}", hop.kind, hop.id));
    }
    section
        .list("Shares its uplink with", &path.shares_uplink_with)
        .some("NUMA node", path.numa_node.map(|node| node.to_string()))
        .some(
            "Bandwidth of the slowest link",
            path.bytes_per_second.map(|rate| format!("{} MB/s", format::mb_s(rate / 1e6))),
        );
    section
}

fn ata(ata: &AtaProbe) -> Section {
    let mut section = Section::new("ATA");
    let media = match (ata.solid_state, ata.rotations_per_minute) {
        (true, _) => "solid state".to_owned(),
        (false, Some(rotations)) => format!("{rotations} rotations per minute"),
        (false, None) => "not reported".to_owned(),
    };
    let cache = ata.write_cache_enabled.map(|on| if on { "on" } else { "off" });
    let verdict = ata.smart_failing.map(|failing| if failing { "failing" } else { "passed" });
    section
        .fact("Sectors", format!("{} logical, {} physical", ata.logical_sector, ata.physical_sector))
        .fact("Media", media)
        .some("Form factor", ata.form_factor.as_deref())
        .some("Link, supported", ata.link_possible.as_deref())
        .some("Link, in use", ata.link_now.as_deref())
        .some("Queue", ata.queue_depth.map(|depth| format!("{depth} commands")))
        .fact("TRIM", if ata.trim { ata.after_trim.as_str() } else { "no" })
        .some("Volatile write cache", cache)
        .fact("Security", ata.security.clone())
        .fact("TCG commands", if ata.trusted_computing { "yes" } else { "no" })
        .list("Sanitize", &ata.sanitize)
        .fact("SMART", if ata.smart_enabled { "on" } else { "off" })
        .some("SMART verdict", verdict);
    section
}

fn attributes(ata: &AtaProbe) -> Option<Section> {
    let mut section = Section::new("SMART attributes (value, worst, threshold; raw)");
    for one in &ata.attributes {
        let name = if one.name.is_empty() { "vendor-specific" } else { one.name.as_str() };
        let value = format!("{}, {}, {}; {}", one.value, one.worst, one.threshold, one.raw);
        section.fact(format!("{} {name}", one.id), value);
    }
    (!section.facts.is_empty()).then_some(section)
}

/// A device below the target's own.
fn below(device: &BlockDeviceFacts) -> Section {
    let mut section = Section::new(format!("Below: {}", device.name));
    section
        .some("Partition", device.partition.as_deref())
        .some("Model", device.model.as_deref().map(str::trim))
        .some("Serial", device.serial.as_deref())
        .some("Firmware", device.firmware.as_deref())
        .fact("Capacity", capacity(device.capacity))
        .fact("Transport", device.transport.clone())
        .some("Link", device.link.as_ref().map(link))
        .some("Virtual", device.virtual_because.as_deref())
        .list("Lies on", &device.lies_on);
    section
}

#[cfg(test)]
mod tests {
    use drivelab_core::probe::CpuInterrupts;

    use super::*;

    #[test]
    fn an_interrupt_is_told_by_cpu_without_those_that_saw_none() {
        let of = |counts: &[u64]| InterruptFacts {
            number: 36,
            name: "nvme0q1".to_owned(),
            delivered_to: "1".to_owned(),
            count: counts.iter().sum(),
            per_cpu: (0..).zip(counts).map(|(cpu, count)| CpuInterrupts { cpu, count: *count }).collect(),
        };
        assert_eq!(interrupt(&of(&[0, 5, 0, 7])), "nvme0q1, to CPU 1, 12 times: 5 on CPU 1, 7 on CPU 3");
        assert_eq!(interrupt(&of(&[])), "nvme0q1, to CPU 1, 0 times");
        let many = interrupt(&of(&[1; 12]));
        assert!(many.ends_with("1 on CPU 7, and on 4 more (all are in --json)"), "{many}");
    }
}
