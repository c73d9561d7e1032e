//! `drivelab testbed`: what the user calls this host, and what has changed since.

use drivelab_core::exit::ExitCode;
use drivelab_device::testbed_facts;
use drivelab_lab::{Failure, Result};
use drivelab_store::{NamedTestbed, read_testbed, write_testbed};

use crate::args::TestbedCommand;
use crate::context::Context;
use crate::say;

/// Runs the command.
///
/// # Errors
/// The testbed has no name yet, or its name cannot be stored.
pub fn testbed(context: &Context, command: Option<&TestbedCommand>) -> Result {
    let now = testbed_facts(None);
    let Some(TestbedCommand::Set { tag, note }) = command else {
        let named = read_testbed(&context.settings.data.value)?.ok_or_else(|| {
            Failure::nothing("this testbed has no name; `drivelab testbed set --tag NAME` gives it one")
        })?;
        let mut text = format!("{}\n", named.tag);
        for line in std::iter::once(&named.note).filter(|note| !note.is_empty()).chain(&named.changes(&now)) {
            text.push_str(line);
            text.push('\n');
        }
        say::data(&text)?;
        return Ok(ExitCode::Ok);
    };
    // A name that cannot be read is replaced.
    let before = read_testbed(&context.settings.data.value).ok().flatten().filter(|before| before.tag == *tag);
    let note = note.as_deref().map(|note| note.trim().to_owned());
    let note = note.or(before.map(|before| before.note)).unwrap_or_default();
    let named = NamedTestbed { tag: tag.clone(), note, facts: now };
    write_testbed(&context.data()?, &named)?;
    context.settings.voice.say(format!("This testbed is {tag}; runs from now on record it"));
    Ok(ExitCode::Ok)
}
