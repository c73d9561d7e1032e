//! Findings about the capacity of a drive, whether it is there, and about its slow regions.

use drivelab_core::finding::{Evidence, Finding, Severity};
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;

use super::account::Account;
use super::map::{MapPart, SLOW, SpeedMap};
use crate::evidence::{Words, evidence};
use crate::topics::telemetry::smart::Counter;

/// `62.9 GB (62,914,560,000 bytes)` would be long: the decimal unit that vendors print.
fn decimal(bytes: u64) -> String {
    let (unit, name) = match bytes {
        1_000_000_000_000.. => (1e12, "TB"),
        1_000_000_000.. => (1e9, "GB"),
        _ => (1e6, "MB"),
    };
    format!("{:.2} {name}", bytes as f64 / unit)
}

/// Every block that was checked held.
pub(crate) fn there(said: u64, account: &Account, evidence: Vec<Evidence>) -> Finding {
    let statement = match account.share_found() {
        Some(share) if share > 0.0 => format!(
            "The drive claims {}, and all {} blocks that were written all over it held what was written. A missing part of \
             {share:.2} % or more would have shown, but for one case in a million.",
            decimal(said),
            account.checked
        ),
        _ => format!(
            "The drive claims {}, and every block of it held what was written: its capacity is there.",
            decimal(said)
        ),
    };
    let cause = "A genuine drive, as far as capacity goes.";
    let action =
        "Nothing. The faithful form of `genuine` writes and reads every address, where a sample is not enough.";
    Words { code: "capacity_there", severity: Severity::Note, statement, cause, action }.answer(evidence)
}

/// Only a part of the drive was written and checked.
pub(crate) fn not_judged(said: u64, checked: u64) -> Finding {
    let statement = format!(
        "The drive claims {}, and only its first {} were written and checked: nothing is said of its capacity.",
        decimal(said),
        decimal(checked)
    );
    let cause = "`--size`, or the smoke form, which takes a moment's part.";
    let action = "Run `genuine` over the whole drive, in its quick or its faithful form.";
    let found = vec![evidence("part that was checked", checked as f64, Some(said as f64), "B")];
    Words { code: "capacity_not_judged", severity: Severity::Note, statement, cause, action }.answer(found)
}

/// The check was ended before it had gone to all of its blocks.
pub(crate) fn cut_off(said: u64, account: &Account, evidence: Vec<Evidence>) -> Finding {
    let how_far = match account.checked + account.unreadable {
        0 => "before any block was checked".to_owned(),
        seen => format!("after {seen} of {} blocks, which held what was written", account.planned),
    };
    let statement = format!(
        "The drive claims {}, and the check was cut off {how_far}: nothing is said of its capacity.",
        decimal(said)
    );
    let cause = "The run was stopped, or a limit of time or a cap ended the check.";
    let action = "Run `genuine` to its end; what was written is still there, and `resume` checks it.";
    Words { code: "capacity_not_judged", severity: Severity::Note, statement, cause, action }.answer(evidence)
}

/// A part of the capacity is missing.
pub(crate) fn missing(said: u64, account: &Account, evidence: Vec<Evidence>) -> Finding {
    let there = decimal(account.there().unwrap_or(account.span));
    let what = match (account.comes_round, account.first_bad) {
        (Some(distance), _) => {
            let example = account.example.as_ref().and_then(|bad| Some((bad.offset, bad.belongs_at?)));
            let example = example
                .map_or_else(String::new, |(at, belongs)| format!(", such as at byte {at} that of byte {belongs}"));
            format!(
                "not more than {there} are there: addresses come round after {} bytes, so that data of one address was \
                 found at another{example}",
                distance
            )
        }
        (None, Some((address, before))) => format!(
            "{there} were found: up to byte {before} everything held, and from byte {address} on nearly all of what \
             was checked did not ({} blocks with other data than was written, {} reads that failed)",
            account.bad, account.unreadable
        ),
        (None, None) => format!("{there} were found"),
    };
    let statement = format!("The drive claims {}, and {what}.", decimal(said));
    let cause = "A counterfeit drive whose controller reports more than its flash holds; or a bridge that cuts \
                 addresses off.";
    let action = "Do not store anything on it. Try another cable or enclosure once, then return the drive.";
    Words { code: "capacity_missing", severity: Severity::Warning, statement, cause, action }.answer(evidence)
}

/// A write failed, and what lies behind it was not tried.
pub(crate) fn refused(said: u64, at: u64, evidence: Vec<Evidence>) -> Finding {
    let statement = format!(
        "The drive claims {}, and a write to byte {at} ({}) failed; what lies behind that was not written, so nothing is \
         known of it.",
        decimal(said),
        Bytes::new(at)
    );
    let cause = "A drive that ends there and says so with errors; or a bad block, or a connection that broke.";
    let action = "Look at the kernel log (`dmesg`), try another cable or port, and run it again: where it ends at the \
                  same place, return the drive.";
    Words { code: "capacity_refused", severity: Severity::Warning, statement, cause, action }.answer(evidence)
}

