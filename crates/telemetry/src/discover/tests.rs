//! The telemetry found on this machine, in an empty tree, and in trees made for the test.

use drivelab_core::clock::MonotonicClock;

use super::*;

#[test]
fn a_meter_is_of_the_drive_below_and_of_a_loop_device_that_was_named() {
    let folder = tempfile::tempdir().unwrap();
    for disk in ["loop6", "dm-0", "nvme0n1", "vda"] {
        std::fs::create_dir_all(folder.path().join("block").join(disk)).unwrap();
    }
    let roots = Roots { sys: folder.path().to_owned(), ..Roots::default() };
    let of = |disks: &[&str], drives: &[&str]| {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        metered(&roots, &owned(disks), &owned(drives))
    };
    assert_eq!(of(&["loop6", "vda"], &["vda"]), "loop6", "not the disk that holds its file");
    assert_eq!(of(&["loop6p1", "loop6", "vda"], &["vda"]), "loop6");
    assert_eq!(of(&["dm-0", "nvme0n1p2", "nvme0n1"], &["nvme0n1"]), "nvme0n1");
    assert_eq!(of(&["dm-0"], &[]), "dm-0");
    assert_eq!(of(&[], &[]), "the target");
}

#[test]
fn this_machine_has_cpu_and_disk_counters_and_says_what_it_lacks() {
    let disks: Vec<String> = crate::reading::names(std::path::Path::new("/sys/block"));
    let found = discover(&Roots::default(), &Wanted { disks, ..Wanted::default() }).unwrap();
    let clock = MonotonicClock::starting_at(0);
    let mut kinds = Vec::new();
    for mut source in found.sources {
        let described = source.describe();
        for sample in source.read(&clock).unwrap() {
            assert_eq!(sample.values.len(), described.series.len(), "{}", described.id);
        }
        assert!(!described.accuracy.is_empty() && !described.origin.is_empty());
        kinds.push(described.kind);
    }
    assert!(kinds.contains(&SourceKind::Cpu) && kinds.contains(&SourceKind::Suspend), "{kinds:?}");
    assert!(kinds.contains(&SourceKind::DiskStats), "{kinds:?}");
    let all = [SourceKind::Hwmon, SourceKind::Rapl];
    assert!(all.iter().all(|kind| kinds.contains(kind)) || !found.remarks.is_empty(), "{:?}", found.remarks);
}

#[test]
fn an_adapter_that_is_named_must_be_there() {
    let wanted = Wanted { power_file: Some("/nonexistent".into()), ..Wanted::default() };
    assert!(discover(&Roots::default(), &wanted).is_err());
}

#[test]
fn a_power_log_that_was_asked_for_and_is_not_there_is_said() {
    let empty = Roots { sys: "/nonexistent".into(), proc: "/nonexistent".into() };
    let told = |power_log| {
        let found = discover(&empty, &Wanted { power_log, ..Wanted::default() }).unwrap();
        assert!(!found.has_power_log());
        // Other missing sources, such as the host's energy counters, are not listed here.
        assert!(found.no_power_log.iter().all(|why| why.contains("NVMe")), "{:?}", found.no_power_log);
        assert!(found.remarks.iter().all(|why| !why.contains("the host: the host")), "{:?}", found.remarks);
        assert_eq!(found.no_power_log.len(), usize::from(power_log));
        found.remarks.iter().any(|remark| remark.contains("measure their own power"))
    };
    assert_eq!((told(true), told(false)), (true, false));
}

#[test]
fn a_limit_without_a_thermometer_is_said_and_the_drives_own_is_kept_off_by_two_degrees() {
    let empty = Roots { sys: "/nonexistent".into(), proc: "/nonexistent".into() };
    let wanted = Wanted { abort_above_c: Some(70.0), ..Wanted::default() };
    let found = discover(&empty, &wanted).unwrap();
    assert!(found.remarks.iter().any(|remark| remark.contains("nothing ends the run above 70")), "{:?}", found.remarks);
    assert!(discover(&empty, &Wanted::default()).unwrap().abort_above.is_none());
}

/// A sysfs and a procfs made for the test.
struct Tree {
    folder: tempfile::TempDir,
    roots: Roots,
}

impl Tree {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let roots = Roots { sys: folder.path().join("sys"), proc: folder.path().join("proc") };
        Tree { folder, roots }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn link(&self, path: &str, to: &str) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(self.folder.path().join(to), path).unwrap();
    }

    fn found(&self, disk: &str, wanted: Wanted) -> Found {
        discover(&self.roots, &Wanted { disks: vec![disk.to_owned()], ..wanted }).unwrap()
    }
}

