//! The SMART / health page: temperatures, wear, counters.

use serde::Serialize;

use crate::pages::identify_abilities::flags;
use crate::reading::counter::Counter;
use crate::reading::error::DecodeError;
use crate::reading::fields::{Fields, structure};
use crate::reading::temperature::reported_k;

/// Bytes of one data unit: a thousand sectors of 512 (Base, section 5.16.1.3).
const DATA_UNIT_BYTES: u128 = 512_000;
/// Where the temperature sensors begin, and how many there are.
const SENSORS: usize = 200;
const SENSOR_COUNT: u8 = 8;

flags! {
    /// Critical Warning, byte 0 (Base, section 5.16.1.3).
    CriticalWarning: u8 {
        /// Bit 0: the spare capacity is below its threshold.
        spare = 0;
        /// Bit 1: a temperature is at or beyond a threshold.
        temperature = 1;
        /// Bit 2: the reliability is degraded by media errors or an internal error.
        reliability = 2;
        /// Bit 3: all media is read-only.
        read_only = 3;
        /// Bit 4: the backup of volatile memory has failed.
        volatile_backup = 4;
        /// Bit 5: the persistent memory region is read-only or unreliable.
        persistent_memory = 5;
    }
}

structure! {
    /// SMART / Health Information (LID 02h; Base, section 5.16.1.3, Figure 207; bytes 232 to 243: Base 2.3).
    SmartLog, "SMART log", 512 {
        /// CW, byte 0: critical warnings.
        critical_warning: CriticalWarning = u8(0) => CriticalWarning::of;
        /// CTEMP, bytes 2:1: composite temperature, kelvin.
        composite_temperature_k: u16 = u16(1);
        /// AVSP, byte 3: spare capacity left, per cent.
        spare_percent: u8 = u8(3);
        /// AVSPT, byte 4: the controller warns below this, per cent.
        spare_threshold_percent: u8 = u8(4);
        /// PUSED, byte 5: how much of the expected life is used, per cent; may exceed 100, and stops at 255.
        used_percent: u8 = u8(5);
        /// EGCWS, byte 6: warnings of endurance groups, as bits.
        endurance_group_warnings: u8 = u8(6);
        /// DUR, bytes 47:32: data units (of 512,000 bytes, rounded up) that hosts read.
        data_units_read: Counter = counter(32);
        /// DUW, bytes 63:48: data units that hosts wrote.
        data_units_written: Counter = counter(48);
        /// HRC, bytes 79:64: read commands.
        read_commands: Counter = counter(64);
        /// HWC, bytes 95:80: write commands.
        write_commands: Counter = counter(80);
        /// CBT, bytes 111:96: minutes in which the controller was busy with I/O.
        busy_min: Counter = counter(96);
        /// PWRC, bytes 127:112: power cycles.
        power_cycles: Counter = counter(112);
        /// POH, bytes 143:128: power-on hours; may exclude low-power states.
        power_on_h: Counter = counter(128);
        /// UPL, bytes 159:144: power losses without notice.
        unsafe_shutdowns: Counter = counter(144);
        /// MDIE, bytes 175:160: media and data integrity errors.
        media_errors: Counter = counter(160);
        /// NEILE, bytes 191:176: entries in the error log over the drive's life.
        error_entries: Counter = counter(176);
        /// WCTT, bytes 195:192: minutes at or above the warning temperature.
        warning_temperature_min: u32 = u32(192);
        /// CCTT, bytes 199:196: minutes at or above the critical temperature.
        critical_temperature_min: u32 = u32(196);
        /// TSEN1 to TSEN8, bytes 215:200: the sensors that report.
        sensors: Vec<Sensor> = each(sensors);
        /// TMT1TC, bytes 219:216: how often it throttled lightly (thermal management temperature 1).
        thermal_transitions_1: u32 = u32(216);
        /// TMT2TC, bytes 223:220: how often it throttled heavily (thermal management temperature 2).
        thermal_transitions_2: u32 = u32(220);
        /// TTTMT1, bytes 227:224: seconds of light throttling.
        thermal_1_s: u32 = u32(224);
        /// TTTMT2, bytes 231:228: seconds of heavy throttling.
        thermal_2_s: u32 = u32(228);
        /// OLEC, bytes 239:232: energy used over its life, watt-hours; 0 is not reported (Base 2.3).
        lifetime_energy_wh: u64 = u64(232);
        /// IPM, bytes 243:240: power averaged over the last second, microwatts (Base 2.3).
        interval_power_uw: Option<u64> = scaled_power(240);
    }
}

impl SmartLog {
    /// Bytes that hosts read, from the data units.
    #[must_use]
    pub fn bytes_read(&self) -> Counter {
        self.data_units_read.times(DATA_UNIT_BYTES)
    }

    /// Bytes that hosts wrote, from the data units.
    #[must_use]
    pub fn bytes_written(&self) -> Counter {
        self.data_units_written.times(DATA_UNIT_BYTES)
    }
}

/// A temperature sensor (TSEN; Base, section 5.16.1.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sensor {
    /// Its number, from 1; the vendor does not state where it is.
    pub number: u8,
    /// Its reading, kelvin.
    pub temperature_k: u16,
}

fn sensors(fields: &Fields<'_>) -> Result<Vec<Sensor>, DecodeError> {
    let mut found = Vec::new();
    for number in 1..=SENSOR_COUNT {
        let temperature = reported_k(fields.u16(SENSORS + usize::from(number - 1) * 2)?);
        found.extend(temperature.map(|temperature_k| Sensor { number, temperature_k }));
    }
    Ok(found)
}
