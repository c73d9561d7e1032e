//! The output of a bench: a Markdown table for people, one JSON document for programs.
//!
//! Must not know: how figures come about; it computes only layout.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use super::arguments::EngineArgs;
use super::figures::Figure;
use super::host::Host;
use super::result::{Measured, Outcome, RowResult, Runs};
use super::rows::{Limit, Row, Value};
use super::statistics::median;

/// The version of the JSON document.
const VERSION: u32 = 1;

/// The rows with their commands, for `--list`.
pub(crate) fn list(rows: &[&'static Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let (must, stretch) = limits(row);
        let _ = writeln!(text, "{}: {} (must {must}, stretch {stretch})", row.id, row.case);
        for side in row.sides {
            let _ = writeln!(text, "    {:?} {}", side.who, side.line);
        }
        let _ = writeln!(text, "    unlike: {}", row.unlike);
    }
    text
}

/// One line while a bench runs.
pub(crate) fn progress(result: &RowResult) -> String {
    let RowResult { row, outcome } = result;
    match outcome {
        Outcome::Measured(measured) => {
            let (value, spread) = (shown(row, measured.value), spread(row, measured));
            format!("{:<16} {value} ({spread})  {}{}", row.id, measured.verdict.words(), remark(measured))
        }
        Outcome::LeftOut(why) => format!("{:<16} left out: {why}", row.id),
        Outcome::Failed(why) => format!("{:<16} failed: {why}", row.id),
    }
}

/// What a reader must know about the rounds.
fn remark(measured: &Measured) -> String {
    match measured.rounds_disturbed {
        0 => String::new(),
        some => {
            let all = measured.sides[0].figures.len();
            format!(" ({some} of {all} rounds disturbed by others)")
        }
    }
}

/// The table, then the differences between the sides of each row.
pub(crate) fn markdown(results: &[RowResult], processor: &str) -> String {
    let mut text =
        String::from("| row | case | processor | ours | peer | value | spread | must | stretch | verdict |\n");
    text += "|---|---|---|---|---|---|---|---|---|---|\n";
    for result in results {
        let row = result.row;
        let (must, stretch) = limits(row);
        let cells = match &result.outcome {
            Outcome::Measured(measured) => {
                let verdict = measured.verdict.words() + &remark(measured);
                let (value, spread) = (shown(row, measured.value), spread(row, measured));
                [ours(row, measured), peer(row, measured), value, spread, must, stretch, verdict]
            }
            Outcome::LeftOut(why) => empty(must, stretch, format!("left out: {why}")),
            Outcome::Failed(why) => empty(must, stretch, format!("failed: {why}")),
        };
        let _ = writeln!(text, "| {} | {} | {processor} | {} |", row.id, row.case, cells.join(" | "));
    }
    text += "\nUnlike on the two sides:\n\n";
    for RowResult { row, .. } in results {
        let _ = writeln!(text, "- {}: {}", row.id, row.unlike);
    }
    text
}

fn empty(must: String, stretch: String, verdict: String) -> [String; 7] {
    let none = || "-".to_owned();
    [none(), none(), none(), none(), must, stretch, verdict]
}

/// Our figure; in the row about two threads, the ratio of two threads to one.
fn ours(row: &Row, measured: &Measured) -> String {
    match row.value {
        Value::Scaling => scaling(&measured.sides[0], &measured.sides[1]),
        _ => figure(&measured.sides[0]),
    }
}

fn peer(row: &Row, measured: &Measured) -> String {
    match (row.value, measured.sides.as_slice(), measured.peer_value) {
        (Value::Scaling, [_, _, one, two], _) => scaling(one, two),
        (_, [_, peer, ..], Some(error)) => format!("{} ({})", figure(peer), percent(error)),
        (_, [_, peer, ..], None) => figure(peer),
        _ => "-".to_owned(),
    }
}

fn scaling(one: &Runs, two: &Runs) -> String {
    format!("{} to {}", figure(one), figure(two))
}

