//! Findings about the capacity of a drive, whether all of it can hold data, and about its slow regions.

use drivelab_core::finding::{Evidence, Finding, Severity};
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;

use super::account::Account;
use super::map::{MapPart, SLOW, SpeedMap};
use crate::evidence::{Words, evidence};
use crate::topics::telemetry::smart::Counter;

/// In the decimal unit that vendors print, without the bytes: `62.91 GB (62,914,560,000 bytes)` would be long.
fn decimal(bytes: u64) -> String {
    let (unit, name) = match bytes {
        1_000_000_000_000.. => (1e12, "TB"),
        1_000_000_000.. => (1e9, "GB"),
        _ => (1e6, "MB"),
    };
    format!("{:.2} {name}", bytes as f64 / unit)
}

/// Every block that was checked held its data.
pub(crate) fn there(said: u64, account: &Account, evidence: Vec<Evidence>) -> Finding {
    let statement = match account.share_found() {
        Some(share) if share > 0.0 => format!(
            "The claimed capacity of {} seems to be there: all {} blocks written across the drive held what was \
             written. A missing part of {share:.2} % or more would have been found in all but one case in a million.",
            decimal(said),
            account.checked
        ),
        _ => format!("The claimed capacity of {} is there: every block held what was written.", decimal(said)),
    };
    let cause = "The drive is genuine as far as its capacity goes.";
    let action = "Nothing. If a sample is not enough, the faithful form of `genuine` writes and reads every address.";
    Words { code: "capacity_there", severity: Severity::Note, statement, cause, action }.answer(evidence)
}

/// Only a part of the drive was written and checked.
pub(crate) fn not_judged(said: u64, checked: u64) -> Finding {
    let statement = format!(
        "The capacity was not judged: the drive claims {}, and only its first {} were written and checked.",
        decimal(said),
        decimal(checked)
    );
    let cause = "The run used `--size`, or the smoke form, which only covers a small part.";
    let action = "Run `genuine` over the whole drive, in its quick or its faithful form.";
    let found = vec![evidence("part that was checked", checked as f64, Some(said as f64), "B")];
    Words { code: "capacity_not_judged", severity: Severity::Note, statement, cause, action }.answer(found)
}

/// The check ended before it reached all of its blocks.
pub(crate) fn cut_off(said: u64, account: &Account, evidence: Vec<Evidence>) -> Finding {
    let how_far = match account.checked + account.unreadable {
        0 => "before any block was checked".to_owned(),
        seen => format!("after {seen} of {} blocks, which held what was written", account.planned),
    };
    let statement = format!(
        "The capacity was not judged: the drive claims {}, and the check was cut off {how_far}.",
        decimal(said)
    );
    let cause = "The run was stopped, or a time limit ended the check.";
    let action = "Run `genuine` to its end: the data is still on the drive, and `resume` checks it.";
    Words { code: "capacity_not_judged", severity: Severity::Note, statement, cause, action }.answer(evidence)
}

/// A part of the capacity is missing.
pub(crate) fn missing(said: u64, account: &Account, evidence: Vec<Evidence>) -> Finding {
    let there = decimal(account.there().unwrap_or(account.span));
    let what = match (account.comes_round, account.first_bad) {
        (Some(distance), _) => {
            let example = account.example.as_ref().and_then(|bad| Some((bad.offset, bad.belongs_at?)));
            let example = example
                .map_or_else(String::new, |(at, belongs)| format!(", for example that of byte {belongs} at byte {at}"));
            format!(
                "at most {there} exist: addresses wrap after {} bytes, so data of one address was found at \
                 another{example}",
                distance
            )
        }
        (None, Some((address, before))) => format!(
            "only {there} were found: up to byte {before} every block held its data, and from byte {address} on nearly \
             none did ({} blocks with other data than was written, {} failed reads)",
            account.bad, account.unreadable
        ),
        (None, None) => "nearly no block held what was written".to_owned(),
    };
    let statement = format!("Part of the claimed capacity is missing: the drive claims {}, but {what}.", decimal(said));
    let cause = "The drive is counterfeit and its controller reports more than its flash holds, or a bridge cuts \
                 addresses off.";
    let action = "Do not store anything on it. Try another cable or enclosure once, then return the drive.";
    Words { code: "capacity_missing", severity: Severity::Warning, statement, cause, action }.answer(evidence)
}

/// A write failed, and nothing after it was tried.
pub(crate) fn refused(said: u64, at: u64, evidence: Vec<Evidence>) -> Finding {
    let statement = format!(
        "The capacity from byte {at} ({}) on is unknown: a write there failed, and nothing after it was written. The \
         drive claims {}.",
        Bytes::new(at),
        decimal(said)
    );
    let cause = "The drive ends there and reports errors, a block is bad, or the connection broke.";
    let action = "Look at the kernel log (`dmesg`), try another cable or port, and run it again. If it ends at the \
                  same place, return the drive.";
    Words { code: "capacity_refused", severity: Severity::Warning, statement, cause, action }.answer(evidence)
}

