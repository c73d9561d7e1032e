//! Known answers of the parsers, the files of this machine, and no panic on any text.

use proptest::prelude::*;

use super::*;

#[test]
fn pressure_aer_and_mhz() {
    let pressure = "some avg10=0.00 avg60=0.00 avg300=0.00 total=7631644\nfull avg10=0.00 total=2230950\n";
    assert_eq!(pressure_totals(pressure), [Some(7.631_644), Some(2.230_95)]);
    assert_eq!(pressure_totals("some total=x"), [None, None]);
    assert_eq!(aer_total("RxErr 1\nBadTLP 2\nTOTAL_ERR_COR 3\n"), Some(3.0));
    assert_eq!(aer_total("RxErr 1\nBadTLP 2\n"), Some(3.0));
    assert_eq!(aer_total(""), None);
    assert_eq!(cpuinfo_mhz("processor : 0\ncpu MHz\t\t: 2400.010\ncpu MHz : x\n"), [2400.01]);
}

#[test]
fn an_adapter_line_is_two_numbers() {
    assert_eq!(adapter_line("1.5 4.25\n"), Ok(Some((1.5, 4.25))));
    assert_eq!(adapter_line("# meter 3000"), Ok(None));
    assert_eq!(adapter_line("  "), Ok(None));
    for wrong in ["1.5", "1 2 3", "now 5", "1 5W", "1 nan", "inf 5", "-1 5"] {
        assert!(adapter_line(wrong).unwrap_err().contains("seconds value"), "{wrong}");
    }
}

#[test]
fn the_pressure_of_this_machine_is_understood() {
    match std::fs::read_to_string("/proc/pressure/memory") {
        Ok(text) => assert!(pressure_totals(&text).iter().all(Option::is_some), "{text}"),
        Err(error) => eprintln!("skipped: no /proc/pressure/memory: {error}"),
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic(text in any::<String>(), lines in "([a-z0-9: =.]{0,40}\n){0,6}") {
        for text in [&text, &lines] {
            pressure_totals(text);
            aer_total(text);
            cpuinfo_mhz(text);
            let _ = adapter_line(text);
        }
    }
}
