//! Values of parameters: sizes, times, numbers, and lists that count up.
//!
//! Must not know: parameters.

/// Bytes: a number with k, m, g or t, all binary.
pub(super) fn size(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let text = text.strip_suffix('b').unwrap_or(&text);
    let (number, unit) = match text.char_indices().next_back()? {
        (at, 'k') => (&text[..at], 1 << 10),
        (at, 'm') => (&text[..at], 1 << 20),
        (at, 'g') => (&text[..at], 1 << 30),
        (at, 't') => (&text[..at], 1 << 40),
        (at, 'p') => (&text[..at], 1 << 50),
        _ => (text, 1_u64),
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

/// Nanoseconds: seconds, or a number with s, m or h.
pub(super) fn time(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let end = text.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(text.len());
    let unit: u64 = match text[end..].trim() {
        "" | "s" | "sec" | "seconds" => 1,
        "m" | "min" | "minutes" => 60,
        "h" | "hours" => 3600,
        "d" | "days" => 86_400,
        _ => return None,
    };
    text[..end].parse::<u64>().ok()?.checked_mul(unit)?.checked_mul(1_000_000_000)
}

/// A number with decimals, possibly with a per cent sign after it, in thousandths; further decimals are cut off.
pub(super) fn thousandths(text: &str) -> Option<u64> {
    let text = text.trim().trim_end_matches('%');
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() && fraction.is_empty() || !digits(whole) || !digits(fraction) {
        return None;
    }
    let part: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    whole.checked_mul(1000)?.checked_add(part)
}

/// Per cent in thousandths, at most 100.
pub(super) fn percent(text: &str) -> Option<u64> {
    thousandths(text).filter(|percent| *percent <= 100_000)
}

/// Thousandths as a whole number, halves rounded up.
pub(super) const fn rounded(thousandths: u64) -> u64 {
    (thousandths + 500) / 1000
}

/// The values of a loop: `(1,2,4)`, `(1k-64k,d)` for doubling, `(10-50,10)` for counting up.
pub(super) fn list(values: &[String], one: &dyn Fn(&str) -> Option<u64>) -> Option<Vec<u64>> {
    /// Most values of a loop.
    const MOST: usize = 200;
    let range = values.first().and_then(|first| first.split_once('-'));
    let (Some((low, high)), [_, step]) = (range, values) else {
        return values.iter().map(|text| one(text)).collect();
    };
    let (low, high) = (one(low)?, one(high)?);
    let double = step == "d";
    let step = if double { 0 } else { one(step)? };
    if low == 0 && double || !double && step == 0 {
        return None;
    }
    let next = |value: &u64| if double { value.checked_mul(2) } else { value.checked_add(step) };
    let all: Vec<u64> =
        std::iter::successors(Some(low), next).take_while(|value| *value <= high).take(MOST + 1).collect();
    (all.len() <= MOST && !all.is_empty()).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_vdbench_reads_them() {
        assert_eq!([size("4k"), size("4096"), size("10G"), size("x")], [Some(4096), Some(4096), Some(10 << 30), None]);
        assert_eq!(
            [time("30"), time("1h"), time("5m")].map(|time| time.map(|ns| ns / 1_000_000_000)),
            [Some(30), Some(3600), Some(300)]
        );
        assert_eq!([thousandths("66.6"), thousandths("7"), thousandths(".5")], [Some(66_600), Some(7000), Some(500)]);
        assert_eq!([thousandths("6.6.6"), thousandths("."), thousandths("-1"), percent("100.1")], [None; 4]);
        assert_eq!([rounded(33_400), rounded(50_500)], [33, 51]);
        let words = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(list(&words("1k-8k,d"), &size), Some(vec![1024, 2048, 4096, 8192]));
        assert_eq!(list(&words("10-30,10"), &size), Some(vec![10, 20, 30]));
        assert_eq!(list(&words("1,2,32"), &size), Some(vec![1, 2, 32]));
        assert_eq!(list(&words("0-8k,d"), &size), None, "doubling nothing goes on for ever");
    }
}
