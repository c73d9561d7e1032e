//! How a run ended: the result on stdout, the page, the closing message, the exit code.

use drivelab_analysis::{AcceptanceLimit, LIMITS_BROKEN};
use drivelab_core::environment::TargetKind;
use drivelab_core::event::RunState;
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::record::{StepRecord, Verification};
use drivelab_core::run::RunRecords;
use drivelab_device::guard::flag_of;
use drivelab_lab::failure::failed_run_code;
use drivelab_lab::output::pages::Wish;
use drivelab_lab::run::ended::Ended;
use drivelab_lab::{Failure, Loudness, Result, Show};
use drivelab_report::{IoInput, ReportInput};
use drivelab_session::Outcome;
use rustix::io::Errno;

use super::checked;
use super::run_ids::{LEAST_ID, end_of};
use super::width::terminal_width;
use crate::args::PrintArgs;
use crate::context::Context;
use crate::say;

/// ENOSPC: a full file system is not an error of the device.
const NO_SPACE: i32 = 28;

/// Shows a run that had ended before this process began.
///
/// # Errors
/// As for [`show`].
pub fn ended(context: &Context, print: &PrintArgs, run: RunId, page: Option<Wish>) -> Result {
    let (records, analysis) = context.load(run)?;
    let device_errors = records.steps.iter().map(StepRecord::error_count).sum();
    let outcome = match records.state {
        RunState::Failed => Outcome::Failed { message: records.message.clone(), device_errors, host_unfit: false },
        _ => Outcome::Complete { device_errors },
    };
    let shown = Show::of(&records);
    let ended = Ended { run, outcome, recorded: Ok((records, analysis)), saved: true, show: shown, page: None };
    show(context, print, ended.with_page(page))
}

/// Prints the page's path, the result on stdout and the closing message; returns the exit code.
///
/// # Errors
/// The outcome, with its exit code; also a page that could not be written.
pub fn show(context: &Context, print: &PrintArgs, ended: Ended) -> Result {
    let Ended { run, outcome, recorded, saved, show, page } = ended;
    let loaded = match (recorded, &outcome) {
        (Ok(loaded), _) => loaded,
        // The disk that holds the results is the problem, so its error comes first.
        (Err(_), Outcome::RecorderLost { message }) => {
            return Err(recording_failed(message, &format!("resume it with: drivelab resume {run}")));
        }
        (Err(failure), _) => return Err(failure),
    };
    let (records, analysis) = &loaded;
    let input = ReportInput { records, analysis };
    let load = IoInput { run: input, saved };
    let told = matches!(outcome, Outcome::Complete { .. } | Outcome::Failed { .. });
    let mut verdict = None;
    match show {
        Show::Check if told => {
            let run = saved.then_some(run);
            verdict = checked::show(context, print, (records, analysis), run)?;
        }
        Show::Check => {}
        Show::Review if print.json => say::json(&drivelab_report::document(&[input])?)?,
        Show::Load if print.json => say::json(&drivelab_report::io_json(&load)?)?,
        _ if print.events.is_some() => {}
        _ => text(context, &load, show)?,
    }
    if let Some((path, written)) = page {
        written?;
        context.settings.voice.say(format!("The page: {}", path.display()));
    }
    let code = last_words(context, (run, records), outcome, (saved, show), &print.fail_if)?;
    let mut broken: Vec<String> = print.fail_if.iter().filter_map(|limit| limit.broken_by(analysis)).collect();
    let of_methodology = analysis.findings.iter().filter(|finding| finding.code == LIMITS_BROKEN);
    broken.extend(of_methodology.map(|finding| finding.statement.clone()));
    // No error: the other runs of a series go on.
    let whose =
        records.group.as_ref().map_or_else(String::new, |_| format!("{} (run {run}): ", records.environment.named()));
    broken.iter().for_each(|why| say::cut(&format!("error: {whose}{why}")));
    let code = if broken.is_empty() || code != ExitCode::Ok { code } else { ExitCode::AcceptanceFailed };
    Ok(verdict.map(checked::code).filter(|code| *code != ExitCode::Ok).unwrap_or(code))
}

/// Prints the figures as text: the summary, or with `-v` every figure; of a load given by flags, its table.
///
/// # Errors
/// stdout cannot be written.
pub fn text(context: &Context, load: &IoInput<'_>, show: Show) -> Result<()> {
    let (input, width) = (&load.run, terminal_width());
    match show {
        Show::Check | Show::Part => Ok(()),
        _ if input.records.steps.is_empty() => Ok(()),
        Show::Review if load.saved && context.settings.voice.loudness < Loudness::Verbose => {
            say::data(&drivelab_report::terminal_summary(input, width))
        }
        Show::Review => say::data(&drivelab_report::terminal_table(input, width)),
        Show::Load => say::data(&drivelab_report::io_table(load, width)?),
    }
}

fn recording_failed(message: &str, go_on: &str) -> Failure {
    Failure::new(
        ExitCode::TargetUnusable,
        format!("the recording failed: {message}; what was recorded until then is kept; {go_on}"),
    )
}

