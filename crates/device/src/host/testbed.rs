//! Facts about the host: kernel, CPU, governor, board, memory, hypervisor, and how busy it is.
//!
//! From uname(2), /proc/{cpuinfo,meminfo,loadavg,diskstats}, /sys/class/dmi/id, the device tree and cpufreq. Never
//! fails: missing facts are left out and listed in `unknown`.

use std::path::Path;

use drivelab_core::clock::{MonotonicClock, RunClock, StopToken};
use drivelab_core::environment::TestbedFacts;
use drivelab_core::units::{Bytes, Nanos};

use crate::host::cpu_time::{between, cpu_times_in};
use crate::host::timing as host;
use crate::proc_text::{cpu_list, cpuinfo_value, disk_counters, has_hypervisor_flag, load_1m, mem_total};
use crate::roots::{Roots, read, read_trim};

/// Time between the two samples of the counters.
const LOOK: Nanos = Nanos::from_millis(500);

/// Facts about this host. `device_for_foreign_io` is the kernel name of a whole block device (`nvme0n1`): its
/// counters and those of the CPUs are sampled twice, half a second apart, to see whether other programs use them.
/// Without it the call does not wait.
#[must_use]
pub fn testbed_facts(device_for_foreign_io: Option<&str>) -> TestbedFacts {
    facts(&Roots::default(), device_for_foreign_io.map_or(Watched::Nothing, Watched::Device))
}

/// The counters that are sampled twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Watched<'a> {
    /// Nothing: the call does not wait.
    Nothing,
    /// The host's own counters.
    Host,
    /// Those, and the counters of a whole block device.
    Device(&'a str),
}

fn facts(roots: &Roots, watched: Watched) -> TestbedFacts {
    let mut unknown = Vec::new();
    let text = |name: &str| read(&roots.proc.join(name));
    let cpuinfo = text("cpuinfo").unwrap_or_default();
    let dmi = Dmi::read(&roots.sys.join("class/dmi/id"));
    if !dmi.there {
        unknown.push("board and firmware: no DMI (/sys/class/dmi/id), as in small virtual machines".to_owned());
    }
    let governor = read_trim(&roots.sys.join("devices/system/cpu/cpu0/cpufreq/scaling_governor"));
    if governor.is_none() {
        unknown.push("governor: no cpufreq for CPU 0; the hypervisor or the firmware sets the frequency".into());
    }
    let cpu_model = cpuinfo_value(&cpuinfo, &["model name", "Model", "Hardware", "cpu model", "uarch"]);
    if cpu_model.is_none() {
        unknown.push("CPU model: /proc/cpuinfo does not name it".to_owned());
    }
    let memory = memory(roots);
    if memory.is_none() {
        unknown.push("memory: /proc/meminfo could not be read".to_owned());
    }
    let load = text("loadavg").ok().and_then(|text| load_1m(&text));
    if load.is_none() {
        unknown.push("load: /proc/loadavg could not be read; shown as 0".to_owned());
    }
    let before = (watched != Watched::Nothing).then(|| host::Counters::now(roots));
    let seen = look(roots, watched);
    let host = host::facts(roots, &cpuinfo, before);
    if let (Watched::Device(device), None) = (watched, seen.foreign_io) {
        unknown.push(format!("I/O of other programs: /proc/diskstats has no counters for {device}"));
    }
    TestbedFacts {
        tag: None,
        note: None,
        kernel: rustix::system::uname().release().to_string_lossy().into_owned(),
        cpu_model,
        cpus: cpus(roots),
        governor,
        board: dmi.board().or_else(|| read_trim(&roots.proc.join("device-tree/model"))),
        firmware: dmi.firmware(),
        memory: memory.unwrap_or_default(),
        hypervisor: hypervisor(roots, &cpuinfo, &dmi),
        load_average_1m: load.unwrap_or_default(),
        cpu_busy: seen.cpu_busy,
        cpu_stolen: seen.cpu_stolen,
        foreign_io: seen.foreign_io,
        host: Some(host),
        unknown,
    }
}

/// Online CPUs by sysfs, otherwise as many as this process may use.
fn cpus(roots: &Roots) -> u32 {
    let online = read_trim(&roots.sys.join("devices/system/cpu/online")).and_then(|list| Some(cpu_list(&list)?.len()));
    let usable = || std::thread::available_parallelism().ok().map(std::num::NonZero::get);
    online.or_else(usable).and_then(|count| u32::try_from(count).ok()).unwrap_or(1)
}

