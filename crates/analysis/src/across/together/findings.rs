//! What must be known beside the figures of several drives at once: thresholds and words.

use drivelab_core::finding::{Finding, Severity};
use drivelab_core::group::letter;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::Form;
use drivelab_core::words::enumerated;

use super::share::{LEAST_OVERLAP_PERCENT, Pair, StepTogether, is_complete};
use crate::evidence::{evidence, plural, words};
use crate::topics::conduct;

/// Code of the finding about drives on one device.
pub const SHARED_DEVICE: &str = "shared_device";
/// A CPU that is busier than this, %, has nothing left to give.
const FULL_CORE: f64 = 95.0;
/// Most steps whose figures are spelled out in one finding.
const MOST_SPELLED_OUT: usize = 8;

/// Every finding about the group.
pub(super) fn all(pairs: &[Pair<'_>], steps: &[StepTogether], form: Form, each_only: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend((form == Form::Smoke).then(conduct::smoke_form));
    findings.extend(shared_device(pairs));
    findings.extend(missing(pairs, each_only));
    findings.extend(resumed(pairs));
    findings.extend(apart(steps));
    findings.extend(busy(steps));
    findings
}

/// One finding for each device that several targets lie on; of a stack of devices, the uppermost they share.
fn shared_device(pairs: &[Pair<'_>]) -> Vec<Finding> {
    let devices = |pair: &Pair<'_>| -> Vec<String> {
        let records = pair.together.map(|(records, _)| records);
        let devices = records.map(|records| records.environment.target.devices.as_slice()).unwrap_or_default();
        devices.iter().map(|device| device.name.clone()).collect()
    };
    let all: Vec<Vec<String>> = pairs.iter().map(devices).collect();
    let mut shared: Vec<(String, Vec<usize>)> = Vec::new();
    for (index, mine) in all.iter().enumerate() {
        for (other, theirs) in all.iter().enumerate().take(index) {
            let Some(name) = mine.iter().find(|name| theirs.contains(name)) else { continue };
            if !shared.iter().any(|(known, _)| known == name) {
                shared.push((name.clone(), Vec::new()));
            }
            for drive in [other, index] {
                let members = shared.iter_mut().find(|(known, _)| known == name).map(|(_, members)| members);
                if let Some(members) = members.filter(|members| !members.contains(&drive)) {
                    members.push(drive);
                }
            }
        }
    }
    let finding = |(name, members): (String, Vec<usize>)| {
        let letters: Vec<String> = members.iter().map(|drive| letter(*drive)).collect();
        let statement = format!(
            "{} are on the same device, {name}: measured together, they share its performance.",
            enumerated(&letters)
        );
        let cause = "All these targets are on one drive, directly or through partitions and volumes.";
        let action = "To see how much drives slow each other down, name targets on different drives.";
        words(Severity::Warning, SHARED_DEVICE, statement, cause, action).about_run(Vec::new())
    };
    shared.into_iter().map(finding).collect()
}

/// Runs that are not there or not at their end.
fn missing(pairs: &[Pair<'_>], each_only: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lacking = |of: &dyn Fn(&Pair<'_>) -> bool| -> Vec<String> {
        let lacking = pairs.iter().enumerate().filter(|(_, pair)| !of(pair));
        lacking.map(|(index, _)| letter(index)).collect()
    };
    let together = lacking(&|pair| is_complete(pair.together));
    if !together.is_empty() && !each_only {
        let statement = format!("The concurrent runs of {} are incomplete.", enumerated(&together));
        let action = "The steps that were measured are shown. For the rest, measure the drives again.";
        findings.push(words(Severity::Warning, "group_unfinished", statement, "", action).about_run(Vec::new()));
    }
    let alone = lacking(&|pair| is_complete(pair.alone));
    if !alone.is_empty() {
        let statement = format!("How much {} lost is unknown: no complete run was measured alone.", enumerated(&alone));
        let cause =
            "The methodology or --together-only asks for concurrent runs only, or a run alone failed or was stopped.";
        let action =
            "Run a methodology that also measures each drive alone, on the same targets, without --together-only.";
        findings.push(words(Severity::Note, "group_without_alone", statement, cause, action).about_run(Vec::new()));
    }
    findings
}

/// Runs that went on by themselves.
fn resumed(pairs: &[Pair<'_>]) -> Option<Finding> {
    let was = |pair: &Pair<'_>| {
        pair.together.is_some_and(|(records, _)| records.breaks.iter().any(|pause| pause.resumed.is_some()))
    };
    let letters: Vec<String> =
        pairs.iter().enumerate().filter(|(_, pair)| was(pair)).map(|(index, _)| letter(index)).collect();
    (!letters.is_empty()).then(|| {
        let statement = format!(
            "The runs of {} were resumed separately: what they measured after that was not concurrent.",
            enumerated(&letters)
        );
        let action = "Figures from after the break are left out here; the report of each run has them.";
        words(Severity::Warning, "group_resumed", statement, "", action).about_run(Vec::new())
    })
}

/// Steps that did not run at the same time.
fn apart(steps: &[StepTogether]) -> Option<Finding> {
    let mut found = Vec::new();
    let mut keys = Vec::new();
    for step in steps {
        let least = step.drives.iter().filter_map(|share| share.overlap_percent).min_by(f64::total_cmp);
        if let Some(least) = least.filter(|_| step.apart) {
            let what = format!("{}: time with all others", step.label);
            found.push(evidence(&what, least, Some(LEAST_OVERLAP_PERCENT), "%"));
            keys.push(StepKey { step: step.step.clone(), round: 1 });
        }
    }
    (!keys.is_empty()).then(|| {
        let statement = format!(
            "No total is shown for {}, because the drives did not work for the same time. The share that a drive kept is \
             missing if all drives worked together for less than 90 % of its step.",
            plural(keys.len(), "step")
        );
        let cause = "A step that ends by volume ends sooner on a faster drive, or one of the drives failed.";
        let action = "Compare steps that end by time, or look at the overlap of each figure.";
        found.truncate(MOST_SPELLED_OUT);
        words(Severity::Warning, "drives_apart", statement, cause, action).finding(keys, found)
    })
}

/// Steps in which a CPU had nothing left to give.
fn busy(steps: &[StepTogether]) -> Option<Finding> {
    let mut found = Vec::new();
    let mut keys = Vec::new();
    for step in steps {
        let busiest =
            step.cpu.iter().flat_map(|cpu| &cpu.cores).max_by(|a, b| a.taken_percent().total_cmp(&b.taken_percent()));
        if let Some(core) = busiest.filter(|core| core.taken_percent() > FULL_CORE) {
            let what = format!("{}: CPU {} busy or stolen", step.label, core.cpu);
            found.push(evidence(&what, core.taken_percent(), Some(FULL_CORE), "%"));
            keys.push(StepKey { step: step.step.clone(), round: 1 });
        }
    }
    (!keys.is_empty()).then(|| {
        let statement = format!(
            "The host, not the drives, may limit the total: in {} at least one CPU was fully busy while all drives worked.",
            plural(keys.len(), "step")
        );
        let cause = "The load asks for more operations than this host can issue, or other programs ran.";
        let action = "`drivelab doctor` shows how much load this host can generate. Larger blocks or more CPUs raise that limit.";
        found.truncate(MOST_SPELLED_OUT);
        words(Severity::Warning, "host_full_together", statement, cause, action).finding(keys, found)
    })
}

#[cfg(test)]
mod tests;
