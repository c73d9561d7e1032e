//! `drivelab watch`: temperature, power, CPU and other quantities live, alone or beside another program.
//!
//! Only reads, and stores only what `--cost` finds. With a command, all messages go to stderr, and the command's exit
//! code is returned.

mod cost;
mod kept;
mod track;
mod words;

use std::io::{IsTerminal, Write};
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;

use drivelab_core::clock::{MonotonicClock, RunClock, StopCause, StopToken};
use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::exit::ExitCode;
use drivelab_core::telemetry::{Observer, Quantity, TelemetryBatch, TelemetryDescribed};
use drivelab_core::units::Nanos;
use drivelab_device::probe::find;
use drivelab_device::{Named, Roots, devices_below};
use drivelab_lab::set_up::watching;
use drivelab_lab::target::unmounted;
use drivelab_lab::{Failure, Loudness, Result, TelemetryChoice};
use drivelab_report::{WatchLine, WatchRow, format, severity_word};
use drivelab_telemetry::{Rates, Sampler, SamplerOptions, discover};

use crate::args::WatchArgs;
use crate::context::Context;
use crate::front::signals;
use crate::say;
use kept::Kept;
use track::Tracks;

/// Time between two looks at the samples.
const LOOK_NS: u64 = 1_000_000_000;
/// Interval at which it checks whether a command has ended.
const POLL_NS: u64 = 50_000_000;
/// Unit of a drive's critical warning, whose bits are shown as words.
const WARNING: &str = Quantity::WarningBits.unit();
/// Beside a command, only every tenth look prints a plain line.
const SELDOM: u64 = 10;

/// Runs the command.
///
/// # Errors
/// There is no such target, a meter cannot be used, or a command cannot be started.
pub fn watch(context: &Context, arguments: &WatchArgs) -> Result {
    let rates = rates(context, arguments)?;
    let voice = &context.settings.voice;
    unmounted::warn(&arguments.target, voice);
    let found = find(&arguments.target)?;
    found.remark.iter().for_each(|remark| voice.say(remark));
    let devices = devices_below(&Named::BlockDevice(found.node.clone()))?;
    if arguments.cost {
        return cost::cost(context, arguments, rates, &found.node, &disks(&devices));
    }
    let stop = StopToken::default();
    signals::watch_with_terminal(stop.clone());
    let telemetry = arguments.telemetry.asked();
    let wanted = watching::wanted(&telemetry, disks(&devices), rates);
    let sources = discover(&Roots::default(), &wanted);
    let sources = sources.map_err(|error| watching::unusable_meter(&telemetry, &error))?;
    watching::check_power_log(&telemetry, &sources)?;
    watching::limit_can_be_held(&telemetry, &sources)?;
    let clock: Arc<dyn RunClock> = Arc::new(MonotonicClock::starting_at(0));
    let options = SamplerOptions { always: true, abort_above: sources.abort_above, remarks: sources.remarks };
    let mut sampler = Sampler::start(sources.sources, Arc::clone(&clock), stop.clone(), options);
    let described = sampler.described();
    let mut show = Show::new(context, arguments, &described);
    show.begin(&described)?;
    let child = start(&arguments.command)?;
    let status = follow(arguments, &mut sampler, &*clock, &stop, &mut show, child)?;
    if let Some(batch) = sampler.finish() {
        show.take(batch);
    }
    show.end(clock.now_ns(), status)?;
    if let Some(hot) = sampler.too_hot() {
        return Err(Failure::new(ExitCode::Interrupted, hot));
    }
    if status.is_some() && signals::is_terminated() {
        return Err(Failure::new(ExitCode::Interrupted, "stopped by a signal, which was passed on to the command"));
    }
    match status {
        // The program's own exit code, whatever it means for that program.
        Some(status) if !status.success() => std::process::exit(code_of(status)),
        None if stop.is_stopped() && arguments.time.is_some() => {
            Err(Failure::new(ExitCode::Interrupted, "stopped before the time of --time had passed"))
        }
        // Without --time, a stop by the user is the normal end.
        _ => Ok(ExitCode::Ok),
    }
}

