//! A table as plain text in aligned columns.

use crate::figure::table::{Column, Table};
use crate::figure::{escape, wrap};

/// The narrowest width that is laid out for.
pub(crate) const LEAST_WIDTH: usize = 60;

/// Aligned columns: words to the left, figures to the right, two lines of headings. If they do not fit even with one
/// space between them, columns are left out from the right, and a line below names them.
pub(crate) fn plain(table: &Table, width: usize) -> Vec<String> {
    let texts = texts(table);
    let widths = widths(table, &texts);
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
    lines.extend(texts.iter().map(line));
    let left_out = table.columns.iter().skip(shown).map(|column| format!("{} {}", column.title, column.unit));
    let left_out: Vec<String> = left_out.map(|name| name.trim().to_owned()).collect();
    if !left_out.is_empty() {
        lines.extend(wrap::lines(&format!("wider terminals show: {}", left_out.join(", ")), width));
    }
    lines
}

/// The table split into as many tables as all its columns need; each has the first column.
pub(crate) fn blocks(table: &Table, width: usize) -> Vec<Vec<String>> {
    let (mut left, mut blocks) = (table.clone(), Vec::new());
    while left.columns.len() > 1 {
        let shown = fitting(&widths(&left, &texts(&left)), width, 1).max(2);
        let mut block = left.clone();
        block.columns.truncate(shown);
        block.rows.iter_mut().for_each(|row| row.truncate(shown));
        blocks.push(plain(&block, width));
        left.columns.drain(1..shown);
        left.rows.iter_mut().for_each(|row| drop(row.drain(1..shown.min(row.len()))));
    }
    blocks
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

/// Width in characters of each column.
fn widths(table: &Table, texts: &[Vec<String>]) -> Vec<usize> {
    let widest = |at: usize| texts.iter().filter_map(|row| row.get(at)).map(|text| text.chars().count()).max();
    (0..table.columns.len()).map(|at| widest(at).unwrap_or(0)).collect()
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
