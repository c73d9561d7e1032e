//! Where methodologies come from: files, the built-in library, included, derived and chosen parts, traces.

pub(crate) mod include;
pub mod library;
pub(crate) mod merge;
pub(crate) mod profile;
pub(crate) mod recorded;
pub(crate) mod text_file;
pub(crate) mod traces;
