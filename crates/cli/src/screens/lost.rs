//! The message of a screen that can no longer write.

/// A screen can no longer write: the reader went away or the terminal is gone.
#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
pub(super) fn lost(error: std::io::Error) -> drivelab_core::listener::ListenerError {
    let message = format!("the live view cannot be written to stdout or stderr any more ({error}); the run continues");
    drivelab_core::listener::ListenerError { message }
}
