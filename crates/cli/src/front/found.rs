//! Prints what was found before a run: target, device, testbed, and what may disturb the result.

use drivelab_analysis::conditions::{contradictions, disturbances};
use drivelab_core::environment::{BlockDeviceFacts, Environment, TargetKind};
use drivelab_core::finding::{Finding, Severity};
use drivelab_core::plan::Plan;
use drivelab_lab::{Loudness, Show, Voice};
use drivelab_method::SpeedGuess;
use drivelab_report::{format, guess_of_bytes, guess_of_time, severity_word};

use super::width::terminal_width;

/// Column at which lines are broken, and indentation of the continuation.
const INDENT: &str = "          ";

/// Breaks a line between words, so that no terminal breaks it inside a word.
fn wrapped(line: &str, width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in line.split_inclusive(' ') {
        let length = word.trim_end().chars().count();
        if column + length > width && column > INDENT.len() {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(INDENT);
            column = INDENT.len();
        }
        out.push_str(word);
        column += word.chars().count();
    }
    out
}

/// Prints the facts and the warnings.
pub fn say(voice: &Voice, environment: &Environment, plan: &Plan, show: Show) {
    let width = terminal_width().max(40);
    let say = |line: String| voice.say(wrapped(&line, width));
    for finding in contradictions(environment, plan) {
        say(format!("{:<10}{} {}", severity_word(finding.severity), finding.statement, finding.next_action));
    }
    let disturbances = disturbances(environment);
    if show == Show::Load && voice.loudness < Loudness::Verbose {
        return in_short(environment, plan, &disturbances, &say);
    }
    let target = &environment.target;
    let testbed = &environment.testbed;
    say(format!("Target    {} ({})", target.path.display(), format::bytes(target.length)));
    let lies_on = target.file_system.as_ref().map_or_else(String::new, |fs| {
        let (kind, source, at) = (&fs.kind, &fs.source, fs.mount_point.display());
        format!("{kind} on {source}, mounted at {at}, {} free; ", format::bytes(fs.free))
    });
    say(format!("          {lies_on}direct I/O: {}", target.direct_io.reason));
    for device in &target.devices {
        say(format!("Device    {}", describe(device)));
    }
    say(format!(
        "Testbed   {}, {} CPUs, governor {}, {} RAM, Linux {}",
        testbed.cpu_model.as_deref().unwrap_or("unknown CPU"),
        testbed.cpus,
        testbed.governor.as_deref().unwrap_or("not known"),
        format::bytes(testbed.memory),
        testbed.kernel
    ));
    say(format!(
        "          board {}, {}",
        testbed.board.as_deref().unwrap_or("not known"),
        testbed.hypervisor.as_deref().map_or("no hypervisor detected".to_owned(), |h| format!("under {h}"))
    ));
    let rate = SpeedGuess::default().throughput;
    let time = format::duration(plan.estimated_time()) + &guess_of_time(plan.timed_by_rate(), rate);
    let written = match plan.estimated_written().get() {
        0 => "writes nothing".to_owned(),
        _ => format!(
            "writes about {} ({})",
            format::bytes(plan.estimated_written()),
            guess_of_bytes(plan.writes_by_time(), rate)
        ),
    };
    let (identity, form) = (&plan.methodology, plan.form.name());
    say(match show {
        Show::Review | Show::Check | Show::Part => format!(
            "Method    {} ({} {}), form {form}: about {time}, {written}",
            plan.title, identity.name, identity.version,
        ),
        Show::Load => format!("Load      {}: about {time}, {written}{}", plan.title, filled_first(plan)),
    });
    if !disturbances.is_empty() {
        say("What may disturb the result:".to_owned());
    }
    for finding in &disturbances {
        let mark = if finding.severity == Severity::Note { "-" } else { "!" };
        say(format!("  {mark} {}", finding.statement));
        if !finding.next_action.is_empty() {
            voice.detail(format!("    {}", finding.next_action));
        }
    }
}

/// The short version in four lines, for one load: the result names everything again, and `-v` prints everything
/// beforehand.
fn in_short(environment: &Environment, plan: &Plan, disturbances: &[Finding], say: &impl Fn(String)) {
    let target = &environment.target;
    let what = match target.kind {
        // The name of a scratch file is internal to drivelab.
        TargetKind::ScratchFile => target.path.parent().unwrap_or(&target.path),
        _ => &target.path,
    };
    let kind = if target.kind == TargetKind::ScratchFile { "a scratch file in " } else { "" };
    let system = target.file_system.as_ref().map_or_else(String::new, |system| format!(", {}", system.kind));
    let device = target.devices.first().map_or_else(String::new, |device| {
        let model = device.model.as_ref().map_or_else(String::new, |model| format!(" ({})", model.trim()));
        format!(" on {}{model}", device.name)
    });
    say(format!("Target    {kind}{} ({}){system}{device}", what.display(), format::bytes(target.length)));
    let rate = SpeedGuess::default().throughput;
    let written = match plan.estimated_written().get() {
        0 => String::new(),
        _ if plan.writes_by_time() => {
            format!(", writes about {} (at {rate})", format::bytes(plan.estimated_written()))
        }
        _ => format!(", writes about {}", format::bytes(plan.estimated_written())),
    };
    let at = if plan.timed_by_rate() { format!(" (at {rate})") } else { String::new() };
    let time = format::duration(plan.estimated_time()) + &at;
    say(format!("Load      {}: about {time}{written}{}", plan.title, filled_first(plan)));
    let grave = disturbances.iter().filter(|finding| finding.severity > Severity::Note);
    let names: Vec<String> = grave.map(|finding| finding.code.replace('_', " ")).collect();
    if !names.is_empty() {
        say(format!("Warnings  {}: see below the result, or -v", names.join(", ")));
    }
}

/// Added to the line of a load that is prepared.
fn filled_first(plan: &Plan) -> &'static str {
    if plan.prepares() { "; the target is written from end to end first" } else { "" }
}

/// One device on one line.
fn describe(device: &BlockDeviceFacts) -> String {
    let mut parts = vec![device.name.clone()];
    parts.push(device.model.clone().unwrap_or_else(|| "unknown model".to_owned()));
    parts.push(format::bytes(device.capacity));
    parts.push(device.link.as_ref().map_or_else(|| device.transport.clone(), |link| link.negotiated.clone()));
    if let Some(firmware) = &device.firmware {
        parts.push(format!("firmware {firmware}"));
    }
    if let Some(scheduler) = &device.scheduler {
        parts.push(format!("scheduler {scheduler}"));
    }
    if let Some(why) = &device.virtual_because {
        parts.push(format!("virtual: {why}"));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_keep_every_word() {
        let line =
            "Device    nvme0n1, a model with a long name, 1 TB (931 GiB), PCIe 4.0 x4, firmware ABC, scheduler none";
        let broken = wrapped(line, 40);
        assert!(broken.lines().all(|line| line.chars().count() <= 40), "{broken}");
        assert!(broken.lines().skip(1).all(|line| line.starts_with(INDENT)));
        assert_eq!(broken.split_whitespace().collect::<Vec<_>>(), line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(wrapped("short", 40), "short");
    }
}
