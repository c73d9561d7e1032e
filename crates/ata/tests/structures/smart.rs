//! SMART pages and device statistics.

use drivelab_ata::{GeneralStatistics, SmartData, SmartThresholds, TemperatureStatistics};
use serde_json::Value;

use crate::pages::{self, Page, decode, statistic};
use crate::rows::{hold, row};

#[test]
fn attributes_are_entries_of_twelve_bytes() {
    let data = SmartData::decode(&pages::smart_data().sealed()).unwrap();
    assert_eq!(data.attributes.iter().map(|it| it.id).collect::<Vec<_>>(), [5, 9, 194, 197]);
    let hours = data.attribute(9).unwrap();
    assert_eq!((hours.value, hours.worst, hours.raw, hours.pre_failure), (97, 97, 10_000, false));
    let waiting = data.attribute(197).unwrap();
    assert_eq!((waiting.flags, waiting.value, waiting.worst, waiting.raw), (0x12, 10, 9, (1 << 40) + 8));
    assert!(data.attribute(5).unwrap().pre_failure && data.attribute(5).unwrap().known.unwrap().counts_trouble);
    assert_eq!(data.temperature_c(), Some(34), "the rest of the raw value is the lowest and the highest");
    assert_eq!((data.self_test_outcome, data.self_test_remaining_tenths), (1, 3));
    assert_eq!((data.offline_s, data.short_test_min, data.extended_test_min), (300, 2, 10));
    assert!(data.checksum_right);
    assert!(SmartData::decode(&[0; 511]).is_err());
}

#[test]
fn long_tests_and_odd_temperatures_are_read() {
    let page = pages::smart_data().put(373, &[0xFF, 0, 0x2C, 1]).0;
    let data = SmartData::decode(&page).unwrap();
    assert_eq!((data.extended_test_min, data.checksum_right), (300, false));
    let air = Page::zeros().put(2, &[190, 0, 0, 60, 60, 40]).0;
    assert_eq!(SmartData::decode(&air).unwrap().temperature_c(), Some(40));
    for degrees in [0, 150, 255] {
        let odd = Page::zeros().put(2, &[194, 0, 0, 0, 0, degrees]).0;
        assert_eq!(SmartData::decode(&odd).unwrap().temperature_c(), None, "{degrees}");
    }
    assert_eq!(SmartData::decode(&[0; 512]).unwrap().temperature_c(), None);
}

#[test]
fn an_attribute_that_fell_to_its_threshold_has_tripped() {
    let thresholds = SmartThresholds::decode(&pages::smart_thresholds().sealed()).unwrap();
    assert_eq!((thresholds.of(5), thresholds.of(197), thresholds.of(1)), (Some(10), Some(11), None));
    assert!(thresholds.checksum_right);
    let data = SmartData::decode(&pages::smart_data().0).unwrap();
    let tripped: Vec<u8> = thresholds.tripped(&data).iter().map(|it| it.id).collect();
    assert_eq!(tripped, [197], "10 is not above 11; a threshold of 0 never trips");
}

/// ACS-4, section 9.5.4.
#[test]
fn general_statistics_are_where_the_standard_says() {
    let rows = [
        row(8, &statistic(1), "/power_cycles", 1),
        row(16, &statistic(2), "/power_on_h", 2),
        row(24, &statistic(3), "/sectors_written", 3),
        row(32, &statistic(4), "/write_commands", 4),
        row(40, &statistic(5), "/sectors_read", 5),
        row(48, &statistic(6), "/read_commands", 6),
        row(8, &[1, 0, 0, 0, 0, 0, 0, 0x80], "/power_cycles", Value::Null),
        row(8, &[1, 0, 0, 0, 0, 0, 0, 0x40], "/power_cycles", Value::Null),
        row(8, &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], "/power_cycles", u32::MAX),
    ];
    hold(&decode("ata_general_statistics"), 512, &pages::general_statistics().0, &rows);
    let error = GeneralStatistics::decode(&pages::solid_state_statistics().0).unwrap_err().to_string();
    assert!(error.contains("page 07h of the device statistics and not 01h"), "{error}");
}

/// ACS-4, section 9.5.8.
#[test]
fn temperatures_are_signed() {
    let rows = [
        row(8, &statistic(0xFF), "/current_c", -1),
        row(32, &statistic(70), "/highest_c", 70),
        row(40, &statistic(0xF6), "/lowest_c", -10),
        row(80, &statistic(99), "/over_temperature_min", 99),
        row(88, &statistic(70), "/specified_max_c", 70),
        row(104, &statistic(0), "/specified_min_c", 0),
    ];
    hold(&decode("ata_temperature_statistics"), 512, &pages::temperature_statistics().0, &rows);
    let found = TemperatureStatistics::decode(&pages::temperature_statistics().0).unwrap();
    assert_eq!((found.current_c, found.highest_c, found.lowest_c), (Some(34), Some(71), Some(-5)));
}

/// ACS-4, section 9.5.10.
#[test]
fn use_of_life_may_pass_a_hundred() {
    let rows = [row(8, &statistic(255), "/used_percent", 255)];
    hold(&decode("ata_solid_state_statistics"), 512, &pages::solid_state_statistics().0, &rows);
}
