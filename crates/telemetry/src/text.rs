//! Parsers for texts of procfs and sysfs: pure functions that accept any text.
//!
//! Only texts that no other crate reads: the other parsers are in `drivelab_device`.

/// A finite number.
fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// The `total=` of the `some` and the `full` line of a pressure file, in seconds (Documentation/accounting/psi.rst).
pub(crate) fn pressure_totals(text: &str) -> [Option<f64>; 2] {
    let total = |kind: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(kind))?;
        let total = line.split_ascii_whitespace().find_map(|word| word.strip_prefix("total="))?;
        number(total).map(|microseconds| microseconds / 1e6)
    };
    [total("some "), total("full ")]
}

/// The total of an `aer_dev_*` file: its `TOTAL_ERR_*` line, or the sum of its lines if it has none.
pub(crate) fn aer_total(text: &str) -> Option<f64> {
    let line = |line: &str| -> Option<(bool, f64)> {
        let (name, count) = line.trim().rsplit_once(char::is_whitespace)?;
        Some((name.starts_with("TOTAL_ERR"), number(count)?))
    };
    let lines: Vec<(bool, f64)> = text.lines().filter_map(line).collect();
    let total = lines.iter().find(|(total, _)| *total).map(|(_, count)| *count);
    total.or_else(|| (!lines.is_empty()).then(|| lines.iter().map(|(_, count)| count).sum()))
}

/// `cpu MHz` of each CPU in `/proc/cpuinfo`, in order.
pub(crate) fn cpuinfo_mhz(text: &str) -> Vec<f64> {
    let value = |line: &str| {
        let (name, value) = line.split_once(':')?;
        if name.trim() == "cpu MHz" { number(value.trim()) } else { None }
    };
    text.lines().filter_map(value).collect()
}

/// A line of an adapter: `seconds value`. `Ok(None)` for an empty line or a comment (`#`).
pub(crate) fn adapter_line(line: &str) -> Result<Option<(f64, f64)>, String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let mut words = line.split_ascii_whitespace();
    let pair = words.next().and_then(number).zip(words.next().and_then(number));
    match (pair, words.next()) {
        (Some((seconds, value)), None) if seconds >= 0.0 => Ok(Some((seconds, value))),
        _ => {
            // A meter's output may be printed on a terminal, which must not interpret it as control sequences.
            let plain = line.chars().map(|one| if one.is_control() { '\u{fffd}' } else { one });
            let shown: String = plain.take(60).collect();
            Err(format!("'{shown}' is not `seconds value`, two numbers separated by a space (docs/telemetry.md)"))
        }
    }
}

#[cfg(test)]
mod tests;
