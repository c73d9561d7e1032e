//! Texts of procfs and sysfs turned into figures: pure functions that never fail loudly on any text.

/// A finite number.
fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// Kinds of CPU time that are kept, in this order: user (with nice), system, interrupts (hard and soft), waiting for
/// I/O, stolen by the hypervisor, idle.
pub(crate) const CPU_KINDS: [&str; 6] = ["user", "system", "interrupts", "iowait", "steal", "idle"];

/// CPU times of each CPU in ticks, by its name (`cpu0`), in the order of [`CPU_KINDS`]; the line of all CPUs together
/// is left out, and so are guests, whose time is in user (proc_stat(5)).
pub(crate) fn cpu_times(stat: &str) -> Vec<(&str, [f64; 6])> {
    let line = |line: &'_ str| -> Option<[f64; 6]> {
        let fields: Vec<f64> = line.split_ascii_whitespace().skip(1).map_while(number).collect();
        let at = |index: usize| fields.get(index).copied().unwrap_or(0.0);
        (fields.len() >= 4).then(|| [at(0) + at(1), at(2), at(5) + at(6), at(4), at(7), at(3)])
    };
    let cpus = stat.lines().filter_map(|text| {
        let name = text.split_ascii_whitespace().next()?;
        let digits = name.strip_prefix("cpu")?;
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some((name, line(text)?))
    });
    cpus.collect()
}

/// A row of `/proc/interrupts`: number or name, sum over the CPUs, and what stands behind the counts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InterruptRow<'t> {
    pub(crate) number: &'t str,
    pub(crate) count: f64,
    pub(crate) action: &'t str,
}

/// The rows of `/proc/interrupts`; its head line says how many CPUs there are (proc_interrupts(5)).
pub(crate) fn interrupt_rows(text: &str) -> Vec<InterruptRow<'_>> {
    let mut lines = text.lines();
    let cpus = lines.next().map_or(0, |head| head.split_ascii_whitespace().count());
    let row = |line: &'_ str| -> Option<(usize, f64)> {
        let (_, rest) = line.split_once(':')?;
        let counts = rest.split_ascii_whitespace().take(cpus).map_while(number);
        let (read, count) = counts.fold((0, 0.0), |(read, sum), count| (read + 1, sum + count));
        (read > 0).then_some((read, count))
    };
    lines
        .filter_map(|line| {
            let (_, count) = row(line)?;
            let (number, _) = line.split_once(':')?;
            let action = line.split_ascii_whitespace().next_back().unwrap_or_default();
            Some(InterruptRow { number: number.trim(), count, action })
        })
        .collect()
}

/// What `/proc/diskstats` says of one disk or partition, in this order: reads, bytes read, writes, bytes written,
/// discards, bytes discarded, seconds in which something was in flight (Documentation/admin-guide/iostats.rst; a sector
/// is 512 bytes whatever the disk's block size).
pub(crate) fn disk_counters(diskstats: &str, name: &str) -> Option<[f64; 7]> {
    const SECTOR: f64 = 512.0;
    let line = diskstats.lines().find(|line| line.split_ascii_whitespace().nth(2) == Some(name))?;
    let fields: Vec<f64> = line.split_ascii_whitespace().skip(3).map_while(number).collect();
    let at = |index: usize| fields.get(index).copied();
    let discards = (at(11).unwrap_or(0.0), at(13).unwrap_or(0.0) * SECTOR);
    Some([at(0)?, at(2)? * SECTOR, at(4)?, at(6)? * SECTOR, discards.0, discards.1, at(9)? / 1000.0])
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

/// The total of an `aer_dev_*` file: its `TOTAL_ERR_*` line, or the sum of its lines where it has none.
pub(crate) fn aer_total(text: &str) -> Option<f64> {
    let line = |line: &str| -> Option<(bool, f64)> {
        let (name, count) = line.trim().rsplit_once(char::is_whitespace)?;
        Some((name.starts_with("TOTAL_ERR"), number(count)?))
    };
    let lines: Vec<(bool, f64)> = text.lines().filter_map(line).collect();
    let total = lines.iter().find(|(total, _)| *total).map(|(_, count)| *count);
    total.or_else(|| (!lines.is_empty()).then(|| lines.iter().map(|(_, count)| count).sum()))
}

/// `16.0 GT/s PCIe` to 16.0; a link that is down has no speed.
pub(crate) fn link_speed(text: &str) -> Option<f64> {
    let (speed, unit) = text.trim().split_once(' ')?;
    number(speed).filter(|speed| unit.starts_with("GT/s") && *speed > 0.0)
}

/// `cpu MHz` of each CPU in `/proc/cpuinfo`, in order.
pub(crate) fn cpuinfo_mhz(text: &str) -> Vec<f64> {
    let value = |line: &str| {
        let (name, value) = line.split_once(':')?;
        if name.trim() == "cpu MHz" { number(value.trim()) } else { None }
    };
    text.lines().filter_map(value).collect()
}

/// A line of an adapter: `seconds value`. `Ok(None)` for an empty line or a remark (`#`).
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
            let shown: String = line.chars().take(60).collect();
            Err(format!("'{shown}' is not `seconds value`, two numbers with a space between (docs/telemetry.md)"))
        }
    }
}

#[cfg(test)]
mod tests;
