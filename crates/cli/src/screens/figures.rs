//! What the live views show of a record, and the texts that only they need: the run clock and rough remaining times.
//!
//! Rates, latencies and durations look as in the final table, because `drivelab_report::format` makes those texts.

use drivelab_core::load::OpKind;
use drivelab_core::record::OpRecord;
use drivelab_core::units::Nanos;
use drivelab_report::format;

/// The figures of one kind of operation, as shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figures {
    /// MB/s; `None` for operations that move no data, such as discards and flushes.
    pub(super) mb_s: Option<f64>,
    /// Operations per second.
    pub(super) iops: f64,
    /// 99th percentile of the latency, if enough operations completed for one.
    pub(super) p99: Option<Nanos>,
    /// Operations that ended in an error.
    pub(super) errors: u64,
}

impl Figures {
    /// The figures of one kind's record; `None` if it contains no operations.
    pub(super) fn of(kind: OpKind, record: &OpRecord) -> Option<Self> {
        (record.count > 0 || record.errors > 0).then(|| Figures {
            mb_s: kind.moves_data().then(|| record.mb_s()),
            iops: record.iops,
            p99: record.latency.and_then(|latency| latency.told_by(record.histogram.count).p99),
            errors: record.errors,
        })
    }

    /// With rates over a time other than the record's: multiplied by this factor.
    pub(super) fn times_faster(self, factor: f64) -> Self {
        Figures { mb_s: self.mb_s.map(|rate| rate * factor), iops: self.iops * factor, ..self }
    }

    /// The rate of bytes as text, without its unit.
    pub(super) fn mb_s(&self) -> Option<String> {
        self.mb_s.map(format::mb_s)
    }

    /// The 99th percentile in microseconds as text, without its unit: always the same unit, as in the final table, so
    /// that figures can be compared at a glance.
    pub(super) fn p99_us(&self) -> Option<String> {
        self.p99.map(|p99| format::latency_us(p99.as_secs_f64() * 1e6))
    }
}

/// A time on the run clock: `0:07`, `12:34`, `1:02:03`.
pub(super) fn run_time(nanoseconds: u64) -> String {
    let seconds = nanoseconds / 1_000_000_000;
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// An estimate, rounded as coarsely as its accuracy allows: `less than 5 s`, `35 s`, `4 min 20 s`, `40 min`.
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
    }

    #[test]
    fn a_file_name_cannot_command_the_terminal() {
        assert_eq!(clean("a\u{1b}[2Jb\n"), "a [2Jb ");
    }
}
