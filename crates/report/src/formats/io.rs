//! One load as a table for a terminal, made from the document that is its JSON.

use std::collections::BTreeMap;

use drivelab_analysis::rate;
use drivelab_analysis::steady::{MAX_RANGE_PERCENT, MAX_SLOPE_PERCENT};
use drivelab_core::event::Steadiness;
use drivelab_core::finding::{Finding, Severity};
use drivelab_core::metric::Wrong;
use drivelab_core::record::DataFault;
use drivelab_core::replay::ReplayRecord;
use drivelab_core::units::{Bytes, Nanos};

use crate::documents::io::{IoInput, IoResults, LatencyDoc, OperationDoc, WrongDoc, results};
use crate::error::ReportError;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{escape, format, prose, wrap};
use crate::formats::columns::{LEAST_WIDTH, plain};
use crate::words::load::load_text;
use crate::words::run_facts;

/// Findings shown above the figures, because the figures would be misread without them.
const FIRST: [&str; 1] = ["reads_of_holes"];

/// The result of one load in at most `width` columns.
///
/// # Errors
/// [`ReportError::NoLoad`] if the run measured none.
pub fn io_table(input: &IoInput<'_>, width: usize) -> Result<String, ReportError> {
    let width = width.max(LEAST_WIDTH);
    let document = results(input)?;
    let mut lines = heading(&document, width);
    let (first, others): (Vec<&Finding>, Vec<&Finding>) =
        document.findings.iter().partition(|finding| FIRST.contains(&finding.code.as_str()));
    for finding in first {
        lines.extend(named(run_facts::severity_word(finding.severity), &prose::plain(&finding.statement), width));
        lines.extend(named("action", &finding.next_action, width));
    }
    lines.extend(plain(&figures(&document), width));
    lines.push(String::new());
    for (name, text) in facts(&document) {
        lines.extend(named(name, &text, width));
    }
    for finding in others.into_iter().filter(|finding| is_worth_a_line(finding, &document)) {
        lines.extend(named(run_facts::severity_word(finding.severity), &prose::plain(&finding.statement), width));
    }
    Ok(lines.iter().map(|line| format!("{}\n", line.trim_end())).collect())
}

/// Whether a finding is more than a note, and about the load or the whole run rather than the fill before it.
fn is_worth_a_line(finding: &Finding, document: &IoResults) -> bool {
    let about_the_load = finding.steps.is_empty() || finding.steps.iter().any(|key| key.step == document.step);
    finding.severity > Severity::Note && about_the_load
}

/// Load, target and measured time.
fn heading(document: &IoResults, width: usize) -> Vec<String> {
    let target = &document.target;
    let device = target.devices.first().map_or_else(String::new, |device| {
        let model = device.model.as_ref().map_or_else(String::new, |model| format!(" ({model})"));
        format!(", {}{model}", device.name)
    });
    let time = format::duration(Nanos::new(document.elapsed_ns));
    let place = format!("{}, {}{device}", target.path.display(), format::bytes(target.length));
    [("load", load_text(&document.workload)), ("target", place), ("measured", time)]
        .into_iter()
        .flat_map(|(name, text)| named(name, &text, width))
        .collect()
}

/// One row for each kind of operation, then for its response times, sizes, groups and rounds.
fn figures(document: &IoResults) -> Table {
    // For a replayed trace, the rates without its pauses.
    let over = if document.replay.is_some() { "busy" } else { "" };
    let mut columns = vec![Column::words(""), Column::figures(over, "IOPS"), Column::figures(over, "MB/s")];
    columns.extend(["mean", "p50", "p90", "p99", "p99.9", "max"].map(|title| Column::figures(title, "µs")));
    let mut rows = Vec::new();
    add(&mut rows, "", &document.operations);
    for group in &document.groups {
        let name = if group.name.is_empty() { "main" } else { &group.name };
        add(&mut rows, &format!("{name}: "), &group.operations);
    }
    for round in &document.rounds {
        let asked = round.asked_iops.map_or_else(String::new, |iops| format!(" at {}", format::iops(iops)));
        add(&mut rows, &format!("round {}{asked}: ", round.round), &round.operations);
    }
    rows.iter_mut().for_each(|row| mark(row, document));
    Table { caption: String::new(), columns, rows }
}

