//! `find_rate`: the search for the highest rate at which a percentile of the response time stays within a bound.
//!
//! Owns what a search needs from its test. `drivelab-analysis` decides which rate is tried next.

use drivelab_core::plan::RateSearch;
use drivelab_core::units::Nanos;

use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::rate::{AskedRate, iops_text};
use crate::tree::value::{Table, Value};

/// Most rounds if the file states none: enough to find a rate between 1,000 and 200,000 IOPS to within 1 %.
const ROUNDS: u32 = 12;

/// A rate of the table in operations per 1,000 seconds.
fn rate(table: &Table, key: &str) -> Option<u64> {
    match table.get(key).map(|value| &value.value) {
        Some(Value::Rate(AskedRate::Operations(rate))) => Some(*rate),
        _ => None,
    }
}

/// The search of a test; `None` if it has none, or if the search is wrong and therefore has an error.
pub(crate) fn of(test: &Table) -> Option<RateSearch> {
    let table = test.table("find_rate")?;
    Some(RateSearch {
        percentile_thousandths: u32::try_from(table.decimal("percentile")?).ok()?,
        bound: table.time("bound")?,
        lowest: rate(table, "from")?,
        highest: rate(table, "to")?,
        max: table.whole("rounds").and_then(|rounds| u32::try_from(rounds).ok()).unwrap_or(ROUNDS),
    })
}

/// Adds the errors in a test's search by itself.
pub(crate) fn check(test: &Table, errors: &mut Errors) {
    let Some(table) = test.table("find_rate") else { return };
    let mut wrong = |key: &str, title: String, label: String| {
        let at = table.get(key).map_or_else(|| table.at.clone(), |value| value.at.clone());
        errors.push(Diagnostic::new(at, title, label));
    };
    for key in ["from", "to"] {
        if let Some(Value::Rate(AskedRate::Bytes(_))) = table.get(key).map(|value| &value.value) {
            let title = format!("`{key}` of a search is stated in bytes");
            wrong(key, title, "expected operations per second, such as \"1000 IOPS\"".to_owned());
        }
    }
    if let (Some(from), Some(to)) = (rate(table, "from"), rate(table, "to"))
        && from >= to
    {
        let title = format!("the search goes from {} to {}", iops_text(from), iops_text(to));
        wrong("to", title, format!("expected more than {}", iops_text(from)));
    }
    if table.time("bound").is_some_and(|bound| bound.is_zero()) {
        wrong("bound", "every response takes longer than 0 s".to_owned(), "expected a bound above 0 s".to_owned());
    }
    if let Some(groups) = test.entry("groups") {
        let title = "`find_rate` and `groups` exclude each other";
        errors.push(
            Diagnostic::new(groups.key_at.clone(), title, "a search has one load, whose rate it sets")
                .help("measure the background load by itself, or search without it"),
        );
    }
}

/// The error that too few operations arrive at the lowest rate for the percentile to be meaningful.
pub(crate) fn too_short(search: &RateSearch, test: &Table, time: Option<Nanos>) -> Option<Diagnostic> {
    let needed = (100_000.0 / f64::from(100_000 - search.percentile_thousandths)).ceil();
    let arriving = search.lowest as f64 / 1000.0 * time?.as_secs_f64();
    if arriving >= needed {
        return None;
    }
    let at = test.table("find_rate").and_then(|table| table.get("from")).map(|value| value.at.clone());
    let title = format!(
        "at {} only {arriving:.0} operations arrive in {}, too few for {}",
        iops_text(search.lowest),
        time.unwrap_or_default(),
        search.percentile_name()
    );
    let label = format!("expected at least {needed:.0} operations in a round: a higher rate, or a longer `time`");
    Some(Diagnostic::new(at.unwrap_or(0..0), title, label))
}
