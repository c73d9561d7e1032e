//! Samplers on the run's clock: temperatures, power, CPU, interrupts, disk counters, link, memory pressure.
//!
//! Owns: what can be sampled during the I/O and how ([`discover()`]), who reads it and when ([`Sampler`]), and the
//! cost of reading ([`cost()`]). A source that cannot be read is reported and left out; a failed reading is a gap,
//! never a guess. Must not know: steps, plans, thresholds of findings, drivelab's own files. Facts come from sysfs,
//! procfs and the user's own meters (docs/telemetry.md).
#![forbid(unsafe_code)]

mod adapter;
mod cost;
mod cpu;
mod discover;
mod disk;
mod host;
mod hwmon;
mod media;
mod path;
mod pcie;
mod power_log;
mod rapl;
mod reading;
mod sampler;
mod smart;
mod text;

pub use adapter::{Adapter, AdapterError, AdapterValue};
pub use cost::{cost, thread_cpu_ns};
pub use discover::{Found, Rates, Wanted, discover};
pub use host::suspended_s;
pub use sampler::{Sampler, SamplerOptions};
pub use smart::{SmartReader, SmartReading, SmartSource};
