//! Rates as written: operations per second or bytes per second, and the resulting operations for a load.
//!
//! In a rate, k, M and G before IOPS are decimal: "10k IOPS" are 10,000 operations per second.

use std::fmt;
use std::str::FromStr;

use drivelab_core::units::BytesPerSecond;

/// What messages expect.
pub(crate) const RATE_EXPECTED: &str = "a rate such as \"10000 IOPS\", \"10k IOPS\" or \"50 MB/s\"";

/// Highest rate that can be asked for: 10^9 operations per second.
const MOST_PER_1000_S: u64 = 1_000_000_000_000;

/// A rate that a file asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum AskedRate {
    /// Operations per 1,000 seconds.
    Operations(u64),
    /// Bytes per second; divided by a load's mean block, it gives operations.
    Bytes(BytesPerSecond),
}

impl AskedRate {
    /// Operations per 1,000 seconds of a load whose operations move this many bytes on average. `None` if that is
    /// less than one or too many, or if the operations move nothing.
    pub(crate) fn per_1000_s(self, mean_bytes: f64) -> Option<u64> {
        let asked = match self {
            AskedRate::Operations(asked) => asked,
            AskedRate::Bytes(rate) => {
                let asked = (rate.get() * 1000.0 / mean_bytes).round();
                if !asked.is_finite() || asked > MOST_PER_1000_S as f64 {
                    return None;
                }
                asked as u64
            }
        };
        (1..=MOST_PER_1000_S).contains(&asked).then_some(asked)
    }
}

impl FromStr for AskedRate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is not a rate");
        let trimmed = text.trim();
        if let Some(amount) = trimmed.strip_suffix("/s") {
            // Without a unit it could also mean operations.
            if !amount.ends_with(|c: char| c.is_ascii_alphabetic()) {
                return Err(wrong());
            }
            let rate: BytesPerSecond = trimmed.parse().map_err(|_| wrong())?;
            return if rate.get() > 0.0 { Ok(AskedRate::Bytes(rate)) } else { Err("the rate is zero".to_owned()) };
        }
        let number = trimmed.strip_suffix("IOPS").ok_or_else(wrong)?.trim_end();
        let (number, multiplier) = match number.char_indices().next_back() {
            Some((at, 'k' | 'K')) => (&number[..at], 1_000),
            Some((at, 'M')) => (&number[..at], 1_000_000),
            Some((at, 'G')) => (&number[..at], 1_000_000_000),
            _ => (number, 1),
        };
        let asked = thousandths_of(number.trim_end(), multiplier).ok_or_else(wrong)?;
        match asked {
            0 => Err("the rate is zero".to_owned()),
            asked if asked > MOST_PER_1000_S => Err(format!("'{text}' is more than 1G IOPS")),
            asked => Ok(AskedRate::Operations(asked)),
        }
    }
}

/// `number * multiplier * 1000`, exactly; `None` if the result is not a whole number or the text is not a number.
fn thousandths_of(number: &str, multiplier: u64) -> Option<u64> {
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || number.ends_with('.') || number.len() > 20 {
        return None;
    }
    let value: u128 = format!("{whole}{fraction}").parse().ok()?;
    let scaled = value.checked_mul(u128::from(multiplier))?.checked_mul(1000)?;
    let divisor = 10u128.pow(u32::try_from(fraction.len()).ok()?);
    (scaled % divisor == 0).then(|| u64::try_from(scaled / divisor).ok())?
}

/// Operations per second as written in files and shown on axes: `10k IOPS`, `1234.5 IOPS`.
pub(crate) fn iops_text(per_1000_s: u64) -> String {
    let units = [(1_000_000_000_000, "G"), (1_000_000_000, "M"), (1_000_000, "k")];
    let unit = units.into_iter().find(|(size, _)| per_1000_s != 0 && per_1000_s.is_multiple_of(*size));
    match unit {
        Some((size, letter)) => format!("{}{letter} IOPS", per_1000_s / size),
        None => format!("{} IOPS", thousandths(per_1000_s)),
    }
}

/// A number of thousandths as a decimal without trailing zeros.
pub(crate) fn thousandths(value: u64) -> String {
    let text = format!("{}.{:03}", value / 1000, value % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl fmt::Display for AskedRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskedRate::Operations(asked) => f.write_str(&iops_text(*asked)),
            AskedRate::Bytes(rate) => rate.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_and_shown_exactly() {
        let cases = [
            ("10000 IOPS", "10k IOPS", 10_000_000),
            ("10k IOPS", "10k IOPS", 10_000_000),
            ("0.5 IOPS", "0.5 IOPS", 500),
            ("1.5M IOPS", "1500k IOPS", 1_500_000_000),
            ("1_234.5IOPS", "1234.5 IOPS", 1_234_500),
        ];
        for (text, shown, asked) in cases {
            let rate: AskedRate = text.parse().expect(text);
            assert_eq!((rate.to_string().as_str(), rate), (shown, AskedRate::Operations(asked)));
            assert_eq!(shown.parse(), Ok(rate));
        }
        let bytes: AskedRate = "50 MB/s".parse().expect("a rate");
        assert_eq!(bytes.per_1000_s(4096.0), Some(12_207_031));
        assert_eq!(bytes.per_1000_s(0.0), None);
        for text in ["10000", "-1 IOPS", "0 IOPS", "0.0001 IOPS", "1.2.3 IOPS", "2G IOPS", "0 MB/s", "5 MB", "10000/s"]
        {
            assert!(text.parse::<AskedRate>().is_err(), "{text} is no rate");
        }
    }
}
