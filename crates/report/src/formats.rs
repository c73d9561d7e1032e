//! Layout of views and documents: the page, Markdown, CSV, text for a terminal.

pub(crate) mod arms;
pub(crate) mod article;
pub(crate) mod asset;
pub(crate) mod brief;
pub(crate) mod cdm;
pub(crate) mod check;
mod columns;
pub(crate) mod compare;
pub(crate) mod csv;
mod detail;
pub(crate) mod dry_run;
pub(crate) mod io;
mod junit;
pub(crate) mod markdown;
pub(crate) mod page;
pub(crate) mod probe;
pub(crate) mod rank;
pub(crate) mod summary;
pub(crate) mod terminal;
pub(crate) mod together;
