//! Checks of the files that a scenario left, for each scenario whose script cannot decide by itself.

mod ahci;
mod below;
mod faults;
mod flakey;
mod methods;
mod null_blk;
mod placed;
mod probe;
mod smart;
mod smoke;
mod stall;
mod together;
mod tracepoints;
mod unplug;
mod watch;

use anyhow::Result;

use super::results::Results;

/// Looks at the results of a scenario: returns the figures worth printing, or what is wrong.
type Check = fn(&Results) -> Result<Vec<String>>;

const CHECKS: &[(&str, Check)] = &[
    ("ahci", ahci::check),
    ("below", below::check),
    ("faults", faults::check),
    ("fdp", probe::check_fdp),
    ("flakey", flakey::check),
    ("methods", methods::check),
    ("methods_buyer", methods::check_buyer),
    ("methods_drives", methods::check_drives),
    ("methods_encryption", methods::check_encryption),
    ("methods_media", methods::check_media),
    ("methods_namespaces", methods::check_namespaces),
    ("methods_steady", methods::check_steady),
    ("null_blk", null_blk::check),
    ("nvme_gone", faults::check_nvme),
    ("probe", probe::check),
    ("smart", smart::check),
    ("smoke", smoke::check),
    ("stall", stall::check),
    ("together", together::check),
    ("tracepoints", tracepoints::check),
    ("unplug", unplug::check),
    ("watch", watch::check),
];

/// The scenarios that have a check.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    CHECKS.iter().map(|(name, _)| *name)
}

/// Checks the results of a scenario whose script ended successfully; a scenario without a check has passed with that.
pub(crate) fn check(name: &str, results: &Results) -> Result<Vec<String>> {
    CHECKS.iter().find(|(checked, _)| *checked == name).map_or_else(|| Ok(Vec::new()), |(_, check)| check(results))
}
