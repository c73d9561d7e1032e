//! The nearest known word to an unknown one, for "did you mean".
//!
//! Owns the distance (optimal string alignment: insert, delete, replace, swap neighbours) and its limit.

/// Words further away than this share of their length are no help.
const CLOSE: usize = 3;

/// Texts longer than this are not compared; no word of the language comes near it.
const LONGEST: usize = 64;

/// The known word that is nearest, where one is near enough to be what was meant.
pub(crate) fn nearest<'k>(unknown: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let unknown = unknown.to_ascii_lowercase().replace(['-', ' '], "_");
    if unknown.len() > LONGEST {
        return None;
    }
    let limit = |word: &str| (word.chars().count().max(unknown.chars().count()) / CLOSE).max(1);
    known
        .into_iter()
        .map(|word| (distance(&unknown, &word.replace('-', "_")), word))
        .filter(|(distance, word)| *distance <= limit(word))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// Edits that turn one text into the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
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
