//! The JSON documents: published formats, whose schemas are in docs/formats.

pub(crate) mod arms;
pub(crate) mod check;
pub(crate) mod commands;
pub(crate) mod compare;
pub(crate) mod dry_run;
pub(crate) mod io;
pub(crate) mod probe;
pub(crate) mod rank;
pub(crate) mod results;
mod schema;
pub(crate) mod schemas;
pub(crate) mod together;
mod told;
pub(crate) mod watch;
pub(crate) mod wipe;
