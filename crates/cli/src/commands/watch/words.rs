//! The name of a row of `watch`, for people: the device, the quantity, and the name that the drive or chip gives it.

use drivelab_core::telemetry::{About, Quantity, SourceDescription, SourceKind};

/// Bits of the drive's critical warning (NVMe Base Specification, SMART / Health Information log, byte 0).
const WARNINGS: [&str; 6] = [
    "spare capacity is low",
    "too hot or too cold",
    "reliability is degraded",
    "read-only",
    "the backup of its volatile memory failed",
    "persistent memory is read-only",
];

/// The words for a series; for sources that share one row, the words for the row.
pub(super) fn label(source: &SourceDescription, series: &str, quantity: Quantity) -> String {
    let whose = match &source.about {
        // `link:nvme0n1:nvme1`: one of several controllers.
        About::Drive(disk) => match source.id.0.split_once(&format!(":{disk}:")) {
            Some((_, controller)) => format!("{disk} by {controller}"),
            None => disk.clone(),
        },
        // `hwmon:hwmon2:coretemp`: people know the chip.
        About::Host => source.id.0.rsplit(':').next().unwrap_or_default().to_owned(),
    };
    let what = match (source.kind, quantity) {
        (SourceKind::Cpu, _) => return format!("CPU {series}"),
        (SourceKind::CpuFrequency, _) => return format!("CPU {} frequency", series.trim_start_matches("cpu")),
        (SourceKind::Rapl, _) => return format!("processor's power, {series}"),
        (SourceKind::MemoryPressure, _) if series == "full" => return "all tasks waited for memory".to_owned(),
        (SourceKind::MemoryPressure, _) => return "some task waited for memory".to_owned(),
        (SourceKind::Suspend, _) => return "machine suspended".to_owned(),
        (SourceKind::Adapter, Quantity::Temperature) => "temperature, by your thermometer".to_owned(),
        (SourceKind::Adapter, _) => "power, by your meter".to_owned(),
        (SourceKind::DiskStats, _) => disk(series).to_owned(),
        (SourceKind::Smart, _) => smart(series, quantity),
        (SourceKind::MediaWrites, _) => format!("{series}, by the drive itself"),
        (SourceKind::PowerLog, _) => "power, by the drive itself".to_owned(),
        (SourceKind::Link, _) => format!("PCIe link {series}"),
        (SourceKind::PcieErrors, _) => format!("PCIe errors, {}", error(series)),
        (SourceKind::Interrupts, _) => series.to_owned(),
        (SourceKind::Hwmon, Quantity::Power) => format!("power, {series}"),
        (SourceKind::Hwmon, _) => format!("temperature, {series}"),
    };
    format!("{whose} {what}")
}

/// Rows of operations and bytes have the same words for the direction; their units distinguish them.
fn disk(series: &str) -> &str {
    match series {
        "read_bytes" => "read",
        "write_bytes" => "written",
        "discard_bytes" => "discarded",
        other => other,
    }
}

fn smart(series: &str, quantity: Quantity) -> String {
    match (series, quantity) {
        (_, Quantity::Temperature) => format!("temperature, {series}"),
        ("warning time", _) => "above its warning temperature".to_owned(),
        ("critical time", _) => "above its critical temperature".to_owned(),
        ("throttle 1 transitions", _) => "throttling 1 begun".to_owned(),
        ("throttle 2 transitions", _) => "throttling 2 begun".to_owned(),
        ("throttle 1 time", _) => "throttling 1 lasted".to_owned(),
        ("throttle 2 time", _) => "throttling 2 lasted".to_owned(),
        ("interval power", _) => "power, by its SMART log".to_owned(),
        (other, _) => other.to_owned(),
    }
}

fn error(series: &str) -> &str {
    match series {
        "correctable" => "corrected",
        "nonfatal" => "not corrected",
        other => other,
    }
}

/// A critical warning in words.
pub(super) fn warning(bits: f64) -> String {
    let bits = bits as u64;
    let said: Vec<&str> =
        WARNINGS.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, said)| *said).collect();
    match (bits, said.is_empty()) {
        (0, _) => "none".to_owned(),
        (_, true) => format!("bits {bits:#b}"),
        (_, false) => said.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use drivelab_core::telemetry::{Disturbs, SourceId};
    use drivelab_core::units::Nanos;

    use super::*;

    fn named(id: &str, kind: SourceKind, about: About, series: &str, quantity: Quantity) -> String {
        let source = SourceDescription {
            id: SourceId::new(id),
            kind,
            about,
            origin: String::new(),
            accuracy: String::new(),
            disturbs: Disturbs::Host,
            every: Nanos::from_secs(1),
            cost: None,
            series: Vec::new(),
        };
        label(&source, series, quantity)
    }

    #[test]
    fn rows_say_whose_and_what_with_the_name_that_the_drive_gives() {
        let drive = || About::Drive("nvme0n1".to_owned());
        let of = |kind, series, quantity| named("x:nvme0n1", kind, drive(), series, quantity);
        assert_eq!(of(SourceKind::Hwmon, "Composite", Quantity::Temperature), "nvme0n1 temperature, Composite");
        assert_eq!(of(SourceKind::Smart, "sensor 2", Quantity::Temperature), "nvme0n1 temperature, sensor 2");
        assert_eq!(of(SourceKind::DiskStats, "write_bytes", Quantity::Volume), "nvme0n1 written");
        assert_eq!(of(SourceKind::PcieErrors, "correctable", Quantity::Errors), "nvme0n1 PCIe errors, corrected");
        let one_of_two = named("link:nvme0n1:nvme1", SourceKind::Link, drive(), "speed", Quantity::LinkSpeed);
        assert_eq!(one_of_two, "nvme0n1 by nvme1 PCIe link speed", "a controller among several");
        let host = |id, kind, series, quantity| named(id, kind, About::Host, series, quantity);
        let chip = host("hwmon:hwmon2:coretemp", SourceKind::Hwmon, "Package id 0", Quantity::Temperature);
        assert_eq!(chip, "coretemp temperature, Package id 0");
        assert_eq!(host("cpu_frequency", SourceKind::CpuFrequency, "cpu3", Quantity::Frequency), "CPU 3 frequency");
    }

    #[test]
    fn warnings_are_words() {
        assert_eq!(warning(0.0), "none");
        assert_eq!(warning(6.0), "too hot or too cold, reliability is degraded");
        assert_eq!(warning(128.0), "bits 0b10000000");
    }
}
