//! What heat does to a rate: lasting falls after the first half minute, and the last minute compared with the first.
//!
//! Pure arithmetic on intervals and temperatures; docs/metrics.md states the rules. A fall counts as throttling only if
//! the drive was no cooler in its first seconds than when it began: a full write cache lowers the rate too, but lets
//! the drive cool down.

/// The rate at the start is the mean over this many seconds.
const BEGIN_S: f64 = 30.0;
/// Share of the rate before it below which a rate has fallen.
const FALLEN: f64 = 0.9;
/// A fall, and a recovery, lasts at least this many seconds.
const LASTING_S: f64 = 5.0;
/// A step shorter than two minutes has no first and last minute to compare.
pub(crate) const MINUTE_S: f64 = 60.0;

/// The bytes moved in an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slice {
    /// Its start, seconds since the step began.
    pub from_s: f64,
    /// Length in seconds.
    pub seconds: f64,
    /// Bytes moved.
    pub bytes: f64,
}

/// A step down of the rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fall {
    /// When it began, seconds since the step began.
    pub at_s: f64,
    /// When the rate recovered, seconds since the step began; `None` if it did not before the next fall or the end.
    pub until_s: Option<f64>,
    /// Rate before it, bytes per second.
    pub before: f64,
    /// Rate in its first seconds, bytes per second.
    pub rate: f64,
    /// Temperature when it began, °C; `None` if none was recorded.
    pub celsius: Option<f64>,
    /// The drive was no cooler in its first seconds than when it began; `None` if that is unknown.
    pub hot: Option<bool>,
}

fn rate(slices: &[Slice]) -> Option<f64> {
    let seconds: f64 = slices.iter().map(|slice| slice.seconds).sum();
    (seconds > 0.0).then(|| slices.iter().map(|slice| slice.bytes).sum::<f64>() / seconds)
}

/// The slices that begin in a stretch.
fn within(slices: &[Slice], from_s: f64, to_s: f64) -> &[Slice] {
    let first = slices.partition_point(|slice| slice.from_s < from_s);
    let end = slices.partition_point(|slice| slice.from_s < to_s);
    slices.get(first..end).unwrap_or_default()
}

/// The slices at the front that meet the condition for [`LASTING_S`]; `None` if they do not last that long.
fn lasting(slices: &[Slice], is: impl Fn(f64) -> bool) -> Option<&[Slice]> {
    let mut seconds = 0.0;
    for (at, slice) in slices.iter().enumerate() {
        if !is(slice.bytes / slice.seconds) {
            return None;
        }
        seconds += slice.seconds;
        if seconds >= LASTING_S {
            return slices.get(..=at);
        }
    }
    None
}

/// The slices of a fall without the one in which it began, if the rate was still falling there: else what followed
/// would be a second fall.
fn fallen(slow: &[Slice]) -> &[Slice] {
    match slow.split_first() {
        Some((first, rest)) if rate(rest).is_some_and(|now| now <= FALLEN * first.bytes / first.seconds) => rest,
        _ => slow,
    }
}

