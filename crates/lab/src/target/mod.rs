//! The target of a measurement: named, inspected, asked about, opened.

pub mod consent;
pub mod largest;
pub(crate) mod leftovers;
pub(crate) mod means;
pub mod missing;
pub mod naming;
pub mod opened;
pub mod other_namespace;
pub mod place;
pub mod placing;
pub(crate) mod refusals;
pub(crate) mod released;
pub(crate) mod scratch;
pub mod site;
pub(crate) mod sorts;
pub mod storage;
pub mod unmounted;
