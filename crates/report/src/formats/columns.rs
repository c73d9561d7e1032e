//! A table as plain text in aligned columns.

use crate::figure::table::{Cell, Column, Heading, Table};
use crate::figure::{escape, wrap};

/// The narrowest width that is laid out for.
pub(crate) const LEAST_WIDTH: usize = 60;

/// Aligned columns: words to the left, figures to the right, two lines of headings. If they do not fit even with one
/// space between them, columns are left out from the right, and a line below names them.
pub(crate) fn plain(table: &Table, width: usize) -> Vec<String> {
    aligned(table, width, 2)
}

/// The same with at least this many columns, whatever fits.
fn aligned(table: &Table, width: usize, least: usize) -> Vec<String> {
    let texts = texts(table);
    let widths = widths(table, &texts, width, least);
    let gap = if fitting(&widths, width, 2) == widths.len() { 2 } else { 1 };
    let shown = fitting(&widths, width, gap).max(least);
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).take(shown).enumerate();
        let cells = cells.map(|(at, (text, width))| match at {
            0 => format!("{text:<width$}"),
            _ => format!("{text:>width$}"),
        });
        cells.collect::<Vec<_>>().join(&" ".repeat(gap))
    };
    let mut lines = vec![escape::terminal(&table.caption)];
    for row in &texts {
        if row[0].chars().count() <= widths[0] {
            lines.push(line(row));
            continue;
        }
        // A long name takes several lines; the figures stand on the last one.
        let name = wrap::indented(&row[0], 0, widths[0]);
        let mut name: Vec<String> = name.lines().map(str::to_owned).collect();
        // One word may be wider than the column; then the figures stand below it.
        let last = name.pop_if(|last| last.chars().count() <= widths[0]).unwrap_or_default();
        lines.extend(name);
        lines.push(line(&[vec![last], row[1..].to_vec()].concat()));
    }
    let left_out = table.columns.iter().skip(shown).map(|column| format!("{} {}", column.title, column.unit));
    let left_out: Vec<String> = left_out.map(|name| name.trim().to_owned()).collect();
    if !left_out.is_empty() {
        lines.extend(wrap::lines(&format!("wider terminals show: {}", left_out.join(", ")), width));
    }
    lines
}

/// The table split into as many tables as all its columns need; each has the first column, and the second if every part
/// needs it. Rows that have nothing in the columns of one part are left out of it.
pub(crate) fn blocks(table: &Table, width: usize) -> Vec<Vec<String>> {
    let (mut left, mut blocks) = (table.clone(), Vec::new());
    let kept = if table.columns.get(1).is_some_and(|column| column.in_every_part) { 2 } else { 1 };
    while left.columns.len() > kept {
        let shown = fitting(&widths(&left, &texts(&left), width, kept + 1), width, 1).max(kept + 1);
        let mut block = left.clone();
        block.columns.truncate(shown);
        block.rows.iter_mut().for_each(|row| row.truncate(shown));
        if block.columns.len() < table.columns.len() {
            block.rows = filled(block.rows, kept);
        }
        blocks.push(aligned(&block, width, kept + 1));
        left.columns.drain(kept..shown);
        left.rows.iter_mut().for_each(|row| drop(row.drain(kept..shown.min(row.len()))));
    }
    blocks
}

/// The rows of one part of a table that have a figure in it, with their headings; the first `kept` columns are in every
/// part.
fn filled(rows: Vec<Vec<Cell>>, kept: usize) -> Vec<Vec<Cell>> {
    let has_more = |row: &Vec<Cell>| row.iter().skip(kept).any(|cell| !cell.plain().is_empty());
    let mut filled: Vec<Vec<Cell>> = Vec::new();
    // Headings whose rows have not begun yet, the outer one first.
    let mut pending: Vec<(Heading, Vec<Cell>)> = Vec::new();
    for row in rows {
        if let Some(level) = row.first().and_then(|cell| cell.heading) {
            pending.retain(|(known, _)| *known < level);
            pending.push((level, row));
        } else if has_more(&row) {
            filled.extend(pending.drain(..).map(|(_, heading)| heading));
            filled.push(row);
        }
    }
    filled
}

/// The cell texts of every line of a table, headings first.
fn texts(table: &Table) -> Vec<Vec<String>> {
    let heads = [|column: &Column| column.title.clone(), |column: &Column| column.unit.clone()];
    let mut texts: Vec<Vec<String>> = heads.iter().map(|head| table.columns.iter().map(head).collect()).collect();
    // No line for units if no column has one.
    texts.retain(|heads| heads.iter().any(|head| !head.is_empty()));
    texts.extend(table.rows.iter().map(|row| row.iter().map(|cell| escape::terminal(&cell.plain())).collect()));
    texts
}

/// Columns of characters that are left for figures beside a name.
const LEFT_BESIDE_A_NAME: usize = 30;

/// Columns of characters that a name gets, however wide the figures are.
const LEAST_NAME: usize = 30;