/// Every step down of a rate after its first half minute. Each is compared with the rate before it, which is that of
/// the start, of the last step, or of a recovery that lasted; `temperature` gives the drive's at a time in seconds.
#[must_use]
pub fn falls(slices: &[Slice], temperature: impl Fn(f64) -> Option<f64>) -> Vec<Fall> {
    let whole: Vec<Slice> = slices.iter().copied().filter(|slice| slice.seconds > 0.0).collect();
    let Some(begin) = rate(within(&whole, 0.0, BEGIN_S)).filter(|begin| *begin > 0.0) else { return Vec::new() };
    let mut falls: Vec<Fall> = Vec::new();
    let mut before = begin;
    let mut rest = within(&whole, BEGIN_S, f64::INFINITY);
    while let Some(first) = rest.first() {
        let fell = lasting(rest, |rate| rate <= FALLEN * before);
        let came_back = lasting(rest, |rate| FALLEN * rate >= before);
        match (fell, came_back) {
            (Some(slow), _) => {
                let now = rate(fallen(slow)).unwrap_or_default();
                let celsius = temperature(first.from_s);
                let later = slow.iter().filter_map(|slice| temperature(slice.from_s + slice.seconds));
                let coolest = later.min_by(f64::total_cmp);
                let hot = celsius.zip(coolest).map(|(then, coolest)| coolest >= then);
                falls.push(Fall { at_s: first.from_s, until_s: None, before, rate: now, celsius, hot });
                before = now;
                rest = rest.get(slow.len()..).unwrap_or_default();
            }
            (None, Some(fast)) => {
                if let Some(fall) = falls.last_mut() {
                    fall.until_s.get_or_insert(first.from_s);
                }
                before = rate(fast).unwrap_or(before).min(begin);
                rest = rest.get(fast.len()..).unwrap_or_default();
            }
            (None, None) => rest = rest.get(1..).unwrap_or_default(),
        }
    }
    falls
}

/// How often a drive throttles that does so in bursts, and for how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rhythm {
    /// Falls that recovered.
    pub bursts: usize,
    /// Mean length of these falls, seconds.
    pub slow_s: f64,
    /// Mean time from the beginning of one to that of the next, seconds.
    pub every_s: f64,
}

/// The rhythm of a drive that throttles in bursts; `None` for fewer than three falls that recovered.
#[must_use]
pub fn rhythm(falls: &[Fall]) -> Option<Rhythm> {
    let bursts: Vec<(f64, f64)> =
        falls.iter().filter_map(|fall| Some((fall.at_s, fall.until_s? - fall.at_s))).collect();
    let ((first, _), (last, _)) = (bursts.first()?, bursts.last()?);
    let slow_s = bursts.iter().map(|(_, slow)| slow).sum::<f64>() / bursts.len() as f64;
    let every_s = (last - first) / bursts.len().saturating_sub(1).max(1) as f64;
    (bursts.len() >= 3).then_some(Rhythm { bursts: bursts.len(), slow_s, every_s })
}

/// Rates of the first and of the last minute; `None` for less than two minutes.
#[must_use]
pub fn first_and_last_minute(slices: &[Slice]) -> Option<(f64, f64)> {
    let end = slices.last().map(|slice| slice.from_s + slice.seconds)?;
    if end < 2.0 * MINUTE_S {
        return None;
    }
    Some((rate(within(slices, 0.0, MINUTE_S))?, rate(within(slices, end - MINUTE_S, f64::INFINITY))?))
}

/// Seconds at or above a temperature, by the temperature at the end of each slice.
#[must_use]
pub fn seconds_above(slices: &[Slice], limit: f64, temperature: impl Fn(f64) -> Option<f64>) -> f64 {
    let above = |slice: &&Slice| temperature(slice.from_s + slice.seconds).is_some_and(|celsius| celsius >= limit);
    slices.iter().filter(above).map(|slice| slice.seconds).sum()
}

#[cfg(test)]
mod tests {
    //! Courses computed by hand: a second each, in MB/s.

    use super::*;

    /// Seconds at these rates.
    fn course(parts: &[(usize, f64)]) -> Vec<Slice> {
        let rates = parts.iter().flat_map(|(seconds, rate)| std::iter::repeat_n(*rate, *seconds));
        rates.enumerate().map(|(at, rate)| Slice { from_s: at as f64, seconds: 1.0, bytes: rate }).collect()
    }

    fn places(falls: &[Fall]) -> Vec<(f64, f64, f64)> {
        falls.iter().map(|fall| (fall.at_s, fall.before, fall.rate)).collect()
    }

