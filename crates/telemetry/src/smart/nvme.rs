//! The log of an NVMe drive, read through the kernel's ioctl on its controller's node.

use std::path::Path;

use drivelab_nvme::{Controller, Counter, IoctlTransport, Transport};

use super::{SmartReader, SmartReading};

/// An open controller.
pub(crate) struct NvmeLog<T> {
    controller: Controller<T>,
}

/// Warning and critical composite temperature in °C.
pub(crate) type Limits = (Option<f64>, Option<f64>);

/// Opens the controller at a node and reads its limits.
pub(crate) fn open(node: &Path) -> Result<(NvmeLog<IoctlTransport>, Limits), String> {
    let transport = IoctlTransport::open(node).map_err(|error| error.to_string())?;
    Ok(NvmeLog::of(Controller::new(transport)))
}

impl<T: Transport> NvmeLog<T> {
    /// From a controller; one that does not state its limits has none.
    pub(crate) fn of(controller: Controller<T>) -> (Self, Limits) {
        let celsius = |kelvin: u16| f64::from(kelvin) - super::ZERO_CELSIUS;
        let limits = controller.identify_controller().map_or((None, None), |page| {
            let (warning, critical) = (page.decoded.warning_temperature_k, page.decoded.critical_temperature_k);
            (warning.map(celsius), critical.map(celsius))
        });
        (NvmeLog { controller }, limits)
    }
}

impl<T: Transport + Send> SmartReader for NvmeLog<T> {
    fn read(&mut self) -> Result<SmartReading, String> {
        let log = self.controller.smart().map_err(|error| error.to_string())?.decoded;
        let mut sensors_kelvin = [0u16; 8];
        for sensor in &log.sensors {
            if let Some(place) = sensors_kelvin.get_mut(usize::from(sensor.number.saturating_sub(1))) {
                *place = sensor.temperature_k;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "microwatts of a drive stay below 2^53")]
        let watts = |microwatts: u64| microwatts as f64 / 1e6;
        // Lifetime counters stay below 2^53, except bytes of very old drives, whose lowest digits are lost.
        #[expect(clippy::cast_precision_loss, reason = "see above")]
        let count = |counter: Counter| counter.get() as f64;
        let counters = [
            log.bytes_read(),
            log.bytes_written(),
            log.read_commands,
            log.write_commands,
            log.power_cycles,
            log.power_on_h,
            log.unsafe_shutdowns,
            log.media_errors,
        ];
        Ok(SmartReading {
            critical_warning: log.critical_warning.raw,
            composite_kelvin: log.composite_temperature_k,
            sensors_kelvin,
            warning_minutes: log.warning_temperature_min,
            critical_minutes: log.critical_temperature_min,
            throttle_transitions: [log.thermal_transitions_1, log.thermal_transitions_2],
            throttle_seconds: [log.thermal_1_s, log.thermal_2_s],
            interval_watts: log.interval_power_uw.map(watts),
            counters: counters.map(count),
            percentage_used: f64::from(log.used_percent),
        })
    }
}

#[cfg(test)]
mod tests {
    use drivelab_core::clock::MonotonicClock;
    use drivelab_core::telemetry::TelemetrySource;
    use drivelab_core::units::Nanos;
    use drivelab_device::{Roots, controller_node};
    use drivelab_nvme::{NSID_ALL, RecordedTransport, Recording, Request};

    use super::*;
    use crate::SmartSource;

    #[test]
    fn a_page_of_the_specification_becomes_temperatures_counters_and_watts() {
        let mut page = vec![0u8; 512];
        page[0] = 2;
        page[5] = 17;
        page[1..3].copy_from_slice(&318u16.to_le_bytes());
        page[48..64].copy_from_slice(&3u128.to_le_bytes());
        page[128..144].copy_from_slice(&340u128.to_le_bytes());
        page[160..176].copy_from_slice(&6u128.to_le_bytes());
        page[192..196].copy_from_slice(&5u32.to_le_bytes());
        page[202..204].copy_from_slice(&331u16.to_le_bytes());
        page[216..220].copy_from_slice(&9u32.to_le_bytes());
        page[228..232].copy_from_slice(&77u32.to_le_bytes());
        // 4.5 W: 450 times 10 mW.
        page[240..244].copy_from_slice(&(450u32 | 2 << 16).to_le_bytes());
        let mut identify = vec![0u8; 4096];
        identify[266..268].copy_from_slice(&355u16.to_le_bytes());
        identify[268..270].copy_from_slice(&358u16.to_le_bytes());
        let mut recording = Recording::default();
        recording.page(Request::LogPage { log: 2, nsid: NSID_ALL, parameter: 0, specific: 0 }, page);
        recording.page(Request::Identify { cns: 1, nsid: 0 }, identify);
        let (log, limits) = NvmeLog::of(Controller::new(RecordedTransport::new(recording)));
        assert_eq!(limits, (Some(82.0), Some(85.0)));
        let node = "/dev/nvme0".to_owned();
        let mut source = SmartSource::open(Box::new(log), "nvme0n1", node, limits, Nanos::from_secs(2)).unwrap();
        let described = source.describe();
        let values = source.read(&MonotonicClock::starting_at(0)).unwrap().remove(0).values;
        let of = |name: &str| values[described.series.iter().position(|series| series.name == name).unwrap()];
        assert_eq!((of("composite"), of("sensor 2")), (Some(45.0), Some(58.0)));
        assert_eq!((of("critical warning"), of("warning time")), (Some(2.0), Some(5.0)));
        assert_eq!((of("throttle 1 transitions"), of("throttle 2 time")), (Some(9.0), Some(77.0)));
        assert_eq!(of("interval power"), Some(4.5));
        assert_eq!((of("data read"), of("data written")), (Some(0.0), Some(3.0 * 512e3)));
        assert_eq!((of("power-on time"), of("media errors")), (Some(340.0), Some(6.0)));
        assert_eq!(of("percentage used"), Some(17.0));
        assert_eq!(described.series[0].critical, Some(85.0));
    }

    #[test]
    fn the_drives_of_this_machine_are_read_where_there_are_any() {
        let roots = Roots::default();
        let disks = crate::reading::names(Path::new("/sys/block"));
        let nodes: Vec<std::path::PathBuf> = disks.iter().filter_map(|disk| controller_node(&roots, disk)).collect();
        if nodes.is_empty() {
            eprintln!("skipped: this machine has no NVMe drive");
        }
        for node in nodes {
            match open(&node) {
                Ok((mut log, _)) => assert!(log.read().unwrap().composite_kelvin > 0),
                Err(error) => eprintln!("skipped: {error}"),
            }
        }
    }
}
