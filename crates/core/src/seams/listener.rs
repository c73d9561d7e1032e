//! Who hears the events of a run.

use crate::event::Event;

/// A listener could not take an event. For the recorder this ends the run; for a screen it costs the screen.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ListenerError {
    /// What went wrong: what, where, why likely, what to do.
    pub message: String,
}

/// Hears events in order, on a thread of its own; never on the I/O path.
pub trait Listener: Send {
    /// Takes one event.
    ///
    /// # Errors
    /// [`ListenerError`] where it can take no more.
    fn event(&mut self, event: &Event) -> Result<(), ListenerError>;

    /// Called about ten times a second when no event came: time to flush or redraw.
    ///
    /// # Errors
    /// [`ListenerError`] where it can take no more.
    fn idle(&mut self) -> Result<(), ListenerError> {
        Ok(())
    }

    /// No event follows; finish what is open.
    ///
    /// # Errors
    /// [`ListenerError`] where that failed.
    fn finish(&mut self) -> Result<(), ListenerError> {
        Ok(())
    }
}
