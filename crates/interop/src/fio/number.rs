//! Numbers as fio reads them: sizes with their unit, times, percentages, and sums in parentheses.
//!
//! Owns the rule that with fio's default `kb_base=1024` `k` and `kb` are 1024 and `kib` is 1000, and that
//! `kb_base=1000` reverses both (fio HOWTO, "Parameter types"). Must not know: options.

/// A quantity of bytes, or a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Amount {
    /// Bytes, or a number without a unit.
    Bytes(u64),
    /// Per cent.
    Percent(u64),
}

/// Words that fio replaces by numbers of the machine. They would make a methodology differ between hosts.
pub(super) const KEYWORDS: [&str; 3] = ["$pagesize", "$mb_memory", "$ncpus"];

/// A number with an optional unit of bytes.
pub(super) fn bytes(text: &str, kb_base: u64) -> Option<u64> {
    match amount(text, kb_base)? {
        Amount::Bytes(value) => Some(value),
        Amount::Percent(_) => None,
    }
}

/// Bytes or per cent.
pub(super) fn amount(text: &str, kb_base: u64) -> Option<Amount> {
    let text = text.trim();
    if let Some(percent) = text.strip_suffix('%') {
        return percent.trim().parse().ok().filter(|percent| *percent <= 100).map(Amount::Percent);
    }
    if text.starts_with('(') {
        return sum(text, &|one| with_unit(one, kb_base)).map(Amount::Bytes);
    }
    with_unit(text, kb_base).map(Amount::Bytes)
}

/// `share` / `of` of a number, rounded down.
pub(super) const fn fraction(all: u64, share: u64, of: u64) -> u64 {
    debug_assert!(share <= of && of <= 100, "a share in per cent at most");
    // Both products stay in range, because no share is larger than the whole.
    all / of * share + all % of * share / of
}

fn with_unit(text: &str, kb_base: u64) -> Option<u64> {
    let (number, unit) = split(text)?;
    number.checked_mul(multiplier(unit, kb_base)?)
}

/// The factor of a unit of bytes.
fn multiplier(unit: &str, kb_base: u64) -> Option<u64> {
    let unit = unit.trim().to_ascii_lowercase();
    if matches!(unit.as_str(), "" | "b") {
        return Some(1);
    }
    let power = match unit.chars().next()? {
        'k' => 1,
        'm' => 2,
        'g' => 3,
        't' => 4,
        'p' => 5,
        _ => return None,
    };
    let base: u64 = match (unit.get(1..)?, kb_base) {
        ("ib", 1000) => 1024,
        ("ib", _) => 1000,
        ("" | "b" | "i", base) => base,
        _ => return None,
    };
    base.checked_pow(power)
}

/// The digits at the start of a text, whatever follows them: fio's value of a switch.
pub(super) fn leading(text: &str) -> Option<u64> {
    split(text).map(|(number, _)| number)
}

/// The text before a decimal point: fio reads whole numbers, and nothing from the point on.
pub(super) fn before_point(text: &str) -> &str {
    text.split_once('.').map_or(text, |(whole, _)| whole)
}

/// Nanoseconds. A number without a unit is in `bare` nanoseconds, and so is one with a decimal point, whatever unit
/// follows.
pub(super) fn time(text: &str, bare: u64) -> Option<u64> {
    let text = text.trim();
    let text = if text.starts_with('(') { text } else { before_point(text) };
    let one = |text: &str| {
        let (number, unit) = split(text)?;
        let unit = match unit.trim().to_ascii_lowercase().as_str() {
            "" => bare,
            "us" | "usec" => 1_000,
            "ms" | "msec" => 1_000_000,
            "s" | "sec" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "d" => 86_400_000_000_000,
            _ => return None,
        };
        number.checked_mul(unit)
    };
    if text.starts_with('(') { sum(text, &one) } else { one(text) }
}

