//! The checked tree of a file: values with their places, what reads them, and errors that point there.

pub(crate) mod check;
pub(crate) mod composite;
pub(crate) mod diagnose;
pub(crate) mod diagnostic;
pub(crate) mod errors;
pub(crate) mod hash;
pub(crate) mod locality;
pub(crate) mod marks;
pub(crate) mod near;
pub(crate) mod rate;
pub(crate) mod scalar;
pub(crate) mod texts;
pub(crate) mod value;
