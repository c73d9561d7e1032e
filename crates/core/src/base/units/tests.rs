//! Units: texts are read as users mean them, and printed values parse to the same value.

use proptest::prelude::*;

use super::*;

#[test]
fn decimal_and_binary_are_never_mixed() {
    for (text, bytes) in [
        ("0", 0),
        ("512", 512),
        ("4k", 4096),
        ("4K", 4096),
        ("128 KiB", 131_072),
        ("128kB", 128_000),
        ("1M", 1 << 20),
        ("1 MB", 1_000_000),
        ("1.5 GB", 1_500_000_000),
        ("0.5 GiB", 1 << 29),
        ("2TB", 2_000_000_000_000),
        ("1_000 B", 1000),
    ] {
        assert_eq!(text.parse(), Ok(Bytes::new(bytes)), "{text}");
    }
}

#[test]
fn wrong_text_is_named_with_what_was_expected() {
    for (text, part) in [
        ("", "does not start with a number"),
        ("k", "does not start with a number"),
        ("4 parsecs", "unknown unit 'parsecs'"),
        ("4 Kib", "unknown unit 'Kib'"),
        ("4 kb", "unknown unit 'kb'"),
        ("4 mb", "unknown unit 'mb'"),
        ("1.5", "not a whole number of bytes"),
        ("1.2.3k", "does not start with a number"),
        ("99999999 PiB", "not a whole number of bytes below"),
        ("-4k", "does not start with a number"),
    ] {
        let message = text.parse::<Bytes>().map(|b| b.to_string()).unwrap_or_else(|e| e.to_string());
        assert!(message.contains(part), "{text}: {message}");
    }
    assert!("4k".parse::<BytesPerSecond>().is_err(), "a size is not a rate");
    let bare = "5".parse::<Nanos>().expect_err("a bare number is not a duration").to_string();
    assert!(bare.starts_with("'5' has no unit; expected a duration such as"), "{bare}");
    assert!("5 MiB".parse::<Nanos>().is_err());
}

#[test]
fn sizes_in_sentences_are_short() {
    for (bytes, text) in [(512, "512 B"), (4096, "4 KiB"), (25_276_510_208, "23.5 GiB"), (4 << 30, "4 GiB")] {
        assert_eq!(Bytes::new(bytes).about(), text);
    }
}

#[test]
fn rates_and_durations_parse() {
    assert_eq!("1.5 GB/s".parse(), Ok(BytesPerSecond::new(1.5e9)));
    assert_eq!("50 MiB/s".parse(), Ok(BytesPerSecond::new(52_428_800.0)));
    assert_eq!("1234.5 B/s".parse(), Ok(BytesPerSecond::new(1234.5)));
    assert_eq!(BytesPerSecond::new(1.5e9).to_string(), "1.5 GB/s");
    assert_eq!(BytesPerSecond::new(0.1 + 0.2).to_string(), "0.30000000000000004 B/s");
    assert_eq!("2 min".parse(), Ok(Nanos::from_secs(120)));
    assert_eq!("250 us".parse(), Ok(Nanos::new(250_000)));
}

#[test]
fn bounded_numbers_hold_their_range() {
    assert!(QueueDepth::new(0).is_err() && QueueDepth::new(70_000).is_err() && QueueDepth::new(1).is_ok());
    assert!(Threads::new(0).is_err() && Percent::new(101).is_err() && Percent::new(100).is_ok());
    assert!(serde_json::from_str::<QueueDepth>("0").is_err(), "JSON goes through the same check");
}

proptest! {
    #[test]
    fn bytes_print_and_parse_back(value in 0..=(i64::MAX as u64), power in 0u32..50) {
        for bytes in [Bytes::new(value), Bytes::new((value >> power) << power), Bytes::new(value / 1_000_000 * 1_000_000)] {
            prop_assert_eq!(bytes.to_string().parse::<Bytes>(), Ok(bytes));
        }
    }

    #[test]
    fn durations_print_and_parse_back(value in 0..=(i64::MAX as u64), unit in prop::sample::select(vec![1u64, 1000, 1_000_000, 1_000_000_000, 60_000_000_000])) {
        let nanos = Nanos::new(value / unit * unit);
        prop_assert_eq!(nanos.to_string().parse::<Nanos>(), Ok(nanos));
    }

    #[test]
    fn rates_print_and_parse_back(value in 0.0..1e18f64, small in 1e-9..1e4f64, whole in 0u32.., tenths in 0u32..) {
        for rate in [value, small, f64::from(whole), f64::from(tenths) / 10.0, f64::from(whole) * 1e6, f64::from(whole) * 1e3] {
            let rate = BytesPerSecond::new(rate);
            prop_assert_eq!(rate.to_string().parse::<BytesPerSecond>(), Ok(rate));
        }
    }

    #[test]
    fn any_text_is_answered_without_a_panic(text in ".{0,20}") {
        let _ = text.parse::<Bytes>();
        let _ = text.parse::<Nanos>();
        let _ = text.parse::<BytesPerSecond>();
    }
}