/// How often each source is read. The setting `off` is for runs: a user of `watch` wants to see something.
fn rates(context: &Context, arguments: &WatchArgs) -> Result<Rates> {
    if arguments.telemetry.telemetry == Some(TelemetryChoice::Off) {
        return Err(Failure::usage(
            "watch shows what telemetry reads, and with --telemetry off it would read nothing; leave the flag out, or state \
             how often to read (--telemetry 5)",
        ));
    }
    let choice = arguments.telemetry.telemetry.unwrap_or(context.settings.telemetry.value);
    Ok(watching::rates(choice).unwrap_or_default())
}

fn disks(devices: &[BlockDeviceFacts]) -> Vec<String> {
    devices.iter().map(|device| device.name.clone()).collect()
}

fn start(command: &[String]) -> Result<Option<Child>> {
    let Some((program, arguments)) = command.split_first() else { return Ok(None) };
    let child = Command::new(program).args(arguments).spawn();
    child.map(Some).map_err(|error| Failure::usage(format!("{program} cannot be started: {error}")))
}

/// The exit code as shells report it: the code, or 128 plus the signal.
fn code_of(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1)
}

/// Looks and shows until the time, the program or the user ends it. A program gets Ctrl-C itself, and its end is
/// awaited; SIGTERM is passed on to it. It is also sent SIGTERM if the drive is too hot.
fn follow(
    arguments: &WatchArgs,
    sampler: &mut Sampler,
    clock: &dyn RunClock,
    stop: &StopToken,
    show: &mut Show<'_>,
    mut child: Option<Child>,
) -> Result<Option<ExitStatus>> {
    let end_ns = arguments.time.map_or(u64::MAX, Nanos::get);
    let never = StopToken::default();
    let (mut next_ns, mut told) = (LOOK_NS, false);
    loop {
        let now_ns = clock.now_ns();
        if let Some(child) = &mut child {
            let over =
                child.try_wait().map_err(|error| Failure::unexpected(format!("the command is lost: {error}")))?;
            if over.is_some() {
                return Ok(over);
            }
            let is_to_end = stop.cause() == Some(StopCause::Heat) || signals::is_terminated();
            if !told && (now_ns >= end_ns || is_to_end) {
                told = true;
                terminate(child);
            }
        } else if now_ns >= end_ns || stop.is_stopped() || show.gone {
            return Ok(None);
        }
        if now_ns >= next_ns {
            next_ns += LOOK_NS;
            if let Some(batch) = sampler.collect() {
                show.take(batch);
            }
            show.now(now_ns)?;
        }
        let until_ns = next_ns.min(if told { u64::MAX } else { end_ns });
        if child.is_some() {
            clock.sleep_until(until_ns.min(now_ns + POLL_NS).max(now_ns + 1), &never);
        } else {
            clock.sleep_until(until_ns, stop);
        }
    }
}

fn terminate(child: &Child) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}

/// How the samples are shown.
struct Show<'a> {
    tracks: Tracks,
    kept: Kept,
    json: bool,
    /// A command has stdout for itself.
    beside: bool,
    /// On a terminal each picture replaces the one before; this is the number of lines of the last picture.
    drawn: Option<usize>,
    target: &'a std::path::Path,
    quiet: bool,
    looks: u64,
    /// Nobody reads stdout any more.
    gone: bool,
}

impl<'a> Show<'a> {
    fn new(context: &Context, arguments: &'a WatchArgs, described: &TelemetryDescribed) -> Self {
        let beside = !arguments.command.is_empty();
        let draws = std::io::stdout().is_terminal()
            && std::env::var("TERM").is_ok_and(|term| !matches!(term.as_str(), "" | "dumb"))
            && !context.settings.plain.value;
        Show {
            tracks: Tracks::of(described),
            kept: Kept::of(described),
            json: arguments.json,
            beside,
            drawn: (draws && !beside && !arguments.json).then_some(0),
            target: &arguments.target,
            quiet: context.settings.voice.loudness == Loudness::Quiet,
            looks: 0,
            gone: false,
        }
    }

    fn take(&mut self, batch: TelemetryBatch) {
        self.tracks.take(&batch);
        self.kept.take(batch);
    }

    fn out(&mut self, text: &str) -> Result<()> {
        if self.beside {
            say::line(text.trim_end());
            return Ok(());
        }
        self.gone |= !say::data_heard(text)?;
        Ok(())
    }

    fn object(&mut self, line: &WatchLine) -> Result<()> {
        let text = serde_json::to_string(line);
        self.out(&text.map_err(|error| Failure::unexpected(format!("a line cannot be written as JSON: {error}")))?)
    }

