//! The flags that state what is watched during the I/O; every command that measures has them.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use drivelab_lab::{Telemetry, TelemetryChoice};

/// A temperature in °C, also written `70C` or `70 °C`.
///
/// # Errors
/// The text is not a number, or no drive can have this temperature.
pub(super) fn celsius(text: &str) -> Result<f64, String> {
    let digits = text.trim().trim_end_matches(['C', 'c']).trim_end().trim_end_matches('°').trim_end();
    let celsius = digits.parse::<f64>().ok().filter(|celsius| (0.0..=150.0).contains(celsius));
    celsius.ok_or_else(|| format!("'{text}' is not a temperature between 0 and 150 °C"))
}

/// What is watched beside the I/O.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Telemetry")]
pub struct TelemetryArgs {
    /// How often to read temperature, power and CPU load: default (each at its own rate), off, or an interval in
    /// seconds.
    #[arg(long, value_name = "SECONDS")]
    pub telemetry: Option<TelemetryChoice>,
    /// Read them in idle and latency-critical steps too. This can keep the drive awake or delay operations.
    #[arg(long)]
    pub telemetry_always: bool,
    /// Let an NVMe drive measure its own power if it can (feature 25h). The measurement is stopped at the end.
    #[arg(long)]
    pub power_log: bool,
    /// A command that prints lines of seconds and watts from a power meter (docs/telemetry.md).
    #[arg(long, value_name = "COMMAND", conflicts_with = "power_file", value_hint = ValueHint::CommandString)]
    pub power_command: Option<String>,
    /// A file, pipe or serial line with lines of seconds and watts from a power meter.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub power_file: Option<PathBuf>,
    /// A file, pipe or serial line with lines of seconds and °C from a thermometer.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub temperature_file: Option<PathBuf>,
    /// Stop the run if the drive is hotter than this, in °C. It can be resumed, unless conditions were set up [default:
    /// 2 below its critical limit].
    #[arg(long, value_name = "CELSIUS", value_parser = celsius)]
    pub abort_above_c: Option<f64>,
}

impl TelemetryArgs {
    /// The choice that these flags make.
    #[must_use]
    pub fn asked(&self) -> Telemetry {
        Telemetry {
            choice: self.telemetry,
            always: self.telemetry_always,
            power_log: self.power_log,
            power_command: self.power_command.clone(),
            power_file: self.power_file.clone(),
            temperature_file: self.temperature_file.clone(),
            abort_above_c: self.abort_above_c,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperatures_are_numbers_with_or_without_their_unit() {
        assert_eq!((celsius("70"), celsius("70.5 °C"), celsius("70C")), (Ok(70.0), Ok(70.5), Ok(70.0)));
        assert!(celsius("hot").is_err() && celsius("500").is_err() && celsius("-3").is_err());
    }
}
