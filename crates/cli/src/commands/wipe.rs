//! `drivelab wipe`: empties a block device that the user released, shows how far it is, and reads samples afterwards.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use drivelab_core::clock::StopToken;
use drivelab_core::exit::ExitCode;
use drivelab_core::target::WritableTarget;
use drivelab_core::units::{Bytes, Nanos};
use drivelab_device::Named;
use drivelab_device::guard;
use drivelab_device::wipe::{self, Checked, How, WipeError, Wiped};
use drivelab_report::format;

use crate::args::{WipeArgs, WipeHow};
use crate::context::Context;
use crate::fail::{Failure, Result};
use crate::lab::{consent, signals};
use crate::say::{self, Loudness, Voice};

/// What a drive is taken to write in a second before it is known, in bytes: as in the plans of methodologies.
const GUESS: u64 = 500_000_000;

impl WipeHow {
    /// As it is typed.
    const fn name(self) -> &'static str {
        match self {
            WipeHow::Discard => "discard",
            WipeHow::WriteZeroes => "write-zeroes",
            WipeHow::Overwrite => "overwrite",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            WipeHow::Discard => "Discard",
            WipeHow::WriteZeroes => "Zeroes",
            WipeHow::Overwrite => "Overwrite",
        }
    }
}

impl From<WipeHow> for How {
    fn from(how: WipeHow) -> Self {
        match how {
            WipeHow::Discard => How::Discard,
            WipeHow::WriteZeroes => How::WriteZeroes,
            WipeHow::Overwrite => How::Overwrite,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// What is no block device, whatever the write guard refuses, and what the device cannot do.
pub fn wipe(context: &Context, arguments: &WipeArgs) -> Result {
    let voice = context.settings.voice;
    let Named::BlockDevice(node) = drivelab_device::classify(&arguments.target)? else {
        return Err(Failure::usage(format!(
            "wipe empties block devices, and {} is none; a file is removed with rm",
            arguments.target.display()
        )));
    };
    let stop = StopToken::default();
    signals::watch(stop.clone())?;
    let destroy = consent::for_device(&node, arguments.destroy.as_deref(), arguments.yes || arguments.dry_run)?;
    let target = guard::authorise_device(&node, &destroy)?;
    let plan = format!("{} of {} ({})", arguments.how.words(), node.path.display(), format::bytes(target.length()));
    if arguments.dry_run {
        return dry_run(&plan, &target, arguments);
    }
    voice.say(format!("{plan}: {}", estimate(arguments.how, target.length())));
    if let Some(device) = &target.decision().device {
        device.overridden.iter().for_each(|found| voice.say(format!("  what goes: {found}")));
    }
    guard::look_again(&target)?;
    if stop.is_stopped() {
        return Err(Failure::new(ExitCode::Interrupted, "stopped before anything was written"));
    }
    let seed = wipe::new_seed();
    let mut meter = Meter::new(voice, target.length());
    let done = wipe::wipe(&target, arguments.how.into(), seed, &stop, &mut |done| meter.show(done)).map_err(failed)?;
    meter.end();
    let took = meter.begun.elapsed();
    let checked = if done.stopped { None } else { Some(check(&target, arguments.how, seed, voice)?) };
    report(arguments, &target, &done, took, checked)
}

fn failed(error: WipeError) -> Failure {
    let code = if error.is_unsupported() { ExitCode::TargetUnusable } else { ExitCode::DeviceErrors };
    Failure::new(code, error.to_string())
}

fn check(target: &WritableTarget, how: WipeHow, seed: u64, voice: Voice) -> Result<Checked> {
    voice.detail("Reading samples back");
    wipe::check(target, how.into(), seed).map_err(failed)
}

fn dry_run(plan: &str, target: &WritableTarget, arguments: &WipeArgs) -> Result {
    if arguments.json {
        say::json(&serde_json::json!({
            "schema": "drivelab.wipe",
            "schema_version": 1,
            "dry_run": true,
            "target": target.path(),
            "how": arguments.how.name(),
            "bytes": target.length(),
            "guard": target.decision(),
        }))?;
        return Ok(ExitCode::Ok);
    }
    let found = target.decision().device.as_ref().map(|device| device.overridden.clone()).unwrap_or_default();
    let goes: String = found.iter().map(|found| format!("  what would go: {found}\n")).collect();
    say::data(&format!("Dry run: nothing was written.\n{plan}: {}\n{goes}", estimate(arguments.how, target.length())))?;
    Ok(ExitCode::Ok)
}

/// How long it takes, as far as can be told before.
fn estimate(how: WipeHow, length: Bytes) -> String {
    let writing = Nanos::from_secs(length.get().div_ceil(GUESS));
    match how {
        WipeHow::Discard => "usually some seconds".to_owned(),
        WipeHow::WriteZeroes => format!(
            "some seconds where the drive has a command for it, else about {} at 500 MB/s",
            format::duration(writing)
        ),
        WipeHow::Overwrite => format!("about {} at 500 MB/s", format::duration(writing)),
    }
}

fn report(
    arguments: &WipeArgs,
    target: &WritableTarget,
    done: &Wiped,
    took: Duration,
    checked: Option<Checked>,
) -> Result {
    let code = match checked {
        None => ExitCode::Interrupted,
        Some(checked) if checked.wrong > 0 => ExitCode::DeviceErrors,
        Some(_) => ExitCode::Ok,
    };
    if arguments.json {
        say::json(&serde_json::json!({
            "schema": "drivelab.wipe",
            "schema_version": 1,
            "dry_run": false,
            "target": target.path(),
            "how": arguments.how.name(),
            "bytes": target.length(),
            "bytes_done": done.done,
            "stopped": done.stopped,
            "seconds": took.as_secs_f64(),
            "guard": target.decision(),
            "check": checked.map(|checked| serde_json::json!({
                "blocks": checked.blocks,
                "wrong": checked.wrong,
                "first_wrong": checked.first_wrong,
            })),
        }))?;
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

/// What the samples said.
fn verdict(how: WipeHow, done: &Wiped, checked: Option<Checked>) -> String {
    let Some(Checked { blocks, wrong, first_wrong }) = checked else {
        return format!(
            "Stopped: what lies after byte {} holds what it held; the same command begins again at the start",
            done.done.get()
        );
    };
    let should = match how {
        WipeHow::Discard => "empty",
        WipeHow::WriteZeroes => "zeros",
        WipeHow::Overwrite => "what was written",
    };
    match first_wrong {
        None => format!("{blocks} blocks of 4 KiB were read back: all are {should}"),
        Some(first) => {
            let next = match how {
                WipeHow::Discard => "a drive may keep what was discarded readable for a while: say --how write-zeroes",
                WipeHow::WriteZeroes | WipeHow::Overwrite => "look at the drive's health and at the kernel's log",
            };
            format!(
                "{wrong} of {blocks} blocks of 4 KiB that were read back are not {should}, the first at byte {first}; {next}"
            )
        }
    }
}

/// Says how far it is: on a terminal in one line that changes, else every tenth.
struct Meter {
    voice: Voice,
    total: Bytes,
    begun: Instant,
    shown: Option<Instant>,
    tenth: u64,
    terminal: bool,
}

impl Meter {
    /// Between two looks of a person, at least.
    const PAUSE: Duration = Duration::from_millis(500);

    fn new(voice: Voice, total: Bytes) -> Meter {
        let terminal = std::io::stderr().is_terminal();
        Meter { voice, total, begun: Instant::now(), shown: None, tenth: 0, terminal }
    }

    fn show(&mut self, done: Bytes) {
        let tenth = done.get().saturating_mul(10) / self.total.get().max(1);
        let due = self.shown.is_none_or(|shown| shown.elapsed() >= Meter::PAUSE);
        if self.voice.loudness < Loudness::Normal || !(if self.terminal { due } else { tenth > self.tenth }) {
            return;
        }
        (self.tenth, self.shown) = (tenth, Some(Instant::now()));
        let line = self.line(done);
        if self.terminal {
            let _ = write!(anstream::stderr(), "\r{line}\x1b[K");
        } else {
            say::line(&line);
        }
    }

    fn line(&self, done: Bytes) -> String {
        let seconds = self.begun.elapsed().as_secs_f64();
        let share = done.as_f64() / self.total.as_f64().max(1.0);
        let left = if share > 0.0 { seconds / share - seconds } else { 0.0 };
        let left = Nanos::from_secs(left.max(0.0).ceil() as u64);
        format!(
            "{} % ({} of {}), {} left",
            (share * 100.0).floor(),
            format::bytes(done),
            format::bytes(self.total),
            format::duration(left)
        )
    }

    fn end(&mut self) {
        if self.terminal && self.shown.is_some() {
            say::line("");
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
    }
}
