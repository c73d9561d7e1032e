//! Listeners to the events of a run.

use crate::event::Event;

/// A listener could not take an event. If it is the recorder, the run ends; if it is a screen, only that screen is
/// lost.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ListenerError {
    /// What went wrong: what, where, likely why, what to do.
    pub message: String,
}

/// Receives events in order, on a thread of its own; never on the I/O path.
pub trait Listener: Send {
    /// Takes one event.
    ///
    /// # Errors
    /// [`ListenerError`] if it cannot take more events.
    fn event(&mut self, event: &Event) -> Result<(), ListenerError>;

    /// Called about ten times a second if no event arrives: time to flush or redraw.
    ///
    /// # Errors
    /// [`ListenerError`] if it cannot take more events.
    fn idle(&mut self) -> Result<(), ListenerError> {
        Ok(())
    }

    /// No event follows: completes open work.
    ///
    /// # Errors
    /// [`ListenerError`] if that failed.
    fn finish(&mut self) -> Result<(), ListenerError> {
        Ok(())
    }
}
