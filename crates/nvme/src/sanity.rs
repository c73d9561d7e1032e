//! What a controller says that cannot be true, as seed 004's author found it by hand: a sensor that stands at 105 °C,
//! readings that jump while the drive idles, a drive that is too hot and does not flag it, counters that do not count.
//!
//! Pure functions from readings to [`Lie`]s. A drive of which nothing is found may still lie; a lie that is found has
//! its evidence beside it, and a person decides. Thresholds are named, each with its reason.

use serde::Serialize;

use crate::identify_controller::IdentifyController;
use crate::smart::SmartLog;
use crate::temperature::celsius;

/// A sensor this far from the composite temperature is not believed: 88 °C beside 62 °C was real (26 K), 105 °C
/// beside 60 °C was stuck (45 K), both in seed 004.
const SENSOR_AWAY_K: u16 = 40;
/// A sensor must stand still over this many readings to be called stuck.
const STUCK_READINGS: usize = 3;
/// While the composite temperature moved by this much, a real sensor moves too.
const COMPOSITE_MOVED_K: u16 = 5;
/// No drive works below -60 °C or above 150 °C.
const COLDEST_K: u16 = 213;
const HOTTEST_K: u16 = 423;
/// Flash and controller weigh grams: their temperature does not change by this much between two readings at most
/// [`QUICK_S`] apart while the drive idles. Seed 004's drive went from 61 °C to 66 °C between two.
const JUMP_K: u16 = 4;
/// Readings further apart than this may differ, seconds.
const QUICK_S: f64 = 5.0;
/// A drive that was on for this long has read and written: its firmware counts its own start too.
const HOURS_OF_USE: u128 = 10;

/// What kind of untruth it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A temperature that no working drive has.
    ImpossibleTemperature,
    /// A sensor far from the composite temperature.
    ImplausibleSensor,
    /// A sensor that stands still while the drive warms or cools.
    StuckSensor,
    /// Readings that jump while the drive idles.
    JumpingTemperature,
    /// Above its own warning temperature, and the warning is not set.
    HotNotFlagged,
    /// Thresholds that contradict each other or cannot be meant.
    OddThreshold,
    /// Counters at zero that cannot be.
    ZeroCounters,
    /// A counter that went back.
    CounterWentBack,
    /// A percentage above 100 where there can be none.
    OddPercentage,
}

/// Something that cannot be true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lie {
    /// Which rule found it.
    pub rule: Rule,
    /// What is wrong, in a sentence, and what it means for results.
    pub what: String,
    /// The readings that show it.
    pub evidence: String,
}

/// A reading of SMART.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// When, seconds from any start.
    pub at_s: f64,
    /// Whether the drive had nothing to do since the reading before.
    pub idle: bool,
    /// What it said.
    pub smart: SmartLog,
}

/// All rules over the readings of one drive, in the order of their times. One reading is enough for most rules.
#[must_use]
pub fn check(controller: Option<&IdentifyController>, readings: &[Reading]) -> Vec<Lie> {
    let mut lies = Vec::new();
    if let Some(last) = readings.last() {
        lies.extend(impossible_temperature(&last.smart));
        lies.extend(zero_counters(&last.smart));
        lies.extend(odd_percentage(&last.smart));
    }
    lies.extend(sensors(readings));
    lies.extend(jumps(readings));
    lies.extend(went_back(readings));
    if let Some(controller) = controller {
        lies.extend(thresholds(controller));
        lies.extend(hot_not_flagged(controller, readings));
    }
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
    Some(lie(Rule::ImpossibleTemperature, what, format!("SMART says {kelvin} K, which is {} °C", celsius(kelvin))))
}

/// Sensors that are far from the composite temperature, or stand still while it moves.
#[must_use]
pub fn sensors(readings: &[Reading]) -> Vec<Lie> {
    let Some(last) = readings.last() else { return Vec::new() };
    last.smart.sensors.iter().filter_map(|sensor| sensor_lie(readings, sensor.number)).collect()
}

fn sensor_lie(readings: &[Reading], number: u8) -> Option<Lie> {
    // Sensor and composite temperature of each reading that has both, kelvin.
    let of = |reading: &Reading| {
        let sensor = reading.smart.sensors.iter().find(|sensor| sensor.number == number)?;
        Some((sensor.temperature_k, reading.smart.composite_temperature_k))
    };
    let pairs: Vec<(u16, u16)> = readings.iter().filter_map(of).collect();
    let (sensor, composite) = *pairs.last()?;
    let still = pairs.iter().all(|(value, _)| *value == sensor);
    let coldest = pairs.iter().map(|(_, composite)| *composite).min()?;
    let hottest = pairs.iter().map(|(_, composite)| *composite).max()?;
    let degrees = celsius(sensor);
    if still && pairs.len() >= STUCK_READINGS && hottest - coldest >= COMPOSITE_MOVED_K {
        let what = format!("sensor {number} is stuck at {degrees} °C, so it says nothing about the drive");
        let evidence = format!(
            "it showed {degrees} °C in all {} readings, while the composite temperature went from {} to {} °C",
            pairs.len(),
            celsius(coldest),
            celsius(hottest)
        );
        return Some(lie(Rule::StuckSensor, what, evidence));
    }
    if sensor.abs_diff(composite) >= SENSOR_AWAY_K {
        let what = format!(
            "sensor {number} shows {degrees} °C, too far from the composite temperature to be true; do not draw it"
        );
        let evidence = format!("the composite temperature is {} °C at the same moment", celsius(composite));
        return Some(lie(Rule::ImplausibleSensor, what, evidence));
    }
    None
}

