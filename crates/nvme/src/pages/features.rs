//! Features: the answers of Get Features in dword 0, and the two features that answer with data.

use serde::Serialize;

use crate::reading::error::DecodeError;
use crate::reading::fields::{Fields, bit, structure};
use crate::reading::temperature::reported_k;

/// Feature identifiers (FID; Base, section 5.27.1; 1Dh: Base 2.1; 25h: Base 2.3).
pub mod feature {
    /// Power Management.
    pub const POWER_MANAGEMENT: u8 = 0x02;
    /// Temperature Threshold.
    pub const TEMPERATURE_THRESHOLD: u8 = 0x04;
    /// Volatile Write Cache.
    pub const VOLATILE_WRITE_CACHE: u8 = 0x06;
    /// Number of Queues.
    pub const NUMBER_OF_QUEUES: u8 = 0x07;
    /// Interrupt Coalescing.
    pub const INTERRUPT_COALESCING: u8 = 0x08;
    /// Autonomous Power State Transition.
    pub const AUTONOMOUS_TRANSITION: u8 = 0x0C;
    /// Host Memory Buffer.
    pub const HOST_MEMORY_BUFFER: u8 = 0x0D;
    /// Host Controlled Thermal Management.
    pub const HOST_THERMAL_MANAGEMENT: u8 = 0x10;
    /// Flexible Data Placement.
    pub const FLEXIBLE_DATA_PLACEMENT: u8 = 0x1D;
    /// Power Measurement.
    pub const POWER_MEASUREMENT: u8 = 0x25;
}

/// The two halves of a dword, the low one first.
fn halves(dword: u32) -> (u16, u16) {
    let [a, b, c, d] = dword.to_le_bytes();
    (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]))
}

/// Power Management (FID 02h).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PowerManagement {
    /// PS, bits 4:0: the power state.
    pub state: u8,
    /// WH, bits 7:5: the workload hint; 0 is none.
    pub workload_hint: u8,
}

impl PowerManagement {
    /// From dword 0.
    #[must_use]
    pub fn of(dword: u32) -> Self {
        let [byte, ..] = dword.to_le_bytes();
        PowerManagement { state: byte & 0x1F, workload_hint: byte >> 5 }
    }

    /// Command dword 11 that sets it.
    #[must_use]
    pub fn bits(self) -> u32 {
        u32::from(self.state & 0x1F) | u32::from(self.workload_hint & 0b111) << 5
    }
}

/// Temperature Threshold (FID 04h).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TemperatureThreshold {
    /// TMPTH, bits 15:0: kelvin. None if 0.
    pub threshold_k: Option<u16>,
}

impl TemperatureThreshold {
    /// From dword 0.
    #[must_use]
    pub fn of(dword: u32) -> Self {
        TemperatureThreshold { threshold_k: reported_k(halves(dword).0) }
    }

    /// Command dword 11 that asks for the threshold of `sensor` (0 is the composite temperature; TMPSEL, bits 19:16),
    /// the lower one if `under` (THSEL, bits 21:20).
    #[must_use]
    pub fn argument(sensor: u8, under: bool) -> u32 {
        u32::from(sensor & 0xF) << 16 | u32::from(under) << 20
    }
}

/// Number of Queues (FID 07h); zero-based in the dword, counted here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct QueueCount {
    /// NSQA, bits 15:0: submission queues granted, the admin queue not counted.
    pub submission: u32,
    /// NCQA, bits 31:16: completion queues granted, the admin queue not counted.
    pub completion: u32,
}

impl QueueCount {
    /// From dword 0.
    #[must_use]
    pub fn of(dword: u32) -> Self {
        let (submission, completion) = halves(dword);
        QueueCount { submission: u32::from(submission) + 1, completion: u32::from(completion) + 1 }
    }
}

/// Interrupt Coalescing (FID 08h).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct InterruptCoalescing {
    /// THR, bits 7:0: completions before an interrupt; zero-based in the dword, counted here.
    pub entries: u16,
    /// TIME, bits 15:8: longest delay, microseconds (the dword counts 100 us); 0 is none.
    pub delay_us: u32,
    /// Whether it delays interrupts: neither field is 0.
    pub in_use: bool,
}