fn figure(runs: &Runs) -> String {
    let median = median(&runs.figures);
    match runs.figure {
        Figure::Iops => thousands(median),
        Figure::UserNs => nanoseconds(median),
        Figure::ArrivalVariation | Figure::SubmissionVariation => format!("{median:.4}"),
        Figure::PercentileError => percent(median),
    }
}

/// Operations per second in thousands, with at least four digits.
fn thousands(iops: f64) -> String {
    let digits = if iops < 1e6 { 1 } else { 0 };
    format!("{:.digits$} K", iops / 1e3)
}

fn nanoseconds(time: f64) -> String {
    format!("{time:.1} ns")
}

fn percent(part: f64) -> String {
    format!("{:.2} %", part * 100.0)
}

/// A value of a row with its unit.
fn shown(row: &Row, value: f64) -> String {
    match row.value {
        Value::Figure if is_part(row) => percent(value),
        Value::Figure => nanoseconds(value),
        Value::Ratio | Value::Scaling if row.id == "13" => format!("{value:.4}"),
        Value::Ratio | Value::Scaling => format!("{value:.2}"),
        Value::Error { .. } => percent(value),
    }
}

/// Whether the row's own figure is a share of something, not a time.
fn is_part(row: &Row) -> bool {
    row.sides.iter().any(|side| side.figure == Figure::PercentileError)
}

/// Lowest and highest value of a single round, with the unit once.
fn spread(row: &Row, measured: &Measured) -> String {
    let (from, to) = (shown(row, measured.spread.0), shown(row, measured.spread.1));
    let from = from.trim_end_matches(|sign: char| !sign.is_ascii_digit());
    format!("{from} to {to}")
}

/// Required and desired limit in words.
fn limits(row: &Row) -> (String, String) {
    let number = |value: f64| match row.value {
        Value::Figure if !is_part(row) => format!("{value} ns"),
        Value::Figure | Value::Error { .. } => format!("{} %", (value * 1e6).round() / 1e4),
        _ => value.to_string(),
    };
    match row.limit {
        Limit::AtLeast { must, stretch } => (format!("≥ {}", number(must)), format!("≥ {}", number(stretch))),
        Limit::AtMost { must, stretch } => (format!("≤ {}", number(must)), format!("≤ {}", number(stretch))),
        Limit::Nothing => ("-".to_owned(), "-".to_owned()),
    }
}

/// The whole result.
pub(crate) fn json(results: &[RowResult], host: &Host, arguments: &EngineArgs) -> Json {
    json!({
        "bench": "engine",
        "version": VERSION,
        "host": host,
        "settings": {"runs": arguments.runs, "seconds": arguments.seconds, "cpu": arguments.cpu},
        "rows": results.iter().map(row_json).collect::<Vec<Json>>(),
    })
}

fn row_json(result: &RowResult) -> Json {
    let row = result.row;
    let (must, stretch) = match row.limit {
        Limit::AtLeast { must, stretch } | Limit::AtMost { must, stretch } => (Some(must), Some(stretch)),
        Limit::Nothing => (None, None),
    };
    let mut document = json!({
        "row": row.id, "case": row.case, "unlike": row.unlike, "must": must, "stretch": stretch,
        "better": match row.limit {
            Limit::AtLeast { .. } => "higher",
            Limit::AtMost { .. } => "lower",
            Limit::Nothing => "-",
        },
    });
    let more = match &result.outcome {
        Outcome::Measured(measured) => measured_json(measured),
        Outcome::LeftOut(why) => json!({"verdict": "left out", "why": why}),
        Outcome::Failed(why) => json!({"verdict": "failed", "why": why}),
    };
    if let (Some(document), Json::Object(more)) = (document.as_object_mut(), more) {
        document.extend(more);
    }
    document
}

fn measured_json(measured: &Measured) -> Json {
    let calm = measured.disturbance;
    json!({
        "verdict": measured.verdict.words(),
        "value": measured.value,
        "peer_value": measured.peer_value,
        "spread": [measured.spread.0, measured.spread.1],
        "middle_half": [measured.middle.0, measured.middle.1],
        "rounds": {"taken": measured.rounds_taken, "disturbed": measured.rounds_disturbed},
        "worst_disturbance": {"waited": calm.waited, "stolen": calm.stolen, "foreign": calm.foreign},
        "sides": measured.sides.iter().map(side_json).collect::<Vec<Json>>(),
    })
}

