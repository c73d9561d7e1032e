//! Number formats: rates, latencies, sizes and durations as text.
//!
//! The only place in this crate that turns a number into text (the terminal views of `cli` use it too), so that a
//! figure looks the same in the live views, the tables and the pages. Numbers have four significant digits but at
//! most two decimals, or are whole, with commas between thousands. Machine formats (CSV, JSON) never use this.

use drivelab_core::units::{Bytes, Nanos};

/// With a capital first letter.
pub(crate) fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// `1 step`, `2 steps`.
#[must_use]
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// A count, with commas between thousands.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
pub fn count(count: u64) -> String {
    grouped(count as f64, 0)
}

/// A rate in MB/s (10^6 bytes per second), without its unit.
#[must_use]
pub fn mb_s(value: f64) -> String {
    significant(value)
}

/// Operations per second, without a unit.
#[must_use]
pub fn iops(value: f64) -> String {
    if value.abs() >= 100.0 { grouped(value, 0) } else { significant(value) }
}

/// A latency given in microseconds, without its unit, for columns headed `µs`.
#[must_use]
pub fn latency_us(microseconds: f64) -> String {
    significant(microseconds)
}

/// A size in the unit that suits it, binary and decimal: `32 GiB (34.36 GB)`; exact multiples below 1 MB only once.
#[must_use]
pub fn bytes(size: Bytes) -> String {
    if size.get() < 1_000_000 {
        return size.to_string();
    }
    let [rounder, other] = binary_and_decimal(size);
    format!("{rounder} ({other})")
}

/// The same in one unit: `500 GB`, `512 GiB`.
#[must_use]
pub fn short_bytes(size: Bytes) -> String {
    if size.get() < 1_000_000 {
        return size.to_string();
    }
    let [rounder, _] = binary_and_decimal(size);
    rounder
}

