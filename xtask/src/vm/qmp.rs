//! What a scenario's script asks of the host while it runs: commands for QEMU, over its machine protocol (QMP).
//!
//! The script prints a line `vm-host: {"execute": …, "arguments": …}` on its console (`host` in functions.sh), and the
//! command goes to QEMU immediately: a device unplugged, a property changed. So the whole sequence, including what
//! happens when, is in the script. The protocol is in QEMU's docs/interop/qmp-spec: one JSON document per line; a
//! greeting, `qmp_capabilities`, then commands; each is answered by `return` or `error`, with events in between.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

/// Prefix of a console line that is meant for the host.
const MARK: &str = "vm-host: ";

/// The socket of one VM's QEMU.
#[derive(Debug)]
pub(crate) struct Qmp {
    socket: PathBuf,
    connection: Option<BufReader<UnixStream>>,
}

impl Qmp {
    /// A socket for the VM of one scenario; with a short name, because it may have only 107 bytes.
    pub(crate) fn new(scenario: &str) -> Qmp {
        let socket = std::env::temp_dir().join(format!("drivelab-vm-{}-{scenario}.qmp", std::process::id()));
        // A socket that an earlier process with this number left would be in the way.
        let _ = std::fs::remove_file(&socket);
        Qmp { socket, connection: None }
    }

    /// QEMU's argument for it.
    pub(crate) fn argument(&self) -> String {
        format!("unix:{},server=on,wait=off", self.socket.to_string_lossy().replace(',', ",,"))
    }

    /// Does what a line of the console asks for, if it asks for anything; returns command and answer for the record.
    pub(crate) fn heed(&mut self, line: &str) -> Result<Option<String>> {
        let Some(command) = asked(line)? else { return Ok(None) };
        let answer = self.execute(&command).with_context(|| format!("QEMU did not do {command}"))?;
        Ok(Some(format!("{command} -> {answer}")))
    }

    fn execute(&mut self, command: &Value) -> Result<Value> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(connect(&self.socket)?),
        };
        converse(connection, command)
    }
}

impl Drop for Qmp {
    fn drop(&mut self) {
        // QEMU removes it itself unless it was killed.
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// The command in a line of the console.
fn asked(line: &str) -> Result<Option<Value>> {
    let Some(at) = line.find(MARK) else { return Ok(None) };
    let text = line[at + MARK.len()..].trim();
    let command: Value =
        serde_json::from_str(text).with_context(|| format!("the script asked the host for `{text}`"))?;
    ensure!(command.get("execute").is_some_and(Value::is_string), "`{text}` names nothing to execute");
    Ok(Some(command))
}

fn connect(socket: &Path) -> Result<BufReader<UnixStream>> {
    let stream = UnixStream::connect(socket).with_context(|| format!("cannot connect to {}", socket.display()))?;
    let mut connection = BufReader::new(stream);
    let greeting = receive(&mut connection)?;
    ensure!(greeting.get("QMP").is_some(), "no greeting of QMP but {greeting}");
    converse(&mut connection, &json!({ "execute": "qmp_capabilities" }))?;
    Ok(connection)
}

/// Sends a command and waits for its answer; events that come before are left out.
fn converse(connection: &mut BufReader<UnixStream>, command: &Value) -> Result<Value> {
    connection.get_mut().write_all(format!("{command}\n").as_bytes()).context("cannot write to QEMU")?;
    loop {
        let said = receive(connection)?;
        if let Some(error) = said.get("error") {
            bail!("it said {error}");
        }
        if let Some(answer) = said.get("return") {
            return Ok(answer.clone());
        }
    }
}

fn receive(connection: &mut BufReader<UnixStream>) -> Result<Value> {
    let mut line = String::new();
    ensure!(connection.read_line(&mut line).context("cannot read from QEMU")? > 0, "QEMU hung up");
    serde_json::from_str(&line).with_context(|| format!("QEMU said `{line}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_with_the_mark_are_commands() {
        assert_eq!(asked("vm: shell after 2 s").expect("a line"), None);
        let found = asked("[1.5] vm-host: {\"execute\": \"device_del\", \"arguments\": {\"id\": \"n0\"}}\r");
        let command = found.expect("a command").expect("asked");
        assert_eq!(command.pointer("/arguments/id"), Some(&json!("n0")));
        assert!(asked("vm-host: please").is_err() && asked("vm-host: {}").is_err());
    }

    #[test]
    fn an_answer_is_told_from_events_and_errors() {
        let (here, there) = UnixStream::pair().expect("a pair of sockets");
        let mut connection = BufReader::new(here);
        let mut there = BufReader::new(there);
        there.get_mut().write_all(b"{\"event\": \"STOP\"}\n{\"return\": 7}\n").expect("written");
        assert_eq!(converse(&mut connection, &json!({ "execute": "a" })).expect("an answer"), json!(7));
        there.get_mut().write_all(b"{\"error\": {\"class\": \"DeviceNotFound\"}}\n").expect("written");
        let error = converse(&mut connection, &json!({ "execute": "b" })).expect_err("an error");
        assert!(error.to_string().contains("DeviceNotFound"), "{error}");
        let mut said = String::new();
        there.read_line(&mut said).expect("read");
        assert_eq!(said, "{\"execute\":\"a\"}\n");
        drop(there);
        assert!(converse(&mut connection, &json!({ "execute": "c" })).is_err());
    }
}
