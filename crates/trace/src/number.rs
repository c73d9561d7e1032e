//! Numbers in traces: whole numbers, decimal seconds, products with an overflow check.

use crate::error::Wrong;

/// A whole number without a sign.
pub(crate) fn whole(field: &str, what: &str) -> Result<u64, Wrong> {
    let digits = !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit());
    let value = if digits { field.parse().ok() } else { None };
    value.ok_or_else(|| Wrong::new(format!("{what} is '{}'", short(field)), format!("{what} as a whole number")))
}

/// `seconds.fraction` in nanoseconds; digits after the ninth are ignored.
pub(crate) fn seconds(field: &str, what: &str) -> Result<u64, Wrong> {
    let (whole_part, fraction) = field.split_once('.').unwrap_or((field, ""));
    let wrong = || Wrong::new(format!("{what} is '{}'", short(field)), format!("{what} in seconds, such as 1.000250"));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole_part.is_empty() || !is_number(whole_part) || !is_number(fraction) {
        return Err(wrong());
    }
    let digits = fraction.len().min(9);
    let billionths = fraction[..digits].bytes().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    let billionths = billionths * 10_u64.pow(9 - u32::try_from(digits).unwrap_or(9));
    let seconds: u64 = whole_part.parse().map_err(|_| wrong())?;
    seconds.checked_mul(1_000_000_000).and_then(|ns| ns.checked_add(billionths)).ok_or_else(wrong)
}

/// A number of units of this many bytes or nanoseconds.
pub(crate) fn times(value: u64, unit: u64, what: &str) -> Result<u64, Wrong> {
    let too_large = || Wrong::new(format!("{what} {value} is too large"), format!("{what} below 2^64 / {unit}"));
    value.checked_mul(unit).ok_or_else(too_large)
}

fn short(field: &str) -> String {
    field.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_seconds_are_exact_to_the_nanosecond() {
        assert_eq!(seconds("0.000000001", "time"), Ok(1));
        assert_eq!(seconds("12", "time"), Ok(12_000_000_000));
        assert_eq!(seconds("1.5", "time"), Ok(1_500_000_000));
        assert_eq!(seconds("1.0000000019", "time"), Ok(1_000_000_001), "cut, not rounded");
        for wrong in ["", ".", ".5", "-1.0", "1.2.3", "1e9", "99999999999999"] {
            assert!(seconds(wrong, "time").is_err(), "{wrong}");
        }
    }

    #[test]
    fn whole_numbers_have_no_sign_and_no_space() {
        assert_eq!(whole("0", "size"), Ok(0));
        for wrong in ["", "+1", "-1", " 1", "1.0", "0x10", "99999999999999999999"] {
            assert!(whole(wrong, "size").is_err(), "{wrong}");
        }
        assert!(times(u64::MAX, 2, "size").is_err());
    }
}
