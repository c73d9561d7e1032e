//! Values in one reading of a controller that cannot be true, such as those that seed 004's author found by hand: a
//! sensor at 105 °C beside 60 °C, a drive that is too hot and does not flag it, counters that do not count.
//!
//! Pure functions from a reading to [`Lie`]s. A drive without findings may still report wrong values; each finding
//! comes with its evidence, and a person decides. Thresholds are named, each with its reason. `drivelab-analysis`
//! (`conduct/lies.rs`) finds what only several readings show (a stuck sensor, idle temperatures that jump, counters
//! that went back), in the series of a run.

use serde::Serialize;

use crate::pages::identify_controller::IdentifyController;
use crate::pages::smart::{Sensor, SmartLog};
use crate::reading::temperature::celsius;

/// A sensor this far from the composite temperature is not trusted: 88 °C beside 62 °C was real (26 K), 105 °C beside
/// 60 °C was stuck (45 K), both in seed 004.
const SENSOR_AWAY_K: u16 = 40;
/// No drive works below -60 °C or above 150 °C.
const COLDEST_K: u16 = 213;
const HOTTEST_K: u16 = 423;
/// A drive that was on for this long has read and written: its firmware also counts its own start.
const HOURS_OF_USE: u128 = 10;

/// The kind of value that cannot be true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A temperature that no working drive has.
    ImpossibleTemperature,
    /// A sensor far from the composite temperature.
    ImplausibleSensor,
    /// Above its own warning temperature, without the warning bit.
    HotNotFlagged,
    /// Thresholds that contradict each other or are impossible.
    OddThreshold,
    /// Counters at zero that must have counted.
    ZeroCounters,
    /// A percentage above 100 that cannot exceed 100.
    OddPercentage,
}

/// A value that cannot be true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lie {
    /// The rule that found it.
    pub rule: Rule,
    /// What is wrong, in a sentence, and what it means for results.
    pub what: String,
    /// The figures that show it.
    pub evidence: String,
}

/// Applies all rules to one reading of a drive and its limits, as far as they are available.
#[must_use]
pub fn check(controller: Option<&IdentifyController>, smart: Option<&SmartLog>) -> Vec<Lie> {
    let mut lies = Vec::new();
    if let Some(smart) = smart {
        lies.extend(impossible_temperature(smart));
        lies.extend(zero_counters(smart));
        lies.extend(odd_percentage(smart));
        lies.extend(sensors(smart));
    }
    lies.extend(controller.and_then(thresholds));
    lies.extend(controller.zip(smart).and_then(|(controller, smart)| hot_not_flagged(controller, smart)));
    lies
}

fn lie(rule: Rule, what: impl Into<String>, evidence: impl Into<String>) -> Lie {
    Lie { rule, what: what.into(), evidence: evidence.into() }
}

/// A composite temperature that no working drive has.
#[must_use]
pub fn impossible_temperature(smart: &SmartLog) -> Option<Lie> {
    let kelvin = smart.composite_temperature_k;
    if (COLDEST_K..=HOTTEST_K).contains(&kelvin) {
        return None;
    }
    let what = "the composite temperature is impossible, so no temperature of this drive can be trusted";
    Some(lie(Rule::ImpossibleTemperature, what, format!("SMART reports {kelvin} K, which is {} °C", celsius(kelvin))))
}

/// Sensors that are far from the composite temperature.
#[must_use]
pub fn sensors(smart: &SmartLog) -> Vec<Lie> {
    let composite = smart.composite_temperature_k;
    let far = smart.sensors.iter().filter(|sensor| sensor.temperature_k.abs_diff(composite) >= SENSOR_AWAY_K);
    far.map(|Sensor { number, temperature_k }| {
        let degrees = celsius(*temperature_k);
        let what = format!(
            "sensor {number} shows {degrees} °C, too far from the composite temperature to be true; do not plot it"
        );
        let evidence = format!("the composite temperature is {} °C at the same moment", celsius(composite));
        lie(Rule::ImplausibleSensor, what, evidence)
    })
    .collect()
}

/// Counters at zero in a drive that has been used.
#[must_use]
pub fn zero_counters(smart: &SmartLog) -> Option<Lie> {
    let hours = smart.power_on_h.get();
    let commands = smart.read_commands.get().saturating_add(smart.write_commands.get());
    let units = smart.data_units_read.get().saturating_add(smart.data_units_written.get());
    let mut zero = Vec::new();
    if hours >= HOURS_OF_USE && commands == 0 {
        zero.push("read and write commands");
    }
    // A unit is a thousand sectors, so this many commands move at least one.
    if units == 0 && (commands >= 1000 || hours >= HOURS_OF_USE) {
        zero.push("data read and written");
    }
    if hours >= HOURS_OF_USE && smart.power_cycles.get() == 0 {
        zero.push("power cycles");
    }
    if zero.is_empty() {
        return None;
    }
    let what = format!("the drive does not count {}, so SMART does not show its past use", zero.join(", "));
    let evidence = format!("all of these are 0 after {hours} power-on hours and {commands} commands");
    Some(lie(Rule::ZeroCounters, what, evidence))
}

/// Thresholds that contradict each other.
#[must_use]
pub fn thresholds(controller: &IdentifyController) -> Option<Lie> {
    let (warning, critical) = (controller.warning_temperature_k, controller.critical_temperature_k);
    let what = match (warning, critical) {
        (None, Some(_)) => "the drive has a critical temperature but no warning temperature, so it never warns",
        (Some(warning), Some(critical)) if warning > critical => "the drive warns only above its critical temperature",
        (Some(kelvin), _) if !(COLDEST_K..=HOTTEST_K).contains(&kelvin) => {
            "a temperature threshold is set where no drive can reach it"
        }
        _ => return None,
    };
    let shown = |kelvin: Option<u16>| kelvin.map_or("0 K".to_owned(), |kelvin| format!("{} °C", celsius(kelvin)));
    let evidence = format!("Identify Controller: WCTEMP {}, CCTEMP {}", shown(warning), shown(critical));
    Some(lie(Rule::OddThreshold, what, evidence))
}

/// Above its own warning temperature, without the warning.
#[must_use]
pub fn hot_not_flagged(controller: &IdentifyController, smart: &SmartLog) -> Option<Lie> {
    let warning = controller.warning_temperature_k.filter(|kelvin| (COLDEST_K..=HOTTEST_K).contains(kelvin))?;
    let composite = smart.composite_temperature_k;
    if composite <= warning || composite > HOTTEST_K || smart.critical_warning.temperature {
        return None;
    }
    let what = "the drive is hotter than its own warning temperature and does not flag it, so its warning minutes are unreliable";
    let evidence = format!(
        "{} °C, warning temperature {} °C, critical warning bit 1 is clear",
        celsius(composite),
        celsius(warning)
    );
    Some(lie(Rule::HotNotFlagged, what, evidence))
}

/// More than 100 % of spare capacity.
#[must_use]
pub fn odd_percentage(smart: &SmartLog) -> Option<Lie> {
    let (spare, threshold) = (smart.spare_percent, smart.spare_threshold_percent);
    if spare <= 100 && threshold <= 100 {
        return None;
    }
    let what = "the drive reports more than 100 % of spare capacity, so its spare capacity cannot be trusted";
    Some(lie(Rule::OddPercentage, what, format!("spare {spare} %, threshold {threshold} %")))
}
