//! What a person types while the panel is shown, read from the terminal itself.
//!
//! crossterm's reader is not used: if the terminal was closed, read(2) returns 0 again and again, and its loop (0.29,
//! `try_read`) never ends. Here a terminal that disappeared is an error, and nothing waits without a limit. Facts:
//! poll(2) reports POLLHUP for a terminal that was hung up; in raw mode Ctrl-C arrives as the byte 3; the reply to the
//! query of the cursor's position (ECMA-48, DSR 6) is `ESC [ row ; column R`, both from 1.

use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, IsTerminal, Result, Write, stdin, stdout};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// How long a terminal may take to report its cursor's position.
const REPLY: Duration = Duration::from_secs(2);
/// Longest sequence that is waited for; anything longer is not a key.
const LONGEST: usize = 64;

/// The terminal's keys; clones are the same ones.
#[derive(Debug, Clone)]
pub(super) struct Keys(Arc<Mutex<Typed>>);

#[derive(Debug)]
struct Typed {
    input: OwnedFd,
    /// Bytes that may be the beginning of a sequence.
    bytes: Vec<u8>,
    /// Keys that nobody has asked for yet.
    keys: Vec<KeyEvent>,
    /// Column and row of the cursor, from 0, as last reported.
    cursor: Option<(u16, u16)>,
}

impl Keys {
    /// The keys of the terminal at stdin, otherwise of the process's own terminal.
    ///
    /// # Errors
    /// There is no terminal to read from.
    pub(super) fn open() -> Result<Keys> {
        let input = if stdin().is_terminal() {
            stdin().as_fd().try_clone_to_owned()?
        } else {
            OpenOptions::new().read(true).write(true).open("/dev/tty")?.into()
        };
        Ok(Keys::of(input))
    }

    /// The keys that arrive here.
    fn of(input: OwnedFd) -> Keys {
        Keys(Arc::new(Mutex::new(Typed { input, bytes: Vec::new(), keys: Vec::new(), cursor: None })))
    }

    /// What was typed since the last call, without waiting.
    ///
    /// # Errors
    /// The terminal has disappeared.
    pub(super) fn typed(&self) -> Result<Vec<KeyEvent>> {
        let mut typed = self.lock();
        while typed.read(Duration::ZERO)? {}
        Ok(std::mem::take(&mut typed.keys))
    }

