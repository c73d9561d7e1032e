//! What is left from before a rule: a table of numbers that may fall and not rise.
//!
//! A number above its row breaks the rule. One below it asks for the row to be lowered, so that what was won is kept.
//! A table without rows goes away, and this file with the last of them.

/// How much is still allowed, by place. What has no row is held to the rule.
pub(super) type Baseline = [(&'static str, usize)];

/// How a number stands to what is allowed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stand {
    /// As the table says.
    Fits,
    /// Above what the rule or the table allows.
    Above,
    /// Below the row, which says this number.
    Below(usize),
}

/// How the number `now` of a place stands, where the rule itself allows `rule`.
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