    fn begin(&mut self, described: &TelemetryDescribed) -> Result<()> {
        if self.json {
            return self.object(&WatchLine::begin(self.target.to_owned(), described.clone()));
        }
        if !self.quiet {
            say::line(&format!(
                "Watching {} ({})",
                self.target.display(),
                format::counted(described.sources.len(), "source")
            ));
            described.remarks.iter().for_each(|remark| say::line(&format!("not watched: {remark}")));
        }
        Ok(())
    }

    fn now(&mut self, now_ns: u64) -> Result<()> {
        self.looks += 1;
        let rows = self.tracks.rows();
        if self.json {
            return self.object(&WatchLine::Now { at_s: seconds(now_ns), now: rows });
        }
        if let Some(lines) = self.drawn {
            let text = table(&rows);
            let up = if lines > 0 { format!("\x1b[{lines}A\x1b[J") } else { String::new() };
            let mut stdout = std::io::stdout().lock();
            self.gone |= write!(stdout, "{up}{text}").and_then(|()| stdout.flush()).is_err();
            self.drawn = Some(text.lines().count());
            return Ok(());
        }
        let due = if self.beside { self.looks.is_multiple_of(SELDOM) } else { true };
        // A rate needs two readings.
        if due && !self.quiet && !rows.is_empty() { self.out(&line(now_ns, &rows)) } else { Ok(()) }
    }

    fn end(&mut self, now_ns: u64, status: Option<ExitStatus>) -> Result<()> {
        let rows = self.tracks.rows();
        let findings = self.kept.findings();
        if self.json {
            let command_exit_code = status.map(code_of);
            return self.object(&WatchLine::End { at_s: seconds(now_ns), summary: rows, findings, command_exit_code });
        }
        if let Some(lines) = self.drawn.filter(|lines| *lines > 0) {
            let _ = write!(std::io::stdout(), "\x1b[{lines}A\x1b[J");
        }
        let time = format::duration(Nanos::new(now_ns));
        self.out(&format!("{} for {time}:\n{}", self.target.display(), table(&rows)))?;
        for finding in findings {
            let word = severity_word(finding.severity);
            self.out(&format!("{word}: {} {}\n", finding.statement, finding.next_action))?;
        }
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "a watch is shorter than 2^53 nanoseconds")]
fn seconds(at_ns: u64) -> f64 {
    at_ns as f64 / 1e9
}

/// `  12.0 s  nvme0n1 temperature, Composite: 41.9 °C; ...`: the figures that people look for first.
fn line(now_ns: u64, rows: &[WatchRow]) -> String {
    let wanted = |row: &&WatchRow| {
        matches!(row.unit, "°C" | "W" | "MB/s")
            || row.name == "cpu busy"
            || ((row.mean.is_none() || row.unit == WARNING) && row.now != Some(0.0))
    };
    let word = |row: &WatchRow| match row.now {
        Some(bits) if row.unit == WARNING => format!("{}: {}", row.label, words::warning(bits)),
        now => {
            format!("{}: {} {}", row.label, now.map_or_else(String::new, |now| format::value(now, row.unit)), row.unit)
        }
    };
    let words: Vec<String> = rows.iter().filter(wanted).map(word).collect();
    format!("{:>7.1} s  {}", seconds(now_ns), words.join("; "))
}

/// Every row with its figures, one below the other.
fn table(rows: &[WatchRow]) -> String {
    let width = rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0).max(8);
    let mut text = format!("{:<width$} {:>12} {:>10} {:>10} {:>10}\n", "", "now", "min", "mean", "max");
    for row in rows {
        if let (WARNING, Some(now)) = (row.unit, row.now) {
            let seen = row
                .max
                .filter(|max| *max > 0.0 && *max > now)
                .map_or_else(String::new, |max| format!(", and before: {}", words::warning(max)));
            text.push_str(&format!("{:<width$} {:>12}{seen}\n", row.label, words::warning(now)));
            continue;
        }
        let cell = |value: Option<f64>| value.map_or_else(String::new, |value| format::value(value, row.unit));
        let line = format!(
            "{:<width$} {:>12} {:>10} {:>10} {:>10}  {}",
            row.label,
            cell(row.now),
            cell(row.min),
            cell(row.mean),
            cell(row.max),
            row.unit
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
