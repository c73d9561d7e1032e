//! Telemetry: what is watched during the I/O.

use std::path::PathBuf;
use std::str::FromStr;

use drivelab_core::units::Nanos;

/// Telemetry that an order asks for; settings decide whatever is left open.
#[derive(Debug, Clone, Default)]
pub struct Telemetry {
    /// What is sampled, if the user chose it.
    pub choice: Option<TelemetryChoice>,
    /// Sample in idle and latency-critical steps too.
    pub always: bool,
    /// Let the NVMe drive measure its own power.
    pub power_log: bool,
    /// A command that prints seconds and watts.
    pub power_command: Option<String>,
    /// A file with lines of seconds and watts.
    pub power_file: Option<PathBuf>,
    /// A file with lines of seconds and °C.
    pub temperature_file: Option<PathBuf>,
    /// Temperature in °C above which the run ends.
    pub abort_above_c: Option<f64>,
}

/// What is sampled during the I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TelemetryChoice {
    /// Every source at its own rate.
    #[default]
    Default,
    /// Nothing.
    Off,
    /// Every source at this interval.
    Every(Nanos),
}

/// Shortest interval: more frequent readings would disturb what they measure.
const SHORTEST: Nanos = Nanos::from_millis(50);

impl FromStr for TelemetryChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let every = match text {
            "default" => return Ok(TelemetryChoice::Default),
            "off" => return Ok(TelemetryChoice::Off),
            text if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => {
                format!("{text} s").parse::<Nanos>()
            }
            text => text.parse::<Nanos>(),
        };
        match every {
            Ok(every) if every >= SHORTEST && every <= Nanos::from_secs(3600) => Ok(TelemetryChoice::Every(every)),
            Ok(_) => Err(format!("'{text}' is not between {SHORTEST} and 1 h")),
            Err(_) => Err(format!("'{text}' is not off, default, or a time between readings such as 0.5 (seconds)")),
        }
    }
}

impl std::fmt::Display for TelemetryChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TelemetryChoice::Default => f.write_str("default"),
            TelemetryChoice::Off => f.write_str("off"),
            TelemetryChoice::Every(every) => write!(f, "{every}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_seconds_or_times_within_reason() {
        let every = |milliseconds| Ok(TelemetryChoice::Every(Nanos::from_millis(milliseconds)));
        assert_eq!("0.5".parse(), every(500));
        assert_eq!("2".parse(), every(2000));
        assert_eq!("250ms".parse(), every(250));
        assert_eq!("off".parse(), Ok(TelemetryChoice::Off));
        for wrong in ["", "never", "0", "0.001", "2h", "."] {
            assert!(wrong.parse::<TelemetryChoice>().is_err(), "{wrong}");
        }
    }
}
