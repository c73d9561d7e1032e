//! Courses that once got a wrong answer, or figures that did not agree with it: drawn even, in slices, with noise, and
//! with the gaps that a busy machine makes.

use proptest::prelude::*;

use crate::topics::fill::shape::tests::courses::{MB, cliff, course, drawn, sliced};
use crate::topics::fill::shape::{FillShape, shape};
use crate::topics::fill::{Answer, Stall};

const SPAN: f64 = 470.0 * MB;

/// Numbers between 0 and 1 that are the same each time.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// About 1: a factor whose logarithm has this standard deviation.
    fn factor(&mut self, deviation: f64) -> f64 {
        let normal: f64 = (0..12).map(|_| self.next()).sum::<f64>() - 6.0;
        (deviation * normal).exp()
    }
}

/// A fill recorded every 0.1 s that runs at this rate at each share of the span, times the factor of `disturb` for each
/// interval.
fn disturbed(rate: impl Fn(f64) -> f64, mut disturb: impl FnMut() -> f64) -> Vec<(f64, f64)> {
    let (mut all, mut written) = (Vec::new(), 0.0);
    while written < SPAN - 1.0 {
        let bytes = (rate(written / SPAN) * 0.1 * disturb()).min(SPAN - written);
        written += bytes;
        all.push((bytes, 0.1));
    }
    all
}

/// The gaps of a busy machine: in an eighth of the intervals nothing, and all of it in the next.
fn with_gaps(seed: u64) -> impl FnMut() -> f64 {
    let (mut chance, mut owed) = (Chance(seed), 0.0);
    move || {
        if owed > 0.0 {
            owed = 0.0;
            2.0
        } else if chance.next() < 0.125 {
            owed = 1.0;
            0.0
        } else {
            1.0
        }
    }
}

fn with_noise(seed: u64, deviation: f64) -> impl FnMut() -> f64 {
    let mut chance = Chance(seed);
    move || chance.factor(deviation)
}

/// Every way of drawing a course whose rate is given by the share of the span.
fn ways(rate: impl Fn(f64) -> f64 + Copy) -> Vec<(String, FillShape)> {
    let mut all = vec![
        ("even".to_owned(), drawn(SPAN, 0.1, |bytes, _| rate(bytes / SPAN))),
        ("sliced".to_owned(), sliced(SPAN, |bytes, _| rate(bytes / SPAN))),
    ];
    for seed in 1..=20 {
        all.push((format!("noise {seed}"), disturbed(rate, with_noise(seed, 0.08))));
        all.push((format!("gaps {seed}"), disturbed(rate, with_gaps(seed))));
    }
    all.into_iter().map(|(how, intervals)| (how, shape(&intervals, SPAN).expect("a shape"))).collect()
}

/// Such a fill once had an end from 101 to 25 MB/s, and 72 % of what followed left out as recoveries.
#[test]
fn what_is_left_out_as_recovered_is_judged_by_the_middle_that_made_it_an_end() {
    let rate = |share: f64| match share {
        share if share < 0.3 => 100.0 * MB,
        share if share < 0.5 => 25.0 * MB,
        _ => 60.0 * MB,
    };
    for (how, shape) in ways(rate) {
        if how.starts_with("gaps") && !matches!(shape.course.answer, Answer::Ended(_)) {
            continue;
        }
        let place = cliff(&shape.course);
        assert!((place - 0.3 * SPAN).abs() <= 25.0 * MB, "{how}: {place}");
        assert!(shape.recovered_share <= if how == "even" { 0.0 } else { 0.25 }, "{how}: {shape:?}");
        // 0.2 of the span at 25 and 0.5 at 60 MB/s: 42.9.
        let told = how.starts_with("gaps") || (shape.sustained / MB - 42.9).abs() < 3.0;
        assert!(told, "{how}: {}", shape.sustained);
    }
}

