//! `drivelab wipe`: empties a block device that the user named with `--destroy`, shows the progress, and reads samples
//! back afterwards.

mod meter;

use std::time::Duration;

use drivelab_core::clock::{MonotonicClock, StopToken};
use drivelab_core::exit::ExitCode;
use drivelab_core::target::WritableTarget;
use drivelab_core::units::{Bytes, Nanos};
use drivelab_device::guard;
use drivelab_device::wipe::drive::{self, DriveHow, DriveWipeError, Ended, Heard};
use drivelab_device::wipe::{self, Checked, How, WipeError, Wiped};
use drivelab_lab::failure::{wipe_code, wiped_code};
use drivelab_lab::run::conditions::undone::by_a_killed_run;
use drivelab_lab::run::drive_state;
use drivelab_lab::target::consent;
use drivelab_lab::target::naming::place_of;
use drivelab_lab::{Failure, Result, Voice};
use drivelab_report::{WipeCheck, WipeDocument, format};

use crate::args::{PrintArgs, WipeArgs, WipeHow};
use crate::context::Context;
use crate::front::signals;
use crate::front::terminal::Terminal;
use crate::say;
use meter::Meter;

/// Assumed write rate of an unknown drive, in bytes per second: the same as in the plans of methodologies.
const GUESS: u64 = 500_000_000;

/// What does the work.
enum Way {
    /// The kernel's block layer.
    Block(How),
    /// The drive, by a command of its own.
    Drive(DriveHow),
}

impl WipeHow {
    /// As it is typed.
    const fn name(self) -> &'static str {
        match self {
            WipeHow::Discard => "discard",
            WipeHow::WriteZeroes => "write-zeroes",
            WipeHow::Format => "format",
            WipeHow::Sanitize => "sanitize",
            WipeHow::Overwrite => "overwrite",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            WipeHow::Discard => "Discard",
            WipeHow::WriteZeroes => "Zeroes",
            WipeHow::Format => "Format",
            WipeHow::Sanitize => "Sanitize",
            WipeHow::Overwrite => "Overwrite",
        }
    }

    const fn way(self) -> Way {
        match self {
            WipeHow::Discard => Way::Block(How::Discard),
            WipeHow::WriteZeroes => Way::Block(How::WriteZeroes),
            WipeHow::Overwrite => Way::Block(How::Overwrite),
            WipeHow::Format => Way::Drive(DriveHow::Format),
            WipeHow::Sanitize => Way::Drive(DriveHow::Sanitize),
        }
    }
}

/// What was done, for the report.
struct Done {
    wiped: Wiped,
    took: Duration,
    checked: Option<Checked>,
}

/// Runs the command.
///
/// # Errors
/// The target is not a block device, the write guard refuses it, or the device cannot do it.
pub fn wipe(context: &Context, arguments: &WipeArgs) -> Result {
    let voice = &context.settings.voice;
    let Some(node) = place_of(&arguments.target)?.device().cloned() else {
        return Err(Failure::usage(format!(
            "wipe empties block devices, and {} is not one; use rm to remove a file",
            arguments.target.display()
        )));
    };
    let stop = StopToken::default();
    signals::watch(stop.clone());
    let print = PrintArgs { events: None, json: arguments.json, fail_if: Vec::new() };
    let terminal = Terminal::new(context, &print);
    let destroy =
        consent::for_device(&terminal, &node, arguments.destroy.as_deref(), arguments.yes || arguments.dry_run);
    let destroy = destroy.map_err(|failure| by_a_killed_run(context.data().ok().as_ref(), &node, failure))?;
    let target = guard::authorise_device(&node, &destroy)?;
    let plan = format!("{} of {} ({})", arguments.how.words(), node.path.display(), format::bytes(target.length()));
    if arguments.dry_run {
        if let Way::Drive(how) = arguments.how.way() {
            // Whatever would stop the real command also stops the dry run.
            let command = drive::plan(&target, how).map_err(drive_failed)?;
            guard::may_destroy(&target, &command.reach())?;
        }
        return dry_run(&plan, &target, arguments);
    }
    voice.say(format!("{plan}: {}", estimate(arguments.how, target.length())));
    if let Some(device) = &target.decision().device {
        device.overridden.iter().for_each(|found| voice.say(format!("  will be lost: {found}")));
    }
    let done = match arguments.how.way() {
        Way::Block(how) => by_block_layer(&target, how, &stop, voice)?,
        Way::Drive(how) => by_drive(&target, how, &stop, voice)?,
    };
    let empties = matches!(arguments.how, WipeHow::Discard | WipeHow::Format | WipeHow::Sanitize);
    if let (true, Some(device), Ok(data)) = (empties, &target.decision().device, context.data()) {
        let by = format!("drivelab wipe ({})", arguments.how.name());
        drive_state::keep_empty(&data, &device.identity, target.length(), &by);
    }
    report(arguments, &target, &done)
}

