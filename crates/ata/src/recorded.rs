//! A recorded drive: the pages of a bundle, read again by the current decoders.
//!
//! Part of the product: a bundle keeps the raw pages so that a later version can decode them again. Tests use it too.

use std::collections::HashMap;

use crate::command::AtaCommand;
use crate::error::AtaError;
use crate::sense::Registers;
use crate::transport::AtaTransport;

/// Answers from recorded pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedTransport {
    pages: HashMap<AtaCommand, Vec<u8>>,
    registers: HashMap<AtaCommand, Registers>,
    aborted: Vec<AtaCommand>,
}

impl RecordedTransport {
    /// Stores the page that a command returned. Data shorter than a page is completed with zeros, which bundles leave
    /// out at the end.
    #[must_use]
    pub fn with_page(mut self, command: AtaCommand, page: &[u8]) -> Self {
        self.pages.insert(command, page.to_vec());
        self
    }

    /// Stores a page by the name that a bundle uses for it ([`AtaCommand::page_name`]); other pages are ignored.
    #[must_use]
    pub fn with_named_page(self, name: &str, page: &[u8]) -> Self {
        match AtaCommand::ALL.into_iter().find(|command| command.page_name() == name) {
            Some(command) => self.with_page(command, page),
            None => self,
        }
    }

    /// Stores the registers that a command returned.
    #[must_use]
    pub fn with_registers(mut self, command: AtaCommand, registers: Registers) -> Self {
        self.registers.insert(command, registers);
        self
    }

    /// Records that the drive aborted a command.
    #[must_use]
    pub fn with_abort(mut self, command: AtaCommand) -> Self {
        self.aborted.push(command);
        self
    }
}

impl AtaTransport for RecordedTransport {
    fn send(&self, command: AtaCommand, data: &mut [u8]) -> Result<Option<Registers>, AtaError> {
        let registers = self.registers.get(&command).copied();
        if self.aborted.contains(&command) {
            return Err(AtaError::Aborted { command, node: "the recording".to_owned(), registers });
        }
        if command.answers_in_registers() {
            return registers.map(Some).ok_or(AtaError::NotRecorded { command });
        }
        let page = self.pages.get(&command).ok_or(AtaError::NotRecorded { command })?;
        data.fill(0);
        data.iter_mut().zip(page).for_each(|(to, from)| *to = *from);
        Ok(registers)
    }
}
