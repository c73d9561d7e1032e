//! The vocabulary of the methodology language: every table, key, unit and word, once.

pub(crate) mod alike;
pub(crate) mod around;
pub(crate) mod ending;
pub(crate) mod file;
pub(crate) mod files;
pub(crate) mod frame;
pub(crate) mod load;
pub(crate) mod marks;
pub(crate) mod parameters;
pub(crate) mod prepare;
pub(crate) mod scores;
pub(crate) mod shape;
pub(crate) mod test;
pub(crate) mod trace;
pub(crate) mod twin;
