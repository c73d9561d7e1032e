//! The end of a run's id: what people read and type.

use drivelab_core::ids::RunId;

/// Fewest characters of an id that are shown.
pub const LEAST_ID: usize = 6;

/// The last characters of an id.
#[must_use]
pub fn end_of(id: RunId, characters: usize) -> String {
    let id = id.to_string();
    id.chars().skip(id.chars().count().saturating_sub(characters)).collect()
}

/// How many characters at the end of an id are enough to tell all runs apart.
#[must_use]
pub fn characters(ids: &[RunId]) -> usize {
    let texts: Vec<String> = ids.iter().map(RunId::to_string).collect();
    let last = |text: &String, count: usize| text.chars().rev().take(count).collect::<String>();
    let apart = |count: &usize| {
        let mut ends: Vec<String> = texts.iter().map(|text| last(text, *count)).collect();
        ends.sort();
        ends.windows(2).all(|two| two[0] != two[1])
    };
    (LEAST_ID..).find(apart).unwrap_or(LEAST_ID)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_as_long_as_needed_to_tell_runs_apart() {
        let id = |last: u8| RunId::of(1, [1, 2, 3, 4, 5, 6, 7, 8, 9, last]);
        assert_eq!(characters(&[id(1), id(2)]), 6);
        let far = RunId::of(1, [1, 2, 3, 4, 5, 6, 99, 8, 9, 1]);
        assert_eq!(characters(&[id(1), far]), 7);
        assert_eq!(characters(&[]), 6);
    }
}