/// Such fills once "sank without a step".
#[test]
fn a_step_with_a_decline_behind_it_is_the_end_of_a_cache() {
    for (at, behind, to) in [(0.3, 0.4, 0.16), (0.3, 0.4, 0.24), (0.3, 0.4, 0.3), (0.5, 0.5, 0.2), (0.6, 0.3, 0.1)] {
        let rate = move |share: f64| {
            let slow = behind - (behind - to) * (share - at) / (1.0 - at);
            100.0 * MB * if share < at { 1.0 } else { slow }
        };
        let mut found = 0;
        for (how, shape) in ways(rate) {
            let Answer::Ended(end) = shape.course.answer else {
                assert!(how.starts_with("gaps"), "{at} {behind} {to} {how}: {shape:?}");
                continue;
            };
            found += 1;
            let (place, near) = (end.edge.bytes, if how.starts_with("gaps") { 45.0 } else { 25.0 } * MB);
            assert!((place - at * SPAN).abs() <= near, "{at} {behind} {to} {how}: {place}");
            // The last quarter of an even decline, compared with the first half.
            let due = 1.0 - (to + (behind - to) / 8.0) / (behind - (behind - to) / 4.0);
            let told = how.starts_with("gaps") || (shape.late_decline - due).abs() < 0.1;
            assert!(told, "{at} {to} {how}: {}, not {due}", shape.late_decline);
        }
        assert!(found >= 36, "{at} {behind} {to}: {found} of 42");
    }
}

#[test]
fn a_slow_decline_has_no_step_through_noise_and_in_small_steps() {
    let in_five = |share: f64| 100.0 * MB * 0.8_f64.powf((5.0 * share).floor());
    let even = |share: f64| 100.0 * MB * (1.0 - 0.6 * share);
    for rate in [&in_five as &dyn Fn(f64) -> f64, &even] {
        let mut seen = [0, 0, 0];
        for (how, shape) in ways(rate) {
            match shape.course.answer {
                Answer::Declined(..) => seen[0] += 1,
                Answer::TooLittle(_) => seen[1] += 1,
                Answer::Ended(_) if how.starts_with("gaps") => seen[2] += 1,
                other => panic!("{how}: {other:?}"),
            }
        }
        assert!(seen[0] >= 30, "{seen:?}");
    }
}

/// Noise once made a step, and so an end, of one in nine such declines.
#[test]
fn noise_hardly_ever_makes_a_step_of_a_slow_decline() {
    let even = |share: f64| 100.0 * MB * (1.0 - 0.6 * share);
    let in_sixteen = |share: f64| 100.0 * MB * (1.0 - (16.0 * share).floor() / 24.0);
    for rate in [&even as &dyn Fn(f64) -> f64, &in_sixteen] {
        let ended = |deviation: Option<f64>| {
            let one = |seed: u64| match deviation {
                Some(deviation) => disturbed(rate, with_noise(seed, deviation)),
                None => disturbed(rate, with_gaps(seed)),
            };
            let courses = (1..=200).map(|seed| course(SPAN, &one(7919 * seed)));
            courses.filter(|course| matches!(course.answer, Answer::Ended(_))).count()
        };
        let [some, much, gaps] = [ended(Some(0.2)), ended(Some(0.4)), ended(None)];
        println!("{some} {much} {gaps}");
        assert!(some == 0 && much <= 4 && gaps <= 6, "{some}, {much} and {gaps} of 200");
    }
}

/// Kernel fills of some 5 s whose rate falls by a quarter once had no end, or one that was 15 MB off.
#[test]
fn a_fall_by_a_quarter_is_found_beside_the_gaps_of_a_busy_machine() {
    for at in [0.3, 0.45, 0.62, 0.8] {
        for full in [50.0 * MB, 100.0 * MB] {
            let mut found = 0;
            for (how, shape) in ways(|share| if share < at { full } else { 0.75 * full }) {
                // A slice that is served twice, or what a gap held back, puts off an end right before it.
                let seconds = if how == "sliced" || how.starts_with("gaps") { 0.6 } else { 0.25 };
                let near = f64::max(0.02 * at * SPAN, seconds * full);
                if let Answer::Ended(end) = shape.course.answer {
                    let place = end.edge.bytes;
                    assert!((place - at * SPAN).abs() <= near, "{at} {full} {how}: {place}");
                    found += 1;
                } else {
                    assert!(how.starts_with("gaps"), "{at} {full} {how}: {shape:?}");
                }
            }
            assert!(found >= 28, "{at} {full}: {found} of 42");
        }
    }
}

#[test]
fn a_fall_that_noise_might_be_is_too_little_to_tell_and_noise_alone_hardly_ever() {
    let told = |rate: &dyn Fn(f64) -> f64| {
        let mut seen = [0, 0, 0];
        for seed in 1..=200 {
            match course(SPAN, &disturbed(rate, with_noise(seed, 0.2))).answer {
                Answer::Ended(_) => seen[0] += 1,
                Answer::TooLittle(_) => seen[1] += 1,
                _ => seen[2] += 1,
            }
        }
        seen
    };
    let [ended, too_little, other] = told(&|share| if share < 0.6 { 100.0 * MB } else { 72.0 * MB });
    assert!(too_little > 100 && other < 40, "{ended} {too_little} {other}");
    let [ended, too_little, _] = told(&|_| 100.0 * MB);
    assert!(ended == 0 && too_little <= 10, "{ended} {too_little}");
}

