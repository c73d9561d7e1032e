//! Parsers for texts of procfs and sysfs: pure functions that accept any text.

use std::ffi::OsString;

use drivelab_core::units::Bytes;

use crate::place::mounts::unescape;

/// Sectors in sysfs are always 512 bytes long, whatever the device's own block size.
pub(crate) const SECTOR: u64 = 512;
/// Most CPUs in one range of a list.
const MOST_CPUS: u32 = 1 << 16;

/// The value of the first `key : value` line of /proc/cpuinfo with one of these keys.
pub(crate) fn cpuinfo_value(text: &str, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| {
        text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            let value = value.trim();
            (name.trim() == *key && !value.is_empty()).then(|| value.to_owned())
        })
    })
}

/// Whether the CPU reports that it runs under a hypervisor (the x86 `hypervisor` flag).
pub(crate) fn has_hypervisor_flag(cpuinfo: &str) -> bool {
    cpuinfo_value(cpuinfo, &["flags"]).is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

/// The CPUs in a list such as `0-3,5,8-9`, or `0, 1` as the block layer writes it; `None` if any part of it is
/// invalid.
pub(crate) fn cpu_list(list: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for range in list.split(',').map(str::trim) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        // No host has more; a list with more is broken.
        if last.checked_sub(first)? >= MOST_CPUS {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

/// `major:minor`, as sysfs and mountinfo print the number of a device.
pub(crate) fn device_number(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// MemTotal of /proc/meminfo (printed in KiB, written `kB`).
pub(crate) fn mem_total(meminfo: &str) -> Option<Bytes> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    kib.checked_mul(1024).map(Bytes::new)
}

/// The first figure of /proc/loadavg.
pub(crate) fn load_1m(loadavg: &str) -> Option<f64> {
    let load: f64 = loadavg.split_whitespace().next()?.parse().ok()?;
    load.is_finite().then_some(load)
}

/// Counters of one disk or partition since it was attached: for requests of all programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskCounters {
    /// Completed reads.
    pub reads: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Completed writes.
    pub writes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Completed discards; 0 if the kernel does not count them (before Linux 4.18).
    pub discards: u64,
    /// Bytes discarded.
    pub discard_bytes: u64,
    /// Milliseconds during which requests were in flight.
    pub busy_ms: u64,
}

/// The line of one disk or partition in /proc/diskstats (Documentation/admin-guide/iostats.rst; a sector is 512 bytes
/// whatever the disk's block size).
#[must_use]
pub fn disk_counters(diskstats: &str, name: &str) -> Option<DiskCounters> {
    let line = diskstats.lines().find(|line| line.split_ascii_whitespace().nth(2) == Some(name))?;
    let fields: Vec<u64> = line.split_ascii_whitespace().skip(3).map_while(|field| field.parse().ok()).collect();
    let at = |index: usize| fields.get(index).copied();
    let bytes = |sectors: u64| sectors.saturating_mul(SECTOR);
    Some(DiskCounters {
        reads: at(0)?,
        read_bytes: bytes(at(2)?),
        writes: at(4)?,
        write_bytes: bytes(at(6)?),
        discards: at(11).unwrap_or(0),
        discard_bytes: bytes(at(13).unwrap_or(0)),
        busy_ms: at(9)?,
    })
}

/// Files and partitions in /proc/swaps, as paths.
pub(crate) fn swap_paths(swaps: &[u8]) -> Vec<OsString> {
    swaps
        .split(|byte| *byte == b'\n')
        .skip(1)
        .filter_map(|line| line.split(|byte| matches!(byte, b' ' | b'\t')).next())
        .filter(|name| !name.is_empty())
        .map(unescape)
        .collect()
}

/// The bracketed choice of `mq-deadline kyber [none]`; the only word if there are no brackets.
pub(crate) fn bracketed(text: &str) -> Option<String> {
    let inside = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(inside, _)| inside);
    let only = || text.split_whitespace().next().filter(|_| text.split_whitespace().count() == 1);
    inside.or_else(only).map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned)
}