    /// Queries the cursor's position: column and row from 0. Keys that are typed meanwhile are kept.
    ///
    /// # Errors
    /// The terminal has disappeared or does not answer.
    pub(super) fn cursor(&self) -> Result<(u16, u16)> {
        let mut typed = self.lock();
        typed.cursor = None;
        stdout().write_all(b"\x1b[6n")?;
        stdout().flush()?;
        let asked = Instant::now();
        loop {
            if let Some(cursor) = typed.cursor.take() {
                return Ok(cursor);
            }
            let left = REPLY.saturating_sub(asked.elapsed());
            if left.is_zero() {
                return Err(Error::new(ErrorKind::TimedOut, "the terminal does not report where its cursor is"));
            }
            typed.read(left)?;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Typed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Typed {
    /// Reads once if something arrives within this time; returns whether anything did.
    fn read(&mut self, wait: Duration) -> Result<bool> {
        let wait =
            Timespec { tv_sec: i64::try_from(wait.as_secs()).unwrap_or(i64::MAX), tv_nsec: wait.subsec_nanos().into() };
        let mut polled = [PollFd::new(&self.input, PollFlags::IN)];
        match poll(&mut polled, Some(&wait)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let found = polled[0].revents();
        if found.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            return Err(gone());
        }
        if !found.contains(PollFlags::IN) {
            return Ok(false);
        }
        let mut buffer = [0; 256];
        match rustix::io::read(&self.input, &mut buffer) {
            Ok(0) => Err(gone()),
            Ok(count) => {
                self.bytes.extend_from_slice(&buffer[..count]);
                self.take_apart();
                Ok(true)
            }
            Err(Errno::INTR | Errno::AGAIN) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes whole keys and replies from the bytes.
    fn take_apart(&mut self) {
        let mut at = 0;
        while let Some((length, what)) = first(&self.bytes[at..]) {
            match what {
                What::Key(key) => self.keys.push(key),
                What::Cursor(column, row) => self.cursor = Some((column, row)),
                What::Other => {}
            }
            at += length;
        }
        self.bytes.drain(..at);
    }
}

fn gone() -> Error {
    Error::new(ErrorKind::UnexpectedEof, "the terminal has gone")
}

/// The meaning of a sequence of bytes.
#[derive(Debug, PartialEq, Eq)]
enum What {
    Key(KeyEvent),
    Cursor(u16, u16),
    /// A key without a meaning here.
    Other,
}

/// The first whole key of these bytes and its length; `None` if more bytes may follow.
fn first(bytes: &[u8]) -> Option<(usize, What)> {
    let (&byte, rest) = bytes.split_first()?;
    let plain = |code| What::Key(KeyEvent::new(code, KeyModifiers::NONE));
    Some(match byte {
        0x1b => return escape(rest).map(|(length, what)| (length + 1, what)),
        b'\r' | b'\n' => (1, plain(KeyCode::Enter)),
        // Ctrl and a letter.
        1..=26 => (1, What::Key(KeyEvent::new(KeyCode::Char(char::from(byte + 0x60)), KeyModifiers::CONTROL))),
        b' '..=b'~' => (1, plain(KeyCode::Char(char::from(byte)))),
        _ => (1, What::Other),
    })
}

/// What follows an escape: `[` and a sequence up to its last letter, `O` and a letter, or a key pressed with Alt. A
/// lone Esc waits for the next key; together they mean nothing.
fn escape(rest: &[u8]) -> Option<(usize, What)> {
    match rest.split_first()? {
        (b'[', sequence) => {
            let Some(last) = sequence.iter().position(|byte| (0x40..=0x7e).contains(byte)) else {
                return (sequence.len() > LONGEST).then_some((rest.len(), What::Other));
            };
            let cursor = (sequence[last] == b'R').then(|| cursor(&sequence[..last])).flatten();
            Some((last + 2, cursor.map_or(What::Other, |(column, row)| What::Cursor(column, row))))
        }
        (b'O', more) => more.first().map(|_| (2, What::Other)),
        // The next key stands for itself: it is not lost with the Esc before it.
        (1..=0x1b, _) => Some((0, What::Other)),
        _ => Some((1, What::Other)),
    }
}

/// Column and row from 0, of `row;column` from 1.
fn cursor(between: &[u8]) -> Option<(u16, u16)> {
    let (row, column) = std::str::from_utf8(between).ok()?.split_once(';')?;
    let from_0 = |text: &str| text.parse::<u16>().ok()?.checked_sub(1);
    Some((from_0(column)?, from_0(row)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(bytes: &[u8]) -> (Vec<KeyEvent>, Option<(u16, u16)>) {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        writer.write_all(bytes).expect("it holds that");
        let keys = Keys::of(reader.into());
        let pressed = keys.typed().expect("it is open");
        let cursor = keys.lock().cursor;
        (pressed, cursor)
    }

    #[test]
    fn keys_are_told_from_sequences_and_replies() {
        let q = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE);
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(typed(b"q\x03"), (vec![q, interrupt], None));
        // Arrows, a function key, a key with Alt, and a letter of another alphabet have no meaning here.
        assert_eq!(typed("\x1b[A\x1b[1;5C\x1bOP\x1bq\u{416}".as_bytes()), (Vec::new(), None));
        assert_eq!(typed(b"\x1b[12;7Rq"), (vec![q], Some((6, 11))), "a late reply, then a key");
        assert_eq!(typed(b"\x1b\x03"), (vec![interrupt], None), "Esc does not swallow Ctrl-C");
        let endless = [b"\x1b[".as_slice(), &[b'1'; 100], b"q"].concat();
        assert!(typed(&endless).0.len() <= 1, "it ends");
    }

    #[test]
    fn a_terminal_that_has_gone_is_an_error_and_no_loop() {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let keys = Keys::of(reader.into());
        assert!(keys.typed().expect("nothing was typed").is_empty());
        writer.write_all(b"x").expect("it holds that");
        drop(writer);
        assert_eq!(keys.typed().expect_err("nobody is at the other end").kind(), ErrorKind::UnexpectedEof);
    }
}
