//! `drivelab results list`: a line for each run that fits a terminal, or one document.

use std::io::IsTerminal;

use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::plan::{Form, OWN_LOAD};
use drivelab_core::units::Nanos;
use drivelab_lab::{Failure, Result};
use drivelab_report::format;
use drivelab_store::{Filter, KeptDrive, RunRow};

use crate::args::FilterArgs;
use crate::context::{Context, NO_MATCH, NO_RUNS};
use crate::front::run_ids::{characters, end_of};
use crate::front::width::terminal_width;
use crate::say;

/// Headings of the columns.
const HEAD: [&str; 6] = ["run", "started", "length", "drive", "method", "title and tags"];
/// The columns that are cut to fit a terminal: the drive, then what follows.
const DRIVE: usize = 3;
const METHOD: usize = 4;
/// Least width of the drive on a terminal.
const LEAST_DRIVE: usize = 14;

/// Lists runs, the newest first.
///
/// # Errors
/// No run matches the filters.
pub(super) fn list(context: &Context, asked: &FilterArgs, json: bool) -> Result {
    let filter = Filter::from(asked);
    let catalog = context.catalog()?;
    let all = catalog.list()?;
    let rows: Vec<&RunRow> = all.iter().filter(|row| filter.fits(row)).collect();
    let kept = context.kept_drives();
    let name = |row: &RunRow| KeptDrive::name_of(&kept, row);
    if rows.is_empty() && !filter.is_empty() {
        return Err(Failure::nothing(NO_MATCH));
    }
    if json {
        let runs: Vec<_> = rows.iter().map(|row| row_json(row, &name(row))).collect();
        say::json(&serde_json::json!({ "schema": "drivelab.results-list", "schema_version": 1, "runs": runs }))?;
        return Ok(ExitCode::Ok);
    }
    if rows.is_empty() {
        context.settings.voice.say(NO_RUNS);
        return Ok(ExitCode::Ok);
    }
    let ids: Vec<RunId> = all.iter().map(|row| row.id).collect();
    let characters = characters(&ids);
    let lines: Vec<[String; 6]> = std::iter::once(HEAD.map(str::to_owned))
        .chain(rows.iter().map(|row| row_text(row, &name(row), characters)))
        .collect();
    let width = if std::io::stdout().is_terminal() { terminal_width() } else { usize::MAX };
    say::data(&laid_out(lines, width))?;
    Ok(ExitCode::Ok)
}

/// A run in words: the end of its id, when, how long or its state, the drive, the methodology, what its user calls it.
/// A load of `drivelab io` is described, because all such loads have the same methodology.
fn row_text(row: &RunRow, name: &str, characters: usize) -> [String; 6] {
    let length = if row.damaged.is_some() {
        "damaged".to_owned()
    } else if row.live {
        format!("running {}/{}", row.steps_done, row.steps_total)
    } else if row.state.name() == "complete" {
        format::duration(Nanos::new(row.length_ms.saturating_mul(1_000_000)))
    } else {
        format!("{} {}/{}", row.state.name(), row.steps_done, row.steps_total)
    };
    let own = row.method == OWN_LOAD && !row.title.is_empty();
    let form = match row.form {
        _ if own => String::new(),
        Form::Quick => String::new(),
        form => format!(", {}", form.name()),
    };
    let profile = if row.profile.is_empty() { String::new() } else { format!(" {}", row.profile) };
    let method = if own { format!("io: {}", row.title) } else { format!("{}{profile}{form}", row.method) };
    let label = std::iter::once(row.label.title.as_str()).chain(row.label.tags.iter().map(String::as_str));
    [
        end_of(row.id, characters),
        row.started.get(..16).unwrap_or(&row.started).replace('T', " "),
        length,
        if name.is_empty() { row.drive.clone().unwrap_or_else(|| place(row)) } else { name.to_owned() },
        method,
        label.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "),
    ]
}

/// Aligned columns in at most `width` characters: the drive is cut first, then the methodology, then the end of a line.
fn laid_out(mut lines: Vec<[String; 6]>, width: usize) -> String {
    let widest =
        |lines: &[[String; 6]], at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
    let total = |lines: &[[String; 6]]| (0..HEAD.len()).map(|at| widest(lines, at) + 2).sum::<usize>() - 2;
    for (at, least) in [(DRIVE, LEAST_DRIVE), (METHOD, LEAST_DRIVE)] {
        let over = total(&lines).saturating_sub(width);
        let room = widest(&lines, at).saturating_sub(over).max(least);
        lines.iter_mut().for_each(|line| line[at] = cut(&line[at], room));
    }
    let widths: Vec<usize> = (0..HEAD.len()).map(|at| widest(&lines, at)).collect();
    let line = |line: &[String; 6]| {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        // Titles and models come from outside.
        format!("{}\n", say::plain(&cut(cells.collect::<Vec<_>>().join("  ").trim_end(), width)))
    };
    lines.iter().map(line).collect()
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// The target; a scratch file is shown by its folder.
fn place(row: &RunRow) -> String {
    let place = row.place();
    if place == row.target { place.to_owned() } else { format!("{place}/") }
}

fn row_json(row: &RunRow, name: &str) -> serde_json::Value {
    serde_json::json!({
        "id": row.id,
        "state": row.state.name(),
        "live": row.live,
        "started": row.started,
        "length_ms": row.length_ms,
        "method": row.method,
        "profile": row.profile,
        "title": row.title,
        "method_version": row.method_version,
        "method_hash": row.method_hash,
        "form": row.form,
        "target": row.target,
        "drive": row.drive,
        "drive_name": name,
        "serial": row.serial,
        "firmware": row.firmware,
        "capacity": row.capacity,
        "testbed": row.testbed,
        "run_title": row.label.title,
        "note": row.label.note,
        "tags": row.label.tags,
        "conditions": row.label.conditions,
        "steps_done": row.steps_done,
        "steps_total": row.steps_total,
        "damaged": row.damaged,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_its_width_and_keeps_the_id() {
        let line = |drive: &str, method: &str, name: &str| {
            ["dac105", "2026-11-28 10:05", "1 min 52 s", drive, method, name].map(str::to_owned)
        };
        let lines = || {
            vec![
                HEAD.map(str::to_owned),
                line("Samsung SSD 990 PRO with Heatsink 4TB", "anandtech-2018 full, faithful", "old firmware"),
                line("/mnt/a/", "quick", ""),
            ]
        };
        let narrow = laid_out(lines(), 80);
        assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
        assert!(narrow.lines().skip(1).all(|line| line.starts_with("dac105  2026-11-28 10:05")), "{narrow}");
        assert!(narrow.contains("Samsung SSD 9") && narrow.contains('…'), "{narrow}");
        let wide = laid_out(lines(), usize::MAX);
        assert!(wide.contains("Heatsink 4TB  anandtech-2018 full, faithful  old firmware\n"), "{wide}");
    }
}
