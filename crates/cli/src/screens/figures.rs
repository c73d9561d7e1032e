//! Text of live figures: rates, latencies, times. Layout only; the figures come from the records as they are.

use drivelab_core::record::OpRecord;
use drivelab_core::units::Nanos;

/// What one kind of operation did, as shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figures {
    /// MB/s.
    pub(super) mb_s: f64,
    /// Operations per second.
    pub(super) iops: f64,
    /// 99th percentile of the latency, where anything completed.
    pub(super) p99: Option<Nanos>,
    /// Operations that ended in an error.
    pub(super) errors: u64,
}

impl Figures {
    /// Takes the figures of a record; `None` where it holds no operation at all.
    pub(super) fn of(record: &OpRecord) -> Option<Self> {
        (record.count > 0 || record.errors > 0).then(|| Figures {
            mb_s: record.throughput.as_mb_s(),
            iops: record.iops,
            p99: record.latency.as_ref().map(|latency| latency.p99),
            errors: record.errors,
        })
    }
}

/// A number of 0 or more with thousands separated by commas and as many decimals as three digits need (two at most).
pub(super) fn number(value: f64) -> String {
    let decimals = match value {
        size if size == 0.0 || size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    let text = format!("{value:.decimals$}");
    match text.split_once('.') {
        Some((whole, fraction)) => format!("{}.{fraction}", grouped(whole)),
        None => grouped(&text),
    }
}

/// Digits with a comma before each group of three.
fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Operations per second: whole numbers, except below 10.
pub(super) fn iops(value: f64) -> String {
    if value < 10.0 { number(value) } else { grouped(&format!("{value:.0}")) }
}

/// A latency with three digits: `83.1 us`, `1.25 ms`, `2.10 s`.
pub(super) fn latency(time: Nanos) -> String {
    let seconds = time.as_secs_f64();
    let (value, unit) = match time.get() {
        0..1_000 => return format!("{} ns", time.get()),
        1_000..1_000_000 => (seconds * 1e6, "us"),
        1_000_000..1_000_000_000 => (seconds * 1e3, "ms"),
        _ => (seconds, "s"),
    };
    format!("{} {unit}", number(value))
}

/// A measured length of time: `5.0 s`, `2 min 05 s`, `1 h 02 min`.
pub(super) fn length(nanoseconds: u64) -> String {
    let tenths = nanoseconds.saturating_add(50_000_000) / 100_000_000;
    let seconds = tenths / 10;
    match seconds {
        0..100 => format!("{seconds}.{} s", tenths % 10),
        100..3_600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3_600, seconds / 60 % 60),
    }
}

/// A time on the run clock: `0:07`, `12:34`, `1:02:03`.
pub(super) fn run_time(nanoseconds: u64) -> String {
    let seconds = nanoseconds / 1_000_000_000;
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// An estimate, rounded as coarsely as an estimate deserves: `less than 5 s`, `35 s`, `4 min 20 s`, `40 min`.
pub(super) fn rough(nanoseconds: u64) -> String {
    let seconds = nanoseconds.div_ceil(1_000_000_000);
    let to = |step: u64| seconds.saturating_add(step / 2) / step * step;
    match seconds {
        0..5 => "less than 5 s".to_owned(),
        5..56 => format!("{} s", seconds.div_ceil(5) * 5),
        56..295 => minutes_and_seconds(to(10)),
        295..3_570 => format!("{} min", to(60) / 60),
        3_570..=172_800 => format!("{} h {:02} min", to(300) / 3_600, to(300) / 60 % 60),
        _ => format!("{} days", seconds.div_ceil(86_400)),
    }
}

fn minutes_and_seconds(seconds: u64) -> String {
    if seconds.is_multiple_of(60) {
        format!("{} min", seconds / 60)
    } else {
        format!("{} min {} s", seconds / 60, seconds % 60)
    }
}

/// Text from outside (labels, paths, messages) without control characters, which a terminal would obey.
pub(super) fn clean(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_commas() {
        let cases = [
            (0.0, "0"),
            (0.123, "0.12"),
            (9.994, "9.99"),
            (9.996, "10.0"),
            (99.96, "100"),
            (999.6, "1,000"),
            (843_750.0, "843,750"),
            (1_234_567.8, "1,234,568"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
        assert_eq!(iops(12.4), "12");
        assert_eq!(iops(3.25), "3.25");
    }

    #[test]
    fn latencies_change_unit_at_the_thousand() {
        assert_eq!(latency(Nanos::new(999)), "999 ns");
        assert_eq!(latency(Nanos::new(83_100)), "83.1 us");
        assert_eq!(latency(Nanos::new(1_250_000)), "1.25 ms");
        assert_eq!(latency(Nanos::new(2_100_000_000)), "2.10 s");
    }

    #[test]
    fn estimates_are_rounded_and_never_zero() {
        let second = 1_000_000_000;
        assert_eq!(rough(0), "less than 5 s");
        assert_eq!(rough(31 * second), "35 s");
        assert_eq!(rough(59 * second), "1 min");
        assert_eq!(rough(137 * second), "2 min 20 s");
        assert_eq!(rough(299 * second), "5 min");
        assert_eq!(rough(3_590 * second), "1 h 00 min");
        assert_eq!(rough(5_000 * second), "1 h 25 min");
        assert_eq!(rough(u64::MAX), "213504 days");
    }

    #[test]
    fn times_read_like_a_clock() {
        assert_eq!(run_time(7 * 1_000_000_000), "0:07");
        assert_eq!(run_time(3_723 * 1_000_000_000), "1:02:03");
        assert_eq!(length(4_960_000_000), "5.0 s");
        assert_eq!(length(125_000_000_000), "2 min 05 s");
        assert_eq!(length(3_725_000_000_000), "1 h 02 min");
    }

    #[test]
    fn a_file_name_cannot_command_the_terminal() {
        assert_eq!(clean("a\u{1b}[2Jb\n"), "a [2Jb ");
    }
}
