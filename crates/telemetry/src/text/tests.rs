//! Known answers of the parsers, the files of this machine, and no panic on any text.

use proptest::prelude::*;

use super::*;

#[test]
fn cpu_times_are_kept_by_cpu_and_kind() {
    let stat = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 10 1 20 300 4 5 6 7 3 0\ncpu1 1 0 2 3\nintr 5 6\ncpufreq 1 2 3 4\n";
    assert_eq!(
        cpu_times(stat),
        [("cpu0", [11.0, 20.0, 11.0, 4.0, 7.0, 300.0]), ("cpu1", [1.0, 2.0, 0.0, 0.0, 0.0, 3.0])]
    );
}

#[test]
fn interrupts_are_summed_over_the_cpus_that_the_head_names() {
    let text = "           CPU0       CPU1       \n 36:          2   27819338 PCI-MSIX-0000:00:02.0   1-edge      \
                virtio1-req.0\nNMI:          0          3   Non-maskable interrupts\nERR:          4\n";
    let rows = interrupt_rows(text);
    let first = &rows[0];
    assert_eq!((first.number, first.count, first.action), ("36", 27_819_340.0, "virtio1-req.0"));
    assert_eq!((rows[1].number, rows[1].count), ("NMI", 3.0));
    assert_eq!((rows[2].number, rows[2].count), ("ERR", 4.0));
}

#[test]
fn disk_counters_are_bytes_and_seconds_of_the_disk_that_is_named() {
    let text = " 254 0 vda 10 1 16 5 20 2 32 6 0 1500 11 3 0 8 1 0 0\n 254 1 vda1 1 0 8 0 0 0 0 0 0 0 0\n";
    let counters = disk_counters(text, "vda").unwrap();
    assert_eq!(counters, [10.0, 16.0 * 512.0, 20.0, 32.0 * 512.0, 3.0, 8.0 * 512.0, 1.5]);
    assert_eq!(disk_counters(text, "vda1").unwrap()[1], 4096.0, "older kernels have no discards");
    assert_eq!(disk_counters(text, "sda"), None);
}

#[test]
fn pressure_aer_link_and_mhz() {
    let pressure = "some avg10=0.00 avg60=0.00 avg300=0.00 total=7631644\nfull avg10=0.00 total=2230950\n";
    assert_eq!(pressure_totals(pressure), [Some(7.631_644), Some(2.230_95)]);
    assert_eq!(pressure_totals("some total=x"), [None, None]);
    assert_eq!(aer_total("RxErr 1\nBadTLP 2\nTOTAL_ERR_COR 3\n"), Some(3.0));
    assert_eq!(aer_total("RxErr 1\nBadTLP 2\n"), Some(3.0));
    assert_eq!(aer_total(""), None);
    assert_eq!((link_speed("16.0 GT/s PCIe\n"), link_speed("Unknown")), (Some(16.0), None));
    assert_eq!(cpuinfo_mhz("processor : 0\ncpu MHz\t\t: 2400.010\ncpu MHz : x\n"), [2400.01]);
}

#[test]
fn an_adapter_line_is_two_numbers() {
    assert_eq!(adapter_line("1.5 4.25\n"), Ok(Some((1.5, 4.25))));
    assert_eq!(adapter_line("# meter 3000"), Ok(None));
    assert_eq!(adapter_line("  "), Ok(None));
    for wrong in ["1.5", "1 2 3", "now 5", "1 5W", "1 nan", "inf 5", "-1 5"] {
        assert!(adapter_line(wrong).unwrap_err().contains("seconds value"), "{wrong}");
    }
}

#[test]
fn the_files_of_this_machine_are_understood() {
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    let (stat, interrupts) = (read("/proc/stat"), read("/proc/interrupts"));
    let cpus = cpu_times(&stat);
    assert!(!cpus.is_empty() && cpus.iter().all(|(_, times)| times.iter().sum::<f64>() > 0.0), "{cpus:?}");
    assert!(!interrupt_rows(&interrupts).is_empty(), "{interrupts}");
    let diskstats = read("/proc/diskstats");
    let names = diskstats.lines().filter_map(|line| line.split_ascii_whitespace().nth(2));
    for name in names {
        assert!(disk_counters(&diskstats, name).is_some(), "{name}");
    }
    match std::fs::read_to_string("/proc/pressure/memory") {
        Ok(text) => assert!(pressure_totals(&text).iter().all(Option::is_some), "{text}"),
        Err(error) => eprintln!("skipped: no /proc/pressure/memory: {error}"),
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic(text in any::<String>(), lines in "([a-z0-9: =.]{0,40}\n){0,6}") {
        for text in [&text, &lines] {
            cpu_times(text);
            interrupt_rows(text);
            disk_counters(text, "vda");
            pressure_totals(text);
            aer_total(text);
            link_speed(text);
            cpuinfo_mhz(text);
            let _ = adapter_line(text);
        }
    }
}
