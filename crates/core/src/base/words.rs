//! Words joined for sentences.

/// `A`, `A and B`, `A, B and C`; empty for no parts.
#[must_use]
pub fn enumerated<T: AsRef<str>>(parts: &[T]) -> String {
    let mut text = String::new();
    for (at, part) in parts.iter().enumerate() {
        text.push_str(match at {
            0 => "",
            last if last + 1 == parts.len() => " and ",
            _ => ", ",
        });
        text.push_str(part.as_ref());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_several_parts_follows_an_and() {
        let of = |parts: &[&str]| enumerated(parts);
        assert_eq!([of(&[]), of(&["A"]), of(&["A", "B"]), of(&["A", "B", "C"])], ["", "A", "A and B", "A, B and C"]);
    }
}