fn failed(error: WipeError) -> Failure {
    Failure::new(wipe_code(error.is_unsupported()), error.to_string())
}

fn drive_failed(error: DriveWipeError) -> Failure {
    Failure::new(wipe_code(error.is_unsupported()), error.to_string())
}

fn stopped_before(stop: &StopToken) -> Result<()> {
    if stop.is_stopped() {
        return Err(Failure::new(ExitCode::Interrupted, "stopped before anything was written"));
    }
    Ok(())
}

fn by_block_layer(target: &WritableTarget, how: How, stop: &StopToken, voice: &Voice) -> Result<Done> {
    guard::look_again(target)?;
    stopped_before(stop)?;
    let (seed, total) = (wipe::new_seed(), target.length());
    let mut meter = Meter::new(voice);
    let wiped = wipe::wipe(target, how, seed, stop, &mut |done| meter.bytes(how, done, total)).map_err(failed)?;
    meter.end();
    let took = meter.elapsed();
    voice.detail("Reading samples back");
    let checked = if wiped.stopped { None } else { Some(wipe::check(target, how, seed).map_err(failed)?) };
    Ok(Done { wiped, took, checked })
}

/// The drive may read as zeros, ones or noise afterwards, so the blocks are compared with what they held before.
fn by_drive(target: &WritableTarget, how: DriveHow, stop: &StopToken, voice: &Voice) -> Result<Done> {
    let command = drive::plan(target, how).map_err(drive_failed)?;
    let time = command.expected().map_or("the drive does not report how long that takes".to_owned(), |expected| {
        format!("about {}, as the drive reports", format::duration(expected))
    });
    voice.say(format!("{}: {time}", command.words()));
    let before = wipe::remember(target).map_err(failed)?;
    stopped_before(stop)?;
    let permit = guard::permit_to_destroy(target, &command.reach())?;
    let mut meter = Meter::new(voice);
    let clock = MonotonicClock::starting_at(0);
    let ended = command.run(permit, &clock, stop, &mut |heard| match heard {
        Heard::Percent(percent) => meter.share(percent / 100.0, ""),
        Heard::CannotStop => {
            meter.end();
            voice.warn(
                "a format cannot be stopped: drivelab waits until the drive has finished (a second Ctrl-C ends drivelab \
                 immediately, and the format continues)",
            );
        }
    });
    meter.end();
    let took = meter.elapsed();
    let done = target.length();
    match ended.map_err(drive_failed)? {
        Ended::LeftAlone => Err(Failure::new(
            ExitCode::Interrupted,
            "stopped waiting: the drive continues the sanitize by itself, even after a restart, and accepts no reads \
             or writes until it has finished",
        )),
        Ended::DoneAllTheSame => Ok(Done { wiped: Wiped { done, stopped: true }, took, checked: None }),
        Ended::Done => {
            let checked = Some(wipe::forgotten(target, &before).map_err(failed)?);
            Ok(Done { wiped: Wiped { done, stopped: false }, took, checked })
        }
    }
}

/// Everything that is known before the wipe.
fn document(target: &WritableTarget, arguments: &WipeArgs) -> WipeDocument {
    let path = target.path().to_owned();
    WipeDocument::planned(path, arguments.how.name(), target.length(), target.decision().clone())
}

fn dry_run(plan: &str, target: &WritableTarget, arguments: &WipeArgs) -> Result {
    if arguments.json {
        say::json(&document(target, arguments))?;
        return Ok(ExitCode::Ok);
    }
    let found = target.decision().device.as_ref().map(|device| device.overridden.clone()).unwrap_or_default();
    let goes: String = found.iter().map(|found| format!("  would be lost: {found}\n")).collect();
    say::data(&format!("Dry run: nothing was written.\n{plan}: {}\n{goes}", estimate(arguments.how, target.length())))?;
    Ok(ExitCode::Ok)
}