fn side_json(runs: &Runs) -> Json {
    let middle = |of: fn(&super::figures::Reading) -> Option<f64>| {
        let known: Vec<f64> = runs.readings.iter().filter_map(of).collect();
        (!known.is_empty()).then(|| median(&known))
    };
    let limited: Vec<&str> = runs.readings.iter().filter_map(|reading| reading.limited_by.as_deref()).collect();
    json!({
        "command": runs.command,
        "figure": runs.figure.name(),
        "median": median(&runs.figures),
        "figures": runs.figures,
        "iops": middle(|reading| Some(reading.iops)),
        "user_ns_per_io": middle(|reading| reading.user_ns),
        "operations_per_syscall": middle(|reading| reading.per_syscall),
        "depth_mean": middle(|reading| reading.depth),
        "limited_by": limited,
    })
}

#[cfg(test)]
mod tests {
    use super::super::figures::Reading;
    use super::super::result::Verdict;
    use super::super::rows::ROWS;
    use super::super::watch::Disturbance;
    use super::*;

    fn runs(figure: Figure, figures: &[f64]) -> Runs {
        let reading = |figure: &f64| Reading { iops: *figure, ..Reading::default() };
        let readings = figures.iter().map(reading).collect();
        Runs { command: "a command".to_owned(), figure, figures: figures.to_vec(), readings }
    }

    fn row(id: &str) -> &'static Row {
        ROWS.iter().find(|row| row.id == id).expect("a row")
    }

    fn results() -> Vec<RowResult> {
        let measured = Measured {
            sides: vec![runs(Figure::Iops, &[3e6, 2.9e6, 3.1e6]), runs(Figure::Iops, &[1e6, 1e6, 1.1e6])],
            value: 3.0,
            peer_value: None,
            spread: (2.8, 3.1),
            middle: (2.9, 3.05),
            rounds_taken: 4,
            rounds_disturbed: 1,
            disturbance: Disturbance::default(),
            verdict: Verdict::Stretch,
        };
        vec![
            RowResult { row: row("3"), outcome: Outcome::Measured(Box::new(measured)) },
            RowResult { row: row("9"), outcome: Outcome::LeftOut("this kernel has no zram".to_owned()) },
            RowResult { row: row("2"), outcome: Outcome::Failed("it ended".to_owned()) },
        ]
    }

    #[test]
    fn every_row_has_all_cells_whatever_became_of_it() {
        let table = markdown(&results(), "a Xeon");
        let rows: Vec<&str> = table.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(rows.len(), 5);
        assert!(rows.iter().all(|line| line.matches('|').count() == 11), "{table}");
        assert!(rows[2].contains("| 3000 K | 1000 K | 3.00 | 2.80 to 3.10 | ≥ 2 | ≥ 2.3 | stretch reached"), "{table}");
        assert!(rows[2].contains("1 of 3 rounds disturbed"), "{table}");
        assert!(rows[3].contains("left out: this kernel has no zram"), "{table}");
        assert!(rows[4].contains("failed: it ended"), "{table}");
    }

    #[test]
    fn the_document_says_how_each_row_ended() {
        let documents: Vec<Json> = results().iter().map(row_json).collect();
        assert_eq!(documents[0]["value"], 3.0);
        assert_eq!(documents[0]["sides"][0]["median"], 3e6);
        assert_eq!(documents[0]["better"], "higher");
        assert_eq!(documents[1]["verdict"], "left out");
        assert_eq!(documents[2]["why"], "it ended");
    }

    #[test]
    fn errors_are_shown_in_per_cent_with_one_unit() {
        let row = row("14-poisson-300k");
        assert_eq!(shown(row, 0.0017), "0.17 %");
        assert_eq!(limits(row), ("≤ 1 %".to_owned(), "≤ 0.3 %".to_owned()));
    }
}
