//! Width of the terminal.

/// Columns of the terminal, or 100 without a terminal.
#[must_use]
pub fn terminal_width() -> usize {
    crossterm::terminal::size().map_or(100, |(columns, _)| usize::from(columns))
}
