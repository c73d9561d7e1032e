//! The recorder of a run that is not kept: its records live until the result is shown.

use std::sync::{Arc, Mutex, PoisonError};

use drivelab_core::event::Event;
use drivelab_core::listener::{Listener, ListenerError};
use drivelab_core::run::RunRecords;

/// Hears the events of a run and folds them; copies share what was heard.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<Option<RunRecords>>>);

impl Memory {
    /// Hands over what was heard; `None` where nothing was, or where it was handed over before.
    #[must_use]
    pub(crate) fn take(&self) -> Option<RunRecords> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Listener for Memory {
    fn event(&mut self, event: &Event) -> Result<(), ListenerError> {
        let mut records = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match records.as_mut() {
            Some(records) => records.push(event.clone().condensed()),
            None => {
                let begun = RunRecords::begin(event.clone());
                *records = Some(begun.map_err(|error| ListenerError { message: error.to_string() })?);
            }
        }
        Ok(())
    }
}