/// Drives are sold in decimal units, files are created in binary ones: the rounder of the two comes first.
fn binary_and_decimal(size: Bytes) -> [String; 2] {
    let binary = scaled(size, [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB")]);
    let decimal = scaled(size, [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB")]);
    if binary.len() <= decimal.len() { [binary, decimal] } else { [decimal, binary] }
}

fn scaled(size: Bytes, units: [(u64, &str); 3]) -> String {
    let (unit, name) = units.iter().find(|(unit, _)| size.get() >= *unit).copied().unwrap_or((1, "B"));
    format!("{} {name}", trimmed(size.as_f64() / Bytes::new(unit).as_f64()))
}

/// A number of any unit, without zeros at the end, grouped by commas: `14,016`, `7.68`, `0.44`.
#[must_use]
pub fn plain_number(value: f64) -> String {
    trimmed(value)
}

/// A ratio: three decimals near 1, where the second says too little.
pub(crate) fn ratio_text(ratio: f64) -> String {
    match ratio {
        near if (0.9..1.1).contains(&near) => format!("{near:.3}"),
        far if far < 100.0 => format!("{far:.2}"),
        far => plain_number(far),
    }
}

/// Four significant digits without zeros at the end: `34.36`, `32`.
fn trimmed(value: f64) -> String {
    let text = significant(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A duration: `120 ms`, `4.0 s`, `1 min 52 s`, `2 h 5 min`.
#[must_use]
pub fn duration(time: Nanos) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        0.0 => "0 s".to_owned(),
        s if s < 0.9995 => format!("{} ms", trimmed(s * 1e3)),
        s if s < 59.95 => format!("{s:.1} s"),
        s if s < 3599.5 => two_units(s, 60.0, "min", "s"),
        s => two_units(s / 60.0, 60.0, "h", "min"),
    }
}

/// A point in time in seconds, without the unit: `0.4`, `12`.
#[must_use]
pub fn at_second(seconds: f64) -> String {
    // Whole seconds are too coarse for a step of two seconds.
    if seconds < 9.95 { format!("{seconds:.1}") } else { grouped(seconds, 0) }
}

fn two_units(value: f64, base: f64, large: &str, small: &str) -> String {
    let value = value.round();
    let (whole, rest) = ((value / base).floor(), value % base);
    if rest == 0.0 { format!("{whole} {large}") } else { format!("{whole} {large} {rest} {small}") }
}

/// A value that is in this unit of a metric; the unit is not printed.
#[must_use]
pub fn value(value: f64, unit: &str) -> String {
    match unit {
        "IOPS" => iops(value),
        // Counts are whole; a mean of operations in flight need not be.
        "operations" | "blocks" | "bursts" | "executions" | "intervals" | "gaps" | "tests" | "B" | ""
            if value.fract() == 0.0 =>
        {
            grouped(value, 0)
        }
        "s" if value >= 10.0 => grouped(value, 1),
        _ => significant(value),
    }
}

/// A figure with the digits in which its source gives it: `831`, `113.85`, `2,108,065`.
pub(crate) fn as_published(value: f64) -> String {
    let decimals = value.to_string().split_once('.').map_or(0, |(_, behind)| behind.len());
    grouped(value, decimals)
}

/// CPU seconds per GB: three decimals, or more for values that would then have only one or two digits.
pub(crate) fn cpu_s_per_gb(cpu: f64) -> String {
    if cpu < 0.0995 { value(cpu, "s/GB") } else { format!("{cpu:.3}") }
}

/// At least four significant digits but at most two decimals: `14,909`, `113.9`, `85.20`, `0.25`. Tiny values keep some
/// digits so that they do not look like zero.
fn significant(value: f64) -> String {
    match value.abs() {
        v if v >= 999.95 => grouped(value, 0),
        v if v >= 99.995 => grouped(value, 1),
        v if v >= 0.0995 || v == 0.0 => grouped(value, 2),
        v if v >= 0.000_95 => grouped(value, 4),
        _ => format!("{value:.2e}"),
    }
}

/// With commas between thousands.
fn grouped(value: f64, decimals: usize) -> String {
    // Adding zero turns a negative zero (the sum of nothing) into zero.
    let text = format!("{:.decimals$}", value + 0.0);
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(whole, fraction)| (whole, Some(fraction)));
    let mut out = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

#[cfg(test)]
mod tests {
    //! Texts around the values at which the number of digits or the unit changes.

    use super::*;

    #[test]
    fn rates_keep_four_digits() {
        let texts = [0.0, 0.004, 0.25, 85.2, 99.999, 113.854, 999.96, 14_909.4, 1_234_567.0].map(mb_s);
        assert_eq!(texts, ["0.00", "0.0040", "0.25", "85.20", "100.0", "113.9", "1,000", "14,909", "1,234,567"]);
        assert_eq!([42.5, 137.4, 1_012_345.6].map(iops), ["42.50", "137", "1,012,346"]);
        assert_eq!([7.0, 31.72, 12_345.0].map(|count| value(count, "operations")), ["7", "31.72", "12,345"]);
        assert_eq!([value(19.0, "intervals"), value(2.5, "gaps")], ["19", "2.50"]);
        assert_eq!([value(1.0, ""), value(0.0, "B"), value(0.5, ""), value(1.0, "times")], ["1", "0", "0.50", "1.00"]);
    }

    #[test]
    fn sizes_name_both_kinds_of_unit() {
        assert_eq!(bytes(Bytes::new(4096)), "4 KiB");
        assert_eq!(bytes(Bytes::new(32 << 30)), "32 GiB (34.36 GB)");
        assert_eq!(bytes(Bytes::new(2_000_000_000_000)), "2 TB (1.82 TiB)");
        assert_eq!(short_bytes(Bytes::new(500_000_000_000)), "500 GB");
        assert_eq!(short_bytes(Bytes::new(512 << 30)), "512 GiB");
    }

    #[test]
    fn moments_of_short_steps_have_tenths() {
        assert_eq!([0.04, 0.4, 9.94, 9.96, 12.4, 3_600.0].map(at_second), ["0.0", "0.4", "9.9", "10", "12", "3,600"]);
    }

    #[test]
    fn durations_carry_over() {
        let of = |seconds: f64| duration(std::time::Duration::from_secs_f64(seconds).into());
        assert_eq!(
            [0.0, 0.12, 4.0, 59.96, 112.0, 3599.6, 7500.0].map(of),
            ["0 s", "120 ms", "4.0 s", "1 min", "1 min 52 s", "1 h", "2 h 5 min"]
        );
    }
}
