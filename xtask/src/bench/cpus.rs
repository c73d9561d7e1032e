//! The CPUs of this machine, and how programs are told which to use.

/// CPUs that are online, in order.
pub(crate) fn online_cpus() -> Vec<usize> {
    let ranges = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_else(|_| "0".to_owned());
    expand(ranges.trim())
}

/// `0-2,4` as numbers.
fn expand(ranges: &str) -> Vec<usize> {
    let ends = |range: &str| {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        Some(from.trim().parse::<usize>().ok()?..=to.trim().parse::<usize>().ok()?)
    };
    ranges.split(',').filter_map(ends).flatten().collect()
}

/// CPUs in the form that taskset and drivelab accept.
pub(crate) fn listed(cpus: &[usize]) -> String {
    cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_cpus_are_expanded() {
        assert_eq!(expand("0"), [0]);
        assert_eq!(expand("0-2,4"), [0, 1, 2, 4]);
        assert!(!online_cpus().is_empty());
    }
}
