//! The effect of watching on reads of the drive, measured before the run: a sentence for the report.

use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::RecordedSource;
use drivelab_core::watching_cost::{WatchedSource, WatchingCost};

use crate::figure::format;

/// The sentence, or that it was not measured and how to measure it; `None` if the target is on no block device.
pub(crate) fn stated(records: &RunRecords) -> Option<String> {
    let environment = &records.environment;
    if let Some(cost) = &environment.watching_cost {
        return Some(sentence(cost, records).unwrap_or_else(|| {
            format!(
                "The effect of watching on reads of this drive is not known: `drivelab watch /dev/{} --cost` recorded too few reads \
                 for a median.",
                cost.device.name
            )
        }));
    }
    let device = environment.target.devices.first()?;
    Some(format!(
        "The effect of watching on reads of this drive was not measured before the run; `drivelab watch /dev/{} --cost` measures \
         it.",
        device.name
    ))
}

/// `None` if there were too few reads for a median.
fn sentence(cost: &WatchingCost, records: &RunRecords) -> Option<String> {
    let (without, with, by) = (cost.without.median_us()?, cost.with.median_us()?, cost.median_us()?);
    // A difference below the last digit shown is no difference.
    let sign = if by < 0.0 { "−" } else { "+" };
    let share = if without > 0.0 { 100.0 * by.abs() / without } else { 0.0 };
    let day = cost.measured.split('T').next().unwrap_or_default();
    Some(format!(
        "The median latency of 4 KiB reads of this drive, one at a time, was {} µs without watching and {} µs with it \
         ({sign}{} µs, {sign}{} %; {} and {} reads, alternating; `drivelab watch /dev/{} --cost`, {day}{}).",
        format::latency_us(without),
        format::latency_us(with),
        format::latency_us(by.abs()),
        format::value(share, "%"),
        format::count(cost.without.reads),
        format::count(cost.with.reads),
        cost.device.name,
        otherwise(cost, records),
    ))
}

/// How that measurement differs from the run.
fn otherwise(cost: &WatchingCost, records: &RunRecords) -> String {
    let mut said = String::new();
    let (tool, kernel) = (&records.tool, &records.environment.testbed.kernel);
    if cost.version != tool.version || cost.profile != tool.profile {
        said.push_str(&format!(", by drivelab {} ({} build)", cost.version, cost.profile));
    }
    if cost.kernel != *kernel {
        said.push_str(&format!(", on Linux {}", cost.kernel));
    }
    let source = |source: &RecordedSource| WatchedSource {
        id: source.description.id.to_string(),
        every: source.description.every,
    };
    let mut here: Vec<WatchedSource> = records.telemetry.sources.iter().map(source).collect();
    let mut there = cost.sources.clone();
    here.sort();
    there.sort();
    if here != there {
        said.push_str(", with sources or sampling rates that differ from this run");
    }
    said
}

#[cfg(test)]
mod tests {
    use drivelab_core::target::DeviceIdentity;
    use drivelab_core::units::{Bytes, Nanos};
    use drivelab_core::watching_cost::ReadLatency;
    use drivelab_samples as testing;

    use super::*;

    /// A run, and the cost measured on its drive with the same tool and the same sources.
    fn run() -> (RunRecords, WatchingCost) {
        let records = testing::sample_watched_run();
        let sources = records.telemetry.sources.iter();
        let device = DeviceIdentity {
            name: "nvme0n1".to_owned(),
            whole: "nvme0n1".to_owned(),
            number: "259:0".to_owned(),
            model: None,
            serial: Some("A1".to_owned()),
            wwid: None,
            by_id: Vec::new(),
            capacity: Bytes::new(1 << 40),
            diskseq: None,
            backing_file: None,
        };
        let cost = WatchingCost {
            measured: "2026-11-21T03:00:00Z".to_owned(),
            version: records.tool.version.clone(),
            profile: records.tool.profile.clone(),
            kernel: records.environment.testbed.kernel.clone(),
            device,
            sources: sources
                .map(|source| WatchedSource { id: source.description.id.to_string(), every: source.description.every })
                .collect(),
            pairs: 5,
            stretch: Nanos::from_secs(2),
            without: ReadLatency { reads: 125_000, p50_us: Some(80.0), ..ReadLatency::default() },
            with: ReadLatency { reads: 120_000, p50_us: Some(82.0), ..ReadLatency::default() },
        };
        (records, cost)
    }

    fn said(records: &RunRecords, cost: WatchingCost) -> String {
        let mut records = records.clone();
        records.environment.watching_cost = Some(cost);
        stated(&records).expect("a sentence")
    }

    #[test]
    fn the_medians_and_their_difference_are_stated_with_the_day() {
        let (records, cost) = run();
        let text = said(&records, cost.clone());
        for part in ["80.00 µs without", "82.00 µs with", "+2.00 µs, +2.50 %", "/dev/nvme0n1 --cost`, 2026-11-21)."]
        {
            assert!(text.contains(part), "it does not say '{part}': {text}");
        }
        let faster = WatchingCost { with: ReadLatency { p50_us: Some(78.0), ..cost.with }, ..cost.clone() };
        assert!(said(&records, faster).contains("−2.00 µs, −2.50 %"));
        let few = WatchingCost { with: ReadLatency { reads: 9, ..cost.with }, ..cost };
        let text = said(&records, few);
        assert!(text.contains("too few reads") && !text.contains("µs"), "{text}");
    }

    #[test]
    fn what_was_not_as_in_the_run_is_said() {
        let (records, cost) = run();
        let kernel = WatchingCost { kernel: "5.10".to_owned(), ..cost.clone() };
        assert!(said(&records, kernel).contains(", on Linux 5.10)"));
        let version = WatchingCost { version: "0.0.1".to_owned(), ..cost.clone() };
        assert!(said(&records, version).contains(", by drivelab 0.0.1 ("));
        let mut slower = cost;
        slower.sources[0].every = Nanos::from_secs(9);
        assert!(said(&records, slower).contains("sources or sampling rates that differ"));
    }

    #[test]
    fn where_it_was_not_measured_the_way_to_do_it_is_said_and_nothing_where_there_is_no_drive() {
        let (mut records, _) = run();
        let name = &records.environment.target.devices[0].name;
        let wanted = format!("`drivelab watch /dev/{name} --cost`");
        assert!(stated(&records).is_some_and(|text| text.contains("not measured") && text.contains(&wanted)));
        records.environment.target.devices.clear();
        assert_eq!(stated(&records), None);
    }
}