/// Result of two samples, half a second apart.
struct Seen {
    /// Share of all CPUs' time that was busy.
    cpu_busy: Option<f64>,
    /// Share of all CPUs' time that the hypervisor gave to other guests.
    cpu_stolen: Option<f64>,
    /// Bytes per second on the device.
    foreign_io: Option<f64>,
}

/// Samples the watched counters twice.
#[expect(clippy::cast_precision_loss, reason = "milliseconds between two samples are few")]
fn look(roots: &Roots, watched: Watched) -> Seen {
    let device = match watched {
        Watched::Nothing => return Seen { cpu_busy: None, cpu_stolen: None, foreign_io: None },
        Watched::Host => None,
        Watched::Device(device) => Some(device),
    };
    let clock = MonotonicClock::starting_at(0);
    let counters = || {
        let moved = device.and_then(|device| disk_counters(&read(&roots.proc.join("diskstats")).ok()?, device));
        let bytes = moved.map(|counters| counters.read_bytes.wrapping_add(counters.write_bytes));
        (Nanos::new(clock.now_ns()), bytes, cpu_times_in(roots).unwrap_or_default())
    };
    let (start, bytes_before, cpu_before) = counters();
    clock.sleep_until(start.get() + LOOK.get(), &StopToken::default());
    let (end, bytes_after, cpu_after) = counters();
    let elapsed_s = end.as_secs_f64() - start.as_secs_f64();
    let moved = |(before, after): (u64, u64)| Bytes::new(after.saturating_sub(before)).as_f64() / elapsed_s;
    let cpus = between(&cpu_before, &cpu_after);
    let share = |ms: u64| (cpus.all_ms() > 0).then(|| ms as f64 / cpus.all_ms() as f64);
    Seen {
        cpu_busy: share(cpus.busy_ms()),
        cpu_stolen: share(cpus.steal_ms),
        foreign_io: bytes_before.zip(bytes_after).map(moved),
    }
}

/// Facts about this host with two samples of its counters, half a second apart, for any target.
#[must_use]
pub fn testbed_facts_with_a_look() -> TestbedFacts {
    facts(&Roots::default(), Watched::Host)
}

/// Memory of this host; 0 if it is unknown.
#[must_use]
pub fn total_memory() -> Bytes {
    memory(&Roots::default()).unwrap_or_default()
}

fn memory(roots: &Roots) -> Option<Bytes> {
    mem_total(&read(&roots.proc.join("meminfo")).ok()?)
}

/// The firmware's SMBIOS texts, as far as every user may read them.
#[derive(Debug, Default)]
struct Dmi {
    there: bool,
    board_vendor: Option<String>,
    board_name: Option<String>,
    sys_vendor: Option<String>,
    product_name: Option<String>,
    bios_vendor: Option<String>,
    bios_version: Option<String>,
    bios_date: Option<String>,
}

impl Dmi {
    fn read(folder: &Path) -> Self {
        /// Texts that makers leave in fields that they did not fill in.
        const EMPTY: [&str; 6] =
            ["To be filled by O.E.M.", "To Be Filled By O.E.M.", "Default string", "None", "Not Specified", "Unknown"];
        let field = |name: &str| read_trim(&folder.join(name)).filter(|text| !EMPTY.contains(&text.as_str()));
        Dmi {
            there: folder.exists(),
            board_vendor: field("board_vendor"),
            board_name: field("board_name"),
            sys_vendor: field("sys_vendor"),
            product_name: field("product_name"),
            bios_vendor: field("bios_vendor"),
            bios_version: field("bios_version"),
            bios_date: field("bios_date"),
        }
    }

    /// Maker and name of the board, otherwise of the product.
    fn board(&self) -> Option<String> {
        let join = |vendor: &Option<String>, name: &Option<String>| match (vendor, name) {
            (Some(vendor), Some(name)) if name.starts_with(vendor.as_str()) => Some(name.clone()),
            (Some(vendor), Some(name)) => Some(format!("{vendor} {name}")),
            (_, name) => name.clone(),
        };
        join(&self.board_vendor, &self.board_name).or_else(|| join(&self.sys_vendor, &self.product_name))
    }

    fn firmware(&self) -> Option<String> {
        let version = self.bios_version.as_ref()?;
        let vendor = self.bios_vendor.as_ref().map_or(String::new(), |vendor| format!("{vendor} "));
        let date = self.bios_date.as_ref().map_or(String::new(), |date| format!(" ({date})"));
        Some(format!("{vendor}{version}{date}"))
    }
}

