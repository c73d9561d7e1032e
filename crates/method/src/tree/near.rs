//! Finds the known word nearest to an unknown one, for "did you mean".
//!
//! Owns which distance is used (optimal string alignment: insert, delete, replace, swap neighbours) and its limit.

/// Words further away than this share of their length are no help.
const CLOSE: usize = 3;

/// Names that flags of `drivelab io` and options of fio use for a parameter, with its name in the language.
const ELSEWHERE: [(&str, &str); 8] = [
    ("qd", "queue_depth"),
    ("iodepth", "queue_depth"),
    ("bs", "block_size"),
    ("block", "block_size"),
    ("numjobs", "threads"),
    ("runtime", "time"),
    ("rw", "op"),
    ("ramp_time", "ramp"),
];

/// The parameter that other programs call by this name.
pub(crate) fn called_elsewhere(word: &str) -> Option<&'static str> {
    ELSEWHERE.iter().find(|(other, _)| *other == word).map(|(_, own)| *own)
}

/// Longer texts are not compared, because no word of the language is that long.
const LONGEST: usize = 64;

/// The nearest known word, if one is near enough to be meant.
pub(crate) fn nearest<'k>(unknown: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let unknown = unknown.to_ascii_lowercase().replace(['-', ' '], "_");
    if unknown.len() > LONGEST {
        return None;
    }
    let limit = |word: &str| (word.chars().count().max(unknown.chars().count()) / CLOSE).max(1);
    known
        .into_iter()
        .map(|word| (strsim::osa_distance(&unknown, &word.replace('-', "_")), word))
        .filter(|(distance, word)| *distance <= limit(word))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_of_the_pen_and_nothing_else() {
        let known = ["queue_depth", "block_size", "threads", "time"];
        assert_eq!(nearest("queue_dept", known), Some("queue_depth"));
        assert_eq!(nearest("queue-depth", known), Some("queue_depth"));
        assert_eq!(nearest("thraeds", known), Some("threads"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("", known), None);
    }
}
