//! `drivelab trace check`: what is in a recorded trace.

use std::fmt::Write as _;

use drivelab_core::exit::ExitCode;
use drivelab_core::replay::TraceFacts;
use drivelab_core::units::Bytes;
use drivelab_lab::plan::traces;
use drivelab_lab::{Failure, Result};
use drivelab_report::format;
use drivelab_trace::{Format, Survey};

use crate::args::{TraceCheckArgs, TraceCommand};
use crate::say;

/// Devices that are named.
const NAMED: usize = 12;

/// Runs the command.
///
/// # Errors
/// The file does not exist, or the first line that is wrong.
pub fn trace(command: &TraceCommand) -> Result {
    match command {
        TraceCommand::Check(arguments) => check(arguments),
    }
}

fn check(arguments: &TraceCheckArgs) -> Result {
    let format = arguments.format.as_deref().map(str::parse::<Format>).transpose().map_err(Failure::usage)?;
    let survey = drivelab_trace::survey(&arguments.file, format, arguments.device.as_deref());
    let survey = survey.map_err(|error| traces::refused(&error))?;
    if arguments.json {
        say::json(&document(arguments, &survey))?;
    } else {
        say::data(&text(arguments, &survey))?;
    }
    Ok(ExitCode::Ok)
}

fn document(arguments: &TraceCheckArgs, survey: &Survey) -> serde_json::Value {
    let sizes: Vec<_> = survey
        .sizes
        .iter()
        .map(|(bytes, class)| serde_json::json!({ "at_most": bytes, "reads": class.reads, "writes": class.writes }))
        .collect();
    serde_json::json!({
        "schema": "drivelab.trace",
        "schema_version": 1,
        "file": arguments.file,
        "facts": survey.facts,
        "devices": survey.devices,
        "sizes": sizes,
        "sequential_reads": survey.sequential_reads,
        "sequential_writes": survey.sequential_writes,
        "unknown": survey.unknown,
    })
}

fn text(arguments: &TraceCheckArgs, survey: &Survey) -> String {
    let facts = &survey.facts;
    let mut text = format!("{}: {}\n", arguments.file.display(), facts.format);
    let seconds = facts.duration.as_secs_f64();
    let all = traces::operations(facts);
    let _ = writeln!(text, "  operations   {all} in {}{}", format::duration(facts.duration), rate(all, seconds));
    let _ = writeln!(text, "  reads        {}", kind(facts.reads, facts.read, survey.sequential_reads));
    let _ = writeln!(text, "  writes       {}", kind(facts.writes, facts.written, survey.sequential_writes));
    if facts.trims + facts.flushes > 0 {
        let _ = writeln!(text, "  others       {} trims, {} flushes", facts.trims, facts.flushes);
    }
    let _ = writeln!(
        text,
        "  addresses    0 to {} ({} bytes), largest operation {}",
        format::bytes(facts.end),
        facts.end.get(),
        format::bytes(facts.largest)
    );
    let odd = oddities(facts, survey.unknown);
    if !odd.is_empty() {
        let _ = writeln!(text, "  oddities     {}", odd.join("; "));
    }
    let _ = writeln!(text, "  hash         {}", facts.hash);
    if survey.devices.len() > 1 {
        let _ = writeln!(text, "\n  Devices, all replayed to one target unless --device names one:");
        let mut devices: Vec<_> = survey.devices.iter().collect();
        devices.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (name, count) in devices.iter().take(NAMED) {
            let name = if name.is_empty() { "(others)" } else { name };
            let _ = writeln!(text, "    {name:<24} {count:>12}");
        }
        if devices.len() > NAMED {
            let _ = writeln!(text, "    and {} more", devices.len() - NAMED);
        }
    }
    let _ = writeln!(text, "\n  {:>12}  {:>12}  {:>12}", "up to", "reads", "writes");
    for (bytes, class) in &survey.sizes {
        let _ =
            writeln!(text, "  {:>12}  {:>12}  {:>12}", format::bytes(Bytes::new(*bytes)), class.reads, class.writes);
    }
    text
}

/// What a replay leaves out of the trace; only what exists.
fn oddities(facts: &TraceFacts, unknown: u64) -> Vec<String> {
    let left_out = |count: u64, what: &str| {
        let are = if count == 1 { "is" } else { "are" };
        (count > 0).then(|| format!("{} {what}, which {are} left out", traces::counted(count)))
    };
    let left_out = [left_out(facts.empty, "of no bytes"), left_out(unknown, "of an unknown kind")];
    left_out.into_iter().flatten().chain(traces::out_of_order(facts)).collect()
}

fn rate(operations: u64, seconds: f64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = operations as f64 / seconds;
    if seconds > 0.0 { format!(", {rate:.0} a second") } else { String::new() }
}

fn kind(count: u64, bytes: Bytes, sequential: u64) -> String {
    let share = (sequential * 100).checked_div(count).unwrap_or(0);
    format!("{count}, {}, {share} % sequential", format::bytes(bytes))
}
