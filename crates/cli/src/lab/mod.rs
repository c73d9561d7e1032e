//! The wiring of a measurement: target, plan, bundle, engine, session, screens, and what is shown at the end.

pub mod begin;
pub mod care;
pub mod company;
pub mod conditions;
pub mod consent;
pub mod dry_run;
pub mod execute;
pub mod found;
pub mod group_pages;
pub mod headers;
pub mod inhibit;
pub mod memory;
pub mod method;
pub mod notes;
pub mod outcome;
pub mod pages;
pub mod place;
pub mod signals;
pub mod target;
pub mod together;
pub mod trace;
pub mod watching;