/// Marks the figures of a row (two rates, then times): disturbed ones, and rates that are lower bounds; replaces void
/// ones.
fn mark(row: &mut [Cell], document: &IoResults) {
    let (wrong, void) = (document.wrong, document.void);
    for (at, cell) in row.iter_mut().enumerate().skip(1) {
        let (wrong, void) = if at <= 2 { (wrong.rates, void.rates) } else { (wrong.times, void.times) };
        let figure = std::mem::take(cell);
        *cell = if void && !figure.plain().is_empty() {
            Cell::void(document.voided_by.join(", "))
        } else if at <= 2 && document.lower_bound && !figure.text.is_empty() {
            Cell::at_least(figure.text).wrong(wrong)
        } else {
            figure.wrong(wrong)
        };
    }
}

fn add(rows: &mut Vec<Vec<Cell>>, before: &str, operations: &BTreeMap<String, OperationDoc>) {
    for (kind, operation) in operations {
        // A discard moves no data.
        let mb_s = |rate: Option<f64>| rate.map_or_else(String::new, |rate| format::mb_s(rate / 1e6));
        let rates = [
            format::iops(operation.busy_iops.unwrap_or(operation.iops)),
            mb_s(operation.busy_throughput.or(operation.throughput)),
        ];
        rows.push(row(&format!("{before}{}", kind.replace('_', " ")), rates, operation.latency_ns.as_ref()));
        if let Some(response) = &operation.response_ns {
            rows.push(row("  response time", [String::new(), String::new()], Some(response)));
        }
        for size in &operation.sizes {
            let rates =
                [format::iops(size.busy_iops.unwrap_or(size.iops)), mb_s(size.busy_throughput.or(size.throughput))];
            rows.push(row(&format!("  of {}", size.block_size), rates, size.latency_ns.as_ref()));
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "times stay below 2^53")]
fn row(name: &str, rates: [String; 2], latency: Option<&LatencyDoc>) -> Vec<Cell> {
    let whole = |time: Option<u64>| time.map(|nanoseconds| nanoseconds as f64);
    let times = latency.map_or([None; 6], |l| {
        [Some(l.mean), whole(l.p50), whole(l.p90), whole(l.p99), whole(l.p999), whole(Some(l.max))]
    });
    let text = |time: Option<f64>| time.map_or_else(String::new, |nanoseconds| format::latency_us(nanoseconds / 1e3));
    let times = times.into_iter().map(text);
    std::iter::once(name.to_owned()).chain(rates).chain(times).map(Cell::text).collect()
}

/// The basis of the rates of a replayed trace, and the rates including its pauses.
fn with_pauses(document: &IoResults) -> Option<String> {
    document.replay.as_ref().filter(|_| rate::has_pauses_of_a_trace(&document.workload))?;
    let of_kind = |(kind, operation): (&String, &OperationDoc)| {
        let mb_s = operation.throughput.map_or_else(String::new, |rate| format!(", {} MB/s", format::mb_s(rate / 1e6)));
        format!("{} {} IOPS{mb_s}", kind.replace('_', " "), format::iops(operation.iops))
    };
    let whole: Vec<String> = document.operations.iter().map(of_kind).collect();
    Some(format!("over the busy time, without the pauses of the trace; with them {}", whole.join("; ")))
}

/// How the trace was replayed.
fn replay_text(replay: &ReplayRecord) -> String {
    let whole = if replay.complete { "the whole trace" } else { "a part of the trace" };
    let mut parts = vec![
        format!("{} operations, {whole}", format::count(replay.taken)),
        format!("busy for {}", format::duration(replay.busy)),
    ];
    if let Some(late) = replay.lateness.as_ref().and_then(|lateness| lateness.summary.as_ref()) {
        let us = |time: Nanos| format::latency_us(time.as_secs_f64() * 1e6);
        let told = [(late.p50, "at p50"), (late.p99, "at p99"), (Some(late.max), "at most")];
        let told = told.into_iter().filter_map(|(time, where_)| Some(format!("{} µs {where_}", us(time?))));
        parts.push(format!("late by {}", told.collect::<Vec<_>>().join(", ")));
    }
    let counted = [
        (replay.skipped_trims, "trims left out"),
        (replay.moved, "at other addresses than recorded"),
        (replay.aligned, "widened to whole blocks"),
        (replay.shortened, "shortened"),
        (replay.starved_operations, "waited for the trace to be read"),
    ];
    let some = counted.into_iter().filter(|(count, _)| *count > 0);
    parts.extend(some.map(|(count, what)| format!("{} {what}", format::count(count))));
    parts.join("; ")
}

/// Further facts, by name.
fn facts(document: &IoResults) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    facts.extend(found(document).map(|text| ("found", text)));
    facts.extend(document.steadiness.as_ref().map(|verdict| ("steady", steady(verdict))));
    if let Some(engine) = &document.engine {
        facts.push((
            "depth",
            format!("{:.1} of {} requested operations in flight (mean)", engine.depth_mean, engine.depth_asked),
        ));
    }
    facts.extend(disturbed(document).map(|text| ("disturbed", text)));
    if let Some(limit) = document.limited_by {
        let bound = if document.lower_bound { "; rates are lower bounds" } else { "" };
        facts.push(("limited by", format!("{}: {}{bound}", limit.title(), document.limited_because)));
    }
    facts.extend(engine(document).map(|text| ("engine", text)));
    if let Some(backlog) = &document.backlog {
        facts.push((
            "schedule",
            format!(
                "{} IOPS requested; backlog {} at the end, {} at most, growing by {} operations/s; submitted {} µs late \
                 on average, {} µs at most",
                format::iops(backlog.asked_iops),
                format::count(backlog.backlog_at_end),
                format::count(backlog.backlog_max),
                format::iops(backlog.backlog_growth_per_second),
                format::latency_us(backlog.lateness_mean.as_secs_f64() * 1e6),
                format::latency_us(backlog.lateness_max.as_secs_f64() * 1e6),
            ),
        ));
    }
    facts.extend(document.replay.as_ref().map(|replay| ("replay", replay_text(replay))));
    facts.extend(with_pauses(document).map(|text| ("rates", text)));
    if let Some(check) = &document.verification {
        let faults: Vec<String> = check
            .faults
            .iter()
            .map(|(fault, count): (&DataFault, &u64)| format!("{} {}", format::count(*count), fault.name()))
            .collect();
        let found = if faults.is_empty() { "all as written".to_owned() } else { faults.join(", ") };
        let first =
            check.first.first().map_or_else(String::new, |block| format!("; the first at byte {}", block.offset));
        facts.push(("verify", format!("{} blocks checked: {found}{first}", format::count(check.checked))));
    }
    facts.extend(errors(document).into_iter().map(|text| ("errors", text)));
    if let Some(fill) = &document.filled {
        let time = format::duration(Nanos::new(fill.elapsed_ns));
        facts.push(("filled", format!("{} written first, in {time}", format::bytes(Bytes::new(fill.bytes)))));
    }
    facts
}

