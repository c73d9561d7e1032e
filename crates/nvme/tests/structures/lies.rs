//! Sanity rules against what seed 004's author found by hand, and against drives that tell the truth.

use drivelab_nvme::sanity::{Reading, Rule, check};
use drivelab_nvme::{IdentifyController, SmartLog};

use crate::pages::{self, Bytes};

/// SMART with a composite temperature and one sensor, degrees Celsius (0 K where there is none).
fn smart(composite_c: i32, sensor_c: Option<i32>) -> SmartLog {
    let kelvin = |degrees: i32| u16::try_from(degrees + 273).expect("a temperature");
    let page = Bytes(pages::smart()).u16(1, kelvin(composite_c)).u16(200, sensor_c.map_or(0, kelvin)).u16(202, 0);
    SmartLog::decode(&page.0).expect("a page")
}

fn readings(of: &[(f64, i32, Option<i32>)]) -> Vec<Reading> {
    let reading = |(at_s, composite, sensor): &(f64, i32, Option<i32>)| Reading {
        at_s: *at_s,
        idle: true,
        smart: smart(*composite, *sensor),
    };
    of.iter().map(reading).collect()
}

fn rules(controller: Option<&IdentifyController>, readings: &[Reading]) -> Vec<Rule> {
    check(controller, readings).into_iter().map(|lie| lie.rule).collect()
}

fn controller() -> IdentifyController {
    IdentifyController::decode(&pages::identify_controller()).expect("a page")
}

#[test]
fn a_truthful_drive_is_left_in_peace() {
    // The 960 EVO under load: 62 °C, and a second sensor at 88 °C.
    let evo = Reading { at_s: 0.0, idle: false, smart: SmartLog::decode(&pages::smart()).unwrap() };
    assert_eq!(rules(Some(&controller()), &[evo]), []);
    let warming = readings(&[(0.0, 40, Some(45)), (1.0, 42, Some(48)), (2.0, 45, Some(52)), (3.0, 48, Some(55))]);
    assert_eq!(rules(Some(&controller()), &warming), []);
    assert_eq!(rules(None, &[]), []);
}

#[test]
fn a_sensor_at_105_degrees_while_idle_is_found_in_one_reading() {
    let lies = check(None, &readings(&[(0.0, 60, Some(105))]));
    assert_eq!(lies.len(), 1);
    assert_eq!(lies[0].rule, Rule::ImplausibleSensor);
    assert!(lies[0].what.contains("105 °C") && lies[0].evidence.contains("60 °C"), "{lies:?}");
}

#[test]
fn a_sensor_that_stands_still_while_the_drive_warms_is_stuck() {
    let lies = check(None, &readings(&[(0.0, 60, Some(80)), (10.0, 66, Some(80)), (20.0, 72, Some(80))]));
    assert_eq!(lies.iter().map(|lie| lie.rule).collect::<Vec<_>>(), [Rule::StuckSensor]);
    assert!(lies[0].evidence.contains("all 3 readings") && lies[0].evidence.contains("60 to 72 °C"), "{lies:?}");
    let same = readings(&[(0.0, 60, Some(80)), (10.0, 60, Some(80)), (20.0, 61, Some(80))]);
    assert_eq!(rules(None, &same), [], "a drive whose temperature does not change has sensors that do not either");
}

#[test]
fn readings_that_jump_while_idle_are_found() {
    // Seven quick queries in a row (seed 004): 60 60 61 66 64 63 63.
    let temperatures = [60, 60, 61, 66, 64, 63, 63];
    let of: Vec<_> = temperatures.iter().zip(0_u32..).map(|(degrees, at)| (f64::from(at), *degrees, None)).collect();
    let lies = check(None, &readings(&of));
    assert_eq!(lies.iter().map(|lie| lie.rule).collect::<Vec<_>>(), [Rule::JumpingTemperature]);
    assert!(lies[0].evidence.contains("from 61 to 66 °C within 1.0 s"), "{lies:?}");
    let slow: Vec<_> = of.iter().map(|(at, degrees, sensor)| (at * 60.0, *degrees, *sensor)).collect();
    assert_eq!(rules(None, &readings(&slow)), [], "a minute apart a drive may warm up");
    let mut busy = readings(&of);
    busy.iter_mut().for_each(|reading| reading.idle = false);
    assert_eq!(rules(None, &busy), [], "under load it may");
}

#[test]
fn a_drive_above_its_warning_temperature_must_say_so() {
    // WCTEMP of the page is 350 K, 77 °C; seed 004's OCZ drive was at 81 °C and did not flag it.
    assert_eq!(rules(Some(&controller()), &readings(&[(0.0, 81, None)])), [Rule::HotNotFlagged]);
    assert_eq!(rules(Some(&controller()), &readings(&[(0.0, 77, None)])), [], "at the threshold is not above it");
    let mut flagged = readings(&[(0.0, 81, None)]);
    let page = Bytes(pages::smart()).u16(1, 81 + 273).put(0, &[0b10]).0;
    flagged[0].smart = SmartLog::decode(&page).unwrap();
    assert_eq!(rules(Some(&controller()), &flagged), []);
}

#[test]
fn temperatures_that_no_drive_has_are_found() {
    let at = |kelvin: u16| {
        let smart = SmartLog::decode(&Bytes(pages::smart()).u16(1, kelvin).u16(200, 0).u16(202, 0).0).unwrap();
        rules(None, &[Reading { at_s: 0.0, idle: false, smart }])
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
        check(None, &[Reading { at_s: 0.0, idle: false, smart }])
    };
    let zero = with(Bytes(pages::smart()).u128(64, 0).u128(80, 0).u128(32, 0).u128(48, 0));
    assert_eq!(zero[0].rule, Rule::ZeroCounters);
    assert!(zero[0].what.contains("read and write commands, data read and written"), "{zero:?}");
    assert!(zero[0].evidence.contains("340 hours"), "{zero:?}");
    let cycles = with(Bytes(pages::smart()).u128(112, 0));
    assert!(cycles[0].what.contains("power cycles"), "{cycles:?}");
    let fresh = Bytes(pages::smart()).u128(64, 0).u128(80, 0).u128(32, 0).u128(48, 0).u128(128, 0).u128(112, 0);
    assert_eq!(with(fresh), [], "a new drive has counted nothing yet");
}

#[test]
fn counters_that_go_back_are_found() {
    let mut two = readings(&[(0.0, 40, None), (60.0, 40, None)]);
    two[1].smart =
        SmartLog::decode(&Bytes(pages::smart()).u16(1, 313).u16(200, 0).u16(202, 0).u128(128, 339).0).unwrap();
    let lies = check(None, &two);
    assert_eq!(lies.iter().map(|lie| lie.rule).collect::<Vec<_>>(), [Rule::CounterWentBack]);
    assert_eq!(lies[0].evidence, "from 340 to 339");
}

#[test]
fn thresholds_that_contradict_each_other_are_found() {
    let with = |warning: u16, critical: u16| {
        let page = Bytes(pages::identify_controller()).u16(266, warning).u16(268, critical).0;
        rules(Some(&IdentifyController::decode(&page).unwrap()), &[])
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
    assert_eq!(rules(None, &[Reading { at_s: 0.0, idle: false, smart }]), [Rule::OddPercentage]);
}
