//! Values with units, patterns of model strings, and which capacity's figures apply.

use proptest::prelude::*;

use super::*;

fn pattern(text: &str) -> ModelPattern {
    ModelPattern { pattern: text.to_owned(), source: "004".to_owned(), certainty: Certainty::Stated }
}

#[test]
fn units_are_read_and_wrong_ones_are_not() {
    let close = |left: Option<f64>, right: f64| left.is_some_and(|left| (left - right).abs() <= right * 1e-12);
    assert!(close(Speed::read("13_700 MB/s").and_then(|speed| speed.number()), 13.7e9));
    assert!(close(Speed::read("13.7 GB/s").and_then(|speed| speed.number()), 13.7e9));
    assert!(close(Iops::read("2100k IOPS").and_then(|rate| rate.number()), 2.1e6));
    assert!(close(Hours::read("2.5M hours").and_then(|hours| hours.number()), 2.5e6));
    assert!(close(BitErrors::read("1 in 10^17").and_then(|rate| rate.number()), 1e-17));
    assert_eq!(Bytes::read("80 TB"), Some(Bytes::new(80_000_000_000_000)));
    assert_eq!(Nanos::read("65 us"), Nanos::read("65 µs"));
    assert_eq!(CelsiusRange::read("-40 to 85 °C"), Some(CelsiusRange { low: -40.0, high: 85.0 }));
    assert_eq!(
        Dimensions::read("69.85 x 100.45 x 15 mm"),
        Some(Dimensions { width: 69.85, length: 100.45, height: 15.0 })
    );
    assert_eq!(Price::read("129.99 EUR on 2024-02-29").map(|price| price.amount), Some(129.99));
    for wrong in ["13700", "13700 MB", "13700 mb/s", "MB/s", "-1 MB/s", "0 MB/s", "1..2 MB/s", "1_ MB/s", "inf MB/s"] {
        assert_eq!(Speed::read(wrong), None, "{wrong}");
    }
    assert_eq!(Share::read("101 %"), None);
    assert_eq!(CelsiusRange::read("70 to 0 °C"), None);
    assert_eq!(Dimensions::read("69.85 x 100.45 mm"), None);
    for wrong in ["129.99 EUR", "129.99 eur on 2024-02-28", "129.99 EUR on 2023-02-29", "1 EUR on 2024-13-01"] {
        assert_eq!(Price::read(wrong), None, "{wrong}");
    }
}

#[test]
fn patterns_tell_a_model_from_its_sister() {
    let evo = pattern("Samsung SSD 970 EVO #TB");
    assert!(evo.fits("Samsung SSD 970 EVO 1TB") && evo.fits("SAMSUNG_SSD_970_EVO_1TB"));
    assert!(!evo.fits("Samsung SSD 970 EVO Plus 1TB") && !evo.fits("Samsung SSD 970 EVO TB"));
    assert!(pattern("*SN861*").fits("WDC SN861 x") && !pattern("*SN861*").fits("SN86"));
    assert!(pattern("Samsung SSD 970 EVO #TB").literal() > pattern("Samsung*").literal());
}

proptest! {
    #[test]
    fn patterns_and_values_never_panic(text in ".{0,40}", wild in "[a-c#* _]{0,12}") {
        let _ = pattern(&wild).fits(&text);
        Speed::read(&text);
        Price::read(&text);
        CelsiusRange::read(&text);
        Dimensions::read(&text);
        Bytes::read(&text);
        prop_assert!(pattern("*").fits(&text));
    }

    #[test]
    fn a_text_without_signs_of_its_own_fits_itself(text in "[A-Za-z0-9 -]{1,30}") {
        prop_assert!(pattern(&text).fits(&text));
        let fits = pattern(&format!("*{text}*")).fits(&format!("x{text}y"));
        // Spaces at the ends are not part of a model string.
        prop_assert!(fits || text.trim() != text);
    }
}
