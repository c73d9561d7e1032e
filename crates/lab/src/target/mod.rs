//! What is measured: named, looked at, asked about, opened.

pub mod consent;
pub mod largest;
pub mod leftovers;
pub mod means;
pub mod missing;
pub mod naming;
pub mod open;
pub mod other_namespace;
pub mod place;
pub mod placing;
pub mod refusals;
pub mod site;
pub mod unmounted;
