//! Hardware queues of a device, the CPUs that each serves, and the interrupts of its controller.
//!
//! `mq/N/{cpu_list,nr_tags}` (block/blk-mq-sysfs.c), `device/msi_irqs` (Documentation/ABI/testing/sysfs-bus-pci) and
//! `/proc/interrupts`.

use std::path::Path;

use drivelab_core::probe::{CpuInterrupts, InterruptFacts, QueueFacts};

use crate::block::folders::whole_of;
use crate::block::node::BlockNode;
use crate::host::interrupts::{InterruptRow, interrupt_rows, msi_numbers};
use crate::proc_text::cpu_list;
use crate::roots::{Roots, names, read, read_number, read_trim};

/// Queues and interrupts; `None` if the device has no hardware queues (dm, md, loop on older kernels).
pub(super) fn of(roots: &Roots, node: &BlockNode) -> Option<QueueFacts> {
    let (whole, _) = whole_of(&node.folder);
    let folder = whole.join("mq");
    let mut numbers: Vec<u32> = names(&folder).iter().filter_map(|name| name.to_str()?.parse().ok()).collect();
    if numbers.is_empty() {
        return None;
    }
    numbers.sort_unstable();
    let queue = |number: &u32| folder.join(number.to_string());
    let cpus = |file: &Path| read_trim(file).and_then(|list| cpu_list(&list)).unwrap_or_default();
    Some(QueueFacts {
        cpus_of_queue: numbers.iter().map(|number| cpus(&queue(number).join("cpu_list"))).collect(),
        cpus_online: u32::try_from(cpus(&roots.sys.join("devices/system/cpu/online")).len()).unwrap_or(0),
        entries_each: numbers.first().and_then(|number| read_number(&queue(number).join("nr_tags"))),
        polled: polled(whole),
        interrupts: interrupts(roots, node),
    })
}

/// The number of queues that may be polled, if any (nvme's parameter `poll_queues`).
fn polled(whole: &Path) -> Option<u32> {
    let is_nvme = whole.file_name()?.to_str()?.starts_with("nvme");
    is_nvme.then(|| read_number(Path::new("/sys/module/nvme/parameters/poll_queues"))).flatten()
}

/// The interrupts of the PCI function below the device, with their counts.
fn interrupts(roots: &Roots, node: &BlockNode) -> Vec<InterruptFacts> {
    let Some(function) = super::pcie::function(node) else { return Vec::new() };
    let mut numbers = msi_numbers(&function);
    if numbers.is_empty() {
        numbers.extend(read_number::<u32>(&function.join("irq")).filter(|number| *number > 0));
    }
    let table = read(&roots.proc.join("interrupts")).unwrap_or_default();
    let rows = interrupt_rows(&table);
    let facts = |number: u32| {
        let row = row_of(&rows, number)?;
        let affinity = roots.proc.join(format!("irq/{number}/effective_affinity_list"));
        let delivered_to = read_trim(&affinity).unwrap_or_else(|| "unknown".to_owned());
        let per_cpu = row.per_cpu().into_iter().map(|(cpu, count)| CpuInterrupts { cpu, count }).collect();
        Some(InterruptFacts { number, name: row.action.to_owned(), delivered_to, count: row.count, per_cpu })
    };
    numbers.into_iter().filter_map(facts).collect()
}

fn row_of<'t>(rows: &[InterruptRow<'t>], number: u32) -> Option<InterruptRow<'t>> {
    rows.iter().find(|row| row.number.parse() == Ok(number)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_is_summed_over_the_cpus_of_the_head_line() {
        let table = "            CPU0       CPU1\n  1:          9          0   IO-APIC   1-edge      i8042\n \
                     31:        100         23   PCI-MSIX-0000:00:04.0   1-edge      nvme0q1\n131: 1 1 x nvme0q9\n";
        let counted = |number| row_of(&interrupt_rows(table), number).map(|row| (row.count, row.action));
        assert_eq!(counted(31), Some((123, "nvme0q1")));
        assert_eq!(counted(13), None);
    }
}