/// Scattered blocks did not hold their data.
pub(crate) fn scattered(said: u64, account: &Account, evidence: Vec<Evidence>) -> Finding {
    let first = account.first_bad.map_or_else(String::new, |(at, _)| format!(", the first at byte {at}"));
    let how = match (account.bad, account.unreadable) {
        (_, 0) => "did not hold what was written",
        (0, _) => "could not be read",
        _ => "did not hold what was written or could not be read",
    };
    let behind = match (account.is_cut, account.held_behind()) {
        (true, _) => "the check was cut off before its end, so its capacity was not judged",
        (false, 0) => "no block after them held its data, but too few follow to say that the drive ends there",
        (false, _) => "blocks after them held their data, so it is no smaller than it claims",
    };
    let statement = format!(
        "Some blocks are bad: {} of {} blocks that were checked {how}{first}. The drive claims {}; {behind}.",
        account.bad + account.unreadable,
        account.checked + account.unreadable,
        decimal(said)
    );
    let cause = "Cells are worn or broken, the connection damages data, or another program wrote there meanwhile.";
    let action = "Look at the bad blocks and the drive's error counters below, and run it again. Return a drive that \
                  loses data a second time.";
    Words { code: "capacity_doubtful", severity: Severity::Warning, statement, cause, action }.answer(evidence)
}

/// The drive's own counters before and after the run.
pub(crate) fn smart_compared(counters: &[Counter]) -> Finding {
    let rose: Vec<String> = counters
        .iter()
        .filter(|counter| counter.is_fault && counter.rise() > 0.0)
        .map(|counter| {
            format!("{} ({}) rose from {} to {}", counter.name, counter.source, counter.before, counter.after)
        })
        .collect();
    let statement = match (counters.is_empty(), rose.is_empty()) {
        (true, _) => {
            "No SMART counters could be compared: the target reports none that are read during a run (a loop device \
             and most USB sticks have none, those of SATA drives are shown by `drivelab show`)."
                .to_owned()
        }
        (false, true) => "None of the drive's error counters rose (SMART before and after).".to_owned(),
        (false, false) => format!("Error counters of the drive rose (SMART before and after): {}.", rose.join("; ")),
    };
    let severity = if rose.is_empty() { Severity::Note } else { Severity::Warning };
    let (cause, action) = if counters.is_empty() {
        ("", "")
    } else {
        (
            "The drive itself counts errors that it could not correct, wear and power cycles.",
            "If error counters rise during a test, return the drive, whatever its capacity.",
        )
    };
    let before = |counter: &Counter| {
        let what = format!("{} ({}; limit: before the run)", counter.name, counter.source);
        evidence(&what, counter.after, Some(counter.before), &counter.unit)
    };
    let evidence = counters.iter().map(before).collect();
    Words { code: "smart_compared", severity, statement, cause, action }.about_run(evidence)
}

/// The most regions that are named.
const MOST_REGIONS: usize = 8;

/// Regions of a scan that were read much more slowly than the rest.
pub(crate) fn slow_regions(records: &RunRecords, map: &SpeedMap, slow: &[MapPart]) -> Finding {
    let median = map.median_mb_s.unwrap_or_default();
    let place = |region: &MapPart| format!("{} to {}", decimal(region.from), decimal(region.to));
    let named: Vec<String> = slow.iter().take(MOST_REGIONS).map(place).collect();
    let more = if slow.len() > MOST_REGIONS { " and others" } else { "" };
    let statement = format!(
        "Some regions are slow: in {}, {}{more} were read at less than {:.0} % of the drive's usual rate.",
        map.step,
        named.join(", "),
        100.0 * SLOW
    );
    let rate = |region: &MapPart| {
        evidence(
            &format!("rate from byte {} to {}", region.from, region.to),
            region.mb_s.unwrap_or_default(),
            Some(SLOW * median),
            "MB/s",
        )
    };
    let cause = "The drive reads old data or worn cells several times, sectors were remapped, or other programs used \
                 the machine at that moment.";
    let action = "Run it again: regions that stay slow come from the drive. Look at its health (`drivelab show`) and \
                  back up what it holds.";
    let words = Words { code: "slow_regions", severity: Severity::Note, statement, cause, action };
    let key = records.steps.iter().rfind(|record| record.key.step == map.step).map(|record| record.key.clone());
    words.finding(key.into_iter().collect(), slow.iter().take(MOST_REGIONS).map(rate).collect())
}

#[cfg(test)]
mod tests;