/// Blocks here and there did not hold.
pub(crate) fn scattered(said: u64, account: &Account, evidence: Vec<Evidence>) -> Finding {
    let first = account.first_bad.map_or_else(String::new, |(at, _)| format!(", the first at byte {at}"));
    let how = match (account.bad, account.unreadable) {
        (_, 0) => "did not hold what was written",
        (0, _) => "could not be read",
        _ => "did not hold what was written or could not be read",
    };
    let behind = match (account.is_cut, account.held_behind()) {
        (true, _) => "the check was cut off before its end, so this says nothing of the capacity",
        (false, 0) => "nothing behind them held, and they are too few to say that the drive ends there",
        (false, _) => "others behind them held, so it is no shorter than it says",
    };
    let statement = format!(
        "The drive claims {}, and {} of {} blocks that were checked {how}{first}; {behind}.",
        decimal(said),
        account.bad + account.unreadable,
        account.checked + account.unreadable
    );
    let cause = "Worn or broken cells, a connection that damages data, or somebody else who wrote there meanwhile.";
    let action = "Look at the bad blocks and the drive's counters of errors below, and run it again: a drive that loses data \
                  a second time is to be returned.";
    Words { code: "capacity_doubtful", severity: Severity::Warning, statement, cause, action }.answer(evidence)
}

/// What the drive counted before and after all this.
pub(crate) fn smart_compared(counters: &[Counter]) -> Finding {
    let rose: Vec<String> = counters
        .iter()
        .filter(|counter| counter.is_fault && counter.rise() > 0.0)
        .map(|counter| {
            format!("{} ({}) rose from {} to {}", counter.name, counter.source, counter.before, counter.after)
        })
        .collect();
    let statement = match (counters.is_empty(), rose.is_empty()) {
        (true, _) => "No SMART counters could be compared before and after: the target tells none that are read during a \
                      run (a loop device and most USB sticks have none, those of SATA drives are shown by `drivelab show`)."
            .to_owned(),
        (false, true) => "SMART before and after: none of the drive's counters of errors rose.".to_owned(),
        (false, false) => format!("SMART before and after: {}.", rose.join("; ")),
    };
    let severity = if rose.is_empty() { Severity::Note } else { Severity::Warning };
    let (cause, action) = if counters.is_empty() {
        ("", "")
    } else {
        (
            "What the drive itself noticed: errors that it could not correct, wear, power cycles.",
            "Errors that rise under a test are a reason to return a drive, whatever its capacity.",
        )
    };
    let before = |counter: &Counter| {
        let what = format!("{} ({}; limit: before the run)", counter.name, counter.source);
        evidence(&what, counter.after, Some(counter.before), &counter.unit)
    };
    let evidence = counters.iter().map(before).collect();
    Words { code: "smart_compared", severity, statement, cause, action }.about_run(evidence)
}

/// Most regions that are named.
const MOST_REGIONS: usize = 8;

/// Regions of a scan that were read far more slowly than the rest.
pub(crate) fn slow_regions(records: &RunRecords, map: &SpeedMap, slow: &[MapPart]) -> Finding {
    let median = map.median_mb_s.unwrap_or_default();
    let place = |region: &MapPart| format!("{} to {}", decimal(region.from), decimal(region.to));
    let named: Vec<String> = slow.iter().take(MOST_REGIONS).map(place).collect();
    let more = if slow.len() > MOST_REGIONS { " and others" } else { "" };
    let statement = format!(
        "In {} the drive was read at less than {:.0} % of its usual rate at {}{more}.",
        map.step,
        100.0 * SLOW,
        named.join(", ")
    );
    let rate = |region: &MapPart| {
        evidence(
            &format!("rate from byte {} to {}", region.from, region.to),
            region.mb_s.unwrap_or_default(),
            Some(SLOW * median),
            "MB/s",
        )
    };
    let cause = "Old data or worn cells that the drive reads again and again, remapped sectors, or others who used the \
                 machine at that moment.";
    let action = "Run it once more: regions that stay where they are belong to the drive. Look at its health \
                  (`drivelab show`) and copy off what it holds.";
    let words = Words { code: "slow_regions", severity: Severity::Note, statement, cause, action };
    let key = records.steps.iter().rfind(|record| record.key.step == map.step).map(|record| record.key.clone());
    words.finding(key.into_iter().collect(), slow.iter().take(MOST_REGIONS).map(rate).collect())
}
