//! Traces that a run replays: which files they come from, what the files contain, and how the engine opens them.
//!
//! Each file is read completely before anything else, so a wrong line is found before the first operation. The plan
//! records the content's facts and hash; a file with another hash at replay time, perhaps a day later by `resume`, is
//! refused.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use drivelab_core::replay::{Replay, TraceFacts, TraceOpener, TraceSource};
use drivelab_core::run::RunRecords;
use drivelab_method::Methodology;
use drivelab_report::format;
use drivelab_trace::{Format, TraceError};

use crate::failure::{Failure, Result, input_code};
use crate::voice::Voice;

/// Name of the trace that `--trace FILE` replaces.
pub const OWN: &str = "own";

/// Assigns the user's files to the traces of a methodology, reads every file that it replays, and reports which
/// traces are left out because no file was given.
///
/// # Errors
/// An unknown trace name, a file that cannot be read, or the first wrong line of a file.
pub fn inform(methodology: &mut Methodology, given: &[String], voice: &Voice) -> Result<()> {
    for typed in given {
        let (name, file) = name_and_file(typed);
        if !methodology.give_trace(name, PathBuf::from(file)) {
            return Err(no_such_trace(methodology, name, typed));
        }
    }
    for trace in methodology.traces() {
        match &trace.source {
            Some(TraceSource::File { path, format, device }) => {
                let facts = facts(path, format.as_deref(), device.as_deref())?;
                voice.say(format!("Trace     {}: {}", trace.name, summary(path, &facts)));
                if let Some(words) = out_of_order(&facts) {
                    voice.say(format!("Trace     {}: {words}", trace.name));
                }
                methodology.know_trace(&trace.name, facts);
            }
            Some(TraceSource::Synthetic(_)) => {}
            None => voice.say(format!(
                "Left out  the trace '{}', which stands for a recorded trace: name its file with --trace {}",
                trace.name,
                if trace.name == OWN { "FILE".to_owned() } else { format!("{}=FILE", trace.name) }
            )),
        }
    }
    Ok(())
}

/// Splits `NAME=FILE`; a file alone is for the trace [`OWN`]. If the part before the sign looks like a path, it is
/// one.
fn name_and_file(typed: &str) -> (&str, &str) {
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    typed.split_once('=').filter(|(name, _)| is_name(name)).unwrap_or((OWN, typed))
}

fn no_such_trace(methodology: &Methodology, name: &str, typed: &str) -> Failure {
    let names: Vec<String> = methodology.traces().into_iter().map(|trace| trace.name).collect();
    let method = &methodology.identity().name;
    let advice = match names.is_empty() {
        true => "it replays no traces; `drivelab io TARGET --trace-in FILE` does".to_owned(),
        false => format!("its traces are: {}", names.join(", ")),
    };
    Failure::usage(format!("--trace {typed}: '{method}' has no trace '{name}': {advice}"))
}

/// The facts of a trace in one line.
fn summary(path: &Path, facts: &TraceFacts) -> String {
    format!(
        "{} ({}), {}, {} read and {} written in {}",
        path.display(),
        facts.format,
        counted(operations(facts)),
        format::bytes(facts.read),
        format::bytes(facts.written),
        format::duration(facts.duration)
    )
}

/// Number of operations that a replay issues.
#[must_use]
pub const fn operations(facts: &TraceFacts) -> u64 {
    facts.reads + facts.writes + facts.trims + facts.flushes
}

/// `1 operation`, `7 operations`.
#[must_use]
pub fn counted(count: u64) -> String {
    format::counted(usize::try_from(count).unwrap_or(usize::MAX), "operation")
}

/// Reports how many operations have a time before an earlier line's, and what a replay does with them; `None` if time
/// only increases. A single misplaced line can shift the times of all lines after it, and the results would not show
/// this.
#[must_use]
pub fn out_of_order(facts: &TraceFacts) -> Option<String> {
    let (count, all) = (facts.out_of_order, counted(operations(facts)));
    let (has, counts, them) = if count == 1 { ("has", "counts", "it") } else { ("have", "count", "them") };
    (count > 0).then(|| {
        format!(
            "{count} of {all} {has} a time before the latest one so far and {counts} as arriving with it: a timed replay \
             issues {them} immediately"
        )
    })
}