/// Three gaps of half a second in 6 s once counted as "how the drive writes" and were not reported.
#[test]
fn a_few_gaps_are_told_in_a_short_fill_and_many_are_how_the_drive_writes() {
    let gaps =
        |every_s: f64| move |_: f64, time: f64| if time % every_s > every_s - 0.5 { 0.01 * MB } else { 105.0 * MB };
    for every_s in [1.45, 1.7] {
        let found = course(SPAN, &drawn(SPAN, 0.1, gaps(every_s))).stalls;
        assert!((3..=4).contains(&found.len()), "{every_s}: {found:?}");
    }
    assert_eq!(course(SPAN, &drawn(SPAN, 0.1, gaps(0.9))).stalls, []);
}

/// After a gap there, the rate was once reported "as fast as before" although it was four times as fast.
#[test]
fn a_gap_at_the_end_of_the_cache_knows_the_rates_before_and_behind_it() {
    for gap_s in [0.5, 0.8] {
        let ends_s = 0.6 * SPAN / (105.0 * MB);
        let rate = move |_: f64, time: f64| match time - ends_s {
            since if since < 0.0 => 105.0 * MB,
            since if since < gap_s => 0.01 * MB,
            _ => 26.0 * MB,
        };
        let course = course(SPAN, &drawn(SPAN, 0.1, rate));
        let place = cliff(&course);
        assert!((place - 0.6 * SPAN).abs() <= 10.0 * MB, "{place}");
        let [Stall { lost_s, before, behind, .. }] = course.stalls[..] else { panic!("{course:?}") };
        assert!((lost_s - gap_s).abs() <= 0.2, "{lost_s}, not {gap_s}");
        assert!((before - 105.0 * MB).abs() < 5.0 * MB && (behind - 26.0 * MB).abs() < 2.0 * MB, "{before} {behind}");
    }
}

/// The burst once went untold, and into the rate before the end: "from 222 MB/s".
#[test]
fn a_burst_right_before_a_small_cache_is_told_and_no_part_of_its_rate() {
    for (cache, seconds) in [(0.1, 9.0), (0.15, 4.5), (0.15, 9.0), (0.2, 45.0)] {
        let rate = |bytes: f64, _: f64| match bytes / SPAN {
            share if share < 0.04 => 400.0 * SPAN / 448.0,
            share if share < cache => 100.0 * SPAN / 448.0,
            _ => 25.0 * SPAN / 448.0,
        };
        let scale = seconds / 4.5;
        let shape = shape(&drawn(SPAN, 0.1, |bytes, time| rate(bytes, time) / scale), SPAN).expect("a shape");
        let place = cliff(&shape.course);
        assert!((place / SPAN - cache).abs() <= 0.03, "{cache} {seconds}: {shape:?}");
        assert!(shape.course.burst.is_some(), "{cache} {seconds}: {shape:?}");
        let before = 100.0 * SPAN / 448.0 / scale;
        assert!((shape.peak / before - 1.0).abs() < 0.15, "{cache} {seconds}: {} not {before}", shape.peak);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// What docs/metrics.md states about every end, whatever the course.
    #[test]
    fn at_most_two_fifths_of_what_follows_an_end_are_recoveries(
        levels in proptest::collection::vec((0.05_f64..1.0, 0.05_f64..1.0), 2..9),
        noise in 0.0_f64..0.4,
        seed in 1_u64..u64::MAX,
        full in 20.0_f64..400.0,
    ) {
        let all: f64 = levels.iter().map(|(width, _)| width).sum();
        let rate = |share: f64| {
            let ends = levels.iter().scan(0.0, |end, (width, level)| {
                *end += width / all;
                Some((*end, *level))
            });
            let level = ends.into_iter().find(|(end, _)| share < *end).map_or(levels[0].1, |(_, level)| level);
            full * MB * level
        };
        if let Some(shape) = shape(&disturbed(rate, with_noise(seed, noise)), SPAN) {
            prop_assert!(shape.recovered_share <= 0.4 + 1e-9, "{shape:?}");
            prop_assert!(shape.sustained <= shape.peak || shape.cache_bytes.is_none(), "{shape:?}");
        }
    }
}