/// How long it takes, as far as this is known before.
fn estimate(how: WipeHow, length: Bytes) -> String {
    let writing = Nanos::from_secs(length.get().div_ceil(GUESS));
    match how {
        WipeHow::Discard => "usually some seconds".to_owned(),
        WipeHow::WriteZeroes => format!(
            "some seconds if the drive has a command for it, otherwise about {} at 500 MB/s",
            format::duration(writing)
        ),
        WipeHow::Format | WipeHow::Sanitize => "the drive does it by itself".to_owned(),
        WipeHow::Overwrite => format!("about {} at 500 MB/s", format::duration(writing)),
    }
}

fn report(arguments: &WipeArgs, target: &WritableTarget, done: &Done) -> Result {
    let Done { wiped: done, took, checked } = done;
    let checked = *checked;
    let code = wiped_code(checked.map(|checked| checked.wrong));
    if arguments.json {
        say::json(&WipeDocument {
            dry_run: false,
            bytes_done: Some(done.done),
            stopped: Some(done.stopped),
            seconds: Some(took.as_secs_f64()),
            check: checked.map(|Checked { blocks, wrong, first_wrong }| WipeCheck { blocks, wrong, first_wrong }),
            ..document(target, arguments)
        })?;
    } else {
        let time = format::duration(Nanos::new(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX)));
        let text = format!(
            "{} of {}: {} of {} in {time}\n{}\n",
            arguments.how.words(),
            target.path().display(),
            format::bytes(done.done),
            format::bytes(target.length()),
            verdict(arguments.how, done, checked)
        );
        say::data(&text)?;
    }
    Ok(code)
}

/// What the samples show.
fn verdict(how: WipeHow, done: &Wiped, checked: Option<Checked>) -> String {
    let Some(Checked { blocks, wrong, first_wrong }) = checked else {
        if matches!(how.way(), Way::Drive(_)) {
            return "Stopped, but a format cannot be stopped: the drive finished it; nothing was read back".to_owned();
        }
        return format!(
            "Stopped: everything after byte {} is unchanged; the same command starts again from the beginning",
            done.done.get()
        );
    };
    let should = match how {
        WipeHow::Discard => "empty",
        WipeHow::WriteZeroes => "zeros",
        WipeHow::Overwrite => "the written data",
        WipeHow::Format | WipeHow::Sanitize => "different from before",
    };
    match first_wrong {
        None => format!("{blocks} blocks of 4 KiB were read back: all are {should}"),
        Some(first) => {
            let next = match how {
                WipeHow::Discard => "a drive may return discarded data for a while: use --how write-zeroes",
                WipeHow::WriteZeroes | WipeHow::Overwrite | WipeHow::Format | WipeHow::Sanitize => {
                    "look at the drive's health and at the kernel log"
                }
            };
            format!(
                "{wrong} of {blocks} blocks of 4 KiB that were read back are not {should}; the first is at byte {first}; {next}"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_samples_said_is_told_with_the_next_step() {
        let done = Wiped { done: Bytes::GIB, stopped: false };
        let right = Checked { blocks: 8192, wrong: 0, first_wrong: None };
        assert_eq!(
            verdict(WipeHow::WriteZeroes, &done, Some(right)),
            "8192 blocks of 4 KiB were read back: all are zeros"
        );
        let wrong = Checked { blocks: 8192, wrong: 3, first_wrong: Some(4096) };
        let text = verdict(WipeHow::Discard, &done, Some(wrong));
        assert!(text.contains("3 of 8192") && text.contains("byte 4096") && text.contains("write-zeroes"), "{text}");
        let stopped = Wiped { done: Bytes::MIB, stopped: true };
        assert!(verdict(WipeHow::Overwrite, &stopped, None).contains("after byte 1048576"));
        let all_the_same = Wiped { done: Bytes::GIB, stopped: true };
        let text = verdict(WipeHow::Format, &all_the_same, None);
        assert!(text.contains("the drive finished it") && !text.contains("is unchanged"), "{text}");
    }
}
