//! The time spent in each part of a span: the only place where time is divided by position, for fills and maps.
//!
//! Within an interval the rate counts as constant. A stall, in which nothing was done, belongs to the work after it.

/// Seconds (or another amount) that fall into each part. An interval is (bytes done, seconds taken), in order;
/// `borders` are byte positions in rising order, and each part is between two of them. Time before the first border and
/// after the last one is left out.
pub(crate) fn cut(intervals: impl IntoIterator<Item = (f64, f64)>, borders: &[f64]) -> Vec<f64> {
    let mut passed = vec![0.0; borders.len().saturating_sub(1)];
    let (mut done, mut part) = (0.0, 0);
    for (amount, time) in intervals {
        let end = done + amount;
        // The next part begins after the border at which an interval ended.
        while borders.get(part + 1).is_some_and(|border| *border <= done) {
            part += 1;
        }
        if amount <= 0.0 {
            let inside = borders.get(part).is_some_and(|border| *border <= done);
            passed.get_mut(part).filter(|_| inside).into_iter().for_each(|passed| *passed += time);
            continue;
        }
        for (pair, passed) in borders.windows(2).zip(&mut passed).skip(part) {
            let (from, to) = (pair[0].max(done), pair[1].min(end));
            if pair[0] >= end {
                break;
            }
            if to > from {
                *passed += time * (to - from) / amount;
            }
        }
        done = end;
    }
    passed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_even_and_a_stall_belongs_to_what_comes_next() {
        // 4 in 1 s, a stall of 3 s, 4 in 2 s.
        let intervals = [(4.0, 1.0), (0.0, 3.0), (4.0, 2.0)];
        assert_eq!(cut(intervals, &[0.0, 2.0, 4.0, 6.0, 8.0]), [0.5, 0.5, 4.0, 1.0]);
        assert_eq!(cut(intervals, &[2.0, 6.0]), [4.5]);
        assert_eq!(cut(intervals, &[6.0, 8.0, 10.0]), [1.0, 0.0], "the last part was not reached");
    }

    #[test]
    fn a_stall_at_the_start_counts_for_the_first_part_and_one_behind_the_last_border_for_none() {
        let intervals = [(0.0, 2.0), (4.0, 1.0), (0.0, 5.0)];
        assert_eq!(cut(intervals, &[0.0, 4.0]), [3.0]);
        assert_eq!(cut(intervals, &[0.0, 4.0, 8.0]), [3.0, 5.0], "the next part was being done");
        assert_eq!(cut([], &[0.0, 1.0]), [0.0]);
        assert_eq!(cut(intervals, &[]), Vec::<f64>::new());
    }
}
