//! A table as plain text in aligned columns.

use crate::figure::table::{Cell, Column, Heading, Table};
use crate::figure::{escape, wrap};

/// The title of the column of units.
const UNIT: &str = "Unit";

/// The narrowest width that is laid out for.
pub(crate) const LEAST_WIDTH: usize = 60;

/// Aligned columns: words to the left, figures to the right, two lines of headings. If they do not fit even with one
/// space between them, columns are left out from the right, and a line below names them.
pub(crate) fn plain(table: &Table, width: usize) -> Vec<String> {
    let texts = texts(table);
    let widths = widths(table, &texts, width);
    let gap = if fitting(&widths, width, 2) == widths.len() { 2 } else { 1 };
    let shown = fitting(&widths, width, gap).max(2);
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
        let last = name.pop().unwrap_or_default();
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

/// The table split into as many tables as all its columns need; each has the first column, and the second if it is that
/// of the units. Rows that have nothing in the columns of one part are left out of it.
pub(crate) fn blocks(table: &Table, width: usize) -> Vec<Vec<String>> {
    let (mut left, mut blocks) = (table.clone(), Vec::new());
    let kept = if table.columns.get(1).is_some_and(|column| column.title == UNIT) { 2 } else { 1 };
    while left.columns.len() > kept {
        let shown = fitting(&widths(&left, &texts(&left), width), width, 1).max(kept + 1);
        let mut block = left.clone();
        block.columns.truncate(shown);
        block.rows.iter_mut().for_each(|row| row.truncate(shown));
        if block.columns.len() < table.columns.len() {
            block.rows = filled(block.rows, kept);
        }
        blocks.push(plain(&block, width));
        left.columns.drain(kept..shown);
        left.rows.iter_mut().for_each(|row| drop(row.drain(kept..shown.min(row.len()))));
    }
    blocks
}

/// The rows of one part of a table that have a figure in it, with their headings; the first `kept` columns are in every
/// part.
fn filled(rows: Vec<Vec<Cell>>, kept: usize) -> Vec<Vec<Cell>> {
    let has_more = |row: &Vec<Cell>| row.iter().skip(kept).any(|cell| !cell.plain().is_empty());
    let mut kept: Vec<Vec<Cell>> = Vec::new();
    // Headings whose rows have not begun yet, the outer one first.
    let mut pending: Vec<(Heading, Vec<Cell>)> = Vec::new();
    for row in rows {
        if let Some(level) = row.first().and_then(|cell| cell.heading) {
            pending.retain(|(known, _)| *known < level);
            pending.push((level, row));
        } else if has_more(&row) {
            kept.extend(pending.drain(..).map(|(_, heading)| heading));
            kept.push(row);
        }
    }
    kept
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

/// Width in characters of each column; names leave room for figures.
fn widths(table: &Table, texts: &[Vec<String>], width: usize) -> Vec<usize> {
    let widest = |at: usize| texts.iter().filter_map(|row| row.get(at)).map(|text| text.chars().count()).max();
    let mut widths: Vec<usize> = (0..table.columns.len()).map(|at| widest(at).unwrap_or(0)).collect();
    if let Some(names) = widths.first_mut() {
        *names = (*names).min(width.saturating_sub(LEFT_BESIDE_A_NAME).max(LEFT_BESIDE_A_NAME));
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
}
