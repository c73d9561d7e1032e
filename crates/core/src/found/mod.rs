//! Facts about target, drive and testbed.

pub mod ceilings;
pub mod content;
pub mod data_sheet;
pub mod drive_facts;
pub mod environment;
pub mod namespace;
pub mod probe;
pub mod published;
pub mod verdict_rules;
pub mod watching_cost;
