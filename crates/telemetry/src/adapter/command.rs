//! A command whose output is followed: started through the shell in its own process group, and ended with it.

use std::io::{ErrorKind, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

use rustix::process::{Pid, Signal, kill_process_group};

/// Pieces of output that may wait to be read; a command that prints more is blocked.
const WAITING: usize = 64;

/// A running command.
#[derive(Debug)]
pub(super) struct Command {
    text: String,
    child: Child,
    output: Receiver<Vec<u8>>,
}

impl Command {
    /// Starts `sh -c TEXT`; its stderr is not redirected.
    pub(super) fn start(text: &str) -> Result<Self, String> {
        let mut child = std::process::Command::new("sh")
            .arg("-c")
            .arg(text)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| format!("`{text}` cannot be started: {error}"))?;
        let (sender, output) = sync_channel(WAITING);
        if let Some(mut stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                let mut bytes = [0u8; 4096];
                loop {
                    match stdout.read(&mut bytes) {
                        Ok(0) => break,
                        Ok(count) => {
                            if sender.send(bytes.get(..count).unwrap_or_default().to_vec()).is_err() {
                                break;
                            }
                        }
                        Err(error) if error.kind() == ErrorKind::Interrupted => {}
                        Err(_) => break,
                    }
                }
            });
        }
        Ok(Command { text: text.to_owned(), child, output })
    }

    /// The command as the user wrote it.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The output since the last call.
    pub(super) fn take(&mut self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        loop {
            match self.output.try_recv() {
                Ok(piece) => bytes.extend(piece),
                Err(TryRecvError::Empty) => return Ok(bytes),
                Err(TryRecvError::Disconnected) if bytes.is_empty() => {
                    let how = match self.child.try_wait() {
                        Ok(Some(status)) => format!("it ended with {status}"),
                        _ => "it closed its output".to_owned(),
                    };
                    return Err(format!("`{}`: {how}", self.text));
                }
                Err(TryRecvError::Disconnected) => return Ok(bytes),
            }
        }
    }
}

impl Drop for Command {
    fn drop(&mut self) {
        // The whole group, because the shell may have started other processes; a group that is gone is not an error.
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::TERM);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
