//! The recorder of a run that is not stored: its records exist until the result is shown.

use std::sync::{Arc, Mutex, PoisonError};

use drivelab_core::event::Event;
use drivelab_core::listener::{Listener, ListenerError};
use drivelab_core::run::RunRecords;

/// Receives the events of a run and folds them into records; copies share the records.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<Option<RunRecords>>>);

impl Memory {
    /// Hands over the records; `None` if there are none, or if they were handed over before.
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