/// A number without a sign, decimal or with 0x, and the text after it.
fn split(text: &str) -> Option<(u64, &str)> {
    let text = text.trim();
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let end = digits.find(|sign: char| !sign.is_ascii_hexdigit()).unwrap_or(digits.len());
        return Some((u64::from_str_radix(&digits[..end], 16).ok()?, &digits[end..]));
    }
    let end = text.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// A sum or product of numbers in parentheses, in whole numbers.
fn sum(text: &str, number: &dyn Fn(&str) -> Option<u64>) -> Option<u64> {
    let mut terms = Terms { text: text.as_bytes(), at: 0, number };
    let value = terms.sum(0)?;
    (terms.peek().is_none() && value >= 0).then(|| u64::try_from(value).ok())?
}

struct Terms<'t> {
    text: &'t [u8],
    at: usize,
    number: &'t dyn Fn(&str) -> Option<u64>,
}

impl Terms<'_> {
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn sum(&mut self, depth: usize) -> Option<i128> {
        let mut value = self.product(depth)?;
        while let Some(sign @ (b'+' | b'-')) = self.peek() {
            self.at += 1;
            let other = self.product(depth)?;
            value = if sign == b'+' { value.checked_add(other)? } else { value.checked_sub(other)? };
        }
        Some(value)
    }

    fn product(&mut self, depth: usize) -> Option<i128> {
        let mut value = self.one(depth)?;
        while let Some(sign @ (b'*' | b'/')) = self.peek() {
            self.at += 1;
            let other = self.one(depth)?;
            value = if sign == b'*' { value.checked_mul(other)? } else { value.checked_div(other)? };
        }
        Some(value)
    }

    fn one(&mut self, depth: usize) -> Option<i128> {
        if self.peek()? == b'(' {
            if depth > 32 {
                return None;
            }
            self.at += 1;
            let value = self.sum(depth + 1)?;
            (self.peek()? == b')').then(|| self.at += 1)?;
            return Some(value);
        }
        let start = self.at;
        while self.text.get(self.at).is_some_and(u8::is_ascii_alphanumeric) {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.text[start..self.at]).ok()?;
        (self.number)(text).map(i128::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_fio_with_both_bases() {
        for (text, base, expected) in [
            ("4k", 1024, 4096),
            ("4kb", 1024, 4096),
            ("4kib", 1024, 4000),
            ("4ki", 1024, 4096),
            ("4K", 1000, 4000),
            ("4KiB", 1000, 4096),
            ("1m", 1024, 1 << 20),
            ("2G", 1024, 2 << 30),
            ("0x10", 1024, 16),
            ("(4k*2+1k)/3", 1024, 3072),
            ("512", 1024, 512),
        ] {
            assert_eq!(bytes(text, base), Some(expected), "{text} with {base}");
        }
        assert_eq!(amount("30%", 1024), Some(Amount::Percent(30)));
        for text in ["", "k", "4x", "130%", "(4k", "-5", "(1-2)", "99999999999p"] {
            assert_eq!(amount(text, 1024), None, "{text}");
        }
        assert_eq!(time("90", 1_000_000_000), Some(90_000_000_000));
        assert_eq!(time("2m", 1), Some(120_000_000_000));
        assert_eq!(time("500ms", 1), Some(500_000_000));
        assert_eq!(time("1.5", 7), Some(7), "nothing behind the point is read");
        assert_eq!(time("0.5ms", 1), Some(0), "nor is the unit");
        assert_eq!(time(".5", 1), None);
        assert_eq!([fraction(1 << 20, 50, 100), fraction(199, 50, 100), fraction(150, 1, 100)], [1 << 19, 99, 1]);
        assert_eq!([fraction(u64::MAX, 100, 100), fraction(u64::MAX, 1, 1)], [u64::MAX; 2]);
        assert_eq!([leading("0x1"), leading("01"), leading("1k"), leading("yes")], [Some(1), Some(1), Some(1), None]);
    }
}
