//! Runs side by side for a terminal, from their digests: first which letter is which run, then the tables.

use drivelab_analysis::digest::Digest;
use drivelab_core::group::letter;

use crate::figure::table::Table;
use crate::figure::{prose, wrap};
use crate::formats::columns::{LEAST_WIDTH, plain};
use crate::views::across::compare::{self, Comparison, Group};
use crate::words::facts;

/// The comparison of runs in at most `width` columns; `None` where no two of them may be compared, with the reasons.
///
/// # Errors
/// Why no two of the runs may be compared, a sentence each.
pub fn comparison_text(digests: &[&Digest], width: usize) -> Result<String, Vec<String>> {
    let Comparison { groups, refused, .. } = compare::of_digests(digests);
    if groups.is_empty() {
        return Err(refused);
    }
    let width = width.max(LEAST_WIDTH);
    let mut lines: Vec<String> = digests.iter().enumerate().map(|(at, digest)| run_line(at, digest)).collect();
    for group in groups {
        lines.extend(group_lines(group, width));
    }
    if !refused.is_empty() {
        lines.push(String::new());
        lines.push("Not comparable:".to_owned());
        lines.extend(refused.iter().flat_map(|why| wrap::lines(&prose::plain(why), width)));
    }
    Ok(lines.iter().map(|line| format!("{}\n", line.trim_end())).collect())
}

/// `A  Samsung SSD 970 EVO, 2026-11-27 19:24, run 01a2…`.
fn run_line(at: usize, digest: &Digest) -> String {
    let run = &digest.run;
    let condition = digest.condition();
    let arm = if condition.is_any() { format!(", {}", condition.arm()) } else { String::new() };
    let started = run.started.get(..16).unwrap_or(&run.started).replace('T', " ");
    format!("{}  {}{arm}, {started}, run {}", letter(at), facts::title(&run.environment), run.id)
}

fn group_lines(group: Group, width: usize) -> Vec<String> {
    let mut lines = vec![String::new(), group.title];
    if !group.differences.is_empty() {
        lines.push("Differs besides the drive:".to_owned());
        lines.extend(group.differences.iter().flat_map(|one| wrap::lines(&format!("- {one}"), width)));
    }
    for table in group.tables.into_iter().filter(|table| !table.rows.is_empty()) {
        lines.push(String::new());
        lines.extend(plain(&lettered(table), width));
    }
    if !group.legend.is_empty() {
        lines.extend(wrap::lines(&group.legend, width));
    }
    lines
}

/// The table with the letters of the runs alone as heads: their names stand above all tables.
fn lettered(mut table: Table) -> Table {
    for column in table.columns.iter_mut().skip(1) {
        let letter = column.title.split(':').next().unwrap_or_default().to_owned();
        column.title = letter;
        column.unit.clear();
    }
    table
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::analyse;
    use drivelab_core::plan::Form;
    use drivelab_samples as testing;

    use super::*;

    #[test]
    fn runs_are_named_once_and_their_figures_stand_below_letters() {
        let (first, mut second) = (testing::sample_run(), testing::sample_run());
        second.environment.target.devices[0].model = Some("Another".to_owned());
        let digests = [&first, &second].map(|run| Digest::of(run, &analyse(run)));
        let text = comparison_text(&digests.each_ref(), 80).expect("alike");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("A  ") && lines[1].starts_with("B  Another, "), "{text}");
        assert!(lines.iter().all(|line| line.chars().count() <= 80 || line.contains(", run ")), "{text}");
        let head = lines.iter().find(|line| line.trim_start().starts_with("Step")).expect("a head");
        assert_eq!(head.split_whitespace().collect::<Vec<_>>(), ["Step", "A", "B"]);
        let row = lines.iter().find(|line| line.starts_with("SEQ 1 MiB Q8T1 read")).expect("a row");
        let figures: Vec<&str> = row.split_whitespace().rev().take(2).collect();
        assert_eq!(figures[0], figures[1], "the same records: {row}");
    }

    #[test]
    fn what_may_not_be_compared_is_refused_with_the_reason() {
        let (first, mut second) = (testing::sample_run(), testing::sample_run());
        second.plan.form = Form::Faithful;
        let digests = [&first, &second].map(|run| Digest::of(run, &analyse(run)));
        let why = comparison_text(&digests.each_ref(), 80).expect_err("unlike");
        assert!(why.len() == 1 && why[0].contains("the faithful form instead of the quick form"), "{why:?}");
    }
}