/// Temperatures that jump between quick readings while the drive idles.
#[must_use]
pub fn jumps(readings: &[Reading]) -> Option<Lie> {
    let quick = |before: &Reading, after: &Reading| after.idle && after.at_s - before.at_s <= QUICK_S;
    let apart = |before: &Reading, after: &Reading| {
        before.smart.composite_temperature_k.abs_diff(after.smart.composite_temperature_k)
    };
    let pairs = readings.iter().zip(readings.iter().skip(1));
    let (before, after) = pairs
        .filter(|(before, after)| quick(before, after) && apart(before, after) >= JUMP_K)
        .max_by_key(|(before, after)| apart(before, after))?;
    let what = "the temperature jumps while the drive idles, so a single reading is no better than that";
    let evidence = format!(
        "from {} to {} °C within {:.1} s",
        celsius(before.smart.composite_temperature_k),
        celsius(after.smart.composite_temperature_k),
        after.at_s - before.at_s
    );
    Some(lie(Rule::JumpingTemperature, what, evidence))
}

/// Counters at zero in a drive that was used.
#[must_use]
pub fn zero_counters(smart: &SmartLog) -> Option<Lie> {
    let hours = smart.power_on_h.get();
    let commands = smart.read_commands.get().saturating_add(smart.write_commands.get());
    let units = smart.data_units_read.get().saturating_add(smart.data_units_written.get());
    let mut zero = Vec::new();
    if hours >= HOURS_OF_USE && commands == 0 {
        zero.push("read and write commands");
    }
    // A unit is a thousand sectors, so that many commands move at least one.
    if units == 0 && (commands >= 1000 || hours >= HOURS_OF_USE) {
        zero.push("data read and written");
    }
    if hours >= HOURS_OF_USE && smart.power_cycles.get() == 0 {
        zero.push("power cycles");
    }
    if zero.is_empty() {
        return None;
    }
    let what = format!("the drive does not count {}, so its life cannot be read from SMART", zero.join(", "));
    let evidence = format!("all of that is 0 after {hours} hours of power and {commands} commands");
    Some(lie(Rule::ZeroCounters, what, evidence))
}

/// Counters of a life that went back between two readings.
#[must_use]
pub fn went_back(readings: &[Reading]) -> Vec<Lie> {
    let (Some(first), Some(last)) = (readings.first(), readings.last()) else { return Vec::new() };
    let counters = |smart: &SmartLog| {
        [
            ("data units read", smart.data_units_read),
            ("data units written", smart.data_units_written),
            ("power cycles", smart.power_cycles),
            ("hours of power", smart.power_on_h),
            ("unsafe shutdowns", smart.unsafe_shutdowns),
            ("media errors", smart.media_errors),
        ]
    };
    let pairs = counters(&first.smart).into_iter().zip(counters(&last.smart));
    let back = pairs.filter(|((_, before), (_, after))| after < before);
    back.map(|((name, before), (_, after))| {
        let what = format!("the counter of {name} went back, which a counter of a drive's life never does");
        lie(Rule::CounterWentBack, what, format!("from {before} to {after}"))
    })
    .collect()
}

/// Thresholds that contradict each other.
#[must_use]
pub fn thresholds(controller: &IdentifyController) -> Option<Lie> {
    let (warning, critical) = (controller.warning_temperature_k, controller.critical_temperature_k);
    let what = match (warning, critical) {
        (None, Some(_)) => "the drive has a critical temperature but no warning temperature, so it never warns",
        (Some(warning), Some(critical)) if warning > critical => "the drive warns only above its critical temperature",
        (Some(kelvin), _) if !(COLDEST_K..=HOTTEST_K).contains(&kelvin) => {
            "a temperature threshold is one that no drive can reach"
        }
        _ => return None,
    };
    let shown = |kelvin: Option<u16>| kelvin.map_or("0 K".to_owned(), |kelvin| format!("{} °C", celsius(kelvin)));
    let evidence = format!("Identify Controller: WCTEMP {}, CCTEMP {}", shown(warning), shown(critical));
    Some(lie(Rule::OddThreshold, what, evidence))
}

/// Above its own warning temperature, without the warning.
#[must_use]
pub fn hot_not_flagged(controller: &IdentifyController, readings: &[Reading]) -> Option<Lie> {
    let warning = controller.warning_temperature_k.filter(|kelvin| (COLDEST_K..=HOTTEST_K).contains(kelvin))?;
    let silent = |reading: &&Reading| {
        let smart = &reading.smart;
        smart.composite_temperature_k > warning
            && smart.composite_temperature_k <= HOTTEST_K
            && !smart.critical_warning.temperature
    };
    let reading = readings.iter().find(silent)?;
    let what =
        "the drive is hotter than its own warning temperature and does not say so, so its warning minutes mean little";
    let evidence = format!(
        "{} °C, warning temperature {} °C, critical warning bit 1 is clear",
        celsius(reading.smart.composite_temperature_k),
        celsius(warning)
    );
    Some(lie(Rule::HotNotFlagged, what, evidence))
}

/// Spare capacity of more than all.
#[must_use]
pub fn odd_percentage(smart: &SmartLog) -> Option<Lie> {
    let (spare, threshold) = (smart.spare_percent, smart.spare_threshold_percent);
    if spare <= 100 && threshold <= 100 {
        return None;
    }
    let what = "the drive reports more than 100 % of spare capacity, so its spare capacity cannot be trusted";
    Some(lie(Rule::OddPercentage, what, format!("spare {spare} %, threshold {threshold} %")))
}
