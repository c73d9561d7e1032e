//! Runs side by side for a terminal, from their digests: first which letter is which run, then the tables.

use drivelab_analysis::digest::Digest;
use drivelab_core::event::RunState;
use drivelab_core::group::letter;

use crate::figure::table::Table;
use crate::figure::{escape, prose, signs, wrap};
use crate::formats::columns::{LEAST_WIDTH, blocks};
use crate::views::across::compare::{self, Comparison, Group};
use crate::words::run_facts;

/// A run in a comparison.
#[derive(Debug, Clone, Copy)]
pub struct ComparedRun<'d> {
    /// Its digest.
    pub digest: &'d Digest,
    /// It is still going on.
    pub live: bool,
}

/// The comparison of runs in at most `width` columns, but for the ids of the runs.
///
/// # Errors
/// Why no two of the runs may be compared, in the same form.
pub fn comparison_text(runs: &[ComparedRun<'_>], width: usize) -> Result<String, String> {
    let digests: Vec<&Digest> = runs.iter().map(|run| run.digest).collect();
    let Comparison { groups, refused, .. } = compare::of_digests(&digests);
    let width = width.max(LEAST_WIDTH);
    let none = groups.is_empty();
    let mut lines: Vec<String> = runs.iter().enumerate().flat_map(|(at, run)| run_lines(at, run, width)).collect();
    for group in groups {
        lines.extend(group_lines(group, width));
    }
    if !refused.is_empty() {
        lines.extend([String::new(), "Not in one table:".to_owned()]);
        lines.extend(refused.iter().flat_map(|why| wrap::lines(&prose::plain(why), width)));
    }
    let text = lines.iter().map(|line| format!("{}\n", escape::terminal(line.trim_end()))).collect();
    if none { Err(text) } else { Ok(text) }
}

/// `A  Samsung SSD 970 EVO, interrupted`, and its id and time below.
fn run_lines(at: usize, run: &ComparedRun<'_>, width: usize) -> Vec<String> {
    let facts = &run.digest.run;
    let state = match facts.state {
        _ if run.live => ", still running".to_owned(),
        RunState::Complete => String::new(),
        state => format!(", {}", run_facts::state_word(state)),
    };
    let started = facts.started.get(..19).unwrap_or(&facts.started).replace('T', " ");
    let first = wrap::cut(&format!("{}  {}{state}", letter(at), compare::title(&facts.environment)), width);
    vec![first, format!("   {}, {started} UTC", facts.id)]
}

fn group_lines(group: Group, width: usize) -> Vec<String> {
    let mut lines = vec![String::new(), group.title];
    if group.differences.is_empty() {
        lines.push("Differs besides the drive: nothing recorded".to_owned());
    } else {
        lines.push("Differs besides the drive:".to_owned());
        lines.extend(group.differences.iter().flat_map(|one| wrap::lines(&format!("- {one}"), width)));
    }
    let (mut at_least, mut approximate) = (false, false);
    for table in group.tables.into_iter().filter(|table| !table.rows.is_empty()) {
        let mut cells = table.rows.iter().flatten();
        at_least |= cells.clone().any(|cell| cell.is_at_least());
        approximate |= cells.any(|cell| !cell.approximation.is_empty());
        for block in blocks(&lettered(table, &group.letters), width) {
            lines.push(String::new());
            lines.extend(block);
        }
    }
    let known = [
        (at_least, signs::LOWER_BOUND),
        (!group.legend.is_empty(), group.legend.as_str()),
        (approximate, "≈ a parameter is drivelab's own, not the source's."),
    ];
    for (_, says) in known.into_iter().filter(|(there, _)| *there) {
        lines.extend(wrap::lines(says, width));
    }
    lines
}

/// The table with the letters of the runs alone as heads: their names stand above all tables.
fn lettered(mut table: Table, letters: &[String]) -> Table {
    for (column, letter) in table.columns.iter_mut().skip(1).zip(letters) {
        column.title.clone_from(letter);
        column.unit.clear();
    }
    table
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::analyse;
    use drivelab_core::plan::Form;
    use drivelab_samples::{sample_run, slowed};

    use super::*;

    fn text(digests: &[&Digest], width: usize) -> Result<String, String> {
        let runs: Vec<ComparedRun<'_>> = digests.iter().map(|digest| ComparedRun { digest, live: false }).collect();
        comparison_text(&runs, width)
    }

    #[test]
    fn runs_are_named_once_and_each_has_its_own_figures_below_its_letter() {
        let (first, mut second) = (sample_run(), slowed(2.0));
        second.environment.target.devices[0].model = Some("Another".to_owned());
        let digests = [&first, &second].map(|run| Digest::of(run, &analyse(run)));
        let text = text(&digests.each_ref(), 80).expect("alike");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("A  ") && lines[2].starts_with("B  Another"), "{text}");
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
        let head = lines.iter().find(|line| line.trim_start().starts_with("Step")).expect("a head");
        assert_eq!(head.split_whitespace().collect::<Vec<_>>(), ["Step", "A", "B"]);
        let row = lines.iter().find(|line| line.starts_with("SEQ 1 MiB Q8T1 read")).expect("a row");
        let figures: Vec<f64> =
            row.split_whitespace().rev().filter_map(|word| word.replace(',', "").parse().ok()).take(2).collect();
        assert!((figures[1] / figures[0] - 2.0).abs() < 0.1, "B is half as fast as A: {row}");
        assert!(lines.contains(&"Four corners:"), "rows stand below their test: {text}");
    }

    #[test]
    fn many_runs_stand_in_several_blocks_and_none_is_left_out() {
        let run = sample_run();
        let digest = Digest::of(&run, &analyse(&run));
        let text = text(&vec![&digest; 30], 80).expect("alike");
        let heads: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("Step")).collect();
        let letters: Vec<&str> = heads.iter().flat_map(|head| head.split_whitespace().skip(1)).collect();
        let all: Vec<String> = (0..30).map(letter).collect();
        assert!(letters.len() > 60 && letters.chunks(30).all(|chunk| chunk == all), "{letters:?}");
        assert!(!text.contains("wider terminals"), "{text}");
    }

    #[test]
    fn what_may_not_be_compared_is_refused_with_the_reason() {
        let (first, mut second) = (sample_run(), sample_run());
        second.plan.form = Form::Faithful;
        second.environment.testbed.kernel = "6.1\u{1b}[2J".to_owned();
        let digests = [&first, &second].map(|run| Digest::of(run, &analyse(run)));
        let why = text(&digests.each_ref(), 80).expect_err("unlike");
        let plain = why.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(plain.contains("the faithful form instead of the quick form") && why.starts_with("A  "), "{why}");
        second.plan.form = first.plan.form;
        let digests = [&first, &second].map(|run| Digest::of(run, &analyse(run)));
        let text = text(&digests.each_ref(), 80).expect("alike");
        assert!(text.contains("kernel: A") && !text.contains('\u{1b}'), "{text}");
    }
}
