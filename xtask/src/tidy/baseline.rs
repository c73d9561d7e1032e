//! Exceptions from before a rule existed: a table of numbers that may fall but not rise.
//!
//! A number above its row breaks the rule. For a number below it, the row has to be lowered, so that the improvement
//! is kept. A table without rows is deleted, and this file with the last table.

/// How much is still allowed, by place. A place without a row must follow the rule.
pub(super) type Baseline = [(&'static str, usize)];

/// How a number compares with what is allowed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stand {
    /// As the table says.
    Fits,
    /// Above what the rule or the table allows.
    Above,
    /// Below the row, which has this number.
    Below(usize),
}

/// How the number `now` of a place compares, if the rule itself allows `rule`.
pub(super) fn stand(table: &Baseline, place: &str, now: usize, rule: usize) -> Stand {
    match table.iter().find(|(row, _)| *row == place) {
        Some((_, allowed)) if now > *allowed.max(&rule) => Stand::Above,
        Some((_, allowed)) if now < *allowed || *allowed <= rule => Stand::Below(*allowed),
        Some(_) => Stand::Fits,
        None if now > rule => Stand::Above,
        None => Stand::Fits,
    }
}

/// What to do about a row that has become too high.
pub(super) fn lower(place: &str, now: usize, rule: usize) -> String {
    if now > rule { format!("lower the row of {place} to {now}") } else { format!("remove the row of {place}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &Baseline = &[("a", 40), ("b", 20)];

    #[test]
    fn a_number_may_fall_but_the_row_falls_with_it() {
        assert_eq!(stand(TABLE, "a", 40, 25), Stand::Fits);
        assert_eq!(stand(TABLE, "a", 41, 25), Stand::Above);
        assert_eq!(stand(TABLE, "a", 39, 25), Stand::Below(40));
        assert_eq!(lower("a", 39, 25), "lower the row of a to 39");
        assert_eq!(lower("a", 25, 25), "remove the row of a");
    }

    #[test]
    fn what_has_no_row_is_held_to_the_rule() {
        assert_eq!(stand(TABLE, "c", 25, 25), Stand::Fits);
        assert_eq!(stand(TABLE, "c", 26, 25), Stand::Above);
    }

    #[test]
    fn a_row_that_allows_no_more_than_the_rule_is_left_over() {
        assert_eq!(stand(TABLE, "b", 20, 25), Stand::Below(20));
    }
}
