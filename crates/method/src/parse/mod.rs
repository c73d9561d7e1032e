//! From a text to a checked methodology: its head, what its values mean together, and what was set on the command
//! line.

pub(crate) mod head;
pub(crate) mod meaning;
pub(crate) mod read;
pub(crate) mod settings;
