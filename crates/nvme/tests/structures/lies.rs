//! Sanity rules for one reading, tested with what seed 004's author found by hand and with drives that report
//! correctly. The rules for several readings are in `drivelab-analysis` (`conduct/lies/tests.rs`).

use drivelab_nvme::sanity::{Rule, check};
use drivelab_nvme::{IdentifyController, SmartLog};

use crate::pages::{self, Bytes};

/// SMART with a composite temperature and one sensor, degrees Celsius (0 K if there is none).
fn smart(composite_c: i32, sensor_c: Option<i32>) -> SmartLog {
    let kelvin = |degrees: i32| u16::try_from(degrees + 273).expect("a temperature");
    let page = Bytes(pages::smart()).u16(1, kelvin(composite_c)).u16(200, sensor_c.map_or(0, kelvin)).u16(202, 0);
    SmartLog::decode(&page.0).expect("a page")
}

fn rules(controller: Option<&IdentifyController>, smart: &SmartLog) -> Vec<Rule> {
    check(controller, Some(smart)).into_iter().map(|lie| lie.rule).collect()
}

fn controller() -> IdentifyController {
    IdentifyController::decode(&pages::identify_controller()).expect("a page")
}

#[test]
fn a_truthful_drive_is_left_in_peace() {
    // The 960 EVO under load: 62 °C, and a second sensor at 88 °C.
    let evo = SmartLog::decode(&pages::smart()).unwrap();
    assert_eq!(rules(Some(&controller()), &evo), []);
    for (composite, sensor) in [(40, 45), (42, 48), (45, 52), (48, 55)] {
        assert_eq!(rules(Some(&controller()), &smart(composite, Some(sensor))), []);
    }
    assert_eq!(check(None, None), []);
}

#[test]
fn a_sensor_at_105_degrees_while_idle_is_found_in_one_reading() {
    let lies = check(None, Some(&smart(60, Some(105))));
    assert_eq!(lies.len(), 1);
    assert_eq!(lies[0].rule, Rule::ImplausibleSensor);
    assert!(lies[0].what.contains("105 °C") && lies[0].evidence.contains("60 °C"), "{lies:?}");
}

#[test]
fn a_drive_above_its_warning_temperature_must_say_so() {
    // WCTEMP of the page is 350 K, 77 °C; seed 004's OCZ drive was at 81 °C and did not flag it.
    assert_eq!(rules(Some(&controller()), &smart(81, None)), [Rule::HotNotFlagged]);
    assert_eq!(rules(Some(&controller()), &smart(77, None)), [], "at the threshold is not above it");
    let page = Bytes(pages::smart()).u16(1, 81 + 273).put(0, &[0b10]).0;
    let flagged = SmartLog::decode(&page).unwrap();
    assert_eq!(rules(Some(&controller()), &flagged), []);
}

#[test]
fn temperatures_that_no_drive_has_are_found() {
    let at = |kelvin: u16| {
        let smart = SmartLog::decode(&Bytes(pages::smart()).u16(1, kelvin).u16(200, 0).u16(202, 0).0).unwrap();
        rules(None, &smart)
    };
    assert_eq!(at(0), [Rule::ImpossibleTemperature]);
    assert_eq!(at(u16::MAX), [Rule::ImpossibleTemperature]);
    assert_eq!(at(424), [Rule::ImpossibleTemperature]);
    assert_eq!(at(423), []);
    assert_eq!(at(273), []);
}

#[test]
fn counters_that_do_not_count_are_found() {
    let with = |page: Bytes| {
        let smart = SmartLog::decode(&page.0).unwrap();
        check(None, Some(&smart))
    };
    let zero = with(Bytes(pages::smart()).u128(64, 0).u128(80, 0).u128(32, 0).u128(48, 0));
    assert_eq!(zero[0].rule, Rule::ZeroCounters);
    assert!(zero[0].what.contains("read and write commands, data read and written"), "{zero:?}");
    assert!(zero[0].evidence.contains("340 power-on hours"), "{zero:?}");
    let cycles = with(Bytes(pages::smart()).u128(112, 0));
    assert!(cycles[0].what.contains("power cycles"), "{cycles:?}");
    let fresh = Bytes(pages::smart()).u128(64, 0).u128(80, 0).u128(32, 0).u128(48, 0).u128(128, 0).u128(112, 0);
    assert_eq!(with(fresh), [], "a new drive has counted nothing yet");
}

#[test]
fn thresholds_that_contradict_each_other_are_found() {
    let with = |warning: u16, critical: u16| {
        let page = Bytes(pages::identify_controller()).u16(266, warning).u16(268, critical).0;
        let controller = IdentifyController::decode(&page).unwrap();
        check(Some(&controller), None).into_iter().map(|lie| lie.rule).collect::<Vec<Rule>>()
    };
    assert_eq!(with(0, 352), [Rule::OddThreshold], "a warning threshold of 0");
    assert_eq!(with(353, 352), [Rule::OddThreshold]);
    assert_eq!(with(1000, 1001), [Rule::OddThreshold]);
    assert_eq!(with(0, 0), [], "not reported, which a drive may do");
    assert_eq!(with(350, 352), []);
}

#[test]
fn more_than_all_of_the_spare_capacity_is_found() {
    let smart = SmartLog::decode(&Bytes(pages::smart()).put(3, &[255]).0).unwrap();
    assert_eq!(rules(None, &smart), [Rule::OddPercentage]);
}