/// Width in characters of each column; names leave room for figures, and for all of the first `least` columns.
fn widths(table: &Table, texts: &[Vec<String>], width: usize, least: usize) -> Vec<usize> {
    let widest = |at: usize| texts.iter().filter_map(|row| row.get(at)).map(|text| text.chars().count()).max();
    let mut widths: Vec<usize> = (0..table.columns.len()).map(|at| widest(at).unwrap_or(0)).collect();
    let beside: usize = widths.iter().take(least).skip(1).map(|width| width + 1).sum();
    if let Some(names) = widths.first_mut() {
        *names = (*names).min(width.saturating_sub(beside.max(LEFT_BESIDE_A_NAME)).max(LEAST_NAME));
    }
    widths
}

/// How many columns fit with a gap of this width.
fn fitting(widths: &[usize], width: usize, gap: usize) -> usize {
    let mut total = 0;
    let fits = |one: &&usize| {
        total += **one + gap;
        total <= width + gap
    };
    widths.iter().take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_wide_table_has_only_the_rows_with_figures_in_it_and_their_headings() {
        let columns: Vec<Column> = ["Step", "first drive", "second drive"].map(Column::words).into();
        let row = |cells: [&str; 3]| cells.map(|text| Cell::text(text.to_owned())).to_vec();
        let heading = |level, text: &str| {
            let first = Cell { heading: Some(level), ..Cell::text(text.to_owned()) };
            vec![first, Cell::default(), Cell::default()]
        };
        let rows = vec![
            heading(Heading::Test, "Reads"),
            heading(Heading::Step, "at random"),
            row(["small", "1", ""]),
            heading(Heading::Step, "in order"),
            row(["large", "2", "3"]),
            heading(Heading::Test, "Writes"),
            heading(Heading::Step, "of all"),
            row(["all", "4", ""]),
            heading(Heading::Test, "Whole run"),
            row(["score", "5", "6"]),
        ];
        let table = Table { caption: String::new(), columns, rows };
        let names = |lines: &Vec<String>| {
            let rows = lines.iter().skip(2).filter(|line| !line.contains(" drive"));
            rows.map(|line| line.split("  ").next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        let parts: Vec<Vec<String>> = blocks(&table, 20).iter().map(names).collect();
        let first =
            ["Reads", "at random", "small", "in order", "large", "Writes", "of all", "all", "Whole run", "score"];
        assert_eq!(
            parts,
            [
                first.map(str::to_owned).to_vec(),
                ["Reads", "in order", "large", "Whole run", "score"].map(str::to_owned).to_vec()
            ]
        );
        // A table that fits is not cut.
        assert_eq!(blocks(&table, 80).len(), 1);
    }

    #[test]
    fn a_long_name_is_wrapped_and_every_part_has_the_units() {
        let columns = vec![
            Column::words("Test"),
            Column::units(),
            Column::figures("first drive of a long name", ""),
            Column::figures("second drive of a long name", ""),
        ];
        let name = "random reads of 4 KiB in the middle of a fill, with sixteen threads and one operation each";
        let row = [name, "MB/s", "123", "456"].map(|text| Cell::text(text.to_owned())).to_vec();
        let table = Table { caption: String::new(), columns, rows: vec![row] };
        let parts = blocks(&table, 80);
        assert_eq!(parts.len(), 2, "{parts:#?}");
        for (part, value) in parts.iter().zip(["123", "456"]) {
            assert!(part.iter().all(|line| line.chars().count() <= 80), "{part:#?}");
            let last = part.last().expect("a row");
            assert!(last.contains("MB/s") && last.trim_end().ends_with(value), "{part:#?}");
            let words: String = part[2..].concat().replace("MB/s", "").replace(value, "");
            assert_eq!(words.split_whitespace().collect::<String>(), name.replace(' ', ""), "{part:#?}");
        }
        // A figure that does not fit beside the units is wider than the terminal, and not lost.
        let row = [name, "MB/s", "≥ 1,234,567 ▲ (2 of 3 runs)", "456"].map(|text| Cell::text(text.to_owned())).to_vec();
        let table = Table { rows: vec![row], ..table };
        let text = blocks(&table, 60).concat().concat();
        assert!(text.contains("≥ 1,234,567 ▲ (2 of 3 runs)") && text.contains("456"), "{text}");
        assert!(!text.contains("wider terminals"), "{text}");
        // A word that is wider than its column has its figures below it.
        let row = ["x".repeat(70).as_str(), "MB/s", "123", "456"].map(|text| Cell::text(text.to_owned())).to_vec();
        let lines = blocks(&Table { rows: vec![row], ..table }, 80).concat();
        let of_figures: Vec<&String> =
            lines.iter().filter(|line| line.contains("123") || line.contains("456")).collect();
        assert_eq!(of_figures.len(), 2, "{lines:#?}");
        assert!(of_figures.iter().all(|line| line.chars().count() <= 80 && !line.contains('x')), "{lines:#?}");
    }
}
