//! Chips of a sysfs tree made for the test, and those of this machine.

use std::os::unix::fs::symlink;
use std::path::Path;

use drivelab_core::clock::MonotonicClock;

use super::*;

/// A tree with an NVMe drive with two sensors, a SATA drive, and a power chip of the board.
fn tree(root: &Path) -> Roots {
    let write = |path: &str, text: &str| {
        let path = root.join("sys").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let link = |path: &str, to: &str| {
        let path = root.join("sys").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(root.join("sys").join(to), path).unwrap();
    };
    let nvme = "devices/pci0/nvme/nvme0";
    write(&format!("{nvme}/hwmon3/name"), "nvme\n");
    write(&format!("{nvme}/hwmon3/temp1_input"), "41850\n");
    write(&format!("{nvme}/hwmon3/temp1_label"), "Composite\n");
    write(&format!("{nvme}/hwmon3/temp1_max"), "81850\n");
    write(&format!("{nvme}/hwmon3/temp1_crit"), "84850\n");
    write(&format!("{nvme}/hwmon3/temp2_input"), "50000\n");
    write(&format!("{nvme}/hwmon3/temp2_label"), "Sensor 1\n");
    write(&format!("{nvme}/hwmon3/temp2_max"), "65261850\n");
    link(&format!("{nvme}/hwmon3/device"), nvme);
    link("class/hwmon/hwmon3", &format!("{nvme}/hwmon3"));
    link("block/nvme0n1/device", nvme);
    let disk = "devices/ata1/0:0:0:0";
    write(&format!("{disk}/hwmon/hwmon4/name"), "drivetemp\n");
    write(&format!("{disk}/hwmon/hwmon4/temp1_input"), "33000\n");
    link(&format!("{disk}/hwmon/hwmon4/device"), disk);
    link("class/hwmon/hwmon4", &format!("{disk}/hwmon/hwmon4"));
    link("block/sda/device", disk);
    let board = "devices/i2c/1-0040";
    write(&format!("{board}/hwmon/hwmon5/name"), "ina219\n");
    write(&format!("{board}/hwmon/hwmon5/power1_input"), "4250000\n");
    link(&format!("{board}/hwmon/hwmon5/device"), board);
    link("class/hwmon/hwmon5", &format!("{board}/hwmon/hwmon5"));
    Roots { sys: root.join("sys"), proc: root.join("proc") }
}

#[test]
fn sensors_belong_to_the_drive_that_is_watched_and_keep_its_limits() {
    let folder = tempfile::tempdir().unwrap();
    let roots = tree(folder.path());
    let rates = (Nanos::from_secs(2), Nanos::from_secs(1));
    let mut chips = Hwmon::open_all(&roots, &["nvme0n1".to_owned()], rates.0, rates.1);
    let described: Vec<SourceDescription> = chips.iter().map(Hwmon::describe).collect();
    let ids: Vec<&str> = described.iter().map(|one| one.id.0.as_str()).collect();
    assert_eq!(ids, ["hwmon:nvme0n1", "hwmon:hwmon5:ina219"], "the drive that is not watched is not woken");
    let drive = &described[0];
    assert_eq!((drive.disturbs, drive.every), (Disturbs::Drive, rates.0));
    assert_eq!(drive.series[0].name, "Composite");
    assert_eq!((drive.series[0].warning, drive.series[0].critical), (Some(81.85), Some(84.85)));
    assert_eq!(drive.series[1].warning, None, "65,261 °C is not a limit");
    assert_eq!(described[1].about, About::Host, "a meter of the board is not the drive's");
    let clock = MonotonicClock::starting_at(0);
    assert_eq!(chips[0].read(&clock).unwrap()[0].values, [Some(41.85), Some(50.0)]);
    assert_eq!(chips[1].read(&clock).unwrap()[0].values, [Some(4.25)]);
    // A missing file is a failed reading, not a value.
    std::fs::remove_file(folder.path().join("sys/devices/i2c/1-0040/hwmon/hwmon5/power1_input")).unwrap();
    assert!(chips[1].read(&clock).unwrap_err().contains("power1_input"));
}

#[test]
fn sources_of_one_drive_have_names_of_their_own_and_a_drive_is_asked_by_one_chip() {
    let folder = tempfile::tempdir().unwrap();
    let roots = tree(folder.path());
    let sys = folder.path().join("sys");
    // The drive's second controller behind native multipath, and a meter of the board that is attached to its device.
    let subsystem = sys.join("devices/virtual/nvme-subsystem/nvme-subsys0");
    std::fs::create_dir_all(&subsystem).unwrap();
    for (controller, hwmon, chip) in
        [("nvme0", "hwmon3", "nvme"), ("nvme1", "hwmon6", "nvme"), ("nvme1", "hwmon7", "ina219")]
    {
        let device = sys.join("devices/pci0/nvme").join(controller);
        let files = device.join(hwmon);
        std::fs::create_dir_all(&files).unwrap();
        std::fs::write(files.join("name"), chip).unwrap();
        std::fs::write(files.join(if chip == "nvme" { "temp1_input" } else { "power1_input" }), "41850").unwrap();
        for (link, to) in [
            (files.join("device"), &device),
            (sys.join("class/hwmon").join(hwmon), &files),
            (subsystem.join(controller), &device),
        ] {
            let _ = symlink(to, link);
        }
    }
    std::fs::remove_file(sys.join("block/nvme0n1/device")).unwrap();
    symlink(&subsystem, sys.join("block/nvme0n1/device")).unwrap();
    let chips = Hwmon::open_all(&roots, &["nvme0n1".to_owned()], Nanos::from_secs(2), Nanos::from_secs(1));
    let described: Vec<SourceDescription> = chips.iter().map(Hwmon::describe).collect();
    let ids: Vec<&str> = described.iter().map(|one| one.id.0.as_str()).collect();
    assert_eq!(ids, ["hwmon:nvme0n1", "hwmon:hwmon5:ina219", "hwmon:nvme0n1:hwmon7:ina219"]);
    assert!(described[0].origin.contains("hwmon3"), "the first: {}", described[0].origin);
    assert_eq!(described[2].about, About::Drive("nvme0n1".to_owned()));
}

#[test]
fn a_sata_drive_is_found_through_drivetemp() {
    let folder = tempfile::tempdir().unwrap();
    let roots = tree(folder.path());
    let chips = Hwmon::open_all(&roots, &["sda".to_owned()], Nanos::from_secs(2), Nanos::from_secs(1));
    assert_eq!(chips[0].disk(), Some("sda"));
    assert_eq!(chips[0].describe().series[0].name, "temp1");
}

#[test]
fn the_chips_of_this_machine_can_be_read() {
    let roots = Roots::default();
    let disks: Vec<String> = crate::reading::names(Path::new("/sys/block"));
    let chips = Hwmon::open_all(&roots, &disks, Nanos::from_secs(2), Nanos::from_secs(1));
    if chips.is_empty() {
        eprintln!("skipped: this machine has no sensors in /sys/class/hwmon");
    }
    let clock = MonotonicClock::starting_at(0);
    for mut chip in chips {
        let described = chip.describe();
        if let Ok(samples) = chip.read(&clock) {
            assert_eq!(samples[0].values.len(), described.series.len());
        }
    }
}
