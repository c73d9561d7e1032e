//! The words of each finding.

use drivelab_core::finding::Finding;

use super::*;
use crate::check::testing::{assert_all_covered, in_words, rounds, seen};
use crate::evidence::evidence;
use crate::topics::heat::HEAT;

/// A minute at this rate at the end, after one at 1,000 MB/s at the start.
fn minutes(last: f64) -> Seen {
    seen(vec![evidence("rate of the last minute (limit: first)", last, Some(1000.0), "MB/s")])
}

#[test]
fn each_finding_in_its_words() {
    let fell = seen(Vec::new()).noting("100 s");
    let often = fell.clone().noting(bursts(Rhythm { bursts: 5, slow_s: 12.0, every_s: 60.0 }));
    let [slow, slower] = [minutes(900.0), minutes(400.0)];
    let blind = |seen: &Seen| seen.clone().noting(NO_TEMPERATURE);
    let [first, second, third] = &rounds(&slow, 3)[..] else { panic!("three rounds") };
    let third = Seen { key: third.key.clone(), ..slower.clone() };
    let all: Vec<Finding> = vec![
        THROTTLED.about(&rounds(&fell, 1)),
        THROTTLED.about(&rounds(&fell, 3)),
        THROTTLED.about(&[often]),
        MINUTES.about(&rounds(&slower, 1)),
        MINUTES.about(&[blind(&slower)]),
        MINUTES.about(&[first.clone(), second.clone(), third.clone()]),
        MINUTES.about(&[blind(first), second.clone(), third.clone()]),
        MINUTES.about(&[blind(first), blind(second), third.clone()]),
        MINUTES.about(&rounds(&blind(&slower), 3)),
    ];
    assert_all_covered(HEAT, &all);
    insta::assert_snapshot!(in_words(&all));
}
