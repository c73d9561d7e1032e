//! Rounding worked out by hand.

use super::*;
use crate::ids::StepId;
use crate::relative::Rounding;

#[test]
fn vdbench_rounds_up_by_the_size_of_the_rate_and_drops_what_is_below_ten() {
    // In thousandths: 9.999 -> none, 10 -> 10, 10.001 -> 20, 987.6 -> 990, 1,000 -> 1,000, 1,000.001 -> 1,100, 12,345 -> 12,400.
    let cases = [
        (9_999, None),
        (10_000, Some(10_000)),
        (10_001, Some(20_000)),
        (987_600, Some(990_000)),
        (1_000_000, Some(1_000_000)),
        (1_000_001, Some(1_100_000)),
        (12_345_000, Some(12_400_000)),
    ];
    for (share, asked) in cases {
        assert_eq!(Rounding::Vdbench.of(share), asked, "{share}");
    }
    assert_eq!((Rounding::None.of(0), Rounding::None.of(9_999)), (None, Some(9_999)));
}

#[test]
fn the_rounded_sum_is_split_as_the_base_split_it() {
    let relative = |percent, rounding| RelativeRate {
        of: StepId::new("test", "base"),
        percent,
        rounding,
        arrivals: Arrivals::Exponential,
        stop_above: None,
    };
    // 3,000 and 1,000 operations per second beside a load with a rate of its own; half of 4,000 is 2,000.
    let done = [Some(3_000_000), None, Some(1_000_000)];
    assert_eq!(rates(&relative(50, Rounding::None), &done), Some(vec![Some(1_500_000), None, Some(500_000)]));
    // 51 % are 2,040, rounded up to 2,100: 1,575 and 525.
    assert_eq!(rates(&relative(51, Rounding::Vdbench), &done), Some(vec![Some(1_575_000), None, Some(525_000)]));
    assert_eq!(rates(&relative(120, Rounding::None), &done), Some(vec![Some(3_600_000), None, Some(1_200_000)]));
    assert_eq!(rates(&relative(10, Rounding::Vdbench), &[Some(99_000)]), None, "9.9 per second");
    assert_eq!(rates(&relative(10, Rounding::None), &[Some(0)]), None);
}