/// The reason, if a block device has disappeared since the run began. The device is opened to find out, because its
/// node may exist a moment longer.
fn gone(records: &RunRecords) -> Option<String> {
    let target = &records.environment.target;
    let error =
        if target.kind == TargetKind::BlockDevice { std::fs::File::open(&target.path).err()? } else { return None };
    let is_gone = [Errno::NOENT, Errno::NXIO, Errno::NODEV].map(Errno::raw_os_error).contains(&error.raw_os_error()?);
    is_gone.then(|| format!("{} is gone", target.path.display()))
}

/// What to do about failed operations, from the first error.
fn what_to_do(records: &RunRecords) -> &'static str {
    if gone(records).is_some() {
        return "The kernel has no such device any more: it was unplugged, or it dropped off its bus. The kernel log \
                (`dmesg`) shows when and why";
    }
    let first = records.steps.iter().flat_map(|record| &record.errors).next();
    if first.is_some_and(|error| error.errno == Errno::NOSPC.raw_os_error()) {
        return "The file system is full: free some space, or use a smaller file (--size)";
    }
    if records.environment.target.kind.stores_nothing() {
        return "The target stores nothing, so the kernel or drivelab is at fault";
    }
    "Look at the kernel log and at the drive's health"
}

/// The closing message and the exit code.
fn last_words(
    context: &Context,
    (run, records): (RunId, &RunRecords),
    outcome: Outcome,
    (saved, show): (bool, Show),
    fail_if: &[AcceptanceLimit],
) -> Result {
    let in_run = if saved { format!(" (run {run})") } else { String::new() };
    match outcome {
        Outcome::Complete { device_errors: 0 } => match bad_blocks(records) {
            Some(found) => Err(Failure::new(ExitCode::DeviceErrors, format!("{found}{in_run}"))),
            None => {
                if saved && show != Show::Part {
                    let end = end_of(run, LEAST_ID);
                    context.settings.voice.say(format!(
                        "Run {run} is complete; `drivelab results show {end}` shows every figure, `drivelab report {end}` \
                         makes reports"
                    ));
                }
                Ok(ExitCode::Ok)
            }
        },
        Outcome::Complete { device_errors } => {
            let operations = if device_errors == 1 { "operation" } else { "operations" };
            let action = what_to_do(records);
            let gone = gone(records).map_or_else(String::new, |gone| format!("{gone}: "));
            let text =
                format!("{gone}{device_errors} {operations} ended in errors; the report names them. {action}{in_run}");
            Err(Failure::new(ExitCode::DeviceErrors, text))
        }
        Outcome::Interrupted { cause } => {
            let go_on = if saved {
                let steps = records.plan.schedule().len();
                let finished = records.finished_count();
                format!("{finished} of {steps} steps are finished and kept; {}", go_on(run, records, fail_if))
            } else {
                "nothing is kept".to_owned()
            };
            Err(Failure::new(ExitCode::Interrupted, format!("{cause}: {go_on}")))
        }
        Outcome::Failed { message, device_errors, host_unfit } => {
            let full = records.steps.iter().flat_map(|step| &step.errors).any(|error| error.errno == NO_SPACE);
            let code = failed_run_code(host_unfit, device_errors > 0, full);
            let kept = if saved { format!("; what was measured is kept in run {run}") } else { String::new() };
            Err(Failure::new(code, format!("the run failed: {message}{kept}")))
        }
        Outcome::RecorderLost { message } => Err(recording_failed(&message, &go_on(run, records, fail_if))),
    }
}

/// How an interrupted run can be continued, if it can, under the limits that were given.
fn go_on(run: RunId, records: &RunRecords, fail_if: &[AcceptanceLimit]) -> String {
    let environment = &records.environment;
    if environment.condition.is_some() {
        return "a run under conditions cannot be resumed, because they are undone: start a new run".to_owned();
    }
    let device = environment.guard.as_ref().and_then(|guard| guard.device.as_ref());
    let flag = device.map_or_else(String::new, |device| format!(" {}", flag_of(&device.identity)));
    let limits: String = fail_if.iter().map(|limit| format!(" --fail-if '{limit}'")).collect();
    format!("resume it with: drivelab resume {run}{flag}{limits}")
}

/// A sentence about blocks that do not hold what was written there, if there are any.
fn bad_blocks(records: &RunRecords) -> Option<String> {
    let checks: Vec<&Verification> = records.steps.iter().filter_map(|step| step.verification.as_ref()).collect();
    let checked: u64 = checks.iter().map(|check| check.checked).sum();
    let bad: u64 = checks.iter().flat_map(|check| check.faults.values()).sum();
    let first = checks.iter().find_map(|check| check.first.first());
    let first = first
        .map_or_else(String::new, |block| format!("; the first, at byte {}, is {}", block.offset, block.fault.name()));
    let passes = if checks.len() > 1 { format!(", all {} checks together,", checks.len()) } else { String::new() };
    (bad > 0).then(|| {
        format!(
            "{bad} of {checked} blocks that were checked{passes} do not hold what was written there{first}. The drive, the path to \
             it, or another program changed data: do not trust it with data before you know which"
        )
    })
}