/// The effect of other programs on the figures, according to their marks.
fn disturbed(document: &IoResults) -> Option<String> {
    if document.spoiled_by.is_empty() {
        return None;
    }
    let WrongDoc { rates, times } = document.wrong;
    let who = if document.spoiled_by.iter().any(|code| code == "others_perhaps") {
        "perhaps by other programs that used the disk"
    } else {
        "by other programs that used the disk"
    };
    let says = match (rates, times) {
        (Some(Wrong::EitherWay), _) | (None, Some(Wrong::EitherWay)) => "undisturbed, figures would be different (◆)",
        (Some(_), _) => "undisturbed, rates would be higher (▲) and times shorter (▼)",
        (None, Some(_)) if document.backlog.is_some() => {
            "undisturbed, times would be shorter (▼); the rates are those requested"
        }
        (None, Some(_)) => "undisturbed, times would be shorter (▼)",
        (None, None) => "its figures are void",
    };
    Some(format!("{who}: {says}"))
}

/// The result of a search for a rate.
fn found(document: &IoResults) -> Option<String> {
    let search = document.rate_search.as_ref()?;
    let bound = format::duration(Nanos::new(search.bound_ns));
    let what = format!("{} of the response time stays within {bound}", search.percentile);
    let iops = |iops: f64| format!("{} IOPS", format::iops(iops));
    let ended = if search.ended.is_empty() { String::new() } else { format!("; {}", search.ended) };
    let found = match (search.held_iops, search.missed_iops) {
        (Some(held), Some(missed)) => format!("{what} up to {}, but not at {}", iops(held), iops(missed)),
        (Some(held), None) => format!("{what} at every rate tried, up to {}", iops(held)),
        (None, Some(missed)) => format!("{what} at none of the rates tried, not even at {}", iops(missed)),
        (None, None) => return None,
    };
    Some(format!("{found}{ended}"))
}

