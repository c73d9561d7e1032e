//! The terminal below the panel: raw mode, the inline viewport, lines above it, and restoring everything.
//!
//! ratatui 0.30.2 leaves doubled rows when an inline viewport changes its width (ratatui#2666). The workaround here:
//! the hidden cursor always rests on the panel's first cell. A terminal that rewraps its lines keeps the cursor on its
//! text, so everything from there down is the old panel; it is cleared, and the viewport is made again.

use std::io::{IsTerminal, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};

use crossterm::cursor::{MoveToNextLine, MoveToPreviousLine, Show};
use crossterm::terminal::{Clear, ClearType, disable_raw_mode, enable_raw_mode};
use ratatui::layout::Size;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Widget;
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};
use signal_hook::SigId;
use signal_hook::consts::SIGWINCH;

use super::backend::Drawing;
use super::draw::HEIGHT;
use super::keys::Keys;

/// Smallest terminal with room for the panel and some lines above it.
const LEAST: Size = Size { width: 60, height: HEIGHT + 4 };

/// Whether a panel holds the terminal now, so that it is restored exactly once, by whoever comes first.
static HELD: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// Restores the terminal: no panel, a visible cursor, ordinary key handling. Does nothing if the terminal is not held.
/// Waits for a picture that another thread is drawing; no picture follows.
pub(in crate::screens) fn give_back() {
    let _whole = stdout().lock();
    if HELD.swap(false, Ordering::SeqCst) {
        // On the way out nobody is left to receive errors.
        let _ = clear_panel();
        let _ = crossterm::execute!(stdout(), Show);
        let _ = disable_raw_mode();
    }
}

/// The terminal, held.
pub(super) struct Screen {
    terminal: Terminal<Drawing>,
    /// Keys typed in it.
    pub(super) keys: Keys,
    size: Size,
    /// The size has changed, possibly back to what it was.
    resized: Arc<AtomicBool>,
    told: SigId,
    /// Lines that are not yet above the panel.
    kept: Vec<(Style, String)>,
}

impl Screen {
    pub(super) fn open() -> std::io::Result<Self> {
        if !stdout().is_terminal() {
            return Err(std::io::Error::other("stdout is not a terminal"));
        }
        let size = size()?;
        if !fits(size) {
            let Size { width, height } = size;
            return Err(std::io::Error::other(format!(
                "the terminal has {width} columns and {height} rows, the panel needs {} and {}",
                LEAST.width, LEAST.height
            )));
        }
        // A panic in any thread may end the process: the terminal is restored before its message is printed.
        HOOK.call_once(|| {
            let earlier = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                give_back();
                earlier(panic);
            }));
        });
        let keys = Keys::open()?;
        let resized = Arc::new(AtomicBool::new(false));
        let told = signal_hook::flag::register(SIGWINCH, Arc::clone(&resized))?;
        enable_raw_mode()?;
        HELD.store(true, Ordering::SeqCst);
        match viewport(&keys) {
            Ok(terminal) => Ok(Screen { terminal, keys, size, resized, told, kept: Vec::new() }),
            Err(error) => {
                signal_hook::low_level::unregister(told);
                give_back();
                Err(error)
            }
        }
    }

    /// Adds a line above the panel from the next picture on.
    pub(super) fn keep(&mut self, style: Style, line: String) {
        self.kept.push((style, line));
    }

    /// Draws the panel, and the waiting lines above it. In a terminal that became too small nothing is drawn, and
    /// lines wait until it grows or until the end.
    pub(super) fn draw(&mut self, picture: impl FnOnce(&mut Frame<'_>)) -> std::io::Result<()> {
        // A second signal restores the terminal from its own thread: either before this picture or after it.
        let _whole = stdout().lock();
        if !HELD.load(Ordering::SeqCst) {
            return Ok(());
        }
        let size = size()?;
        if self.resized.swap(false, Ordering::SeqCst) || size != self.size {
            self.size = size;
            clear_panel()?;
            if fits(size) {
                self.terminal = viewport(&self.keys)?;
            }
        }
        if !fits(size) {
            return Ok(());
        }
        for (style, line) in std::mem::take(&mut self.kept) {
            for row in wrapped(&line, usize::from(size.width)) {
                self.terminal.insert_before(1, |buffer| Line::styled(row, style).render(buffer.area, buffer))?;
            }
        }
        self.terminal.draw(picture)?;
        let home = self.terminal.get_frame().area().as_position();
        self.terminal.set_cursor_position(home)?;
        ratatui::backend::Backend::flush(self.terminal.backend_mut())
    }

    /// Prints the waiting lines and restores the terminal, with the cursor where the panel began.
    pub(super) fn close(&mut self) -> std::io::Result<()> {
        give_back();
        for (_, line) in std::mem::take(&mut self.kept) {
            std::io::Write::write_all(&mut stdout(), format!("{line}\n").as_bytes())?;
        }
        std::io::Write::flush(&mut stdout())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        signal_hook::low_level::unregister(self.told);
        give_back();
    }
}

/// Clears from the panel's first row, where the cursor rests, to the bottom. The first row is cleared separately:
/// clearing everything from the top left corner would make tmux move the old panel into its history instead.
fn clear_panel() -> std::io::Result<()> {
    crossterm::execute!(
        stdout(),
        Clear(ClearType::CurrentLine),
        MoveToNextLine(1),
        Clear(ClearType::FromCursorDown),
        MoveToPreviousLine(1)
    )
}

fn size() -> std::io::Result<Size> {
    crossterm::terminal::size().map(|(width, height)| Size { width, height })
}

const fn fits(size: Size) -> bool {
    size.width >= LEAST.width && size.height >= LEAST.height
}

/// A viewport that begins at the cursor.
fn viewport(keys: &Keys) -> std::io::Result<Terminal<Drawing>> {
    let options = TerminalOptions { viewport: Viewport::Inline(HEIGHT) };
    Terminal::with_options(Drawing::new(keys.clone()), options)
}

/// Rows of at most `width` characters, broken between words if possible; ratatui would cut a long line.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    const INDENT: &str = "    ";
    let mut rows = vec![String::new()];
    let mut used = 0;
    for word in line.split_inclusive(' ') {
        let letters: Vec<char> = word.chars().collect();
        if used > INDENT.len() && used + word.trim_end().chars().count() > width {
            rows.push(INDENT.to_owned());
            used = INDENT.len();
        }
        for letter in letters {
            if used == width && letter != ' ' {
                rows.push(INDENT.to_owned());
                used = INDENT.len();
            }
            if let Some(row) = rows.last_mut()
                && used < width
            {
                row.push(letter);
                used += 1;
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_between_words_and_lose_nothing() {
        assert_eq!(wrapped("short", 20), ["short"]);
        assert_eq!(wrapped("", 20), [""]);
        assert_eq!(wrapped("one two three four", 14), ["one two three ", "    four"]);
        assert_eq!(wrapped("/a/path/longer/than/that", 10), ["/a/path/lo", "    nger/t", "    han/th", "    at"]);
        assert_eq!(wrapped("a table   with    gaps", 40), ["a table   with    gaps"]);
    }
}