/// Two controllers of one subsystem behind native multipath, as Linux shows them: `nvme0n1` is below the subsystem
/// and both controllers lead to it, `nvme0n2` belongs to the second controller only.
fn dual_port() -> Tree {
    let tree = Tree::new();
    let subsystem = "sys/devices/virtual/nvme-subsystem/nvme-subsys0";
    for (at, name) in ["nvme0", "nvme1"].into_iter().enumerate() {
        let function = format!("sys/devices/pci0000:00/0000:00:0{at}.0/0000:0{at}:00.0");
        let speed = ["16.0 GT/s PCIe", "8.0 GT/s PCIe"][at];
        tree.write(&format!("{function}/current_link_speed"), speed);
        tree.write(&format!("{function}/current_link_width"), "2");
        tree.write(&format!("{function}/aer_dev_correctable"), &format!("RxErr {at}\nTOTAL_ERR_COR {at}\n"));
        tree.write(&format!("{function}/msi_irqs/{}", 40 + at), "msix");
        let controller = format!("{function}/nvme/{name}");
        tree.write(&format!("{controller}/transport"), "pcie\n");
        tree.write(&format!("{controller}/nvme0c{at}n1/size"), "8\n");
        tree.link(&format!("{subsystem}/{name}"), &controller);
    }
    tree.write("sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme1/nvme0c1n2/size", "8\n");
    for disk in ["nvme0n1", "nvme0n2"] {
        tree.write(&format!("{subsystem}/{disk}/size"), "8\n");
        tree.link(&format!("{subsystem}/{disk}/device"), subsystem);
        tree.link(&format!("sys/block/{disk}"), &format!("{subsystem}/{disk}"));
    }
    tree.write("proc/interrupts", "     CPU0 CPU1\n 40:  1 2 PCI-MSIX nvme0q0\n 41: 3 4 PCI-MSIX nvme1q0\n");
    tree
}

/// Ids and first values of the sources that are read for each controller.
fn by_controller(found: Found) -> Vec<(String, Option<f64>)> {
    let clock = MonotonicClock::starting_at(0);
    let kinds = [SourceKind::Link, SourceKind::PcieErrors, SourceKind::Interrupts];
    let sources = found.sources.into_iter().filter(|source| kinds.contains(&source.describe().kind));
    let read = |mut source: Box<dyn TelemetrySource>| {
        let described = source.describe();
        assert!(matches!(&described.about, About::Drive(disk) if described.id.0.contains(disk)), "{}", described.id);
        (described.id.0, source.read(&clock).unwrap()[0].values[0])
    };
    sources.map(read).collect()
}

#[test]
fn behind_native_multipath_every_controller_that_leads_to_the_namespace_is_watched() {
    let told = |pairs: &[(&str, f64)]| -> Vec<(String, Option<f64>)> {
        pairs.iter().map(|(id, value)| ((*id).to_owned(), Some(*value))).collect()
    };
    let shared = told(&[
        ("interrupts:nvme0n1:nvme0", 3.0),
        ("link:nvme0n1:nvme0", 16.0),
        ("pcie_errors:nvme0n1:nvme0", 0.0),
        ("interrupts:nvme0n1:nvme1", 7.0),
        ("link:nvme0n1:nvme1", 8.0),
        ("pcie_errors:nvme0n1:nvme1", 1.0),
    ]);
    let tree = dual_port();
    assert_eq!(by_controller(tree.found("nvme0n1", Wanted::default())), shared);
    let own = told(&[("interrupts:nvme0n2", 7.0), ("link:nvme0n2", 8.0), ("pcie_errors:nvme0n2", 1.0)]);
    assert_eq!(by_controller(tree.found("nvme0n2", Wanted::default())), own, "the other controller does not have it");
}

#[test]
fn a_run_ends_two_degrees_below_the_critical_limit_of_the_drive_or_where_the_user_said() {
    let tree = Tree::new();
    let device = "sys/devices/pci0000:00/0000:00:02.0/nvme/nvme0";
    tree.link("sys/block/nvme0n1/device", device);
    let chip = format!("{device}/hwmon3");
    let files = [("name", "nvme"), ("temp1_input", "41850"), ("temp1_crit", "84850"), ("temp1_max", "81850")];
    for (name, text) in files {
        tree.write(&format!("{chip}/{name}"), text);
    }
    tree.link(&format!("{chip}/device"), device);
    tree.link("sys/class/hwmon/hwmon3", &chip);
    let limit = |abort_above_c| {
        let found = tree.found("nvme0n1", Wanted { abort_above_c, ..Wanted::default() });
        assert!(found.has_thermometer());
        found.abort_above.unwrap()
    };
    let own = limit(None);
    assert!((own.celsius - 82.85).abs() < 1e-9, "{own:?}");
    assert!(own.because.contains("84.85 °C (hwmon:nvme0n1) minus 2 °C"), "{own:?}");
    assert_eq!(limit(Some(70.0)), TemperatureLimit { celsius: 70.0, because: "--abort-above-c".to_owned() });
    // A chip of the board states a limit too, which does not belong to the drive.
    let board = "sys/devices/platform/coretemp.0";
    for (name, text) in [("name", "coretemp"), ("temp1_input", "50000"), ("temp1_crit", "60000")] {
        tree.write(&format!("{board}/hwmon/hwmon4/{name}"), text);
    }
    tree.link(&format!("{board}/hwmon/hwmon4/device"), board);
    tree.link("sys/class/hwmon/hwmon4", &format!("{board}/hwmon/hwmon4"));
    assert!((limit(None).celsius - 82.85).abs() < 1e-9);
}
