//! A question to a person at a terminal, and a one-line answer.
//!
//! Nothing else may wait at a terminal: a read that only waits would not notice a signal, and Ctrl-C would do nothing.
//! Facts: a terminal that was hung up returns end of file or EIO (tty_ioctl(2), read(2)).

use std::io::IsTerminal;

use drivelab_lab::front::is_yes;
use drivelab_lab::{Failure, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::signals::{self, Question};
use crate::say;

/// How long a signal may go unnoticed, in nanoseconds.
const LOOK_NS: i64 = 100_000_000;

/// Whether there is a person to ask.
#[must_use]
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// The typed answer, without the end of the line; `None` if the terminal ended.
///
/// # Errors
/// A signal asked this process to stop while the question was open, or the terminal cannot be read.
pub fn ask(question: &str) -> Result<String> {
    let stands = Question::stands();
    say::line(question);
    let answer = line();
    drop(stands);
    if signals::asked() {
        return Err(signals::stopped_at_a_question());
    }
    answer.map_err(|error| Failure::unexpected(format!("cannot read the answer: {error}")))
}

/// Whether the answer is yes; everything else counts as no.
///
/// # Errors
/// As for [`ask`].
pub fn yes(question: &str) -> Result<bool> {
    let answer = ask(&format!("{question} [y/N]"))?;
    Ok(is_yes(&answer))
}

/// A line of stdin, or as much of it as came before a signal. Nothing after the end of the line is read, so that an
/// answer typed ahead is available to the next question.
fn line() -> std::io::Result<String> {
    let input = std::io::stdin();
    let mut typed = Vec::new();
    let mut byte = [0];
    while !signals::asked() {
        let wait = Timespec { tv_sec: 0, tv_nsec: LOOK_NS };
        match poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&wait)) {
            Ok(0) | Err(Errno::INTR) => continue,
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        match rustix::io::read(&input, &mut byte) {
            Ok(0) | Err(Errno::IO) => break,
            Ok(_) if byte == *b"\n" => break,
            Ok(_) => typed.extend(byte),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(String::from_utf8_lossy(&typed).into_owned())
}
