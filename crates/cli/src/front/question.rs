//! One question to a person at a terminal, and one line of answer.
//!
//! Nothing else may wait at a terminal: a read that only waits would hear no signal, and Ctrl-C would do nothing.
//! Facts: a terminal that was hung up gives an end of file or EIO (tty_ioctl(2), read(2)).

use std::io::IsTerminal;

use drivelab_lab::front::is_yes;
use drivelab_lab::{Failure, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::signals::{self, Question};
use crate::say;

/// How long a signal may go unheard, in nanoseconds.
const LOOK_NS: i64 = 100_000_000;

/// Whether there is a person who can be asked.
#[must_use]
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// What is typed as the answer, without the end of the line; nothing where the terminal ended.
///
/// # Errors
/// A signal that asked this process to stop while the question stood; a terminal that cannot be read.
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

/// Whether the answer is yes; everything else is no.
///
/// # Errors
/// As for [`ask`].
pub fn yes(question: &str) -> Result<bool> {
    let answer = ask(&format!("{question} [y/N]"))?;
    Ok(is_yes(&answer))
}

/// A line of stdin, or as much of it as came before a signal. Nothing is read ahead of its end, so that what was typed
/// for the next question is there when it is asked.
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