/// Reads a complete trace.
///
/// # Errors
/// Exit 4 if the file does not exist, 2 if it is wrong, 6 if it cannot be read.
pub fn facts(path: &Path, format: Option<&str>, device: Option<&str>) -> Result<TraceFacts> {
    let format = format.map(str::parse::<Format>).transpose().map_err(Failure::usage)?;
    drivelab_trace::survey(path, format, device).map(|survey| survey.facts).map_err(|error| refused(&error))
}

/// Turns an error of a trace into a message for the user.
pub fn refused(error: &TraceError) -> Failure {
    match error {
        TraceError::File { source, .. } => Failure::new(input_code(source), error.to_string()),
        _ => Failure::usage(error.to_string()),
    }
}

/// Opens traces for the engine. A file is read once before its first replay, to check that it is the one in the plan.
#[must_use]
pub fn opener() -> TraceOpener {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    Box::new(move |replay: &Replay| {
        if let TraceSource::File { path, format, device } = &replay.source {
            let key = format!("{} {:?} {:?}", path.display(), device, replay.facts.hash);
            if !seen.contains(&key) {
                is_the_same(path, format.as_deref(), device.as_deref(), &replay.facts)?;
                seen.insert(key);
            }
        }
        drivelab_trace::open(replay)
    })
}

/// Refuses to resume a run if a trace that it still has to replay was changed or removed. Nothing is changed before
/// this check: the user can put the file back and resume the run.
///
/// # Errors
/// The first such trace.
pub fn as_planned(records: &RunRecords) -> Result<()> {
    let mut seen = BTreeSet::new();
    let due = records.plan.schedule().into_iter().filter(|(key, _)| !records.is_finished(key));
    for replay in due.filter_map(|(_, step)| step.workload()?.replay.as_ref()) {
        let TraceSource::File { path, format, device } = &replay.source else { continue };
        if !seen.insert((path, device, &replay.facts.hash)) {
            continue;
        }
        if facts(path, format.as_deref(), device.as_deref())?.hash != replay.facts.hash {
            return Err(Failure::usage(format!("{}; or restore the file that the run began with", changed(path))));
        }
    }
    Ok(())
}

fn changed(path: &Path) -> String {
    format!(
        "the trace '{}' is not the one that the plan was made for: it was changed; begin a new run to use it as it is now",
        path.display()
    )
}

fn is_the_same(
    path: &Path,
    format: Option<&str>,
    device: Option<&str>,
    planned: &TraceFacts,
) -> std::result::Result<(), String> {
    let format = format.map(str::parse::<Format>).transpose()?;
    let found = drivelab_trace::survey(path, format, device).map_err(|error| error.to_string())?.facts;
    if found.hash == planned.hash {
        return Ok(());
    }
    Err(changed(path))
}

#[cfg(test)]
mod tests {
    //! A trace that is changed between plan and replay is refused.

    use drivelab_core::replay::{ReplayMode, TraceFit, TraceTrims};

    use super::*;

    #[test]
    fn a_file_that_was_changed_since_it_was_planned_is_not_replayed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.csv");
        std::fs::write(&path, "1,R,0,512,0\n").expect("a trace");
        let facts = facts(&path, None, None).expect("a trace");
        let replay = Replay {
            trace: "t".to_owned(),
            source: TraceSource::File { path: path.clone(), format: None, device: None },
            mode: ReplayMode::Timed {},
            fit: TraceFit::Wrap,
            trims: TraceTrims::Skip,
            facts,
        };
        assert!(opener()(&replay).is_ok());
        std::fs::write(&path, "1,R,0,512,0\n1,W,0,512,1\n").expect("a trace");
        let refused = opener()(&replay).err().expect("a refusal");
        assert!(refused.contains("is not the one that the plan was made for"), "{refused}");
    }

    #[test]
    fn a_name_in_front_of_the_sign_is_a_name_and_a_path_is_a_path() {
        assert_eq!(name_and_file("own=a.csv"), ("own", "a.csv"));
        assert_eq!(name_and_file("a.csv"), (OWN, "a.csv"));
        assert_eq!(name_and_file("./x=y.csv"), (OWN, "./x=y.csv"));
    }
}
