//! Copies of sets of files, compared.

mod files;
mod words;

pub(crate) use files::only_files;
pub(crate) use words::findings;