/// Whether a line of /proc/PID/maps maps the file with this inode on this device (`major:minor` in hexadecimal, as
/// maps prints it) or at this path (for btrfs, maps prints another device number than stat returns).
pub(crate) fn maps_line_is(line: &[u8], device: &str, inode: u64, path: &[u8]) -> bool {
    let mut fields = line.split(|byte| *byte == b' ').filter(|field| !field.is_empty());
    let same_device = fields.nth(3) == Some(device.as_bytes());
    let same_inode = fields
        .next()
        .and_then(|field| std::str::from_utf8(field).ok()?.parse::<u64>().ok())
        .is_some_and(|found| found == inode);
    let name = line.iter().position(|byte| *byte == b'/').map(|at| &line[at..]);
    same_inode && (same_device || name == Some(path))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CPUINFO: &str = "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD Ryzen 9 7950X 16-Core Processor\n\
                           flags\t\t: fpu vme hypervisor lm\n\nprocessor\t: 1\n";

    #[test]
    fn cpuinfo_gives_model_and_hypervisor() {
        let model = cpuinfo_value(CPUINFO, &["model name", "Model"]);
        assert_eq!(model.as_deref(), Some("AMD Ryzen 9 7950X 16-Core Processor"));
        assert!(has_hypervisor_flag(CPUINFO));
        assert!(!has_hypervisor_flag("flags : fpu nohypervisor\n"));
        assert_eq!(
            cpuinfo_value("Model\t\t: Raspberry Pi 5\n", &["model name", "Model"]).as_deref(),
            Some("Raspberry Pi 5")
        );
    }

    #[test]
    fn lists_of_cpus_are_read_in_both_ways_the_kernel_writes_them() {
        assert_eq!(cpu_list("0-3,5,8-9\n"), Some(vec![0, 1, 2, 3, 5, 8, 9]));
        assert_eq!(cpu_list("0"), Some(vec![0]));
        assert_eq!(cpu_list("0, 1"), Some(vec![0, 1]));
        assert_eq!(cpu_list("3-0"), None);
        assert_eq!(cpu_list(""), None);
        assert_eq!(cpu_list("0-4294967295"), None);
    }

    #[test]
    fn numbers_of_devices_are_read() {
        assert_eq!(device_number("259:1"), Some((259, 1)));
        assert_eq!(device_number("0:48"), Some((0, 48)));
        for text in ["", "259", "259:", ":1", "259:1:2", "fe:00"] {
            assert_eq!(device_number(text), None, "{text}");
        }
    }

    #[test]
    fn memory_and_load_are_read() {
        assert_eq!(mem_total("MemTotal:       16316412 kB\nMemFree: 1 kB\n"), Some(Bytes::new(16_316_412 * 1024)));
        assert_eq!(mem_total("MemTotal: 18446744073709551615 kB\n"), None);
        assert_eq!(load_1m("1.25 0.80 0.50 2/600 1234\n"), Some(1.25));
        assert_eq!(load_1m("NaN"), None);
    }

    #[test]
    fn disk_counters_take_the_device_itself_and_not_its_partition() {
        let text =
            " 259       1 nvme0n1p1 9 9 9 9 9 9 9 9 0 0 0\n 259       0 nvme0n1 10 0 200 5 20 0 300 7 0 9 12 1 0 8 0\n";
        let counters = disk_counters(text, "nvme0n1").expect("a line");
        assert_eq!(counters.read_bytes + counters.write_bytes, 500 * 512);
        assert_eq!(disk_counters(text, "nvme0"), None);
        assert_eq!(disk_counters("8 0 sda 1 2\n", "sda"), None, "a short line is not read beyond its end");
    }

    #[test]
    fn disk_counters_are_bytes_and_milliseconds_of_the_disk_that_is_named() {
        let text = " 254 0 vda 10 1 16 5 20 2 32 6 0 1500 11 3 0 8 1 0 0\n 254 1 vda1 1 0 8 0 0 0 0 0 0 0 0\n";
        let counters = disk_counters(text, "vda").expect("a line");
        assert_eq!((counters.reads, counters.read_bytes, counters.writes), (10, 16 * 512, 20));
        assert_eq!((counters.write_bytes, counters.discards, counters.discard_bytes), (32 * 512, 3, 8 * 512));
        assert_eq!(counters.busy_ms, 1500);
        let old = disk_counters(text, "vda1").expect("a line");
        assert_eq!((old.read_bytes, old.discards), (4096, 0), "older kernels have no discards");
        assert_eq!(disk_counters(text, "sda"), None);
    }

    #[test]
    fn the_disks_of_this_machine_are_understood() {
        let diskstats = std::fs::read_to_string("/proc/diskstats").expect("a Linux host");
        for name in diskstats.lines().filter_map(|line| line.split_ascii_whitespace().nth(2)) {
            assert!(disk_counters(&diskstats, name).is_some(), "{name}");
        }
    }

    #[test]
    fn swaps_and_schedulers_are_read() {
        let swaps = b"Filename\t\t\t\tType\t\tSize\nUsed\n/my\\040swap file\n";
        assert_eq!(swap_paths(swaps), ["Used", "/my swap"]);
        assert_eq!(bracketed("mq-deadline kyber [none] "), Some("none".to_owned()));
        assert_eq!(bracketed("none"), Some("none".to_owned()));
        assert_eq!(bracketed("a b"), None);
        assert_eq!(bracketed("[]"), None);
    }

    #[test]
    fn a_mapping_is_known_by_inode_and_device_or_inode_and_path() {
        let line = b"7f0000000000-7f0000001000 r--p 00000000 fe:00 131                        /srv/a b.img";
        assert!(maps_line_is(line, "fe:00", 131, b"/elsewhere"));
        assert!(maps_line_is(line, "00:1f", 131, b"/srv/a b.img"));
        assert!(!maps_line_is(line, "fe:00", 132, b"/srv/a b.img"));
        assert!(!maps_line_is(line, "00:1f", 131, b"/srv/other"));
    }

    proptest! {
        #[test]
        fn any_text_never_panics(text in any::<String>(), bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            cpuinfo_value(&text, &["flags"]);
            has_hypervisor_flag(&text);
            cpu_list(&text);
            device_number(&text);
            mem_total(&text);
            load_1m(&text);
            let _ = disk_counters(&text, "sda");
            bracketed(&text);
            swap_paths(&bytes);
            maps_line_is(&bytes, "0:0", 1, &bytes);
        }
    }
}