/// The steady-state verdict.
fn steady(verdict: &Steadiness) -> String {
    let Steadiness { test: _, reached, first_round, last_round, range_percent, slope_percent } = verdict;
    let word = if *reached { "reached" } else { "not reached" };
    format!(
        "{word} in rounds {first_round} to {last_round}, on which the figures are based: range {range_percent:.1} % of the \
         mean (limit {MAX_RANGE_PERCENT:.0}), trend {:.1} % (limit {MAX_SLOPE_PERCENT:.0})",
        slope_percent.abs()
    )
}

/// The engine in a sentence.
fn engine(document: &IoResults) -> Option<String> {
    let engine = document.engine.as_ref()?;
    let mut parts = vec![format!("{} ({})", engine.backend, engine.reason)];
    parts.extend(engine.user_ns_per_io.map(|ns| format!("{ns:.0} ns of user time per operation")));
    parts.extend(engine.operations_per_syscall.map(|count| format!("{count:.1} operations per system call")));
    if let (Some(user), Some(system)) = (engine.cpu_user_percent, engine.cpu_system_percent) {
        parts.push(format!("CPU {user:.0} % user, {system:.0} % kernel"));
    }
    if !engine.refused.is_empty() {
        parts.push(format!("refused by the kernel: {}", engine.refused.join(", ")));
    }
    if engine.punted {
        parts.push("requests went through kernel worker threads: --backend sync may be faster".to_owned());
    }
    if engine.batch > 1 {
        parts.push(format!("waits for {} completions at a time: latencies include that waiting", engine.batch));
    }
    parts.extend(engine.page_cache.clone().map(|text| format!("page cache: {text}")));
    Some(parts.join("; "))
}

/// Errors by number, each with its count and its first address.
fn errors(document: &IoResults) -> Vec<String> {
    let line = |(errno, count): (&i32, &u64)| {
        let what = match errno {
            0 => "fewer bytes than asked".to_owned(),
            errno => std::io::Error::from_raw_os_error(*errno).to_string(),
        };
        let first = document.errors.iter().find(|error| error.errno == *errno).map_or_else(String::new, |first| {
            format!(", the first a {} of {} at byte {}", first.op.name(), first.length, first.offset)
        });
        format!("{what}: {}{first}", format::count(*count))
    };
    let mut lines: Vec<String> = document.errors_by_errno.iter().map(line).collect();
    let (all, listed) = (document.errors_by_errno.values().sum::<u64>(), document.errors.len());
    if all > listed as u64 {
        lines.push(format!("{} in total; --json lists {listed}", format::count(all)));
    }
    lines
}

/// A text after its name, wrapped between words.
fn named(name: &str, text: &str, width: usize) -> Vec<String> {
    const INDENT: usize = 12;
    let broken = wrap::lines(&escape::terminal(text), width.saturating_sub(INDENT));
    let lines = broken.iter().enumerate().map(|(at, line)| {
        let name = if at == 0 { name } else { "" };
        format!("{name:<INDENT$}{}", line.trim_start())
    });
    lines.collect()
}
