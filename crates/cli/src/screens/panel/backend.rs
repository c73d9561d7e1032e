//! The backend that ratatui draws with: crossterm's backend, except for the query of the cursor's position, which goes
//! through [`Keys`], because crossterm's own answer may never come (explained there).

use std::io::{Result, Stdout, stdout};

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

use super::keys::Keys;

/// Draws on stdout.
pub(super) struct Drawing {
    inner: CrosstermBackend<Stdout>,
    keys: Keys,
}

impl Drawing {
    pub(super) fn new(keys: Keys) -> Self {
        Drawing { inner: CrosstermBackend::new(stdout()), keys }
    }
}

impl Backend for Drawing {
    type Error = std::io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> Result<()> {
        self.inner.draw(content)
    }

    fn append_lines(&mut self, count: u16) -> Result<()> {
        self.inner.append_lines(count)
    }

    fn hide_cursor(&mut self) -> Result<()> {
        self.inner.hide_cursor()
    }

    /// A terminal that disappeared has no cursor to show. ratatui's `Terminal` asks for it when it is dropped, and
    /// would panic over the error if stderr is gone too.
    fn show_cursor(&mut self) -> Result<()> {
        let _ = self.inner.show_cursor();
        Ok(())
    }

    fn get_cursor_position(&mut self) -> Result<Position> {
        self.keys.cursor().map(Position::from)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<()> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> Result<()> {
        self.inner.clear_region(region)
    }

    fn size(&self) -> Result<Size> {
        self.inner.size()
    }

    fn window_size(&mut self) -> Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> Result<()> {
        Backend::flush(&mut self.inner)
    }

    fn scroll_region_up(&mut self, region: std::ops::Range<u16>, lines: u16) -> Result<()> {
        self.inner.scroll_region_up(region, lines)
    }

    fn scroll_region_down(&mut self, region: std::ops::Range<u16>, lines: u16) -> Result<()> {
        self.inner.scroll_region_down(region, lines)
    }
}
