//! Power state descriptors: the power of a state, and the time to enter and leave it.

use serde::Serialize;

use crate::reading::error::DecodeError;
use crate::reading::fields::{Fields, bit, power_uw, structure};

/// Bytes of one descriptor.
pub(crate) const DESCRIPTOR: usize = 32;

/// The workload that the active power refers to (APW; Base, section 8.15.3, workloads 1 and 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActivePowerWorkload {
    /// Not reported.
    NotReported,
    /// Workload 1: long idle time with a burst of random writes of 1 MiB.
    Workload1,
    /// Workload 2: heavy sequential writes of 128 KiB.
    Workload2,
    /// A value that the specification reserves.
    Reserved(u8),
}

structure! {
    /// A power state (Base, section 5.17.2.1, Power State Descriptor).
    PowerState, "power state descriptor", 32 {
        /// MP, bytes 1:0, by MXPS (byte 3 bit 0): the most power the state draws, averaged over 10 s, microwatts.
        /// None if not reported.
        max_power_uw: Option<u64> = each(max_power);
        /// NOPS, byte 3 bit 1: whether the state takes no I/O.
        non_operational: bool = u8(3) => |flags: u8| bit(flags, 1);
        /// ENLAT, bytes 7:4: longest time to enter it, microseconds.
        entry_latency_us: u32 = u32(4);
        /// EXLAT, bytes 11:8: longest time to leave it, microseconds.
        exit_latency_us: u32 = u32(8);
        /// RRT, byte 12 bits 4:0: read throughput relative to other states, 0 is best.
        relative_read_throughput: u8 = u8(12) => low5;
        /// RRL, byte 13 bits 4:0: read latency relative to other states, 0 is best.
        relative_read_latency: u8 = u8(13) => low5;
        /// RWT, byte 14 bits 4:0: write throughput relative to other states, 0 is best.
        relative_write_throughput: u8 = u8(14) => low5;
        /// RWL, byte 15 bits 4:0: write latency relative to other states, 0 is best.
        relative_write_latency: u8 = u8(15) => low5;
        /// IDLP, bytes 17:16, by IPS (byte 18 bits 7:6): typical power over 30 s of idle time, microwatts.
        idle_power_uw: Option<u64> = each(idle_power);
        /// ACTP, bytes 21:20, by APS (byte 22 bits 7:6): largest average power over 10 s of the workload, microwatts.
        active_power_uw: Option<u64> = each(active_power);
        /// APW, byte 22 bits 2:0: the workload of the active power.
        active_power_workload: ActivePowerWorkload = u8(22) => active_workload;
    }
}

fn low5(byte: u8) -> u8 {
    byte & 0x1F
}

fn max_power(fields: &Fields<'_>) -> Result<Option<u64>, DecodeError> {
    // MXPS: 0 is 10 mW, 1 is 0.1 mW; a power of 0 means not reported.
    let scale = if bit(fields.u8(3)?, 0) { 1 } else { 2 };
    Ok(power_uw(u32::from(fields.u16(0)?), scale).filter(|power| *power != 0))
}

fn idle_power(fields: &Fields<'_>) -> Result<Option<u64>, DecodeError> {
    Ok(power_uw(u32::from(fields.u16(16)?), u32::from(fields.u8(18)? >> 6)))
}

fn active_power(fields: &Fields<'_>) -> Result<Option<u64>, DecodeError> {
    Ok(power_uw(u32::from(fields.u16(20)?), u32::from(fields.u8(22)? >> 6)))
}

fn active_workload(byte: u8) -> ActivePowerWorkload {
    match byte & 0b111 {
        0 => ActivePowerWorkload::NotReported,
        1 => ActivePowerWorkload::Workload1,
        2 => ActivePowerWorkload::Workload2,
        other => ActivePowerWorkload::Reserved(other),
    }
}
