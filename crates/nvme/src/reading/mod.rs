//! Reading bytes: fields, figures, errors, decoders by name, and values that cannot be true.

pub(crate) mod counter;
pub(crate) mod error;
pub(crate) mod fields;
pub(crate) mod named;
pub mod sanity;
pub(crate) mod temperature;
