//! How wide the terminal is.

/// Columns of the terminal, or 100 where there is none.
#[must_use]
pub fn terminal_width() -> usize {
    crossterm::terminal::size().map_or(100, |(columns, _)| usize::from(columns))
}