    #[test]
    fn two_steps_down_are_two_falls_each_from_the_one_before() {
        let slices = course(&[(60, 2400.0), (60, 1450.0), (60, 1160.0)]);
        let falls = falls(&slices, |at| Some(if at < 120.0 { 80.0 } else { 100.0 }));
        assert_eq!(places(&falls), [(60.0, 2400.0, 1450.0), (120.0, 1450.0, 1160.0)]);
        assert_eq!((falls[0].celsius, falls[0].hot, falls[1].celsius), (Some(80.0), Some(true), Some(100.0)));
    }

    #[test]
    fn a_drive_that_goes_up_and_down_falls_each_time() {
        let slices = course(&[(40, 1000.0), (10, 177.0), (30, 1000.0), (10, 177.0), (30, 1000.0)]);
        let found = falls(&slices, |_| None);
        assert_eq!(places(&found), [(40.0, 1000.0, 177.0), (80.0, 1000.0, 177.0)]);
        assert_eq!((found[0].celsius, found[0].hot), (None, None), "nothing is said of heat");
    }

    #[test]
    fn a_fall_that_begins_within_a_second_is_one_fall() {
        let slices = course(&[(40, 80.0), (1, 52.0), (9, 10.0), (30, 80.0), (1, 38.0), (9, 10.0), (30, 80.0)]);
        assert_eq!(places(&falls(&slices, |_| None)), [(40.0, 80.0, 10.0), (80.0, 80.0, 10.0)]);
    }

    #[test]
    fn a_drive_that_throttles_in_bursts_has_a_rhythm() {
        let burst = [(30, 1400.0), (10, 177.0)];
        let slices = course(&[&[(30, 1400.0)], &burst[..], &burst, &burst, &burst[..1]].concat());
        let found = falls(&slices, |_| Some(77.0));
        assert_eq!(found.iter().map(|fall| fall.at_s).collect::<Vec<_>>(), [60.0, 100.0, 140.0]);
        assert_eq!(rhythm(&found), Some(Rhythm { bursts: 3, slow_s: 10.0, every_s: 40.0 }));
        assert_eq!(rhythm(&found[..2]), None, "two are no rhythm");
    }

    #[test]
    fn what_is_short_small_or_early_is_no_fall() {
        assert!(falls(&course(&[(40, 100.0), (4, 50.0), (40, 100.0)]), |_| None).is_empty(), "4 s");
        assert!(falls(&course(&[(40, 100.0), (40, 91.0)]), |_| None).is_empty(), "9 %");
        assert_eq!(falls(&course(&[(40, 100.0), (40, 90.0)]), |_| None).len(), 1, "10 %");
        // 5 s at 100 and 25 s at 40 are 50 in the mean of the first half minute: 40 for more is a fall, 50 is none.
        assert!(falls(&course(&[(5, 100.0), (25, 40.0), (60, 50.0)]), |_| None).is_empty());
        assert!(falls(&course(&[(20, 100.0)]), |_| None).is_empty());
        assert!(falls(&[], |_| None).is_empty());
    }

    #[test]
    fn a_drive_that_cools_down_as_it_slows_down_was_not_throttled_by_heat() {
        let slices = course(&[(40, 100.0), (20, 50.0)]);
        let cooling = falls(&slices, |at| Some(if at <= 40.0 { 70.0 } else { 70.0 - (at - 40.0) }));
        assert_eq!(cooling[0].hot, Some(false));
        let warm = falls(&slices, |_| Some(70.0));
        assert_eq!(warm[0].hot, Some(true));
    }

    #[test]
    fn minutes_are_the_first_and_the_last() {
        let slices = course(&[(60, 100.0), (30, 80.0), (60, 60.0)]);
        assert_eq!(first_and_last_minute(&slices), Some((100.0, 60.0)));
        assert_eq!(first_and_last_minute(&course(&[(119, 100.0)])), None);
        // From 75 °C at 100 s on: ends of the seconds from 99 s to 150 s.
        assert_eq!(seconds_above(&slices, 75.0, |at| Some(if at >= 100.0 { 75.0 } else { 74.9 })), 51.0);
    }
}
