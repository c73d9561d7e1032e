//! Values for reads, writes and trims in one option: `bs=4k,8k,16k`, `bssplit=4k/50:8k/50,64k`.
//!
//! Owns which field applies to which direction, as fio's parser decides it: the last stated field applies to those
//! that follow, and an empty one keeps the earlier value. Facts: fio's parse.c (handle_option) and options.c
//! (str_split_parse), and what fio 3.33 was observed to issue. Must not know: what the values mean.

/// How the fields of an option are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parted {
    /// By commas; colons and hyphens separate too.
    Numbers,
    /// Only by commas, because hyphens are used inside.
    Ranges,
    /// Only by commas, and a single comma separates reads from everything else.
    Lists,
}

/// Which of the three fields: reads, writes, trims.
pub(super) const READS: usize = 0;
/// Writes.
pub(super) const WRITES: usize = 1;
/// Trims.
pub(super) const TRIMS: usize = 2;

/// The three fields of one value.
pub(super) fn of(value: &str, parted: Parted) -> [Option<&str>; 3] {
    let value = value.trim();
    if parted == Parted::Lists {
        return lists(value);
    }
    let mut found = [None; 3];
    let (mut rest, mut at) = (value, 0_usize);
    loop {
        let sign = sign(rest, parted);
        let (part, behind) = match sign {
            Some(sign) => (&rest[..sign], Some(&rest[sign + 1..])),
            None => (rest, None),
        };
        let part = part.trim();
        if !part.is_empty() {
            if at < 3 {
                found[at] = Some(part);
            }
            if behind.is_none() {
                found.iter_mut().skip(at + 1).for_each(|later| *later = Some(part));
            }
        }
        let Some(behind) = behind else { return found };
        (rest, at) = (behind, at + 1);
    }
}

fn sign(text: &str, parted: Parted) -> Option<usize> {
    let comma = text.find(',');
    if parted == Parted::Ranges {
        return comma;
    }
    // A hyphen at the beginning is a sign of a number.
    let hyphen = || text.char_indices().skip(1).find(|(_, sign)| *sign == '-').map(|(at, _)| at);
    comma.or_else(|| text.find(':')).or_else(hyphen)
}

fn lists(value: &str) -> [Option<&str>; 3] {
    let stated = |text: &'_ str| !text.trim().is_empty();
    let Some((reads, rest)) = value.split_once(',') else { return [Some(value).filter(|text| stated(text)); 3] };
    let (writes, trims) = rest.split_once(',').unwrap_or((rest, rest));
    [reads, writes, trims].map(|text| Some(text.trim()).filter(|text| stated(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_is_not_stated_follows_the_rules_of_fio() {
        let numbers = |text| of(text, Parted::Numbers);
        assert_eq!(numbers("8k"), [Some("8k"); 3]);
        assert_eq!(numbers("8k,16k"), [Some("8k"), Some("16k"), Some("16k")]);
        assert_eq!(numbers("8k,"), [Some("8k"), None, None]);
        assert_eq!(numbers("8k,16k,"), [Some("8k"), Some("16k"), None]);
        assert_eq!(numbers("8k,,32k"), [Some("8k"), None, Some("32k")]);
        assert_eq!(numbers(",8k"), [None, Some("8k"), Some("8k")]);
        assert_eq!(numbers(",8k,"), [None, Some("8k"), None]);
        assert_eq!(numbers("1k:2k-3k"), [Some("1k"), Some("2k"), Some("3k")]);
        assert_eq!(numbers(","), [None; 3]);
        assert_eq!(of("4k-8k,16k-32k", Parted::Ranges), [Some("4k-8k"), Some("16k-32k"), Some("16k-32k")]);
        assert_eq!(of("4k/50:8k,", Parted::Lists), [Some("4k/50:8k"), None, None]);
        assert_eq!(of("a,b", Parted::Lists), [Some("a"), Some("b"), Some("b")]);
        assert_eq!(of("a,,c", Parted::Lists), [Some("a"), None, Some("c")]);
    }
}