impl InterruptCoalescing {
    /// From dword 0.
    #[must_use]
    pub fn of(dword: u32) -> Self {
        let [threshold, time, ..] = dword.to_le_bytes();
        InterruptCoalescing {
            entries: u16::from(threshold) + 1,
            delay_us: u32::from(time) * 100,
            in_use: threshold != 0 && time != 0,
        }
    }
}

/// A state's own transition (an entry of FID 0Ch's data).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct AutonomousTransition {
    /// The state that it leaves.
    pub from: u8,
    /// ITPS, bits 7:3: the state that it goes to.
    pub to: u8,
    /// ITPT, bits 31:8: after this idle time, milliseconds.
    pub idle_ms: u32,
}

/// Autonomous Power State Transition (FID 0Ch): APSTE is bit 0 of dword 0, the table is data of 256 bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AutonomousTransitions {
    /// The configured transitions.
    pub transitions: Vec<AutonomousTransition>,
}

impl AutonomousTransitions {
    /// Size of the structure, bytes.
    pub const SIZE: usize = 256;

    /// Decodes the table from bytes: 32 entries of 8 bytes; an idle time of 0 means no transition.
    ///
    /// # Errors
    /// Too few bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let fields = Fields::of("autonomous power state transitions", bytes, Self::SIZE)?;
        let mut transitions = Vec::new();
        for from in 0..32_u8 {
            let word = fields.u32(usize::from(from) * 8)?;
            let (to, idle_ms) = (word.to_le_bytes()[0] >> 3, word >> 8);
            if idle_ms != 0 {
                transitions.push(AutonomousTransition { from, to, idle_ms });
            }
        }
        Ok(AutonomousTransitions { transitions })
    }
}

structure! {
    /// Host Memory Buffer (FID 0Dh): EHM is bit 0 of dword 0, the attributes are data of 4,096 bytes.
    HostMemoryBuffer, "host memory buffer attributes", 16 {
        /// HSIZE, bytes 3:0: size, in the controller's memory pages.
        pages: u32 = u32(0);
        /// HMDLEC, bytes 15:12: number of parts.
        parts: u32 = u32(12);
    }
}

/// Host Controlled Thermal Management (FID 10h).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct HostThermalManagement {
    /// TMT1, bits 31:16: light throttling begins here, kelvin. None if the host has not set it.
    pub light_k: Option<u16>,
    /// TMT2, bits 15:0: heavy throttling begins here, kelvin.
    pub heavy_k: Option<u16>,
}

impl HostThermalManagement {
    /// From dword 0.
    #[must_use]
    pub fn of(dword: u32) -> Self {
        let (heavy, light) = halves(dword);
        HostThermalManagement { light_k: reported_k(light), heavy_k: reported_k(heavy) }
    }
}

/// Flexible Data Placement (FID 1Dh).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FdpMode {
    /// FDPE, bit 0: it is on in this endurance group.
    pub enabled: bool,
    /// FDPCIDX, bits 15:8: the configuration in use.
    pub configuration: u8,
}

impl FdpMode {
    /// From dword 0.
    #[must_use]
    pub fn of(dword: u32) -> Self {
        FdpMode { enabled: bit(dword, 0), configuration: dword.to_le_bytes()[1] }
    }
}

/// Power Measurement (FID 25h).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PowerMeasurementSetting {
    /// ACT, bits 3:0: 1 starts a measurement, 0 stops it.
    pub action: u8,
    /// PMTS, bits 7:4: the kind of measurement.
    pub kind: u8,
    /// SMT, bits 31:16: when it stops, minutes; 0 is never.
    pub stop_after_min: u16,
}

impl PowerMeasurementSetting {
    /// From dword 0.
    #[must_use]
    pub fn of(dword: u32) -> Self {
        let [byte, ..] = dword.to_le_bytes();
        PowerMeasurementSetting { action: byte & 0xF, kind: byte >> 4, stop_after_min: halves(dword).1 }
    }

    /// Command dword 11 that sets it.
    #[must_use]
    pub fn bits(self) -> u32 {
        u32::from(self.action & 0xF) | u32::from(self.kind & 0xF) << 4 | u32::from(self.stop_after_min) << 16
    }
}
