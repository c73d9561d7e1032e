//! Interrupts: the rows of /proc/interrupts, and which of them belong to a device.
//!
//! `msi_irqs` of a PCI function is a folder with one file for each of its vectors, named by its number
//! (Documentation/ABI/testing/sysfs-bus-pci). Must not know: when counts are read, and what their increase means.

use std::path::Path;

use crate::block::link::function_above;
use crate::roots::names;

/// A row of /proc/interrupts: number or name, sum over the CPUs, and the text after the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterruptRow<'t> {
    /// `36`, `NMI`.
    pub number: &'t str,
    /// Since boot, all CPUs together.
    pub count: u64,
    /// The head line of the table, which names the CPUs of the columns: `CPU0 CPU1`.
    head: &'t str,
    /// The columns and what follows them.
    columns: &'t str,
    /// The last word, which for a device's vector is the driver's name for it: `nvme0q3`.
    pub action: &'t str,
}

impl InterruptRow<'_> {
    /// Number of each CPU that has a column, and its count since boot. CPUs that are offline have none
    /// (arch_show_interrupts and show_interrupts, kernel/irq/proc.c).
    #[must_use]
    pub fn per_cpu(&self) -> Vec<(u32, u64)> {
        let cpus = self.head.split_ascii_whitespace().map(|name| name.strip_prefix("CPU")?.parse().ok());
        let counts = self.columns.split_ascii_whitespace().map_while(|count| count.parse().ok());
        cpus.zip(counts).filter_map(|(cpu, count)| Some((cpu?, count))).collect()
    }
}

/// The rows of /proc/interrupts; the head line shows how many CPUs there are (proc_interrupts(5)).
#[must_use]
pub fn interrupt_rows(text: &str) -> Vec<InterruptRow<'_>> {
    let mut lines = text.lines();
    let head = lines.next().unwrap_or_default();
    let cpus = head.split_ascii_whitespace().count();
    lines
        .filter_map(|line| {
            let (number, columns) = line.split_once(':')?;
            let counts = columns.split_ascii_whitespace().take(cpus).map_while(|count| count.parse::<u64>().ok());
            let count = counts.fold(None, |sum: Option<u64>, count| Some(sum.unwrap_or(0).saturating_add(count)))?;
            let action = line.split_ascii_whitespace().next_back().unwrap_or_default();
            Some(InterruptRow { number: number.trim(), count, head, columns, action })
        })
        .collect()
}

/// Numbers of the MSI vectors of the PCI function at or above a device, in order; empty if it has none.
#[must_use]
pub fn msi_numbers(device: &Path) -> Vec<u32> {
    let Some(function) = function_above(device) else { return Vec::new() };
    let mut numbers: Vec<u32> =
        names(&function.join("msi_irqs")).iter().filter_map(|name| name.to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn interrupts_are_summed_over_the_cpus_that_the_head_names() {
        let text = "           CPU0       CPU1       \n 36:          2   27819338 PCI-MSIX-0000:00:02.0   1-edge      \
                    virtio1-req.0\nNMI:          0          3   Non-maskable interrupts\nERR:          4\n131: x nvme0q9\n";
        let rows: Vec<_> = interrupt_rows(text).iter().map(|row| (row.number, row.count, row.action)).collect();
        assert_eq!(rows[0], ("36", 27_819_340, "virtio1-req.0"));
        assert_eq!((rows[1].0, rows[1].1), ("NMI", 3));
        assert_eq!((rows[2].0, rows[2].1), ("ERR", 4));
        let columns: Vec<_> = interrupt_rows(text).iter().map(InterruptRow::per_cpu).collect();
        assert_eq!(columns[0], [(0, 2), (1, 27_819_338)]);
        assert_eq!(columns[2], [(0, 4)], "a row of the whole machine has one column");
        assert_eq!(rows.len(), 3, "a line without a count is not a row");
    }

    #[test]
    fn a_cpu_that_is_offline_has_no_column_and_the_others_keep_their_numbers() {
        let text = "       CPU0  CPU2  CPU3\n 31:   100     0    23  PCI-MSIX-0000:00:04.0  1-edge  nvme0q1\n";
        assert_eq!(interrupt_rows(text)[0].per_cpu(), [(0, 100), (2, 0), (3, 23)]);
    }

    #[test]
    fn vectors_are_those_of_the_function_itself_and_not_of_the_port_above_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let port = folder.path().join("pci0000:00/0000:00:03.1");
        for path in ["msi_irqs/40", "0000:01:00.0/nvme/nvme0", "0000:02:00.0/nvme/nvme1", "0000:02:00.0/msi_irqs/9"] {
            std::fs::create_dir_all(port.join(path)).expect("a folder");
        }
        std::fs::create_dir_all(port.join("0000:02:00.0/msi_irqs/102")).expect("a folder");
        assert_eq!(msi_numbers(&port.join("0000:02:00.0/nvme/nvme1")), [9, 102]);
        assert_eq!(msi_numbers(&port.join("0000:01:00.0/nvme/nvme0")), [0_u32; 0], "its own line, not the port's");
        assert_eq!(msi_numbers(folder.path()), [0_u32; 0]);
    }

    #[test]
    fn the_interrupts_of_this_machine_are_understood() {
        let text = std::fs::read_to_string("/proc/interrupts").expect("a Linux host");
        assert!(!interrupt_rows(&text).is_empty(), "{text}");
    }

    proptest! {
        #[test]
        fn any_text_never_panics(text in any::<String>(), lines in "([a-z0-9: =.]{0,40}\n){0,6}") {
            for text in [text, lines] {
                interrupt_rows(&text).iter().for_each(|row| drop(row.per_cpu()));
            }
        }
    }
}