/// The hypervisor: by the kernel's own text (Xen), by names in DMI, or only that there is one.
fn hypervisor(roots: &Roots, cpuinfo: &str, dmi: &Dmi) -> Option<String> {
    const NAMES: [(&str, &str); 10] = [
        ("QEMU", "qemu"),
        ("KVM", "kvm"),
        ("VMware", "vmware"),
        ("VirtualBox", "virtualbox"),
        ("innotek", "virtualbox"),
        ("Amazon EC2", "amazon ec2"),
        ("Google Compute Engine", "google compute engine"),
        ("Virtual Machine", "hyper-v"),
        ("Parallels", "parallels"),
        ("Bochs", "bochs"),
    ];
    if let Some(kind) = read_trim(&roots.sys.join("hypervisor/type")) {
        return Some(kind);
    }
    let flag = has_hypervisor_flag(cpuinfo);
    let words = [&dmi.sys_vendor, &dmi.product_name, &dmi.board_vendor, &dmi.bios_vendor];
    let named = NAMES.iter().find(|(word, _)| words.iter().any(|text| text.as_ref().is_some_and(|t| t.contains(word))));
    match named {
        // Bare-metal machines of the same clouds carry the cloud's name too; the CPU then has no hypervisor flag.
        Some((_, "amazon ec2")) if !flag && cpuinfo_value(cpuinfo, &["flags"]).is_some() => None,
        Some((_, name)) => Some((*name).to_owned()),
        None => flag.then(|| "a hypervisor that does not give its name".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Roots) {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let roots = Roots { sys: folder.path().join("sys"), proc: folder.path().join("proc") };
        (folder, roots)
    }

    #[test]
    fn a_desktop_is_described() {
        let (_folder, roots) = tree(&[
            ("sys/class/dmi/id/board_vendor", "ASUSTeK COMPUTER INC.\n"),
            ("sys/class/dmi/id/board_name", "PRIME X670E-PRO WIFI\n"),
            ("sys/class/dmi/id/sys_vendor", "To Be Filled By O.E.M.\n"),
            ("sys/class/dmi/id/bios_vendor", "American Megatrends Inc.\n"),
            ("sys/class/dmi/id/bios_version", "1654\n"),
            ("sys/class/dmi/id/bios_date", "07/18/2023\n"),
            ("sys/devices/system/cpu/online", "0-31\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
            ("proc/cpuinfo", "model name : AMD Ryzen 9\nflags : fpu lm\n"),
            ("proc/meminfo", "MemTotal: 65536 kB\n"),
            ("proc/loadavg", "0.50 0.1 0.1 1/2 3\n"),
        ]);
        let facts = facts(&roots, Watched::Nothing);
        assert_eq!(facts.board.as_deref(), Some("ASUSTeK COMPUTER INC. PRIME X670E-PRO WIFI"));
        assert_eq!(facts.firmware.as_deref(), Some("American Megatrends Inc. 1654 (07/18/2023)"));
        assert_eq!((facts.cpus, facts.governor.as_deref()), (32, Some("performance")));
        assert_eq!((facts.hypervisor, facts.memory), (None, Bytes::new(64 << 20)));
        assert!(facts.unknown.is_empty(), "{:?}", facts.unknown);
    }

    #[test]
    fn an_empty_host_gives_a_line_for_everything_that_is_missing() {
        let (_folder, roots) = tree(&[("proc/cpuinfo", "flags : hypervisor\n")]);
        let at_host = facts(&roots, Watched::Host);
        assert!(at_host.unknown.iter().all(|line| !line.contains("I/O of other programs")), "{:?}", at_host.unknown);
        let facts = facts(&roots, Watched::Device("sda"));
        assert_eq!((facts.foreign_io, facts.board), (None, None));
        assert!(facts.hypervisor.is_some_and(|text| text.contains("does not give its name")));
        for word in ["board", "governor", "CPU model", "memory", "load", "sda"] {
            assert!(facts.unknown.iter().any(|line| line.contains(word)), "{word}: {:?}", facts.unknown);
        }
    }

    #[test]
    fn a_virtual_machine_and_a_clouds_bare_metal_are_told_apart() {
        let (_folder, roots) = tree(&[("sys/class/dmi/id/sys_vendor", "Amazon EC2\n")]);
        let dmi = Dmi::read(&roots.sys.join("class/dmi/id"));
        assert_eq!(hypervisor(&roots, "flags : fpu hypervisor\n", &dmi).as_deref(), Some("amazon ec2"));
        assert_eq!(hypervisor(&roots, "flags : fpu\n", &dmi), None);
    }

    #[test]
    fn this_host_is_described_without_failing() {
        let facts = testbed_facts(None);
        assert!(!facts.kernel.is_empty());
        assert!(facts.cpus >= 1);
        assert!(facts.memory.get() > 0);
        assert_eq!(facts.foreign_io, None);
    }
}
