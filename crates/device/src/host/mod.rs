//! The host.

pub(crate) mod cpu_time;
pub mod hwmon;
pub mod interrupts;
pub(crate) mod testbed;
pub(crate) mod timing;
